//! `bareme code`: the codes of the messages; of one its meaning, its cure and an example.

mod example;

use bareme_engine::Lang;
use bareme_engine::text::{LETTERS, MessageCode, Rendering};
use bareme_show::{Cell, Table, Text, Tone, say};
use serde_json::{Value, json};

use self::example::{Example, Place, example};
use crate::page::Page;
use crate::session::{Exit, Failure, Outcome, Session};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let outcome = match &args.code {
        Some(word) => one(known(word, session.lang)?, session),
        None => all(session.lang),
    };
    session.show(&outcome)
}

/// The message that a word names: `W47`, `w7`, or pasted from an output, `attention[W47]`.
fn known(word: &str, lang: Lang) -> Result<&'static MessageCode, Failure> {
    let code = word.rsplit('[').next().unwrap_or(word);
    let code = code.trim().trim_end_matches(']').to_uppercase();

    let number = code.get(1..).and_then(|digits| digits.parse::<u32>().ok());
    let found = code.chars().next().zip(number).map(|(letter, number)| {
        let written = format!("{letter}{number:02}");
        (letter, number, MessageCode::of(&written))
    });

    match found {
        Some((_, _, Some(message))) => Ok(message),
        Some((letter, number, None)) => Err(unknown(&code, &nearest(letter, number), lang)),
        None => Err(unknown(&code, &[], lang)),
    }
}

/// The codes of a letter whose numbers are nearest to one that does not exist.
fn nearest(letter: char, number: u32) -> Vec<&'static str> {
    const SHOWN: usize = 2;

    let own = |one: &&MessageCode| one.code.starts_with(letter);
    let distance = |code: &str| {
        let own = code.get(1..).and_then(|digits| digits.parse::<u32>().ok());
        own.map(|own| own.abs_diff(number))
    };

    let mut near: Vec<&str> = MessageCode::all()
        .into_iter()
        .filter(own)
        .map(|one| one.code)
        .collect();
    near.sort_by_key(|code| distance(code));
    near.truncate(SHOWN);
    near
}

fn unknown(code: &str, near: &[&str], lang: Lang) -> Failure {
    let near = near.join("`, `");
    let hint = if near.is_empty() {
        let letters: Vec<String> = LETTERS
            .iter()
            .map(|(letter, _)| letter.to_string())
            .collect();
        let letters = letters.join(", ");
        say!(
            lang,
            "Un code est une lettre ({letters}) et deux chiffres, comme `W47`.",
            "A code is a letter ({letters}) and two digits, like `W47`."
        )
    } else {
        say!(
            lang,
            "Les plus proches : `{near}`.",
            "The nearest: `{near}`."
        )
    };

    Failure::unusable(say!(
        lang,
        "Aucun message n’a le code `{code}`. {hint}\n`bareme code` les liste tous.",
        "No message has the code `{code}`. {hint}\n`bareme code` lists them all."
    ))
}

/// Every code with its meaning, a table for each letter.
fn all(lang: Lang) -> Outcome {
    let mut page = Page::titled(say!(
        lang,
        "Les messages et leurs codes",
        "The messages and their codes"
    ));
    page.toned(
        say!(
            lang,
            "`bareme code W47` explique l’un d’eux, avec un exemple avant et après ; `…` est ce qui change d’un fichier à l’autre.",
            "`bareme code W47` explains one of them, with an example before and after; `…` is what differs from file to file."
        ),
        Tone::Dim,
    );

    let messages = MessageCode::all();
    let mut json = Vec::new();
    for (letter, about) in LETTERS {
        let about = about.in_lang(lang);
        page.heading(say!(lang, "{letter} : {about}", "{letter}: {about}"));

        let mut table =
            Table::default()
                .text("Code")
                .text(say!(lang, "Ce qu’il dit", "What it says"));
        for message in messages.iter().filter(|one| one.code.starts_with(letter)) {
            let cell = Cell::toned(message.code, tone(message));
            table.row([cell, message.cause(lang).into()]);
            json.push(to_json(message, about, lang));
        }
        page.table(table);
    }

    Outcome {
        page,
        json: Value::Array(json),
        annotations: Vec::new(),
    }
}

fn tone(message: &MessageCode) -> Tone {
    if message.is_warning() {
        Tone::Warning
    } else {
        Tone::Bad
    }
}

/// Whether a message refuses or warns, as its first word does.
fn kind(message: &MessageCode) -> Text {
    if message.is_warning() {
        Text::new("avertissement", "warning")
    } else {
        Text::new("erreur", "error")
    }
}

/// Title of a letter: the subject of its codes.
fn about(message: &MessageCode, lang: Lang) -> &'static str {
    LETTERS
        .iter()
        .find(|(letter, _)| message.code.starts_with(*letter))
        .map_or("", |(_, about)| about.in_lang(lang))
}

fn to_json(message: &MessageCode, about: &str, lang: Lang) -> Value {
    json!({
        "code": message.code,
        "genre": kind(message).fr,
        "sujet": about,
        "cause": message.cause(lang),
        "remede": message.cure(lang),
    })
}

fn one(message: &MessageCode, session: &Session) -> Outcome {
    let lang = session.lang;
    let example = example(message.code);

    let (code, kind) = (message.code, kind(message).in_lang(lang));
    let mut page = Page::titled(format!("{code}, {kind}"));
    let effect = effect(message, example.as_ref());
    page.toned(effect.in_lang(lang), Tone::Dim);

    // 1. What it means, whatever the file.
    page.heading(say!(lang, "Ce qu’il dit", "What it says"));
    page.text(message.cause(lang));
    if let Some(cure) = message.cure(lang) {
        page.heading(say!(lang, "Remède", "Cure"));
        page.text(cure);
    }

    // 2. What it says of a mistake, and the lines before and after.
    if let Some(example) = &example {
        let rendering = Rendering::new(lang).within(session.style.width);
        page.heading(say!(lang, "Un exemple", "An example"));
        page.verbatim(example.message.render(rendering).trim_end(), tone(message));

        page.heading(say!(lang, "Avant", "Before"));
        show(
            &example.places,
            |place| Some(&place.before),
            &mut page,
            lang,
        );
        page.heading(say!(lang, "Après", "After"));
        show(
            &example.places,
            |place| place.after.as_ref(),
            &mut page,
            lang,
        );
    }

    let mut json = to_json(message, about(message, lang), lang);
    if let Some(members) = json.as_object_mut() {
        let example = example.map(|example| example_to_json(&example, lang));
        members.insert("exemple".to_owned(), example.unwrap_or_default());
    }
    Outcome {
        page,
        json,
        annotations: Vec::new(),
    }
}

/// Effect of a message on the rules that give it: an error, a warning, a scale held back.
fn effect(message: &MessageCode, example: Option<&Example>) -> Text {
    let found = example.map(|example| &example.message);
    if !message.is_warning() {
        Text::new(
            "Les barèmes sont refusés tant qu’elle n’est pas corrigée.",
            "The rules are refused until it is fixed.",
        )
    } else if found.is_some_and(|found| found.is_doubt()) {
        Text::new(
            "Il retient un barème en vigueur jusqu’à ce que la valeur soit corrigée, ou son motif \
             écrit (`reviewed`).",
            "It holds a scale in force back until the value is fixed, or its reason written \
             (`reviewed`).",
        )
    } else if found.is_some_and(|found| found.is_reminder()) {
        Text::new(
            "Il n’arrête rien, pas même `bareme check --strict` : il ne tient qu’au jour.",
            "It stops nothing, not even `bareme check --strict`: it depends on the day only.",
        )
    } else {
        Text::new(
            "Il n’arrête rien ; `bareme check --strict` le compte comme une erreur.",
            "It stops nothing; `bareme check --strict` counts it as a mistake.",
        )
    }
}

/// The places of an example on one side, each under the name of its file.
fn show<'e>(
    places: &'e [Place],
    side: impl Fn(&'e Place) -> Option<&'e String>,
    page: &mut Page,
    lang: Lang,
) {
    let mut last = "";
    for place in places {
        let file = place.file.as_str();
        match side(place) {
            None => page.text(say!(
                lang,
                "`{file}` n’est plus dans les barèmes.",
                "`{file}` is no longer in the rules."
            )),
            Some(_) if place.after.is_none() => page.text(say!(
                lang,
                "`{file}` est dans les barèmes.",
                "`{file}` is in the rules."
            )),
            Some(lines) => {
                // Places of one file are under its name together.
                if file != last {
                    page.text(file);
                }
                page.verbatim(lines, Tone::Plain);
            }
        }
        last = file;
    }
}

fn example_to_json(example: &Example, lang: Lang) -> Value {
    let Example { message, places } = example;
    let place = |place: &Place| {
        let lines = |text: &String| text.lines().map(str::to_owned).collect::<Vec<_>>();
        json!({
            "fichier": place.file,
            "avant": lines(&place.before),
            "apres": place.after.as_ref().map(lines),
        })
    };

    json!({
        "message": message.message(lang),
        "remede": message.cure(lang),
        "fichier": message.file(),
        "ligne": message.line(),
        "lignes": places.iter().map(place).collect::<Vec<_>>(),
    })
}
