//! Steps: what a method computes, one line of the payslip each.
//!
//! Each kind is one file here, with its YAML form, its checks, its evaluation and its trace. [`KINDS`]
//! lists them: the reader of rule files, the JSON Schema, the manual and the conformance tests all go
//! by that table, so a new idea of the law is one new file and one row.

mod bound;
mod brackets;
mod contribution;
mod deduction;
mod formula;
mod loan;
mod lookups;
mod modifiers;
mod operand;
mod read;
mod table;

use std::fmt::Debug;

use rust_decimal::Decimal;

use crate::diagnostic::{Place, Report};
use crate::formula::{Code, Context, Expr, Fault, State};
use crate::number::RoundMode;
use crate::types::{Type, Value};

pub(crate) use bound::BoundStep;
pub use brackets::Slice;
pub use loan::Payment;
pub(crate) use lookups::{agrees, key_type};
pub use modifiers::Limits;
pub(crate) use modifiers::{BoundModifiers, Modifiers};
pub use operand::Operand;
pub(crate) use read::{Reader, read};

/// A kind of step.
pub struct Kind {
    /// The key that names it in a rule file.
    pub name: &'static str,
    /// What its key holds.
    pub main: SlotForm,
    /// The other keys it takes, besides those of every step.
    pub slots: &'static [Slot],
    /// What it does, for the manual and the editor.
    pub help: &'static str,
    pub(crate) read: fn(&mut Reader) -> Option<Built>,
}

/// A key of a kind of step.
pub struct Slot {
    /// The key.
    pub name: &'static str,
    /// What it holds.
    pub form: SlotForm,
    /// Whether it must be there, written or filled by `with`.
    pub required: bool,
    /// What it means, for the manual and the editor.
    pub help: &'static str,
}

/// What a key of a step holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotForm {
    /// A formula.
    Formula,
    /// Formulas separated by `;`.
    Formulas,
    /// The name of a figure.
    Figure,
    /// The name of an input.
    Input,
    /// A period.
    Period,
    /// Roundings separated by `;`.
    Rounding,
}

impl Slot {
    const fn new(name: &'static str, form: SlotForm, required: bool, help: &'static str) -> Self {
        Self { name, form, required, help }
    }
}

/// Every kind of step.
pub static KINDS: [&Kind; 6] =
    [&formula::KIND, &contribution::KIND, &deduction::KIND, &brackets::KIND, &table::KIND, &loan::KIND];

/// A step of a method.
#[derive(Debug)]
pub struct Step {
    /// Its name.
    pub name: String,
    /// What the law calls it, in French.
    pub label: Option<String>,
    /// The article of the law.
    pub law: Option<String>,
    /// Its kind.
    pub kind: &'static str,
    /// What formulas can read of it.
    pub outputs: Vec<Output>,
    /// Its formula as it is written, or that of its base; the name of the figure for a table.
    pub formula: String,
    /// Figures that it reads, by rank.
    pub figures: Vec<usize>,
    /// Steps that it reads, by rank.
    pub steps: Vec<usize>,
    /// The option that it belongs to, by rank.
    pub option: Option<usize>,
    /// Slots that it keeps for itself after its outputs.
    pub(crate) hidden: usize,
    pub(crate) body: Option<Box<dyn Body>>,
    pub(crate) modifiers: Modifiers,
    pub(crate) place: Place,
}

/// What formulas can read of a step.
#[derive(Debug, Clone)]
pub struct Output {
    /// Name after the point; empty for the step itself.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether it may be empty.
    pub optional: bool,
    /// Whether the bare name of the step reads it.
    pub main: bool,
}

impl Output {
    /// What the bare name of a step gives.
    pub(crate) fn main(ty: Type) -> Self {
        Self { name: String::new(), ty, optional: false, main: true }
    }

    pub(crate) fn named(name: &str, ty: Type) -> Self {
        Self { name: name.to_owned(), ty, optional: false, main: false }
    }
}

impl Step {
    /// Rank of the input that it refuses when no row answers.
    pub(crate) fn refuses(&self) -> Option<usize> {
        self.body.as_ref()?.refuses()
    }

    /// Its label, or else its name.
    pub fn title(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }

    /// Rank of the output that the bare name gives.
    pub(crate) fn main(&self) -> Option<usize> {
        self.outputs.iter().position(|output| output.main)
    }

    /// Number of slots it takes in a state.
    pub(crate) fn slot_count(&self) -> usize {
        self.outputs.len() + self.hidden
    }
}

/// What the reading of a kind gives.
pub(crate) struct Built {
    pub body: Box<dyn Body>,
    pub outputs: Vec<Output>,
    pub hidden: usize,
}

/// A checked step, not yet bound to the figures of a dated file.
pub(crate) trait Body: Debug + Send + Sync {
    /// Puts the figures of a dated file in place; what only shows there (a table that misses a
    /// value) goes to the report.
    fn bind(&self, binder: &mut Binder) -> Box<dyn Compute>;

    /// The input that it refuses when no row answers, by rank.
    fn refuses(&self) -> Option<usize> {
        None
    }
}

/// What a step is bound with.
pub(crate) struct Binder<'b> {
    pub context: &'b Context<'b>,
    pub shapes: &'b [crate::figure::Shape],
    pub inputs: &'b [crate::input::Input],
    pub steps: &'b [Step],
    pub report: &'b mut Report,
}

impl Binder<'_> {
    pub(crate) fn code(&self, expr: &Expr) -> Code {
        Code::new(expr, self.context)
    }

    /// A limit: `None` where it is the empty column of a record.
    pub(crate) fn limit(&self, expr: Option<&Expr>) -> Option<Code> {
        let code = self.code(expr?);
        (code.constant() != Some(&Value::Nothing)).then_some(code)
    }

    pub(crate) fn figure(&self, rank: usize) -> Option<&crate::figure::Figure> {
        self.context.figures.get(rank)
    }

    /// How a formula writes an output of a step.
    pub(crate) fn output_name(&self, step: usize, output: usize) -> Option<String> {
        let step = self.steps.get(step)?;
        let output = step.outputs.get(output)?;
        Some(if output.main { step.name.clone() } else { format!("{}.{}", step.name, output.name) })
    }

    /// The type of an output of a step.
    pub(crate) fn output_type(&self, step: usize, output: usize) -> Option<Type> {
        Some(self.steps.get(step)?.outputs.get(output)?.ty)
    }
}

/// A bound step.
pub(crate) trait Compute: Debug + Send + Sync {
    /// Computes into the slots from `slot` on.
    fn run(&self, state: &mut State, slot: usize) -> Result<(), Fault>;

    /// Fills the slots when the step is set aside.
    fn set_aside(&self, state: &mut State, slot: usize);

    /// What went in, by French name, read from a state that ran.
    fn operands(&self, state: &State, slot: usize) -> Vec<Operand<'_>>;

    /// What a line of the payslip shows beside the amount.
    fn line(&self, _state: &State, _slot: usize) -> BaseAndRate {
        BaseAndRate::default()
    }

    /// The slices of a scale.
    fn slices(&self, _state: &State, _slot: usize) -> Result<Vec<Slice<'_>>, Fault> {
        Ok(Vec::new())
    }

    /// The schedule of a loan.
    fn schedule(&self, _state: &State, _slot: usize) -> Result<Vec<Payment>, Fault> {
        Ok(Vec::new())
    }

    /// Input to blame when no row is found, and the values that exist instead.
    fn missing_row(&self, _state: &State, _key: usize) -> Option<(usize, String)> {
        None
    }
}

/// What a line of the payslip shows beside its amount, where the step says it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BaseAndRate {
    /// The amount that the rate applies to.
    pub base: Option<Decimal>,
    /// The rate, as a fraction.
    pub rate: Option<Decimal>,
}

/// A rounding of a step: a multiple of a unit, in one direction.
#[derive(Debug, Clone)]
pub struct Rounding<Unit> {
    /// The unit.
    pub unit: Unit,
    /// The direction.
    pub mode: RoundMode,
}
