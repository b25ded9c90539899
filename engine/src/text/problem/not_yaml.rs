//! Errors of the YAML parser, reworded for an analyst.

use super::Problem;
use crate::say;
use crate::text::diagnostic::Place;
use crate::text::lang::Text;

/// A cause for which a file is not YAML, and its cure.
struct Reason {
    /// Part of the message of the parser.
    said: &'static str,
    cause: Text,
    cure: Text,
}

/// Declares the messages of the parser that analysts meet, each with the cause and the cure.
macro_rules! reasons {
    ($($said:literal fr $fr:literal $fr_cure:literal en $en:literal $en_cure:literal)*) => {
        const REASONS: &[Reason] = &[$(Reason {
            said: $said,
            cause: Text::new($fr, $en),
            cure: Text::new($fr_cure, $en_cure),
        }),*];
    };
}

reasons! {
    "did not find expected ',' or '"
        fr "il manque une virgule ou une accolade, ici ou juste avant" "séparer les clés par une virgule, fermer chaque `{` et chaque `[`, mettre entre guillemets un texte qui contient `: ` ou `, `"
        en "a comma or a brace is missing, here or just before" "separate the keys by a comma, close each `{` and each `[`, quote a text that holds `: ` or `, `"
    "invalid trailing content after"
        fr "du texte suit un guillemet qui ferme" "fermer les guillemets à la fin du texte seulement ; un texte qui contient des guillemets se met entre apostrophes, et l’inverse"
        en "there is text after a closing quote" "close the quotes at the end of the text only; a text that holds quotes is put between apostrophes, and the reverse"
    "mapping values are not allowed"
        fr "un deux-points est de trop ici" "mettre entre guillemets un texte qui contient `: `, ou écrire le deux-points qui manque à la clé au-dessus ou à gauche"
        en "a colon too many here" "quote a text that holds `: `, or write the colon that is missing to the key above or to the left"
    "did not find expected key"
        fr "cette ligne n’est pas alignée avec les clés voisines" "donner la même marge à toutes les clés d’un même niveau"
        en "this line is not aligned with the keys beside it" "give the same margin to all the keys of a level"
    "did not find expected '-'"
        fr "cette ligne n’est pas alignée avec celles de la liste" "donner la même marge à tous les `- ` d’une liste"
        en "this line is not aligned with those of the list" "give the same margin to every `- ` of a list"
    "bracket"
        fr "une accolade ou un crochet ne ferme pas ce qui est ouvert" "fermer chaque `{` par `}` et chaque `[` par `]`, une seule fois"
        en "a brace or a bracket does not close what is open" "close each `{` by `}` and each `[` by `]`, once"
    "unexpected character"
        fr "une valeur ne commence pas par ce caractère" "la mettre entre guillemets ; le `%` d’un taux s’écrit à la fin, comme `6.3%`"
        en "a value does not start with this character" "put it between quotes; the `%` of a rate stands at its end, like `6.3%`"
    "simple key expected ':'"
        fr "il manque un deux-points suivi d’une espace, ou le tiret qui commence une ligne de liste" "écrire `clé: valeur`, ou `- ` devant une ligne de liste"
        en "a colon followed by a space is missing, or the dash that starts a line of a list" "write `key: value`, or `- ` before a line of a list"
    "in multiline quoted scalar"
        fr "un guillemet ouvert n’est pas fermé" "fermer les guillemets à la fin du texte"
        en "a quote that is open is not closed" "close the quotes at the end of the text"
    "plain scalar cannot start with '-'"
        fr "une valeur ne se réduit pas à un tiret" "écrire la valeur ; là où la loi n’en fixe pas, retirer la clé, si la méthode déclare la colonne `optional`"
        en "a value is not a mere dash" "write the value; where the law sets none, remove the key, if the method declares the column `optional`"
    "multiple YAML documents"
        fr "une ligne `---` coupe le fichier en deux, ici ou juste avant" "retirer cette ligne : un fichier est un seul document"
        en "a line `---` cuts the file in two, here or just before" "remove that line: a file is a single document"
    "unknown anchor"
        fr "une valeur ne commence pas par `*`, qui serait un renvoi" "écrire la valeur en toutes lettres, ou entre guillemets si c’est un texte"
        en "a value does not start with `*`, which would be an alias" "write the value out, or between quotes if it is a text"
}

/// A line of a list that does not start with a dash and a space. No message of the parser tells it.
const NO_DASH: Reason = Reason {
    said: "",
    cause: Text::new(
        "une ligne de liste commence par un tiret et une espace",
        "a line of a list starts with a dash and a space",
    ),
    cure: Text::new("écrire `- ` au début de la ligne", "write `- ` at the start of the line"),
};

/// Turns a message of the parser into a problem and its place; an unclosed quote is reported where it opens.
pub(crate) fn not_yaml(said: &str, place: Place) -> (Place, Problem) {
    let text = place.file().text();
    let start = text.get(..place.span().start).map_or(0, |before| before.rfind('\n').map_or(0, |end| end + 1));
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default().trim_start();
    let bullet = line.chars().next().filter(|first| "•–—-*·".contains(*first));
    let after = bullet.and_then(|bullet| line.get(bullet.len_utf8()..));
    let is_no_dash = after.is_some_and(|after| bullet != Some('-') || after.starts_with('{'));
    let reason = if is_no_dash { Some(&NO_DASH) } else { REASONS.iter().find(|reason| said.contains(reason.said)) };
    let Some(reason) = reason else {
        let problem = Problem::NotYaml {
            reason: say!("la lecture s’arrête ici", "the reading stops here ({said})"),
            cure: say!(
                "vérifier les deux-points, guillemets, crochets et marges de cette ligne et de la précédente",
                "check the colons, quotes, brackets and margins of this line and the one before"
            ),
        };
        return (place, problem);
    };
    let problem = Problem::NotYaml { reason: reason.cause.into(), cure: reason.cure.into() };
    let opened = text.get(..place.span().start).and_then(|before| before.rfind(['"', '\'']));
    match opened {
        Some(opened) if said.contains("multiline") && !is_no_dash => {
            (Place::new(place.file(), opened..opened + 1), problem)
        }
        _ => (place, problem),
    }
}

#[cfg(test)]
mod tests {
    use crate::text::diagnostic::{Report, RuleFile};
    use crate::text::lang::Lang;
    use crate::text::yaml::Node;

    /// The cause reported for a text that is not YAML.
    fn cause(text: &str) -> String {
        let mut report = Report::default();
        assert!(Node::read(&RuleFile::new("a.yaml", text), &mut report).is_none(), "{text}");
        let found = report.errors().next().unwrap();
        assert_eq!(found.code(), "Y01");
        found.message(Lang::En).to_owned()
    }

    #[test]
    fn every_reason_is_one_that_the_parser_gives() {
        let texts = [
            "a: {b: 1\nc: 2",
            "a: \"b\" c",
            "a: b: c",
            "a:\n   b: 1\n  c: 2",
            "a:\n   - {b: 1}\n    - {c: 2}",
            "a: {b: 1]",
            "a: @b",
            "a: 1\nb\nc: 2",
            "a: \"b\nc: 2",
            "a: {b: -, c: d}",
            "a: 1\n---\nb: 2",
            "a: *b",
        ];
        for (reason, text) in super::REASONS.iter().zip(texts) {
            assert!(cause(text).contains(reason.cause.en), "{text}: {}", cause(text));
        }
        assert!(cause("a: \"\\q\"").contains("the reading stops here (while parsing a quoted scalar"));
    }
}
