//! `bareme inverse`: the gross pay for a net pay, or within a budget.

use bareme_engine::law::members::WARNINGS;
use bareme_engine::law::{FieldValue, Inverse, Method};
use bareme_engine::text::{nearest, number_text};
use bareme_engine::{Calculation, Datum, Folder};
use bareme_show::{Cell, Locale, Table, Tone, say};
use rust_decimal::Decimal;
use serde_json::{Number, json};

use crate::format::{did_you_mean, json_number, json_value};
use crate::page::Page;
use crate::rule_files::{RuleFiles, folder_name};
use crate::session::{Exit, Failure, Outcome, Session};
use crate::target::{Target, failed, query, refused, words};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "FOLDER", value_parser = folder_name)]
    name: String,
    #[arg(value_name = "NAME=VALUE")]
    query: Vec<String>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let rules = RuleFiles::find(session, &[])?.read_only(&[&args.name], session)?;
    let target = Target::find(&rules, &args.name, session)?;
    let query = query(&args.query, session)?;
    // A family has several folders: the query selects the one whose method is asked.
    let folder = target
        .folder(&query)
        .map_err(|refusal| refused(&refusal, session))?;

    let edition = folder.edition(session.today).or_else(|| folder.latest());
    let Some(method) = edition.map(|edition| edition.method()) else {
        return Ok(Exit::Fine);
    };

    let inverse = inverse(folder, method, &query, session)?;
    let calculation = target
        .calculate(&query, None, session.today)
        .map_err(|error| failed(&error, session))?;

    session.show(&outcome(&calculation, folder, inverse, &query, session))
}

/// The inverse calculation that a query asks for.
fn inverse<'m>(
    folder: &Folder,
    method: &'m Method,
    query: &[(String, String)],
    session: &Session,
) -> Result<&'m Inverse, Failure> {
    let lang = session.lang;
    // Neither amount has a meaning as a target without the key.
    if folder.inverses().is_empty() {
        let path = folder.path();
        return Err(Failure::unusable(say!(
            lang,
            "`{path}` ne se calcule pas dans l’autre sens : sa méthode n’a pas de clé `inverse`.",
            "`{path}` is not computed the other way round: its method has no key `inverse`."
        )));
    }

    let is_asked = |inverse: &&Inverse| {
        query
            .iter()
            .any(|(name, _)| *name == inverse.parameter.name)
    };
    method.inverses().iter().find(is_asked).ok_or_else(|| {
        let parameters = || {
            method
                .inverses()
                .iter()
                .map(|inverse| inverse.parameter.name.as_str())
        };

        let names = parameters()
            .map(|name| format!("`{name}=…`"))
            .collect::<Vec<_>>()
            .join(", ");
        let near = query
            .iter()
            .find_map(|(name, _)| nearest(name, parameters()));
        let hint = did_you_mean(near, lang);
        let hint = hint.unwrap_or_else(|| ".".to_owned());

        Failure::unusable(say!(
            lang,
            "Dire ce qui est voulu : {names}{hint}",
            "Say what is requested: {names}{hint}"
        ))
    })
}

fn outcome(
    calculation: &Calculation,
    folder: &Folder,
    inverse: &Inverse,
    query: &[(String, String)],
    session: &Session,
) -> Outcome {
    let lang = session.lang;
    let method = calculation.edition().method();
    let field = |index: usize| method.fields().get(index);

    let input = inverse.input.of(method.inputs());
    // The engine has checked these names when it read the method.
    let (Some(shown), Some(reached), Some(input)) =
        (field(inverse.shown), field(inverse.field), input)
    else {
        return Outcome::default();
    };

    let amount_of = |name: &str| calculation.field(name).and_then(FieldValue::number);
    let (found, result) = (amount_of(&shown.name), amount_of(&reached.name));
    let amount = |amount: Option<Decimal>| {
        amount
            .map(|amount| Locale::from(lang).number(amount))
            .unwrap_or_default()
    };

    // The amount is shown as it was asked for, and the one reached beside it: rounding may keep
    // them from being equal.
    let asked = query
        .iter()
        .find(|(name, _)| *name == inverse.parameter.name)
        .map(|(_, asked)| asked.as_str());
    let asked_amount = asked
        .and_then(|asked| asked.parse().ok())
        .map(|asked| Locale::from(lang).number(asked));

    let mut table = Table::default()
        .text(say!(lang, "Montant", "Amount"))
        .number("");
    // Three rows: what was asked for, the input that gives it, and what this input gives.
    table.row([
        inverse.parameter.label.as_str().into(),
        asked_amount.unwrap_or_default().into(),
    ]);
    table.row([
        Cell::toned(&input.label, Tone::Strong),
        Cell::toned(amount(found), Tone::Strong),
    ]);
    table.row([
        reached.label.as_deref().unwrap_or(&reached.name).into(),
        amount(result).into(),
    ]);

    let mut page = Page::titled(folder.title());
    page.table(table);
    let warnings = calculation.warnings();
    for warning in warnings {
        page.toned(warning.text.in_lang(lang), Tone::Warning);
    }

    // The command that explains the answer: the amount found in place of the one asked for, the
    // option of the inverse switched on, and what it assumes.
    let option = inverse
        .option
        .and_then(|option| method.options().get(option))
        .map(|option| &option.name);

    let others = query
        .iter()
        .filter(|(name, _)| *name != inverse.parameter.name && Some(name) != option)
        .cloned();
    let switched = option.map(|option| (option.clone(), true.to_string()));
    let assumed = inverse.assumed.iter().filter_map(|assumed| {
        let input = assumed.input.of(method.inputs())?;
        let is_sent = query.iter().any(|(name, _)| *name == input.name);
        (!is_sent).then(|| (input.name.clone(), input.sent_text(&assumed.value)))
    });

    let again = found
        .map(|found| (input.name.clone(), number_text(found)))
        .into_iter()
        .chain(others)
        .chain(switched)
        .chain(assumed);
    let again: Vec<_> = again.collect();

    let again = format!(
        "$ bareme explain {} {} --date {}",
        folder.path(),
        words(&again),
        session.today
    );
    page.verbatim(again, Tone::Dim);

    // The members have the names of the parameters, as the service has them.
    let json = json!({
        inverse.parameter.name.clone(): asked.and_then(|asked| asked.parse::<Number>().ok()),
        input.name.clone(): found.map(json_number),
        reached.name.clone(): result.map(json_number),
        WARNINGS.name: warnings
            .iter()
            .map(|warning| json_value(Datum::Object(warning)))
            .collect::<Vec<_>>(),
    });

    Outcome {
        page,
        json,
        annotations: Vec::new(),
    }
}
