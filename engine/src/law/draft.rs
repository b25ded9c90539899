//! Drafts: dated files in preparation, never in force. A file is a draft while a figure, a row or a
//! cell of it is `unconfirmed`, or while it says `state: draft`.

use jiff::civil::Date;

use crate::law::figure::is_marked;
use crate::text::date_in_words::{note_names_another_year, title_names_another_day};
use crate::text::{Node, PlacedText, Problem, Report, french_date};

/// Whether drafts are left out of the scales in force, or included among them.
///
/// ```
/// use bareme_engine::Loader;
/// use bareme_engine::law::Drafts;
///
/// let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// let loader = Loader::new().drafts(Drafts::Included).without_cases().only(&["tva"]);
/// let simulated = loader.load(root);
/// assert!(simulated.report.is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Drafts {
    /// Drafts are read and checked, their mistakes are warnings, and nothing is computed from them.
    #[default]
    Aside,
    /// Drafts are scales like the others, to simulate a bill before it is voted.
    Included,
}

/// A dated file in preparation.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// for draft in folder.drafts() {
///     let mut scales = folder.editions().iter().filter_map(|edition| edition.scale());
///     assert!(scales.all(|scale| scale.date != draft.date));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Day from which it is to be in force.
    pub date: Date,
    /// Figures to confirm, whole or some of their cells, in the order of the file.
    pub unconfirmed: Vec<String>,
    /// Number of its errors, those of its cases included.
    pub errors: usize,
}

impl Draft {
    /// Path of its file in a folder.
    pub(crate) fn path(&self, folder: &str) -> String {
        format!("{folder}/{}.yaml", self.date)
    }

    /// Reads whether a dated file is a draft; warns of a waiting one.
    pub(crate) fn read(date: Date, node: &Node, report: &mut Report) -> Option<Self> {
        let state = node.text_of("state");

        let figures = node.entries_of("figures");
        let marked: Vec<&PlacedText> = figures
            .iter()
            .filter(|(_, figure)| is_marked(figure))
            .map(|(name, _)| name)
            .collect();
        let unconfirmed: Vec<String> = marked.iter().map(|name| name.value.clone()).collect();

        // A draft by its cells waits for somebody to confirm them; one by its state alone has
        // nothing left to confirm.
        match (marked.first(), state) {
            (None, None) => return None,
            (None, Some(state)) if state.value == "draft" => {
                report.warn(
                    &state.place,
                    Problem::DraftIsWhole {
                        date: date.to_string(),
                    },
                );
            }
            (None, Some(_)) => {}
            (Some(first), _) => {
                let count = unconfirmed.len();
                let figures = crate::text::words::shortened(&unconfirmed);
                report.warn(&first.place, Problem::DraftWaits { count, figures });
            }
        }

        warn_of_other_days(date, node, report);

        Some(Self {
            date,
            unconfirmed,
            errors: 0,
        })
    }

    /// A dated file that is not valid YAML but whose text marks it as a draft; `errors` is the
    /// number of its errors.
    pub(crate) fn unreadable(date: Date, text: &str, errors: usize) -> Option<Self> {
        // The text is all that is left of a file that cannot be read: comments are taken off.
        let says_so = |line: &str| {
            let line = line.split('#').next().unwrap_or_default();
            line.trim_end() == "state: draft" || line.contains("unconfirmed:")
        };

        text.lines().any(says_so).then_some(Self {
            date,
            unconfirmed: Vec::new(),
            errors,
        })
    }

    /// Whether the latest scale that starts by a day is one of these drafts rather than one in
    /// force.
    pub(crate) fn covers(drafts: &[Self], in_force: impl Iterator<Item = Date>, day: Date) -> bool {
        let latest = drafts
            .iter()
            .map(|draft| draft.date)
            .filter(|date| *date <= day)
            .max();

        latest > in_force.filter(|date| *date <= day).max()
    }
}

/// Warns of a title or notes copied from another scale, which still name its day or year.
fn warn_of_other_days(date: Date, node: &Node, report: &mut Report) {
    let problem = || Problem::SpeaksOfOtherDay {
        date: french_date(date),
    };

    if let Some(title) = node
        .text_of("title")
        .filter(|title| title_names_another_day(&title.value, date))
    {
        report.warn(&title.place, problem());
    }

    // Notes may be on the file, on a figure or on a row of one.
    let figures = node.entries_of("figures").iter().map(|(_, figure)| figure);
    let rows = figures.clone().flat_map(|figure| figure.items_of("rows"));

    for note in [node]
        .into_iter()
        .chain(figures)
        .chain(rows)
        .filter_map(|part| part.text_of("note"))
    {
        if note_names_another_year(&note.value, date) {
            report.warn(&note.place, problem());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::law::draft::Drafts;
    use crate::testing::{GROSS, method, read_as, scale, shown};

    fn files(draft: &str) -> [(&'static str, String); 4] {
        let keys = format!(
            "{GROSS}figures:\n  f: {{v: rate}}\nsteps:\n  x: brut * f.v\nanswer:\n  x: x\n"
        );
        let case = |day: &str, x: &str| {
            let day = if day == "2027-05-01" {
                "2027-05-01, scale: 2027-01-01"
            } else {
                day
            };
            format!(
                "  - {{name: C, date: {day}, given: {{brut: 100}}, expect: {{x: {x}}}, origin: \
                 {{kind: hand}}}}\n"
            )
        };
        let cases = [
            "format: bareme/1\ncases:\n",
            &case("2026-05-01", "10"),
            &case("2027-05-01", "20"),
        ]
        .concat();
        [
            ("method.yaml", method(&keys)),
            ("2026-01-01.yaml", scale("  f: {v: 10%, source: s}")),
            ("2027-01-01.yaml", scale(draft)),
            ("cases.yaml", cases),
        ]
    }

    fn folder(draft: &str, drafts: Drafts) -> (Option<crate::run::folder::Folder>, Vec<String>) {
        let files = files(draft);
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        let (folder, report) = read_as(&files, drafts);
        (
            folder,
            report
                .all()
                .map(|one| format!("{} {:?}", one.code(), one.severity()))
                .collect(),
        )
    }

    #[test]
    fn a_draft_is_never_in_force_and_can_be_simulated() {
        let draft = "  f: {unconfirmed: true, v: 20%, source: s}";
        let (aside, reported) = folder(draft, Drafts::Aside);
        assert_eq!(reported, ["W12 Warning", "W47 Warning", "W01 Warning"]);
        let aside = aside.unwrap();
        assert_eq!(shown(&aside, "brut=100&date=2027-05-01", "x"), "10");
        assert_eq!(
            (
                aside.editions().len(),
                aside.drafts()[0].unconfirmed.len(),
                aside.cases().len()
            ),
            (1, 1, 1)
        );
        let included = folder(draft, Drafts::Included).0.unwrap();
        assert_eq!(shown(&included, "brut=100&date=2027-05-01", "x"), "20");
        assert!(
            shown(&included, "brut=100&date=2027-05-01", "avertissements").contains("brouillon")
        );
        assert_eq!(
            shown(&included, "brut=100&date=2026-05-01", "avertissements"),
            "absent"
        );
    }

    #[test]
    fn what_is_wrong_with_a_draft_stops_nothing() {
        let (aside, reported) = folder("  f: {unconfirmed: true, v: 20, source: t}", Drafts::Aside);
        assert!(
            reported.iter().all(|one| one.ends_with("Warning")) && reported.len() > 1,
            "{reported:?}"
        );
        assert_eq!(
            shown(&aside.unwrap(), "brut=100&date=2027-05-01", "x"),
            "10"
        );
        assert!(
            folder(
                "  f: {unconfirmed: true, v: 20, source: t}",
                Drafts::Included
            )
            .0
            .is_none()
        );
    }

    #[test]
    fn a_draft_that_is_no_yaml_stops_nothing() {
        let (aside, reported) = folder("  f: {unconfirmed: true, v: 20%, source: s", Drafts::Aside);
        assert!(
            reported.iter().all(|one| one.ends_with("Warning"))
                && reported.iter().any(|one| one.starts_with('Y')),
            "{reported:?}"
        );
        let aside = aside.unwrap();
        assert_eq!(
            (aside.drafts()[0].date.to_string(), aside.drafts()[0].errors),
            ("2027-01-01".to_owned(), 1)
        );
        assert_eq!(shown(&aside, "brut=100&date=2027-05-01", "x"), "10");
        assert!(
            folder(
                "  f: {unconfirmed: true, v: 20%, source: s",
                Drafts::Included
            )
            .0
            .is_none()
        );
        // Without the mark it may be a scale in force, whose mistakes are errors.
        assert!(folder("  f: {v: 20%, source: s", Drafts::Aside).0.is_none());
    }

    #[test]
    fn a_draft_does_not_change_the_version() {
        let version = |draft: &str| folder(draft, Drafts::Aside).0.unwrap().version().to_owned();
        let first = version("  f: {unconfirmed: true, v: 20%, source: s}");
        assert_eq!(
            first,
            version("  f: {unconfirmed: true, v: 21%, source: s}")
        );
        assert_eq!(first, version("  f: {unconfirmed: true, v: 20%, source: s"));
        assert_ne!(first, version("  f: {v: 20%, source: s}"));
    }

    #[test]
    fn a_draft_takes_no_case_away_from_what_is_in_force() {
        let keys = format!(
            "{GROSS}figures:\n  f: {{v: rate}}\nsteps:\n  x: brut * f.v\nanswer:\n  x: x\n"
        );
        let loaded = |rate: &str, of_scale: &str| {
            let cases = format!(
                "format: bareme/1\ncases:\n  - {{name: C, date: 2027-05-01{of_scale}, \
                 given: {{brut: 100}}, expect: {{x: 10}}, origin: {{kind: hand}}}}\n"
            );
            let files = [
                ("zz/method.yaml", method(&keys)),
                (
                    "zz/2026-01-01.yaml",
                    scale(&format!("  f: {{v: {rate}, source: s}}")),
                ),
                (
                    "zz/2027-01-01.yaml",
                    scale("  f: {unconfirmed: true, v: 10%, source: s}"),
                ),
                ("zz/cases.yaml", cases),
            ];
            let files: Vec<(&str, &str)> = files
                .iter()
                .map(|(name, text)| (*name, text.as_str()))
                .collect();
            let files = crate::set::FileSet::from_texts(files);
            let loaded = crate::set::Loader::new().load_files(&files);
            let cases = loaded
                .rules
                .map(|rules| rules.folder("zz").unwrap().cases().len());
            let codes = loaded.report.all().map(|one| one.code());
            (
                cases,
                codes
                    .filter(|code| ["C01", "C12", "W55"].contains(code))
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(
            loaded("10%", ""),
            (Some(1), Vec::new()),
            "it is computed with 2026"
        );
        // It would hold against the draft: it is of what is in force all the same.
        assert_eq!(loaded("11%", ""), (None, vec!["W55", "C01"]));
        assert_eq!(loaded("11%", ", scale: 2027-01-01"), (Some(0), Vec::new()));
        assert_eq!(loaded("10%", ", scale: 2026-01-01"), (Some(1), Vec::new()));
        assert_eq!(
            loaded("10%", ", scale: 2025-01-01"),
            (None, vec!["W55", "C12"])
        );
    }

    #[test]
    fn a_case_of_a_draft_that_fails_is_a_warning() {
        let (aside, reported) =
            folder("  f: {unconfirmed: true, v: 30%, source: s}", Drafts::Aside);
        assert_eq!(
            reported,
            [
                "W12 Warning",
                "W40 Warning",
                "W47 Warning",
                "C01 Warning",
                "W01 Warning"
            ]
        );
        assert_eq!(aside.unwrap().drafts()[0].errors, 1);
    }
}
