//! Numbers as people write them: `2 650,50`, `2 650 €`, `8,5 %`. All forms of the site read them
//! here; the API itself reads `2650.50` alone.

use bareme_engine::text::Text;
use bareme_engine::{Lang, say};
use bareme_show::{currency_name, currency_sign, spreadsheet};
use rust_decimal::Decimal;

/// What a number is of: the signs that people write beside it, and how they separate its digits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind<'k> {
    signs: Signs<'k>,
    /// Decimals that it may have. A comma before three digits separates thousands where that is
    /// more than it may have.
    decimals: u32,
    /// Its greatest value; `None` where it has none.
    max: Option<Decimal>,
    /// Whether its thousands may be separated: those of a rate are not.
    has_thousands: bool,
}

#[derive(Debug, Clone, Copy)]
enum Signs<'k> {
    None,
    Currency(&'k str),
    Percent,
}

impl<'k> Kind<'k> {
    /// An amount of a currency.
    pub(super) fn amount(currency: Option<&'k str>, decimals: u32, max: Option<Decimal>) -> Self {
        let signs = currency.map_or(Signs::None, Signs::Currency);
        Self {
            signs,
            decimals,
            max,
            has_thousands: true,
        }
    }

    /// A number of things, whole or not.
    pub(super) fn count(is_whole: bool, max: Option<Decimal>) -> Self {
        let decimals = if is_whole { 0 } else { u32::MAX };
        Self {
            signs: Signs::None,
            decimals,
            max,
            has_thousands: true,
        }
    }

    /// A percentage.
    pub(super) fn percentage() -> Self {
        Self {
            signs: Signs::Percent,
            decimals: u32::MAX,
            max: None,
            has_thousands: false,
        }
    }

    /// A rate of exchange, such as `655.957`.
    pub(super) fn exchange_rate() -> Self {
        Self {
            signs: Signs::None,
            ..Self::percentage()
        }
    }

    /// The words and signs that may stand beside the number, in lower case, the longest first.
    fn beside(self) -> Vec<String> {
        let mut words: Vec<String> = match self.signs {
            Signs::None => Vec::new(),
            Signs::Percent => vec!["pour cent".to_owned(), "%".to_owned()],
            // A currency is written by its sign, its code or its name.
            Signs::Currency(code) => {
                let sign = currency_sign(code).replace('\u{a0}', " ");
                let first = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
                // `euros`, and `euro` of one.
                let name = first(currency_name(code, Lang::Fr));
                let singular = name.strip_suffix('s').unwrap_or(&name).to_owned();
                vec![
                    first(&sign),
                    sign.replace(' ', ""),
                    sign,
                    code.to_owned(),
                    singular,
                    name,
                ]
            }
        };

        words
            .iter_mut()
            .for_each(|word| *word = word.to_lowercase());
        // `euros` before `euro`: the shorter word would leave the `s` behind.
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));

        words
    }

    /// The amount that a number of thousands is, `2,5k`, to the unit.
    fn thousands(self, text: &str) -> Option<String> {
        if !matches!(self.signs, Signs::Currency(_)) {
            return None;
        }
        let (whole, decimals) = split(text.strip_suffix('k')?.trim_end());
        let decimals = decimals.unwrap_or_default();
        let is_number = is_digits(whole) && decimals.chars().all(|digit| digit.is_ascii_digit());
        let is_short = decimals.len() <= GROUP;
        (is_number && is_short).then(|| format!("{whole}{decimals:0<GROUP$}"))
    }

    /// Whether digits around a mark may also be one number: `2` and `650`.
    fn may_group(self, whole: &str, decimals: &str) -> bool {
        // `2.650` may be 2 650; `0.650` and `2650.500` have one reading.
        let is_written_so = (1..=GROUP).contains(&whole.len())
            && !whole.starts_with('0')
            && decimals.len() == GROUP;

        let is_accepted = || {
            let together = format!("{whole}{decimals}").parse::<Decimal>();
            together.is_ok_and(|together| self.max.is_none_or(|max| together <= max))
        };

        self.has_thousands && is_written_so && is_accepted()
    }
}

/// Digits between two separators of thousands.
const GROUP: usize = 3;

/// A text that a person typed where a number is expected.
#[derive(Debug, PartialEq)]
pub(super) enum Typed {
    /// A number, as the API reads it.
    Number(String),
    /// A number that reads in two ways.
    Ambiguous(Ambiguity),
    /// No number.
    Other,
}

/// The two readings of `2.650`: 2,65 and 2 650.
#[derive(Debug, PartialEq)]
pub(super) struct Ambiguity {
    typed: String,
    /// The reading with decimals, as it can be typed without doubt; `None` where the number may not
    /// have as many.
    decimal: Option<String>,
    thousands: String,
}

impl Ambiguity {
    /// What to write instead.
    pub(super) fn question(&self) -> Text<String> {
        let Self {
            typed,
            decimal,
            thousands,
        } = self;
        // Where the number may not have these decimals, one reading is left, to be confirmed.
        match decimal {
            Some(decimal) => say!(
                "«\u{a0}{typed}\u{a0}» se lit de deux façons\u{a0}: écrivez {decimal} ou \
                 {thousands}.",
                "`{typed}` reads in two ways: write {decimal} or {thousands}."
            ),
            None => say!(
                "«\u{a0}{typed}\u{a0}» se lit de deux façons\u{a0}: écrivez {thousands} si ce sont \
                 des milliers.",
                "`{typed}` reads in two ways: write {thousands} if these are thousands."
            ),
        }
    }
}

/// Reads a number that a person typed.
pub(super) fn read(typed: &str, kind: Kind) -> Typed {
    let typed = typed.trim();
    let text = without_sign(&plain_signs(typed), kind);
    // The sign in front is kept aside, so that only digits and marks are left.
    let (minus, text) = text
        .strip_prefix('-')
        .map_or(("", text.as_str()), |digits| ("-", digits));

    // `35k` is 35 000, as advertisements of jobs write it.
    if let Some(thousands) = kind.thousands(text) {
        return Typed::Number(format!("{minus}{thousands}"));
    }

    // The last mark, if it is the only one, is read as a decimal one; what is before it may be in
    // groups.
    let (whole, decimals) = split(text);
    let (Some(digits), true) = (grouped(whole), decimals.is_none_or(is_digits)) else {
        return Typed::Other;
    };

    // Without a mark there is one reading.
    let Some(decimals) = decimals else {
        return Typed::Number(format!("{minus}{digits}"));
    };

    // With a separator of thousands before it, a mark is a decimal one.
    let may_group = digits == whole && kind.may_group(whole, decimals);
    let is_point = text.contains('.');
    let has_room = usize::try_from(kind.decimals).is_ok_and(|most| most >= GROUP);
    if may_group && (is_point || !has_room) {
        // Zeros at the end change nothing: `2.650` is 2,65.
        let least = decimals.trim_end_matches('0');
        let decimal = if least.is_empty() {
            format!("{minus}{whole}")
        } else {
            format!("{minus}{whole},{least}")
        };

        let is_clear = least.len() < GROUP || has_room;
        let thousands = format!("{minus}{whole}\u{202f}{decimals}");
        return Typed::Ambiguous(Ambiguity {
            typed: typed.to_owned(),
            decimal: is_clear.then_some(decimal),
            thousands,
        });
    }

    // A link holds the number with a point: a fourth decimal keeps it from being asked about again.
    let end = if may_group { "0" } else { "" };
    Typed::Number(format!("{minus}{digits}.{decimals}{end}"))
}

/// A number of the API as a link holds it: with a fourth decimal, three are not asked about.
pub(super) fn in_link(number: String) -> String {
    match number.split_once('.') {
        Some((_, decimals)) if decimals.len() == GROUP => number + "0",
        _ => number,
    }
}

/// A text with one sign for each purpose: spaces, apostrophes and minus signs are of several kinds.
fn plain_signs(typed: &str) -> String {
    let plain = |letter: char| match letter {
        letter if letter.is_whitespace() => ' ',
        '’' => '\'',
        '\u{2212}' => '-',
        other => other,
    };
    typed.chars().map(plain).collect::<String>().to_lowercase()
}

/// A number without the sign of its currency or of a percentage.
fn without_sign(text: &str, kind: Kind) -> String {
    // `€ 12` or `12 €`.
    let stripped = |word: &String| {
        text.strip_suffix(word.as_str())
            .or_else(|| text.strip_prefix(word.as_str()))
    };
    kind.beside()
        .iter()
        .find_map(stripped)
        .unwrap_or(text)
        .trim()
        .to_owned()
}

/// A number without its sign, and its decimals: they are after a point or a comma that is the last
/// and the only one.
fn split(text: &str) -> (&str, Option<&str>) {
    // Two different marks are thousands and decimals, `1.234,5`: the last one counts.
    let mark = text
        .chars()
        .rev()
        .find(|letter| matches!(letter, '.' | ','));
    let is_only = |mark: &char| text.matches(*mark).count() == 1;

    let parts = mark.filter(is_only).and_then(|mark| text.split_once(mark));
    parts.map_or((text, None), |(whole, decimals)| (whole, Some(decimals)))
}

/// The digits of a whole number whose thousands may be separated, by one sign; `None` for any other
/// text.
fn grouped(whole: &str) -> Option<String> {
    // One separator for all groups: `1 234.567` has a decimal point.
    let separator = whole.chars().find(|letter| !letter.is_ascii_digit());
    let is_known = separator.is_none_or(|sign| matches!(sign, ' ' | '\'' | '.' | ','));
    is_known
        .then(|| spreadsheet::grouped(whole, separator))
        .flatten()
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Typed {
        Typed::Number(text.to_owned())
    }

    fn euros(typed: &str) -> Typed {
        read(
            typed,
            Kind::amount(Some("EUR"), 2, Some(Decimal::from(1_000_000))),
        )
    }

    #[test]
    fn amounts_are_read_as_people_write_them() {
        for (typed, expected) in [
            ("2650", "2650"),
            ("2650,50", "2650.50"),
            ("2650.50", "2650.50"),
            ("2 650,50", "2650.50"),
            ("2\u{a0}650,50\u{a0}€", "2650.50"),
            ("2\u{202f}650 €", "2650"),
            ("  2 650 € ", "2650"),
            ("€ 2 650", "2650"),
            ("2 650 euros", "2650"),
            ("1 euro", "1"),
            ("2 650 EUR", "2650"),
            ("2.650,50", "2650.50"),
            ("2,650.50", "2650.50"),
            ("12.345.678", "12345678"),
            ("2’650.50", "2650.50"),
            ("2 650.500", "2650.500"),
            ("0.650", "0.650"),
            ("1234.567", "1234.567"),
            ("\u{2212}12,5", "-12.5"),
            ("35k", "35000"),
            ("2,5 k€", "2500"),
            ("2.125K", "2125"),
        ] {
            assert_eq!(euros(typed), number(expected), "{typed}");
        }
        for typed in [
            "",
            "beaucoup",
            "26 50",
            "2 65 0",
            "2.65.00",
            "1,2,3",
            "2 650 $",
            "1e5",
            "8,5 %",
            ",5",
            "5,",
            "-",
            "0 500",
            "0.500.000",
            "0’500",
            "k",
            "2k5",
            "1,2345k",
            "1 200k",
        ] {
            assert_eq!(euros(typed), Typed::Other, "{typed}");
        }
    }

    #[test]
    fn currencies_have_several_signs() {
        for (typed, currency) in [
            ("450 000 F CFA", "XOF"),
            ("450000 FCFA", "XAF"),
            ("450 000 F", "XOF"),
            ("450 000 francs", "XOF"),
        ] {
            assert_eq!(
                read(typed, Kind::amount(Some(currency), 0, None)),
                number("450000"),
                "{typed}"
            );
        }
        assert_eq!(
            read("5’000 CHF", Kind::amount(Some("CHF"), 2, None)),
            number("5000")
        );
        assert_eq!(
            read("5 000 $ CA", Kind::amount(Some("CAD"), 2, None)),
            number("5000")
        );
    }

    #[test]
    fn a_mark_before_three_digits_is_asked_about_where_both_readings_are_accepted() {
        let question = |typed: Typed| match typed {
            Typed::Ambiguous(ambiguity) => {
                ambiguity.question().fr.replace(['\u{a0}', '\u{202f}'], " ")
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(
            question(euros("2.650")),
            "« 2.650 » se lit de deux façons : écrivez 2,65 ou 2 650."
        );
        assert_eq!(
            question(euros("2,650 €")),
            "« 2,650 € » se lit de deux façons : écrivez 2,65 ou 2 650."
        );
        assert_eq!(
            question(euros("-2.000")),
            "« -2.000 » se lit de deux façons : écrivez -2 ou -2 000."
        );
        assert_eq!(
            question(euros("2.655")),
            "« 2.655 » se lit de deux façons : écrivez 2 655 si ce sont des milliers."
        );
        let hours = Kind::count(false, Some(Decimal::from(1_200)));
        assert_eq!(
            question(read("1.125", hours)),
            "« 1.125 » se lit de deux façons : écrivez 1,125 ou 1 125."
        );
        // The proposed value is parsed, and the link that holds it too.
        for (typed, kind, expected) in [
            ("1,125", hours, "1.1250"),
            ("1.1250", hours, "1.1250"),
            ("2.500", hours, "2.500"),
            ("2,655", Kind::amount(Some("TND"), 3, None), "2.6550"),
            ("2.655", Kind::percentage(), "2.655"),
            ("8,5 %", Kind::percentage(), "8.5"),
            ("8,5\u{202f}%", Kind::percentage(), "8.5"),
            ("655.957", Kind::exchange_rate(), "655.957"),
        ] {
            assert_eq!(read(typed, kind), number(expected), "{typed}");
        }
        assert!(matches!(
            read("2,650", Kind::count(true, None)),
            Typed::Ambiguous(_)
        ));
    }
}
