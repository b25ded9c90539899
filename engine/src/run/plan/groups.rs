//! Groups of rows that one edition computes with the same year and month.

use std::borrow::Cow;
use std::collections::HashMap;

use jiff::civil::Date;

use crate::law::Warning;
use crate::law::formula::When;
use crate::law::method::Method;
use crate::law::parameter::{DATE, OF_THE_DAY, YEAR};
use crate::law::source::parse_date;
use crate::run::edition::Edition;
use crate::run::program::Program;
use crate::run::query::first_day;
use crate::text::normalize;

use super::answers::UsedScale;
use super::cells::{Cells, Rows};
use super::slice::Slices;
use super::{Plan, Target};

/// Rows that one edition computes, on days of the same year and month.
pub(super) struct Group<'p> {
    pub edition: &'p Edition,
    pub program: &'p Program,
    pub slices: &'p Slices,
    pub when: When,
    pub scale: UsedScale,
    /// The warnings that every row has.
    pub warnings: Vec<Warning>,
    /// Columns that are accepted without effect.
    pub ignored: Vec<&'p str>,
    /// Columns that only a single calculation can interpret.
    odd: Vec<&'p str>,
    pub rows: Vec<usize>,
}

/// Groups the rows; rows that cannot be grouped are added to `alone`.
pub(super) fn groups<'p>(
    plan: &'p Plan,
    rows: &Rows<'p>,
    alone: &mut Vec<usize>,
) -> Vec<Group<'p>> {
    let mut grouping = Grouping {
        plan,
        rows,
        groups: Vec::new(),
        of_day: HashMap::new(),
        last: None,
    };

    let words = plan.by.as_deref().and_then(|by| rows.column(by));
    // A column of days or years mostly repeats one value: it is parsed where it changes.
    let (dates, years) = (rows.column(DATE), rows.column(YEAR));
    let (mut words, mut days) = (Memo::new(words), Memo::new(dates.or(years)));

    // Without any of these columns, all rows are of one group.
    let has_one = plan.by.is_none() && dates.is_none() && years.is_none();
    let shared = has_one.then(|| grouping.group(0, plan.day)).flatten();
    let left = match shared.and_then(|index| grouping.groups.get_mut(index)) {
        Some(group) => {
            group.rows = (0..rows.count()).collect();
            0..0
        }
        None => 0..rows.count(),
    };

    for row in left {
        // Without a word to choose by, there is a single folder.
        let target = if plan.by.is_some() {
            words.of(row, |word| plan.target(word)).flatten()
        } else {
            Some(0)
        };

        // `date` and `annee` at once are refused: that row is computed alone, which says so.
        let day = match (dates, years) {
            (Some(_), Some(years)) if years.is_present(row) => None,
            (Some(_), _) => days.of(row, parse_date).map_or(Some(plan.day), |day| day),
            (None, _) => days.of(row, first_day).map_or(Some(plan.day), |day| day),
        };

        let group = target
            .zip(day)
            .and_then(|(target, day)| grouping.group(target, day));

        match group.and_then(|index| grouping.groups.get_mut(index)) {
            Some(group) => group.rows.push(row),
            None => alone.push(row),
        }
    }

    let mut groups = grouping.groups;
    groups
        .iter_mut()
        .for_each(|group| group.separate_irregular_rows(rows, alone));
    groups
}

/// Caches the last text of a column and the value parsed from it.
struct Memo<'c, 'r, T> {
    cells: Option<&'c Cells<'r>>,
    last: Option<(Cow<'r, str>, T)>,
}

impl<'c, 'r, T: Copy> Memo<'c, 'r, T> {
    fn new(cells: Option<&'c Cells<'r>>) -> Self {
        Self { cells, last: None }
    }

    /// The value parsed from the text of a row; `None` where the cell is empty.
    fn of(&mut self, row: usize, make: impl Fn(&str) -> T) -> Option<T> {
        let text = self.cells?.text(row)?;
        match &self.last {
            // The text is compared, which costs less than parsing it.
            Some((known, made)) if *known == text => Some(*made),
            _ => {
                let made = make(&text);
                self.last = Some((text, made));
                Some(made)
            }
        }
    }
}

struct Grouping<'g, 'p> {
    plan: &'p Plan,
    rows: &'g Rows<'p>,
    groups: Vec<Group<'p>>,
    /// Index of the group of each folder and day.
    of_day: HashMap<(usize, Date), Option<usize>>,
    /// The last one found: successive rows mostly share it.
    last: Option<((usize, Date), Option<usize>)>,
}

impl<'p> Grouping<'_, 'p> {
    /// The index of the group of a folder on a day; `None` where no scale is in force, or its
    /// program is defective.
    fn group(&mut self, target: usize, day: Date) -> Option<usize> {
        let asked = (target, day);
        if let Some((known, index)) = self.last
            && known == asked
        {
            return index;
        }

        // `None` is kept too: a folder without a scale on that day is not searched again.
        let index = match self.of_day.get(&asked) {
            Some(known) => *known,
            None => self.new_group(target, day),
        };
        self.of_day.insert(asked, index);
        self.last = Some((asked, index));
        index
    }

    fn new_group(&mut self, target: usize, day: Date) -> Option<usize> {
        let Target { folder, slices, .. } = self.plan.targets.get(target)?;
        let edition = folder.edition(day)?;
        // A row of another law than that of the plan is computed alone, which refuses it.
        if self
            .plan
            .law
            .as_ref()
            .is_some_and(|law| law != edition.version())
        {
            return None;
        }

        // Beyond the end of a scale without successor there is no law to apply.
        if edition
            .scale()
            .and_then(|scale| scale.until)
            .is_some_and(|until| day > until)
        {
            return None;
        }

        let position = folder
            .all_editions()
            .position(|known| std::ptr::eq(known, edition))?;
        let program = edition.program().ok()?;

        // Days of one edition share a group, and so its blocks, where no formula and no warning
        // depends on which of them it is.
        let (when, warnings) = (edition.when(day), folder.warnings_of_day(edition, day, day));
        let is_it = |group: &Group| {
            std::ptr::eq(group.edition, edition) && group.when == when && group.warnings == warnings
        };
        if let Some(known) = self.groups.iter().position(is_it) {
            return Some(known);
        }

        let (ignored, odd) = self.others(folder.is_dated(), edition.method());
        let scale = UsedScale::new(folder, edition);
        self.groups.push(Group {
            edition,
            program,
            slices: slices.get(position)?,
            when,
            scale,
            warnings,
            ignored,
            odd,
            rows: Vec::new(),
        });

        self.groups.len().checked_sub(1)
    }

    /// The columns that are not inputs of a method: those without effect, and those that it refuses
    /// or that set a target.
    fn others(&self, is_dated: bool, method: &Method) -> (Vec<&'p str>, Vec<&'p str>) {
        let is_input = |name: &&str| {
            method
                .inputs()
                .iter()
                .any(|input| input.name == **name && !input.is_absent)
        };
        let is_day = |name: &&str| is_dated && OF_THE_DAY.contains(name);
        let chooses = |name: &&str| self.plan.by.as_deref() == Some(*name);

        let names = self
            .rows
            .names()
            .filter(|name| !is_input(name) && !is_day(name) && !chooses(name));

        // An ignored parameter that is an input of this very method is computed.
        let is_known = |name: &&str| method.inputs().iter().any(|input| input.name == **name);
        names.partition(|name| {
            self.plan.ignored.iter().any(|known| known == name) && !is_known(name)
        })
    }
}

impl Group<'_> {
    /// Moves rows that send a parameter which only a single calculation can interpret to `alone`.
    fn separate_irregular_rows(&mut self, rows: &Rows, alone: &mut Vec<usize>) {
        let odd: Vec<&Cells> = self
            .odd
            .iter()
            .filter_map(|name| rows.column(name))
            .collect();
        if odd.is_empty() {
            return;
        }

        // Rows without a value in such a column are usual ones.
        let (left, kept) = self
            .rows
            .iter()
            .partition(|row| odd.iter().any(|cells| cells.is_present(**row)));
        self.rows = kept;
        alone.extend::<Vec<usize>>(left);
    }
}

impl Plan {
    /// The index of the folder that a word selects.
    fn target(&self, word: &str) -> Option<usize> {
        let word = normalize(word);
        self.targets
            .iter()
            .position(|target| target.word == word || target.folder.is_called(&word))
    }
}
