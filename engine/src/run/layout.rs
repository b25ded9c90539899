//! Layout of a program: the slots of its steps, its sections, the defaults of its inputs.

use crate::law::option;
use crate::law::step::Compiler;
use crate::law::{Figure, Input, Method, Presence, SlotId, Value};
use crate::run::program::{Default, Section};
use crate::text::power;
use crate::text::{Problem, Report};

/// The first slot of each step, after those of the inputs; and the sections.
pub(super) fn lay_out(method: &Method) -> (Vec<SlotId>, Vec<Section>) {
    let symbols = &method.symbols;
    let mut slots = symbols.inputs.len();
    let mut first_slots = Vec::with_capacity(symbols.steps.len());
    let mut sections = Vec::with_capacity(method.options.len() + 1);

    // Sections follow one another, the method's own first: a query without options then runs on a
    // prefix of the slots, and allocates no room for the others.
    for option in [None]
        .into_iter()
        .chain((0..method.options.len()).map(Some))
    {
        let steps = option::range(&symbols.steps, option, |step| step.option);
        // In the order of the steps, which `Program::step_of` searches by slot.
        for step in symbols.steps.get(steps.clone()).unwrap_or_default() {
            first_slots.push(SlotId::new(slots));
            slots += step.slot_count();
        }

        let checks = option::range(&method.checks, option, |check| check.option);
        let fields = option::range(&method.answer, option, |field| field.option);

        sections.push(Section {
            option,
            steps,
            checks,
            fields,
            slots,
        });
    }

    (first_slots, sections)
}

/// Whether each slot has a value for each item of a group: those of the inputs of groups, then
/// those of the steps with `each`.
pub(super) fn lists(method: &Method, first_slots: &[SlotId]) -> Vec<bool> {
    let inputs = method.inputs().iter().map(|input| input.group.is_some());
    let mut lists: Vec<bool> = inputs.collect();
    for (step, first) in method.steps().iter().zip(first_slots) {
        lists.resize(first.position(), false);
        lists.extend(std::iter::repeat_n(step.each.is_some(), step.slot_count()));
    }
    lists
}

/// The compiled default of an input; `None` where nothing reads it on the days of the scale, or
/// where it reads figures of an option that the scale leaves out.
pub(super) fn compiled_default(
    input: &Input,
    method: &Method,
    compiler: &mut Compiler,
) -> Option<Default> {
    let Presence::Default(expr, written) = &input.presence else {
        return None;
    };

    let index = |name: &String| {
        method
            .options
            .iter()
            .position(|option| option.name == *name)
    };

    let option = input.option.as_ref().map(index);
    if option == Some(None) || input.is_absent {
        return None;
    }

    let code = compiler.code(expr);

    // The bounds of a default that is a figure are known only with the scale; a formula is checked
    // when it is run.
    if let Some(Value::Number(value)) = code.constant()
        && input.accepts(*value).is_err()
    {
        compiler
            .report
            .error(&input.place, input.out_of_bounds(written));
    }

    Some(Default {
        code,
        option: option.flatten(),
    })
}

/// Reports a figure that is used as an exponent and is not a valid one.
pub(super) fn check_exponents(method: &Method, figures: &[Figure], report: &mut Report) {
    for (figure, column) in &method.reads.exponents {
        let found = figure
            .of(figures)
            .and_then(|found| Some((found, column.of(&found.record)?.as_ref()?)));

        if let Some((found, Value::Number(value))) = found
            && power::quarters(*value).is_none()
        {
            report.error(&found.place, Problem::BadExponent {});
        }
    }
}
