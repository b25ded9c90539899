//! Corrections of misspelt words of rule files: other capitals or accents, a French translation, or
//! a typo.

use crate::text::words::{nearest, normalize};

/// The keywords, each with the words that authors write for it, as [`normalize`] spells them. Of
/// the keywords that a word may stand for, the first one allowed at the place is meant.
const TRANSLATIONS: &[(&str, &[&str])] = &[
    ("true", &["oui", "vrai", "yes"]),
    ("false", &["non", "faux", "no"]),
    ("not", &["non"]),
    ("rate", &["taux"]),
    ("ceiling", &["plafond"]),
    ("max", &["plafond", "maximum"]),
    ("floor", &["plancher"]),
    ("min", &["plancher", "minimum"]),
    ("over", &["seuil", "au_dela_de", "au_dessus_de"]),
    ("from", &["seuil", "a_partir_de"]),
    ("bound", &["borne", "tranche"]),
    ("brackets", &["tranche", "tranches", "bareme"]),
    ("up_to", &["jusqu_a", "jusqua"]),
    ("below", &["moins_de"]),
    ("rows", &["lignes", "ligne"]),
    ("lines", &["lignes"]),
    ("payslip", &["bulletin", "fiche_de_paie"]),
    ("employee", &["salarie"]),
    ("employer", &["employeur"]),
    ("section", &["rubrique"]),
    ("per", &["periode", "par"]),
    (
        "interpolate",
        &["interpoler", "interpolation", "progressif"],
    ),
    ("by", &["par"]),
    ("with", &["avec"]),
    ("month", &["mois", "mensuel"]),
    ("year", &["an", "annee", "annuel"]),
    ("annual", &["annuel"]),
    (
        "law",
        &[
            "loi",
            "code",
            "decret",
            "arrete",
            "ordonnance",
            "circulaire",
        ],
    ),
    ("kind", &["nature", "genre", "type"]),
    ("publisher", &["editeur"]),
    ("citation", &["reference"]),
    ("smallest", &["plus_petit"]),
    ("greatest", &["plus_grand"]),
    ("percent", &["pourcent"]),
    ("at_least", &["min"]),
    ("at_most", &["max"]),
    ("when", &["if"]),
    ("secondary", &["secondaire"]),
    ("official", &["officiel"]),
    ("administration", &["officiel"]),
    ("published", &["publie"]),
    ("hand", &["main", "a_la_main"]),
    ("medium", &["moyenne", "moyen"]),
    ("low", &["faible", "basse"]),
    ("draft", &["brouillon"]),
    ("unlimited", &["illimite"]),
    ("money", &["montant"]),
    ("money/month", &["montant"]),
    ("number", &["nombre"]),
    ("integer", &["entier"]),
    ("text", &["texte"]),
    ("choice", &["choix"]),
    ("boolean", &["booleen"]),
    ("key", &["cle"]),
    ("contribution", &["cotisation"]),
    ("deduction", &["abattement"]),
    ("loan", &["pret"]),
    ("formula", &["formule"]),
    ("input", &["entree"]),
    ("inputs", &["entrees", "entree"]),
    ("figures", &["chiffres", "chiffre"]),
    ("steps", &["etapes", "etape"]),
    ("answer", &["reponse"]),
    ("checks", &["controles"]),
    ("sources", &["sources"]),
    ("source", &["sources"]),
    ("cases", &["cas"]),
    ("title", &["titre"]),
    ("name", &["nom"]),
    ("label", &["libelle", "etiquette"]),
    ("help", &["aide"]),
    ("currency", &["monnaie", "devise"]),
    ("folder", &["dossier"]),
    ("value", &["valeur"]),
    ("values", &["valeurs"]),
    ("default", &["defaut", "par_defaut"]),
    ("required", &["obligatoire"]),
    ("optional", &["facultatif"]),
    ("step", &["pas"]),
    ("round", &["arrondi"]),
    ("down", &["inferieur"]),
    ("up", &["superieur"]),
    ("if", &["si"]),
    ("then", &["alors"]),
    ("else", &["sinon"]),
    ("and", &["et"]),
    ("or", &["ou"]),
    ("+", &["plus"]),
    ("-", &["moins"]),
    ("*", &["fois", "x"]),
    ("/", &["divise"]),
    ("expect", &["attendu"]),
    ("given", &["donne"]),
    ("origin", &["origine"]),
    ("refuse", &["refus"]),
];

/// The known word that a misspelt one was meant to be, if any.
pub(crate) fn suggestion<'a>(
    typed: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let known: Vec<&str> = known.into_iter().collect();

    // The surest correction first: the same letters, then a translation, then a typo. Otherwise
    // `seuil`, which means `over`, would be taken for a typo of a choice `seul`.
    let plain = normalize(typed);
    let same = known
        .iter()
        .copied()
        .find(|name| normalize(name) == plain && !plain.is_empty());

    // In a short word the first letter makes the word: `date` is no typo of `rate`.
    let first = plain.chars().next();
    let is_typo_of = |name: &&str| plain.len() > 4 || name.to_lowercase().chars().next() == first;

    same.or_else(|| translated(typed, &known))
        .or_else(|| nearest(typed, known.iter().copied().filter(is_typo_of)))
}

/// The known word that a French one translates.
pub(crate) fn translated<'a>(typed: &str, known: &[&'a str]) -> Option<&'a str> {
    let plain = normalize(typed);
    // A French word may translate several keywords, of which a place allows one: `plafond` is
    // `ceiling` of a contribution and `max` of a deduction.
    let mut meant = TRANSLATIONS
        .iter()
        .filter(|(_, written)| written.contains(&plain.as_str()));
    meant.find_map(|(keyword, _)| known.iter().copied().find(|name| name == keyword))
}

/// Whether a missing name was written with a typo: then the unknown name is reported, not its
/// absence.
pub(crate) fn is_written<'a>(
    missing: &str,
    written: impl IntoIterator<Item = &'a str>,
    known: &[&str],
) -> bool {
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
        for (keyword, written) in TRANSLATIONS {
            assert!(!written.is_empty(), "{keyword}");
            assert!(
                written.iter().all(|word| normalize(word) == *word),
                "{keyword}"
            );
        }
    }
}
