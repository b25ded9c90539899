//! The operations of the calculations: one for each endpoint, and in a family one more for each
//! folder, whose path selects it; then the year of pays of the folders that compute one.
//!
//! That of the family has the parameters of all its folders, with schemas that hold for all of
//! them, so that a client can choose among them at run time; that of a folder has its own
//! parameters, bounds and answer.

use std::borrow::Cow;

use bareme_engine::service::{Endpoint, Rules, Service, Variant};
use bareme_show::schema::Member;
use jiff::civil::Date;
use serde_json::{Map, Value, json};

use super::{answers, names, parameters, responses, years};
use crate::calls::calculate;
use crate::calls::called_calculation::CalledCalculation;
use crate::wire::query::Query;

/// The tag of their operations.
pub(super) const TAG: &str = "calculs";

/// A calculation: how it is called, and the folders that answer.
pub(super) struct Calculation<'r> {
    pub called: CalledCalculation<'r>,
    members: Vec<Member<'r>>,
}

/// The calculations of a variant. An absent folder has no parameters to describe: it answers 503.
pub(super) fn all<'r>(rules: &'r Rules, variant: &'r Variant) -> Vec<Calculation<'r>> {
    let of_endpoint = |endpoint: &'r Endpoint| {
        // The endpoint itself, then each member by its own path, then the years.
        let members: Vec<Member> = rules.members(endpoint).collect();

        let of_one = |(word, folder): &Member<'r>, year| Calculation {
            called: CalledCalculation {
                endpoint,
                word: *word,
                year,
            },
            members: vec![(*word, *folder)],
        };

        let selected = members
            .iter()
            .filter(|(word, _)| word.is_some())
            .map(|member| of_one(member, false));
        let with_year = members
            .iter()
            .filter(|(_, folder)| folder.year_block().is_some());

        let own: Vec<Calculation> = selected
            .chain(with_year.map(|member| of_one(member, true)))
            .collect();

        std::iter::once(Calculation {
            called: CalledCalculation {
                endpoint,
                word: None,
                year: false,
            },
            members,
        })
        .chain(own)
    };

    let all = rules.service().endpoints_of(variant).flat_map(of_endpoint);
    all.filter(|calculation| !calculation.members.is_empty())
        .collect()
}

impl<'r> Calculation<'r> {
    pub(super) fn title(&self) -> Cow<'r, str> {
        // A calculation of one folder has its title; that of a family the one of the endpoint.
        let own = self.called.word.and(self.members.first());
        let title = own.map_or(self.called.endpoint.title.as_str(), |(_, folder)| {
            folder.title()
        });

        if self.called.year {
            format!("{title} : une année de paies").into()
        } else {
            title.into()
        }
    }

    /// The parameter that selects among its folders.
    fn selector(&self) -> Option<&'r str> {
        if self.called.word.is_none() {
            self.called.endpoint.by.as_deref()
        } else {
            None
        }
    }

    /// The query of a worked case of the first folder that has one: a case with an answer whose
    /// words are spelled as in the document, although the service accepts other spellings; if
    /// possible without decimals, since clients with binary floats do not accept 17.33 as a
    /// multiple of 0.01.
    pub(super) fn example(&self) -> Vec<(String, String)> {
        // A year has cases of its own, with months.
        if let (true, [(_, folder)]) = (self.called.year, self.members.as_slice()) {
            return years::example(folder);
        }

        let of_folder = |(word, folder): &Member| {
            let case = folder.examples().plain.as_ref()?;
            let selected = self
                .selector()
                .zip(*word)
                .map(|(by, word)| (by.to_owned(), word.to_owned()));
            Some(
                selected
                    .into_iter()
                    .chain(case.query.iter().cloned())
                    .collect(),
            )
        };

        self.members.iter().find_map(of_folder).unwrap_or_default()
    }

    /// The schemas of its answer, by their names: in a family, one of those of its folders.
    pub(super) fn answer_schemas(&self) -> Vec<(String, Value)> {
        let name = names::answer(self.called);
        // A family answers with one of the schemas of its members, a folder with its own.
        match (self.selector(), self.members.as_slice()) {
            (Some(by), _) => vec![(name, self.one_of_all(by))],
            (None, [(_, folder), ..]) if self.called.year => years::schemas(folder, self.called),
            (None, [(_, folder), ..]) => {
                vec![(name, answers::schema(folder, self.called.selected()))]
            }
            (None, []) => Vec::new(),
        }
    }

    pub(super) fn operation(&self, rules: &Rules, variant: &Variant) -> Value {
        let example = self.example();

        let described = self.parameters(&example);
        let (answer, examples) = (names::answer(self.called), self.answered(rules, &example));

        let mut operation = json!({
            "operationId": names::operation(self.called),
            "tags": [TAG],
            "summary": self.title(),
            "description": self.description(variant),
            "parameters": described,
            "responses": responses::of_operation(
                ("Le calcul.", &answer), examples, &responses::OF_CALLS, &[]
            ),
        });

        // A generated client then marks the method as deprecated.
        if let (Some(_), Value::Object(members)) = (
            Service::retirement(variant, self.called.endpoint),
            &mut operation,
        ) {
            members.insert("deprecated".into(), true.into());
        }

        json!({"get": operation})
    }

    /// Its parameters, those of an example with its values.
    pub(super) fn parameters(&self, example: &[(String, String)]) -> Vec<Value> {
        // An absent folder has none.
        match (self.selector(), self.members.as_slice()) {
            (Some(by), members) => {
                parameters::of_family(by, members, &self.called.endpoint.ignored, example)
            }
            (None, [(_, folder), ..]) if self.called.year => years::parameters(folder, example),
            (None, [(_, folder), ..]) => parameters::of_folder(folder, example),
            (None, []) => Vec::new(),
        }
    }

    /// Whether a parameter is a choice about all rows of a batch rather than a fact about one: the
    /// day, the details, an option of the answer.
    pub(super) fn is_about_all(&self, parameter: &str) -> bool {
        // Options are choices about the answer, and so are parameters that no folder has as an
        // input: the day, the details.
        let mut folders = self.members.iter().map(|(_, folder)| folder);

        let options = folders.clone().flat_map(|folder| folder.editions());

        let is_option = options
            .flat_map(|edition| edition.method().options())
            .any(|option| option.name == parameter);
        is_option
            || !folders.any(|folder| {
                folder
                    .accepted_inputs()
                    .iter()
                    .any(|input| input.name == parameter)
            })
    }

    fn description(&self, variant: &Variant) -> String {
        if self.called.year {
            return years::DESCRIPTION.to_owned();
        }

        let text = format!(
            "{}, selon le barème en vigueur à la date demandée, avec ses sources.",
            self.title()
        );

        // In a family, how a member is chosen, and where it is described alone.
        let Some(by) = self.selector() else {
            return text;
        };

        let path = format!("{}/{}", variant.prefix, self.called.path());
        format!(
            "{text} Les paramètres sont ceux de toute la famille : `{by}` choisit, et un paramètre \
             d’un autre membre est refusé. Chaque membre a aussi son adresse, `{path}/{{{by}}}`, \
             décrite à part avec ses seuls paramètres et sa seule réponse."
        )
    }

    /// The answers of all its folders, which the value of `by` distinguishes.
    fn one_of_all(&self, by: &str) -> Value {
        let of_word = |word: &str| {
            names::answer(CalledCalculation {
                endpoint: self.called.endpoint,
                word: Some(word),
                year: false,
            })
        };

        let all = || {
            self.members
                .iter()
                .filter_map(|(word, _)| Some(((*word)?, of_word((*word)?))))
        };

        // `discriminator` lets a generated client read the right type by the value of `by`.
        let schemas: Vec<Value> = all().map(|(_, name)| names::schema(&name)).collect();
        let mapping: Map<String, Value> = all()
            .map(|(word, name)| (word.to_owned(), names::reference(&name).into()))
            .collect();

        let description = self.called.endpoint.title.as_str();
        json!({
            "description": description,
            "oneOf": schemas,
            "discriminator": {"propertyName": by, "mapping": mapping},
        })
    }

    /// The answer to its example, whose query is the summary.
    fn answered(&self, rules: &Rules, example: &[(String, String)]) -> Map<String, Value> {
        let CalledCalculation { endpoint, word, .. } = self.called;

        let sent = Query {
            pairs: example.to_vec(),
            bad: Vec::new(),
        };

        // The example has its day, so that the day of this call means nothing.
        let answer = calculate::answer(rules, self.called, sent, None, Date::default()).ok();
        let answer = answer
            .map(|answer| answer.to_json())
            .and_then(|answer| serde_json::from_str::<Value>(&answer).ok());

        let sent: Vec<String> = example
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();

        let described = |answer| {
            let name = word.unwrap_or(&endpoint.name).to_owned();
            (name, json!({"summary": sent.join("&"), "value": answer}))
        };
        answer.map(described).into_iter().collect()
    }
}
