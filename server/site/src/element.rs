//! The script of `<bareme-salaire>`, an element for the pages of other sites, with the calculations
//! of the rules in force.

use bareme_engine::Lang;
use bareme_engine::service::Rules;
use bareme_engine::text::Text;
use hyper::header::{ACCESS_CONTROL_ALLOW_ORIGIN, HeaderName, HeaderValue};
use serde_json::{Map, Value, json};

use super::language::code;
use super::simulator::calculations;
use super::text::printed;

/// Its path.
pub(super) const PATH: &str = "/bareme.js";

/// Its media type.
pub(super) const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The words of the element itself, by the name that its script reads.
const WORDS: [(&str, Text); 12] = [
    ("periode", Text::new("Période", "Period")),
    ("avant", Text::new("Calcul\u{a0}: ", "Calculation: ")),
    (
        "apres",
        Text::new(", à titre indicatif.", ", for information only."),
    ),
    // Between a label and its amount, for a screen reader.
    ("montant", Text::new(" : ", ": ")),
    (
        "saisie",
        Text::new("Corrigez la saisie.", "Correct what is typed."),
    ),
    (
        "muet",
        Text::new("Le service n’a pas répondu.", "The service did not answer."),
    ),
    (
        "trop",
        Text::new(
            "Trop de calculs pour aujourd’hui depuis cette adresse.",
            "Too many calculations from this address today.",
        ),
    ),
    (
        "trop_de_la_page",
        Text::new(
            "Trop de calculs pour aujourd’hui sur cette page.",
            "Too many calculations from this page today.",
        ),
    ),
    (
        "cle_secrete",
        Text::new(
            "Cette clé n’est pas publiable\u{a0}: elle n’est pas envoyée.",
            "This key is not publishable: it is not sent.",
        ),
    ),
    (
        "cle_refusee",
        Text::new(
            "La clé de cette page n’est pas acceptée.",
            "The key of this page is not accepted.",
        ),
    ),
    (
        "autre_page",
        Text::new(
            "Cette page n’est pas déclarée pour sa clé.",
            "This page is not declared for its key.",
        ),
    ),
    (
        "panne",
        Text::new(
            "Le service ne peut pas répondre pour l’instant.",
            "The service cannot answer at the moment.",
        ),
    ),
];

/// The script: the data of the service, then the element, which reads it; with the words of both
/// languages where the rules have English.
pub(super) fn script(rules: &Rules, english: Option<&Rules>) -> Vec<u8> {
    let service = rules.service();
    let languages = [Some(Lang::Fr), english.map(|_| Lang::En)];
    let words = |lang: Lang| {
        let words = WORDS.into_iter();
        let words = words.map(|(name, text)| (name.to_owned(), text.in_lang(lang).into()));
        (code(lang).to_owned(), Value::Object(words.collect()))
    };
    let words: Map<String, Value> = languages.into_iter().flatten().map(words).collect();
    let data = json!({
        "titre": printed(&service.title),
        "adresse": service.documentation,
        "textes": words,
        "calculs": calculations(rules, english),
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
