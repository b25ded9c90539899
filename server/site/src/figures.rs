//! The figures of a scale: every edition side by side, with changes marked. A figure with many
//! rows, such as one of many countries, has a small table for each group of rows.

use bareme_engine::law::{Method, Type, Value};
use bareme_engine::run::Edition;
use bareme_show::Locale;
use bareme_show::figures::{Line, side_by_side, title, value};
use maud::{Markup, html};

use super::text::{printed, prose};

/// The anchor of a figure on the page of its scale.
pub(super) fn anchor(figure: &str) -> String {
    format!("chiffre-{figure}")
}

/// Number of values from which a figure is split into groups of rows.
const MANY: usize = 60;

/// The figures of every edition, the latest first.
pub(super) fn figures(editions: &[&Edition]) -> Markup {
    let dated: Vec<&Edition> = editions
        .iter()
        .copied()
        .filter(|edition| edition.scale().is_some())
        .collect();

    // Without a dated edition, or without figures, there is nothing to compare.
    let lines = side_by_side(&dated);
    let Some(latest) = dated.first() else {
        return Markup::default();
    };
    if lines.is_empty() {
        return Markup::default();
    }

    let sheet = Sheet {
        method: latest.method(),
        dated: &dated,
    };

    let of_figures: Vec<&[Line]> = lines
        .chunk_by(|one, next| one.figure == next.figure)
        .collect();

    // A figure of a hundred rows would make one table too long to read.
    let (many, few): (Vec<&[Line]>, Vec<&[Line]>) =
        of_figures.into_iter().partition(|lines| is_many(lines));

    html! {
        h2 #chiffres { "Chiffres, édition par édition" }
        p.soft {
            "Une édition est l’état d’un barème à partir d’un jour. Ce qui diffère de l’édition \
             précédente est "
            mark { "marqué" }
            @if dated.len() > 1 { "\u{202f}; les éditions plus anciennes sont à droite" }
            "."
        }
        @if !few.is_empty() { (sheet.table("Chiffres de chaque édition", &few)) }
        @for lines in many { (sheet.by_group(lines)) }
    }
}

fn is_many(lines: &[Line]) -> bool {
    lines.len() > MANY && lines.iter().all(|line| line.group().is_some()) && groups(lines).len() > 1
}

/// The groups of rows, in order: the first keys.
fn groups<'l>(lines: &'l [Line]) -> Vec<&'l str> {
    let mut groups: Vec<&str> = Vec::new();
    // In the order of the rows, which is that of the rules.
    for group in lines.iter().filter_map(Line::group) {
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    groups
}

/// The columns of a table of figures.
struct Sheet<'s, 'e> {
    method: &'s Method,
    dated: &'s [&'e Edition],
}

impl Sheet<'_, '_> {
    /// A table with one row for each value; a figure of several values has a heading above them.
    fn table(&self, label: &str, figures: &[&[Line]]) -> Markup {
        // One body for each figure, under a heading with its title.
        let bodies = html! {
            @for lines in figures {
                tbody id=[lines.first().map(|first| anchor(first.figure))] {
                    @if let Some(first) = lines.first() {
                        tr {
                            th.figure scope="rowgroup" colspan=(self.dated.len().saturating_add(1))
                                {
                                (prose(&title(self.method, first.figure)))
                            }
                        }
                    }
                    @for line in *lines { (self.row(line, &line.label())) }
                }
            }
        };
        self.framed(label, &bodies)
    }

    /// The rows of a table below the days of the editions.
    fn framed(&self, label: &str, bodies: &Markup) -> Markup {
        html! {
            div.wide tabindex="0" role="region" aria-label=(label) {
                // The latest edition is the first column, where a narrow screen shows it.
                table.figures {
                    thead {
                        tr {
                            th scope="col" { "Chiffre" }
                            @for scale in self.dated.iter().filter_map(|edition| edition.scale()) {
                                th.n scope="col" { (scale.date.strftime("%d/%m/%Y")) }
                            }
                        }
                    }
                    (bodies)
                }
            }
        }
    }

    fn row(&self, line: &Line, name: &str) -> Markup {
        html! {
            tr {
                th scope="row" { (printed(name)) }
                @for (index, own) in line.values.iter().enumerate() {
                    @let before = line.values.get(index.saturating_add(1));
                    td.n[!line.is_text()].words[line.is_text()] {
                        (self.cell(own.as_ref(), before))
                    }
                }
            }
        }
    }

    /// The rows of a figure, in one table for each group; of texts, only those of the latest
    /// edition.
    fn by_group(&self, lines: &[Line]) -> Markup {
        // All lines are of one figure.
        let name = lines
            .first()
            .map(|first| title(self.method, first.figure))
            .unwrap_or_default();
        let figure = lines.first().map(|first| first.figure).unwrap_or_default();
        let groups = groups(lines);

        // Each group has an anchor, listed above all of them.
        html! {
            h3 id=(anchor(figure)) { (prose(&name)) }
            p.groups {
                @for (index, group) in groups.iter().enumerate() {
                    a href={ "#" (figure) "-" (index) } { (printed(group)) } " "
                }
            }
            @for (index, group) in groups.iter().enumerate() {
                @let own = || lines.iter().filter(|line| line.group() == Some(group));
                section.group {
                    h4 id={ (figure) "-" (index) } { (printed(group)) }
                    @let rows = html! {
                        tbody {
                            @for line in own().filter(|line| !line.is_text()) {
                                (self.row(line, &line.label_in_group()))
                            }
                        }
                    };
                    // Two figures may have the same groups: their regions have names of their own.
                    (self.framed(&printed(&format!("{name} : {group}")), &rows))
                    dl.detail {
                        @for line in own().filter(|line| line.is_text()) {
                            @if let [Some(latest), ..] = line.values.as_slice() {
                                dt { (printed(&line.label_in_group())) }
                                dd { (self.cell(Some(latest), line.values.get(1))) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The cell of a value, marked where it differs from the earlier edition.
    fn cell(&self, own: Option<&(Value, Type)>, before: Option<&Option<(Value, Type)>>) -> Markup {
        // Compared as they are shown: two numbers that print the same have not changed for a
        // reader.
        let shown =
            |(found, ty): &(Value, Type)| printed(&value(found, *ty, self.method, Locale::PAGE));
        let own = own.map(shown);
        let has_changed = before.is_some_and(|before| before.as_ref().map(shown) != own);

        let text = own.unwrap_or_else(|| "–".to_owned());

        html! { @if has_changed { mark { (text) span.reader { " (changé)" } } } @else { (text) } }
    }
}
