//! Inequality and poverty before and after a reform, by remaining income.

use bareme_show::say;
use rust_decimal::Decimal;

use crate::session::{Failure, Session};
use crate::user_input::number;

use super::compute::{ImpactResult, Question};
use super::scale::Units;
use super::statistics::{gini, median, share_below};
use super::tally::TooGreat;

/// Inequality and poverty, before and after.
pub(super) struct Inequality {
    pub gini: Option<[Decimal; 2]>,
    /// The poverty line, and the share of the weight below it before and after.
    pub poverty: Option<(Decimal, [Decimal; 2])>,
}

impl Inequality {
    /// `None` where the sample has no income column.
    pub(super) fn new(
        found: &ImpactResult,
        units: Units,
        poverty: Option<&str>,
        question: &Question,
        session: &Session,
    ) -> Result<Option<Self>, Failure> {
        let lang = session.lang;

        if question.income.is_none() {
            // Without income there is nothing left of it: asking for poverty is a mistake then.
            return match poverty {
                None => Ok(None),
                Some(_) => Err(Failure::unusable(say!(
                    lang,
                    "Le taux de pauvreté se calcule sur ce qui reste d’un revenu : il y faut une \
                     colonne du revenu, et pour champ un net ou un prélèvement en montant.",
                    "Poverty is computed on what is left of an income: it needs a column of the \
                     income, and an amount that is a net or a levy as the field."
                ))),
            };
        }

        // One side at a time, since the values of a whole population take much memory.
        let gini = match [false, true].map(|is_after| gini(found.left(is_after))) {
            [Ok(before), Ok(after)] => before.zip(after).map(|(before, after)| [before, after]),
            [Err(TooGreat), _] | [_, Err(TooGreat)] => None,
        };

        let Some(text) = poverty else {
            return Ok(Some(Self {
                gini,
                poverty: None,
            }));
        };

        let wrong = || {
            Failure::unusable(say!(
                lang,
                "`--poverty {text}` : un montant, ou une part du revenu médian comme `60%`.",
                "`--poverty {text}`: an amount, or a share of the median income like `60%`."
            ))
        };
        // A share is one of the median income before the reform: the line does not move with the
        // reform.
        let line = match text.trim().strip_suffix('%') {
            Some(share) => {
                let share = number(share, session)?.ok_or_else(wrong)?;
                let mut left = found.left(false);

                left.sort_unstable();
                let left = left
                    .into_iter()
                    .map(|(value, weight)| (value, i128::from(weight)));
                let median = median(left).ok_or_else(wrong)?;
                units
                    .amount(median.into())
                    .checked_mul(share)
                    .and_then(|line| line.checked_div(Decimal::ONE_HUNDRED))
            }
            None => number(text, session)?,
        };

        // The line is compared with integers that have the decimals of the field.
        let line = line
            .filter(|line| *line > Decimal::ZERO)
            .ok_or_else(wrong)?
            .round_dp(units.amount);
        let power = Decimal::from(10_u64.checked_pow(units.amount).ok_or_else(wrong)?);
        let integer = line
            .checked_mul(power)
            .and_then(|line| i64::try_from(line.trunc().mantissa()).ok())
            .ok_or_else(wrong)?;

        let share = |is_after| {
            share_below(&found.left(is_after), integer)
                .unwrap_or_default()
                .round_dp(4)
                .normalize()
        };

        Ok(Some(Self {
            gini,
            poverty: Some((line.normalize(), [false, true].map(share))),
        }))
    }
}
