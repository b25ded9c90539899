//! `contribution: base`: rate x counted base. The counted base is the base raised to `floor`,
//! lowered to `ceiling`, then only its part above `over`.

use rust_decimal::Decimal;

use crate::law::column::{Active, Block, Column, Numbers};
use crate::law::formula::{Code, EvalError, ExpectedType, Limits, State};
use crate::law::range::{Range, Ranges};
use crate::law::{Expr, SlotId, Type, Value};
use crate::text::lang::Text;
use crate::text::number::{larger, mul, smaller, sub};

use super::operand::{NamedOperand, operands_of_kind};
use super::{
    BaseAndRate, Built, Checked, Compiled, Compiler, Detail, KeyForm, Kind, Levy, Operand, Output,
    Reader, Sentence, WITH, keys,
};

pub(super) static KIND: Kind = Kind {
    name: "contribution",
    main: KeyForm::Formula,
    keys: keys! {
        WITH;
        "rate" Formula required fr "le taux" "au taux" en "the rate" "at the rate";
        "floor" Formula optional
            fr "l’assiette y est relevée" "au moins sur"
            en "the base is raised to it" "on at least";
        "ceiling" Formula optional
            fr "l’assiette y est ramenée" "au plus sur"
            en "the base is lowered to it" "on at most";
        "over" Formula optional
            fr "seule compte la part de l’assiette qui le dépasse" "pour la part au-delà de"
            en "only the part of the base above it counts" "for the part above";
    },
    help: Text::new(
        "taux x assiette retenue ; l’assiette retenue (`.base`) est l’assiette relevée à `floor`, \
         ramenée à `ceiling`, puis seulement sa part au-dessus de `over` (0 au moins)",
        "rate x counted base; the counted base (`.base`) is the base raised to `floor`, lowered \
         to `ceiling`, then only its part above `over` (0 at least)",
    ),
    sentence: Sentence::Words(Text::new(
        "{taux} × {assiette}[ ({base}[, plancher {plancher}][, plafond {plafond}][, au-delà de \
         {au_dela_de}])]",
        "{taux} × {assiette}[ ({base}[, floor {plancher}][, ceiling {plafond}][, above \
         {au_dela_de}])]",
    )),
    phrase: Some(Text::new("cotisation sur", "contribution on")),
    detail: Detail::None,
    levy: Levy::Contribution,
    outputs: &["base"],
    read,
};

fn read(reader: &mut Reader) -> Option<Built> {
    let base = reader.main_amount()?;
    // Limits may be empty columns, and then do not apply; the rate may not.
    let limit = ExpectedType::limit(base.ty);
    let rate = reader.key("rate", ExpectedType::exactly(Type::Rate));
    let floor = reader.key("floor", limit).map(|typed| typed.expr);
    let ceiling = reader.key("ceiling", limit).map(|typed| typed.expr);
    let over = reader.key("over", limit).map(|typed| typed.expr);

    let outputs = vec![Output::main(base.ty), Output::named("base", base.ty)];

    let checked = Contribution {
        ty: base.ty,
        base: base.expr,
        rate: rate?.expr,
        floor,
        ceiling,
        over,
    };

    Some(Built {
        checked: Box::new(checked),
        outputs,
        hidden: 1,
    })
}

/// A contribution, checked or compiled.
#[derive(Debug)]
struct Contribution<E = Expr> {
    ty: Type,
    base: E,
    rate: E,
    floor: Option<E>,
    ceiling: Option<E>,
    over: Option<E>,
}

impl Checked for Contribution {
    fn compile(&self, compiler: &mut Compiler) -> Box<dyn Compiled> {
        Box::new(Contribution {
            ty: self.ty,
            base: compiler.code(&self.base),
            rate: compiler.code(&self.rate),
            floor: compiler.limit(self.floor.as_ref()),
            ceiling: compiler.limit(self.ceiling.as_ref()),
            over: compiler.limit(self.over.as_ref()),
        })
    }
}

/// Slots after the amount: the counted base, the rate.
const BASE: usize = 1;
const RATE: usize = 2;

impl Contribution<Code> {
    /// The range of its counted base, by the operations of `run`.
    fn base_range(&self, ranges: &Ranges) -> Option<Range> {
        let mut base = self.base.range(ranges)?;
        if let Some(floor) = &self.floor {
            base = floor.limited(base, ranges, larger)?;
        }
        if let Some(ceiling) = &self.ceiling {
            base = ceiling.limited(base, ranges, smaller)?;
        }

        let over = self.over.as_ref();
        if let Some(over) = over.map_or(Some(None), |over| over.limit_range(ranges))? {
            base = base.minus(over)?;
            base = base.each(|base| Some(larger(base, Decimal::ZERO)))?;
        }
        Some(base)
    }
}

impl Compiled for Contribution<Code> {
    fn run(&self, state: &mut State, slot: SlotId) -> Result<(), EvalError> {
        let limit = |code: &Option<Code>| code.as_ref().map_or(Ok(None), |code| code.limit(state));

        // The order of the law: the floor and the ceiling bound the base, then only what is above
        // `over` counts.
        let mut base = self.base.number(state)?;
        if let Some(floor) = limit(&self.floor)? {
            base = larger(base, floor);
        }
        if let Some(ceiling) = limit(&self.ceiling)? {
            base = smaller(base, ceiling);
        }

        if let Some(over) = limit(&self.over)? {
            base = larger(sub(base, over)?, Decimal::ZERO);
        }

        let rate = self.rate.number(state)?;
        state.set(slot, Value::Number(mul(base, rate)?))?;
        state.set(slot.after(BASE), Value::Number(base))?;
        state.set(slot.after(RATE), Value::Number(rate))
    }

    fn skipped(&self) -> Vec<Value> {
        // A rate that is the same for everybody is shown on the line even where nothing is due.
        let rate = self.rate.constant().cloned().unwrap_or(Value::ZERO);
        vec![Value::ZERO, Value::ZERO, rate]
    }

    fn run_ranges(&self, ranges: &mut Ranges, slot: SlotId) {
        let (base, rate) = (self.base_range(ranges), self.rate.range(ranges));
        let amount = base.zip(rate).and_then(|(base, rate)| base.times(rate));
        ranges.set(slot, amount);
        ranges.set(slot.after(BASE), base);
        ranges.set(slot.after(RATE), rate);
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

        let base = self.base.numbers(block, active);

        let base =
            limits(&self.floor).applied(base, |base, floor| base.larger(floor, block, active));
        let base = limits(&self.ceiling)
            .applied(base, |base, ceiling| base.smaller(ceiling, block, active));

        let above = |base: &Numbers, over: &Numbers| base.minus(over, block, active);
        let zero = Numbers::One(Decimal::ZERO);
        let base = limits(&self.over).applied(base, |base, over| {
            above(base, over).larger(&zero, block, active)
        });

        let rate = self.rate.numbers(block, active);
        vec![
            base.times(&rate, block, active).into(),
            base.into(),
            rate.into(),
        ]
    }

    fn operands(&self, state: &State, slot: SlotId) -> Result<Vec<Operand<'_>>, EvalError> {
        let amount = |name, code| NamedOperand {
            name,
            code,
            ty: self.ty,
        };

        // In the order of the sentence of the explanation; those that the step lacks are left out.
        let given = [
            amount("base", Some(&self.base)),
            amount("plancher", self.floor.as_ref()),
            amount("plafond", self.ceiling.as_ref()),
            amount("au_dela_de", self.over.as_ref()),
        ];

        let mut operands = operands_of_kind(given, state)?;
        operands.push(Operand::new(
            "assiette",
            state.get(slot.after(BASE))?,
            self.ty,
        ));
        operands.push(Operand::new(
            "taux",
            state.get(slot.after(RATE))?,
            Type::Rate,
        ));
        Ok(operands)
    }

    fn line(&self, state: &State, slot: SlotId) -> Result<BaseAndRate, EvalError> {
        Ok(BaseAndRate {
            base: Some(state.number(slot.after(BASE))?),
            rate: Some(state.number(slot.after(RATE))?),
        })
    }
}
