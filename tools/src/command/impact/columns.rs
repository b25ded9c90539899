//! The columns of a sample that are no parameters: the income, and those that nothing reads.

use bareme_engine::law::{Role, Type};
use bareme_show::curve::{Axis, Unit};

use super::compute::{Income, Question};
use super::sides::Side;

/// The income, where the field is what is left of it or what is taken of it, in money: only then
/// are there rates, and incomes that are left.
pub(super) fn income(side: &Side, axis: &Axis, role: Role) -> Option<Income> {
    // What is taken of a whole that the method divides is measured by it: the column that drives
    // the calculation is one of its parts.
    if axis.unit == Unit::Money && role == Role::Levy && side.whole().is_some() {
        return Some(Income::Whole);
    }

    let input = side
        .edition
        .method()
        .inputs()
        .iter()
        .find(|input| input.name == axis.input)?;

    let is_of_income =
        axis.unit == Unit::Money && role != Role::Benefit && matches!(input.ty, Type::Money(_));

    let column = side
        .columns
        .iter()
        .find(|(_, name)| *name == axis.input)
        .map(|(column, _)| Income::Column(*column));
    column.filter(|_| is_of_income)
}

pub(super) fn income_label(question: &Question, axis: &Axis) -> String {
    let whole = question.before.whole();
    let whole = whole.filter(|_| matches!(question.income, Some(Income::Whole)));
    let label = whole.and_then(|field| field.label.clone());
    label.unwrap_or_else(|| axis.input_label.clone())
}

/// The unused columns of the sample, each with the parameter that may be meant.
pub(super) fn unused(question: &Question) -> Vec<String> {
    let sides = [question.before, question.after];
    let is_read = |index: usize| {
        let is_input = sides
            .iter()
            .any(|side| side.columns.iter().any(|(column, _)| *column == index));

        is_input
            || question.weight == Some(index)
            || question.consumption == Some(index)
            || question.named_income == Some(index)
            || question.replication.reads(index)
            || question
                .groupings
                .iter()
                .any(|grouping| grouping.column == index)
    };

    let names = question.sample.schema.fields().iter().enumerate();
    names
        .filter(|(index, _)| !is_read(*index))
        .map(|(_, field)| field.name().clone())
        .collect()
}
