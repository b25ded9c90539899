//! Publishable keys on the page of their owner: what he declares, and the key once it is issued.

use bareme_accounts::issue::Issued;
use bareme_accounts::publishable::{Draft, MAX_LABEL, MAX_ORIGINS, Origin, Publication};
use bareme_accounts::store::Record;
use bareme_api::openapi::form::{OWNER_PATH, TOKEN};
use bareme_engine::service::Rules;
use maud::{Markup, html};
use uuid::Uuid;

use super::element;
use super::layout::Page;
use super::owner::{ACTION, Action, hidden};

/// A publishable key as it was typed, which is refused.
#[derive(Debug)]
pub struct RefusedDraft {
    /// The key that the form is about.
    pub key: Uuid,
    /// Everything that is wrong.
    pub wrong: String,
    /// The fields as they were typed, so that only the mistakes have to be corrected.
    pub typed: Typed,
}

/// The fields of the form.
#[derive(Debug, Default)]
pub struct Typed {
    /// The name of the key.
    pub label: String,
    /// The origins, one a line.
    pub origins: String,
    /// The daily limit.
    pub calls: String,
}

impl Typed {
    fn new(page: &Publication) -> Self {
        let origins: Vec<&str> = page.origins.iter().map(Origin::as_str).collect();
        Self {
            label: page.label.clone(),
            origins: origins.join("\n"),
            calls: page
                .calls_per_day
                .map_or_else(String::new, |most| most.to_string()),
        }
    }
}

/// The form that changes the origins, the name and the limit of a publishable key.
pub(super) fn declared(
    key: (&str, &Record),
    page: &Publication,
    refused: Option<&RefusedDraft>,
) -> Markup {
    let typed = match refused {
        Some(refused) => &refused.typed,
        None => &Typed::new(page),
    };
    form(key, typed, Action::Republish, "Enregistrer")
}

/// The form for a publishable key of the account of a secret one.
pub(super) fn offered(key: (&str, &Record), refused: Option<&RefusedDraft>) -> Markup {
    let empty = Typed::default();
    let typed = refused.map_or(&empty, |refused| &refused.typed);
    html! {
        details open[refused.is_some()] {
            summary { "Créer une clé pour une page web" }
            p.soft {
                "Une clé publiable peut être vue de tous\u{a0}: elle se met dans le code d’une page \
                 web. Elle n’est acceptée que des sites que vous déclarez et que pour les calculs, et \
                 ses appels comptent dans le quota de votre offre."
            }
            (form(key, typed, Action::Publish, "Créer la clé publiable"))
        }
    }
}

fn form((token, record): (&str, &Record), typed: &Typed, action: Action, button: &str) -> Markup {
    let field = |name: &str| format!("{name}-{}", record.id);
    let [label, origins, calls] = [Draft::LABEL, Draft::ORIGINS, Draft::CALLS].map(field);

    html! {
        form method="post" action=(OWNER_PATH) {
            (hidden(token, record))
            label for=(label) { "Nom, facultatif" }
            input id=(label) name=(Draft::LABEL) maxlength=(MAX_LABEL) value=(typed.label);
            label for=(origins) { "Sites, un par ligne" }
            textarea id=(origins) name=(Draft::ORIGINS) rows="3" spellcheck="false" required
                placeholder="https://www.exemple.fr" { (typed.origins) }
            p.soft {
                "L’adresse du site sans le chemin, en https, ou en http pour localhost. Chaque \
                 sous-domaine se déclare\u{a0}; " (MAX_ORIGINS) "\u{a0}sites au plus."
            }
            label for=(calls) { "Appels par jour au plus, facultatif" }
            input id=(calls) name=(Draft::CALLS) inputmode="numeric" value=(typed.calls);
            button name=(ACTION) value=(action.name()) { (button) }
        }
    }
}

/// The page with a publishable key that was just issued.
pub fn published(rules: &Rules, token: &str, issued: &Issued, page: &Publication) -> String {
    let (service, key) = (rules.service(), issued.key.reveal());
    let address = &service.documentation;
    let content = html! {
        h1 { "Votre clé publiable" }
        p { code.key { (key) } }
        p { strong { "Copiez-la maintenant\u{a0}: elle ne sera plus affichée." } }
        p { "Elle est acceptée des pages de\u{a0}:" }
        ul { @for origin in &page.origins { li { code { (origin.as_str()) } } } }

        h2 { "Dans votre page" }
        pre.copy tabindex="0" {
            "<script src=\"" (address) (element::PATH) "\" async></script>\n"
            "<bareme-salaire cle=\"" (key) "\" brut=\"42000\" periode=\"annuel\"></bareme-salaire>"
        }
        p {
            "Un script de votre page l’envoie dans l’en-tête " code { "X-API-Key" } ". Le guide "
            a href="/documentation/dans-votre-page" { "Dans votre page" } " dit ce que cette clé protège, et ce \
            qu’elle ne protège pas."
        }
        p { a href={ (OWNER_PATH) "?" (TOKEN) "=" (token) } { "Vos clés" } }
    };
    Page {
        title: "Votre clé publiable",
        description: "Une clé pour la source d’une page web.",
        path: None,
        content,
        ..Page::default()
    }
    .render(service)
}
