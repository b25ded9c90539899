//! Plans: some fields of a folder, or of the folders of a family, computed for many rows at once.
//!
//! A plan is sliced: of each dated scale it computes the steps that its fields read, those that may
//! refuse a row and those that warnings read. Rows are computed column by column, a block at a
//! time; a row that this cannot compute, or that is refused, is computed alone, so that every
//! value, warning and refusal is that of a single calculation.

mod alone;
mod answers;
mod called;
mod cells;
mod error;
mod evaluate;
mod field;
mod fixed_point;
mod groups;
mod read;
mod sample;
mod slice;
#[cfg(test)]
mod tests;
mod years;

use std::sync::Arc;

use jiff::civil::Date;

use crate::law::parameter::{OF_THE_DAY, VERSION};
use crate::law::{Input, Inverse, Method, Presence};
use crate::run::{Edition, Folder, Rules};
use crate::text::words::{distinct, nearest};

pub use answers::{Answers, NONE, UsedScale, Values};
pub(crate) use called::called_rows;
pub use cells::{Cells, Rows};
pub use error::PlanError;
use field::fields;
pub use field::{FieldKind, PlanField};
pub use fixed_point::{FixedPoint, FixedPoints, Integers};
pub(crate) use sample::Sampler;
use slice::{Besides, Slices};

/// Fields of a folder, or of the folders of a family, to be computed for many rows at once.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["ir"])
/// #     .load(root).rules.ok_or("errors")?;
/// use bareme_engine::run::plan::{Cells, Plan, Rows, Values};
///
/// let plan = Plan::new(&rules, "ir", jiff::civil::date(2026, 3, 31), Some(&["impot_net"]))?;
/// let values = vec![30_000, 78_400].into();
/// let incomes = Cells::Numbers { decimals: 0, values, present: None };
/// let answers = plan.evaluate(&Rows::new(2, [("revenu", incomes)]))?;
/// let Values::Numbers(taxes) = &answers.fields[0] else { return Err("no numbers".into()) };
/// let tax = |row| taxes.get(row)?.to_decimal();
/// assert_eq!([tax(0), tax(1)], [Some(2_104.into()), Some(16_624.into())]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Plan {
    targets: Vec<Target>,
    /// The parameter that chooses the folder.
    by: Option<String>,
    /// Words that other endpoints answer, each with its endpoint.
    elsewhere: Vec<(String, String)>,
    /// Parameters that are accepted without effect.
    ignored: Vec<String>,
    day: Date,
    /// The version of the law that computes; rows of another are refused.
    law: Option<String>,
    fields: Vec<PlanField>,
    /// Whether the fields were asked for by name: a row whose answer does not have one is then
    /// refused.
    is_asked: bool,
    /// Whether rows are months, of which those of one year are computed together.
    has_years: bool,
    /// Whether answers have the remarks on the figures used.
    with_remarks: bool,
    /// Names of the columns that rows may have.
    columns: Vec<String>,
    /// For each input that rows must give, the names of the columns of which one is there.
    required: Vec<Vec<String>>,
}

/// A folder of a plan.
#[derive(Debug)]
struct Target {
    /// The word that chooses it.
    word: String,
    folder: Arc<Folder>,
    /// Slices of each edition.
    slices: Vec<Slices>,
}

impl Plan {
    /// A plan of a folder, for the scale of a day unless a column `date` or `annee` says another;
    /// of all fields of one value, unless some are asked for: a row whose answer does not have one
    /// of these is refused, as a query with the parameter `champs` is.
    ///
    /// # Errors
    /// An unknown folder or field.
    pub fn new(
        rules: &Rules,
        path: &str,
        day: Date,
        fields: Option<&[&str]>,
    ) -> Result<Self, PlanError> {
        let folder = rules.folders.get(path).ok_or_else(|| {
            let near = nearest(path, rules.folders.keys().map(String::as_str)).map(str::to_owned);
            PlanError::UnknownFolder {
                name: path.to_owned(),
                near,
            }
        })?;

        Self::of_folders(
            vec![(path.to_owned(), Arc::clone(folder))],
            None,
            &[],
            day,
            fields,
        )
    }

    /// A plan of the folders of a family, each with its word, which the parameter `by` gives;
    /// `ignored` are parameters that are accepted in any case.
    ///
    /// # Errors
    /// A field that none of them has.
    pub(crate) fn of_folders(
        folders: Vec<(String, Arc<Folder>)>,
        by: Option<&str>,
        ignored: &[String],
        day: Date,
        asked: Option<&[&str]>,
    ) -> Result<Self, PlanError> {
        let fields = fields(&folders, asked)?;

        // Slices are compiled on first use: a plan over twenty scales is mostly run on rows of one
        // or two.
        let targets = folders.into_iter().map(|(word, folder)| {
            let slices = folder
                .all_editions()
                .map(|edition| Slices::new(edition, &fields))
                .collect();
            Target {
                word,
                folder,
                slices,
            }
        });

        let mut plan = Self {
            targets: targets.collect(),
            by: by.map(str::to_owned),
            elsewhere: Vec::new(),
            ignored: ignored.to_vec(),
            day,
            law: None,
            columns: Vec::new(),
            required: Vec::new(),
            fields: fields.clone(),
            is_asked: asked.is_some(),
            has_years: false,
            with_remarks: false,
        };

        // Both are read for every batch, and stay the same for the life of the plan.
        plan.columns = plan.column_names();
        plan.required = plan.required_columns();

        Ok(plan)
    }

    /// Names, in the refusal of a word, the endpoint that answers it.
    pub(crate) fn with_elsewhere(self, elsewhere: &[(String, String)]) -> Self {
        Self {
            elsewhere: elsewhere.to_vec(),
            ..self
        }
    }

    /// Computes by the law of this version alone: a row that another computes is refused, as if it
    /// named the version.
    #[must_use]
    pub fn by_law(self, version: impl Into<String>) -> Self {
        Self {
            law: Some(version.into()),
            ..self
        }
    }

    /// Leaves a field empty in the rows whose answer does not have it, although it was asked for by
    /// name.
    #[must_use]
    pub fn leaving_absent_fields_empty(self) -> Self {
        Self {
            is_asked: false,
            ..self
        }
    }

    /// Adds to the answers the remarks on the figures that the whole answer of each row uses.
    #[must_use]
    pub fn with_remarks(mut self) -> Self {
        self.with_remarks = true;
        self.targets
            .iter_mut()
            .flat_map(|target| &mut target.slices)
            .for_each(|slices| slices.set(Besides::Remarks));
        self
    }

    /// Leaves out the warnings, and the calculations of other folders that no field of the plan
    /// reads, whatever these would refuse: for a curve, which has neither.
    #[must_use]
    pub fn of_values_alone(mut self) -> Self {
        self.with_remarks = false;
        self.targets
            .iter_mut()
            .flat_map(|target| &mut target.slices)
            .for_each(|slices| slices.set(Besides::Nothing));
        self
    }

    /// Whether its answers have the remarks on the figures used.
    pub fn has_remarks(&self) -> bool {
        self.with_remarks
    }

    /// The fields that it computes, in order.
    pub fn fields(&self) -> &[PlanField] {
        &self.fields
    }

    /// The folders that it computes from.
    pub fn folders(&self) -> impl Iterator<Item = &Folder> {
        self.targets.iter().map(|target| target.folder.as_ref())
    }

    /// Whether a step of one of its folders calculates another folder.
    fn calls(&self) -> bool {
        self.folders()
            .flat_map(Folder::editions)
            .any(|edition| edition.method().calls())
    }

    /// Whether its rows are months, of which those of one year have to be evaluated together.
    pub fn has_years(&self) -> bool {
        self.has_years
    }

    /// The day of rows that say none.
    pub fn day(&self) -> Date {
        self.day
    }

    /// The inputs that rows may give, each name once.
    pub fn inputs(&self) -> Vec<&Input> {
        let of_folder = |folder| match self.has_years {
            true => Folder::year_inputs(folder),
            false => Folder::accepted_inputs(folder),
        };
        distinct(self.folders().flat_map(of_folder), |input| {
            input.name.as_str()
        })
    }

    /// The names of the columns that rows may have.
    pub fn columns(&self) -> Vec<&str> {
        self.columns.iter().map(String::as_str).collect()
    }

    fn column_names(&self) -> Vec<String> {
        // An ignored parameter, or the one that chooses the folder, may also be an input: each name
        // is listed once.
        let mut names: Vec<String> = self
            .inputs()
            .into_iter()
            .map(|input| input.name.clone())
            .collect();

        if self.folders().any(Folder::is_dated) {
            names.extend(OF_THE_DAY.map(str::to_owned));
        }

        // A row that names a law is computed alone, which compares it.
        names.push(VERSION.to_owned());

        for name in self.by.iter().chain(&self.ignored) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// The required inputs, each with the parameters that may be sent instead; of several folders
    /// the one that chooses.
    fn required_columns(&self) -> Vec<Vec<String>> {
        // What the folders of a family require differs, and so do their columns: a row that lacks
        // an input of its folder is refused on its own.
        let by = self.by.iter().map(|by| vec![by.clone()]);
        let [target] = self.targets.as_slice() else {
            return by.collect();
        };

        // Scales of other days may have a method that requires something else: a column is missing
        // for all rows only where every method asks for it.
        let methods = || target.folder.editions().iter().map(Edition::method);
        let requires = |method: &Method, name: &str| {
            let is_required = |input: &Input| matches!(input.presence, Presence::Required);
            let mut inputs = method.inputs().iter();
            inputs.any(|input| input.name == name && is_required(input))
        };
        // An amount sent for a field, such as a net pay, takes the place of the input.
        let instead = |method: &'_ Method, name: &str| -> Vec<String> {
            let replaces = |inverse: &&Inverse| {
                let own = inverse.input.of(method.inputs());
                own.is_some_and(|own| own.name == name)
            };
            let found = method.inverses().iter().filter(replaces);
            found
                .map(|inverse| inverse.parameter.name.clone())
                .collect()
        };

        let inputs = target.folder.inputs().into_iter();
        let required = inputs
            .filter(|input| methods().all(|method| requires(method, &input.name)))
            .map(|input| {
                let others = methods().flat_map(|method| instead(method, &input.name));
                [input.name.clone()].into_iter().chain(others).collect()
            });

        by.chain(required).collect()
    }

    /// Checks that rows with these columns can be computed.
    ///
    /// # Errors
    /// A column that is no parameter, or twice there; an input that is required and has none.
    pub fn check_columns(&self, names: &[&str]) -> Result<(), PlanError> {
        // 1. Every column is a parameter, and there once.
        for (index, name) in names.iter().enumerate() {
            if !self.columns.iter().any(|known| known == name) {
                let near =
                    nearest(name, self.columns.iter().map(String::as_str)).map(str::to_owned);
                return Err(PlanError::UnknownColumn {
                    name: (*name).to_owned(),
                    near,
                    known: self.columns.clone(),
                });
            }
            if names.iter().take(index).any(|before| before == name) {
                return Err(PlanError::RepeatedColumn {
                    name: (*name).to_owned(),
                });
            }
        }

        // 2. Every required input has a column, its own or that of a parameter in its place.
        let is_given = |alternatives: &&Vec<String>| {
            alternatives
                .iter()
                .any(|name| names.contains(&name.as_str()))
        };

        match self
            .required
            .iter()
            .find(|alternatives| !is_given(alternatives))
            .and_then(|missing| missing.first())
        {
            Some(name) => Err(PlanError::MissingColumn { name: name.clone() }),
            None => Ok(()),
        }
    }

    /// Computes the fields for rows.
    ///
    /// # Errors
    /// Columns that do not fit: see [`check_columns`](Self::check_columns). A row that is refused
    /// is no error: the answers say why.
    pub fn evaluate(&self, rows: &Rows) -> Result<Answers, PlanError> {
        self.check_columns(&rows.names().collect::<Vec<_>>())?;
        // Columns of different lengths would put values into the wrong rows.
        rows.check_lengths()?;
        Ok(if self.has_years {
            years::evaluate(self, rows)
        } else {
            evaluate::evaluate(self, rows)
        })
    }
}
