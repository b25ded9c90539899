//! `rules/salaire-net/README.md` lists what each country asks and answers. It is written from the
//! loaded rules, so that it cannot differ from them.
//!
//! `BAREME_UPDATE_DOCS=1 cargo test -p bareme-engine --test countries` refreshes it.

#![cfg(test)]

mod common;

use std::fmt::Write as _;

use bareme_engine::law::{Field, Input, Period, Presence, Scale, Type, Value};
use bareme_engine::run::{DefaultText, Edition};
use bareme_engine::service::Rules;
use bareme_engine::text::{number_french, number_text};
use bareme_engine::{Datum, Folder};
use jiff::civil::{Date, date};
use rust_decimal::Decimal;

const REFRESH: &str = "BAREME_UPDATE_DOCS=1 cargo test -p bareme-engine --test countries";
const FAMILY: &str = "salaire-net";

/// The cases of a folder carry their dates; nothing here depends on this day.
const ANY_DAY: Date = date(2026, 1, 1);

#[test]
fn the_page_of_the_countries_is_the_one_that_the_rules_give() {
    let path = common::root().join("rules").join(FAMILY).join("README.md");
    let page = page(common::rules());
    if std::env::var_os("BAREME_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "rules/{FAMILY}/README.md is stale; to refresh it: {REFRESH}");
}

#[test]
fn every_field_of_every_folder_says_in_french_what_it_is() {
    let rules = common::rules();
    let editions = rules.folders().flat_map(|folder| folder.editions().iter().map(move |edition| (folder, edition)));
    let fields =
        editions.flat_map(|(folder, edition)| edition.method().fields().iter().map(move |field| (folder, field)));
    let mut silent: Vec<String> = fields
        .filter(|(_, field)| field.label.is_none())
        .map(|(folder, field)| format!("{}: {}", folder.path(), field.name))
        .collect();
    silent.sort();
    silent.dedup();
    assert!(silent.is_empty(), "these fields have no label:\n{}", silent.join("\n"));
}

fn page(rules: &Rules) -> String {
    let countries: Vec<(&str, &Folder)> = rules.family(FAMILY).collect();
    let common = common_fields(&countries);
    let mut out = String::new();
    writeln!(out, "# The countries of `{FAMILY}`\n").unwrap();
    writeln!(out, "<!-- Written from the rules by engine/tests/countries.rs. To refresh it: {REFRESH} -->\n").unwrap();
    out.push_str(INTRODUCTION);
    common_section(&countries, &common, rules, &mut out);
    for (code, folder) in &countries {
        country_section(code, folder, &common, &mut out);
    }
    out
}

const INTRODUCTION: &str = "\
One folder a country: `method.yaml` says how its law computes, each dated file is the whole scale in force from a day,
`cases.yaml` holds worked cases, `notes.md` the readings that were chosen and the doubtful figures.
How such files are read and changed is explained in the [manual of the rules](../README.md).

Amounts are those of one month unless the label says otherwise. Rates are sent in percent (`7` is 7 %). The labels are
those of the rule files, which the service shows to its callers.

";

/// The fields that every country answers, in all of its scales, under the same label.
fn common_fields<'r>(countries: &[(&str, &'r Folder)]) -> Vec<&'r Field> {
    let (_, first) = countries.first().unwrap();
    let methods = || countries.iter().flat_map(|(_, folder)| folder.editions()).map(Edition::method);
    let everywhere = |field: &&Field| {
        methods().all(|method| {
            let found = method.fields().iter().find(|found| found.name == field.name);
            found.is_some_and(|found| found.label == field.label && found.json_type() == field.json_type())
        })
    };
    first.fields().into_iter().filter(everywhere).collect()
}

fn common_section(countries: &[(&str, &Folder)], common: &[&Field], rules: &Rules, out: &mut String) {
    let endpoint = rules.service().endpoints.iter().find(|endpoint| endpoint.folder == FAMILY).unwrap();
    let codes: Vec<String> = countries.iter().map(|(code, _)| format!("`{code}`")).collect();
    let selector = endpoint.by.as_deref().unwrap();
    out.push_str("## In every country\n\n| Parameter | Meaning |\n|---|---|\n");
    writeln!(out, "| `{selector}` | the country: {}; or one of its names, below |", codes.join(", ")).unwrap();
    out.push_str("| `date`, `annee` | the day whose scale applies (`2026-03-31`), or a year for its 1 January; neither: today |\n");
    out.push_str("| `detail` | `true`: the answer also has every step |\n");
    for name in &endpoint.ignored {
        writeln!(
            out,
            "| `{name}` | accepted everywhere; where it is not listed below it has no effect, and the answer says so |"
        )
        .unwrap();
    }
    out.push_str("\n| Field | JSON type | Meaning |\n|---|---|---|\n");
    for field in common {
        writeln!(out, "| `{}` | {} | {} |", field.name, field.json_type(), cell(label(field))).unwrap();
    }
    out.push_str(
        "\nAfter them come the fields of the country, then `references`, `bareme_en_vigueur`, `version`,\n\
         `citation`, and `reserves`, `avertissements` and `etapes` where there are any.\n",
    );
}

fn country_section(code: &str, folder: &Folder, common: &[&Field], out: &mut String) {
    let currency = folder.latest().and_then(|edition| edition.method().currency.clone()).unwrap();
    writeln!(out, "\n## `{code}`: {}\n", folder.title()).unwrap();
    let names: Vec<String> = folder.aliases().iter().map(|alias| format!("`{}`", alias.name)).collect();
    writeln!(out, "Also called {}.\n", names.join(", ")).unwrap();
    writeln!(out, "Currency: {currency}. Scales in force:\n").unwrap();
    out.push_str("| From | Checked until | Title | Method |\n|---|---|---|---|\n");
    for scale in folder.editions().iter().filter_map(Edition::scale) {
        writeln!(out, "| {} | {} | {} | `{}.yaml` |", scale.date, scale.known_until, cell(&scale.title), scale.method)
            .unwrap();
    }
    out.push_str("\n| Parameter | Type | Accepted | When absent | Meaning |\n|---|---|---|---|---|\n");
    for input in folder.inputs() {
        let meaning = match &input.help {
            Some(help) => format!("{}. {help}", input.label.trim_end_matches('.')),
            None => input.label.clone(),
        };
        let (accepted, absent) = (accepted(input), when_absent(folder, input));
        let meaning = cell(&meaning) + &only_in(folder, |edition| has_input(edition, &input.name));
        writeln!(out, "| `{}` | {} | {accepted} | {absent} | {meaning} |", input.name, input_type(input)).unwrap();
    }
    let method = folder.latest().unwrap().method();
    for inverse in method.inverses() {
        let (input, parameter) = (&inverse.input.of(method.inputs()).unwrap().name, &inverse.parameter);
        let (accepted, meaning) = (accepted(parameter), cell(&parameter.label));
        writeln!(
            out,
            "| `{}` | {} | {accepted} | instead of `{input}` | {meaning} |",
            parameter.name,
            input_type(parameter)
        )
        .unwrap();
    }
    out.push_str("\n| Own field | JSON type | Meaning |\n|---|---|---|\n");
    let members = members(folder);
    for field in folder.fields().into_iter().filter(|field| !common.iter().any(|known| known.name == field.name)) {
        let mut meaning = cell(label(field)) + &only_in(folder, |edition| has_field(edition, &field.name));
        if let Some((_, names)) = members.iter().find(|(name, _)| *name == field.name) {
            write!(meaning, " (each: {})", names.join(", ")).unwrap();
        }
        writeln!(out, "| `{}` | {} | {meaning} |", field.name, field.json_type()).unwrap();
    }
}

fn has_input(edition: &Edition, name: &str) -> bool {
    edition.method().inputs().iter().any(|input| input.name == name && !input.is_absent)
}

fn has_field(edition: &Edition, name: &str) -> bool {
    edition.method().fields().iter().any(|field| field.name == name)
}

/// Says with which scales something exists, where it is not with all of them.
fn only_in(folder: &Folder, has: impl Fn(&Edition) -> bool) -> String {
    let dates = |with: bool| {
        let editions = folder.editions().iter().filter(|edition| has(edition) == with);
        editions.filter_map(Edition::scale).map(|scale: &Scale| scale.date).collect::<Vec<_>>()
    };
    let (with, without) = (dates(true), dates(false));
    match (with.as_slice(), without.as_slice()) {
        (_, []) => String::new(),
        ([first, ..], [.., last]) if first > last => format!(" (scales from {first} on)"),
        ([.., last], [first, ..]) if last < first => format!(" (scales before {first})"),
        (with, _) => format!(" (scales of {})", with.iter().map(Date::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn label(field: &Field) -> &str {
    field.label.as_deref().unwrap_or_default()
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn input_type(input: &Input) -> &'static str {
    match input.ty {
        Type::Money(Period::Month) => "amount a month",
        Type::Money(Period::Year) => "amount a year",
        Type::Money(Period::None) => "amount",
        Type::Rate => "rate, in percent",
        Type::Choice(_) => "choice",
        Type::Boolean => "boolean",
        Type::Text => "text",
        _ if input.integer => "whole number",
        _ => "number",
    }
}

fn accepted(input: &Input) -> String {
    let shown =
        |value: Decimal| number_french(input.sent_text(&Value::Number(value)).parse().unwrap()).replace(',', ".");
    let mut parts = Vec::new();
    match input.ty {
        Type::Choice(_) => {
            let word = |(word, label): &(String, String)| match word == label {
                true => format!("`{word}`"),
                false => format!("`{word}` ({label})"),
            };
            parts.push(input.values.iter().map(word).collect::<Vec<_>>().join(", "));
        }
        Type::Boolean => parts.push("`true`, `false`".to_owned()),
        _ => match (input.min, input.max) {
            (Some(min), Some(max)) => parts.push(format!("{} to {}", shown(min), shown(max))),
            (Some(min), None) => parts.push(format!("{} or more", shown(min))),
            (None, Some(max)) => parts.push(format!("up to {}", shown(max))),
            (None, None) => {}
        },
    }
    parts.extend(input.step.map(|step| format!("by {}", shown(step))));
    parts.extend(input.decimals.map(|decimals| format!("at most {decimals} decimals")));
    parts.extend(input.round.map(|unit| format!("rounded to {}", number_text(unit))));
    parts.extend(input.words.iter().map(|word| format!("or `{word}`")));
    cell(&parts.join(", "))
}

fn when_absent(folder: &Folder, input: &Input) -> String {
    match &input.presence {
        Presence::Required => "refused".to_owned(),
        Presence::Optional => "nothing stands for it".to_owned(),
        Presence::Default(..) => {
            let DefaultText { text, scale } = folder.default_of(input).unwrap();
            let of = scale.map(|scale| format!(" (scale of {scale})")).unwrap_or_default();
            format!("`{}`{of}", cell(&text))
        }
    }
}

/// The members of the elements of each array, as the answers of the worked cases have them.
fn members(folder: &Folder) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for case in folder.cases() {
        // A case may be there to show a refusal.
        let Ok(calculation) = folder.calculate(&(&case.query).into(), ANY_DAY) else { continue };
        for (field, value) in calculation.fields() {
            if let Datum::List(_) = value.datum() {
                collect(&field.name, value.datum(), &mut found);
            }
        }
    }
    found
}

fn collect(field: &str, list: Datum, found: &mut Vec<(String, Vec<String>)>) {
    let index = found.iter().position(|(name, _)| name == field).unwrap_or_else(|| {
        found.push((field.to_owned(), Vec::new()));
        found.len() - 1
    });
    for item in list.items() {
        for (name, _) in item.members() {
            let name = format!("`{name}`");
            if !found[index].1.contains(&name) {
                found[index].1.push(name);
            }
        }
    }
}
