//! Sentences wrapped to the width of a terminal, by `textwrap`, but not where French typography
//! forbids a break.

use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// Wraps a text at its spaces, but never where French typography forbids a break; further lines
/// start with `margin`.
///
/// ```
/// let lines = bareme_engine::authoring::wrapped("plafond 1 296 000 : oui", 12, "");
/// assert_eq!(lines, ["plafond", "1 296 000 :", "oui"]);
/// ```
pub fn wrapped(text: &str, width: usize, margin: &str) -> Vec<String> {
    // A word too long for a line stays whole, as do names and addresses with hyphens.
    let options = Options::new(width)
        .subsequent_indent(margin)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);

    // Only the plain space is a separator: no-break ones hold their words together until the end.
    let held = held_together(text);
    let lines = held
        .split('\n')
        .flat_map(|line| textwrap::wrap(line, &options));
    lines
        .map(|line| line.replace(NO_BREAK_SPACE, " "))
        .collect()
}

/// The no-break space put in place of a space where no line may break.
const NO_BREAK_SPACE: char = '\u{a0}';

/// Makes the spaces inside a number and before or after a punctuation mark no-break ones, as French
/// typography asks.
fn held_together(text: &str) -> String {
    let mut held = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut before = ' ';

    while let Some(letter) = letters.next() {
        let after = letters.peek().copied().unwrap_or(' ');
        let is_number = before.is_ascii_digit() && after.is_ascii_digit();
        let is_sign = before != ' ' && ":;%?!»".contains(after);

        held.push(
            if letter == ' ' && (is_number || is_sign || before == '«') {
                NO_BREAK_SPACE
            } else {
                letter
            },
        );
        before = letter;
    }

    held
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_but_not_inside_a_number() {
        assert_eq!(
            wrapped("un deux trois quatre", 9, "  "),
            ["un deux", "  trois", "  quatre"]
        );
        assert_eq!(wrapped("insécablement_long", 5, ""), ["insécablement_long"]);
        assert_eq!(
            wrapped("plafond 1 296 000 : oui", 12, ""),
            ["plafond", "1 296 000 :", "oui"]
        );
        assert_eq!(wrapped("a\nb c", 2, "  "), ["a", "b", "  c"]);
        assert_eq!(wrapped("", 9, ""), [""]);
        // Wide characters count for two columns.
        assert_eq!(wrapped("中文 中文", 6, ""), ["中文", "中文"]);
    }
}
