//! The page shown to a person in place of the requested one, after a mistyped address, too many
//! calculations, or a failure. It has the status and the headers of the JSON answer to a program.

use bareme_api::wire::body::Body;
use bareme_api::wire::mask::mask;
use bareme_api::wire::negotiation::wants_page;
use bareme_api::wire::problem::kinds::Kind;
use bareme_api::wire::problem::{Problem, kinds};
use bareme_api::wire::reply::Reply;
use bareme_engine::service::Rules;
use bareme_engine::text::{excerpt, nearest};
use bareme_engine::{Lang, say};
use hyper::StatusCode;
use hyper::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, VARY};
use hyper::http::request::Parts;
use maud::{Markup, html};
use uuid::Uuid;

use super::catalogue::{self, ListedFolder};
use super::language::{self, localized};
use super::layout::{Page, part_at};
use super::route::Route;
use super::text::{printed, prose, say};
use super::{compare, simulator};

/// Greatest number of pages suggested for a mistyped address.
const MOST_NEAR: usize = 3;

/// The page, if a person asks, in the language of the address; the API always answers in JSON.
/// `english` are the rules in English, where there are any.
pub fn page(
    rules: Option<&Rules>,
    english: Option<&Rules>,
    problem: &Problem,
    request: &Parts,
    id: Uuid,
) -> Option<String> {
    let path = request.uri.path();

    // A program that reads the API gets JSON, even if it accepts pages.
    let variants = rules
        .map(|rules| rules.service().variants.as_slice())
        .unwrap_or_default();
    // `/api/v1x` is no path of `/api/v1`.
    let is_interface = |prefix: &str| {
        path.strip_prefix(prefix)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if !wants_page(&request.headers) || variants.iter().any(|variant| is_interface(&variant.prefix))
    {
        return None;
    }

    let shown = match language::of_path(path) {
        (Lang::En, _) => english.or(rules),
        (Lang::Fr, _) => rules,
    };
    let lang = shown.map_or(Lang::Fr, |shown| shown.service().lang);

    // What a person can do: look for the page, wait, or report the error.
    let kind = problem.kind;
    let (title, content) = if kind == &kinds::NOT_FOUND {
        let title = say(lang, "Page introuvable", "Page not found");
        (title, not_found(rules, shown, path))
    } else if kind == &kinds::WORK {
        let title = say(
            lang,
            "Trop de calculs en peu de temps",
            "Too many calculations in a short time",
        );
        (title, too_many(request, lang))
    } else if kind.status == StatusCode::SERVICE_UNAVAILABLE {
        let title = say(
            lang,
            "Page indisponible pour l’instant",
            "Page unavailable at the moment",
        );
        (title, unavailable(kind, request, lang))
    } else {
        let text = problem.text_in(lang);
        (kind.title.in_lang(lang), html! { p { (prose(&text)) } })
    };

    let content = html! {
        h1 { (prose(title)) }
        (content)
        @if rules.is_some() { p { (elsewhere(lang)) } }
        p.soft {
            (say(lang, "Erreur ", "Error ")) (kind.status.as_u16())
            (say(
                lang,
                ". Pour nous en parler, citez ",
                ". If you write to us about it, quote "
            ))
            code { (id) } "."
        }
    };

    let page = Page {
        title,
        content,
        ..Page::default()
    };
    Some(page.render(shown.map(Rules::service)))
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

/// The pages from which a visitor may go on.
fn elsewhere(lang: Lang) -> Markup {
    const FRENCH: [(&str, &str); 4] = [
        ("/", "Page d’accueil"),
        (simulator::PATH, "Simulateurs"),
        ("/baremes", "Barèmes"),
        ("/documentation", "Documentation"),
    ];
    const ENGLISH: [(&str, &str); 3] = [
        ("/", "Home page"),
        (simulator::PATH, "Calculators"),
        (compare::PATH, "Compare a pay"),
    ];

    // Pages that are in French alone help no reader of English.
    let pages: &[_] = match lang {
        Lang::Fr => &FRENCH,
        Lang::En => &ENGLISH,
    };

    html! {
        @for (index, (path, name)) in pages.iter().enumerate() {
            @if index > 0 { " · " }
            a href=(localized(path, lang)) { (name) }
        }
    }
}

/// The content of the page of an unknown address; `rules` are the French ones, `shown` those of the
/// language of the page.
fn not_found(rules: Option<&Rules>, shown: Option<&Rules>, path: &str) -> Markup {
    let near = shown.map(|shown| near(shown, path)).unwrap_or_default();
    let lang = shown.map_or(Lang::Fr, |shown| shown.service().lang);
    // The page may be there in French alone.
    let (_, in_french) = language::of_path(path);
    let has_french =
        lang == Lang::En && rules.is_some_and(|rules| Route::find(rules, in_french).is_some());

    html! {
        // Masked: a mistyped address may hold a secret.
        p {
            (say(lang, "Il n’y a pas de page à l’adresse ", "There is no page at the address "))
            code { (mask(&excerpt(path))) } "."
        }
        @if has_french {
            p { a href=(in_french) hreflang="fr" { "This page is in French alone" } "." }
        }
        @if !near.is_empty() {
            p {
                (say(
                    lang,
                    "Cherchiez-vous l’une de celles-ci\u{a0}?",
                    "Were you looking for one of these?"
                ))
            }
            ul { @for (path, title) in near { li { a href=(path) { (title) } } } }
        }
    }
}

/// Addresses and titles of the pages that may be meant, in the language of the rules.
fn near(rules: &Rules, path: &str) -> Vec<(String, String)> {
    // The nearest path by its letters, then the pages of a folder whose name ends the address.
    let lang = rules.service().lang;
    let paths = match lang {
        Lang::Fr => super::paths(rules),
        Lang::En => language::english_paths(rules),
    };
    let asked = path.trim_end_matches('/').to_lowercase();
    let near = nearest(&asked, paths.iter().map(String::as_str));
    let mut found: Vec<String> = near.map(str::to_owned).into_iter().collect();

    let last = asked.rsplit('/').next().unwrap_or_default();
    let all = catalogue::all(rules);
    for listed in &all {
        let names = [listed.folder.path(), listed.word.unwrap_or_default()];
        if !last.is_empty() && names.contains(&last) {
            // The scales are in French alone.
            let scales = (lang == Lang::Fr).then(|| listed.page());
            for page in [Some(listed.simulator()), scales].into_iter().flatten() {
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

/// Title of a page: that of its folder, or of a part of the site, or else its address.
fn called(all: &[ListedFolder], path: &str) -> String {
    // A folder has two pages, which share its title.
    let of_folder = all.iter().find_map(|listed| {
        let title = printed(listed.folder.title());
        let lang = listed.lang();
        (path == listed.simulator())
            .then(|| say!(lang, "Simulateur\u{a0}: {title}", "Calculator: {title}"))
            .or_else(|| (path == listed.page()).then(|| format!("Barème\u{a0}: {title}")))
    });

    let of_part = || {
        let (lang, french) = language::of_path(path);
        part_at(french).map(|name| name.in_lang(lang).to_owned())
    };
    of_folder
        .or_else(of_part)
        .unwrap_or_else(|| path.to_owned())
}

/// The content of the page of what the service cannot do at the moment.
fn unavailable(kind: &Kind, request: &Parts, lang: Lang) -> Markup {
    // Of what the operator corrects, others go on; all else is over soon.
    let cause = if kind == &kinds::SCALE_NOT_READY {
        say(
            lang,
            "Les chiffres de ce calcul sont en cours de correction. Les autres calculs répondent. ",
            "The figures of this calculation are being corrected. The other calculations answer. ",
        )
    } else {
        say(
            lang,
            "Le service est arrêté, ou trop demandé, pour quelques instants. ",
            "The service is stopped, or too much in demand, for a short while. ",
        )
    };

    html! {
        p {
            (cause)
            a href=(again(request)) {
                (say(lang, "Rouvrez la page", "Open the page again"))
            }
            (say(lang, " dans quelques minutes.", " in a few minutes."))
        }
    }
}

/// The same page again, with its query: the visitor loses nothing.
fn again(request: &Parts) -> &str {
    let target = request.uri.path_and_query();
    target.map(|target| target.as_str()).unwrap_or_default()
}

fn too_many(request: &Parts, lang: Lang) -> Markup {
    html! {
        p {
            (say(
                lang,
                "Le site calcule sans clé et sans quota, dix fois par seconde au plus pour une \
                 même adresse. Patientez quelques secondes, puis ",
                "The site calculates without a key and without a quota, ten times a second at \
                 most for one address. Wait a few seconds, then "
            ))
            a href=(again(request)) { (say(lang, "rouvrez la page", "open the page again")) } "."
        }
        p {
            (say(
                lang,
                "Un programme appelle l’API elle-même\u{a0}: ",
                "A program calls the API itself: "
            ))
            a href="/documentation/premier-appel" hreflang=[simulator::foreign(lang)] {
                (say(lang, "le premier appel", "the first call (in French)"))
            } "."
        }
    }
}
