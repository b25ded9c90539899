use super::*;

/// The signs of a difference at every amount: each change, with the last amount before.
fn scanned(lines: &[fn(i64) -> Option<Decimal>], most: i64) -> Vec<(Pair, i64)> {
    let mut changes = Vec::new();
    for first in 0..lines.len() {
        for second in first + 1..lines.len() {
            let sign = |amount: i64| {
                let (a, b) = (lines[first](amount)?, lines[second](amount)?);
                Some(b.cmp(&a))
            };
            for amount in 0..most {
                if let (Some(here), Some(next)) = (sign(amount), sign(amount + 1))
                    && here != next
                {
                    changes.push(((first, second), amount));
                }
            }
        }
    }
    changes
}

fn found(lines: &[fn(i64) -> Option<Decimal>], most: i64) -> (Crossings, usize) {
    let grid: Vec<i64> = (0..=24).map(|index| index * most / 24).collect();
    let mut looked = 0;
    let known = lines
        .iter()
        .map(|line| grid.iter().map(|amount| (*amount, line(*amount))).collect());
    let known = known.collect();
    let mut values = |line: usize, amounts: &[i64]| {
        looked += amounts.len();
        amounts.iter().map(|amount| lines[line](*amount)).collect()
    };
    let crossings = Search::new(known, &vec![false; lines.len()], &mut values).crossings();
    (crossings, looked)
}

fn line(amount: i64, thousandths: i64, start: i64, decimals: u32) -> Option<Decimal> {
    let value = Decimal::new(amount * thousandths, 3) + Decimal::from(start);
    Some(value.round_dp(decimals))
}

#[test]
fn a_crossing_is_that_of_a_scan_of_every_amount() {
    let lines: [fn(i64) -> Option<Decimal>; 4] = [
        |amount| line(amount, 500, 0, 2),
        |amount| line(amount, 307, 12_345, 2),
        // Rises again from 90 000 on.
        |amount| {
            line(
                amount,
                if amount < 90_000 { 210 } else { 790 },
                if amount < 90_000 { 9_000 } else { -43_200 },
                2,
            )
        },
        // Above the first between two amounts of the grid alone.
        |amount| {
            let bump = (900 - (amount - 103_000).abs()).max(0);
            line(amount, 500, bump - 300, 2)
        },
    ];
    let (crossings, looked) = found(&lines, 150_000);
    let reported: Vec<(Pair, i64)> = crossings
        .crossings
        .iter()
        .map(|crossing| {
            let (a, b) = (crossing.other, crossing.after);
            ((a.min(b), a.max(b)), crossing.amount)
        })
        .collect();

    // Each is a change of the scan; each change of the first line is reported, at one of two neighbours
    // where both lines are equal in between.
    let scanned = scanned(&lines, 150_000);
    assert!(
        reported.iter().all(|one| scanned.contains(one)),
        "{reported:?}"
    );
    let most = |amount: i64| lines.iter().filter_map(|line| line(amount)).max();
    let is_first = |((a, b), amount): &&(Pair, i64)| {
        [*amount, amount + 1]
            .into_iter()
            .all(|amount| lines[*a](amount).max(lines[*b](amount)) == most(amount))
    };
    let of_first: Vec<&(Pair, i64)> = scanned.iter().filter(is_first).collect();
    assert!(of_first.len() > 3, "{scanned:?}");
    for (pair, amount) in of_first {
        let is_it = |(known, at): &(Pair, i64)| known == pair && (at - amount).abs() <= 1;
        assert!(
            reported.iter().any(is_it),
            "{pair:?} at {amount}: {reported:?}"
        );
    }
    assert!(looked < 1_000, "{looked}");
}

#[test]
fn roundings_near_a_crossing_give_one_of_its_changes() {
    let lines: [fn(i64) -> Option<Decimal>; 2] = [
        |amount| line(amount, 500, 0, 0),
        |amount| line(amount, 470, 1_800, 0),
    ];
    let (crossings, _) = found(&lines, 150_000);
    let [crossing] = crossings.crossings[..] else {
        panic!("{crossings:?}");
    };
    let changes = scanned(&lines, 150_000);
    assert!(changes.iter().any(|(_, amount)| *amount == crossing.amount));
    assert_eq!((crossing.before, crossing.after), (Some(1), 0));
}

#[test]
fn a_line_that_ends_passes_none_beyond() {
    let lines: [fn(i64) -> Option<Decimal>; 2] = [
        |amount| line(amount, 500, 100, 2).filter(|_| amount <= 77_700),
        |amount| line(amount, 800, -30_000, 2),
    ];
    let (crossings, _) = found(&lines, 150_000);
    assert_eq!(crossings.crossings, []);
    assert_eq!(
        crossings.ends,
        [End {
            line: 0,
            amount: 77_700
        }]
    );
}

#[test]
fn equal_lines_cross_where_one_leaves_the_other() {
    let lines: [fn(i64) -> Option<Decimal>; 2] = [
        |amount| line(amount, 700, 0, 2),
        |amount| {
            line(amount, 700, 0, 2)
                .map(|value| value + Decimal::from((amount - 40_000).max(0)) / Decimal::from(10))
        },
    ];
    let (crossings, _) = found(&lines, 150_000);
    let expected = Crossing {
        amount: 40_000,
        before: None,
        other: 0,
        after: 1,
    };
    assert_eq!(crossings.crossings, [expected]);
}

#[test]
fn lines_begin_at_the_first_amount_that_is_accepted() {
    let lines: [fn(i64) -> Option<Decimal>; 2] = [
        |amount| line(amount, 500, 0, 2).filter(|_| amount >= 12_000),
        |amount| line(amount, 300, 2_600, 2).filter(|_| amount >= 12_000),
    ];
    let (crossings, _) = found(&lines, 150_000);
    let expected = Crossing {
        amount: 13_000,
        before: Some(1),
        other: 1,
        after: 0,
    };
    assert_eq!(crossings.crossings, [expected]);
}
