//! Sets of the steps of a method.

use super::StepId;

/// Steps of one word of a set.
const WORD: usize = u64::BITS as usize;

/// A set of the steps of a method: one bit each, so that the many sets that a query of some fields
/// joins cost a few instructions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StepSet(Box<[u64]>);

impl StepSet {
    /// The empty set of the steps of a method with `count` of them.
    pub(crate) fn empty(count: usize) -> Self {
        Self(vec![0; count.div_ceil(WORD)].into())
    }

    /// The union of some sets, of the steps of a method with `count` of them.
    pub(crate) fn union<'s>(count: usize, sets: impl Iterator<Item = &'s Self>) -> Self {
        let mut union = Self::empty(count);
        for set in sets {
            let words = union.0.iter_mut().zip(&set.0);
            words.for_each(|(word, other)| *word |= other);
        }
        union
    }

    /// Adds a step; one beyond the steps of the method is left out.
    pub(crate) fn insert(&mut self, step: StepId) {
        let (word, bit) = place(step);
        if let Some(word) = self.0.get_mut(word) {
            *word |= bit;
        }
    }

    pub(crate) fn contains(&self, step: StepId) -> bool {
        let (word, bit) = place(step);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }
}

/// The index of the word that has the bit of a step, and that bit.
fn place(step: StepId) -> (usize, u64) {
    (step.position() / WORD, 1 << (step.position() % WORD))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_union_has_the_steps_of_its_sets_and_no_others() {
        let of = |steps: &[usize]| {
            let mut set = StepSet::empty(130);
            steps.iter().for_each(|step| set.insert(StepId::new(*step)));
            set
        };

        let union = StepSet::union(130, [of(&[0, 63]), of(&[64, 129])].iter());
        let contained = (0..200).filter(|step| union.contains(StepId::new(*step)));
        assert_eq!(contained.collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert_eq!(union, of(&[0, 63, 64, 129, 200]));
    }
}
