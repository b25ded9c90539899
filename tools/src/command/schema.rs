//! `bareme schema`: the JSON Schemas of rule files, for editors.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bareme_engine::run::Edition;
use bareme_engine::service::{Rules, service_schema};
use bareme_engine::set::{cases_schema, method_schema, scale_schema, translation_schema};
use bareme_show::say;
use serde_json::Value;

use crate::rule_files::{RuleFiles, unknown_name};
use crate::session::{Exit, Failure, Session};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "NAME", required_unless_present = "write")]
    name: Option<String>,
    #[arg(long, value_name = "FOLDER", conflicts_with = "name")]
    write: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    match (&args.write, args.name.as_deref()) {
        (Some(folder), _) => write_all(folder, session),
        (None, Some("method")) => print(&method_schema(), session),
        (None, Some("cases")) => print(&cases_schema(), session),
        (None, Some("en")) => print(&translation_schema(), session),
        (None, Some("service")) => print(&service_schema(), session),
        (None, name) => print_scale(name.unwrap_or_default(), session),
    }
}

fn print(schema: &Value, session: &Session) -> Result<Exit, Failure> {
    session.print(&text(schema))?;
    Ok(Exit::Fine)
}

fn text(schema: &Value) -> String {
    format!("{schema:#}\n")
}

fn print_scale(name: &str, session: &Session) -> Result<Exit, Failure> {
    let rules = RuleFiles::find(session, &[])?.read(session)?;
    // A schema of dated files is that of their method, which has to be loaded.
    // The newest edition has the figures of the files to come.
    let found = rules
        .folder(name.trim_end_matches('/'))
        .and_then(|folder| folder.latest());
    let Some(edition) = found.filter(|edition| edition.method().dated) else {
        let dated = rules
            .folders()
            .filter(|folder| folder.is_dated())
            .map(|folder| folder.path());
        let names: Vec<&str> = ["method", "cases", "en", "service"]
            .into_iter()
            .chain(dated)
            .collect();
        return Err(unknown_name(name, &names, session));
    };
    print(&scale_schema(edition.method()), session)
}

/// Every schema, by path; those of dated files are made from their methods.
fn every(rules: &Rules) -> BTreeMap<String, Value> {
    let mut schemas = BTreeMap::from([
        ("method.json".to_owned(), method_schema()),
        ("cases.json".to_owned(), cases_schema()),
        ("en.json".to_owned(), translation_schema()),
        ("service.json".to_owned(), service_schema()),
    ]);

    for folder in rules.folders().filter(|folder| folder.is_dated()) {
        for method in folder.editions().iter().map(Edition::method) {
            schemas.insert(
                format!("scales/{}/{}.json", folder.path(), method.name),
                scale_schema(method),
            );
        }
    }
    schemas
}

fn write_all(folder: &Path, session: &Session) -> Result<Exit, Failure> {
    let rules = RuleFiles::find(session, &[])?.read(session)?;
    let mut written = 0;
    // The schemas of dated files depend on their methods: every folder has to be loaded.
    let schemas = every(&rules);
    for (path, schema) in &schemas {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }

        let text = text(schema);
        // An unchanged file is not written again, so that it keeps its time.
        if std::fs::read_to_string(&path).ok().as_ref() != Some(&text) {
            std::fs::write(&path, text)?;
            written += 1;
        }
    }

    let all = schemas.len();
    session.print(&say!(
        session.lang,
        "{all} schémas, dont {written} récrits\n",
        "{all} schemas, {written} rewritten\n"
    ))?;
    Ok(Exit::Fine)
}
