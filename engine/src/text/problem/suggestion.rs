//! Corrections of misspelt words of rule files: other capitals or accents, a French translation, or a typo.

use crate::text::words::{nearest, normalize};

/// French words that authors write for the keywords, as [`normalize`] spells them, each with the keywords it may
/// stand for; the first one allowed at the place is meant.
const TRANSLATIONS: &[(&str, &[&str])] = &[
    ("oui", &["true"]),
    ("vrai", &["true"]),
    ("yes", &["true"]),
    ("non", &["false", "not"]),
    ("faux", &["false"]),
    ("no", &["false"]),
    ("taux", &["rate"]),
    ("plafond", &["ceiling", "max"]),
    ("plancher", &["floor", "min"]),
    ("seuil", &["over", "from"]),
    ("minimum", &["min"]),
    ("maximum", &["max"]),
    ("borne", &["bound"]),
    ("tranche", &["bound", "brackets"]),
    ("tranches", &["brackets"]),
    ("bareme", &["brackets"]),
    ("jusqu_a", &["up_to"]),
    ("jusqua", &["up_to"]),
    ("moins_de", &["below"]),
    ("au_dela_de", &["over"]),
    ("au_dessus_de", &["over"]),
    ("a_partir_de", &["from"]),
    ("lignes", &["rows", "lines"]),
    ("bulletin", &["payslip"]),
    ("fiche_de_paie", &["payslip"]),
    ("salarie", &["employee"]),
    ("employeur", &["employer"]),
    ("rubrique", &["section"]),
    ("ligne", &["rows"]),
    ("periode", &["per"]),
    ("par", &["per", "by"]),
    ("avec", &["with"]),
    ("mois", &["month"]),
    ("mensuel", &["month"]),
    ("an", &["year"]),
    ("annee", &["year"]),
    ("annuel", &["year", "annual"]),
    ("loi", &["law"]),
    ("code", &["law"]),
    ("decret", &["law"]),
    ("arrete", &["law"]),
    ("ordonnance", &["law"]),
    ("circulaire", &["law"]),
    ("nature", &["kind"]),
    ("genre", &["kind"]),
    ("type", &["kind"]),
    ("editeur", &["publisher"]),
    ("reference", &["citation"]),
    ("plus_petit", &["smallest"]),
    ("plus_grand", &["greatest"]),
    ("pourcent", &["percent"]),
    ("min", &["at_least"]),
    ("max", &["at_most"]),
    ("if", &["when"]),
    ("secondaire", &["secondary"]),
    ("officiel", &["official", "administration"]),
    ("publie", &["published"]),
    ("main", &["hand"]),
    ("a_la_main", &["hand"]),
    ("moyenne", &["medium"]),
    ("moyen", &["medium"]),
    ("faible", &["low"]),
    ("basse", &["low"]),
    ("brouillon", &["draft"]),
    ("illimite", &["unlimited"]),
    ("montant", &["money", "money/month"]),
    ("nombre", &["number"]),
    ("entier", &["integer"]),
    ("texte", &["text"]),
    ("choix", &["choice"]),
    ("booleen", &["boolean"]),
    ("cle", &["key"]),
    ("cotisation", &["contribution"]),
    ("abattement", &["deduction"]),
    ("pret", &["loan"]),
    ("formule", &["formula"]),
    ("entrees", &["inputs"]),
    ("entree", &["input", "inputs"]),
    ("chiffres", &["figures"]),
    ("chiffre", &["figures"]),
    ("etapes", &["steps"]),
    ("etape", &["steps"]),
    ("reponse", &["answer"]),
    ("controles", &["checks"]),
    ("sources", &["sources", "source"]),
    ("cas", &["cases"]),
    ("titre", &["title"]),
    ("nom", &["name"]),
    ("libelle", &["label"]),
    ("etiquette", &["label"]),
    ("aide", &["help"]),
    ("monnaie", &["currency"]),
    ("devise", &["currency"]),
    ("dossier", &["folder"]),
    ("valeur", &["value"]),
    ("valeurs", &["values"]),
    ("defaut", &["default"]),
    ("par_defaut", &["default"]),
    ("obligatoire", &["required"]),
    ("facultatif", &["optional"]),
    ("pas", &["step"]),
    ("arrondi", &["round"]),
    ("inferieur", &["down"]),
    ("superieur", &["up"]),
    ("si", &["if"]),
    ("alors", &["then"]),
    ("sinon", &["else"]),
    ("et", &["and"]),
    ("ou", &["or"]),
    ("fois", &["*"]),
    ("x", &["*"]),
    ("attendu", &["expect"]),
    ("donne", &["given"]),
    ("origine", &["origin"]),
    ("refus", &["refuse"]),
];

/// The known word that a misspelt one stands for, if any.
pub(crate) fn suggestion<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<&str> = known.into_iter().collect();
    let plain = normalize(typed);
    let same = known.iter().copied().find(|name| normalize(name) == plain && !plain.is_empty());
    same.or_else(|| translated(typed, &known)).or_else(|| nearest(typed, known.iter().copied()))
}

/// The known word that a French one translates.
pub(crate) fn translated<'a>(typed: &str, known: &[&'a str]) -> Option<&'a str> {
    let plain = normalize(typed);
    let (_, words) = TRANSLATIONS.iter().find(|(french, _)| *french == plain)?;
    words.iter().find_map(|word| known.iter().copied().find(|name| name == word))
}

/// Whether a missing name was written with a typo: then the unknown name is reported, not its absence.
pub(crate) fn is_written<'a>(missing: &str, written: impl IntoIterator<Item = &'a str>, known: &[&str]) -> bool {
    let mut unknown = written.into_iter().filter(|name| !known.contains(name));
    unknown.any(|name| suggestion(name, known.iter().copied()) == Some(missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_french_word_finds_the_word_of_the_language() {
        for (typed, known, found) in [
            ("plafond", &["rate", "ceiling"][..], Some("ceiling")),
            ("étapes", &["inputs", "steps"], Some("steps")),
            ("Seul", &["seul", "couple"], Some("seul")),
            ("'seul'", &["seul", "couple"], Some("seul")),
            ("mois", &["month", "year"], Some("month")),
            ("rond", &["round", "rate"], Some("round")),
            ("menage", &["situation"], None),
        ] {
            assert_eq!(suggestion(typed, known.iter().copied()), found, "{typed}");
        }
    }

    #[test]
    fn translations_are_written_as_words_are_normalised() {
        for (french, words) in TRANSLATIONS {
            assert_eq!(normalize(french), *french);
            assert!(!words.is_empty(), "{french}");
        }
    }
}
