//! Names in the text of a formula.

use std::ops::Range;

use bareme_engine::authoring::reserved;

use super::index::Symbol;
use super::names::Names;

/// A name in a formula, with its context.
#[derive(Debug)]
struct Name<'t> {
    text: &'t str,
    span: Range<usize>,
    /// Index of the name before the point.
    owner: Option<usize>,
    /// Whether an equals sign precedes it.
    is_compared: bool,
    /// Index of the name before it.
    before: Option<usize>,
}

/// The words of a text with their ranges: names, separated by anything that cannot be part of one.
pub(super) fn words(text: &str) -> Vec<(&str, Range<usize>)> {
    let is_part = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
    let mut start = 0;

    // `split_inclusive` keeps what separates, so that the lengths of the pieces add up to offsets.
    let piece = |piece| {
        let from = start;
        start += str::len(piece);
        let word = piece.trim_end_matches(|letter| !is_part(letter));
        (!word.is_empty()).then(|| (word, from..from + word.len()))
    };

    text.split_inclusive(|letter| !is_part(letter))
        .filter_map(piece)
        .collect()
}

fn names(text: &str) -> Vec<Name<'_>> {
    // The lexer of the engine stops at an error; here a formula is being written, and all its names
    // count.
    let mut found: Vec<Name> = Vec::new();
    let mut at = 0;
    let mut last = ' ';
    let mut is_after_point = false;

    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let Some(sign) = rest.chars().next() else {
            break;
        };
        if !is_part(sign) {
            // `a.b` only without spaces around the point.
            is_after_point = sign == '.' && found.last().is_some_and(|name| name.span.end == at);
            // Spaces do not count as the sign before a name: `a = b` compares as `a=b` does.
            last = if sign == ' ' { last } else { sign };
            at += sign.len_utf8();
            continue;
        }

        let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        if sign.is_ascii_digit() {
            // A number with its decimals.
            let more = rest
                .find(|letter: char| !(is_part(letter) || letter == '.'))
                .unwrap_or(rest.len());
            at += more;
            last = '0';
            continue;
        }

        let text = rest.get(..length).unwrap_or_default();

        let before = found.len().checked_sub(1);
        let owner = before.filter(|_| is_after_point);
        found.push(Name {
            text,
            span: at..at + length,
            owner,
            is_compared: last == '=',
            before,
        });
        at += length;
        // Any letter will do: only `=` matters.
        last = 'a';
        is_after_point = false;
    }
    found
}

/// Passes every symbol that a formula names to `push`, with its range.
pub(super) fn symbols(text: &str, names: &Names, push: &mut impl FnMut(Symbol, Range<usize>)) {
    let found = self::names(text);
    for (index, name) in found.iter().enumerate() {
        // The owner of a member is reported with it: `figure.column`.
        let is_owner = found
            .get(index + 1)
            .is_some_and(|next| next.owner == Some(index));
        if is_owner || reserved().any(|word| word == name.text) {
            continue;
        }

        match name.owner.and_then(|owner| found.get(owner)) {
            Some(owner) => member(owner, name, names, push),
            None => {
                // `situation = celibataire`: after an input with words, an equals sign is followed
                // by one of them, not by a name.
                let before = name.before.and_then(|before| found.get(before));
                let words = before.and_then(|before| names.inputs.get(before.text));
                let is_word = name.is_compared
                    && words.is_some_and(|words| words.iter().any(|word| word == name.text));
                if !is_word {
                    push_some(bare(name.text, names), name, push);
                }
            }
        }
    }
}

fn push_some(symbol: Option<Symbol>, name: &Name, push: &mut impl FnMut(Symbol, Range<usize>)) {
    if let Some(symbol) = symbol {
        push(symbol, name.span.clone());
    }
}

/// The symbol of a name without a point.
pub(super) fn bare(name: &str, names: &Names) -> Option<Symbol> {
    if names.inputs.contains_key(name) {
        return Some(Symbol::Input(name.to_owned()));
    }
    if names.steps.contains_key(name) {
        // The order is that of the engine: an input or a step hides a figure of the same name.
        return Some(Symbol::Step(name.to_owned()));
    }

    if names.figures.contains_key(name) {
        return Some(Symbol::Figure(name.to_owned()));
    }

    // The argument of `count`.
    let is_group = names.groups.iter().any(|group| group == name);
    is_group.then(|| Symbol::Group(name.to_owned()))
}

/// The symbol after a point: an output of a step, or else a column of a figure.
fn member(owner: &Name, name: &Name, names: &Names, push: &mut impl FnMut(Symbol, Range<usize>)) {
    // A step has outputs of its own; of a step that looks up a table, they are the columns of its
    // figure, which are renamed with them.
    let step = names
        .steps
        .get(owner.text)
        .filter(|step| names.outputs(step).iter().any(|output| output == name.text));

    if let Some(step) = step {
        push(Symbol::Step(owner.text.to_owned()), owner.span.clone());
        let figure = step
            .figure
            .as_ref()
            .filter(|figure| step.looks_up() && names.has_column(figure, name.text));
        push_some(
            figure.map(|figure| Symbol::Column(figure.clone(), name.text.to_owned())),
            name,
            push,
        );
    } else if let Some(folder) = names.called(owner.text) {
        // A field of the answer of the folder that the step calculates.
        push(Symbol::Step(owner.text.to_owned()), owner.span.clone());
        let field = Symbol::Field(name.text.to_owned());
        push(Symbol::of(folder, field), name.span.clone());
    } else if let Some(shared) = names.shared.get(owner.text) {
        push(Symbol::Figure(owner.text.to_owned()), owner.span.clone());
        let column = Symbol::Column(shared.figure.clone(), name.text.to_owned());
        push(Symbol::of(&shared.folder, column), name.span.clone());
    } else if names.figures.contains_key(owner.text) {
        push(Symbol::Figure(owner.text.to_owned()), owner.span.clone());
        let is_column = names.has_column(owner.text, name.text);
        push_some(
            is_column.then(|| Symbol::Column(owner.text.to_owned(), name.text.to_owned())),
            name,
            push,
        );
    } else {
        push_some(bare(owner.text, names), owner, push);
    }
}

#[cfg(test)]
mod tests {
    use bareme_engine::Report;
    use bareme_engine::authoring::Node;
    use bareme_engine::text::RuleFile;

    use super::*;

    #[test]
    fn names_of_a_formula_are_those_of_the_method() {
        let method = "inputs:\n  brut: {}\n  statut: {values: cadre; x}\nfigures:\n  f: {rate: \
            rate}\n  t: {k: key, v: rate}\nsteps:\n  x: brut\n  s: {table: t, by: 1}\n  f: \
            {contribution: brut, with: f}\n";
        let node = Node::read(
            &RuleFile::new("zz/method.yaml", method),
            &mut Report::default(),
        )
        .unwrap();
        let names = Names::new(&node);
        let shown = |text: &str| {
            let mut found = Vec::new();
            symbols(text, &names, &mut |symbol, span| {
                found.push(format!("{symbol:?} {}", &text[span]))
            });
            found.join(", ").replace('"', "")
        };
        assert_eq!(
            shown("if statut = x then x else brut * 1.5"),
            "Input(statut) statut, Step(x) x, Input(brut) brut"
        );
        assert_eq!(
            shown("f.rate + f.base + s.v"),
            "Figure(f) f, Column(f, rate) rate, Step(f) f, Step(s) s, Column(t, v) v"
        );
        assert_eq!(shown("min(scale.year; annual(-x))"), "Step(x) x");
        assert_eq!(shown("base.pas down; 0.01"), "");
    }
}
