//! Indexation for the next scale: adjusts the amounts that followed an index in the scales so far,
//! and nothing else.

use std::ops::Range;

use bareme_engine::Lang;
use bareme_engine::authoring::{WrittenCell, written_cells};
use bareme_engine::law::{BoundWord, Shape, Type};
use bareme_show::say;
use jiff::civil::Date;
use rust_decimal::{Decimal, RoundingStrategy};

use crate::series::{DatedFile, Series};

/// The rate of an index, and the figure to adjust; without one, every indexed figure.
#[derive(Debug, Clone)]
pub(super) struct Rate {
    pub figure: Option<String>,
    pub rate: Decimal,
}

/// An amount, with the result of an index.
pub(super) struct Proposal {
    pub label: String,
    pub place: Range<usize>,
    pub old: String,
    pub fate: Adjustment,
}

/// Effect of an index on an amount.
pub(super) enum Adjustment {
    Moved {
        old: Decimal,
        new: Decimal,
        unit: Decimal,
    },
    /// Not adjusted, with the reason.
    Left(String),
}

/// The proposals for the amounts of a file to which the rates apply.
pub(super) fn proposals(
    series: &Series,
    last: &DatedFile,
    rates: &[Rate],
    unit: Option<Decimal>,
    lang: Lang,
) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    // A rate for the figure comes before the rate for all.
    for shape in &series.shapes {
        let own = rates
            .iter()
            .find(|rate| rate.figure.as_deref() == Some(&shape.name));
        let Some(rate) = own.or_else(|| rates.iter().find(|rate| rate.figure.is_none())) else {
            continue;
        };

        let Some(node) = last.figure(&shape.name) else {
            continue;
        };

        for cell in written_cells(shape, node)
            .into_iter()
            .filter(|cell| is_amount(cell, shape))
        {
            let Some(text) = cell
                .text
                .filter(|text| plain(&text.value) != Some(Decimal::ZERO))
            else {
                continue;
            };

            // Zero stays zero whatever the index: it is left out above.
            let index = Index {
                series,
                last,
                rate,
                unit,
                lang,
            };

            let (label, place, old) = (cell.name(), text.place.span(), text.value.clone());
            proposals.push(Proposal {
                label,
                place,
                old,
                fate: index.fate(&cell),
            });
        }
    }

    // In the order of the file, as the author reads it.
    proposals.sort_by_key(|proposal| proposal.place.start);
    proposals
}

/// Whether a cell holds an amount of money.
fn is_amount(cell: &WrittenCell, shape: &Shape) -> bool {
    let Some(name) = cell.column else {
        return false;
    };

    // A bound has one of several keys, and the type of the shape.
    let is_bound = BoundWord::ALL.iter().any(|(word, _)| *word == name);
    match shape.columns.iter().find(|column| column.name == name) {
        Some(column) => matches!(column.ty, Type::Money(_)),
        None => is_bound && matches!(shape.bound, Some(Type::Money(_))),
    }
}

/// An index being applied to a file.
struct Index<'s> {
    series: &'s Series,
    last: &'s DatedFile,
    rate: &'s Rate,
    unit: Option<Decimal>,
    lang: Lang,
}

impl Index<'_> {
    fn fate(&self, cell: &WrittenCell) -> Adjustment {
        let lang = self.lang;

        let Some(old) = cell.text.and_then(|text| plain(&text.value)) else {
            return Adjustment::Left(say!(lang, "fraction", "a fraction"));
        };

        // An amount that is tied to another one follows that one, not the index.
        if self.follows_other_amount(cell) {
            let tied = say!(
                lang,
                "lié à un autre montant par sa note",
                "tied to another amount by its note"
            );
            return Adjustment::Left(tied);
        }

        // The same cell in the earlier files tells whether the amount has ever moved.
        let history = self.history(cell);
        // A named figure is known to follow the index.
        if self.rate.figure.is_none() {
            match history.first() {
                None => {
                    return Adjustment::Left(say!(
                        lang,
                        "aucun barème antérieur",
                        "no earlier scale"
                    ));
                }
                Some((since, _)) if history.iter().all(|(_, value)| *value == old) => {
                    return Adjustment::Left(say!(
                        lang,
                        "le même depuis le {since}",
                        "the same since {since}"
                    ));
                }
                Some(_) => {}
            }
        }

        // The unit is the finest that the scales so far have used.
        let move_by = old.saturating_mul(self.rate.rate);
        let guessed = history
            .iter()
            .map(|(_, value)| *value)
            .chain([old])
            .map(power_of_ten)
            .min();

        let unit = self.unit.or(guessed).unwrap_or(Decimal::ONE);
        if self.unit.is_none() && move_by.abs() < unit {
            // So round that the rounding would decide, not the index.
            return Adjustment::Left(say!(
                lang,
                "rond à {unit} près : `--round` dit l’unité",
                "round to {unit}: `--round` says the unit"
            ));
        }

        Adjustment::Moved {
            old,
            new: rounded(old.saturating_add(move_by), unit),
            unit,
        }
    }

    /// Values of the cell in the earlier files, the earliest first.
    fn history(&self, cell: &WrittenCell) -> Vec<(Date, Decimal)> {
        let before = self
            .series
            .files
            .iter()
            .filter(|file| file.date < self.last.date);

        let value = |file: &DatedFile| {
            let same = self.series.counterpart(cell, self.last, file)?;
            Some((file.date, plain(&same.text?.value)?)).filter(|(_, value)| !value.is_zero())
        };
        before.filter_map(value).collect()
    }

    /// Whether a note says that the amount depends on another one: `45 fois le SMIG`.
    fn follows_other_amount(&self, cell: &WrittenCell) -> bool {
        let figure = self.last.figure(cell.figure);
        let notes = [figure, Some(cell.part)]
            .into_iter()
            .flatten()
            .filter_map(|part| part.get("note")?.text());

        notes
            .into_iter()
            .any(|note| names_other_amount(&note.value))
    }
}

/// Whether a note names a multiple or a share of another amount.
fn names_other_amount(note: &str) -> bool {
    let note = note.to_lowercase();
    let tied = [
        " fois le ",
        " fois la ",
        " fois les ",
        " x le ",
        " × ",
        " % du ",
        " % de la ",
        "égal à",
        "égale à",
    ];
    tied.iter().any(|words| note.contains(words))
}

fn plain(text: &str) -> Option<Decimal> {
    text.replace([' ', '\u{a0}', '\u{202f}'], "").parse().ok()
}

fn rounded(value: Decimal, unit: Decimal) -> Decimal {
    let units = value.checked_div(unit).unwrap_or(value);
    // Half a unit is rounded up.
    units
        .round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero)
        .saturating_mul(unit)
}

/// The greatest power of ten that divides a value.
fn power_of_ten(value: Decimal) -> Decimal {
    let value = value.normalize();
    // 11.5 is given to a tenth.
    if value.scale() > 0 {
        return Decimal::new(1, value.scale());
    }

    let zeros = value
        .to_string()
        .bytes()
        .rev()
        .take_while(|digit| *digit == b'0')
        .count();
    Decimal::from(10u64.saturating_pow(u32::try_from(zeros).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_of_an_amount_is_the_last_power_of_ten_it_fills() {
        for (value, unit) in [
            ("630000", "10000"),
            ("11497", "1"),
            ("1945.38", "0.01"),
            ("12.50", "0.1"),
            ("100", "100"),
        ] {
            assert_eq!(
                power_of_ten(value.parse().unwrap()),
                unit.parse().unwrap(),
                "{value}"
            );
        }
        assert_eq!(
            rounded("11623.467".parse().unwrap(), Decimal::ONE),
            Decimal::from(11623)
        );
        assert_eq!(
            rounded("636930".parse().unwrap(), Decimal::from(10_000)),
            Decimal::from(640_000)
        );
    }

    #[test]
    fn a_note_ties_an_amount_to_another() {
        assert!(names_other_amount(
            "le décret qui fixe le plafond à 45 fois le SMIG n’a pas été retrouvé"
        ));
        assert!(!names_other_amount("Due une fois l’an ; ramenée au mois"));
        assert!(!names_other_amount("Taux et SMIG lus dans les textes"));
    }
}
