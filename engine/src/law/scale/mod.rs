//! Dated files: the whole scale in force from a day, every figure with its sources.

mod pending;

use std::sync::Arc;

use jiff::civil::Date;

use crate::law::figure::{
    Figure, REVIEWED, Shape, Sources, check_plausibility, own_keys, read_figure,
};
use crate::law::method::Method;
use crate::law::source::{Source, read_date, read_sources, source_text};
use crate::say;
use crate::text::problem::is_written;
use crate::text::stated_reason::is_reason;
use crate::text::{Content, Node, Place, Problem, Report, RuleFile, Text};

pub use pending::PendingText;

/// Months after which the figures of a scale are to be checked again against the legal texts.
const CHECK_EVERY: i32 = 6;

/// A dated scale.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// let scale = folder.latest().and_then(|edition| edition.scale()).ok_or("no scale")?;
/// assert_eq!(scale.figures.len(), 2);
/// assert!(!scale.source_text().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Scale {
    /// First day in force.
    pub date: Date,
    /// Title, in French.
    pub title: String,
    /// Name of its method.
    pub method: String,
    /// Last day in force, if the law ends it, or the scale of another folder that it takes a figure
    /// from.
    pub until: Option<Date>,
    /// Last day for which the figures were checked.
    pub known_until: Date,
    /// Day on which its figures were last checked against the legal texts.
    pub checked: Option<Date>,
    /// Announced legal texts that will change it.
    pub watch: Vec<PendingText>,
    /// Text of `scale.source`.
    pub citation: Option<String>,
    /// A note in French.
    pub note: Option<String>,
    /// Its sources.
    pub sources: Arc<[Source]>,
    /// Its figures, in the order of the method's shapes.
    pub figures: Vec<Figure>,
    /// The first day of these figures: that of the file, or a later one on which another folder gives
    /// a new value of one of them.
    pub(crate) first_day: Date,
    /// The day on which the figures of other folders are read: the first one, as long as the scale
    /// is known.
    pub(crate) shared_day: Date,
    /// The sources and last days of its own file, without the figures taken from other folders.
    own: Own,
    /// Whether somebody reviewed the findings on the file as a whole.
    pub(crate) is_reviewed: bool,
    /// Place of the last day that was checked, where the file writes it.
    pub(crate) known_until_at: Option<Place>,
    /// Place of the day of the last check.
    pub(crate) checked_at: Option<Place>,
    /// Place of the last day in force, or else the file.
    pub(crate) place: Place,
}

/// The sources and last days of a dated file, without those of figures taken from other folders.
#[derive(Debug, Clone)]
struct Own {
    sources: Arc<[Source]>,
    known_until: Date,
    until: Option<Date>,
}

impl Scale {
    /// Reads the dated file of a method.
    pub(crate) fn read(
        date: Date,
        file: &Arc<RuleFile>,
        node: &Node,
        method: &Method,
        report: &mut Report,
    ) -> Self {
        let sources = node
            .get("sources")
            .map(|node| read_sources(node, report))
            .unwrap_or_default();

        // A missing figure is reported at the key `figures`, or at the file without it.
        let place = node
            .key_place("figures")
            .cloned()
            .unwrap_or_else(|| Place::of_file(file));

        let figures = read_figures(node, method, &sources, &place, report);

        let mut day = |key| node.text_of(key).and_then(|text| read_date(text, report));
        let end_of_year = Date::new(date.year(), 12, 31).unwrap_or(date);
        let until = day("until");
        let checked = day("checked");
        // Without a day, the figures are known to hold until the end of the year.
        let known_until = day("known_until").unwrap_or(end_of_year);

        for (key, end) in [("until", until), ("known_until", Some(known_until))] {
            if let (Some(text), Some(end)) = (node.text_of(key), end)
                && end < date
            {
                report.error(&text.place, Problem::EndsBeforeItStarts {});
            }
        }

        let mut scale = Self {
            date,
            first_day: date,
            shared_day: date,
            title: node.string_of("title").unwrap_or_default(),
            method: method.name.clone(),
            until,
            known_until,
            checked,
            watch: node
                .get("watch")
                .map(|node| PendingText::read_all(node, report))
                .unwrap_or_default(),
            citation: node.string_of("citation"),
            note: node.string_of("note"),
            own: Own {
                sources: Arc::clone(&sources),
                known_until,
                until,
            },
            sources,
            figures,
            is_reviewed: node
                .text_of(REVIEWED)
                .is_some_and(|reason| is_reason(&reason.value)),
            known_until_at: node.text_of("known_until").map(|text| text.place.clone()),
            checked_at: node.text_of("checked").map(|text| text.place.clone()),
            place: ["until", "known_until"]
                .iter()
                .find_map(|key| node.text_of(key))
                .map_or_else(|| Place::of_file(file), |text| text.place.clone()),
        };
        scale.take_shared(method, report);
        scale
    }

    /// The scale from a later day on, with the figures that other folders give on that day. Beyond
    /// the days for which the scale is known, they stay as they were last known.
    pub(crate) fn starting_on(&self, day: Date, method: &Method, report: &mut Report) -> Self {
        let mut scale = Self {
            first_day: day,
            shared_day: day.min(self.last_known()),
            ..self.clone()
        };
        scale.take_shared(method, report);
        scale
    }

    /// The last day for which it is known and not ended by its own file: what another folder ends
    /// may begin again there.
    pub(crate) fn last_known(&self) -> Date {
        self.own
            .until
            .map_or(self.known_until, |until| until.min(self.known_until))
    }

    /// Takes the figures of other folders, with their sources, as they give them on its day for
    /// these.
    fn take_shared(&mut self, method: &Method, report: &mut Report) {
        let shapes = method.figures().iter();
        let mut taken = shapes
            .zip(&mut self.figures)
            .filter_map(|(shape, figure)| Some((shape, shape.shared.as_ref()?, figure)))
            .peekable();
        if taken.peek().is_none() {
            return;
        }

        let mut sources = self.own.sources.to_vec();
        let mut known_until = self.own.known_until;
        let mut until = self.own.until;
        for (shape, from, figure) in taken {
            match method.symbols.callees.figure_on(shape, self.shared_day) {
                Ok(given) => {
                    // The scale is known as long as all of its figures are.
                    known_until = given
                        .known_until
                        .map_or(known_until, |end| known_until.min(end));
                    // And in force as long as all of them are given.
                    until = [until, given.until].into_iter().flatten().min();
                    *figure = given.taken(shape, from, &mut sources);
                }
                Err(problem) => report.error(&shape.place, problem),
            }
        }
        self.sources = sources.into();
        self.known_until = known_until;
        self.until = until;
    }

    /// Whether the figures were last checked more than six months before a day.
    pub fn is_stale(&self, today: Date) -> bool {
        let limit = today.saturating_sub(jiff::Span::new().months(CHECK_EVERY));
        // A file that gives no day was never checked.
        self.checked.is_none_or(|checked| checked < limit)
    }

    /// Text that cites the sources: the citation, or else the titles of the legal texts and
    /// official pages.
    pub fn source_text(&self) -> String {
        source_text(self.citation.as_deref(), self.sources.iter())
    }
}

/// The days on which a figure is given, in words.
fn given_days(shape: &Shape) -> Text<String> {
    // The message says when the figure is given, so that the right file is found.
    match (shape.since, shape.until) {
        (Some(since), Some(until)) => say!(
            "à partir du {since} jusqu’au {until}",
            "from {since} until {until}"
        ),
        (Some(since), None) => say!("à partir du {since}", "from {since}"),
        (None, Some(until)) => say!("jusqu’au {until}", "until {until}"),
        (None, None) => Text::default(),
    }
}

/// Reads exactly the figures of the method, in its order.
fn read_figures(
    node: &Node,
    method: &Method,
    sources: &[Source],
    place: &Place,
    report: &mut Report,
) -> Vec<Figure> {
    let mut used = vec![false; sources.len()];
    let written = node.entries_of("figures");
    let names: Vec<&str> = method
        .figures()
        .iter()
        .map(|shape| shape.name.as_str())
        .collect();

    let left_out = |name: &str| {
        method
            .left_out
            .iter()
            .find(|option| option.figures.iter().any(|own| own == name))
    };

    // Figures that the file has and the method does not: each has its own reason.
    for (name, _) in written {
        if let Some(option) = left_out(&name.value) {
            let problem = Problem::FigureLeftOut {
                figure: name.value.clone(),
                option: option.name.clone(),
            };
            report.error(&name.place, problem);
        } else if let Some(shape) = method.absent.iter().find(|shape| shape.name == name.value) {
            report.error(
                &name.place,
                Problem::FigureNotGiven {
                    name: name.value.clone(),
                    days: given_days(shape),
                },
            );
        } else if !names.contains(&name.value.as_str()) {
            // `rows:` in the margin of its figure.
            let above = written
                .iter()
                .take_while(|(other, _)| other.value != name.value);
            let problem = match above
                .last()
                .filter(|_| own_keys().any(|own| own == name.value))
            {
                Some((figure, _)) => {
                    let figure = &figure.value;
                    Problem::MisplacedKey {
                        key: name.value.clone(),
                        place: say!(
                            "sous le chiffre `{figure}`, avec une marge plus grande que la sienne",
                            "under the figure `{figure}`, with a wider margin than its own"
                        ),
                    }
                }
                None => Problem::unknown_figure(&name.value, names.iter().copied()),
            };
            report.error(&name.place, problem);
        }
    }

    // Figures that the method has, in its order: those that are missing are reported at the file.
    let mut figures = Vec::with_capacity(method.figures().len());
    for shape in method.figures() {
        let found = written.iter().find(|(name, _)| name.value == shape.name);

        // Taken from another folder once the own figures are read.
        if let Some(from) = &shape.shared {
            if let Some((name, _)) = found {
                let problem = Problem::SharedFigureWritten {
                    name: name.value.clone(),
                    folder: from.folder.clone(),
                };
                report.error(&name.place, problem);
            }
            figures.push(Figure::without_values(&shape.place));
            continue;
        }

        match found {
            // The schema reports a figure that is not a map.
            Some((_, node)) if !matches!(node.content, Content::Map(_)) => {}
            Some((name, node)) => {
                let mut known = Sources {
                    all: sources,
                    used: &mut used,
                };
                figures.push(read_figure(
                    name,
                    node,
                    shape,
                    &method.symbols,
                    &mut known,
                    report,
                ));
                check_plausibility(node, shape, method.decimals, report);
            }
            // A figure written under a misspelt name is there: the misspelling was reported above.
            None if is_written(
                &shape.name,
                written.iter().map(|(name, _)| name.value.as_str()),
                &names,
            ) => {}
            // The schema reports a file without `figures`.
            None if node.get("figures").is_none() => {}
            None => report.error(place, missing(shape, method)),
        }
    }

    // A source that no figure names is often one that a copied file left behind.
    // Those of a scale without figures are of what the method calculates.
    for (source, used) in sources.iter().zip(used) {
        if !used && method.figures().iter().any(|shape| shape.shared.is_none()) {
            report.warn(
                &source.place,
                Problem::UnusedSource {
                    id: source.id.clone(),
                },
            );
        }
    }

    figures
}

/// The problem of a missing figure; one of an option may be left out with the whole option.
fn missing(shape: &Shape, method: &Method) -> Problem {
    // A figure of an option may also be missing because the law lacks the whole option.
    let option = shape
        .option
        .and_then(|option| method.options().get(option))
        .map(|option| option.name.as_str());

    let without = option.map_or_else(Text::default, |option| {
        say!(
            " ; si ce fichier se passe de toute l’option `{option}`, écrire `without: {option}`",
            "; if this file goes without the whole option `{option}`, write `without: {option}`"
        )
    });

    Problem::MissingFigure {
        name: shape.name.clone(),
        form: shape.written(),
        without,
    }
}
