//! French income tax of 2026: `revenu` and `parts`.

use rust_decimal::Decimal;

use super::{Law, Sent, UNLIMITED, by_brackets, dec, number, query, rounded, share};

const BRACKETS: [(Decimal, Decimal); 5] = [
    (dec(11_600, 0), dec(0, 0)),
    (dec(29_579, 0), dec(11, 2)),
    (dec(84_577, 0), dec(30, 2)),
    (dec(181_917, 0), dec(41, 2)),
    (UNLIMITED, dec(45, 2)),
];
const HIGH_INCOME_COUPLE: [(Decimal, Decimal); 3] = [
    (dec(500_000, 0), dec(0, 0)),
    (dec(1_000_000, 0), dec(3, 2)),
    (UNLIMITED, dec(4, 2)),
];
const HIGH_INCOME_SINGLE: [(Decimal, Decimal); 3] = [
    (dec(250_000, 0), dec(0, 0)),
    (dec(500_000, 0), dec(3, 2)),
    (UNLIMITED, dec(4, 2)),
];
const HALF_SHARE_CAP: Decimal = dec(1_807, 0);
const DISCOUNT_RATE: Decimal = dec(4_525, 4);
const DISCOUNT_COUPLE: Decimal = dec(1_483, 0);
const DISCOUNT_SINGLE: Decimal = dec(897, 0);
const LEAST: Decimal = dec(61, 0);

pub(super) fn law() -> Law {
    let shares = ["1", "1.5", "2", "2.5", "3", "4"];
    let income = |rank: u64| 4_000 + rank * 6_137;
    Law {
        name: "ir",
        folder: "ir",
        queries: (0..120)
            .map(|rank| {
                query(&format!(
                    "revenu={}&parts={}",
                    income(rank),
                    shares[rank as usize % 6]
                ))
            })
            .collect(),
        fields: &[
            "impot_net",
            "taux_marginal",
            "taux_effectif",
            "impot_brut",
            "impot_sans_quotient",
            "plafond_avantage",
            "decote",
            "impot_avant_seuil",
            "cehr",
            "impot_total",
        ],
        by_hand,
    }
}

fn by_hand(query: &Sent, amounts: &mut Vec<Decimal>) {
    let base = rounded(number(query, "revenu").unwrap(), 0);
    let shares = number(query, "parts").unwrap_or(Decimal::ONE);
    let is_couple = shares >= Decimal::TWO;
    let reference = if is_couple {
        Decimal::TWO
    } else {
        Decimal::ONE
    };

    let with_all = rounded(by_brackets(base, shares, &BRACKETS).0, 0);
    let without = rounded(by_brackets(base, reference, &BRACKETS).0, 0);
    let cap = rounded(HALF_SHARE_CAP * (Decimal::TWO * (shares - reference)), 0);
    let is_capped = without - cap > with_all;
    let gross = if is_capped { without - cap } else { with_all };

    let discount = if is_couple {
        DISCOUNT_COUPLE
    } else {
        DISCOUNT_SINGLE
    };
    let discount = rounded(
        (discount - gross * DISCOUNT_RATE)
            .max(Decimal::ZERO)
            .min(gross),
        0,
    );
    let before_threshold = gross - discount;
    let net = if before_threshold >= LEAST {
        before_threshold
    } else {
        Decimal::ZERO
    };
    let high = if is_couple {
        &HIGH_INCOME_COUPLE
    } else {
        &HIGH_INCOME_SINGLE
    };
    let high = rounded(by_brackets(base, Decimal::ONE, high).0, 0);
    let (_, marginal) = by_brackets(base, if is_capped { reference } else { shares }, &BRACKETS);

    let effective = rounded(share(net, base), 4);
    amounts.extend([
        net,
        marginal,
        effective,
        gross,
        without,
        cap,
        discount,
        before_threshold,
        high,
        net + high,
    ]);
}
