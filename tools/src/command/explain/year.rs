//! A year of pays, explained: its months side by side, its totals, then the steps of each month
//! with what the year adds up.

use bareme_engine::law::{Field, Method};
use bareme_engine::run::{Edition, OfMonths, StepResult, YearCalculation, YearMonth};
use bareme_engine::text::french_month;
use bareme_engine::{CalculationError, Datum, Lang};
use bareme_show::figures::remark;
use bareme_show::trace::capitalized;
use bareme_show::{Locale, Table, Tone, payslips_of_year, say};
use jiff::civil::Date;

use crate::format::json_value;
use crate::page::Page;
use crate::session::{Exit, Failure, Outcome, Session};
use crate::target::{Target, failed};

/// Explains a year: each month, or one.
pub(super) fn run(
    target: &Target,
    query: &[(String, String)],
    month: Option<i8>,
    session: &Session,
) -> Result<Exit, Failure> {
    let lang = session.lang;

    let folder = target.folder_of_year(session)?;
    let year = target
        .year(folder, query, None)
        .map_err(|error| failed(&error, session))?;
    let is_asked = |of: &YearMonth| month.is_none_or(|month| month == of.month);

    let Some(place) = year.months().iter().position(is_asked) else {
        let (first, last) = (year.months().first(), year.months().last());
        let [first, last] = [first, last].map(|month| month.map_or(0, |month| month.month));
        return Err(Failure::wrong(say!(
            lang,
            "Ce mois n’est pas de ceux de l’année demandée, {first} à {last}.",
            "This month is none of those of the year that is asked for, {first} to {last}."
        )));
    };

    let page = explanation(&year, is_asked, lang).map_err(|error| failed(&error, session))?;
    // The JSON of one month is the part of the year's answer that is about it.
    let asked = month.and_then(|_| year.datum().path(&format!("mois.{place}")));

    session.show(&Outcome {
        page,
        json: json_value(asked.unwrap_or(year.datum())),
        annotations: Vec::new(),
    })
}

fn explanation(
    year: &YearCalculation,
    is_asked: impl Fn(&YearMonth) -> bool,
    lang: Lang,
) -> Result<Page, CalculationError> {
    let Some(method) = last_method(year) else {
        return Ok(Page::default());
    };

    // The method may change within the year: the page has the title of the last one.
    let (title, number) = (&method.title, year.year());
    let mut page = Page::titled(say!(
        lang,
        "{title} : année de paies {number}",
        "{title}: year of pays {number}"
    ));

    show_months(year, &mut page, lang);
    for month in year.months().iter().filter(|month| is_asked(month)) {
        show_month(year, month, &mut page, lang)?;
    }

    // A doubt or a source may be of some months only, as where a scale changes within the year.
    let of_references = year.references().iter().flat_map(|reference| {
        reference
            .what
            .remarks
            .iter()
            .map(|one| (one.figure, one.remark, months_of(reference, lang)))
    });
    // Doubts about figures without a source are in no reference.
    let unsourced = year
        .unsourced()
        .iter()
        .map(|one| (one.what.figure, one.what.remark, months_of(one, lang)));
    let remarks = of_references.chain(unsourced);

    let remarks: Vec<String> = remarks
        .map(|(figure, text, months)| {
            format!("{}{months}", remark(&format!("`{figure}`"), text, lang))
        })
        .collect();

    let sources = year
        .references()
        .iter()
        .enumerate()
        .map(|(index, reference)| {
            let line = format!(
                "{}{}",
                super::source(index, &reference.what),
                months_of(reference, lang)
            );
            (reference.what.source.is_secondary(), line)
        });

    super::show_sources(&mut page, remarks, sources.collect(), year.citation(), lang);
    Ok(page)
}

fn last_method<'f>(year: &YearCalculation<'f>) -> Option<&'f Method> {
    year.months()
        .last()
        .map(|month| month.calculation.edition())
        .map(Edition::method)
}

/// Adds the months of a year side by side to a page, its totals and its warnings.
pub(in crate::command) fn show_months(year: &YearCalculation, page: &mut Page, lang: Lang) {
    let (Some(method), Some(first)) = (last_method(year), year.months().first()) else {
        return;
    };

    let locale = Locale::from(lang);
    let shown =
        |field: &Field, found: Datum| bareme_show::field::value(field, found, method, locale);

    // What is paid, and what was asked for.
    let paid = year.totals().first().map(|total| total.field);
    // The first total is what is paid; the main fields follow.
    let mut columns: Vec<&Field> = paid.into_iter().collect();
    for field in super::main_fields(&first.calculation) {
        if !columns.iter().any(|other| other.name == field.name) {
            columns.push(field);
        }
    }

    page.heading(say!(lang, "Mois par mois", "Month by month"));
    let mut table = Table::default().text(say!(lang, "Mois", "Month"));
    for field in &columns {
        table = table.number(super::named(field));
    }

    for month in year.months() {
        let of_month = |field: &&Field| {
            month
                .calculation
                .field(&field.name)
                .map(|found| shown(field, found.datum()))
        };

        let amounts = columns
            .iter()
            .map(|field| of_month(field).unwrap_or_default());

        table.row(
            std::iter::once(month_name(month.date, lang))
                .chain(amounts)
                .map(Into::into),
        );
    }

    // A field that does not add up, as a rate, has no total.
    let totals = columns.iter().map(|field| {
        year.total(&field.name)
            .map(|total| shown(field, Datum::Number(total)))
            .unwrap_or_default()
    });

    table.total(std::iter::once(say!(lang, "Année", "Year")).chain(totals));
    page.table(table);

    // A warning of some months names them.
    for warning in year.warnings() {
        page.toned(
            format!(
                "{}{}",
                warning.what.text.in_lang(lang),
                months_of(warning, lang)
            ),
            Tone::Warning,
        );
    }

    page.heading(say!(lang, "Total de l’année", "Total of the year"));
    let mut table = Table::default()
        .text(say!(lang, "Champ", "Field"))
        .number(say!(lang, "Valeur", "Value"));
    for total in year
        .totals()
        .iter()
        .filter(|total| total.value.number().is_some())
    {
        table.row([
            super::named(total.field).into(),
            shown(total.field, total.value.datum()).into(),
        ]);
    }
    page.table(table);

    // The totals of the payslips come last, as on a yearly statement.
    for (field, payslip) in payslips_of_year(year, locale) {
        let (of_year, name) = (
            say!(lang, "Total de l’année", "Total of the year"),
            super::named(field),
        );
        page.heading(format!("{of_year} – {name}"));
        page.table(payslip);
    }
}

/// Adds a month to a page: what the year adds up in it, then its result and its steps.
fn show_month(
    year: &YearCalculation,
    month: &YearMonth,
    page: &mut Page,
    lang: Lang,
) -> Result<(), CalculationError> {
    let name = format!(
        "{} {}",
        capitalized(&month_name(month.date, lang)),
        month.date.year()
    );

    let sums = sums(year, month, lang)?;
    if !sums.is_empty() {
        let text = say!(lang, "Ce que l’année cumule", "What the year adds up");
        page.heading(format!("{name} – {text}"));
        page.table(sums);
    }
    // The numbers are those of the list of the year; other months may cite another text under the
    // same name.
    let is_its_own = |reference: &OfMonths<_>| reference.months.contains(&month.month);

    let numbering: Vec<&str> = year
        .references()
        .iter()
        .map(|reference| {
            if is_its_own(reference) {
                reference.what.id.as_ref()
            } else {
                ""
            }
        })
        .collect();

    super::show_calculation(&month.calculation, Some(&name), &numbering, page, lang)
}

/// The steps that are computed on the sum since the first month: the sum, what the months before
/// had of it, what is left for this month.
fn sums(year: &YearCalculation, month: &YearMonth, lang: Lang) -> Result<Table, CalculationError> {
    let first = year
        .months()
        .first()
        .map(|month| month_name(month.date, lang))
        .unwrap_or_default();

    let mut table = Table::default()
        .text(say!(lang, "Étape", "Step"))
        .number(say!(lang, "Depuis {first}", "Since {first}"))
        .number(say!(lang, "Déjà compté", "Counted before"))
        .number(say!(lang, "Ce mois", "This month"));
    // The decimals are those of the method of this month.
    let decimals = month.calculation.edition().method().decimals;
    // A step that is settled over the year has the sum so far, what was taken off before, and the
    // rest.
    for trace in month.calculation.steps()? {
        let (Some(earlier), StepResult::Value(value, ty)) = (trace.earlier, &trace.result) else {
            continue;
        };
        let shown = |found: Datum| Locale::from(lang).value(found, *ty, decimals);

        let sums = [
            Datum::Number(earlier.so_far),
            Datum::Number(earlier.taken_off),
            value.datum(),
        ];
        table.row(
            std::iter::once(trace.step.title().to_owned())
                .chain(sums.map(shown))
                .map(Into::into),
        );
    }

    Ok(table)
}

/// The months that something is about, where they are not all of them: ` (mois 5, 6)`.
fn months_of<T>(of: &OfMonths<T>, lang: Lang) -> String {
    if of.always {
        return String::new();
    }

    let months = of
        .months
        .iter()
        .map(i8::to_string)
        .collect::<Vec<_>>()
        .join(", ");
    say!(lang, " (mois {months})", " (months {months})")
}

fn month_name(date: Date, lang: Lang) -> String {
    if lang == Lang::Fr {
        french_month(date).to_owned()
    } else {
        date.strftime("%B").to_string()
    }
}
