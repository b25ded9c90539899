//! Rule files in an editor: the language server that it runs (from npm) is started on a
//! file of the project, and must complete, explain and refuse by the schema that the file names.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::common::{Ended, root};

/// A language server that speaks on its standard input and output.
struct Server {
    _child: Ended,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

/// The server, fetched by npm once; `None` where there is no npm or no network, except in CI.
fn program() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("editor");
    let program = folder.join("node_modules/yaml-language-server/bin/yaml-language-server");
    if program.exists() {
        return Some(program);
    }
    std::fs::create_dir_all(&folder).unwrap();
    for file in ["package.json", "package-lock.json"] {
        std::fs::copy(root().join("tools/tests/editor").join(file), folder.join(file)).unwrap();
    }
    let fetched = Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder).output();
    let is_fetched = fetched.is_ok_and(|output| output.status.success()) && program.exists();
    assert!(is_fetched || std::env::var("CI").as_deref() != Ok("true"), "npm must fetch yaml-language-server");
    is_fetched.then_some(program)
}

impl Server {
    fn start(program: &Path) -> Self {
        let mut child = Command::new("node")
            .arg(program)
            .arg("--stdio")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut server = Self { _child: Ended(child), input, output, asked: 0 };
        server.ask("initialize", json!({"processId": null, "rootUri": null, "capabilities": {}}));
        server.notify("initialized", json!({}));
        server
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn notify(&mut self, method: &str, parameters: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": parameters}));
    }

    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        self.wait(|message| message["id"] == id && message.get("method").is_none())["result"].take()
    }

    /// The first message that is wanted; questions of the server itself are answered on the way.
    fn wait(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.receive();
            if is_wanted(&message) {
                return message;
            }
            if let (Some(id), Some(method)) = (message.get("id"), message.get("method")) {
                let settings = json!({"validate": true, "hover": true, "completion": true});
                let items = message["params"]["items"].as_array().map(Vec::as_slice).unwrap_or_default();
                let answers =
                    items.iter().map(|item| if item["section"] == "yaml" { settings.clone() } else { Value::Null });
                let result = if method == "workspace/configuration" { answers.collect() } else { Value::Null };
                self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
            }
        }
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the language server ended");
            match line.trim().split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        let mut text = vec![0; length];
        self.output.read_exact(&mut text).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}

#[test]
fn an_editor_completes_explains_and_refuses() {
    let Some(program) = program() else { return };
    let path = root().join("rules/salaire-net/sn/2026-01-01.yaml");
    let figure = "  plafond_ir: {rate: 43%, source: cgi; lfr2022}\n";
    let good = std::fs::read_to_string(&path).unwrap();
    assert!(good.contains(figure) && good.contains("ceiling: 250 000"), "the test goes by this file");
    // A figure that was left out, and an amount in letters.
    let text = good.replace(figure, "  \n").replace("ceiling: 250 000", "ceiling: mille");
    let line = |wanted: &str| text.lines().position(|line| line.contains(wanted)).unwrap();
    let uri = format!("file://{}", path.display());
    let mut server = Server::start(&program);
    let document = json!({"uri": uri, "languageId": "yaml", "version": 1, "text": text});
    server.notify("textDocument/didOpen", json!({"textDocument": document}));

    let output =
        server.wait(|message| message["params"]["diagnostics"].as_array().is_some_and(|output| !output.is_empty()));
    let output = output["params"]["diagnostics"].as_array().unwrap();
    let at = |line: usize| {
        output.iter().find(|output| output["range"]["start"]["line"] == line).map(|output| &output["message"])
    };
    assert_eq!(at(line("figures:")).unwrap(), "Missing property \"plafond_ir\".");
    let amount = at(line("ceiling: mille")).unwrap().as_str().unwrap();
    assert!(amount.contains("un montant ou un nombre"), "{amount}");
    assert_eq!(output.len(), 2, "{output:#?}");

    let place = |line: usize, character: usize| json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}});
    let hover = server.ask("textDocument/hover", place(line("citation:"), 3));
    let hover = hover["contents"]["value"].as_str().unwrap();
    assert!(hover.contains("text that names the sources in the answers"), "{hover}");

    let empty = text.lines().position(|line| line == "  ").unwrap();
    let completed = server.ask("textDocument/completion", place(empty, 2));
    let labels: Vec<&str> =
        completed["items"].as_array().unwrap().iter().filter_map(|item| item["label"].as_str()).collect();
    assert!(labels.contains(&"plafond_ir"), "{labels:?}");
    assert!(!labels.contains(&"trimf"), "what is there already is not proposed: {labels:?}");
}
