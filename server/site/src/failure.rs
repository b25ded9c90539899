//! The page shown to a person in place of the requested one, after a mistyped address, too many
//! calculations, or a failure. It has the status and the headers of the JSON answer to a program.

use bareme_api::wire::body::Body;
use bareme_api::wire::mask::mask;
use bareme_api::wire::negotiation::wants_page;
use bareme_api::wire::problem::{Problem, kinds};
use bareme_api::wire::reply::Reply;
use bareme_engine::service::Rules;
use bareme_engine::text::{excerpt, nearest};
use hyper::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, VARY};
use hyper::http::request::Parts;
use maud::{Markup, html};
use uuid::Uuid;

use super::catalogue::{self, ListedFolder};
use super::layout::Page;
use super::text::{printed, prose};

/// Greatest number of pages suggested for a mistyped address.
const MOST_NEAR: usize = 3;

/// The page, if a person asks; the API always answers in JSON.
pub fn page(rules: Option<&Rules>, problem: &Problem, request: &Parts, id: Uuid) -> Option<String> {
    let path = request.uri.path();

    // A program that reads the API gets JSON, even if it accepts pages.
    let variants = rules
        .map(|rules| rules.service().variants.as_slice())
        .unwrap_or_default();
    let is_interface = |prefix: &str| {
        path.strip_prefix(prefix)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if !wants_page(&request.headers) || variants.iter().any(|variant| is_interface(&variant.prefix))
    {
        return None;
    }

    // What a person can do: look for the page, wait, or report the error.
    let kind = problem.kind;
    let (title, content) = if kind == &kinds::NOT_FOUND {
        ("Page introuvable", not_found(rules, path))
    } else if kind == &kinds::WORK {
        ("Trop de calculs en peu de temps", too_many(request))
    } else {
        (kind.title.fr, html! { p { (prose(&problem.text())) } })
    };

    let content = html! {
        h1 { (prose(title)) }
        (content)
        @if rules.is_some() {
            p {
                a href="/" { "Page d’accueil" } " · " a href="/simulateurs" { "Simulateurs" } " · "
                a href="/baremes" { "Barèmes" } " · " a href="/documentation" { "Documentation" }
            }
        }
        p.soft {
            "Erreur " (kind.status.as_u16()) ", code " code { (kind.code) }
            ". Pour nous en parler, citez " code { (id) } "."
        }
    };

    let page = Page {
        title,
        content,
        ..Page::default()
    };
    Some(page.render(rules.map(Rules::service)))
}

/// Replaces the JSON of a reply by a page.
pub fn show(reply: &mut Reply, page: String) {
    // The status and the other headers of the JSON stay.
    *reply.body_mut() = Body::from(page);
    for (name, value) in [
        (CONTENT_TYPE, super::HTML),
        (CONTENT_SECURITY_POLICY, super::POLICY),
        (VARY, "Accept"),
    ] {
        reply
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
}

fn not_found(rules: Option<&Rules>, path: &str) -> Markup {
    let near = rules.map(|rules| near(rules, path)).unwrap_or_default();

    html! {
        // Masked: a mistyped address may hold a secret.
        p { "Il n’y a pas de page à l’adresse " code { (mask(&excerpt(path))) } "." }
        @if !near.is_empty() {
            p { "Cherchiez-vous l’une de celles-ci\u{a0}?" }
            ul { @for (path, title) in near { li { a href=(path) { (title) } } } }
        }
    }
}

/// Addresses and titles of the pages that may be meant.
fn near(rules: &Rules, path: &str) -> Vec<(String, String)> {
    // The nearest path by its letters, then the pages of a folder whose name ends the address.
    let paths = super::paths(rules);
    let asked = path.trim_end_matches('/').to_lowercase();
    let near = nearest(&asked, paths.iter().map(String::as_str));
    let mut found: Vec<String> = near.map(str::to_owned).into_iter().collect();

    let last = asked.rsplit('/').next().unwrap_or_default();
    let all = catalogue::all(rules);
    for listed in &all {
        let names = [listed.folder.path(), listed.word.unwrap_or_default()];
        if !last.is_empty() && names.contains(&last) {
            for page in [listed.simulator(), listed.page()] {
                if !found.contains(&page) {
                    found.push(page);
                }
            }
        }
    }

    found.truncate(MOST_NEAR);
    found
        .into_iter()
        .map(|path| (path.clone(), called(&all, &path)))
        .collect()
}

/// Title of a page: that of its folder, or else its address.
fn called(all: &[ListedFolder], path: &str) -> String {
    // A folder has two pages, which share its title.
    let of_folder = all.iter().find_map(|listed| {
        let title = printed(listed.folder.title());
        (path == listed.simulator())
            .then(|| format!("Simulateur\u{a0}: {title}"))
            .or_else(|| (path == listed.page()).then(|| format!("Barème\u{a0}: {title}")))
    });

    of_folder.unwrap_or_else(|| path.to_owned())
}

fn too_many(request: &Parts) -> Markup {
    // The same page again, with its query: the visitor loses nothing.
    let again = request
        .uri
        .path_and_query()
        .map(|target| target.as_str())
        .unwrap_or_default();

    html! {
        p {
            "Le site calcule sans clé et sans quota, dix fois par seconde au plus pour une même \
             adresse. Patientez quelques secondes, puis "
            a href=(again) { "rouvrez la page" } "."
        }
        p {
            "Un programme appelle l’API elle-même\u{a0}: "
            a href="/documentation/premier-appel" { "le premier appel" } "."
        }
    }
}
