//! Limits of the values of a column; a value beyond them probably has a misplaced point or sign.

use rust_decimal::Decimal;

use crate::law::input::read_literal;
use crate::law::types::Type;
use crate::say;
use crate::text::{Node, PlacedText, Problem, Report, number_text};

/// Least and greatest value of a column or of a bound.
///
/// A [`Column`](crate::law::Column) has them: rates are from 0 to 100 %, amounts and bounds from 0,
/// unless the method sets others.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// let method = folder.latest().ok_or("no edition")?.method();
/// let columns = method.figures().iter().flat_map(|shape| &shape.columns);
/// let mut greatest = columns.filter_map(|column| column.limits.max);
/// assert!(greatest.all(|most| most == rust_decimal::Decimal::ONE));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Least value; `None`: no limit.
    pub min: Option<Decimal>,
    /// Greatest value; `None`: no limit.
    pub max: Option<Decimal>,
}

impl Limits {
    /// Default limits of a column of a type.
    pub(super) fn for_type(ty: Type) -> Self {
        // No rate or amount of the law is negative, unless the method says so.
        let min = matches!(ty, Type::Rate | Type::Money(_)).then_some(Decimal::ZERO);
        Self {
            min,
            max: (ty == Type::Rate).then_some(Decimal::ONE),
        }
    }

    /// Default limits of a bound.
    pub(super) fn of_bound(ty: Type) -> Self {
        Self {
            min: Some(Decimal::ZERO),
            ..Self::for_type(ty)
        }
    }

    /// Limits that a method sets for a column, in place of the usual ones.
    pub(super) fn read(column: &Node, usual: Self, report: &mut Report) -> Self {
        // The sign says the unit: `max: 150%` for rates, `max: 20` for the rest.
        let mut literal = |key| {
            let text = column.text_of(key)?;
            let ty = if text.value.ends_with('%') {
                Type::Rate
            } else {
                Type::Number
            };
            read_literal(text, ty, report)
        };

        let (min, max) = (literal("min"), literal("max"));

        if let (Some(least), Some(most), Some(text)) = (min, max, column.text_of("min"))
            && least > most
        {
            report.error(
                &text.place,
                Problem::EmptyBounds {
                    name: text.value.clone(),
                },
            );
        }

        Self {
            min: min.or(usual.min),
            max: max.or(usual.max),
        }
    }

    /// Reports a value beyond the limits.
    pub(super) fn check(
        self,
        column: &str,
        text: &PlacedText,
        ty: Type,
        value: Decimal,
        report: &mut Report,
    ) {
        // Limits are shown as a file writes values: rates in percent.
        let shown = |limit: Decimal| match ty {
            Type::Rate => format!(
                "{} %",
                number_text(limit.checked_mul(Decimal::ONE_HUNDRED).unwrap_or(limit))
            ),
            _ => number_text(limit),
        };
        let (limit, key) = match (self.min.map(shown), self.max.map(shown)) {
            (Some(least), _) if self.min > Some(value) => (
                say!("elle est d’au moins {least}", "it is at least {least}"),
                "min",
            ),
            (_, Some(most)) if self.max < Some(value) => (
                say!("elle est d’au plus {most}", "it is at most {most}"),
                "max",
            ),
            _ => return,
        };

        let (written, column) = (text.value.clone(), column.to_owned());
        report.error(
            &text.place,
            Problem::ValueOutOfBounds {
                text: written,
                column,
                ty: ty.name(),
                key,
                limit,
            },
        );
    }
}
