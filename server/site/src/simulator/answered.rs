//! A question that people type, answered from the rules in force: its value, a text, how it is made
//! and the texts of the law.

use bareme_api::wire::problem::Problem;
use bareme_engine::Calculation;
use bareme_engine::law::{FieldValue, Type, Value};
use bareme_engine::service::{QuestionPart, Rules};
use bareme_show::{percent_sign, query_string};
use jiff::civil::Date;
use maud::{Markup, html};

use super::amounts::Money;
use super::question::Question;
use super::{chart, elsewhere, headline, items, result, trace as unfolded};
use crate::questions::ListedQuestion;
use crate::table::wide;
use crate::text::{edition, printed, prose, say};
use crate::typed::in_link;

/// The answer to a question.
pub(crate) struct Answered {
    /// The field that answers it, as it is printed.
    pub value: String,
    /// The answer as a text.
    pub text: String,
    /// The main results.
    pub headline: Markup,
    /// How they are made.
    pub made: Markup,
    /// The scale in force, and its texts.
    pub sources: Markup,
    /// The simulator with the same question.
    pub link: String,
}

impl Answered {
    /// The answer on a day; `None` where the rules refuse the question.
    ///
    /// # Errors
    /// An internal error of the engine.
    pub(crate) fn new(
        rules: &Rules,
        asked: &ListedQuestion,
        today: Date,
    ) -> Result<Option<Self>, Problem> {
        let Some(sent) = sent(rules, asked, today) else {
            return Ok(None);
        };
        let answer = &asked.question.answer;

        // By the query of its link, so that the page behind it shows the same answer.
        let question = Question::read(&asked.listed, &query_string::from_pairs(&sent), today);
        let Ok(calculation) = question.calculate(today)? else {
            return Ok(None);
        };
        let (Some(value), Some(text)) = (
            shown(&calculation, answer),
            written(&calculation, asked, today),
        ) else {
            return Ok(None);
        };

        let pay = unfolded::pay(&calculation);
        let mut figures = headline::figures(&question, &calculation, pay.as_ref(), today);

        // The field that answers the question comes first, in large type.
        let method = calculation.edition().method();
        let field = method.fields().iter().find(|field| field.name == *answer);
        let asked_value = field
            .zip(calculation.field(answer))
            .and_then(|(field, found)| result::field_text(&calculation, field, found));
        let is_asked = |shown: &String| Some(shown) == asked_value.as_ref() || *shown == value;
        figures.sort_by_key(|figure| !is_asked(&figure.value));

        let made = html! {
            @if pay.is_some() { (result::comparison(&calculation, pay.as_ref(), None)) }
            @else { (fields(&calculation)) }
            (items::tables(&calculation))
            (chart::brackets(&calculation))
        };
        Ok(Some(Self {
            value,
            text,
            headline: headline::headline(&figures),
            made,
            sources: sources(&calculation),
            link: question.link(),
        }))
    }
}

/// The parameters sent to the folder: those that the question gives, the word of the choice that
/// makes it, and those that another endpoint finds.
fn sent(rules: &Rules, asked: &ListedQuestion, today: Date) -> Option<Vec<(String, String)>> {
    let (listed, question) = (&asked.listed, asked.question);
    let mut sent = question.given.clone();

    // The folder of a family is chosen already.
    let choice = question.each.as_ref().zip(asked.member);
    let choice = choice.filter(|(each, _)| listed.endpoint.by.as_ref() != Some(*each));
    sent.extend(choice.map(|(each, member)| (each.clone(), member.word.to_owned())));

    for name in &question.found {
        let mut found_by = listed.endpoint.found_by.iter();
        let found = found_by.find(|found| found.input == *name)?;
        let value = elsewhere::value(rules, found, listed.word, today)?;
        let mut inputs = listed.folder.inputs().into_iter();
        let input = inputs.find(|input| input.name == *name)?;
        let value = Value::Number(value.normalize());
        sent.push((name.clone(), in_link(input.sent_text(&value))));
    }

    Some(sent)
}

/// The text with its fields in place of their names; `None` where the answer lacks one.
fn written(calculation: &Calculation, asked: &ListedQuestion, today: Date) -> Option<String> {
    let part = |part: &QuestionPart| match part {
        QuestionPart::Field(name) => shown(calculation, name),
        other => asked.part(other, today),
    };
    asked.question.text.iter().map(part).collect()
}

/// A field of the answer in a sentence.
fn shown(calculation: &Calculation, name: &str) -> Option<String> {
    let method = calculation.edition().method();
    let field = method.fields().iter().find(|field| field.name == name)?;
    let found = calculation.field(name)?;

    match (field.value_type(), found.number()) {
        (Type::Money(_), Some(number)) => Some(Money::new(method).short(number)),
        (Type::Rate, Some(number)) => Some(Money::new(method).percent(number)),
        _ => {
            let shown = result::field_text(calculation, field, found)?;
            if let Some(sign) = Money::new(method).sign_of_field(field, &shown) {
                return Some(sign);
            }
            let label = field.label.as_deref().map(printed).unwrap_or_default();
            // A number of hundredths, as its label says, has its sign in a sentence.
            let lang = method.lang;
            let is_percentage = label.ends_with(headline::IN_PERCENT.in_lang(lang));
            let sign = if is_percentage {
                percent_sign(lang)
            } else {
                ""
            };
            Some(format!("{shown}{sign}"))
        }
    }
}

/// The amounts and the rates of the answer, without those at zero.
fn fields(calculation: &Calculation) -> Markup {
    let is_amount = |found: &FieldValue, ty: Type| {
        let number = found.number().filter(|number| !number.is_zero());
        number.is_some() && matches!(ty, Type::Money(_) | Type::Rate)
    };
    let rows = calculation.fields().filter_map(|(field, found)| {
        let label = field.label.as_deref()?;
        let text = result::field_text(calculation, field, found)?;
        is_amount(found, field.value_type()).then_some((label, text))
    });

    let lang = calculation.edition().method().lang;
    html! {
        (wide(
            say(lang, "Tous les montants", "All amounts"),
            html! {
                table {
                    tbody {
                        @for (label, text) in rows {
                            tr { th scope="row" { (prose(label)) } td.n { (text) } }
                        }
                    }
                }
            }
        ))
    }
}

/// The scale in force, and the texts that the answer cites.
fn sources(calculation: &Calculation) -> Markup {
    let lang = calculation.edition().method().lang;
    html! {
        @if let Some(scale) = calculation.edition().scale() { p { (edition(scale, lang)) "." } }
        ul {
            @for reference in calculation.references() {
                li { (unfolded::source(reference.source, lang)) }
            }
        }
    }
}
