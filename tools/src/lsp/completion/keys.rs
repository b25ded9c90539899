//! Completion of keys.

use std::collections::BTreeSet;

use bareme_engine::law::{KINDS, MODIFIERS};
use gen_lsp_types as lsp;

use super::super::actions::before;
use super::super::index::{FileKind, in_method};
use super::super::manual;
use super::{CompletionContext, Item, inside};
use crate::edit::extent;

impl CompletionContext<'_> {
    pub(super) fn keys(&self, path: &[&str], siblings: &[String]) -> Vec<Item> {
        let written = self
            .file
            .text
            .get(self.cursor.word.clone())
            .unwrap_or_default();
        // The key at the cursor is in the text already, but is the one being completed.
        let is_new = |item: &Item| item.label == written || !siblings.contains(&item.label);

        // An option of a method has the same sections as the method itself.
        let inside = if self.kind == FileKind::Method {
            in_method(path)
        } else {
            path.to_vec()
        };

        let items = match (self.kind, inside.as_slice()) {
            (FileKind::Method, ["steps", _]) => self.step_keys(path, siblings),
            (FileKind::Cases, ["cases", "given"]) => self.inputs(": "),
            (FileKind::Cases, ["cases", "expect"]) => self.fields(": "),
            (
                FileKind::Method,
                ["headline" | "once" | "inverse", "assume"]
                | ["presets", "send"]
                | ["advances", "first", "assume"],
            ) => self.inputs(": "),
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
            // Without a kind, the kinds are the only keys to propose.
            return KINDS
                .iter()
                .map(|kind| item(kind.name, Some(kind.name)).detail(Some("genre")))
                .collect();
        };

        // A step that reads its values from a figure by `with` needs no such key.
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

        // A place may be described by several forms of the schema: all their keys are possible.
        for schema in inside(&schema, path) {
            for (name, form) in schema["properties"].as_object().into_iter().flatten() {
                let is_figure = self.kind == FileKind::Scale && path == ["figures"];
                let text = if is_figure {
                    self.figure(name)
                } else {
                    format!("{name}: ")
                };

                // A figure has its own description in the method, which the manual cannot know.
                let help = manual::sentence(self.kind, path, name, None);
                let help = help
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
                    .help(help);
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
}
