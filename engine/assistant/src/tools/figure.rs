//! `chiffre`: a figure of a scale on a day, its earlier values, and the texts that set it.

use bareme_engine::law::parameter::DATE;
use bareme_engine::law::{Figure, Scale, Shape};
use bareme_engine::run::Edition;
use bareme_engine::text::{BadParameter, ParameterCode, Text, nearest, normalize};
use bareme_engine::{Folder, say};
use bareme_show::figures::{self, Line, given, side_by_side, title};
use bareme_show::schema::Parameter;
use bareme_show::unit;
use jiff::civil::Date;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::{SCALE, calculation};
use crate::Assistant;
use crate::answer::{Answer, Part, Parts, object};
use crate::arguments::Arguments;
use crate::catalogue::{FixedTool, Outcome, required};
use crate::refused::ToolError;
use crate::reserves::Reserve;

/// The parameter that names a figure.
const FIGURE: &str = "chiffre";

pub(crate) const TOOL: FixedTool = FixedTool {
    name: "chiffre",
    title: Text::new(
        "Un chiffre de la loi, à une date",
        "A figure of the law, on a date",
    ),
    description: Text::new(
        "Donne un chiffre d’un barème à une date (plafond, taux, tranche), ses valeurs d’avant et \
         d’après, et les textes qui le fixent. `chercher` trouve son nom.",
        "Gives a figure of a scale on a date (ceiling, rate, bracket), its values before and \
         after, and the texts that set it. `chercher` finds its name.",
    ),
    calculations: None,
    parameters,
    answers,
    call,
};

fn parameters(assistant: &Assistant) -> Vec<Parameter> {
    let lang = assistant.lang;
    let name = say!(
        lang,
        "Nom du chiffre dans ce barème, comme `pass`.",
        "Name of the figure in this scale, such as `pass`."
    );

    let day = say!(
        lang,
        "Jour ; aujourd’hui par défaut.",
        "Day; today by default."
    );

    vec![
        assistant.scale_parameter(),
        required(FIGURE, name, json!({"type": "string"})),
        Parameter::optional(DATE, day, json!({"type": "string", "format": "date"})),
    ]
}

fn answers() -> (Value, &'static [&'static str]) {
    let text = json!({"type": "string"});

    let value = json!({
        "type": "object",
        "properties": {
            "libelle": text,
            "valeur": text,
            "unite": text,
            "historique": {
                "type": "array",
                "items": {"type": "object", "properties": {"depuis": text, "valeur": text}},
            },
        },
        "required": ["libelle", "valeur"],
    });

    let own = json!({
        "bareme": text,
        "chiffre": text,
        "libelle": text,
        "valeurs": {"type": "array", "items": value},
        "textes": {"type": "array", "items": {"type": "object"}},
        "bareme_du": text,
        "verifie_jusqu_au": text,
        "citation": text,
        "lien": text,
    });

    (
        own,
        &["bareme", "chiffre", "libelle", "valeurs", "textes", "lien"],
    )
}

fn call(assistant: &Assistant, sent: &JsonObject) -> Outcome {
    let mut arguments = Arguments::new(sent);

    let scale = arguments.required(SCALE, ("le dossier d’un barème", "the folder of a scale"));
    let folder = scale.and_then(|name| {
        assistant
            .scale(&name)
            .map_err(|bad| arguments.refuse(bad))
            .ok()
    });

    let name = arguments.required(FIGURE, ("le nom d’un chiffre", "the name of a figure"));
    // A day that cannot be read is refused by `finish`: today is never taken for it.
    let day = arguments.day(DATE).unwrap_or(assistant.today);
    let is_whole = arguments.detail();
    arguments.finish()?;

    let (Some(folder), Some(name)) = (folder, name) else {
        return Ok(Answer::default());
    };

    let edition = in_force(folder, day)?;

    let (shape, figure) = find(edition, &name)?;

    Ok(described(
        folder,
        edition,
        (shape, figure),
        day,
        is_whole,
        assistant,
    ))
}

/// The edition of a day; refuses a day without a scale.
pub(super) fn in_force(folder: &Folder, day: Date) -> Result<&Edition, ToolError> {
    // A scale that the law ended without a successor is in force no more.
    let is_ended = |edition: &Edition| {
        edition
            .scale()
            .and_then(|scale| scale.until)
            .is_some_and(|until| day > until)
    };

    folder
        .edition(day)
        .filter(|edition| !is_ended(edition))
        .ok_or_else(|| {
            let reason = (
                "Aucun barème en vigueur à cette date.",
                "No scale is in force on this date.",
            );

            let first = folder
                .editions()
                .first()
                .and_then(Edition::scale)
                .map(|scale| scale.date.to_string());

            let first = first.unwrap_or_default();

            let expected = say!("une date à partir du {first}", "a date from {first} on");

            BadParameter::new(
                DATE,
                ParameterCode::NoScale,
                reason,
                Some(&day.to_string()),
                expected,
            )
            .into()
        })
}

/// Finds a figure by name or title.
fn find<'e>(edition: &'e Edition, name: &str) -> Result<(&'e Shape, &'e Figure), BadParameter> {
    let method = edition.method();
    let word = normalize(name);

    // A model has the name from a search, or the title from an answer.
    let is_it = |shape: &Shape| {
        normalize(&shape.name) == word || normalize(&title(method, &shape.name)) == word
    };

    let found = given(edition).find(|(shape, _)| is_it(shape));
    found.ok_or_else(|| {
        let known: Vec<&str> = given(edition)
            .map(|(shape, _)| shape.name.as_str())
            .collect();

        let reason = match nearest(name, known.iter().copied()) {
            Some(near) => {
                say!(
                    "Chiffre inconnu ; vouliez-vous dire `{near}` ?",
                    "Unknown figure; did you mean `{near}`?"
                )
            }
            None => say!(
                "Ce barème n’a pas ce chiffre.",
                "This scale has no such figure."
            ),
        };

        BadParameter::new(
            FIGURE,
            ParameterCode::UnknownValue,
            reason,
            Some(name),
            Text::same(known.join(", ")),
        )
    })
}

fn described(
    folder: &Folder,
    edition: &Edition,
    (shape, figure): (&Shape, &Figure),
    day: Date,
    is_whole: bool,
    assistant: &Assistant,
) -> Answer {
    let (lang, method) = (assistant.lang, edition.method());
    let label = title(method, &shape.name);

    // A day beyond the last one checked is a doubt about every figure of the scale.
    let mut reserves = of_figure(edition, shape, figure, assistant);
    if let Some(scale) = edition.scale().filter(|scale| day > scale.known_until) {
        let warning = bareme_engine::run::unchecked(scale.known_until, day);
        reserves.insert(0, Reserve::of_warning(&warning, lang));
    }

    let texts = edition
        .scale()
        .map(|scale| texts(scale, figure))
        .unwrap_or_default();

    let cited = edition
        .scale()
        .map(|scale| sources(scale, figure))
        .unwrap_or_default();
    let cited = cited
        .first()
        .map(|source| source.cited())
        .unwrap_or_default();

    let cited = if cited.is_empty() {
        cited
    } else {
        say!(lang, "Texte : {cited}", "Text: {cited}")
    };

    let link = assistant.page_link(folder);

    let mut tail = vec![Part::new("textes", texts, cited)];
    tail.extend(calculation::of_scale(edition, assistant));
    tail.push(Part::new("citation", edition.citation(), ""));
    tail.push(Part::new(
        "lien",
        link.as_str(),
        say!(lang, "Page du barème : {link}", "Page of the scale: {link}"),
    ));

    let heading = format!("{} : {label}", method.title);

    Answer {
        head: vec![
            Part::new("bareme", folder.path(), ""),
            Part::new("chiffre", shape.name.as_str(), ""),
            Part::new("libelle", label.as_str(), heading),
        ],
        list: Parts {
            name: "valeurs",
            is_object: false,
            parts: values(folder, edition, shape, assistant),
            fewest: 1,
        },
        reserves,
        tail,
        is_whole,
    }
}

/// Every value of a figure in an edition, each with those of the other editions.
fn values(folder: &Folder, edition: &Edition, shape: &Shape, assistant: &Assistant) -> Vec<Part> {
    // The edition of the day comes first: its values decide which lines there are.
    let others = folder
        .editions()
        .iter()
        .rev()
        .filter(|other| !other.is_of_file_of(edition));

    let editions: Vec<&Edition> = std::iter::once(edition).chain(others).collect();
    let lines = side_by_side(&editions);

    let own = lines.iter().filter(|line| {
        line.figure == shape.name && line.values.first().is_some_and(Option::is_some)
    });

    own.filter_map(|line| value(line, &editions, assistant))
        .collect()
}

fn value(line: &Line, editions: &[&Edition], assistant: &Assistant) -> Option<Part> {
    let (lang, locale) = (assistant.lang, assistant.locale());
    let method = editions.first()?.method();

    let shown = |index: usize| {
        let (found, ty) = line.values.get(index)?.as_ref()?;
        Some(figures::value(found, *ty, method, locale))
    };

    // The history has only the days on which the value changed.
    let mut dated: Vec<(Date, String)> = editions
        .iter()
        .enumerate()
        .filter_map(|(index, edition)| Some((edition.scale()?.date, shown(index)?)))
        .collect();
    dated.sort_by_key(|(date, _)| *date);
    dated.dedup_by(|next, before| next.1 == before.1);

    let history: Vec<Value> = dated
        .iter()
        .rev()
        .map(|(date, value)| json!({"depuis": date.to_string(), "valeur": value}))
        .collect();

    let (label, value) = (line.label(), shown(0)?);
    let ty = line.values.first()?.as_ref()?.1;
    let counted = unit(ty, method.currency.as_deref(), lang);

    let is_dated = dated.len() > 1;
    let described = json!({
        "libelle": label,
        "valeur": value,
        "unite": counted,
        "historique": is_dated.then_some(history),
    });

    let before = if is_dated {
        let by_date = dated
            .iter()
            .map(|(date, value)| say!(lang, "{value} au {date}", "{value} from {date}"));
        format!(" ({})", by_date.collect::<Vec<_>>().join(" ; "))
    } else {
        String::new()
    };

    Some(Part::new(
        "",
        object(described),
        say!(
            lang,
            "{label} : {value}{before}",
            "{label}: {value}{before}"
        ),
    ))
}

/// The remarks on a figure and on its rows.
fn of_figure(
    edition: &Edition,
    shape: &Shape,
    figure: &Figure,
    assistant: &Assistant,
) -> Vec<Reserve> {
    // Remarks on single rows are shown with the figure, whichever row is meant.
    let remarks = [&figure.remark]
        .into_iter()
        .chain(figure.rows.iter().map(|row| &row.remark));
    let remarks = remarks.filter(|remark| !remark.is_empty());

    let mut found: Vec<Reserve> = remarks
        .map(|remark| Reserve::of_figure(edition.method(), &shape.name, remark, assistant.lang))
        .collect();

    found.dedup();
    found
}

/// The sources that set a figure or its rows, then its evidence.
fn sources<'e>(scale: &'e Scale, figure: &Figure) -> Vec<&'e bareme_engine::law::Source> {
    let of_rows = figure.rows.iter().flat_map(|row| &row.sources);
    let mut indices: Vec<usize> = figure
        .sources
        .iter()
        .chain(of_rows)
        .chain(&figure.evidence)
        .copied()
        .collect();
    // Each source once, in the order of its first use.
    // A row mostly repeats the source of its figure.
    let mut seen = std::collections::BTreeSet::new();
    indices.retain(|index| seen.insert(*index));

    indices
        .into_iter()
        .filter_map(|index| scale.sources.get(index))
        .collect()
}

/// Number of sources to show of a figure whose rows have their own.
const MAX_SOURCES: usize = 3;

fn texts(scale: &Scale, figure: &Figure) -> Vec<Value> {
    sources(scale, figure)
        .into_iter()
        .take(MAX_SOURCES)
        .map(calculation::source)
        .collect()
}
