//! Mistakes of a French hand, one edit each to the good rules in `tests/broken/base`, and all that
//! `bareme check` says of each: whoever never saw the engine must be able to fix it from that
//! alone. No edit changes an answer in silence.
//!
//! An edit names a file, then the lines to find (`- `) and those to put there (`+ `); without lines
//! to find, the lines are added. `a => b` edits a copy, `a -> b` a renamed file, `a linked b` makes
//! a link to `b`; `<00A0>` is the character of that code. A line that ends in `# x 501` is written
//! that many times, `@` being the number, and a file that is named with `@x41` too.

use std::fs;
use std::path::Path;

use crate::common::{Ran, repeated, root, run_in, small_rules};

const DAY: &str = "2026-05-01";

/// One mistake: its name, its lines as they stand in the file, and its edits.
pub(crate) struct Mistake {
    pub name: String,
    pub lines: Vec<String>,
}

/// The mistakes of a theme.
pub(crate) fn mistakes(theme: &Path) -> Vec<Mistake> {
    let mut found: Vec<Mistake> = Vec::new();
    for line in fs::read_to_string(theme)
        .unwrap()
        .lines()
        .filter(|line| !line.is_empty())
    {
        match (line.strip_prefix("## "), found.last_mut()) {
            (Some(name), _) => found.push(Mistake {
                name: name.to_owned(),
                lines: Vec::new(),
            }),
            (None, Some(mistake)) => mistake.lines.push(line.to_owned()),
            (None, None) => assert!(line.starts_with('#'), "{line}"),
        }
    }
    found
}

/// A line of an edit without its sign, its characters written out.
fn content(line: &str) -> String {
    let mut out = line.get(2..).unwrap_or_default().to_owned();
    while let Some(start) = out.find("<0").or_else(|| out.find("<2")) {
        let code = u32::from_str_radix(&out[start + 1..start + 5], 16).unwrap();
        out.replace_range(start..start + 6, &char::from_u32(code).unwrap().to_string());
    }
    out
}

impl Mistake {
    /// Makes the mistake in a folder of rules.
    pub(crate) fn make(&self, rules: &Path) {
        let mut rest = self.lines.as_slice();
        while let Some((head, after)) = rest.split_first() {
            let is_edit = |line: &String| {
                line.starts_with("- ") || line.starts_with("+ ") || line == "+" || line == "-"
            };
            let end = after
                .iter()
                .position(|line| !is_edit(line))
                .unwrap_or(after.len());
            let (hunk, next) = after.split_at(end);
            self.edit(head, hunk, rules);
            rest = next;
        }
    }

    fn edit(&self, head: &str, hunk: &[String], rules: &Path) {
        if let Some((start, rest)) = head.split_once("@x") {
            let (count, end) = rest.split_once('.').unwrap();
            for number in 1..=count.parse::<usize>().unwrap() {
                self.edit(&format!("{start}{number}.{end}"), hunk, rules);
            }
            return;
        }
        let (from, to) = head
            .split_once(" => ")
            .or(head.split_once(" -> "))
            .unwrap_or((head, head));
        let from = from.split(' ').next().unwrap();
        let to = if to == head { from } else { to };
        let word = head.split(' ').nth(1).unwrap_or_default();
        let path = rules.join(to);
        match word {
            "created" => return fs::create_dir_all(path).unwrap(),
            "removed" => return fs::remove_file(path).unwrap(),
            "linked" => {
                return std::os::unix::fs::symlink(head.rsplit(' ').next().unwrap(), path).unwrap();
            }
            _ => fs::create_dir_all(path.parent().unwrap()).unwrap(),
        }
        let text = if word == "emptied" {
            String::new()
        } else {
            fs::read_to_string(rules.join(from)).unwrap_or_default()
        };
        if word == "->" {
            fs::remove_file(rules.join(from)).unwrap();
        }
        fs::write(path, encoded(&repeated(&self.changed(text, hunk)), head)).unwrap();
    }

    /// A text with the lines of each pair of blocks replaced, or with lines added.
    fn changed(&self, mut text: String, hunk: &[String]) -> String {
        let mut rest = hunk;
        while !rest.is_empty() {
            let sign = |line: &String, sign: char| line.starts_with(sign);
            let (old, after) = rest.split_at(
                rest.iter()
                    .position(|line| !sign(line, '-'))
                    .unwrap_or(rest.len()),
            );
            let (new, next) = after.split_at(
                after
                    .iter()
                    .position(|line| !sign(line, '+'))
                    .unwrap_or(after.len()),
            );
            let [old, new] = [old, new].map(|lines| {
                lines
                    .iter()
                    .map(|line| content(line))
                    .collect::<Vec<_>>()
                    .join("\n")
            });
            if old.is_empty() {
                text.push_str(&format!("{new}\n"));
            } else {
                assert!(text.contains(&old), "{}: {old}", self.name);
                text = text.replacen(&old, &new, 1);
            }
            rest = next;
        }
        text
    }
}

/// A text in the encoding that the head of an edit says, UTF-8 otherwise.
fn encoded(text: &str, head: &str) -> Vec<u8> {
    match head.split_once(" encoded ").map(|(_, encoding)| encoding) {
        None => text.as_bytes().to_owned(),
        Some("windows-1252") => encoding_rs::WINDOWS_1252.encode(text).0.into_owned(),
        Some("utf-16") => "\u{feff}"
            .chars()
            .chain(text.chars())
            .flat_map(|c| (c as u32 as u16).to_le_bytes())
            .collect(),
        Some("utf-8 with a mark") => ["\u{feff}", text].concat().into_bytes(),
        Some("windows line ends") => text.replace('\n', "\r\n").into_bytes(),
        Some(other) => panic!("{other}"),
    }
}

/// Messages for a mistake, in a language.
fn said(mistake: &Mistake, lang: &str) -> Ran {
    let folder = small_rules(None);
    mistake.make(&folder.path().join("rules"));
    run_in(
        folder.path(),
        &[
            "check",
            "--verbose",
            "--date",
            DAY,
            "--lang",
            lang,
            "--rules",
            "rules",
        ],
    )
}

/// Messages for the rules without the table of sources, which a set with warnings only has.
fn diagnostics(ran: &Ran) -> String {
    let output = ran
        .output
        .split("Ce qui fonde")
        .next()
        .unwrap_or_default()
        .split("What the figures")
        .next();
    format!(
        "{}{}",
        output.unwrap_or_default().trim_end(),
        ran.errors.trim_end()
    )
}

/// A payslip of the rules, with a mistake or without.
fn explained(mistake: Option<&Mistake>) -> String {
    let folder = small_rules(None);
    if let Some(mistake) = mistake {
        mistake.make(&folder.path().join("rules"));
    }
    let shown = run_in(
        folder.path(),
        &[
            "explain",
            "zz",
            "brut=2500",
            "--date",
            DAY,
            "--rules",
            "rules",
        ],
    )
    .fine();
    // The version follows from the bytes of the files.
    shown
        .split("\nSources")
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// The words of a text that are not quoted from the rule files.
fn words(text: &str) -> Vec<String> {
    let plain = text
        .split('`')
        .step_by(2)
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase();
    plain
        .split(|letter: char| !letter.is_alphanumeric())
        .map(str::to_owned)
        .collect()
}

/// Messages without the lines that they show of the files.
fn without_excerpts(text: &str) -> String {
    let is_excerpt = |line: &&str| {
        let start = line
            .trim_start()
            .trim_start_matches(|letter: char| letter.is_ascii_digit());
        start.starts_with(" |") || start.starts_with("|") || line.trim_start().starts_with("-->")
    };
    text.lines()
        .filter(|line| !is_excerpt(line))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The theme whose edits are no mistakes: the rules then say what they said.
const ACCEPTED: &str = "accepted";

fn snapshot(theme: &str) {
    const ENGLISH: [&str; 8] = [
        "the", "is", "of", "write", "remove", "expected", "with", "and",
    ];
    const FRENCH: [&str; 8] = [
        "est", "une", "dans", "pas", "le", "écrire", "retirer", "avec",
    ];
    let folder = root().join("tests/hand");
    let mut shown = String::new();
    for mistake in mistakes(&folder.join(format!("{theme}.txt"))) {
        let (french, english) = (said(&mistake, "fr"), said(&mistake, "en"));
        let name = &mistake.name;
        let (text, other) = (diagnostics(&french), diagnostics(&english));
        assert_eq!(text.is_empty(), theme == ACCEPTED, "{name}: {text}");
        if theme == ACCEPTED {
            assert_eq!(explained(Some(&mistake)), explained(None), "{name}");
        }
        assert!(
            words(&without_excerpts(&text))
                .iter()
                .all(|word| !ENGLISH.contains(&word.as_str())),
            "{name}: {text}"
        );
        assert!(
            words(&without_excerpts(&other))
                .iter()
                .all(|word| !FRENCH.contains(&word.as_str())),
            "{name}: {other}"
        );
        shown.push_str(&format!(
            "## {name}\n{}\n\n{text}\n\n\n",
            mistake.lines.join("\n")
        ));
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(&folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(theme, shown));
}

#[test]
fn every_theme_is_run() {
    let themes = fs::read_dir(root().join("tests/hand"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let themes: Vec<_> = themes
        .filter(|path| path.extension().is_some_and(|end| end == "txt"))
        .collect();
    let count: usize = themes.iter().map(|path| mistakes(path).len()).sum();
    assert!(
        themes.len() == 27 && count > 740,
        "{} themes, {count} mistakes",
        themes.len()
    );
}

macro_rules! themes {
    ($($name:ident)*) => { $(#[test] fn $name() { snapshot(stringify!($name)); })* };
}

themes! {
    accepted answers calls cases commas compared cures dates expressions figures files formulas groups inputs layout method numbers places scales sets shared
    signs steps tables typos yaml years
}
