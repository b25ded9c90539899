//! Amounts at which the line above all others is passed, exact to the unit: the signs of differences
//! over a grid, which is refined where another line is near, then narrowed to two neighbours.

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

/// Width down to which an interval is divided where its two lines are near.
const FINEST: i64 = 64;

/// Amounts at which a line is looked at, the grid aside, before the search is content with wider
/// intervals: few of one whose every value is itself looked for.
const MOST: usize = 160;
const MOST_OF_DEAR: usize = 12;

/// Steps of the narrowing of an interval: one in three halves it, whatever its lines are.
const MOST_STEPS: usize = 96;

/// The value of a line at some amounts; `None` where it has none.
pub(super) type Values<'v> = dyn FnMut(usize, &[i64]) -> Vec<Option<Decimal>> + 'v;

/// A line passes another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crossing {
    /// The last amount at which it is not above.
    pub amount: i64,
    /// The line that is above until there; `None` where both are equal.
    pub before: Option<usize>,
    /// The other of the two where none is above.
    pub other: usize,
    /// The line that is above from the next amount on.
    pub after: usize,
}

/// A line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// The line.
    pub line: usize,
    /// The last amount at which it has a value.
    pub amount: i64,
}

/// The crossings of some lines.
#[derive(Debug, Default)]
pub struct Crossings {
    /// The crossings, in the order of their amounts.
    pub crossings: Vec<Crossing>,
    /// The ends of lines.
    pub ends: Vec<End>,
    /// Two crossings of two lines that are nearer than this may be missed; one unit where the lines
    /// are nowhere that near.
    pub precision: i64,
}

/// Two lines, the first and the second.
type Pair = (usize, usize);

/// An interval of a pair between two amounts at which both lines are known.
#[derive(Debug, Clone, Copy)]
struct Interval {
    pair: Pair,
    from: i64,
    to: i64,
}

impl Interval {
    fn width(self) -> i64 {
        self.to - self.from
    }
}

/// Where the sign of a difference changes: the last amount before, and the sign after.
#[derive(Debug, Clone, Copy)]
struct Change {
    pair: Pair,
    amount: i64,
    sign: i8,
}

/// The lines as far as they are known.
pub(super) struct Search<'v> {
    values: &'v mut Values<'v>,
    pub known: Vec<BTreeMap<i64, Option<Decimal>>>,
    /// Amounts at which each line may be looked at.
    most: Vec<usize>,
    /// A line whose values cost little.
    cheap: usize,
}

impl<'v> Search<'v> {
    /// Lines whose values are known at the amounts of a grid; `is_dear` says of each whether a value
    /// costs as much as a search.
    pub(super) fn new(
        known: Vec<BTreeMap<i64, Option<Decimal>>>,
        is_dear: &[bool],
        values: &'v mut Values<'v>,
    ) -> Self {
        let most = |(line, known): (usize, &BTreeMap<i64, Option<Decimal>>)| {
            let is_dear = is_dear.get(line).copied().unwrap_or_default();
            known.len() + if is_dear { MOST_OF_DEAR } else { MOST }
        };
        let most = known.iter().enumerate().map(most).collect();
        Self {
            values,
            known,
            most,
            cheap: is_dear.iter().position(|dear| !dear).unwrap_or_default(),
        }
    }

    /// The crossings.
    pub(super) fn crossings(&mut self) -> Crossings {
        // 1. Where they all begin and where one ends, every line is looked at.
        let start = self.start();
        let ends = self.ends();
        for line in 0..self.known.len() {
            let at = ends.iter().map(|end| end.amount).chain(start);
            let at: Vec<(usize, i64)> = at.map(|amount| (line, amount)).collect();
            self.look_at(&at);
        }

        // 2. The intervals in which the sign of a difference changes.
        let (brackets, precision) = self.brackets();

        // 3. The amounts at which it does, pair by pair.
        let changes = self.narrowed(brackets);
        let mut crossings: Vec<Crossing> = self
            .pairs()
            .into_iter()
            .flat_map(|pair| self.of_pair(pair, &changes))
            .collect();
        crossings.sort_by_key(|crossing| (crossing.amount, crossing.after));

        // 4. An interval also has those below the first, which are nobody's question.
        let lines = 0..self.known.len();
        let after = |crossing: &Crossing| crossing.amount + 1;
        let at = crossings.iter().map(after);
        let at: Vec<(usize, i64)> = at
            .flat_map(|amount| lines.clone().map(move |line| (line, amount)))
            .collect();
        self.look_at(&at);
        crossings
            .retain(|crossing| self.is_first((crossing.other, crossing.after), after(crossing)));

        Crossings {
            crossings,
            ends,
            precision,
        }
    }

    /// The value of a line at an amount, between two known ones as if it were straight there.
    pub(super) fn about(&self, line: usize, amount: i64) -> Option<Decimal> {
        let known = self.known.get(line)?;
        if let Some(value) = known.get(&amount) {
            return *value;
        }
        let (from, low) = known.range(..amount).next_back()?;
        let (to, high) = known.range(amount..).next()?;
        let (low, high) = ((*low)?, (*high)?);
        let rise = high.checked_sub(low)?;
        let share = Decimal::from(amount - from).checked_div(Decimal::from(to - from))?;
        low.checked_add(rise.checked_mul(share)?)
    }

    fn pairs(&self) -> Vec<Pair> {
        let count = self.known.len();
        let of_first = |first: usize| (first + 1..count).map(move |second| (first, second));
        (0..count).flat_map(of_first).collect()
    }

    /// Looks at lines at some amounts, those of a line together.
    fn look_at(&mut self, requested: &[(usize, i64)]) {
        let mut by_line: BTreeMap<usize, BTreeSet<i64>> = BTreeMap::new();
        for (line, amount) in requested {
            let is_known = |known: &BTreeMap<_, _>| known.contains_key(amount);
            if !self.known.get(*line).is_none_or(is_known) {
                by_line.entry(*line).or_default().insert(*amount);
            }
        }

        for (line, amounts) in by_line {
            let amounts: Vec<i64> = amounts.into_iter().collect();
            let values = (self.values)(line, &amounts);
            if let Some(known) = self.known.get_mut(line) {
                known.extend(amounts.into_iter().zip(values));
            }
        }
    }

    fn value(&self, line: usize, amount: i64) -> Option<Decimal> {
        *self.known.get(line)?.get(&amount)?
    }

    /// The second line less the first.
    fn difference(&self, (first, second): Pair, amount: i64) -> Option<Decimal> {
        let first = self.value(first, amount)?;
        self.value(second, amount)?.checked_sub(first)
    }

    /// 1 where the second line is above, -1 where the first is, 0 where they are equal.
    fn sign(&self, pair: Pair, amount: i64) -> Option<i8> {
        let difference = self.difference(pair, amount)?;
        Some(match difference {
            found if found.is_zero() => 0,
            found if found.is_sign_negative() => -1,
            _ => 1,
        })
    }

    /// The first amount that is accepted, where the least ones of the grid are refused.
    fn start(&mut self) -> Option<i64> {
        let line = self.cheap;
        let known = self.known.get(line)?;
        let (to, _) = known.iter().find(|(_, value)| value.is_some())?;
        let (from, _) = known.range(..to).next_back()?;
        let (mut from, mut to) = (*from, *to);
        while to - from > 1 {
            let middle = from + (to - from) / 2;
            self.look_at(&[(line, middle)]);
            if self.value(line, middle).is_some() {
                to = middle;
            } else {
                from = middle;
            }
        }
        Some(to)
    }

    /// The last amount of each line that ends within the grid.
    fn ends(&mut self) -> Vec<End> {
        let mut ends = Vec::new();
        for line in 0..self.known.len() {
            let known: Vec<(i64, bool)> = self
                .known
                .get(line)
                .into_iter()
                .flatten()
                .map(|(amount, value)| (*amount, value.is_some()))
                .collect();

            // The last place where a line has a value and its neighbour has none: a threshold is
            // between.
            let neighbours = known.iter().zip(known.iter().skip(1));
            let Some((mut from, mut to)) = neighbours
                .filter(|((_, here), (_, next))| *here && !next)
                .map(|((from, _), (to, _))| (*from, *to))
                .next_back()
            else {
                continue;
            };

            while to - from > 1 {
                let middle = from + (to - from) / 2;
                self.look_at(&[(line, middle)]);
                if self.value(line, middle).is_some() {
                    from = middle;
                } else {
                    to = middle;
                }
            }
            ends.push(End { line, amount: from });
        }
        ends
    }

    /// The intervals with a change of sign, and the width of those that may hide two changes.
    fn brackets(&mut self) -> (Vec<Interval>, i64) {
        let mut open: Vec<Interval> = Vec::new();
        for pair in self.pairs() {
            let (first, second) = (self.known.get(pair.0), self.known.get(pair.1));
            let (Some(first), Some(second)) = (first, second) else {
                continue;
            };
            let both = first.keys().filter(|amount| second.contains_key(amount));
            let both: Vec<i64> = both.copied().collect();
            let intervals = both.iter().zip(both.iter().skip(1));
            open.extend(intervals.map(|(from, to)| Interval {
                pair,
                from: *from,
                to: *to,
            }));
        }

        let (mut brackets, mut precision) = (Vec::new(), 1);
        while !open.is_empty() {
            let mut near = Vec::new();
            for interval in open.drain(..) {
                match self.look(interval) {
                    Look::Changes => brackets.push(interval),
                    Look::Near => near.push(interval),
                    Look::Separate => {}
                }
            }

            // A line that was looked at often enough keeps its wider intervals.
            let is_spent = |line: usize| {
                let looked = self.known.get(line).map_or(0, BTreeMap::len);
                self.most.get(line).is_none_or(|most| looked >= *most)
            };
            let (divided, kept): (Vec<Interval>, Vec<Interval>) =
                near.into_iter().partition(|interval| {
                    let (first, second) = interval.pair;
                    interval.width() > FINEST && !is_spent(first) && !is_spent(second)
                });
            precision = kept
                .iter()
                .map(|interval| interval.width())
                .fold(precision, i64::max);

            let middle = |interval: &Interval| interval.from + interval.width() / 2;
            let requested: Vec<(usize, i64)> = divided
                .iter()
                .flat_map(|interval| {
                    let (first, second) = interval.pair;
                    [(first, middle(interval)), (second, middle(interval))]
                })
                .collect();
            self.look_at(&requested);
            open = divided
                .into_iter()
                .flat_map(|interval| {
                    let at = middle(&interval);
                    [
                        Interval { to: at, ..interval },
                        Interval {
                            from: at,
                            ..interval
                        },
                    ]
                })
                .collect();
        }
        (brackets, precision)
    }

    /// What an interval may hold. Where the rises of two lines differ by at most half of that of the
    /// amount, they are separate as long as both differences add up to more than half of its width.
    fn look(&self, interval: Interval) -> Look {
        let Interval { pair, from, to } = interval;
        let differences = self.difference(pair, from).zip(self.difference(pair, to));
        let Some((before, after)) = differences else {
            return Look::Separate;
        };
        // Who passes whom below the first is nobody's question.
        if !self.is_first(pair, from) && !self.is_first(pair, to) {
            return Look::Separate;
        }
        if self.sign(pair, from) != self.sign(pair, to) {
            return Look::Changes;
        }
        let both = before.abs().saturating_add(after.abs());
        let both = both.saturating_mul(Decimal::TWO);
        if !both.is_zero() && both <= Decimal::from(interval.width()) {
            Look::Near
        } else {
            Look::Separate
        }
    }

    /// Whether no line is above both of a pair.
    fn is_first(&self, (first, second): Pair, amount: i64) -> bool {
        let greatest = self.about(first, amount).max(self.about(second, amount));
        (0..self.known.len()).all(|line| self.about(line, amount) <= greatest)
    }

    /// The changes of sign in some intervals, all narrowed together: those of a line are looked at
    /// as one.
    fn narrowed(&mut self, brackets: Vec<Interval>) -> Vec<Change> {
        let mut open = brackets;
        let mut changes = Vec::new();
        for step in 0..MOST_STEPS {
            if open.is_empty() {
                break;
            }
            let at: Vec<i64> = open
                .iter()
                .map(|interval| self.guess(*interval, step))
                .collect();
            let requested: Vec<(usize, i64)> = open
                .iter()
                .zip(&at)
                .flat_map(|(interval, at)| [(interval.pair.0, *at), (interval.pair.1, *at)])
                .collect();
            self.look_at(&requested);

            let mut next = Vec::new();
            for (interval, at) in open.into_iter().zip(at) {
                let Interval { pair, from, to } = interval;
                if to - from <= 1 {
                    changes.extend(self.sign(pair, to).map(|sign| Change {
                        pair,
                        amount: from,
                        sign,
                    }));
                    continue;
                }
                let (upper, lower) = (
                    Interval {
                        from: at,
                        ..interval
                    },
                    Interval { to: at, ..interval },
                );
                // Beside a middle of a third sign, as where both are equal, there are two changes.
                for half in [lower, upper] {
                    if self.sign(pair, half.from) != self.sign(pair, half.to) {
                        next.push(half);
                    }
                }
            }
            open = next;
        }
        changes
    }

    /// An amount within an interval near which its sign may change.
    fn guess(&self, interval: Interval, step: usize) -> i64 {
        let Interval { pair, from, to } = interval;
        let middle = from + interval.width() / 2;
        let straight = || {
            let before = self.difference(pair, from)?.abs();
            let after = self.difference(pair, to)?.abs();
            let share = before.checked_div(before.checked_add(after)?)?;
            let way = share.checked_mul(Decimal::from(interval.width()))?;
            from.checked_add(way.round().to_i64()?)
        };
        let guess = if step % 3 == 2 { None } else { straight() };
        guess
            .unwrap_or(middle)
            .clamp(from + 1, (to - 1).max(from + 1))
    }

    /// The crossings of a pair: equal for a while is none, unless another line is above after it.
    fn of_pair(&self, pair: Pair, changes: &[Change]) -> Vec<Crossing> {
        let line = |sign: i8| match sign {
            0 => None,
            found if found > 0 => Some(pair.1),
            _ => Some(pair.0),
        };
        // Which line was above last; 0 where both have been equal so far.
        let before = |amount: i64| {
            let known = self.known.get(pair.0).into_iter();
            let mut earlier = known.flat_map(|known| known.range(..=amount).rev());
            let sign =
                earlier.find_map(|(amount, _)| self.sign(pair, *amount).filter(|sign| *sign != 0));
            sign.unwrap_or_default()
        };

        let own = changes.iter().filter(|change| change.pair == pair);
        let crossing = |change: &Change| {
            let before = before(change.amount);
            let after = line(change.sign).filter(|_| change.sign != before)?;
            Some(Crossing {
                amount: change.amount,
                before: line(before),
                other: if after == pair.0 { pair.1 } else { pair.0 },
                after,
            })
        };
        own.filter_map(crossing).collect()
    }
}

/// What an interval may hold.
enum Look {
    /// The sign of the difference changes.
    Changes,
    /// It may change twice.
    Near,
    /// Nothing.
    Separate,
}

#[cfg(test)]
mod tests;
