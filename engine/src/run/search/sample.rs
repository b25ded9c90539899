//! Samples of the field, by which a search sees what lies above and below what it found.

use std::collections::VecDeque;

use rust_decimal::Decimal;

use crate::run::error::CalculationError;

use super::{Point, Search};

/// Samples that are computed together: a search that looks at one mostly looks at the next ones.
const TOGETHER: usize = 64;

/// The points at some inputs, in their order.
pub(super) struct Samples<'s, 'p, I> {
    search: &'s Search<'p>,
    inputs: I,
    /// The next inputs, each with its field where that is known.
    ready: VecDeque<(Decimal, Option<Decimal>)>,
}

impl<'p> Search<'p> {
    /// The points at some inputs, in their order; `None` for an input that is refused.
    pub(super) fn samples<I: Iterator<Item = Decimal>>(&self, inputs: I) -> Samples<'_, 'p, I> {
        Samples {
            search: self,
            inputs,
            ready: VecDeque::new(),
        }
    }
}

impl<I: Iterator<Item = Decimal>> Iterator for Samples<'_, '_, I> {
    type Item = Result<Option<Point>, CalculationError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ready.is_empty() {
            let next: Vec<Decimal> = self.inputs.by_ref().take(TOGETHER).collect();
            let fields = match &self.search.sampler {
                Some(sampler) => sampler.fields(&next),
                None => vec![None; next.len()],
            };
            self.ready = next.into_iter().zip(fields).collect();
        }

        let (input, field) = self.ready.pop_front()?;
        Some(match field {
            Some(field) => self.search.counted(Point { input, field }).map(Some),
            None => self.search.answer(input),
        })
    }
}
