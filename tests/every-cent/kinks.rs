//! Where the law bends: amounts from which on it takes another way, in a bracket, at a ceiling, by
//! a condition.

use crate::evaluator::{Axis, Block, Compiled, Instruction, Kernel, ROWS, Span};

/// What was chosen on the way to an answer, as one number.
type Way = u64;

/// Whether an operation of the law chooses, and what it chose in a row.
fn choice(instruction: &Instruction, block: &Block, row: usize) -> Option<i64> {
    match &instruction.kernel {
        Kernel::IsSign { .. } | Kernel::Row { .. } => Some(block.at(instruction.out, row)),
        Kernel::Least { a, b } | Kernel::Greatest { a, b } => Some(match instruction.wide {
            true => i64::from(block.wide_column(*a)[row] <= block.wide_column(*b)[row]),
            false => i64::from(block.at(*a, row) <= block.at(*b, row)),
        }),
        _ => None,
    }
}

/// The ways of some amounts.
fn ways(compiled: &Compiled, amounts: &[i64]) -> Vec<Way> {
    let mut block = Block::default();
    let mut all = Vec::with_capacity(amounts.len());

    for part in amounts.chunks(ROWS) {
        let spans: Vec<Span> = part.iter().map(|amount| (*amount, 1)).collect();
        let mut ways = vec![0xcbf2_9ce4_8422_2325_u64; part.len()];
        compiled
            .program
            .run_with(&mut block, &spans, |instruction, block, _| {
                for (row, way) in ways.iter_mut().enumerate() {
                    if let Some(chosen) = choice(instruction, block, row) {
                        *way = (*way ^ chosen as u64)
                            .wrapping_mul(0x0000_0100_0000_01b3)
                            .rotate_left(5);
                    }
                }
            });
        all.extend(ways);
    }

    all
}

/// Amounts from the first to the last of a range, each some percents above the one before.
fn grid(axis: &Axis) -> Vec<i64> {
    let mut grid = vec![axis.first];
    let mut above = 1_i64;
    while axis.first + above < axis.last {
        grid.push(axis.first + above);
        above += 1.max(above / 64);
    }
    grid.push(axis.last);
    grid.dedup();
    grid
}

/// The last amount before the law takes its last way.
pub(crate) fn last(compiled: &Compiled, axis: &Axis) -> Option<i64> {
    let grid = grid(axis);
    let ways = ways(compiled, &grid);
    let change = (1..grid.len())
        .rev()
        .find(|index| ways[*index] != ways[index - 1])?;
    let (mut low, mut high, own) = (grid[change - 1], grid[change], ways[change]);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if self::ways(compiled, &[middle])[0] == own {
            high = middle
        } else {
            low = middle
        }
    }

    Some(low)
}

/// Every amount after which the law takes another way than at the next one.
pub(crate) fn all(compiled: &Compiled, axis: &Axis) -> Vec<i64> {
    let grid = grid(axis);
    let ways = ways(compiled, &grid);
    let mut found = Vec::new();
    for index in 1..grid.len() {
        between(
            compiled,
            (grid[index - 1], ways[index - 1]),
            (grid[index], ways[index]),
            &mut found,
        );
    }
    found
}

fn between(compiled: &Compiled, low: (i64, Way), high: (i64, Way), found: &mut Vec<i64>) {
    if low.1 == high.1 {
        return;
    }
    if high.0 - low.0 == 1 {
        found.push(low.0);
        return;
    }
    let middle = low.0 + (high.0 - low.0) / 2;
    let way = ways(compiled, &[middle])[0];
    between(compiled, low, (middle, way), found);
    between(compiled, (middle, way), high, found);
}

/// Whether the law takes another way at an amount than at the next one.
pub(crate) fn bends(compiled: &Compiled, amount: i64) -> bool {
    let ways = ways(compiled, &[amount, amount + 1]);
    ways[0] != ways[1]
}

/// The steps that take another way at an amount than at the next one.
pub(crate) fn steps(compiled: &Compiled, amount: i64) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    let mut block = Block::default();
    compiled
        .program
        .run_with(&mut block, &[(amount, 2)], |instruction, block, _| {
            let chosen = choice(instruction, block, 0).zip(choice(instruction, block, 1));
            if chosen.is_some_and(|(at, next)| at != next)
                && let Some(step) = compiled.program.steps.get(instruction.step)
                && !step.is_empty()
                && !steps.contains(step)
            {
                steps.push(step.clone());
            }
        });
    steps
}
