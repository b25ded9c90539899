//! Refusals of tools: everything missing or wrong at once, with the codes of the API.

use bareme_engine::run::InternalFault;
use bareme_engine::service::Held;
use bareme_engine::text::{BadParameter, ParameterCode, Text, nearest};
use bareme_engine::{CalculationError, Lang, say};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use crate::answer;
use crate::laws::{LawError, UnknownLaw};
use crate::reserves::Nature;

/// Why a tool gives no answer.
#[derive(Debug)]
pub(crate) enum ToolError {
    /// Parameters that are missing or cannot be used.
    Parameters(Vec<BadParameter>),
    /// Nothing is kept of the law that the call names.
    UnknownLaw(UnknownLaw),
    /// The scale is not available, since its files have errors.
    Absent(String),
    /// A defect of the engine, which the caller cannot correct.
    Internal(InternalFault),
}

impl From<BadParameter> for ToolError {
    fn from(bad: BadParameter) -> Self {
        Self::Parameters(vec![bad])
    }
}

impl From<LawError> for ToolError {
    fn from(error: LawError) -> Self {
        match error {
            LawError::Parameters(bad) => Self::Parameters(bad),
            LawError::Unknown(unknown) => Self::UnknownLaw(unknown),
        }
    }
}

impl From<&Held> for ToolError {
    fn from(held: &Held) -> Self {
        Self::Absent(held.folder.clone())
    }
}

impl From<CalculationError> for ToolError {
    fn from(error: CalculationError) -> Self {
        match error {
            CalculationError::Refused(refusal) => Self::Parameters(refusal.parameters),
            CalculationError::Internal(fault) => Self::Internal(fault),
        }
    }
}

/// The problem of an unknown name, with the one that may have been meant.
pub(crate) fn unknown(name: &str, received: &str, known: &[&str]) -> BadParameter {
    let near = nearest(received, known.iter().copied())
        .map(str::to_owned)
        .filter(|near| near != received);

    let reason = match near {
        Some(near) => say!(
            "Inconnu ; vouliez-vous dire `{near}` ?",
            "Unknown; did you mean `{near}`?"
        ),
        None => say!(
            "Inconnu : aucun barème n’y répond.",
            "Unknown: no scale answers it."
        ),
    };

    let expected = Text::same(known.join(", "));
    BadParameter::new(
        name,
        ParameterCode::UnknownValue,
        reason,
        Some(received),
        expected,
    )
}

/// The problem of a missing parameter.
pub(crate) fn missing(name: &str, expected: Text<String>) -> BadParameter {
    let reason = (
        "Paramètre obligatoire, absent.",
        "A required parameter is missing.",
    );
    BadParameter::new(name, ParameterCode::Missing, reason, None, expected)
}

impl ToolError {
    /// The result of a refused call: text, and the members of a problem of the API.
    pub(crate) fn into_result(self, lang: Lang) -> CallToolResult {
        let (code, detail, nature, parameters) = match self {
            Self::UnknownLaw(unknown) => return unknown_law(&unknown, lang),
            Self::Parameters(bad) => {
                let nature = nature(&bad);
                ("parametres_invalides", detail(nature, lang), nature, bad)
            }
            Self::Absent(folder) => {
                let sentence = say!(
                    lang,
                    "Le barème `{folder}` ne peut pas répondre en ce moment : ses fichiers ont des \
                     erreurs.",
                    "The scale `{folder}` cannot answer at the moment: its files have errors."
                );
                ("bareme_indisponible", sentence, "indisponible", Vec::new())
            }
            Self::Internal(fault) => (
                "erreur_interne",
                fault.to_string(),
                "erreur_interne",
                Vec::new(),
            ),
        };

        // The accepted values may be long, and the schema of the tool has them: they are shortened
        // first.
        let laid_out = |expected_length: usize| {
            text_and_members(code, nature, &detail, &parameters, expected_length, lang)
        };

        let mut result = laid_out(usize::MAX);
        for length in EXPECTED_LENGTHS {
            if answer::length(&result) <= answer::MAX_ANSWER_LENGTH {
                break;
            }
            result = laid_out(length);
        }

        result
    }
}

/// The refusal of a law that nothing is kept of, with what is kept.
fn unknown_law(unknown: &UnknownLaw, lang: Lang) -> CallToolResult {
    let nature = Nature::NotCovered.code();
    let detail = unknown.detail.in_lang(lang);
    let mut result = text_and_members(unknown.code, nature, detail, &[], usize::MAX, lang);

    let versions = unknown.versions.join(", ");
    if !versions.is_empty() {
        let line = say!(lang, "Versions : {versions}.", "Versions: {versions}.");
        result.content.push(ContentBlock::text(line));
    }
    if let Some(Value::Object(members)) = &mut result.structured_content {
        members.insert("versions".to_owned(), json!(unknown.versions));
        members.insert("conservees_depuis".to_owned(), json!(unknown.since));
    }
    result
}

/// Lengths, in characters, to which the accepted values are shortened, in turn, until a refusal
/// fits; the schema of the tool has them all.
const EXPECTED_LENGTHS: [usize; 3] = [400, 120, 40];

/// Greatest number of mistakes listed in one refusal: further ones are counted.
const MAX_LISTED: usize = 32;

/// The refusal as text and as members.
fn text_and_members(
    code: &str,
    nature: &str,
    detail: &str,
    parameters: &[BadParameter],
    expected_length: usize,
    lang: Lang,
) -> CallToolResult {
    let mut text = detail.to_owned();
    let mut described: Vec<Value> = Vec::new();

    for bad in parameters.iter().take(MAX_LISTED) {
        let (name, reason) = (&bad.name, bad.reason.in_lang(lang));
        let expected = answer::shortened(bad.expected.in_lang(lang), expected_length);

        let sent = bad.received.as_deref();
        let sent = sent
            .map(|sent| say!(lang, " Reçu : {sent}.", " Received: {sent}."))
            .unwrap_or_default();

        text.push_str(&say!(
            lang,
            "\n- `{name}` : {reason}{sent}",
            "\n- `{name}`: {reason}{sent}"
        ));

        if !expected.is_empty() {
            text.push_str(&say!(
                lang,
                " Attendu : {expected}.",
                " Expected: {expected}."
            ));
        }

        described.push(json!({
            "nom": name,
            "code": bad.code.as_str(),
            "motif": reason,
            "valeur_recue": bad.received,
            "attendu": expected,
        }));
    }

    // A call with hundreds of mistakes gets as long an answer as one with `MAX_LISTED`.
    let rest = parameters.len().saturating_sub(described.len());
    if rest > 0 {
        text.push_str(&say!(
            lang,
            "\n- Autres erreurs : {rest}.",
            "\n- Other mistakes: {rest}."
        ));
    }

    let rest = (rest > 0).then_some(rest);
    let members = json!({
        "code": code, "nature": nature, "detail": detail, "parametres": described, "autres": rest,
    });

    // By the protocol a call that fails is a result marked as an error, which the model reads.
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content = Some(Value::Object(answer::object(members)));
    result
}

/// Nature of a refusal: not covered by any scale, incomplete, or incorrect.
fn nature(bad: &[BadParameter]) -> &'static str {
    let is_any = |codes: &[ParameterCode]| bad.iter().any(|bad| codes.contains(&bad.code));
    // A question that no scale covers comes before one that can be corrected: the model must not go
    // on guessing.
    if is_any(&[
        ParameterCode::NoScale,
        ParameterCode::UnknownValue,
        ParameterCode::NotComputable,
    ]) {
        Nature::NotCovered.code()
    } else if !bad.is_empty() && bad.iter().all(|bad| bad.code == ParameterCode::Missing) {
        // The assistant can ask the user for parameters that are only missing.
        "incomplet"
    } else {
        "incorrect"
    }
}

fn detail(nature: &str, lang: Lang) -> String {
    match nature {
        "non_couvert" => say!(
            lang,
            "Non couvert : aucun montant n’est donné.",
            "Not covered: no amount is given."
        ),
        "incomplet" => say!(
            lang,
            "Il manque de quoi calculer.",
            "Something is missing for the calculation."
        ),
        _ => say!(
            lang,
            "Des paramètres ne peuvent pas servir.",
            "Some parameters cannot be used."
        ),
    }
}
