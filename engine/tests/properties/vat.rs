//! Properties of every price with its tax.

use bareme_engine::Folder;
use bareme_engine::law::{Type, Value};
use bareme_engine::text::number_text;
use jiff::civil::date;
use proptest::prelude::*;
use rust_decimal::Decimal;

use crate::{common, draws};

/// A folder, its fields for the amount without and with tax, and the key columns that name its
/// rates.
const TAXES: [(&str, [&str; 2], &str); 2] = [
    ("tva", ["ht", "ttc"], "taux_admis"),
    ("tva-afrique", ["montant_ht", "montant_ttc"], "taux"),
];

/// Every rate of the last scale of a folder, as a query names it.
fn rates(folder: &Folder, figure: &str) -> Vec<Vec<(String, String)>> {
    let edition = folder.latest().unwrap();
    let inputs = edition.method().inputs();
    let place = edition
        .method()
        .figures()
        .iter()
        .position(|shape| shape.name == figure)
        .unwrap();
    let keys = &edition.method().figures()[place].keys;
    let mut rates = vec![];
    for row in edition.scale().unwrap().figures[place].rows.iter() {
        let mut queries = vec![Vec::new()];
        for (key, values) in keys.iter().zip(&row.keys) {
            let input = key.input.unwrap().of(inputs).unwrap();
            let with = |query: &Vec<(String, String)>, value: &Value| {
                query
                    .iter()
                    .cloned()
                    .chain([(key.name.clone(), input.sent_text(value))])
                    .collect::<Vec<_>>()
            };
            queries = queries
                .iter()
                .flat_map(|query| values.iter().map(move |value| with(query, value)))
                .collect();
        }
        rates.extend(queries);
    }
    rates
}

fn ask(
    folder: &Folder,
    rate: &[(String, String)],
    amount: Decimal,
    sense: &str,
    field: &str,
) -> Decimal {
    let mut query = rate.to_vec();
    query.push(("montant".to_owned(), number_text(amount)));
    query.push(("sens".to_owned(), sense.to_owned()));
    let calculation = folder
        .calculate(&(&query).into(), date(2026, 6, 30))
        .unwrap();
    calculation
        .field(field)
        .and_then(|value| value.number())
        .unwrap_or_else(|| panic!("{field} of {query:?}"))
}

proptest! {
    #![proptest_config(draws(2000))]

    #[test]
    fn a_price_comes_back_from_its_price_with_tax(cents in 0..10_000_000_000_u64, which in 0..TAXES.len(), rate in any::<usize>()) {
        let (path, [without, with], figure) = TAXES[which];
        let folder = common::rules().folder(path).unwrap();
        let rates = rates(folder, figure);
        let rate = &rates[rate % rates.len()];
        let price = Decimal::new(i64::try_from(cents).unwrap(), 2);
        let whole = ask(folder, rate, price, "ht", with);
        prop_assert_eq!(ask(folder, rate, whole, "ttc", without), price, "{:?}", rate);
    }

    #[test]
    fn a_price_and_its_tax_add_up(cents in 0..10_000_000_000_u64, which in 0..TAXES.len(), rate in any::<usize>(), sense in any::<bool>()) {
        let (path, [without, with], figure) = TAXES[which];
        let folder = common::rules().folder(path).unwrap();
        let rates = rates(folder, figure);
        let rate = &rates[rate % rates.len()];
        let price = Decimal::new(i64::try_from(cents).unwrap(), 2);
        let of = |field: &str| ask(folder, rate, price, if sense { "ht" } else { "ttc" }, field);
        prop_assert_eq!(of(without) + of("tva"), of(with), "{:?}", rate);
        prop_assert_eq!(of(if sense { without } else { with }), price, "{:?}", rate);
    }
}

#[test]
fn every_folder_has_all_its_rates() {
    let count = |(path, _, figure): &(&str, [&str; 2], &str)| {
        rates(common::rules().folder(path).unwrap(), figure).len()
    };
    let counts: Vec<usize> = TAXES.iter().map(count).collect();
    assert!(counts[0] >= 15 && counts[1] >= 26, "{counts:?}");
    let is_rate = |shape: &&bareme_engine::law::Shape| {
        shape.columns.iter().any(|column| column.ty == Type::Rate)
    };
    let folder = common::rules().folder("tva-afrique").unwrap();
    assert!(
        folder
            .latest()
            .unwrap()
            .method()
            .figures()
            .iter()
            .any(|shape| is_rate(&shape))
    );
}
