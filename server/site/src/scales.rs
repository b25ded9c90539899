//! The page of a scale: the figures of every edition side by side, with changes marked, the
//! sources, the steps in words, worked examples, remarks, history.

use bareme_engine::law::{Method, Step};
use bareme_engine::run::{Case, Edition};
use bareme_engine::service::Rules;
use bareme_engine::{Datum, Folder, Lang};
use bareme_show::figures::{changes, remark, remarks, title};
use bareme_show::steps::labelled_sentence;
use bareme_show::trace::capitalized;
use bareme_show::{Locale, field, query_string};
use maud::{Markup, html};

use super::catalogue::{self, ListedFolder};
use super::changes as news;
use super::figures::figures;
use super::labels::Labels;
use super::layout::Page;
use super::table::wide;
use super::text::{day, ended, in_force, printed, prose};

/// Where they are.
pub(super) const PATH: &str = "/baremes";

/// Number of fields shown in an example.
const MAX_EXPECTED: usize = 3;

/// The list of the scales.
pub(super) fn index(rules: &Rules) -> String {
    let content = html! {
        h1 { "Barèmes" }
        p.lead {
            "Les chiffres de chaque édition, leurs textes, le calcul en mots et l’historique. Une \
             édition est l’état d’un barème à partir d’un jour\u{a0}; montants dans la monnaie du \
             pays, taux en pourcentage. "
            a href=(news::PATH) { "Derniers changements" } ", "
            a href="/baremes.atom" { "flux Atom" } "."
        }
        (wide(
            "Barèmes",
            html! {
                table {
                    thead {
                        tr {
                            th scope="col" { "Calcul" } th scope="col" { "Dernière édition" }
                            th.n scope="col" { "Éditions" }
                        }
                    }
                    tbody {
                        // In the order of the endpoints, as everywhere on the site.
                        @for listed in catalogue::all(rules) {
                            tr {
                                th scope="row" { a href=(listed.page()) { (prose(listed.folder.title())) } }
                                td {
                                    @if let Some(scale) = listed.last_scale() {
                                        (day(scale.date))
                                    } @else {
                                        "sans date"
                                    }
                                }
                                td.n { (listed.folder.editions().len()) }
                            }
                        }
                    }
                }
            }
        ))
    };

    let page = Page {
        title: "Barèmes",
        description: "Tous les barèmes du service, année par année : chiffres, textes de loi, \
                      calcul en mots, exemples.",
        path: Some(PATH),
        feed: Some("/baremes.atom"),
        content,
        ..Page::default()
    };
    page.render(rules.service())
}

/// The page of a folder.
pub(super) fn page(rules: &Rules, listed: &ListedFolder) -> String {
    let folder = listed.folder;

    // The latest edition first, as in the figures.
    let (path, feed) = (listed.page(), format!("{}.atom", listed.page()));
    let editions: Vec<&Edition> = folder.editions().iter().rev().collect();

    let content = html! {
        p.trail { a href=(PATH) { "Barèmes" } " › " (prose(&listed.endpoint.title)) }
        h1 { (prose(folder.title())) }
        p { a.button.plain href=(listed.simulator()) { "Ouvrir le simulateur" } }
        @if let Some(scale) = listed.last_scale() {
            p {
                (in_force(scale)) ", vérifié jusqu’au " (day(scale.known_until)) ". "
                a href=(feed) { "Flux des changements" } "."
            }
        }
        // The figures first: they are what the page is looked up for.
        (figures(&editions))
        @if let Some(edition) = editions.first() {
            (steps(edition))
            (texts(edition))
            (reserves(folder, edition))
        }
        (examples(listed))
        (history(folder.editions()))
    };

    let title = folder.title();
    let description = format!(
        "{title} : chiffres de chaque année côte à côte, textes, étapes du calcul, exemples et \
         historique."
    );

    let page = Page {
        title: &format!("Barème : {title}"),
        description: &description,
        path: Some(&path),
        feed: Some(&feed),
        content,
        ..Page::default()
    };
    page.render(rules.service())
}

/// The steps in words.
fn steps(edition: &Edition) -> Markup {
    // In the words of the last edition.
    let method = edition.method();
    // The steps of an option follow those of every calculation, under its title.
    let of = |option: Option<usize>| {
        method
            .steps()
            .iter()
            .filter(move |step| step.option == option)
            .collect::<Vec<_>>()
    };

    html! {
        h2 #calcul { "Le calcul, étape par étape" }
        (step_list(method, &of(None)))
        @for (index, option) in method.options().iter().enumerate() {
            @let input = option.input.of(method.inputs());
            h3 { (prose(input.map(|input| input.label.as_str()).unwrap_or_default())) }
            (step_list(method, &of(Some(index))))
        }
    }
}

fn step_list(method: &Method, steps: &[&Step]) -> Markup {
    html! {
        ol.steps {
            @for step in steps {
                li {
                    strong { (prose(step.title())) } br;
                    (prose(&capitalized(&labelled_sentence(method, step, Locale::PAGE))))
                    @if let Some(law) = &step.law { br; span.soft { (prose(law)) } }
                }
            }
        }
    }
}

/// The sources of the last edition.
fn texts(edition: &Edition) -> Markup {
    // Undated rules have their texts in the method.
    let sources = edition
        .scale()
        .map_or(&edition.method().sources, |scale| &scale.sources);

    html! {
        h2 #textes { "Textes" }
        ul { @for source in sources.iter() { li { (super::simulator::source(source, Lang::Fr)) } } }
    }
}

/// Remarks on the certainty of figures.
fn reserves(folder: &Folder, edition: &Edition) -> Markup {
    let labels = Labels::of_folder(folder);
    let remarks = remarks(edition);
    // The note is about the whole scale, a remark about one figure or row.
    let note = edition.scale().and_then(|scale| scale.note.as_deref());

    html! {
        @if !remarks.is_empty() || note.is_some() {
            h2 #reserves { "Réserves" }
            @if let Some(note) = note { p { (prose(&labels.written(note))) } }
            ul {
                @for (figure, found) in remarks {
                    li {
                        @let text = remark(&title(edition.method(), figure), found, Lang::Fr);
                        (prose(&ended(labels.written(&text))))
                    }
                }
            }
        }
    }
}

/// Worked cases, with the simulator that recomputes them.
fn examples(listed: &ListedFolder) -> Markup {
    // A case opens in the simulator, which computes it again.
    let examples = listed.folder.examples();

    html! {
        h2 #exemples { "Exemples chiffrés" }
        p.soft {
            (examples.answered)
            " cas sont recalculés à chaque lecture des règles\u{a0}; voici les premiers."
        }
        ul {
            @for case in &examples.first {
                li {
                    a href={ (listed.simulator()) "?" (query_string::from_pairs(&case.query)) } {
                        (prose(&case.name))
                    }
                    "\u{a0}: "
                    (expected(listed, case))
                }
            }
        }
    }
}

/// The first amounts and rates that a case expects, by their labels.
fn expected(listed: &ListedFolder, case: &Case) -> Markup {
    // The labels are those of the edition that the case is for.
    let edition = case.date().map_or_else(
        || listed.folder.latest(),
        |date| listed.folder.edition(date),
    );

    let Some(method) = edition.map(Edition::method) else {
        return Markup::default();
    };

    // Only numbers are shown: a list or a word says little in one line.
    let shown = case.expect.iter().filter_map(|(name, expected)| {
        let field = method
            .fields()
            .iter()
            .find(|field| field.name == name.value)?;
        let number = Datum::Number(expected.number()?);
        let found = field::value(field, number, method, Locale::PAGE);
        Some(format!("{} {found}", field.label.as_deref()?))
    });

    html! { (prose(&shown.take(MAX_EXPECTED).collect::<Vec<_>>().join(" ; "))) }
}

/// Changes of each edition.
fn history(editions: &[Edition]) -> Markup {
    html! {
        h2 #historique { "Historique" }
        ul {
            // The latest first; each is compared with the one before it.
            @for (index, edition) in editions.iter().enumerate().rev() {
                @if let Some(scale) = edition.scale() {
                    @let before = index.checked_sub(1).and_then(|before| editions.get(before));
                    li {
                        (day(scale.date)) "\u{a0}: " (prose(&scale.title)) ". "
                        (printed(&changes(edition, before)))
                    }
                }
            }
        }
    }
}
