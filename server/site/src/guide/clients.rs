//! The guide to generated clients.

use bareme_api::calls::route::{self, DESCRIPTION};
use bareme_engine::service::{Rules, Variant};
use maud::{Markup, html};

use super::text::call;
use crate::text::prose;

/// Client generators that the tests run on each OpenAPI document: what they generate, and their
/// command, to be followed by the address.
const GENERATORS: [(&str, &str); 7] = [
    (
        "TypeScript, types et openapi-fetch",
        "npx openapi-typescript {} --output bareme.d.ts",
    ),
    (
        "TypeScript, Hey API",
        "npx @hey-api/openapi-ts --input {} --output bareme",
    ),
    (
        "TypeScript, orval",
        "npx orval --input {} --output bareme.ts --client fetch",
    ),
    (
        "TypeScript, OpenAPI Generator",
        "openapi-generator-cli generate -i {} -g typescript-fetch -o bareme",
    ),
    (
        "Python, openapi-python-client",
        "openapi-python-client generate --url {}",
    ),
    (
        "Python, OpenAPI Generator",
        "openapi-generator-cli generate -i {} -g python -o bareme",
    ),
    (
        "Python, modèles pydantic",
        "datamodel-codegen --url {} --input-file-type openapi --output-model-type \
         pydantic_v2.BaseModel --output bareme.py",
    ),
];

pub(super) fn generated(rules: &Rules) -> Markup {
    let service = rules.service();
    let address =
        |variant: &Variant| format!("{}{}/{DESCRIPTION}", service.documentation, variant.prefix);

    // The commands are tried with the first version, which has every calculation.
    let first = service.variants.first();

    html! {
        p {
            (prose(
                "La description OpenAPI\u{a0}3.1 se lit par la plupart des générateurs. Elle \
                 suit les barèmes en vigueur : régénérez le client quand vous en changez."
            ))
        }
        ul {
            @for variant in &service.variants {
                li {
                    (prose(&variant.title)) "\u{a0}: "
                    a href={ (variant.prefix) "/" (DESCRIPTION) } { code { (address(variant)) } }
                }
            }
        }
        @if let Some(variant) = first {
            h2 { "Générateurs essayés" }
            @for (what, command) in GENERATORS {
                p { (what) }
                pre tabindex="0" { code { (command.replace("{}", &address(variant))) } }
            }

            h2 { "Une opération par membre d’une famille" }
            p {
                (prose(
                    "Un calcul qui choisit son barème par un paramètre a aussi une adresse par \
                     barème, avec ses seuls paramètres et sa seule réponse. Les deux répondent \
                     de même :"
                ))
            }
            @for path in members(rules, variant) { (call(rules, &path, 200)) }

            h2 { "Postman" }
            p {
                (prose(
                    "Importez l’adresse de la description et choisissez, dans les réglages de \
                     l’import, de remplir les paramètres par l’exemple (« Parameter generation \
                     : Example »). Chaque requête de la collection répond alors telle quelle : \
                     un paramètre sans exemple part vide, ce qui vaut une absence."
                ))
            }
        }

        h2 { "La clé" }
        p {
            (prose("Elle s’envoie dans ")) code { "X-API-Key" } (prose(" ou dans "))
            code { "Authorization: Bearer" }
            (prose(" ; un client qui remplit les deux en-têtes avec la même clé est accepté."))
        }
    }
}

/// A call of the first family by parameter, and the same by the path of the folder.
fn members(rules: &Rules, variant: &Variant) -> Vec<String> {
    // The first member of a family, by its parameter and by its path.
    let source = route::sources(rules, variant).find(|source| source.word.is_some());
    let calls = source.and_then(|source| {
        let (by, word) = (source.endpoint.by.as_deref()?, source.word?);

        let case = source.folder.examples().first.first()?;
        let sent: Vec<String> = case
            .query
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();

        let (path, sent) = (
            format!("{}/{}", variant.prefix, source.endpoint.name),
            sent.join("&"),
        );

        Some(vec![
            format!("{path}?{by}={word}&{sent}"),
            format!("{path}/{word}?{sent}"),
        ])
    });
    calls.unwrap_or_default()
}
