//! `deduction: base`: rate x base, raised to `min`, then lowered to `max`.

use crate::law::column::{Active, Block, Column};
use crate::law::formula::{Code, EvalError, ExpectedType, Limits, State};
use crate::law::range::{Range, Ranges};
use crate::law::{Expr, SlotId, Type, Value};
use crate::text::lang::Text;
use crate::text::number::{larger, mul, smaller};

use super::operand::{NamedOperand, operands_of_kind};
use super::{
    Built, Checked, Compiled, Compiler, Detail, KeyForm, Kind, Levy, Operand, Output, Reader,
    Sentence, WITH, keys,
};

pub(super) static KIND: Kind = Kind {
    name: "deduction",
    main: KeyForm::Formula,
    keys: keys! {
        WITH;
        "rate" Formula required fr "le taux" "au taux" en "the rate" "at the rate";
        "min" Formula optional
            fr "la déduction y est relevée" "au moins"
            en "the deduction is raised to it" "at least";
        "max" Formula optional
            fr "la déduction y est ramenée" "au plus"
            en "the deduction is lowered to it" "at most";
    },
    help: Text::new(
        "taux x base, relevé à `min`, puis ramené à `max`",
        "rate x base, raised to `min`, then lowered to `max`",
    ),
    sentence: Sentence::Words(Text::new(
        "{taux} × {base}[, au moins {minimum}][, au plus {maximum}]",
        "{taux} × {base}[, at least {minimum}][, at most {maximum}]",
    )),
    phrase: Some(Text::new("déduction sur", "deduction on")),
    detail: Detail::None,
    levy: Levy::None,
    outputs: &[],
    read,
};

fn read(reader: &mut Reader) -> Option<Built> {
    let base = reader.main_amount()?;
    // Limits may be empty columns, and then do not apply; the rate may not.
    let limit = ExpectedType::limit(base.ty);

    let rate = reader.key("rate", ExpectedType::exactly(Type::Rate));
    let min = reader.key("min", limit).map(|typed| typed.expr);
    let max = reader.key("max", limit).map(|typed| typed.expr);

    let outputs = vec![Output::main(base.ty)];

    let checked = Deduction {
        ty: base.ty,
        base: base.expr,
        rate: rate?.expr,
        min,
        max,
    };

    Some(Built {
        checked: Box::new(checked),
        outputs,
        hidden: 0,
    })
}

/// A deduction, checked or compiled.
#[derive(Debug)]
struct Deduction<E = Expr> {
    ty: Type,
    base: E,
    rate: E,
    min: Option<E>,
    max: Option<E>,
}

impl Checked for Deduction {
    fn compile(&self, compiler: &mut Compiler) -> Box<dyn Compiled> {
        Box::new(Deduction {
            ty: self.ty,
            base: compiler.code(&self.base),
            rate: compiler.code(&self.rate),
            min: compiler.limit(self.min.as_ref()),
            max: compiler.limit(self.max.as_ref()),
        })
    }
}

impl Deduction<Code> {
    /// The range of its amount, by the operations of `run`.
    fn range(&self, ranges: &Ranges) -> Option<Range> {
        let mut amount = self.base.range(ranges)?.times(self.rate.range(ranges)?)?;
        if let Some(min) = &self.min {
            amount = min.limited(amount, ranges, larger)?;
        }
        if let Some(max) = &self.max {
            amount = max.limited(amount, ranges, smaller)?;
        }
        Some(amount)
    }
}

impl Compiled for Deduction<Code> {
    fn run(&self, state: &mut State, slot: SlotId) -> Result<(), EvalError> {
        let limit = |code: &Option<Code>| code.as_ref().map_or(Ok(None), |code| code.limit(state));

        // The order matters: where `min` is above `max`, `max` wins.
        let mut amount = mul(self.base.number(state)?, self.rate.number(state)?)?;
        if let Some(min) = limit(&self.min)? {
            amount = larger(amount, min);
        }
        if let Some(max) = limit(&self.max)? {
            amount = smaller(amount, max);
        }

        state.set(slot, Value::Number(amount))
    }

    fn skipped(&self) -> Vec<Value> {
        vec![Value::ZERO]
    }

    fn run_ranges(&self, ranges: &mut Ranges, slot: SlotId) {
        let amount = self.range(ranges);
        ranges.set(slot, amount);
    }

    fn run_columns(
        &self,
        block: &Block,
        _slot: SlotId,
        _count: usize,
        active: &Active,
    ) -> Vec<Column> {
        // The operations of `run`, in its order, on whole columns.
        let limits = |code: &Option<Code>| Limits::of(code.as_ref(), block, active);

        let amount = self.base.numbers(block, active).times(
            &self.rate.numbers(block, active),
            block,
            active,
        );

        let amount =
            limits(&self.min).applied(amount, |amount, min| amount.larger(min, block, active));
        let amount =
            limits(&self.max).applied(amount, |amount, max| amount.smaller(max, block, active));

        vec![amount.into()]
    }

    fn operands(&self, state: &State, _slot: SlotId) -> Result<Vec<Operand<'_>>, EvalError> {
        let amount = |name, code| NamedOperand {
            name,
            code,
            ty: self.ty,
        };

        let given = [
            amount("base", Some(&self.base)),
            NamedOperand {
                name: "taux",
                code: Some(&self.rate),
                ty: Type::Rate,
            },
            amount("minimum", self.min.as_ref()),
            amount("maximum", self.max.as_ref()),
        ];

        operands_of_kind(given, state)
    }
}
