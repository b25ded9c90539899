//! What each door costs, in ordinary calls: one table, which the budget, the manual and the tests
//! go by.

use bareme_engine::law::DetailLevel;
use bareme_engine::law::parameter::DETAIL;

use crate::wire::query::Query;

/// The work of a request, as the budget charges it.
#[derive(Debug, PartialEq, Eq)]
pub struct Work {
    /// The door in the manual.
    pub door: &'static str,
    /// What it is charged, in ordinary calls.
    pub calls: u32,
    /// The dearest request known, as `tests/attack/run costs` sends it.
    pub dearest: &'static str,
}

/// Ordinary calls up to which a work may be done on the threads that serve connections: far less
/// than five milliseconds.
const MAX_SHORT: u32 = 10;

impl Work {
    /// Whether it leaves the threads that serve connections, and waits for its turn.
    pub fn is_long(&self) -> bool {
        self.calls > MAX_SHORT
    }
}

/// Declares the works, each with its charge, its door and its dearest request; and the list of
/// them.
macro_rules! works {
    ($($(#[$doc:meta])* $name:ident $calls:literal $door:literal $dearest:literal;)*) => {
        $(#[doc = concat!("The work of ", $door, ".")] $(#[$doc])* pub static $name: Work =
            Work { door: $door, calls: $calls, dearest: $dearest };)*

        /// Every work, in the order of the manual.
        pub static WORKS: [&Work; [$($calls),*].len()] = [$(&$name),*];
    };
}

works! {
    /// The unit.
    CALL 1 "a calculation"
        "GET /api/v1/salaire?brut=3{n}&detail=true&employeur=true";
    INVERSE 70 "a calculation for `net=`, `cout=` or another result"
        "GET /api/v1/salaire?cout=3{n}";
    /// Each try computes the pays before.
    INVERSE_OF_LATER_PAY 600 "the same for a pay that comes after equal ones"
        "GET /api/v1/salaire-net/qc?net=8{n}&primes=8000&mois=12";
    /// Every calculation of an item of a group is made and explained again.
    EXPLAINED_CALLS 15 "a calculation with the steps of those that it asks for, `detail=complet`"
        "GET /api/v1/succession/partage?actif=1{n}000&lien=enfant;enfant;enfant;enfant;enfant;\
            enfant;enfant;enfant;enfant;enfant;enfant;enfant;enfant;enfant;enfant;enfant;enfant;\
            enfant;enfant;enfant&detail=complet";
    LAW_THAT_SEARCHES 90 "a calculation whose law looks for an amount in another folder"
        "GET /api/v1/statuts?ca=7{n}0&charges=9000&activite=liberal&detail=true";
    YEAR 170 "a year of pays, `…/annee`"
        "GET /api/v1/salaire/annee?annee=2026&brut=3{n}&detail=true&employeur=true";
    /// The rows are charged besides, each as its calculation.
    BATCH 260 "a batch, besides its rows"
        "POST /api/v1/lot/ir 2 MiB of rows, too many";
    /// Of a calculation, or of each row of a batch.
    RECEIPT 1 "a receipt, besides its calculation or its row"
        "GET /api/v1/salaire?brut=3{n}&employeur=true&recu=true";
    DATA 3 "data of the scales"
        "GET /api/v1/baremes/salaire/2026-01-01";
    DESCRIPTION 2600 "an OpenAPI document, the first time of a rule set"
        "GET /api/v1/openapi.json";
    /// Whether it is a page, a feed or a file, once it is there.
    MADE 1 "a page, a feed or a file that is made"
        "GET /baremes/salaire";
    MAKING 1300 "the changes of all scales, the first time of a day or of a rule set"
        "GET /baremes.atom";
    MAKING_OF_SCALE 510 "the figures or the changes of a scale, the first time"
        "GET /baremes/salaire-net/be";
    MAKING_OTHER 600 "another page, the first time"
        "GET /documentation/primes";
    OWN_TEXT 5 "terms, privacy, legal notice"
        "GET /conditions";
    LOOK_UP 60 "the simulators that match some words"
        "GET /simulateurs?q=salaire%20net%20imp%C3%B4t";
    TRIAL 100 "a call tried on the page of the API, a pay on the home page"
        "GET /site/appel?appel=/api/v1/salaire?cout=3{n}";
    SIMULATION 120 "a simulator, its result, its file, its year, its frame"
        "GET /simulateurs/foyer?situation=couple&salaire=36{n}&salaire_conjoint=28000&un-essai=dons";
    SIMULATION_OF_RESULT 700 "the same for `net`, `cout` or another result"
        "GET /simulateurs/salaire?cout=5{n}&employeur=true";
    SIDE_BY_SIDE 5000 "a simulator that compares alternatives, as above"
        "GET /simulateurs/statuts?ca=7{n}0&charges=9000&activite=liberal&part_remuneration=40";
    COMPARISON 100 "the comparison of countries"
        "GET /comparer?montant=3{n}";
    COMPARISON_OF_COSTS 500 "the same from a cost"
        "GET /comparer?montant=3{n}&point-de-depart=cout";
    FORM 10 "the forms of the keys"
        "GET /cle";
    STATE 5 "the availability of the service"
        "GET /etat";
    MESSAGE 60 "a message to `/mcp` that calls no tool"
        "MCP initialize";
    TOOLS 300 "`tools/list`"
        "MCP tools/list";
    TOOL 35 "the tool of a calculation"
        "MCP tools/call salaire {\"brut\":3{n},\"detail\":true}";
    TOOL_FOR_RESULT 125 "the same for a result, and `inverse`"
        "MCP tools/call inverse {\"calcul\":\"salaire\",\"cible\":\"cout\",\"montant\":3{n}}";
    SEARCH 360 "`chercher`"
        "MCP tools/call chercher {\"mots\":\"plafond sécurité sociale salaire impôt revenu taux \
            barème cotisation\"}";
    FIGURE 30 "`chiffre`"
        "MCP tools/call chiffre {\"bareme\":\"salaire\",\"chiffre\":\"smic_horaire\"}";
    EXPLANATION 240 "`expliquer`"
        "MCP tools/call expliquer {\"calcul\":\"statuts\",\"parametres\":{\"ca\":7{n}0,\
            \"charges\":9000,\"activite\":\"liberal\"}}";
    TWO_CALCULATIONS 260 "`comparer`"
        "MCP tools/call comparer \
            {\"calcul\":\"statuts\",\"parametres\":{\"ca\":7{n}0,\"charges\":9000,\
            \"activite\":\"liberal\"},\"avec\":{\"ca\":40000}}";
    CHANGES 270 "`changements`"
        "MCP tools/call changements {\"depuis\":\"2000-01-01\",\"detail\":true}";
}

/// The fixed tools of assistants, by name.
pub static TOOLS_BY_NAME: [(&str, &Work); 6] = [
    ("chercher", &SEARCH),
    ("chiffre", &FIGURE),
    ("expliquer", &EXPLANATION),
    ("comparer", &TWO_CALCULATIONS),
    ("inverse", &TOOL_FOR_RESULT),
    ("changements", &CHANGES),
];

/// Whether a query sends one of some parameters, whatever its value.
pub fn sends(query: &str, names: &[String]) -> bool {
    // Most calls send none, and no name has an escape.
    let may = query.contains('%') || names.iter().any(|name| query.contains(name.as_str()));
    may && Query::borrowed(query)
        .pairs
        .iter()
        .any(|(sent, _)| names.iter().any(|name| name == sent))
}

/// Whether a query asks for the steps of the calculations that a calculation asks for.
pub fn asks_for_called_steps(query: &str) -> bool {
    // Most calls ask for no steps.
    let may = query.contains('%') || query.contains(DETAIL);
    may && are_called_steps_asked(&Query::borrowed(query).pairs)
}

/// The same of the parameters of a query.
pub fn are_called_steps_asked<N: AsRef<str>, V: AsRef<str>>(pairs: &[(N, V)]) -> bool {
    pairs.iter().any(|(name, value)| {
        let level = DetailLevel::parse(value.as_ref());
        name.as_ref() == DETAIL && level == Some(DetailLevel::CalledSteps)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_found_however_it_is_written() {
        let names = ["net".to_owned(), "cout".to_owned()];
        for query in ["net=1", "a=2&cout=3", "a=2&%63out=3", "n%65t=5", "net"] {
            assert!(sends(query, &names), "{query}");
        }
        for query in ["", "brut=1", "netto=2", "a=net", "a%3Dnet=1", "brut=%20"] {
            assert!(!sends(query, &names), "{query}");
        }
    }
}
