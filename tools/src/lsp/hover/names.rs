//! The text about each kind of name.

use bareme_engine::law::{Figure, FigureId, Input, Method, Presence, Source, Step, Type};
use bareme_engine::run::Edition;
use bareme_engine::{Folder, Lang};
use bareme_show::{Locale, figures, say, steps, unit};

use super::HoverContext;
use super::example::{example, worked};

/// Number of years shown of a figure, and of rows in a long table.
const YEARS: usize = 4;

const ROWS: usize = 12;

impl HoverContext<'_> {
    pub(super) fn figure(&self, folder: &Folder, edition: &Edition, name: &str) -> Option<String> {
        let method = edition.method();
        let id = FigureId::find(method.figures(), |shape| shape.name == name)?;

        // 1. The values, from this scale back: later ones would distract from what is in force
        // here.
        let mut text = format!("**{}** · `{name}`", figures::title(method, name));
        let day = edition.scale().map(|scale| scale.date);
        let until = |other: &&&Edition| other.scale().map(|scale| scale.date) <= day;
        let before: Vec<&Edition> = folder.editions().iter().rev().collect();
        let before: Vec<&Edition> = before.iter().filter(until).copied().collect();
        text.push_str(&self.years(name, &before));

        // 2. The texts that set it, each once, as several rows may cite one.
        let scale = edition.scale();
        let figure = scale.and_then(|scale| id.of(&scale.figures));
        let of_rows = figure
            .into_iter()
            .flat_map(|figure| figure.rows.iter())
            .flat_map(|row| &row.sources);
        let mut cited: Vec<usize> = figure
            .into_iter()
            .flat_map(|figure| &figure.sources)
            .chain(of_rows)
            .copied()
            .collect();
        cited.sort_unstable();
        cited.dedup();
        let sources = cited.iter().filter_map(|index| scale?.sources.get(*index));
        for source in sources {
            text.push_str(&format!("\n\n{}", cited_source(source, self.lang)));
        }

        if let Some(note) = figure.and_then(|figure| figure.remark.note.as_ref()) {
            text.push_str(&format!("\n\n> {note}"));
        }

        // 3. The steps that read it.
        let readers = method
            .steps()
            .iter()
            .filter(|step| step.figures.contains(&id));
        let readers: Vec<String> = readers
            .map(|step| format!("`{}` ({})", step.name, step.title()))
            .collect();
        let readers = readers.join(", ");
        if !readers.is_empty() {
            text.push_str(&say!(
                self.lang,
                "\n\nLu par {readers}.",
                "\n\nRead by {readers}."
            ));
        }
        Some(text)
    }

    /// The values of a figure now and earlier, without years that change nothing.
    fn years(&self, name: &str, editions: &[&Edition]) -> String {
        let lines: Vec<figures::Line> = figures::side_by_side(editions)
            .into_iter()
            .filter(|line| line.figure == name)
            .collect();
        let method = |index: usize| editions.get(index).map(|edition| edition.method());
        let shown = |line: &figures::Line, index: usize| {
            let (value, ty) = line.values.get(index).and_then(Option::as_ref)?;
            Some(figures::value(
                value,
                *ty,
                method(index)?,
                Locale {
                    lang: self.lang,
                    ..Locale::PAGE
                },
            ))
        };

        let column = |index: usize| {
            lines
                .iter()
                .map(|line| shown(line, index))
                .collect::<Vec<_>>()
        };
        // Of editions with equal values, the first one shows since when.
        let mut years: Vec<usize> = (0..editions.len())
            .filter(|index| column(*index) != column(index + 1))
            .collect();
        years.truncate(YEARS);

        let dates = years
            .iter()
            .filter_map(|index| editions.get(*index)?.scale());
        let dates = dates.map(|scale| {
            let day = scale.date;
            say!(self.lang, "depuis {day}", "since {day}")
        });

        let mut text = format!(
            "\n\n| | {} |\n|---|{}\n",
            dates.collect::<Vec<_>>().join(" | "),
            "---:|".repeat(years.len())
        );

        // Long tables are cut: a hover has no scroll bar in most editors.
        for line in lines.iter().take(ROWS) {
            let values = years
                .iter()
                .map(|index| shown(line, *index).unwrap_or_default())
                .collect::<Vec<_>>();
            text.push_str(&format!("| {} | {} |\n", line.label(), values.join(" | ")));
        }
        if lines.len() > ROWS {
            let more = lines.len() - ROWS;
            text.push_str(&say!(
                self.lang,
                "\n… et {more} autres valeurs.",
                "\n… and {more} more values."
            ));
        }
        text
    }

    pub(super) fn step(&self, folder: &Folder, edition: &Edition, step: &Step) -> String {
        let method = edition.method();
        let mut text = format!(
            "**{}** · `{}`\n\n{}",
            step.title(),
            step.name,
            steps::sentence(method, step, self.lang)
        );
        // A step that did not apply has nothing to show: another case is looked for.
        let found = example(folder, edition, self.chosen, |calculation| {
            let traces = calculation.steps().ok()?;
            let trace = traces.iter().find(|trace| trace.step.name == step.name)?;
            trace.applied.then(|| worked(trace, method, self.lang))
        });

        match found {
            Some((case, worked)) => {
                let locale = Locale {
                    lang: self.lang,
                    ..Locale::PAGE
                };
                let day = case
                    .date()
                    .map(|day| format!(", {}", locale.day(day)))
                    .unwrap_or_default();
                let name = &case.name;
                text.push_str(&say!(
                    self.lang,
                    "\n\nCas « {name} »{day} :\n\n{worked}",
                    "\n\nCase \"{name}\"{day}:\n\n{worked}"
                ));
            }
            None => text.push_str(&say!(
                self.lang,
                "\n\nAucun des premiers cas ne l’applique.",
                "\n\nNone of the first cases applies it."
            )),
        }
        text
    }

    pub(super) fn field(&self, folder: &Folder, edition: &Edition, name: &str) -> Option<String> {
        let method = edition.method();

        let field = method.fields().iter().find(|field| field.name == name)?;
        let mut text = format!("**{}** · `{name}`", field.label.as_deref().unwrap_or(name));
        let ty = match field.json_type() {
            "array" => None,
            "number" => Some(shown_type(field.value_type(), method, self.lang)),
            "string" => Some(format!("`{}`", Type::Text.name())),
            other => Some(format!("`{other}`")),
        };
        if let Some(ty) = ty {
            text.push_str(&format!("\n\n{ty}"));
        }
        let locale = Locale {
            lang: self.lang,
            ..Locale::PAGE
        };

        let found = example(folder, edition, self.chosen, |calculation| {
            bareme_show::field(field, calculation.field(name)?, method, locale)
        });
        if let Some((case, value)) = found {
            let name = &case.name;
            text.push_str(&say!(
                self.lang,
                "\n\nCas « {name} » : **{value}**",
                "\n\nCase \"{name}\": **{value}**"
            ));
        }
        Some(text)
    }

    pub(super) fn source(&self, edition: &Edition, id: &str) -> Option<String> {
        let method = edition.method();
        let (sources, scale) = match edition.scale() {
            Some(scale) => (&scale.sources, Some(scale)),
            None => (&method.sources, None),
        };

        let index = sources.iter().position(|source| source.id == id)?;
        let mut text = cited_source(sources.get(index)?, self.lang);

        // Figures cite sources by index: of a method without dates there are none.
        let figures = scale
            .into_iter()
            .flat_map(|scale| method.figures().iter().zip(&scale.figures));

        // Rows may have sources of their own.
        let is_cited = |figure: &Figure| {
            let rows = figure
                .rows
                .iter()
                .flat_map(|row| [&row.sources, &row.evidence]);
            [&figure.sources, &figure.evidence]
                .into_iter()
                .chain(rows)
                .any(|cited| cited.contains(&index))
        };

        let cited: Vec<String> = figures
            .filter(|(_, figure)| is_cited(figure))
            .map(|(shape, _)| format!("`{}`", shape.name))
            .collect();
        let cited = cited.join(", ");
        if !cited.is_empty() {
            text.push_str(&say!(
                self.lang,
                "\n\nCité par {cited}.",
                "\n\nCited by {cited}."
            ));
        }
        Some(text)
    }
}

pub(super) fn input(input: &Input, method: &Method, lang: Lang) -> String {
    let mut text = format!("**{}** · `{}`", input.label, input.name);
    if let Some(help) = &input.help {
        text.push_str(&format!("\n\n{help}"));
    }
    let locale = Locale {
        lang,
        ..Locale::PAGE
    };

    let shown = |value: rust_decimal::Decimal| match input.ty {
        Type::Rate => locale.percent(value),
        _ => locale.number(value),
    };
    text.push_str(&format!("\n\n{}", shown_type(input.ty, method, lang)));

    if let Some(least) = input.min.map(shown) {
        text.push_str(&say!(lang, ", au moins {least}", ", at least {least}"));
    }
    if let Some(most) = input.max.map(shown) {
        text.push_str(&say!(lang, ", au plus {most}", ", at most {most}"));
    }
    match &input.presence {
        Presence::Default(_, written) => text.push_str(&say!(
            lang,
            ", par défaut `{written}`",
            ", `{written}` by default"
        )),
        Presence::Required => text.push_str(&say!(lang, ", obligatoire", ", required")),
        Presence::OfEachItem => text.push_str(&say!(
            lang,
            ", obligatoire pour chaque élément",
            ", required of each item"
        )),
        Presence::Optional => text.push_str(&say!(lang, ", facultatif", ", optional")),
    }

    let words = input
        .values
        .iter()
        .map(|(word, label)| format!("\n- `{word}` : {label}"))
        .collect::<String>();
    if words.is_empty() {
        text
    } else {
        format!("{text}\n{words}")
    }
}

/// A type as rule files write it, with the unit of an amount.
fn shown_type(ty: Type, method: &Method, lang: Lang) -> String {
    let unit = unit(ty, method.currency.as_deref(), lang)
        .map(|unit| format!(" ({unit})"))
        .unwrap_or_default();
    format!("`{}`{unit}", ty.name())
}

fn cited_source(source: &Source, lang: Lang) -> String {
    let date = source.date.map(|date| Locale::from(lang).day(date));
    let parts = [
        Some(source.cited()),
        Some(source.publisher.clone()),
        source.published.clone(),
        date,
        source.identifier.clone(),
    ];

    let text = parts
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(", ");

    match &source.url {
        Some(url) => format!("{text} — [{}]({url})", source.id),
        None => format!("{text} — `{}`", source.id),
    }
}
