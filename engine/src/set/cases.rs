//! The reader of `cases.yaml`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use jiff::civil::Date;

use crate::law::draft::Drafts;
use crate::law::parameter::{DATE, YEAR};
use crate::law::source::{bad_date, parse_date, read_date};
use crate::run::{Case, Examples, Expected, Folder};
use crate::text::limits::CASES;
use crate::text::{Content, Node, Place, Problem, Report, RuleFile};

/// The key of the scale that a case is of.
pub(crate) const CASE_SCALE: &str = "scale";
/// The key of the year in a case for a year of pays.
pub(crate) const CASE_YEAR: &str = "year";
/// The kind of origin of a case whose expected values were computed by the program.
pub(crate) const COMPUTED: &str = "computed";
/// The key of the values that a computed case expected earlier, with their origin.
pub(crate) const BEFORE: &str = "before";

impl Folder {
    /// The cases of `cases.yaml`, in the order of the file; those of drafts only where drafts are
    /// included. They are read on first use, then kept.
    pub fn cases(&self) -> &[Case] {
        self.cases.read.get_or_init(|| self.read_cases())
    }

    /// Examples among the cases.
    pub fn examples(&self) -> &Examples {
        let read = || match self.cases.read.get() {
            Some(cases) => Examples::new(self, cases),
            None => Examples::new(self, &self.read_cases()),
        };
        self.cases.examples.get_or_init(read)
    }

    /// Stores the cases that were just read, those of drafts separately.
    pub(crate) fn keep_cases(&self, cases: Vec<Case>) {
        let is_aside = self.cases.drafts == Drafts::Aside;
        let is_waiting = |case: &Case| is_aside && self.is_of_draft(case);
        let (waiting, own) = cases.into_iter().partition(is_waiting);
        self.cases.of_drafts.get_or_init(|| waiting);
        self.cases.read.get_or_init(|| own);
    }

    /// Drops the cases, but for the examples.
    pub(crate) fn forget_cases(&mut self) {
        // Made while the cases are there: later they would have to be read again.
        self.examples();
        self.cases.read.take();
        self.cases.of_drafts.take();
    }

    /// Reads the cases. Mistakes in their file were reported when the folder was loaded.
    fn read_cases(&self) -> Vec<Case> {
        let Some(file) = &self.cases.file else {
            return Vec::new();
        };

        let mut report = Report::default();
        let node = Node::read(file, &mut report);
        let cases = node.map(|node| Case::read_all(file, &node, self.is_dated(), &mut report));
        self.without_drafts(cases.unwrap_or_default())
    }

    /// Removes the cases of drafts, where drafts are left out. A case that does not say that it is
    /// of a draft is of what is in force, on the days of a draft too.
    fn without_drafts(&self, mut cases: Vec<Case>) -> Vec<Case> {
        if self.cases.drafts == Drafts::Aside {
            cases.retain(|case| !self.is_of_draft(case));
        }
        cases
    }

    /// Whether a case says that it is of a scale that is a draft.
    pub fn is_of_draft(&self, case: &Case) -> bool {
        let scale = case.scale.as_ref();
        scale.is_some_and(|(date, _)| self.drafts.iter().any(|draft| draft.date == *date))
    }
}

impl Case {
    /// Reads the cases of a file.
    pub(crate) fn read_all(
        file: &Arc<RuleFile>,
        node: &Node,
        dated: bool,
        report: &mut Report,
    ) -> Vec<Self> {
        let cases = node.items_of("cases");
        if !CASES.accepts(cases.len(), &Place::of_file(file), report) {
            return Vec::new();
        }
        let cases: Vec<Self> = cases
            .iter()
            .map(|node| Self::read(file, node, dated, report))
            .collect();

        // One warning for all: a folder may have hundreds of them.
        let mut computed = cases.iter().filter(|case| case.is_computed);
        if let Some(first) = computed.next() {
            report.warn(
                &first.place,
                Problem::CasesComputed {
                    count: computed.count().saturating_add(1),
                },
            );
        }

        // Reports of a run name a case by its name and its day.
        let mut first_of_name: HashMap<(&str, Option<Date>), &Self> = HashMap::new();
        for case in &cases {
            match first_of_name.entry((&case.name, case.date())) {
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
        let place = node
            .entries()
            .first()
            .map_or(Place::of_file(file), |(key, _)| key.place.clone());

        // 1. What the case sends.
        let (mut query, mut sent) = day(node, dated, &place, report);
        for (name, value) in node.entries_of("given") {
            query.extend(
                value
                    .text()
                    .map(|text| (name.value.clone(), text.value.clone())),
            );
            sent.extend(value.text().map(|text| text.place.clone()));
        }

        // 2. Where its values come from.
        let origin = node.get("origin");
        let is_computed = origin
            .and_then(|origin| origin.text_of("kind"))
            .is_some_and(|kind| kind.value == COMPUTED);
        if let Some(before) = origin
            .and_then(|origin| origin.key_place(BEFORE))
            .filter(|_| !is_computed)
        {
            report.warn(before, Problem::BeforeOfNoComputedCase {});
        }

        // 3. What it expects. A list or a map as a value is an error of the schema.
        let expected = |node: &Node| match &node.content {
            Content::Text(text) => Some(Expected::Text(text.clone())),
            Content::Empty => Some(Expected::Nothing),
            _ => None,
        };
        let expect = node.entries_of("expect");
        let case = Self {
            name: node.string_of("name").unwrap_or_default(),
            query,
            sent,
            expect: expect
                .iter()
                .filter_map(|(field, node)| Some((field.clone(), expected(node)?)))
                .collect(),
            absent: node.list_of("absent"),
            refuse: node.text_of("refuse").cloned(),
            warns: node.text_of("warns").cloned(),
            scale: node.text_of(CASE_SCALE).and_then(|text| {
                let date = read_date(text, report)?;
                Some((date, text.place.clone()))
            }),
            is_year: node.text_of(CASE_YEAR).is_some(),
            is_computed,
            place,
        };

        // A case without any expectation would pass whatever the rules compute. Where the key is
        // only misspelt, the misspelt key is reported instead.
        let known = [
            "name", "date", CASE_YEAR, CASE_SCALE, "given", "expect", "absent", "refuse", "warns",
            "origin",
        ];
        let is_misspelt = node.misspells("expect", &known);
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

/// The day or the year of a case, as a query sends it, and its place.
fn day(
    node: &Node,
    dated: bool,
    place: &Place,
    report: &mut Report,
) -> (Vec<(String, String)>, Vec<Place>) {
    let mut query = Vec::new();
    let mut sent = Vec::new();
    let date = node.text_of("date");
    let year = node.text_of(CASE_YEAR);

    // A case has one of the two, and none without dated files.
    if let (Some(_), Some(year)) = (date, year) {
        report.error(&year.place, Problem::CaseDateAndYear {});
    }
    match date.or(year) {
        None if dated => report.error(place, Problem::CaseDateMissing {}),
        Some(date) if !dated => report.error(&date.place, Problem::CaseDateNotWanted {}),
        _ => {}
    }

    if let Some(text) = year {
        query.push((YEAR.to_owned(), text.value.clone()));
        sent.push(text.place.clone());
    }
    if let Some(text) = date {
        if parse_date(&text.value).is_none() {
            report.error(&text.place, bad_date(text));
        }
        query.push((DATE.to_owned(), text.value.clone()));
        sent.push(text.place.clone());
    }

    (query, sent)
}
