//! Folders that the steps of other folders calculate, as these see them.
//!
//! `law` knows no folder: it sees one through the trait [`Callee`], which `run` implements.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::law::column::{Booleans, Column, Sent};
use crate::law::explanation::{CallTrace, Explanation};
use crate::law::option::OptionSet;
use crate::law::references::References;
use crate::law::step_set::StepSet;
use crate::law::{FigureId, Method, Scale, SlotId, Value, Warning};
use crate::text::problem::suggestion;
use crate::text::{BadParameter, PlacedText, Problem, Report};

/// The folders that the methods of a folder name in `calculate`, by path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Callees {
    known: Arc<BTreeMap<String, KnownCallee>>,
    /// The paths of all folders of the set, for the correction of a misspelt one.
    paths: Arc<[String]>,
}

/// What is known of a folder that is named in `calculate`.
#[derive(Debug, Clone)]
pub(crate) enum KnownCallee {
    /// It was read without errors.
    Read(Arc<dyn Callee>),
    /// It has errors, which are reported there.
    WithErrors,
}

impl Callees {
    pub(crate) fn new(known: BTreeMap<String, KnownCallee>, paths: Arc<[String]>) -> Self {
        Self {
            known: Arc::new(known),
            paths,
        }
    }

    /// The folder at a path that a method writes; one that there is not, or that has errors, is
    /// reported.
    pub(crate) fn look_up(
        &self,
        path: &PlacedText,
        report: &mut Report,
    ) -> Option<Arc<dyn Callee>> {
        let folder = path.value.clone();
        let problem = match self.known.get(&folder) {
            Some(KnownCallee::Read(callee)) => return Some(Arc::clone(callee)),
            Some(KnownCallee::WithErrors) => Problem::CalledFolderHasErrors { folder },
            None => {
                let paths = self.paths.iter().map(String::as_str);
                let near = suggestion(&folder, paths).map(str::to_owned);
                Problem::UnknownFolder { folder, near }
            }
        };
        report.error(&path.place, problem);
        None
    }

    /// The folder at a path, where it was read without errors.
    pub(crate) fn read(&self, path: &str) -> Option<&dyn Callee> {
        match self.known.get(path)? {
            KnownCallee::Read(callee) => Some(callee.as_ref()),
            KnownCallee::WithErrors => None,
        }
    }

    /// The same folders with their texts in English, where they have them.
    pub(crate) fn in_english(&self) -> Self {
        let known = self.known.iter().map(|(path, known)| {
            let known = match known {
                KnownCallee::Read(callee) => {
                    let english = callee.in_english();
                    KnownCallee::Read(english.unwrap_or_else(|| Arc::clone(callee)))
                }
                KnownCallee::WithErrors => KnownCallee::WithErrors,
            };
            (path.clone(), known)
        });
        Self::new(known.collect(), Arc::clone(&self.paths))
    }

    /// The versions of the folders that were read, each with its path.
    pub(crate) fn versions(&self) -> impl Iterator<Item = (&str, &str)> {
        self.known.iter().filter_map(|(path, known)| match known {
            KnownCallee::Read(callee) => Some((path.as_str(), callee.version())),
            KnownCallee::WithErrors => None,
        })
    }
}

/// A folder that a step may calculate.
pub(crate) trait Callee: Debug + Send + Sync {
    /// Path from the rule folder.
    fn path(&self) -> &str;

    /// Its title, in its language.
    fn title(&self) -> &str;

    /// The same folder with its texts in English, where every one is there.
    fn in_english(&self) -> Option<Arc<dyn Callee>>;

    /// Hash of its files, and of what it calculates itself.
    fn version(&self) -> &str;

    /// The version of the law that it applies on a day; `None` where it has no edition then.
    fn law_on(&self, day: Date) -> Option<&str>;

    /// Its editions, the oldest first.
    fn editions(&self) -> Vec<CalleeEdition<'_>>;

    /// Calculates some fields.
    ///
    /// # Errors
    /// What it refuses, by its own parameters; a fault of the engine.
    fn calculate(&self, call: Call) -> Result<CallAnswer, CallError>;

    /// Explains a calculation that was made, which is made again for it.
    ///
    /// # Errors
    /// A fault of the engine: what was calculated once is calculated again.
    fn explain<'f>(
        &'f self,
        call: Call,
        explanation: Explanation,
    ) -> Result<CallTrace<'f>, CallError>;

    /// Calculates some fields of many rows at once; `None` where its rows differ in what is
    /// computed, so that each has to be calculated alone.
    fn calculate_rows(&self, call: RowsCall) -> Option<RowsAnswer>;

    /// The references that an earlier calculation cites, its own first.
    fn cited(&self, made: &MadeCall) -> Vec<CitedRows<'_>>;
}

/// An edition of a folder that is calculated by another.
pub(crate) struct CalleeEdition<'c> {
    /// `None` for a method without dates.
    pub scale: Option<&'c Scale>,
    pub method: &'c Method,
}

impl CalleeEdition<'_> {
    /// The first day of its figures; `None` for a method without dates.
    pub(crate) fn start(&self) -> Option<Date> {
        Some(self.scale?.first_day)
    }

    /// The last day of its scale, where the law ends it.
    pub(crate) fn until(&self) -> Option<Date> {
        self.scale?.until
    }
}

/// A calculation that a step asks of another folder.
pub(crate) struct Call<'c> {
    /// Index of the edition in force on the day.
    pub edition: usize,
    pub day: Date,
    /// A value for each input, or [`Value::Nothing`] where it is not given.
    pub sent: Vec<Value>,
    /// The amount that an inverse calculation must reach, with the index of that calculation.
    pub target: Option<(usize, Decimal)>,
    /// The fields that are read, by index.
    pub fields: &'c [usize],
}

/// The answer to a [`Call`].
pub(crate) struct CallAnswer {
    /// The value of each field asked for, before rounding for display; [`Value::Nothing`] where the
    /// answer leaves it out.
    pub values: Vec<Value>,
    pub made: MadeCall,
}

/// A calculation of another folder that a running calculation has made.
#[derive(Debug, Clone)]
pub(crate) struct MadeCall {
    /// The first slot of the step that made it.
    pub slot: SlotId,
    /// Index of the edition that calculated.
    pub edition: usize,
    /// The options that were on.
    pub on: OptionSet,
    /// The steps that were computed; `None` where all were.
    pub ran: Option<StepSet>,
    /// Rows found that have their own sources or remarks.
    pub rows: Vec<(FigureId, usize)>,
    /// The calculations that it made in turn.
    pub calls: Vec<MadeCall>,
    pub warnings: Vec<Warning>,
}

/// Why another folder gives no answer.
#[derive(Debug, Clone)]
pub(crate) enum CallError {
    /// What was given cannot be used.
    Refused(Vec<BadParameter>),
    /// A defect of the engine, in the step or the field of this name.
    Fault(String),
}

/// The references of a scale, with the rows that a calculation found.
#[derive(Debug)]
pub(crate) struct CitedRows<'c> {
    /// The path of the folder, where it is another one: the ids of its sources begin with it.
    pub folder: Option<&'c str>,
    pub references: &'c References,
    pub rows: Vec<(FigureId, usize)>,
    /// Whether each figure was read; `None` where the whole answer is cited.
    pub read: Option<Box<[bool]>>,
}

/// A calculation of many rows that a step asks of another folder.
pub(crate) struct RowsCall<'c> {
    pub edition: usize,
    pub day: Date,
    pub rows: usize,
    /// The column of each input, and the rows in which it is given.
    pub inputs: Vec<(Column, Sent)>,
    pub fields: &'c [usize],
}

/// The answer to a [`RowsCall`].
pub(crate) struct RowsAnswer {
    /// The column of each field asked for.
    pub columns: Vec<Column>,
    /// The rows to be calculated alone.
    pub failed: Vec<bool>,
    /// Each warning, with its rows.
    pub warnings: Vec<(Booleans, Warning)>,
}
