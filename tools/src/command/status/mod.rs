//! `bareme status`: progress of the preparation of a year, at a glance or by file.

mod files;
mod glance;
mod progress;

use bareme_engine::FileSet;
use bareme_engine::law::Drafts;
use bareme_show::say;
use serde_json::Value;

use crate::page::Page;
use crate::rule_files::RuleFiles;
use crate::session::{Exit, Failure, Outcome, Session};
use files::FileTable;
use progress::Progress;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "YEAR")]
    year: Option<i16>,
    #[arg(long, short)]
    verbose: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let year = args
        .year
        .unwrap_or_else(|| session.today.year().saturating_add(1));

    let rule_files = RuleFiles::find(session, &[])?;
    // Excluded drafts tell how many errors they have; included ones can be read.
    let aside = rule_files.read_good(Drafts::Aside, true, session)?;
    let included = rule_files.read_good(Drafts::Included, false, session)?;

    // 1. Each folder, and each of its files of the year.
    let lang = session.lang;
    let (mut table, mut json, mut all) = (FileTable::new(lang), Vec::new(), Vec::new());
    for folder in aside.folders().filter(|folder| folder.is_dated()) {
        let lines = files::rows(folder, included.folder(folder.path()), year);
        let progress = Progress::new(folder, &lines, year, session.today);
        for line in &lines {
            table.add(folder, line, lang);
            let mut one = files::as_json(folder, line);
            progress.add_to(&mut one);
            json.push(one);
        }
        all.push(progress);
    }

    // 2. A folder with an error in force is in the files, but not in the rules.
    for broken in progress::broken(&FileSet::read(&rule_files.root), &aside) {
        json.push(broken.alone());
        all.push(broken);
    }

    // 3. The page: the groups of folders, or every file.
    let mut page = Page::titled(say!(lang, "Préparation de {year}", "Preparation of {year}"));
    let computed = table.computed();
    if args.verbose {
        glance::headline(&all, &mut page, session);
        page.table(table.whole(lang));
    } else {
        glance::show(&all, year, &mut page, session);
    }
    glance::rest(&all, computed, &mut page, session);

    session.show(&Outcome {
        page,
        json: Value::Array(json),
        annotations: Vec::new(),
    })
}
