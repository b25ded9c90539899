//! Sentences of the rules manual about a key, in French, found in its tables and lists, so that the
//! editor shows the same as the manual.

use std::sync::LazyLock;

use super::index::{FileKind, in_method};

const TEXT: &str = include_str!("../../../rules/LISEZMOI.md");

static BLOCKS: LazyLock<Vec<Block>> = LazyLock::new(|| read(TEXT));

/// A row of a table, an element of a list, or a paragraph.
#[derive(Debug, Default)]
struct Block {
    /// Number of its chapter, and the name of its subsection in code: `14/brackets`.
    section: String,
    /// Index of its table in the section, from 1; 0 for a text.
    table: usize,
    /// The keys that it describes: the words in code of the first cell, or at its beginning.
    about: Vec<String>,
    text: String,
}

/// The sentence about a key, by the keys around it; `kind` is that of the step around it.
pub(super) fn sentence(
    file: FileKind,
    path: &[&str],
    key: &str,
    kind: Option<&str>,
) -> Option<String> {
    let sections = sections(file, path, kind);
    // `14#1` is the first table of a section, `14/` every subsection.
    let is_there = |block: &&Block, section: &str| match section.split_once('#') {
        Some((section, table)) => block.section == section && block.table.to_string() == table,
        None => {
            block.section == section
                || (section.ends_with('/') && block.section.starts_with(section))
        }
    };

    let is_about = |block: &&Block| block.about.iter().any(|word| word == key);
    let blocks =
        |section: &'static str| BLOCKS.iter().filter(move |block| is_there(block, section));
    // A heading names the section that a key opens; the chapter begins with its description, which
    // is better than a mention elsewhere.
    let of_heading = || path.is_empty().then(|| heading(key)).flatten();
    // A block about the key comes before one that mentions it.
    let own = || {
        sections
            .iter()
            .find_map(|section| blocks(section).find(is_about))
            .map(|block| block.text.clone())
    };
    let mentioned = || {
        sections
            .iter()
            .find_map(|section| blocks(section).find_map(|block| mention(&block.text, key)))
    };
    // The columns of a figure are names of the method, not keys of the language.
    let is_of_figure = matches!((file, path), (FileKind::Scale, ["figures", ..]));

    of_heading().or_else(|| {
        own()
            .or_else(|| if is_of_figure { None } else { mentioned() })
            .map(|sentence| without_links(&sentence))
    })
}

/// The sentence of the manual about what a formula reads of the day and its texts, after `scale.`.
pub(super) fn of_scale(field: &str) -> Option<String> {
    // The table of attributes has a row for each; what it does not list is in a paragraph.
    let code = format!("`scale.{field}`");
    let row = TEXT.lines().find(|line| {
        line.strip_prefix("| ")
            .is_some_and(|row| row.starts_with(&code))
    });

    let of_row = row
        .and_then(|row| row.trim_end_matches(['|', ' ']).rsplit(" | ").next())
        .map(str::to_owned);
    let is_about = |sentence: &&str| sentence.contains(&code);

    let of_text = || {
        BLOCKS
            .iter()
            .find_map(|block| block.text.split_inclusive(". ").find(is_about))
    };
    of_row.or_else(|| of_text().map(|sentence| without_links(sentence.trim())))
}

/// The first paragraph of the chapter whose heading names a key.
fn heading(key: &str) -> Option<String> {
    // `## 11. Les entrées : `inputs`…`: the code is before the colon, the title after it.
    let code = format!("`{key}`");
    let at = TEXT.lines().position(|line| {
        line.starts_with("##")
            && line
                .split(':')
                .next()
                .is_some_and(|head| head.contains(&code))
    })?;

    let title = TEXT
        .lines()
        .nth(at)?
        .split_once(':')
        .map(|(_, title)| title.trim())?;
    // The paragraph is two lines below, after an empty line.
    let paragraph: Vec<&str> = TEXT
        .lines()
        .skip(at + 2)
        .take_while(|line| !line.is_empty())
        .collect();

    let is_text = paragraph
        .first()
        .is_some_and(|line| !line.starts_with(['|', '`', '-', '<']));
    let paragraph = if is_text {
        format!("\n\n{}", whole_sentences(&paragraph.join(" ")))
    } else {
        String::new()
    };

    Some(format!(
        "{}{}",
        bareme_show::trace::capitalized(title),
        without_links(&paragraph)
    ))
}

/// A paragraph without the beginning of a sentence that goes on in a table.
fn whole_sentences(paragraph: &str) -> &str {
    match paragraph.rfind(". ") {
        Some(end) if !paragraph.ends_with(['.', ')']) => paragraph.get(..=end).unwrap_or(paragraph),
        _ => paragraph,
    }
}

/// A text of the manual with the words of its links alone: their places are those of the manual.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let (before, link) = rest.split_at(open);

        out.push_str(before);
        let parts = link
            .split_once("](")
            .and_then(|(words, after)| Some((words.get(1..)?, after.split_once(')')?.1)));
        // Brackets that are no link, as in `a[1]`, stay.
        match parts.filter(|(words, _)| !words.contains('[')) {
            Some((words, after)) => {
                out.push_str(words);
                rest = after;
            }
            None => {
                out.push('[');
                rest = link.get(1..).unwrap_or_default();
            }
        }
    }
    out + rest
}

/// The sentence in a text that names a key in code.
fn mention(text: &str, key: &str) -> Option<String> {
    // Every second part between backticks is code.
    let is_named = |part: &str| {
        part.split('`').skip(1).step_by(2).any(|code| {
            let words = code.split(|sign: char| !(sign.is_alphanumeric() || sign == '_'));
            words.into_iter().any(|word| word == key)
        })
    };

    text.split_inclusive(". ")
        .find(|part| is_named(part))
        .map(|part| part.trim().to_owned())
}

/// The sections of the manual about a place, the most specific first.
fn sections(file: FileKind, path: &[&str], kind: Option<&str>) -> Vec<&'static str> {
    // The numbers are those of the chapters of the manual: a test finds a key without a sentence.
    match file {
        FileKind::Service => vec!["18", "7"],
        FileKind::Cases => vec!["17", "7", "7#1"],
        FileKind::Translation => vec!["7", "7#1"],
        FileKind::Picture => Vec::new(),
        FileKind::Scale => match path {
            [] => vec!["16#1", "7", "7#1"],
            ["sources", ..] => vec!["16#3", "16"],
            ["watch", ..] => vec!["16#1"],
            _ => vec!["16#2", "16#4", "16"],
        },
        FileKind::Method => match in_method(path).as_slice() {
            [] if !path.is_empty() => vec!["15/options"],
            [] => vec!["7", "15/headline", "15/sections", "16#1", "7#1"],
            ["inputs", ..] => vec!["11#1", "11"],
            ["groups", ..] => vec!["11/groups"],
            ["checks", ..] => vec!["12"],
            ["figures", ..] => vec!["13", "13/", "16#2"],
            // A key of every step is preferred to a key of another kind with the same name.
            ["steps", ..] => [of_kind(kind), "14#1", "14/", "14"]
                .into_iter()
                .filter(|name| !name.is_empty())
                .collect(),
            ["inverse", ..] => vec!["15/inverse"],
            ["year", ..] => vec!["15/year"],
            ["headline" | "curve" | "once", ..] => vec!["15/headline"],
            ["compare", ..] => vec!["15/compare"],
            ["advances", ..] => vec!["15/advances"],
            ["sections" | "presets" | "sentence" | "bar" | "try", ..] => vec!["15/sections"],
            ["sources", ..] => vec!["16#3"],
            ["answer", ..] => vec!["15#1", "15", "11/groups"],
            ["options", ..] => vec!["15/options"],
            _ => vec!["7"],
        },
    }
}

/// The section about a kind of step.
fn of_kind(kind: Option<&str>) -> &'static str {
    let sections = BLOCKS.iter().map(|block| block.section.as_str());
    let is_it = |section: &&str| {
        section
            .strip_prefix("14/")
            .is_some_and(|name| Some(name) == kind)
    };
    sections.into_iter().find(is_it).unwrap_or_default()
}

/// The words in code of a text: `min`, `max` of "`min`, `max`"; for `required: true` and
/// `{value: …}` the key.
fn words(text: &str) -> Vec<String> {
    let codes = text.split('`').skip(1).step_by(2);
    let word = |code: &str| {
        let code = code.trim_start_matches('{');
        let end = code
            .find(|sign: char| !(sign.is_alphanumeric() || sign == '_'))
            .unwrap_or(code.len());
        code.get(..end).unwrap_or_default().to_owned()
    };
    codes.map(word).filter(|word| !word.is_empty()).collect()
}

/// The text of a row of a table about its first cell: its meaning, or each cell under the head of
/// its
/// column.
fn row_text(cells: &[&str], heads: &[String]) -> String {
    let last = cells.last().copied().unwrap_or_default();
    // Two columns, or a last one called "Sens", have the meaning last.
    if cells.len() < 3 || heads.last().is_some_and(|head| head == "Sens") {
        return last.to_owned();
    }

    let under = |(head, cell): (&String, &&str)| format!("{} : {cell}", head.to_lowercase());
    heads
        .iter()
        .zip(cells)
        .skip(1)
        .map(under)
        .collect::<Vec<_>>()
        .join(" ; ")
}

fn read(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut chapter, mut section, mut table) = (String::new(), String::new(), 0);
    let mut heads: Vec<String> = Vec::new();
    let (mut is_in_table, mut is_in_code, mut goes_on) = (false, false, false);

    for line in text.lines() {
        // Examples in fences contain keys which are not described there.
        if line.starts_with("```") {
            is_in_code = !is_in_code;
            goes_on = false;
        }
        if is_in_code || line.starts_with("```") || line.starts_with("<!--") {
            continue;
        }

        // A heading begins a chapter or a subsection.
        if let Some(title) = line.strip_prefix("## ") {
            chapter = title.split('.').next().unwrap_or_default().to_owned();
            (section, table) = (chapter.clone(), 0);
        } else if let Some(title) = line.strip_prefix("### ") {
            let name = words(title).into_iter().next().unwrap_or_default();
            (section, table) = (format!("{chapter}/{name}"), 0);
        } else if let Some(row) = line.strip_prefix("| ") {
            // A row of a table; the first one has the names of the columns.
            table += usize::from(!is_in_table);
            let row = row.trim_end_matches('|').trim_end();
            let cells: Vec<&str> = row
                .split(" | ")
                .map(|cell| cell.trim_start_matches(['|', ' ']))
                .collect();
            if !is_in_table {
                heads = cells.iter().map(|cell| (*cell).to_owned()).collect();
            }
            let about = words(cells.first().copied().unwrap_or_default());
            blocks.push(Block {
                section: section.clone(),
                table,
                about,
                text: row_text(&cells, &heads),
            });
        } else if line.trim().is_empty() || line.starts_with('#') {
            // An empty line ends a paragraph; what follows directly continues it.
            goes_on = false;
        } else if let (true, Some(block)) = (goes_on && !line.starts_with("- "), blocks.last_mut())
        {
            block.text.push(' ');
            block.text.push_str(line.trim());
        } else if !line.starts_with('|') {
            let text = line.strip_prefix("- ").unwrap_or(line);
            let about = if text.starts_with('`') {
                words(text).into_iter().take(1).collect()
            } else {
                Vec::new()
            };
            blocks.push(Block {
                section: section.clone(),
                table: 0,
                about,
                text: text.to_owned(),
            });
            goes_on = true;
        }

        is_in_table = line.starts_with('|');
        goes_on &= !is_in_table;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use bareme_engine::law::KINDS;
    use bareme_engine::service::service_schema;
    use bareme_engine::set::{cases_schema, method_schema};
    use serde_json::Value;

    use super::*;

    /// Every key of a schema, with the keys around it.
    fn keys<'s>(schema: &'s Value, path: Vec<&'s str>, found: &mut Vec<(Vec<&'s str>, &'s str)>) {
        for (key, inside) in schema["properties"].as_object().into_iter().flatten() {
            found.push((path.clone(), key));
            keys(
                inside,
                path.iter().copied().chain([key.as_str()]).collect(),
                found,
            );
        }
        if schema["additionalProperties"].is_object() {
            keys(
                &schema["additionalProperties"],
                path.iter().copied().chain(["x"]).collect(),
                found,
            );
        }
        if schema["items"].is_object() {
            keys(&schema["items"], path.clone(), found);
        }
        for one in ["anyOf", "oneOf"]
            .iter()
            .filter_map(|key| schema[key].as_array())
            .flatten()
        {
            keys(one, path.clone(), found);
        }
    }

    #[test]
    fn the_manual_has_a_sentence_for_every_key() {
        let mut without = Vec::new();
        for (file, schema) in [
            (FileKind::Method, method_schema()),
            (FileKind::Cases, cases_schema()),
            (FileKind::Service, service_schema()),
        ] {
            let mut found = Vec::new();
            keys(&schema, Vec::new(), &mut found);
            assert!(found.len() > 10);
            for (path, key) in found {
                if sentence(file, &path, key, None).is_none() {
                    without.push(format!("{file:?} {}/{key}", path.join("/")));
                }
            }
        }
        without.sort();
        without.dedup();
        assert_eq!(without, Vec::<String>::new());
    }

    #[test]
    fn a_key_of_a_step_is_explained_for_its_kind() {
        for kind in KINDS {
            let stated = sentence(
                FileKind::Method,
                &["steps", "x"],
                kind.name,
                Some(kind.name),
            );
            assert_eq!(
                stated
                    .as_deref()
                    .and_then(|stated| stated.strip_prefix("donne ")),
                Some(kind.help.fr),
                "{}",
                kind.name
            );
        }
        let floor = sentence(
            FileKind::Method,
            &["steps", "x"],
            "floor",
            Some("contribution"),
        )
        .unwrap();
        assert_eq!(floor, "l’assiette y est relevée");
        let round = sentence(
            FileKind::Method,
            &["steps", "x"],
            "round",
            Some("contribution"),
        )
        .unwrap();
        assert!(round.starts_with("puis arrondit"), "{round}");
        let help = sentence(FileKind::Method, &["inputs", "x"], "help", None).unwrap();
        assert!(help.starts_with("des précisions"), "{help}");
        let bound = sentence(FileKind::Scale, &["figures", "x", "rows"], "up_to", None).unwrap();
        assert!(
            bound.starts_with("la ligne trouvée : la première dont la borne"),
            "{bound}"
        );
        let inverse = sentence(FileKind::Method, &[], "inverse", None).unwrap();
        assert!(
            inverse.ends_with("le brut que paie un budget."),
            "{inverse}"
        );
        assert_eq!(
            of_scale("months").as_deref(),
            Some("les mois de l’année de paie jusqu’ici")
        );
        for (field, _) in bareme_engine::law::ScaleField::ALL {
            assert!(
                of_scale(field).is_some_and(|stated| !stated.starts_with('|')),
                "{field}"
            );
        }
        assert!(
            !sentence(FileKind::Method, &[], "folder", None)
                .unwrap()
                .contains("](#")
        );
        assert!(
            sentence(FileKind::Method, &[], "inputs", None)
                .unwrap()
                .starts_with("Ce que l’utilisateur")
        );
        assert!(
            sentence(FileKind::Scale, &[], "known_until", None)
                .unwrap()
                .starts_with("dernier jour vérifié")
        );
        assert_eq!(
            sentence(FileKind::Scale, &["figures", "x"], "nothing", None),
            None
        );
    }
}
