//! `bareme inverse`: the gross of a net, or of a budget.

use bareme_engine::{Folder, Inverse, Json, Method};
use serde_json::{Number, json};

use crate::page::{Cell, Page, Table, Tone};
use crate::rule_files::RuleFiles;
use crate::session::{Exit, Failure, Outcome, Session, say};
use crate::target::{Target, query, refused, words};
use crate::words::{number, plain};

/// Find the gross of a net or of a budget: `net=2500` or `cout=3500` instead of `brut=…`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of rules, like `salaire-net/be`
    #[arg(value_name = "FOLDER")]
    name: String,
    /// What is sent, like `net=2500 enfants=2`
    #[arg(value_name = "NAME=VALUE")]
    query: Vec<String>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let rules = RuleFiles::find(session, &[])?.read(session)?;
    let target = Target::find(&rules, &args.name, session)?;
    let query = query(&args.query, session)?;
    let folder = target.folder(&query).map_err(|refusal| refused(&refusal, session))?;
    let edition = folder.edition(session.today).or_else(|| folder.latest());
    let Some(method) = edition.map(|edition| edition.method()) else { return Ok(Exit::Fine) };
    let inverse = inverse(folder, method, &query, session)?;
    let found =
        target.answer_with(&query, session.today, |answer| outcome(answer, folder, method, inverse, &query, session));
    session.show(&found.map_err(|refusal| refused(&refusal, session))?)?;
    Ok(Exit::Fine)
}

/// What of the method is asked for.
fn inverse<'m>(
    folder: &Folder,
    method: &'m Method,
    query: &[(String, String)],
    session: &Session,
) -> Result<&'m Inverse, Failure> {
    let lang = session.lang;
    if folder.inverses().is_empty() {
        let path = folder.path();
        return Err(Failure::unusable(say!(
            lang,
            "`{path}` ne se calcule pas dans l'autre sens : sa méthode n'a pas de clé `inverse`.",
            "`{path}` is not computed the other way round: its method has no key `inverse`."
        )));
    }
    let is_asked = |inverse: &&Inverse| query.iter().any(|(name, _)| *name == inverse.parameter.name);
    method.inverses().iter().find(is_asked).ok_or_else(|| {
        let names = method.inverses().iter().map(|inverse| format!("`{}=…`", inverse.parameter.name));
        let names = names.collect::<Vec<_>>().join(", ");
        Failure::unusable(say!(lang, "Dire ce qui est voulu : {names}.", "Say what is wanted: {names}."))
    })
}

fn outcome(
    answer: &Json,
    folder: &Folder,
    method: &Method,
    inverse: &Inverse,
    query: &[(String, String)],
    session: &Session,
) -> Outcome {
    let lang = session.lang;
    let field = |rank: usize| method.fields().get(rank);
    let input = method.inputs().get(inverse.input);
    let (Some(shown), Some(reached), Some(input)) = (field(inverse.shown), field(inverse.field), input) else {
        return Outcome::default();
    };
    let (found, result) = (answer.get(&shown.name), answer.get(&reached.name));
    let amount = |value: Option<&Json>| match value {
        Some(Json::Number(amount)) => number(*amount, lang),
        _ => String::new(),
    };
    let asked = query.iter().find(|(name, _)| *name == inverse.parameter.name).map(|(_, asked)| asked.as_str());
    let asked_amount = asked.and_then(|asked| asked.parse().ok()).map(|asked| number(asked, lang));
    let mut table = Table::default().text(say!(lang, "Montant", "Amount")).number("");
    table.row([inverse.parameter.label.as_str().into(), asked_amount.unwrap_or_default().into()]);
    table.row([Cell::toned(&input.label, Tone::Strong), Cell::toned(amount(found), Tone::Strong)]);
    table.row([reached.label.as_deref().unwrap_or(&reached.name).into(), amount(result).into()]);
    let mut page = Page::titled(folder.title());
    page.table(table);
    let notes = answer.get("avertissements").map(Json::items).unwrap_or_default();
    let notes: Vec<&str> = notes.iter().filter_map(as_text).collect();
    for note in &notes {
        page.toned(*note, Tone::Warning);
    }
    let option = inverse.option.and_then(|option| method.options().get(option)).map(|option| &option.name);
    let others = query.iter().filter(|(name, _)| *name != inverse.parameter.name && Some(name) != option).cloned();
    let switched = option.map(|option| (option.clone(), true.to_string()));
    let again = found.map(|found| (input.name.clone(), found.to_string())).into_iter().chain(others).chain(switched);
    let again: Vec<_> = again.collect();
    let again = format!("$ bareme explain {} {} --date {}", folder.path(), words(&again), session.today);
    page.verbatim(again, Tone::Dim);
    let json = json!({
        inverse.parameter.name.clone(): asked.and_then(|asked| asked.parse::<Number>().ok()), input.name.clone(): found.map(plain), reached.name.clone(): result.map(plain),
        "avertissements": notes,
    });
    Outcome { page, json, annotations: Vec::new() }
}

fn as_text<'j>(json: &'j Json) -> Option<&'j str> {
    match json {
        Json::Text(text) => Some(text),
        _ => None,
    }
}
