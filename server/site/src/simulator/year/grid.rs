//! The form of a year: the months, the inputs for the whole year, and a grid with one row for each
//! month.

use bareme_engine::Lang;
use bareme_engine::law::parameter::{DEPARTURE, FINAL_MONTH, FIRST_MONTH, YEAR};
use bareme_engine::law::{Input, Presence, Type};
use bareme_engine::run::Edition;
use bareme_engine::text::BadParameter;
use maud::{Markup, html};

use super::super::form::{self, wrong};
use super::super::{RESULT_PATH, values};
use super::PATH_END;
use super::column::{ALL, Column, MONTHS};
use super::months::month_name;
use super::question::YearQuestion;
use crate::language::prefix;
use crate::text::{printed, prose, say};

pub(super) fn form(asked: &YearQuestion, bad: &[BadParameter]) -> Markup {
    let question = &asked.question;
    // Options are switches; what varies by month is a column; the rest holds for the year.
    let method = question.edition.map(Edition::method);
    let inputs = method
        .map(|method| method.inputs())
        .unwrap_or_default()
        .iter();

    let is_option = |input: &Input| {
        method.is_some_and(|method| {
            method
                .options()
                .iter()
                .any(|option| option.name == input.name)
        })
    };

    let asked_for = question.listed.folder.year_inputs();
    let is_asked = |input: &&Input| asked_for.iter().any(|known| known.name == input.name);

    let of_year: Vec<&Input> = inputs
        .filter(|input| !input.is_absent && !asked.block.varies(&input.name))
        .filter(is_asked)
        .collect();

    let (switches, rest): (Vec<&Input>, Vec<&Input>) =
        of_year.into_iter().partition(|input| is_option(input));

    let field = |input: &Input| form::field(question, input, bad);
    let lang = question.lang();

    html! {
        form.questions.year action={ (question.listed.simulator()) (PATH_END) } method="get"
            autocomplete="off"
            data-live={
                (prefix(lang)) (RESULT_PATH) "/" (question.listed.folder.path()) (PATH_END)
            } {
            div.row {
                (years(asked, bad))
                (month_field(asked, FIRST_MONTH, bad))
                (month_field(asked, FINAL_MONTH, bad))
            }
            div.field data-champs=(DEPARTURE) {
                label.check {
                    input #champ-depart type="checkbox" name=(DEPARTURE) value="true"
                        checked[asked.leaves];
                    (say(
                        lang,
                        " Le contrat prend fin avec le dernier mois",
                        " The contract ends with the last month"
                    ))
                }
            }
            (grid(asked, bad))
            @for input in &switches { (field(input)) }
            @if !rest.is_empty() {
                details.more open[rest.iter().any(|input| question.sent(&input.name).is_some())] {
                    summary {
                        (say(lang, "Pour toute l’année (", "For the whole year (")) (rest.len()) ")"
                    }
                    div.fields.row { @for input in &rest { (field(input)) } }
                }
            }
            button { (say(lang, "Calculer l’année", "Calculate the year")) }
        }
    }
}

/// The years with scales; another one that was sent is refused, not changed.
fn years(asked: &YearQuestion, bad: &[BadParameter]) -> Markup {
    let editions = || {
        asked
            .question
            .listed
            .folder
            .editions()
            .iter()
            .filter_map(Edition::scale)
    };

    let first = editions()
        .map(|scale| scale.date.year())
        .min()
        .unwrap_or_default();
    // Up to the year to which the figures of some scale are known to hold.
    let last = editions()
        .map(|scale| scale.known_until.year())
        .max()
        .unwrap_or_default();

    let lang = asked.question.lang();
    let wrong = wrong(lang, YEAR, bad);

    let mut years: Vec<String> = (first..=last).rev().map(|year| year.to_string()).collect();
    // A browser would choose the first year in its place.
    if !years.contains(&asked.year) {
        years.push(asked.year.clone());
    }

    html! {
        div.field data-champs=(YEAR) {
            label for="champ-annee" { (say(lang, "Année", "Year")) }
            select #champ-annee name=(YEAR) aria-describedby="erreur-annee" aria-invalid=[
                wrong.as_ref().map(|_| "true")
            ] {
                @for year in &years { option value=(year) selected[*year == asked.year] { (year) } }
            }
            (form::message(YEAR, wrong.as_deref()))
        }
    }
}

/// The first month of the year, or the last one.
fn month_field(asked: &YearQuestion, name: &str, bad: &[BadParameter]) -> Markup {
    let lang = asked.question.lang();
    let (label, chosen) = if name == FIRST_MONTH {
        (say(lang, "Premier mois", "First month"), asked.span.0)
    } else {
        (say(lang, "Dernier mois", "Last month"), asked.span.1)
    };
    let wrong = wrong(lang, name, bad);

    html! {
        div.field data-champs=(name) {
            label for={ "champ-" (name) } { (label) }
            select id={ "champ-" (name) } name=(name) aria-describedby={ "erreur-" (name) }
                aria-invalid=[
                wrong.as_ref().map(|_| "true")
            ] {
                @for month in 1..=MONTHS {
                    option value=(month) selected[month == chosen] { (month_name(month, lang)) }
                }
            }
            (form::message(name, wrong.as_deref()))
        }
    }
}

/// The grid: the value for every month, then the months that differ. Each control is labelled by
/// its column and its row.
fn grid(asked: &YearQuestion, bad: &[BadParameter]) -> Markup {
    let labels = asked.question.labels();
    let lang = asked.question.lang();

    html! {
        p.help #aide-grille {
            (say(
                lang,
                "La première ligne vaut pour chaque mois dont la case est vide. ",
                "The first row counts for every month whose cell is empty. "
            ))
            span data-collage hidden {
                (say(
                    lang,
                    "Collez ici une colonne ou un tableau de votre tableur.",
                    "Paste a column or a table of your spreadsheet here."
                ))
            }
        }
        div.wide tabindex="0" role="region" aria-label=(
            say(lang, "Grille des mois", "Grid of the months")
        ) {
            table.grid data-grille {
                thead {
                    tr {
                        td {}
                        @for column in &asked.columns {
                            th scope="col" id={ "colonne-" (column.input.name) } {
                                (prose(&column.input.label))
                            }
                        }
                    }
                }
                tbody {
                    // The first row is for every month, so that a usual year is one row.
                    tr.all {
                        th scope="row" id="ligne-tous" { (say(lang, "Chaque mois", "Every month")) }
                        @for column in &asked.columns { td { (cell(column, None, bad, lang)) } }
                    }
                    @for month in 1..=MONTHS {
                        tr.outside[!asked.months().contains(&month)] {
                            th scope="row" id={ "ligne-" (month) } { (month_name(month, lang)) }
                            @for column in &asked.columns {
                                td { (cell(column, Some(month), bad, lang)) }
                            }
                        }
                    }
                }
            }
        }
        // The help of the columns is below: there is no room in a heading.
        details.more {
            summary { (say(lang, "Que mettre dans chaque colonne", "What goes in each column")) }
            @for column in &asked.columns {
                @if let Some(help) = &column.input.help {
                    p.help id={ "aide-" (column.input.name) } {
                        strong { (prose(&column.input.label)) } (say(lang, "\u{a0}: ", ": "))
                        (prose(&labels.written(help)))
                    }
                }
            }
        }
    }
}

/// A cell, of one month or for every month.
fn cell(column: &Column, month: Option<i8>, bad: &[BadParameter], lang: Lang) -> Markup {
    // The cell for every month is the one whose default is shown.
    let input = column.input;
    let place = month.map_or_else(|| ALL.to_owned(), |month| month.to_string());

    let value = match month {
        Some(month) => column
            .cells
            .get(usize::try_from(month.saturating_sub(1)).unwrap_or_default()),
        None => Some(&column.all),
    };
    let value = form::written(input, value.map(String::as_str).unwrap_or_default(), lang);

    let is_wrong = month.is_some_and(|month| {
        let is_it = |bad: &&BadParameter| bad.name == input.name && bad.month == Some(month);
        bad.iter().any(|bad| is_it(&bad))
    });

    let default = values::default_text(input).filter(|_| month.is_none());
    let placeholder = default.map(|default| form::written(input, &default, lang));

    // Read aloud with its column and its row: the cell has no label of its own.
    let labelled = format!("colonne-{} ligne-{place}", input.name);
    let described = input.help.as_ref().map(|_| format!("aide-{}", input.name));

    html! {
        @if let Type::Choice(_) = input.ty {
            select name={
                (input.name) "-" (place)
            } aria-labelledby=(labelled) aria-describedby=[described] {
                option value="" { "–" }
                @for (word, label) in &input.values {
                    option value=(word) selected[*word == value] { (printed(label)) }
                }
            }
        } @else {
            input name={ (input.name) "-" (place) } value=[
                Some(&value).filter(|value| !value.is_empty())
            ]
                inputmode=(
                    if input.integer { "numeric" } else if input.words.is_empty() { "decimal" }
                    else { "text" }
                )
                placeholder=[placeholder] aria-labelledby=(labelled) aria-describedby=[described]
                // Of an input without which there is no answer, either every month is given, or
                // some months are.
                required[
                    month.is_none() && matches!(
                        input.presence, Presence::Required
                    ) && column.cells.iter().all(String::is_empty)
                ]
                aria-invalid=[is_wrong.then_some("true")] size="9";
        }
    }
}
