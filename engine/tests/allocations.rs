//! How often a calculation asks for memory: between the texts of a query and the JSON text of its
//! answer.

#![cfg(test)]

use std::path::Path;

use bareme_engine::Loader;
use bareme_engine::service::Rules;
use jiff::civil::{Date, date};

const DAY: Date = date(2026, 3, 31);

fn rules() -> Rules {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules");
    Loader::new()
        .without_cases()
        .load_service(&root)
        .rules
        .expect("the rules are good")
}

#[test]
fn an_ordinary_answer_takes_few_allocations() {
    let rules = rules();
    // The most allocations, the text included. A pay in France compares itself with the minimum
    // wage, whose texts have remarks: each list of remarks is one more.
    for (name, sent, most) in [
        ("ir", &[("revenu", "30000"), ("parts", "1")][..], 12),
        ("salaire", &[("brut", "2650"), ("cadre", "false")], 20),
        (
            "salaire-net",
            &[
                ("pays", "ci"),
                ("brut", "350000"),
                ("parts", "2.5"),
                ("date", "2026-03-31"),
            ],
            12,
        ),
        ("salaire-net", &[("pays", "sn"), ("brut", "350000")], 12),
    ] {
        let service = rules.service();
        let endpoint = service
            .endpoints
            .iter()
            .find(|endpoint| endpoint.name == name)
            .expect("the endpoint is there");
        let ask = || {
            rules
                .calculate(endpoint, sent, DAY)
                .map(|calculation| calculation.to_json())
        };
        assert!(
            ask().is_ok_and(|text| text.len() > 1000),
            "{name}: a refusal would measure nothing"
        );
        let counted = allocation_counter::measure(|| drop(ask()));
        assert!(counted.count_total > 0, "nothing is counted");
        assert!(
            counted.count_total <= most,
            "{name} {sent:?}: {} allocations",
            counted.count_total
        );
    }
}
