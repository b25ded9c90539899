use super::*;
use crate::law::figure::{Bound, BoundWord};
use crate::law::formula::When;

const EDGES: [i64; 4] = [0, 1_000, 2_500, 10_000];
const RATES: [(i64, u32); 4] = [(0, 0), (11, 2), (3, 1), (455, 3)];

fn number(number: i64) -> Decimal {
    number.into()
}

/// Brackets between the edges: the last has no end, or ends at twice the last edge.
fn brackets(word: BoundWord, has_end: bool) -> Vec<Bracket> {
    let is_upper = matches!(word, BoundWord::UpTo | BoundWord::Below);
    let end = has_end.then_some(number(20_000));
    let ends = EDGES
        .iter()
        .skip(1)
        .map(|edge| Some(number(*edge)))
        .chain([end]);
    let rows = EDGES.iter().zip(ends).zip(RATES).enumerate();
    rows.map(|(row, ((from, to), (rate, decimals)))| {
        let value = if is_upper { to } else { Some(number(*from)) };
        let bound = value.map(|value| Bound { word, value });
        Bracket::new(
            row,
            bound,
            number(*from),
            to,
            Decimal::new(rate, decimals),
            None,
            2,
        )
    })
    .collect()
}

/// The tax and the rate by the words of the manual; `None` above the last upper bound.
fn expected(
    word: BoundWord,
    has_end: bool,
    base: Decimal,
    shares: Decimal,
) -> Option<(Decimal, Decimal)> {
    let holds = |edge: Decimal| match word {
        BoundWord::UpTo => base <= edge * shares,
        BoundWord::Below => base < edge * shares,
        BoundWord::Over => base > edge * shares,
        BoundWord::From => base >= edge * shares,
    };
    let brackets = brackets(word, has_end);
    let mut places = brackets
        .iter()
        .map(|bracket| bracket.bound.is_none_or(|bound| holds(bound.value)));
    let is_upper = matches!(word, BoundWord::UpTo | BoundWord::Below);
    let found = if is_upper {
        places.position(|holds| holds)
    } else {
        places.rposition(|holds| holds)
    };
    let Some(found) = found else {
        return (!is_upper).then_some((Decimal::ZERO, Decimal::ZERO));
    };
    let part = |bracket: &Bracket| {
        let top = bracket.to.map_or(base, |to| base.min(to * shares));
        (top - bracket.from * shares).max(Decimal::ZERO) * bracket.rate
    };
    Some((brackets.iter().map(part).sum(), brackets[found].rate))
}

fn check(word: BoundWord, has_end: bool, bases: &Numbers, shares: &Numbers, rows: usize) {
    let is_upper = matches!(word, BoundWord::UpTo | BoundWord::Below);
    let block = Block::new(rows, Vec::new(), 0, When::default());
    let found = taxes(
        &brackets(word, has_end),
        is_upper,
        bases,
        shares,
        &block,
        &Active::ALL,
    );
    for row in 0..rows {
        let (base, shares) = (bases.at(row).unwrap(), shares.at(row).unwrap());
        let context = format!("{word:?}, {has_end}: {base} for {shares}");
        let expected = expected(word, has_end, base, shares);
        assert_eq!(block.failed(row), expected.is_none(), "{context}");
        if let Some(expected) = expected {
            assert_eq!(
                (found.tax.at(row).unwrap(), found.rate.at(row).unwrap()),
                expected,
                "{context}"
            );
        }
    }
}

#[test]
fn each_row_has_the_tax_and_the_rate_of_its_base_and_its_shares() {
    let shares = ["1", "2.5", "3"].map(|shares| shares.parse::<Decimal>().unwrap());
    let around = |edge: i64| [-1, 0, 1].map(|cents| number(edge) + Decimal::new(cents, 2));
    let (mut bases, mut counts) = (Vec::new(), Vec::new());
    for count in shares {
        for edge in EDGES.into_iter().chain([-500, 20_000]).flat_map(around) {
            bases.push(edge * count);
            counts.push(count);
        }
    }
    let huge = [bases.clone(), vec![Decimal::MAX / number(100)]].concat();
    let rows = bases.len();
    for word in [
        BoundWord::UpTo,
        BoundWord::Below,
        BoundWord::Over,
        BoundWord::From,
    ] {
        for has_end in [false, true] {
            let each = (
                Numbers::of_decimals(bases.clone()),
                Numbers::of_decimals(counts.clone()),
            );
            check(word, has_end, &each.0, &each.1, rows);
            for count in shares {
                check(word, has_end, &each.0, &Numbers::One(count), rows);
                // More than integers of 64 bits hold.
                check(
                    word,
                    has_end,
                    &Numbers::of_decimals(huge.clone()),
                    &Numbers::One(count),
                    rows + 1,
                );
            }
            for base in &bases {
                check(word, has_end, &Numbers::One(*base), &each.1, rows);
                check(
                    word,
                    has_end,
                    &Numbers::One(*base),
                    &Numbers::One(number(2)),
                    1,
                );
            }
        }
    }
}
