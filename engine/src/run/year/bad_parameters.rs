//! The bad parameters of the months of a year of pays, without duplicates.

use crate::text::refusal::BadParameter;

/// The bad parameters of the months.
#[derive(Default)]
pub(super) struct MonthlyBadParameters {
    /// Each with the months that have it, in the order in which they were found.
    found: Vec<(BadParameter, Vec<i8>)>,
}

impl MonthlyBadParameters {
    /// Adds those of a month.
    pub(super) fn take(&mut self, month: i8, bad: impl IntoIterator<Item = BadParameter>) {
        for bad in bad {
            match self.found.iter_mut().find(|(known, _)| *known == bad) {
                Some((_, months)) => months.push(month),
                None => self.found.push((bad, vec![month])),
            }
        }
    }

    /// Removes the bad parameters for which `is_kept` is false.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&BadParameter) -> bool) {
        self.found.retain(|(bad, _)| is_kept(bad));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The bad parameters as a list: those of one parameter together, in the order in which they
    /// were found and of the months. What is wrong in all `count` months with a parameter that is
    /// no list is wrong with the whole year, and names no month.
    pub(super) fn into_list(self, count: usize, lists: &[String]) -> Vec<BadParameter> {
        let names: Vec<String> = self.found.iter().map(|(bad, _)| bad.name.clone()).collect();
        let mut listed: Vec<((Option<usize>, i8), BadParameter)> = Vec::new();

        for (bad, months) in self.found {
            let place = names.iter().position(|name| *name == bad.name);

            // Place 0 comes before the months of the same parameter.
            if months.len() >= count && !lists.contains(&bad.name) {
                listed.push(((place, 0), bad));
                continue;
            }

            listed.extend(
                months
                    .into_iter()
                    .map(|month| ((place, month), bad.clone().in_month(month))),
            );
        }

        listed.sort_by_key(|(place, _)| *place);
        listed.into_iter().map(|(_, bad)| bad).collect()
    }
}
