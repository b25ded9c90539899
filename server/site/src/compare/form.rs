//! The form of a comparison: the amount, its currency, the countries, and the rates to be typed.

use bareme_engine::Lang;
use bareme_engine::text::excerpt;
use bareme_show::{Locale, currency_name, with_currency};
use maud::{Markup, html};

use super::country::Country;
use super::exchange::Origin;
use super::parameters::{
    AMOUNT, COUNTRY, CURRENCY, Parameters, RATE, RateField, START, UnknownCountry,
};
use super::{PATH, RESULT};
use crate::folder_pictures::image;
use crate::language::localized;
use crate::simulator::{decimal, foreign};
use crate::text::{day_in, prose, say};

/// The form, for its fields that are elsewhere on the page.
const FORM: &str = "comparaison";

/// How many words that are no country are shown, at most: a link may hold hundreds.
const MOST: usize = 5;

/// The form: the amount, its currency and the countries. The rates are below the result.
pub(super) fn form(parameters: &Parameters, countries: &[Country], lang: Lang) -> Markup {
    let is_own = |code: &str| parameters.currency.as_deref() == Some(code);

    html! {
        // The result is below a form that fills the screen of a telephone: it is gone to.
        form.compare #(FORM) action={ (localized(PATH, lang)) "#" (RESULT) } method="get" {
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
                            option value=(code) selected[is_own(code)] {
                                (currency_name(code, lang)) " (" (code) ")"
                            }
                        }
                    }
                }
            }
            (choice(parameters, countries, lang))
            button { (say(lang, "Comparer", "Compare")) }
        }
    }
}

/// The choice of the countries: all of them, where none is ticked.
fn choice(parameters: &Parameters, countries: &[Country], lang: Lang) -> Markup {
    let chosen = countries
        .iter()
        .filter(|country| parameters.is_chosen(country))
        .count();

    html! {
        details open[parameters.compares_none()] {
            summary {
                @if parameters.compares_none() {
                    (say(lang, "Pays à comparer", "Countries to compare"))
                } @else if chosen == 0 {
                    (say(lang, "Tous les pays\u{a0}: en choisir", "All countries: choose some"))
                } @else {
                    (say(lang, "Pays choisis", "Countries chosen")) " (" (chosen) ")"
                }
            }
            fieldset.rates {
                legend { (say(lang, "Pays à comparer", "Countries to compare")) }
                @for country in countries {
                    label.check {
                        input type="checkbox" name=(COUNTRY) value=(country.listed.folder.path())
                            checked[parameters.is_chosen(country)];
                        " " (image(country.listed.folder)) (prose(country.name))
                    }
                }
            }
        }
    }
}

/// The message of words that are no country of the service, with the nearest country.
pub(super) fn unknown(parameters: &Parameters, lang: Lang) -> Markup {
    html! {
        @if !parameters.unknown.is_empty() {
            div.wrong #pays-inconnus role="alert" {
                @for UnknownCountry { word, near } in parameters.unknown.iter().take(MOST) {
                    p {
                        (say(lang, "«\u{a0}", "“")) (excerpt(word))
                        (say(
                            lang,
                            "\u{a0}» n’est pas un pays dont le service calcule le salaire.",
                            "” is not a country whose pay the service calculates."
                        ))
                        @if let Some((name, query)) = near {
                            (say(lang, " Vouliez-vous dire ", " Did you mean "))
                            a href={ (localized(PATH, lang)) "?" (query) } { (prose(name)) }
                            (say(lang, "\u{202f}?", "?"))
                        }
                    }
                }
                @if parameters.compares_none() {
                    p {
                        (say(
                            lang,
                            "Il ne reste aucun pays à comparer\u{a0}: choisissez-en dans le \
                             formulaire.",
                            "No country is left to compare: choose some in the form."
                        ))
                    }
                }
            }
        }
    }
}

/// The exchange rates of the countries that are compared: those that a law fixes, and a field of
/// the form for each of the others. The amount's own currency needs none.
pub(super) fn rates(parameters: &Parameters, countries: &[Country], lang: Lang) -> Markup {
    let Some(own) = &parameters.currency else {
        return html! {};
    };
    let is_compared = |rate: &&RateField| {
        let mut compared = countries
            .iter()
            .filter(|country| parameters.compares(country));
        rate.code != *own && compared.any(|country| country.code == rate.code)
    };
    let is_fixed = |rate: &&RateField| {
        let origin = rate.rate.as_ref().map(|rate| &rate.origin);
        matches!(origin, Some(Origin::Law(_)))
    };
    let others = parameters.rates.iter().filter(is_compared);
    let (fixed_rates, typed): (Vec<_>, Vec<_>) = others.partition(is_fixed);

    html! {
        @if !typed.is_empty() {
            fieldset.rates.screen {
                legend {
                    (say(lang, "Taux de change\u{a0}: unités pour ", "Exchange rates: units for "))
                    (with_currency("1", own, lang)) }
                @for rate in typed { (field(rate, lang)) }
            }
            p.screen {
                button form=(FORM) {
                    (say(lang, "Comparer à ces taux", "Compare at these rates"))
                }
            }
        }
        (fixed(own, &fixed_rates, lang))
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
            input id={ "taux-" (code) } name={ (RATE) (code) } form=(FORM) inputmode="decimal"
                value=(value);
            @if let Some((_, publisher, date)) = reference {
                p.help { (prose(publisher)) ", " (day_in(date, lang)) }
            }
        }
    }
}
