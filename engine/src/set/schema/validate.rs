//! Validation of a file against its schema, with messages in the terms of the language.

use jsonschema::Validator;
use jsonschema::error::{ValidationError, ValidationErrorKind};
use serde_json::Value;

use crate::say;
use crate::text::problem::suggestion;
use crate::text::{Content, Node, Place, Problem, Report, Text};

use super::keys::{holder, missing_key, properties, unexpected_key};

/// Reports every violation of the schema in a file.
pub(super) fn validate(schema: &Value, validator: &Validator, node: &Node, report: &mut Report) {
    let instance = value(node);
    for error in validator.iter_errors(&instance) {
        report_error(&error, schema, node, report);
        if report.is_full() {
            return;
        }
    }
}

/// The file as JSON for the validator: every scalar is its text.
fn value(node: &Node) -> Value {
    match &node.content {
        Content::Empty => Value::Null,
        Content::Text(text) => Value::String(text.value.clone()),
        Content::List(items) => Value::Array(items.iter().map(value).collect()),
        Content::Map(entries) => Value::Object(
            entries
                .iter()
                .map(|(key, node)| (key.value.clone(), value(node)))
                .collect(),
        ),
    }
}

/// Reports a violation in the terms of the language, at the place of the node that violates.
fn report_error(error: &ValidationError, schema: &Value, root: &Node, report: &mut Report) {
    let found = locate(error.instance_path().as_str(), root);
    let node = found.node;
    let text = node
        .text()
        .map(|text| text.value.clone())
        .unwrap_or_default();

    let problem = match error.kind() {
        // A key without a value violates whatever its schema asks for.
        _ if matches!(node.content, Content::Empty) => Problem::EmptyValue { key: found.key },
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            for name in unexpected {
                report.error(
                    node.key_place(name).unwrap_or(&found.place),
                    unexpected_key(name, error, schema),
                );
            }
            return;
        }
        // A key that is only misspelt is reported where it is.
        ValidationErrorKind::Required { property } => {
            let key = property.as_str().unwrap_or_default();
            let Some(problem) = missing_key(key, node, properties(error, schema), root) else {
                return;
            };
            problem
        }
        ValidationErrorKind::Enum { options } => not_listed(text, options, holder(error, schema)),
        ValidationErrorKind::Constant { expected_value } => {
            let options = expected_value.as_str().unwrap_or_default().to_owned();
            Problem::NotOneOf {
                text,
                options,
                near: None,
            }
        }
        // Names of inputs, figures, steps: the rule of names is reported, not the pattern.
        ValidationErrorKind::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default().to_owned();
            report.error(
                node.key_place(&name).unwrap_or(&found.place),
                Problem::bad_name(&name),
            );
            return;
        }
        // An empty text between quotes is a missing value rather than a wrong form.
        ValidationErrorKind::Pattern { .. } if node.text().is_some() && text.is_empty() => {
            Problem::EmptyValue { key: found.key }
        }
        ValidationErrorKind::Pattern { .. } | ValidationErrorKind::AnyOf { .. }
            if node.text().is_some() =>
        {
            let form = holder(error, schema).and_then(forms);
            Problem::BadForm {
                text,
                form: form.unwrap_or_else(|| say!("une autre forme", "another form")),
            }
        }
        ValidationErrorKind::Type { .. } | ValidationErrorKind::AnyOf { .. } => {
            expected_shape(types(holder(error, schema)).into_iter(), node)
        }
        ValidationErrorKind::MinLength { .. }
        | ValidationErrorKind::MinProperties { .. }
        | ValidationErrorKind::MinItems { .. } => Problem::EmptyValue { key: found.key },
        _ => Problem::SchemaSays {
            text: error.to_string(),
        },
    };

    report.error(&found.place, problem);
}

/// The problem of a value that is not one of those listed.
fn not_listed(text: String, options: &Value, holder: Option<&Value>) -> Problem {
    let options: Vec<&str> = options
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let near = suggestion(&text, options.iter().copied()).map(str::to_owned);

    // The form in words says more than a list, but for a word that is nearly one of it.
    match holder.and_then(forms) {
        Some(form) if near.is_none() => Problem::BadForm { text, form },
        _ => Problem::NotOneOf {
            text,
            options: options.join(", "),
            near,
        },
    }
}

/// The types that a schema accepts.
fn types(holder: Option<&Value>) -> Vec<&str> {
    match holder.and_then(|holder| holder.get("type")) {
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        only => only.and_then(Value::as_str).into_iter().collect(),
    }
}

/// The accepted forms of a value, where the schema names them.
fn forms(holder: &Value) -> Option<Text<String>> {
    let form = |lang: usize| holder.get("x-form")?.get(lang)?.as_str().map(str::to_owned);
    Some(Text {
        fr: form(0)?,
        en: form(1)?,
    })
}

/// The problem of a node of another type than the schema accepts, in words.
pub(super) fn expected_shape<'t>(types: impl Iterator<Item = &'t str>, node: &Node) -> Problem {
    let types: Vec<&str> = types.collect();

    if let Some(problem) = list_for_text(&types, node) {
        return problem;
    }

    // Where a text is accepted beside keys, the shortest cure is the text.
    let (shape, cure) = match (
        types.contains(&"object"),
        types.contains(&"array"),
        types.contains(&"string"),
    ) {
        (true, _, true) => (
            Text::new(
                "un texte, ou des clés et leurs valeurs",
                "a text, or keys and their values",
            ),
            Text::new(
                "écrire une seule valeur, ou `{clé: valeur, clé: valeur}`",
                "write a single value, or `{key: value, key: value}`",
            ),
        ),
        (true, ..) => (
            Text::new("des clés et leurs valeurs", "keys and their values"),
            Text::new(
                "écrire `clé: valeur` sur des lignes décalées, ou `{clé: valeur, clé: valeur}` à \
                 la suite",
                "write `key: value` on indented lines, or `{key: value, key: value}` after it",
            ),
        ),
        (_, true, _) => (
            Text::new("une liste", "a list"),
            Text::new(
                "commencer chaque élément par un tiret, ses clés alignées : `- {clé: valeur, clé: \
                 valeur}`",
                "start each element with a dash, its keys aligned: `- {key: value, key: value}`",
            ),
        ),
        _ => (
            Text::new("une seule valeur", "a single value"),
            Text::new(
                "écrire une seule valeur après le deux-points, sans crochets ni accolades ; \
                 plusieurs se séparent par `;`",
                "write a single value after the colon, without brackets or braces; several are \
                 separated by `;`",
            ),
        ),
    };

    Problem::WrongShape {
        shape: shape.into(),
        cure: cure.into(),
    }
}

/// The problem of a YAML list of texts where the language has one text with `;`: the cure writes
/// that text.
fn list_for_text(types: &[&str], node: &Node) -> Option<Problem> {
    let listed: Vec<&str> = node
        .items()
        .iter()
        .filter_map(|item| Some(item.text()?.value.as_str()))
        .collect();
    if types.contains(&"string") && !listed.is_empty() && listed.len() == node.items().len() {
        let listed = listed.join("; ");
        return Some(Problem::WrongShape {
            shape: say!(
                "des valeurs séparées par `;`, et non une liste YAML",
                "values separated by `;`, not a YAML list"
            ),
            cure: say!(
                "écrire `{listed}`, sans crochets ni tirets",
                "write `{listed}`, without brackets or dashes"
            ),
        });
    }

    None
}

/// The node at a path that the validator reports.
struct Located<'n> {
    node: &'n Node,
    place: Place,
    /// The last key of the path.
    key: String,
}

/// The node at a path, or the last one on the way to it.
fn locate<'n>(path: &str, root: &'n Node) -> Located<'n> {
    let mut found = Located {
        node: root,
        place: root.place.clone(),
        key: String::new(),
    };

    for part in path.split('/').skip(1) {
        // The escapes of a JSON pointer.
        let part = part.replace("~1", "/").replace("~0", "~");
        match &found.node.content {
            Content::Map(entries) => {
                let Some((key, node)) = entries.iter().find(|(key, _)| key.value == part) else {
                    break;
                };
                found = Located {
                    node,
                    place: key.place.clone(),
                    key: key.value.clone(),
                };
            }
            Content::List(items) => {
                let Some(node) = part
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| items.get(index))
                else {
                    break;
                };
                // A map of a list has no key of its own: it is marked at its first one.
                let first = node.entries().first().map(|(key, _)| key.place.clone());
                found = Located {
                    place: first.unwrap_or_else(|| node.place.clone()),
                    node,
                    // Messages name the key of the list.
                    key: found.key,
                };
            }
            _ => break,
        }
    }

    // A map is reported at its key, a scalar at its text.
    if found.node.text().is_some() {
        found.place = found.node.place.clone();
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, method, read, scale};
    use crate::text::lang::Lang;

    /// Code, place and cure of every problem of a method and a scale.
    fn reported(keys: &str, figures: &str) -> Vec<String> {
        let (_, report) = read(&[
            ("method.yaml", &method(keys)),
            ("2026-01-01.yaml", &scale(figures)),
        ]);
        let shown = |one: &crate::text::diagnostic::Diagnostic| {
            format!("{} {}:{}", one.code(), one.line(), one.column())
        };
        report.errors().map(shown).collect()
    }

    fn with(steps: &str) -> String {
        format!("{GROSS}figures:\n  f: {{v: rate}}\nsteps:\n  x: {steps}\nanswer:\n  x: x\n")
    }

    const FIGURES: &str = "  f: {v: 1%, source: s}";

    #[test]
    fn each_mistake_of_form_is_reported_once_at_its_place() {
        assert_eq!(reported(&with("brut * f.v"), FIGURES), Vec::<String>::new());
        assert_eq!(
            reported(&with("{contribution: brut, rate: f.v, roud: 1}"), FIGURES),
            ["S01 11:38"]
        );
        assert_eq!(
            reported(
                &with("brut * f.v").replace("label: Brut", "label:"),
                FIGURES
            ),
            ["S03 6:51"]
        );
        assert_eq!(reported(&with("[brut]"), FIGURES), ["S04 11:3"]);
        assert_eq!(
            reported(
                &with("brut * f.v").replace("per: month", "per: week"),
                FIGURES
            ),
            ["S05 6:28"]
        );
        assert_eq!(
            reported(&with("brut * f.v").replace(", label: Brut", ""), FIGURES),
            ["S02 6:3"]
        );
        assert_eq!(
            reported(
                &with("brut * f.v"),
                "  f: {v: 1%, source: s, confidence: hgh}"
            ),
            ["S06 6:37"]
        );
        assert_eq!(
            reported(&with("brut * f.v").replace("bareme/1", "bareme/2"), FIGURES),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_mistyped_key_is_reported_with_the_one_that_was_meant() {
        let method = method(&with("{contribution: brut, rate: f.v, roud: 1}"))
            .replace("currency", "curency");
        let (_, report) = read(&[
            ("method.yaml", &method),
            ("2026-01-01.yaml", &scale(FIGURES)),
        ]);
        let cures: Vec<_> = report.errors().map(|error| error.cure(Lang::En)).collect();
        assert_eq!(cures, ["did you mean `currency`?", "did you mean `round`?"]);
    }

    #[test]
    fn a_file_of_another_format_is_refused() {
        let other = method(&with("brut * f.v")).replace("bareme/1", "bareme/2");
        let (folder, report) = read(&[
            ("method.yaml", &other),
            ("2026-01-01.yaml", &scale(FIGURES)),
        ]);
        assert!(folder.is_none());
        assert_eq!(
            report
                .errors()
                .map(|error| error.code())
                .collect::<Vec<_>>(),
            ["S05"]
        );
    }
}
