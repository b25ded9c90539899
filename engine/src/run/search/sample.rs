//! Samples of the field, by which a search sees what lies above and below what it found.

use std::collections::VecDeque;

use rust_decimal::Decimal;

use crate::run::error::CalculationError;

use super::{Point, Search};

/// Samples that are computed together at first: a search that looks at one mostly looks at the next
/// ones.
const TOGETHER: usize = 64;

/// Most samples that are computed together: each block takes some time whatever its length, and a
/// search that has come far mostly goes to the end.
const MOST_TOGETHER: usize = 512;

/// Points computed together that count as one evaluation.
const SHARE: usize = 8;

/// The points at some inputs, in their order.
pub(super) struct Samples<'s, 'p, I> {
    search: &'s Search<'p>,
    inputs: I,
    /// The next inputs, each with its field where that is known.
    ready: VecDeque<(Decimal, Option<Decimal>)>,
    /// How many of the next inputs are computed together.
    together: usize,
    /// Points computed with others so far.
    taken: usize,
}

impl<'p> Search<'p> {
    /// The points at some inputs, in their order; `None` for an input that is refused.
    pub(super) fn samples<I: Iterator<Item = Decimal>>(&self, inputs: I) -> Samples<'_, 'p, I> {
        Samples {
            search: self,
            inputs,
            ready: VecDeque::new(),
            together: TOGETHER,
            taken: 0,
        }
    }
}

impl<I: Iterator<Item = Decimal>> Iterator for Samples<'_, '_, I> {
    type Item = Result<Option<Point>, CalculationError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ready.is_empty() {
            let next: Vec<Decimal> = self.inputs.by_ref().take(self.together).collect();
            self.together = self.together.saturating_mul(2).min(MOST_TOGETHER);
            let fields = match self.search.sampler() {
                Some(sampler) => sampler.fields(&next),
                None => vec![None; next.len()],
            };
            self.ready = next.into_iter().zip(fields).collect();
        }

        let (input, field) = self.ready.pop_front()?;
        Some(match field {
            Some(field) => {
                self.taken = self.taken.wrapping_add(1);
                // Together, points cost a part of what they cost one by one.
                let counted = match self.taken % SHARE {
                    0 => self.search.count(input),
                    _ => Ok(()),
                };
                counted.map(|()| Some(Point { input, field }))
            }
            None => self.search.answer(input),
        })
    }
}
