//! Typed values of the fields of an answer, rounded for display.

use rust_decimal::Decimal;

use crate::law::members::{LINE, PAYMENT, SLICE, visit_members};
use crate::law::{Payment, Scalar, Slice, Step};
use crate::text::json::{Datum, Head, Key, Object};

use super::compile::{Cell, CompiledRow};
use super::{ListedItem, PayslipRow};

/// The value of a field of an answer.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// # let sent = [("montant".to_owned(), "120".to_owned()), ("sens".to_owned(), "ttc".to_owned())];
/// # let calculation = folder.calculate(&sent[..].into(), jiff::civil::date(2026, 3, 31))?;
/// let taxes: Vec<_> = calculation
///     .fields()
///     .filter_map(|(field, value)| Some((&field.name, value.number()?)))
///     .collect();
/// assert_eq!(taxes[1], (&"tva".to_owned(), 20.into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum FieldValue<'f> {
    /// A single value.
    Scalar(Scalar<'f>),
    /// Steps as lines of a payslip.
    Lines(Vec<Line<'f>>),
    /// Rows of a payslip, with the employee's part and the employer's.
    Payslip(Vec<PayslipRow<'f>>),
    /// The slices of one or several scales.
    Slices(Vec<Slice<'f>>),
    /// The schedule of a loan.
    Payments(Vec<Payment>),
    /// The items of a group.
    Items(Vec<ListedItem<'f>>),
    /// Rows of a figure.
    Rows(Vec<ListedRow<'f>>),
}

/// A line of a payslip.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["salaire-net/qc"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("salaire-net/qc").ok_or("no such folder")?;
/// # let sent = [("brut", "4200"), ("employeur", "true")];
/// # let sent = sent.map(|(name, value)| (name.to_owned(), value.to_owned()));
/// # let calculation = folder.calculate(&sent[..].into(), jiff::civil::date(2026, 3, 31))?;
/// use bareme_engine::law::FieldValue;
///
/// let Some(FieldValue::Lines(lines)) = calculation.field("lignes_patronales") else {
///     return Err("no lines".into());
/// };
/// let added = lines.iter().map(|line| line.amount).sum::<rust_decimal::Decimal>();
/// let cost = calculation.field("cout_employeur").and_then(FieldValue::number);
/// assert_eq!(cost, Some(added + rust_decimal::Decimal::from(4200)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Line<'f> {
    /// The step that the line shows.
    pub step: &'f Step,
    /// The base after floors and ceilings, where the step has one.
    pub base: Option<Decimal>,
    /// The rate, where the step has one.
    pub rate: Option<Decimal>,
    /// The amount due or deducted, with the decimals of the answer.
    pub amount: Decimal,
}

/// A listed row of a figure.
///
/// An element of [`FieldValue::Rows`].
#[derive(Debug)]
pub struct ListedRow<'f> {
    pub(crate) compiled: &'f CompiledRow,
    /// The values of its computed members, in their order.
    pub(crate) computed: Vec<Option<Scalar<'f>>>,
}

impl FieldValue<'_> {
    /// The row as a JSON object, for a writer of JSON or of a table.
    pub fn datum(&self) -> Datum<'_> {
        match self {
            Self::Scalar(scalar) => scalar.datum(),
            Self::Lines(lines) => Datum::List(lines),
            Self::Payslip(rows) => Datum::List(rows),
            Self::Slices(slices) => Datum::List(slices),
            Self::Payments(payments) => Datum::List(payments),
            Self::Items(items) => Datum::List(items),
            Self::Rows(rows) => Datum::List(rows),
        }
    }

    /// The number, if the value is a single one.
    pub fn number(&self) -> Option<Decimal> {
        // Booleans and words are no numbers, nor is a list of one line.
        if let Self::Scalar(Scalar::Number(number)) = self {
            Some(*number)
        } else {
            None
        }
    }
}

impl Object for Line<'_> {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        let values = [
            Datum::Text(&self.step.name),
            Datum::Text(self.step.title()),
            Datum::number_or_null(self.base),
            Datum::number_or_null(self.rate),
            Datum::Number(self.amount),
        ];
        visit_members(&LINE, values.map(Some), visit);
    }

    fn head(&self) -> Option<&Head> {
        Some(&self.step.line_head)
    }
}

impl Object for Slice<'_> {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        let values = [
            self.tax.map(|step| Datum::Text(&step.name)),
            Some(Datum::Number(self.from)),
            Some(Datum::number_or_null(self.to)),
            Some(Datum::Number(self.rate)),
            self.constant.map(Datum::Number),
            Some(Datum::Number(self.base)),
            Some(Datum::Number(self.amount)),
        ];
        visit_members(&SLICE, values, visit);
    }

    fn head(&self) -> Option<&Head> {
        // The constant part of the JSON does not have the tax, which comes first.
        if self.tax.is_none() { self.head } else { None }
    }
}

impl Object for Payment {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        let amounts = [
            self.payment,
            self.interest,
            self.principal,
            self.insurance,
            self.balance,
        ];
        let [payment, interest, principal, insurance, balance] = amounts.map(Datum::Number);
        let values = [
            Datum::Number(self.month.into()),
            payment,
            interest,
            principal,
            insurance,
            balance,
        ];
        visit_members(&PAYMENT, values.map(Some), visit);
    }
}

impl Object for ListedRow<'_> {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        let mut computed = self.computed.iter();
        // Members without a value are left out: the next computed value is that of the next one.
        for (name, cell) in &self.compiled.members {
            let value = match cell {
                Cell::Fixed(value) => value.datum(),
                Cell::Remark(remark) => Datum::Object(remark),
                Cell::Computed(..) => match computed.next() {
                    Some(Some(value)) => value.datum(),
                    _ => continue,
                },
            };
            visit(name.as_str().into(), value);
        }
    }

    fn written(&self) -> Option<&str> {
        self.compiled.written.as_deref()
    }
}
