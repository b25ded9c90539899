//! The checker of names: inputs, steps, columns of figures and attributes of the scale.

use std::ops::Range;

use crate::law::formula::env::Part;
use crate::law::formula::expr::{Expr, Narrowing, ScaleField, Typed};
use crate::law::formula::hints;
use crate::law::option;
use crate::law::{ColumnId, FigureId, GroupId, InputId, Shape, StepId, Type};
use crate::text::Problem;
use crate::text::problem::suggestion;

use super::{Checker, ExpectedType};

impl Checker<'_> {
    pub(super) fn name(
        &mut self,
        span: &Range<usize>,
        name: &str,
        expected: ExpectedType,
    ) -> Typed {
        // A word of the choice that is expected comes before any name of the method: `default:
        // cadre`.
        if let Some(Type::Choice(input)) = expected.ty
            && let Some(declared) = self.env.declared(input)
            && let Some(word) = declared.word(name)
        {
            return Typed {
                expr: Expr::Word(word),
                ty: Type::Choice(input),
            };
        }

        if let Some(input) = self.env.input(name) {
            return self.input(span, input);
        }
        if let Some(step) = self.env.step(name) {
            return self.output(span, step, None, expected);
        }
        // A step that this scale does not have is not unknown: it gives 0, false or nothing.
        if let Some(absent) = self.env.absent_output(name, None) {
            return absent;
        }

        // Not found: the message says where the name exists, else what resembles it.
        let env = self.env;
        let figure = env.figure(name);
        let problem = if env.is_in_part(name) {
            hints::not_above(name, env)
        } else if let Some(shape) = figure.and_then(|figure| figure.of(&env.symbols.figures)) {
            hints::bare_figure(shape)
        } else {
            option::unknown(name, env, hints::unknown_name(name, env))
        };
        self.error(span, problem)
    }

    fn input(&mut self, span: &Range<usize>, input: InputId) -> Typed {
        // Used even where the rest fails, so that it is not reported as unused as well.
        self.reads.inputs.insert(input);
        let Some(found) = self.env.declared(input) else {
            return Typed::unknown();
        };
        let name = found.name.clone();

        if let Some(option) = found
            .option
            .as_ref()
            .filter(|option| !self.env.may_read(option))
        {
            let option = option.clone();
            return self.error(span, Problem::OtherOption { name, option });
        }

        if let Some(group) = found.group
            && let Err(problem) = self.read_item(&name, group)
        {
            return self.error(span, problem);
        }

        // Outside of what `given(…)` guards, an optional input may have no value.
        if found.is_optional() && !self.known.contains(&Narrowing::Given(input)) {
            return self.error(span, Problem::MaybeAbsent { name });
        }

        // A word of its own beside numbers, such as `max`, must be excluded before the number is
        // read.
        let possible = (0..)
            .zip(&found.words)
            .find(|(index, _)| !self.known.contains(&Narrowing::NotWord(input, *index)));
        if let Some((_, word)) = possible {
            let word = word.clone();
            return self.error(span, Problem::MaybeWord { name, word });
        }

        Typed {
            expr: Expr::Input(input),
            ty: found.ty,
        }
    }

    /// Notes that a value of each item of a group is read.
    pub(super) fn read_item(&mut self, name: &str, group: GroupId) -> Result<(), Problem> {
        self.env.items = self.env.read_item(name, group)?;
        Ok(())
    }

    fn output(
        &mut self,
        span: &Range<usize>,
        step: StepId,
        name: Option<&str>,
        expected: ExpectedType,
    ) -> Typed {
        self.reads.steps.insert(step);
        let Some(found) = step.of(&self.env.symbols.steps) else {
            return Typed::unknown();
        };

        let index = match name {
            Some(name) => found.outputs.iter().position(|output| output.name == name),
            None => found.main(),
        };

        // A step with several outputs has no value of its own: formulas name one of them.
        let Some((index, output)) =
            index.and_then(|index| Some((index, found.outputs.get(index)?)))
        else {
            let problem = Problem::StepHasOutputs {
                name: found.name.clone(),
                outputs: hints::outputs(found),
            };
            return if found.outputs.is_empty() {
                Typed::unknown()
            } else {
                self.error(span, problem)
            };
        };

        let (ty, optional) = (output.ty, output.optional);
        let name = format!("{}.{}", found.name, output.name);
        let each = found.each;
        self.reads.outputs.insert((step, index));

        if let Some(group) = each
            && let Err(problem) = self.read_item(name.trim_end_matches('.'), group)
        {
            return self.error(span, problem);
        }

        // An empty value is admitted only where an answer or a limit can do without it.
        if optional && !expected.optional {
            return self.error(span, Problem::MaybeEmpty { name });
        }

        Typed {
            expr: Expr::Output(step, index),
            ty,
        }
    }

    pub(super) fn member(
        &mut self,
        span: &Range<usize>,
        owner: &str,
        name: &str,
        expected: ExpectedType,
    ) -> Typed {
        // `scale` is reserved: no step or figure has this name.
        if owner == "scale" {
            return self.scale(span, name);
        }

        if let Some(absent) = self.env.absent_output(owner, Some(name)) {
            return absent;
        }

        let step = self.env.step(owner);
        if let Some(step) = step
            && step
                .of(&self.env.symbols.steps)
                .is_some_and(|step| step.outputs.iter().any(|output| output.name == name))
        {
            return self.output(span, step, Some(name), expected);
        }

        let figure = self.env.figure(owner);
        // A table step often has the name of its figure: the step is then meant.
        let is_meant = |figure: &FigureId| {
            let shape = figure.of(&self.env.symbols.figures);
            let has_rows = shape.is_some_and(Shape::has_rows);
            step.is_none() || !has_rows || self.env.row == Some(*figure)
        };
        if let Some(figure) = figure.filter(is_meant) {
            return self.column(span, figure, name, expected);
        }
        if let Some(step) = step {
            return self.output(span, step, Some(name), expected);
        }

        if self.env.is_in_part(owner) {
            let problem = hints::not_above(owner, self.env);
            return self.error(span, problem);
        }

        // The owner is misspelt: the suggestion keeps the member.
        let known = self.env.figure_names().chain(self.env.step_names());
        let near = suggestion(owner, known);
        let near = near.map(|near| format!("{near}.{name}"));
        let problem = Problem::UnknownName {
            name: format!("{owner}.{name}"),
            near,
        };
        self.error(span, option::unknown(owner, self.env, problem))
    }

    fn scale(&mut self, span: &Range<usize>, name: &str) -> Typed {
        // A text of the scale outside an answer is reported as such, even in a method without
        // dates.
        let is_in_answer = matches!(self.env.part, Part::Answer);
        let symbols = self.env.symbols;
        match ScaleField::ALL
            .into_iter()
            .find(|(known, _)| *known == name)
        {
            Some((_, field)) if !is_in_answer && field.is_for_answers() => {
                self.error(span, Problem::ScaleOutsideAnswer {})
            }
            Some((_, field))
                if !symbols.is_dated
                    && (!is_in_answer
                        || (field.of_the_day().is_some() && field != ScaleField::Year)) =>
            {
                self.error(span, Problem::DayOfUndated {})
            }
            Some((_, field)) if field.is_of_year_of_pays() && !symbols.has_year => self.error(
                span,
                Problem::SumWithoutYear {
                    word: format!("scale.{name}"),
                },
            ),
            Some((_, field)) => {
                self.reads.day |= field == ScaleField::Day;
                Typed {
                    expr: Expr::Scale(field),
                    ty: field.of_the_day().unwrap_or(Type::Text),
                }
            }
            None => {
                let near = suggestion(name, ScaleField::ALL.map(|(known, _)| known))
                    .map(|near| format!("scale.{near}"));
                self.error(
                    span,
                    Problem::UnknownName {
                        name: format!("scale.{name}"),
                        near,
                    },
                )
            }
        }
    }

    fn column(
        &mut self,
        span: &Range<usize>,
        figure: FigureId,
        name: &str,
        expected: ExpectedType,
    ) -> Typed {
        // Each row of a listed figure is at hand; elsewhere, a figure with rows needs a step that
        // looks one up.
        let listed = self.env.row == Some(figure);
        let Some(shape) = figure.of(&self.env.symbols.figures) else {
            return Typed::unknown();
        };

        // A shape with mistakes was reported where it is declared.
        if shape.columns.is_empty() {
            return Typed::unknown();
        }

        if shape.has_rows() && !listed {
            let name = shape.name.clone();
            return self.error(span, Problem::RowsOutsideTable { name });
        }

        let Some((index, column)) =
            ColumnId::enumerate(&shape.columns).find(|(_, column)| column.name == name)
        else {
            let names = shape.column_names();
            let near = suggestion(name, names.iter().copied())
                .map(|near| format!("{}.{near}", shape.name));
            let (figure, name, columns) = (shape.name.clone(), name.to_owned(), names.join(", "));
            return self.error(
                span,
                Problem::UnknownColumn {
                    figure,
                    name,
                    columns,
                    near,
                },
            );
        };

        let (ty, optional) = (column.ty, column.optional);
        self.reads.columns.insert((figure, index));
        // `given(figure)` must guard what may be absent on some day.
        if !listed && let Some(problem) = self.env.symbols.unguarded(figure, &self.known) {
            return self.error(span, problem);
        }

        if optional && !expected.optional {
            let name = format!("{}.{name}", shape.name);
            return self.error(span, Problem::MaybeEmpty { name });
        }

        Typed {
            expr: if listed {
                Expr::RowColumn(index)
            } else {
                Expr::Column(figure, index)
            },
            ty,
        }
    }
}
