//! From a query to the fields of the answer, or to the parameters that are refused.

use std::collections::HashMap;

use bareme_engine::authoring::Node;

use crate::compute::{Run, Stop};
use crate::days::{TODAY, in_preparation, too_late};
use crate::fields::fields;
use crate::input::{Refused, presence_default, read};
use crate::items::{group, read_list, refused_lists};
use crate::json::Json;
use crate::law::{Law, Value, entries, text};
use crate::past::{self, Past, When, Year};
use crate::references::{references, unsourced};

/// The answer to a query on a day, as the engine's without its version.
pub(crate) fn answer(
    law: &Law,
    query: &[(String, String)],
    when: When,
) -> Result<Json<'static>, Vec<Refused>> {
    answer_in(law, query, when, past::equal_pays(law, query, when)).map(|(answer, _)| answer)
}

/// The answer to a query, within a year of pays or alone, and what the later months read of it.
pub(crate) fn answer_in(
    law: &Law,
    query: &[(String, String)],
    when: When,
    year: Option<Year>,
) -> Result<(Json<'static>, Past), Vec<Refused>> {
    // 1. Inputs, each by itself: all that are refused are reported together.
    let inputs = read_inputs(law, query)?;

    // 2. Checks and steps.
    let day = query.iter().find(|(name, _)| name == "date");
    let day = day.map_or_else(|| TODAY.to_string(), |(_, day)| day.clone());
    let Calculated {
        mut run,
        mut warnings,
    } = calculated(law, inputs, when, &day, year)?;

    warnings.extend(too_late(law, query));
    warnings.extend(in_preparation(law));

    // 3. The members of the answer, in their order.
    let mut members = fields(&mut run).map_err(|stop| reported(law, stop))?;
    let with_evidence = query.contains(&("detail".to_owned(), "true".to_owned()));
    members.push((
        "references".into(),
        Json::List(references(&run, with_evidence)),
    ));
    let unsourced = unsourced(&run);
    if !unsourced.is_empty() {
        members.push(("reserves".into(), Json::List(unsourced)));
    }

    members.extend(
        law.date
            .clone()
            .map(|date| ("bareme_en_vigueur".into(), Json::text(date))),
    );
    if !warnings.is_empty() {
        members.push(("avertissements".into(), Json::List(warnings)));
    }

    Ok((
        Json::Object(members),
        Past {
            inputs: run.inputs,
            steps: run.steps,
        },
    ))
}

/// A calculation whose steps were computed, with the warnings of its checks and of the other folders
/// that it calculated.
pub(crate) struct Calculated<'l> {
    pub run: Run<'l>,
    pub warnings: Vec<Json<'static>>,
}

/// Computes from the values of inputs.
pub(crate) fn calculated<'l>(
    law: &'l Law,
    inputs: HashMap<String, Value>,
    when: When,
    day: &str,
    year: Option<Year>,
) -> Result<Calculated<'l>, Vec<Refused>> {
    let sent = inputs
        .iter()
        .filter(|(_, value)| **value != Value::Nothing)
        .map(|(name, _)| name.clone())
        .collect();
    let mut run = Run {
        law,
        inputs,
        sent,
        steps: HashMap::new(),
        when,
        year,
        row: None,
        on: Default::default(),
        found: Vec::new(),
        day: day.to_owned(),
        called: Vec::new(),
        read: None,
        of: None,
        whole: None,
        items: HashMap::new(),
    };

    let mut warnings = match compute(&mut run).map_err(|stop| reported(law, stop))? {
        Checked::Passed(warnings) => warnings,
        Checked::Refused(inputs) => {
            return Err(inputs
                .into_iter()
                .map(|input| (input, "incompatible"))
                .collect());
        }
    };
    // The code and the sentence, whatever parameter it is about.
    let key = |warning: &Json| match warning {
        Json::Object(members) => members[..2]
            .iter()
            .map(|(_, part)| part.to_string())
            .collect(),
        other => vec![other.to_string()],
    };
    for called in run.called.iter().flat_map(|called| &called.warnings) {
        if !warnings.iter().any(|known| key(known) == key(called)) {
            warnings.push(called.clone());
        }
    }
    Ok(Calculated { run, warnings })
}

/// The parameters that are refused where a calculation stops.
fn reported(law: &Law, stop: Stop) -> Vec<Refused> {
    let first = &entries(&law.method, "inputs")[0].0.value;
    match stop {
        Stop::Impossible => vec![(first.clone(), "non_calculable")],
        Stop::NoRow(input) => vec![(input, "valeur_inconnue")],
        Stop::Refused(refused) => refused,
    }
}

/// The inputs of a query, or all those that are refused.
fn read_inputs(
    law: &Law,
    query: &[(String, String)],
) -> Result<HashMap<String, Value>, Vec<Refused>> {
    let mut refused = Vec::new();
    let mut inputs = HashMap::new();

    for (name, input) in entries(&law.method, "inputs") {
        let sent = query
            .iter()
            .find(|(known, text)| *known == name.value && !text.is_empty());
        if law.is_input_of_other_days(&name.value) {
            inputs.insert(name.value.clone(), Value::Nothing);
            refused.extend(sent.map(|(name, _)| (name.clone(), "sans_bareme")));
            continue;
        }
        let sent = sent.map(|(_, text)| text.as_str());
        let value = match group(law, &name.value) {
            Some(_) => read_list(law, &name.value, input, sent),
            None => read(&name.value, input, sent, &law.method),
        };
        match value {
            Ok(value) => drop(inputs.insert(name.value.clone(), value)),
            Err(code) => refused.push((name.value.clone(), code)),
        }
    }

    refused.extend(refused_lists(law, &inputs, &refused));

    for (name, _) in entries(&law.method, "options") {
        if law.is_left_out(&name.value) && inputs.get(&name.value) == Some(&Value::Boolean(true)) {
            refused.push((name.value.clone(), "sans_bareme"));
        }
    }

    if refused.is_empty() {
        Ok(inputs)
    } else {
        Err(refused)
    }
}

/// The figures of the options that the scale goes without.
fn left_out(law: &Law) -> impl Iterator<Item = &str> {
    let options = entries(&law.method, "options")
        .iter()
        .filter(|(name, _)| law.is_left_out(&name.value));
    options
        .flat_map(|(_, part)| entries(part, "figures"))
        .map(|(name, _)| name.value.as_str())
}

enum Checked {
    Passed(Vec<Json<'static>>),
    Refused(Vec<String>),
}

/// Defaults, the checks that read no step, the steps, the other checks.
fn compute<'l>(run: &mut Run<'l>) -> Result<Checked, Stop> {
    let law: &'l Law = run.law;
    run.lay_out_items()?;
    for (name, input) in entries(&law.method, "inputs") {
        if run.inputs[&name.value] == Value::Nothing
            && let Some(default) = text(input, "default")
        {
            // A default may read a figure that the scale goes without: nothing reads the input
            // then.
            let is_there = |figure: &str| !left_out(law).any(|name| name == figure);
            if !default.split('.').next().is_some_and(is_there) {
                continue;
            }
            run.inputs.remove(&name.value);
            let value = presence_default(input, default).map_or_else(|| run.one(default), Ok)?;
            run.inputs.insert(name.value.clone(), value);
        }
    }

    let options = entries(&law.method, "options")
        .iter()
        .map(|(name, _)| name.value.clone());
    run.on = options
        .filter(|name| run.inputs[name] == Value::Boolean(true))
        .collect();
    let parts = run.parts();
    let steps: Vec<_> = parts
        .iter()
        .flat_map(|part| entries(part, "steps"))
        .collect();
    let checks = parts
        .iter()
        .flat_map(|part| part.get("checks").map(Node::items).unwrap_or_default());
    let is_step = |word: &str| steps.iter().any(|(name, _)| name.value == word);
    let reads_step = |check: &&Node| {
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        let is_sign = |letter: char| letter == '=' || letter == '!';
        let formula = text(check, "if").unwrap();
        let words = formula.split(|letter: char| !is_name(letter) && !is_sign(letter));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        // A word of a choice may be the name of a step too: `conjoint = usufruit`.
        let is_of_choice = |place: usize| {
            place >= 2
                && ["=", "!="].contains(&words[place - 1])
                && law
                    .input(words[place - 2])
                    .is_some_and(|input| text(input, "type") == Some("choice"))
        };
        (0..words.len()).any(|place| is_step(words[place]) && !is_of_choice(place))
    };

    let (late, early): (Vec<&Node>, Vec<&Node>) = checks.partition(reads_step);
    let mut warnings = Vec::new();
    if let Some(refused) = check(run, &early, &mut warnings)? {
        return Ok(Checked::Refused(refused));
    }

    for (name, node) in steps {
        run.step(&name.value, node)?;
    }

    Ok(match check(run, &late, &mut warnings)? {
        Some(refused) => Checked::Refused(refused),
        None => Checked::Passed(warnings),
    })
}

fn check(
    run: &Run,
    checks: &[&Node],
    warnings: &mut Vec<Json<'static>>,
) -> Result<Option<Vec<String>>, Stop> {
    let mut refused = Vec::new();
    for check in checks {
        if run.is(text(check, "if").unwrap())? {
            match text(check, "warn") {
                Some(sentence) => warnings.push(warning(
                    text(check, "code").unwrap(),
                    &run.law.sentence(sentence, |formula| run.one(formula))?,
                    text(check, "input"),
                )),
                None => refused.extend(text(check, "input").map(str::to_owned)),
            }
        }
    }

    Ok((!refused.is_empty()).then_some(refused))
}

/// A warning as an answer has it.
pub(crate) fn warning(code: &str, sentence: &str, parameter: Option<&str>) -> Json<'static> {
    let members = [
        ("code", Some(code)),
        ("texte", Some(sentence)),
        ("parametre", parameter),
    ];
    let member = |(name, text): (&'static str, Option<&str>)| {
        Some((name.into(), Json::text(text?.to_owned())))
    };
    Json::Object(members.into_iter().filter_map(member).collect())
}
