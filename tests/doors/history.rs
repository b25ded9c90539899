//! A history of corrections: each answer that was given is given again by every door, byte for byte,
//! by the law that it names.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use harness::{Connection, Rules, Server, Wheel, built, done, repository};
use serde_json::{Value, json};

/// Questions by two laws of a folder, and by one of another.
const QUESTIONS: [Asked; 3] = [
    Asked {
        name: "ir",
        sent: &[("revenu", "40000"), ("date", "2026-06-30")],
    },
    Asked {
        name: "ir",
        sent: &[("revenu", "30000"), ("date", "2025-06-30")],
    },
    Asked {
        name: "tva",
        sent: &[("montant", "120"), ("sens", "ttc"), ("date", "2026-03-31")],
    },
];

/// What is published one after the other: the file, what is corrected, and by what. The third
/// brings the first law back.
const CORRECTIONS: [[&str; 3]; 4] = [
    ["ir/2026-01-01.yaml", "{up_to: 29 579, ", "{up_to: 29 679, "],
    ["ir/2025-01-01.yaml", "{up_to: 29 315, ", "{up_to: 29 316, "],
    ["ir/2026-01-01.yaml", "{up_to: 29 679, ", "{up_to: 29 579, "],
    ["ir/2026-01-01.yaml", "{up_to: 29 579, ", "{up_to: 29 629, "],
];

/// A question about a calculation.
#[derive(Debug, Clone, Copy)]
struct Asked {
    name: &'static str,
    sent: &'static [(&'static str, &'static str)],
}

/// What a door answered, and the version of its law.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Given {
    version: String,
    interface: Vec<u8>,
    lot: Vec<u8>,
    tool: Vec<u8>,
    batch: Vec<u8>,
    /// The single calculation and the row of a plan, where the package is installed.
    package: Option<Value>,
}

/// Where the rules of a command or of the package are.
#[derive(Debug, Clone, Copy)]
enum Place<'p> {
    Rules(&'p Path),
    Archive(&'p Path),
}

/// The doors to a history.
struct Doors {
    rules: Rules,
    wheel: Option<Wheel>,
}

impl Asked {
    /// The address of the question, by a law or by that in force.
    fn address(&self, version: Option<&str>) -> String {
        let sent = self.sent.iter().copied();
        let sent = sent.chain(version.map(|version| ("version", version)));
        let pairs = sent.map(|(name, value)| format!("{name}={value}"));
        let query = pairs.collect::<Vec<_>>().join("&");
        format!("/api/v1/{}?{query}&detail=true", self.name)
    }

    /// The row of a CSV with its head.
    fn csv(&self) -> String {
        let of = |member: fn(&(&'static str, &'static str)) -> &'static str| {
            self.sent.iter().map(member).collect::<Vec<_>>().join(",")
        };
        format!("{}\n{}\n", of(|(name, _)| name), of(|(_, value)| value))
    }

    fn parameters(&self) -> Value {
        let members = self.sent.iter();
        members
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect()
    }
}

impl Doors {
    /// A service on a day; the set of this number is kept before it is asked.
    fn serve(&self, day: &str) -> Server {
        let store = format!("sqlite:{}", self.rules.beside("bareme.db").display());
        let clock = format!("{day}T12:00:00Z");
        let flags = ["--mcp", "--store", &store, "--clock", &clock];
        let log = ["--log", "info,access=off"];
        Server::with(&self.rules.root(), &[&flags[..], &log].concat())
    }

    /// What every door answers now, by the rules in force.
    fn ask(&self, server: &Server) -> Vec<Given> {
        let root = self.rules.root();
        let answers = QUESTIONS.iter().map(|asked| {
            let answer = server.get(&asked.address(None));
            assert_eq!(answer.status, 200, "{asked:?}: {}", answer.json());
            let version = answer.json()["version"].as_str().unwrap().to_owned();
            Given {
                interface: answer.body,
                lot: lot(server, asked, None),
                tool: tool(server, asked, &version),
                batch: batch(asked, Place::Rules(&root), None),
                package: None,
                version,
            }
        });
        let mut answers: Vec<Given> = answers.collect();

        let asked: Vec<Value> = QUESTIONS
            .iter()
            .map(|asked| {
                json!({"rules": root, "name": asked.name, "parameters": asked.parameters()})
            })
            .collect();
        let packages = self.package(&asked);
        for (answer, package) in answers.iter_mut().zip(packages.into_iter().flatten()) {
            answer.package = Some(package);
        }
        answers
    }

    /// What the package answers; none where it is not installed.
    fn package(&self, asked: &[Value]) -> Option<Vec<Value>> {
        let wheel = self.wheel.as_ref()?;
        let script = repository().join("tests/doors/history.py");
        let said = done(wheel.python(&script).arg(json!(asked).to_string()));
        Some(serde_json::from_str(&said).unwrap())
    }
}

/// The row of a question in a batch of the service.
fn lot(server: &Server, asked: &Asked, version: Option<&str>) -> Vec<u8> {
    let law = version.map_or(String::new(), |version| format!("?version={version}"));
    let path = format!("/api/v1/lot/{}{law}", asked.name);
    let mut connection = Connection::open(server.address()).unwrap();
    let answer = connection.post(&path, "text/csv", asked.csv().as_bytes(), "");
    let answer = answer.unwrap();
    assert_eq!(answer.status, 200, "{path}");
    answer.body
}

/// The answer of the tool of a question, by the law that it names.
fn tool(server: &Server, asked: &Asked, version: &str) -> Vec<u8> {
    let mut arguments = asked.parameters();
    arguments["version"] = json!(version);
    arguments["detail"] = json!(true);
    let params = json!({"name": asked.name, "arguments": arguments});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let headers = "Accept: application/json, text/event-stream\r\n";
    let body = message.to_string();
    let mut connection = Connection::open(server.address()).unwrap();
    let answer = connection.post("/mcp", "application/json", body.as_bytes(), headers);
    let answer = answer.unwrap();
    let is_error = &answer.json()["result"]["isError"];
    assert_eq!(is_error, false, "{}", answer.json());
    answer.body
}

/// The row of a question in a batch of the command line.
fn batch(asked: &Asked, place: Place, law: Option<[&str; 2]>) -> Vec<u8> {
    let mut command = Command::new(built("bareme"));
    command
        .args(["batch", asked.name, "-"])
        .args(law.into_iter().flatten());
    match place {
        Place::Rules(root) => command.arg("--rules").arg(root),
        Place::Archive(folder) => command.arg("--archive").arg(folder),
    };
    let piped = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(asked.csv().as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    output.stdout
}

/// Waits until the set of this number is kept.
fn kept(server: &Server, number: i64) {
    server.logged(|line| line["message"] == "rule set kept" && line["number"] == number);
}

/// Writes the kept sets into a folder.
fn exported(rules: &Rules) -> PathBuf {
    let folder = rules.beside("sets");
    let store = format!("sqlite:{}", rules.beside("bareme.db").display());
    let mut export = Command::new(built("bareme-server"));
    export.args(["rules", "export", "--to"]).arg(&folder);
    done(export.args(["--store", &store]));
    folder
}

#[test]
fn each_answer_of_a_history_is_given_again_by_every_door() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("history");
    let doors = Doors {
        rules: Rules::small().unlimited().without_cases(),
        wheel: Wheel::install(&place),
    };

    // 1. Five sets on two days, each asked at every door while it is in force.
    let mut server = doors.serve("2026-07-01");
    kept(&server, 1);
    let mut history = vec![doors.ask(&server)];
    for (number, [file, old, new]) in (2..).zip(CORRECTIONS) {
        if number == 4 {
            drop(server);
            doors.rules.replace(file, old, new);
            server = doors.serve("2026-08-15");
        } else {
            doors.rules.replace(file, old, new);
        }
        kept(&server, number);
        history.push(doors.ask(&server));
    }
    let of_tax = |set: usize| &history[set][0];
    assert_eq!(of_tax(0), of_tax(3));
    let versions = [0, 1, 4].map(|set| of_tax(set).version.as_str());
    assert!(versions[0] != versions[1] && versions[1] != versions[2]);
    assert_ne!(history[1][1].interface, history[2][1].interface);

    // 2. Each of these answers again, by its version: of the service, and of the archive.
    let sets = exported(&doors.rules);
    let archive = Place::Archive(&sets);
    let mut again = Vec::new();
    for answers in &history {
        for (asked, given) in QUESTIONS.iter().zip(answers) {
            let version = given.version.as_str();
            let found = Given {
                version: version.to_owned(),
                interface: server.get(&asked.address(Some(version))).body,
                lot: lot(&server, asked, Some(version)),
                tool: tool(&server, asked, version),
                batch: batch(asked, archive, Some(["--version", version])),
                package: given.package.clone(),
            };
            assert!(found == *given, "{asked:?}\n{found:?}\n{given:?}");
            again.push(json!({
                "archive": sets, "version": version,
                "name": asked.name, "parameters": asked.parameters(),
            }));
        }
    }
    if let Some(found) = doors.package(&again) {
        let given = history.iter().flatten();
        let given: Vec<&Value> = given.filter_map(|given| given.package.as_ref()).collect();
        assert_eq!(found.iter().collect::<Vec<_>>(), given);
    }

    // 3. As the rules were known at the end of each day: by the third and by the last set.
    for (day, set) in [("2026-07-01", 2), ("2026-08-14", 2), ("2026-08-15", 4)] {
        for (asked, given) in QUESTIONS.iter().zip(&history[set]) {
            let address = format!("{}&connu_le={day}", asked.address(None));
            assert!(server.get(&address).body == given.interface, "{address}");
            let row = batch(asked, archive, Some(["--known-on", day]));
            assert!(row == given.batch, "{asked:?} {day}");
        }
    }
}
