//! `comparer`: two dates, two countries or two situations side by side.

use bareme_engine::law::parameter::OF_THE_DAY;
use bareme_engine::text::Text;
use bareme_engine::{Lang, say};
use bareme_show::field;
use bareme_show::json::number;
use bareme_show::schema::Parameter;
use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

use super::calculation::Calculated;
use crate::Assistant;
use crate::answer::{Answer, Part, Parts};
use crate::arguments::Arguments;
use crate::catalogue::{FixedTool, Outcome, Sent, required};
use crate::laws::is_of_law;
use crate::reserves::{Nature, Reserve};

/// Argument with the parameters that differ in the second query.
const OTHER: &str = "avec";
/// Argument with the calculation of the second query, where it is another.
const OTHER_CALCULATION: &str = "calcul_avec";

pub(crate) const TOOL: FixedTool = FixedTool {
    name: "comparer",
    title: Text::new("Comparer deux calculs", "Compare two calculations"),
    description: Text::new(
        "Calcule deux fois et compare : deux dates, deux pays, deux situations. `avec` dit ce qui \
         change dans le second calcul ; le reste est repris du premier.",
        "Calculates twice and compares: two dates, two countries, two situations. `avec` says what \
         differs in the second calculation; the rest is that of the first.",
    ),
    calculations: Some(|assistant, sent| {
        let questions = questions(assistant, sent, &mut Arguments::new(sent));
        questions.into_iter().flatten().collect()
    }),
    parameters,
    answers,
    call,
};

fn parameters(assistant: &Assistant) -> Vec<Parameter> {
    let lang = assistant.lang;
    let mut parameters = assistant.question();

    parameters.push(required(
        OTHER,
        say!(
            lang,
            "Ce qui change : `{{\"date\": \"2025-06-30\"}}`, `{{\"pays\": \"sn\"}}` ; `null` \
             retire un paramètre.",
            "What differs: `{{\"date\": \"2025-06-30\"}}`, `{{\"pays\": \"sn\"}}`; `null` takes a \
             parameter away."
        ),
        json!({"type": "object"}),
    ));

    parameters.push(Parameter::optional(
        OTHER_CALCULATION,
        say!(
            lang,
            "Nom du second calcul, si c’en est un autre : il ne prend alors que les paramètres de \
             `avec`.",
            "Name of the second calculation, if it is another one: it then takes only the \
             parameters of `avec`."
        ),
        json!({"type": "string", "enum": assistant.calculations()}),
    ));

    parameters
}

fn answers() -> (Value, &'static [&'static str]) {
    let text = json!({"type": "string"});
    let side = json!({
        "type": "object",
        "properties": {
            "titre": text,
            "reponse": {"type": "object"},
            "bareme_du": text,
            "version": text,
            "citation": text,
            "lien": text,
        },
        "required": ["titre", "reponse", "citation", "lien"],
    });

    let own = json!({
        "premier": side,
        "second": side,
        "ecarts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"champ": text, "libelle": text, "ecart": {}},
            },
        },
    });

    (own, &["premier", "second", "ecarts"])
}

fn call(assistant: &Assistant, sent: &JsonObject) -> Outcome {
    let mut arguments = Arguments::new(sent);
    let questions = questions(assistant, sent, &mut arguments);
    let is_whole = arguments.detail();

    if sent.get(OTHER).is_none_or(Value::is_null) {
        let expected = ("ce qui change, un objet", "what differs, an object");
        arguments.refuse(crate::refused::missing(OTHER, expected.into()));
    }

    arguments.finish()?;

    let Some([first, second]) = questions else {
        return Ok(Answer::default());
    };

    // Both are computed before they are compared, so that a refusal of either is the answer.
    let calculated = |(endpoint, sent)| {
        let asked = assistant.asked(endpoint, sent)?;
        assistant.calculate(asked, Vec::new())
    };
    let (first, second) = (calculated(first)?, calculated(second)?);

    Ok(compared(assistant, &first, &second, is_whole))
}

/// The two calculations; none where one of them cannot be found.
fn questions<'r>(
    assistant: &Assistant<'r>,
    sent: &JsonObject,
    arguments: &mut Arguments,
) -> Option<[Sent<'r>; 2]> {
    let first = assistant.named_question(arguments);
    let changed = arguments.parameters(OTHER);

    let is_other = arguments.text(OTHER_CALCULATION);
    // Without another calculation, both queries are for the same one.
    let other = match &is_other {
        None => first.as_ref().map(|(endpoint, _)| *endpoint),
        Some(name) => assistant.endpoint_named(name, OTHER_CALCULATION, arguments),
    };

    // `null` is no value of a parameter for `parameters`, which leaves it out: here it takes one
    // away.
    let taken_away = sent
        .get(OTHER)
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    let taken_away: Vec<&String> = taken_away
        .filter(|(_, value)| value.is_null())
        .map(|(name, _)| name)
        .collect();

    let first = first?;
    let second = second(&first.1, changed, &taken_away, is_other.is_some());
    Some([first, (other?, second)])
}

/// The second query: the parameters that differ, and the others of the first one, as far as another
/// calculation has them.
fn second(
    first: &[(String, String)],
    changed: Vec<(String, String)>,
    taken_away: &[&String],
    is_another: bool,
) -> Vec<(String, String)> {
    // Another calculation has other parameters: it takes none of the first.
    let is_kept = |(name, _): &&(String, String)| {
        let is_changed = changed.iter().any(|(own, _)| own == name) || taken_away.contains(&name);
        // `date` in one query replaces `annee` of the other, and conversely; so do the two names
        // of a law.
        let is_of_the_day = |name: &String| OF_THE_DAY.contains(&name.as_str());
        let is_of_law = |name: &String| is_of_law(name);
        let both = |is_such: &dyn Fn(&String) -> bool| {
            is_such(name) && changed.iter().any(|(own, _)| is_such(own))
        };
        let is_replaced = both(&is_of_the_day) || both(&is_of_law);
        !is_changed && !is_replaced && !is_another
    };

    first
        .iter()
        .filter(is_kept)
        .cloned()
        .chain(changed.clone())
        .collect()
}

fn compared(
    assistant: &Assistant,
    first: &Calculated,
    second: &Calculated,
    is_whole: bool,
) -> Answer {
    let lang = assistant.lang;

    // A doubt about both is listed once.
    let mut reserves = first.reserves(assistant);
    for reserve in second.reserves(assistant) {
        if !reserves.contains(&reserve) {
            reserves.push(reserve);
        }
    }

    let (one, other) = (first.currency(), second.currency());

    // Amounts of two currencies have no difference: it would need a rate of exchange of some day.
    let is_same_currency = one == other;
    if !is_same_currency {
        let (one, other) = (one.unwrap_or_default(), other.unwrap_or_default());
        let text = say!(
            lang,
            "Les montants sont en {one} et en {other} : aucun écart n’est calculé entre deux \
             monnaies.",
            "The amounts are in {one} and in {other}: no difference is computed between two \
             currencies."
        );
        reserves.insert(0, Reserve::new(Nature::NotCovered, text));
    }

    let differences = if is_same_currency {
        differences(assistant, first, second)
    } else {
        Vec::new()
    };

    Answer {
        head: vec![
            side("premier", first, assistant),
            side("second", second, assistant),
        ],
        list: Parts {
            name: "ecarts",
            is_object: false,
            parts: differences,
            fewest: 1,
        },
        reserves,
        tail: Vec::new(),
        is_whole,
    }
}

/// One of the two calculations: principal fields, scale, citation, link.
fn side(name: &str, calculated: &Calculated, assistant: &Assistant) -> Part {
    let method = calculated.found.edition().method();
    let principal = calculated.principal();

    let (mut fields, mut shown) = (Map::new(), Vec::new());
    for name in &principal {
        let Some((known, found)) = calculated
            .found
            .fields()
            .find(|(field, _)| field.name == *name)
        else {
            continue;
        };

        fields.insert((*name).to_owned(), bareme_show::json::value(found.datum()));
        if let Some(value) = field(known, found, method, assistant.locale()) {
            let label = known.label.as_deref().unwrap_or(name);
            shown.push(say!(
                assistant.lang,
                "{label} : {value}",
                "{label}: {value}"
            ));
        }
    }

    let mut members = Map::new();
    members.insert("titre".to_owned(), method.title.as_str().into());
    members.insert("reponse".to_owned(), Value::Object(fields));

    // The last day checked is a doubt, which the reserves have.
    let tail = calculated
        .tail(assistant)
        .into_iter()
        .filter(|part| part.name != "verifie_jusqu_au");
    members.extend(tail.map(|part| (part.name, part.value)));

    let of_scale = calculated
        .found
        .edition()
        .scale()
        .map(|scale| assistant.locale().day(scale.date));
    let of_scale = of_scale
        .map(|day| say!(assistant.lang, ", barème du {day}", ", scale of {day}"))
        .unwrap_or_default();

    let shown = shown.join(" ; ");
    let title = &method.title;

    Part::new(
        name,
        Value::Object(members),
        say!(
            assistant.lang,
            "{title}{of_scale} : {shown}",
            "{title}{of_scale}: {shown}"
        ),
    )
}

/// The numbers that differ between the answers, principal ones first.
fn differences(assistant: &Assistant, first: &Calculated, second: &Calculated) -> Vec<Part> {
    let principal = first.principal();
    let method = first.found.edition().method();

    let mut found: Vec<(usize, Part)> = Vec::new();
    for (known, value) in first
        .found
        .fields()
        .filter(|(field, _)| field.json_type() == "number")
    {
        // Only a field that both answers have can differ.
        let both = value.number().zip(
            second
                .found
                .field(&known.name)
                .and_then(|value| value.number()),
        );

        let Some(difference) = both
            .and_then(|(one, other)| other.checked_sub(one))
            .filter(|found| !found.is_zero())
        else {
            continue;
        };

        let label = known.label.as_deref().unwrap_or(&known.name);
        let datum = bareme_engine::Datum::Number(difference);
        let shown = field::value(known, datum, method, assistant.locale());
        // A negative number has its sign already.
        let sign = if difference.is_sign_positive() {
            "+"
        } else {
            ""
        };
        let line = match assistant.lang {
            Lang::Fr => format!("Écart, {label} : {sign}{shown}"),
            Lang::En => format!("Difference, {label}: {sign}{shown}"),
        };

        let described = json!({"champ": known.name, "libelle": label, "ecart": number(difference)});
        let rank = principal
            .iter()
            .position(|name| *name == known.name)
            .unwrap_or(principal.len());

        found.push((rank, Part::new("", described, line)));
    }

    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, part)| part).collect()
}
