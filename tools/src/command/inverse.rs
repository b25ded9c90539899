//! `bareme inverse`: the smallest gross that gives at least a net.

use bareme_engine::{Folder, Inverse, Json};
use serde_json::{Number, json};

use crate::page::{Cell, Page, Table, Tone};
use crate::rule_files::RuleFiles;
use crate::session::{Exit, Failure, Outcome, Session, say};
use crate::target::{Target, query, refused, words};
use crate::words::{number, plain};

/// Find the smallest gross that gives at least a net: `net=2500` instead of `brut=…`
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
    let inverse = inverse(folder, session)?;
    let parameter = &inverse.parameter.name;
    if !query.iter().any(|(name, _)| name == parameter) {
        return Err(Failure::unusable(say!(
            session.lang,
            "Dire ce qui est voulu : `{parameter}=…`.",
            "Say what is wanted: `{parameter}=…`."
        )));
    }
    let found = target.answer_with(&query, session.today, |answer| outcome(answer, folder, inverse, &query, session));
    session.show(&found.map_err(|refusal| refused(&refusal, session))?)?;
    Ok(Exit::Fine)
}

fn inverse<'f>(folder: &'f Folder, session: &Session) -> Result<&'f Inverse, Failure> {
    folder.latest().and_then(|edition| edition.method().inverse()).ok_or_else(|| {
        let path = folder.path();
        Failure::unusable(say!(
            session.lang,
            "`{path}` ne se calcule pas dans l'autre sens : sa méthode n'a pas de clé `inverse`.",
            "`{path}` is not computed the other way round: its method has no key `inverse`."
        ))
    })
}

fn outcome(
    answer: &Json,
    folder: &Folder,
    inverse: &Inverse,
    query: &[(String, String)],
    session: &Session,
) -> Outcome {
    let lang = session.lang;
    let Some(method) = folder.latest().map(|edition| edition.method()) else { return Outcome::default() };
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
    let others = query.iter().filter(|(name, _)| *name != inverse.parameter.name).cloned();
    let again: Vec<_> = found.map(|found| (input.name.clone(), found.to_string())).into_iter().chain(others).collect();
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
