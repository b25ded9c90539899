//! The reader of the keys of a field of the answer.

use rust_decimal::Decimal;

use crate::law::formula::{Env, ExpectedType, Narrowing, Reads, Typed};
use crate::law::option;
use crate::law::step::{check_looked_up, key_columns};
use crate::law::unit::warn_of_units;
use crate::law::{Detail, KINDS, Rounding, Shape, Step, StepId, Type};
use crate::say;
use crate::text::number::parse_plain;
use crate::text::{Node, PlacedText, Problem, Report, RoundMode};

use super::read::IF_APPLIED;
use super::{FieldContent, Form, ListedStep, RATE};

/// The reader of one field; `known` are the facts that its condition establishes.
pub(super) struct FieldReader<'r> {
    pub(super) node: &'r Node,
    pub(super) known: Vec<Narrowing>,
    pub(super) env: Env<'r>,
    /// The names that the formulas so far read.
    pub(super) reads: Reads,
    pub(super) report: &'r mut Report,
}

impl FieldReader<'_> {
    /// Checks a formula with what is known of the field.
    pub(super) fn check(&mut self, text: &PlacedText, expected: ExpectedType) -> Typed {
        self.check_in(self.env, text, expected)
    }

    /// Checks a formula that may read more than the others of the field.
    pub(super) fn check_in(
        &mut self,
        env: Env,
        text: &PlacedText,
        expected: ExpectedType,
    ) -> Typed {
        env.check(text, expected, &self.known, self.report)
            .recorded_in(&mut self.reads)
    }

    pub(super) fn value(&mut self, text: &PlacedText) -> FieldContent {
        let typed = self.check(text, ExpectedType::OPTIONAL);

        let form = self.form();
        if form == Form::Percent && !typed.ty.is_plain() {
            self.report.error(&text.place, no_percentage(typed.ty));
        }

        let round = self
            .node
            .text_of("round")
            .and_then(|text| self.rounding(text));

        // `as: rate` declares that a plain number, such as a ratio, is a fraction.
        let mut ty = typed.ty;
        if let Some(written) = self
            .node
            .text_of("as")
            .filter(|written| written.value == RATE)
        {
            if !matches!(ty, Type::Number | Type::Rate | Type::Unknown) {
                self.report.error(&written.place, no_percentage(ty));
            }
            ty = Type::Rate;
        }

        FieldContent::Value {
            expr: typed.expr,
            ty,
            form,
            round,
        }
    }

    pub(super) fn form(&mut self) -> Form {
        // The schema refuses any word that is not in the table.
        let written = self.node.text_of("as").map(|text| text.value.as_str());
        Form::WORDS
            .iter()
            .find(|(word, _)| Some(*word) == written)
            .map_or(Form::Plain, |(_, form)| *form)
    }

    /// The form of the rates of lines: fractions, or percentages.
    pub(super) fn lines_form(&mut self) -> Form {
        let form = self.form();
        // The rates of lines are numbers: the word `text`, which the schema accepts, fits single
        // values only.
        if let (Form::Text, Some(text)) = (form, self.node.text_of("as")) {
            let (text, place) = (text.value.clone(), &text.place);
            self.report.error(
                place,
                Problem::NotOneOf {
                    text,
                    options: "percent".to_owned(),
                    near: None,
                },
            );
        }
        form
    }

    /// A rounding of the shown value, whose unit is a literal.
    fn rounding(&mut self, text: &PlacedText) -> Option<Rounding<Decimal>> {
        let (unit, word) = text
            .value
            .split_once(' ')
            .unwrap_or((&text.value, "half_up"));
        let mode = RoundMode::WORDS
            .iter()
            .find(|(known, _)| *known == word.trim())
            .map(|(_, mode)| *mode);

        // The unit of an answer is a number: unlike that of a step, no formula gives it.
        match (parse_plain(unit), mode) {
            (Ok(unit), Some(mode)) if !unit.is_sign_negative() => {
                warn_of_units(unit, text, self.report);
                Some(Rounding { unit, mode })
            }
            _ => {
                let modes = RoundMode::WORDS.map(|(known, _)| known).join(", ");
                self.report.error(
                    &text.place,
                    Problem::BadAnswerRounding {
                        text: text.value.clone(),
                        modes,
                    },
                );
                None
            }
        }
    }

    /// The named steps; with a detail, only steps of the kinds that have it.
    pub(super) fn steps(&mut self, text: &PlacedText, detail: Option<Detail>) -> Vec<StepId> {
        text.list()
            .iter()
            .filter_map(|name| self.step(name, detail))
            .collect()
    }

    fn step(&mut self, name: &PlacedText, detail: Option<Detail>) -> Option<StepId> {
        let Some(step) = self.env.step(&name.value) else {
            let is_shown = |step: &&Step| detail.is_none_or(|detail| step.kind.detail == detail);
            let shown = self
                .env
                .symbols
                .steps
                .iter()
                .filter(|step| self.env.is_visible(step.option))
                .filter(is_shown);
            let problem = Problem::unknown_step(&name.value, shown.map(|step| step.name.as_str()));
            let unknown = option::unknown(&name.value, self.env, problem);
            self.report.error(
                &name.place,
                Problem::comma_in_list(&name.value).unwrap_or(unknown),
            );
            return None;
        };

        // A list of lines has no place for the values of each item.
        if let Some(group) = step.of(&self.env.symbols.steps).and_then(|step| step.each) {
            let field = say!("ce champ", "this field");
            let problem = self.env.symbols.use_of_items(&name.value, group, field);
            self.report.error(&name.place, problem);
            return None;
        }

        // A step that could not be read was reported: its kind is not compared.
        let found = step
            .of(&self.env.symbols.steps)
            .filter(|step| step.checked.is_some())
            .map(|step| step.kind);
        if let (Some(detail), Some(found)) = (detail, found)
            && found.detail != detail
        {
            let kinds = KINDS
                .iter()
                .filter(|kind| kind.detail == detail)
                .map(|kind| kind.name);
            let expected = kinds.collect::<Vec<_>>().join(", ");
            let (name, found, place) = (name.value.clone(), found.name, &name.place);
            self.report.error(
                place,
                Problem::StepOfOtherKind {
                    name,
                    expected,
                    found,
                },
            );
            return None;
        }

        self.reads.steps.insert(step);
        Some(step)
    }

    /// The named steps as lines of a payslip, which must be amounts.
    pub(super) fn lines(&mut self, text: &PlacedText) -> Vec<StepId> {
        text.list()
            .iter()
            .filter_map(|name| self.line(name))
            .collect()
    }

    /// The lines of a field, `if_applied` ones included.
    pub(super) fn listed_lines(&mut self, text: &PlacedText) -> Vec<ListedStep> {
        let left_out = self.node.list_of(IF_APPLIED);
        let names = text.list();
        // `if_applied` repeats names of the lines: it adds none.
        for name in left_out
            .iter()
            .filter(|name| !names.iter().any(|known| known.value == name.value))
        {
            let known = names.iter().map(|known| known.value.as_str());
            self.report
                .error(&name.place, Problem::unknown_step(&name.value, known));
        }

        let is_left_out =
            |name: &PlacedText| left_out.iter().any(|known| known.value == name.value);
        let line = |name: &PlacedText| {
            Some(ListedStep {
                step: self.line(name)?,
                if_applied: is_left_out(name),
            })
        };
        names.iter().filter_map(line).collect()
    }

    fn line(&mut self, name: &PlacedText) -> Option<StepId> {
        let id = self.step(name, None)?;
        let step = id.of(&self.env.symbols.steps)?;
        let main = step
            .main()
            .and_then(|main| step.outputs.get(main))
            .map_or(Type::Text, |output| output.ty);

        // A step with a mistake of its own has no type, and is not reported again.
        if step.checked.is_some() && !matches!(main, Type::Money(_) | Type::Unknown) {
            self.report.error(
                &name.place,
                Problem::LineWithoutAmount {
                    name: step.name.clone(),
                },
            );
        }
        Some(id)
    }

    /// The values of `by`: the first keys of the rows, which select them and are not shown.
    pub(super) fn looked_up(&mut self, shape: &Shape) -> Vec<Typed> {
        let Some(text) = self.node.text_of("by") else {
            return Vec::new();
        };
        let (by, _) = self
            .env
            .check_list(text, &self.known, self.report)
            .recorded_in(&mut self.reads);

        let columns = key_columns(shape, self.env.symbols);
        // Fewer values than keys choose several rows: only too many are a mistake.
        if by.len() > columns.len() {
            self.report
                .error(&text.place, Problem::by_count(&columns, by.len()));
        }

        check_looked_up(&by, &columns, text, self.report);
        by
    }
}

/// The problem of a percentage that is neither a rate nor a number.
fn no_percentage(found: Type) -> Problem {
    Problem::WrongType {
        expected: Type::Rate.name(),
        found: found.name(),
        cure: say!(
            "retirer `as: percent`, ou montrer le rapport de deux montants : `ratio(a; b)`",
            "remove `as: percent`, or show the ratio of two amounts: `ratio(a; b)`"
        ),
    }
}
