//! The cases of `conformance/`: for each, a method, a scale, and what is asked of them.
//!
//! A case has `name`, `figures` (the shapes), `steps`, `scale` (the figures, whose source is `s`),
//! and may have `inputs`, `groups`, `answer`, `year` (the block of a year of pays, which `annee=` asks for)
//! and `later` (the figures from 2027 on), and `folders`: other folders, each with its `method` and
//! the figures of its scales by their days; then `asks`, a map from a query to its fields or to
//! `refused: <input> <code>`, or `errors`, the codes that refuse the rules. `wrong` lists variants
//! of the case, each with what it writes otherwise and its `errors`.

use std::path::{Path, PathBuf};

use bareme_engine::Report;
use bareme_engine::authoring::Node;
use bareme_engine::law::KINDS;
use bareme_engine::text::RuleFile;

use super::SERVICE;

const INPUTS: &str = "
brut:  {type: money, per: month, required: true, label: Brut}
n:     {type: number, default: 1, label: Nombre}
cadre: {type: boolean, default: false, label: Cadre}
";

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance")
}

/// Subjects of the files: each kind of step, and what all kinds share.
pub(crate) fn subjects() -> impl Iterator<Item = &'static str> {
    KINDS
        .iter()
        .map(|kind| kind.name)
        .chain(["dates", "groups", "modifiers", "payslip", "year"])
}

/// Goes through the cases, each followed by its wrong variants.
pub(crate) fn each(mut with: impl FnMut(Case)) {
    for subject in subjects() {
        let path = format!("{subject}.yaml");
        let text = std::fs::read_to_string(folder().join(&path)).unwrap();
        let mut report = Report::default();
        let node = Node::read(&RuleFile::new(path, text), &mut report).unwrap();
        assert!(
            report.all().next().is_none(),
            "{}",
            super::reported(&report)
        );
        for case in node.items() {
            with(Case {
                subject,
                node: case,
                variant: None,
            });
            for variant in case.get("wrong").map(Node::items).unwrap_or_default() {
                with(Case {
                    subject,
                    node: case,
                    variant: Some(variant),
                });
            }
        }
    }
}

/// Whether a query asks for a year of pays.
pub(crate) fn is_year(query: &[(String, String)]) -> bool {
    query.iter().any(|(name, _)| name == "annee")
}

/// A case, or a wrong variant of it.
pub(crate) struct Case<'c> {
    subject: &'static str,
    node: &'c Node,
    variant: Option<&'c Node>,
}

impl Case<'_> {
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        let of_variant = self.variant.and_then(|variant| variant.get(key));
        of_variant
            .or_else(|| self.node.get(key))?
            .text()
            .map(|text| text.value.as_str())
    }

    pub(crate) fn name(&self) -> String {
        let variant = if self.variant.is_some() {
            ", a wrong variant"
        } else {
            ""
        };
        format!(
            "{}, {:?}{variant}",
            self.subject,
            self.text("name").unwrap()
        )
    }

    /// The codes that refuse its rules.
    pub(crate) fn errors(&self) -> Option<&str> {
        self.text("errors")
    }

    /// Queries, each with its expected answer.
    pub(crate) fn asks(&self) -> Vec<(Vec<(String, String)>, &Node)> {
        let asks = self.node.get("asks").map(Node::entries).unwrap_or_default();
        assert!(!asks.is_empty(), "{} asks nothing", self.name());
        let query = |text: &str| {
            let pairs = text.split('&').map(|pair| pair.split_once('=').unwrap());
            pairs
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect()
        };
        asks.iter()
            .map(|(asked, expected)| (query(&asked.value), expected))
            .collect()
    }

    /// Its rule files, by their paths.
    pub(crate) fn files(&self) -> Vec<(String, String)> {
        let indented = |text: &str| {
            text.lines()
                .map(|line| format!("  {line}\n"))
                .collect::<String>()
        };
        let part =
            |key: &str, or: &str| format!("{key}:\n{}\n", indented(self.text(key).unwrap_or(or)));
        let head = "format: bareme/1\nfolder: zz\ntitle: Titre\ncurrency: EUR\n";
        let figures = self
            .text("figures")
            .map(|_| part("figures", ""))
            .unwrap_or_default();
        let dated = if figures.is_empty() {
            "dated: false\n"
        } else {
            ""
        };
        let year = self
            .text("year")
            .map(|year| format!("year: {year}\n"))
            .unwrap_or_default();
        let groups = self.text("groups").map(|_| part("groups", ""));
        let groups = groups.unwrap_or_default();
        let method = [
            head,
            dated,
            &year,
            &groups,
            &part("inputs", INPUTS),
            &figures,
            &part("steps", ""),
            &part("answer", "x: x"),
        ]
        .concat();
        let mut files = vec![
            ("service.yaml".to_owned(), SERVICE.to_owned()),
            ("zz/method.yaml".to_owned(), method),
        ];
        for (key, day) in [("scale", "2026-01-01"), ("later", "2027-01-01")] {
            let Some(scale) = self.text(key) else {
                continue;
            };
            let sources = "sources:\n  s: {kind: law, title: Source, publisher: Editeur}\n";
            let scale = format!(
                "format: bareme/1\ntitle: Titre\n{sources}figures:\n{}\n",
                indented(scale)
            );
            files.push((format!("zz/{day}.yaml"), scale));
        }
        files.extend(self.other_folders());
        files
    }

    /// The rule files of the folders that its steps calculate.
    fn other_folders(&self) -> Vec<(String, String)> {
        let of_variant = self.variant.and_then(|variant| variant.get("folders"));
        let folders = of_variant.or_else(|| self.node.get("folders"));
        let file = |folder: &str, name: &str, text: &str| {
            let lines: String = text.lines().map(|line| format!("  {line}\n")).collect();
            if name == "method" {
                let head = "format: bareme/1\ntitle: Autre\ncurrency: EUR\n";
                return format!("{head}folder: {folder}\n{text}\n");
            }
            // `2027-01-01 until 2027-06-30`: the law ends it.
            let until = name.split_once(" until ");
            let until = until.map_or_else(String::new, |(_, until)| format!("until: {until}\n"));
            let sources = "sources:\n  s: {kind: law, title: Source, publisher: Editeur}\n";
            format!("format: bareme/1\ntitle: Autre\n{until}{sources}figures:\n{lines}")
        };

        let folders = folders.map(Node::entries).unwrap_or_default().iter();
        let files = folders.flat_map(|(folder, files)| {
            files.entries().iter().map(move |(name, text)| {
                let written = &text.text().unwrap().value;
                let day = name.value.split(' ').next().unwrap_or_default();
                let path = format!("{}/{day}.yaml", folder.value);
                (path, file(&folder.value, &name.value, written))
            })
        });
        files.collect()
    }
}
