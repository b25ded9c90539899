//! Worked cases: what a calculation must give, run whenever the rules are read.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use jiff::civil::Date;

use crate::diagnostic::{Place, Report, RuleFile};
use crate::json::Datum;
use crate::limits::CASES;
use crate::number::{number_text, parse_amount};
use crate::problem::{Problem, is_written};
use crate::query::Query;
use crate::source::{bad_date, parse_date};
use crate::yaml::{Content, Node, Text};

/// The origin of a case whose expected values the program gave.
pub(crate) const COMPUTED: &str = "computed";
/// What a computed case expected before, and where that came from.
pub(crate) const BEFORE: &str = "before";

/// A worked case.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().about(&["tva"]).load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// let case = &folder.cases()[0];
/// let mut report = bareme_engine::Report::default();
/// case.run(folder, &mut report);
/// assert!(report.is_ok(), "{}", case.name);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Case {
    /// What it shows, in French.
    pub name: String,
    /// What is sent: the date and the inputs.
    pub query: Vec<(String, String)>,
    /// Where each value of the query stands.
    pub(crate) sent: Vec<Place>,
    /// Fields and their exact values.
    pub expect: Vec<(Text, Expected)>,
    /// Fields that must not be there.
    pub absent: Vec<Text>,
    /// The parameter that is refused.
    pub refuse: Option<Text>,
    /// A part of the text of a warning that the answer must have.
    pub warns: Option<Text>,
    /// Whether the program itself gave what is expected: such a case proves nothing until it is worked out by hand.
    pub is_computed: bool,
    /// Where it stands.
    pub place: Place,
}

/// The expected value of a field.
///
/// A [`Case`] has one for each field that it checks.
#[derive(Debug, Clone)]
pub enum Expected {
    /// `null`
    Nothing,
    /// The text of a number, a boolean or a string.
    Text(Text),
}

impl Case {
    /// The day that it asks about; none for a method without dates.
    pub fn date(&self) -> Option<Date> {
        Query::from(&self.query).sent("date").and_then(parse_date)
    }

    /// Reads the cases of a file.
    pub(crate) fn read_all(file: &Arc<RuleFile>, node: &Node, dated: bool, report: &mut Report) -> Vec<Self> {
        let cases = node.get("cases").map(Node::items).unwrap_or_default();
        if !CASES.accepts(cases.len(), &Place::of_file(file), report) {
            return Vec::new();
        }
        let cases: Vec<Self> = cases.iter().map(|node| Self::read(file, node, dated, report)).collect();
        let mut computed = cases.iter().filter(|case| case.is_computed);
        if let Some(first) = computed.next() {
            report.warn(&first.place, Problem::CasesComputed { count: computed.count().saturating_add(1) });
        }
        let mut known: HashMap<(&str, Option<Date>), &Self> = HashMap::new();
        for case in &cases {
            match known.entry((&case.name, case.date())) {
                Entry::Vacant(free) => {
                    free.insert(case);
                }
                Entry::Occupied(first) => {
                    let (name, line) = (case.name.clone(), first.get().place.line());
                    report.warn(&case.place, Problem::CaseTwice { name, line });
                }
            }
        }
        cases
    }

    fn read(file: &Arc<RuleFile>, node: &Node, dated: bool, report: &mut Report) -> Self {
        let place = node.entries().first().map_or(Place::of_file(file), |(key, _)| key.place.clone());
        let (mut query, mut sent) = (Vec::new(), Vec::new());
        let date = node.text_of("date");
        match date {
            None if dated => report.error(&place, Problem::CaseDateMissing {}),
            Some(date) if !dated => report.error(&date.place, Problem::CaseDateNotWanted {}),
            _ => {}
        }
        if let Some(text) = date {
            if parse_date(&text.value).is_none() {
                report.error(&text.place, bad_date(text));
            }
            query.push(("date".to_owned(), text.value.clone()));
            sent.push(text.place.clone());
        }
        for (name, value) in node.get("given").map(Node::entries).unwrap_or_default() {
            query.extend(value.text().map(|text| (name.value.clone(), text.value.clone())));
            sent.extend(value.text().map(|text| text.place.clone()));
        }
        let origin = node.get("origin");
        let is_computed = origin.and_then(|origin| origin.text_of("kind")).is_some_and(|kind| kind.value == COMPUTED);
        if let Some((before, _)) =
            origin.and_then(|origin| origin.entries().iter().find(|(key, _)| key.value == BEFORE))
            && !is_computed
        {
            report.warn(&before.place, Problem::BeforeOfNoComputedCase {});
        }
        let expected = |node: &Node| match &node.content {
            Content::Text(text) => Some(Expected::Text(text.clone())),
            Content::Empty => Some(Expected::Nothing),
            _ => None,
        };
        let expect = node.get("expect").map(Node::entries).unwrap_or_default();
        let case = Self {
            name: node.string_of("name").unwrap_or_default(),
            query,
            sent,
            expect: expect.iter().filter_map(|(field, node)| Some((field.clone(), expected(node)?))).collect(),
            absent: node.text_of("absent").map(Text::list).unwrap_or_default(),
            refuse: node.text_of("refuse").cloned(),
            warns: node.text_of("warns").cloned(),
            is_computed,
            place,
        };
        let keys = || node.entries().iter().map(|(key, _)| key.value.as_str());
        let is_misspelt =
            is_written("expect", keys(), &["name", "date", "given", "expect", "absent", "refuse", "warns", "origin"]);
        if !is_misspelt
            && case.expect.is_empty()
            && case.absent.is_empty()
            && case.refuse.is_none()
            && case.warns.is_none()
        {
            report.error(&case.place, Problem::CaseExpectsNothing {});
        }
        case
    }
}

impl Expected {
    /// Whether a value of the answer is exactly the expected one.
    pub fn agrees(&self, found: Datum) -> bool {
        match (self, found) {
            (Self::Nothing, Datum::Null) => true,
            (Self::Text(text), Datum::Number(number)) => {
                parse_amount(&text.value).is_ok_and(|expected| expected == number)
            }
            (Self::Text(text), Datum::Boolean(value)) => text.value == value.to_string(),
            (Self::Text(text), Datum::Text(value)) => text.value == value,
            (Self::Text(text), Datum::Shown(value)) => text.value == value.to_string(),
            _ => false,
        }
    }

    /// The value as an answer would show it.
    pub fn shown(&self) -> String {
        match self {
            Self::Nothing => "null".to_owned(),
            Self::Text(text) => parse_amount(&text.value).map_or_else(|_| text.value.clone(), number_text),
        }
    }
}
