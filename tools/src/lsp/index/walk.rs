//! The walk over the nodes of a file that finds the symbols in it.

use std::ops::Range;

use bareme_engine::authoring::{Content, Node};
use bareme_engine::law::{BoundWord, KeyForm};
use bareme_engine::text::PlacedText;

use super::super::formula;
use super::super::names::{FIGURE, Names, TAKEN_FROM};
use super::contents::{form, is_given};
use super::{FileKind, Holds, Symbol, holds, in_method};

/// The key by which a method names its folder for people.
const TITLE: &str = "title";
/// The key of the parameter that is sent in the place of an input.
const PARAMETER: &str = "parameter";

/// The field at the start of a path, and the offset of its name: in a year of pays, that of the
/// month or total precedes it.
fn of_year(path: &str) -> (&str, usize) {
    // `mois.3.net` and `total.net` are both of the field `net`.
    let is_number =
        |part: &str| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit());
    let parts: Vec<&str> = path.split('.').collect();
    match parts.as_slice() {
        ["mois", month, field, ..] if is_number(month) => (*field, "mois.".len() + month.len() + 1),
        ["total", field, ..] => (*field, "total.".len()),
        [field, ..] => (*field, 0),
        [] => (path, 0),
    }
}

/// The names between the braces of a sentence, each with its range.
fn between_braces(sentence: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    sentence.match_indices('{').filter_map(|(open, _)| {
        let start = open + 1;
        let (inside, _) = sentence.get(start..)?.split_once('}')?;
        // A yearly amount may be followed by `per month`.
        let name = inside.split(' ').next().unwrap_or_default();
        Some((name, start..start + name.len()))
    })
}

/// A symbol, its range, and whether it is declared there.
type Found = (Symbol, Range<usize>, bool);

/// A walk over the nodes of a file.
pub(super) struct Walk<'n> {
    pub(super) kind: FileKind,
    pub(super) names: &'n Names,
    pub(super) path: Vec<&'n str>,
    pub(super) found: Vec<Found>,
}

impl<'n> Walk<'n> {
    pub(super) fn node(&mut self, node: &'n Node) {
        match &node.content {
            Content::Empty => {}
            Content::Text(text) => self.text(text),
            Content::List(items) => items.iter().for_each(|item| self.node(item)),
            Content::Map(entries) => {
                for (key, value) in entries {
                    self.key(key);
                    self.path.push(&key.value);
                    self.node(value);
                    self.path.pop();
                }
            }
        }
    }

    fn key(&mut self, key: &PlacedText) {
        let name = key.value.clone();
        let span = key.place.span();
        let path = if self.kind == FileKind::Method {
            in_method(&self.path)
        } else {
            self.path.clone()
        };

        let found = match (self.kind, path.as_slice()) {
            (FileKind::Method, ["inputs"]) => (Symbol::Input(name), true),
            (FileKind::Method, ["groups"]) => (Symbol::Group(name), true),
            (FileKind::Method, ["figures"]) => (Symbol::Figure(name), true),
            (FileKind::Method, ["steps"]) => (Symbol::Step(name), true),
            (FileKind::Method, ["answer"]) => (Symbol::Field(name), true),
            (FileKind::Method, []) if name == TITLE => (Symbol::Folder, true),
            // What is given to another folder, by the names of its inputs.
            (FileKind::Method, ["steps", step, given]) if is_given(given) => {
                match self.names.called(step) {
                    Some(folder) => (Symbol::of(folder, Symbol::Input(name)), false),
                    None => return,
                }
            }
            // An option is chosen by an input of its name.
            (
                FileKind::Method,
                ["options"]
                | ["headline" | "once" | "inverse", "assume"]
                | ["presets", "send"]
                | ["advances", "first", "assume"],
            ) => (Symbol::Input(name), false),
            (
                FileKind::Method | FileKind::Scale,
                ["figures", figure] | ["figures", figure, "rows"],
            ) => match self.column(figure, &name) {
                Some(symbol @ Symbol::Column(..)) => (symbol, self.kind == FileKind::Method),
                Some(symbol) => (symbol, false),
                None => return,
            },
            (FileKind::Scale, ["figures"]) => (Symbol::Figure(name), false),
            (FileKind::Scale, ["sources"]) => (Symbol::Source(name), true),
            (FileKind::Cases, ["cases", "given"]) if self.names.accepts(&name) => {
                (Symbol::Input(name), false)
            }
            // An expected field of a year is written with its month: only the name of the field is
            // the symbol.
            (FileKind::Cases, ["cases", .., "expect"]) => {
                let (field, before) = of_year(&name);
                let start = self.inside(key).unwrap_or(span.start) + before;
                return self.found.push((
                    Symbol::Field(field.to_owned()),
                    start..start + field.len(),
                    false,
                ));
            }
            _ => return,
        };
        self.found.push((found.0, span, found.1));
    }

    /// The column that a key of a row or a record names.
    fn column(&self, figure: &str, name: &str) -> Option<Symbol> {
        // A key of a table that is an input is looked up by it, and is renamed with it.
        if self.names.is_input(figure, name) {
            return Some(Symbol::Input(name.to_owned()));
        }
        // A bound is a word of the language.
        let is_bound = name == "bound" || BoundWord::from_word(name).is_some();
        let is_column = self.names.has_column(figure, name) && !is_bound;
        is_column.then(|| Symbol::Column(figure.to_owned(), name.to_owned()))
    }

    fn text(&mut self, text: &PlacedText) {
        // A text with escapes has other offsets than its value.
        let Some(start) = self.inside(text) else {
            return;
        };
        if self.is_name_of_step(&text.value) {
            let span = start..start + text.value.len();
            return self
                .found
                .push((Symbol::Step(text.value.clone()), span, false));
        }
        if self.kind == FileKind::Method
            && let Some((symbol, is_definition)) = self.of_other_folder(&text.value)
        {
            let span = start..start + text.value.len();
            return self.found.push((symbol, span, is_definition));
        }
        let Some(holds) = holds(self.kind, &self.path) else {
            return;
        };
        let mut push = |symbol: Symbol, span: Range<usize>| {
            self.found
                .push((symbol, start + span.start..start + span.end, false));
        };
        // A formula has a grammar; other values are lists of names.
        if holds == Holds::Formula {
            return formula::symbols(&text.value, self.names, &mut push);
        }
        if holds == Holds::Sentence {
            for (name, span) in between_braces(&text.value) {
                push(Symbol::Field(name.to_owned()), span);
            }
            return;
        }
        let figure = self.path.get(1).copied().unwrap_or_default();

        for (name, span) in formula::words(&text.value) {
            // `step.output` names the step.
            let first = name.split('.').next().unwrap_or_default().to_owned();
            let span = span.start..span.start + first.len();
            let is_column = || self.names.has_column(figure, &first);
            match holds {
                Holds::Formula | Holds::Sentence => {}
                Holds::Figure => push(Symbol::Figure(first), span),
                Holds::Group => push(Symbol::Group(first), span),
                Holds::Input | Holds::Options => push(Symbol::Input(first), span),
                Holds::Steps => push(Symbol::Step(first), span),
                Holds::Fields => push(Symbol::Field(first), span),
                Holds::Sources => push(Symbol::Source(first), span),
                Holds::Columns if is_column() => {
                    push(Symbol::Column(figure.to_owned(), first), span)
                }
                Holds::Columns => {}
            }
        }
    }

    /// The symbol that a value of a method names, where it is one of another folder; or the parameter
    /// that callers send in the place of an input.
    fn of_other_folder(&self, value: &str) -> Option<(Symbol, bool)> {
        let (name, keys) = (value.to_owned(), in_method(&self.path));
        let symbol = match keys.as_slice() {
            ["inverse", PARAMETER] => return Some((Symbol::Input(name), true)),
            ["steps", step, key] => {
                let folder = self.names.called(step)?;
                match form(key)? {
                    KeyForm::Folder => Symbol::of(folder, Symbol::Folder),
                    KeyForm::Field => Symbol::of(folder, Symbol::Field(name)),
                    _ => return None,
                }
            }
            ["figures", figure, TAKEN_FROM | FIGURE] => {
                let shared = self.names.shared.get(*figure)?;
                Symbol::of(&shared.folder, Symbol::Figure(shared.figure.clone()))
            }
            _ => return None,
        };
        Some((symbol, false))
    }

    /// Whether an expected value of a case is the name of a step, as in lines of a payslip and
    /// slices of several scales.
    fn is_name_of_step(&self, value: &str) -> bool {
        let ["cases", .., "expect", field] = self.path.as_slice() else {
            return false;
        };
        let is_of_line =
            matches!(field.rsplit('.').next(), Some("code" | "impot")) && field.contains('.');
        self.kind == FileKind::Cases && is_of_line && self.names.steps.contains_key(value)
    }

    /// Offset of the characters of a text, if the file writes them without escapes.
    fn inside(&self, text: &PlacedText) -> Option<usize> {
        let span = text.place.span();
        let raw = text.place.file().text().get(span.clone())?;
        if raw == text.value {
            return Some(span.start);
        }

        // Quotes are one byte on each side.
        let is_quoted = raw.get(1..raw.len().saturating_sub(1)) == Some(text.value.as_str());
        is_quoted.then_some(span.start + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_between_braces_have_their_places() {
        let found: Vec<_> =
            between_braces("Vous payez {impot} sur {revenu per month}, {").collect();
        assert_eq!(found, [("impot", 12..17), ("revenu", 24..30)]);
        assert_eq!(between_braces("sans nom").count(), 0);
    }
}
