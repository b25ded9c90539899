//! Programs as they are built: each operation once, with the bounds of what it gives.

use std::collections::HashMap;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::kernel::{Kernel, POWER_DIGITS, Slot};
use super::loan::CHARGE_MOST;
use super::number::fits;
use super::program::{Instruction, Program};

/// What the compiler cannot say in columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unsupported(pub &'static str);

/// A condition of a program: known, or a column of 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Test {
    Fixed(bool),
    Column(Slot),
}

/// A program under construction.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    instructions: Vec<(Kernel, usize)>,
    /// Least and greatest integer of each column.
    bounds: Vec<(BigInt, BigInt)>,
    /// Whether an operation needs 128 bits on the way.
    works_wide: Vec<bool>,
    known: HashMap<Kernel, Slot>,
    /// The steps that have been compiled.
    pub(crate) steps: Vec<String>,
}

impl Builder {
    /// The amounts that are enumerated, in units.
    pub(crate) fn axis(&mut self, first: i64, last: i64) -> Slot {
        if let Some(known) = self.known.get(&Kernel::Axis) {
            return *known;
        }
        let slot = self.push(Kernel::Axis, BigInt::from(first), BigInt::from(last), false);
        debug_assert_eq!(slot, 0, "the axis comes first");
        slot
    }

    pub(crate) fn bounds_of(&self, slot: Slot) -> &(BigInt, BigInt) {
        &self.bounds[slot]
    }

    /// Takes bounds that are known otherwise.
    pub(crate) fn tighten(&mut self, slot: Slot, least: &BigInt, greatest: &BigInt) {
        let (low, high) = &mut self.bounds[slot];
        // The axis has its own.
        if slot != 0 {
            *low = low.clone().max(least.clone());
            *high = high.clone().min(greatest.clone());
        }
    }

    /// An operation, or the column that has its result already.
    pub(crate) fn emit(&mut self, kernel: Kernel) -> Result<Slot, Unsupported> {
        if let Some(known) = self.known.get(&kernel) {
            return Ok(*known);
        }
        let (low, high, most) = self.reach(&kernel);
        let is_wide = fits_narrow(&most).is_none();
        if most.magnitude().bits() > 125 {
            return Err(Unsupported("more than 128 bits"));
        }
        Ok(self.push(kernel, low, high, is_wide))
    }

    fn push(&mut self, kernel: Kernel, low: BigInt, high: BigInt, works_wide: bool) -> Slot {
        self.known.insert(kernel.clone(), self.instructions.len());
        self.instructions
            .push((kernel, self.steps.len().saturating_sub(1)));
        self.bounds.push((low, high));
        self.works_wide.push(works_wide);
        self.instructions.len() - 1
    }

    /// The least and the greatest result of an operation, and the greatest integer on the way.
    fn reach(&self, kernel: &Kernel) -> (BigInt, BigInt, BigInt) {
        let of = |slot: &Slot| &self.bounds[*slot];
        let condition = |most: BigInt| reaching(BigInt::zero(), BigInt::one(), most);
        match kernel {
            Kernel::Constant(value) => {
                reaching(BigInt::from(*value), BigInt::from(*value), BigInt::zero())
            }
            Kernel::Linear { a, times, plus } => {
                let (low, high) = self.scaled(*a, *times);
                let most = low.abs().max(high.abs()) + BigInt::from(*plus).abs();
                reaching(
                    low + *plus,
                    high + *plus,
                    most.max(BigInt::from(times.abs())),
                )
            }
            Kernel::Sum {
                a,
                times_a,
                b,
                times_b,
            } => {
                let ((low_a, high_a), (low_b, high_b)) =
                    (self.scaled(*a, *times_a), self.scaled(*b, *times_b));
                let most = low_a.abs().max(high_a.abs()) + low_b.abs().max(high_b.abs());
                reaching(
                    low_a + low_b,
                    high_a + high_b,
                    most.max(BigInt::from(times_a.abs().max(times_b.abs()))),
                )
            }
            Kernel::Product { a, b } => {
                let ((low_a, high_a), (low_b, high_b)) = (of(a), of(b));
                let corners = [
                    low_a * low_b,
                    low_a * high_b,
                    high_a * low_b,
                    high_a * high_b,
                ];
                let (low, high) = (
                    corners.iter().min().unwrap().clone(),
                    corners.iter().max().unwrap().clone(),
                );
                reaching(low, high, self.size(*a).max(self.size(*b)))
            }
            Kernel::Least { a, b }
            | Kernel::Greatest { a, b }
            | Kernel::Choose { yes: a, no: b, .. } => {
                let ((low_a, high_a), (low_b, high_b)) = (of(a).clone(), of(b).clone());
                let (low, high) = match kernel {
                    Kernel::Least { .. } => (low_a.min(low_b), high_a.min(high_b)),
                    Kernel::Greatest { .. } => (low_a.max(low_b), high_a.max(high_b)),
                    _ => (low_a.min(low_b), high_a.max(high_b)),
                };
                reaching(low, high, self.size(*a).max(self.size(*b)))
            }
            Kernel::IsSign { a, .. } => condition(self.size(*a)),
            Kernel::Both { .. } | Kernel::Either { .. } | Kernel::Not { .. } => {
                condition(BigInt::zero())
            }
            Kernel::Row { a, limits, .. } => {
                let most = limits
                    .iter()
                    .map(|limit| BigInt::from(limit.abs()))
                    .max()
                    .unwrap_or_default();
                reaching(
                    BigInt::zero(),
                    BigInt::from(limits.len()),
                    self.size(*a).max(most),
                )
            }
            Kernel::Pick { table, .. } => {
                let (low, high) = (table.iter().min().unwrap(), table.iter().max().unwrap());
                reaching(BigInt::from(*low), BigInt::from(*high), BigInt::zero())
            }
            Kernel::OneForZero { a } => {
                let (low, high) = of(a);
                let low = if low.is_zero() {
                    BigInt::one()
                } else {
                    low.clone()
                };
                reaching(low, high.clone().max(BigInt::one()), self.size(*a))
            }
            quotient => self.reach_of_quotient(quotient),
        }
    }

    fn reach_of_quotient(&self, kernel: &Kernel) -> (BigInt, BigInt, BigInt) {
        let one = BigInt::one();
        match kernel {
            Kernel::Divide {
                a,
                times,
                by,
                times_by,
                ..
            } => {
                let by_most = by.map_or(BigInt::one(), |by| self.bounds[by].1.clone()) * *times_by;
                let by_least = by.map_or(BigInt::one(), |by| {
                    self.bounds[by].0.clone().max(BigInt::one())
                }) * *times_by;
                let (low, high) = self.scaled(*a, *times);
                let most = (low.abs().max(high.abs()) + &by_most) * 2 + 1;
                let quotients = [
                    &low / &by_least,
                    &low / &by_most,
                    &high / &by_least,
                    &high / &by_most,
                ];
                reaching(
                    quotients.iter().min().unwrap() - &one,
                    quotients.iter().max().unwrap() + &one,
                    most,
                )
            }
            // The numerator is shifted by as many digits as are kept.
            Kernel::Power { a, .. } => (
                BigInt::zero(),
                BigInt::one() << POWER_DIGITS,
                self.size(*a) << POWER_DIGITS,
            ),
            Kernel::Schedule {
                principal, terms, ..
            } => {
                let (most, on_the_way) = terms.reach(&self.size(*principal));
                reaching(BigInt::zero(), most, on_the_way)
            }
            Kernel::Charge { .. } => {
                let most = BigInt::from(CHARGE_MOST) << POWER_DIGITS;
                (BigInt::zero(), most.clone(), most)
            }
            Kernel::Near {
                a,
                times,
                plus,
                below,
                ..
            } => {
                let (low, high) = self.scaled(*a, *times);
                let most = (low.abs().max(high.abs()) + plus.abs() + below) * 3;
                reaching(
                    (low + *plus) / *below - &one,
                    (high + *plus) / *below + &one,
                    most,
                )
            }
            other => unreachable!("{other:?} is made separately"),
        }
    }

    /// The greatest absolute value of a column.
    fn size(&self, slot: Slot) -> BigInt {
        let (low, high) = &self.bounds[slot];
        low.abs().max(high.abs())
    }

    fn scaled(&self, slot: Slot, times: i128) -> (BigInt, BigInt) {
        let (low, high) = &self.bounds[slot];
        if times < 0 {
            (high * times, low * times)
        } else {
            (low * times, high * times)
        }
    }

    pub(crate) fn both(&mut self, a: Test, b: Test) -> Test {
        match (a, b) {
            (Test::Fixed(false), _) | (_, Test::Fixed(false)) => Test::Fixed(false),
            (Test::Fixed(true), other) | (other, Test::Fixed(true)) => other,
            (Test::Column(a), Test::Column(b)) if a == b => Test::Column(a),
            (Test::Column(a), Test::Column(b)) => self.condition(Kernel::Both { a, b }),
        }
    }

    pub(crate) fn either(&mut self, a: Test, b: Test) -> Test {
        match (a, b) {
            (Test::Fixed(true), _) | (_, Test::Fixed(true)) => Test::Fixed(true),
            (Test::Fixed(false), other) | (other, Test::Fixed(false)) => other,
            (Test::Column(a), Test::Column(b)) if a == b => Test::Column(a),
            (Test::Column(a), Test::Column(b)) => self.condition(Kernel::Either { a, b }),
        }
    }

    pub(crate) fn not(&mut self, a: Test) -> Test {
        match a {
            Test::Fixed(value) => Test::Fixed(!value),
            Test::Column(a) => self.condition(Kernel::Not { a }),
        }
    }

    fn condition(&mut self, kernel: Kernel) -> Test {
        Test::Column(self.emit(kernel).expect("conditions are 0 or 1"))
    }

    /// Whether a column is kept in 128 bits.
    fn is_wide(&self, slot: Slot) -> bool {
        let (low, high) = &self.bounds[slot];
        fits_narrow(low).is_none() || fits_narrow(high).is_none()
    }

    /// The program that fills some columns, without what none of them needs; and where each of them
    /// is then.
    pub(crate) fn finish(&self, requested: &[Slot]) -> (Program, Vec<(Slot, bool)>) {
        let mut is_needed = vec![false; self.instructions.len()];
        requested.iter().for_each(|slot| is_needed[*slot] = true);

        for slot in (0..self.instructions.len()).rev() {
            if is_needed[slot] {
                self.instructions[slot]
                    .0
                    .reads()
                    .into_iter()
                    .for_each(|read| is_needed[read] = true);
            }
        }

        let mut widths = Widths {
            builder: self,
            out: Vec::new(),
            wide: Vec::new(),
            placed: HashMap::new(),
        };

        for slot in (0..self.instructions.len()).filter(|slot| is_needed[*slot]) {
            widths.place(slot);
        }

        let ends: Vec<(Slot, bool)> = requested
            .iter()
            .map(|slot| widths.placed[&(*slot, self.is_wide(*slot))])
            .map(|at| (at, widths.wide[at]))
            .collect();
        let Widths { out, wide, .. } = widths;
        let keep: Vec<Slot> = ends.iter().map(|(slot, _)| *slot).collect();
        let (program, at) = share_columns(out, &wide, &keep, &self.steps);
        (
            program,
            ends.iter()
                .map(|(slot, is_wide)| (at[*slot], *is_wide))
                .collect(),
        )
    }
}

/// Operations with their widths, those that change a width between them.
struct Widths<'b> {
    builder: &'b Builder,
    out: Vec<Instruction>,
    /// Whether the column that each operation fills is wide.
    wide: Vec<bool>,
    /// Where a column is kept in a width.
    placed: HashMap<(Slot, bool), Slot>,
}

impl Widths<'_> {
    fn place(&mut self, slot: Slot) {
        let (kernel, step) = &self.builder.instructions[slot];
        let own = self.builder.is_wide(slot);
        let reads_wide = |kernel: &Kernel| {
            let numbers: Vec<Slot> = match kernel {
                Kernel::Choose { yes, no, .. } => vec![*yes, *no],
                Kernel::Pick { .. } => Vec::new(),
                other => other.reads(),
            };
            numbers.iter().any(|read| self.builder.is_wide(*read))
        };

        let always = matches!(
            kernel,
            Kernel::Power { .. }
                | Kernel::Near { .. }
                | Kernel::Schedule { .. }
                | Kernel::Charge { .. }
        );
        let is_wide = own || always || self.builder.works_wide[slot] || reads_wide(kernel);
        let kernel = kernel.clone();
        // Indices and conditions are narrow.
        let narrow: Vec<Slot> = match &kernel {
            Kernel::Choose { test, .. } => vec![*test],
            Kernel::Pick { index, .. } => vec![*index],
            Kernel::Both { .. } | Kernel::Either { .. } | Kernel::Not { .. } => kernel.reads(),
            _ => Vec::new(),
        };

        for read in kernel.reads() {
            self.bring(read, is_wide && !narrow.contains(&read));
        }

        let renamed =
            kernel.renamed(|read| self.placed[&(read, is_wide && !narrow.contains(&read))]);
        let gives_wide = is_wide && !matches!(kernel, Kernel::IsSign { .. } | Kernel::Row { .. });
        self.push(renamed, is_wide, gives_wide, *step, slot);
        if gives_wide != own {
            self.bring(slot, own);
        }
    }

    /// Has a column in a width.
    fn bring(&mut self, slot: Slot, wide: bool) {
        if self.placed.contains_key(&(slot, wide)) {
            return;
        }
        let from = self.placed[&(slot, !wide)];
        let kernel = if wide {
            Kernel::Widen { a: from }
        } else {
            Kernel::Narrow { a: from }
        };
        let step = self.builder.instructions[slot].1;
        self.push(kernel, wide, wide, step, slot);
    }

    fn push(&mut self, kernel: Kernel, is_wide: bool, gives_wide: bool, step: usize, slot: Slot) {
        self.placed.insert((slot, gives_wide), self.out.len());
        self.out.push(Instruction {
            kernel,
            out: self.out.len(),
            wide: is_wide,
            step,
        });
        self.wide.push(gives_wide);
    }
}

/// Gives a column to another operation once nothing reads it any more.
fn share_columns(
    out: Vec<Instruction>,
    wide: &[bool],
    keep: &[Slot],
    steps: &[String],
) -> (Program, Vec<Slot>) {
    let mut last_read: Vec<usize> = (0..out.len()).collect();
    for (index, instruction) in out.iter().enumerate() {
        instruction
            .kernel
            .reads()
            .into_iter()
            .for_each(|read| last_read[read] = index);
    }

    keep.iter().for_each(|slot| last_read[*slot] = out.len());
    let mut ends = vec![Vec::new(); out.len() + 1];
    last_read
        .iter()
        .enumerate()
        .for_each(|(slot, last)| ends[*last].push(slot));
    let mut program = Program {
        steps: steps.to_vec(),
        ..Program::default()
    };

    let (mut at, mut free) = (vec![0; out.len()], [Vec::new(), Vec::new()]);

    for (index, mut instruction) in out.into_iter().enumerate() {
        let is_wide = wide[index];
        let count = if is_wide {
            &mut program.wide
        } else {
            &mut program.narrow
        };
        at[index] = free[usize::from(is_wide)].pop().unwrap_or_else(|| {
            *count += 1;
            *count - 1
        });
        instruction.kernel = instruction.kernel.renamed(|read| at[read]);
        instruction.out = at[index];
        program.instructions.push(instruction);
        ends[index]
            .iter()
            .for_each(|slot| free[usize::from(wide[*slot])].push(at[*slot]));
    }

    (program, at)
}

/// Bounds with the greatest integer on the way, which is at least as great as they are.
fn reaching(low: BigInt, high: BigInt, most: BigInt) -> (BigInt, BigInt, BigInt) {
    let most = most.max(low.abs()).max(high.abs());
    (low, high, most)
}

/// Integers that 64 bits hold with room.
fn fits_narrow(value: &BigInt) -> Option<i128> {
    fits(value)
        .ok()
        .filter(|value| value.unsigned_abs() < 1 << 62)
}
