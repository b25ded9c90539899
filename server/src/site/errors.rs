//! A page for each kind of error, where the `type` of a problem leads.

use bareme_engine::Service;
use uuid::Uuid;

use super::html::{self, escape, prose};
use crate::http::problem::Problem;
use crate::http::problem::kinds::{self, Kind};

/// Where they are.
pub(super) const PATH: &str = "/erreurs";

/// All of them, by status.
pub(super) fn index(service: &Service) -> String {
    let mut all: Vec<&Kind> = kinds().collect();
    all.sort_by_key(|kind| kind.status);
    let row = |kind: &Kind| {
        format!(
            "<tr><td>{}</td><td><a href=\"{}\"><code>{}</code></a></td><td>{}</td></tr>\n",
            kind.status.as_u16(),
            path(kind),
            kind.code,
            prose(kind.title)
        )
    };
    let content = format!(
        "<h1>Erreurs</h1>\n\
         <p>Toute erreur est un objet JSON dont les membres sont ceux de la RFC\u{a0}9457. Le membre <code>code</code> \
         est fait pour les programmes et ne change pas\u{202f}; <code>instance</code> nomme la requête et se cite pour \
         toute question.</p>\n\
         <table>\n<thead><tr><th>Statut</th><th>Code</th><th>Titre</th></tr></thead>\n<tbody>\n{}</tbody>\n</table>\n",
        all.into_iter().map(row).collect::<String>()
    );
    html::page(service, &format!("Erreurs – {}", service.title), &content)
}

/// The page of each, with its path.
pub(super) fn each(service: &Service) -> impl Iterator<Item = (String, String)> {
    kinds().map(|kind| (path(kind), page(service, kind)))
}

fn page(service: &Service, kind: &'static Kind) -> String {
    let example = Problem::example(kind).into_body(Some(&service.documentation), Uuid::nil());
    let content = format!(
        "<h1>{title}</h1>\n<p>Statut {status}, code <code>{code}</code>.</p>\n<p>{meaning}</p>\n\
         <h2>Exemple</h2>\n<pre>{example}</pre>\n<p><a href=\"{PATH}\">Toutes les erreurs</a></p>\n",
        title = prose(kind.title),
        status = kind.status.as_u16(),
        code = kind.code,
        meaning = prose(kind.meaning),
        example = escape(&format!("{example:#}")),
    );
    html::page(service, &format!("{} – {}", kind.title, service.title), &content)
}

/// Those of the interface, then those of the form of the keys.
fn kinds() -> impl Iterator<Item = &'static Kind> {
    kinds::ALL.into_iter().chain(kinds::FORM)
}

fn path(kind: &Kind) -> String {
    crate::http::problem::type_address("", kind)
}
