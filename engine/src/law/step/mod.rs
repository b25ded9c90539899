//! Steps: what a method computes, one line of the payslip each.
//!
//! Each kind is one file here, with its YAML form, its checks, its evaluation and its trace.
//! [`KINDS`] lists them: the reader of rule files, the JSON Schema, the manual and the conformance
//! tests all go by that table, so a new idea of the law is one new file and one row.

mod brackets;
mod calculate;
mod column_words;
mod compiled;
mod compiler;
mod contribution;
mod deduction;
mod formula;
mod interpolate;
mod keys;
mod loan;
mod lookups;
mod modifier_reader;
mod modifiers;
mod operand;
mod read;
mod slice;
mod table;
mod written;

use std::fmt::{self, Debug};

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::law::callee::{Call, Callee};
use crate::law::column::{Active, Block, Column};
use crate::law::formula::{EvalError, State};
use crate::law::range::Ranges;
use crate::law::{Expr, FigureId, GroupId, InputId, SlotId, StepId, Type, Value};
use crate::text::json::Head;
use crate::text::{Place, PlacedText, RoundMode, Text};

pub(crate) use calculate::{CallDay, CalledDays, check_binding};
pub use column_words::column_words;
pub(crate) use compiled::CompiledStep;
pub(crate) use compiler::Compiler;
pub use keys::{KeyForm, StepKey};
use keys::{WITH, keys};
pub use loan::Payment;
pub(crate) use lookups::{check_looked_up, key_columns};
pub use modifiers::{AppliedLimit, MODIFIERS, Modifier};
pub(crate) use modifiers::{CompiledModifiers, Effect, Modifiers};
pub use operand::Operand;
pub(crate) use read::{ANNOTATIONS, Reader, read_step};
pub use slice::Slice;
pub use written::{GivenInput, Written};

/// A kind of step.
///
/// ```
/// let kinds: Vec<&str> = bareme_engine::law::KINDS.iter().map(|kind| kind.name).collect();
/// assert!(kinds.contains(&"brackets"));
/// ```
pub struct Kind {
    /// The key that names it in a rule file.
    pub name: &'static str,
    /// The form of the text of its key.
    pub main: KeyForm,
    /// The other keys it takes, besides those of every step.
    pub keys: &'static [StepKey],
    /// Its effect, for the manuals and the editor.
    pub help: Text,
    /// The form of the sentence by which an explanation words a step of it.
    pub sentence: Sentence,
    /// The phrase printed before its operand where a page says how a step is computed; none: its
    /// formula alone.
    pub phrase: Option<Text>,
    /// The details of a step of it that an answer may list.
    pub detail: Detail,
    /// Which deductions of a payslip steps of this kind are.
    pub levy: Levy,
    /// The names, after the point, of the outputs that every step of this kind has. A look-up also
    /// has the columns of its figure, a calculation of another folder the fields that it reads.
    pub outputs: &'static [&'static str],
    pub(crate) read: fn(&mut Reader) -> Option<Built>,
}

impl Debug for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// The details of a step that an answer may list, beside its values; the row of a [`Kind`] says
/// which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Nothing.
    None,
    /// The slices of its scale.
    Slices,
    /// The payments of its schedule.
    Payments,
}

/// The deduction from pay that a step is, where a payslip shows contributions and taxes
/// separately; the row of a [`Kind`] says which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Levy {
    /// No levy itself: it counts as the levies of the steps that it reads.
    None,
    /// A contribution, whatever its base is made of.
    Contribution,
    /// A tax: what a scale of brackets gives.
    Tax,
    /// A table lookup: a tax, unless the figure that it reads is one of a contribution.
    Listed,
}

/// The form of the sentence by which an explanation words a step; the row of a [`Kind`] says which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sentence {
    /// A sentence with the names of operands in braces. What is in brackets is printed only if all
    /// of its operands are there; with brackets inside, if any of these is printed.
    Words(Text),
    /// Its formula, then what the formula reads.
    Formula,
    /// The values that chose the row, then those of the row; what is given to another folder, then
    /// the fields of its answer.
    Row,
    /// Its operands, each with its name.
    Operands,
}

/// Every kind of step.
///
/// The example of [`Kind`] lists their names.
pub static KINDS: &[&Kind] = &[
    &formula::KIND,
    &contribution::KIND,
    &deduction::KIND,
    &brackets::KIND,
    &table::KIND,
    &interpolate::KIND,
    &loan::KIND,
    &calculate::KIND,
];

/// A step of a method.
///
/// The example of [`Method`](crate::law::Method) reads the last of one.
#[derive(Debug)]
pub struct Step {
    /// Its name, by which the steps below read it.
    pub name: String,
    /// Its name in the law, in French.
    pub label: Option<String>,
    /// The article of the law.
    pub law: Option<String>,
    /// Its kind, one of [`KINDS`].
    pub kind: &'static Kind,
    /// The values that formulas can read of it.
    pub outputs: Vec<Output>,
    /// Values under its keys, in the order of the file.
    pub keys: Vec<(&'static str, Written)>,
    /// Figures that it reads.
    pub figures: Vec<FigureId>,
    /// Steps that it reads.
    pub steps: Vec<StepId>,
    /// Inputs that it reads itself.
    pub inputs: Vec<InputId>,
    /// The option that it belongs to, by index.
    pub option: Option<usize>,
    /// The group for each item of which it is computed.
    pub each: Option<GroupId>,
    /// Slots that it keeps for itself after its outputs.
    pub(crate) hidden: usize,
    pub(crate) checked: Option<Box<dyn Checked>>,
    pub(crate) modifiers: Modifiers,
    /// Whether its value depends on what the caller sends for each month, or on a sum over months.
    pub(crate) depends_on_pays: bool,
    /// The step whose earlier values `already` takes off.
    pub(crate) already: Option<PlacedText>,
    /// Whether the scale that the method is read for does not have it.
    pub(crate) is_absent: bool,
    /// Whether it only passes an input on: see `Symbols::is_echo`.
    pub(crate) is_echo: bool,
    /// The members with which every payslip line of it begins.
    pub(crate) line_head: Head,
    pub(crate) place: Place,
}

/// A value of a step that formulas can read.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["pret"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("pret").ok_or("no such folder")?;
/// use bareme_engine::law::Type;
///
/// let method = folder.latest().ok_or("no edition")?.method();
/// let loan = method.steps().iter().find(|step| step.kind.name == "loan").ok_or("no loan")?;
/// let rate = loan.outputs.iter().find(|output| output.name == "apr").ok_or("no rate")?;
/// assert_eq!(rate.ty, Type::Rate);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Output {
    /// Name after the point; empty for the step itself.
    pub name: String,
    /// Its type: an amount and its period, a rate, a number, …
    pub ty: Type,
    /// Whether it may be empty.
    pub optional: bool,
    /// Whether the bare name of the step reads it.
    pub main: bool,
    /// Its label in the answer of another folder, in French.
    pub label: Option<String>,
}

impl Output {
    /// The output that the bare name of a step reads.
    pub(crate) fn main(ty: Type) -> Self {
        Self {
            name: String::new(),
            ty,
            optional: false,
            main: true,
            label: None,
        }
    }

    pub(crate) fn named(name: &str, ty: Type) -> Self {
        Self {
            name: name.to_owned(),
            ty,
            optional: false,
            main: false,
            label: None,
        }
    }
}

impl Step {
    /// The input that it refuses when no row answers.
    pub(crate) fn refuses(&self) -> Option<InputId> {
        self.checked.as_ref()?.refuses()
    }

    /// Whether it runs whichever fields are asked for.
    pub(crate) fn always_runs(&self) -> bool {
        let runs = |checked: &dyn Checked| checked.always_runs() || checked.refuses().is_some();
        self.checked.as_deref().is_some_and(runs)
    }

    /// The path of the folder that it calculates.
    pub fn called_folder(&self) -> Option<&str> {
        Some(self.checked.as_ref()?.call()?.folder())
    }

    /// The days from which it reaches another edition of that folder.
    pub(crate) fn call_changes(&self) -> Vec<Date> {
        let call = self.checked.as_ref().and_then(|checked| checked.call());
        call.map(CalledDays::changes).unwrap_or_default()
    }

    /// The version of the law that the other folder applies, in a calculation on a day.
    pub(crate) fn called_law(&self, day: Option<Date>) -> Option<&str> {
        self.checked.as_ref()?.call()?.law(day)
    }

    /// Whether it looks in that folder for the input that gives an amount.
    pub fn searches(&self) -> bool {
        let call = self.checked.as_ref().and_then(|checked| checked.call());
        call.is_some_and(CalledDays::searches)
    }

    /// The form of the sentence by which an explanation words it.
    pub fn sentence(&self) -> Sentence {
        self.kind.sentence
    }

    /// Its label, or else its name.
    pub fn title(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }

    /// Index of the output that the bare name gives.
    pub(crate) fn main(&self) -> Option<usize> {
        self.outputs.iter().position(|output| output.main)
    }

    /// Number of slots it takes in a state.
    pub(crate) fn slot_count(&self) -> usize {
        // Hidden slots keep what only explanations and payslip lines show.
        self.outputs.len() + self.hidden
    }
}

/// The result of reading a step of some kind.
pub(crate) struct Built {
    pub checked: Box<dyn Checked>,
    pub outputs: Vec<Output>,
    pub hidden: usize,
}

/// A checked step, not yet compiled with the figures of a dated file.
pub(crate) trait Checked: Debug + Send + Sync {
    /// Puts the figures of a dated file in place; a mistake that only shows there (a table that
    /// lacks a value) goes to the report.
    fn compile(&self, compiler: &mut Compiler) -> Box<dyn Compiled>;

    /// The input that it refuses when no row answers.
    fn refuses(&self) -> Option<InputId> {
        None
    }

    /// The formula whose value it is, where it computes nothing else.
    fn passes_on(&self) -> Option<&Expr> {
        None
    }

    /// Whether it runs whichever fields are asked for, since it may refuse a query or warn.
    fn always_runs(&self) -> bool {
        false
    }

    /// The calculation of another folder that it is.
    fn call(&self) -> Option<&dyn CalledDays> {
        None
    }
}

pub(crate) trait Compiled: Debug + Send + Sync {
    /// Computes into the slots from `slot` on.
    fn run(&self, state: &mut State, slot: SlotId) -> Result<(), EvalError>;

    /// The values of its slots where it does not apply, which depend on nothing that is sent; slots
    /// beyond them are empty.
    fn skipped(&self) -> Vec<Value>;

    /// Computes many rows at once: the columns of its slots, `count` from `slot` on.
    fn run_columns(
        &self,
        block: &Block,
        slot: SlotId,
        count: usize,
        active: &Active,
    ) -> Vec<Column> {
        // A kind without operations on columns runs row by row.
        compiled::row_by_row(block, slot, count, active, |state| self.run(state, slot))
    }

    /// Computes what is known of its slots while an input takes every value of an interval. Nothing
    /// is known of a slot that is left as it is, as those of a kind without such a computation.
    fn run_ranges(&self, _ranges: &mut Ranges, _slot: SlotId) {}

    /// Whether rows that it may find have remarks of their own.
    fn has_remarked_rows(&self) -> bool {
        false
    }

    /// The operands, by French name, read from a state that ran.
    fn operands(&self, state: &State, slot: SlotId) -> Result<Vec<Operand<'_>>, EvalError>;

    /// The base and the rate that a line of the payslip shows beside the amount.
    fn line(&self, _state: &State, _slot: SlotId) -> Result<BaseAndRate, EvalError> {
        Ok(BaseAndRate::default())
    }

    /// The slices of a scale.
    fn slices(&self, _state: &State, _slot: SlotId) -> Result<Vec<Slice<'_>>, EvalError> {
        Ok(Vec::new())
    }

    /// The schedule of a loan.
    fn schedule(&self, _state: &State, _slot: SlotId) -> Result<Vec<Payment>, EvalError> {
        Ok(Vec::new())
    }

    /// Whether an explanation shows one of its outputs, by index.
    fn shows(&self, _output: usize) -> bool {
        true
    }

    /// The folder that it calculates.
    fn callee(&self) -> Option<&dyn Callee> {
        None
    }

    /// The calculation that it asks of that folder, in a state that ran.
    fn call(&self, _state: &State) -> Result<Option<Call<'_>>, EvalError> {
        Ok(None)
    }

    /// Input to blame when no row is found, and the values that exist instead.
    fn missing_row(&self, _state: &State, _key: usize) -> Option<(InputId, String)> {
        None
    }
}

/// The base and the rate that a line of the payslip shows beside its amount, where the step has
/// them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BaseAndRate {
    /// The amount that the rate applies to.
    pub base: Option<Decimal>,
    /// The rate, as a fraction.
    pub rate: Option<Decimal>,
}

/// A rounding of a step: a multiple of a unit, in one direction.
///
/// The example of [`StepTrace`](crate::run::StepTrace) words one.
#[derive(Debug, Clone)]
pub struct Rounding<Unit> {
    /// The unit of which the result is a multiple; 0 leaves the value alone.
    pub unit: Unit,
    /// To which multiple.
    pub mode: RoundMode,
}
