//! `bareme renew`: writes that a scale holds longer, once the texts of the year were read and change
//! nothing in it. The figures stay as they are: only what is known of them is written.

mod accepted;
mod cases;
mod plan;
mod report;
mod write;

use std::collections::BTreeSet;

use bareme_engine::FileSet;
use bareme_engine::authoring::wrapped;
use bareme_show::say;
use jiff::civil::Date;

use super::confirm::SourceArgs;
use crate::rule_files::{RuleFiles, folder_name};
use crate::save;
use crate::session::{Exit, Failure, Session};
use plan::Renewal;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "FOLDER", required = true, value_parser = folder_name)]
    names: Vec<String>,
    #[arg(long, value_name = "DATE")]
    until: Date,
    #[arg(long, value_name = "ID")]
    source: String,
    #[command(flatten)]
    described: SourceArgs,
    #[arg(long, value_name = "WORDS")]
    because: Option<String>,
    #[arg(long, value_name = "WORDS")]
    answered: Vec<String>,
    #[arg(long)]
    cases: bool,
    #[arg(long, value_name = "DATE")]
    from: Option<Date>,
    #[arg(long, alias = "dry-run")]
    print: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let files = RuleFiles::find(session, &[])?;
    // Nobody else writes between the check of the files and their writing.
    let lock = if args.print {
        None
    } else {
        Some(files.lock(session)?)
    };

    // 1. Every folder is planned before any is written: one text was read for all of them.
    let (mut planned, mut refused): (Vec<Renewal>, Vec<Failure>) = (Vec::new(), Vec::new());
    let names: BTreeSet<&str> = args
        .names
        .iter()
        .map(|name| name.trim_matches('/'))
        .collect();
    // A folder that others read is renewed before these: they are not known for longer than it is.
    let mut set = FileSet::read(&files.root);
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by_cached_key(|name| set.with_called(name).folders().count());
    for name in names {
        match Renewal::plan(args, &set, &files, name, session) {
            Ok(renewal) => {
                for (path, text) in renewal.texts() {
                    set = set.with(path, text);
                }
                planned.push(renewal);
            }
            Err(failure) => refused.push(failure),
        }
    }
    refused.extend(unmatched(args, &planned, refused.is_empty(), session));
    if !refused.is_empty() {
        return Err(nothing_written(&refused, session));
    }

    // 2. The files, with the cases that follow them.
    for renewal in planned.iter().filter(|_| !args.print) {
        for (inside, text) in renewal.texts() {
            save::write(&files.root.join(inside), text)?;
        }
    }
    drop(lock);

    session.show(&report::outcome(&planned, args, session))
}

/// The refusal of words that no awaited text has: a misspelt one would be passed over.
fn unmatched(
    args: &Args,
    planned: &[Renewal],
    are_all_planned: bool,
    session: &Session,
) -> Option<Failure> {
    // A folder that is refused has its own reason, and its awaited texts are not known here.
    if !are_all_planned {
        return None;
    }

    let is_used = |words: &&String| {
        planned
            .iter()
            .any(|renewal| renewal.answered.iter().any(|one| one.words == **words))
    };
    let words = args.answered.iter().find(|words| !is_used(words))?;
    let known: Vec<&str> = planned
        .iter()
        .flat_map(|renewal| renewal.awaited.iter().map(String::as_str))
        .collect();
    let known = if known.is_empty() {
        "–".to_owned()
    } else {
        known.join(" ; ")
    };
    Some(Failure::unusable(say!(
        session.lang,
        "Aucun texte attendu (`watch`) ne dit `{words}`. Attendus : {known}",
        "No awaited text (`watch`) says `{words}`. Awaited: {known}"
    )))
}

/// All refusals as one: the gravest exit code, and that the files are as they were.
fn nothing_written(refused: &[Failure], session: &Session) -> Failure {
    let mut lines: Vec<&str> = refused
        .iter()
        .map(|failure| failure.message.trim_end())
        .collect();
    let end = say!(session.lang, "Rien n’est écrit.", "Nothing is written.");
    lines.push(&end);

    let are_all_wrong = refused.iter().all(|failure| failure.exit == Exit::Wrong);
    Failure {
        exit: if are_all_wrong {
            Exit::Wrong
        } else {
            Exit::Unusable
        },
        message: lines.join("\n"),
    }
}

/// A refusal: its cause, its place and its cure, laid out as `bareme check` does.
fn refusal(cause: &str, place: &str, cure: &str, session: &Session) -> Failure {
    let width = session.style.width;
    let cause = wrapped(cause, width, "  ").join("\n");
    let cure = say!(session.lang, "  = remède : {cure}", "  = cure: {cure}");
    let cure = wrapped(&cure, width, "    ").join("\n");
    Failure::unusable(format!("{cause}\n --> {place}\n{cure}"))
}
