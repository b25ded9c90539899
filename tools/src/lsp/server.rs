//! The message loop of the server, and the open files.

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bareme_engine::Lang;
use bareme_engine::law::Drafts;
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use gen_lsp_types as lsp;
use gen_lsp_types::{Notification as _, Request as _};
use jiff::civil::Date;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::background::{Done, Fault};
use super::cases::Question;
use super::diagnostics::diagnostic;
use super::position::Lines;
use super::root::Root;
use super::{requests, uri};
use crate::rule_files::folder_of;
use crate::session::Session;

/// Pause in typing after which the whole set is checked.
const PAUSE: Duration = Duration::from_millis(150);
/// How often the disk is looked at for an editor that does not tell what changes on it.
const PATROL: Duration = Duration::from_secs(2);
/// Timeout where only a message is awaited.
const LONG: Duration = Duration::from_secs(3600);

/// The result of a background check.
type Checked = Result<Done, Fault>;

/// A file that is open in the editor.
#[derive(Debug)]
struct Document {
    uri: lsp::Uri,
    version: i32,
    text: String,
}

/// The server of one editor.
pub(super) struct Server {
    sender: Sender<Message>,
    done: (Sender<Checked>, Receiver<Checked>),
    roots: Vec<Root>,
    open: BTreeMap<PathBuf, Document>,
    /// Diagnostics published last, by file.
    published: HashMap<PathBuf, Vec<lsp::Diagnostic>>,
    /// Requests to the editor that await their answers.
    asked: HashMap<RequestId, Question>,
    next_id: i32,
    /// The case that the hints show, by folder.
    pub chosen: BTreeMap<PathBuf, String>,
    /// Capabilities of the editor.
    capabilities: Value,
    /// Whether the editor tells what changes on the disk.
    is_told: bool,
    /// When the disk was looked at last, and when something was typed.
    looked: Instant,
    typed: Instant,
    is_ending: bool,
    pub lang: Lang,
    drafts: Drafts,
    today: Date,
}

/// A file of the rules, with the text of the editor.
pub(super) struct File<'s> {
    pub root: &'s Root,
    /// Its path within the rules.
    pub path: String,
    pub text: &'s str,
}

impl File<'_> {
    pub(super) fn folder(&self) -> &str {
        folder_of(&self.path)
    }

    pub(super) fn lines(&self) -> Lines<'_> {
        Lines::new(self.text)
    }
}

impl Server {
    /// Serves an editor until it ends; returns whether it announced that.
    pub(super) fn serve(connection: Connection, session: &Session) -> bool {
        let Ok((id, parameters)) = connection.initialize_start() else {
            return false;
        };
        let answer = json!({
            "capabilities": requests::capabilities(),
            "serverInfo": {"name": "bareme", "version": env!("CARGO_PKG_VERSION")},
        });
        if connection.initialize_finish(id, answer).is_err() {
            return false;
        }
        let mut server = Self {
            sender: connection.sender.clone(),
            done: unbounded(),
            roots: Vec::new(),
            open: BTreeMap::new(),
            published: HashMap::new(),
            asked: HashMap::new(),
            next_id: 0,
            chosen: BTreeMap::new(),
            capabilities: parameters.get("capabilities").cloned().unwrap_or_default(),
            is_told: false,
            looked: Instant::now(),
            typed: Instant::now(),
            is_ending: false,
            lang: session.lang,
            drafts: session.drafts,
            today: session.today,
        };
        server.begin(&parameters, session.rules.as_deref());
        server.run(&connection.receiver)
    }

    /// Finds the rules in the folders of the editor, and registers for changes on disk.
    fn begin(&mut self, parameters: &Value, named: Option<&Path>) {
        // Older editors name a single folder.
        let folders = parameters["workspaceFolders"]
            .as_array()
            .into_iter()
            .flatten();
        let addresses = folders
            .map(|folder| &folder["uri"])
            .chain([&parameters["rootUri"]]);
        let addresses: Vec<lsp::Uri> = addresses
            .filter_map(Value::as_str)
            .map(|uri| lsp::Uri(uri.to_owned()))
            .collect();
        let named = named.and_then(|path| path.canonicalize().ok());
        for path in addresses.iter().filter_map(uri::path).chain(named) {
            self.root_of(&path);
        }
        self.is_told = self.can("/workspace/didChangeWatchedFiles/dynamicRegistration");
        if self.is_told {
            let options = json!({"watchers": [{"globPattern": "**/*.{yaml,yml}"}]});
            let registration = json!({"id": "files", "method": "workspace/didChangeWatchedFiles", "registerOptions": options});
            self.ask(
                "client/registerCapability",
                json!({"registrations": [registration]}),
                Question::Nothing,
            );
        }
        self.check_whole();
    }

    fn run(mut self, receiver: &Receiver<Message>) -> bool {
        loop {
            let patience = match self.roots.iter().any(Root::awaits_check) {
                true => PAUSE,
                false if self.is_told => LONG,
                false => PATROL,
            };
            select! {
                recv(receiver) -> message => match message {
                    Ok(message) => {
                        if self.message(message) {
                            return self.is_ending;
                        }
                    }
                    Err(_) => return self.is_ending,
                },
                recv(self.done.1) -> done => {
                    if let Ok(done) = done {
                        self.take(done);
                    }
                }
                default(patience) => {}
            }
            // An editor that asks all the time does not put the check off.
            if self.typed.elapsed() >= PAUSE {
                self.check_whole();
            }
            if !self.is_told && self.looked.elapsed() >= PATROL {
                self.read_all_again();
            }
            // While messages wait, the changed files are not loaded yet.
            if receiver.is_empty() {
                self.settle();
            }
        }
    }

    /// Handles a message; returns whether it was the last one.
    fn message(&mut self, message: Message) -> bool {
        match message {
            Message::Request(request) => self.request(request),
            Message::Response(response) => self.answered(response),
            Message::Notification(notification)
                if notification.method == lsp::ExitNotification::METHOD.as_str() =>
            {
                return true;
            }
            Message::Notification(notification) => self.notified(notification),
        }
        false
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let response = if method == lsp::ShutdownRequest::METHOD.as_str() {
            self.is_ending = true;
            Response::new_ok(id, Value::Null)
        } else {
            self.settle();
            // The state is consistent between two messages: a panic ends the answer, not the
            // server.
            match catch_unwind(AssertUnwindSafe(|| requests::answer(self, &method, params))) {
                Ok(Ok(result)) => Response::new_ok(id, result),
                Ok(Err(refused)) => Response::new_err(id, refused.code as i32, refused.message),
                Err(_) => Response::new_err(
                    id,
                    ErrorCode::InternalError as i32,
                    format!("internal fault: {method}"),
                ),
            }
        };
        self.send(response.into());
    }

    fn answered(&mut self, response: Response) {
        let Some(question) = self.asked.remove(&response.id) else {
            return;
        };
        // A refusal by the editor counts as no answer.
        let result = response.response_result.unwrap_or_default();
        question.answered(&result, self);
    }

    fn notified(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        let is = |known: lsp::LspNotificationMethod| known.as_str() == method;
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
            let saved = read::<lsp::DidSaveTextDocumentParams>(params);
            if let Some(path) = saved.and_then(|saved| uri::path(&saved.text_document.uri)) {
                self.read_again(&path);
            }
        } else if is(lsp::DidChangeWatchedFilesNotification::METHOD) {
            let changed = read::<lsp::DidChangeWatchedFilesParams>(params)
                .map(|told| told.changes)
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
        let known = self.root_of(&path);
        self.open.insert(
            path.clone(),
            Document {
                uri: document.uri,
                version: document.version,
                text: document.text,
            },
        );
        if known.is_some() {
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
        let open: Vec<(String, &str)> = self
            .open
            .iter()
            .filter(|(path, _)| path.starts_with(&root.path))
            .filter_map(|(path, document)| Some((root.inside(path)?, document.text.as_str())))
            .collect();
        root.read_again(open.into_iter());
    }

    fn read_all_again(&mut self) {
        self.looked = Instant::now();
        let paths: Vec<PathBuf> = self.roots.iter().map(|root| root.path.clone()).collect();
        paths.iter().for_each(|path| self.read_again(path));
    }

    /// Index of the rules that contain a path, or are in it; they are loaded on first use.
    fn root_of(&mut self, path: &Path) -> Option<usize> {
        let found = Root::find(path)?;
        if let Some(known) = self.roots.iter().position(|root| root.path == found) {
            return Some(known);
        }
        self.roots.push(Root::read(found, self.drafts, self.today));
        Some(self.roots.len() - 1)
    }

    /// The file of the rules for a document, if it is one.
    pub(super) fn file(&mut self, uri: &lsp::Uri) -> Option<File<'_>> {
        let path = uri::path(uri)?;
        let root = self
            .roots
            .iter_mut()
            .find(|root| path.starts_with(&root.path))?;
        let path = root.inside(&path)?;
        root.prepare(folder_of(&path));
        let root = &*root;
        let text = root.files.text(&path)?;
        Some(File { root, path, text })
    }

    /// The address of a file of the rules; that of the editor, if it is open.
    pub(super) fn uri(&self, path: &Path) -> lsp::Uri {
        self.open
            .get(path)
            .map_or_else(|| uri::uri(path), |document| document.uri.clone())
    }

    /// Starts background checks of the sets whose files have changed.
    fn check_whole(&mut self) {
        for job in self.roots.iter_mut().filter_map(Root::job) {
            let sender = self.done.0.clone();
            // The editor may be gone meanwhile.
            rayon::spawn(move || drop(sender.send(job.run())));
        }
    }

    fn take(&mut self, checked: Checked) {
        let done = match checked {
            Ok(done) => done,
            Err(fault) => {
                let root = self.roots.iter_mut().find(|root| root.path == fault.root);
                return root
                    .into_iter()
                    .for_each(|root| root.give_up(fault.revision));
            }
        };
        let Some(root) = self.roots.iter_mut().find(|root| root.path == done.root) else {
            return;
        };
        if root.take(done) {
            self.publish();
            self.refresh();
        }
    }

    /// Loads the changed files, and publishes their diagnostics.
    fn settle(&mut self) {
        let mut has_changed = false;
        for root in &mut self.roots {
            has_changed |= root.settle();
        }
        if has_changed {
            self.publish();
        }
    }

    /// Publishes the diagnostics of files for which they have changed.
    fn publish(&mut self) {
        let mut now: HashMap<PathBuf, Vec<lsp::Diagnostic>> = HashMap::new();
        for root in &self.roots {
            for (path, found) in root.shown() {
                let found = found.into_iter().map(|found| diagnostic(found, self.lang));
                now.insert(root.path.join(path), found.collect());
            }
        }
        let gone = self
            .published
            .keys()
            .filter(|path| !now.contains_key(*path));
        let gone: Vec<PathBuf> = gone.cloned().collect();
        now.extend(gone.into_iter().map(|path| (path, Vec::new())));
        let mut paths: Vec<&PathBuf> = now.keys().collect();
        paths.sort();
        for path in paths {
            let found = now.get(path).cloned().unwrap_or_default();
            let was = self
                .published
                .get(path)
                .map(Vec::as_slice)
                .unwrap_or_default();
            if was != found {
                let version = self.open.get(path).map(|document| document.version);
                let told = lsp::PublishDiagnosticsParams {
                    uri: self.uri(path),
                    version,
                    diagnostics: found,
                };
                self.tell::<lsp::PublishDiagnosticsNotification>(told);
            }
        }
        now.retain(|_, found| !found.is_empty());
        self.published = now;
    }

    /// Asks the editor to refresh hints and lenses, if it can.
    pub(super) fn refresh(&mut self) {
        for (name, method) in [
            ("inlayHint", "workspace/inlayHint/refresh"),
            ("codeLens", "workspace/codeLens/refresh"),
        ] {
            if self.can(&format!("/workspace/{name}/refreshSupport")) {
                self.ask(method, Value::Null, Question::Nothing);
            }
        }
    }

    /// Whether the editor has a capability.
    fn can(&self, capability: &str) -> bool {
        self.capabilities.pointer(capability) == Some(&Value::Bool(true))
    }

    /// Sends a request to the editor.
    pub(super) fn ask(&mut self, method: &str, parameters: Value, question: Question) {
        self.next_id += 1;
        let id = RequestId::from(self.next_id);
        self.asked.insert(id.clone(), question);
        self.send(
            Request {
                id,
                method: method.to_owned(),
                params: parameters,
            }
            .into(),
        );
    }

    /// Sends a notification to the editor.
    pub(super) fn tell<N: lsp::Notification>(&self, parameters: N::Params)
    where
        N::Params: Serialize,
    {
        self.send(Notification::new(N::METHOD.as_str().to_owned(), parameters).into());
    }

    fn send(&self, message: Message) {
        // If the editor is gone, the next receive tells it.
        let _ = self.sender.send(message);
    }
}

fn read<P: DeserializeOwned>(parameters: Value) -> Option<P> {
    serde_json::from_value(parameters).ok()
}
