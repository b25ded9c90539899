//! Conversion of diagnostics to the protocol.

use bareme_engine::text::Severity;
use bareme_engine::{Diagnostic, Lang};
use bareme_show::say;
use gen_lsp_types as lsp;

use super::position::Lines;

/// The source of diagnostics, shown by the editor.
const SOURCE: &str = "bareme";

/// A diagnostic with its cure.
pub(super) fn diagnostic(found: &Diagnostic, lang: Lang) -> lsp::Diagnostic {
    let place = found.place();
    let severity = match found.severity() {
        Severity::Error => lsp::DiagnosticSeverity::Error,
        // A warning that depends on the day is shown as information.
        Severity::Warning if found.is_reminder() => lsp::DiagnosticSeverity::Information,
        Severity::Warning => lsp::DiagnosticSeverity::Warning,
    };

    let (message, cure) = (found.message(lang), found.cure(lang));
    // The protocol has one text: the cure is its second line, which every editor shows.
    let message = match cure.is_empty() {
        true => message,
        false => say!(
            lang,
            "{message}\nremède : {cure}",
            "{message}\ncure: {cure}"
        ),
    };

    // The places are those of the text that was checked, not of a later one.
    lsp::Diagnostic {
        range: Lines::new(place.file().text())
            .range(&first_line(place.file().text(), place.span())),
        severity: Some(severity),
        code: Some(found.code().to_owned().into()),
        source: Some(SOURCE.to_owned()),
        message: message.into(),
        ..lsp::Diagnostic::default()
    }
}

/// The range to mark: of several lines, only the first.
fn first_line(text: &str, span: std::ops::Range<usize>) -> std::ops::Range<usize> {
    // A mark over a whole section would hide everything else in it.
    let marked = text.get(span.clone()).unwrap_or_default();
    let length = marked.find('\n').unwrap_or(marked.len());
    span.start..span.start + length
}
