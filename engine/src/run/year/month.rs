//! Months of a year of pays as programs run them: the values that each passes to the later ones,
//! and those known for every month in advance.

use std::sync::Arc;

use rust_decimal::prelude::ToPrimitive as _;

use crate::law::formula::{EarlierMonth, OtherMonths, State, When};
use crate::law::step::CompiledStep;
use crate::law::{InputId, Method, SlotId, StepId, Value};
use crate::run::error::CalculationError;
use crate::run::program::{Program, Run};
use crate::text::refusal::BadParameter;

/// The slots of the values that the months of a year of pays read of one another.
#[derive(Debug, Default)]
pub(crate) struct YearSlots {
    /// Slots of the values added up; `None` where the scale does not have one.
    summed: Vec<Option<SlotId>>,
    /// Slots of the values known in advance.
    ahead: Vec<Option<SlotId>>,
}

impl YearSlots {
    pub(crate) fn new(method: &Method, steps: &[CompiledStep]) -> Self {
        let of = |names: &[String]| {
            names
                .iter()
                .map(|name| slot_of(name, method, steps))
                .collect()
        };

        let names = &method.year_names;
        Self {
            summed: of(&names.summed),
            ahead: of(&names.ahead),
        }
    }

    fn values(slots: &[Option<SlotId>], state: &State) -> Box<[Value]> {
        let value = |slot: &Option<SlotId>| {
            slot.and_then(|slot| slot.of(&state.slots))
                .cloned()
                .unwrap_or_default()
        };
        slots.iter().map(value).collect()
    }
}

/// The slot of an input, a step or an output, by name.
fn slot_of(name: &str, method: &Method, steps: &[CompiledStep]) -> Option<SlotId> {
    if let Some(input) = InputId::find(method.inputs(), |input| input.name == name) {
        return Some(input.slot());
    }

    // `step.output` names an output, a bare name the main one.
    let (owner, member) = name
        .split_once('.')
        .map_or((name, None), |(owner, member)| (owner, Some(member)));

    let id = StepId::find(method.steps(), |step| step.name == owner)?;
    let step = id.of(method.steps())?;
    let output = match member {
        Some(member) => step
            .outputs
            .iter()
            .position(|output| output.name == member)?,
        None => step.main()?,
    };

    Some(
        steps
            .iter()
            .find(|compiled| compiled.step == id)?
            .slot
            .after(output),
    )
}

impl Program {
    /// Values of a computed month that later months read.
    pub(super) fn left_for_later(&self, run: &Run) -> Box<[Value]> {
        YearSlots::values(&self.year_slots.summed, &run.state)
    }

    /// Whether a formula reads values known in advance.
    pub(super) fn looks_ahead(&self) -> bool {
        !self.year_slots.ahead.is_empty()
    }

    /// Values of a month known in advance; empty where they cannot be computed: the month itself
    /// then reports why.
    pub(super) fn known_ahead(&self, sent: &[Value], when: When) -> Box<[Value]> {
        let slots = &self.year_slots.ahead;
        let of_slot = |slot: &SlotId| self.step_of(*slot);

        let steps = self
            .needs()
            .of_steps(slots.iter().flatten().filter_map(of_slot));

        match self.run_steps(sent.to_vec(), when, &steps, None) {
            Ok(state) => YearSlots::values(slots, &state),
            // The failure itself comes again when the month is run, with its reason.
            Err(_) => slots.iter().map(|_| Value::Nothing).collect(),
        }
    }

    /// Computes a month of a year of pays.
    pub(super) fn run_month(
        &self,
        sent: Vec<Value>,
        when: When,
        year: Arc<OtherMonths>,
    ) -> Result<Run<'_>, CalculationError> {
        let mut run = self.prepare(sent, when)?;
        run.state.year = Some(year);
        self.finish(run)
    }

    /// The rank of a single pay and the input that tells it, where the rank is above 1.
    pub(crate) fn pays(&self, sent: &[Value]) -> Option<(InputId, i8)> {
        // A single pay, of rank 1 or without one, has no pays before it.
        let rank = self.method().year()?.rank()?;
        let Value::Number(pays) = rank.of(sent)? else {
            return None;
        };

        Some((rank, pays.to_i8()?)).filter(|(_, pays)| *pays > 1)
    }

    /// Computes the last of several equal pays, after the earlier ones that it depends on.
    pub(crate) fn run_equal(
        &self,
        sent: Vec<Value>,
        when: When,
        (rank, pays): (InputId, i8),
    ) -> Result<Run<'_>, CalculationError> {
        let steps = self.needs().of_steps(
            self.year_slots
                .summed
                .iter()
                .flatten()
                .filter_map(|slot| self.step_of(*slot)),
        );

        let known = if self.looks_ahead() {
            Some(self.known_ahead(&sent, when))
        } else {
            None
        };

        // Equal pays have equal values, those known in advance too.
        let ahead: Arc<[_]> = known
            .iter()
            .flat_map(|known| (0..pays).map(|_| known.clone()))
            .collect();

        let mut earlier: Option<Arc<EarlierMonth>> = None;
        // Each pay but the last runs only the steps that a sum over the pays reads, without checks:
        // the last one checks the same inputs.
        for (month, pay) in (1..pays).enumerate() {
            let mut own = sent.clone();
            if let Some(place) = own.get_mut(rank.position()) {
                *place = Value::Number(pay.into());
            }

            let others = OtherMonths {
                earlier: earlier.take(),
                ahead: Arc::clone(&ahead),
                month,
                in_year: false,
            };

            let before = others.earlier.clone();
            let state = self.run_steps(
                own,
                When {
                    months: pay,
                    ..when
                },
                &steps,
                Some(Arc::new(others)),
            )?;

            let values = YearSlots::values(&self.year_slots.summed, &state);
            earlier = Some(Arc::new(EarlierMonth { values, before }));
        }

        // The last one is the answer, and is computed whole.
        let month = usize::try_from(pays.saturating_sub(1)).unwrap_or_default();
        let others = OtherMonths {
            earlier,
            ahead,
            month,
            in_year: false,
        };
        self.run_month(
            sent,
            When {
                months: pays,
                ..when
            },
            Arc::new(others),
        )
    }

    /// The problems of the inputs of a month, where an earlier month could not be computed.
    // Early checks read inputs alone: they do not depend on the months before.
    pub(super) fn refused_by_inputs(&self, sent: Vec<Value>, when: When) -> Vec<BadParameter> {
        let refused = self.prepare(sent, when).and_then(|mut run| run.check(true));

        match refused {
            Err(CalculationError::Refused(refusal)) => refusal.parameters,
            _ => Vec::new(),
        }
    }
}
