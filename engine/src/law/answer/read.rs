//! The reader of the fields of the answer, by the table of their forms.

use crate::law::formula::{Env, ExpectedType, Reads, Symbols, WithReads, narrowings};
use crate::law::members::{AUTOMATIC, LINE, PAYMENT, PAYSLIP, RESERVE, SLICE, always_there};
use crate::law::option;
use crate::law::parameter::RECEIPT;
use crate::law::{ColumnId, Detail, Expr, Type};
use crate::text::json::Key;
use crate::text::{Node, PlacedText, Problem, Report};

use super::reader::FieldReader;
use super::{Field, FieldContent, ONLY, payslip};

impl Field {
    /// Reads a field; the symbols are those of the whole method.
    pub(crate) fn read(
        name: &PlacedText,
        node: &Node,
        env: Env,
        report: &mut Report,
    ) -> WithReads<Option<Self>> {
        let mut reader = FieldReader {
            node,
            known: Vec::new(),
            env,
            reads: Reads::default(),
            report,
        };
        let field = reader.field(name);

        let reads = reader.reads;
        let steps = reads.steps.iter().copied().collect();
        WithReads {
            found: field.map(|field| Self { steps, ..field }),
            reads,
        }
    }
}

/// The label of the input or step that a field shows unchanged.
fn shown_label(content: &FieldContent, symbols: &Symbols) -> Option<String> {
    match content {
        FieldContent::Value {
            expr: Expr::Input(input),
            ..
        } => Some(input.of(&symbols.inputs)?.label.clone()),
        FieldContent::Value {
            expr: Expr::Output(step, output),
            ..
        } => {
            // Only the main output is what the label of the step names.
            let step = step.of(&symbols.steps)?;
            if step.main() == Some(*output) {
                step.label.clone()
            } else {
                None
            }
        }
        _ => None,
    }
}

/// Whether the value may be empty: a bare optional column or output of a table, or a text of a step
/// that may be skipped. The check of formulas admits an empty value nowhere else.
fn may_be_empty(expr: &Expr, symbols: &Symbols) -> bool {
    match expr {
        Expr::Column(figure, column) => {
            let shape = figure.of(&symbols.figures);
            shape
                .and_then(|shape| column.of(&shape.columns))
                .is_some_and(|column| column.optional)
        }
        Expr::Output(step, output) => step.of(&symbols.steps).is_some_and(|step| {
            let output = step.outputs.get(*output);
            // A skipped step gives 0 for an amount, but nothing for a text.
            let may_be_skipped = step.modifiers.may_skip();
            output.is_some_and(|output| {
                output.optional || (may_be_skipped && output.ty == Type::Text)
            })
        }),
        _ => false,
    }
}

/// A form of field, with its keys and its reader.
pub(crate) struct FieldForm {
    /// The key that selects this form.
    pub name: &'static str,
    /// The keys allowed with it, besides those of every field.
    keys: &'static [&'static str],
    /// Whether any other key is a computed member of the rows.
    pub has_members: bool,
    /// The keys of the rows that it lists; empty where its value is a text.
    pub rows: &'static [RowKey],
    /// Its meaning, for the editor.
    pub help: fn() -> String,
    read: fn(&mut FieldReader, &Node) -> Option<FieldContent>,
}

/// The key that lists lines to leave out where their step does not apply.
pub(crate) const IF_APPLIED: &str = "if_applied";

/// A key of the rows of a field.
pub(crate) struct RowKey {
    pub name: &'static str,
    /// Its meaning, for the editor.
    pub help: &'static str,
    /// Whether it is a flag, with `true` as its only value; else a text.
    pub is_flag: bool,
}

/// Every form of field; a field without one of these keys is a formula.
pub(crate) static FORMS: &[FieldForm] = &[
    FieldForm {
        name: "value",
        keys: &["as", "round"],
        has_members: false,
        rows: &[],
        help: || "a formula".to_owned(),
        read: |reader, node| Some(reader.value(node.text()?)),
    },
    FieldForm {
        name: "text",
        keys: &[],
        has_members: false,
        rows: &[],
        help: || "a fixed text".to_owned(),
        read: |_, node| Some(FieldContent::Text(node.text()?.value.clone())),
    },
    FieldForm {
        name: "lines",
        keys: &["as", IF_APPLIED],
        has_members: false,
        rows: &[],
        help: || format!("steps as lines of a payslip: {}", always_there(&LINE)),
        read: |reader, node| {
            let steps = reader.listed_lines(node.text()?);
            Some(FieldContent::Lines {
                steps,
                form: reader.lines_form(),
            })
        },
    },
    FieldForm {
        name: "payslip",
        keys: &["as"],
        has_members: false,
        rows: &payslip::KEYS,
        help: || {
            format!(
                "rows of a payslip, with the employee's part and the employer's: {}",
                always_there(&PAYSLIP)
            )
        },
        read: |reader, node| {
            Some(FieldContent::Payslip {
                rows: reader.payslip(node),
                form: reader.lines_form(),
            })
        },
    },
    FieldForm {
        name: "brackets",
        keys: &[],
        has_members: false,
        rows: &[],
        help: || format!("`brackets` steps slice by slice: {}", always_there(&SLICE)),
        read: |reader, node| {
            Some(FieldContent::Brackets(
                reader.steps(node.text()?, Some(Detail::Slices)),
            ))
        },
    },
    FieldForm {
        name: "schedule",
        keys: &[],
        has_members: false,
        rows: &[],
        help: || format!("the schedule of a `loan` step: {}", always_there(&PAYMENT)),
        read: |reader, node| {
            let steps = reader.steps(node.text()?, Some(Detail::Payments));
            Some(FieldContent::Schedule(steps.first().copied()?))
        },
    },
    FieldForm {
        name: "each",
        keys: &[ONLY],
        has_members: true,
        rows: &[],
        help: || {
            "the items of a group, an object for each; other keys are its members, formulas that \
             read the values of the item"
                .to_owned()
        },
        read: |reader, node| reader.items(node.text()?),
    },
    FieldForm {
        name: "rows",
        keys: &["by", "as"],
        has_members: true,
        rows: &[],
        help: || {
            "the rows of a figure; other keys are computed members, \
             formulas that read `figure.column`"
                .to_owned()
        },
        read: |reader, node| reader.rows(node.text()?),
    },
];

/// The keys of every field.
const COMMON: &[&str] = &["when", "label"];

impl FieldReader<'_> {
    fn field(&mut self, name: &PlacedText) -> Option<Field> {
        // Every answer has these members already, and its receipt where a service signs it.
        let is_automatic = AUTOMATIC.iter().any(|member| member.name == name.value);
        if is_automatic || name.value == RECEIPT {
            self.report.error(
                &name.place,
                Problem::AutomaticField {
                    name: name.value.clone(),
                },
            );
        }

        let when = self.node.text_of("when");
        let when = when.map(|text| self.check(text, ExpectedType::BOOLEAN).expr);
        // A condition on figures alone is settled for all the days of the scale: the field is left
        // out, or is always there.
        let settled = when
            .as_ref()
            .and_then(|when| self.env.symbols.settled(when));
        if settled == Some(false) {
            return None;
        }

        self.known = when
            .as_ref()
            .map(|when| narrowings(when, true))
            .unwrap_or_default();

        let when = if settled.is_none() { when } else { None };

        // A field whose steps are all of other days is left out of the answers of this scale.
        let content = self
            .content(name)
            .filter(|content| !content.is_of_other_days())?;

        // A field that shows an input or a step as it is has its label.
        let symbols = self.env.symbols;
        let label = self
            .node
            .string_of("label")
            .or_else(|| shown_label(&content, symbols));

        let may_be_empty =
            matches!(&content, FieldContent::Value { expr, .. } if may_be_empty(expr, symbols));
        let is_echo = matches!(&content, FieldContent::Value { expr, .. } if symbols.is_echo(expr));

        Some(Field {
            name: name.value.clone(),
            key: Key::text(&name.value),
            label,
            steps: Vec::new(),
            option: self.env.option,
            content,
            when,
            may_be_empty,
            is_echo,
        })
    }

    fn content(&mut self, name: &PlacedText) -> Option<FieldContent> {
        // A field written as a text alone is a formula.
        if let Some(text) = self.node.text() {
            return Some(self.value(text));
        }

        // The form of a field is that of the key it has.
        let Some(form) = FORMS.iter().find(|form| self.node.get(form.name).is_some()) else {
            let forms = FORMS
                .iter()
                .map(|form| form.name)
                .collect::<Vec<_>>()
                .join(", ");
            self.report.error(
                &name.place,
                Problem::FieldWithoutForm {
                    name: name.value.clone(),
                    forms,
                },
            );
            return None;
        };

        // Any other key of the forms `rows` and `each` is a computed member.
        if !form.has_members {
            for (key, _) in self.node.entries() {
                let known = form.keys.iter().copied().chain(COMMON.iter().copied());
                if key.value != form.name && !known.clone().any(|known| known == key.value) {
                    self.report
                        .error(&key.place, Problem::unknown_key(&key.value, known));
                }
            }
        }

        let node = self.node;
        (form.read)(self, node.get(form.name)?)
    }

    fn rows(&mut self, text: &PlacedText) -> Option<FieldContent> {
        let Some(figure) = self.env.figure(&text.value) else {
            let problem = Problem::unknown_figure(&text.value, self.env.figure_names());
            self.report
                .error(&text.place, option::unknown(&text.value, self.env, problem));
            return None;
        };

        let shape = figure.of(&self.env.symbols.figures)?;
        if !shape.has_rows() {
            self.report.error(
                &text.place,
                Problem::NotATable {
                    figure: shape.name.clone(),
                },
            );
        }

        if let Some(problem) = self.env.symbols.unguarded(figure, &self.known) {
            self.report.error(&text.place, problem);
        }

        // The rows show all columns, which therefore count as used.
        let columns = ColumnId::enumerate(&shape.columns).map(|(column, _)| (figure, column));
        self.reads.columns.extend(columns);

        let by = self.looked_up(shape);

        let is_shown = |name: &str| {
            shape.column(name).is_some()
                || shape
                    .keys
                    .iter()
                    .skip(by.len())
                    .any(|column| column.name == name)
        };

        // The remark on a row is shown under this name.
        if is_shown(RESERVE) {
            self.report.error(
                &text.place,
                Problem::AutomaticField {
                    name: RESERVE.to_owned(),
                },
            );
        }

        let form = self.form();

        // The members may read the columns of the row.
        let env = Env {
            row: Some(figure),
            ..self.env
        };
        let mut extra = Vec::new();
        for (key, node) in self.node.entries() {
            let is_own = |form: &FieldForm| {
                key.value == form.name || form.keys.contains(&key.value.as_str())
            };

            if FORMS.iter().filter(|form| form.has_members).any(is_own)
                || COMMON.contains(&key.value.as_str())
            {
                continue;
            }

            let Some(text) = node.text() else { continue };

            // A computed member must not hide a column of its row.
            let is_column = shape.column(&key.value).is_some()
                || shape.keys.iter().any(|column| column.name == key.value);
            if key.value == RESERVE || is_column {
                self.report.error(
                    &key.place,
                    Problem::AutomaticField {
                        name: key.value.clone(),
                    },
                );
            }

            let typed = self.check_in(env, text, ExpectedType::OPTIONAL);
            extra.push((key.value.clone(), typed.expr, typed.ty));
        }

        Some(FieldContent::Rows {
            figure,
            by: by.into_iter().map(|typed| typed.expr).collect(),
            form,
            extra,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, errors};

    fn with(field: &str) -> Vec<&'static str> {
        let shapes = "figures:\n  f: {statut: key, v: rate}\n  r: {v: rate}\n";
        let steps =
            "steps:\n  a: {contribution: brut, rate: r.v}\n  n: {formula: ratio(brut; a)}\n";
        let inputs = "  statut: {type: choice, values: a; b, default: a, label: Statut}\n";
        let keys = format!("{GROSS}{inputs}{shapes}{steps}answer:\n  a: a\n  {field}\n");
        errors(
            &keys,
            "  f: {source: s, rows: [{v: 1%}]}\n  r: {v: 1%, source: s}",
        )
    }

    #[test]
    fn each_form_accepts_its_own_keys() {
        for field in [
            "x: a",
            "x: {value: n, as: percent, round: 0.1 up, when: cadre, label: X}",
            "x: {rows: f, by: statut, double: f.v * 2}",
            "x: {value: n, as: rate}",
        ] {
            assert_eq!(with(field), Vec::<&str>::new(), "{field}");
        }
    }

    #[test]
    fn what_is_not_a_field_is_reported() {
        for (field, code) in [
            ("version: a", "A01"),
            ("x: {as: percent}", "A02"),
            ("x: {lines: a; b}", "A03"),
            ("x: {brackets: a}", "A04"),
            ("x: {schedule: a}", "A04"),
            ("x: {value: n, round: -1}", "A05"),
            ("x: {value: n, round: 1 nearest}", "A05"),
            ("x: {lines: n}", "A09"),
            ("x: {value: a, as: percent}", "T02"),
            ("x: {value: a, as: rate}", "T02"),
            ("x: {text: zz, as: percent}", "S01"),
            ("x: {rows: g}", "G01"),
            ("x: {rows: r}", "E09"),
            ("x: {rows: f, by: statut; statut}", "E04"),
            ("x: {rows: f, by: brut}", "E05"),
            ("x: {rows: f, v: brut}", "A01"),
            ("x: {rows: f, reserve: f.v}", "A01"),
            ("x: {value: a, when: brut}", "T02"),
            ("x: zz", "F14"),
        ] {
            assert_eq!(with(field).first().copied(), Some(code), "{field}");
        }
    }
    #[test]
    fn a_row_has_one_member_that_says_how_certain_it_is() {
        let codes = |shape: &str, row: &str, field: &str| {
            let inputs = "  reserve: {type: choice, values: a; b, default: a, label: R}\n";
            let keys = format!(
                "{GROSS}{inputs}figures:\n  f: {shape}\nsteps:\n  n: brut\nanswer:\n  n: n\n  x: \
                 {field}\n"
            );
            errors(&keys, &format!("  f: {{source: s, rows: [{row}]}}"))
        };
        assert_eq!(
            codes(
                "{n: key, reserve: rate}",
                "{n: 1, reserve: 1%}",
                "{rows: f}"
            )
            .first(),
            Some(&"A01")
        );
        let (shape, row) = ("{reserve: key, v: rate}", "{reserve: a, v: 1%}, {v: 2%}");
        assert_eq!(codes(shape, row, "{rows: f}"), ["A01"]);
        // Columns passed to `by` are not shown.
        assert_eq!(
            codes(shape, row, "{rows: f, by: reserve}"),
            Vec::<&str>::new()
        );
    }
}
