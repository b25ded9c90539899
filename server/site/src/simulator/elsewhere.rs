//! Values that another simulator finds, such as a withholding rate: the button that leads there,
//! and there the buttons that come back with the value.

use bareme_api::wire::query;
use bareme_engine::law::parameter::DATE;
use bareme_engine::law::{Field, Input, Period, Type, Value};
use bareme_engine::service::{FoundBy, LeadsTo, Rules};
use bareme_engine::text::number_text;
use bareme_engine::{Calculation, Query};
use bareme_show::query_string;
use jiff::civil::Date;
use maud::{Markup, html};
use rust_decimal::{Decimal, RoundingStrategy};

use super::amounts::Money;
use super::period::months;
use super::question::{BACK, Question};
use super::values::is_default;
use super::{presets, unit};
use crate::catalogue::{self, ListedFolder};
use crate::text::{prose, say};
use crate::typed::in_link;

/// Months in a year.
const YEAR: Decimal = Decimal::from_parts(12, 0, 0, false, 0);

/// Decimals of an amount that is given to another simulator.
const CENTS: u32 = 2;

/// The simulator that finds a value of a question: of the same word, where it is of a family.
pub(crate) fn simulator<'r>(
    rules: &'r Rules,
    found: &FoundBy,
    word: Option<&str>,
) -> Option<ListedFolder<'r>> {
    let word = found.word.as_deref().or(word);
    let mut all = catalogue::all(rules).into_iter();
    all.find(|listed| {
        let is_of_word = listed.word.is_none() || listed.word == word;
        listed.endpoint.name == found.endpoint && is_of_word
    })
}

/// The value that a simulator finds without being asked anything; of the word of the question,
/// where it is of a family.
pub(super) fn value(
    rules: &Rules,
    found: &FoundBy,
    word: Option<&str>,
    today: Date,
) -> Option<Decimal> {
    let there = simulator(rules, found, word)?;
    value_there(found, &there, &Query::default(), today)
}

/// The hours of a month of full time, on a day; `None` where that folder has none.
pub(super) fn hours(
    rules: &Rules,
    found: &FoundBy,
    word: Option<&str>,
    day: Date,
) -> Option<Decimal> {
    let there = simulator(rules, found, word)?;
    let answer = there.folder.calculate(&Query::default(), day).ok()?;
    let hours = answer.field(found.hours.as_deref()?)?.number()?;
    (hours > Decimal::ZERO).then_some(hours)
}

/// The value that a simulator finds.
fn value_there(
    found: &FoundBy,
    there: &ListedFolder,
    query: &Query,
    today: Date,
) -> Option<Decimal> {
    let answer = there.folder.calculate(query, today).ok()?;
    answer.field(found.fields.first()?)?.number()
}

/// The buttons to the simulators that find a value of this question, those that take it at once
/// where nothing is asked to find it, and those of the usual situations.
pub(super) fn chips(
    rules: &Rules,
    question: &Question,
    calculation: &Calculation,
    today: Date,
) -> Markup {
    let found_by = &question.listed.endpoint.found_by;
    let chip = |found: &FoundBy| {
        let there = simulator(rules, found, question.listed.word)?;
        if there.folder.inputs().is_empty() {
            return taken(found, &there, question, calculation, today);
        }

        // The whole question goes along: the value that is found there comes back into it.
        let own = question.listed.folder.path();
        let asked = question.whole(question.sent.clone());
        let back = format!("{own}?{}", query_string::from_pairs(&asked));

        let mut pairs = vec![(BACK.to_owned(), back)];
        pairs.extend(found.given.iter().filter_map(|(input, field)| {
            let inputs = there.folder.inputs();
            let input = inputs.into_iter().find(|known| known.name == *input)?;
            let given = given(calculation, field, input)?;
            Some((input.name.clone(), number_text(given)))
        }));
        let query = query_string::from_pairs(&pairs);
        Some((
            format!("{}?{query}", there.simulator()),
            found.label.clone(),
        ))
    };
    let mut chips: Vec<_> = found_by.iter().filter_map(chip).collect();
    chips.extend(leads(rules, question, calculation));
    let presets = presets::buttons(question, calculation, today);

    html! {
        @if !chips.is_empty() || !presets.is_empty() {
            p.actions.screen {
                @for (link, label) in chips { a.button.plain href=(link) { (prose(&label)) } " " }
                @for preset in presets {
                    a.button.plain[!preset.is_on] href=(preset.link) { (prose(&preset.label)) } " "
                }
            }
        }
    }
}

/// The links to the simulators that go on from this answer, with what they are given of it.
fn leads(rules: &Rules, question: &Question, calculation: &Calculation) -> Vec<(String, String)> {
    let inputs: Vec<(&str, String)> = calculation.inputs().collect();
    let is_so = |(name, value): &(String, String)| inputs.contains(&(name.as_str(), value.clone()));

    let lead = |lead: &LeadsTo| {
        if !lead.only_if.iter().all(is_so) {
            return None;
        }
        let mut all = catalogue::all(rules).into_iter();
        let there = all.find(|listed| listed.endpoint.name == lead.endpoint)?;

        let theirs = there.folder.inputs();
        let find = |name: &str| theirs.iter().copied().find(|input| input.name == name);

        // An input with a value that the other simulator does not take leads nowhere.
        let same = |name: &String| {
            let (_, value) = inputs.iter().find(|(own, _)| own == name)?;
            let input = find(name)?;
            let value = input.sent_text(&input.parse(value).ok()?);
            Some((name.clone(), value))
        };
        let same: Option<Vec<_>> = lead.same.iter().map(same).collect();

        let given = lead.given.iter().filter_map(|(input, field)| {
            let input = find(input)?;
            let given = given(calculation, field, input)?;
            let sent = in_link(input.sent_text(&Value::Number(given.normalize())));
            Some((input.name.clone(), sent))
        });
        // The day of the question goes along.
        let day = question.sent(DATE);
        let day = day.map(|day| (DATE.to_owned(), day.to_owned()));
        let is_chosen = |(name, value): &(String, String)| {
            find(name).is_some_and(|input| !is_default(input, value))
        };
        let same = same?.into_iter().filter(is_chosen);
        let pairs: Vec<_> = same.chain(given).chain(day).collect();
        let query = query_string::from_pairs(&pairs);
        Some((format!("{}?{query}", there.simulator()), lead.label.clone()))
    };
    let leads = question.listed.endpoint.leads_to.iter();
    leads.filter_map(lead).collect()
}

/// The link to the question with a value that another folder gives on its day, and the words of the
/// button, with the value; `None` where there is no such value, or the question has it.
fn taken(
    found: &FoundBy,
    there: &ListedFolder,
    question: &Question,
    calculation: &Calculation,
    today: Date,
) -> Option<(String, String)> {
    // 1. The value on the day of the question.
    let day = question.sent(DATE);
    let day: Vec<_> = day
        .map(|day| (DATE.to_owned(), day.to_owned()))
        .into_iter()
        .collect();
    let value = value_there(found, there, &Query::from(&day), today)?;

    // 2. As the input takes it: an amount of a month, for the months that the question covers.
    let method = calculation.edition().method();
    let mut inputs = method.inputs().iter();
    let input = inputs.find(|input| input.name == found.input && !input.is_absent)?;
    let value = match input.ty {
        Type::Money(Period::None) => {
            value.checked_mul(months(calculation).unwrap_or(Decimal::ONE))?
        }
        _ => value,
    };
    // A part of full time is paid that part, to the next cent: the law compares without rounding.
    let value = match unit::part_of_full_time(found, &question.listed, &question.sent) {
        Some(part) => value
            .checked_mul(part)?
            .round_dp_with_strategy(method.decimals, RoundingStrategy::ToPositiveInfinity),
        None => value,
    };
    let sent = in_link(input.sent_text(&Value::Number(value.normalize())));
    if question.sent(&input.name) == Some(sent.as_str()) {
        return None;
    }

    // 3. The question with it, in place of the target that it was searched for.
    let is_target = |name: &str| {
        let mut inverses = method.inverses().iter();
        inverses.any(|inverse| inverse.parameter.name == name)
    };
    let others = question.sent.iter();
    let others = others.filter(|(name, _)| *name != input.name && !is_target(name));
    let pairs = others.cloned().chain([(input.name.clone(), sent)]);
    let query = query_string::from_pairs(&question.whole(pairs.collect()));

    let link = format!("{}?{query}", question.listed.simulator());
    let shown = Money::new(method).text(value);
    let colon = say(question.lang(), "\u{a0}: ", ": ");
    Some((link, format!("{}{colon}{shown}", found.label)))
}

/// A field of the answer as another simulator takes it: an amount of some months, by year.
fn given(calculation: &Calculation, field: &str, input: &Input) -> Option<Decimal> {
    let method = calculation.edition().method();
    let found = calculation.field(field)?.number()?;
    if input.ty != Type::Money(Period::Year) {
        return Some(found);
    }

    let fields = method.fields().iter();
    let mut own = fields.filter(|known| known.name == field);
    // A field of a month or of a year says so by its type; any other amount is of the months that
    // the answer covers.
    let months = match own.next().map(Field::value_type) {
        Some(Type::Money(Period::Month)) => Some(Decimal::ONE),
        Some(Type::Money(Period::Year)) => Some(YEAR),
        _ => months(calculation),
    };
    let year = months.and_then(|months| found.checked_mul(YEAR)?.checked_div(months));
    // As many decimals as the other input keeps of what is entered.
    let decimals = input.round.map_or(CENTS, |unit| unit.normalize().scale());
    let year = year.unwrap_or(found).round_dp(decimals);
    Some(year.max(Decimal::ZERO))
}

/// The simulator that a question goes back to: its folder, its question, and what is found here.
struct Back<'r> {
    listed: ListedFolder<'r>,
    pairs: Vec<(String, String)>,
    found: &'r FoundBy,
}

impl<'r> Back<'r> {
    /// Reads the parameter of the page; `None` where it names no simulator that this one finds a
    /// value for.
    fn read(rules: &'r Rules, question: &Question) -> Option<Self> {
        let back = question.back.as_deref()?;
        let (path, query) = back.split_once('?').unwrap_or((back, ""));
        let listed = catalogue::find(rules, path)?;
        let mut found_by = listed.endpoint.found_by.iter();
        let found = found_by.find(|found| found.endpoint == question.listed.endpoint.name)?;
        Some(Self {
            listed,
            pairs: query::Query::read(query).pairs,
            found,
        })
    }

    /// The link back, with a value of the input.
    fn link(&self, value: Option<String>) -> String {
        let others = self.pairs.iter().filter(|(name, _)| {
            // Without a value, the question is as it was.
            value.is_none() || *name != self.found.input
        });
        let own = value.clone().map(|value| (self.found.input.clone(), value));
        let pairs: Vec<_> = others.cloned().chain(own).collect();
        format!(
            "{}?{}",
            self.listed.simulator(),
            query_string::from_pairs(&pairs)
        )
    }
}

/// What the questions are for, above them.
pub(super) fn purpose(rules: &Rules, question: &Question) -> Markup {
    let Some(back) = Back::read(rules, question) else {
        return html! {};
    };
    let lang = question.lang();
    html! {
        p.purpose.screen {
            (say(lang, "Répondez pour trouver «\u{a0}", "Answer to find “"))
            (prose(&back.found.label))
            (say(lang, "\u{a0}», puis reprenez la valeur dans ", "”, then take the value to "))
            a href=(back.link(None)) { (prose(back.listed.folder.title())) } "."
        }
    }
}

/// The buttons that go back with a value.
pub(super) fn takes(rules: &Rules, question: &Question, calculation: &Calculation) -> Markup {
    let Some(back) = Back::read(rules, question) else {
        return html! {};
    };
    let inputs = back.listed.folder.inputs();
    let Some(input) = inputs
        .into_iter()
        .find(|input| input.name == back.found.input)
    else {
        return html! {};
    };

    let method = calculation.edition().method();
    let names = back.found.fields.iter();
    let fields = names.filter_map(|name| {
        let found = calculation.field(name)?.number()?;
        let field = method.fields().iter().find(|field| field.name == *name)?;
        let label = field.label.as_deref().unwrap_or_default();
        let value = input.sent_text(&Value::Number(found.normalize()));
        let shown = Money::new(method).of_field(field, found);
        Some((back.link(Some(value)), shown, label))
    });

    html! {
        ul.takes.screen {
            @for (link, shown, label) in fields {
                li {
                    a.button href=(link) { (say(question.lang(), "Reprendre ", "Use ")) (shown) }
                    " " span.soft { (prose(label)) }
                }
            }
        }
    }
}
