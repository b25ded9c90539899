//! The sentence with numbers of each step, `2 650,00 € × 6,9 % = 182,85 €`: what it says is right.

use harness::Server;

use crate::pages::{page, pages, with_steps};

/// The computations of a page, with plain spaces.
fn computations(page: &str) -> Vec<String> {
    let lists = page.split("<dt>Calcul</dt><dd>").skip(1);
    let texts = lists.filter_map(|after| after.split("</dd>").next());
    texts
        .map(|text| text.replace(['\u{a0}', '\u{202f}'], " "))
        .collect()
}

/// The product and the result of `2 650,00 € × 6,9 % = 182,85 €`, in units of the last decimal of the
/// result; `None` for another computation.
#[allow(
    clippy::float_arithmetic,
    reason = "what a page shows is rounded anyway"
)]
fn product(computation: &str) -> Option<(f64, f64)> {
    let (product, result) = computation.split_once(" = ")?;
    let (one, other) = product.split_once(" × ")?;
    let is_plain = |text: &str| !text.contains(['+', '÷', '(', '−', '×', ';']);
    let is_product = is_plain(one) && is_plain(other);
    let number = |text: &str| {
        let digits: String = text
            .chars()
            .filter(|letter| letter.is_ascii_digit() || *letter == ',')
            .collect();
        let found: f64 = digits.replace(',', ".").parse().ok()?;
        Some(if text.contains('%') {
            found / 100.0
        } else {
            found
        })
    };
    // Only an amount: a rate is shown with fewer decimals than it has.
    let is_amount = is_product
        && !result.contains('%')
        && !result.contains("retenu")
        && !result.contains("arrondi");
    is_amount.then(|| Some((number(one)? * number(other)?, number(result)?)))?
}

#[test]
fn the_sentence_with_numbers_of_each_step_is_right() {
    let server = Server::start();
    let mut checked = 0;
    for path in pages(&server) {
        if !path.starts_with("/simulateurs/") || path.ends_with("/annee") {
            continue;
        }
        for computation in computations(&page(&with_steps(&server, &path))) {
            let Some((product, result)) = product(&computation) else {
                continue;
            };
            // Factors are shown with two decimals and rates with four: the product of what is shown
            // is that of what was computed to a ten-thousandth.
            let most = 1.0 + product.abs() / 10_000.0;
            assert!(
                (product - result).abs() <= most,
                "{path}: {computation} is {product}"
            );
            checked += 1;
        }
    }
    assert!(checked > 150, "{checked}");

    let salary = page(&with_steps(
        &server,
        "/simulateurs/salaire?brut=2650&date=2026-03-31",
    ));
    let own = computations(&salary);
    for expected in [
        "2 650,00 € × 6,9 % = 182,85 €",
        "2 650,00 € × 0,4 % = 10,60 €",
    ] {
        assert!(own.iter().any(|own| own == expected), "{expected}: {own:?}");
    }
}
