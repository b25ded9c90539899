//! Random households: a country, a day, a gross pay, and some of the other inputs.

use std::collections::HashMap;

use bareme_engine::law::{Input, Presence, Type, Value};
use bareme_engine::run::Edition;
use bareme_engine::text::number_text;
use bareme_engine::{Calculation, Folder};
use jiff::civil::{Date, date};
use proptest::prelude::*;
use rust_decimal::Decimal;

use crate::common;

const ANY_DAY: Date = date(2026, 6, 30);

/// Inputs of pay beside the monthly gross, and what they are measured by: the properties of a month
/// are those of regular pay; `payroll` has one for the thirteenth month.
const BESIDE_THE_GROSS: [&str; 13] = [
    "primes",
    "primes_deja_versees",
    "methode_primes",
    "salaire_moyen",
    "salaire_annuel",
    "double_pecule",
    "reference_annuelle",
    "heures",
    "heures_temps_plein",
    "prime_fin_annee",
    "prime_salaire_base",
    "indemnite_transport",
    "hors_perimetre_urbain",
];

/// A draw, before it is fitted to a country.
#[derive(Debug, Clone)]
pub(crate) struct Draw {
    country: usize,
    scale: usize,
    /// Digits and power of ten of the gross pay, in cents.
    gross: (u32, u32),
    /// The figure whose amount the gross pay is near, if it is.
    near: Option<(usize, i8)>,
    picks: [u8; 8],
}

pub(crate) fn draw() -> impl Strategy<Value = Draw> {
    let near = proptest::option::of((any::<usize>(), -2..=2_i8));
    let picks = any::<[u8; 8]>();
    (
        any::<usize>(),
        any::<usize>(),
        (0..100_000_u32, 0..6_u32),
        near,
        picks,
    )
        .prop_map(|(country, scale, gross, near, picks)| Draw {
            country,
            scale,
            gross,
            near,
            picks,
        })
}

/// A household of a country on the first day of a scale; its gross pay is apart, to be varied.
#[derive(Debug, Clone)]
pub(crate) struct Household {
    pub country: &'static str,
    pub gross: Decimal,
    pub others: Vec<(String, String)>,
}

/// The numbers of an answer, by name.
pub(crate) type Numbers = HashMap<String, Decimal>;

impl Draw {
    /// A household of any country.
    pub(crate) fn household(&self) -> Household {
        let countries: Vec<(&str, &Folder)> = common::rules().family("salaire-net").collect();
        self.household_of(countries[self.country % countries.len()].0)
    }

    /// A household of one country.
    pub(crate) fn household_of(&self, country: &'static str) -> Household {
        let editions = common::rules()
            .folder(&format!("salaire-net/{country}"))
            .unwrap()
            .editions();
        let edition = &editions[self.scale % editions.len()];
        let mut others = vec![("date".to_owned(), edition.scale().unwrap().date.to_string())];
        let inputs = edition
            .method()
            .inputs()
            .iter()
            .filter(|input| input.name != "brut" && !BESIDE_THE_GROSS.contains(&&*input.name));
        others.extend(
            inputs
                .zip(self.picks)
                .filter_map(|(input, pick)| Some((input.name.clone(), value(input, pick)?))),
        );
        Household {
            country,
            gross: self.gross(edition),
            others,
        }
    }

    fn gross(&self, edition: &Edition) -> Decimal {
        let cent = Decimal::new(1, 2);
        let amounts = amounts(edition);
        match self.near {
            Some((place, units)) => (amounts[place % amounts.len()] + cent * Decimal::from(units))
                .max(Decimal::ZERO)
                .round_dp(2),
            None => cent * Decimal::from(self.gross.0) * Decimal::from(10_u32.pow(self.gross.1)),
        }
    }
}

/// Amounts of the law, as amounts of a month.
fn amounts(edition: &Edition) -> Vec<Decimal> {
    let method = edition.method();
    let mut amounts = Vec::new();
    for (shape, figure) in method
        .figures()
        .iter()
        .zip(&edition.scale().unwrap().figures)
    {
        let monthly = |ty: Type, value: Decimal| match ty.name() {
            "money/month" => Some(value.abs()),
            "money/year" => Some((value / Decimal::from(12)).abs()),
            _ => None,
        };
        let number = |value: &Option<Value>| {
            if let Some(Value::Number(number)) = value {
                Some(*number)
            } else {
                None
            }
        };
        for row in figure.rows.iter() {
            amounts.extend(
                row.bound
                    .zip(shape.bound)
                    .and_then(|(bound, ty)| monthly(ty, bound.value)),
            );
        }
        for cells in figure
            .rows
            .iter()
            .map(|row| &row.cells)
            .chain([&figure.record])
        {
            let columns = shape.columns.iter().zip(cells);
            amounts.extend(columns.filter_map(|(column, cell)| monthly(column.ty, number(cell)?)));
        }
    }
    amounts
}

/// A value that an input accepts, or none to leave it out.
fn value(input: &Input, pick: u8) -> Option<String> {
    let is_required = matches!(input.presence, Presence::Required);
    if pick.is_multiple_of(3) && !is_required {
        return None;
    }
    let pick = usize::from(pick / 3);
    Some(match input.ty {
        Type::Choice(_) => input.values[pick % input.values.len()].0.clone(),
        Type::Boolean => ["true", "false"][pick % 2].to_owned(),
        Type::Number => {
            let min = input.min.unwrap_or_default();
            let step = input.step.unwrap_or(Decimal::ONE);
            let most = input
                .max
                .map_or(50, |max| usize::try_from((max - min) / step).unwrap());
            number_text(min + step * Decimal::from(pick % (most + 1)))
        }
        Type::Rate => {
            number_text((input.max.unwrap_or_default() * Decimal::from(pick % 100)).normalize())
        }
        Type::Money(_) => number_text(Decimal::from(pick * 100)),
        _ => return None,
    })
}

impl Household {
    pub(crate) fn folder(&self) -> &'static Folder {
        common::rules()
            .folder(&format!("salaire-net/{}", self.country))
            .unwrap()
    }

    /// The same with another value of an input.
    pub(crate) fn with(&self, name: &str, value: impl ToString) -> Self {
        let mut changed = self.clone().without(name);
        changed.others.push((name.to_owned(), value.to_string()));
        changed
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.others.retain(|(known, _)| known != name);
        self
    }

    pub(crate) fn with_gross(&self, gross: Decimal) -> Self {
        Self {
            gross,
            ..self.clone()
        }
    }

    /// The calculation; `None` where the household is refused.
    pub(crate) fn calculate(&self) -> Option<Calculation<'static>> {
        let mut query = self.others.clone();
        query.push(("brut".to_owned(), number_text(self.gross)));
        self.folder().calculate(&(&query).into(), ANY_DAY).ok()
    }

    pub(crate) fn numbers(&self) -> Option<Numbers> {
        let calculation = self.calculate()?;
        let numbers = calculation
            .fields()
            .filter_map(|(field, value)| Some((field.name.clone(), value.number()?)));
        Some(numbers.collect())
    }

    /// Names of the levies: what stands between the gross and the net.
    pub(crate) fn levies(&self) -> Vec<String> {
        let Some(calculation) = self.calculate() else {
            return Vec::new();
        };
        let names = calculation.fields().map(|(field, _)| field.name.clone());
        names
            .skip_while(|name| name != "brut_mensuel")
            .skip(1)
            .take_while(|name| name != "net_mensuel")
            .collect()
    }
}
