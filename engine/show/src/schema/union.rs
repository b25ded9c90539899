//! Union of the schemas of several folders.

use serde_json::{Map, Value, json};

/// A schema that accepts what either accepts: numbers with the wider bounds, the words of both, and
/// alternatives where the types differ.
pub(super) fn widen(one: Value, other: Value) -> Value {
    let mut alternatives = alternatives(one);
    for schema in self::alternatives(other) {
        match alternatives
            .iter_mut()
            .find(|known| is_like(known, &schema))
        {
            Some(known) => join(known, &schema),
            None => alternatives.push(schema),
        }
    }

    match <[Map<String, Value>; 1]>::try_from(alternatives) {
        Ok([only]) => Value::Object(only),
        Err(several) => json!({"anyOf": several}),
    }
}

fn alternatives(schema: Value) -> Vec<Map<String, Value>> {
    let object = |value: Value| {
        if let Value::Object(members) = value {
            Some(members)
        } else {
            None
        }
    };

    let Some(mut schema) = object(schema) else {
        return Vec::new();
    };

    match schema.remove("anyOf") {
        Some(Value::Array(several)) => several.into_iter().filter_map(object).collect(),
        _ => vec![schema],
    }
}

/// Whether two schemas have the same type; an integer counts as a number.
fn is_like(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    let kind = |schema: &Map<String, Value>| match schema.get("type").and_then(Value::as_str) {
        Some("integer") => "number".to_owned(),
        kind => kind.unwrap_or_default().to_owned(),
    };

    kind(one) == kind(other) && one.contains_key("format") == other.contains_key("format")
}

fn join(known: &mut Map<String, Value>, other: &Map<String, Value>) {
    // Bounds hold for the union only where both have one: the wider of the two.
    if known.get("type") != other.get("type") {
        known.insert("type".into(), "number".into());
    }

    for (bound, is_wider) in [
        ("minimum", f64::lt as fn(&f64, &f64) -> bool),
        ("maximum", f64::gt),
    ] {
        let wider = match (
            known.get(bound).and_then(Value::as_f64),
            other.get(bound).and_then(Value::as_f64),
        ) {
            (Some(one), Some(two)) if is_wider(&two, &one) => other.get(bound).cloned(),
            (Some(_), Some(_)) => known.get(bound).cloned(),
            _ => None,
        };

        replace(known, bound, wider);
    }

    // A step holds for both only if they have the same.
    let step = known
        .get("multipleOf")
        .filter(|step| other.get("multipleOf") == Some(step))
        .cloned();

    replace(known, "multipleOf", step);

    // So do lists of values: without one, any value is accepted.
    for listed in ["enum", "x-valeurs"] {
        let both = match (known.get(listed), other.get(listed)) {
            (Some(Value::Array(one)), Some(Value::Array(two))) => {
                let more = two.iter().filter(|value| !one.contains(value));
                Some(one.iter().chain(more).cloned().collect())
            }
            _ => None,
        };

        replace(known, listed, both);
    }
}

fn replace(schema: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    match value {
        Some(value) => drop(schema.insert(name.to_owned(), value)),
        None => drop(schema.shift_remove(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_wider_bounds() {
        let one = json!({"type": "integer", "minimum": 0, "maximum": 10, "multipleOf": 1});
        let other = json!({"type": "number", "minimum": 0.5, "maximum": 12});
        assert_eq!(
            widen(one, other),
            json!({"type": "number", "minimum": 0, "maximum": 12})
        );
        let unbounded = widen(
            json!({"type": "number", "minimum": 0}),
            json!({"type": "number"}),
        );
        assert_eq!(unbounded, json!({"type": "number"}));
    }

    #[test]
    fn words_are_those_of_both() {
        let words = |words: &[&str]| json!({"type": "string", "enum": words});
        assert_eq!(
            widen(words(&["a", "b"]), words(&["b", "c"])),
            words(&["a", "b", "c"])
        );
    }

    #[test]
    fn other_types_are_alternatives() {
        let both = widen(
            json!({"type": "number"}),
            json!({"type": "string", "enum": ["max"]}),
        );
        assert_eq!(
            both,
            json!({"anyOf": [{"type": "number"}, {"type": "string", "enum": ["max"]}]})
        );
        assert_eq!(widen(both.clone(), json!({"type": "number"})), both);
        assert_eq!(
            widen(json!({"type": "boolean"}), json!({"type": "boolean"})),
            json!({"type": "boolean"})
        );
    }
}
