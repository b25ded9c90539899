//! Lookups of `brackets` and `table`: the values that choose a row, and the check that every value
//! finds one.

use crate::law::column::{Active, Block, Booleans, Column};
use crate::law::formula::{Code, EvalError, State, Symbols, Typed};
use crate::law::{Expr, Figure, FigureId, Input, InputId, Key, Lookup, Row, Shape, Type, Value};
use crate::say;
use crate::text::refusal::list_of_numbers;
use crate::text::words::shortened;
use crate::text::{Place, PlacedText, Problem, Report, Text, number_text};

use super::{Compiler, Reader, Written};

/// Checks the values of `by` against the columns they are looked up in.
pub(super) fn check_by(reader: &mut Reader, figure: FigureId, with_bound: bool) -> Vec<Expr> {
    let place = reader.place("by");
    let values = reader.formulas("by");
    let Some(shape) = figure.of(&reader.env.symbols.figures) else {
        return Vec::new();
    };
    // Brackets compare the bounds with their base: only a table reads a value for them in `by`.
    let bound = if with_bound { shape.bound } else { None };

    let mut expected = key_columns(shape, reader.env.symbols);
    expected.extend(bound.map(|ty| ("bound", ty)));

    // Values that could not be read were reported: their number means nothing.
    let written = reader.node.text_of("by");
    let is_unreadable = values.is_empty() && reader.node.get("by").is_some();
    if values.len() != expected.len() && !is_unreadable {
        reader.error(&place, Problem::by_count(&expected, values.len()));
    }

    if let Some(text) = written {
        check_looked_up(&values, &expected, text, reader.report);
    }

    values.into_iter().map(|value| value.expr).collect()
}

/// The key columns of a figure with the types of their values, in the order of `by`.
pub(crate) fn key_columns<'s>(shape: &'s Shape, symbols: &Symbols) -> Vec<(&'s str, Type)> {
    shape
        .keys
        .iter()
        .map(|key| (key.name.as_str(), key_type(key, symbols)))
        .collect()
}

/// The names of columns as `by` lists them.
fn column_names(columns: &[(&str, Type)]) -> String {
    columns
        .iter()
        .map(|(name, _)| *name)
        .collect::<Vec<_>>()
        .join("; ")
}

impl Problem {
    /// As many values of `by` as its figure has no key columns.
    pub(crate) fn by_count(columns: &[(&str, Type)], count: usize) -> Self {
        let cure = if columns.is_empty() {
            say!(
                "retirer `by` : ce chiffre n’a pas de colonne qui se cherche",
                "remove `by`: this figure has no column that is looked up"
            )
        } else {
            let expected = column_names(columns);
            say!(
                "écrire `by:` avec une valeur par colonne, dans l’ordre : {expected}",
                "write `by:` with a value for each column, in order: {expected}"
            )
        };
        Self::ByCount { count, cure }
    }
}

/// Reports the values of `by` that cannot be looked up in their columns, each where it is written.
pub(crate) fn check_looked_up(
    values: &[Typed],
    columns: &[(&str, Type)],
    by: &PlacedText,
    report: &mut Report,
) {
    // A value may itself hold a `;`: its place is then that of all of them.
    let places: Vec<Place> = by.list().into_iter().map(|text| text.place).collect();
    let has_places = places.len() == values.len();
    let place = |index: usize| {
        if has_places {
            places.get(index).unwrap_or(&by.place)
        } else {
            &by.place
        }
    };

    for (index, (value, (column, ty))) in values.iter().zip(columns).enumerate() {
        if !agrees(value, *ty) {
            // Of two choices, the names tell them from each other, and their types do not.
            let written = by.list().get(index).map(|text| text.value.clone());
            let (expected, found) = match (ty, value.ty, written) {
                (Type::Choice(_), Type::Choice(_), Some(found)) => ((*column).to_owned(), found),
                _ => (ty.name().to_owned(), value.ty.name().to_owned()),
            };
            let problem = Problem::ByType {
                column: (*column).to_owned(),
                expected,
                found,
                columns: column_names(columns),
            };

            report.error(place(index), problem);
        }
    }
}

/// Whether a value can be looked up in a key column of a type.
fn agrees(value: &Typed, expected: Type) -> bool {
    match expected {
        // A word or a boolean has one type only; a number may be looked up among rates, and an
        // amount among those of its period.
        Type::Choice(_) | Type::Boolean => value.ty == expected || value.ty == Type::Unknown,
        _ => expected.together(value.ty).is_some(),
    }
}

/// The type of the values of a key column: that of the input of its name, else numbers.
fn key_type(key: &Key, symbols: &Symbols) -> Type {
    key.input
        .and_then(|input| input.of(&symbols.inputs))
        .map_or(Type::Number, |input| input.ty)
}

pub(super) fn key_values(by: &[Code], state: &State) -> Result<Vec<Value>, EvalError> {
    by.iter().map(|code| code.run(state)).collect()
}

/// The values of the keys in a block, each combination with the rows that have it.
pub(super) fn keys_of_rows(
    by: &[Code],
    block: &Block,
    active: &Active,
) -> Vec<(Vec<Value>, Booleans)> {
    let columns: Vec<Column> = by.iter().map(|code| code.column(block, active)).collect();
    let at = |row: usize| {
        columns
            .iter()
            .map(|column| column.at(row))
            .collect::<Vec<Value>>()
    };

    // The keys are often the same in the whole block, which is then one group.
    if columns
        .iter()
        .all(|column| matches!(column, Column::One(_)))
    {
        return vec![(at(0), Booleans::One(true))];
    }

    // Each combination by the first row that has it: values are made for it alone.
    let mut found: Vec<(usize, Vec<bool>)> = Vec::new();
    let mut last = 0;
    for row in 0..block.rows() {
        let has_keys_of = |known: usize| columns.iter().all(|column| column.has_same(row, known));
        // Rows that follow each other often have the same keys, so that the last group is tried
        // first.
        if found
            .get(last)
            .is_none_or(|(known, _)| !has_keys_of(*known))
        {
            last = found
                .iter()
                .position(|(known, _)| has_keys_of(*known))
                .unwrap_or(found.len());
        }

        if last == found.len() {
            found.push((row, vec![false; block.rows()]));
        }

        if let Some(is_its_own) = found.get_mut(last).and_then(|(_, rows)| rows.get_mut(row)) {
            *is_its_own = true;
        }
    }

    found
        .into_iter()
        .map(|(first, rows)| (at(first), Booleans::each(rows)))
        .collect()
}

/// The input that a step refuses when no row answers, and what to say then.
#[derive(Debug)]
pub(super) struct OrRefuse {
    input: InputId,
    /// The input of each key column, to name its values.
    keys: Vec<Option<Input>>,
}

/// Reads `or_refuse`, the name of an input.
pub(super) fn or_refuse(reader: &mut Reader) -> Option<InputId> {
    let text = reader.node.text_of("or_refuse")?.clone();
    reader.keep("or_refuse", Some(Written::Name(text.value.clone())));
    reader.env.symbols.named_input(&text, reader.report)
}

impl OrRefuse {
    pub(super) fn compile(input: InputId, figure: FigureId, compiler: &Compiler) -> Self {
        let keys = figure
            .of(compiler.shapes)
            .map(|shape| shape.keys.as_slice())
            .unwrap_or_default();
        let inputs = keys.iter().map(|key| {
            key.input
                .and_then(|input| input.of(compiler.inputs))
                .cloned()
        });

        Self {
            input,
            keys: inputs.collect(),
        }
    }

    /// The input to blame, and the values that exist for the key of this index (for the bound,
    /// after the keys). None where the key itself has no value: what is missing then is not the
    /// row.
    pub(super) fn refusal(
        &self,
        figure: &Figure,
        keys: &[Value],
        missing: usize,
    ) -> Option<(InputId, String)> {
        if keys.get(missing) == Some(&Value::Nothing) {
            return None;
        }
        // The keys before the missing one lead to the part of the table where its values are
        // listed.
        let mut here: &Lookup = &figure.lookup;
        for value in keys.iter().take(missing) {
            let Lookup::ByKey { cases, other } = here else {
                break;
            };
            let next = cases
                .iter()
                .find(|(known, _)| known == value)
                .map(|(_, next)| next)
                .or(other.as_deref());
            let Some(next) = next else { break };
            here = next;
        }

        let accepted = match (here, self.keys.get(missing).and_then(Option::as_ref)) {
            (Lookup::ByKey { cases, .. }, Some(input)) => cases
                .iter()
                .map(|(value, _)| input.sent_text(value))
                .collect::<Vec<_>>()
                .join(", "),
            (Lookup::ByKey { cases, .. }, None) => {
                list_of_numbers(cases.iter().filter_map(|(value, _)| match value {
                    Value::Number(number) => Some(*number),
                    _ => None,
                }))
            }
            (Lookup::Rows(rows), _) => {
                let bounds = rows
                    .iter()
                    .filter_map(|row| figure.rows.get(*row)?.bound)
                    .map(|bound| bound.value);
                format!("bornes du barème : {}", list_of_numbers(bounds))
            }
        };

        Some((self.input, accepted))
    }
}

/// Whether some rows of a figure have sources or remarks of their own, to be cited when found.
pub(super) fn cites_rows(figure: &Figure) -> bool {
    figure
        .rows
        .iter()
        .any(|row| !row.sources.is_empty() || !row.evidence.is_empty() || !row.remark.is_empty())
}

/// Whether each row of a figure has a remark of its own; empty if none has one.
pub(super) fn remarked_rows(figure: &Figure) -> Vec<bool> {
    let remarked: Vec<bool> = figure
        .rows
        .iter()
        .map(|row| !row.remark.is_empty())
        .collect();
    // An empty list says at once that no row needs looking up.
    if remarked.contains(&true) {
        remarked
    } else {
        Vec::new()
    }
}

/// Reports the values that no row answers.
pub(super) fn check_complete(
    id: FigureId,
    figure: &Figure,
    needs_open_row: bool,
    compiler: &mut Compiler,
) {
    let Some(shape) = id.of(compiler.shapes) else {
        return;
    };

    // 1. The values of the keys.
    let mut missing = Vec::new();
    missing_keys(&figure.lookup, shape, 0, compiler.inputs, &mut missing);
    for (key, values) in missing {
        compiler.report.error(
            &figure.place,
            Problem::TableMissesValue {
                figure: shape.name.clone(),
                key,
                values,
            },
        );
    }

    // 2. The bounds: a group whose rows all have one leaves some values without a row.
    if !needs_open_row || figure.rows.iter().all(|row| row.bound.is_none()) {
        return;
    }
    for group in figure.lookup.groups() {
        let mut rows = group.iter().filter_map(|row| figure.rows.get(*row));
        if rows.clone().any(|row| row.bound.is_none()) {
            continue;
        }

        // The end to leave open is the one after the last upper bound, or before the first lower
        // one.
        let Some(row) = (if figure.bounds_are_upper {
            rows.next_back()
        } else {
            rows.next()
        }) else {
            continue;
        };

        compiler.report.error(
            &row.place,
            without_open_row(figure, row, shape, compiler.inputs),
        );
    }
}

/// The problem of the outermost row of a group that no open row follows, or precedes.
fn without_open_row(figure: &Figure, row: &Row, shape: &Shape, inputs: &[Input]) -> Problem {
    let values = row
        .keys
        .iter()
        .zip(&shape.keys)
        .filter(|(values, _)| !values.is_empty());
    let key = |(values, key): (&Vec<Value>, &Key)| {
        format!(
            "{} = {}",
            key.name,
            shortened(&key_texts(values, key, inputs))
        )
    };

    let keys = values.map(key).collect::<Vec<_>>().join(", ");
    // The message names the values of the keys, for a table has many groups.
    let of_keys = if keys.is_empty() {
        Text::default()
    } else {
        say!(" pour {keys}", " for {keys}")
    };

    let bound = Text::from(row.bound.map(|bound| bound.value).unwrap_or_default());
    let (beyond, place) = if figure.bounds_are_upper {
        (
            Text::new("au-delà de", "beyond"),
            Text::new("après elle", "after it"),
        )
    } else {
        (
            Text::new("en deçà de", "below"),
            Text::new("avant elle", "before it"),
        )
    };

    let beyond =
        say!("{beyond} {bound}{of_keys}", "{beyond} {bound}{of_keys}"; beyond, bound, of_keys);

    Problem::TableWithoutOpenRow {
        figure: shape.name.clone(),
        beyond,
        place: place.into(),
    }
}

/// Values of a key column in words.
fn key_texts(values: &[Value], key: &Key, inputs: &[Input]) -> Vec<String> {
    let input = key.input.and_then(|input| input.of(inputs));
    let text = |value: &Value| match (input, value) {
        (Some(input), value) => input.sent_text(value),
        (None, Value::Number(number)) => number_text(*number),
        (None, _) => String::new(),
    };
    values.iter().map(text).collect()
}

/// The keys of a table, each with the values that no row answers, in words.
type Missing = Vec<(String, Text<String>)>;

fn missing_keys(
    lookup: &Lookup,
    shape: &Shape,
    key: usize,
    inputs: &[Input],
    missing: &mut Missing,
) {
    let Lookup::ByKey { cases, other } = lookup else {
        return;
    };

    // Where no other value is admitted, the input says whether the cases are all of its values.
    for (_, next) in cases {
        missing_keys(next, shape, key + 1, inputs, missing);
    }
    if let Some(next) = other {
        return missing_keys(next, shape, key + 1, inputs, missing);
    }

    let Some(column) = shape.keys.get(key) else {
        return;
    };

    let name = &column.name;
    let input = column.input.and_then(|input| input.of(inputs));
    match input.and_then(|input| Some((input, input.listed_values()?))) {
        Some((input, values)) => {
            let absent = values
                .iter()
                .filter(|value| !cases.iter().any(|(known, _)| known == *value));
            let absent: Vec<String> = absent.map(|value| input.sent_text(value)).collect();
            if !absent.is_empty() {
                missing.push((
                    name.clone(),
                    Text::same(format!("{name} = {}", shortened(&absent))),
                ));
            }
        }
        None => {
            let values: Vec<Value> = cases.iter().map(|(value, _)| value.clone()).collect();
            let listed = key_texts(&values, column, inputs).join(", ");
            // A number that is sent or computed may be any other.
            let others = say!(
                "une autre valeur de `{name}` que {listed}, et rien ne limite ce nombre à \
                 celles-là",
                "a value of `{name}` other than {listed}, and nothing limits this number to those"
            );
            missing.push((name.clone(), others));
        }
    }
}
