//! What the YAML parser says of a file that it cannot read, as an analyst would say it.

use super::Problem;

/// A reason why a file is not YAML, and its cure, in French and English.
struct Reason {
    /// Part of what the parser says.
    said: &'static str,
    fr: &'static str,
    fr_cure: &'static str,
    en: &'static str,
    en_cure: &'static str,
}

/// What analysts stumble over; the parser has rarer messages.
const REASONS: [Reason; 8] = [
    Reason {
        said: "did not find expected ',' or '",
        fr: "il manque une virgule ou une accolade, ici ou juste avant",
        fr_cure: "séparer les clés par une virgule, fermer chaque `{` et chaque `[`, mettre entre guillemets un texte qui contient `: ` ou `, `",
        en: "a comma or a brace is missing, here or just before",
        en_cure: "separate the keys by a comma, close each `{` and each `[`, quote a text that holds `: ` or `, `",
    },
    Reason {
        said: "invalid trailing content after",
        fr: "du texte suit un guillemet qui ferme",
        fr_cure: "fermer les guillemets à la fin du texte seulement ; un texte qui en contient se met entre apostrophes",
        en: "there is text after a closing quote",
        en_cure: "close the quotes at the end of the text only; a text that holds some is put between apostrophes",
    },
    Reason {
        said: "mapping values are not allowed",
        fr: "un deux-points est de trop ici",
        fr_cure: "mettre entre guillemets un texte qui contient `: `, ou écrire le deux-points qui manque à la clé au-dessus ou à gauche",
        en: "a colon too many here",
        en_cure: "quote a text that holds `: `, or write the colon that is missing to the key above or to the left",
    },
    Reason {
        said: "did not find expected key",
        fr: "cette ligne n'est pas alignée avec les clés voisines",
        fr_cure: "donner la même marge à toutes les clés d'un même niveau",
        en: "this line is not aligned with the keys beside it",
        en_cure: "give the same margin to all the keys of a level",
    },
    Reason {
        said: "did not find expected '-'",
        fr: "cette ligne n'est pas alignée avec celles de la liste",
        fr_cure: "donner la même marge à tous les `- ` d'une liste",
        en: "this line is not aligned with those of the list",
        en_cure: "give the same margin to every `- ` of a list",
    },
    Reason {
        said: "bracket",
        fr: "une accolade ou un crochet ne ferme pas ce qui est ouvert",
        fr_cure: "fermer chaque `{` par `}` et chaque `[` par `]`, une seule fois",
        en: "a brace or a bracket does not close what is open",
        en_cure: "close each `{` by `}` and each `[` by `]`, once",
    },
    Reason {
        said: "unexpected character",
        fr: "une valeur ne commence pas par ce caractère",
        fr_cure: "la mettre entre guillemets ; le `%` d'un taux s'écrit à la fin, comme `6.3%`",
        en: "a value does not start with this character",
        en_cure: "put it between quotes; the `%` of a rate stands at its end, like `6.3%`",
    },
    Reason {
        said: "unknown anchor",
        fr: "une valeur ne commence pas par `*`, qui serait un renvoi",
        fr_cure: "écrire la valeur en toutes lettres, ou entre guillemets si c'est un texte",
        en: "a value does not start with `*`, which would be an alias",
        en_cure: "write the value out, or between quotes if it is a text",
    },
];

/// The problem behind a message of the parser.
pub(crate) fn not_yaml(said: &str) -> Problem {
    match REASONS.iter().find(|reason| said.contains(reason.said)) {
        Some(reason) => Problem::NotYaml {
            fr: reason.fr.to_owned(),
            fr_cure: reason.fr_cure,
            en: reason.en.to_owned(),
            en_cure: reason.en_cure,
        },
        None => Problem::NotYaml {
            fr: format!("la lecture s'arrête ici ({said})"),
            fr_cure: "vérifier les deux-points, guillemets, crochets et marges de cette ligne et de la précédente",
            en: format!("the reading stops here ({said})"),
            en_cure: "check the colons, quotes, brackets and margins of this line and the one before",
        },
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::{Lang, Report, RuleFile};
    use crate::yaml::Node;

    /// What is said of a text that is not YAML.
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
            "a: *b",
        ];
        for (reason, text) in super::REASONS.iter().zip(texts) {
            assert!(cause(text).contains(reason.en), "{text}: {}", cause(text));
        }
        assert!(cause("a: \"\\q\"").contains("the reading stops here (while parsing a quoted scalar"));
    }
}
