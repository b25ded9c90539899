//! Each manual of the analysts is in English and in French, and both say the same: the same
//! headings, the same blocks up to their comments, the same words of the language in the first
//! column of the same tables.

use crate::common;

#[test]
fn both_languages_of_a_manual_are_in_step() {
    for folder in ["rules", "tools"] {
        let [english, french] = ["README.md", "LISEZMOI.md"].map(|name| {
            let path = common::root().join(folder).join(name);
            shape(&std::fs::read_to_string(path).unwrap())
        });
        for ((en_line, en), (fr_line, fr)) in english.iter().zip(&french) {
            assert_eq!(
                en, fr,
                "{folder}: line {en_line} of README.md, line {fr_line} of LISEZMOI.md"
            );
        }
        assert_eq!(
            english.len(),
            french.len(),
            "{folder}: one manual goes on after the end of the other"
        );
        assert!(english.len() > 30, "the manuals of {folder} were not read");
    }
}

/// The lines that both languages have, each with its number, cut to what is the same in both.
fn shape(manual: &str) -> Vec<(usize, String)> {
    let mut block: Option<&str> = None;
    let mut shape = Vec::new();

    for (number, line) in (1..).zip(manual.lines()) {
        let kept = match (line.strip_prefix("```"), block) {
            (Some(_), Some(_)) => {
                block = None;
                line
            }
            (Some(info), None) => {
                block = Some(info);
                line
            }
            // What a command says is compared with the command itself, by the tests of the tools.
            (None, Some("console")) if !line.starts_with("$ ") => "",
            (None, Some(_)) => without_comment(line),
            (None, None) => &outside(line),
        };
        if !kept.is_empty() {
            shape.push((number, kept.to_owned()));
        }
    }

    shape
}

fn without_comment(line: &str) -> &str {
    let end = if line.trim_start().starts_with('#') {
        0
    } else {
        line.find(" #").unwrap_or(line.len())
    };
    line[..end].trim_end()
}

/// Outside of blocks: the level of a heading; in a row of a table, the code of the first column.
fn outside(line: &str) -> String {
    if line.starts_with('#') {
        return line.chars().take_while(|letter| *letter == '#').collect();
    }
    let Some(cell) = line
        .strip_prefix('|')
        .and_then(|row| row.split(" | ").next())
    else {
        return String::new();
    };
    let code: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
    format!("| {}", code.join(" "))
}

#[test]
fn only_comments_and_prose_may_differ() {
    let english = "# One\n| Key | Is |\n| `a`, or `b` | this |\n```yaml\nkey: 1 # a comment\n# another\n```\n";
    let french = "# Un\n| Clé | Est |\n| `a` ou `b` | ceci |\n```yaml\nkey: 1\n```\n";
    let lines = |manual: &str| {
        shape(manual)
            .into_iter()
            .map(|(_, line)| line)
            .collect::<Vec<String>>()
    };

    assert_eq!(lines(english), lines(french));

    for (from, to) in [
        ("# Un", "## Un"),
        ("`b`", "`c`"),
        ("key: 1", "key: 2"),
        ("yaml", "json"),
    ] {
        assert_ne!(lines(english), lines(&french.replace(from, to)), "{from}");
    }
}
