//! Conversion of diagnostics to the protocol.

use std::sync::Arc;

use bareme_engine::text::{RuleFile, Severity};
use bareme_engine::{Diagnostic, Lang};
use bareme_show::say;
use gen_lsp_types as lsp;

use super::position::Lines;

/// The source of diagnostics, shown by the editor.
const SOURCE: &str = "bareme";

/// Diagnostics with their cures.
pub(super) fn all<'d>(found: impl IntoIterator<Item = &'d Diagnostic>, lang: Lang) -> Vec<lsp::Diagnostic> {
    // Diagnostics of a file are contiguous, so its lines are indexed once.
    let mut last: Option<(&Arc<RuleFile>, Lines)> = None;
    let mut shown = Vec::new();
    for found in found {
        let file = found.place().file();
        let lines = match last.take() {
            Some((known, lines)) if Arc::ptr_eq(known, file) => lines,
            _ => Lines::new(file.text()),
        };
        shown.push(on_lines(found, &lines, lang));
        last = Some((file, lines));
    }
    shown
}

/// A diagnostic with its cure.
pub(super) fn diagnostic(found: &Diagnostic, lang: Lang) -> lsp::Diagnostic {
    on_lines(found, &Lines::new(found.place().file().text()), lang)
}

fn on_lines(found: &Diagnostic, lines: &Lines, lang: Lang) -> lsp::Diagnostic {
    let place = found.place();
    let severity = match found.severity() {
        Severity::Error => lsp::DiagnosticSeverity::Error,
        // A warning that depends on the day is shown as information.
        Severity::Warning if found.is_reminder() => lsp::DiagnosticSeverity::Information,
        Severity::Warning => lsp::DiagnosticSeverity::Warning,
    };
    let (message, cure) = (found.message(lang), found.cure(lang));
    let message = match cure.is_empty() {
        true => message,
        false => say!(lang, "{message}\nremède : {cure}", "{message}\ncure: {cure}"),
    };
    lsp::Diagnostic {
        range: lines.range(&first_line(place.file().text(), place.span())),
        severity: Some(severity),
        code: Some(found.code().to_owned().into()),
        source: Some(SOURCE.to_owned()),
        message: message.into(),
        ..lsp::Diagnostic::default()
    }
}

/// The range to mark: of several lines, only the first.
fn first_line(text: &str, span: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let marked = text.get(span.clone()).unwrap_or_default();
    let length = marked.find('\n').unwrap_or(marked.len());
    span.start..span.start + length
}
