//! Confirms cells of a file: checks, edits, carries changes into later files, and saves.

use std::cell::LazyCell;

use bareme_engine::law::Drafts;
use bareme_engine::set::Loaded;
use bareme_engine::{Diagnostic, FileSet, Loader, Report};
use jiff::civil::Date;

use super::mistakes::{Mistake, Mistakes};
use super::reading::{Confirmed, Judge, Reading};
use super::source::unknown_source;
use super::text_of_law;
use super::uncited::remove_uncited;
use super::write::{CellId, Writer, add_source};
use crate::edit::{extent, without_entry};
use crate::rule_files::RuleFiles;
use crate::save;
use crate::series::{DatedFile, Series, is_same};
use crate::session::{Failure, Session};

/// The key of a draft whose changes are carried into later files.
pub(crate) const CARRY: &str = "carry_forward";
/// The key that keeps a file a draft.
const STATE: &str = "state";

/// A cell with its reading, and the line of the file that gave it.
#[derive(Debug, Clone)]
pub(super) struct CellReading {
    pub line: Option<usize>,
    pub id: CellId,
    pub reading: Reading,
}

/// A new source for the file: its id, and its entry.
pub(super) type NewSource = super::source::NewSource;

/// The planned edits.
pub(super) struct Plan {
    pub date: Date,
    pub confirmed: Vec<Confirmed>,
    pub changes: Vec<Change>,
    /// Numbers of figures and of cells left to confirm.
    pub left: (usize, usize),
    /// The doubts about confirmed values, each with the reason that accepts it.
    pub accepted: Vec<String>,
    /// The sources that nothing cites any more, which are removed.
    pub uncited: Vec<String>,
}

/// A file with its new text.
pub(super) struct Change {
    before: DatedFile,
    pub after: DatedFile,
}

impl Change {
    pub(super) fn is_changed(&self) -> bool {
        self.before.text != self.after.text
    }
}

impl Plan {
    /// Checks the readings of cells of a file, and plans every edit.
    pub(super) fn new(
        series: &Series,
        date: Date,
        read: &[CellReading],
        sources: &[NewSource],
        carries: bool,
        session: &Session,
    ) -> Result<Self, Mistakes> {
        let Some(before) = series.on(date) else {
            let none = vec![Mistake::whole(date.to_string())];
            return Err(Mistakes::new(none, session.lang));
        };

        let mut start = before.clone();
        for (id, stated) in sources {
            add_source(&mut start, id, stated);
        }

        // 1. The readings are checked before anything is edited, and all refusals are reported at
        // once.
        check_new_texts(&start, sources, read, session)?;
        let confirmed = check_readings(series, &start, read, session)?;

        let mut file = start.clone();
        let writer = Writer {
            shapes: &series.shapes,
            confirms: true,
        };

        let mut later_files: Vec<Change> = Vec::new();
        let carries = carries || before.node.get(CARRY).is_some();

        let mut plan = Self {
            date,
            confirmed,
            changes: Vec::new(),
            left: (0, 0),
            accepted: Vec::new(),
            uncited: Vec::new(),
        };

        // 2. The edits, in the file and in the later ones that carry the change.
        for (CellReading { id, reading, .. }, confirmed) in read.iter().zip(&mut plan.confirmed) {
            // A cell that is left unchanged keeps the sources that it had in the earlier file.
            let earlier = series
                .before(date)
                .map(|before| sources_before(series, &start, before, id));
            writer.write(&mut file, id, reading, &earlier.unwrap_or_default());
            // A figure that had no earlier value has nothing to carry on.
            if confirmed.is_changed() && confirmed.old.is_some() {
                carry(series, &start, id, confirmed, carries, &mut later_files);
            }
        }

        // 3. What is left. With the last cell confirmed, the key that carries changes has done its
        // work.
        let unconfirmed = file.unconfirmed(&series.shapes);
        let mut figures: Vec<&str> = unconfirmed.iter().map(|cell| cell.figure).collect();
        figures.dedup();
        plan.left = (figures.len(), unconfirmed.len());

        let done = file
            .node
            .entries()
            .iter()
            .find(|(key, _)| key.value == CARRY && plan.left.1 == 0);
        if let Some(edit) = done.map(|entry| without_entry(&file.text, entry)) {
            file.edit(vec![edit]);
        }
        plan.uncited = remove_uncited(series, before, &mut file);

        plan.changes = later_files;
        plan.changes.push(Change {
            before: before.clone(),
            after: file,
        });
        Ok(plan)
    }

    /// The file whose cells are confirmed, as it is after the edits.
    pub(super) fn file(&self) -> Option<&DatedFile> {
        let of_day = |change: &&Change| change.after.date == self.date;
        self.changes.iter().find(of_day).map(|change| &change.after)
    }

    /// The same, to write reasons into it.
    pub(super) fn file_mut(&mut self) -> Option<&mut DatedFile> {
        let date = self.date;
        let of_day = |change: &&mut Change| change.after.date == date;
        self.changes
            .iter_mut()
            .find(of_day)
            .map(|change| &mut change.after)
    }

    /// Writes all files, or none if one of them would be refused. Returns the mistakes and doubts
    /// that keep the scale from coming into force.
    pub(super) fn keep(
        &mut self,
        series: &Series,
        files: &RuleFiles,
        session: &Session,
    ) -> Result<Vec<Diagnostic>, Failure> {
        let held_back = self.settle(series, files, session)?;

        // All files, since one of them may carry the change of another.
        let texts = self
            .changes
            .iter()
            .filter(|change| change.is_changed())
            .map(|change| (files.root.join(&change.after.inside), &*change.after.text));
        save::write_all(texts)?;
        Ok(held_back)
    }

    /// The final texts of the files, none of which would be refused. Returns the mistakes and
    /// doubts that keep the scale from coming into force.
    pub(super) fn settle(
        &mut self,
        series: &Series,
        files: &RuleFiles,
        session: &Session,
    ) -> Result<Vec<Diagnostic>, Failure> {
        // Nothing is written before the edits are known to add no error.
        self.check(series, files, session)?;
        self.hold_back(series, files, session)
    }

    /// The same of edits that are known to add no error.
    pub(super) fn hold_back(
        &mut self,
        series: &Series,
        files: &RuleFiles,
        session: &Session,
    ) -> Result<Vec<Diagnostic>, Failure> {
        // A file that leaves its draft comes into force: the cases of the folder run with it.
        let mut held_back = Vec::new();
        let is_in_force = |file: &DatedFile| !file.is_draft(&series.shapes);
        if self.changes.iter().any(|change| is_in_force(&change.after)) {
            let loaded = Loader::new().load_files(&self.set(series));
            let failing = mistakes(&loaded);
            // The files as they were are only loaded where something fails.
            let failed_before = LazyCell::new(|| mistakes(&Loader::new().load_files(&series.all)));

            for change in self
                .changes
                .iter_mut()
                .filter(|change| !failing.is_empty() && is_in_force(&change.after))
            {
                if !is_in_force(&change.before) {
                    // In force, it would stop the whole set, so it stays a draft.
                    held_back.clone_from(&failing);
                    change.after.text = as_draft(&change.after.text);
                } else if failing.len() > failed_before.len() {
                    // A file in force that was failing already may be edited, but not made worse.
                    return Err(files.refused(&loaded.report, session));
                }
            }
        }

        // A file that says itself a draft keeps that line: what would stop it without is shown.
        if self.left.1 == 0 && held_back.is_empty() {
            held_back = self.held_without_state(series);
        }

        Ok(held_back)
    }

    /// What would hold back the file, all of whose figures are confirmed, without `state: draft`.
    fn held_without_state(&self, series: &Series) -> Vec<Diagnostic> {
        let Some(file) = self.file() else {
            return Vec::new();
        };
        let state = file
            .node
            .entries()
            .iter()
            .find(|(key, _)| key.value == STATE);
        let Some(edit) = state.map(|entry| without_entry(&file.text, entry)) else {
            return Vec::new();
        };

        let mut in_force = file.clone();
        in_force.edit(vec![edit]);
        let set = self.set(series).with(&in_force.inside, &in_force.text);
        mistakes(&Loader::new().load_files(&set))
    }

    /// The files of the folder with the edits.
    pub(super) fn set(&self, series: &Series) -> FileSet {
        self.changes.iter().fold(series.all.clone(), |set, change| {
            set.with(&change.after.inside, &change.after.text)
        })
    }

    /// Refuses edits that add an error to a file.
    fn check(&self, series: &Series, files: &RuleFiles, session: &Session) -> Result<(), Failure> {
        match self.report_of_edits(series) {
            Some(report) => Err(files.refused(&report, session)),
            None => Ok(()),
        }
    }

    /// The report of the files with the edits, if these add an error; earlier errors do not matter.
    pub(super) fn report_of_edits(&self, series: &Series) -> Option<Report> {
        let loader = Loader::new().drafts(Drafts::Included).without_cases();

        // What only keeps a file from coming into force is reported once it is held back as a
        // draft.
        let coming = self.changes.iter().filter(|change| {
            change.before.is_draft(&series.shapes) && !change.after.is_draft(&series.shapes)
        });
        let set = coming.fold(self.set(series), |set, change| {
            set.with(&change.after.inside, &as_draft(&change.after.text))
        });
        let [before, after] = [&series.all, &set].map(|set| loader.load_files(set).report);

        let is_changed = |path: &str| {
            self.changes
                .iter()
                .any(|change| change.after.inside == path)
        };

        let count = |report: &Report| {
            report
                .errors()
                .filter(|error| is_changed(error.file()))
                .count()
        };
        // Errors are counted: an edit may move an earlier one, or change its text.
        (count(&after) > count(&before)).then_some(after)
    }
}

/// The text of a dated file with `state: draft`.
fn as_draft(text: &str) -> String {
    text.replacen("\nsources:", "\nstate: draft\nsources:", 1)
}

/// The errors of a folder, and the doubts about its scales in force.
fn mistakes(loaded: &Loaded) -> Vec<Diagnostic> {
    let folders = loaded.rules.iter().flat_map(|rules| rules.folders());
    let doubts = folders.flat_map(|folder| folder.doubts());
    loaded.report.errors().chain(doubts).cloned().collect()
}

/// Refuses new sources that nothing distinguishes from those that they replace, at the first line that
/// names them.
fn check_new_texts(
    file: &DatedFile,
    sources: &[NewSource],
    read: &[CellReading],
    session: &Session,
) -> Result<(), Mistakes> {
    let undated = |(id, _): &NewSource| {
        let reason = text_of_law::undated(id, file.source(id)?, session.lang)?;
        let names_it = |one: &&CellReading| {
            let named = one.reading.source.as_deref().map(crate::series::ids);
            named.is_some_and(|named| named.contains(id))
        };
        let line = read.iter().find(names_it).and_then(|one| one.line);
        Some(Mistake {
            line,
            ..Mistake::whole(reason)
        })
    };
    let refused: Vec<Mistake> = sources.iter().filter_map(undated).collect();
    if refused.is_empty() {
        Ok(())
    } else {
        Err(Mistakes::new(refused, session.lang))
    }
}

/// Every cell with its accepted reading, or all the reasons why some are refused.
fn check_readings(
    series: &Series,
    file: &DatedFile,
    read: &[CellReading],
    session: &Session,
) -> Result<Vec<Confirmed>, Mistakes> {
    let lang = session.lang;
    let judge = Judge {
        series,
        file,
        today: session.today,
        lang,
    };
    let (mut confirmed, mut refused) = (Vec::new(), Vec::new());

    let cells = file.cells(&series.shapes);
    for CellReading { line, id, reading } in read {
        let Some(cell) = cells.iter().find(|cell| id.is(cell)) else {
            refused.push(Mistake::whole(id.figure.as_str()));
            continue;
        };

        let unknown = reading
            .source
            .as_deref()
            .and_then(|source| unknown_source(file, source, session));

        match unknown.map_or_else(|| judge.confirmed(cell, reading), Err) {
            Ok(one) => confirmed.push(one),
            Err(reason) => refused.push(Mistake {
                line: *line,
                cell: Some(cell.name()),
                reason,
            }),
        }
    }

    if refused.is_empty() {
        Ok(confirmed)
    } else {
        Err(Mistakes::new(refused, lang))
    }
}

/// The sources of a cell in the earlier file, as far as this one has them.
fn sources_before(
    series: &Series,
    file: &DatedFile,
    before: &DatedFile,
    id: &CellId,
) -> Vec<String> {
    let cells = file.cells(&series.shapes);
    let cell = cells.iter().find(|cell| id.is(cell));
    let earlier = cell.and_then(|cell| series.counterpart(cell, file, before));

    let named = earlier
        .map(|earlier| before.sources_of(earlier.figure, earlier.row))
        .unwrap_or_default();

    named
        .into_iter()
        .filter(|id| file.source(id).is_some())
        .collect()
}

/// Copies a change into later files that still have the earlier value, or notes that they return to
/// it.
fn carry(
    series: &Series,
    file: &DatedFile,
    id: &CellId,
    confirmed: &mut Confirmed,
    carries: bool,
    changes: &mut Vec<Change>,
) {
    let cells = file.cells(&series.shapes);
    let Some(cell) = cells.iter().find(|cell| id.is(cell)) else {
        return;
    };

    let old = confirmed.old.clone().unwrap_or_default();
    for later in series.after(file.date) {
        let Some(same) = series.counterpart(cell, file, later) else {
            continue;
        };
        let is_unchanged = same.text.is_some_and(|text| is_same(&text.value, &old));
        let place = CellId::new(&same);
        if !is_unchanged {
            // A file that changes the value itself ends the copying: those after it follow that
            // value.
            return;
        }

        if !carries {
            // Not carried: the later file undoes the change, which is reported.
            confirmed.undone.push(later.date);
            continue;
        }

        let at = changes
            .iter()
            .position(|change| change.after.date == later.date)
            .unwrap_or_else(|| {
                changes.push(Change {
                    before: later.clone(),
                    after: later.clone(),
                });
                changes.len().saturating_sub(1)
            });

        let Some(change) = changes.get_mut(at) else {
            continue;
        };
        // The sources of the value come with it, unless the later file has them.
        for (source, _) in &confirmed.sources {
            if let (None, Some(entry)) = (change.after.source(source), file.source(source)) {
                let stated = file
                    .text
                    .get(extent(&file.text, entry))
                    .unwrap_or_default()
                    .to_owned();
                add_source(&mut change.after, source, &stated);
            }
        }

        let named: Vec<&str> = confirmed
            .sources
            .iter()
            .map(|(id, _)| id.as_str())
            .collect();
        let reading = Reading {
            value: Some(confirmed.new.clone()),
            source: Some(named.join("; ")),
            words: None,
        };
        // In another draft the value is carried, but its mark stays: nobody has read it in the text
        // of that day.
        Writer {
            shapes: &series.shapes,
            confirms: false,
        }
        .write(&mut change.after, &place, &reading, &[]);

        confirmed.carried.push(later.date);
    }
}
