//! Texts at well-known addresses: `security.txt`, `llms.txt` for assistants, and what a telephone
//! needs to put the site on its screen.

use std::fmt::Write as _;

use bareme_api::calls::route::{self, BATCHES};
use bareme_engine::service::{Rules, Service};
use jiff::ToSpan as _;
use jiff::civil::Date;
use serde_json::json;

use super::text::printed;
use super::{assets, catalogue, feed, guide, viewer};

/// Media type of these texts.
pub(super) const TEXT: &str = "text/plain; charset=utf-8";

/// Path of the contact for security reports (RFC 9116).
pub(super) const SECURITY: &str = "/.well-known/security.txt";

pub(super) const ASSISTANTS: &str = "/llms.txt";

/// What a telephone needs to put the site on its screen, and its media type.
pub(super) const MANIFEST: &str = "/manifest.webmanifest";
pub(super) const MANIFEST_TYPE: &str = "application/manifest+json";

/// Months after which `security.txt` expires.
const MONTHS: i32 = 6;

/// The text of `security.txt`; `None` where the service has no contact.
pub(super) fn security(service: &Service, today: Date) -> Option<String> {
    let contact = service.contact.as_deref()?;
    // From the first of the month, so that the text changes once a month and caches keep it.
    let end = today.first_of_month().saturating_add(MONTHS.months());
    let documentation = &service.documentation;

    Some(format!(
        "Contact: mailto:{contact}\nExpires: {end}T00:00:00Z\nPreferred-Languages: fr, en\n\
         Canonical: {documentation}{SECURITY}\n"
    ))
}

/// The text of the manifest.
pub(super) fn manifest(service: &Service) -> Vec<u8> {
    let name = printed(&service.title);
    let icons = json!([
        {"src": assets::ICON, "type": "image/svg+xml", "sizes": "any"},
        {"src": assets::TOUCH_ICON, "type": "image/png", "sizes": "180x180"},
    ]);
    let manifest = json!({
        "name": name,
        "short_name": name,
        "lang": "fr",
        "start_url": "/",
        "display": "browser",
        "icons": icons,
    });
    manifest.to_string().into_bytes()
}

/// The text of `llms.txt` in Markdown: the calculations, their pages and their calls.
pub(super) fn assistants(rules: &Rules) -> String {
    let service = rules.service();
    let documentation = &service.documentation;
    let mut text = format!("# {}\n\n", printed(&service.title));
    text.push_str(
        "> Calculs d’impôts et de paie, français et francophones, en décimales exactes, chaque \
         chiffre avec sa date et son texte de loi. Les réponses citent leurs sources \
         (`references`, `citation`) et disent le barème appliqué (`bareme_en_vigueur`) ; ce qui \
         n’est pas certain est dans `reserves` et `avertissements` : le répéter avec le \
         montant.\n\n## API\n\n",
    );

    // The API of each version, by its description and its batches.
    for variant in &service.variants {
        let (title, prefix) = (printed(&variant.title), &variant.prefix);
        let description = route::DESCRIPTION;
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "- [{title}]({documentation}{prefix}/{description}) : description OpenAPI 3.1"
        );
        let _ = writeln!(
            text,
            "- `POST {documentation}{prefix}/{BATCHES}<calcul>` : des lignes en nombre, en JSON ou \
             en CSV"
        );
    }

    // The pages that explain it.
    let pages = [
        (guide::PATH, "guides"),
        (feed::PATH, "flux des changements de barème"),
    ];
    for (path, what) in pages {
        let _ = writeln!(text, "- [{what}]({documentation}{path})");
    }
    for variant in &service.variants {
        let _ = writeln!(
            text,
            "- [référence, {}]({documentation}{})",
            printed(&variant.title),
            viewer::page_path(variant)
        );
    }

    // Each calculation, with the simulator that a person can be sent to.
    text.push_str("\n## Calculs\n\n");
    for listed in catalogue::all(rules) {
        let (title, page, simulator) = (
            printed(listed.folder.title()),
            listed.page(),
            listed.simulator(),
        );
        let _ = writeln!(
            text,
            "- [{title}]({documentation}{simulator}) : simulateur ; [chiffres et \
             textes]({documentation}{page})"
        );
        if let Some(simulator) = listed.year_simulator() {
            let _ = writeln!(
                text,
                "- [{title}, mois par mois]({documentation}{simulator}) : une année de paies"
            );
        }
    }

    text
}
