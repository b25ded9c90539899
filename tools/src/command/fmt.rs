//! `bareme fmt`: formats rule files.

use std::path::PathBuf;

use bareme_engine::{FileSet, Report};
use bareme_show::{Locale, Text, Tone, say};
use serde_json::json;

use crate::layout::{Amounts, Unformatted, amounts_of, laid_out};
use crate::page::Page;
use crate::rule_files::{RuleFiles, folder_of};
use crate::save;
use crate::session::{Exit, Failure, Outcome, Session};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[arg(long)]
    check: bool,
}

/// Outcome for the files of the command.
#[derive(Default)]
struct Outcomes {
    /// Number of files.
    files: usize,
    /// Paths of files to reformat, with the new text.
    changed: Vec<(String, String)>,
    /// The errors of files that cannot be parsed.
    unreadable: Vec<Report>,
    /// Paths of files whose content would change.
    refused: Vec<String>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let files = RuleFiles::find(session, &args.paths)?;
    // Another command that writes rules waits, so that no change is lost between reading and
    // writing.
    let _lock = if args.check {
        None
    } else {
        Some(files.lock(session)?)
    };

    let found = Outcomes::new(&files);
    if found.files == 0 {
        let none = say!(
            session.lang,
            "Aucun fichier de barème à mettre en page.",
            "No rule file to lay out."
        );
        return Err(Failure::unusable(none));
    }

    if !args.check {
        for (path, text) in &found.changed {
            save::write(&files.root.join(path), text)?;
        }
    }

    // The result is shown after writing, so that it is about files as they are.
    session.show(&found.outcome(args, &files, session))?;
    let is_fine = found.unreadable.is_empty()
        && found.refused.is_empty()
        && (found.changed.is_empty() || !args.check);
    Ok(if is_fine { Exit::Fine } else { Exit::Wrong })
}

impl Outcomes {
    fn new(files: &RuleFiles) -> Self {
        let set = FileSet::read(&files.root);

        // The amounts of a folder come from its methods, which may not be among the chosen files.
        let is_laid_out = |path: &str| files.holds(path) && !path.ends_with(".svg");
        let texts: Vec<(&str, &str)> = set.texts().filter(|(path, _)| is_laid_out(path)).collect();
        let mut found = Self {
            files: texts.len(),
            ..Self::default()
        };

        let mut amounts_so_far: Option<(String, Amounts)> = None;
        for (path, text) in texts {
            let folder = folder_of(path).to_owned();
            // Files are in the order of their paths: the amounts of a folder are read once.
            if amounts_so_far.as_ref().is_none_or(|(of, _)| *of != folder) {
                let amounts = amounts_of(set.texts().filter(|(path, _)| folder_of(path) == folder));
                amounts_so_far = Some((folder, amounts));
            }
            let Some((_, amounts)) = &amounts_so_far else {
                continue;
            };

            match laid_out(path, text, amounts) {
                Ok(now) if now == text => {}
                Ok(now) => found.changed.push((path.to_owned(), now)),
                Err(Unformatted::Unreadable(report)) => found.unreadable.push(report),
                Err(Unformatted::WouldChange) => found.refused.push(path.to_owned()),
            }
        }

        found
    }

    fn outcome(&self, args: &Args, files: &RuleFiles, session: &Session) -> Outcome {
        let (lang, locale) = (session.lang, Locale::from(session.lang));
        let mut page = Page::default();

        files.show(
            self.unreadable.iter().flat_map(Report::errors),
            &mut page,
            session,
        );

        let shown: Vec<String> = self
            .changed
            .iter()
            .map(|(path, _)| files.shown(path))
            .collect();
        if !shown.is_empty() {
            page.list(shown.clone());
        }

        let left: Vec<String> = self.refused.iter().map(|path| files.shown(path)).collect();
        for path in &left {
            let refused = say!(
                lang,
                "{path} : laissé tel quel, une autre mise en page dirait autre chose",
                "{path}: left as it is, another layout would say something else"
            );
            page.toned(refused, Tone::Bad);
        }

        let count = |count: usize| {
            locale.count(
                count,
                Text::new("fichier", "file"),
                Text::new("fichiers", "files"),
            )
        };
        let (all, changed) = (count(self.files), count(self.changed.len()));

        let unread = self.unreadable.len();
        let unread = match unread {
            0 => String::new(),
            _ => say!(lang, ", illisibles : {unread}", ", unreadable: {unread}"),
        };

        let verdict = match args.check {
            true => say!(
                lang,
                "{all}, à mettre en page : {changed}{unread}.",
                "{all}, to lay out: {changed}{unread}."
            ),
            false => say!(
                lang,
                "{all}, mis en page : {changed}{unread}.",
                "{all}, laid out: {changed}{unread}."
            ),
        };

        // With `--check`, a file to be laid out is a failure.
        let is_fine = self.unreadable.is_empty()
            && self.refused.is_empty()
            && (shown.is_empty() || !args.check);
        page.toned(&verdict, if is_fine { Tone::Good } else { Tone::Bad });

        let described = json!({
            "fichiers": self.files, "mise_en_page": shown, "laisses": left,
            "illisibles": self
                .unreadable
                .iter()
                .filter_map(|report| Some(files.shown(report.errors().next()?.file())))
                .collect::<Vec<_>>(),
        });

        // On GitHub each file is marked with the command that lays it out.
        let unlaid = shown.iter().filter(|_| args.check).map(|path| {
            let cure = say!(
                lang,
                "lancer `bareme fmt {path}`",
                "run `bareme fmt {path}`"
            );
            format!("::error file={path},title=fmt::{cure}")
        });

        Outcome {
            page,
            json: described,
            annotations: unlaid.chain([format!("::notice::{verdict}")]).collect(),
        }
    }
}
