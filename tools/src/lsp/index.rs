//! Index of the names of a folder: where they are declared and used in methods, dated files and
//! cases.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use bareme_engine::authoring::{Content, Node};
use bareme_engine::law::{BoundWord, KINDS, KeyForm, MODIFIERS};
use bareme_engine::text::{PlacedText, RuleFile};
use bareme_engine::{FileSet, Report};

use super::formula;
use super::names::Names;

/// A symbol: something with a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Symbol {
    Input(String),
    Figure(String),
    /// A column of a figure.
    Column(String, String),
    Step(String),
    /// A field of the answer.
    Field(String),
    /// A source of the file.
    Source(String),
}

impl Symbol {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Input(name) | Self::Figure(name) | Self::Column(_, name) => name,
            Self::Step(name) | Self::Field(name) | Self::Source(name) => name,
        }
    }

    /// Whether it is the same in all methods of a folder, since callers send or get it.
    fn is_of_folder(&self) -> bool {
        matches!(self, Self::Input(_) | Self::Field(_))
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

/// Kind of a file of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Method,
    Scale,
    Cases,
    Service,
}

impl FileKind {
    pub(super) fn from_path(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name {
            "service.yaml" if name == path => Self::Service,
            "cases.yaml" => Self::Cases,
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
        self.0.retain(|path, _| files.text(path).is_some());
        for (path, text) in files.texts() {
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
        let mut index = Self::default();
        for (path, known) in &parsed.0 {
            if !known.is_readable {
                index.unreadable.push(path.clone());
            }
            let Some(node) = &known.node else { continue };
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
                FileKind::Cases | FileKind::Service => {}
            }
        }
        let readable = parsed.0.values().filter(|known| known.is_readable);
        let read: Vec<(&Arc<RuleFile>, &Node)> = readable
            .filter_map(|known| Some((&known.file, known.node.as_ref()?)))
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

    /// The method whose names a file uses; `None` for cases.
    pub(super) fn method_of<'p>(&'p self, path: &'p str) -> Option<&'p str> {
        match FileKind::from_path(path) {
            FileKind::Method => Some(stem(path)),
            FileKind::Scale => Some(self.followed.get(path).map_or("method", String::as_str)),
            FileKind::Cases | FileKind::Service => None,
        }
    }

    /// The names that a file may use: those of its method, or of the first method.
    pub(super) fn names_of(&self, path: &str) -> Option<&Names> {
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

    /// Every occurrence of the same symbol.
    pub(super) fn all_of<'i>(
        &'i self,
        one: &'i Occurrence,
    ) -> impl Iterator<Item = &'i Occurrence> {
        let is_same = move |other: &&Occurrence| {
            let is_near = !matches!(one.symbol, Symbol::Source(_)) || other.path == one.path;
            let is_of_method = match (&one.method, &other.method) {
                (Some(own), Some(of)) => own == of,
                _ => true,
            };
            other.symbol == one.symbol && is_near && is_of_method
        };
        self.occurrences.iter().filter(is_same)
    }
}

/// What the text of a key contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Formula,
    Figure,
    Input,
    Steps,
    Fields,
    Sources,
    /// Names of columns of the figure around it.
    Columns,
    /// Options, which have the names of inputs.
    Options,
}

/// The keys around a place without those of an option, whose sections are like those of the method.
pub(super) fn in_method<'k>(path: &[&'k str]) -> Vec<&'k str> {
    match path {
        ["options", _, rest @ ..] => rest.to_vec(),
        _ => path.to_vec(),
    }
}

/// What the value of a key contains, by the keys around it.
pub(super) fn holds(kind: FileKind, path: &[&str]) -> Option<Holds> {
    match kind {
        FileKind::Method => of_method(&in_method(path)),
        FileKind::Scale => match path {
            ["figures", _, .., "source" | "checked_with"] => Some(Holds::Sources),
            ["figures", _, .., "per" | "unconfirmed"] => Some(Holds::Columns),
            ["without"] => Some(Holds::Options),
            _ => None,
        },
        FileKind::Cases => match path {
            ["cases", "absent"] => Some(Holds::Fields),
            ["cases", "refuse"] => Some(Holds::Input),
            _ => None,
        },
        FileKind::Service => None,
    }
}

fn of_method(path: &[&str]) -> Option<Holds> {
    match path {
        ["inputs", _, "default"] | ["checks", "if"] | ["steps" | "answer", _] => {
            Some(Holds::Formula)
        }
        ["checks", "input"] | ["inverse" | "curve", "input"] => Some(Holds::Input),
        ["inverse" | "curve" | "headline", "field"] => Some(Holds::Fields),
        ["headline", "months"] => Some(Holds::Steps),
        ["year", "varying" | "each_month" | "without"] => Some(Holds::Input),
        ["year", "totals"] => Some(Holds::Fields),
        ["steps", _, key] => of_step(key),
        ["answer", _, "payslip", "employee" | "employer"] => Some(Holds::Steps),
        ["answer", _, "lines" | "brackets" | "schedule"] => Some(Holds::Steps),
        ["answer", _, "rows"] => Some(Holds::Figure),
        [
            "answer",
            _,
            "text" | "label" | "as" | "round" | "section" | "if_applied",
        ] => None,
        ["answer", _, "payslip", "when"] | ["answer", _, _] => Some(Holds::Formula),
        _ => None,
    }
}

fn of_step(key: &str) -> Option<Holds> {
    let kind = KINDS
        .iter()
        .find(|kind| kind.name == key)
        .map(|kind| kind.main);
    let own = || {
        KINDS
            .iter()
            .flat_map(|kind| kind.keys)
            .find(|own| own.name == key)
            .map(|own| own.form)
    };
    let modifier = || {
        MODIFIERS
            .iter()
            .any(|modifier| modifier.name == key)
            .then_some(KeyForm::Formula)
    };
    match kind.or_else(own).or_else(modifier)? {
        KeyForm::Formula | KeyForm::Formulas | KeyForm::Rounding => Some(Holds::Formula),
        KeyForm::Figure => Some(Holds::Figure),
        KeyForm::Input => Some(Holds::Input),
        KeyForm::Period => None,
    }
}

/// The field at the start of a path, and the offset of its name: in a year of pays, that of the
/// month or total precedes it.
fn of_year(path: &str) -> (&str, usize) {
    let is_number =
        |part: &str| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit());
    let parts: Vec<&str> = path.split('.').collect();
    match parts.as_slice() {
        ["mois", month, field, ..] if is_number(month) => (*field, "mois.".len() + month.len() + 1),
        ["total", field, ..] => (*field, "total.".len()),
        [field, ..] => (*field, 0),
        [] => (path, 0),
    }
}

/// A symbol, its range, and whether it is declared there.
type Found = (Symbol, Range<usize>, bool);

/// A walk over the nodes of a file.
struct Walk<'n> {
    kind: FileKind,
    names: &'n Names,
    path: Vec<&'n str>,
    found: Vec<Found>,
}

impl<'n> Walk<'n> {
    fn node(&mut self, node: &'n Node) {
        match &node.content {
            Content::Empty => {}
            Content::Text(text) => self.text(text),
            Content::List(items) => items.iter().for_each(|item| self.node(item)),
            Content::Map(entries) => {
                for (key, value) in entries {
                    self.key(key);
                    self.path.push(&key.value);
                    self.node(value);
                    self.path.pop();
                }
            }
        }
    }

    fn key(&mut self, key: &PlacedText) {
        let name = key.value.clone();
        let span = key.place.span();
        let path = if self.kind == FileKind::Method {
            in_method(&self.path)
        } else {
            self.path.clone()
        };
        let found = match (self.kind, path.as_slice()) {
            (FileKind::Method, ["inputs"]) => (Symbol::Input(name), true),
            (FileKind::Method, ["figures"]) => (Symbol::Figure(name), true),
            (FileKind::Method, ["steps"]) => (Symbol::Step(name), true),
            (FileKind::Method, ["answer"]) => (Symbol::Field(name), true),
            (FileKind::Method, ["options"] | ["headline", "assume"]) => {
                (Symbol::Input(name), false)
            }
            (
                FileKind::Method | FileKind::Scale,
                ["figures", figure] | ["figures", figure, "rows"],
            ) => match self.column(figure, &name) {
                Some(symbol @ Symbol::Column(..)) => (symbol, self.kind == FileKind::Method),
                Some(symbol) => (symbol, false),
                None => return,
            },
            (FileKind::Scale, ["figures"]) => (Symbol::Figure(name), false),
            (FileKind::Scale, ["sources"]) => (Symbol::Source(name), true),
            (FileKind::Cases, ["cases", "given"]) if self.names.inputs.contains_key(&name) => {
                (Symbol::Input(name), false)
            }
            (FileKind::Cases, ["cases", .., "expect"]) => {
                let (field, before) = of_year(&name);
                let start = self.inside(key).unwrap_or(span.start) + before;
                return self.found.push((
                    Symbol::Field(field.to_owned()),
                    start..start + field.len(),
                    false,
                ));
            }
            _ => return,
        };
        self.found.push((found.0, span, found.1));
    }

    /// The column that a key of a row or a record names.
    fn column(&self, figure: &str, name: &str) -> Option<Symbol> {
        if self.names.is_input(figure, name) {
            return Some(Symbol::Input(name.to_owned()));
        }
        let is_bound = name == "bound" || BoundWord::from_word(name).is_some();
        let is_column = self.names.has_column(figure, name) && !is_bound;
        is_column.then(|| Symbol::Column(figure.to_owned(), name.to_owned()))
    }

    fn text(&mut self, text: &PlacedText) {
        let Some(start) = self.inside(text) else {
            return;
        };
        if self.is_name_of_step(&text.value) {
            let span = start..start + text.value.len();
            return self
                .found
                .push((Symbol::Step(text.value.clone()), span, false));
        }
        let Some(holds) = holds(self.kind, &self.path) else {
            return;
        };
        let mut push = |symbol: Symbol, span: Range<usize>| {
            self.found
                .push((symbol, start + span.start..start + span.end, false));
        };
        if holds == Holds::Formula {
            return formula::symbols(&text.value, self.names, &mut push);
        }
        let figure = self.path.get(1).copied().unwrap_or_default();
        for (name, span) in formula::words(&text.value) {
            let first = name.split('.').next().unwrap_or_default().to_owned();
            let span = span.start..span.start + first.len();
            let is_column = || self.names.has_column(figure, &first);
            match holds {
                Holds::Formula => {}
                Holds::Figure => push(Symbol::Figure(first), span),
                Holds::Input | Holds::Options => push(Symbol::Input(first), span),
                Holds::Steps => push(Symbol::Step(first), span),
                Holds::Fields => push(Symbol::Field(first), span),
                Holds::Sources => push(Symbol::Source(first), span),
                Holds::Columns if is_column() => {
                    push(Symbol::Column(figure.to_owned(), first), span)
                }
                Holds::Columns => {}
            }
        }
    }

    /// Whether an expected value of a case is the name of a step, as in lines of a payslip and
    /// slices of several scales.
    fn is_name_of_step(&self, value: &str) -> bool {
        let ["cases", .., "expect", field] = self.path.as_slice() else {
            return false;
        };
        let is_of_line =
            matches!(field.rsplit('.').next(), Some("code" | "impot")) && field.contains('.');
        self.kind == FileKind::Cases && is_of_line && self.names.steps.contains_key(value)
    }

    /// Offset of the characters of a text, if the file writes them without escapes.
    fn inside(&self, text: &PlacedText) -> Option<usize> {
        let span = text.place.span();
        let raw = text.place.file().text().get(span.clone())?;
        if raw == text.value {
            return Some(span.start);
        }
        let is_quoted = raw.get(1..raw.len().saturating_sub(1)) == Some(text.value.as_str());
        is_quoted.then_some(span.start + 1)
    }
}
