//! What a visitor types in English, and what is refused or warned of.

use harness::Server;

use crate::pages::{get, in_language};

#[test]
fn numbers_warnings_and_refusals_are_in_english() {
    let server = Server::start();
    let of = |query: &str| {
        let text = in_language(
            &get(&server, &format!("/en/simulateurs/salaire?{query}")),
            "en",
        );
        text.replace(['\u{a0}', '\u{202f}'], " ")
    };

    // A comma separates thousands, a point the decimals.
    let typed = of("brut=2,650.50");
    assert!(typed.contains("€2,650.50"), "{typed}");
    assert!(of("brut=2%2C650").contains("€2,650.00"));
    // Groups of thousands have no zero in front, and three digits at most: these are decimals.
    let field = |query: &str| {
        let text = of(query);
        let (_, after) = text
            .split_once("id=\"champ-heures_supplementaires\"")
            .unwrap();
        let (_, value) = after.split_once("value=\"").unwrap();
        value.split('"').next().unwrap().to_owned()
    };
    for (typed, shown) in [
        ("0,500", "0.500"),
        ("10,500", "10500"),
        ("1000,250", "1000.250"),
    ] {
        assert_eq!(
            field(&format!("brut=2650&heures_supplementaires={typed}")),
            shown
        );
    }
    // What is refused is shown as it was typed, an amount too.
    for refused in ["1e1", "%2B12", "1_2"] {
        let shown = refused.replace("%2B", "+");
        let query = format!("brut=2650&heures_supplementaires={refused}");
        assert_eq!(field(&query), shown);
        let text = of(&format!("brut={refused}"));
        assert!(text.contains(&format!("value=\"{shown}\"")), "{text}");
    }

    let low = of("brut=1000");
    let minimum = get(&server, "/api/v1/salaire-minimum?pays=fr").json();
    let hour = minimum["horaire"].as_f64().unwrap();
    assert!(
        low.contains("minimum wage for the contract hours")
            && low.contains(&format!("{hour} euros an hour")),
        "{low}"
    );

    let refused = of("brut=2650&titres_restaurant=10");
    assert!(
        refused.contains("Meal vouchers also need the value of a voucher."),
        "{refused}"
    );
    let refused = of("brut=abc");
    assert!(refused.contains("Correct the form."), "{refused}");
}
