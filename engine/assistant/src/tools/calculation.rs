//! The tool of an endpoint: a calculation.

use bareme_engine::law::parameter::{DETAIL, VERSION};
use bareme_engine::law::{Field, FieldValue, Reference, Source};
use bareme_engine::run::Edition;
use bareme_engine::service::Endpoint;
use bareme_engine::text::BadParameter;
use bareme_engine::{Calculation, CalculationError, Datum, Folder, Lang, say};
use bareme_show::schema::Member;
use bareme_show::{field, json};
use jiff::civil::Date;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use crate::Assistant;
use crate::answer::{Answer, Part, Parts, object};
use crate::arguments::{Arguments, pairs};
use crate::catalogue::Outcome;
use crate::laws::Asked;
use crate::refused::ToolError;
use crate::reserves::{self, Reserve};

/// A calculation with its query.
#[derive(Debug)]
pub(crate) struct Calculated<'r> {
    pub asked: Asked<'r>,
    pub folder: &'r Folder,
    pub found: Calculation<'r>,
}

/// Answers a call of the tool of an endpoint.
pub(crate) fn call<'r>(
    assistant: &Assistant<'r>,
    endpoint: &'r Endpoint,
    sent: &JsonObject,
) -> Outcome {
    let (pairs, mut bad) = pairs_of(sent);

    let mut arguments = Arguments::new(sent);
    let is_whole = arguments.detail();
    // Unknown names are left to the engine, which knows the parameters of the folder and of the
    // day.
    bad.extend(arguments.into_mistakes());

    let asked = assistant.asked(endpoint, pairs)?;
    Ok(assistant.calculate(asked, bad)?.answer(assistant, is_whole))
}

/// The parameters of the calculation in the arguments: all of them but `detail`; then those that
/// cannot be read.
pub(crate) fn pairs_of(sent: &JsonObject) -> (Vec<(String, String)>, Vec<BadParameter>) {
    pairs(sent, &[DETAIL])
}

/// Description of the tool of an endpoint.
pub(crate) fn description(endpoint: &Endpoint, members: &[Member], lang: Lang) -> String {
    let (title, words) = (&endpoint.title, endpoint.search.join(", "));

    // The days for which there are scales, so that a model asks for no other.
    let scales = members
        .iter()
        .flat_map(|(_, folder)| folder.editions())
        .filter_map(Edition::scale);
    let days: Vec<Date> = scales.map(|scale| scale.date).collect();

    let since = match (days.iter().min(), days.iter().max()) {
        (Some(first), Some(last)) => say!(
            lang,
            " Barèmes du {first} au {last}, et après lui tant que rien ne change.",
            " Scales from {first} to {last}, and on as long as nothing changes."
        ),
        _ => String::new(),
    };

    let words = if words.is_empty() {
        words
    } else {
        say!(lang, " Mots : {words}.", " Words: {words}.")
    };

    say!(
        lang,
        "{title} : calcule, et dit la date du barème, sa citation et ce qui n’est pas sûr \
         (`reserves`).{since}{words}",
        "{title}: calculates, and says the date of the scale, its citation and what is not certain \
         (`reserves`).{since}{words}"
    )
}

/// The members of its answers, as a schema.
pub(crate) fn answers() -> (Value, &'static [&'static str]) {
    let text = json!({"type": "string"});

    let own = json!({
        "calcul": text,
        "titre": text,
        "reponse": {
            "type": "object",
            "description": "Champs de la réponse, les principaux d’abord.",
        },
        "bareme_du": text,
        "verifie_jusqu_au": text,
        "version": text,
        "citation": text,
        "lien": text,
        "sources": {"type": "array", "items": {"type": "object"}},
    });

    (
        own,
        &["calcul", "titre", "reponse", VERSION, "citation", "lien"],
    )
}

impl<'r> Assistant<'r> {
    /// Calculates the answer to a query; `bad` are the parameters that could not be read.
    ///
    /// # Errors
    /// Every parameter that cannot be used, or another reason.
    pub(crate) fn calculate(
        &self,
        asked: Asked<'r>,
        mut bad: Vec<BadParameter>,
    ) -> Result<Calculated<'r>, ToolError> {
        let (rules, endpoint, sent) = (asked.rules, asked.endpoint, asked.pairs());

        // A folder whose files have errors is no mistake of the caller.
        if let Some(held) = rules.absent_for(endpoint, || sent.clone()) {
            return Err(held.into());
        }

        let found = match rules.calculate(endpoint, &sent, self.today) {
            Ok(found) if bad.is_empty() => found,
            // The engine did not see the unreadable arguments, and answered without them.
            Ok(_) => return Err(ToolError::Parameters(bad)),
            Err(CalculationError::Refused(refusal)) => {
                // To the engine, an unreadable argument is a missing one: its refusal is dropped.
                let known: Vec<String> = bad.iter().map(|bad| bad.name.clone()).collect();

                bad.extend(
                    refusal
                        .parameters
                        .into_iter()
                        .filter(|other| !known.contains(&other.name)),
                );
                return Err(ToolError::Parameters(bad));
            }
            Err(fault) => return Err(fault.into()),
        };

        // The engine has accepted the word, so that this finds the folder that it calculated with.
        let folder = rules
            .select(endpoint, &sent)
            .map_err(|refusal| ToolError::Parameters(refusal.parameters))?;

        Ok(Calculated {
            asked,
            folder,
            found,
        })
    }
}

impl Calculated<'_> {
    /// The answer of the tool: the fields, principal ones first.
    pub(crate) fn answer(&self, assistant: &Assistant, is_whole: bool) -> Answer {
        let title = &self.found.edition().method().title;

        let (parts, fewest) = self.fields(assistant, is_whole);
        let mut tail = self.tail(assistant);

        if is_whole {
            // Sources are long: only a detailed answer lists them; the citation names the main
            // ones.
            let sources: Vec<Value> = self.found.references().iter().map(cited).collect();
            tail.push(Part::new("sources", sources, ""));
        }

        Answer {
            head: vec![
                Part::new("calcul", self.asked.endpoint.name.as_str(), ""),
                Part::new("titre", title.as_str(), title),
            ],
            list: Parts {
                name: "reponse",
                is_object: true,
                parts,
                fewest,
            },
            reserves: self.reserves(assistant),
            tail,
            is_whole,
        }
    }

    /// The reserves of the calculation.
    pub(crate) fn reserves(&self, assistant: &Assistant) -> Vec<Reserve> {
        reserves::of_calculation(&self.found, assistant.lang)
    }

    /// Names of the principal fields, in order.
    pub(crate) fn principal(&self) -> Vec<&str> {
        let method = self.found.edition().method();
        // The headlines are what readers come for; without any, what a search can reach; without
        // that, the first field.
        let headlines = method.headlines().iter().map(|headline| headline.field);
        let inverses = method.inverses().iter().map(|inverse| inverse.field);
        let mut indices: Vec<usize> = headlines.collect();

        if indices.is_empty() {
            indices.extend(inverses);
        }
        if indices.is_empty() {
            indices.push(0);
        }

        let names = indices
            .into_iter()
            .filter_map(|index| Some(method.fields().get(index)?.name.as_str()));
        names
            .filter(|name| self.found.field(name).is_some_and(is_single))
            .collect()
    }

    /// The fields, principal ones first, with the number of these; lists only in a detailed answer.
    fn fields(&self, assistant: &Assistant, is_whole: bool) -> (Vec<Part>, usize) {
        let principal = self.principal();

        let mut fields: Vec<(&Field, &FieldValue)> = self
            .found
            .fields()
            .filter(|(_, found)| is_whole || is_single(found))
            .collect();

        let rank = |field: &Field| {
            principal
                .iter()
                .position(|name| *name == field.name)
                .unwrap_or(principal.len())
        };

        // A short answer is cut from its end: the principal fields must come first.
        fields.sort_by_key(|(field, _)| rank(field));
        (
            fields
                .into_iter()
                .map(|(field, found)| self.part(field, found, assistant))
                .collect(),
            principal.len(),
        )
    }

    fn part(&self, known: &Field, found: &FieldValue, assistant: &Assistant) -> Part {
        let shown = field(
            known,
            found,
            self.found.edition().method(),
            assistant.locale(),
        );

        let label = known.label.as_deref().unwrap_or(&known.name);
        let line = shown.map(|shown| say!(assistant.lang, "{label} : {shown}", "{label}: {shown}"));

        Part::new(
            &known.name,
            json::value(found.datum()),
            line.unwrap_or_default(),
        )
    }

    /// The last members of an answer: scale, citation, link to the same calculation on the site.
    pub(crate) fn tail(&self, assistant: &Assistant) -> Vec<Part> {
        let (lang, edition) = (assistant.lang, self.found.edition());
        let link = assistant.link(&self.asked, self.folder);

        let mut tail = of_scale(edition, assistant);

        let version = edition.version();
        tail.push(Part::new(
            VERSION,
            version,
            say!(
                lang,
                "Version du droit : {version}",
                "Version of the law: {version}"
            ),
        ));
        tail.push(Part::new(
            "citation",
            edition.citation(),
            edition.citation(),
        ));
        tail.push(Part::new(
            "lien",
            link.as_str(),
            say!(lang, "Même calcul : {link}", "The same calculation: {link}"),
        ));

        tail
    }

    /// The currency of its amounts.
    pub(crate) fn currency(&self) -> Option<String> {
        /// The field of an answer with the currency, where the method has no currency.
        const FIELD: &str = "devise";

        // A method for several countries tells the currency by a field.
        let own = self.found.edition().method().currency.clone();
        own.or_else(|| match self.found.field(FIELD)?.datum() {
            Datum::Text(code) => Some(code.to_owned()),
            _ => None,
        })
    }
}

/// First day of a scale, and the last day that it was checked for.
pub(super) fn of_scale(edition: &Edition, assistant: &Assistant) -> Vec<Part> {
    let Some(scale) = edition.scale() else {
        return Vec::new();
    };

    let (since, until) = (
        assistant.locale().day(scale.date),
        assistant.locale().day(scale.known_until),
    );

    let line = say!(
        assistant.lang,
        "Barème du {since}, vérifié jusqu’au {until}",
        "Scale of {since}, verified until {until}"
    );

    vec![
        Part::new("bareme_du", scale.date.to_string(), line),
        Part::new("verifie_jusqu_au", scale.known_until.to_string(), ""),
    ]
}

fn is_single(found: &FieldValue) -> bool {
    matches!(found, FieldValue::Scalar(_))
}

fn cited(reference: &Reference) -> Value {
    source(reference.source)
}

/// A legal text or an official page as a member.
pub(super) fn source(source: &Source) -> Value {
    object(json!({"titre": source.cited(), "editeur": source.publisher, "url": source.url})).into()
}
