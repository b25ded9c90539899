//! A page for each kind of error, at the address of the `type` of its problems; and the codes of
//! warnings, which their list ends with.

use bareme_api::wire::problem::Problem;
use bareme_api::wire::problem::kinds::{self, Kind};
use bareme_engine::Folder;
use bareme_engine::law::members::WARNINGS;
use bareme_engine::law::{Warning, WarningCode};
use bareme_engine::service::{Rules, Service};
use maud::{Markup, html};
use uuid::Uuid;

use super::layout::Page;
use super::table::wide;
use super::text::prose;

/// Where they are.
pub(super) const PATH: &str = "/erreurs";

/// The most frequent errors of callers.
static FREQUENT: [&Kind; 5] = [
    &kinds::PARAMETERS,
    &kinds::KEY,
    &kinds::NOT_FOUND,
    &kinds::QUOTA,
    &kinds::STORE_UNAVAILABLE,
];

/// The list of errors, by status, the most frequent first; then that of warnings.
pub(super) fn index(rules: &Rules) -> String {
    let mut all: Vec<&Kind> = kinds().collect();
    // The sort is stable: within a status, the order is that of the list.
    all.sort_by_key(|kind| kind.status);
    let (frequent, others): (Vec<&Kind>, Vec<&Kind>) =
        all.into_iter().partition(|kind| FREQUENT.contains(kind));

    let content = html! {
        h1 { "Erreurs" }
        p {
            "Toute erreur de l’API est un objet JSON dont les membres sont ceux de la \
             RFC\u{a0}9457. Le membre "
            code { "code" } " est fait pour les programmes et ne change pas\u{202f}; "
            code { "instance" }
            " nomme la requête et se cite pour toute question. Le guide "
            a href="/documentation/erreurs" { "Traiter les erreurs" }
            " dit quoi faire de chacune."
        }

        h2 { "Les plus fréquentes" }
        (table("Erreurs les plus fréquentes", &frequent))

        h2 { "Les autres" }
        (table("Toutes les autres erreurs", &others))
        (warnings(rules))
    };

    let page = Page {
        title: "Erreurs et avertissements",
        description: "Toutes les erreurs que l’API peut répondre, par statut et par code, et tous \
                      les avertissements d’une réponse.",
        path: Some(PATH),
        content,
        ..Page::default()
    };
    page.render(rules.service())
}

/// A warning of the rules, with the folders that give it.
struct ListedWarning<'r> {
    warning: &'r Warning,
    folders: Vec<&'r Folder>,
}

/// The warnings of all the folders, by code; each sentence once.
fn listed(rules: &Rules) -> Vec<ListedWarning<'_>> {
    // The same sentence in many folders is one row; another sentence under the same code is another
    // row.
    let mut listed: Vec<ListedWarning> = Vec::new();
    for folder in rules.folders() {
        for warning in folder.warnings() {
            let is_it = |known: &&mut ListedWarning| {
                known.warning.code == warning.code && known.warning.text == warning.text
            };
            match listed.iter_mut().find(is_it) {
                Some(known) => known.folders.push(folder),
                None => listed.push(ListedWarning {
                    warning,
                    folders: vec![folder],
                }),
            }
        }
    }

    listed.sort_by(|a, b| a.warning.code.cmp(&b.warning.code));
    listed
}

/// The codes of warnings, with what each means: those of every calculation, then those of the
/// rules.
fn warnings(rules: &Rules) -> Markup {
    html! {
        h2 #avertissements { "Avertissements" }
        p {
            "Une réponse qui est donnée malgré une réserve le dit dans " code { (WARNINGS.name) }
            ", un tableau d’objets\u{a0}: " code { "code" }
            ", que les programmes comparent et qui ne change pas\u{a0}; "
            code { "texte" } ", la phrase\u{a0}; " code { "parametre" }
            ", s’il n’y en a qu’un de concerné\u{a0}; dans une année de paies, "
            code { "mois" } ", si ce n’est pas toute la période."
        }
        (wide(
            "Avertissements",
            html! {
                table {
                    thead {
                        tr {
                            th scope="col" { "Code" } th scope="col" { "Ce que c’est" }
                            th scope="col" { "Calculs" }
                        }
                    }
                    tbody {
                        // Those of every calculation, then those of the rules with the folders that give
                        // them.
                        @for code in WarningCode::ALL {
                            tr {
                                td { code { (code.as_str()) } } td { (prose(code.meaning().fr)) }
                                td { "tous" }
                            }
                        }
                        @for ListedWarning { warning, folders } in &listed(rules) {
                            tr {
                                td { code { (warning.code) } }
                                td { (prose(&warning.text.fr)) }
                                td {
                                    @for (index, folder) in folders.iter().enumerate() {
                                        @if index > 0 { ", " }
                                        code { (folder.path()) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        ))
    }
}

fn table(label: &str, kinds: &[&Kind]) -> Markup {
    html! {
        (wide(
            label,
            html! {
                table {
                    thead {
                        tr {
                            th scope="col" { "Statut" } th scope="col" { "Code" } th scope="col" { "Titre" }
                        }
                    }
                    tbody {
                        @for kind in kinds {
                            tr {
                                td { (kind.status.as_u16()) }
                                td { a href=(path(kind)) { code { (kind.code) } } }
                                td { (prose(kind.title.fr)) }
                            }
                        }
                    }
                }
            }
        ))
    }
}

/// The kind of error that a path is for.
pub(super) fn find(path: &str) -> Option<&'static Kind> {
    kinds().find(|kind| self::path(kind) == path)
}

/// The page of a kind of error.
pub(super) fn page(service: &Service, kind: &'static Kind) -> String {
    // The example is made by the code that answers, so that it cannot differ from an answer.
    let example = Problem::example(kind).into_body(Some(&service.documentation), Uuid::nil());

    let content = html! {
        h1 { (prose(kind.title.fr)) }
        p { "Statut " (kind.status.as_u16()) ", code " code { (kind.code) } "." }
        p { (prose(kind.meaning.fr)) }

        h2 { "Exemple" }
        pre tabindex="0" { (format!("{example:#}")) }
        p { a href=(PATH) { "Toutes les erreurs" } }
    };

    let (title, path) = (kind.title.fr, path(kind));
    // A description has no code: a search engine shows it as it is.
    let description = kind.meaning.fr.replace('`', "");

    Page {
        title,
        description: &description,
        path: Some(&path),
        content,
        ..Page::default()
    }
    .render(service)
}

/// The errors of the API, then those of the site.
pub(super) fn kinds() -> impl Iterator<Item = &'static Kind> {
    kinds::ALL.into_iter().chain(kinds::SITE)
}

/// Path of the page of a kind of error.
pub(super) fn path(kind: &Kind) -> String {
    bareme_api::wire::problem::type_address("", kind)
}
