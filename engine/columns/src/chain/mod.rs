//! Chains: plans whose parameters are fields of other plans, over one table.
//!
//! A row of a table is a household. Another plan computes each row first, or each element of a
//! column of lists of structs, and gives fields of its answers as parameters of the plan.

mod check;
mod evaluate;
mod given;

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef};
use bareme_engine::run::plan::PlanError;

use crate::error::Error;
use crate::lists;
use crate::plan::{Bound, Plan};

pub use check::ChainMistake;
use given::Given;

/// A plan, with the plans that compute some of its parameters first.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow::array::{AsArray as _, RecordBatch, StringArray};
/// use arrow::datatypes::Decimal128Type;
/// use bareme_arrow::{Chain, Feed, Options, Plan};
/// use bareme_engine::{Loader, jiff::civil::date};
///
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../rules"));
/// let rules = Loader::new().without_cases()
///     .load_service(root).rules.ok_or("the rules have errors")?;
/// let plan = |name, fields| {
///     Plan::new(&rules, name, date(2026, 3, 31), &Options::fields([fields]))
/// };
/// let pay = Feed::of(plan("salaire", "net_imposable")?)
///     .months(12)
///     .gives("net_imposable", ["salaire"]);
/// let household = Chain::of(plan("foyer", "impot_net")?).after(pay)?;
///
/// let rows = RecordBatch::try_from_iter([
///     ("brut", Arc::new(StringArray::from(vec!["4000"])) as _),
///     ("situation", Arc::new(StringArray::from(vec!["couple"])) as _),
/// ])?;
/// let answers = household.evaluate(&rows)?;
/// let taxes = answers["impot_net"].as_primitive::<Decimal128Type>();
/// assert_eq!(taxes.value_as_string(0), "471.00");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Chain {
    plan: Plan,
    feeds: Vec<ResolvedFeed>,
}

/// A plan or a chain that computes parameters of another plan before it.
///
/// [`Chain`] has an example.
#[derive(Debug, Clone)]
pub struct Feed {
    source: Chain,
    each: Option<String>,
    gives: Vec<(String, Vec<String>)>,
    months: Option<u32>,
}

/// A feed that fits its plan.
#[derive(Debug, Clone)]
struct ResolvedFeed {
    source: Chain,
    /// The column of lists of structs whose elements are its rows; otherwise the rows of the table.
    each: Option<String>,
    given: Vec<Given>,
}

impl Feed {
    /// A feed that is computed for each row of the table.
    pub fn of(source: impl Into<Chain>) -> Self {
        Self {
            source: source.into(),
            each: None,
            gives: Vec::new(),
            months: None,
        }
    }

    /// The same, computed for each element of a column of lists of structs.
    #[must_use]
    pub fn each(self, column: impl Into<String>) -> Self {
        Self {
            each: Some(column.into()),
            ..self
        }
    }

    /// Gives a field as a parameter. With [`each`](Self::each), the first element gives the first
    /// parameter, and so on; a single parameter that has a value for each item of a group takes
    /// those of all elements.
    #[must_use]
    pub fn gives<S: Into<String>>(
        mut self,
        field: impl Into<String>,
        parameters: impl IntoIterator<Item = S>,
    ) -> Self {
        let parameters = parameters.into_iter().map(Into::into).collect();
        self.gives.push((field.into(), parameters));
        self
    }

    /// The number of months for which an amount of a month, or of a single payment, is paid, where its
    /// parameter is an amount per year.
    #[must_use]
    pub fn months(self, months: u32) -> Self {
        Self {
            months: Some(months),
            ..self
        }
    }
}

impl From<Plan> for Chain {
    fn from(plan: Plan) -> Self {
        Self::of(plan)
    }
}

impl Chain {
    /// A plan alone.
    pub fn of(plan: Plan) -> Self {
        Self {
            plan,
            feeds: Vec::new(),
        }
    }

    /// The same, with some parameters computed before.
    ///
    /// # Errors
    /// Everything that does not fit: names, types, currencies, words and periods.
    pub fn after(mut self, feed: Feed) -> Result<Self, Error> {
        let given = check::resolve(&self, &feed).map_err(Error::Chain)?;
        self.feeds.push(ResolvedFeed {
            source: feed.source,
            each: feed.each,
            given,
        });
        Ok(self)
    }

    /// The plan whose parameters are computed before.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Whether rows are months, of which those of one year have to be evaluated together.
    pub fn has_years(&self) -> bool {
        self.plan.kernel().has_years()
    }

    /// The columns of the answers, without copied ones of the plan itself: its own, then a column
    /// for each feed.
    pub fn output_schema(&self) -> SchemaRef {
        let own = self.plan.output_schema();
        let fed = self.feeds.iter().map(|feed| {
            let members = feed.source.output_schema();
            Arc::new(feed.column(members.fields().clone()))
        });
        Arc::new(Schema::new(
            own.fields().iter().cloned().chain(fed).collect::<Vec<_>>(),
        ))
    }

    /// Whether a column is read, by the plan or by what computes its parameters.
    fn reads(&self, field: &Field) -> bool {
        let is_each = |feed: &ResolvedFeed| feed.each.as_ref() == Some(field.name());
        self.plan.reads(field)
            || self
                .feeds
                .iter()
                .any(|feed| is_each(feed) || (feed.each.is_none() && feed.source.reads(field)))
    }

    /// Binds the chain to the columns of tables.
    ///
    /// # Errors
    /// As [`Plan::bind`]; a column that gives a parameter which is computed; a column for each
    /// element that is no list of structs.
    pub fn bind(&self, schema: &Schema) -> Result<BoundChain, Error> {
        let fields = schema.fields();

        // 1. What computes parameters, over the columns or the members that it reads.
        let mut feeds = Vec::with_capacity(self.feeds.len());
        for feed in &self.feeds {
            let (place, members) = feed.rows_of(fields)?;
            let inner: Vec<Arc<Field>> =
                members.iter().map(|(_, field)| Arc::clone(field)).collect();
            let inner = Arc::new(Schema::new(inner));
            feeds.push(BoundFeed {
                bound: feed.source.bind(&inner)?,
                place,
                members: members.into_iter().map(|(index, _)| index).collect(),
                schema: inner,
                given: feed.given.clone(),
                name: feed.name().to_owned(),
            });
        }

        // 2. The columns of the plan itself: those that no feed reads alone, then the computed ones.
        let is_of_feed = |field: &Field| {
            self.feeds.iter().any(|feed| match &feed.each {
                // A column that is copied too is refused below, since its name is taken.
                Some(each) => each == field.name() && !self.plan.keeps(field.name()),
                None => feed.source.reads(field) && !self.plan.reads(field),
            })
        };
        let own: Vec<usize> = (0..fields.len())
            .filter(|index| fields.get(*index).is_some_and(|field| !is_of_feed(field)))
            .collect();

        let mut columns: Vec<Arc<Field>> = own
            .iter()
            .filter_map(|index| fields.get(*index).cloned())
            .collect();
        for (feed, bound) in self.feeds.iter().zip(&feeds) {
            let answers = bound.bound.output_schema();
            for (name, ty) in feed.given.iter().flat_map(|given| given.columns(&answers)) {
                columns.push(Arc::new(Field::new(name, ty, true)));
            }
        }
        let columns = Arc::new(Schema::new(columns));
        let bound = self.plan.bind(&columns)?;

        // 3. The columns of the answers.
        let mut output: Vec<Arc<Field>> = bound.output_schema().fields().to_vec();
        for (feed, inner) in self.feeds.iter().zip(&feeds) {
            let members = inner.bound.output_schema().fields().clone();
            let field = feed.column(members);
            if output.iter().any(|known| known.name() == field.name()) {
                return Err(Error::Kept {
                    column: field.name().clone(),
                    is_taken: true,
                });
            }
            output.push(Arc::new(field));
        }

        Ok(BoundChain {
            bound,
            own,
            schema: columns,
            feeds,
            output: Arc::new(Schema::new(output)),
        })
    }

    /// Computes the answers to a table.
    ///
    /// # Errors
    /// As [`bind`](Self::bind). A refused row is not an error.
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<RecordBatch, Error> {
        self.bind(batch.schema_ref())?.evaluate(batch)
    }
}

impl ResolvedFeed {
    /// The name of the column of its answers.
    fn name(&self) -> &str {
        match &self.each {
            Some(each) => each,
            None => self.source.plan.name(),
        }
    }

    /// The column of its answers, which are structs of these members.
    fn column(&self, members: Fields) -> Field {
        let structs = DataType::Struct(members);
        match &self.each {
            Some(each) => Field::new_list(each, Field::new_list_field(structs, true), true),
            None => Field::new(self.name(), structs, false),
        }
    }

    /// The column whose elements are its rows, if it is not over the rows of the table; and the
    /// columns, or the members, that it reads, each with its index.
    #[expect(clippy::type_complexity, reason = "the indices of fields, with these")]
    fn rows_of(&self, fields: &Fields) -> Result<(Option<usize>, Vec<(usize, Arc<Field>)>), Error> {
        let Some(each) = &self.each else {
            let read = fields.iter().cloned().enumerate();
            let read = read.filter(|(_, field)| self.source.reads(field));
            return Ok((None, read.collect()));
        };

        let found = fields.iter().position(|field| field.name() == each);
        let field = found.and_then(|index| fields.get(index));
        let field = field.ok_or_else(|| PlanError::MissingColumn { name: each.clone() })?;
        let members = lists::members(field.data_type()).ok_or_else(|| Error::Structs {
            column: each.clone(),
            found: field.data_type().clone(),
        })?;
        Ok((found, members.iter().cloned().enumerate().collect()))
    }
}

/// A chain bound to the schema of a table.
///
/// [`Chain::bind`] returns it.
#[derive(Debug, Clone)]
pub struct BoundChain {
    bound: Bound,
    /// Indices of the columns of the table that the plan itself has.
    own: Vec<usize>,
    /// The columns of the plan: those of the table, then the computed ones.
    schema: SchemaRef,
    feeds: Vec<BoundFeed>,
    output: SchemaRef,
}

/// A feed bound to columns.
#[derive(Debug, Clone)]
struct BoundFeed {
    bound: BoundChain,
    /// The index of the column of lists of structs; `None` where its rows are those of the table.
    place: Option<usize>,
    /// Indices of the columns of the table, or of the members of the structs.
    members: Vec<usize>,
    schema: SchemaRef,
    given: Vec<Given>,
    /// The name of the column of its answers.
    name: String,
}

impl BoundChain {
    /// The columns of the answers: those of the plan, then a column for each feed.
    pub fn output_schema(&self) -> SchemaRef {
        Arc::clone(&self.output)
    }
}
