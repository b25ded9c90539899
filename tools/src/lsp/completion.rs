//! Completion at the cursor: missing keys, names that may be read, words.

use std::collections::BTreeSet;

use bareme_engine::law::{FUNCTIONS, KINDS, MODIFIERS, ScaleField, Type};
use bareme_engine::service::service_schema;
use bareme_engine::set::{cases_schema, method_schema, scale_schema};
use gen_lsp_types as lsp;
use serde_json::Value;

use super::actions::before;
use super::cursor::{Cursor, Slot};
use super::index::{FileKind, Holds, holds, in_method};
use super::manual;
use super::names::Names;
use super::server::{File, Server};
use crate::edit::extent;

/// Answers a request for completions.
pub(super) fn completion(
    server: &mut Server,
    parameters: lsp::CompletionParams,
) -> Result<Option<lsp::CompletionResponse>, String> {
    let at = parameters.text_document_position_params;
    let Some(file) = server.file(&at.text_document.uri) else {
        return Ok(None);
    };
    let lines = file.lines();
    let offset = lines.offset(at.position);
    let cursor = Cursor::at(file.text, offset);
    let wanted = CompletionContext {
        file: &file,
        kind: FileKind::from_path(&file.path),
        cursor: &cursor,
        offset,
    };
    let range = lines.range(&(cursor.word.start.min(offset)..offset.max(cursor.word.start)));
    let items = wanted
        .items()
        .into_iter()
        .enumerate()
        .map(|(rank, item)| item.written(range, rank));
    Ok(Some(items.collect::<Vec<_>>().into()))
}

/// A completion item.
struct Item {
    label: String,
    /// Text to insert; by default the label.
    text: Option<String>,
    kind: lsp::CompletionItemKind,
    detail: Option<String>,
    help: Option<String>,
}

impl Item {
    fn new(label: impl Into<String>, kind: lsp::CompletionItemKind) -> Self {
        Self {
            label: label.into(),
            text: None,
            kind,
            detail: None,
            help: None,
        }
    }

    fn detail(self, detail: Option<impl Into<String>>) -> Self {
        Self {
            detail: detail.map(Into::into),
            ..self
        }
    }

    fn help(self, help: Option<impl Into<String>>) -> Self {
        Self {
            help: help.map(Into::into),
            ..self
        }
    }

    fn text(self, text: impl Into<String>) -> Self {
        Self {
            text: Some(text.into()),
            ..self
        }
    }

    fn written(self, range: lsp::Range, rank: usize) -> lsp::CompletionItem {
        let new_text = self.text.unwrap_or_else(|| self.label.clone());
        let help = self.help.map(|value| {
            lsp::MarkupContent {
                kind: lsp::MarkupKind::Markdown,
                value,
            }
            .into()
        });
        lsp::CompletionItem {
            label: self.label,
            kind: Some(self.kind),
            detail: self.detail,
            documentation: help,
            // Keeps the order of the file or of the manual.
            sort_text: Some(format!("{rank:04}")),
            text_edit: Some(lsp::TextEdit { range, new_text }.into()),
            ..lsp::CompletionItem::default()
        }
    }
}

/// The place to complete.
struct CompletionContext<'a> {
    file: &'a File<'a>,
    kind: FileKind,
    cursor: &'a Cursor,
    offset: usize,
}

impl CompletionContext<'_> {
    fn items(&self) -> Vec<Item> {
        let path = self.cursor.keys();
        match &self.cursor.slot {
            Slot::Key { siblings } => self.keys(&path, siblings),
            Slot::Value { start } => self.values(&path, *start),
        }
    }

    fn names(&self) -> Option<&Names> {
        self.file
            .root
            .index(self.file.folder())?
            .names_of(&self.file.path)
    }

    /// The schema of the file.
    fn schema(&self) -> Option<Value> {
        Some(match self.kind {
            FileKind::Method => method_schema(),
            FileKind::Cases => cases_schema(),
            FileKind::Service => service_schema(),
            FileKind::Scale => {
                let folder = self.file.root.folder(self.file.folder())?;
                let index = self.file.root.index(self.file.folder())?;
                let name = index.method_of(&self.file.path);
                let of_method = folder
                    .editions()
                    .iter()
                    .rev()
                    .find(|edition| Some(edition.method().name.as_str()) == name);
                scale_schema(of_method.or_else(|| folder.latest())?.method())
            }
        })
    }

    fn keys(&self, path: &[&str], siblings: &[String]) -> Vec<Item> {
        let written = self
            .file
            .text
            .get(self.cursor.word.clone())
            .unwrap_or_default();
        let is_new = |item: &Item| item.label == written || !siblings.contains(&item.label);
        let inside = if self.kind == FileKind::Method {
            in_method(path)
        } else {
            path.to_vec()
        };
        let items = match (self.kind, inside.as_slice()) {
            (FileKind::Method, ["steps", _]) => self.step_keys(path, siblings),
            (FileKind::Cases, ["cases", "given"]) => self.inputs(": "),
            (FileKind::Cases, ["cases", "expect"]) => self.fields(": "),
            (FileKind::Method, ["headline", "assume"]) => self.inputs(": "),
            (FileKind::Method, ["figures", _]) => {
                self.columns().chain(self.keys_of_schema(path)).collect()
            }
            _ => self.keys_of_schema(path),
        };
        items.into_iter().filter(is_new).collect()
    }

    /// The columns that figures of the method have, as keys of another figure.
    fn columns(&self) -> impl Iterator<Item = Item> {
        let figures = self
            .names()
            .into_iter()
            .flat_map(|names| names.figures.values());
        let columns: BTreeSet<&String> = figures.flatten().map(|column| &column.name).collect();
        let item = |name: &String| {
            Item::new(name, lsp::CompletionItemKind::Property).text(format!("{name}: "))
        };
        columns.into_iter().map(item)
    }

    /// The keys of a step: the kinds where there is none yet, else those of its kind and those of
    /// every step.
    fn step_keys(&self, path: &[&str], siblings: &[String]) -> Vec<Item> {
        let item = |name: &str, kind: Option<&str>| {
            let help = manual::sentence(FileKind::Method, path, name, kind);
            Item::new(name, lsp::CompletionItemKind::Property)
                .text(format!("{name}: "))
                .help(help)
        };
        let Some(kind) = KINDS
            .iter()
            .find(|kind| siblings.iter().any(|key| key == kind.name))
        else {
            return KINDS
                .iter()
                .map(|kind| item(kind.name, Some(kind.name)).detail(Some("genre")))
                .collect();
        };
        let by_figure = siblings.iter().any(|key| key == "with");
        let own = kind.keys.iter().map(|key| {
            let required = (key.required && !by_figure).then_some("obligatoire, ou par `with`");
            item(key.name, Some(kind.name)).detail(required)
        });
        let every = MODIFIERS
            .iter()
            .map(|modifier| modifier.name)
            .chain(["label", "law"]);
        own.chain(every.map(|name| item(name, Some(kind.name))))
            .collect()
    }

    fn keys_of_schema(&self, path: &[&str]) -> Vec<Item> {
        let Some(schema) = self.schema() else {
            return Vec::new();
        };
        let (mut items, mut others) = (Vec::new(), Vec::new());
        for schema in inside(&schema, path) {
            for (name, form) in schema["properties"].as_object().into_iter().flatten() {
                let is_figure = self.kind == FileKind::Scale && path == ["figures"];
                let text = if is_figure {
                    self.figure(name)
                } else {
                    format!("{name}: ")
                };
                let said = manual::sentence(self.kind, path, name, None);
                let said = said
                    .filter(|_| !is_figure)
                    .or_else(|| form["description"].as_str().map(str::to_owned));
                let required = schema["required"]
                    .as_array()
                    .is_some_and(|keys| keys.iter().any(|key| key == name));
                let kind = if is_figure {
                    lsp::CompletionItemKind::Struct
                } else {
                    lsp::CompletionItemKind::Property
                };
                let item = Item::new(name, kind)
                    .text(text)
                    .detail(required.then_some("obligatoire"))
                    .help(said);
                // What must be written comes first.
                if required { &mut items } else { &mut others }.push(item);
            }
        }
        items.append(&mut others);
        items
    }

    /// A figure as in the earlier file, to be confirmed in the new text.
    fn figure(&self, name: &str) -> String {
        let written = before(name, self.file).and_then(|(_, text, node)| {
            let written = text.get(extent(text, &node))?;
            // A value of several lines is indented under its key.
            let break_ = if written.starts_with('{') {
                " ".to_owned()
            } else {
                "\n    ".to_owned()
            };
            Some(format!("{name}:{break_}{written}"))
        });
        written.unwrap_or_else(|| format!("{name}: "))
    }

    fn values(&self, path: &[&str], start: usize) -> Vec<Item> {
        let before = self.file.text.get(start..self.offset).unwrap_or_default();
        let inside = if self.kind == FileKind::Method {
            in_method(path)
        } else {
            path.to_vec()
        };
        let found = match holds(self.kind, path) {
            Some(Holds::Formula) if matches!(inside.as_slice(), ["inputs", ..]) => self.inputs(""),
            Some(Holds::Formula) => self.formula(before, &inside),
            Some(Holds::Figure) => self.figures(&inside),
            Some(Holds::Input | Holds::Options) => self.inputs(""),
            Some(Holds::Steps) => self.steps(usize::MAX),
            Some(Holds::Fields) => self.fields(""),
            Some(Holds::Sources) => self.sources(),
            Some(Holds::Columns) | None => Vec::new(),
        };
        if let (FileKind::Cases, ["cases", "given", input]) = (self.kind, path) {
            return self.words(input);
        }
        if !found.is_empty() {
            return found;
        }
        match (self.kind, inside.as_slice()) {
            (FileKind::Method, ["figures", _, _] | ["figures" | "inputs", _, .., "type"]) => {
                self.types(path)
            }
            (FileKind::Scale, ["figures", .., "per"])
            | (FileKind::Method, ["inputs", _, "per"]) => periods(),
            _ => self.values_of_schema(path),
        }
    }

    /// The types that a column or an input may have: those that the schema names, and those of
    /// columns.
    fn types(&self, path: &[&str]) -> Vec<Item> {
        let of_schema = self.values_of_schema(path);
        if !of_schema.is_empty() {
            return of_schema;
        }
        let columns = Type::WRITTEN.iter().map(|(name, _)| *name).chain(["key"]);
        columns
            .map(|name| Item::new(name, lsp::CompletionItemKind::TypeParameter))
            .collect()
    }

    /// Completions in a formula: after a point the members of the name before it, else inputs,
    /// earlier steps, figures, functions.
    fn formula(&self, before: &str, path: &[&str]) -> Vec<Item> {
        let Some(names) = self.names() else {
            return Vec::new();
        };
        let word = self.cursor.word.start;
        let head = self.file.text.get(..word).unwrap_or_default();
        if let Some(owner) = head.strip_suffix('.') {
            let start = owner
                .rfind(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
                .map_or(0, |at| at + 1);
            return members(owner.get(start..).unwrap_or_default(), names);
        }
        let compared = before
            .get(
                ..before
                    .len()
                    .saturating_sub(self.offset.saturating_sub(word)),
            )
            .unwrap_or_default();
        if let Some(left) = compared.trim_end().strip_suffix('=') {
            let left = left.trim_end_matches(['!', ' ']);
            let start = left
                .rfind(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
                .map_or(0, |at| at + 1);
            let words = self.words(left.get(start..).unwrap_or_default());
            if !words.is_empty() {
                return words;
            }
        }
        // A formula may read the steps above it, a field all steps.
        let end = if path.first() == Some(&"steps") {
            self.offset
        } else {
            usize::MAX
        };
        let figures = names.figures.iter().filter(|(_, columns)| {
            columns
                .iter()
                .all(|column| !column.is_key && column.name != "bound")
        });
        // A formula reads a column of a figure, never the figure itself.
        let figures = figures.flat_map(|(name, columns)| {
            columns.iter().map(move |column| {
                Item::new(
                    format!("{name}.{}", column.name),
                    lsp::CompletionItemKind::Struct,
                )
                .detail(Some("chiffre"))
            })
        });
        let functions = FUNCTIONS.iter().map(|function| {
            Item::new(function.name, lsp::CompletionItemKind::Function)
                .text(format!("{}(", function.name))
                .help(Some(function.help.fr))
        });
        let words = ["if ", "then ", "else ", "and ", "or ", "not "];
        let words = words
            .iter()
            .map(|word| Item::new(word.trim_end(), lsp::CompletionItemKind::Keyword).text(*word));
        self.inputs("")
            .into_iter()
            .chain(self.steps(end))
            .chain(figures)
            .chain(functions)
            .chain(words)
            .collect()
    }

    fn inputs(&self, after: &str) -> Vec<Item> {
        let Some(names) = self.names() else {
            return Vec::new();
        };
        let folder = self.file.root.folder(self.file.folder());
        let known = folder.map(|folder| folder.inputs()).unwrap_or_default();
        let parameters = names.parameters.iter().filter(|_| !after.is_empty());
        let item = |name: &String| {
            let label = known
                .iter()
                .find(|input| input.name == *name)
                .map(|input| input.label.clone());
            Item::new(name, lsp::CompletionItemKind::Variable)
                .text(format!("{name}{after}"))
                .detail(label)
        };
        names.inputs.keys().chain(parameters).map(item).collect()
    }

    fn steps(&self, end: usize) -> Vec<Item> {
        let Some(names) = self.names() else {
            return Vec::new();
        };
        let mut steps: Vec<(&String, usize)> = names
            .steps
            .iter()
            .map(|(name, step)| (name, step.start))
            .filter(|(_, start)| *start < end)
            .collect();
        // The step itself is the last one above the cursor.
        steps.sort_by_key(|(_, start)| std::cmp::Reverse(*start));
        let is_inside = end != usize::MAX;
        let labels = self
            .file
            .root
            .folder(self.file.folder())
            .and_then(|folder| folder.latest());
        let label = |name: &str| {
            let step = labels?
                .method()
                .steps()
                .iter()
                .find(|step| step.name == name)?;
            step.label.clone()
        };
        let above = steps.into_iter().skip(usize::from(is_inside));
        above
            .map(|(name, _)| Item::new(name, lsp::CompletionItemKind::Field).detail(label(name)))
            .collect()
    }

    fn figures(&self, path: &[&str]) -> Vec<Item> {
        let Some(names) = self.names() else {
            return Vec::new();
        };
        let is_looked_up = |columns: &[super::names::Column]| {
            columns
                .iter()
                .any(|column| column.is_key || column.name == "bound")
        };
        let wants_rows = matches!(path, [.., "table" | "rows"]);
        let brackets = names
            .steps
            .get(path.get(1).copied().unwrap_or_default())
            .is_some_and(|step| step.kind == "brackets");
        let fits =
            |columns: &[super::names::Column]| is_looked_up(columns) == (wants_rows || brackets);
        let item = |(name, columns): (&String, &Vec<super::names::Column>)| {
            let columns = columns
                .iter()
                .map(|column| column.name.as_str())
                .collect::<Vec<_>>()
                .join(", ");
            Item::new(name, lsp::CompletionItemKind::Struct).detail(Some(columns))
        };
        names
            .figures
            .iter()
            .filter(|(_, columns)| fits(columns))
            .map(item)
            .collect()
    }

    fn fields(&self, after: &str) -> Vec<Item> {
        let Some(names) = self.names() else {
            return Vec::new();
        };
        let folder = self.file.root.folder(self.file.folder());
        let known = folder.map(|folder| folder.fields()).unwrap_or_default();
        let label = |name: &str| known.iter().find(|field| field.name == name)?.label.clone();
        let item = |name: &String| {
            Item::new(name, lsp::CompletionItemKind::Field)
                .text(format!("{name}{after}"))
                .detail(label(name))
        };
        names.fields.iter().map(item).collect()
    }

    /// The sources of the file, those that only evidence may name too: the engine says which. A
    /// file in which something is being written is seldom YAML: its lines are read.
    fn sources(&self) -> Vec<Item> {
        let lines = self
            .file
            .text
            .lines()
            .skip_while(|line| !line.starts_with("sources:"))
            .skip(1);
        let is_inside = |line: &&str| line.is_empty() || line.starts_with([' ', '#', '\r']);
        let entry = |line: &str| {
            let (id, rest) = line.strip_prefix("  ")?.split_once(':')?;
            let is_id = !id.is_empty()
                && id
                    .bytes()
                    .all(|sign| sign.is_ascii_alphanumeric() || b"-_".contains(&sign));
            let title = rest
                .split_once("title: \"")
                .and_then(|(_, title)| title.split('"').next());
            is_id.then(|| Item::new(id, lsp::CompletionItemKind::Reference).detail(title))
        };
        lines.take_while(is_inside).filter_map(entry).collect()
    }

    /// The words of a choice, or of a boolean.
    fn words(&self, input: &str) -> Vec<Item> {
        let words = self
            .names()
            .and_then(|names| names.inputs.get(input))
            .cloned()
            .unwrap_or_default();
        let folder = self.file.root.folder(self.file.folder());
        let known = folder.and_then(|folder| {
            folder
                .inputs()
                .into_iter()
                .find(|known| known.name == input)
        });
        if words.is_empty() && known.is_some_and(|known| known.ty.name() == "boolean") {
            return ["true", "false"]
                .map(|word| Item::new(word, lsp::CompletionItemKind::EnumMember))
                .into();
        }
        let label = |word: &str| {
            Some(
                known?
                    .values
                    .iter()
                    .find(|(known, _)| known == word)?
                    .1
                    .clone(),
            )
        };
        words
            .iter()
            .map(|word| Item::new(word, lsp::CompletionItemKind::EnumMember).detail(label(word)))
            .collect()
    }

    /// The values that the schema lists.
    fn values_of_schema(&self, path: &[&str]) -> Vec<Item> {
        let Some(schema) = self.schema() else {
            return Vec::new();
        };
        let mut words: Vec<String> = Vec::new();
        for found in inside(&schema, path) {
            let listed = found["enum"]
                .as_array()
                .into_iter()
                .flatten()
                .chain([&found["const"]]);
            let shown = listed.filter_map(|word| match word {
                Value::String(word) => Some(word.clone()),
                Value::Bool(word) => Some(word.to_string()),
                _ => None,
            });
            words.extend(shown);
        }
        words.dedup();
        words.sort();
        words.dedup();
        words
            .into_iter()
            .map(|word| Item::new(word, lsp::CompletionItemKind::EnumMember))
            .collect()
    }
}

/// The periods that amounts may be of.
fn periods() -> Vec<Item> {
    let periods = Type::WRITTEN
        .iter()
        .filter_map(|(name, _)| name.strip_prefix("money/"));
    periods
        .map(|period| Item::new(period, lsp::CompletionItemKind::EnumMember))
        .collect()
}

/// The outputs of a step, the columns of a figure, or the attributes of the scale.
fn members(owner: &str, names: &Names) -> Vec<Item> {
    if owner == "scale" {
        let known = ScaleField::ALL.iter();
        return known
            .map(|(name, _)| Item::new(*name, lsp::CompletionItemKind::Property))
            .collect();
    }
    let outputs = names
        .steps
        .get(owner)
        .map(|step| names.outputs(step))
        .unwrap_or_default();
    let columns = names
        .figures
        .get(owner)
        .into_iter()
        .flatten()
        .filter(|column| !column.is_key && column.name != "bound");
    let mut members: Vec<String> = outputs
        .into_iter()
        .chain(columns.map(|column| column.name.clone()))
        .collect();
    members.dedup();
    members
        .into_iter()
        .map(|name| Item::new(name, lsp::CompletionItemKind::Property))
        .collect()
}

/// The parts of a schema for the place with the given keys; elements of a list are not counted.
fn inside<'s>(schema: &'s Value, path: &[&str]) -> Vec<&'s Value> {
    let forms = ["anyOf", "oneOf"]
        .iter()
        .filter_map(|key| schema[*key].as_array())
        .flatten();
    let elements = Some(&schema["items"]).filter(|items| items.is_object());
    let others = forms.chain(elements).flat_map(|form| inside(form, path));
    let Some((first, rest)) = path.split_first() else {
        return [schema].into_iter().chain(others).collect();
    };
    let named = schema["properties"].get(first);
    let any =
        named.or_else(|| Some(&schema["additionalProperties"]).filter(|form| form.is_object()));
    any.into_iter()
        .flat_map(|form| inside(form, rest))
        .chain(others)
        .collect()
}
