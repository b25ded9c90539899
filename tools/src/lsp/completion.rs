//! Completion at the cursor: missing keys, names that may be read, words.

mod keys;
mod values;

use bareme_engine::service::service_schema;
use bareme_engine::set::{cases_schema, method_schema, scale_schema, translation_schema};
use gen_lsp_types as lsp;
use serde_json::Value;

use super::cursor::{Cursor, Slot};
use super::index::FileKind;
use super::names::Names;
use super::server::{File, Server};

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
    let context = CompletionContext {
        file: &file,
        kind: FileKind::from_path(&file.path),
        cursor: &cursor,
        offset,
    };

    // The word before the cursor is replaced, not what follows it: the editor filters by the same
    // range.
    let range = lines.range(&(cursor.word.start.min(offset)..offset.max(cursor.word.start)));
    let items = context
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
            FileKind::Translation => translation_schema(),
            FileKind::Service => service_schema(),
            FileKind::Picture => return None,
            FileKind::Scale => {
                let folder = self.file.root.folder(self.file.folder())?;
                let index = self.file.root.index(self.file.folder())?;
                // A dated file follows one method, whose newest edition has the figures it may
                // need.
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
}

/// The parts of a schema for the place with the given keys; elements of a list are not counted.
// Alternative forms of the schema, and the elements of lists, are at the same place as what
// contains them.
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

    // A map with free names, as that of steps, describes its entries by `additionalProperties`.
    let named = schema["properties"].get(first);
    let any =
        named.or_else(|| Some(&schema["additionalProperties"]).filter(|form| form.is_object()));

    any.into_iter()
        .flat_map(|form| inside(form, rest))
        .chain(others)
        .collect()
}
