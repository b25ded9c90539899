//! Index of the names of a folder: where they are declared and used in methods, dated files and
//! cases.

mod contents;
mod walk;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use bareme_engine::authoring::Node;
use bareme_engine::text::RuleFile;
use bareme_engine::{FileSet, Report};

use super::names::{Names, TAKEN_FROM, calls};
use crate::rule_files::folder_of;
use walk::Walk;

pub(super) use contents::{Holds, holds, in_method};

/// A symbol: something with a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Symbol {
    Input(String),
    /// A group of the items that a query may send.
    Group(String),
    Figure(String),
    /// A column of a figure.
    Column(String, String),
    Step(String),
    /// A field of the answer.
    Field(String),
    /// A source of the file.
    Source(String),
    /// The folder itself, by the title of its methods.
    Folder,
    /// A symbol of another folder, by the path of that one.
    Of(String, Box<Self>),
}

impl Symbol {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Input(name) | Self::Group(name) | Self::Figure(name) => name,
            Self::Column(_, name) | Self::Step(name) | Self::Field(name) | Self::Source(name) => {
                name
            }
            Self::Folder => "",
            Self::Of(_, symbol) => symbol.name(),
        }
    }

    /// A symbol of another folder.
    pub(super) fn of(folder: &str, symbol: Self) -> Self {
        Self::Of(folder.to_owned(), Box::new(symbol))
    }

    /// Whether it is the same in all methods of a folder, since callers send or get it.
    fn is_of_folder(&self) -> bool {
        matches!(
            self,
            Self::Input(_) | Self::Field(_) | Self::Folder | Self::Of(..)
        )
    }
}

/// A place where a symbol occurs.
#[derive(Debug, Clone)]
pub(super) struct Occurrence {
    pub symbol: Symbol,
    pub path: String,
    pub span: Range<usize>,
    pub is_definition: bool,
    /// Name of its method; `None`: every method of the folder.
    method: Option<String>,
}

impl Occurrence {
    /// The folder that its symbol belongs to, and the symbol as that folder has it.
    pub(super) fn owned(&self) -> (&str, &Symbol) {
        match &self.symbol {
            Symbol::Of(folder, symbol) => (folder, symbol),
            symbol => (folder_of(&self.path), symbol),
        }
    }
}

/// Kind of a file of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Method,
    Scale,
    Cases,
    /// The English texts.
    Translation,
    /// The picture that pages show.
    Picture,
    Service,
}

impl FileKind {
    pub(super) fn from_path(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name {
            "service.yaml" if name == path => Self::Service,
            "cases.yaml" => Self::Cases,
            "en.yaml" => Self::Translation,
            _ if name.ends_with(".svg") => Self::Picture,
            _ if name.starts_with("method") => Self::Method,
            _ => Self::Scale,
        }
    }
}

/// The index of a folder.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The names that each method declares, by method.
    pub methods: BTreeMap<String, Names>,
    pub occurrences: Vec<Occurrence>,
    /// Files that cannot be parsed at the moment.
    pub unreadable: Vec<String>,
    /// The method of each dated file.
    followed: BTreeMap<String, String>,
}

/// The name of a method file without its extension.
fn stem(path: &str) -> &str {
    path.rsplit('/')
        .next()
        .unwrap_or(path)
        .trim_end_matches(".yaml")
}

/// The files of a folder as last parsed: unchanged ones are not parsed again.
#[derive(Debug, Default)]
pub(super) struct Parsed(BTreeMap<String, ParsedFile>);

#[derive(Debug)]
struct ParsedFile {
    file: Arc<RuleFile>,
    is_readable: bool,
    /// Its last parsed content.
    node: Option<Node>,
}

impl Parsed {
    fn read(&mut self, files: &FileSet) {
        // A removed file has no names any more.
        self.0.retain(|path, _| files.text(path).is_some());

        let is_yaml = |path: &str| FileKind::from_path(path) != FileKind::Picture;
        for (path, text) in files.texts().filter(|(path, _)| is_yaml(path)) {
            if self
                .0
                .get(path)
                .is_some_and(|known| known.file.text() == text)
            {
                continue;
            }

            let file = RuleFile::new(path, text);
            let node = Node::read(&file, &mut Report::default());
            let is_readable = node.is_some();
            // While it is unreadable, a file keeps its last nodes: its names are still those that
            // others use.
            let node = node.or_else(|| self.0.remove(path).and_then(|known| known.node));
            self.0.insert(
                path.to_owned(),
                ParsedFile {
                    file,
                    is_readable,
                    node,
                },
            );
        }
    }
}

impl Index {
    /// Indexes the files of a folder. A method that cannot be parsed at the moment keeps its
    /// earlier names.
    pub(super) fn new(files: &FileSet, parsed: &mut Parsed) -> Self {
        parsed.read(files);

        // 1. The names of each method, and the method that each dated file follows.
        let mut index = Self::default();
        for (path, parsed_file) in &parsed.0 {
            if !parsed_file.is_readable {
                index.unreadable.push(path.clone());
            }
            let Some(node) = &parsed_file.node else {
                continue;
            };
            match FileKind::from_path(path) {
                FileKind::Method => {
                    index
                        .methods
                        .insert(stem(path).to_owned(), Names::new(node));
                }
                FileKind::Scale => {
                    let method = node
                        .get("method")
                        .and_then(Node::text)
                        .map_or("method", |text| stem(&text.value));
                    index.followed.insert(path.clone(), method.to_owned());
                }
                FileKind::Cases | FileKind::Translation | FileKind::Picture | FileKind::Service => {
                }
            }
        }

        // 2. The occurrences, in files whose places are those of their text.
        let readable = parsed
            .0
            .values()
            .filter(|parsed_file| parsed_file.is_readable);
        let read: Vec<(&Arc<RuleFile>, &Node)> = readable
            .filter_map(|parsed_file| Some((&parsed_file.file, parsed_file.node.as_ref()?)))
            .collect();

        for (file, node) in &read {
            let kind = FileKind::from_path(file.path());
            let method = index.method_of(file.path()).map(str::to_owned);
            let none = Names::default();
            let names = index.names_of(file.path()).unwrap_or(&none);
            let mut walk = Walk {
                kind,
                names,
                path: Vec::new(),
                found: Vec::new(),
            };

            walk.node(node);
            let found = walk.found.into_iter().map(|(symbol, span, is_definition)| {
                let method = method.clone().filter(|_| !symbol.is_of_folder());
                Occurrence {
                    symbol,
                    path: file.path().to_owned(),
                    span,
                    is_definition,
                    method,
                }
            });

            let found: Vec<Occurrence> = found.collect();
            index.occurrences.extend(found);
        }
        index
    }

    /// Whether the text of a method may name another folder.
    pub(super) fn may_name(text: &str, folder: &str) -> bool {
        text.contains(folder)
            && text
                .lines()
                .any(|line| line.contains(TAKEN_FROM) || calls(line))
    }

    /// The method whose names a file uses; `None` for cases.
    pub(super) fn method_of<'p>(&'p self, path: &'p str) -> Option<&'p str> {
        match FileKind::from_path(path) {
            FileKind::Method => Some(stem(path)),
            FileKind::Scale => Some(self.followed.get(path).map_or("method", String::as_str)),
            FileKind::Cases | FileKind::Translation | FileKind::Picture | FileKind::Service => None,
        }
    }

    /// The names that a file may use: those of its method, or of the first method.
    pub(super) fn names_of(&self, path: &str) -> Option<&Names> {
        // Cases have no method of their own: the main one, which most folders have alone.
        let own = self
            .method_of(path)
            .and_then(|method| self.methods.get(method));
        own.or_else(|| self.methods.get("method"))
            .or_else(|| self.methods.values().next())
    }

    /// The occurrence at an offset of a file.
    pub(super) fn at(&self, path: &str, offset: usize) -> Option<&Occurrence> {
        let is_there = |found: &&Occurrence| {
            found.path == path && found.span.start <= offset && offset <= found.span.end
        };
        // Of a name and its member, the one that starts later.
        self.occurrences
            .iter()
            .filter(is_there)
            .max_by_key(|found| found.span.start)
    }

    /// Every occurrence of the same symbol, which may be one of another folder.
    pub(super) fn all_of<'i>(
        &'i self,
        one: &'i Occurrence,
    ) -> impl Iterator<Item = &'i Occurrence> {
        let is_same = move |other: &&Occurrence| {
            // Sources are named in each file for itself, inputs and fields for the whole folder.
            let is_near = !matches!(one.symbol, Symbol::Source(_)) || other.path == one.path;
            let is_of_method = match (&one.method, &other.method) {
                (Some(own), Some(of)) => own == of,
                _ => true,
            };
            other.owned() == one.owned() && is_near && is_of_method
        };
        self.occurrences.iter().filter(is_same)
    }
}
