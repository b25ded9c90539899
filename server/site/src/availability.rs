//! `/etat`: the availability of the service over the last ninety days, as all nodes measured it,
//! beside what the plans aim at.

use std::collections::BTreeMap;

use bareme_accounts::day::Day;
use bareme_accounts::store::availability::{
    AVAILABILITY_DAYS, CALLS_A_FAILURE, MINUTES_OF_DAY, ServedDay,
};
use bareme_engine::service::{Plan, Service, Variant};
use jiff::civil::Date;
use maud::{Markup, html};
use rust_decimal::{Decimal, RoundingStrategy};

use super::layout::Page;
use super::table::wide;
use super::text::{day, number, prose};

/// Path of the page.
pub const PATH: &str = "/etat";

/// Digits of a share, in JSON; the page shows two digits of its percentage.
const DIGITS: u32 = 6;

/// Word of a plan's terms that states an availability.
const AIM: &str = "disponibilité";

/// The measured availability of the service.
#[derive(Debug)]
pub struct Availability {
    /// Each day since the first that was measured, the oldest first.
    pub days: Vec<MeasuredDay>,
}

/// The availability of a day.
#[derive(Debug, PartialEq, Eq)]
pub struct MeasuredDay {
    /// The day, in UTC.
    pub date: Date,
    /// Minutes since the first that was measured that are over.
    pub measured: u16,
    /// Those of them in which the service answered.
    pub available: u16,
    /// Calls of the API.
    pub calls: i64,
    /// Those of them that failed for a reason of the service.
    pub failed: i64,
}

impl Availability {
    /// The availability by the minutes in the store, at a minute of a day.
    pub fn new(served: &[ServedDay], now: (Day, u16)) -> Self {
        let by_day: BTreeMap<i32, &ServedDay> =
            served.iter().map(|served| (served.day.0, served)).collect();
        let Some(first) = served.first() else {
            return Self { days: Vec::new() };
        };

        // A day without a single minute is one of complete unavailability, not one to leave out.
        let days = (first.day.0..=now.0.0).map(|number| {
            let start = if number == first.day.0 {
                first.first
            } else {
                0
            };
            // The nodes write a minute shortly after its end.
            let ended = if number == now.0.0 {
                now.1.saturating_sub(1)
            } else {
                MINUTES_OF_DAY
            };

            let measured = ended.saturating_sub(start);
            let known = by_day.get(&number);
            MeasuredDay {
                date: Day(number).date(),
                measured,
                available: known.map_or(0, |known| known.minutes).min(measured),
                calls: known.map_or(0, |known| known.calls),
                failed: known.map_or(0, |known| known.failed),
            }
        });
        Self {
            days: days.collect(),
        }
    }

    /// Share of the measured minutes of the last days in which the service answered, rounded down;
    /// `None` if none was measured.
    pub fn ratio(&self, days: i32) -> Option<Decimal> {
        let last = self.days.iter().rev().take(usize::try_from(days).ok()?);
        let (measured, available) = last.fold((0_u32, 0_u32), |(measured, available), day| {
            (
                measured + u32::from(day.measured),
                available + u32::from(day.available),
            )
        });
        // Division by zero gives none: a service that was never measured has no share.
        let share = Decimal::from(available).checked_div(Decimal::from(measured))?;
        // Rounded down: 99.9999 % is never shown as 100.
        Some(
            share
                .round_dp_with_strategy(DIGITS, RoundingStrategy::ToZero)
                .normalize(),
        )
    }
}

impl MeasuredDay {
    fn unavailable(&self) -> u16 {
        self.measured.saturating_sub(self.available)
    }
}

/// The page.
pub fn page(service: &Service, measured: &Availability) -> String {
    let troubled: Vec<&MeasuredDay> = measured
        .days
        .iter()
        .rev()
        .filter(|day| day.unavailable() > 0)
        .collect();

    let content = html! {
        h1 { "État du service" }
        dl.headline {
            div.net { dt { "Disponibilité, 30 jours" } dd #mois { (share(measured.ratio(30))) } }
            div { dt { "Disponibilité, 90 \
                        jours" } dd #trimestre { (share(measured.ratio(AVAILABILITY_DAYS))) } }
        }
        p {
            "La disponibilité est la part des minutes, de jour comme de nuit, où un serveur au \
             moins était prêt à répondre et où moins d’une réponse sur "
            (CALLS_A_FAILURE) " a échoué par notre faute. Les interruptions annoncées comptent \
                               comme les autres\u{a0}; les jours commencent à minuit UTC."
        }
        @if let Some(first) = measured.days.first() {
            p.soft { "Mesuré depuis le " (day(first.date)) "." }
        } @else {
            p.soft { "La mesure vient de commencer\u{a0}: aucune minute n’est encore écrite." }
        }
        (aims(service))
        h2 { "Jours avec une interruption" }
        @if troubled.is_empty() {
            p { "Aucun sur la période mesurée." }
        } @else {
            (table("Jours avec une interruption", &troubled))
        }
        @if !measured.days.is_empty() {
            details {
                summary { "Tous les jours" }
                (table("Tous les jours", &measured.days.iter().rev().collect::<Vec<_>>()))
            }
        }
    };
    Page {
        title: "État du service",
        description: "La disponibilité mesurée du service sur les 90 derniers jours, minute par \
                      minute.",
        path: Some(PATH),
        content,
        ..Page::default()
    }
    .render(service)
}

/// What the plans aim at, in the words of their terms.
fn aims(service: &Service) -> Markup {
    // The aim is one of the sentences of `service.yaml`, known by its word.
    let of_plan = |variant: &'_ Variant, plan: &'_ Plan| {
        let aim = plan.terms.iter().find(|term| term.contains(AIM))?;
        Some((plan.title.clone(), variant.title.clone(), aim.clone()))
    };

    let aims: Vec<(String, String, String)> = service
        .variants
        .iter()
        .flat_map(|variant| {
            variant
                .plans
                .iter()
                .filter_map(move |plan| of_plan(variant, plan))
        })
        .collect();

    html! {
        @if !aims.is_empty() {
            h2 { "Ce que visent les offres" }
            ul {
                @for (plan, variant, aim) in &aims {
                    li { (prose(plan)) " (" (prose(variant)) ")\u{a0}: " (prose(aim)) }
                }
            }
        }
    }
}

fn table(label: &str, days: &[&MeasuredDay]) -> Markup {
    html! {
        (wide(
            label,
            html! {
                table {
                    thead { tr {
                        th scope="col" { "Jour" }
                        th scope="col" { "Minutes indisponibles" }
                        th scope="col" { "Appels" }
                        th scope="col" { "Appels en échec" }
                    } }
                    tbody {
                        @for measured in days {
                            tr {
                                td { (day(measured.date)) }
                                td { (number(measured.unavailable().into())) }
                                td { (number(measured.calls.into())) }
                                td { (number(measured.failed.into())) }
                            }
                        }
                    }
                }
            }
        ))
    }
}

/// A share as a percentage with two digits, rounded down.
fn share(ratio: Option<Decimal>) -> String {
    let Some(ratio) = ratio else {
        return "non mesurée".to_owned();
    };
    let percentage = ratio.saturating_mul(Decimal::ONE_HUNDRED);
    let rounded = percentage.round_dp_with_strategy(2, RoundingStrategy::ToZero);
    format!("{}\u{a0}%", number(rounded.normalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(day: i32, first: u16, minutes: u16) -> ServedDay {
        ServedDay {
            day: Day(day),
            first,
            minutes,
            calls: 10,
            failed: 0,
        }
    }

    #[test]
    fn minutes_without_a_node_are_unavailable() {
        // Measured from minute 1 000 of day 0 on; nothing on day 1; now is minute 61 of day 2.
        let measured = Availability::new(&[served(0, 1_000, 440), served(2, 0, 59)], (Day(2), 61));
        let minutes: Vec<(u16, u16)> = measured
            .days
            .iter()
            .map(|day| (day.measured, day.available))
            .collect();
        assert_eq!(minutes, [(440, 440), (1_440, 0), (60, 59)]);
        // 499 of 1 940 minutes; the last day alone: 59 of 60.
        assert_eq!(measured.ratio(90), Some(Decimal::new(257_216, 6)));
        assert_eq!(measured.ratio(1), Some(Decimal::new(983_333, 6)));
        assert_eq!(share(measured.ratio(1)), "98,33\u{a0}%");
    }

    #[test]
    fn a_share_is_rounded_down_and_may_be_unknown() {
        assert_eq!(Availability::new(&[], (Day(2), 61)).ratio(30), None);
        assert_eq!(share(Some(Decimal::new(999_999, 6))), "99,99\u{a0}%");
        assert_eq!(share(Some(Decimal::ONE)), "100\u{a0}%");
        // The first minute that was measured is not over.
        assert_eq!(
            Availability::new(&[served(2, 61, 1)], (Day(2), 61)).ratio(30),
            None
        );
    }
}
