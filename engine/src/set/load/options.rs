//! The options of a loader: what is read, what is checked, what is kept.

use crate::law::draft::Drafts;
use crate::run::rules::Rules;
use crate::set::check_record::CheckRecord;
use crate::set::compare::Findings;

use super::Loader;

impl<'r> Loader<'r> {
    /// A loader of the whole set, without its drafts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether drafts are scales like the others.
    pub fn drafts(self, drafts: Drafts) -> Self {
        Self { drafts, ..self }
    }

    /// Leaves the worked cases out, for programs that run them one by one.
    pub fn without_cases(self) -> Self {
        Self {
            skips_cases: true,
            ..self
        }
    }

    /// Leaves the texts in English out, for programs that show no page in English.
    pub fn without_english(self) -> Self {
        Self {
            skips_english: true,
            ..self
        }
    }

    /// Keeps the worked cases and the compiled programs, which are dropped once the cases have run,
    /// for programs that read the cases again at once.
    pub fn keeping_cases(self) -> Self {
        Self {
            keeps_cases: true,
            ..self
        }
    }

    /// Limits the load to some folders, or families; none: all. A folder outside of these is left
    /// out if it has errors, which are not reported: it is neither checked against its schemas, nor
    /// are its cases read.
    pub fn only(self, folders: &'r [&'r str]) -> Self {
        Self {
            only: folders,
            ..self
        }
    }

    /// Reads no folder but those of [`Self::only`] and those that they calculate: the others are
    /// absent, as they are where they have errors, and nothing is checked across folders.
    pub fn without_others(self) -> Self {
        Self {
            skips_others: true,
            ..self
        }
    }

    /// Leaves out every folder with errors, without reporting them.
    pub fn skip_broken(self) -> Self {
        Self {
            skips_broken: true,
            ..self
        }
    }

    /// Keeps the folders of an earlier set whose files are unchanged: they were checked then, and
    /// their cases run.
    pub fn reusing(self, before: &'r Rules) -> Self {
        Self {
            before: Some(before),
            ..self
        }
    }

    /// Checks every folder again, even those unchanged since the earlier set.
    pub fn rechecking(self) -> Self {
        Self {
            rechecks: true,
            ..self
        }
    }

    /// Trusts the folders in a record of checked ones, and the file of the service: they are read,
    /// but neither checked against their schemas nor are their cases run.
    pub fn trusting(self, checked: &'r CheckRecord) -> Self {
        Self {
            checked: Some(checked),
            ..self
        }
    }

    /// Reads only what a calculation needs, for files that whoever published them has checked. A
    /// folder with errors is left out, without a report.
    pub fn unchecked(self) -> Self {
        Self {
            checks_nothing: true,
            skips_broken: true,
            ..self
        }
    }

    /// Reports each finding of the comparison with the file before at its own place, not the first
    /// of a figure alone.
    pub fn each_finding(self) -> Self {
        Self {
            findings: Findings::Each,
            ..self
        }
    }
}
