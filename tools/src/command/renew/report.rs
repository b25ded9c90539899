//! Report of a renewal: every figure that was compared, what was written, what `check` says.

use std::collections::BTreeSet;

use bareme_engine::Lang;
use bareme_engine::authoring::{Node, WrittenCell};
use bareme_engine::text::french_date;
use bareme_show::{Locale, Table, Text, Tone, say};
use jiff::civil::Date;
use serde_json::{Value, json};

use super::Args;
use super::plan::Renewal;
use super::write::EVIDENCE;
use crate::command::confirm::{keys_of, value_of};
use crate::page::Page;
use crate::series::DatedFile;
use crate::session::{Outcome, Session};

/// The texts of a file that speak of the years of the scale; a citation names those of its laws.
const OF_YEARS: [&str; 2] = ["title", "note"];

pub(super) fn outcome(planned: &[Renewal], args: &Args, session: &Session) -> Outcome {
    let mut page = Page::default();
    for renewal in planned {
        show(renewal, args, &mut page, session);
    }

    page.toned(
        match args.print {
            true => say!(
                session.lang,
                "Rien n’est écrit : la même commande sans `--print` l’écrit.",
                "Nothing is written: the same command without `--print` writes it."
            ),
            false => say!(
                session.lang,
                "Écrit. `bareme test` recalcule les cas.",
                "Written. `bareme test` runs the cases."
            ),
        },
        Tone::Good,
    );

    Outcome {
        page,
        json: planned
            .iter()
            .map(|one| as_json(one, args, session))
            .collect(),
        annotations: Vec::new(),
    }
}

/// A day in the words of the language.
fn in_words(day: Date, lang: Lang) -> String {
    match lang {
        Lang::Fr => french_date(day),
        Lang::En => day.to_string(),
    }
}

fn show(renewal: &Renewal, args: &Args, page: &mut Page, session: &Session) {
    let (lang, locale) = (session.lang, Locale::from(session.lang));
    let folder = &renewal.series.folder;

    // 1. What the words "nothing changes" cover.
    let [known, until] = [renewal.days.known, renewal.days.until].map(|day| in_words(day, lang));
    page.heading(say!(
        lang,
        "{folder} : connu jusqu’au {known} -> {until}",
        "{folder}: known until {known} -> {until}"
    ));
    page.table(compared(renewal, session));

    let (figures, values) = counts(renewal);
    let figures = locale.count(
        figures,
        Text::new("chiffre", "figure"),
        Text::new("chiffres", "figures"),
    );
    let values = locale.count(
        values,
        Text::new("valeur", "value"),
        Text::new("valeurs", "values"),
    );
    let read: Vec<String> = renewal
        .read
        .iter()
        .map(|text| match text.date {
            Some(date) => format!("{} ({date}), {}", text.id, text.title),
            None => format!("{}, {}", text.id, text.title),
        })
        .collect();
    let read = read.join(" ; ");
    page.text(say!(
        lang,
        "{figures}, {values}, rien ne change. Lu : {read}.",
        "{figures}, {values}, nothing changes. Read: {read}."
    ));

    // 2. What else is written, and what is left to read again.
    for one in &renewal.answered {
        let line = &one.line;
        page.text(say!(
            lang,
            "Ôté de `watch` : {line}",
            "Taken off `watch`: {line}"
        ));
    }
    for one in &renewal.moved {
        let name = &one.name;
        let [before, after] =
            [one.before, one.after].map(|day| day.map_or_else(String::new, |day| day.to_string()));
        page.text(if before == after {
            say!(
                lang,
                "Cas récrit, au {after} : « {name} »",
                "Case rewritten, of {after}: \"{name}\""
            )
        } else {
            say!(
                lang,
                "Cas déplacé, du {before} au {after} : « {name} »",
                "Case moved, from {before} to {after}: \"{name}\""
            )
        });
    }
    for (key, text) in old_years(renewal) {
        let year = renewal.days.known.year();
        let warning = say!(
            lang,
            "À relire, `{key}` parle encore de {year} : {text}",
            "To read again, `{key}` speaks of {year} still: {text}"
        );
        page.toned(warning, Tone::Warning);
    }
    checked(renewal, page, session);

    if args.print {
        page.list(changed_lines(renewal));
    }
}

/// What `bareme check` says of the file now.
fn checked(renewal: &Renewal, page: &mut Page, session: &Session) {
    let (lang, inside) = (session.lang, &renewal.after.inside);
    let warnings = Locale::from(lang).count(
        renewal.findings.len(),
        Text::new("avertissement", "warning"),
        Text::new("avertissements", "warnings"),
    );
    page.text(say!(
        lang,
        "`bareme check` de {inside} : 0 erreur, {warnings}.",
        "`bareme check` of {inside}: 0 errors, {warnings}."
    ));
    let findings: Vec<String> = renewal
        .findings
        .iter()
        .map(|one| {
            format!(
                "[{}] {} : {}",
                one.code(),
                one.message(lang),
                one.cure(lang)
            )
        })
        .collect();
    if !findings.is_empty() {
        page.list(findings);
    }
}

/// Every figure of the scale with its value and its sources.
fn compared(renewal: &Renewal, session: &Session) -> Table {
    let lang = session.lang;
    let mut table = Table::default()
        .text(say!(lang, "Chiffre", "Figure"))
        .text(say!(lang, "Ligne", "Row"))
        .number(say!(lang, "Valeur", "Value"))
        .text(say!(lang, "Sources", "Sources"));

    let (file, series) = (&renewal.before, &renewal.series);
    for cell in file.cells(&series.shapes) {
        table.row([
            cell.name().into(),
            keys_of(series, &cell).into(),
            value_of(Some(&cell)).unwrap_or("–").into(),
            rests_on(file, &cell).into(),
        ]);
    }
    table
}

/// The sources of a value; in brackets what it was compared with, where no text sets it.
fn rests_on(file: &DatedFile, cell: &WrittenCell) -> String {
    let sources = file.sources_of(cell.figure, cell.row).join("; ");
    if !sources.is_empty() {
        return sources;
    }
    let figure = file.figure(cell.figure);
    let evidence = [Some(cell.part), figure]
        .into_iter()
        .find_map(|part| part?.get(EVIDENCE)?.text());
    evidence.map_or_else(String::new, |ids| format!("({})", ids.value))
}

/// The numbers of figures and of values that were compared.
fn counts(renewal: &Renewal) -> (usize, usize) {
    let cells = renewal.before.cells(&renewal.series.shapes);
    let figures: BTreeSet<&str> = cells.iter().map(|cell| cell.figure).collect();
    (figures.len(), cells.len())
}

/// The texts that name the year that was the last known one, and not the new one.
fn old_years(renewal: &Renewal) -> Vec<(&'static str, String)> {
    let [known, until] = [renewal.days.known, renewal.days.until].map(|day| day.year());
    if known == until {
        return Vec::new();
    }
    // The note as it was: what the renewal adds to it names the new year.
    let speaks =
        |text: &String| text.contains(&known.to_string()) && !text.contains(&until.to_string());
    let written = |key| {
        let text = renewal.before.node.get(key).and_then(Node::text)?;
        Some((key, text.value.clone()))
    };
    OF_YEARS
        .into_iter()
        .filter_map(written)
        .filter(|(_, text)| speaks(text))
        .collect()
}

/// The lines that are written, of every file.
fn changed_lines(renewal: &Renewal) -> Vec<String> {
    let mut changed = Vec::new();
    for (path, text) in renewal.texts() {
        let before = renewal.series.all.text(path).unwrap_or_default();
        let known: BTreeSet<&str> = before.lines().collect();
        let kept: BTreeSet<&str> = text.lines().collect();
        // Edits leave every other line as it is, so that lines need not be aligned.
        let gone = before.lines().filter(|line| !kept.contains(line));
        let new = text.lines().filter(|line| !known.contains(line));
        changed.extend(gone.map(|line| format!("{path} - {}", line.trim())));
        changed.extend(new.map(|line| format!("{path} + {}", line.trim())));
    }
    changed
}

/// The same for programs, in French as all JSON of the commands for authors.
fn as_json(renewal: &Renewal, args: &Args, session: &Session) -> Value {
    let (file, series) = (&renewal.before, &renewal.series);
    let cells: Vec<Value> = file
        .cells(&series.shapes)
        .iter()
        .map(|cell| {
            json!({
                "chiffre": cell.name(), "valeur": value_of(Some(cell)),
                "sources": file.sources_of(cell.figure, cell.row),
            })
        })
        .collect();
    let read: Vec<Value> = renewal
        .read
        .iter()
        .map(|text| json!({"id": text.id, "titre": text.title, "date": text.date.map(|day| day.to_string())}))
        .collect();
    let moved: Vec<Value> = renewal
        .moved
        .iter()
        .map(|one| {
            let [before, after] = [one.before, one.after].map(|day| day.map(|day| day.to_string()));
            json!({"nom": one.name, "avant": before, "apres": after})
        })
        .collect();
    let answered: Vec<&str> = renewal
        .answered
        .iter()
        .map(|one| one.line.as_str())
        .collect();
    let findings: Vec<Value> = renewal
        .findings
        .iter()
        .map(|one| json!({"code": one.code(), "message": one.message(session.lang)}))
        .collect();
    json!({
        "bareme": series.folder, "fichier": file.inside, "connu_avant": renewal.days.known.to_string(),
        "connu_apres": renewal.days.until.to_string(), "lus": read, "chiffres": cells,
        "ote_de_watch": answered, "cas_deplaces": moved, "avertissements": findings, "ecrit": !args.print,
    })
}
