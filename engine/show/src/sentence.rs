//! Sentences of kinds of steps, with their operands filled in.

/// Fills the operands that `shown` gives into a sentence; parts in brackets that lack one are left
/// out.
pub(crate) fn fill_in(sentence: &str, shown: &dyn Fn(&str) -> Option<String>) -> String {
    Words {
        left: sentence,
        shown,
    }
    .group()
    .text
}

/// The parser of a sentence.
struct Words<'w> {
    left: &'w str,
    shown: &'w dyn Fn(&str) -> Option<String>,
}

/// Text of a part of a sentence, filled in.
#[derive(Default)]
struct FilledPart {
    text: String,
    /// Whether an operand is missing.
    is_lacking: bool,
    /// Whether each part in brackets is shown.
    inner: Vec<bool>,
}

impl FilledPart {
    fn is_shown(&self) -> bool {
        !self.is_lacking && (self.inner.is_empty() || self.inner.contains(&true))
    }
}

impl Words<'_> {
    /// Fills in up to the end of the sentence or of the brackets.
    fn group(&mut self) -> FilledPart {
        let mut out = FilledPart::default();
        while let Some(letter) = self.next() {
            match letter {
                // The end of this group; of the sentence where brackets do not match.
                ']' => break,
                '[' => {
                    let inner = self.group();
                    out.inner.push(inner.is_shown());
                    if inner.is_shown() {
                        out.text.push_str(&inner.text);
                    }
                }
                '{' => match (self.shown)(self.name()) {
                    Some(value) => out.text.push_str(&value),
                    // The rest of the group is still read, to find its end.
                    None => out.is_lacking = true,
                },
                letter => out.text.push(letter),
            }
        }

        out
    }

    fn next(&mut self) -> Option<char> {
        let mut letters = self.left.chars();
        let letter = letters.next();
        self.left = letters.as_str();
        letter
    }

    /// The name that ends with `}`.
    fn name(&mut self) -> &str {
        let (name, left) = self.left.split_once('}').unwrap_or((self.left, ""));
        self.left = left;
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lacks_an_operand_is_left_out_of_a_sentence() {
        let sentence = "{a} × {b}[ ({c}[, floor {d}][, ceiling {e}])][, at most {f}]";
        let with = |known: &str| {
            fill_in(sentence, &|name: &str| {
                known.contains(name).then(|| name.to_uppercase())
            })
        };
        assert_eq!(with("abc"), "A × B");
        assert_eq!(with("abce"), "A × B (C, ceiling E)");
        assert_eq!(with("abcdef"), "A × B (C, floor D, ceiling E), at most F");
    }
}
