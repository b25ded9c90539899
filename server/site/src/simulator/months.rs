//! Numbers of months as people give them, `20 ans` or `1 an 6 mois`, and what is asked about a
//! number that is far more likely one of years.

use bareme_engine::law::{FieldValue, Input};
use bareme_engine::text::{normalize, number_text};
use bareme_engine::{Calculation, say};
use jiff::civil::Date;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::example::example;
use super::question::Question;
use crate::text::prose;

/// Months in a year.
const YEAR: Decimal = Decimal::from_parts(12, 0, 0, false, 0);

/// A number of months that is so small a part of a usual one is doubted.
const FAR: Decimal = Decimal::from_parts(8, 0, 0, false, 0);

/// The words of a unit, and the months that it has.
const UNITS: [(&[&str], Decimal); 2] = [
    (&["an", "ans", "annee", "annees", "year", "years"], YEAR),
    (&["mois", "month", "months"], Decimal::ONE),
];

/// Words between two parts that say nothing.
const BETWEEN: [&str; 2] = ["et", "and"];

/// The months of a text with its units, such as `1 an 6 mois` or `2,5 years`; `None` for any other,
/// a number alone included.
pub(super) fn read(typed: &str) -> Option<String> {
    // A unit may touch its number: `20ans`.
    let mut spaced = String::new();
    let mut was_digit = false;
    for letter in typed.trim().chars() {
        if was_digit && letter.is_alphabetic() {
            spaced.push(' ');
        }
        was_digit = letter.is_ascii_digit();
        spaced.push(letter);
    }

    let words = spaced.split_whitespace();
    let mut words = words.filter(|word| !BETWEEN.contains(&word.to_lowercase().as_str()));
    let mut months = Decimal::ZERO;
    // Years come before months: each unit is there once, and smaller than the one before.
    let mut before = None;
    while let Some(number) = words.next() {
        let number: Decimal = number.replace(',', ".").parse().ok()?;
        let unit = normalize(words.next()?);
        let mut units = UNITS.iter();
        let (_, length) = units.find(|(names, _)| names.contains(&unit.as_str()))?;
        if before.is_some_and(|before| *length >= before) {
            return None;
        }
        before = Some(*length);
        months = months.checked_add(number.checked_mul(*length)?)?;
    }

    before.map(|_| number_text(months.normalize()))
}

/// The question whether a number of months is one of years, with the link to it.
pub(super) fn doubt(question: &Question, calculation: &Calculation, today: Date) -> Markup {
    let inputs = calculation.edition().method().inputs().iter();
    let mut inputs = inputs.filter(|input| input.is_months && !input.is_absent);
    let doubted = inputs.find_map(|input| doubted(question, calculation, input, today));
    let Some((months, link)) = doubted else {
        return html! {};
    };

    let lang = question.lang();
    html! {
        p.warning.screen {
            (prose(&say!(lang, "{months} mois ? ", "{months} months? ")))
            a href=(link) {
                (prose(&say!(lang, "Passer à {months} ans", "Change to {months} years")))
            }
            "."
        }
    }
}

/// A number of months that is most likely one of years, and the link to the question with these.
fn doubted(
    question: &Question,
    calculation: &Calculation,
    input: &Input,
    today: Date,
) -> Option<(String, String)> {
    let listed = &question.listed;
    let method = calculation.edition().method();
    let typed = question.sent(&input.name)?;
    let months: Decimal = typed.parse().ok()?;

    // 1. Far below the number of the worked case.
    let case = example(listed, method, today);
    let (_, usual) = case.iter().find(|(name, _)| *name == input.name)?;
    let usual: Decimal = usual.parse().ok()?;
    let is_far = months > Decimal::ONE && months <= usual.checked_div(FAR)?;
    if !is_far {
        return None;
    }

    // 2. With years in its place, the main result is nearer to that of the worked case: a small
    // loan is paid back in months.
    let mut sent = question.sent_without(&input.name);
    let in_years = number_text(months.checked_mul(YEAR)?);
    sent.push((input.name.clone(), in_years));
    let main = method.fields().get(method.headlines().first()?.field)?;
    let result = |answer: &Calculation| answer.field(&main.name).and_then(FieldValue::number);

    let usual = result(&question.ask(&case, today).ok()?)?;
    let of_years = result(&question.ask(&sent, today).ok()?)?;
    let of_months = result(calculation)?;
    let is_nearer = distance(of_years, usual)? < distance(of_months, usual)?;

    is_nearer.then(|| (typed.to_owned(), question.link_of(sent)))
}

/// How many times one amount is the other, the greater one first.
fn distance(one: Decimal, other: Decimal) -> Option<Decimal> {
    let (least, most) = (one.min(other), one.max(other));
    most.checked_div(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_read_in_years_too() {
        for (typed, expected) in [
            ("20 ans", "240"),
            ("20ans", "240"),
            (" 20 ANS ", "240"),
            ("20\u{a0}ans", "240"),
            ("1 an 6 mois", "18"),
            ("1 an et 6 mois", "18"),
            ("2,5 ans", "30"),
            ("20 années", "240"),
            ("20 years", "240"),
            ("1 year and 6 months", "18"),
            ("36 mois", "36"),
            // A number that is not whole is refused by the law, as it would be without its unit.
            ("1,3 mois", "1.3"),
        ] {
            assert_eq!(read(typed).as_deref(), Some(expected), "{typed}");
        }
        for typed in [
            "",
            "240",
            "ans",
            "20 jours",
            "vingt ans",
            "6 mois 1 an",
            "1 an 2 ans",
            "20 ans 6",
            "79228162514264337593543950335 ans",
        ] {
            assert_eq!(read(typed), None, "{typed}");
        }
    }
}
