//! Inlay hints: the result of each step for a case, at the end of its line.

use bareme_engine::run::StepTrace;
use bareme_show::{Locale, say, trace};
use gen_lsp_types as lsp;

use super::hover::{ANY_DAY, edition_of, example};
use super::index::{FileKind, Symbol};
use super::server::{File, Server};

/// Answers a request for the inlay hints in a range of lines.
pub(super) fn hints(
    server: &mut Server,
    parameters: lsp::InlayHintParams,
) -> Result<Option<Vec<lsp::InlayHint>>, String> {
    // Copied before the file borrows the server.
    let (lang, chosen) = (server.lang, server.chosen.clone());
    let Some(file) = server.file(&parameters.text_document.uri) else {
        return Ok(None);
    };
    if FileKind::from_path(&file.path) != FileKind::Method {
        return Ok(None);
    }

    let chosen = chosen
        .get(&file.root.path.join(file.folder()))
        .map(String::as_str);
    let locale = Locale {
        lang,
        ..Locale::PAGE
    };

    let lines = file.lines();
    let shown = lines.offsets(parameters.range);
    let results = results(&file, chosen, locale).unwrap_or_default();
    // A method with a mistake has the results of its last state without one, which are not those of
    // what is written.
    let is_right = file.root.is_right(file.folder());

    let hint = |(offset, text, case): (usize, String, String)| {
        // After the line rather than after the name: code stays in its columns.
        let end = lines.span(lines.line(offset)).end;
        let label = match is_right {
            true => format!("= {text}"),
            false => say!(
                lang,
                "avant l’erreur : {text}",
                "before the mistake: {text}"
            ),
        };

        let hint = lsp::InlayHint {
            position: lines.position(end),
            label: label.into(),
            kind: None,
            text_edits: None,
            tooltip: Some(case.into()),
            padding_left: Some(true),
            padding_right: None,
            data: None,
        };

        // An editor asks for the lines on the screen only.
        (shown.start <= end && offset <= shown.end).then_some(hint)
    };

    Ok(Some(results.into_iter().filter_map(hint).collect()))
}

/// The result of each step with the offset of its name, and the case.
fn results(
    file: &File,
    chosen: Option<&str>,
    locale: Locale,
) -> Option<Vec<(usize, String, String)>> {
    let folder = file.root.folder(file.folder())?;
    let index = file.root.index(file.folder())?;
    let edition = edition_of(folder, index.method_of(&file.path)?, file.root.today())?;

    // Without a selected case, the first that this edition computes.
    let (case, steps) = example(folder, edition, chosen, |calculation| {
        let method = calculation.edition().method();
        let shown = |trace: &StepTrace| {
            (
                trace.step.name.clone(),
                trace::result(trace, method, locale),
            )
        };
        Some(
            calculation
                .steps()
                .ok()?
                .iter()
                .map(shown)
                .collect::<Vec<_>>(),
        )
    })?;

    // The case of a method without dates runs on some day, which means nothing.
    let day = case
        .date()
        .filter(|day| *day != ANY_DAY)
        .map(|day| format!(", {}", locale.day(day)))
        .unwrap_or_default();
    let case = format!("{}{day}", case.name);

    // The places are those of the names in the text as it is now, by the index.
    let found = index
        .occurrences
        .iter()
        .filter(|found| found.is_definition && found.path == file.path);

    let hints = found.filter_map(|found| {
        let Symbol::Step(name) = &found.symbol else {
            return None;
        };
        // A step that does not apply has no result to show.
        let (_, text) = steps
            .iter()
            .find(|(step, _)| step == name)
            .filter(|(_, text)| !text.is_empty())?;
        Some((found.span.end, text.clone(), case.clone()))
    });

    Some(hints.collect())
}
