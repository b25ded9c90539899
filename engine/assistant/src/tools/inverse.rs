//! `inverse`: the input for a result, such as the gross for a net.

use bareme_engine::law::{Inverse, Warning, WarningCode};
use bareme_engine::text::{BadParameter, ParameterCode, Text, nearest};
use bareme_engine::{Folder, say};
use bareme_show::schema::Parameter;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::calculation::{self, Calculated};
use super::{CALCULATION, PARAMETERS};
use crate::Assistant;
use crate::answer::{Answer, Part, object};
use crate::arguments::Arguments;
use crate::catalogue::{FixedTool, Outcome, required};
use crate::refused::ToolError;
use crate::reserves::Reserve;

/// Argument with the name of the target: the net, the cost.
const TARGET: &str = "cible";
/// Argument with the amount of the target.
const AMOUNT: &str = "montant";

pub(crate) const TOOL: FixedTool = FixedTool {
    name: "inverse",
    title: Text::new(
        "Chercher le montant qui donne un résultat",
        "Find the amount that gives a result",
    ),
    description: Text::new(
        "Cherche dans l’autre sens, au centime : le brut d’un net (`net`), le plus grand brut \
         qu’un budget paie (`cout`), le chiffre d’affaires d’un revenu.",
        "Searches the other way round, to the cent: the gross of a net (`net`), the greatest gross \
         that a budget pays (`cout`), the turnover of an income.",
    ),
    calculations: Some(|assistant, sent| {
        let question = assistant.named_question(&mut Arguments::new(sent));
        question.into_iter().collect()
    }),
    parameters,
    answers,
    call,
};

fn parameters(assistant: &Assistant) -> Vec<Parameter> {
    let lang = assistant.lang;
    let mut parameters = assistant.question();

    // Only some calculations can be searched, and the amount alone may be all that is sent.
    for parameter in &mut parameters {
        if parameter.name == CALCULATION {
            parameter.schema = json!({"type": "string", "enum": assistant.invertible()});
        }
        if parameter.name == PARAMETERS {
            parameter.is_required = false;
        }
    }

    let mut targets: Vec<&str> = assistant
        .inverses()
        .map(|inverse| inverse.parameter.name.as_str())
        .collect();
    targets.sort_unstable();
    targets.dedup();

    let text = say!(
        lang,
        "Ce qui est demandé : `net` par défaut.",
        "What is asked for; by default the first one known."
    );

    parameters.push(Parameter::optional(
        TARGET,
        text,
        json!({"type": "string", "enum": targets}),
    ));

    let text = say!(lang, "Le montant demandé.", "The amount that is asked for.");
    parameters.push(required(AMOUNT, text, json!({"type": "number"})));

    parameters
}

fn answers() -> (Value, &'static [&'static str]) {
    let (own, required) = calculation::answers();

    let mut members = object(own);

    members.insert(
        "trouve".to_owned(),
        json!({"type": "object", "description": "Le montant trouvé, sous son nom."}),
    );

    (members.into(), required)
}

impl<'r> Assistant<'r> {
    /// The inverse calculations of all the endpoints.
    fn inverses(&self) -> impl Iterator<Item = &'r Inverse> {
        let folders = self
            .endpoints
            .iter()
            .flat_map(|endpoint| self.rules.members(endpoint));
        folders.flat_map(|(_, folder): (_, &'r Folder)| folder.inverses())
    }

    /// The names of the calculations with an inverse.
    fn invertible(&self) -> Vec<&'r str> {
        let has = |endpoint: &&&bareme_engine::service::Endpoint| {
            self.rules
                .members(endpoint)
                .any(|(_, folder)| !folder.inverses().is_empty())
        };

        self.endpoints
            .iter()
            .filter(has)
            .map(|endpoint| endpoint.name.as_str())
            .collect()
    }
}

fn call(assistant: &Assistant, sent: &JsonObject) -> Outcome {
    let mut arguments = Arguments::new(sent);
    let question = assistant.named_question(&mut arguments);
    let target = arguments.text(TARGET);
    let amount = arguments.required(AMOUNT, ("un montant", "an amount"));
    let is_whole = arguments.detail();
    arguments.finish()?;

    let (Some((endpoint, pairs)), Some(amount)) = (question, amount) else {
        return Ok(Answer::default());
    };
    let mut asked = assistant.asked(endpoint, pairs)?;

    // Where the folder is not chosen yet, any target of the family may be meant: the calculation
    // then says what is missing.
    let folders: Vec<&Folder> = match asked.rules.select(endpoint, &asked.sent) {
        Ok(folder) => vec![folder],
        Err(_) => asked
            .rules
            .members(endpoint)
            .map(|(_, folder)| folder)
            .collect(),
    };

    let known: Vec<&str> = folders
        .iter()
        .flat_map(|folder| folder.inverses())
        .map(|inverse| inverse.parameter.name.as_str())
        .collect();

    // The first inverse of a method is the usual one: the gross for a net.
    let target = match (target, known.first()) {
        (Some(target), _) if known.contains(&target.as_str()) => target,
        (None, Some(first)) => (*first).to_owned(),
        (target, _) => return Err(not_inverted(target.as_deref(), &known).into()),
    };

    // To the engine the target is a parameter like any other.
    asked.sent.push((target.clone(), amount.clone()));
    let calculated = assistant
        .calculate(asked, Vec::new())
        .map_err(|refused| renamed(refused, &target))?;

    Ok(answer(&calculated, &target, &amount, is_whole, assistant))
}

fn answer(
    calculated: &Calculated,
    target: &str,
    amount: &str,
    is_whole: bool,
    assistant: &Assistant,
) -> Answer {
    let lang = assistant.lang;
    let method = calculated.found.edition().method();
    let mut answer = calculated.answer(assistant, is_whole);

    let Some(inverse) = method
        .inverses()
        .iter()
        .find(|inverse| inverse.parameter.name == target)
    else {
        return answer;
    };

    let of_field = |index: usize| {
        let name = &method.fields().get(index)?.name;
        calculated
            .found
            .fields()
            .find(|(field, _)| field.name == *name)
    };

    // 1. The amount found.
    if let Some((shown, found)) = of_field(inverse.shown) {
        let name = inverse
            .input
            .of(method.inputs())
            .map_or(shown.name.as_str(), |input| input.name.as_str());

        let value =
            bareme_show::field(shown, found, method, assistant.locale()).unwrap_or_default();
        let label = shown.label.as_deref().unwrap_or(name);
        let line = say!(lang, "Trouvé, {label} : {value}", "Found, {label}: {value}");

        answer.head.push(Part::new(
            "trouve",
            json!({name: bareme_show::json::value(found.datum())}),
            line,
        ));
    }

    // 2. A result that is not the one asked for, unless the engine has warned of it.
    // A search ends at the nearest amount on the grid of the input.
    let reached = of_field(inverse.field).and_then(|(_, found)| found.number());
    let asked = amount.parse().ok();
    let inexact = WarningCode::Inexact;
    let is_reported = || {
        calculated
            .found
            .warnings()
            .iter()
            .any(|warning| *warning.code == *inexact.as_str())
    };

    if let (Some(reached), Some(asked)) = (reached, asked)
        && reached != asked
        && !is_reported()
    {
        let [reached, asked] = [reached, asked].map(Text::from);
        let sentence = say!(
            "Aucun montant ne donne exactement {asked} : le plus proche qui convient donne \
             {reached}.",
            "No amount gives exactly {asked}: the nearest that fits gives {reached}.";
            asked, reached
        );
        let warning = Warning::new(inexact, sentence).about(target);
        answer
            .reserves
            .insert(0, Reserve::of_warning(&warning, lang));
    }

    answer
}

/// The problem of a target that this calculation does not have.
fn not_inverted(target: Option<&str>, known: &[&str]) -> BadParameter {
    let near = target.and_then(|target| nearest(target, known.iter().copied()));

    let reason = match (known.is_empty(), near) {
        (true, _) => say!(
            "Ce calcul ne se cherche pas dans l’autre sens.",
            "This calculation cannot be searched."
        ),
        (false, Some(near)) => say!(
            "Inconnu ; vouliez-vous dire `{near}` ?",
            "Unknown; did you mean `{near}`?"
        ),
        (false, None) => say!(
            "Ce calcul ne le cherche pas.",
            "This calculation does not search for it."
        ),
    };

    BadParameter::new(
        TARGET,
        ParameterCode::UnknownValue,
        reason,
        target,
        Text::same(known.join(", ")),
    )
}

/// A refusal in which the target has the name of the argument.
fn renamed(refused: ToolError, target: &str) -> ToolError {
    let ToolError::Parameters(mut bad) = refused else {
        return refused;
    };

    // The caller sent `montant`, and knows no parameter of the name of the target.
    for bad in bad.iter_mut().filter(|bad| bad.name == target) {
        AMOUNT.clone_into(&mut bad.name);
    }
    ToolError::Parameters(bad)
}
