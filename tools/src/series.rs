//! The dated files of a folder as texts, in order.

use bareme_engine::authoring::{Node, WrittenCell, written_cells, written_number};
use bareme_engine::law::{Drafts, Shape};
use bareme_engine::text::RuleFile;
use bareme_engine::{FileSet, Folder, Loader, Report};
use jiff::civil::Date;

use crate::edit::{Edit, edited};
use crate::rule_files::{RuleFiles, unknown_name};
use crate::session::{Failure, Session};

/// A dated file as text.
#[derive(Debug, Clone)]
pub(crate) struct DatedFile {
    pub date: Date,
    /// Its path within the rules.
    pub inside: String,
    pub text: String,
    pub node: Node,
}

impl DatedFile {
    fn read(inside: &str, text: String) -> Option<Self> {
        // The date is the name of the file; other files of the folder (method, cases) have no date.
        let date = inside
            .rsplit('/')
            .next()?
            .strip_suffix(".yaml")?
            .parse()
            .ok()?;

        let node = Node::read(
            &RuleFile::new(inside, text.as_str()),
            &mut Report::default(),
        )?;
        Some(Self {
            date,
            inside: inside.to_owned(),
            text,
            node,
        })
    }

    /// Applies edits made for the current text.
    pub(crate) fn edit(&mut self, edits: Vec<Edit>) {
        let changed = edited(&self.text, edits);
        // If the new text is not valid YAML, the check of the file refuses it: the node stays the
        // earlier one.
        if let Some(node) = Node::read(
            &RuleFile::new(self.inside.as_str(), changed.as_str()),
            &mut Report::default(),
        ) {
            self.node = node;
        }

        self.text = changed;
    }

    pub(crate) fn figure(&self, name: &str) -> Option<&Node> {
        self.node.get("figures")?.get(name)
    }

    /// The record of a figure, or a row of it, from 1.
    pub(crate) fn part(&self, figure: &str, row: Option<usize>) -> Option<&Node> {
        let figure = self.figure(figure)?;
        match row {
            Some(row) => figure.get("rows")?.items().get(row.checked_sub(1)?),
            None => Some(figure),
        }
    }

    /// Every cell of its figures, in the order of the file.
    pub(crate) fn cells<'d>(&'d self, shapes: &'d [Shape]) -> Vec<WrittenCell<'d>> {
        let figures = self
            .node
            .get("figures")
            .map(Node::entries)
            .unwrap_or_default();
        // A figure that no method declares has no columns to tell which of its keys are cells.
        let declared = figures.iter().filter_map(|(name, node)| {
            Some(written_cells(
                shapes.iter().find(|shape| shape.name == name.value)?,
                node,
            ))
        });
        declared.flatten().collect()
    }

    pub(crate) fn unconfirmed<'d>(&'d self, shapes: &'d [Shape]) -> Vec<WrittenCell<'d>> {
        self.cells(shapes)
            .into_iter()
            .filter(|cell| cell.is_unconfirmed)
            .collect()
    }

    /// Whether it is a draft.
    pub(crate) fn is_draft(&self, shapes: &[Shape]) -> bool {
        self.node.get("state").is_some() || !self.unconfirmed(shapes).is_empty()
    }

    /// The entry of a source as it is written.
    pub(crate) fn source(&self, id: &str) -> Option<&Node> {
        self.node.get("sources")?.get(id)
    }

    /// The identifiers of the sources of a record or a row: its own, or those of its figure.
    pub(crate) fn sources_of(&self, figure: &str, row: Option<usize>) -> Vec<String> {
        // A row without `source` has that of its figure.
        let own = self.part(figure, row).and_then(|part| part.get("source"));
        let written = own
            .or_else(|| self.figure(figure)?.get("source"))
            .and_then(Node::text);
        written.map(|text| ids(&text.value)).unwrap_or_default()
    }
}

/// The ids of a list of sources.
pub(crate) fn ids(list: &str) -> Vec<String> {
    list.split(';')
        .map(|id| id.trim().to_owned())
        .filter(|id| !id.is_empty())
        .collect()
}

/// The dated files of a folder, the earliest first.
pub(crate) struct Series {
    pub folder: String,
    pub shapes: Vec<Shape>,
    pub files: Vec<DatedFile>,
    /// Every rule file of the folder and of those that it calculates.
    pub all: FileSet,
}

impl Series {
    pub(crate) fn read(files: &RuleFiles, name: &str, session: &Session) -> Result<Self, Failure> {
        Self::of(&FileSet::read(&files.root), files, name, session)
    }

    /// The same from files that were read, or are planned.
    pub(crate) fn of(
        set: &FileSet,
        files: &RuleFiles,
        name: &str,
        session: &Session,
    ) -> Result<Self, Failure> {
        let folder = name.trim_matches('/').to_owned();

        // The files of the folder are taken from the whole set, as its method may be shared.
        let all = set.with_called(&folder);
        if folder.is_empty() || !all.folders().any(|known| known == folder) {
            let known: Vec<&str> = set.folders().collect();
            return Err(unknown_name(&folder, &known, session));
        }

        // Drafts are included, since what is to be confirmed is in them.
        let loader = Loader::new().without_cases();
        let mut loaded = loader.drafts(Drafts::Included).load_files(&all);
        // Errors in drafts do not prevent confirmations, since confirming may be what fixes them.
        if loaded.rules.is_none() {
            // Errors in drafts do not prevent confirmations.
            loaded = loader.load_files(&all);
        }

        let Some(rules) = loaded.rules else {
            return Err(files.refused(&loaded.report, session));
        };

        let shapes = rules.folder(&folder).map(shapes).unwrap_or_default();

        Ok(Self {
            files: dated_files(set, &folder),
            folder,
            shapes,
            all,
        })
    }

    /// The dated files of a folder that was loaded from a set.
    pub(crate) fn loaded(set: &FileSet, folder: &Folder) -> Self {
        Self {
            folder: folder.path().to_owned(),
            shapes: shapes(folder),
            files: dated_files(set, folder.path()),
            all: set.of_folder(folder.path()),
        }
    }

    /// The days of the files, as a message lists them.
    pub(crate) fn days(&self) -> String {
        let days = self.files.iter().map(|file| file.date.to_string());
        days.collect::<Vec<_>>().join(", ")
    }

    /// The file before a day.
    pub(crate) fn before(&self, date: Date) -> Option<&DatedFile> {
        self.files.iter().rev().find(|file| file.date < date)
    }

    pub(crate) fn on(&self, date: Date) -> Option<&DatedFile> {
        self.files.iter().find(|file| file.date == date)
    }

    pub(crate) fn after(&self, date: Date) -> impl Iterator<Item = &DatedFile> {
        self.files.iter().filter(move |file| file.date > date)
    }

    /// The same cell in another file: in a table, in the row with the same keys.
    pub(crate) fn counterpart<'d>(
        &'d self,
        cell: &WrittenCell,
        from: &DatedFile,
        to: &'d DatedFile,
    ) -> Option<WrittenCell<'d>> {
        // A cell outside of tables is in the record of its figure.
        let shape = self.shapes.iter().find(|shape| shape.name == cell.figure)?;

        let rows = |file: &'d DatedFile| {
            file.figure(cell.figure)
                .and_then(|figure| figure.get("rows"))
                .map(Node::items)
        };

        let row = match cell.row {
            // Rows have no names: an added row would shift those after it, so the keys decide.
            None => None,
            Some(row) => {
                let own = from.figure(cell.figure)?.get("rows")?.items();
                Some(same_row(shape, own, row, rows(to).unwrap_or_default())?)
            }
        };

        to.cells(&self.shapes).into_iter().find(|other| {
            other.figure == cell.figure && other.row == row && other.column == cell.column
        })
    }
}

/// The shapes of the figures that a folder gives itself, from every method of it.
fn shapes(folder: &Folder) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();

    // Of shapes with the same name, that of the newest method counts.
    for edition in folder.editions().iter().rev() {
        let own = edition.method().figures().iter();
        for shape in own.filter(|shape| shape.shared.is_none()) {
            if shapes.iter().all(|known| known.name != shape.name) {
                shapes.push(shape.clone());
            }
        }
    }
    shapes
}

/// The dated files of a folder, in the order of their days.
fn dated_files(set: &FileSet, folder: &str) -> Vec<DatedFile> {
    let own = set.of_folder(folder);
    let mut dated: Vec<DatedFile> = own
        .texts()
        .filter_map(|(inside, text)| DatedFile::read(inside, text.to_owned()))
        .collect();
    dated.sort_by_key(|file| file.date);
    dated
}

/// The row, from 1, of another list with the same keys, at the same position among these.
fn same_row(shape: &Shape, own: &[Node], row: usize, others: &[Node]) -> Option<usize> {
    let keys = |row: &Node| -> Vec<String> {
        let written = |key: &str| {
            row.get(key)
                .and_then(Node::text)
                .map(|text| text.value.replace(' ', ""))
        };
        shape
            .keys
            .iter()
            .map(|key| written(&key.name).unwrap_or_default())
            .collect()
    };
    let requested = own.get(row.checked_sub(1)?)?;
    let with_same_keys = |rows: &[Node]| -> Vec<usize> {
        (1..)
            .zip(rows)
            .filter(|(_, other)| keys(other) == keys(requested))
            .map(|(place, _)| place)
            .collect()
    };

    let (mine, theirs) = (with_same_keys(own), with_same_keys(others));
    // Several rows of a table of brackets have the same keys, and differ by their bound.
    let place = mine.iter().position(|known| *known == row)?;
    let bound = |row: &Node| {
        let words = bareme_engine::law::BoundWord::ALL
            .iter()
            .map(|(word, _)| *word);
        words
            .into_iter()
            .find_map(|word| written_number(&row.get(word)?.text()?.value))
    };

    // With as many rows as before, the place identifies the row, even where its bound has changed.
    if mine.len() == theirs.len() {
        return theirs.get(place).copied();
    }

    // Where rows were added or removed, the bound identifies it.
    theirs.into_iter().find(|other| {
        others
            .get(other.saturating_sub(1))
            .is_some_and(|row| bound(row) == bound(requested))
    })
}

/// Whether two cells have the same value.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    match (written_number(one), written_number(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}
