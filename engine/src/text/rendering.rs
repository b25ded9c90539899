//! Diagnostics as text, for a terminal or an editor.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::say;
use crate::text::diagnostic::{Diagnostic, ROOT_PATH, Severity};
use crate::text::wrap::wrapped;
use crate::text::{Lang, Text};

/// Options of the text form of a diagnostic.
///
/// ```
/// use std::path::Path;
///
/// use bareme_engine::{Lang, Report};
/// use bareme_engine::authoring::Node;
/// use bareme_engine::text::{Rendering, RuleFile};
///
/// let mut report = Report::default();
/// Node::read(&RuleFile::new("zz/method.yaml", "title: Un\ntitle: Deux\n"), &mut report);
/// let rendering = Rendering::new(Lang::En).under(Path::new("rules")).within(80);
/// let texts: Vec<String> = report.errors().map(|error| error.render(rendering)).collect();
/// assert!(texts.concat().contains("--> rules/zz/method.yaml:2:1"), "{texts:?}");
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Rendering<'r> {
    lang: Lang,
    root: &'r Path,
    width: Option<usize>,
}

impl<'r> Rendering<'r> {
    /// Options of a rendering in a language, with paths from the rule folder and lines of any
    /// length.
    pub fn new(lang: Lang) -> Self {
        Self {
            lang,
            root: Path::new(""),
            width: None,
        }
    }

    /// Sets the path of the rule folder, which is put before the path of the file.
    pub fn under(self, root: &'r Path) -> Self {
        Self { root, ..self }
    }

    /// Sets the width at which sentences are wrapped. The excerpt and its underline stay as they
    /// are.
    pub fn within(self, width: usize) -> Self {
        Self {
            width: Some(width),
            ..self
        }
    }

    /// Wraps a sentence that starts after `margin` characters. Its further lines are indented by
    /// two spaces where it starts a line, by the margin elsewhere.
    fn folded(self, sentence: &str, margin: usize) -> String {
        let Some(width) = self.width else {
            return sentence.to_owned();
        };

        let inset = if margin == 0 { "  " } else { "" };
        let lines = wrapped(sentence, width.saturating_sub(margin), inset);
        lines.join(&format!("\n{}", " ".repeat(margin)))
    }
}

impl Diagnostic {
    /// The whole message as text: cause, place, line underlined at the place, cure.
    pub fn render(&self, how: Rendering) -> String {
        let lang = how.lang;
        let (line, column) = self.place.file.position(self.place.span.start);
        let gutter = " ".repeat(line.to_string().len());

        // Writing to a String cannot fail.
        let mut out = String::new();
        let _ = writeln!(out, "{}", how.folded(&self.headline(lang), 0));

        let file = self.shown_path(how.root);
        if self.place.file.text.is_empty() {
            // A folder, or a file that was not read: there is no line to show.
            let _ = writeln!(out, "{gutter}--> {}", file.display());
        } else {
            let marked = self.marked_length();
            let (excerpt, before) = cropped(self.place.file.line(line), column - 1, marked);
            let margin = " ".repeat(columns(&excerpt, 0, before));
            let underline = "^".repeat(columns(&excerpt, before, marked).max(1));

            let _ = writeln!(out, "{gutter}--> {}:{line}:{column}", file.display());
            let _ = writeln!(out, "{gutter} |");
            let _ = writeln!(out, "{line} | {excerpt}");
            let _ = writeln!(out, "{gutter} | {margin}{underline}");
        }

        let cure = self.cure(lang);
        if !cure.is_empty() {
            // Further lines start below the text, after the gutter and ` = `.
            let sentence = say!(lang, "remède : {cure}", "cure: {cure}");
            let cure = how.folded(&sentence, gutter.len() + 3);
            let _ = writeln!(out, "{gutter} = {cure}");
        }
        out
    }

    /// The first line of the text form: severity, code and cause.
    fn headline(&self, lang: Lang) -> String {
        let word = match self.severity {
            Severity::Error => Text::new("erreur", "error"),
            Severity::Warning => Text::new("attention", "warning"),
        };
        format!(
            "{}[{}] {}",
            word.in_lang(lang),
            self.code(),
            self.message(lang)
        )
    }

    /// The path of the file under that of the rule folder.
    fn shown_path(&self, root: &Path) -> PathBuf {
        // Joined, the path of the folder itself would end with `/.`.
        let is_root = self.file() == ROOT_PATH && root != Path::new("");
        if is_root {
            root.to_owned()
        } else {
            root.join(self.file())
        }
    }

    /// Number of characters of the place on its first line, 1 at least.
    fn marked_length(&self) -> usize {
        let marked = self.place.file.text.get(self.place.span.clone());
        let first_line = marked.unwrap_or_default().split('\n').next();
        first_line.unwrap_or_default().chars().count().max(1)
    }
}

/// Width in terminal columns of `count` characters of a line from the character `from` on: two for
/// a wide character, none for a combining accent, one for a tab.
fn columns(line: &str, from: usize, count: usize) -> usize {
    let part = line
        .chars()
        .skip(from)
        .take(count)
        .map(|letter| if letter == '\t' { ' ' } else { letter });
    textwrap::core::display_width(&part.collect::<String>())
}

/// Shortens a line to what fits beside its number; also gives the number of characters then left
/// before the underline.
fn cropped(line: &str, before: usize, marked: usize) -> (String, usize) {
    const MAX_WIDTH: usize = 72;
    const ELLIPSIS: char = '…';

    let length = line.chars().count();
    if length <= MAX_WIDTH {
        return (line.to_owned(), before);
    }

    // Most of the width goes to the text before the underline: it gives the context of the mistake.
    let start = if before + marked.min(MAX_WIDTH / 2) <= MAX_WIDTH {
        0
    } else {
        before.saturating_sub(MAX_WIDTH / 2)
    };

    // At the start the ellipsis takes the place of a character, so that the underline stays below
    // its word; at the end it may be added.
    let mut shown: String = line.chars().skip(start).take(MAX_WIDTH).collect();
    if start > 0 {
        shown = shown.chars().skip(1).collect();
        shown.insert(0, ELLIPSIS);
    }
    if start + MAX_WIDTH < length {
        shown.push(ELLIPSIS);
    }

    (shown, before - start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::diagnostic::{Place, Report, RuleFile};
    use crate::text::problem::Problem;

    #[test]
    fn the_mark_is_under_its_word_behind_wide_letters_and_accents_of_their_own() {
        for (line, marks) in [
            ("title: abc", "       ^^^"),
            ("title: 中文 abc", "            ^^^"),
            ("titre\u{301}: abc", "       ^^^"),
            ("title: 中文", "       ^^^^"),
        ] {
            let file = RuleFile::new("f.yaml", line);
            let start = line.rfind(' ').unwrap() + 1;
            let mut report = Report::default();
            report.error(&Place::new(&file, start..line.len()), Problem::EmptyFile {});
            let shown = report
                .errors()
                .next()
                .unwrap()
                .render(Rendering::new(Lang::En));
            assert!(shown.contains(&format!("\n  | {marks}\n")), "{shown}");
        }
    }
}
