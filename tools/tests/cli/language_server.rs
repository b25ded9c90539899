//! An editor for language servers, in tests: it starts one, opens files, asks, and keeps what it is
//! told.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::Ended;

/// The longest that anything takes, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(120);

/// A language server that speaks on its standard input and output.
pub(crate) struct LanguageServer {
    _child: Ended,
    input: ChildStdin,
    messages: Receiver<Value>,
    asked: u64,
    /// Diagnostics, by the address of the file.
    pub diagnostics: HashMap<String, Vec<Value>>,
    /// The sentences that it has shown.
    pub shown: Vec<String>,
    /// The files that are open, with their texts.
    open: BTreeMap<PathBuf, (u64, String)>,
}

/// The address of a file.
pub(crate) fn uri(path: &Path) -> String {
    format!("file://{}", path.display().to_string().replace(' ', "%20"))
}

impl LanguageServer {
    pub(crate) fn start(command: &mut Command, folders: &[&Path]) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (
            child.stdin.take().unwrap(),
            BufReader::new(child.stdout.take().unwrap()),
        );
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = output;
            while let Some(message) = receive(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let (diagnostics, shown, open) = (HashMap::new(), Vec::new(), BTreeMap::new());
        let mut server = Self {
            _child: Ended(child),
            input,
            messages,
            asked: 0,
            diagnostics,
            shown,
            open,
        };
        let folders: Vec<Value> = folders
            .iter()
            .map(|path| json!({"uri": uri(path), "name": "rules"}))
            .collect();
        server.ask(
            "initialize",
            json!({"processId": null, "rootUri": null, "workspaceFolders": folders, "capabilities": {}}),
        );
        server.notify("initialized", json!({}));
        server
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    pub(crate) fn notify(&mut self, method: &str, parameters: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": parameters}));
    }

    /// The whole response to a question.
    pub(crate) fn response(&mut self, method: &str, parameters: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    /// The answer to a question that is not refused.
    pub(crate) fn ask(&mut self, method: &str, parameters: Value) -> Value {
        let mut response = self.response(method, parameters);
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].take()
    }

    /// The first message that is wanted; questions of the server itself are answered on the way, by
    /// the first of its answers.
    pub(crate) fn wait(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self
                .messages
                .recv_timeout(PATIENCE)
                .expect("the language server ended, or says nothing");
            if message["method"] == "textDocument/publishDiagnostics" {
                let told = &message["params"];
                let found = told["diagnostics"].as_array().unwrap().clone();
                self.diagnostics
                    .insert(told["uri"].as_str().unwrap().to_owned(), found);
            }
            if let Some(text) = message["params"]["message"].as_str() {
                self.shown.push(text.to_owned());
            }
            if is_wanted(&message) {
                return message;
            }
            if let (Some(id), Some(_)) = (message.get("id"), message.get("method")) {
                let result = self.answer(&message);
                self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
            }
        }
    }

    fn answer(&mut self, message: &Value) -> Value {
        match message["method"].as_str().unwrap() {
            "workspace/configuration" => {
                let settings = json!({"validate": true, "hover": true, "completion": true});
                let items = message["params"]["items"]
                    .as_array()
                    .map(Vec::as_slice)
                    .unwrap_or_default();
                items
                    .iter()
                    .map(|item| {
                        if item["section"] == "yaml" {
                            settings.clone()
                        } else {
                            Value::Null
                        }
                    })
                    .collect()
            }
            "window/showMessageRequest" => message["params"]["actions"][0].clone(),
            "workspace/applyEdit" => {
                self.apply(&message["params"]["edit"]);
                json!({"applied": true})
            }
            _ => Value::Null,
        }
    }

    /// Waits until what is wrong is as it should be.
    pub(crate) fn until(
        &mut self,
        is_right: impl Fn(&HashMap<String, Vec<Value>>) -> bool,
    ) -> bool {
        let started = Instant::now();
        while !is_right(&self.diagnostics) {
            if started.elapsed() > PATIENCE {
                return false;
            }
            // Each answer comes after what was told before it.
            let id = self.asked + 1;
            self.asked = id;
            self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "bareme/none", "params": {}}));
            self.wait(|message| message["id"] == id && message.get("method").is_none());
            std::thread::sleep(Duration::from_millis(30));
        }
        true
    }

    /// Opens a file with a text that the disk may not have.
    pub(crate) fn open(&mut self, path: &Path, text: &str) {
        self.open.insert(path.to_owned(), (1, text.to_owned()));
        let document = json!({"uri": uri(path), "languageId": "yaml", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// The text of an open file.
    pub(crate) fn text(&self, path: &Path) -> &str {
        &self.open[path].1
    }

    /// Types: the first part of a file that is written so becomes another, and nothing else is
    /// sent.
    pub(crate) fn replace(&mut self, path: &Path, old: &str, new: &str) {
        let text = self.text(path).to_owned();
        let start = text.find(old).unwrap_or_else(|| panic!("{old} in {text}"));
        let range =
            json!({"start": position(&text, start), "end": position(&text, start + old.len())});
        self.change(
            path,
            text.replacen(old, new, 1),
            json!([{"range": range, "text": new}]),
        );
    }

    /// The version of an open file as the editor counts them.
    pub(crate) fn version(&self, path: &Path) -> u64 {
        self.open[path].0
    }

    /// Replaces the whole text of a file.
    pub(crate) fn rewrite(&mut self, path: &Path, text: &str) {
        self.change(path, text.to_owned(), json!([{"text": text}]));
    }

    fn change(&mut self, path: &Path, text: String, changes: Value) {
        let (version, known) = self.open.get_mut(path).unwrap();
        (*version, *known) = (*version + 1, text);
        let document = json!({"uri": uri(path), "version": *version});
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": document, "contentChanges": changes}),
        );
    }

    /// Makes the edits of the server in the open files, and in those of the disk.
    pub(crate) fn apply(&mut self, edit: &Value) {
        for (address, edits) in edit["changes"].as_object().unwrap() {
            let path = PathBuf::from(address.strip_prefix("file://").unwrap());
            let disk = || std::fs::read_to_string(&path).unwrap();
            let text = self
                .open
                .get(&path)
                .map_or_else(disk, |(_, text)| text.clone());
            let text = edited(&text, edits);
            if self.open.contains_key(&path) {
                self.rewrite(&path, &text);
            } else {
                std::fs::write(&path, text).unwrap();
            }
        }
    }

    /// The parameters of a question about a place: behind the first part of an open file that is
    /// written so.
    pub(crate) fn at(&self, path: &Path, before: &str) -> Value {
        let text = self.text(path);
        let offset = text
            .find(before)
            .unwrap_or_else(|| panic!("{before} in {text}"))
            + before.len();
        json!({"textDocument": {"uri": uri(path)}, "position": position(text, offset)})
    }
}

/// A position as the protocol counts it.
pub(crate) fn position(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let character = before.rsplit('\n').next().unwrap().encode_utf16().count();
    json!({"line": line, "character": character})
}

fn offset(text: &str, position: &Value) -> usize {
    let line = position["line"].as_u64().unwrap() as usize;
    let start: usize = text.split('\n').take(line).map(|line| line.len() + 1).sum();
    let mut left = position["character"].as_u64().unwrap() as usize;
    let mut at = start;
    for letter in text[start.min(text.len())..].chars() {
        if left == 0 {
            break;
        }
        left -= letter.len_utf16();
        at += letter.len_utf8();
    }
    at
}

/// A text with edits of the protocol made.
pub(crate) fn edited(text: &str, edits: &Value) -> String {
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| {
            let place = |end| offset(text, &edit["range"][end]);
            (
                place("start"),
                place("end"),
                edit["newText"].as_str().unwrap(),
            )
        })
        .collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.0));
    let mut text = text.to_owned();
    edits
        .into_iter()
        .for_each(|(start, end, new)| text.replace_range(start..end, new));
    text
}

fn receive(output: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.parse().ok()?
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut text = vec![0; length];
    output.read_exact(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}
