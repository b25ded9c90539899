//! The explanation of a step as a list that unfolds: base, rate, ceiling, article, sources.

use bareme_engine::Calculation;
use bareme_engine::run::{StepResult, StepTrace};
use bareme_show::{Locale, Pay, trace};
use maud::{Markup, html};
use rust_decimal::Decimal;

use crate::table::table;
use crate::text::prose;

/// The steps of a calculation; empty after an internal error, which is logged.
pub(super) fn steps<'c, 'f>(calculation: &'c Calculation<'f>) -> &'c [StepTrace<'f>] {
    calculation.steps().unwrap_or_else(|error| {
        tracing::error!(%error, "a simulator could not explain a calculation");
        &[]
    })
}

/// The value of a step, if it is a number.
pub(super) fn number(calculation: &Calculation, name: &str) -> Option<Decimal> {
    // A step that was skipped has no value.
    let trace = steps(calculation)
        .iter()
        .find(|trace| trace.step.name == name && trace.applied)?;

    if let StepResult::Value(value, _) = &trace.result {
        value.datum().number()
    } else {
        None
    }
}

/// The pay of a calculation; `None` where its method has no net, or after an internal error, which
/// is logged.
pub(super) fn pay<'c, 'f>(calculation: &'c Calculation<'f>) -> Option<Pay<'c, 'f>> {
    // The answer is shown without its explanation.
    Pay::new(calculation).unwrap_or_else(|error| {
        tracing::error!(%error, "a simulator could not explain a calculation");
        None
    })
}

pub(super) fn detail(step: &StepTrace, calculation: &Calculation) -> Markup {
    let method = calculation.edition().method();

    let references = calculation.references().iter();
    let outputs = trace::outputs(step, method, Locale::PAGE);

    html! {
        dl.detail {
            @for (term, value) in outputs.into_iter().chain(
                trace::details(step, method, Locale::PAGE)
            ) {
                dt { (prose(&term)) } dd { (prose(&value)) }
            }
            // Only the texts that this step cites.
            @for reference in references.filter(
                |reference| step.sources.contains(&reference.id.as_ref())
            ) {
                dt { "Texte" } dd { (source(reference.source)) }
            }
        }
        @if !step.slices.is_empty() {
            (table(
                &trace::slices(&step.slices, method.decimals, Locale::PAGE),
                "slices",
                "Tranches"
            ))
        }
    }
}

/// A source, with its address where it has one.
pub(crate) fn source(source: &bareme_engine::law::Source) -> Markup {
    html! {
        @if let Some(url) = &source.url {
            a href=(url) rel="noreferrer" { (prose(&source.cited())) }
        } @else {
            (prose(&source.cited()))
        }
        " (" (prose(&source.publisher))
        @if let Some(date) = source.date { ", " (date.strftime("%d/%m/%Y")) } ")"
    }
}
