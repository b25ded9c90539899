//! The edges at which the rate of a scale changes.

use rust_decimal::Decimal;

use crate::law::Bound;
use crate::law::figure::BoundWord;
use crate::text::number::{add, sub};

use super::bracket::Bracket;

/// The edges of brackets, by which a tax is a sum of what is above each.
pub(super) struct Changes {
    /// The marginal rate before the first edge that changes it.
    pub start: Decimal,
    pub edges: Vec<Change>,
    /// Whether a base that is equal to an edge is past it.
    pub is_past_at: bool,
    /// The last upper bound, above which the law does not say.
    pub top: Option<Decimal>,
}

/// An edge of a scale, with the changes of the rate there: of the slice above it, and of the
/// marginal rate.
pub(super) struct Change {
    pub at: Decimal,
    pub of_slice: Decimal,
    pub of_base: Decimal,
}

impl Changes {
    /// The changes of brackets that go up and are found by their edges; `None` for others.
    pub(super) fn new(brackets: &[Bracket]) -> Option<Self> {
        // 1. A base is past an edge in the same way at all of them.
        let is_past = |bound: Bound| matches!(bound.word, BoundWord::Below | BoundWord::From);
        let of_word = |bound: Bound| (is_past(bound), bound.word.is_upper());
        let mut words = brackets
            .iter()
            .filter_map(|bracket| bracket.bound.map(of_word));
        let (is_past_at, are_upper) = words.next().unwrap_or((false, true));
        if words.any(|word| word != (is_past_at, are_upper)) {
            return None;
        }

        // 2. A slice adds its rate at its start and takes it off at its end.
        let mut changes = Self {
            start: Decimal::ZERO,
            edges: Vec::new(),
            is_past_at,
            top: None,
        };
        let last = brackets.len().checked_sub(1)?;
        let mut before = Decimal::ZERO;
        for (index, bracket) in brackets.iter().enumerate() {
            if !is_found_by_edge(
                bracket,
                are_upper,
                index == if are_upper { last } else { 0 },
            ) {
                return None;
            }

            // Below its start, a first row with an upper bound or without one gives its rate too.
            let is_open = index == 0 && (are_upper || bracket.bound.is_none());
            if is_open {
                changes.start = bracket.rate;
            }
            let of_base = if is_open {
                Decimal::ZERO
            } else {
                sub(bracket.rate, before).ok()?
            };
            changes.add(bracket.from, bracket.rate, of_base)?;
            if let Some(to) = bracket.to {
                let end = sub(Decimal::ZERO, bracket.rate).ok()?;
                changes.add(to, end, Decimal::ZERO)?;
            }
            before = bracket.rate;
        }

        let bound = brackets.last().and_then(|bracket| bracket.bound);
        changes.top = bound.filter(|_| are_upper).map(|bound| bound.value);
        Some(changes)
    }

    /// Adds what an edge changes, which is not below those before it.
    fn add(&mut self, at: Decimal, of_slice: Decimal, of_base: Decimal) -> Option<()> {
        match self.edges.last_mut() {
            Some(last) if at < last.at => return None,
            Some(last) if at == last.at => {
                last.of_slice = add(last.of_slice, of_slice).ok()?;
                last.of_base = add(last.of_base, of_base).ok()?;
            }
            _ => self.edges.push(Change {
                at,
                of_slice,
                of_base,
            }),
        }
        Some(())
    }
}

/// Whether a bracket is found by its own edge; one that is open may have none.
fn is_found_by_edge(bracket: &Bracket, are_upper: bool, may_be_open: bool) -> bool {
    let edge = if are_upper {
        bracket.to
    } else {
        Some(bracket.from)
    };
    match bracket.bound {
        Some(bound) => Some(bound.value) == edge,
        None => may_be_open,
    }
}
