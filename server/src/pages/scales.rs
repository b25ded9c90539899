//! A page a scale: the figures of every edition side by side with what changed marked, the texts, the steps in
//! words, worked examples, reserves, history.

use bareme_engine::Lang;
use bareme_engine::law::{FigureId, Step, Type, Value};
use bareme_engine::run::{Case, Edition};
use bareme_engine::service::Rules;
use bareme_show::Locale;
use bareme_show::figures::{self, remark, remarks, side_by_side, value};
use bareme_show::steps::{option_title, sentence};
use bareme_show::trace::capitalized;
use maud::{Markup, html};

use super::catalogue::{self, Listed};
use super::changes;
use super::layout::Page;
use super::text::{day, printed, prose, query};

/// Where they are.
pub(super) const PATH: &str = "/baremes";

/// Worked examples that a page shows.
const EXAMPLES: usize = 8;

/// The list of the scales.
pub(super) fn index(rules: &Rules) -> String {
    let content = html! {
        h1 { "Barèmes" }
        p.lead { "Les chiffres de chaque année, leurs textes, le calcul en mots et l’historique. " a href=(changes::PATH) { "Derniers changements" } ", " a href="/baremes.atom" { "flux Atom" } "." }
        table {
            thead { tr { th scope="col" { "Barème" } th scope="col" { "Dernier changement" } th.n scope="col" { "Éditions" } } }
            tbody {
                @for listed in catalogue::all(rules) {
                    tr {
                        th scope="row" { a href=(listed.page()) { (prose(listed.folder.title())) } }
                        td { @if let Some(scale) = listed.last_scale() { (day(scale.date)) } @else { "sans date" } }
                        td.n { (listed.folder.editions().len()) }
                    }
                }
            }
        }
    };
    let page = Page {
        title: "Barèmes",
        description: "Tous les barèmes du service, année par année : chiffres, textes de loi, calcul en mots, exemples.",
        path: Some(PATH),
        feed: Some("/baremes.atom"),
        content,
        ..Page::default()
    };
    page.render(rules.service())
}

/// The page of a folder.
pub(super) fn page(rules: &Rules, listed: &Listed) -> String {
    let folder = listed.folder;
    let (path, feed) = (listed.page(), format!("{}.atom", listed.page()));
    let editions: Vec<&Edition> = folder.editions().iter().rev().collect();
    let content = html! {
        p.trail { a href=(PATH) { "Barèmes" } " › " (prose(&listed.endpoint.title)) }
        h1 { (prose(folder.title())) }
        p { a.button.plain href=(listed.simulator()) { "Ouvrir le simulateur" } }
        @if let Some(scale) = listed.last_scale() {
            p {
                (prose(&scale.title)) ", en vigueur depuis le " (day(scale.date)) ", vérifié jusqu’au " (day(scale.known_until)) ". "
                a href=(feed) { "Flux des changements" } "."
            }
        }
        (figures(&editions))
        @if let Some(edition) = editions.first() {
            (steps(edition))
            (texts(edition))
            (reserves(edition))
        }
        (examples(listed))
        (history(folder.editions()))
    };
    let page = Page {
        title: &format!("Barème : {}", folder.title()),
        description: &format!(
            "{} : chiffres de chaque année côte à côte, textes, étapes du calcul, exemples et historique.",
            folder.title()
        ),
        path: Some(&path),
        feed: Some(&feed),
        content,
        ..Page::default()
    };
    page.render(rules.service())
}

/// The figures of every edition, the latest first.
fn figures(editions: &[&Edition]) -> Markup {
    let dated: Vec<&Edition> = editions.iter().copied().filter(|edition| edition.scale().is_some()).collect();
    let lines = side_by_side(&dated);
    let decimals = dated.first().map_or(0, |edition| edition.method().decimals);
    html! {
        @if !lines.is_empty() {
            h2 #chiffres { "Chiffres, année par année" }
            p.soft { "Ce qui diffère de l’édition précédente est " mark { "marqué" } "." }
            div.wide.tall tabindex="0" role="region" aria-label="Chiffres de chaque édition" {
                table.figures {
                    thead {
                        tr {
                            th scope="col" { "Chiffre" }
                            @for scale in dated.iter().filter_map(|edition| edition.scale()) { th.n scope="col" { (scale.date.strftime("%d/%m/%Y")) } }
                        }
                    }
                    @for of_figure in lines.chunk_by(|one, next| one.figure == next.figure) {
                        tbody {
                            @if let Some(first) = of_figure.first() {
                                tr { th.figure scope="rowgroup" colspan=(dated.len().saturating_add(1)) { (prose(&named(editions, first.figure))) " " code.soft { (first.figure) } } }
                            }
                            @for line in of_figure {
                                tr {
                                    th scope="row" { (printed(&line.label())) }
                                    @for (index, own) in line.values.iter().enumerate() {
                                        td.n { (cell(own.as_ref(), line.values.get(index.saturating_add(1)), decimals)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Title of the first step that reads a figure.
fn named(editions: &[&Edition], figure: &str) -> String {
    let step = editions.iter().find_map(|edition| {
        let method = edition.method();
        let index = FigureId::find(method.figures(), |shape| shape.name == figure)?;
        method.steps().iter().find(|step| step.figures.contains(&index))
    });
    step.map(|step| step.title().to_owned()).unwrap_or_default()
}

/// A value, marked where the edition before says another.
fn cell(own: Option<&(Value, Type)>, before: Option<&Option<(Value, Type)>>, decimals: u32) -> Markup {
    let shown = |(found, ty): &(Value, Type)| value(found, *ty, decimals, Locale::PAGE);
    let own = own.map(shown);
    let has_changed = before.is_some_and(|before| before.as_ref().map(shown) != own);
    let text = own.unwrap_or_else(|| "–".to_owned());
    html! { @if has_changed { mark { (text) span.reader { " (changé)" } } } @else { (text) } }
}

/// The steps in words.
fn steps(edition: &Edition) -> Markup {
    let method = edition.method();
    let of =
        |option: Option<usize>| method.steps().iter().filter(move |step| step.option == option).collect::<Vec<_>>();
    html! {
        h2 #calcul { "Le calcul, étape par étape" }
        (step_list(edition, &of(None)))
        @for (index, option) in method.options().iter().enumerate() {
            h3 { (prose(&option_title(method, option, Lang::Fr))) }
            (step_list(edition, &of(Some(index))))
        }
    }
}

fn step_list(edition: &Edition, steps: &[&Step]) -> Markup {
    html! {
        ol.steps {
            @for step in steps {
                li {
                    strong { (prose(step.title())) } " " span.soft { code { (step.name) } } br;
                    (prose(&capitalized(&sentence(edition.method(), step, Lang::Fr))))
                    @if let Some(law) = &step.law { br; span.soft { (prose(law)) } }
                }
            }
        }
    }
}

/// The texts of the last edition.
fn texts(edition: &Edition) -> Markup {
    let sources = edition.scale().map_or(&edition.method().sources, |scale| &scale.sources);
    html! {
        h2 #textes { "Textes" }
        ul { @for source in sources { li { (super::simulator::source(source)) } } }
    }
}

/// Remarks on the certainty of figures.
fn reserves(edition: &Edition) -> Markup {
    let remarks = remarks(edition);
    let note = edition.scale().and_then(|scale| scale.note.as_deref());
    html! {
        @if !remarks.is_empty() || note.is_some() {
            h2 #reserves { "Réserves" }
            @if let Some(note) = note { p { (prose(note)) } }
            ul { @for (figure, found) in remarks { li { (prose(&remark(figure, found, Lang::Fr))) } } }
        }
    }
}

/// Worked cases, with the simulator that recomputes them.
fn examples(listed: &Listed) -> Markup {
    let cases: Vec<&Case> =
        listed.folder.cases().iter().filter(|case| case.refuse.is_none() && !case.expect.is_empty()).collect();
    html! {
        h2 #exemples { "Exemples chiffrés" }
        p.soft { (cases.len()) " cas sont recalculés à chaque lecture des règles\u{a0}; voici les premiers." }
        ul {
            @for case in cases.iter().take(EXAMPLES) {
                li {
                    a href={ (listed.simulator()) "?" (query(&case.query)) } { (prose(&case.name)) } "\u{a0}: "
                    @for (field, expected) in case.expect.iter().take(3) { code { (field.value) "\u{a0}=\u{a0}" (expected.shown()) } " " }
                }
            }
        }
    }
}

/// Changes of each edition.
fn history(editions: &[Edition]) -> Markup {
    html! {
        h2 #historique { "Historique" }
        ul {
            @for (index, edition) in editions.iter().enumerate().rev() {
                @if let Some(scale) = edition.scale() {
                    @let before = index.checked_sub(1).and_then(|before| editions.get(before));
                    li { (day(scale.date)) "\u{a0}: " (prose(&scale.title)) ". " (printed(&figures::changes(edition, before))) }
                }
            }
        }
    }
}
