//! What holds of every amount, beside that both sides answer the same.
//!
//! A net is never above its gross where the law pays no credit; totals are the sums of what they
//! total; and a net moves smoothly with its gross but at an amount where the law takes another way:
//! a cliff.

use crate::cases::{Case, Scale};
use crate::compare::Comparison;
use crate::evaluator::{Block, Compiled, Field, Shown, Span, There};
use crate::kinks;
use crate::law::text;
use crate::outcome::Outcome;

/// Folders whose law pays credits with the wage, so that a net may be above its gross.
const CREDITS: &[(&str, &str)] = &[(
    "salaire-net/lu",
    "CIS, CI-CO2 et CISSM, versés avec le salaire (LIR, art. 139quater et 154quater)",
)];

/// The net of a case: the field that its method lets a caller ask for, over the input that is
/// enumerated.
pub(crate) fn net<'c>(scale: &Scale, case: &'c Case) -> Option<&'c Field> {
    let axis = case.axis.as_ref()?;
    let inverse = scale.law.method.get("inverse")?.items().first()?;
    let is_it =
        text(inverse, "input") == Some(&axis.input) && text(inverse, "find") == Some("smallest");
    case.compiled
        .field(text(inverse, "field")?)
        .filter(|_| is_it)
}

/// The greatest jump, in units of the net, that roundings make between two amounts that follow each
/// other.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Dents {
    pub fall: i64,
    pub rise: i64,
}

/// Properties of a case.
pub(crate) struct Properties<'c> {
    comparison: &'c Comparison<'c>,
    net: Option<Numbers>,
    has_credits: bool,
    sums: Vec<Sum<'c>>,
    pub dents: Dents,
}

/// A field whose numbers are in a column.
#[derive(Clone, Copy)]
struct Numbers {
    slot: usize,
    /// Units of the field in one of the axis.
    unit: i64,
}

/// `total = axis + sign x part`, in units of the fields.
struct Sum<'c> {
    total: &'c Field,
    part: &'c Field,
    sign: i64,
}

/// Totals that bear the same names in every country, each with what it adds to the gross or takes
/// from it.
const SUMS: [(&str, &str, i64); 3] = [
    ("cout_employeur", "charges_patronales", 1),
    ("net_mensuel", "total_retenues", -1),
    ("net", "cotisations_salariales", -1),
];

/// Roundings that may meet at one amount, beside a way that the law takes for a few amounts only.
const ROUNDINGS: i64 = 3;

impl<'c> Properties<'c> {
    pub(crate) fn new(comparison: &'c Comparison<'c>, dents: Dents) -> Self {
        let (scale, case) = (comparison.scale, comparison.case);
        let net = net(scale, case).and_then(|net| Numbers::of(net, case));
        let is_gross = case.axis.as_ref().is_some_and(|axis| axis.input == "brut");
        // Amounts and counts that are sent beside the gross add to totals, or take from them, what
        // no field shows alone.
        let is_plain = |(name, _): &(String, String)| {
            let ty = scale.law.input(name).and_then(|input| text(input, "type"));
            matches!(ty, Some("boolean" | "choice" | "rate"))
        };

        let is_plain = case.combination.sent.iter().all(is_plain);
        let field = |name: &str| {
            case.compiled
                .field(name)
                .filter(|field| field.there == There::Always)
        };

        let sums = SUMS.iter().filter(|_| is_gross && is_plain);
        let sums = sums.filter_map(|(total, part, sign)| {
            Some(Sum {
                total: field(total)?,
                part: field(part)?,
                sign: *sign,
            })
        });
        let sums = sums.collect();
        let has_credits = !is_plain
            || CREDITS
                .iter()
                .any(|(folder, _)| *folder == comparison.folder);
        Self {
            comparison,
            net,
            has_credits,
            sums,
            dents,
        }
    }

    /// Checks the rows of a block.
    pub(crate) fn check(
        &mut self,
        spans: &[Span],
        block: &Block,
        skipped: &[bool],
        outcome: &mut Outcome,
    ) {
        let Some(net) = self.net else { return };
        let mut row = 0;

        for &(first, count) in spans {
            for place in 0..count {
                let amount = first + place as i64;
                if skipped[row + place] {
                    continue;
                }
                self.level(net, amount, row + place, block, outcome);
                if place + 1 < count && !skipped[row + place + 1] {
                    self.step(net, amount, row + place, block, outcome);
                }
            }
            row += count;
        }
    }

    fn level(&self, net: Numbers, amount: i64, row: usize, block: &Block, outcome: &mut Outcome) {
        if !self.has_credits && block.at(net.slot, row) > amount * net.unit {
            self.report(amount, "a net above its gross", outcome);
        }

        for sum in &self.sums {
            if let (Some(total), Some(part)) =
                (sum.total.number(block, row), sum.part.number(block, row))
                && total != i128::from(amount * net.unit) + i128::from(sum.sign) * part
            {
                self.report(
                    amount,
                    &format!("{} is not the gross and {}", sum.total.name, sum.part.name),
                    outcome,
                );
            }
        }
    }

    /// The step to the next amount: roundings explain it, or the law takes another way there.
    fn step(
        &mut self,
        net: Numbers,
        amount: i64,
        row: usize,
        block: &Block,
        outcome: &mut Outcome,
    ) {
        let rise = block.at(net.slot, row + 1) - block.at(net.slot, row);
        if rise >= -self.dents.fall && rise <= self.dents.rise.max(2 * net.unit) {
            return;
        }

        let case = self.comparison.case;
        let is_bend = kinks::bends(&case.compiled, amount);
        if is_bend && case.kinks().contains(&amount) {
            return;
        }

        let by_roundings = -ROUNDINGS * net.unit..=(1 + ROUNDINGS) * net.unit;
        if is_bend && !by_roundings.contains(&rise) {
            self.report(
                amount,
                "a bend of the law that the list of cliffs does not know",
                outcome,
            );
        } else if rise < 0 {
            self.dents.fall = -rise;
        } else {
            self.dents.rise = rise;
        }
    }

    fn report(&self, amount: i64, what: &str, outcome: &mut Outcome) {
        outcome.exception(format!("{}: {what}", self.comparison.described(amount)));
    }
}

impl Numbers {
    fn of(field: &Field, case: &Case) -> Option<Self> {
        let (Shown::Narrow(slot, decimals), There::Always, Some(axis)) =
            (&field.shown, field.there, &case.axis)
        else {
            return None;
        };
        Some(Self {
            slot: *slot,
            unit: 10_i64.pow(decimals.checked_sub(axis.decimals)?),
        })
    }
}

/// The numbers of a net at two amounts that follow each other, in units of the field.
pub(crate) fn around(compiled: &Compiled, net: &Field, amount: i64) -> Option<(i128, i128)> {
    let mut block = Block::default();
    compiled.run(&mut block, &[(amount, 2)]);
    let is_refused =
        (0..2).any(|row| compiled.is_refused(&block, row) || !net.there.at(&block, row));
    if is_refused {
        None
    } else {
        net.number(&block, 0).zip(net.number(&block, 1))
    }
}
