//! The doors: each takes questions in its own form and gives [`Answer`]s.

mod assistant;
mod batch;
mod explain;
mod lot;
mod single;
mod site;
mod tables;
mod wheel;

use std::collections::BTreeSet;

use crate::answer::{Answer, Carried};
use crate::draw::Question;
use crate::oracle::Target;

pub(crate) use assistant::Assistant;
pub(crate) use batch::{
    Batch, Form as BatchForm, cells, of_members, quoted_or_plain, records, row_of_json,
};
pub(crate) use explain::Explain;
pub(crate) use lot::{Form as LotForm, Lot};
pub(crate) use single::{Caller, Single, query};
pub(crate) use site::Site;
pub(crate) use tables::Tables;
pub(crate) use wheel::{Calculate, PlanOfTables, Python};

/// Questions with one name and one list of fields, which a door may be asked together.
pub(crate) struct Group<'q> {
    pub target: Target<'q>,
    /// The fields asked for, the same for all; none: every field.
    pub fields: Option<&'q str>,
    /// Names of the fields that answers may have: a table has no copied column of such a name.
    pub answered: &'q BTreeSet<String>,
    pub questions: Vec<&'q Question>,
}

/// A way to ask.
pub(crate) trait Door: Sync {
    /// Its name, in the report.
    fn name(&self) -> String;

    /// What it gives of an answer.
    fn carries(&self) -> Carried;

    /// Whether a question can be put so; why not stands in the table of `tests/README.md`.
    fn takes(&self, target: Target, question: &Question) -> bool;

    /// Asks the questions of a group, all of which it takes: an answer each, in order.
    fn ask(&self, group: &Group) -> Vec<Answer>;
}
