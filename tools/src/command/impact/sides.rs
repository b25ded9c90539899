//! One side of a reform: a scale, bound to the columns of the sample.

use std::sync::Arc;

use bareme_arrow::arrow::array::{ArrayRef, Decimal128Array, RecordBatch, StringArray};
use bareme_arrow::arrow::datatypes::{DataType, Field as ColumnField, Schema, SchemaRef};
use bareme_arrow::{Bound, Options, Plan};
use bareme_engine::law::{Field, Presence, Type};
use bareme_engine::run::Edition;
use bareme_engine::run::plan::Answers;
use bareme_engine::service::Rules;
use bareme_engine::{CalculationError, Folder};
use bareme_show::curve::Axis;
use jiff::civil::Date;

use crate::days::no_scale;
use crate::session::{Failure, Session};

use super::sample::Sample;
use super::scale::rescaled;

/// The field of the answers that is the whole amount, where the method divides one.
pub(super) const WHOLE: usize = 1;

/// Digits of the column of raised incomes.
const DIGITS: u8 = 38;

/// A scale, bound to columns of the sample.
pub(super) struct Side<'r> {
    pub folder: &'r Folder,
    pub edition: &'r Edition,
    pub day: Date,
    /// The parameters with a column, each with its index.
    pub columns: Vec<(usize, String)>,
    /// Inputs without a column, which have their defaults.
    pub defaulted: Vec<String>,
    /// Parameters that every row is sent with, since the field needs them and no column gives them.
    assumed: Vec<(String, String)>,
    schema: SchemaRef,
    bound: Bound,
    /// The same with the income as a decimal, which can be raised.
    raised: Option<(usize, u32, SchemaRef, Bound)>,
}

/// The rules and the day of a side, and its renamed columns.
pub(super) struct Terms<'r> {
    pub rules: &'r Rules,
    pub path: &'r str,
    pub day: Date,
    pub maps: &'r [(String, String)],
}

impl<'r> Side<'r> {
    /// Binds a scale to the columns that it has as inputs.
    pub(super) fn new(
        terms: &Terms<'r>,
        axis: &Axis,
        sample: &Sample,
        session: &Session,
    ) -> Result<Self, Failure> {
        let Terms {
            rules,
            path,
            day,
            maps,
        } = terms;

        let folder = crate::rule_files::folder(rules, path, session)?;
        let edition = folder
            .edition(*day)
            .ok_or_else(|| no_scale(folder, &day.to_string(), session))?;

        // 1. The inputs: from columns, assumed for the field, or left to their defaults.
        let columns = columns(edition, maps, sample);
        let is_given = |name: &str| columns.iter().any(|(_, parameter)| parameter == name);
        let takes = |name: &str| {
            edition
                .method()
                .inputs()
                .iter()
                .any(|input| input.name == name && !input.is_absent)
        };

        let assumed = axis
            .assumed
            .iter()
            .filter(|(name, _)| takes(name) && !is_given(name))
            .cloned();
        let assumed: Vec<(String, String)> = assumed.collect();

        let is_assumed = |name: &str| assumed.iter().any(|(parameter, _)| parameter == name);
        // An option without a column is the choice not to use it, which needs no mention.
        let defaulted = edition.method().inputs().iter().filter(|input| {
            let is_option = edition
                .method()
                .options()
                .iter()
                .any(|option| option.name == input.name);
            let is_left_out = !is_given(&input.name) && !is_assumed(&input.name);
            !input.is_absent
                && !is_option
                && is_left_out
                && matches!(input.presence, Presence::Default(..))
        });
        let defaulted = defaulted.map(|input| input.name.clone()).collect();

        // 2. The plan of the field, bound to the columns.
        let schema = schema(&columns, &assumed, sample);
        let whole = whole(edition);
        let fields = [axis.field.as_str()].into_iter().chain(whole);
        let options = options(fields, &columns, sample);
        let failed =
            |error: bareme_arrow::Error| Failure::unusable(format!("{} : {error}", folder.path()));
        let plan = Plan::new(rules, folder.path(), *day, &options).map_err(failed)?;
        let bound = plan.bind(&schema).map_err(failed)?;

        // 3. The same plan with the income as a decimal: a column of texts or of integers could not
        // be raised by a sum of cents.
        let mut raised = None;
        if let Some(place) = columns.iter().position(|(_, name)| *name == axis.input) {
            let own = columns
                .get(place)
                .map_or(0, |(column, _)| sample.decimals(*column).min(2));
            let ty = DataType::Decimal128(DIGITS, i8::try_from(own).unwrap_or_default());

            let raise = |(index, field): (usize, &Arc<ColumnField>)| {
                if index == place {
                    Arc::new(field.as_ref().clone().with_data_type(ty.clone()))
                } else {
                    Arc::clone(field)
                }
            };

            let schema = Schema::new(
                schema
                    .fields()
                    .iter()
                    .enumerate()
                    .map(raise)
                    .collect::<Vec<_>>(),
            );
            let bound = plan.bind(&schema).map_err(failed)?;
            raised = Some((place, own, Arc::new(schema), bound));
        }

        Ok(Self {
            folder,
            edition,
            day: *day,
            columns,
            defaulted,
            assumed,
            schema,
            bound,
            raised,
        })
    }

    /// Decimals of the values of the field.
    pub(super) fn decimals(&self) -> u32 {
        self.decimals_of(0)
    }

    /// Decimals of the whole amount that the method divides, the second field of the answers.
    pub(super) fn decimals_of_whole(&self) -> u32 {
        self.decimals_of(WHOLE)
    }

    fn decimals_of(&self, index: usize) -> u32 {
        let field = self.bound.kernel().fields().get(index);
        field
            .and_then(|field| field.kind.decimals())
            .unwrap_or_default()
    }

    /// The whole amount that the method divides, of which a levy is a part.
    pub(super) fn whole(&self) -> Option<&Field> {
        let method = self.edition.method();
        let name = whole(self.edition)?;
        method.fields().iter().find(|field| field.name == name)
    }

    /// The answers to the rows of a batch.
    pub(super) fn evaluate(&self, batch: &RecordBatch) -> Result<Answers, Failure> {
        evaluated(&self.bound, &self.table(batch)?)
    }

    /// The answers to the same rows with a raised income; `None` without an income column.
    pub(super) fn evaluate_raised(
        &self,
        batch: &RecordBatch,
        units: i128,
        sample: &Sample,
    ) -> Result<Option<Answers>, Failure> {
        let Some((place, decimals, schema, bound)) = &self.raised else {
            return Ok(None);
        };
        let Some((column, _)) = self.columns.get(*place) else {
            return Ok(None);
        };
        // The income and the raise are brought to the decimals of the raised column; an income that
        // overflows is left empty, and its row has no marginal rate.
        let own = sample.decimals(*column);
        let more = rescaled(units, 0, *decimals).unwrap_or_default();
        let raise = |value: i128| rescaled(value, own, *decimals)?.checked_add(more);

        let values = sample
            .readable_numbers(batch, *column)?
            .into_iter()
            .map(|value| value.and_then(raise));
        let raised: Decimal128Array = values.collect();

        let scale = i8::try_from(*decimals).unwrap_or_default();
        let raised = raised
            .with_precision_and_scale(DIGITS, scale)
            .map_err(unreadable)?;

        let mut columns = self.table(batch)?.columns().to_vec();
        if let Some(column) = columns.get_mut(*place) {
            *column = Arc::new(raised);
        }

        let table = RecordBatch::try_new(Arc::clone(schema), columns).map_err(unreadable)?;
        evaluated(bound, &table).map(Some)
    }

    /// The columns of a batch that the scale has as inputs.
    fn table(&self, batch: &RecordBatch) -> Result<RecordBatch, Failure> {
        let mut columns: Vec<ArrayRef> = self
            .columns
            .iter()
            .filter_map(|(index, _)| batch.columns().get(*index).cloned())
            .collect();
        // The assumed parameters follow, as columns of one text.
        for (_, value) in &self.assumed {
            columns.push(Arc::new(StringArray::from(vec![
                value.as_str();
                batch.num_rows()
            ])));
        }

        RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(unreadable)
    }

    pub(super) fn query(
        &self,
        batch: &RecordBatch,
        row: usize,
    ) -> Result<Vec<(String, String)>, Failure> {
        // The row is sliced first: converting the whole batch for one row would be slow.
        let table = self.table(&batch.slice(row, 1))?;
        let query = self.bound.with_rows(&table, |rows| {
            rows.query(0)
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.into_owned()))
                .collect()
        });

        query.map_err(|error| Failure::unusable(error.to_string()))
    }

    /// The calculation of a query by this side.
    ///
    /// # Errors
    /// A refused query, or an internal error of the engine.
    pub(super) fn calculate(
        &self,
        query: &[(String, String)],
    ) -> Result<bareme_engine::Calculation<'r>, CalculationError> {
        self.folder.calculate(&query.into(), self.day)
    }
}

fn evaluated(bound: &Bound, table: &RecordBatch) -> Result<Answers, Failure> {
    let answers = bound.with_rows(table, |rows| bound.kernel().evaluate(rows));
    let failed = |error: bareme_arrow::Error| Failure::unusable(error.to_string());
    answers
        .map_err(failed)?
        .map_err(|error| failed(error.into()))
}

fn unreadable(error: bareme_arrow::arrow::error::ArrowError) -> Failure {
    Failure::unusable(bareme_arrow::Error::from(error).to_string())
}

/// The columns that are inputs of a scale, by their own name or a mapped one.
fn columns(edition: &Edition, maps: &[(String, String)], sample: &Sample) -> Vec<(usize, String)> {
    let inputs = edition.method().inputs();
    let is_input = |name: &str| {
        inputs
            .iter()
            .any(|input| input.name == name && !input.is_absent)
    };

    let names = sample.schema.fields().iter().map(|field| field.name());

    let parameter = |(index, name): (usize, &String)| {
        let given = maps
            .iter()
            .find(|(column, _)| column == name)
            .map(|(_, parameter)| parameter);
        // A column whose parameter is mapped to another column is not read.
        let is_replaced = given.is_none() && maps.iter().any(|(_, parameter)| parameter == name);
        let parameter = given.unwrap_or(name);
        (is_input(parameter) && !is_replaced).then(|| (index, parameter.clone()))
    };

    names.enumerate().filter_map(parameter).collect()
}

fn schema(columns: &[(usize, String)], assumed: &[(String, String)], sample: &Sample) -> SchemaRef {
    let fields = columns
        .iter()
        .filter_map(|(index, _)| sample.schema.fields().get(*index).cloned());

    let assumed = assumed
        .iter()
        .map(|(name, _)| Arc::new(ColumnField::new(name, DataType::Utf8, true)));
    Arc::new(Schema::new(fields.chain(assumed).collect::<Vec<_>>()))
}

/// The field of the whole amount that a method divides, in its `bar`.
fn whole(edition: &Edition) -> Option<&str> {
    let method = edition.method();
    let field = method.fields().get(method.bar()?.whole)?;
    matches!(field.value_type(), Type::Money(_)).then_some(field.name.as_str())
}

fn options<'f>(
    fields: impl IntoIterator<Item = &'f str>,
    columns: &[(usize, String)],
    sample: &Sample,
) -> Options {
    let name = |index: usize| {
        sample
            .schema
            .fields()
            .get(index)
            .map(|field| field.name().clone())
    };

    let renamed = columns
        .iter()
        .filter_map(|(index, parameter)| Some((name(*index)?, parameter.clone())));
    // Remarks are texts about figures: a sum does not need them.
    let options = Options::fields(fields)
        .without_remarks()
        .map(renamed.filter(|(column, parameter)| column != parameter));

    match sample.float_decimals {
        Some(decimals) => options.rounding_floats_to(decimals),
        None => options,
    }
}
