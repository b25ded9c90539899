//! The operations of a compiled program, each on whole columns of integers.
//!
//! Every column is an integer over a denominator that the compiler knows, so nothing here rounds
//! but [`Kernel::Divide`] and [`Kernel::Near`]. The compiler knows the bounds of every integer too:
//! it picks 64 or 128 bits so that nothing overflows, and the checks of the profile would say so if
//! it were wrong.

use super::loan::{Asked, Terms};

/// The index of a column.
pub(crate) type Slot = usize;

/// How a quotient is brought to an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    /// Nearest, halves away from zero.
    HalfUp,
    Down,
    Up,
}

/// What is asked of the sign of an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Sign {
    Negative,
    NotPositive,
    Zero,
}

/// An operation; conditions are 0 or 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    /// The amounts that are enumerated, in units.
    Axis,
    Constant(i128),
    /// `a x times + plus`
    Linear {
        a: Slot,
        times: i128,
        plus: i128,
    },
    /// `a x times_a + b x times_b`
    Sum {
        a: Slot,
        times_a: i128,
        b: Slot,
        times_b: i128,
    },
    Product {
        a: Slot,
        b: Slot,
    },
    Least {
        a: Slot,
        b: Slot,
    },
    Greatest {
        a: Slot,
        b: Slot,
    },
    /// `yes` where `test` is 1, else `no`
    Choose {
        test: Slot,
        yes: Slot,
        no: Slot,
    },
    IsSign {
        a: Slot,
        sign: Sign,
    },
    Both {
        a: Slot,
        b: Slot,
    },
    Either {
        a: Slot,
        b: Slot,
    },
    Not {
        a: Slot,
    },
    /// `a x times / (by x times_by)`, to an integer; the divisor is positive.
    Divide {
        a: Slot,
        times: i128,
        by: Option<Slot>,
        times_by: i128,
        mode: Mode,
    },
    /// How many of some integers, in rising order, the value is at least.
    Row {
        a: Slot,
        limits: Vec<i128>,
    },
    /// The element of a table at an index.
    Pick {
        index: Slot,
        table: Vec<i128>,
    },
    /// 1 in place of 0: what is divided by 0 is looked at by nobody.
    OneForZero {
        a: Slot,
    },
    Widen {
        a: Slot,
    },
    Narrow {
        a: Slot,
    },
    /// `(a / (by x times_by))` to the power of so many quarters, over 2 to the 62, give or take
    /// [`POWER_ERROR`]; the base is from 0 to 1.
    Power {
        a: Slot,
        by: Option<Slot>,
        times_by: i128,
        quarters: u32,
    },
    /// `(a x times + plus) / below` to an integer, where `a` may be off by `error`; rows where that
    /// decides are unsure.
    Near {
        a: Slot,
        times: i128,
        plus: i128,
        below: i128,
        error: i128,
        mode: Mode,
    },
    /// A sum or a payment of the schedule of a loan, in units of its rounding.
    Schedule {
        principal: Slot,
        regular: Slot,
        terms: Terms,
        asked: Asked,
    },
    /// The rate of charge of a loan, over 2 to the 62, from the payments for a principal of 1.
    Charge {
        principal: Slot,
        fees: i128,
        payments: Vec<i128>,
    },
}

/// Units by which a power may be off.
pub(crate) const POWER_ERROR: i128 = 16;

/// Binary digits of a power after the point.
pub(crate) const POWER_DIGITS: u32 = 62;

impl Kernel {
    /// The columns that it reads.
    pub(crate) fn reads(&self) -> Vec<Slot> {
        self.clone()
            .operands()
            .into_iter()
            .map(|operand| *operand)
            .collect()
    }

    /// The same, its columns under other indices.
    pub(crate) fn renamed(&self, to: impl Fn(Slot) -> Slot) -> Self {
        let mut kernel = self.clone();
        kernel
            .operands()
            .into_iter()
            .for_each(|operand| *operand = to(*operand));
        kernel
    }

    /// The operands that are columns, in the order in which they are read.
    fn operands(&mut self) -> Vec<&mut Slot> {
        match self {
            Self::Axis | Self::Constant(_) => Vec::new(),
            Self::Linear { a, .. }
            | Self::IsSign { a, .. }
            | Self::Not { a }
            | Self::Row { a, .. }
            | Self::Pick { index: a, .. }
            | Self::OneForZero { a }
            | Self::Widen { a }
            | Self::Narrow { a }
            | Self::Charge { principal: a, .. }
            | Self::Near { a, .. } => vec![a],
            Self::Sum { a, b, .. }
            | Self::Product { a, b }
            | Self::Least { a, b }
            | Self::Greatest { a, b }
            | Self::Both { a, b }
            | Self::Schedule {
                principal: a,
                regular: b,
                ..
            }
            | Self::Either { a, b } => vec![a, b],
            Self::Choose { test, yes, no } => vec![test, yes, no],
            Self::Divide { a, by, .. } | Self::Power { a, by, .. } => {
                [a].into_iter().chain(by).collect()
            }
        }
    }
}
