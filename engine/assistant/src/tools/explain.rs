//! `expliquer`: a calculation step by step in words, with the articles of the law.

use bareme_engine::law::Method;
use bareme_engine::run::{StepResult, StepTrace};
use bareme_engine::say;
use bareme_engine::text::Text;
use bareme_show::{steps, trace};
use rmcp::model::JsonObject;
use rust_decimal::Decimal;
use serde_json::{Map, Value, json};

use crate::Assistant;
use crate::answer::{Answer, Part, Parts};
use crate::arguments::Arguments;
use crate::catalogue::{FixedTool, Outcome};

pub(crate) const TOOL: FixedTool = FixedTool {
    name: "expliquer",
    title: Text::new("Expliquer un calcul", "Explain a calculation"),
    description: Text::new(
        "Explique un calcul étape par étape : ce que chaque étape vaut, comment elle se calcule, \
         et l’article de loi.",
        "Explains a calculation step by step: what each step is worth, how it is computed, and the \
         article of law.",
    ),
    calculations: Some(|assistant, sent| {
        let question = assistant.named_question(&mut Arguments::new(sent));
        question.into_iter().collect()
    }),
    parameters: |assistant| assistant.question(),
    answers,
    call,
};

fn answers() -> (Value, &'static [&'static str]) {
    let text = json!({"type": "string"});

    let step = json!({
        "type": "object",
        "properties": {
            "etape": text,
            "resultat": text,
            "article": text,
            "calcul": text,
            "avec": {"type": "object"},
        },
        "required": ["etape", "resultat"],
    });

    let own = json!({
        "calcul": text, "titre": text, "etapes": {"type": "array", "items": step},
        "bareme_du": text, "verifie_jusqu_au": text, "version": text, "citation": text,
        "lien": text,
    });

    (own, &["calcul", "titre", "etapes", "citation", "lien"])
}

fn call(assistant: &Assistant, sent: &JsonObject) -> Outcome {
    let mut arguments = Arguments::new(sent);
    let question = assistant.named_question(&mut arguments);
    let is_whole = arguments.detail();
    arguments.finish()?;

    let Some((endpoint, pairs)) = question else {
        return Ok(Answer::default());
    };

    let asked = assistant.asked(endpoint, pairs)?;
    let calculated = assistant.calculate(asked, Vec::new())?;

    let method = calculated.found.edition().method();
    let shown = calculated
        .found
        .steps()?
        .iter()
        .filter(|trace| trace.applied && (is_whole || counts(trace)));

    // In the order of the payslip, which is that of the method.
    let parts: Vec<Part> = shown
        .map(|trace| part(trace, method, is_whole, assistant))
        .collect();

    let Answer {
        head,
        list,
        reserves,
        tail,
        ..
    } = calculated.answer(assistant, false);

    // The result comes before the steps, as lines only: its members are those of the calculation’s
    // own tool.
    let result = list.parts.into_iter().take(list.fewest.min(2));
    let result = result.map(|part| Part {
        value: Value::Null,
        ..part
    });

    Ok(Answer {
        head: head.into_iter().chain(result).collect(),
        list: Parts {
            name: "etapes",
            is_object: false,
            parts,
            fewest: 1,
        },
        reserves,
        tail,
        is_whole,
    })
}

/// Whether a short explanation shows a step: it cites the law, and its result is not zero.
fn counts(trace: &StepTrace) -> bool {
    let is_nothing = match &trace.result {
        StepResult::Value(found, _) => found.datum().number() == Some(Decimal::ZERO),
        StepResult::Outputs(_) => false,
    };

    trace.step.law.is_some() && !is_nothing
}

fn part(found: &StepTrace, method: &Method, is_whole: bool, assistant: &Assistant) -> Part {
    let (lang, locale) = (assistant.lang, assistant.locale());
    let (title, result) = (found.title(method), trace::result(found, method, locale));

    let mut described = Map::from_iter([
        ("etape".to_owned(), title.as_ref().into()),
        ("resultat".to_owned(), result.clone().into()),
    ]);

    let mut line = say!(lang, "- {title} : {result}", "- {title}: {result}");
    if let Some(law) = &found.step.law {
        line.push_str(&format!(" ({law})"));
        described.insert("article".into(), law.as_str().into());
    }

    if is_whole {
        // The formula is long: only a detailed explanation shows it.
        let sentence = steps::sentence(method, found.step, lang);
        line.push_str(&say!(
            lang,
            "\n  Calcul : {sentence}",
            "\n  Computation: {sentence}"
        ));
        described.insert("calcul".into(), sentence.into());

        let details = trace::details(found, method, locale);
        for (label, value) in &details {
            line.push_str(&say!(lang, "\n  {label} : {value}", "\n  {label}: {value}"));
        }
        described.insert(
            "avec".into(),
            details
                .into_iter()
                .map(|(label, value)| (label, Value::String(value)))
                .collect(),
        );
    }

    Part::new("", Value::Object(described), line)
}
