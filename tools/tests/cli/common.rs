//! Helpers shared by the tests of the command line: the real binary, and rules of their own.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The options that name a new text of law.
pub(crate) const NEW: [&str; 8] = [
    "--source",
    "lf2027",
    "--title",
    "Loi de finances 2027",
    "--publisher",
    "Journal officiel",
    "--text-date",
    "2026-12-28",
];

/// A command as on a day on which the texts of 2027 can be read, if it is `confirm`.
pub(crate) fn once_read<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let is_confirm = arguments.first() == Some(&"confirm") && !arguments.contains(&"--date");
    let day: &[&str] = if is_confirm {
        &["--date", "2026-12-30"]
    } else {
        &[]
    };
    [arguments, day].concat()
}

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap()
}

/// Output and exit status of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub code: i32,
    pub output: String,
    pub errors: String,
}

impl Ran {
    fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self {
            code: output.status.code().unwrap(),
            output: text(output.stdout),
            errors: text(output.stderr),
        }
    }

    /// The output of a command that found nothing wrong.
    pub(crate) fn fine(self) -> String {
        assert_eq!(self.code, 0, "{self:#?}");
        self.output
    }
}

/// The binary with no trace of the environment of the test.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bareme"));
    command
        .args(arguments)
        .env_remove("BAREME_RULES")
        .env_remove("BAREME_LANG")
        .env("NO_COLOR", "1")
        .env("COLUMNS", "80");
    command
}

/// Runs the binary in a folder.
pub(crate) fn run_in(folder: &Path, arguments: &[&str]) -> Ran {
    Ran::of(
        command(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .output()
            .unwrap(),
    )
}

/// Runs the binary in the project, on the rules of the project.
pub(crate) fn run(arguments: &[&str]) -> Ran {
    run_in(&root(), arguments)
}

/// Runs the binary in the project with something on its standard input.
pub(crate) fn run_with(arguments: &[&str], input: &str) -> Ran {
    run_in_with(&root(), arguments, input)
}

/// The paths of the folders of the project that have dated files.
pub(crate) fn dated_folders() -> Vec<String> {
    let listed = run(&["list", "--format", "json", "--date", "2026-11-01"]).fine();
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let has_dates = |one: &&serde_json::Value| {
        one["dates"]
            .as_array()
            .is_some_and(|dates| !dates.is_empty())
    };
    listed
        .as_array()
        .unwrap()
        .iter()
        .filter(has_dates)
        .map(|one| one["bareme"].as_str().unwrap().to_owned())
        .collect()
}

/// Runs the binary in a folder with something on its standard input.
pub(crate) fn run_in_with(folder: &Path, arguments: &[&str], input: &str) -> Ran {
    let mut child = command(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writing = std::thread::spawn(move || pipe.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();
    Ran::of(output)
}

/// A process that ends with its test, however the test ends.
pub(crate) struct Ended(pub Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Where the broken rules and the good ones they were made from are.
pub(crate) fn broken() -> PathBuf {
    root().join("tests/broken")
}

/// A text of a fixture in full: a line that ends in `# x 501` is written that many times, `@` being
/// the number.
pub(crate) fn repeated(text: &str) -> String {
    let mut written = String::new();
    for line in text.split_inclusive('\n') {
        match line.trim_end().split_once(" # x ") {
            Some((line, count)) => {
                for number in 1..=count.parse::<usize>().unwrap() {
                    written.push_str(&line.replace('@', &number.to_string()));
                    written.push('\n');
                }
            }
            None => written.push_str(line),
        }
    }
    written
}

/// Writes a file of a fixture, [`repeated`]; a file named `method-@x41.yaml` is written that many
/// times too, `@` being the number.
fn write_fixture(text: &str, path: &Path) {
    let name = path.file_name().unwrap().to_str().unwrap();
    if let Some((head, tail)) = name.split_once("@x") {
        let (count, end) = tail.split_once('.').unwrap();
        for number in 1..=count.parse().unwrap() {
            std::fs::write(path.with_file_name(format!("{head}{number}.{end}")), text).unwrap();
        }
        return;
    }
    std::fs::write(path, repeated(text)).unwrap();
}

/// A folder that holds `rules/`: a small good rule set, and the files of `over` in the place of its
/// own.
pub(crate) fn small_rules(over: Option<&Path>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (rules, base) = (folder.path().join("rules"), broken().join("base"));
    let (calculation, service) = (rules.join("zz"), base.join("service.yaml"));
    std::fs::create_dir_all(&calculation).unwrap();
    std::fs::copy(service, rules.join("service.yaml")).unwrap();
    for source in [Some(base.join("zz").as_path()), over]
        .into_iter()
        .flatten()
    {
        for entry in std::fs::read_dir(source).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let is_rule_file = [".yaml", ".svg"]
                .iter()
                .any(|end| name.to_lowercase().ends_with(end));
            if is_rule_file {
                let place = if name == "service.yaml" {
                    &rules
                } else {
                    &calculation
                };
                write_fixture(&std::fs::read_to_string(&path).unwrap(), &place.join(name));
            }
        }
    }
    folder
}
