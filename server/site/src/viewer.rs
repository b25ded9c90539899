//! The reference of the API in Swagger UI: the files of a pinned version come from a crate, are
//! embedded in the binary, and load nothing from other hosts.

use std::collections::HashMap;
use std::io::{Cursor, Read as _};
use std::sync::OnceLock;

use bareme_engine::Lang;
use bareme_engine::service::{Rules, Variant};
use maud::{Markup, html};
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::ZipArchive;

use super::assets::{self, Asset};
use super::layout::Page;
use super::simulator::foreign;
use super::text::{prose, say};

/// Path of the references.
const PATH: &str = "/documentation/reference";

/// The files of the viewer: end of the name in the archive, path, media type.
const FILES: [(&str, &str, &str); 4] = [
    (
        "/dist/swagger-ui.css",
        "/site/reference/swagger-ui.css",
        "text/css; charset=utf-8",
    ),
    (
        "/dist/swagger-ui-bundle.js",
        "/site/reference/swagger-ui-bundle.js",
        "text/javascript; charset=utf-8",
    ),
    (
        "/LICENSE",
        "/site/reference/LICENSE",
        "text/plain; charset=utf-8",
    ),
    (
        "/NOTICE",
        "/site/reference/NOTICE",
        "text/plain; charset=utf-8",
    ),
];

/// The policy also allows pictures embedded in the style sheet.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; \
                                 script-src 'self'; connect-src 'self'; base-uri 'none'; \
                                 frame-ancestors 'none'; form-action 'none'";

/// A file of the viewer by its path.
pub(super) fn file(path: &str) -> Option<Asset> {
    static READ: OnceLock<HashMap<&'static str, Vec<u8>>> = OnceLock::new();

    let (_, path, media) = FILES.into_iter().find(|(_, address, _)| *address == path)?;
    let bytes = READ.get_or_init(unpacked).get(path)?;
    Some(Asset { path, media, bytes })
}

/// The files from the archive of the crate; a missing one is not served.
fn unpacked() -> HashMap<&'static str, Vec<u8>> {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED)) else {
        return HashMap::new();
    };

    let names: Vec<String> = archive
        .file_names()
        .flatten()
        .map(|name| name.to_string())
        .collect();

    let mut files = HashMap::new();
    for (end, address, _) in FILES {
        // At the top of the archive, or in its folder `dist`.
        let is_file = |name: &&String| {
            name.ends_with(end) && name.matches('/').count() == end.matches('/').count()
        };
        let Some(name) = names.iter().find(is_file) else {
            continue;
        };

        let mut bytes = Vec::new();
        if archive
            .by_name(name)
            .is_ok_and(|mut file| file.read_to_end(&mut bytes).is_ok())
        {
            files.insert(address, bytes);
        }
    }

    files
}

/// Address of the reference of a variant.
pub(super) fn page_path(variant: &Variant) -> String {
    format!("{PATH}/{}", variant.name)
}

/// The reference of a variant as a page to read, and as a document for tools.
pub(super) fn reference(variant: &Variant, lang: Lang) -> Markup {
    html! {
        a href=(page_path(variant)) hreflang=[foreign(lang)] { (prose(&variant.title)) } " ("
        code { (variant.prefix) } (say(lang, "), ou sa ", ", in French), or its "))
        a href={ (variant.prefix) "/openapi.json" } {
            (say(lang, "description OpenAPI\u{a0}3.1", "OpenAPI\u{a0}3.1 description"))
        }
        (say(lang, " pour vos outils", " for your tools"))
    }
}

/// The variant of the reference at a path.
pub(super) fn find<'r>(rules: &'r Rules, path: &str) -> Option<&'r Variant> {
    rules
        .service()
        .variants
        .iter()
        .find(|variant| page_path(variant) == path)
}

/// The reference of a variant.
pub(super) fn page(rules: &Rules, variant: &Variant) -> String {
    let [(_, style, _), (_, script, _), (_, licence, _), _] = FILES;
    let description = format!("{}/openapi.json", variant.prefix);

    let content = html! {
        p.trail { a href="/documentation" { "Documentation" } }
        h1 { "Référence\u{a0}: " (prose(&variant.title)) }
        p.soft {
            "Pour vos outils\u{a0}: " a href=(description) { "la description OpenAPI\u{a0}3.1" }
            ". Affichée par "
            a href=(licence) { "Swagger UI" } ", licence Apache\u{a0}2.0."
        }
        // The script reads both addresses from here: the policy forbids scripts within the page.
        div #reference data-description=(description) data-viewer=(script) {
            noscript {
                p {
                    "La référence affichée demande JavaScript. La description se lit aussi dans "
                    a href=(description) { "openapi.json" } "."
                }
            }
        }
    };

    let page = Page {
        title: &format!("Référence, {}", variant.title),
        description: &format!(
            "Tous les calculs, paramètres et réponses de l’API : {}.",
            variant.title
        ),
        path: Some(&page_path(variant)),
        styles: &[style, assets::VIEWER_STYLE],
        script: Some(assets::VIEWER),
        content,
        ..Page::default()
    };
    page.render(rules.service())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archive_holds_every_file() {
        for (_, address, _) in FILES {
            assert!(
                file(address).is_some_and(|file| !file.bytes.is_empty()),
                "{address}"
            );
        }
        assert!(file("/site/reference/other").is_none());
    }
}
