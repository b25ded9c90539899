//! The message loop of the server, and the open files.

mod notifications;

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
use serde_json::{Value, json};

use super::background::{Done, Fault};
use super::cases::Question;
use super::diagnostics::diagnostic;
use super::index::Occurrence;
use super::position::Lines;
use super::root::Root;
use super::{requests, uri};
use crate::rule_files::folder_of;
use crate::session::Session;

/// Pause in typing after which the whole set is checked.
const DEBOUNCE: Duration = Duration::from_millis(150);
/// How often the disk is read for an editor that does not report what changes on it.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Timeout where only a message is awaited.
const IDLE_TIMEOUT: Duration = Duration::from_secs(3600);

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
    /// Whether the editor reports what changes on the disk.
    watches_files: bool,
    /// When the disk was read last, and when something was typed.
    last_poll: Instant,
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

    /// The name at a position.
    pub(super) fn occurrence(&self, position: lsp::Position) -> Option<&Occurrence> {
        let offset = self.lines().offset(position);
        self.root.index(self.folder())?.at(&self.path, offset)
    }
}

impl Server {
    /// Serves an editor until it ends; returns whether it announced that.
    pub(super) fn serve(connection: Connection, session: &Session) -> bool {
        // 1. The handshake: capabilities are exchanged before anything else is sent.
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
            watches_files: false,
            last_poll: Instant::now(),
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
        // Older editors name a single folder, by `rootUri`.
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

        self.watches_files = self.can("/workspace/didChangeWatchedFiles/dynamicRegistration");
        // Watching is registered by the server, where the editor can: only it knows which files
        // matter.
        if self.watches_files {
            let options = json!({"watchers": [{"globPattern": "**/*.{yaml,yml,svg}"}]});
            let registration = json!({
                "id": "files",
                "method": "workspace/didChangeWatchedFiles",
                "registerOptions": options,
            });
            self.ask(
                "client/registerCapability",
                json!({"registrations": [registration]}),
                Question::Nothing,
            );
        }

        // The first check, so that errors are shown before anything is typed.
        self.check_whole();
    }

    fn run(mut self, receiver: &Receiver<Message>) -> bool {
        loop {
            // How long a message is awaited: until the whole check is due, or the disk is to be
            // read.
            let patience = match self.roots.iter().any(Root::awaits_check) {
                true => DEBOUNCE,
                false if self.watches_files => IDLE_TIMEOUT,
                false => POLL_INTERVAL,
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
            // Outside of `select!`, so that an editor that asks all the time does not put the check
            // off.
            if self.typed.elapsed() >= DEBOUNCE {
                self.check_whole();
            }
            if !self.watches_files && self.last_poll.elapsed() >= POLL_INTERVAL {
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
            // After `shutdown` only `exit` may follow: the exit code depends on this order.
            self.is_ending = true;
            Response::new_ok(id, Value::Null)
        } else {
            // An answer must be about the text that the editor has.
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
        // An answer to a question of nobody is ignored.
        let Some(question) = self.asked.remove(&response.id) else {
            return;
        };
        // A refusal by the editor counts as no answer.
        let result = response.response_result.unwrap_or_default();
        question.answered(&result, self);
    }

    /// Index of the rules that contain a path, or are in it; they are loaded on first use.
    fn root_of(&mut self, path: &Path) -> Option<usize> {
        let found = Root::find(path)?;
        if let Some(index) = self.roots.iter().position(|root| root.path == found) {
            return Some(index);
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
        // The index is built by need: it takes time in a large folder.
        root.prepare(folder_of(&path));
        let root = &*root;
        let text = root.files.text(&path)?;
        Some(File { root, path, text })
    }

    /// The file of a position, where the name at it is known, once the folder that the name belongs
    /// to and those that use that folder are prepared.
    pub(super) fn file_with_users(
        &mut self,
        at: &lsp::TextDocumentPositionParams,
    ) -> Option<File<'_>> {
        let uri = &at.text_document.uri;
        let file = self.file(uri)?;
        let one = file.occurrence(at.position)?;
        let (owner, symbol) = one.owned();
        // A figure that another folder gives is declared there.
        let names = file
            .root
            .index(owner)
            .and_then(|index| index.names_of(&one.path));
        let shared = names.and_then(|names| names.shared.get(symbol.name()));
        let owners: Vec<String> = [owner]
            .into_iter()
            .chain(shared.map(|shared| shared.folder.as_str()))
            .map(str::to_owned)
            .collect();
        let path = file.root.path.clone();

        let root = self.roots.iter_mut().find(|root| root.path == path)?;
        owners.iter().for_each(|owner| root.prepare_users(owner));
        self.file(uri)
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
            // The editor may be gone meanwhile: then nobody receives the result.
            rayon::spawn(move || drop(sender.send(job.run())));
        }
    }

    fn take(&mut self, checked: Checked) {
        let done = match checked {
            Ok(done) => done,
            // The check panicked: it is not repeated until something changes.
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
            // Hints and lenses show values of the rules, which have changed without a change of
            // their file.
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

        // A file without diagnostics any more gets an empty list, otherwise its marks would stay.
        let gone = self
            .published
            .keys()
            .filter(|path| !now.contains_key(*path));
        let gone: Vec<PathBuf> = gone.cloned().collect();
        now.extend(gone.into_iter().map(|path| (path, Vec::new())));

        // In the order of paths, so that sessions can be compared.
        let mut paths: Vec<&PathBuf> = now.keys().collect();
        paths.sort();
        for path in paths {
            let found = now.get(path).cloned().unwrap_or_default();
            let was = self
                .published
                .get(path)
                .map(Vec::as_slice)
                .unwrap_or_default();
            // Only what has changed is sent: a set has hundreds of files, and an edit changes a
            // few.
            if was != found {
                let version = self.open.get(path).map(|document| document.version);
                let update = lsp::PublishDiagnosticsParams {
                    uri: self.uri(path),
                    version,
                    diagnostics: found,
                };
                self.tell::<lsp::PublishDiagnosticsNotification>(update);
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
