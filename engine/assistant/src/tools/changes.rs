//! `changements`: the changes since a day, scale by scale.

use bareme_engine::run::Edition;
use bareme_engine::text::Text;
use bareme_engine::{Folder, say};
use bareme_show::schema::Parameter;
use jiff::civil::Date;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::SCALE;
use crate::Assistant;
use crate::answer::{Answer, Part, Parts, object};
use crate::arguments::Arguments;
use crate::catalogue::{FixedTool, Outcome, required};
use crate::reserves::{Nature, Reserve};

/// Argument of the day.
const SINCE: &str = "depuis";

/// Length, in characters, of the summary of each of several scales, unless details are asked for.
const SUMMARY_LENGTH: usize = 160;

pub(crate) const TOOL: FixedTool = FixedTool {
    name: "changements",
    title: Text::new("Ce qui change depuis une date", "What changes since a date"),
    description: Text::new(
        "Dit quels barèmes ont changé depuis une date, ou changeront : le jour, et les chiffres \
         avant et après ; de tous les barèmes, ou d’un seul avec `bareme`.",
        "Says which scales changed since a date, or will change: the day, and the figures before \
         and after; of all scales, or of one with `bareme`.",
    ),
    calculations: None,
    parameters,
    answers,
    call,
};

fn parameters(assistant: &Assistant) -> Vec<Parameter> {
    let text = say!(
        assistant.lang,
        "Jour après lequel chercher.",
        "Day after which to look."
    );

    let scale = assistant.scale_parameter();
    vec![
        required(SINCE, text, json!({"type": "string", "format": "date"})),
        Parameter {
            is_required: false,
            ..scale
        },
    ]
}

fn answers() -> (Value, &'static [&'static str]) {
    let text = json!({"type": "string"});
    let change = json!({
        "type": "object",
        "properties": {
            "bareme": text,
            "titre": text,
            "date": text,
            "a_venir": {"type": "boolean"},
            "resume": text,
            "lien": text,
        },
        "required": ["bareme", "titre", "date", "resume"],
    });

    let awaited = json!({
        "type": "object",
        "properties": {"bareme": text, "texte": text, "attendu_le": text, "change": text},
    });

    let own = json!({
        "depuis": text,
        "changements": {"type": "array", "items": change},
        "attendus": {"type": "array", "items": awaited},
    });

    (own, &["depuis", "changements"])
}

fn call(assistant: &Assistant, sent: &JsonObject) -> Outcome {
    // 1. The arguments. A date that cannot be read is refused as such; only one that is not sent is
    // missing.
    let mut arguments = Arguments::new(sent);
    let is_sent = sent.get(SINCE).is_some_and(|value| !value.is_null());
    let since = arguments.day(SINCE);
    if !is_sent {
        arguments.refuse(crate::refused::missing(
            SINCE,
            ("une date, AAAA-MM-JJ", "a date, YYYY-MM-DD").into(),
        ));
    }

    let name = arguments.text(SCALE);
    let folder = name.and_then(|name| {
        assistant
            .scale(&name)
            .map_err(|bad| arguments.refuse(bad))
            .ok()
    });

    let is_whole = arguments.detail();
    arguments.finish()?;
    let Some(since) = since else {
        return Ok(Answer::default());
    };

    // 2. The changes: without a scale, those of all of them, each shortened.
    let folders = folder.map_or_else(|| assistant.scales(), |folder| vec![folder]);
    let is_long = is_whole || folder.is_some();
    let mut found: Vec<(Date, Part)> = folders
        .iter()
        .flat_map(|folder| changes(folder, since, is_long, assistant))
        .collect();
    // The latest first, so that the oldest are left out.
    found.sort_by(|(one, _), (other, _)| other.cmp(one));

    // 3. Their heading, with what is awaited.
    let awaited = awaited(&folders);
    let day = assistant.locale().day(since);
    let count = found.len();
    let heading = say!(
        assistant.lang,
        "Depuis le {day} : {count} changement(s) de barème",
        "Since {day}: {count} change(s) of scales"
    );
    let heading = bareme_engine::text::pluralized(&heading, assistant.lang);

    Ok(Answer {
        head: vec![Part::new(SINCE, since.to_string(), heading)],
        list: Parts {
            name: "changements",
            is_object: false,
            parts: found.into_iter().map(|(_, part)| part).collect(),
            fewest: 1,
        },
        reserves: unverified(&folders, assistant).into_iter().collect(),
        tail: if is_long {
            vec![Part::new("attendus", awaited, "")]
        } else {
            Vec::new()
        },
        is_whole,
    })
}

/// The editions of a folder that start after a day, each with its changes.
fn changes(
    folder: &Folder,
    since: Date,
    is_long: bool,
    assistant: &Assistant,
) -> Vec<(Date, Part)> {
    let lang = assistant.lang;

    // The first edition has none before it, and so no changes.
    let pairs = folder
        .editions()
        .iter()
        .zip(folder.editions().iter().skip(1));

    let after = pairs.filter_map(|(before, own)| {
        Some((before, own, own.scale().filter(|scale| scale.date > since)?))
    });

    let described = after.map(|(before, own, scale)| {
        let whole = assistant.index.changes(folder, own, before);
        // One scale has room for its whole summary; of many, each has a line.
        let summary = match whole.char_indices().nth(SUMMARY_LENGTH) {
            Some((end, _)) if !is_long => format!("{}…", whole.get(..end).unwrap_or_default()),
            _ => whole.to_string(),
        };

        // A scale that is published and not yet in force is announced as such.
        let is_to_come = scale.date > assistant.today;
        let (title, day) = (&own.method().title, assistant.locale().day(scale.date));

        let described = object(json!({
            "bareme": folder.path(),
            "titre": title,
            "date": scale.date.to_string(),
            "resume": summary,
            "lien": assistant.page_link(folder),
            "a_venir": is_to_come.then_some(true),
        }));

        (
            scale.date,
            Part::new(
                "",
                described,
                say!(
                    lang,
                    "- {title}, au {day} : {summary}",
                    "- {title}, from {day}: {summary}"
                ),
            ),
        )
    });

    described.collect()
}

/// Announced legal texts that will change a scale.
fn awaited(folders: &[&Folder]) -> Vec<Value> {
    let of_folder = |folder: &&Folder| {
        let watch = folder
            .latest()
            .and_then(Edition::scale)
            .map(|scale| scale.watch.as_slice())
            .unwrap_or_default();
        let path = folder.path().to_owned();
        let one = move |text: &bareme_engine::law::PendingText| {
            json!({
                "bareme": path,
                "texte": text.text,
                "attendu_le": text.expected.to_string(),
                "change": text.changes,
            })
        };
        watch.iter().map(one).collect::<Vec<_>>()
    };

    folders.iter().flat_map(of_folder).collect()
}

/// The scales not checked up to today: a change of these may be missing.
fn unverified(folders: &[&Folder], assistant: &Assistant) -> Option<Reserve> {
    // Nobody has looked for changes after the last day checked.
    let is_late = |folder: &&&Folder| {
        let scale = folder.latest().and_then(Edition::scale);
        scale.is_some_and(|scale| scale.known_until < assistant.today)
    };

    let late: Vec<&str> = folders
        .iter()
        .filter(is_late)
        .map(|folder| folder.path())
        .collect();

    let names = late.join(", ");

    let text = say!(
        assistant.lang,
        "Ces barèmes ne sont pas vérifiés jusqu’à aujourd’hui, un changement peut manquer : \
         {names}.",
        "These scales are not verified up to today, a change may be missing: {names}."
    );

    (!late.is_empty()).then(|| Reserve::new(Nature::Unverified, text))
}
