//! What a link to a case shows of it, in a message or on a network: its result and what was entered,
//! in words and as a picture.

use bareme_api::wire::problem::Problem;
use bareme_engine::law::Type;
use bareme_engine::{Calculation, Lang, say};
use bareme_show::Locale;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use super::amounts::Money;
use super::headline::{self, Figure};
use super::question::{Question, asked_inputs};
use super::shares::{self, Kind, Part};
use super::{Asked, period, trace, unit};
use crate::PageRequest;
use crate::catalogue::ListedFolder;
use crate::layout::SharedCase;
use crate::picture::{CasePicture, Colour, Share};
use crate::text::{printed, say};

/// The preview of a link to a case; `None` for a page without a question or without an answer.
pub(super) fn shared_case(asked: &Asked, request: &PageRequest) -> Option<SharedCase> {
    let (question, calculation) = (&asked.question, asked.answer.as_ref().ok()?);
    if request.query.is_empty() {
        return None;
    }

    let lang = question.lang();
    let name = question.listed.folder.title();
    let entered: Vec<String> = entered(question)
        .map(|entry| entry.in_words(lang))
        .collect();
    let entered = entered.join(say(lang, " ; ", "; "));
    Some(SharedCase {
        title: result(question, calculation, request)?.in_words(lang),
        description: say!(lang, "{name}. {entered}.", "{name}. {entered}."),
        link: question.link(),
        picture: question.picture(),
    })
}

/// The picture of a case, as PNG.
///
/// # Errors
/// A refused query, or an internal error of the engine.
pub(crate) fn picture(request: &PageRequest, listed: &ListedFolder) -> Result<Vec<u8>, Problem> {
    case_picture(request, listed).map(|case| case.png())
}

/// What the picture of a case shows.
fn case_picture(request: &PageRequest, listed: &ListedFolder) -> Result<CasePicture, Problem> {
    let Asked { question, answer } = Asked::new(request, listed)?;
    // A refused query is an error with its status, not a picture.
    let calculation = answer.map_err(Problem::parameters)?;
    let (lang, method) = (question.lang(), calculation.edition().method());

    let scale = calculation.edition().scale().map(|scale| {
        let day = Locale::page(lang).day(scale.date);
        say!(lang, "Barème du {day}", "Figures of {day}")
    });
    let figure = result(&question, &calculation, request);
    let (label, value, period) = figure
        .map(|figure| (figure.label, figure.value, figure.period))
        .unwrap_or_default();

    Ok(CasePicture {
        service: printed(&request.rules.service().title),
        scale: scale.unwrap_or_default(),
        title: printed(listed.folder.title()),
        entered: printed(&most_telling(&question)),
        label: printed(&label),
        value,
        period: period.unwrap_or_default().to_owned(),
        shares: bar(&calculation, Money::new(method)),
    })
}

/// The result of a case: the first of its main results.
fn result(question: &Question, calculation: &Calculation, request: &PageRequest) -> Option<Figure> {
    let pay = trace::pay(calculation);
    let figures = headline::figures(question, calculation, pay.as_ref(), request.today);
    figures.into_iter().next()
}

/// A parameter that was entered, in words.
struct Entry {
    label: String,
    value: String,
    is_amount: bool,
    /// Whether it is the period of all amounts.
    is_period: bool,
}

impl Entry {
    /// The label with the value.
    fn in_words(&self, lang: Lang) -> String {
        let Self { label, value, .. } = self;
        say!(lang, "{label} : {value}", "{label}: {value}")
    }
}

/// What was entered, an amount for the period that it was typed for.
fn entered(question: &Question) -> impl Iterator<Item = Entry> {
    let method = question.edition.map(|edition| edition.method());
    let typed = move |(name, value): &(String, String)| {
        let unit = question.unit.as_ref()?;
        unit.in_words((name, value), Money::new(method?))
    };
    let is_amount = move |name: &str| {
        let mut inputs = method.into_iter().flat_map(asked_inputs);
        let input = inputs.find(|input| input.name == name);
        input.is_some_and(|input| matches!(input.ty, Type::Money(_)))
    };

    let period = method.and_then(period::input);

    let pairs = question.sent.iter().zip(question.pairs_in_words());
    pairs.map(move |(sent, (label, value))| {
        let (label, value) = match typed(sent) {
            Some(value) => (unit::label(question, &label).to_owned(), value),
            None => (label, value),
        };
        Entry {
            label,
            value,
            is_amount: is_amount(&sent.0),
            is_period: period.is_some_and(|period| period.name == sent.0),
        }
    })
}

/// What was entered, as a picture has room for it: amounts first, with their period, and nothing in
/// brackets, such as the box of a form.
fn most_telling(question: &Question) -> String {
    let (periods, mut entered): (Vec<Entry>, Vec<Entry>) =
        entered(question).partition(|entry| entry.is_period);
    entered.sort_by_key(|entry| !entry.is_amount);
    let amount = entered.first_mut().filter(|entry| entry.is_amount);
    if let Some((period, amount)) = periods.first().zip(amount) {
        amount.value = format!("{} {}", amount.value, period.value.to_lowercase());
    }

    let lang = question.lang();
    let without_brackets = |text: &str| {
        let brackets = text.strip_suffix(')');
        let before = brackets.and_then(|text| text.rsplit_once(" ("));
        before.map_or(text, |(before, _)| before).to_owned()
    };
    let words = entered.iter().map(|entry| {
        let short = Entry {
            label: without_brackets(&entry.label),
            value: without_brackets(&entry.value),
            ..*entry
        };
        short.in_words(lang)
    });
    words.collect::<Vec<_>>().join(" · ")
}

/// The bar of the page: that of a pay, or of where an amount of the answer went.
fn bar(calculation: &Calculation, money: Money) -> Vec<Share> {
    let pay = trace::pay(calculation);
    let of_pay = pay.map(|pay| shares::of_pay(calculation, &pay));
    let parts = of_pay.filter(|parts| !parts.is_empty());
    let parts = parts.unwrap_or_else(|| shares::of_answer(calculation));

    let share = |part: Part| Share {
        label: printed(&part.label),
        colour: match part.kind {
            Kind::Net => Colour::Net,
            Kind::Levies => Colour::Levies,
            Kind::Tax => Colour::Tax,
            Kind::Employer => Colour::Employer,
        },
        // A share is rounded to them already.
        thousandths: part
            .share
            .saturating_mul(Decimal::ONE_THOUSAND)
            .to_u32()
            .unwrap_or_default(),
        percent: money.percent(part.share),
    };
    parts.into_iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use bareme_engine::service::Rules;

    use super::*;
    use crate::catalogue;
    use crate::legal::OwnTexts;
    use crate::picture::tests::lines;
    use crate::testing::rules;

    /// What the picture of a question to a folder shows; `None` where it is refused.
    fn asked(rules: &Rules, listed: &ListedFolder, query: &str) -> Option<CasePicture> {
        let request = PageRequest {
            rules,
            other: None,
            query,
            today: jiff::civil::date(2026, 11, 22),
            texts: &OwnTexts::default(),
        };
        case_picture(&request, listed).ok()
    }

    #[test]
    fn the_example_of_every_folder_has_a_picture_with_its_result() {
        let rules = rules();
        let folders = catalogue::all(&rules);
        assert!(folders.len() > 60, "{}", folders.len());
        let mut bars = 0;
        for listed in &folders {
            let path = listed.folder.path();
            let case = asked(&rules, listed, "");
            let case = case.unwrap_or_else(|| panic!("{path} has no picture"));
            let shown = lines(&case);

            // What matters is there as a whole: the result, and the percentages of the bar.
            let percents = case.shares.iter().map(|share| &share.percent);
            for text in [&case.value, &case.period].into_iter().chain(percents) {
                let text = text.trim();
                let is_shown = text.is_empty() || shown.iter().any(|line| line == text);
                assert!(is_shown, "{path}: {text} in {shown:?}");
            }
            assert!(!case.value.is_empty(), "{path} has no result");
            // One line of each other text at least.
            for text in [
                &case.service,
                &case.scale,
                &case.title,
                &case.entered,
                &case.label,
            ] {
                let first = text.split([' ', '\u{a0}']).next().unwrap_or_default();
                let is_shown = text.is_empty() || shown.iter().any(|line| line.starts_with(first));
                assert!(is_shown, "{path}: {text} in {shown:?}");
            }

            // Telephones load it too.
            let bytes = case.png().len();
            assert!(bytes < 30_000, "{path}: {bytes} bytes");

            let whole: u32 = case.shares.iter().map(|share| share.thousandths).sum();
            assert!(case.shares.is_empty() || whole == 1000, "{path}: {whole}");
            bars += usize::from(!case.shares.is_empty());
        }
        assert!(bars >= 22, "{bars} bars");
    }

    #[test]
    fn an_amount_is_shown_for_the_period_that_it_was_typed_for() {
        let rules = rules();
        let folders = catalogue::all(&rules);
        let entered = |query: &str, path: &str| {
            let mut known = folders.iter();
            let listed = known.find(|listed| listed.folder.path() == path).unwrap();
            asked(&rules, listed, query).unwrap().entered
        };
        assert_eq!(
            entered("brut=5400000&par=an", "salaire-net/sn"),
            "Salaire brut\u{a0}: 5\u{202f}400\u{202f}000\u{a0}F\u{a0}CFA par an"
        );
        assert_eq!(
            entered("brut=42000&periode=annuel", "salaire"),
            "Salaire brut de la période\u{a0}: 42\u{202f}000\u{a0}€ par an"
        );
        assert_eq!(
            entered("situation=couple&salaire=36000", "foyer"),
            "Salaires nets imposables\u{a0}: 36\u{202f}000\u{a0}€ · Situation de famille\u{a0}: \
             Couple marié ou pacsé, imposition commune"
        );
    }
}
