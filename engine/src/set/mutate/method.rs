//! Mutation tests of methods: whether the worked cases would notice a slip in the computation.
//!
//! A slip is a word that is easily mistaken for another and stays well-formed: `>` for `>=`, `at_most`
//! for `at_least`, one rounding for another, the smallest amount for the greatest.

use std::sync::Arc;

use rust_decimal::Decimal;

use crate::law::{Find, Method, Scale, Shape};
use crate::run::{Case, Edition, Folder};
use crate::text::number::RoundMode;
use crate::text::{Content, Node, PlacedText, Report};

use super::{Probe, Proposal, propose, rewrite};

/// The parts of a method that compute.
const PARTS: [&str; 5] = ["checks", "steps", "answer", "inverse", "options"];

/// Keys whose values are no formula: words for people, names, and the sources of the law.
const WORDS: [&str; 15] = [
    "label",
    "help",
    "law",
    "warn",
    "refuse",
    "code",
    "input",
    "title",
    "note",
    "notes",
    "text",
    "parameter",
    "as",
    "role",
    "unit",
];

/// Keys that are easily mistaken for each other.
const KEYS: [(&str, &str); 2] = [("at_most", "at_least"), ("at_least", "at_most")];

/// Parts of formulas that are easily mistaken for each other. A space on both sides tells an operator
/// from a part of another one.
const OPERATORS: [(&str, &str); 10] = [
    (" >= ", " > "),
    (" > ", " >= "),
    (" <= ", " < "),
    (" < ", " <= "),
    (" and ", " or "),
    (" or ", " and "),
    (" + ", " - "),
    (" - ", " + "),
    ("min(", "max("),
    ("max(", "min("),
];

/// A slip in a method.
#[derive(Debug, Clone)]
pub struct Slip {
    /// Path of the keys that lead to it in the file: `steps.impot.round`.
    pub name: String,
    /// Line of the file, from 1.
    pub line: usize,
    /// The words as they are written.
    pub written: String,
    /// The words of the slip.
    pub mistaken: String,
    /// The whole text that has them, and that text with the slip.
    text: PlacedText,
    with_slip: String,
}

/// A method with the dated scales that use it and their worked cases.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// use bareme_engine::set::mutate::MethodProbe;
///
/// let probe = MethodProbe::new(folder, "method").ok_or("no method")?;
/// let slips = probe.slips();
/// assert!(slips.iter().any(|slip| probe.is_noticed(slip)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MethodProbe<'f> {
    folder: &'f Folder,
    method: Arc<Method>,
    node: Node,
    /// The latest first: its cases are most.
    editions: Vec<DatedProbe<'f>>,
}

/// An edition with its dated file and its cases.
struct DatedProbe<'f> {
    edition: &'f Edition,
    /// `None` for a method without dates.
    file: Option<Node>,
    cases: Vec<&'f Case>,
}

impl<'f> MethodProbe<'f> {
    /// A probe of a method, by the name of its file; `None` where no scale uses it.
    pub fn new(folder: &'f Folder, name: &str) -> Option<Self> {
        let dated = |edition: &'f Edition| {
            let file = edition.scale.as_ref().and_then(|scale| {
                let file = scale.place.file();
                Node::read(file, &mut Report::default())
            });
            let cases = folder.cases_of(edition).filter(|case| !case.is_computed);
            DatedProbe {
                edition,
                file,
                cases: cases.collect(),
            }
        };
        let editions = folder.editions().iter().rev();
        let editions: Vec<_> = editions
            .filter(|edition| edition.method.name == name)
            .map(dated)
            .collect();

        let method = &editions.first()?.edition.method;
        let method = Arc::clone(method.whole.as_ref().unwrap_or(method));
        // A method keeps what was read only: its text is parsed again.
        let node = Node::read(method.place.file(), &mut Report::default())?;
        Some(Self {
            folder,
            method,
            node,
            editions,
        })
    }

    /// The slips of the parts that compute, in the order of the file.
    pub fn slips(&self) -> Vec<Slip> {
        let mut slips = Vec::new();
        for (key, node) in self.node.entries() {
            if PARTS.contains(&key.value.as_str()) {
                collect(node, &key.value, &mut slips);
            }
        }
        slips
    }

    /// Whether the method with a slip is refused, or changes the answer of some case.
    pub fn is_noticed(&self, slip: &Slip) -> bool {
        let Some((method, node)) = self.with(slip) else {
            return true;
        };
        self.editions.iter().any(|dated| {
            let Some(edition) = dated.under(&method, &node, self) else {
                return true;
            };
            let changed = self.folder.with_only(edition);
            let mut cases = dated.cases.iter();
            cases.any(|case| !case.outcome(&changed).is_ok())
        })
    }

    /// A question that the slip would answer otherwise, for a case that notices it.
    pub fn propose(&self, slip: &Slip) -> Option<Proposal> {
        let (method, node) = self.with(slip)?;
        let amounts = self.amounts_of(slip);

        // Under the scale in use last: a case of a past one helps nobody.
        let dated = self.editions.first()?;
        let right = dated.under(&self.method, &self.node, self)?;
        let wrong = dated.under(&method, &node, self)?;
        propose(self.folder, &dated.cases, [right, wrong], &amounts)
    }

    /// The amounts at which a slip may show: those of the figures that its text names, and 0.
    fn amounts_of(&self, slip: &Slip) -> Vec<Decimal> {
        let words = slip
            .text
            .value
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let words: Vec<&str> = words.collect();

        let latest = self.editions.first();
        let probe = latest.and_then(|dated| Probe::new(self.folder, dated.edition));
        let cells = probe.map(|probe| probe.cells()).unwrap_or_default();
        let named = cells
            .iter()
            .filter(|cell| words.contains(&cell.figure.as_str()));
        let amounts = named.filter_map(|cell| cell.value());
        [Decimal::ZERO].into_iter().chain(amounts).collect()
    }

    /// The method with a slip, and its nodes; `None` where it is refused.
    fn with(&self, slip: &Slip) -> Option<(Arc<Method>, Node)> {
        let mut node = self.node.clone();
        rewrite(&mut node, &slip.text.place, &slip.with_slip);

        let mut report = Report::default();
        let file = self.method.place.file();
        let mut method = Method::read(
            &self.method.name,
            file,
            &node,
            &self.method.symbols.callees,
            &mut report,
        );
        // Those of all methods of the folder, of which this one reads its own alone.
        method.year_names = self.method.year_names.clone();
        report.is_ok().then(|| (Arc::new(method), node))
    }
}

impl DatedProbe<'_> {
    /// The edition under another method; `None` where its dated file or its program is refused.
    fn under(&self, method: &Arc<Method>, node: &Node, probe: &MethodProbe) -> Option<Edition> {
        let mut report = Report::default();
        let Some((scale, file)) = self.edition.scale.as_ref().zip(self.file.as_ref()) else {
            let edition = Edition::new(method, None);
            return edition.program().is_ok().then_some(edition);
        };

        // As for the dated file of the folder: without the options and the figures that it leaves
        // out.
        let kept = self.edition.method.options();
        let left_out = probe
            .method
            .options()
            .iter()
            .map(|option| option.name.as_str());
        let left_out: Vec<&str> = left_out
            .filter(|name| !kept.iter().any(|option| option.name == *name))
            .collect();
        let is_whole = left_out.is_empty() && !method.figures().iter().any(Shape::may_be_absent);
        let method = if is_whole {
            Arc::clone(method)
        } else {
            Arc::new(method.of_scale(node, &left_out, scale.date))
        };

        let dated = scale.place.file();
        let scale = Scale::read(scale.date, dated, file, &method, &mut report);
        let edition = Edition::alone(&method, scale, &mut report);
        (report.is_ok() && edition.program().is_ok()).then_some(edition)
    }
}

/// Collects the slips of a node and of those in it.
fn collect(node: &Node, name: &str, slips: &mut Vec<Slip>) {
    match &node.content {
        Content::Map(entries) => {
            for (key, inside) in entries {
                let word = key.value.as_str();
                // Texts for readers: a slip in them changes no amount, and no case could see it.
                if WORDS.contains(&word) {
                    continue;
                }

                let name = format!("{name}.{word}");
                if let Some((_, other)) = KEYS.iter().find(|(known, _)| *known == word) {
                    slips.push(Slip::whole(&name, key, other));
                }
                match (word, inside.text()) {
                    ("round", Some(text)) => slips.extend(roundings(&name, text)),
                    ("find", Some(text)) => {
                        let others = Find::WORDS.iter().map(|(word, _)| *word);
                        let others = others.filter(|word| *word != text.value);
                        slips.extend(others.map(|other| Slip::whole(&name, text, other)));
                    }
                    _ => collect(inside, &name, slips),
                }
            }
        }
        Content::List(items) => {
            for (number, item) in (1..).zip(items) {
                collect(item, &format!("{name}[{number}]"), slips);
            }
        }
        Content::Text(text) => slips.extend(operators(name, text)),
        Content::Empty => {}
    }
}

/// The other roundings of `0.01` or `1 down`.
fn roundings(name: &str, text: &PlacedText) -> Vec<Slip> {
    let (unit, mode) = text.value.split_once(' ').unwrap_or((&text.value, ""));
    // A rounding without a word is to the nearest.
    let mode = RoundMode::WORDS.iter().find(|(word, _)| *word == mode);
    let mode = mode.map_or(RoundMode::HalfUp, |(_, mode)| *mode);

    let others = RoundMode::WORDS.iter().filter(|(_, other)| *other != mode);
    others
        .map(|(word, _)| Slip::whole(name, text, &format!("{unit} {word}")))
        .collect()
}

/// The operators of a formula that may be mistaken, one after the other.
fn operators(name: &str, text: &PlacedText) -> Vec<Slip> {
    let mut slips = Vec::new();
    for (written, mistaken) in OPERATORS {
        for (start, _) in text.value.match_indices(written) {
            // `min(` ends the name of no other function.
            let before = text.value.get(..start).unwrap_or_default();
            let is_inside =
                before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
            if is_inside && !written.starts_with(' ') {
                continue;
            }

            let after = text.value.get(start.saturating_add(written.len())..);
            slips.push(Slip {
                name: name.to_owned(),
                line: text.place.line(),
                written: written.trim().to_owned(),
                mistaken: mistaken.trim().to_owned(),
                text: text.clone(),
                with_slip: format!("{before}{mistaken}{}", after.unwrap_or_default()),
            });
        }
    }
    slips
}

impl Slip {
    /// A whole text that is mistaken for another.
    fn whole(name: &str, text: &PlacedText, mistaken: &str) -> Self {
        Self {
            name: name.to_owned(),
            line: text.place.line(),
            written: text.value.clone(),
            mistaken: mistaken.to_owned(),
            text: text.clone(),
            with_slip: mistaken.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, method, read, scale};

    use super::*;

    fn folder() -> Folder {
        let keys = "figures:\n  f: {v: rate, least: money/month, plus: money/month, \
                    most: money/month}\nsteps:\n  \
                    x: {formula: if brut >= f.least then brut * f.v else 0, round: 0.01}\n  \
                    y: {formula: x + f.plus, at_most: f.most}\nanswer:\n  x: x\n  y: y\n";
        let figures = "  f: {per: month, v: 10%, least: 1 000, plus: 1, most: 500, source: s}\n";
        let cases = "format: bareme/1\ncases:\n  \
                     - {name: A, date: 2026-01-01, given: {brut: 2000}, expect: {x: 200, y: 201}, \
                     origin: {kind: hand}}\n  \
                     - {name: B, date: 2026-01-01, given: {brut: 9000}, expect: {x: 900, y: 500}, \
                     origin: {kind: hand}}\n";
        let method = method(&format!("{GROSS}{keys}"));
        let files = [
            ("method.yaml", method.as_str()),
            ("2026-01-01.yaml", &scale(figures)),
            ("cases.yaml", cases),
        ];
        let (folder, report) = read(&files);
        folder.unwrap_or_else(|| panic!("{report:?}"))
    }

    #[test]
    fn slips_are_noticed_by_cases_or_not() {
        let folder = folder();
        let probe = MethodProbe::new(&folder, "method").unwrap();
        let found = probe.slips();
        let found = found.iter().map(|slip| {
            let noticed = if probe.is_noticed(slip) {
                "seen"
            } else {
                "missed"
            };
            format!(
                "{} {} -> {} {noticed}",
                slip.name, slip.written, slip.mistaken
            )
        });
        let expected = [
            "steps.x.formula >= -> > missed",
            "steps.x.round 0.01 -> 0.01 down missed",
            "steps.x.round 0.01 -> 0.01 up missed",
            "steps.y.formula + -> - seen",
            "steps.y.at_most at_most -> at_least seen",
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_question_at_the_threshold_is_proposed() {
        let folder = folder();
        let probe = MethodProbe::new(&folder, "method").unwrap();
        let slips = probe.slips();
        let strict = slips.iter().find(|slip| slip.mistaken == ">").unwrap();
        let proposal = probe.propose(strict).unwrap();
        let date = ("date".to_owned(), "2026-01-01".to_owned());
        assert_eq!(
            proposal.query,
            [date, ("brut".to_owned(), "1000".to_owned())]
        );
        assert_eq!(proposal.fields, ["x", "y"]);

        let down = slips
            .iter()
            .find(|slip| slip.mistaken == "0.01 down")
            .unwrap();
        assert!(
            probe
                .propose(down)
                .is_some_and(|proposal| proposal.fields.contains(&"x".to_owned()))
        );
    }
}
