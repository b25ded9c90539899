//! The amounts that a question may start from: the input, and the fields that may be asked for in
//! its place. Each has a field in the form; one is typed, the others follow from the answer.

use bareme_engine::Calculation;
use bareme_engine::law::{FieldValue, Inverse, Method};
use bareme_engine::text::number_text;
use bareme_show::query_string;
use jiff::civil::Date;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::amounts::Money;
use super::driver::Driver;
use super::question::Question;
use super::values::plain_number;

/// Beginning of the parameter of the page with what the field of an amount showed when the page was
/// sent: the amount that differs from it is the one that was typed.
pub(super) const SHOWN: &str = "affiche-";

/// Decimals of an amount of the period of a page.
const CENTS: u32 = 2;

/// An amount that a question may start from.
#[derive(Debug)]
pub(super) struct Amount {
    /// The parameter that it is sent by.
    pub name: String,
    /// What it is.
    pub label: String,
    /// Its value in the answer; `None` where there is none.
    value: Option<Decimal>,
    /// What its field shows.
    pub text: String,
    /// Whether the question starts from it.
    pub is_typed: bool,
    /// Whether its field is shown: not one whose value is that of another.
    pub is_shown: bool,
}

/// The amounts of a question with their values in its answer; none for a folder whose answers are
/// not asked for.
pub(super) fn amounts<'r>(
    question: &Question<'r>,
    calculation: Option<&Calculation<'r>>,
    today: Date,
) -> Vec<Amount> {
    let Some((driver, edition)) = question.driver().zip(question.edition) else {
        return Vec::new();
    };
    let method = edition.method();
    let money = Money::new(method);

    // 1. What the answer has, and what it would have with the options and the inputs that a target
    // brings along.
    let whole = calculation.and_then(|found| Whole::new(question, found, &driver, today));
    // In the period of the page: what is of an hour has the cents of any amount.
    let shown = |value: Decimal| match &question.unit {
        Some(unit) => money.plain(unit.of_month(value).round_dp(CENTS)),
        None => money.plain(value),
    };
    let amount = |name: &str, label: String, value: Option<Decimal>| {
        let is_typed = driver.typed(question) == name;
        let typed = question.sent(name).filter(|_| is_typed);
        let text = match typed {
            Some(typed) => {
                let own = question.unit.as_ref().map(|unit| unit.typed.as_str());
                as_typed(question, name, own.unwrap_or(typed))
            }
            None => value.map(shown).unwrap_or_default(),
        };
        Amount {
            name: name.to_owned(),
            label,
            value,
            text,
            is_typed,
            is_shown: true,
        }
    };
    let targets = driver.inverses.iter().map(|inverse| {
        let value = whole
            .as_ref()
            .and_then(|whole| whole.field(method, inverse));
        amount(
            &inverse.parameter.name,
            label(question, method, inverse),
            value,
        )
    });
    let input = driver.input;
    let value = whole.as_ref().map(|whole| whole.input);
    let input = amount(&input.name, input.label.clone(), value);
    let mut amounts: Vec<Amount> = [input].into_iter().chain(targets).collect();

    // 2. Two names of one amount are one field: without meal vouchers, what is paid is the net.
    for index in 0..amounts.len() {
        let (before, others) = amounts.split_at_mut(index);
        let Some(own) = others.first_mut() else {
            continue;
        };
        let is_same = |other: &Amount| own.value.is_some() && other.value == own.value;
        own.is_shown = own.is_typed || !before.iter().any(is_same);
    }
    amounts
}

/// An amount that was sent, as people write it; one that is refused stays as it was typed.
fn as_typed(question: &Question, name: &str, sent: &str) -> String {
    let is_bad = question.bad.iter().any(|bad| bad.name == name);
    match plain_number(sent) {
        Some(amount) if !is_bad => question.locale().number(amount),
        _ => sent.to_owned(),
    }
}

/// The label of a target: that of its field; where a value is assumed, that of the headline which
/// says so.
pub(super) fn label(question: &Question, method: &Method, inverse: &Inverse) -> String {
    // A net after tax at a rate that nobody gave is one at the assumed rate, and its label must say
    // so.
    let is_left_out = |input: &bareme_engine::law::InputId| {
        let input = input.of(method.inputs());
        input.is_some_and(|input| question.sent(&input.name).is_none())
    };
    let mut assumed = inverse.assumed.iter().map(|assumed| &assumed.input);
    let headline = assumed.any(is_left_out).then(|| {
        let mut headlines = method.headlines().iter();
        let own = headlines.find(|headline| headline.field == inverse.field);
        own?.label.clone()
    });

    let field = method.fields().get(inverse.field);
    headline
        .flatten()
        .or_else(|| field?.label.clone())
        .unwrap_or_else(|| inverse.parameter.label.clone())
}

/// An answer with every field that may be asked for.
struct Whole<'c, 'r> {
    calculation: &'c Calculation<'r>,
    /// The answer with the options and the inputs that targets bring along, where it has more.
    more: Option<Calculation<'r>>,
    /// The input that the answer starts from.
    input: Decimal,
}

impl<'c, 'r> Whole<'c, 'r> {
    fn new(
        question: &Question<'r>,
        calculation: &'c Calculation<'r>,
        driver: &Driver,
        today: Date,
    ) -> Option<Self> {
        let method = calculation.edition().method();
        let shown = driver.inverses.first()?.shown;
        let input = number(calculation, method, shown)?;

        // What the answer lacks is asked for from the input that was found, all targets together:
        // one further calculation, and no search.
        let lacks = |inverse: &&&Inverse| number(calculation, method, inverse.field).is_none();
        let lacking: Vec<&&Inverse> = driver.inverses.iter().filter(lacks).collect();
        let mut sent: Vec<(String, String)> = driver.without_amounts(&question.sent);
        sent.push((driver.input.name.clone(), number_text(input)));
        for inverse in &lacking {
            let assumed = inverse.assumed.iter().filter_map(|assumed| {
                let input = assumed.input.of(method.inputs())?;
                Some((input.name.clone(), input.sent_text(&assumed.value)))
            });
            let option = inverse
                .option
                .and_then(|option| method.options().get(option));
            let option = option.map(|option| (option.name.clone(), "true".to_owned()));
            for (name, value) in assumed.chain(option) {
                if !sent.iter().any(|(known, _)| *known == name) {
                    sent.push((name, value));
                }
            }
        }

        Some(Self {
            calculation,
            more: (!lacking.is_empty())
                .then(|| question.ask(&sent, today).ok())
                .flatten(),
            input,
        })
    }

    /// The field of a target: of the answer itself, where it has it.
    fn field(&self, method: &Method, inverse: &Inverse) -> Option<Decimal> {
        number(self.calculation, method, inverse.field)
            .or_else(|| number(self.more.as_ref()?, method, inverse.field))
    }
}

/// A number of an answer, by the index of its field.
fn number(calculation: &Calculation, method: &Method, field: usize) -> Option<Decimal> {
    let name = &method.fields().get(field)?.name;
    calculation.field(name).and_then(FieldValue::number)
}

/// The amounts that are shown, each with its value, for the script of the page.
pub(super) fn values(amounts: &[Amount]) -> String {
    let shown = amounts.iter().filter(|amount| amount.is_shown);
    let pairs: Vec<(String, String)> = shown
        .map(|amount| (amount.name.clone(), amount.text.clone()))
        .collect();
    query_string::from_pairs(&pairs)
}

/// What the fields of the form show, so that the one that is typed is known without a script.
pub(super) fn as_shown(amount: &Amount) -> Markup {
    html! {
        input type="hidden" name={ (SHOWN) (amount.name) } value=(amount.text);
    }
}
