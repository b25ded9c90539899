//! The whole calculation, step by step, for those who unfold it.

use bareme_engine::Calculation;
use bareme_engine::law::Method;
use bareme_engine::run::StepTrace;
use bareme_show::{Locale, trace as explained};
use maud::{Markup, html};

use super::question::{Question, STEPS};
use super::trace;
use crate::text::{printed, prose, say};

/// The steps, in the order of the law, or the link to them.
///
/// They are half of the bytes of a page and few people read them: they come with a page that asks
/// for [`STEPS`], as the script does once they are unfolded.
pub(super) fn steps(question: &Question, calculation: &Calculation) -> Markup {
    let method = calculation.edition().method();
    let lang = method.lang;

    let (applied, skipped): (Vec<&StepTrace>, Vec<&StepTrace>) = trace::steps(calculation)
        .iter()
        .partition(|step| step.applied);
    if applied.is_empty() {
        return html! {};
    }

    html! {
        details.block #etapes open[question.shows_steps] {
            summary {
                (say(lang, "Tout le calcul, étape par étape (", "The whole calculation, step by step ("))
                (applied.len()) ")"
            }
            @if question.shows_steps {
                ol.steps {
                    @for step in applied {
                        li {
                            div.step {
                                strong { (prose(&step.title(method))) } (one_value(step, method))
                            }
                            (trace::detail(step, calculation))
                        }
                    }
                }
                (without(&skipped, method))
            } @else {
                p {
                    a href=(link(question)) data-etapes {
                        (say(lang, "Afficher toutes les étapes", "Show all steps"))
                    }
                }
            }
        }
    }
}

/// The link to the same page with its steps: a query alone, since the page may be in a frame.
fn link(question: &Question) -> String {
    let with_steps = question.link_with(vec![(STEPS.to_owned(), "oui".to_owned())]);
    let query = with_steps.split_once('?').map(|(_, query)| query);
    format!("?{}#etapes", query.unwrap_or_default())
}

/// The result of a step, beside its title; the values of one that has several are among its
/// details.
fn one_value(step: &StepTrace, method: &Method) -> Markup {
    html! {
        @if let Some(shown) = explained::step_value(step, method, Locale::page(method.lang)) {
            span.n { (shown) }
        }
    }
}

/// The names of the steps that did not apply: their absence is an answer too.
fn without(skipped: &[&StepTrace], method: &Method) -> Markup {
    let lang = method.lang;

    // Two steps may have one title: that of an employee and that of the employer.
    let mut titles: Vec<String> = Vec::new();
    for title in skipped.iter().map(|step| printed(&step.title(method))) {
        if !titles.contains(&title) {
            titles.push(title);
        }
    }

    html! {
        @if !titles.is_empty() {
            p.soft {
                (say(lang, "Sans objet ici\u{a0}: ", "Not applicable here: "))
                (titles.join(say(lang, "\u{202f}; ", "; "))) "."
            }
        }
    }
}
