//! How a step was worked out, as a list that unfolds: base, rate, ceiling, article, texts.

use bareme_engine::{Calculation, Datum, Operand, Sentence, Slice, StepResult, StepTrace, Type};
use maud::{Markup, html};

use crate::site::text::{amount, capitalized, number, percent, prose};

/// The steps of a calculation; none after a fault of the engine, which is logged.
pub(super) fn steps<'c, 'f>(calculation: &'c Calculation<'f>) -> &'c [StepTrace<'f>] {
    calculation.steps().unwrap_or_else(|error| {
        tracing::error!(%error, "a simulator could not explain a calculation");
        &[]
    })
}

/// The detail of a step.
pub(super) fn detail(trace: &StepTrace, calculation: &Calculation) -> Markup {
    let decimals = calculation.edition().method().decimals;
    html! {
        dl.detail {
            @if trace.step.sentence() == Sentence::Formula && trace.step.formula.contains(' ') {
                dt { "Calcul" } dd { code { (trace.step.formula) } }
            }
            @for operand in trace.operands.iter().filter(|operand| !shown(operand).is_empty()) {
                dt { (prose(&name(operand, calculation))) } dd { (shown(operand)) }
            }
            @for limit in &trace.limits {
                @if let Some(value) = limit.value.datum().number() { dt { (capitalized(limit.modifier.phrase.fr)) } dd { (number(value)) } }
            }
            @if !trace.rounding.0.is_empty() { dt { "Arrondi" } dd { (prose(&trace.rounding.to_string())) } }
            @if let Some(law) = &trace.step.law { dt { "Article" } dd { (prose(law)) } }
            @for reference in calculation.references().iter().filter(|reference| trace.sources.contains(&reference.source.id.as_str())) {
                dt { "Texte" } dd { (source(reference.source)) }
            }
        }
        @if !trace.slices.is_empty() { (slices(&trace.slices, decimals)) }
    }
}

/// A source, with its address where it has one.
pub(in crate::site) fn source(source: &bareme_engine::Source) -> Markup {
    html! {
        @if let Some(url) = &source.url { a href=(url) rel="noreferrer" { (prose(&source.cited())) } } @else { (prose(&source.cited())) }
        " (" (prose(&source.publisher)) @if let Some(date) = source.date { ", " (date.strftime("%d/%m/%Y")) } ")"
    }
}

/// The slices in which something falls.
pub(super) fn slices(slices: &[Slice], decimals: u32) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label="Tranches" {
            table.slices {
                thead { tr { th scope="col" { "Tranche" } th.n scope="col" { "Assiette" } th.n scope="col" { "Taux" } th.n scope="col" { "Montant" } } }
                tbody {
                    @for slice in slices {
                        tr {
                            th scope="row" { (bounds(slice)) }
                            td.n { (amount(slice.base, decimals)) }
                            td.n { (percent(slice.rate)) }
                            td.n { (amount(slice.amount, decimals)) }
                        }
                    }
                }
            }
        }
    }
}

/// `de 630 000 à 1 500 000`
pub(super) fn bounds(slice: &Slice) -> String {
    match slice.to {
        Some(to) => format!("de {} à {}", number(slice.from), number(to)),
        None => format!("au-delà de {}", number(slice.from)),
    }
}

/// What came out of a step.
pub(super) fn result(trace: &StepTrace, decimals: u32) -> String {
    match &trace.result {
        _ if !trace.applied => "sans objet".to_owned(),
        StepResult::Value(found, ty) => value(found.datum(), *ty, decimals),
        StepResult::Outputs(outputs) => {
            let shown =
                |output: &Operand| format!("{} {}", output.name, value(output.value.datum(), output.ty, decimals));
            outputs.iter().map(shown).collect::<Vec<_>>().join(" ; ")
        }
    }
}

/// A value of the calculation, by its type.
pub(super) fn value(found: Datum, ty: Type, decimals: u32) -> String {
    match (found, ty) {
        (Datum::Number(rate), Type::Rate) => percent(rate),
        (Datum::Number(found), Type::Money(_)) => amount(found, decimals),
        (Datum::Number(found), _) => number(found.round_dp(6).normalize()),
        (Datum::Boolean(true), _) => "oui".to_owned(),
        (Datum::Boolean(false), _) => "non".to_owned(),
        (Datum::Text(text), _) => text.to_owned(),
        (Datum::Shown(shown), _) => shown.to_string(),
        _ => String::new(),
    }
}

fn shown(operand: &Operand) -> String {
    value(operand.value.datum(), operand.ty, 2)
}

/// What an operand is: the label of an input or of a step, or the word of its kind.
fn name(operand: &Operand, calculation: &Calculation) -> String {
    let method = calculation.edition().method();
    let input = method.inputs().iter().find(|input| input.name == operand.name).map(|input| input.label.clone());
    let step = || method.steps().iter().find(|step| step.name == operand.name).and_then(|step| step.label.clone());
    let spelled = || match operand.name {
        "assiette" => "Assiette retenue".to_owned(),
        "au_dela_de" => "Au-delà de".to_owned(),
        "base" => "Base".to_owned(),
        "plafond" => "Plafond".to_owned(),
        "plancher" => "Plancher".to_owned(),
        "taux" => "Taux".to_owned(),
        other => format!("`{other}`"),
    };
    input.or_else(step).unwrap_or_else(spelled)
}
