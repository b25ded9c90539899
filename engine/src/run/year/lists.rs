//! The values of the parameters of a year of pays by month: one for all months, or a list.

use crate::law::parameter::{DATE, DEPARTURE, FINAL_MONTH, FIRST_MONTH, VERSION, YEAR};
use crate::law::{Input, Method, VALUE_SEPARATOR, YearBlock};
use crate::run::query::{RequestedMonth, parameter_names, unknown_parameter};
use crate::run::{Edition, Folder, Query};
use crate::say;
use crate::text::{BadParameter, Reason, Text};

use super::query::{RequestedMonths, refused};

/// The values of a parameter over the months.
pub(super) enum Months<'q> {
    /// One value for all months.
    All(&'q str),
    /// A value for each month.
    Each(Vec<&'q str>),
}

impl<'q> Months<'q> {
    pub(super) fn of(&self, index: usize) -> &'q str {
        match self {
            Self::All(value) => value,
            Self::Each(values) => values.get(index).copied().unwrap_or_default(),
        }
    }
}

/// The values of the parameters by month.
pub(super) struct Lists<'m, 'q> {
    pub folder: &'m Folder,
    pub method: &'m Method,
    pub block: &'m YearBlock,
    pub months: Vec<(&'q str, Months<'q>)>,
    pub bad: Vec<BadParameter>,
}

impl<'m, 'q> Lists<'m, 'q> {
    pub(super) fn read(&mut self, query: &Query<'q>) {
        // Parameters are known without a day: which inputs there are is a matter of the method.
        let of_month = Query {
            month: Some(RequestedMonth { last_day: None }),
            ..query.without_any()
        };

        for (index, (name, _)) in query.parameters.iter().enumerate() {
            // A repeated parameter is a list: it is read once, with all its values.
            let is_again = query
                .parameters
                .iter()
                .take(index)
                .any(|(before, _)| before == name);
            // The parameters of the year itself were read before.
            if !is_again && ![YEAR, FIRST_MONTH, FINAL_MONTH, DEPARTURE, VERSION].contains(name) {
                self.parameter(name, query.all(name).collect(), &of_month);
            }
        }
    }

    /// The input that is the number of the month in a year.
    pub(super) fn rank(&self) -> Option<&'m Input> {
        self.block.rank()?.of(self.method.inputs())
    }

    /// Reads a parameter; `of_month` is the query of a month, without parameters.
    fn parameter(&mut self, name: &'q str, sent: Vec<&'q str>, of_month: &Query) {
        let first = sent.first().copied().unwrap_or_default();
        let is_asked_for = parameter_names(self.method).any(|known| known == name);
        let is_rank = self.rank().is_some_and(|rank| rank.name == name);
        // In a year, the months decide the day, the rank and the amounts: these are refused with a
        // reason of their own.
        if name == DATE || self.block.is_excluded_in_year(name) || is_asked_for || is_rank {
            self.bad.push(refused(
                name,
                Reason::NotInYear,
                Some(first).filter(|text| !text.is_empty()),
            ));
            return;
        }

        if self.block.varies(name) {
            return self.list(name, &sent);
        }

        let mut methods = self.folder.editions().iter().map(Edition::method);
        if !methods.any(|method| of_month.known(method, true).any(|known| known == name)) {
            // Of the whole year; one that the scales of some months know is for these to judge.
            self.bad.push(unknown_parameter(
                name,
                first,
                of_month.known(self.method, true),
            ));
            return;
        }

        let is_input = self.method.inputs().iter().any(|input| input.name == name);
        if is_input && (sent.len() > 1 || first.contains(VALUE_SEPARATOR)) {
            let expected = Text::new("une seule valeur", "a single value");
            self.bad.push(BadParameter::because(
                name,
                Reason::HoldsForYear,
                Some(&sent.join(&VALUE_SEPARATOR.to_string())),
                expected,
            ));
            // Reported once for the year: the months get the first value.
            self.months.extend(
                first
                    .split(VALUE_SEPARATOR)
                    .next()
                    .map(|value| (name, Months::All(value.trim()))),
            );
            return;
        }

        self.months
            .extend(sent.into_iter().map(|value| (name, Months::All(value))));
    }

    /// Reads the values of an input that may differ from month to month.
    fn list(&mut self, name: &'q str, sent: &[&'q str]) {
        // `a;b;c` and a repeated parameter both are lists, and an empty place has the default.
        let months: Vec<&'q str> = sent
            .iter()
            .flat_map(|value| value.split(VALUE_SEPARATOR))
            .map(str::trim)
            .collect();
        // Values separated by `;` in a repeated parameter: one of the two ways would be ignored.
        if sent.len() > 1 && sent.iter().any(|value| value.contains(VALUE_SEPARATOR)) {
            let expected = Text::new(
                "`a;b;c`, ou le paramètre répété",
                "`a;b;c`, or the parameter repeated",
            );
            self.bad.push(BadParameter::because(
                name,
                Reason::ListTwice,
                Some(&sent.join("&")),
                expected,
            ));
        }

        let months = match months.as_slice() {
            [all] => Months::All(all),
            _ => Months::Each(months),
        };

        self.months.push((name, months));
    }

    /// Refuses one value for several months of an input that each of them has its own value of.
    pub(super) fn check_each_month(&mut self, count: usize) {
        for (name, months) in &self.months {
            // A sum such as a bonus paid in one month must not be counted in each of them.
            let Months::All(value) = months else { continue };

            if count > 1 && !value.is_empty() && self.block.is_asked_each_month(name) {
                let expected = say!(
                    "{count} valeurs séparées par `;`, une par mois : \
                     une place vide a la valeur par défaut",
                    "{count} values separated by `;`, one for each month: \
                     an empty place has the default"
                );
                let reason = Reason::OneForSeveralMonths { count };
                self.bad
                    .push(BadParameter::because(name, reason, Some(value), expected));
            }
        }
    }

    /// The number of months: the common length of the lists; without lists, all months up to
    /// December. Where the query names the last month, the lists must go up to it.
    pub(super) fn count(&mut self, asked: &RequestedMonths) -> usize {
        let room = asked.month_count();
        let lists = self
            .months
            .iter()
            .filter_map(|(name, months)| match months {
                Months::Each(values) => Some((*name, values)),
                Months::All(_) => None,
            });

        let mut lists = lists.peekable();
        let Some((first, values)) = lists.peek().copied() else {
            return room;
        };

        // The lists are held to the last month, or else to the length of the first list.
        let (first, count) = if asked.last.is_some() {
            (FINAL_MONTH, room)
        } else {
            (first, values.len())
        };

        for (name, values) in lists {
            let found = values.len();

            let reason = if found > room {
                Reason::TooManyMonths { found }
            } else if found != count {
                Reason::OtherLength {
                    other: first.to_owned(),
                    count,
                    found,
                }
            } else {
                continue;
            };

            let expected = say!(
                "une valeur pour tous les mois, ou une par mois : {room} au plus",
                "a value for all the months, or one for each: {room} at most"
            );

            let sent = values.join(&VALUE_SEPARATOR.to_string());
            self.bad
                .push(BadParameter::because(name, reason, Some(&sent), expected));
        }

        count.min(room)
    }
}
