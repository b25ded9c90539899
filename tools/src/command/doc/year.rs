//! The year of pays of a method: what differs from month to month, what it adds up, a worked year.

use bareme_engine::law::{Method, Step, YearBlock};
use bareme_engine::run::YEAR_PATH;
use bareme_engine::{Folder, Query};
use bareme_show::{Tone, say};
use serde_json::{Value, json};

use crate::command::explain;
use crate::page::Page;
use crate::session::{Failure, Session};
use crate::target::{failed, words};

use super::pairs;

/// Adds the year of pays of a method to its page, if it computes one.
pub(super) fn show(
    folder: &Folder,
    method: &Method,
    page: &mut Page,
    session: &Session,
) -> Result<(), Failure> {
    let lang = session.lang;
    let Some(block) = method.year() else {
        return Ok(());
    };

    page.heading(say!(lang, "Année de paies", "Year of pays"));
    let path = folder.path();
    page.text(say!(
        lang,
        "Se demande mois par mois, une année civile à la fois : `bareme explain {path}{YEAR_PATH}`.",
        "Is asked for month by month, a calendar year at a time: `bareme explain {path}{YEAR_PATH}`."
    ));

    // The rank of a pay is an input that the year itself counts.
    let rank = block
        .rank()
        .and_then(|rank| rank.of(method.inputs()))
        .map(|rank| rank.name.as_str());

    // Each row is one rule of the block `year:` of the method.
    let rows = [
        (
            say!(
                lang,
                "Peut changer d’un mois à l’autre",
                "May differ from month to month"
            ),
            inputs(method, block.varying()),
        ),
        (
            say!(
                lang,
                "Se lit d’un mois à l’autre",
                "Read from month to month"
            ),
            read(method),
        ),
        (
            say!(
                lang,
                "Calculé sur la somme, moins les mois précédents",
                "Computed on the sum, less the months before"
            ),
            settled(method),
        ),
        (
            say!(lang, "Additionné sur l’année", "Added up over the year"),
            totals(method, block),
        ),
        (
            say!(
                lang,
                "D’un mois seul, refusé dans une année",
                "Of a single month, refused in a year"
            ),
            inputs(method, block.without()),
        ),
        (
            say!(lang, "Rang d’une paie seule", "Rank of a single pay"),
            inputs(method, rank.into_iter()),
        ),
    ];

    // Only what the method has is listed.
    let mut table = pairs(
        say!(lang, "L’année", "The year"),
        say!(lang, "Champs et étapes", "Fields and steps"),
    );
    for (title, names) in rows.into_iter().filter(|(_, names)| !names.is_empty()) {
        table.row([title.into(), names.join("\n").into()]);
    }

    page.table(table);
    show_case(folder, page, session)
}

/// A worked year, in months and totals.
fn show_case(folder: &Folder, page: &mut Page, session: &Session) -> Result<(), Failure> {
    let lang = session.lang;
    let Some(case) = &folder.examples().year else {
        return Ok(());
    };

    let name = &case.name;
    page.heading(say!(
        lang,
        "Exemple d’année : {name}",
        "Worked year: {name}"
    ));
    page.verbatim(words(&case.query), Tone::Dim);

    // The case is calculated as a reader would, so that the page shows what the service answers.
    let year = folder
        .year(&Query::from(&case.query))
        .map_err(|error| failed(&error, session))?;
    explain::show_months(&year, page, lang);
    Ok(())
}

/// The block for programs.
pub(super) fn to_json(block: &YearBlock) -> Value {
    json!({
        "par_mois": block.varying().collect::<Vec<_>>(),
        "totaux": block.totals().collect::<Vec<_>>(),
        "sans": block.without().collect::<Vec<_>>(),
    })
}

fn inputs<'m>(method: &Method, names: impl Iterator<Item = &'m str>) -> Vec<String> {
    names.map(|name| labelled(method, name)).collect()
}

/// What the months read of each other.
fn read(method: &Method) -> Vec<String> {
    method
        .names_of_other_months()
        .map(|name| labelled(method, name))
        .collect()
}

/// The steps that take off what the months before gave.
fn settled(method: &Method) -> Vec<String> {
    // Such steps have the key `already`, by which the earlier months are taken off.
    let steps = method
        .steps()
        .iter()
        .filter(|step| step.keys.iter().any(|(key, _)| *key == "already"));

    steps
        .map(|step: &Step| labelled(method, &step.name))
        .collect()
}

fn totals(method: &Method, block: &YearBlock) -> Vec<String> {
    // A total without a label is shown by its name.
    let label = |name: &str| {
        let field = method.fields().iter().find(|field| field.name == name);
        field
            .and_then(|field| field.label.as_deref())
            .map(|label| format!("{label} ({name})"))
    };

    block
        .totals()
        .map(|name| label(name).unwrap_or_else(|| name.to_owned()))
        .collect()
}

/// The label of an input or of a step, and its name.
fn labelled(method: &Method, name: &str) -> String {
    // `step.output` has the label of its step.
    let owner = name.split('.').next().unwrap_or(name);

    let input = method
        .inputs()
        .iter()
        .find(|input| input.name == owner)
        .map(|input| input.label.as_str());
    // Inputs come before steps: a name is one or the other.
    let step = || {
        method
            .steps()
            .iter()
            .find(|step| step.name == owner)
            .and_then(|step| step.label.as_deref())
    };

    input
        .or_else(step)
        .map_or_else(|| name.to_owned(), |label| format!("{label} ({name})"))
}
