//! Texts with something between braces: `Le brut est inférieur à {minimum.montant} F.`

use super::PlacedText;
use crate::text::diagnostic::Place;

/// A piece of a text.
#[derive(Debug)]
pub(crate) enum Piece {
    /// Words, as they are.
    Words(String),
    /// What is between an opening brace and its closing one.
    Between(PlacedText),
}

impl PlacedText {
    /// The pieces of the text, in order, and the place of the first brace that has no other one: a
    /// slip of the hand, never a word of the law. What follows it is read all the same.
    pub(crate) fn pieces(&self) -> (Vec<Piece>, Option<Place>) {
        let mut pieces = Vec::new();
        let mut alone = None;
        let mut start = 0;

        while let Some(rest) = self.value.get(start..).filter(|rest| !rest.is_empty()) {
            let length = rest.find(['{', '}']).unwrap_or(rest.len());
            let (words, braced) = rest.split_at(length);
            if !words.is_empty() {
                pieces.push(Piece::Words(words.to_owned()));
            }
            start += length;
            if braced.is_empty() {
                break;
            }

            // The brace alone is left out of the words, and the text after it is read as words
            // again.
            let Some(inside) = between(braced) else {
                alone = alone.or_else(|| Some(self.part(start..start + 1)));
                start += 1;
                continue;
            };
            pieces.push(Piece::Between(PlacedText {
                value: inside.to_owned(),
                place: self.part(start + 1..start + 1 + inside.len()),
            }));
            start += inside.len() + 2;
        }
        (pieces, alone)
    }
}

/// What an opening brace that begins a text holds: neither a closing brace first, nor another
/// opening one inside.
fn between(text: &str) -> Option<&str> {
    let opened = text.strip_prefix('{')?;
    let (inside, rest) = opened.split_at(opened.find(['{', '}'])?);
    rest.starts_with('}').then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::RuleFile;

    /// The pieces of a text, those between braces with these, and the offset of a brace alone.
    fn pieces(value: &str) -> (Vec<String>, Option<usize>) {
        let file = RuleFile::new("zz/method.yaml", value);
        let text = PlacedText {
            value: value.to_owned(),
            place: Place::new(&file, 0..value.len()),
        };
        let (pieces, alone) = text.pieces();
        let shown = |piece| match piece {
            Piece::Words(words) => words,
            Piece::Between(inside) => {
                assert_eq!(file.text().get(inside.place.span()), Some(&*inside.value));
                format!("{{{}}}", inside.value)
            }
        };
        (
            pieces.into_iter().map(shown).collect(),
            alone.map(|place| place.span().start),
        )
    }

    #[test]
    fn a_text_is_cut_at_its_braces() {
        for (text, expected, alone) in [
            ("moins", &["moins"][..], None),
            ("", &[], None),
            ("{a}", &["{a}"], None),
            ("moins de {a.b} F", &["moins de ", "{a.b}", " F"], None),
            ("moins de {a.b", &["moins de ", "a.b"], Some(9)),
            ("à } de {a}", &["à ", " de ", "{a}"], Some(3)),
            ("{a {b} c}", &["a ", "{b}", " c"], Some(0)),
        ] {
            let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
            assert_eq!(pieces(text), (expected, alone), "{text}");
        }
    }
}
