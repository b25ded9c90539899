//! The explanation of an answer: one object a step, in payslip order, read from the run that gave it.

use crate::answer::{Form, Shown};
use crate::formula::State;
use crate::json::Json;
use crate::references::References;
use crate::step::BoundStep;
use crate::types::{Type, Value};

/// What went into a step and came out of it, by which article and sources.
pub(crate) fn explain<'a>(
    step: &'a BoundStep,
    state: &State,
    shown: &Shown<'a>,
    references: &'a References,
) -> Json<'a> {
    let mut members =
        vec![("nom".into(), Json::text(step.name.as_str())), ("libelle".into(), Json::text(step.title()))];
    if !step.modifiers.applies(state).unwrap_or(false) {
        members.push(("applique".into(), Json::Boolean(false)));
        return Json::Object(members);
    }
    // Values keep all their decimals: an explanation hides no rounding.
    let value = |value: &Value, ty: Type| shown.value(value.clone(), full(ty), Form::Plain).unwrap_or(Json::Null);
    let operands = step.compute.operands(state, step.slot).into_iter();
    let operands = operands.map(|(name, operand)| (name.into(), value(&operand, Type::Number)));
    members.push(("genre".into(), Json::text(step.kind)));
    members.push(("operandes".into(), Json::Object(operands.collect())));
    let slices = shown.filled_slices(step, state);
    if !slices.is_empty() {
        members.push(("tranches".into(), Json::List(slices)));
    }
    for (name, operand) in step.modifiers.operands(state) {
        members.push((name.into(), value(&operand, Type::Number)));
    }
    let output = |rank: usize, ty: Type| value(state.get(step.slot + rank), ty);
    let result = match step.main.and_then(|main| Some((main, step.outputs.get(main)?))) {
        Some((main, (_, ty))) => output(main, *ty),
        None => {
            let outputs = step.outputs.iter().enumerate();
            Json::Object(outputs.map(|(rank, (name, ty))| (name.as_str().into(), output(rank, *ty))).collect())
        }
    };
    members.push(("resultat".into(), result));
    members.extend(step.law.as_deref().map(|law| ("loi".into(), Json::text(law))));
    let sources = references.ids(&step.figures, &state.cited);
    if !sources.is_empty() {
        members.push(("sources".into(), Json::List(sources.into_iter().map(Json::text).collect())));
    }
    Json::Object(members)
}

/// The type in which a result keeps its decimals.
fn full(ty: Type) -> Type {
    if matches!(ty, Type::Money(_)) { Type::Number } else { ty }
}
