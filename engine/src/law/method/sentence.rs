//! The sentence of a check, which may show amounts of the law between braces.

use rust_decimal::Decimal;

use crate::law::Type;
use crate::law::formula::{
    Code, CompileContext, Env, ExpectedType, Expr, Narrowing, Reads, State, Typed, WithReads,
};
use crate::text::number::{PERCENT, round_decimals};
use crate::text::{Lang, Piece, PlacedText, Problem, Report, number_french};

/// The sentence of a check: `Le brut est inférieur à {minimum.montant} dirhams.`
///
/// An expression between braces reads figures alone, so that the sentence is the same in every
/// answer under one scale, and is written once.
#[derive(Debug)]
pub(crate) struct CheckSentence {
    /// The sentence as the file has it, with its braces.
    pub written: String,
    /// Its parts, in order.
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Words(String),
    Amount(Typed),
}

impl CheckSentence {
    /// Reads a sentence; `known` are the facts that the condition of its check establishes.
    pub(super) fn read(
        text: &PlacedText,
        known: &[Narrowing],
        env: Env,
        report: &mut Report,
    ) -> WithReads<Self> {
        let (pieces, alone) = text.pieces();
        if let Some(place) = alone {
            report.error(&place, Problem::SentenceBrace {});
        }

        let mut reads = Reads::default();
        let part = |piece| match piece {
            Piece::Words(words) => Part::Words(words),
            Piece::Between(amount) => {
                let amount = read_amount(&amount, known, env, report);
                Part::Amount(amount.recorded_in(&mut reads))
            }
        };
        let parts = pieces.into_iter().map(part).collect();
        let found = Self {
            written: text.value.clone(),
            parts,
        };
        WithReads { found, reads }
    }

    /// The sentence under the figures of a scale. Amounts have the decimals of the method, `3
    /// 422,72`, none where they are whole; a rate is a percentage, `12,5 %`.
    pub(crate) fn under(&self, context: &CompileContext, style: AmountStyle) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Words(words) => words.clone(),
            Part::Amount(amount) => shown(amount, context, style),
        });
        parts.collect()
    }
}

/// Checks an amount: an expression of figures alone.
fn read_amount(
    text: &PlacedText,
    known: &[Narrowing],
    env: Env,
    report: &mut Report,
) -> WithReads<Typed> {
    let expected = ExpectedType {
        ty: None,
        optional: false,
    };
    let typed = env.check(text, expected, known, report);

    let is_shown = match typed.found.ty {
        Type::Money(_) | Type::Rate | Type::Number => is_of_figures(&typed.found.expr),
        // Its mistake is reported.
        Type::Unknown => true,
        _ => false,
    };
    if !is_shown {
        report.error(&text.place, Problem::SentenceOfQuery {});
    }
    typed
}

/// Whether an expression depends on the figures of the scale alone.
fn is_of_figures(expr: &Expr) -> bool {
    match expr {
        Expr::Number(_) | Expr::Column(..) | Expr::GivenFigure(_) => true,
        Expr::Negative(inner) | Expr::Not(inner) => is_of_figures(inner),
        Expr::Binary(_, left, right) => is_of_figures(left) && is_of_figures(right),
        Expr::If(test, yes, no) => [test, yes, no].into_iter().all(|part| is_of_figures(part)),
        Expr::Call(_, arguments) => arguments.iter().all(is_of_figures),
        _ => false,
    }
}

/// How the amounts of a sentence are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AmountStyle {
    /// Decimals of money that is not whole.
    pub decimals: u32,
    pub lang: Lang,
}

/// An amount as the language writes it; empty where the scale has no such figure, and the check does
/// not hold either.
fn shown(amount: &Typed, context: &CompileContext, style: AmountStyle) -> String {
    let code = Code::new(&amount.expr, context);
    let Ok(value) = code.number(&State::default()) else {
        return String::new();
    };

    let french = match amount.ty {
        Type::Rate => {
            let percentage = value.checked_div(PERCENT).unwrap_or(value);
            format!("{} %", number_french(percentage))
        }
        Type::Money(_) => money_french(value, style.decimals),
        _ => number_french(value),
    };
    match style.lang {
        Lang::Fr => french,
        // In this order: the commas between thousands must not become points.
        Lang::En => french
            .replace(',', ".")
            .replace(" %", "%")
            .replace(' ', ","),
    }
}

/// Money as French writes it: with all its decimals, or none where it is whole.
fn money_french(value: Decimal, decimals: u32) -> String {
    let mut text = number_french(round_decimals(value, decimals));
    if let Some((_, fraction)) = text.split_once(',') {
        let missing = (decimals as usize).saturating_sub(fraction.len());
        text.extend(std::iter::repeat_n('0', missing));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_all_its_decimals_or_none() {
        let french = |text: &str, decimals| money_french(text.parse().unwrap(), decimals);
        assert_eq!(french("3422.72", 2), "3 422,72");
        assert_eq!(french("1867.5", 2), "1 867,50");
        assert_eq!(french("60000.00", 2), "60 000");
        assert_eq!(french("448.238", 3), "448,238");
        assert_eq!(french("2877.278", 2), "2 877,28");
    }
}
