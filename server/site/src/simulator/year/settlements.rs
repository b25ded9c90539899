//! Settlements in a year: amounts that are recomputed from the first month on, and the part that a
//! month takes back.

use bareme_engine::run::{Earlier, StepTrace, YearCalculation};
use bareme_engine::say;
use bareme_show::Table;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::super::amounts::Money;
use super::super::trace;
use super::months::{between, month_name};
use crate::table::table;
use crate::text::{printed, prose, say};

/// A step whose cumulative amount is recomputed each month, with its amounts.
struct Settlement<'y> {
    name: &'y str,
    title: &'y str,
    /// Cumulative amount and the amount of the earlier months, by month.
    months: Vec<(i8, Earlier)>,
}

/// The settlements in sentences, and the cumulative amounts by month.
pub(super) fn settlements(year: &YearCalculation, money: Money) -> Markup {
    let all = found(year);
    let lang = money.lang();
    let first = year.months().first();

    let Some(first) = first.map(|month| month_name(month.month, lang)) else {
        return html! {};
    };

    // Only months that take something back have a sentence; the table has all of them.
    let taken_back: Vec<(&Settlement, Vec<&(i8, Earlier)>)> = all
        .iter()
        .map(|settled| {
            (
                settled,
                settled
                    .months
                    .iter()
                    .filter(|(_, earlier)| is_taken_back(*earlier))
                    .collect(),
            )
        })
        .filter(|(_, months): &(&Settlement, Vec<_>)| !months.is_empty())
        .collect();

    html! {
        @if !all.is_empty() {
            section.settled aria-label=(say(lang, "Régularisations", "Settlements")) {
                h2 { (say(lang, "Régularisations", "Settlements")) }
                p {
                    (say(
                        lang,
                        "Ce qu’un texte fait cumuler (assiettes, plafonds, maximums, réductions) \
                         se calcule depuis ",
                        "What the law adds up over the year (bases, ceilings, maximums, \
                         reductions) is calculated from "
                    ))
                    (first)
                    (say(
                        lang,
                        "\u{a0}; chaque mois reçoit le cumul, moins ce que les mois précédents \
                         ont déjà compté. ",
                        " on; each month receives the sum so far, less what the months before \
                         have counted already. "
                    ))
                    @if taken_back.is_empty() {
                        (say(
                            lang,
                            "Aucun mois ne reprend rien ici.",
                            "No month takes anything back here."
                        ))
                    } @else {
                        (say(
                            lang,
                            "Quand le cumul baisse, la différence est reprise\u{a0}:",
                            "When the sum so far falls, the difference is taken back:"
                        ))
                    }
                }
                @if !taken_back.is_empty() {
                    ul {
                        @for (settled, months) in &taken_back {
                            li {
                                strong { (prose(settled.title)) }
                                (say(lang, "\u{a0}: ", ": "))
                                (sentence(months, money)) "."
                            }
                        }
                    }
                }
                details.block #cumuls {
                    @let title = say(lang, "Cumuls mois par mois", "Sums so far, month by month");
                    summary { (title) }
                    (table(&sums(year, &all, money), "payslip", title))
                }
            }
        }
    }
}

/// Whether a month takes something back: the earlier months gave more than the cumulative amount.
fn is_taken_back(earlier: Earlier) -> bool {
    // A negative amount, such as a reduction, is taken back when it comes closer to zero.
    let Earlier { so_far, taken_off } = earlier;
    if taken_off.is_sign_negative() {
        so_far > taken_off
    } else {
        so_far < taken_off && !taken_off.is_zero()
    }
}

/// The steps that deduct the amount of the earlier months, in the order of the method.
fn found<'y>(year: &'y YearCalculation) -> Vec<Settlement<'y>> {
    let mut all: Vec<Settlement> = Vec::new();

    for month in year.months() {
        let traces: &'y [StepTrace] = trace::steps(&month.calculation);
        for step in traces {
            let Some(earlier) = step.earlier else {
                continue;
            };

            let (name, title) = (step.step.name.as_str(), step.step.title());
            match all.iter_mut().find(|settled| settled.name == name) {
                Some(settled) => settled.months.push((month.month, earlier)),
                None => all.push(Settlement {
                    name,
                    title,
                    months: vec![(month.month, earlier)],
                }),
            }
        }
    }

    // A step whose cumulative amount stays at zero says nothing.
    all.retain(|settled| {
        settled
            .months
            .iter()
            .any(|(_, earlier)| !earlier.so_far.is_zero() || is_taken_back(*earlier))
    });

    all
}

/// `en mai, 651,20 € cumulés et 712,88 € déjà comptés, 61,68 € repris` for one month;
/// `de juin à novembre, 205,00 € repris chaque mois` for successive months that take back the same
/// amount.
fn sentence(months: &[&(i8, Earlier)], money: Money) -> String {
    let lang = money.lang();
    let back =
        |(_, earlier): &(i8, Earlier)| earlier.taken_off.saturating_sub(earlier.so_far).abs();

    let follows =
        |a: &&(i8, Earlier), b: &&(i8, Earlier)| b.0 == a.0.saturating_add(1) && back(a) == back(b);
    // Successive months that take back the same amount are one clause.
    let runs = months.chunk_by(follows).filter_map(|run| {
        let (first, last) = (run.first()?, run.last()?);

        let amount = money.text(back(first));
        if run.len() > 1 {
            let months = between(first.0, last.0, lang);
            return Some(say!(
                lang,
                "{months}, {amount} repris chaque mois",
                "{months}, {amount} taken back each month"
            ));
        }

        let Earlier { so_far, taken_off } = first.1;
        let [so_far, taken_off] = [so_far, taken_off].map(|amount| money.text(amount.abs()));
        let month = month_name(first.0, lang);
        Some(say!(
            lang,
            "en {month}, {so_far} cumulés et {taken_off} déjà comptés, {amount} repris",
            "in {month}, {so_far} so far and {taken_off} counted already, {amount} taken back"
        ))
    });

    printed(&runs.collect::<Vec<_>>().join(say(lang, " ; ", "; ")))
}

/// The table of cumulative amounts: one row for each step, one column for each month.
fn sums(year: &YearCalculation, all: &[Settlement], money: Money) -> Table {
    let lang = money.lang();
    let mut table = Table::default().text(say(lang, "Cumul", "Sum so far"));
    for month in year.months() {
        table = table.number(month_name(month.month, lang));
    }

    for settled in all {
        let of_month = |month: i8| {
            settled
                .months
                .iter()
                .find(|(known, _)| *known == month)
                .map(|(_, earlier)| earlier)
        };

        let amounts = year.months().iter().map(|month| {
            let so_far: Option<Decimal> = of_month(month.month).map(|earlier| earlier.so_far);
            // In the first month, the cumulative amount is that of the month.
            let own = || trace::number(&month.calculation, settled.name);
            so_far
                .or_else(own)
                .map(|amount| money.plain(amount.round_dp(money.0.decimals)))
                .unwrap_or_default()
        });

        table.row(
            std::iter::once(printed(settled.title))
                .chain(amounts)
                .map(Into::into),
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use bareme_show::Amounts;

    use super::*;

    #[test]
    fn months_that_take_back_the_same_are_reported_together() {
        let amounts = Amounts {
            decimals: 2,
            currency: Some("EUR"),
        };
        let money = Money(amounts, bareme_show::Locale::PAGE);
        let month = |month: i8, so_far: i64, taken_off: i64| {
            (
                month,
                Earlier {
                    so_far: Decimal::from(so_far),
                    taken_off: Decimal::from(taken_off),
                },
            )
        };
        let months = [
            month(5, -651, -712),
            month(6, 1770, 1975),
            month(7, 1565, 1770),
            month(10, 100, 150),
        ];
        let words = sentence(&months.iter().collect::<Vec<_>>(), money)
            .replace(['\u{202f}', '\u{a0}'], " ");
        assert_eq!(
            words,
            "en mai, 651,00 € cumulés et 712,00 € déjà comptés, 61,00 € repris ; de juin à \
             juillet, 205,00 € repris chaque \
             mois ; en octobre, 100,00 € cumulés et 150,00 € déjà comptés, 50,00 € repris"
        );
        assert!(!is_taken_back(month(1, -178, 0).1) && !is_taken_back(month(2, 10, 5).1));
    }
}
