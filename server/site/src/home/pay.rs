//! The pay form of the home page: an amount, its period, a country; and its net pay.

use bareme_api::wire::query::{Query, value};
use bareme_engine::service::Rules;
use bareme_engine::text::Text;
use jiff::civil::Date;
use maud::{Markup, html};

use crate::catalogue::ListedFolder;
use crate::compare;
use crate::folder_pictures::image;
use crate::language;
use crate::simulator::{Glimpse, GlimpseError, HOUR, MONTH, PERIOD, YEAR};
use crate::text::{prose, say};

/// Parameters of the form.
const AMOUNT: &str = "brut";
const COUNTRY: &str = "pays";

/// The words of [`PERIOD`], each with what it is called.
const PERIODS: [(&str, Text); 3] = [
    (MONTH, Text::new("par mois", "per month")),
    (YEAR, Text::new("par an", "per year")),
    (HOUR, Text::new("par heure", "per hour")),
];

/// The parameters of the pay form.
struct Asked<'r> {
    /// The countries with a pay, each with its name, in alphabetical order.
    countries: Vec<(&'r str, ListedFolder<'r>)>,
    /// The one that is asked, by index.
    country: usize,
    /// The amount, as it was typed; none at the first visit.
    amount: Option<String>,
    /// The word of its period.
    period: &'static str,
}

impl<'r> Asked<'r> {
    fn read(rules: &'r Rules, query: &str) -> Option<Self> {
        let pairs = Query::read(query).pairs;
        let sent = |name: &str| {
            value(&pairs, name)
                .map(str::trim)
                .filter(|value| !value.is_empty())
        };
        let countries = compare::countries(rules);

        // The first pay of the catalogue, unless another one is asked.
        let first = crate::catalogue::all(rules)
            .into_iter()
            .find_map(|listed| position(&countries, listed.folder.path()))?;

        let asked = sent(PERIOD);
        let period = PERIODS.into_iter().find(|(word, _)| asked == Some(word));
        let country = sent(COUNTRY).and_then(|path| position(&countries, path));
        Some(Self {
            country: country.unwrap_or(first),
            countries,
            amount: sent(AMOUNT).map(str::to_owned),
            period: period.map_or(MONTH, |(word, _)| word),
        })
    }

    fn listed(&self) -> Option<&ListedFolder<'r>> {
        self.countries.get(self.country).map(|(_, listed)| listed)
    }
}

fn position(countries: &[(&str, ListedFolder)], path: &str) -> Option<usize> {
    let mut countries = countries.iter();
    countries.position(|(_, listed)| listed.folder.path() == path)
}

/// The form, and the pay that it asks for.
pub(super) fn pay(rules: &Rules, query: &str, today: Date) -> Markup {
    let Some(asked) = Asked::read(rules, query) else {
        return html! {};
    };
    let Some(listed) = asked.listed() else {
        return html! {};
    };

    let lang = rules.service().lang;
    let found = Glimpse::new(rules, listed, asked.amount.as_deref(), asked.period, today);
    let amount = match &found {
        Ok(glimpse) => glimpse.amount.clone(),
        // A refused amount stays as it was typed, to be put right.
        Err(_) => asked.amount.clone().unwrap_or_default(),
    };

    html! {
        form.pay action=(language::home(lang)) method="get" {
            div.field {
                label for="brut" { (say(lang, "Mon salaire brut", "My gross pay")) }
                input #brut name=(AMOUNT) inputmode="decimal" value=(amount) autocomplete="off"
                    aria-invalid=[found.is_err().then_some("true")];
            }
            div.field {
                label for="par" { (say(lang, "Période", "Period")) }
                select #par name=(PERIOD) {
                    @for (word, label) in PERIODS {
                        option value=(word) selected[word == asked.period] {
                            (label.in_lang(lang))
                        }
                    }
                }
            }
            div.field {
                label for="pays" { (say(lang, "Pays", "Country")) }
                select #pays name=(COUNTRY) {
                    @for (index, (name, listed)) in asked.countries.iter().enumerate() {
                        option value=(listed.folder.path()) selected[index == asked.country] {
                            (prose(name))
                        }
                    }
                }
            }
            button { (say(lang, "Calculer", "Calculate")) }
        }
        @match &found {
            Ok(glimpse) => {
                section.answer aria-label=(say(lang, "Résultat", "Result")) {
                    (glimpse.headline)
                    p.actions {
                        a.button href=(glimpse.link) {
                            (say(
                                lang,
                                "Voir le détail et changer ma situation",
                                "See the detail and change my situation"
                            ))
                        }
                    }
                }
            }
            Err(GlimpseError(reasons)) => {
                div.refused role="alert" {
                    @for reason in reasons { p { (prose(reason)) } }
                }
            }
        }
    }
}

/// The countries, each with the link to its pay.
pub(super) fn countries(rules: &Rules) -> Markup {
    html! {
        ul.places {
            @for (name, listed) in compare::countries(rules) {
                li { a href=(listed.simulator()) { (image(listed.folder)) (prose(name)) } }
            }
        }
    }
}
