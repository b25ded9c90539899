//! A page a scale: the figures of every edition side by side with what changed marked, the texts, the steps in
//! words, worked examples, reserves, history.

use std::collections::HashSet;

use bareme_engine::{
    Case, Edition, Figure, FigureId, Input, Remark, Row, Rules, Scale, Shape, Step, Type, Value, column_words,
};
use maud::{Markup, html};

use super::catalogue::{self, Listed};
use super::layout::Page;
use super::text::{capitalized, day, number, percent, printed, prose, query};

/// Where they are.
pub(super) const PATH: &str = "/baremes";

/// Worked examples that a page shows.
const EXAMPLES: usize = 8;

/// The list of the scales.
pub(super) fn index(rules: &Rules) -> String {
    let content = html! {
        h1 { "Barèmes" }
        p.lead { "Les chiffres de chaque année, leurs textes, le calcul en mots et l’historique. " a href="/baremes.atom" { "Flux Atom des changements" } "." }
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
            (remarks(edition))
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

/// A figure of an edition: what it is called, and its value in words.
#[derive(Debug, PartialEq)]
struct Entry {
    figure: String,
    label: String,
    value: String,
}

/// Every figure of an edition, a value a line.
fn entries(edition: &Edition) -> Vec<Entry> {
    let Some(scale) = edition.scale() else { return Vec::new() };
    let figures = edition.method().figures().iter().zip(&scale.figures);
    figures.flat_map(|(shape, figure)| of_figure(edition, shape, figure)).collect()
}

fn of_figure(edition: &Edition, shape: &Shape, figure: &Figure) -> Vec<Entry> {
    let entry = |label: String, value: String| Entry { figure: shape.name.clone(), label, value };
    let cells = |prefix: &str, cells: &[Option<Value>]| {
        let named = shape.columns.iter().zip(cells);
        let named = named.filter_map(|(column, cell)| {
            Some(entry(format!("{prefix}{}", column.name), shown(cell.as_ref()?, column.ty)))
        });
        named.collect::<Vec<_>>()
    };
    if !shape.has_rows() {
        return cells("", &figure.record);
    }
    let mut groups: Vec<(String, usize)> = Vec::new();
    let mut found = Vec::new();
    for row in figure.rows.iter() {
        let keys = keys(edition, shape, row);
        let place = match groups.iter_mut().find(|(known, _)| *known == keys) {
            Some((_, count)) => {
                *count = count.saturating_add(1);
                *count
            }
            None => {
                groups.push((keys.clone(), 1));
                1
            }
        };
        // Brackets are known by their place: their bounds are among what changes.
        let prefix = match shape.bound {
            Some(_) => format!("{keys}tranche {place}, "),
            None => keys,
        };
        if let (Some(ty), Some(bound)) = (shape.bound, row.bound) {
            found.push(entry(
                format!("{prefix}{}", bound_word(bound.word.name())),
                shown(&Value::Number(bound.value), ty),
            ));
        }
        found.extend(cells(&prefix, &row.cells));
    }
    found
}

/// The values that a row answers for: `statut cadre, `.
fn keys(edition: &Edition, shape: &Shape, row: &Row) -> String {
    let keys = shape.keys.iter().zip(&row.keys).map(|(key, values)| {
        let input = edition.method().inputs().iter().find(|input| input.name == key.name);
        let word = |value: &Value| match input {
            Some(input) => label_of(input, value),
            None => shown(value, Type::Number),
        };
        let values: Vec<String> = values.iter().map(word).collect();
        let values = if values.is_empty() { "autres".to_owned() } else { values.join(", ") };
        format!("{} {values}, ", key.name)
    });
    keys.collect()
}

fn label_of(input: &Input, value: &Value) -> String {
    let sent = input.sent_text(value);
    let label = input.values.iter().find(|(word, _)| *word == sent).map(|(_, label)| label.clone());
    label.unwrap_or_else(|| {
        if input.ty == Type::Rate { format!("{} %", sent.replace('.', ",")) } else { sent.replace('.', ",") }
    })
}

fn bound_word(word: &str) -> &'static str {
    match word {
        "up_to" => "jusqu’à",
        "below" => "en dessous de",
        "over" => "au-delà de",
        _ => "à partir de",
    }
}

fn shown(value: &Value, ty: Type) -> String {
    match value {
        Value::Number(rate) if ty == Type::Rate => percent(*rate),
        Value::Number(found) => number(*found),
        Value::Boolean(true) => "oui".to_owned(),
        Value::Boolean(false) => "non".to_owned(),
        Value::Text(text) => text.to_string(),
        _ => String::new(),
    }
}

/// The figures of every edition, the latest first.
fn figures(editions: &[&Edition]) -> Markup {
    let all: Vec<(&Scale, Vec<Entry>)> =
        editions.iter().filter_map(|edition| Some((edition.scale()?, entries(edition)))).collect();
    let mut names = Vec::new();
    let mut seen = HashSet::new();
    for entry in all.iter().flat_map(|(_, entries)| entries) {
        if seen.insert((entry.figure.as_str(), entry.label.as_str())) {
            names.push((entry.figure.as_str(), entry.label.as_str()));
        }
    }
    // A figure's lines stand together, also those that only older editions have.
    let mut figures: Vec<&str> = Vec::new();
    for (figure, _) in &names {
        if !figures.contains(figure) {
            figures.push(figure);
        }
    }
    let value = |entries: &'_ [Entry], figure: &str, label: &str| {
        entries.iter().find(|entry| entry.figure == figure && entry.label == label).map(|entry| entry.value.clone())
    };
    html! {
        @if !names.is_empty() {
            h2 #chiffres { "Chiffres, année par année" }
            p.soft { "Ce qui diffère de l’édition précédente est " mark { "marqué" } "." }
            div.wide.tall tabindex="0" role="region" aria-label="Chiffres de chaque édition" {
                table.figures {
                    thead {
                        tr {
                            th scope="col" { "Chiffre" }
                            @for (scale, _) in &all { th.n scope="col" { (scale.date.strftime("%d/%m/%Y")) } }
                        }
                    }
                    @for figure in &figures {
                        tbody {
                            tr { th.figure scope="rowgroup" colspan=(all.len().saturating_add(1)) { (prose(&named(editions, figure))) " " code.soft { (figure) } } }
                            @for (_, label) in names.iter().filter(|(known, _)| known == figure) {
                                tr {
                                    th scope="row" { (printed(&french(label))) }
                                    @for (index, (_, entries)) in all.iter().enumerate() {
                                        @let own = value(entries, figure, label);
                                        @let before = all.get(index.saturating_add(1)).map(|(_, entries)| value(entries, figure, label));
                                        td.n { (cell(own, before)) }
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

/// What the first step that reads a figure is called.
fn named(editions: &[&Edition], figure: &str) -> String {
    let step = editions.iter().find_map(|edition| {
        let method = edition.method();
        let index = FigureId::find(method.figures(), |shape| shape.name == figure)?;
        method.steps().iter().find(|step| step.figures.contains(&index))
    });
    step.map(|step| step.title().to_owned()).unwrap_or_default()
}

/// A label with the names of the rule language in French.
fn french(label: &str) -> String {
    let (before, column) = label.rsplit_once(", ").map_or(("", label), |(before, column)| (before, column));
    let column = column_words(column).map_or(column, |words| words.fr);
    let column = column.replace('_', " ");
    if before.is_empty() { column } else { format!("{}, {column}", before.replace('_', " ")) }
}

/// A value, marked where the edition before says another.
fn cell(own: Option<String>, before: Option<Option<String>>) -> Markup {
    let has_changed = before.is_some_and(|before| before != own);
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
            h3 { "Avec " code { (option.name) "=true" } }
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
                    (sentence(step)) " " code { (step.formula) }
                    @let figures = figures_of(edition, step);
                    @if !figures.is_empty() { ", chiffres " @for figure in figures { code { (figure) } " " } }
                    @if let Some(law) = &step.law { br; span.soft { (prose(law)) } }
                }
            }
        }
    }
}

fn figures_of<'e>(edition: &'e Edition, step: &Step) -> Vec<&'e str> {
    let shapes = edition.method().figures();
    step.figures.iter().filter_map(|index| index.of(shapes)).map(|shape| shape.name.as_str()).collect()
}

/// What a kind of step does.
fn sentence(step: &Step) -> String {
    capitalized(step.kind.phrase.map_or("formule", |phrase| phrase.fr))
}

/// The texts of the last edition.
fn texts(edition: &Edition) -> Markup {
    let sources = edition.scale().map_or(&edition.method().sources, |scale| &scale.sources);
    html! {
        h2 #textes { "Textes" }
        ul { @for source in sources { li { (super::simulator::source(source)) } } }
    }
}

/// What is to be known of the certainty of figures.
fn remarks(edition: &Edition) -> Markup {
    let Some(scale) = edition.scale() else { return html! {} };
    let figures = edition.method().figures().iter().zip(&scale.figures);
    let remarks: Vec<(&str, &Remark)> = figures
        .flat_map(|(shape, figure)| {
            let own = [&figure.remark].into_iter().chain(figure.rows.iter().map(|row| &row.remark));
            own.filter(|remark| !remark.is_empty()).map(|remark| (shape.name.as_str(), remark))
        })
        .collect();
    html! {
        @if !remarks.is_empty() || scale.note.is_some() {
            h2 #reserves { "Réserves" }
            @if let Some(note) = &scale.note { p { (prose(note)) } }
            ul {
                @for (figure, remark) in remarks {
                    li {
                        code { (figure) }
                        @if let Some(confidence) = remark.confidence_in(bareme_engine::Lang::Fr) { ", confiance " (confidence) }
                        @if let Some(note) = &remark.note { "\u{a0}: " (prose(note)) }
                    }
                }
            }
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

/// What each edition changed.
fn history(editions: &[Edition]) -> Markup {
    html! {
        h2 #historique { "Historique" }
        ul {
            @for (index, edition) in editions.iter().enumerate().rev() {
                @if let Some(scale) = edition.scale() {
                    @let before = index.checked_sub(1).and_then(|before| editions.get(before));
                    li { (day(scale.date)) "\u{a0}: " (prose(&scale.title)) ". " (printed(&changes(edition, before))) }
                }
            }
        }
    }
}

/// The figures that an edition changes, in a sentence.
pub(super) fn changes(edition: &Edition, before: Option<&Edition>) -> String {
    let Some(before) = before else { return "Première édition.".to_owned() };
    let (own, older) = (entries(edition), entries(before));
    let differs = |entry: &&Entry| !older.contains(entry);
    let gone = older
        .iter()
        .filter(|entry| !own.iter().any(|known| known.figure == entry.figure && known.label == entry.label));
    let mut figures: Vec<&str> = Vec::new();
    for entry in own.iter().filter(differs).chain(gone) {
        if !figures.contains(&entry.figure.as_str()) {
            figures.push(&entry.figure);
        }
    }
    match figures.len() {
        0 => "Aucun chiffre ne change.".to_owned(),
        1 => format!("Un chiffre change : {}.", figures.concat()),
        count => format!("{count} chiffres changent : {}.", figures.join(", ")),
    }
}
