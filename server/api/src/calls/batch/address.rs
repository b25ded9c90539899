//! The query of the address of a batch: the fields of the answers, the name of the key of the rows,
//! and the parameters that hold for all rows.

use bareme_engine::law::members;
use bareme_engine::law::parameter::{FIELDS, ROW_KEY};
use bareme_engine::service::Rules;
use bareme_engine::text::{BadParameter, ParameterCode};
use bareme_engine::{CalculationError, say};
use jiff::civil::Date;

use super::answers::ERROR;
use crate::calls::called_calculation::CalledCalculation;
use crate::wire::credentials;
use crate::wire::mask::mask;
use crate::wire::problem::Problem;
use crate::wire::query::Query;

/// Names of the key of the rows where the address gives none.
pub(crate) const USUAL_KEYS: [&str; 2] = ["id", "matricule"];

/// Mistakes that a value has by itself, whatever the parameters of the rows are.
const OWN_MISTAKES: [ParameterCode; 9] = [
    ParameterCode::Repeated,
    ParameterCode::Unknown,
    ParameterCode::Format,
    ParameterCode::Digits,
    ParameterCode::Bounds,
    ParameterCode::UnknownValue,
    ParameterCode::NoScale,
    ParameterCode::Encoding,
    ParameterCode::Length,
];

/// The query of the address of a batch.
#[derive(Debug)]
pub struct Address {
    /// The fields asked for; `None`: all.
    pub fields: Option<Vec<String>>,
    /// The names whose values are the key of a row.
    pub keys: Vec<String>,
    /// Whether the address names the key.
    pub is_key_asked: bool,
    /// The parameters of all rows.
    pub shared: Vec<(String, String)>,
}

impl Address {
    /// Parses a query.
    ///
    /// # Errors
    /// Everything that is wrong with it at once.
    pub fn read(
        rules: &Rules,
        called: CalledCalculation,
        query: Query,
        today: Date,
    ) -> Result<Self, Problem> {
        let Query { pairs, mut bad } = query;

        // What the address alone decides; every other parameter holds for all rows.
        let (own, shared): (Vec<_>, Vec<_>) = pairs
            .into_iter()
            .partition(|(name, _)| [FIELDS, ROW_KEY].contains(&name.as_str()));
        let fields = only(&own, FIELDS, &mut bad);
        let key = only(&own, ROW_KEY, &mut bad);

        // A field that does not exist is a mistake of the request, not of each of its rows.
        let fields = fields.map(|names| {
            names
                .split(',')
                .map(|name| name.trim().to_owned())
                .collect::<Vec<String>>()
        });
        let asked: Vec<&str> = fields.iter().flatten().map(String::as_str).collect();
        bad.extend(rules.unknown_fields(called.endpoint, called.word, &asked));

        // The key must be no name of the calculation, or its column would be read as a parameter.
        // Of the usual names, those are left out without an error: nobody asked for them.
        let calculation = Names {
            rules,
            called,
            today,
        };
        if let Some(key) = key {
            bad.extend(key_of_caller(key).or_else(|| calculation.reason_against(key)));
        }
        let usual = USUAL_KEYS
            .into_iter()
            .filter(|name| calculation.reason_against(name).is_none());
        let keys = key.map_or_else(
            || usual.map(str::to_owned).collect(),
            |key| vec![key.to_owned()],
        );

        // A value of the address alone is checked once. What depends on the rows (a parameter that
        // is missing, or excluded by another) is found there.
        let own_mistakes = |bad: &BadParameter| {
            OWN_MISTAKES.contains(&bad.code) && shared.iter().any(|(name, _)| *name == bad.name)
        };
        let refused = calculation
            .refused(&shared)
            .into_iter()
            .filter(own_mistakes);
        bad.extend(refused.map(credentials::sent_as_parameter));

        if bad.is_empty() {
            Ok(Self {
                fields,
                keys,
                is_key_asked: key.is_some(),
                shared,
            })
        } else {
            Err(Problem::parameters(bad))
        }
    }

    /// Adds the parameters of all rows to those of one, which may have the same ones with the same
    /// values. An empty cell is a parameter that the row does not have.
    pub(crate) fn share(&self, mut query: Query) -> Query {
        for (index, (name, _)) in self.shared.iter().enumerate() {
            // A name that is there several times is shared with all its values at once.
            let is_first = !self
                .shared
                .iter()
                .take(index)
                .any(|(before, _)| before == name);
            if is_first {
                self.share_one(name, &mut query);
            }
        }
        query
    }

    fn share_one(&self, name: &str, query: &mut Query) {
        let values = || self.shared.iter().filter(|(known, _)| known == name);
        // A row may repeat what the address gives, but not contradict it: nothing would tell which
        // is right.
        let own: Vec<&str> = query
            .pairs
            .iter()
            .filter(|(known, value)| known == name && !value.is_empty())
            .map(|(_, value)| value.as_str())
            .collect();

        if own.is_empty() {
            query.pairs.retain(|(known, _)| known != name);
            query.pairs.extend(values().cloned());
        } else if !values()
            .map(|(_, value)| value.as_str())
            .eq(own.iter().copied())
        {
            let received = own.join(";");
            let shared: Vec<&str> = values().map(|(_, value)| value.as_str()).collect();
            query
                .bad
                .push(contradiction(name, &received, &shared.join(";")));
        }
    }
}

/// The mistake of a caller that sends the key of its plan as the name of a column.
fn key_of_caller(name: &str) -> Option<BadParameter> {
    let bad = || BadParameter::new(ROW_KEY, ParameterCode::Unknown, ("", ""), None, ("", ""));
    (mask(name) != name).then(|| credentials::sent_as_parameter(bad()))
}

/// A parameter for which a row has another value than the address.
fn contradiction(name: &str, received: &str, shared: &str) -> BadParameter {
    let reason = say!(
        "L’adresse donne `{shared}` à toutes les lignes, et celle-ci une autre valeur.",
        "The address gives `{shared}` to all rows, and this one another value."
    );
    let expected = say!(
        "`{shared}` ou rien, ou bien `{name}` dans les lignes seulement",
        "`{shared}` or nothing, or else `{name}` in the rows only"
    );
    BadParameter::new(
        name,
        ParameterCode::Incompatible,
        reason,
        Some(received),
        expected,
    )
}

/// The value of a parameter that may be sent once.
fn only<'p>(
    pairs: &'p [(String, String)],
    name: &str,
    bad: &mut Vec<BadParameter>,
) -> Option<&'p str> {
    // Sent twice, it is reported with the second value; the first is used to look further.
    let mut values = pairs
        .iter()
        .filter(|(known, _)| known == name)
        .map(|(_, value)| value.as_str());
    let first = values.next()?;
    if let Some(second) = values.next() {
        let expected = ("une seule valeur", "a single value");
        bad.push(BadParameter::repeated(name, Some(second), expected));
    }
    Some(first.trim()).filter(|value| !value.is_empty())
}

/// The names of a calculation, as the engine knows them.
#[derive(Debug, Clone, Copy)]
struct Names<'a> {
    rules: &'a Rules,
    called: CalledCalculation<'a>,
    today: Date,
}

impl Names<'_> {
    /// The mistakes of a query.
    fn refused(self, pairs: &[(String, String)]) -> Vec<BadParameter> {
        let Self {
            rules,
            called,
            today,
        } = self;

        // The rows are not there yet, so that whatever they must bring is missing here.
        let Query { pairs, mut bad } = called.query(Query {
            pairs: pairs.to_vec(),
            bad: Vec::new(),
        });

        let error = if called.year {
            rules.year(called.endpoint, &pairs).err()
        } else {
            rules.calculate(called.endpoint, &pairs, today).err()
        };
        if let Some(CalculationError::Refused(refusal)) = error {
            bad.extend(refusal.parameters);
        }
        bad
    }

    /// Whether a query may have a parameter.
    fn takes(self, name: &str) -> bool {
        if [FIELDS, ROW_KEY].contains(&name) {
            return true;
        }

        // The engine is asked, with a value that any input takes or refuses by itself: one that is
        // unknown is reported as such.
        let is_unknown =
            |bad: &BadParameter| bad.name == name && bad.code == ParameterCode::Unknown;

        !self
            .refused(&[(name.to_owned(), "1".to_owned())])
            .iter()
            .any(is_unknown)
    }

    /// Whether an answer may have a member.
    fn answers(self, name: &str) -> bool {
        let of_year = || self.called.year && members::YEAR.iter().any(|member| member.name == name);
        let Self { rules, called, .. } = self;
        name == ERROR
            || of_year()
            || rules
                .unknown_fields(called.endpoint, called.word, &[name])
                .is_empty()
    }

    /// Why a name cannot be that of the key of the rows.
    fn reason_against(self, name: &str) -> Option<BadParameter> {
        let reason = if self.takes(name) {
            say!(
                "`{name}` est un paramètre du calcul, et ne peut pas être la clé des lignes.",
                "`{name}` is a parameter of the calculation, and cannot be the key of the rows."
            )
        } else if self.answers(name) {
            say!(
                "`{name}` est un membre de la réponse, et ne peut pas être la clé des lignes.",
                "`{name}` is a member of the answer, and cannot be the key of the rows."
            )
        } else {
            return None;
        };

        let expected = (
            "un nom qui n’est pas dans le calcul",
            "a name that the calculation does not have",
        );
        Some(BadParameter::new(
            ROW_KEY,
            ParameterCode::Incompatible,
            reason,
            Some(name),
            expected,
        ))
    }
}
