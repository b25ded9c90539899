//! `bareme explain`: a calculation as a payslip, step by step, with the law and the sources.

use bareme_engine::{Folder, Json, Lang, Method, Type};

use crate::page::{Cell, Page, Table, Tone};
use crate::rule_files::RuleFiles;
use crate::session::{Exit, Failure, Outcome, Session, say};
use crate::target::{Target, query, refused};
use crate::trace::{self, Depth, text};
use crate::words::{plain, value};

use super::doc::option_title;

/// Explain a calculation: the payslip step by step, with bands, roundings, articles and sources
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of rules, like `salaire-net/sn`
    #[arg(value_name = "FOLDER")]
    name: String,
    /// What is sent, like `brut=450000 parts=2.5`
    #[arg(value_name = "NAME=VALUE")]
    query: Vec<String>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let files = RuleFiles::find(session, &[])?;
    let rules = files.read(session)?;
    let target = Target::find(&rules, &args.name, session)?;
    let mut query = query(&args.query, session)?;
    query.push(("detail".to_owned(), "true".to_owned()));
    let folder = target.folder(&query).map_err(|refusal| refused(&refusal, session))?;
    let explained = |answer: &Json| Outcome {
        page: explanation(answer, folder, session.lang),
        json: plain(answer),
        annotations: Vec::new(),
    };
    let outcome = target.answer_with(&query, session.today, explained).map_err(|refusal| refused(&refusal, session))?;
    session.show(&outcome)?;
    Ok(Exit::Fine)
}

/// An answer with its steps and sources, in words.
fn explanation(answer: &Json, folder: &Folder, lang: Lang) -> Page {
    let in_force = text(answer, "bareme_en_vigueur");
    let edition = in_force.parse().ok().and_then(|date| folder.edition(date)).or_else(|| folder.latest());
    let Some(edition) = edition else { return Page::default() };
    let mut page = Page::titled(&edition.method().title);
    if let Some(scale) = edition.scale() {
        let title = &scale.title;
        let line = say!(lang, "{title}, en vigueur depuis le {in_force}", "{title}, in force since {in_force}");
        page.toned(line, Tone::Dim);
    }
    show_steps(answer, edition.method(), &mut page, lang);
    let sources = answer.get("references").map(Json::items).unwrap_or_default();
    let remarks: Vec<String> = sources.iter().flat_map(|source| remarks(source, lang)).collect();
    if !remarks.is_empty() {
        page.heading(say!(lang, "Réserves", "Doubts"));
        page.list(remarks);
    }
    page.heading(say!(lang, "Sources", "Sources"));
    page.list(sources.iter().enumerate().map(|(rank, source)| reference(rank, source)).collect());
    page
}

/// Adds the steps of an answer to a page, then its fields and warnings.
pub(super) fn show_steps(answer: &Json, method: &Method, page: &mut Page, lang: Lang) {
    page.heading(say!(lang, "Étapes", "Steps"));
    let is_of = |name: &str, option: Option<usize>| {
        method.steps().iter().any(|step| step.name == name && step.option == option)
    };
    page.table(trace::table(answer, method, |name| is_of(name, None), Depth::Full, lang));
    for (rank, option) in method.options().iter().enumerate() {
        let table = trace::table(answer, method, |name| is_of(name, Some(rank)), Depth::Full, lang);
        if !table.is_empty() {
            page.heading(option_title(method, option, lang));
            page.table(table);
        }
    }
    let set_aside = trace::set_aside(answer).collect::<Vec<_>>().join(" ; ");
    if !set_aside.is_empty() {
        page.toned(say!(lang, "Sans objet ici : {set_aside}.", "Not applicable here: {set_aside}."), Tone::Dim);
    }
    page.heading(say!(lang, "Résultat", "Result"));
    page.table(fields(answer, method, lang));
    for warning in answer.get("avertissements").map(Json::items).unwrap_or_default() {
        if let Json::Text(warning) = warning {
            page.toned(warning.as_ref(), Tone::Warning);
        }
    }
}

/// The fields that hold one value and are no step: those are told already.
fn fields(answer: &Json, method: &Method, lang: Lang) -> Table {
    let mut table = Table::default().text(say!(lang, "Champ", "Field")).number(say!(lang, "Valeur", "Value"));
    for field in method.fields() {
        let is_step = method.steps().iter().any(|step| step.label.is_some() && step.label == field.label);
        // The sources have their own part of the page.
        let Some(found) = answer.get(&field.name).filter(|_| !is_step && field.name != "source") else { continue };
        let shown = match found {
            // A year is no amount: its thousands are not set apart.
            Json::Number(number) if field.json_type() == "integer" => number.to_string(),
            _ => value(found, Type::Number, lang),
        };
        if !shown.is_empty() {
            let label = field.label.as_deref().map(|label| format!("{label} ({})", field.name));
            table.row([label.unwrap_or_else(|| field.name.clone()).into(), Cell::from(shown)]);
        }
    }
    table
}

/// A source: its number, title, publisher, date, address.
fn reference(rank: usize, source: &Json) -> String {
    let date = text(source, "date");
    let date = if date.is_empty() { String::new() } else { format!(", {date}") };
    let (title, publisher, url) = (text(source, "titre"), text(source, "editeur"), text(source, "url"));
    format!("[{}] {title} ({publisher}{date}) {url}", rank + 1).trim_end().to_owned()
}

/// What is doubtful in the figures of a source.
fn remarks(source: &Json, lang: Lang) -> Vec<String> {
    let told = |remark: &Json| {
        let (figure, confidence, note) = (text(remark, "figure"), text(remark, "confiance"), text(remark, "note"));
        let mut line = format!("`{figure}`");
        if !confidence.is_empty() {
            line.push_str(&say!(lang, ", confiance {confidence}", ", confidence: {confidence}"));
        }
        if note.is_empty() { line } else { format!("{line} : {note}") }
    };
    source.get("reserves").map(Json::items).unwrap_or_default().iter().map(told).collect()
}
