//! A compiled program and its execution, block by block, without an allocation a call.

use super::kernel::{Kernel, Mode, POWER_DIGITS, Sign, Slot};
use super::loan::{CHARGE_DIGITS, charge};

/// An operation, with the column that it fills.
#[derive(Debug, Clone)]
pub(crate) struct Instruction {
    pub kernel: Kernel,
    pub out: Slot,
    /// Whether it reads and computes 128 bits.
    pub wide: bool,
    /// The step of the law that it was compiled from: an index into [`Program::steps`].
    pub step: usize,
}

/// Operations in order. A column is used again once nothing reads what it held.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub instructions: Vec<Instruction>,
    /// Number of columns of 64 and of 128 bits.
    pub narrow: usize,
    pub wide: usize,
    /// The names of the steps.
    pub steps: Vec<String>,
}

/// Rows of a block: the columns that are alive stay in the caches next to the processor.
pub(crate) const ROWS: usize = 512;

/// The columns of a run.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub rows: usize,
    narrow: Vec<Vec<i64>>,
    wide: Vec<Vec<i128>>,
    /// Rows of which an approximation did not decide.
    pub unsure: Vec<bool>,
}

impl Block {
    /// The integer of a row of a narrow column.
    pub(crate) fn at(&self, slot: Slot, row: usize) -> i64 {
        self.narrow[slot][row]
    }

    pub(crate) fn column(&self, slot: Slot) -> &[i64] {
        &self.narrow[slot][..self.rows]
    }

    pub(crate) fn wide_column(&self, slot: Slot) -> &[i128] {
        &self.wide[slot][..self.rows]
    }
}

/// Runs of amounts that follow each other: the first, and how many.
pub(crate) type Span = (i64, usize);

impl Program {
    /// Computes the rows of some spans, [`ROWS`] together at most.
    pub(crate) fn run(&self, block: &mut Block, spans: &[Span]) {
        self.run_with(block, spans, |_, _, _| {});
    }

    /// Computes rows and tells of each operation when its column is filled.
    pub(crate) fn run_with(
        &self,
        block: &mut Block,
        spans: &[Span],
        mut seen: impl FnMut(&Instruction, &Block, Slot),
    ) {
        block.rows = spans.iter().map(|(_, count)| count).sum();
        assert!(block.rows <= ROWS, "{} rows in a block", block.rows);
        // What the last program left is overwritten before it is read.
        block
            .narrow
            .resize(block.narrow.len().max(self.narrow), vec![0; ROWS]);
        block
            .wide
            .resize(block.wide.len().max(self.wide), vec![0; ROWS]);
        block.unsure.clear();
        block.unsure.resize(block.rows, false);

        for instruction in &self.instructions {
            step(instruction, block, spans);
            seen(instruction, block, instruction.out);
        }
    }
}

/// Integers of one width.
macro_rules! operations {
    ($run:ident, $divide:ident, $columns:ident, $int:ty) => {
        /// Whole quotients.
        fn $divide(
            above: &[$int],
            times: $int,
            by: Option<&[$int]>,
            times_by: $int,
            mode: Mode,
            target: &mut [$int],
        ) {
            let half_up = |above: $int, by: $int| {
                let twice = 2 * above;
                if twice < 0 {
                    -((by - twice) / (2 * by))
                } else {
                    (twice + by) / (2 * by)
                }
            };
            let up = |above: $int, by: $int| -(-above).div_euclid(by);
            let Some(by) = by else {
                let each = target.iter_mut().zip(above);
                return match mode {
                    Mode::HalfUp => {
                        each.for_each(|(out, above)| *out = half_up(above * times, times_by))
                    }
                    Mode::Down => {
                        each.for_each(|(out, above)| *out = (above * times).div_euclid(times_by))
                    }
                    Mode::Up => each.for_each(|(out, above)| *out = up(above * times, times_by)),
                };
            };
            for ((out, above), by) in target.iter_mut().zip(above).zip(by) {
                let (above, by) = (above * times, by * times_by);
                *out = match mode {
                    Mode::HalfUp => half_up(above, by),
                    Mode::Down => above.div_euclid(by),
                    Mode::Up => up(above, by),
                };
            }
        }

        fn $run(kernel: &Kernel, out: Slot, block: &mut Block) {
            let rows = block.rows;
            let as_int = |value: i128| <$int>::try_from(value).unwrap();
            // Taken out, so that the others can be read meanwhile; a column never reads itself.
            let mut filled = std::mem::take(&mut block.$columns[out]);
            let own = |slot: Slot| &block.$columns[slot][..rows];
            let target = &mut filled[..rows];
            match kernel {
                Kernel::Constant(value) => target.fill(as_int(*value)),
                Kernel::Linear { a, times, plus } => {
                    let (times, plus) = (as_int(*times), as_int(*plus));
                    target
                        .iter_mut()
                        .zip(own(*a))
                        .for_each(|(out, a)| *out = a * times + plus);
                }
                Kernel::Sum {
                    a,
                    times_a,
                    b,
                    times_b,
                } => {
                    let (times_a, times_b) = (as_int(*times_a), as_int(*times_b));
                    for ((out, a), b) in target.iter_mut().zip(own(*a)).zip(own(*b)) {
                        *out = a * times_a + b * times_b;
                    }
                }
                Kernel::Product { a, b } => {
                    target
                        .iter_mut()
                        .zip(own(*a))
                        .zip(own(*b))
                        .for_each(|((out, a), b)| *out = a * b);
                }
                Kernel::Least { a, b } => {
                    target
                        .iter_mut()
                        .zip(own(*a))
                        .zip(own(*b))
                        .for_each(|((out, a), b)| *out = *a.min(b));
                }
                Kernel::Greatest { a, b } => {
                    target
                        .iter_mut()
                        .zip(own(*a))
                        .zip(own(*b))
                        .for_each(|((out, a), b)| *out = *a.max(b));
                }
                Kernel::Choose { test, yes, no } => {
                    let test = &block.narrow[*test][..rows];
                    for (((out, test), yes), no) in
                        target.iter_mut().zip(test).zip(own(*yes)).zip(own(*no))
                    {
                        *out = if *test == 1 { *yes } else { *no };
                    }
                }
                Kernel::Divide {
                    a,
                    times,
                    by,
                    times_by,
                    mode,
                } => {
                    let by = by.map(own);
                    $divide(
                        own(*a),
                        as_int(*times),
                        by,
                        as_int(*times_by),
                        *mode,
                        target,
                    );
                }
                Kernel::Pick { index, table } => {
                    let index = &block.narrow[*index][..rows];
                    target
                        .iter_mut()
                        .zip(index)
                        .for_each(|(out, index)| *out = as_int(table[*index as usize]));
                }
                Kernel::OneForZero { a } => {
                    target
                        .iter_mut()
                        .zip(own(*a))
                        .for_each(|(out, a)| *out = if *a == 0 { 1 } else { *a });
                }
                other => panic!("{other:?} is of one width only"),
            }
            block.$columns[out] = filled;
        }
    };
}

operations!(narrow, divide_narrow, narrow, i64);
operations!(wide, divide_wide, wide, i128);

fn step(instruction: &Instruction, block: &mut Block, spans: &[Span]) {
    let Instruction {
        kernel,
        out,
        wide: is_wide,
        ..
    } = instruction;
    match kernel {
        Kernel::Axis => {
            let amounts = spans
                .iter()
                .flat_map(|(first, count)| *first..*first + *count as i64);
            block.narrow[*out]
                .iter_mut()
                .zip(amounts)
                .for_each(|(out, amount)| *out = amount);
        }
        Kernel::Widen { a } => {
            let from = &block.narrow[*a][..block.rows];
            block.wide[*out]
                .iter_mut()
                .zip(from)
                .for_each(|(out, value)| *out = i128::from(*value));
        }
        Kernel::Narrow { a } => {
            let from = &block.wide[*a][..block.rows];
            block.narrow[*out]
                .iter_mut()
                .zip(from)
                .for_each(|(out, value)| *out = i64::try_from(*value).unwrap());
        }
        Kernel::IsSign { .. }
        | Kernel::Row { .. }
        | Kernel::Both { .. }
        | Kernel::Either { .. }
        | Kernel::Not { .. } => {
            conditions(kernel, *out, *is_wide, block);
        }
        Kernel::Power {
            a,
            by,
            times_by,
            quarters,
        } => {
            for row in 0..block.rows {
                let by = by.map_or(1, |by| block.wide[by][row]) * times_by;
                block.wide[*out][row] = power(block.wide[*a][row], by, *quarters);
            }
        }
        Kernel::Near {
            a,
            times,
            plus,
            below,
            error,
            mode,
        } => {
            for row in 0..block.rows {
                let value = block.wide[*a][row] * times + plus;
                let (low, high) = (
                    divided(value - error, *below, *mode),
                    divided(value + error, *below, *mode),
                );
                block.wide[*out][row] = low;
                block.unsure[row] |= low != high;
            }
        }
        Kernel::Schedule {
            principal,
            regular,
            terms,
            asked,
        } => {
            for row in 0..block.rows {
                block.wide[*out][row] = terms.repay(
                    block.wide[*principal][row],
                    block.wide[*regular][row],
                    *asked,
                );
            }
        }
        Kernel::Charge {
            principal,
            fees,
            payments,
        } => {
            let mut discount = 1_i128 << CHARGE_DIGITS;
            for row in 0..block.rows {
                let charge = charge(block.wide[*principal][row], *fees, payments, &mut discount);
                block.wide[*out][row] = charge.unwrap_or_default();
                block.unsure[row] |= charge.is_none();
            }
        }
        _ if *is_wide => wide(kernel, *out, block),
        _ => narrow(kernel, *out, block),
    }
}

fn conditions(kernel: &Kernel, out: Slot, is_wide: bool, block: &mut Block) {
    let rows = block.rows;
    let mut filled = std::mem::take(&mut block.narrow[out]);
    let target = &mut filled[..rows];
    let narrow = |slot: Slot| &block.narrow[slot][..rows];
    let wide = |slot: Slot| &block.wide[slot][..rows];
    match kernel {
        Kernel::IsSign { a, sign } => {
            let narrow_of = |holds: fn(i64) -> bool, target: &mut [i64]| {
                target
                    .iter_mut()
                    .zip(narrow(*a))
                    .for_each(|(out, a)| *out = i64::from(holds(*a)));
            };
            let wide_of = |holds: fn(i128) -> bool, target: &mut [i64]| {
                target
                    .iter_mut()
                    .zip(wide(*a))
                    .for_each(|(out, a)| *out = i64::from(holds(*a)));
            };
            match (is_wide, sign) {
                (false, Sign::Negative) => narrow_of(|a| a < 0, target),
                (false, Sign::NotPositive) => narrow_of(|a| a <= 0, target),
                (false, Sign::Zero) => narrow_of(|a| a == 0, target),
                (true, Sign::Negative) => wide_of(|a| a < 0, target),
                (true, Sign::NotPositive) => wide_of(|a| a <= 0, target),
                (true, Sign::Zero) => wide_of(|a| a == 0, target),
            }
        }
        Kernel::Row { a, limits } => {
            target.fill(0);
            for least in limits {
                if is_wide {
                    target
                        .iter_mut()
                        .zip(wide(*a))
                        .for_each(|(out, a)| *out += i64::from(a >= least));
                } else {
                    // A limit beyond 64 bits is passed by none of them, or by all.
                    let least = i64::try_from(*least).unwrap_or(if *least < 0 {
                        i64::MIN
                    } else {
                        i64::MAX
                    });
                    target
                        .iter_mut()
                        .zip(narrow(*a))
                        .for_each(|(out, a)| *out += i64::from(*a >= least));
                }
            }
        }
        Kernel::Both { a, b } => {
            target
                .iter_mut()
                .zip(narrow(*a))
                .zip(narrow(*b))
                .for_each(|((out, a), b)| *out = a & b);
        }
        Kernel::Either { a, b } => {
            target
                .iter_mut()
                .zip(narrow(*a))
                .zip(narrow(*b))
                .for_each(|((out, a), b)| *out = a | b);
        }
        Kernel::Not { a } => target
            .iter_mut()
            .zip(narrow(*a))
            .for_each(|(out, a)| *out = 1 - a),
        other => panic!("{other:?} is no condition"),
    }

    block.narrow[out] = filled;
}

pub(super) fn divided(above: i128, below: i128, mode: Mode) -> i128 {
    match mode {
        Mode::HalfUp if above < 0 => -((below - 2 * above) / (2 * below)),
        Mode::HalfUp => (2 * above + below) / (2 * below),
        Mode::Down => above.div_euclid(below),
        Mode::Up => -(-above).div_euclid(below),
    }
}

/// `(above / below)` to the power of `quarters / 4`, over 2 to the 62. With x the base, x^(3/4) is
/// the root of x times the root of x: each root is taken of a number that is not much smaller than
/// the last one, and errors stay small.
fn power(above: i128, below: i128, quarters: u32) -> i128 {
    let one = 1_u128 << POWER_DIGITS;
    // Rows where the step does not apply hold anything.
    let (above, below) = (above.clamp(0, below).unsigned_abs(), below.unsigned_abs());
    let base = above * one / below;
    let times = |a: u128, b: u128| (a * b) >> POWER_DIGITS;
    let root = |a: u128| (a << POWER_DIGITS).isqrt();
    let part = match quarters % 4 {
        0 => one,
        2 => root(base),
        _ => root(times(base, root(base))),
    };

    (0..quarters / 4)
        .fold(part, |power, _| times(power, base))
        .try_into()
        .unwrap()
}
