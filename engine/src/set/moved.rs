//! The fields that a changed figure moves, found by calculation: a figure of one edition is put in
//! the place of that of another, alone, and the same questions are asked with and without it.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::civil::Date;

use crate::law::members::WARNINGS;
use crate::law::parameter::{DATE, YEAR};
use crate::law::{Figure, Input, Method, Shape, Type, Warning};
use crate::run::{Calculation, Case, Edition, Folder, Query};
use crate::text::{Datum, Report};

use super::cell::Cell;
use super::mutate::Probe;

/// A changed figure, and what it moves.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// use bareme_engine::set::{moved::moved_fields, mutate::{Cell, Probe}};
///
/// let edition = folder.latest().ok_or("no edition")?;
/// let probe = Probe::new(folder, edition).ok_or("no figures")?;
/// let cells = probe.cells();
/// let is_normal = |cell: &&Cell| cell.name() == "taux_normal[1].taux";
/// let normal = cells.iter().find(is_normal).ok_or("no such cell")?;
/// let raised = probe.changed(&[(normal, "21%".to_owned())]).ok_or("refused")?;
/// let moved = moved_fields(folder, [&raised, edition], &["taux_normal"], &[]);
/// // The cases send the rate of 20 %, which is none of the law any more.
/// assert!(moved[0].refusals && moved[0].asked > 10, "{moved:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedFields {
    /// The name of the figure.
    pub figure: String,
    /// The names of the fields that have another value, or are there or not, in the order of the
    /// answer; then `avertissements` where the warnings differ.
    pub fields: Vec<String>,
    /// Whether a question is refused that was not, or the other way round.
    pub refusals: bool,
    /// Number of questions that were asked; 0 where the figure could not be moved alone, and
    /// nothing is known.
    pub asked: usize,
}

impl MovedFields {
    /// Whether questions were asked, and no answer changes.
    pub fn is_without_effect(&self) -> bool {
        self.asked > 0 && self.fields.is_empty() && !self.refusals
    }
}

/// The fields that each of some figures moves between two editions, the earlier one first. The
/// questions are the worked cases of the folder of the later one, and `queries`, which have no day.
///
/// A figure that only one of the editions has, or has in another shape, is moved a little instead.
pub fn moved_fields(
    folder: &Folder,
    [before, after]: [&Edition; 2],
    figures: &[&str],
    queries: &[Vec<(String, String)>],
) -> Vec<MovedFields> {
    let Some(questions) = Questions::new(folder, after, queries) else {
        return Vec::new();
    };
    let usual = questions.answers(after);
    let earlier = Questions::new(folder, before, queries);

    let moved = |name: &&str| {
        if let Some(mixed) = with_figure_of(before, after, name) {
            return questions.compared(name, &usual, &[mixed], after.method());
        }

        // The figure cannot be exchanged: what a small move of it changes shows where it is used.
        let nudged_after = nudged(folder, after, name);
        match &earlier {
            // The figure is gone: it moves what the earlier edition answers.
            Some(earlier) if nudged_after.is_empty() => earlier.compared(
                name,
                &earlier.answers(before),
                &nudged(folder, before, name),
                before.method(),
            ),
            _ => questions.compared(name, &usual, &nudged_after, after.method()),
        }
    };

    figures.iter().map(moved).collect()
}

/// The questions that are asked of an edition.
struct Questions<'q> {
    folder: &'q Folder,
    asked: Vec<Question>,
}

/// A query of one month, or of a year of pays.
struct Question {
    query: Vec<(String, String)>,
    is_year: bool,
}

/// What an edition answers to a question: its fields and its warnings, each with its text; `None`:
/// a refusal.
type Answer = Option<Vec<(String, String)>>;

impl<'q> Questions<'q> {
    /// The questions for the days of an edition; `None` for one without a scale.
    fn new(
        folder: &'q Folder,
        edition: &Edition,
        queries: &[Vec<(String, String)>],
    ) -> Option<Self> {
        let start = edition.scale()?.date;
        let of_cases = folder
            .cases()
            .iter()
            .map(|case| Question::of_case(case, start));
        let sent = queries.iter().map(|query| Question {
            query: on(query, start),
            is_year: false,
        });
        Some(Self {
            folder,
            asked: of_cases.chain(sent).collect(),
        })
    }

    /// What an edition answers to each question.
    fn answers(&self, edition: &Edition) -> Vec<Answer> {
        // With this edition as the only one of the folder: no other answers for any day.
        let alone = self.folder.with_only(copy(edition));
        self.asked
            .iter()
            .map(|question| question.answer(&alone))
            .collect()
    }

    /// What some variants of an edition answer otherwise than it does.
    fn compared(
        &self,
        figure: &str,
        usual: &[Answer],
        variants: &[Edition],
        method: &Method,
    ) -> MovedFields {
        let mut names = BTreeSet::new();
        let mut refusals = false;

        for variant in variants {
            for (usual, found) in usual.iter().zip(self.answers(variant)) {
                // Two refusals may differ in words: that one answers and the other does not is what
                // counts.
                match (usual, found) {
                    (Some(usual), Some(found)) => names.extend(differences(usual, &found)),
                    (None, None) => {}
                    _ => refusals = true,
                }
            }
        }

        // In the order of the answer, which a reader knows; a set has the one of the alphabet.
        let in_order = method
            .fields()
            .iter()
            .map(|field| field.name.as_str())
            .chain([WARNINGS.name]);
        let fields = in_order
            .filter(|name| names.contains(*name))
            .map(str::to_owned)
            .collect();
        let asked = if variants.is_empty() {
            0
        } else {
            self.asked.len()
        };

        MovedFields {
            figure: figure.to_owned(),
            fields,
            refusals,
            asked,
        }
    }
}

impl Question {
    /// The question of a case, on the first day of an edition if it is about earlier days.
    fn of_case(case: &Case, start: Date) -> Self {
        let is_after = case.days().iter().all(|day| *day >= start);
        let query = match (is_after, case.is_year) {
            (true, _) => case.query.clone(),
            (false, false) => on(&case.query, start),
            (false, true) => in_year(&case.query, start),
        };
        Self {
            query,
            is_year: case.is_year,
        }
    }

    fn answer(&self, folder: &Folder) -> Answer {
        let query = Query::from(&self.query);
        if !self.is_year {
            // Any day will do: the query has its own.
            return folder
                .calculate(&query, Date::MAX)
                .ok()
                .map(|calculation| texts(&calculation).collect());
        }

        let year = folder.year(&query).ok()?;
        let months = year.months().iter().enumerate();
        // The same field of two months is compared month by month.
        let of_months = months.flat_map(|(month, found)| {
            texts(&found.calculation)
                .map(move |(name, text)| (name, format!("{month} {text}")))
                .collect::<Vec<_>>()
        });

        let totals = year
            .totals()
            .iter()
            .map(|total| (total.field.name.clone(), total.value.datum().to_string()));

        Some(of_months.chain(totals).collect())
    }
}

/// The fields and the warnings of an answer, each with its text.
fn texts(calculation: &Calculation) -> impl Iterator<Item = (String, String)> {
    let fields = calculation
        .fields()
        .map(|(field, value)| (field.name.clone(), value.datum().to_string()));
    let warning =
        |warning: &Warning| (WARNINGS.name.to_owned(), Datum::Object(warning).to_string());
    let warnings = calculation.warnings().iter().map(warning);
    fields.chain(warnings)
}

/// The names of what is in one of two answers and not in the other.
fn differences(usual: &[(String, String)], found: &[(String, String)]) -> Vec<String> {
    // Nearly all answers have the same fields in the same order: one pass compares them.
    if usual.len() == found.len()
        && usual
            .iter()
            .zip(found)
            .all(|((name, _), (other, _))| name == other)
    {
        let pairs = usual
            .iter()
            .zip(found)
            .filter(|(usual, found)| usual != found);
        return pairs.map(|((name, _), _)| name.clone()).collect();
    }

    let names = |these: &[(String, String)], others: &[(String, String)]| -> Vec<String> {
        these
            .iter()
            .filter(|one| !others.contains(one))
            .map(|(name, _)| name.clone())
            .collect()
    };
    [names(usual, found), names(found, usual)].concat()
}

/// A query on a day.
pub(super) fn on(query: &[(String, String)], day: Date) -> Vec<(String, String)> {
    let kept = query
        .iter()
        .filter(|(name, _)| name != DATE && name != YEAR)
        .cloned();
    kept.chain([(DATE.to_owned(), day.to_string())]).collect()
}

/// A query of a year of pays in the first year of which every month ends after a day.
fn in_year(query: &[(String, String)], start: Date) -> Vec<(String, String)> {
    let year = start.year().saturating_add(i16::from(start.month() > 1));
    let kept = query.iter().filter(|(name, _)| name != YEAR).cloned();
    kept.chain([(YEAR.to_owned(), year.to_string())]).collect()
}

/// An edition of its own, to be changed or asked.
fn copy(edition: &Edition) -> Edition {
    match &edition.scale {
        Some(scale) => Edition::alone(&edition.method, scale.clone(), &mut Report::default()),
        None => Edition::new(&edition.method, None),
    }
}

/// The later edition with a figure of the earlier one; `None` where one does not have it, or in
/// another shape.
fn with_figure_of(before: &Edition, after: &Edition, name: &str) -> Option<Edition> {
    let place = |edition: &Edition| {
        edition
            .method
            .figures()
            .iter()
            .position(|shape| shape.name == name)
    };
    let old = place(before)?;
    let new = place(after)?;

    // The program addresses columns by position and words of a choice by number: with another
    // shape, it would read other values.
    let old_shape = before.method.figures().get(old)?;
    let new_shape = after.method.figures().get(new)?;
    if !have_same_form(old_shape, new_shape) || !have_same_words(&before.method, &after.method) {
        return None;
    }

    let mut scale = after.scale.clone()?;
    *scale.figures.get_mut(new)? = without_sources(before.scale.as_ref()?.figures.get(old)?);
    let edition = Edition::alone(&after.method, scale, &mut Report::default());

    // Figures of two files may contradict each other: such a mixture cannot be asked.
    edition.program().is_ok().then_some(edition)
}

/// A figure without its sources: they are those of its own file.
fn without_sources(figure: &Figure) -> Figure {
    let mut figure = Figure {
        sources: Vec::new(),
        evidence: Vec::new(),
        ..figure.clone()
    };
    for row in Arc::make_mut(&mut figure.rows) {
        row.sources.clear();
        row.evidence.clear();
    }

    figure
}

/// Whether two shapes have the same keys, bounds and columns.
fn have_same_form(shape: &Shape, other: &Shape) -> bool {
    let keys = |shape: &Shape| {
        shape
            .keys
            .iter()
            .map(|key| key.name.clone())
            .collect::<Vec<_>>()
    };
    let columns = |shape: &Shape| {
        shape
            .columns
            .iter()
            .map(|column| (column.name.clone(), column.ty))
            .collect::<Vec<_>>()
    };

    keys(shape) == keys(other)
        && columns(shape) == columns(other)
        && shape.bound == other.bound
        && shape.has_rows() == other.has_rows()
}

/// Whether the choices of two methods have the same words in the same order, by which figures name
/// them.
fn have_same_words(method: &Method, other: &Method) -> bool {
    fn choices(method: &Method) -> Vec<(&str, Vec<&str>)> {
        let is_choice = |input: &&Input| matches!(input.ty, Type::Choice(_));
        let choices = method.inputs().iter().filter(is_choice);
        choices
            .map(|input| {
                (
                    input.name.as_str(),
                    input.values.iter().map(|(word, _)| word.as_str()).collect(),
                )
            })
            .collect()
    }

    choices(method) == choices(other)
}

/// An edition with all cells of a figure moved a little up, then down; else with each cell moved
/// alone, where the file refuses both. Empty where the edition does not have the figure, or it has
/// texts only.
fn nudged(folder: &Folder, edition: &Edition, name: &str) -> Vec<Edition> {
    let Some(probe) = Probe::new(folder, edition) else {
        return Vec::new();
    };

    let cells: Vec<Cell> = probe
        .cells()
        .into_iter()
        .filter(|cell| cell.figure == name)
        .collect();
    let nearby: Vec<(&Cell, Vec<String>)> =
        cells.iter().map(|cell| (cell, cell.nearby())).collect();

    // The last two texts nearby are a step up and a step down.
    let together = |from_the_end: usize| {
        let cells = nearby.iter();
        let texts = cells.filter_map(|(cell, texts)| {
            Some((*cell, texts.iter().rev().nth(from_the_end)?.clone()))
        });
        let texts: Vec<(&Cell, String)> = texts.collect();
        if texts.is_empty() {
            None
        } else {
            probe.changed(&texts)
        }
    };
    // Both directions: a figure that only limits (a ceiling) may have an effect in one of them.
    let both: Vec<Edition> = [1, 0].into_iter().filter_map(together).collect();
    if !both.is_empty() {
        return both;
    }

    let alone = nearby
        .iter()
        .flat_map(|(cell, texts)| texts.iter().map(|text| (*cell, text.clone())));
    alone
        .filter_map(|changed| probe.changed(&[changed]))
        .collect()
}
