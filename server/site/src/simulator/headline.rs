//! The main results at the top: the headline fields of the method, or the net of a pay.

use bareme_engine::Calculation;
use bareme_engine::law::{Field, FieldValue, Find, Headline, Method, Period, Type};
use bareme_engine::text::Text;
use bareme_engine::{Lang, say};
use bareme_show::{Locale, Pay, percent_sign};
use jiff::civil::Date;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::amounts::Money;
use super::period;
use super::question::Question;
use super::settled;
use super::trace;
use super::unit::HOUR;
use crate::text::{printed, prose, say};

/// Number of main results where neither the method nor a pay tells them.
const MAIN_FIELDS: usize = 4;

/// The end of the label of a field that is a number of hundredths, as it is printed.
pub(super) const IN_PERCENT: Text = Text::new(", en\u{202f}%", ", in\u{202f}%");

/// Decimals of an amount of an hour.
const CENTS: u32 = 2;

/// Months in a year.
const YEAR: Decimal = Decimal::from_parts(12, 0, 0, false, 0);

/// A main result.
#[derive(Debug)]
pub(super) struct Figure {
    /// Its label, as it is printed.
    pub label: String,
    /// Its value, as it is printed.
    pub value: String,
    /// The period of an amount that has one: `par mois`.
    pub period: Option<&'static str>,
    /// The same amount for another period: `soit 25 172,64 € par an`.
    other: Option<String>,
    /// Whether it is an amount, other than nothing.
    is_amount: bool,
}

impl Figure {
    /// The result in one line: `Net avant impôt : 33 247,09 € par an`.
    pub(super) fn in_words(&self, lang: Lang) -> String {
        let Self {
            label,
            value,
            period,
            ..
        } = self;
        let period = period
            .map(|period| format!(" {period}"))
            .unwrap_or_default();
        say!(
            lang,
            "{label} : {value}{period}",
            "{label}: {value}{period}"
        )
    }

    /// A main result without a period.
    pub(super) fn plain(label: impl Into<String>, value: String) -> Self {
        Self {
            label: label.into(),
            value,
            period: None,
            other: None,
            is_amount: false,
        }
    }
}

/// The main results of a calculation.
pub(super) fn figures(
    question: &Question,
    calculation: &Calculation,
    pay: Option<&Pay>,
    today: Date,
) -> Vec<Figure> {
    // The headlines that the method declares come first; before them the one that is searched.
    let method = calculation.edition().method();
    let money = Money::of(calculation);
    let lang = money.lang();
    let searched = searched(question);
    let headlines = method.headlines().iter();
    let (first, others): (Vec<_>, Vec<_>) =
        headlines.partition(|headline| Some(headline.field) == searched);
    let declared = first
        .into_iter()
        .chain(others)
        .filter_map(|headline| declared(question, calculation, headline, today));
    let mut figures: Vec<Figure> = declared.collect();

    // A month with a bonus says nothing of the year.
    if pay.is_some_and(|pay| pay.paid != pay.gross) {
        figures.iter_mut().for_each(|figure| figure.other = None);
    }

    // A pay adds its gross, its cost, and the share that is withheld; without headlines it begins
    // with the net.
    if let Some(pay) = pay {
        if figures.is_empty() {
            figures.extend(net(method, pay.net));
        }
        // Who typed the net reads the gross that gives it, not the net again.
        match searched.and_then(|index| method.fields().get(index)) {
            Some(field) => {
                let gross = (pay.gross, period::months(calculation));
                let label = printed(pay.gross_label);
                figures.insert(0, of_period(question, money, field, label, gross));
            }
            None => figures.push(Figure::plain(
                printed(pay.gross_label),
                money.text(pay.gross),
            )),
        }

        figures.extend(pay.cost.map(|cost| {
            Figure::plain(
                say(lang, "Coût employeur", "Employer cost"),
                money.text(cost),
            )
        }));

        // Of the whole pay: a bonus is paid beside the gross, and is no pay of every month.
        let rate = pay.paid.saturating_sub(pay.net).checked_div(pay.paid);
        // Where nothing is left, the amount was no pay: a rate of 100 % would say that it is taxed.
        let is_left = pay.net > Decimal::ZERO;
        let rate = rate.filter(|_| is_left && settled::is_of_employee(calculation));
        figures.extend(rate.map(|rate| {
            let label = say(lang, "Retenues, % du brut", "Deductions, % of gross");
            Figure::plain(label, money.percent(rate.round_dp(4)))
        }));
    // Without either, the first numbers of the answer.
    } else if figures.is_empty() {
        let numbers = calculation.fields().filter_map(|(field, found)| {
            let found = found.number().filter(|_| field.json_type() == "number")?;
            Some(figure(
                money,
                field,
                printed(field.label.as_deref()?),
                found,
                None,
            ))
        });
        figures.extend(numbers.take(MAIN_FIELDS));
    }

    // A loan without insurance has one payment, which need not be shown twice. A pay before tax
    // that is equal to the one after it shows that there is none.
    if pay.is_none() {
        let mut shown: Vec<(String, Option<&str>)> = Vec::new();
        figures.retain(|figure| {
            let own = (figure.value.clone(), figure.period);
            let is_new = !figure.is_amount || !shown.contains(&own);
            shown.push(own);
            is_new
        });
    }
    figures
}

/// The main results as a list, the first one in large type.
pub(super) fn headline(figures: &[Figure]) -> Markup {
    html! {
        @if let Some(first) = figures.first() {
            // On a telephone, where the form comes first, the main result stays visible.
            p.glance aria-hidden="true" {
                span { (prose(&first.label)) } " " strong { (first.value) }
            }
        }
        dl.headline {
            @for (index, figure) in figures.iter().enumerate() {
                div.net[index == 0] {
                    dt { (prose(&figure.label)) }
                    dd {
                        (figure.value)
                        @if let Some(period) = figure.period { " " small { (period) } }
                        @if let Some(other) = &figure.other { " " small.other { (other) } }
                    }
                }
            }
        }
    }
}

/// A headline field, if the answer has it or would have it with the assumed parameters.
fn declared(
    question: &Question,
    calculation: &Calculation,
    headline: &Headline,
    today: Date,
) -> Option<Figure> {
    let method = calculation.edition().method();
    let field = method.fields().get(headline.field)?;

    let read = |calculation: &Calculation, found: &FieldValue| {
        let covered = headline.months.and_then(|step| step.of(method.steps()));
        let months = covered.and_then(|step| trace::number(calculation, &step.name));
        Some((found.number()?, months))
    };
    let ((found, months), is_assumed) = with(question, calculation, headline, today, read)?;

    // The headline's label belongs to the field with the assumed parameters; without them the
    // field's own is used.
    let own = headline
        .label
        .as_deref()
        .filter(|_| is_assumed || headline.assumed.is_empty());
    let label = printed(own.or(field.label.as_deref()).unwrap_or_default());

    if headline.is_percent {
        return Some(Figure::plain(
            label,
            Locale::page(method.lang).percent(found),
        ));
    }
    let money = Money::of(calculation);
    Some(of_period(question, money, field, label, (found, months)))
}

/// The field that a question searches: the gross, where a net was typed. `None` where it starts
/// from the input itself, or from a budget, of which people ask what is left.
fn searched(question: &Question) -> Option<usize> {
    let driver = question.driver()?;
    let typed = driver.typed(question);
    let mut targets = driver.inverses.iter();
    let target = targets.find(|inverse| inverse.parameter.name == typed)?;
    (target.find == Find::Smallest).then_some(target.shown)
}

/// A main result and the months that it covers, in the period of the question too.
fn of_period(
    question: &Question,
    money: Money,
    field: &Field,
    label: String,
    (found, months): (Decimal, Option<Decimal>),
) -> Figure {
    let mut shown = figure(money, field, label, found, months);
    // Who typed an amount of an hour reads the result of an hour too.
    if let Some((hour, other)) = of_hour(question, found, months).zip(shown.other.as_mut()) {
        let hour = money.text(hour.round_dp(CENTS));
        other.push_str(&say!(
            money.lang(),
            ", {hour} de l’heure",
            ", {hour} an hour"
        ));
    }
    shown
}

/// The amount of an hour that an amount of some months makes, where the question is of an hour.
fn of_hour(question: &Question, found: Decimal, months: Option<Decimal>) -> Option<Decimal> {
    let unit = question.unit.as_ref().filter(|unit| unit.word == HOUR)?;
    let month = found.checked_div(months.unwrap_or(Decimal::ONE))?;
    Some(unit.of_month(month))
}

/// Reads a field in the answer to the same question with the assumed parameters of its headline,
/// if the question does not set these, else in the answer itself; also tells whether they were
/// assumed.
pub(super) fn with<T>(
    question: &Question,
    calculation: &Calculation,
    headline: &Headline,
    today: Date,
    read: impl Fn(&Calculation, &FieldValue) -> Option<T>,
) -> Option<(T, bool)> {
    let name = &calculation
        .edition()
        .method()
        .fields()
        .get(headline.field)?
        .name;
    let found = |calculation: &Calculation| read(calculation, calculation.field(name)?);

    // The question may have set one of the parameters already: then its answer is the one that
    // counts.
    let is_set = |(name, _): &(String, String)| question.sent(name).is_some();
    if headline.assumed.is_empty() || headline.assumed.iter().any(is_set) {
        return Some((found(calculation)?, false));
    }

    let sent: Vec<_> = question
        .sent
        .iter()
        .chain(&headline.assumed)
        .cloned()
        .collect();
    let assumed = question.ask(&sent, today).ok()?;
    Some((found(&assumed)?, true))
}

/// The net of a pay, for a method without headline fields.
fn net(method: &Method, net: Decimal) -> Option<Figure> {
    // The net is the field that a search for the smallest gross looks at.
    let field = method.fields().get(method.inverse(Find::Smallest)?.field)?;
    Some(figure(
        Money::new(method),
        field,
        printed(field.label.as_deref()?),
        net,
        None,
    ))
}

/// A main result; one that covers some months is shown for a month and for a year.
pub(super) fn figure(
    money: Money,
    field: &Field,
    label: String,
    found: Decimal,
    months: Option<Decimal>,
) -> Figure {
    // The period of an amount is that of the months that it covers, or else of its type.
    let of_type = match field.value_type() {
        Type::Money(Period::Month) => Some(Decimal::ONE),
        Type::Money(Period::Year) => Some(YEAR),
        _ => None,
    };

    // A rate whose label has its unit, `TAEG, en %`, is shown with it: `3,2 %`.
    let shown = money.of_field(field, found);
    let lang = money.lang();
    let (label, shown) = match label.strip_suffix(IN_PERCENT.in_lang(lang)) {
        Some(label) => (label.to_owned(), format!("{shown}{}", percent_sign(lang))),
        None => (label, shown),
    };

    let mut figure = Figure::plain(label, shown);
    figure.is_amount = matches!(field.value_type(), Type::Money(_)) && !found.is_zero();

    let of_month = months
        .or(of_type)
        .and_then(|months| found.checked_div(months));

    // An amount of a month is shown for a year beside it, and the reverse.
    if let Some(of_month) = of_month.filter(|month| !month.is_zero()) {
        let is_month = of_month == found;
        let of_year = of_month.saturating_mul(YEAR);
        let month = say(lang, "par mois", "per month");
        let year = say(lang, "par an", "per year");
        let (own, other, amount) = if is_month {
            (month, year, of_year)
        } else {
            (year, month, of_month)
        };
        figure.period = Some(own);
        let amount = money.text(amount);
        figure.other = Some(say!(lang, "soit {amount} {other}", "or {amount} {other}"));
    }

    figure
}
