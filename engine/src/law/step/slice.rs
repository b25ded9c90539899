//! The slices of a scale as they are shown.

use rust_decimal::Decimal;

use crate::law::members::SLICE_PART;
use crate::text::json::{Datum, Head};
use crate::text::number::{NUMBER_DECIMALS, round_decimals};

use super::Step;

/// A slice of a scale as the law prints it, with the part of the base in it and its tax.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["ir"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("ir").ok_or("no such folder")?;
/// # let sent = [("revenu".to_owned(), "30000".to_owned())];
/// # let calculation = folder.calculate(&sent[..].into(), jiff::civil::date(2026, 3, 31))?;
/// let scale = calculation.steps()?.iter().find(|trace| trace.slices.len() > 1).ok_or("no scale")?;
/// assert!(scale.slices.windows(2).all(|two| {
///     two[0].to == Some(two[1].from) && two[0].rate < two[1].rate
/// }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Slice<'f> {
    /// Its tax, where it is listed with the slices of others.
    pub tax: Option<&'f Step>,
    /// Lower bound.
    pub from: Decimal,
    /// Upper bound; none for the last slice.
    pub to: Option<Decimal>,
    /// Its rate, as a fraction: 0.07 for 7 %.
    pub rate: Decimal,
    /// The printed amount of the forms with `less` or `plus`.
    pub constant: Option<Decimal>,
    /// Part of the base in the slice.
    pub base: Decimal,
    /// Tax of the slice.
    pub amount: Decimal,
    /// The constant part of its JSON, written in advance.
    pub(crate) head: Option<&'f Head>,
}

impl<'f> Slice<'f> {
    /// A slice without any part of the base.
    pub(super) fn new(
        from: Decimal,
        to: Option<Decimal>,
        rate: Decimal,
        constant: Option<Decimal>,
    ) -> Self {
        Self {
            tax: None,
            from,
            to,
            rate,
            constant,
            base: Decimal::ZERO,
            amount: Decimal::ZERO,
            head: None,
        }
    }

    /// The part of its JSON that does not depend on the base, written in advance.
    pub(super) fn head_text(&self) -> Head {
        // Up to the first member that a base changes.
        let members = Datum::Object(self).members().into_iter();
        Head::from_members(members.take_while(|(name, _)| *name != SLICE_PART.name))
    }

    /// Rounds it as it is shown: amounts to the decimals of the answer.
    pub(crate) fn show(&mut self, decimals: u32, tax: Option<&'f Step>) {
        self.tax = tax;
        for amount in [&mut self.from, &mut self.base, &mut self.amount] {
            *amount = round_decimals(*amount, decimals);
        }
        self.to = self.to.map(|to| round_decimals(to, decimals));
        self.rate = round_decimals(self.rate, NUMBER_DECIMALS);

        // As the law prints it: its decimals may go beyond those of an amount.
        self.constant = self
            .constant
            .map(|constant| round_decimals(constant, NUMBER_DECIMALS));
    }
}
