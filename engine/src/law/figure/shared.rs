//! Figures that a dated file takes over from another folder: `smic: {taken_from: communs/smic}`.

use std::sync::Arc;

use jiff::civil::Date;

use crate::law::callee::{CalleeEdition, Callees};
use crate::law::formula::Env;
use crate::law::{Source, Type};
use crate::text::problem::suggestion;
use crate::text::{Node, PlacedText, Problem, Report};

use super::keys::{FIGURE, LABEL, ON, SINCE, TAKEN_FROM, UNTIL};
use super::shape::{check_days, day};
use super::{Figure, Limits, Shape};

/// Where another folder gives a figure.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["salaire"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("salaire").ok_or("no such folder")?;
/// # let method = folder.latest().ok_or("no edition")?.method();
/// let shared = method.figures().iter().find_map(|shape| shape.shared.as_ref());
/// assert!(shared.is_some_and(|shared| rules.folder(&shared.folder).is_some()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedFrom {
    /// The path of that folder, `communs/smic`.
    pub folder: String,
    /// The name of the figure in it.
    pub figure: String,
    /// The day on which it is read.
    pub day: SharedDay,
}

/// The day on which a figure of another folder is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SharedDay {
    /// That of the calculation.
    #[default]
    Same,
    /// 1 January of its year, where the law freezes the figure for the year.
    StartOfYear,
    /// 31 December of the year before, where the law taxes the income of that year by its rates.
    EndOfLastYear,
}

impl SharedDay {
    /// The words after `on:`.
    pub(crate) const WORDS: [(&'static str, Self); 2] = [
        ("start_of_year", Self::StartOfYear),
        ("end_of_last_year", Self::EndOfLastYear),
    ];

    /// The day, for a calculation on another.
    pub fn of(self, day: Date) -> Date {
        match self {
            Self::Same => day,
            Self::StartOfYear => day.first_of_year(),
            // The first day of the calendar has no year before it.
            Self::EndOfLastYear => day.first_of_year().yesterday().unwrap_or(day),
        }
    }

    /// The first day from which a scale of the other folder that starts on a day is read.
    fn after(self, start: Date) -> Option<Date> {
        match self {
            Self::Same => Some(start),
            Self::StartOfYear if start == start.first_of_year() => Some(start),
            Self::StartOfYear | Self::EndOfLastYear => start.last_of_year().tomorrow().ok(),
        }
    }

    /// The last day of a calculation that reads the figure, if it is given there until a day.
    fn given_through(self, until: Date) -> Date {
        match self {
            Self::Same => until,
            Self::StartOfYear => until.last_of_year(),
            // The figure of 31 December serves the whole year after.
            Self::EndOfLastYear => until.tomorrow().unwrap_or(until).last_of_year(),
        }
    }

    /// The last day of a calculation for which the figure is known, if it is known there until a
    /// day.
    fn known_through(self, known_until: Date) -> Date {
        match self {
            Self::Same | Self::StartOfYear => known_until,
            // Once its last day is known, the year after is too.
            Self::EndOfLastYear => known_until.tomorrow().unwrap_or(known_until).last_of_year(),
        }
    }
}

/// A figure of another folder on some day, with what its scale says of it.
#[derive(Debug)]
pub(crate) struct SharedFigure {
    pub figure: Figure,
    pub sources: Arc<[Source]>,
    /// The last day for which it is known, where no later scale follows.
    pub known_until: Option<Date>,
    /// The last day on which it is given, where the law ends its scale and none follows at once.
    pub until: Option<Date>,
}

/// Reads the shape of a figure that the folder at `path` gives; `None` where it cannot give it, which
/// is reported.
pub(crate) fn read_shared(
    name: &PlacedText,
    path: &PlacedText,
    node: &Node,
    env: Env,
    report: &mut Report,
) -> Option<Shape> {
    // 1. The shape is declared there: nothing of it is repeated here.
    for (key, _) in node.entries() {
        if ![TAKEN_FROM, FIGURE, ON, SINCE, UNTIL, LABEL].contains(&key.value.as_str()) {
            let problem = Problem::ShapeOfSharedFigure {
                key: key.value.clone(),
                folder: path.value.clone(),
            };
            report.error(&key.place, problem);
        }
    }

    // 2. The figure, as the last method of that folder declares it.
    let callee = env.symbols.callees.look_up(path, report)?;
    let editions = callee.editions();
    let latest = editions.last()?;
    let asked = node.text_of(FIGURE).unwrap_or(name);
    let shapes = latest.method.figures();
    let Some(shape) = shapes.iter().find(|shape| shape.name == asked.value) else {
        let names: Vec<&str> = shapes.iter().map(|shape| shape.name.as_str()).collect();
        let problem = Problem::UnknownSharedFigure {
            name: asked.value.clone(),
            folder: path.value.clone(),
            figures: names.join(", "),
            near: suggestion(&asked.value, names.iter().copied()).map(str::to_owned),
        };
        report.error(&asked.place, problem);
        return None;
    };

    // 3. The keys of a table are inputs of its own method.
    if let Some(key) = shape.keys.first() {
        let problem = Problem::SharedTableWithKeys {
            name: asked.value.clone(),
            folder: path.value.clone(),
            key: key.name.clone(),
        };
        report.error(&asked.place, problem);
        return None;
    }

    let shape = Shape {
        name: name.value.clone(),
        label: node.string_of(LABEL).or_else(|| shape.label.clone()),
        option: env.option,
        since: day(node, SINCE, report),
        until: day(node, UNTIL, report),
        shared: Some(SharedFrom {
            folder: path.value.clone(),
            figure: asked.value.clone(),
            day: read_on(node),
        }),
        place: name.place.clone(),
        ..shape.clone()
    };
    check_days(name, node, &shape, env.symbols, report);
    Some(shape)
}

/// The day on which the figure is read; the schema reports another word.
fn read_on(node: &Node) -> SharedDay {
    let written = node.text_of(ON);
    let known = |(word, day): (&str, SharedDay)| (written?.value == word).then_some(day);
    SharedDay::WORDS
        .into_iter()
        .find_map(known)
        .unwrap_or_default()
}

/// The shape of a figure that could not be read: nothing that reads it is reported as well.
pub(crate) fn unknown_shape(name: &PlacedText, node: &Node, env: Env) -> Shape {
    Shape {
        name: name.value.clone(),
        label: None,
        keys: Vec::new(),
        bound: None,
        bound_limits: Limits::for_type(Type::Unknown),
        columns: Vec::new(),
        option: env.option,
        since: day(node, SINCE, &mut Report::default()),
        until: day(node, UNTIL, &mut Report::default()),
        shared: None,
        place: name.place.clone(),
    }
}

impl Callees {
    /// A figure of another folder, as its scale of a day gives it.
    ///
    /// # Errors
    /// No scale of that folder gives it on that day, in the same form.
    pub(crate) fn figure_on(&self, shape: &Shape, day: Date) -> Result<SharedFigure, Problem> {
        let shared = shape.shared.as_ref();
        let found = shared.and_then(|shared| {
            let callee = self.read(&shared.folder)?;
            let editions = callee.editions();
            let read_on = shared.day.of(day);
            let edition = edition_on(&editions, read_on)?;
            let scale = edition
                .scale
                .filter(|scale| scale.until.is_none_or(|end| read_on <= end))?;

            // Of the same name and of the same columns: one that changed its form is another
            // figure.
            let mut given = edition.method.figures().iter().zip(&scale.figures);
            let (_, figure) =
                given.find(|(own, _)| own.name == shared.figure && has_same_columns(own, shape))?;

            // A scale that ends where the next one begins does not end the figure: it is then read
            // there.
            let mut starts = editions.iter().filter_map(CalleeEdition::start);
            let next = starts.find(|start| Some(*start) > edition.start());
            let is_followed =
                |until: &Date| next.is_some_and(|next| Some(next) == until.tomorrow().ok());
            let until = scale.until.filter(|until| !is_followed(until));
            Some(SharedFigure {
                figure: figure.clone(),
                sources: Arc::clone(&scale.sources),
                known_until: next
                    .is_none()
                    .then(|| shared.day.known_through(scale.known_until)),
                until: until.map(|until| shared.day.given_through(until)),
            })
        });

        found.ok_or_else(|| {
            let (folder, name) = shared.map_or(("", ""), |shared| (&shared.folder, &shared.figure));
            Problem::SharedFigureOnOtherDays {
                name: name.to_owned(),
                folder: folder.to_owned(),
                date: day.to_string(),
            }
        })
    }

    /// The days after a first one, up to the end of a scale, on which another folder gives a new
    /// value of a figure.
    pub(crate) fn changes(&self, shape: &Shape, first: Date, end: Option<Date>) -> Vec<Date> {
        let Some(shared) = &shape.shared else {
            return Vec::new();
        };
        let Some(callee) = self.read(&shared.folder) else {
            return Vec::new();
        };

        let editions = callee.editions();
        // A year that is not known yet starts with no figure of its own.
        let is_known = |day: &Date| {
            let read_on = shared.day.of(*day);
            edition_on(&editions, read_on)
                .and_then(|edition| edition.scale)
                .is_some_and(|scale| read_on <= scale.known_until)
        };
        let starts = editions.iter().filter_map(|edition| edition.start());
        starts
            .filter_map(|start| shared.day.after(start))
            .filter(|day| first < *day && end.is_none_or(|end| *day < end))
            .filter(is_known)
            .collect()
    }

    /// The version of the law by which another folder gives a figure on a day; that of the whole
    /// folder without a day.
    pub(crate) fn law_of(&self, shared: &SharedFrom, day: Option<Date>) -> Option<&str> {
        let callee = self.read(&shared.folder)?;
        match day {
            Some(day) => callee.law_on(shared.day.of(day)),
            None => Some(callee.version()),
        }
    }
}

/// The edition in force on a day.
fn edition_on<'e, 'c>(
    editions: &'e [CalleeEdition<'c>],
    day: Date,
) -> Option<&'e CalleeEdition<'c>> {
    let has_started = |edition: &&CalleeEdition| edition.start().is_some_and(|start| start <= day);
    editions.iter().rfind(has_started)
}

/// Whether two methods give a figure the same columns: formulas read them by their position.
fn has_same_columns(one: &Shape, other: &Shape) -> bool {
    let columns = |shape: &Shape| -> Vec<(String, Type, bool)> {
        let columns = shape.columns.iter();
        columns
            .map(|column| (column.name.clone(), column.ty, column.optional))
            .collect()
    };
    one.keys.is_empty() && one.bound == other.bound && columns(one) == columns(other)
}

impl SharedFigure {
    /// The figure of a shape of another method, with its sources added to those of a scale, each
    /// once. What does not fit that method is a mistake of it, at the place of the shape.
    pub(crate) fn taken(
        mut self,
        shape: &Shape,
        from: &SharedFrom,
        sources: &mut Vec<Source>,
    ) -> Figure {
        let mut place = |index: &mut usize| {
            let Some(source) = self.sources.get(*index) else {
                return;
            };
            // Two folders may give the same id to different texts.
            let id = format!("{}/{}", from.folder, source.id);
            let known = sources.iter().position(|known| known.id == id);
            *index = known.unwrap_or_else(|| {
                sources.push(Source {
                    id,
                    ..source.clone()
                });
                sources.len() - 1
            });
        };

        self.figure.place = shape.place.clone();
        self.figure.sources.iter_mut().for_each(&mut place);
        self.figure.evidence.iter_mut().for_each(&mut place);
        for row in Arc::make_mut(&mut self.figure.rows) {
            row.place = shape.place.clone();
            row.sources.iter_mut().for_each(&mut place);
            row.evidence.iter_mut().for_each(&mut place);
        }
        self.figure
    }
}
