//! An announced withdrawal: in the headers of each answer, in the description, in the data and on
//! its page.

use harness::{Rules, Server};
use serde_json::json;

#[test]
fn a_withdrawal_is_announced_wherever_callers_look() {
    let rules = Rules::small();
    let endpoint = "  tva:\n    title: \"TVA française, hors taxe et toutes taxes\"\n";
    rules.replace(
        "service.yaml",
        endpoint,
        &format!("{endpoint}    deprecated: 2027-01-01\n    sunset: 2027-07-01\n"),
    );
    let server = Server::with(&rules.root(), &[]);
    for target in [
        "/api/v1/tva?montant=100&taux=20",
        "/api/v1/tva?montant=x",
        "/api-docs/v1/tva?montant=100",
    ] {
        let answer = server.get(target);
        assert_eq!(answer.header("deprecation"), "@1798761600", "{target}");
        assert_eq!(answer.header("sunset"), "Thu, 01 Jul 2027 00:00:00 GMT");
        let links: Vec<&str> = answer
            .headers
            .iter()
            .filter(|(name, _)| name == "link")
            .map(|(_, value)| value.as_str())
            .collect();
        let link = "<https://bareme.example/documentation/versions>; rel=\"deprecation sunset\"; type=\"text/html\"";
        assert!(links.contains(&link), "{links:?}");
    }
    for target in ["/api/v1/ir?revenu=30000", "/api/v1"] {
        let other = server.get(target);
        assert!(
            !other.has("deprecation") && !other.has("sunset"),
            "{target}"
        );
    }
    let paths = server.get("/api/v1/openapi.json").json();
    assert_eq!(paths["paths"]["/api/v1/tva"]["get"]["deprecated"], true);
    assert!(
        paths["paths"]["/api/v1/ir"]["get"]
            .get("deprecated")
            .is_none()
    );
    let index = server.get("/api/v1").json();
    let described = index["calculs"]
        .as_array()
        .unwrap()
        .iter()
        .find(|own| own["nom"] == "tva")
        .unwrap();
    let days = json!({"deconseille_a_partir_du": "2027-01-01", "retire_a_partir_du": "2027-07-01"});
    assert_eq!(described["retrait"], days);
    let page = String::from_utf8(server.get("/documentation/versions").body).unwrap();
    assert!(
        page.contains("<code>/api/v1/tva</code>") && page.contains("datetime=\"2027-07-01\""),
        "{page}"
    );
}

#[test]
fn the_withdrawal_of_a_variant_is_that_of_all_its_paths() {
    let rules = Rules::small();
    rules.replace(
        "service.yaml",
        "    prefix: /api-docs/v1\n",
        "    prefix: /api-docs/v1\n    deprecated: 2027-01-01\n",
    );
    let server = Server::with(&rules.root(), &[]);
    for target in [
        "/api-docs/v1/ir?revenu=30000",
        "/api-docs/v1",
        "/api-docs/v1/openapi.json",
    ] {
        let answer = server.get(target);
        assert_eq!(answer.header("deprecation"), "@1798761600", "{target}");
        assert!(
            !answer.has("sunset"),
            "the day of the withdrawal is not known"
        );
    }
    assert!(!server.get("/api/v1/ir?revenu=30000").has("deprecation"));
}
