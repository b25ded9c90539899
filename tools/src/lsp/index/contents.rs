//! What the value of a key contains: a formula, or names of some kind.

use bareme_engine::law::{KINDS, KeyForm, MODIFIERS};

use super::FileKind;

/// What the text of a key contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lsp) enum Holds {
    Formula,
    Figure,
    Input,
    Group,
    Steps,
    Fields,
    /// A sentence with fields between braces.
    Sentence,
    Sources,
    /// Names of columns of the figure around it.
    Columns,
    /// Options, which have the names of inputs.
    Options,
}

/// The keys around a place without those of an option, whose sections are like those of the method.
pub(in crate::lsp) fn in_method<'k>(path: &[&'k str]) -> Vec<&'k str> {
    match path {
        ["options", _, rest @ ..] => rest.to_vec(),
        _ => path.to_vec(),
    }
}

/// What the value of a key contains, by the keys around it.
pub(in crate::lsp) fn holds(kind: FileKind, path: &[&str]) -> Option<Holds> {
    match kind {
        FileKind::Method => of_method(&in_method(path)),
        FileKind::Scale => match path {
            ["figures", _, .., "source" | "checked_with"] => Some(Holds::Sources),
            ["figures", _, .., "per" | "unconfirmed"] => Some(Holds::Columns),
            ["without"] => Some(Holds::Options),
            _ => None,
        },
        FileKind::Cases => match path {
            ["cases", "absent"] => Some(Holds::Fields),
            ["cases", "refuse"] => Some(Holds::Input),
            _ => None,
        },
        FileKind::Translation | FileKind::Picture | FileKind::Service => None,
    }
}

fn of_method(path: &[&str]) -> Option<Holds> {
    // The order matters: the last arm of `answer` takes whatever the ones before it leave.
    match path {
        ["inputs", _, "default"] | ["checks", "if"] | ["steps" | "answer", _] => {
            Some(Holds::Formula)
        }
        ["inputs", _, "group"] | ["steps" | "answer", _, "each"] => Some(Holds::Group),
        ["checks", "input"] | ["inverse" | "curve" | "once" | "try", "input"] => Some(Holds::Input),
        ["sections", "ask"] | ["compare" | "advances", "over"] => Some(Holds::Input),
        [
            "inverse" | "curve" | "headline" | "sentence" | "advances",
            "field",
        ]
        | ["bar", "whole" | "fields"]
        | ["advances", "first", "field"]
        | ["compare", "best"]
        | ["compare", "alternatives", _, "field" | "when"]
        | ["compare", "alternatives", _, "values", _] => Some(Holds::Fields),
        ["headline", "months"] | ["compare", "alternatives", _, "calculations"] => {
            Some(Holds::Steps)
        }
        ["sentence", "positive" | "zero" | "negative"] => Some(Holds::Sentence),
        ["year", "varying" | "each_month" | "without"] => Some(Holds::Input),
        ["year", "totals"] => Some(Holds::Fields),
        ["steps", _, key] => of_step(key),
        // What is given to another folder: its inputs, each with a formula of this method.
        ["steps", _, key, _] if is_given(key) => Some(Holds::Formula),
        ["answer", _, "payslip", "employee" | "employer"] => Some(Holds::Steps),
        ["answer", _, "lines" | "brackets" | "schedule"] => Some(Holds::Steps),
        ["answer", _, "rows"] => Some(Holds::Figure),
        [
            "answer",
            _,
            "text" | "label" | "as" | "round" | "section" | "if_applied",
        ] => None,
        ["answer", _, "payslip", "when"] | ["answer", _, _] => Some(Holds::Formula),
        _ => None,
    }
}

fn of_step(key: &str) -> Option<Holds> {
    match form(key)? {
        KeyForm::Formula | KeyForm::Formulas | KeyForm::Rounding => Some(Holds::Formula),
        KeyForm::Figure => Some(Holds::Figure),
        KeyForm::Input => Some(Holds::Input),
        KeyForm::Period | KeyForm::Folder | KeyForm::Given | KeyForm::Field | KeyForm::Day => None,
    }
}

/// The form of the value of a key of a step.
pub(super) fn form(key: &str) -> Option<KeyForm> {
    // A key of a step is the name of its kind, a key of that kind, or a modifier of any kind.
    let kind = KINDS
        .iter()
        .find(|kind| kind.name == key)
        .map(|kind| kind.main);
    let own = || {
        KINDS
            .iter()
            .flat_map(|kind| kind.keys)
            .find(|own| own.name == key)
            .map(|own| own.form)
    };
    let modifier = || {
        MODIFIERS
            .iter()
            .any(|modifier| modifier.name == key)
            .then_some(KeyForm::Formula)
    };
    kind.or_else(own).or_else(modifier)
}

/// Whether a key of a step holds a formula for each input of another folder.
pub(super) fn is_given(key: &str) -> bool {
    let mut keys = KINDS.iter().flat_map(|kind| kind.keys);
    keys.any(|own| own.name == key && own.form == KeyForm::Given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_shows_names_inputs_and_fields() {
        for (path, expected) in [
            (&["sections", "ask"][..], Some(Holds::Input)),
            (&["sections", "label"], None),
            (&["sentence", "field"], Some(Holds::Fields)),
            (&["sentence", "zero"], Some(Holds::Sentence)),
            (&["bar", "fields"], Some(Holds::Fields)),
            (&["try", "input"], Some(Holds::Input)),
            (&["compare", "over"], Some(Holds::Input)),
            (
                &["compare", "alternatives", "un", "when"],
                Some(Holds::Fields),
            ),
            (&["advances", "first", "field"], Some(Holds::Fields)),
        ] {
            assert_eq!(holds(FileKind::Method, path), expected, "{path:?}");
        }
    }

    #[test]
    fn what_is_given_to_another_folder_is_read_as_formulas() {
        let path = ["steps", "impot", "given", "revenu"];
        assert_eq!(holds(FileKind::Method, &path), Some(Holds::Formula));
        let of_option = ["options", "employeur", "steps", "impot", "given", "revenu"];
        assert_eq!(holds(FileKind::Method, &of_option), Some(Holds::Formula));
        assert_eq!(holds(FileKind::Method, &["steps", "impot", "on"]), None);
    }
}
