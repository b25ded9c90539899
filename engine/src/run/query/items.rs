//! The lists of a group in a query: one value for each of its items.

use crate::law::{Input, InputId, Method, Presence, Value};
use crate::text::Reason;

use super::read::Reader;

impl Reader<'_, '_> {
    /// Refuses lists of a group that do not have a value for each of its items; gives each item the
    /// one value that holds for all.
    pub(super) fn items(&mut self, method: &Method, values: &mut [Value]) {
        for group in method.groups() {
            let length = |input: &InputId| match input.of(values) {
                Some(Value::List(list)) => Some(list.len()),
                _ => None,
            };
            let of_group: Vec<(InputId, &Input, Option<usize>)> = group
                .inputs
                .iter()
                .filter_map(|id| Some((*id, id.of(method.inputs())?, length(id))))
                .collect();

            // The first list says how many items there are; one value for all, where no other does.
            let may_be_one = |input: &Input, list: &Option<usize>| input.shared && *list == Some(1);
            let lists = || of_group.iter().filter(|(_, _, list)| list.is_some());
            let own = lists().find(|(_, input, list)| !may_be_one(input, list));
            let Some((first, count)) = own
                .or_else(|| lists().next())
                .and_then(|(_, first, list)| Some((*first, (*list)?)))
            else {
                continue;
            };
            if count < group.least {
                let reason = Reason::TooFewItems {
                    found: count,
                    least: group.least,
                };
                let sent = self.query.sent(&first.name);
                self.refuse(&first.name, reason, sent, first.accepted());
            }

            let mut shared = Vec::new();
            for (id, input, list) in &of_group {
                let sent = self.query.sent(&input.name);
                let reason = match list {
                    Some(found) if *found == count => continue,
                    Some(_) if may_be_one(input, list) => {
                        shared.push(*id);
                        continue;
                    }
                    Some(found) => Reason::OtherItems {
                        other: first.name.clone(),
                        count,
                        found: *found,
                    },
                    None if sent.is_none() && matches!(input.presence, Presence::OfEachItem) => {
                        Reason::Missing
                    }
                    None => continue,
                };
                self.refuse(&input.name, reason, sent, input.accepted());
            }

            for id in shared {
                if let Some(Value::List(list)) = values.get_mut(id.position())
                    && let Some(one) = list.first().cloned()
                {
                    *list = vec![one; count].into();
                }
            }
        }
    }
}
