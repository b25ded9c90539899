//! The form of a comparison: the amount, its currency, and the rates to be typed.

use bareme_engine::Lang;
use bareme_show::{Locale, currency_name, with_currency};
use maud::{Markup, html};

use super::PATH;
use super::exchange::Origin;
use super::parameters::{AMOUNT, CURRENCY, Parameters, RATE, RateField, START};
use crate::language::localized;
use crate::simulator::{decimal, foreign};
use crate::text::{day_in, prose, say};

pub(super) fn form(parameters: &Parameters, lang: Lang) -> Markup {
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
        form.compare action=(localized(PATH, lang)) method="get" {
            div.row {
                div.field {
                    label for="depart" { (say(lang, "Je pars de", "Start from")) }
                    select #depart name=(START) {
                        option value="brut" selected[!parameters.from_cost] {
                            (say(lang, "Salaire brut du mois", "Gross pay per month"))
                        }
                        option value="cout" selected[parameters.from_cost] {
                            (say(lang, "Coût employeur du mois", "Employer cost per month"))
                        }
                    }
                }
                div.field {
                    label for="montant" { (say(lang, "Montant", "Amount")) }
                    input #montant name=(AMOUNT) inputmode="decimal" required
                        value=(parameters.written);
                }
                div.field {
                    label for="devise" { (say(lang, "Monnaie du montant", "Currency of the amount")) }
                    select #devise name=(CURRENCY) {
                        option value="locale" selected[parameters.currency.is_none()] {
                            (say(
                                lang,
                                "même nombre en monnaie locale",
                                "same number in local currency"
                            ))
                        }
                        @for RateField { code, .. }
                        in &parameters.rates {
                            option value=(code) selected[is_chosen(code)] {
                                (currency_name(code, lang)) " (" (code) ")"
                            }
                        }
                    }
                }
            }
            @if let Some(own) = &parameters.currency {
                (fixed(own, &others().filter(is_fixed).collect::<Vec<_>>(), lang))
                fieldset.rates {
                    legend {
                        (say(lang, "Taux de change\u{a0}: unités pour ", "Exchange rates: units for "))
                        (with_currency("1", own, lang)) }
                    @for rate in others().filter(|rate| !is_fixed(rate)) { (field(rate, lang)) }
                }
            }
            button { (say(lang, "Comparer", "Compare")) }
        }
    }
}

/// The rates that a law fixes, with its texts.
fn fixed(own: &str, rates: &[&RateField], lang: Lang) -> Markup {
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
                (say(lang, "Parités fixes, pour ", "Fixed parities, for "))
                (with_currency("1", own, lang)) (say(lang, "\u{a0}: ", ": "))
                @for (index, rate) in rates.iter().enumerate() {
                    @if index > 0 { (say(lang, "\u{202f}; ", "; ")) }
                    @let units = rate.rate.as_ref().map(|rate| rate.units);
                    (Locale::page(lang).number(units.unwrap_or_default())) "\u{a0}"
                    (currency_name(&rate.code, lang))
                }
                " (" span lang=[foreign(lang)] { (prose(texts)) } ")."
            }
        }
    }
}

/// The field of a rate: what was typed, else the reference rate.
fn field(rate: &RateField, lang: Lang) -> Markup {
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
        .map(|(units, ..)| decimal(&units.to_string(), lang))
        .unwrap_or_else(|| written.clone());

    html! {
        div.field {
            label for={ "taux-" (code) } { (currency_name(code, lang)) }
            input id={ "taux-" (code) } name={ (RATE) (code) } inputmode="decimal" value=(value);
            @if let Some((_, publisher, date)) = reference {
                p.help { (prose(publisher)) ", " (day_in(date, lang)) }
            }
        }
    }
}
