//! Notifications of the editor: its documents, the disk, its folders.

use std::path::{Path, PathBuf};
use std::time::Instant;

use gen_lsp_types as lsp;
use gen_lsp_types::Notification as _;
use lsp_server::Notification;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::super::position::Lines;
use super::super::uri;
use super::{Document, Server};

impl Server {
    pub(super) fn notified(&mut self, notification: Notification) {
        let Notification { method, params } = notification;

        let is = |expected: lsp::LspNotificationMethod| expected.as_str() == method;

        // 1. Documents: from opening to closing, the text of the editor counts rather than the
        // disk.
        if is(lsp::DidOpenTextDocumentNotification::METHOD) {
            if let Some(opened) = read::<lsp::DidOpenTextDocumentParams>(params) {
                self.opened(opened);
            }
        } else if is(lsp::DidChangeTextDocumentNotification::METHOD) {
            if let Some(changed) = read::<lsp::DidChangeTextDocumentParams>(params) {
                self.changed(changed);
            }
        } else if is(lsp::DidCloseTextDocumentNotification::METHOD) {
            let closed = read::<lsp::DidCloseTextDocumentParams>(params);
            if let Some(path) = closed.and_then(|closed| uri::path(&closed.text_document.uri)) {
                self.open.remove(&path);
                self.read_again(&path);
            }
        } else if is(lsp::DidSaveTextDocumentNotification::METHOD) {
            // 2. The disk. A save may run hooks that change other files: all are compared.
            let saved = read::<lsp::DidSaveTextDocumentParams>(params);
            if let Some(path) = saved.and_then(|saved| uri::path(&saved.text_document.uri)) {
                self.read_again(&path);
            }
        } else if is(lsp::DidChangeWatchedFilesNotification::METHOD) {
            // Many files may change at once, as when a branch is checked out: each folder is read
            // once.
            let changed = read::<lsp::DidChangeWatchedFilesParams>(params)
                .map(|reported| reported.changes)
                .unwrap_or_default();
            let paths: Vec<PathBuf> = changed
                .iter()
                .filter_map(|change| uri::path(&change.uri))
                .collect();

            let roots: Vec<PathBuf> = self.roots.iter().map(|root| root.path.clone()).collect();
            for root in roots
                .iter()
                .filter(|root| paths.iter().any(|path| path.starts_with(root)))
            {
                self.read_again(root);
            }
        } else if is(lsp::DidChangeWorkspaceFoldersNotification::METHOD) {
            // 3. The folders of the editor. A removed one keeps its rules: a document of it may be
            // open.
            let added = params
                .pointer("/event/added")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default();
            for folder in added.iter().filter_map(|folder| folder["uri"].as_str()) {
                if let Some(path) = uri::path(&lsp::Uri(folder.to_owned())) {
                    self.root_of(&path);
                }
            }
        }
    }

    fn opened(&mut self, opened: lsp::DidOpenTextDocumentParams) {
        let document = opened.text_document;
        let Some(path) = uri::path(&document.uri) else {
            return;
        };
        let root = self.root_of(&path);
        self.open.insert(
            path.clone(),
            Document {
                uri: document.uri,
                version: document.version,
                text: document.text,
            },
        );
        // A document outside of rules is kept, since rules may be found around it later.
        if root.is_some() {
            self.write(&path);
        }
    }

    fn changed(&mut self, changed: lsp::DidChangeTextDocumentParams) {
        let document = changed.text_document;
        let uri = document.text_document_identifier.uri;
        let Some(path) = uri::path(&uri) else { return };
        self.typed = Instant::now();
        // An editor may save an open file under another name and continue with that: the first one
        // then has its text on disk.
        if !self.open.contains_key(&path) {
            let Ok(text) = std::fs::read_to_string(&path) else {
                return;
            };
            self.open.insert(
                path.clone(),
                Document {
                    uri,
                    version: document.version,
                    text,
                },
            );
        }
        let Some(open) = self.open.get_mut(&path) else {
            return;
        };
        open.version = document.version;
        // Changes apply one after the other: each range is about the text after those before it.
        for change in changed.content_changes {
            match change {
                lsp::TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                    let span = Lines::new(&open.text).offsets(part.range);
                    open.text.replace_range(span, &part.text);
                }
                lsp::TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(
                    whole,
                ) => {
                    open.text = whole.text;
                }
            }
        }

        self.write(&path);
    }

    /// Passes the text of an open file to its rules.
    fn write(&mut self, path: &Path) {
        let Some(document) = self.open.get(path) else {
            return;
        };
        let Some(root) = self
            .roots
            .iter_mut()
            .find(|root| path.starts_with(&root.path))
        else {
            return;
        };

        if let Some(inside) = root.inside(path) {
            root.write(&inside, &document.text);
        }
    }

    /// Reads the disk again for the rules that contain a path.
    fn read_again(&mut self, path: &Path) {
        let Some(root) = self
            .roots
            .iter_mut()
            .find(|root| path.starts_with(&root.path))
        else {
            return;
        };

        // The open files of these rules, whose texts replace those of the disk.
        let open: Vec<(String, &str)> = self
            .open
            .iter()
            .filter(|(path, _)| path.starts_with(&root.path))
            .filter_map(|(path, document)| Some((root.inside(path)?, document.text.as_str())))
            .collect();

        root.read_again(open.into_iter());
    }

    pub(super) fn read_all_again(&mut self) {
        self.last_poll = Instant::now();
        let paths: Vec<PathBuf> = self.roots.iter().map(|root| root.path.clone()).collect();
        paths.iter().for_each(|path| self.read_again(path));
    }
}

fn read<P: DeserializeOwned>(parameters: Value) -> Option<P> {
    serde_json::from_value(parameters).ok()
}
