//! The explanation of a step as a list that unfolds: base, rate, ceiling, article, sources.

use bareme_engine::run::{Edition, StepResult, StepTrace};
use bareme_engine::{Calculation, Lang};
use bareme_show::{Locale, Pay, trace};
use maud::{Markup, html};
use rust_decimal::Decimal;

use crate::figures::anchor;
use crate::scales;
use crate::table::table;
use crate::text::{prose, say};

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
    let locale = Locale::page(method.lang);
    let outputs = trace::outputs(step, method, locale);

    html! {
        dl.detail {
            @for (term, value) in outputs.into_iter().chain(
                trace::details(step, method, locale)
            ) {
                // The law is cited as it is published.
                @let is_law = step.step.law.as_deref() == Some(value.as_str());
                dt { (prose(&term)) }
                dd lang=[foreign(method.lang).filter(|_| is_law)] { (prose(&value)) }
            }
            @if let Some(link) = history(step, calculation) {
                dt { (say(method.lang, "Historique", "History")) }
                dd {
                    a href=(link) hreflang=[foreign(method.lang)] {
                        (say(
                            method.lang,
                            "le chiffre, édition par édition",
                            "the figure, edition by edition (in French)"
                        ))
                    }
                }
            }
            // Only the texts that this step cites.
            @for reference in references.filter(
                |reference| step.sources.contains(&reference.id.as_ref())
            ) {
                dt { (say(method.lang, "Texte", "Source")) }
                dd { (source(reference.source, method.lang)) }
            }
        }
        @if !step.slices.is_empty() {
            (table(
                &trace::slices(&step.slices, method.decimals, locale),
                "slices",
                say(method.lang, "Tranches", "Bands")
            ))
        }
    }
}

/// The link to the figure of a step on the page of its scale, where it has several editions.
fn history(step: &StepTrace, calculation: &Calculation) -> Option<String> {
    let figures = calculation.edition().method().figures();
    let figure = step.step.figures.first()?.of(figures)?;

    let folder = calculation.folder();
    let dated = folder.editions().iter().filter_map(Edition::scale);
    let is_compared = dated.count() > 1;
    is_compared.then(|| {
        let anchor = anchor(&figure.name);
        format!("{}/{}#{anchor}", scales::PATH, folder.path())
    })
}

/// A source, with its address where it has one.
pub(crate) fn source(source: &bareme_engine::law::Source, lang: Lang) -> Markup {
    let written = html! {
        @if let Some(url) = &source.url {
            a href=(url) rel="noreferrer" { (prose(&source.cited())) }
        } @else {
            (prose(&source.cited()))
        }
        " (" (prose(&source.publisher))
        @if let Some(date) = source.date { ", " (date.strftime("%d/%m/%Y")) } ")"
    };
    // A text of the law is cited as it is published.
    html! {
        @if let Some(lang) = foreign(lang) { span lang=(lang) { (written) } } @else { (written) }
    }
}

/// The language of what is quoted, where it is not that of the page.
pub(crate) fn foreign(page: Lang) -> Option<&'static str> {
    (page == Lang::En).then_some("fr")
}
