//! `bareme list`: the scales; or for one of them its parameters, fields and dates.

use bareme_engine::law::members::WARNINGS;
use bareme_engine::law::{Input, PendingText, Presence, WarningCode};
use bareme_engine::service::Rules;
use bareme_engine::{Datum, Folder, Lang};
use bareme_show::{Cell, Table, Tone, say};
use serde_json::{Value, json};

use crate::format::json_value;
use crate::page::Page;
use crate::rule_files::{RuleFiles, folder, folder_name};
use crate::session::{Exit, Failure, Outcome, Session};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "FOLDER", value_parser = folder_name)]
    name: Option<String>,
    #[arg(long, conflicts_with = "name")]
    stale: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let rules = RuleFiles::find(session, &[])?.read_about(
        &args.name.as_deref().into_iter().collect::<Vec<_>>(),
        session,
    )?;

    // The set without a name is loaded whole, so that a broken folder is reported rather than left
    // out of the list.
    let outcome = match &args.name {
        Some(name) => one(folder(&rules, name, session)?, &rules, session),
        None if args.stale => stale(&rules, session),
        None => all(&rules, session),
    };
    session.show(&outcome)
}

/// The first days of the scales of a folder.
fn dates(folder: &Folder) -> Vec<String> {
    folder
        .editions()
        .iter()
        .filter_map(|edition| edition.scale())
        .map(|scale| scale.date.to_string())
        .collect()
}

fn all(rules: &Rules, session: &Session) -> Outcome {
    let lang = session.lang;
    let mut table = Table::default()
        .text(say!(lang, "Barème", "Scale"))
        .text(say!(lang, "Titre", "Title"))
        .text(say!(lang, "Dernier", "Last"))
        .number(say!(lang, "Dates", "Dates"))
        .number(say!(lang, "Cas", "Cases"));

    let mut json = Vec::new();
    for folder in rules.folders() {
        // A folder without dated files has a method only, which holds on every day.
        let dates = dates(folder);
        let last = dates.last().cloned().unwrap_or_else(|| "–".to_owned());
        table.row([
            folder.path().into(),
            folder.title().into(),
            Cell::toned(last, Tone::Dim),
            dates.len().to_string().into(),
            folder.cases().len().to_string().into(),
        ]);

        json.push(json!({
            "bareme": folder.path(),
            "titre": folder.title(),
            "dates": dates,
            "cas": folder.cases().len(),
        }));
    }

    let mut page = Page::default();
    page.table(table);
    Outcome {
        page,
        json: Value::Array(json),
        annotations: Vec::new(),
    }
}

/// The scales in force to be checked again, and the texts that will change them.
fn stale(rules: &Rules, session: &Session) -> Outcome {
    let lang = session.lang;
    let mut table = Table::default()
        .text(say!(lang, "Barème", "Scale"))
        .text(say!(lang, "En vigueur", "In force"))
        .text(say!(lang, "Vérifié le", "Checked on"))
        .text(say!(lang, "Attendu", "Awaited"));

    let mut json = Vec::new();
    for folder in rules.folders() {
        // Only what is in force matters: a past scale need not be read again.
        let Some(scale) = folder
            .edition(session.today)
            .and_then(|edition| edition.scale())
        else {
            continue;
        };

        if !scale.is_stale(session.today) {
            continue;
        }

        // A scale that nobody has ever checked is stale as well, and is shown as such.
        let checked = scale.checked.map(|day| day.to_string());
        let never = say!(lang, "jamais", "never");
        table.row([
            folder.path().into(),
            scale.date.to_string().into(),
            Cell::toned(checked.clone().unwrap_or(never), Tone::Warning),
            awaited(folder).join("\n").into(),
        ]);
        json.push(json!({
            "bareme": folder.path(),
            "en_vigueur": scale.date.to_string(),
            "verifie": checked,
        }));
    }

    let mut page = Page::default();
    if json.is_empty() {
        page.toned(
            say!(
                lang,
                "Tous les barèmes ont été vérifiés depuis moins de six mois.",
                "Every scale was checked within six months."
            ),
            Tone::Good,
        );
    } else {
        page.table(table);
    }

    Outcome {
        page,
        json: Value::Array(json),
        annotations: Vec::new(),
    }
}

/// The announced texts that will change the last scale of a folder:
/// `2026-12-31 : projet de loi de finances (barème)`.
pub(super) fn awaited(folder: &Folder) -> Vec<String> {
    let watch = folder
        .latest()
        .and_then(|edition| edition.scale())
        .map(|scale| scale.watch.as_slice());

    let line = |watched: &PendingText| {
        format!(
            "{} : {} ({})",
            watched.expected, watched.text, watched.changes
        )
    };
    watch.unwrap_or_default().iter().map(line).collect()
}

fn one(folder: &Folder, rules: &Rules, session: &Session) -> Outcome {
    let lang = session.lang;
    let mut page = Page::titled(folder.title());
    let dates = dates(folder);

    if !dates.is_empty() {
        let list = dates.join(", ");
        page.toned(
            say!(lang, "En vigueur depuis : {list}", "In force since: {list}"),
            Tone::Dim,
        );
    }

    // The last scale is the one whose check says how current the folder is.
    if let Some(checked) = folder
        .latest()
        .and_then(|edition| edition.scale())
        .and_then(|scale| scale.checked)
    {
        page.toned(
            say!(
                lang,
                "Vérifié dans les textes le {checked}",
                "Checked in the texts on {checked}"
            ),
            Tone::Dim,
        );
    }

    // A change of what it uses changes its answers, and a change of it those of its users.
    let (used, used_by) = (folder.used_folders(), users(folder, rules));
    if !used.is_empty() {
        let list = used.iter().copied().collect::<Vec<_>>().join(", ");
        page.toned(say!(lang, "Utilise : {list}", "Uses: {list}"), Tone::Dim);
    }
    if !used_by.is_empty() {
        let list = used_by.join(", ");
        page.toned(
            say!(lang, "Utilisé par : {list}", "Used by: {list}"),
            Tone::Dim,
        );
    }

    // Announced texts come first, since a reader has to know that the figures will change.
    let awaited = awaited(folder);
    if !awaited.is_empty() {
        page.heading(say!(lang, "Textes attendus", "Texts awaited"));
        page.list(awaited);
    }

    page.heading(say!(lang, "Paramètres", "Parameters"));
    let mut inputs = Table::default()
        .text(say!(lang, "Nom", "Name"))
        .text(say!(lang, "Ce que c’est", "What it is"))
        .text(say!(lang, "Accepté", "Accepted"))
        .text(say!(lang, "Sinon", "Otherwise"));

    // The parameter of an inverse is sent like an input.
    let asked = folder
        .inverses()
        .into_iter()
        .map(|inverse| &inverse.parameter);

    for input in folder.inputs().into_iter().chain(asked) {
        inputs.row([
            input.name.as_str().into(),
            input.label.as_str().into(),
            input.accepted().in_lang(lang).into(),
            absent(folder, input, session).into(),
        ]);
    }

    page.table(inputs);

    page.heading(say!(lang, "Réponse", "Answer"));
    let mut fields = Table::default()
        .text(say!(lang, "Champ", "Field"))
        .text(say!(lang, "Ce que c’est", "What it is"));

    for field in folder.fields() {
        let label = field.label.clone().unwrap_or_default();
        // A field of an option is only in the answer where the option is switched on.
        let switched = folder
            .option_of(field)
            .map(|option| format!("`{option}=true`"));
        let with = switched
            .map(|switched| say!(lang, " (avec {switched})", " (with {switched})"))
            .unwrap_or_default();
        fields.row([
            field.name.as_str().into(),
            format!("{label}{with}").trim_start().into(),
        ]);
    }

    page.table(fields);
    page.heading(say!(lang, "Avertissements", "Warnings"));
    page.table(warnings(folder, lang));

    Outcome {
        page,
        json: to_json(folder, &dates, &used_by),
        annotations: Vec::new(),
    }
}

/// The folders that calculate one, or take its figures.
fn users<'r>(folder: &Folder, rules: &'r Rules) -> Vec<&'r str> {
    let uses = |user: &&Folder| user.used_folders().contains(folder.path());
    rules.folders().filter(uses).map(Folder::path).collect()
}

/// The warnings that an answer may have: those of the methods, in French, then those of the engine.
fn warnings(folder: &Folder, lang: Lang) -> Table {
    let mut table = Table::default()
        .text(say!(lang, "Code", "Code"))
        .text(say!(lang, "Ce que c’est", "What it is"))
        .text(say!(lang, "Paramètre", "Parameter"));

    for warning in folder.warnings() {
        let parameter = warning.parameter.as_deref().unwrap_or_default();
        table.row([
            (&*warning.code).into(),
            warning.text.fr.as_str().into(),
            parameter.into(),
        ]);
    }

    // The engine's warnings concern no single parameter.
    for code in WarningCode::ALL {
        table.row([
            code.as_str().into(),
            code.meaning().in_lang(lang).into(),
            "".into(),
        ]);
    }
    table
}

/// The default of a parameter, in words.
fn absent(folder: &Folder, input: &Input, session: &Session) -> String {
    match &input.presence {
        Presence::Required => say!(session.lang, "obligatoire", "required"),
        Presence::OfEachItem => say!(
            session.lang,
            "obligatoire pour chaque élément",
            "required of each item"
        ),
        Presence::Optional => say!(session.lang, "facultatif", "optional"),
        Presence::Default(..) => folder
            .default_of(input)
            .map(|default| default.text)
            .unwrap_or_default(),
    }
}

fn to_json(folder: &Folder, dates: &[String], used_by: &[&str]) -> Value {
    let input = |input: &&Input| {
        json!({
            "nom": input.name, "libelle": input.label, "accepte": input.expected(),
            "obligatoire": matches!(input.presence, Presence::Required),
            "defaut": folder.default_of(input).map(|default| default.text),
        })
    };

    let fields = folder.fields();
    let fields = fields.iter().map(|field| {
        json!({
            "nom": field.name,
            "libelle": field.label,
            "type": field.json_type(),
            "option": folder.option_of(field),
        })
    });

    // The texts in JSON are the French ones, as those of the service are.
    let own = folder
        .warnings()
        .into_iter()
        .map(|warning| json_value(Datum::Object(warning)));
    let of_engine = WarningCode::ALL
        .iter()
        .map(|code| json!({"code": code.as_str(), "texte": code.meaning().fr}));

    json!({
        "bareme": folder.path(),
        "titre": folder.title(),
        "dates": dates,
        "utilise": folder.used_folders(),
        "utilise_par": used_by,
        "cas": folder.cases().len(),
        WARNINGS.name: own.chain(of_engine).collect::<Vec<_>>(),
        "parametres": folder.inputs().iter().map(input).collect::<Vec<_>>(),
        "reponse": fields.collect::<Vec<_>>(),
    })
}
