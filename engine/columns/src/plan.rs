//! Plans over Arrow tables.

use std::sync::Arc;

use arrow::array::{Array as _, ArrayRef, RecordBatch};
use arrow::datatypes::{Field, Schema, SchemaRef};
use bareme_engine::Folder;
use bareme_engine::jiff::civil::Date;
use bareme_engine::law::Type;
use bareme_engine::law::parameter::DATE;
use bareme_engine::run::plan::{self, Answers, PlanError, Rows};
use bareme_engine::service::Rules;

use crate::error::Error;
use crate::input::{self, Accepted, Floats};
use crate::lists;
use crate::output;

/// Options of a plan: its fields, the columns it copies, renames or rounds.
///
/// ```
/// use bareme_arrow::Options;
///
/// let options = Options::fields(["impot_net"])
///     .keep(["foyer"])
///     .map([("rni", "revenu")])
///     .rounding_floats_to(2);
/// assert_eq!(options.copied_columns(), ["foyer"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Options {
    fields: Option<Vec<String>>,
    leaves_absent_empty: bool,
    leaves_remarks_out: bool,
    law: Option<String>,
    kept: Vec<String>,
    mapped: Vec<(String, String)>,
    float_decimals: Option<u32>,
}

impl Options {
    /// Selects the fields to compute; by default all single-valued ones. A row whose answer does
    /// not have a selected field is refused, as a query with the parameter `champs` is.
    #[must_use]
    pub fn fields<S: Into<String>>(fields: impl IntoIterator<Item = S>) -> Self {
        Self {
            fields: Some(fields.into_iter().map(Into::into).collect()),
            ..Self::default()
        }
    }

    /// Leaves a selected field empty in the rows whose answer does not have it.
    #[must_use]
    pub fn leaving_absent_fields_empty(self) -> Self {
        Self {
            leaves_absent_empty: true,
            ..self
        }
    }

    /// Leaves out the remarks on the figures used, and their column `reserves`.
    #[must_use]
    pub fn without_remarks(self) -> Self {
        Self {
            leaves_remarks_out: true,
            ..self
        }
    }

    /// Computes by the law of this version alone: rows of another are refused.
    #[must_use]
    pub fn by_law(self, version: impl Into<String>) -> Self {
        Self {
            law: Some(version.into()),
            ..self
        }
    }

    /// Copies columns unchanged to the answers, before the fields.
    #[must_use]
    pub fn keep<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.kept.extend(columns.into_iter().map(Into::into));
        self
    }

    /// Maps columns to parameters of another name, as (column, parameter).
    #[must_use]
    pub fn map<C: Into<String>, P: Into<String>>(
        mut self,
        columns: impl IntoIterator<Item = (C, P)>,
    ) -> Self {
        self.mapped.extend(
            columns
                .into_iter()
                .map(|(column, parameter)| (column.into(), parameter.into())),
        );
        self
    }

    /// Accepts binary floats, each rounded half up to some decimals from the shortest text that
    /// represents it.
    #[must_use]
    pub fn rounding_floats_to(self, decimals: u32) -> Self {
        Self {
            float_decimals: Some(decimals),
            ..self
        }
    }

    /// The columns to copy.
    pub fn copied_columns(&self) -> &[String] {
        &self.kept
    }
}

/// Fields of a rule folder, or of an endpoint, to compute over Arrow tables.
///
/// The [crate] has an example.
#[derive(Debug, Clone)]
pub struct Plan {
    name: String,
    plan: Arc<plan::Plan>,
    options: Options,
    output: SchemaRef,
}

/// A plan bound to the schema of a table, which tells the columns that are parameters or are
/// copied.
///
/// [`Plan::bind`] returns it.
#[derive(Debug, Clone)]
pub struct Bound {
    plan: Plan,
    parameters: Vec<BoundParameter>,
    /// Indices of the columns to copy.
    kept: Vec<usize>,
    output: SchemaRef,
}

/// A parameter, with the column that has its values.
#[derive(Debug, Clone)]
struct BoundParameter {
    name: String,
    /// The index of the column.
    column: usize,
    /// The index of the member, where the column has lists of structs.
    member: Option<usize>,
}

impl BoundParameter {
    /// Its values in a table of the bound schema.
    fn array(&self, batch: &RecordBatch) -> Result<ArrayRef, Error> {
        let missing = || PlanError::MissingColumn {
            name: self.name.clone(),
        };
        let array = batch.columns().get(self.column).ok_or_else(missing)?;
        match self.member {
            Some(member) => lists::of_member(&self.name, array, member),
            None => Ok(Arc::clone(array)),
        }
    }
}

impl Plan {
    /// A plan of a rule folder, by path, or of an endpoint, by name; for the scale of a day unless
    /// a column `date` or `annee` gives another.
    ///
    /// # Errors
    /// A folder or a field that does not exist.
    pub fn new(rules: &Rules, name: &str, day: Date, options: &Options) -> Result<Self, Error> {
        let fields: Option<Vec<&str>> = options
            .fields
            .as_ref()
            .map(|all| all.iter().map(String::as_str).collect());
        let plan = rules.plan(name, day, fields.as_deref())?;

        let plan = if options.leaves_absent_empty {
            plan.leaving_absent_fields_empty()
        } else {
            plan
        };

        // Remarks cost steps that the fields do not need.
        let plan = if options.leaves_remarks_out {
            plan
        } else {
            plan.with_remarks()
        };

        let plan = match &options.law {
            Some(version) => plan.by_law(version.as_str()),
            None => plan,
        };

        let output = Arc::new(Schema::new(output::fields(&plan)));
        Ok(Self {
            name: name.to_owned(),
            plan: Arc::new(plan),
            options: options.clone(),
            output,
        })
    }

    /// The name of the rule folder, or of the endpoint.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether a column is copied.
    pub(crate) fn keeps(&self, column: &str) -> bool {
        self.options.kept.iter().any(|kept| kept == column)
    }

    /// Whether a column of this name is a parameter of another name.
    pub(crate) fn maps(&self, column: &str) -> bool {
        self.options.mapped.iter().any(|(own, _)| own == column)
    }

    /// Whether a column is a parameter, by its name, by that of its members or by another, or copied.
    pub(crate) fn reads(&self, field: &Field) -> bool {
        let known = |field: &Field| self.plan.columns().contains(&field.name().as_str());
        let members = lists::members(field.data_type());
        let is_of_items =
            || members.is_some_and(|members| members.iter().all(|member| known(member)));
        known(field) || self.keeps(field.name()) || self.maps(field.name()) || is_of_items()
    }

    /// The columns that a table may have, each with the type that is read fastest; other types of
    /// integers, decimals and texts are read too. Columns that are not nullable are required.
    pub fn input_schema(&self) -> Schema {
        Schema::new(input::fields(&self.plan))
    }

    /// The columns of the answers, without copied ones: the same for every table, an empty one too.
    pub fn output_schema(&self) -> SchemaRef {
        Arc::clone(&self.output)
    }

    /// The rule folders that it computes from.
    pub fn folders(&self) -> impl Iterator<Item = &Folder> {
        self.plan.folders()
    }

    /// The underlying plan of the engine.
    pub fn kernel(&self) -> &plan::Plan {
        &self.plan
    }

    /// Binds the plan to the columns of tables.
    ///
    /// # Errors
    /// A column that is neither a parameter nor copied, a missing column, or one of a type that no
    /// parameter can have.
    pub fn bind(&self, schema: &Schema) -> Result<Bound, Error> {
        let Options {
            kept,
            mapped,
            float_decimals,
            ..
        } = &self.options;

        let floats = Floats::of_parameters(*float_decimals);
        let position = |name: &String| {
            schema
                .fields()
                .iter()
                .position(|field| field.name() == name)
        };

        // 1. Columns that the options name are there.
        // A mapped column that is absent would otherwise be computed as not sent.
        for (column, _) in mapped {
            position(column).ok_or_else(|| Error::Mapped {
                column: column.clone(),
            })?;
        }

        let missing = |name: &String| Error::Kept {
            column: name.clone(),
            is_taken: false,
        };
        let kept: Vec<usize> = kept
            .iter()
            .map(|name| position(name).ok_or_else(|| missing(name)))
            .collect::<Result<_, _>>()?;

        // 2. Columns that are parameters, or are mapped to one.
        let known = self.plan.columns();
        let mut parameters = Vec::new();
        for (index, field) in schema.fields().iter().enumerate() {
            let given = mapped.iter().find(|(column, _)| column == field.name());
            let name = given.map_or(field.name(), |(_, parameter)| parameter);
            // A copied column is also a parameter only if it has the name of one.
            if !known.contains(&name.as_str()) && kept.contains(&index) {
                continue;
            }

            // A list of structs has a parameter in each member; its own name is free.
            let members =
                lists::members(field.data_type()).filter(|_| !known.contains(&name.as_str()));
            for (member, field) in members.into_iter().flatten().enumerate() {
                // A name that is no parameter's is reported below.
                if known.contains(&field.name().as_str()) {
                    self.check_type(field.name(), &lists::of_values(field), floats)?;
                }
                parameters.push(BoundParameter {
                    name: field.name().clone(),
                    column: index,
                    member: Some(member),
                });
            }
            if members.is_some() {
                continue;
            }

            // The name decides whether it is a parameter; only then does its type matter.
            self.check_type(name, field, floats)?;
            parameters.push(BoundParameter {
                name: name.clone(),
                column: index,
                member: None,
            });
        }

        self.plan.check_columns(
            &parameters
                .iter()
                .map(|parameter| parameter.name.as_str())
                .collect::<Vec<_>>(),
        )?;

        // 3. The copied columns and the answers must not share a name, by which readers find them.
        let mut fields: Vec<Arc<Field>> = Vec::new();
        for field in kept.iter().filter_map(|index| schema.fields().get(*index)) {
            if self.output.field_with_name(field.name()).is_ok() {
                return Err(Error::Kept {
                    column: field.name().clone(),
                    is_taken: true,
                });
            }
            fields.push(Arc::clone(field));
        }

        fields.extend(self.output.fields().iter().cloned());

        Ok(Bound {
            plan: self.clone(),
            parameters,
            kept,
            output: Arc::new(Schema::new(fields)),
        })
    }

    /// Refuses a column of a type that its parameter cannot have.
    fn check_type(&self, name: &str, field: &Field, floats: Floats) -> Result<(), Error> {
        let inputs = self.plan.inputs();
        let input = inputs.iter().find(|input| input.name == name);
        let accepted = Accepted {
            moments: name == DATE || input.is_some_and(|input| input.ty == Type::Date),
            lists: input.is_some_and(|input| input.most_items().is_some()),
        };
        input::check_type(field, floats, accepted)
    }

    /// Converts answers of the [`kernel`](Self::kernel) to a table of the
    /// [`output_schema`](Self::output_schema).
    ///
    /// # Errors
    /// Error of the Arrow library for the table.
    pub fn table(&self, answers: Answers) -> Result<RecordBatch, Error> {
        Ok(RecordBatch::try_new(
            self.output_schema(),
            output::arrays(&self.plan, answers)?,
        )?)
    }

    /// Computes the answers to a table.
    ///
    /// # Errors
    /// As [`bind`](Self::bind). A refused row is not an error.
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<RecordBatch, Error> {
        self.bind(batch.schema_ref())?.evaluate(batch)
    }
}

impl Bound {
    /// The columns of the answers, copied ones first.
    pub fn output_schema(&self) -> SchemaRef {
        Arc::clone(&self.output)
    }

    /// The underlying plan of the engine.
    pub fn kernel(&self) -> &plan::Plan {
        &self.plan.plan
    }

    /// The indices of the columns to copy.
    pub fn copied_columns(&self) -> &[usize] {
        &self.kept
    }

    /// Passes the cells of a table to `then`, to compute with the plan of the engine directly.
    ///
    /// # Errors
    /// A table with another schema.
    pub fn with_rows<T>(
        &self,
        batch: &RecordBatch,
        then: impl FnOnce(&Rows) -> T,
    ) -> Result<T, Error> {
        let floats = Floats::of_parameters(self.plan.options.float_decimals);
        // Converted columns are held here, since the cells borrow from them.
        let mut converted: Vec<(&str, ArrayRef)> = Vec::with_capacity(self.parameters.len());
        for parameter in &self.parameters {
            let (name, array) = (&parameter.name, parameter.array(batch)?);
            converted.push((name, input::plain(name, &array, floats)?));
        }

        let cells = converted
            .iter()
            .map(|(name, array)| Ok((*name, input::cells(name, array)?)));
        let columns = cells.collect::<Result<Vec<_>, Error>>()?;

        Ok(then(&Rows::new(batch.num_rows(), columns)))
    }

    /// Computes the answers to a table.
    ///
    /// # Errors
    /// A table with another schema than the bound one.
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<RecordBatch, Error> {
        let answers = self.with_rows(batch, |rows| self.plan.plan.evaluate(rows))??;
        self.table(batch, answers)
    }

    /// Converts answers to a table, after the copied columns of the input.
    ///
    /// # Errors
    /// A table with another schema than the bound one.
    pub fn table(&self, batch: &RecordBatch, answers: Answers) -> Result<RecordBatch, Error> {
        let kept = self
            .kept
            .iter()
            .filter_map(|index| batch.columns().get(*index).cloned());

        let columns = kept
            .chain(output::arrays(&self.plan.plan, answers)?)
            .collect();

        Ok(RecordBatch::try_new(self.output_schema(), columns)?)
    }

    /// Numbers of empty cells by parameter, which get the default or refuse their row; parameters
    /// without any are not listed.
    pub fn empty_cells<'b>(&'b self, batch: &RecordBatch) -> Vec<(&'b str, usize)> {
        // Logical nulls: a dictionary may have a null among its values.
        let empty = |parameter: &'b BoundParameter| {
            let count = batch.columns().get(parameter.column)?.logical_null_count();
            (count > 0).then_some((parameter.name.as_str(), count))
        };
        self.parameters.iter().filter_map(empty).collect()
    }
}
