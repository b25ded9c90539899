//! `bareme explain`: a calculation as a payslip, step by step, with the law and the sources; a year
//! of pays month by month.

mod year;

use bareme_engine::law::parameter::DETAIL;
use bareme_engine::law::{Field, FieldValue, Inverse, Method, Reference, Type};
use bareme_engine::{Calculation, CalculationError, Lang};
use bareme_show::figures::remark;
use bareme_show::steps::option_title;
use bareme_show::trace::{self, Depth};
use bareme_show::{Cell, ItemTable, Locale, Table, Tone, payslips, say, unit};

use crate::format::{citation, json_value};
use crate::page::Page;
use crate::rule_files::{RuleFiles, folder_name};
use crate::session::{Exit, Failure, Outcome, Session};
use crate::target::{Target, failed, of_year, query};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "FOLDER", value_parser = folder_name)]
    name: String,
    #[arg(value_name = "NAME=VALUE")]
    query: Vec<String>,
    #[arg(long, value_name = "MONTH", value_parser = clap::value_parser!(i8).range(1..=12))]
    month: Option<i8>,
}

pub(super) use year::show_months;

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    // 1. The rules and the query, with the steps asked for.
    let files = RuleFiles::find(session, &[])?;
    let (name, is_year) = of_year(&args.name);
    let rules = files.read_only(&[name], session)?;
    let target = Target::find(&rules, name, session)?;

    let mut query = query(&args.query, session)?;
    query.push((DETAIL.to_owned(), "true".to_owned()));

    if is_year {
        return year::run(&target, &query, args.month, session);
    }

    if args.month.is_some() {
        return Err(Failure::unusable(say!(
            session.lang,
            "`--month` choisit un mois d’une année de paies : `bareme explain {name}/annee \
             annee=2026 …`.",
            "`--month` chooses a month of a year of pays: `bareme explain {name}/annee annee=2026 \
             …`."
        )));
    }

    // 2. The calculation, in words.
    let calculation = target
        .calculate(&query, None, session.today)
        .map_err(|error| failed(&error, session))?;
    let page = explanation(&calculation, session.lang).map_err(|error| failed(&error, session))?;

    session.show(&Outcome {
        page,
        json: json_value(calculation.datum()),
        annotations: Vec::new(),
    })
}

/// A calculation with its steps and sources, in words.
fn explanation(calculation: &Calculation, lang: Lang) -> Result<Page, CalculationError> {
    let edition = calculation.edition();
    let mut page = Page::titled(&edition.method().title);

    if let Some(scale) = edition.scale() {
        let (title, date) = (&scale.title, Locale::from(lang).day(scale.date));
        // A title may already contain the day.
        let line = if title.contains(&date) {
            title.clone()
        } else {
            say!(
                lang,
                "{title}, en vigueur depuis le {date}",
                "{title}, in force since {date}"
            )
        };
        page.toned(line, Tone::Dim);
    }

    // The numbers of the sources are those of their list at the end, by which steps cite them.
    let references = calculation.references();
    let numbering: Vec<&str> = references
        .iter()
        .map(|reference| reference.id.as_ref())
        .collect();
    show_calculation(calculation, None, &numbering, &mut page, lang)?;

    let remarks = references
        .iter()
        .flat_map(|reference| &reference.remarks)
        .chain(calculation.unsourced());
    let remarks: Vec<String> = remarks
        .map(|one| remark(&format!("`{}`", one.figure), one.remark, lang))
        .collect();

    let sources = references.iter().enumerate();
    let sources = sources
        .map(|(index, reference)| (reference.source.is_secondary(), source(index, reference)));

    show_sources(
        &mut page,
        remarks,
        sources.collect(),
        edition.citation(),
        lang,
    );

    Ok(page)
}

/// Adds the doubts about figures to a page, then the sources, with those last on which no figure
/// rests.
fn show_sources(
    page: &mut Page,
    remarks: Vec<String>,
    sources: Vec<(bool, String)>,
    citation: &str,
    lang: Lang,
) {
    if !remarks.is_empty() {
        page.heading(say!(lang, "Réserves", "Doubts"));
        page.list(remarks);
    }

    let (evidence, texts): (Vec<_>, Vec<_>) = sources
        .into_iter()
        .partition(|(is_secondary, _)| *is_secondary);
    let lines = |sources: Vec<(bool, String)>| sources.into_iter().map(|(_, line)| line).collect();

    page.heading(say!(lang, "Sources", "Sources"));
    page.list(lines(texts));
    page.toned(citation, Tone::Dim);

    if !evidence.is_empty() {
        page.heading(say!(lang, "Éléments de vérification", "Evidence"));
        page.list(lines(evidence));
    }
}

/// Adds the fields of a calculation to a page with its warnings, then its steps; `numbering` lists
/// the ids of the sources, in the order of their numbers.
///
/// # Errors
/// An internal error of the engine.
pub(super) fn show_calculation(
    calculation: &Calculation,
    month: Option<&str>,
    numbering: &[&str],
    page: &mut Page,
    lang: Lang,
) -> Result<(), CalculationError> {
    let heading = |text: String| match month {
        Some(month) => format!("{month} – {text}"),
        None => text,
    };

    // The result first, then the payslip, then how it was computed.
    page.heading(heading(say!(lang, "Résultat", "Result")));
    page.table(fields(calculation, lang));
    for warning in calculation.warnings() {
        page.toned(warning.text.in_lang(lang), Tone::Warning);
    }

    for (field, payslip) in payslips(calculation, lang.into()) {
        page.heading(heading(field.label.as_ref().unwrap_or(&field.name).clone()));
        page.table(payslip);
    }

    for (field, items) in item_tables(calculation, lang) {
        page.heading(heading(field.label.as_ref().unwrap_or(&field.name).clone()));
        page.table(items);
    }

    page.heading(heading(say!(lang, "Étapes", "Steps")));
    let method = calculation.edition().method();
    let of = |option| {
        trace::table(
            calculation,
            move |step| step.option == option,
            Depth::Full,
            numbering,
            lang.into(),
        )
    };

    // The steps of an option have a table of their own, where it was asked for.
    page.table(of(None)?);
    for (index, option) in method.options().iter().enumerate() {
        let table = of(Some(index))?;
        if !table.is_empty() {
            page.heading(heading(option_title(method, option, lang)));
            page.table(table);
        }
    }

    // Steps without effect here are named, so that nobody looks for them.
    let skipped = trace::skipped(calculation)?.join(" ; ");
    if !skipped.is_empty() {
        page.toned(
            say!(
                lang,
                "Sans objet ici : {skipped}.",
                "Not applicable here: {skipped}."
            ),
            Tone::Dim,
        );
    }

    Ok(())
}

/// The single-valued fields: first the main ones, then those that show no step, since the steps
/// have their own table.
fn fields(calculation: &Calculation, lang: Lang) -> Table {
    let mut table = Table::default()
        .text(say!(lang, "Champ", "Field"))
        .number(say!(lang, "Valeur", "Value"));

    let method = calculation.edition().method();
    let main = main_fields(calculation);
    for field in &main {
        let Some(found) = calculation.field(&field.name) else {
            continue;
        };

        // An inverse has the unit of its parameter; other fields have theirs in the label.
        let inverse = method
            .inverses()
            .iter()
            .find(|inverse| is_asked_by(inverse, field, method));
        let ty = inverse.map_or(Type::Number, |inverse| inverse.parameter.ty);
        let unit = unit(ty, method.currency.as_deref(), lang).unwrap_or_default();

        let shown = format!(
            "{} {unit}",
            Locale::from(lang).value(found.datum(), ty, method.decimals)
        )
        .trim_end()
        .to_owned();

        table.row([
            Cell::toned(named(field), Tone::Main),
            Cell::toned(shown, Tone::Main),
        ]);
    }

    for (field, found) in calculation.fields() {
        let is_step = method
            .steps()
            .iter()
            .any(|step| step.label.is_some() && step.label == field.label);
        let is_shown = (is_step && !method.inverses().is_empty())
            || main.iter().any(|shown| shown.name == field.name);
        // The sources have their own section.
        if is_shown || field.name == "source" {
            continue;
        }
        let shown = bareme_show::field::value(field, found.datum(), method, Locale::from(lang));
        if !shown.is_empty() {
            table.row([named(field).into(), Cell::from(shown)]);
        }
    }

    table
}

/// The fields that list the items of a group, each as a table.
fn item_tables<'c>(
    calculation: &'c Calculation,
    lang: Lang,
) -> impl Iterator<Item = (&'c Field, Table)> {
    let method = calculation.edition().method();
    calculation.fields().filter_map(move |(field, found)| {
        let items = ItemTable::of(found, method, Locale::from(lang))?;
        let mut table = Table::default();
        for heading in items.headings {
            table = if heading.is_number {
                table.number(heading.title)
            } else {
                table.text(heading.title)
            };
        }
        for row in items.rows {
            table.row(row.into_iter().map(Cell::from));
        }
        Some((field, table))
    })
}

/// The main fields of a calculation: those with an inverse, in order, such as the net and then the
/// cost, each amount once; without one, the first number of the answer that is not an input.
fn main_fields<'f>(calculation: &Calculation<'f>) -> Vec<&'f Field> {
    let method = calculation.edition().method();
    let fields = || calculation.fields().map(|(field, _)| field);

    let asked = method.inverses().iter();
    let value = |field: &Field| calculation.field(&field.name).and_then(FieldValue::number);
    let mut main: Vec<&Field> = Vec::new();
    for field in
        asked.filter_map(|inverse| fields().find(|field| is_asked_by(inverse, field, method)))
    {
        // What is paid is the net, where nothing else is withheld.
        if !main.iter().any(|other| value(other) == value(field)) {
            main.push(field);
        }
    }

    if main.is_empty() {
        let is_input = |field: &Field| method.inputs().iter().any(|input| input.name == field.name);
        let mut numbers =
            fields().filter(|field| field.json_type() == "number" && !is_input(field));
        main.extend(numbers.next());
    }

    main
}

/// Whether an inverse calculation sets a target for the field.
fn is_asked_by(inverse: &Inverse, field: &Field, method: &Method) -> bool {
    method
        .fields()
        .get(inverse.field)
        .is_some_and(|asked| asked.name == field.name)
}

/// The label and the name of a field.
fn named(field: &Field) -> String {
    field.label.as_deref().map_or_else(
        || field.name.clone(),
        |label| format!("{label} ({})", field.name),
    )
}

/// A source: its number, title, publisher, date, address.
fn source(index: usize, reference: &Reference) -> String {
    format!("[{}] {}", index + 1, citation(reference.source))
}
