//! The effect of another law on the answers of a folder: the days on which it differs, and what its
//! worked cases answer by both. With a new edition of a folder, that on the folders that calculate
//! it or take its figures.

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::law::Drafts;
use crate::law::source::parse_date;
use crate::run::{Calculation, Folder, Query, Rules};
use crate::set::load::Uses;
use crate::set::moved::on;
use crate::set::{FileSet, Loader};

/// Worked cases of a period that an effect is measured on, at most.
const MOST_CASES: usize = 200;

/// Days on which two laws of a folder differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Period<'l> {
    /// The first day; none for a method without dates.
    pub from: Option<Date>,
    /// The last day before the next law; none where it goes on.
    pub until: Option<Date>,
    /// The version of the law that applied.
    pub before: Option<&'l str>,
    /// The version of the law that applies now.
    pub after: Option<&'l str>,
}

impl Period<'_> {
    /// Whether a day is one of them.
    pub fn holds(&self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.until.is_none_or(|until| day <= until)
    }
}

/// The periods up to a day in which two lists of laws differ, each list as [`Folder::laws`] gives
/// it.
pub fn periods<'l>(
    [before, after]: [&[(Option<Date>, &'l str)]; 2],
    last: Date,
) -> Vec<Period<'l>> {
    let mut days: Vec<Option<Date>> = before
        .iter()
        .chain(after)
        .map(|(from, _)| *from)
        .filter(|from| from.is_none_or(|from| from <= last))
        .collect();
    days.sort_unstable();
    days.dedup();

    // The law of a day is the last one that began by then; `None`, before all days, comes first.
    let law_of = |laws: &[(Option<Date>, &'l str)], day: Option<Date>| {
        let applies = |law: &&(Option<Date>, &str)| law.0 <= day;
        laws.iter().rfind(applies).map(|(_, version)| *version)
    };
    let of_day = |(index, from): (usize, &Option<Date>)| {
        let (old, new) = (law_of(before, *from), law_of(after, *from));
        let next = days.get(index.saturating_add(1)).copied().flatten();
        (old != new).then(|| Period {
            from: *from,
            until: next.and_then(|next| next.yesterday().ok()),
            before: old,
            after: new,
        })
    };

    days.iter().enumerate().filter_map(of_day).collect()
}

/// The differences between the answers of two laws of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effect {
    /// Number of questions that both laws answer.
    pub answered: usize,
    /// Number of questions that one of them refuses.
    pub refused: usize,
    /// Number of questions that both answer with some other amount.
    pub changed: usize,
    /// The fields whose amounts differ in some of the answers.
    pub fields: Vec<ChangedField>,
}

/// A field whose amount another law changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedField {
    /// Its name.
    pub name: String,
    /// Number of questions in whose answers its amount differs.
    pub count: usize,
    /// The question whose answers differ most.
    pub query: Vec<(String, String)>,
    /// The amount by the law before, in the answer to that question.
    pub before: Decimal,
    /// The amount by the law after.
    pub after: Decimal,
}

impl ChangedField {
    fn distance(&self) -> Decimal {
        self.after.saturating_sub(self.before).abs()
    }
}

/// A query, and the day of a calculation without dates.
type Question = (Vec<(String, String)>, Date);

/// The differences between the answers of two laws to the first 200 worked cases of a period.
pub fn effect_on_cases(period: &Period, [old, new]: [&Folder; 2]) -> Effect {
    let questions = new.answered_cases().filter_map(|case| {
        let days = case.days();
        let is_asked = days.iter().all(|day| period.holds(*day))
            && (period.from.is_none() || !days.is_empty());
        // A case has its day in it, but for a method without dates.
        is_asked.then(|| (case.query.clone(), case.date().unwrap_or(Date::MIN)))
    });
    effect(questions.take(MOST_CASES), [old, new])
}

/// The differences between the answers of two laws to some questions.
fn effect(questions: impl Iterator<Item = Question>, [old, new]: [&Folder; 2]) -> Effect {
    let mut effect = Effect::default();
    for (sent, day) in questions {
        let query = Query::from(&sent);
        match (old.calculate(&query, day), new.calculate(&query, day)) {
            (Ok(before), Ok(after)) => effect.add(&sent, [&before, &after]),
            (Err(_), Err(_)) => {}
            _ => effect.refused = effect.refused.saturating_add(1),
        }
    }
    effect
}

impl Effect {
    /// Adds the answers of both laws to a question.
    fn add(&mut self, sent: &[(String, String)], [before, after]: [&Calculation; 2]) {
        let mut is_changed = false;
        for (field, value) in after.fields() {
            let old = before.field(&field.name).and_then(|value| value.number());
            let Some((old, new)) = old.zip(value.number()).filter(|(old, new)| old != new) else {
                continue;
            };

            is_changed = true;
            self.keep(ChangedField {
                name: field.name.clone(),
                count: 1,
                query: sent.to_vec(),
                before: old,
                after: new,
            });
        }

        self.answered = self.answered.saturating_add(1);
        self.changed = self.changed.saturating_add(usize::from(is_changed));
    }

    /// Counts a field that differs in one more answer; the greatest difference is kept.
    fn keep(&mut self, found: ChangedField) {
        let known = self
            .fields
            .iter_mut()
            .find(|known| known.name == found.name);
        match known {
            Some(known) => {
                let count = known.count.saturating_add(1);
                if known.distance() < found.distance() {
                    *known = found;
                }
                known.count = count;
            }
            None => self.fields.push(found),
        }
    }
}

/// A folder that calculates another one or takes its figures, directly or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Its path.
    pub folder: String,
    /// Its title, in French; its path where it has errors.
    pub title: String,
    /// The days on which its law differs with the new edition, from the first to the last one;
    /// `None` where they are the same.
    pub days: Option<(Option<Date>, Option<Date>)>,
    /// The differences between the answers of both laws to its worked cases; `None` where one of the
    /// laws cannot be read.
    pub effect: Option<Effect>,
}

/// The effect of an edition of a folder on those that calculate it or take its figures, compared with
/// another edition that would apply on the same days: their worked cases are computed by both laws.
/// A case of days on which both are the same is asked on the first day on which they differ.
///
/// ```
/// use bareme_engine::law::Drafts;
/// use bareme_engine::{FileSet, set::effect::callers};
/// use jiff::civil::date;
///
/// let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// let files = FileSet::read(root);
/// let scales = [date(2023, 1, 1), date(2026, 1, 1)];
/// let found = callers(&files, "contributions-hauts-revenus", scales, Drafts::Aside);
/// assert!(found.iter().any(|caller| caller.folder == "foyer"), "{found:?}");
/// ```
pub fn callers(
    files: &FileSet,
    folder: &str,
    [old, new]: [Date; 2],
    drafts: Drafts,
) -> Vec<Caller> {
    let uses = Uses::of(files);
    let reached = |path: &&str| uses.reached(path).contains(folder);
    let callers: Vec<&str> = files.folders().filter(reached).collect();
    if callers.is_empty() {
        return Vec::new();
    }

    // 1. The files with the later edition and without it, those of the editions between in neither
    // set: the earlier one goes on until the later one.
    let (earlier, later) = (old.min(new), old.max(new));
    let is_between =
        |path: &String| scale_of(folder, path).is_some_and(|day| earlier < day && day < later);
    let called = files.with_all_called(&callers);
    let paths = called.paths().map(str::to_owned).filter(is_between);
    let between: Vec<String> = paths.collect();
    let with = between
        .iter()
        .fold(called, |files, path| files.without(path));
    let without = with.clone().without(&format!("{folder}/{later}.yaml"));

    // 2. Both laws. What does not read the folder is read once.
    let loader = Loader::new().drafts(drafts).unchecked();
    let with = loader.load_files(&with).rules;
    let without = match &with {
        Some(with) => loader.reusing(with).load_files(&without).rules,
        None => None,
    };
    let laws = match old < new {
        true => [without.as_ref(), with.as_ref()],
        false => [with.as_ref(), without.as_ref()],
    };

    let of_caller = |path: &str| Caller::new(path, laws, later);
    callers.into_iter().map(of_caller).collect()
}

/// The day of a dated file of a folder.
fn scale_of(folder: &str, path: &str) -> Option<Date> {
    let name = path.strip_prefix(folder)?.strip_prefix('/')?;
    parse_date(name.strip_suffix(".yaml")?)
}

impl Caller {
    /// The effect on a caller, from the rules before and after; `start` is the first day of the
    /// edition.
    fn new(path: &str, laws: [Option<&Rules>; 2], start: Date) -> Self {
        let [before, after] = laws.map(|rules| rules?.folder(path));
        let title = after.or(before).map_or(path, Folder::title);
        let mut caller = Self {
            folder: path.to_owned(),
            title: title.to_owned(),
            days: None,
            effect: None,
        };
        let Some((before, after)) = before.zip(after) else {
            return caller;
        };

        let [old, new] = [before, after].map(|folder| folder.laws().collect::<Vec<_>>());
        // Without a last day: an edition that is prepared may begin next year.
        let periods = periods([&old, &new], Date::MAX);
        let (Some(first), Some(last)) = (periods.first(), periods.last()) else {
            caller.effect = Some(Effect::default());
            return caller;
        };

        caller.days = Some((first.from, last.until));
        let questions = questions(after, &periods, first.from.unwrap_or(start));
        caller.effect = Some(effect(questions.into_iter(), [before, after]));
        caller
    }
}

/// The worked cases of a folder, each once: on their own day where the laws differ then, else on a
/// given one.
fn questions(folder: &Folder, periods: &[Period], first: Date) -> Vec<Question> {
    let mut questions: Vec<Question> = Vec::new();
    for case in folder.answered_cases() {
        let is_inside = |day: Date| periods.iter().any(|period| period.holds(day));
        let query = match case.date() {
            Some(day) if is_inside(day) => case.query.clone(),
            Some(_) => on(&case.query, first),
            None => case.query.clone(),
        };
        let question = (query, first);
        if !questions.contains(&question) {
            questions.push(question);
        }
    }
    questions
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn only_days_whose_law_changed_and_that_have_come_are_in_a_period() {
        let (old, new) = (Some(date(2025, 1, 1)), Some(date(2026, 1, 1)));
        let next = Some(date(2027, 1, 1));
        let before = [(old, "a"), (new, "b")];
        let after = [(old, "a"), (new, "c"), (next, "d")];

        let found = periods([&before, &after], date(2026, 6, 1));
        let [only] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!((only.from, only.until), (new, None));
        assert_eq!((only.before, only.after), (Some("b"), Some("c")));

        // A file that comes after its first day corrects what was answered since.
        let late = periods([&before, &after], date(2027, 2, 1));
        let days: Vec<_> = late.iter().map(|found| (found.from, found.until)).collect();
        assert_eq!(days, [(new, Some(date(2026, 12, 31))), (next, None)]);
        assert_eq!(late[1].before, Some("b"));
    }

    #[test]
    fn a_law_that_appears_before_all_others_changes_its_days() {
        let (first, second) = (Some(date(2025, 1, 1)), Some(date(2026, 1, 1)));
        let found = periods(
            [&[(second, "b")], &[(first, "a"), (second, "b")]],
            date(2026, 6, 1),
        );
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].before, found[0].until),
            (None, Some(date(2025, 12, 31)))
        );
    }
}
