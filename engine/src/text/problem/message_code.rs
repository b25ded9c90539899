//! The catalogue for readers: what each code means, whatever the file in which it is found.

use crate::text::problem::catalogue::CATALOGUE;
use crate::text::{Lang, Text};

/// The first letter of the codes, with what it is about, in the order of the manual: from the
/// writing of a file to what it says, warnings last.
pub const LETTERS: [(char, Text); 18] = [
    ('Y', Text::new("le YAML lui-même", "the YAML itself")),
    (
        'S',
        Text::new("la forme d’un fichier", "the form of a file"),
    ),
    (
        'F',
        Text::new("l’écriture d’une formule", "the writing of a formula"),
    ),
    (
        'T',
        Text::new("les types et les périodes", "types and periods"),
    ),
    (
        'I',
        Text::new("les entrées et les contrôles", "inputs and checks"),
    ),
    (
        'N',
        Text::new("les groupes et leurs éléments", "groups and their items"),
    ),
    (
        'G',
        Text::new("les chiffres et les sources", "figures and sources"),
    ),
    ('E', Text::new("les étapes", "steps")),
    (
        'K',
        Text::new(
            "ce que les dossiers calculent les uns des autres",
            "what folders calculate of each other",
        ),
    ),
    ('P', Text::new("une année de paie", "a year of pays")),
    ('O', Text::new("les options", "options")),
    ('A', Text::new("la réponse", "the answer")),
    (
        'M',
        Text::new("les fichiers et les dossiers", "files and folders"),
    ),
    ('L', Text::new("les limites de taille", "limits of size")),
    ('C', Text::new("les cas", "cases")),
    ('V', Text::new("le service", "the service")),
    (
        'X',
        Text::new("le programme lui-même", "the program itself"),
    ),
    (
        'W',
        Text::new(
            "des avertissements, qui n’arrêtent rien ; W40 à W49, W60, W61 et W68 à W73 \
             retiennent un fichier en vigueur jusqu’à ce que leur motif soit écrit",
            "warnings, which do not stop anything; W40 to W49, W60, W61 and W68 to W73 hold a \
             file in force back until their reason is written",
        ),
    ),
];

/// A message as the catalogue declares it: its code, its cause and its cure, without the values
/// that the message about a file fills in.
///
/// ```
/// use bareme_engine::Lang;
/// use bareme_engine::text::MessageCode;
///
/// let unknown = MessageCode::of("G05").ok_or("no code")?;
/// assert_eq!(unknown.cause(Lang::En), "the source `…` is not in `sources`");
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug)]
pub struct MessageCode {
    /// The stable code: a letter of [`LETTERS`] and two digits.
    pub code: &'static str,
    pub(super) cause: Text,
    pub(super) cure: Text,
    #[cfg(test)]
    pub(super) fields: &'static [&'static str],
    /// The field of the "did you mean", which the texts do not name.
    #[cfg(test)]
    pub(super) near: &'static str,
}

impl MessageCode {
    /// The codes, in the order of their letters and numbers.
    pub fn all() -> Vec<&'static Self> {
        // The catalogue has them beside those that they resemble.
        let place = |code: &str| LETTERS.iter().position(|(own, _)| code.starts_with(*own));

        let mut all: Vec<&Self> = CATALOGUE.iter().collect();
        all.sort_by_key(|one| (place(one.code), one.code));
        all
    }

    /// The message of a code.
    pub fn of(code: &str) -> Option<&'static Self> {
        CATALOGUE.iter().find(|one| one.code == code)
    }

    /// Whether it warns: a file with such a message is not refused.
    pub fn is_warning(&self) -> bool {
        self.code.starts_with('W')
    }

    /// The cause, with `…` for what differs from file to file.
    pub fn cause(&self, lang: Lang) -> String {
        open(self.cause.in_lang(lang))
    }

    /// The cure, in the same way; `None` where each mistake has its own.
    pub fn cure(&self, lang: Lang) -> Option<String> {
        Some(open(self.cure.in_lang(lang))).filter(|cure| cure != BLANK)
    }
}

/// The sign in place of a value that differs from file to file.
const BLANK: &str = "…";

/// A text of the catalogue whose fields nothing fills in.
fn open(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;

    while let Some(at) = rest.find(['{', '}']) {
        let (before, brace) = rest.split_at(at);
        shown.push_str(before);

        // A brace of the text itself is written twice.
        rest = if let Some(next) = brace.strip_prefix("{{") {
            shown.push('{');
            next
        } else if let Some(next) = brace.strip_prefix("}}") {
            shown.push('}');
            next
        } else {
            // The end of a sentence which most messages do not have is left out.
            if !is_sentence_end(&shown) {
                shown.push_str(BLANK);
            }
            brace.split_once('}').map_or("", |(_, next)| next)
        };
    }

    shown.push_str(rest);
    // A number that is not known may be any: `lignes` reads better than `ligne(s)`.
    shown.replace("(s)", "s")
}

/// Whether a field after this text adds to the sentence, as `{others}` of `{date}{others}` does:
/// it follows a word, a quotation or another field without a space.
fn is_sentence_end(before: &str) -> bool {
    let is_in_quotes = before.matches('`').count() % 2 == 1;
    let is_closed = |last: char| last.is_alphanumeric() || matches!(last, '`' | '…' | ')');
    !is_in_quotes && before.ends_with(is_closed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_left_open_and_doubled_braces_are_one() {
        for (text, shown) in [
            ("`{name}` n’est pas un type", "`…` n’est pas un type"),
            ("`{figure}.{column}` ne sert à rien", "`….…` ne sert à rien"),
            (
                "nommer une étape de `steps`{known}",
                "nommer une étape de `steps`",
            ),
            ("au barème du {date}{others}", "au barème du …"),
            ("ajouter `{{type: {ty}}}`", "ajouter `{type: …}`"),
            ("{count} chiffre(s) sans texte", "… chiffres sans texte"),
        ] {
            assert_eq!(open(text), shown);
        }
    }

    #[test]
    fn every_code_is_listed_once_in_the_order_of_the_letters() {
        let all = MessageCode::all();
        assert_eq!(all.len(), CATALOGUE.len());
        let ends: Vec<&str> = all
            .first()
            .into_iter()
            .chain(all.last())
            .map(|one| one.code)
            .collect();
        assert_eq!(ends, ["Y01", "W82"]);
    }
}
