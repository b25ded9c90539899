//! The reference of the interface, in Swagger UI: the files of a pinned version come with a crate, are in the
//! binary, and load nothing from elsewhere.

use std::collections::HashMap;
use std::io::{Cursor, Read as _};
use std::sync::OnceLock;

use bareme_engine::{Rules, Variant};
use maud::{DOCTYPE, html};
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::ZipArchive;

use super::assets;
use super::text::{printed, prose};

/// Where the references are.
const PATH: &str = "/documentation/reference";

/// The files of the viewer: the end of their name in the archive, their address, what they are.
const FILES: [(&str, &str, &str); 4] = [
    ("/dist/swagger-ui.css", "/site/reference/swagger-ui.css", "text/css; charset=utf-8"),
    ("/dist/swagger-ui-bundle.js", "/site/reference/swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
    ("/LICENSE", "/site/reference/LICENSE", "text/plain; charset=utf-8"),
    ("/NOTICE", "/site/reference/NOTICE", "text/plain; charset=utf-8"),
];

/// Its pictures are within its style sheet.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; \
                                 connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";

/// A file of the viewer, by its address: what it is, and its bytes.
pub(super) fn file(path: &str) -> Option<(&'static str, &'static [u8])> {
    static READ: OnceLock<HashMap<&'static str, Vec<u8>>> = OnceLock::new();
    let (_, address, media) = FILES.into_iter().find(|(_, address, _)| *address == path)?;
    let bytes = READ.get_or_init(unpacked).get(address)?;
    Some((media, bytes))
}

/// Whether a path is one of the viewer's files.
pub(super) fn is_file(path: &str) -> bool {
    FILES.iter().any(|(_, address, _)| *address == path)
}

/// The files, from the archive of the crate; one that is not there is not served.
fn unpacked() -> HashMap<&'static str, Vec<u8>> {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED)) else { return HashMap::new() };
    let names: Vec<String> = archive.file_names().flatten().map(|name| name.to_string()).collect();
    let mut files = HashMap::new();
    for (end, address, _) in FILES {
        // At the top of the archive, or in its folder `dist`.
        let is_wanted = |name: &&String| name.ends_with(end) && name.matches('/').count() == end.matches('/').count();
        let Some(name) = names.iter().find(is_wanted) else { continue };
        let mut bytes = Vec::new();
        if archive.by_name(name).is_ok_and(|mut file| file.read_to_end(&mut bytes).is_ok()) {
            files.insert(address, bytes);
        }
    }
    files
}

/// Address of the reference of a variant.
pub(super) fn page_path(variant: &Variant) -> String {
    format!("{PATH}/{}", variant.name)
}

/// The variant whose reference a path is.
pub(super) fn find<'r>(rules: &'r Rules, path: &str) -> Option<&'r Variant> {
    rules.service().variants.iter().find(|variant| page_path(variant) == path)
}

/// The reference of a variant.
pub(super) fn page(rules: &Rules, variant: &Variant) -> String {
    let service = rules.service();
    let [(_, style, _), (_, script, _), (_, licence, _), _] = FILES;
    let description = format!("{}/openapi.json", variant.prefix);
    let page = html! {
        (DOCTYPE)
        html lang="fr" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Référence, " (printed(&variant.title)) " – " (printed(&service.title)) }
                meta name="description" content={ "Tous les calculs, paramètres et réponses de l’interface\u{a0}: " (printed(&variant.title)) "." };
                link rel="canonical" href={ (service.documentation) (page_path(variant)) };
                link rel="icon" href=(assets::ICON);
                link rel="stylesheet" href=(style);
                link rel="stylesheet" href=(assets::VIEWER_STYLE);
                script defer src=(script) {}
                script type="module" src=(assets::VIEWER) {}
            }
            body {
                header {
                    a href="/documentation" { "Documentation" } " › " (prose(&variant.title))
                    " · " a href=(description) { "openapi.json" }
                    " · " a href=(licence) { "Swagger UI, licence Apache\u{a0}2.0" }
                }
                main #reference data-description=(description) {
                    noscript { p { "Cette page demande JavaScript. La description se lit aussi dans " a href=(description) { "openapi.json" } "." } }
                }
            }
        }
    };
    page.into_string() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archive_holds_every_file() {
        for (_, address, _) in FILES {
            assert!(file(address).is_some_and(|(_, bytes)| !bytes.is_empty()), "{address}");
        }
        assert!(file("/site/reference/other").is_none());
    }
}
