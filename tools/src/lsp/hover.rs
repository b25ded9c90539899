//! Hover: the text for the word under the mouse.

use bareme_engine::law::{
    BoundWord, FUNCTIONS, Figure, FigureId, Input, Method, Presence, Source, Step, Type,
};
use bareme_engine::run::{Case, Edition, StepTrace};
use bareme_engine::{Calculation, Folder, Lang};
use bareme_show::{Locale, figures, say, steps, trace, unit};
use gen_lsp_types as lsp;
use jiff::civil::Date;

use super::cursor::{Cursor, Slot};
use super::index::{FileKind, Holds, Symbol, holds};
use super::manual;
use super::server::{File, Server};

/// Day on which cases of methods without dates run; it has no effect.
pub(super) const ANY_DAY: Date = Date::constant(2026, 1, 1);
/// Number of years shown of a figure, and of rows in a long table.
const YEARS: usize = 4;
const ROWS: usize = 12;
/// Cases tried until one is found in which a step applies.
const MAX_PREVIEWS: usize = 60;

/// Answers a request for a hover.
pub(super) fn hover(
    server: &mut Server,
    parameters: lsp::HoverParams,
) -> Result<Option<lsp::Hover>, String> {
    let at = parameters.text_document_position_params;
    let lang = server.lang;
    let chosen = server.chosen.clone();
    let Some(file) = server.file(&at.text_document.uri) else {
        return Ok(None);
    };
    let offset = file.lines().offset(at.position);
    let cursor = Cursor::at(file.text, offset);
    let chosen = chosen
        .get(&file.root.path.join(file.folder()))
        .map(String::as_str);
    let asked = HoverContext {
        file: &file,
        lang,
        chosen,
    };
    let Some(text) = asked.text(&cursor, offset) else {
        return Ok(None);
    };
    let content = lsp::MarkupContent {
        kind: lsp::MarkupKind::Markdown,
        value: text,
    };
    Ok(Some(lsp::Hover {
        contents: content.into(),
        range: Some(file.lines().range(&cursor.word)),
    }))
}

/// The file of the request.
struct HoverContext<'a> {
    file: &'a File<'a>,
    lang: Lang,
    /// The case that the user has selected.
    chosen: Option<&'a str>,
}

impl HoverContext<'_> {
    fn text(&self, cursor: &Cursor, offset: usize) -> Option<String> {
        let path = cursor.keys();
        let word = self
            .file
            .text
            .get(cursor.word.clone())
            .filter(|word| !word.is_empty())?;
        let kind = FileKind::from_path(&self.file.path);
        let symbol = self
            .file
            .root
            .index(self.file.folder())?
            .at(&self.file.path, offset);
        if let Some(found) = symbol {
            // What a name means in the rules is never what a key of the same letters does.
            return Some(
                self.symbol(&found.symbol)
                    .unwrap_or_else(|| self.unknown(word)),
            );
        }
        if let Slot::Key { .. } = &cursor.slot {
            let said = manual::sentence(kind, &path, word, self.kind_of_step(&path).as_deref())?;
            return Some(format!("`{word}` — {said}"));
        }
        if let (FileKind::Scale, ["figures", figure, .., column]) = (kind, path.as_slice())
            && self.is_column(figure, column)
        {
            return self.symbol(&Symbol::Figure((*figure).to_owned()));
        }
        if let Some(function) = FUNCTIONS.iter().find(|function| function.name == word) {
            return Some(format!(
                "`{word}(…)` — {}",
                function.help.in_lang(self.lang)
            ));
        }
        let start = cursor.word.start;
        let is_of_scale = self
            .file
            .text
            .get(..start)
            .is_some_and(|before| before.ends_with("scale."));
        if is_of_scale && let Some(said) = manual::of_scale(word) {
            return Some(format!("`scale.{word}` — {said}"));
        }
        self.of_value(cursor, &path)
    }

    /// What the key says whose value is a word: `month` of `per`, `law` of `kind`.
    fn of_value(&self, cursor: &Cursor, path: &[&str]) -> Option<String> {
        let Slot::Value { start } = cursor.slot else {
            return None;
        };
        let (key, around) = path.split_last()?;
        let before = self.file.text.get(start..cursor.word.start)?;
        let kind = FileKind::from_path(&self.file.path);
        if !before.trim().is_empty() || holds(kind, path) == Some(Holds::Formula) {
            return None;
        }
        let said = manual::sentence(kind, around, key, self.kind_of_step(around).as_deref())?;
        Some(format!("`{key}` — {said}"))
    }

    fn is_column(&self, figure: &str, column: &str) -> bool {
        let names = self
            .file
            .root
            .index(self.file.folder())
            .and_then(|index| index.names_of(&self.file.path));
        BoundWord::from_word(column).is_some()
            || names.is_some_and(|names| names.has_column(figure, column))
    }

    /// What is said of a name that no state of the folder without a mistake has.
    fn unknown(&self, word: &str) -> String {
        say!(
            self.lang,
            "`{word}` — rien à montrer tant que le dossier a une erreur.",
            "`{word}` — nothing to show while the folder has a mistake."
        )
    }

    /// The kind of the step around the cursor.
    fn kind_of_step(&self, path: &[&str]) -> Option<String> {
        let [.., "steps", step] = path else {
            return None;
        };
        let names = self
            .file
            .root
            .index(self.file.folder())?
            .names_of(&self.file.path)?;
        names.steps.get(*step).map(|step| step.kind.clone())
    }

    fn symbol(&self, symbol: &Symbol) -> Option<String> {
        let folder = self.file.root.folder(self.file.folder())?;
        let edition = self.edition(folder)?;
        let method = edition.method();
        let text = match symbol {
            Symbol::Input(name) => input(
                method.inputs().iter().find(|input| input.name == *name)?,
                method,
                self.lang,
            ),
            Symbol::Figure(name) | Symbol::Column(name, _) => self.figure(folder, edition, name)?,
            Symbol::Step(name) => self.step(
                folder,
                edition,
                method.steps().iter().find(|step| step.name == *name)?,
            ),
            Symbol::Field(name) => self.field(folder, edition, name)?,
            Symbol::Source(id) => self.source(edition, id)?,
        };
        let is_old = !self.file.root.is_right(self.file.folder());
        let old = say!(
            self.lang,
            "\n\n*D’après le dernier état sans erreur du dossier.*",
            "\n\n*From the last state of the folder without a mistake.*"
        );
        Some(if is_old { text + &old } else { text })
    }

    /// The edition for a file: its own, or the current one of its method.
    fn edition<'f>(&self, folder: &'f Folder) -> Option<&'f Edition> {
        let name = self
            .file
            .path
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .trim_end_matches(".yaml");
        if let Ok(day) = name.parse::<Date>() {
            let is_it = |edition: &&Edition| edition.scale().is_some_and(|scale| scale.date == day);
            return folder
                .editions()
                .iter()
                .find(is_it)
                .or_else(|| folder.latest());
        }
        let method = if FileKind::from_path(&self.file.path) == FileKind::Method {
            name
        } else {
            "method"
        };
        edition_of(folder, method, self.file.root.today()).or_else(|| folder.latest())
    }

    fn figure(&self, folder: &Folder, edition: &Edition, name: &str) -> Option<String> {
        let method = edition.method();
        let id = FigureId::find(method.figures(), |shape| shape.name == name)?;
        let mut text = format!("**{}** · `{name}`", figures::title(method, name));
        let day = edition.scale().map(|scale| scale.date);
        let until = |other: &&&Edition| other.scale().map(|scale| scale.date) <= day;
        let before: Vec<&Edition> = folder.editions().iter().rev().collect();
        let before: Vec<&Edition> = before.iter().filter(until).copied().collect();
        text.push_str(&self.years(name, &before));
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

    fn step(&self, folder: &Folder, edition: &Edition, step: &Step) -> String {
        let method = edition.method();
        let mut text = format!(
            "**{}** · `{}`\n\n{}",
            step.title(),
            step.name,
            steps::sentence(method, step, self.lang)
        );
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

    fn field(&self, folder: &Folder, edition: &Edition, name: &str) -> Option<String> {
        let method = edition.method();
        let field = method.fields().iter().find(|field| field.name == name)?;
        let mut text = format!("**{}** · `{name}`", field.label.as_deref().unwrap_or(name));
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

    fn source(&self, edition: &Edition, id: &str) -> Option<String> {
        let method = edition.method();
        let (sources, scale) = match edition.scale() {
            Some(scale) => (&scale.sources, Some(scale)),
            None => (&method.sources, None),
        };
        let index = sources.iter().position(|source| source.id == id)?;
        let mut text = cited_source(sources.get(index)?, self.lang);
        let figures = scale
            .into_iter()
            .flat_map(|scale| method.figures().iter().zip(&scale.figures));
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

/// The edition in force of a method, or else its last one.
pub(super) fn edition_of<'f>(folder: &'f Folder, method: &str, today: Date) -> Option<&'f Edition> {
    let of_method = |edition: &&Edition| edition.method().name == method;
    folder
        .edition(today)
        .filter(of_method)
        .or_else(|| folder.editions().iter().rev().find(of_method))
}

/// The case of an edition to show an example from: the selected one, or else the first for which
/// `of` finds something.
pub(super) fn example<'f, T>(
    folder: &'f Folder,
    edition: &'f Edition,
    chosen: Option<&str>,
    show: impl Fn(&Calculation) -> Option<T>,
) -> Option<(&'f Case, T)> {
    let cases: Vec<&Case> = folder.answered_cases().collect();
    let is_its_own = |case: &&&Case| {
        let day = case.date().unwrap_or(ANY_DAY);
        folder
            .edition(day)
            .is_some_and(|found| std::ptr::eq(found, edition))
    };
    let is_of_method = |case: &&&Case| {
        let day = case.date().unwrap_or(ANY_DAY);
        folder
            .edition(day)
            .is_some_and(|found| found.method().name == edition.method().name)
    };
    let named = cases
        .iter()
        .filter(|case| Some(case.name.as_str()) == chosen);
    let own = cases.iter().filter(is_its_own).take(MAX_PREVIEWS);
    let others = cases.iter().rev().filter(is_of_method).take(MAX_PREVIEWS);
    named.chain(own).chain(others).find_map(|case| {
        let calculation = folder.calculate(&(&case.query).into(), ANY_DAY).ok()?;
        Some((*case, show(&calculation)?))
    })
}

/// How a step was computed, in figures, one line each.
fn worked(trace: &StepTrace, method: &Method, lang: Lang) -> String {
    let locale = Locale {
        lang,
        ..Locale::PAGE
    };
    let mut lines: Vec<String> = trace::details(trace, method, locale)
        .into_iter()
        .map(|(term, value)| format!("- {term} : {value}"))
        .collect();
    let slices = trace.slices.iter().map(|slice| {
        let (base, rate) = (locale.money(slice.base, method), locale.percent(slice.rate));
        format!(
            "- {} : {base} × {rate} = {}",
            trace::bounds(slice, locale),
            locale.money(slice.amount, method)
        )
    });
    lines.extend(slices);
    let result = trace::result(trace, method, locale);
    lines.push(say!(
        lang,
        "- Résultat : **{result}**",
        "- Result: **{result}**"
    ));
    lines.join("\n")
}

fn input(input: &Input, method: &Method, lang: Lang) -> String {
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
    let unit = unit(input.ty, method.currency.as_deref(), lang)
        .map(|unit| format!(" ({unit})"))
        .unwrap_or_default();
    text.push_str(&format!("\n\n`{}`{unit}", input.ty.name()));
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
