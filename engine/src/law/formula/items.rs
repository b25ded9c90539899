//! Functions of the values that an expression has for the items of a group: `sum`, `count`, `any`.

use rust_decimal::Decimal;

use crate::law::column::{Active, Block, Booleans, Column, Numbers};
use crate::law::{SlotId, Value};
use crate::text::number::{add, larger, smaller};

use super::code::{Code, State};
use super::error::EvalError;
use super::function::{Function, Typing};

/// How the values of the items become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemFold {
    Sum,
    /// The number of items: the sum of 1 for each.
    Count,
    Least,
    Greatest,
    Any,
    All,
    /// The sum over the items before the one that is being computed.
    Before,
}

impl ItemFold {
    /// Whether its argument and its value are conditions.
    pub(super) fn is_of_conditions(self) -> bool {
        matches!(self, Self::Any | Self::All)
    }
}

/// A compiled function of items.
#[derive(Debug, Clone)]
pub(crate) struct ItemsCode {
    fold: ItemFold,
    /// A slot whose list has a value for each item.
    size: SlotId,
    of: Code,
    /// What the items that count have in common with the one that is being computed.
    key: Option<Code>,
}

impl ItemsCode {
    /// Compiles a function of the items of the group whose first input has the slot `size`.
    pub(super) fn compile(
        function: &Function,
        size: Option<SlotId>,
        of: Code,
        key: Option<Code>,
    ) -> Code {
        match (&function.typing, size) {
            (Typing::Items(fold), Some(size)) => Code::Items(Box::new(Self {
                fold: *fold,
                size,
                of,
                key,
            })),
            _ => Code::Invalid,
        }
    }

    pub(super) fn is_boolean(&self) -> bool {
        self.fold.is_of_conditions()
    }

    pub(super) fn visit_slots(&self, visit: &mut impl FnMut(SlotId)) {
        visit(self.size);
        self.of.visit_slots(visit);
        if let Some(key) = &self.key {
            key.visit_slots(visit);
        }
    }

    /// Its number for one calculation.
    pub(super) fn number(&self, state: &State) -> Result<Decimal, EvalError> {
        let mut found: Option<Decimal> = None;
        self.each(state, |state| {
            let value = self.of.number(state)?;
            found = Some(match (found, self.fold) {
                (None, _) => value,
                (Some(found), ItemFold::Least) => smaller(found, value),
                (Some(found), ItemFold::Greatest) => larger(found, value),
                (Some(found), _) => add(found, value)?,
            });
            Ok(true)
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Its condition for one calculation.
    pub(super) fn boolean(&self, state: &State) -> Result<bool, EvalError> {
        // One item decides: that which meets `any`, or does not meet `all`.
        let deciding = self.fold == ItemFold::Any;
        let mut is_decided = false;
        self.each(state, |state| {
            is_decided = self.of.boolean(state)? == deciding;
            Ok(!is_decided)
        })?;
        Ok(is_decided == deciding)
    }

    /// Visits the items that count, in their order, until a visit says that no other is needed.
    fn each(
        &self,
        state: &State,
        mut visit: impl FnMut(&State) -> Result<bool, EvalError>,
    ) -> Result<(), EvalError> {
        let here = state.item.get();
        let own = self.key.as_ref().map(|key| key.run(state)).transpose()?;
        let count = match self.fold {
            ItemFold::Before => here,
            _ => state.items(self.size)?.len(),
        };

        let mut visited = Ok(());
        for item in 0..count {
            state.item.set(item);
            let counts = match (&self.key, &own) {
                (Some(key), Some(own)) => key.run(state).map(|key| key == *own),
                _ => Ok(true),
            };
            match counts.and_then(|counts| if counts { visit(state) } else { Ok(true) }) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    visited = Err(error);
                    break;
                }
            }
        }
        // A formula of an item goes on with that item.
        state.item.set(here);
        visited
    }

    /// Its numbers over a block of rows, none of which has an item.
    pub(super) fn numbers(&self, block: &Block, active: &Active) -> Numbers {
        if !has_no_items(block, self.size) {
            block.fail_all::<()>(active);
        }
        Numbers::One(Decimal::ZERO)
    }

    /// Its conditions over a block of rows, none of which has an item.
    pub(super) fn booleans(&self, block: &Block, active: &Active) -> Booleans {
        if !has_no_items(block, self.size) {
            block.fail_all::<()>(active);
        }
        Booleans::One(self.fold == ItemFold::All)
    }
}

/// Whether no row of a block has an item of the group with this slot. Rows with items are computed
/// one by one.
pub(crate) fn has_no_items(block: &Block, size: SlotId) -> bool {
    matches!(block.get(size), Some(Column::One(Value::List(values))) if values.is_empty())
}
