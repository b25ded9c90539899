//! The script of `<bareme-salaire>`, an element for the pages of other sites, with the calculations
//! of the rules in force.

use bareme_engine::service::Rules;
use hyper::header::{ACCESS_CONTROL_ALLOW_ORIGIN, HeaderName, HeaderValue};
use serde_json::json;

use super::simulator::calculations;
use super::text::printed;

/// Its path.
pub(super) const PATH: &str = "/bareme.js";

/// Its media type.
pub(super) const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The script: the data of the service, then the element, which reads it.
pub(super) fn script(rules: &Rules) -> Vec<u8> {
    let service = rules.service();
    let data = json!({
        "titre": printed(&service.title),
        "adresse": service.documentation,
        "calculs": calculations(rules),
    });

    // In a function of its own, so that its names are no names of the page.
    let element = include_str!("assets/element.js");
    format!("(() => {{\nconst SERVICE = {data};\n{element}}})();\n").into_bytes()
}

/// The headers with which pages of any site may load it, also under a policy that isolates them.
pub(super) fn headers() -> [(HeaderName, HeaderValue); 2] {
    [
        (ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("cross-origin"),
        ),
    ]
}
