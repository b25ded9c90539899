//! The form of a comparison: the amount, its currency, and the rates to be typed.

use bareme_show::{currency_name, currency_sign};
use maud::{Markup, html};

use super::PATH;
use super::exchange::Origin;
use super::parameters::{AMOUNT, CURRENCY, Parameters, RATE, RateField, START};
use crate::text::{day, number, prose};

pub(super) fn form(parameters: &Parameters) -> Markup {
    // The amount's own currency needs no rate, and a fixed one none to be typed.
    let is_chosen = |code: &str| parameters.currency.as_deref() == Some(code);
    let is_fixed = |rate: &&RateField| {
        rate.rate
            .as_ref()
            .is_some_and(|rate| matches!(rate.origin, Origin::Law(_)))
    };
    let others = || {
        parameters
            .rates
            .iter()
            .filter(|rate| !is_chosen(&rate.code))
    };

    html! {
        form.compare action=(PATH) method="get" {
            div.row {
                div.field {
                    label for="depart" { "Je pars de" }
                    select #depart name=(START) {
                        option value="brut" selected[!parameters.from_cost] {
                            "Salaire brut du mois"
                        }
                        option value="cout" selected[parameters.from_cost] {
                            "Coût employeur du mois"
                        }
                    }
                }
                div.field {
                    label for="montant" { "Montant" }
                    input #montant name=(AMOUNT) inputmode="decimal" required
                        value=(parameters.written);
                }
                div.field {
                    label for="devise" { "Monnaie du montant" }
                    select #devise name=(CURRENCY) {
                        option value="locale" selected[parameters.currency.is_none()] {
                            "même nombre en monnaie locale"
                        }
                        @for RateField { code, .. }
                        in &parameters.rates {
                            option value=(code) selected[is_chosen(code)] {
                                (currency_name(code)) " (" (code) ")"
                            }
                        }
                    }
                }
            }
            @if let Some(own) = &parameters.currency {
                (fixed(own, &others().filter(is_fixed).collect::<Vec<_>>()))
                fieldset.rates {
                    legend { "Taux de change\u{a0}: unités pour 1\u{a0}" (currency_sign(own)) }
                    @for rate in others().filter(|rate| !is_fixed(rate)) { (field(rate)) }
                }
            }
            button { "Comparer" }
        }
    }
}

/// The rates that a law fixes, with its texts.
fn fixed(own: &str, rates: &[&RateField]) -> Markup {
    // One text fixes them all.
    let texts = rates
        .iter()
        .find_map(|rate| match &rate.rate.as_ref()?.origin {
            Origin::Law(texts) => Some(texts.as_str()),
            _ => None,
        });

    html! {
        @if let Some(texts) = texts {
            p.soft {
                "Parités fixes, pour 1\u{a0}" (currency_sign(own)) "\u{a0}: "
                @for (index, rate) in rates.iter().enumerate() {
                    @if index > 0 { "\u{202f}; " }
                    (number(rate.rate.as_ref().map(|rate| rate.units).unwrap_or_default())) "\u{a0}"
                    (currency_name(&rate.code))
                }
                " (" (prose(texts)) ")."
            }
        }
    }
}

/// The field of a rate: what was typed, else the reference rate.
fn field(rate: &RateField) -> Markup {
    let RateField {
        code,
        rate,
        written,
    } = rate;
    // The reference is shown with its publisher; what a visitor types replaces it.
    let reference = rate.as_ref().and_then(|rate| match &rate.origin {
        Origin::Reference(publisher, date) => Some((rate.units, publisher, *date)),
        _ => None,
    });

    let value = reference
        .as_ref()
        .map(|(units, ..)| units.to_string().replace('.', ","))
        .unwrap_or_else(|| written.clone());

    html! {
        div.field {
            label for={ "taux-" (code) } { (currency_name(code)) }
            input id={ "taux-" (code) } name={ (RATE) (code) } inputmode="decimal" value=(value);
            @if let Some((_, publisher, date)) = reference {
                p.help { (prose(publisher)) ", " (day(date)) }
            }
        }
    }
}
