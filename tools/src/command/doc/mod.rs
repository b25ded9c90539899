//! `bareme doc`: a page for each scale: figures, steps in words, a worked case, a chart, sources.

mod figures;
mod year;

use std::path::{Path, PathBuf};

use bareme_engine::law::parameter::DATE;
use bareme_engine::law::{Method, Scale, Source};
use bareme_engine::run::{Case, Edition};
use bareme_engine::service::Rules;
use bareme_engine::{Folder, Lang};
use bareme_show::curve::{Axis, Household};
use bareme_show::{Table, Tone, say, steps};
use serde_json::{Value, json};

use crate::days::refuse_draft_of_command;
use crate::drawing;
use crate::format::citation;
use crate::page::Page;
use crate::rule_files::{RuleFiles, folder, folder_name};
use crate::session::{Exit, Failure, Format, Outcome, Session};
use crate::target::{failed, words};

use super::{explain, list};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "FOLDER", required_unless_present = "out", value_parser = folder_name)]
    names: Vec<String>,
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let files = RuleFiles::find(session, &[])?;
    let rules = files.read_only(
        &args.names.iter().map(String::as_str).collect::<Vec<_>>(),
        session,
    )?;

    let folders = chosen(args, &rules, session)?;
    // A draft that is left out would be replaced by the scale before it, without a mention.
    folders
        .iter()
        .try_for_each(|folder| refuse_draft_of_command(folder, session))?;

    // Without a folder the pages go to the standard output, one after the other.
    match &args.out {
        Some(out) => write(&folders, out, session)?,
        None => {
            for folder in folders {
                let mut outcome = documented(folder, session)?;
                if let Some((svg, caption)) = drawing(folder, session) {
                    outcome.page.drawing(svg, caption);
                }
                session.show(&outcome)?;
            }
        }
    }
    Ok(Exit::Fine)
}

fn chosen<'r>(
    args: &Args,
    rules: &'r Rules,
    session: &Session,
) -> Result<Vec<&'r Folder>, Failure> {
    if args.names.is_empty() {
        return Ok(rules.folders().collect());
    }
    args.names
        .iter()
        .map(|name| folder(rules, name, session))
        .collect()
}

/// Writes the pages, their drawings and an index.
fn write(folders: &[&Folder], out: &Path, session: &Session) -> Result<(), Failure> {
    let (ending, is_markdown) = match session.format {
        Format::Html => ("html", false),
        Format::Json => ("json", false),
        Format::Text => ("txt", false),
        Format::Markdown | Format::Github => ("md", true),
    };

    // An existing folder is written into: pages of removed scales stay.
    std::fs::create_dir_all(out)?;

    let mut list = Page::titled(say!(session.lang, "Barèmes", "Scales"));
    let mut links = Vec::new();

    for folder in folders {
        // Paths become file names of one folder, so that links need no folders.
        let name = folder.path().replace('/', "-");
        let mut outcome = documented(folder, session)?;
        match drawing(folder, session) {
            // In Markdown, a drawing is a separate file.
            Some((svg, caption)) if is_markdown => {
                std::fs::write(out.join(format!("{name}.svg")), svg)?;
                outcome.page.text(format!("![{caption}]({name}.svg)"));
            }
            Some((svg, caption)) => outcome.page.drawing(svg, caption),
            None => {}
        }

        std::fs::write(
            out.join(format!("{name}.{ending}")),
            session.rendered(&outcome),
        )?;
        links.push((folder.title().to_owned(), format!("{name}.{ending}")));
    }

    let pages = links.len();
    list.links(links);

    let list = Outcome {
        page: list,
        ..Outcome::default()
    };
    std::fs::write(out.join(format!("index.{ending}")), session.rendered(&list))?;

    let out = out.display();
    session.print(&say!(
        session.lang,
        "{pages} pages dans {out}\n",
        "{pages} pages in {out}\n"
    ))
}

/// The page of the scale in force on the day of the session.
fn documented(folder: &Folder, session: &Session) -> Result<Outcome, Failure> {
    let lang = session.lang;
    // A scale that starts later is documented too.
    let Some(edition) = folder.edition(session.today).or_else(|| folder.latest()) else {
        return Ok(Outcome::default());
    };

    let method = edition.method();

    let mut page = Page::titled(&method.title);
    if let Some(scale) = edition.scale() {
        introduce(scale, &mut page, session);
    }

    figures::show(edition, &mut page, lang);
    page.heading(say!(lang, "Calcul", "Computation"));
    show_steps(method, &mut page, lang);
    year::show(folder, method, &mut page, session)?;

    // The sources of a method without dates are those of the method itself.
    let sources = edition
        .scale()
        .map_or(&method.sources, |scale| &scale.sources);
    // Evidence is listed after the texts of the law, and numbered after them.
    let (evidence, texts): (Vec<&Source>, Vec<&Source>) =
        sources.iter().partition(|source| source.is_secondary());

    let numbering: Vec<&str> = texts
        .iter()
        .chain(&evidence)
        .map(|source| source.id.as_str())
        .collect();

    if let Some(case) = worked_case(folder, edition) {
        show_case(case, folder, &numbering, &mut page, session)?;
    }

    let awaited = list::awaited(folder);
    if !awaited.is_empty() {
        page.heading(say!(lang, "Textes attendus", "Texts awaited"));
        page.list(awaited);
    }

    page.heading(say!(lang, "Sources", "Sources"));
    page.list(numbered(&texts, 1));
    // Evidence is separate, so that nobody takes it for a legal basis.
    if !evidence.is_empty() {
        page.heading(say!(
            lang,
            "Éléments de vérification, qui ne fondent aucun chiffre",
            "Evidence, on which no figure rests"
        ));
        page.list(numbered(&evidence, texts.len() + 1));
    }

    let json = json!({
        "bareme": folder.path(),
        "titre": method.title,
        "date": edition.scale().map(|scale| scale.date.to_string()),
        "chiffres": figures::to_json(edition), "annee": method.year().map(year::to_json),
        "sources": sources.iter().map(to_json).collect::<Vec<_>>(),
    });

    Ok(Outcome {
        page,
        json,
        annotations: Vec::new(),
    })
}

fn introduce(scale: &Scale, page: &mut Page, session: &Session) {
    let lang = session.lang;
    let (date, until) = (scale.date, scale.known_until);

    page.text(&scale.title);
    page.toned(
        say!(
            lang,
            "En vigueur depuis le {date}, vérifié jusqu’au {until}.",
            "In force since {date}, checked until {until}."
        ),
        Tone::Dim,
    );

    if let Some(checked) = scale.checked {
        page.toned(
            say!(
                lang,
                "Chiffres relus dans les textes le {checked}.",
                "Figures read in the texts on {checked}."
            ),
            Tone::Dim,
        );
    }

    // The text of the source is what a reader would cite.
    page.text(scale.source_text());
    if let Some(note) = &scale.note {
        page.text(note);
    }
}

/// The steps of the method, then those of each option under its name.
fn show_steps(method: &Method, page: &mut Page, lang: Lang) {
    page.table(steps_of(method, None, lang));
    for (index, option) in method.options().iter().enumerate() {
        page.heading(steps::option_title(method, option, lang));
        page.table(steps_of(method, Some(index), lang));
    }
}

/// The table of steps of one part of the method: title, computation, article.
fn steps_of(method: &Method, option: Option<usize>, lang: Lang) -> Table {
    let mut table = pairs(
        say!(lang, "Étape", "Step"),
        say!(lang, "Calcul", "Computation"),
    );

    for step in method.steps().iter().filter(|step| step.option == option) {
        // A step has its label, with the name that formulas use below it.
        let label = step
            .label
            .as_deref()
            .map(|label| format!("{label}\n  {}", step.name));
        let law = step
            .law
            .as_deref()
            .map(|law| format!("\n  {law}"))
            .unwrap_or_default();

        let how = format!("{}{law}", steps::sentence(method, step, lang));
        table.row([
            label.unwrap_or_else(|| step.name.clone()).into(),
            how.into(),
        ]);
    }

    table
}

/// The first case of the scale that expects an answer.
fn worked_case<'f>(folder: &'f Folder, edition: &Edition) -> Option<&'f Case> {
    let date = edition.scale().map(|scale| scale.date);
    let is_of_edition = |case: &&Case| {
        // A case without a date belongs to a method without dates.
        let asked = case
            .query
            .iter()
            .find(|(name, _)| name == DATE)
            .and_then(|(_, date)| date.parse().ok());

        let found = asked
            .and_then(|asked| folder.edition(asked))
            .and_then(Edition::scale)
            .map(|scale| scale.date);

        case.refuse.is_none() && found == date
    };

    folder.cases().iter().find(is_of_edition)
}

fn show_case(
    case: &Case,
    folder: &Folder,
    numbering: &[&str],
    page: &mut Page,
    session: &Session,
) -> Result<(), Failure> {
    let lang = session.lang;

    let name = &case.name;
    page.heading(say!(lang, "Exemple : {name}", "Worked case: {name}"));
    page.verbatim(words(&case.query), Tone::Dim);
    // A refused case would have been reported when the rules were loaded.
    match folder.calculate(&(&case.query).into(), session.today) {
        Ok(calculation) => {
            let shown = explain::show_calculation(&calculation, None, numbering, page, lang);
            shown.map_err(|error| failed(&error, session))
        }
        Err(_) => Ok(()),
    }
}

/// A chart of the scale for the household with all defaults, and its caption.
fn drawing(folder: &Folder, session: &Session) -> Option<(String, String)> {
    // A folder without income and field to draw has no chart.
    let axis = Axis::new(folder, None)?;
    let edition = folder.edition(session.today).or_else(|| folder.latest())?;

    let (range, date) = (
        axis.usual_range()?,
        edition.scale().map_or(session.today, |scale| scale.date),
    );
    // The household with all defaults is the one that most readers expect.
    let points = axis.points(
        range,
        (drawing::POINTS, axis.decimals),
        &Household::default(),
        date,
    );

    if points.is_empty() {
        return None;
    }

    let (field, input) = (&axis.field_label, &axis.input_label);
    let caption = say!(
        session.lang,
        "{field}, selon : {input}",
        "{field}, by: {input}"
    );

    let svg = drawing::draw(&axis, &[(date.to_string(), points)], session.lang).unwrap_or_default();
    Some((svg, caption))
}

/// The sources as list items: the number by which steps cite them, id, title, articles,
/// publication, address.
fn numbered(sources: &[&Source], first: usize) -> Vec<String> {
    let line = |(index, source): (usize, &&Source)| {
        format!("[{}] `{}` : {}", first + index, source.id, citation(source))
    };
    sources.iter().enumerate().map(line).collect()
}

fn to_json(source: &Source) -> Value {
    json!({
        "id": source.id, "nature": source.kind.french(), "titre": source.title,
        "article": source.article, "editeur": source.publisher, "parution": source.published,
        "date": source.date.map(|date| date.to_string()), "identifiant": source.identifier,
        "url": source.url,
    })
}

/// An empty table of terms and their meanings.
fn pairs(title: String, meaning: String) -> Table {
    Table::default().text(title).text(meaning)
}
