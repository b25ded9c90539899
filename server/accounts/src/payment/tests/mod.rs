//! Events of complete subscriptions, in every order, in the provider's format.

pub(crate) mod life;
mod orders;
mod reading;
mod reversals;

use bareme_engine::service::{Plan, Service, Variant};
use jiff::Timestamp;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// The plans `pro` and `scale`, by their prices, and one that is sold by its name.
fn service() -> Service {
    let plan = |name: &str, payment_price: Option<&str>| Plan {
        name: name.to_owned(),
        title: name.to_owned(),
        calls_per_day: Some(100),
        valid_days: Some(365),
        payment_price: payment_price.map(str::to_owned),
        ..Plan::default()
    };
    let variant = |name: &str, plans| Variant {
        name: name.to_owned(),
        title: String::new(),
        prefix: format!("/{name}"),
        endpoints: Vec::new(),
        key_prefix: format!("bm{name}"),
        cors: true,
        retirement: None,
        plans,
    };
    let plans = vec![
        plan("pro", Some("price_pro")),
        plan("scale", Some("price_scale")),
        plan("named", None),
    ];
    Service {
        variants: vec![
            variant("a", plans),
            variant("b", vec![plan("other", Some("price_other"))]),
        ],
        ..Service::default()
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}
