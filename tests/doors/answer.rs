//! What a calculation answers, whichever door was asked, and where two answers differ.

use std::collections::{BTreeMap, BTreeSet};

use bareme_engine::law::members::AUTOMATIC;
use bareme_engine::rust_decimal::Decimal;

use crate::json::Json;

/// An answer, or a refusal.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    /// The fields of the method, by name. In a year of pays, `total.net` and `3.net`.
    pub fields: BTreeMap<String, Json>,
    /// Every bad parameter; empty where there is an answer.
    pub refusals: Vec<Refused>,
    /// The refusal in a sentence, at doors that give one.
    pub sentence: Option<String>,
    /// The reason of each bad parameter, in French: doors give it in sentences of their own.
    pub reasons: Vec<String>,
    pub warnings: Vec<Warning>,
    pub version: Option<String>,
    /// Remarks on figures that no source is cited for.
    pub reserves: Vec<String>,
    /// Remarks on figures, under the sources that are cited for them.
    pub cited: Vec<String>,
    /// First day of the scale.
    pub day: Option<String>,
    /// Fields whose value no column of a table holds.
    pub unfit: BTreeSet<String>,
    /// Of a question that names its fields, the answer to the same question that names none.
    pub whole: Option<Box<Answer>>,
}

/// A bad parameter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Refused {
    pub parameter: String,
    pub code: String,
    pub month: Option<String>,
}

/// A warning.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Warning {
    pub code: String,
    pub text: String,
    pub parameter: Option<String>,
    pub months: Option<String>,
}

/// What a door gives of an answer: what a table cannot hold is not looked for there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Carried {
    /// Whether values have types; else they are texts.
    pub types: bool,
    pub fields: Fields,
    pub refusals: Refusals,
    pub warnings: Warnings,
    pub version: bool,
    pub reserves: Reserves,
    /// Whether remarks stand under the sources.
    pub cited: bool,
    pub day: bool,
    pub following: Following,
    /// Whether columns have widths: a row with a longer value is refused.
    pub has_widths: bool,
}

/// Which remarks the reserves of a door are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reserves {
    /// Those on figures that no source is cited for.
    Unsourced,
    /// All of them, each once.
    All,
    None,
}

/// What follows the fields (version, day, remarks, warnings) where a question names its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Following {
    /// What the answer of the engine has: the warnings.
    Answered,
    /// All of it.
    Always,
    /// Nothing.
    Asked,
}

/// Which fields a door gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fields {
    All,
    /// Those of one value.
    Single,
    /// Some numbers: what people read.
    Numbers,
    /// Of a year of pays, the totals.
    Totals,
    /// Of a year of pays, those of one value of each month.
    Months,
}

/// How a door refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusals {
    /// Every bad parameter with its code.
    Codes,
    /// The first bad parameter with its code, and all of them in a sentence.
    FirstCode,
    /// The sentence of the engine, with all of them.
    Sentence,
    /// Sentences of its own, with the reason of each.
    Reasons,
    /// That there is no answer: a row of a year says its own part of what is wrong.
    None,
}

/// How a door warns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Warnings {
    Whole,
    /// Each code and text once, in any order.
    Kinds,
    None,
}

impl Carried {
    /// All there is.
    pub(crate) const WHOLE: Self = Self {
        types: true,
        fields: Fields::All,
        refusals: Refusals::Codes,
        warnings: Warnings::Whole,
        version: true,
        reserves: Reserves::Unsourced,
        cited: true,
        day: true,
        following: Following::Answered,
        has_widths: false,
    };
}

/// A part of an answer that a door gives otherwise.
#[derive(Debug, Clone)]
pub(crate) struct Difference {
    /// The part: the name of a field, or `(version)`.
    pub part: String,
    pub expected: String,
    pub found: String,
}

impl Answer {
    /// An answer or a refusal as JSON, as the service and the command line write it.
    pub(crate) fn of_json(json: &Json) -> Self {
        let json = json
            .get("erreur")
            .filter(|error| error.get("code").is_some())
            .unwrap_or(json);
        if let Some(parameters) = json
            .get("parametres")
            .filter(|_| json.get("code").is_some())
        {
            let refusals = parameters.items().iter().map(Refused::of_json).collect();
            return Self {
                refusals,
                ..Self::default()
            };
        }
        assert!(json.get("status").is_none(), "{json}");

        let is_automatic = |name: &str| AUTOMATIC.iter().any(|member| member.name == name);
        let own = json
            .members()
            .iter()
            .filter(|(name, _)| !is_automatic(name));
        Self {
            fields: own.cloned().collect(),
            warnings: json.get("avertissements").map(warnings).unwrap_or_default(),
            reserves: json.get("reserves").map(remarks).unwrap_or_default(),
            cited: cited(json),
            ..Self::default()
        }
        .with_scale(json)
    }

    /// The same with the version and the day of a JSON answer.
    fn with_scale(self, json: &Json) -> Self {
        let text = |name: &str| json.get(name).and_then(Json::text).map(str::to_owned);
        Self {
            version: text("version"),
            day: text("bareme_en_vigueur"),
            ..self
        }
    }

    /// The same with the fields that are beyond what their column holds.
    pub(crate) fn with_unfit(mut self, limits: &BTreeMap<String, Decimal>) -> Self {
        let is_unfit = |name: &String, value: &Json| match (value, limits.get(name)) {
            (Json::Number(number), Some(limit)) => number
                .parse()
                .is_ok_and(|number: Decimal| number.abs() >= *limit),
            _ => false,
        };
        let unfit = self
            .fields
            .iter()
            .filter(|(name, value)| is_unfit(name, value));
        self.unfit = unfit.map(|(name, _)| name.clone()).collect();
        self
    }

    /// Whether it is a refusal.
    pub(crate) fn is_refused(&self) -> bool {
        !self.refusals.is_empty() || self.sentence.is_some()
    }

    /// Where another door answers otherwise than this.
    pub(crate) fn differences(&self, found: &Self, carried: Carried) -> Vec<Difference> {
        let mut list = Vec::new();
        let mut compare = |part: &str, expected: String, found: String| {
            if expected != found {
                list.push(Difference {
                    part: part.to_owned(),
                    expected,
                    found,
                });
            }
        };
        if carried.has_widths && found.refusals.iter().any(|refused| self.is_unfit(refused)) {
            return list;
        }
        if self.is_refused() || found.is_refused() {
            compare(
                "(refus)",
                self.refusal(carried.refusals),
                found.refusal(carried.refusals),
            );
            let unsaid = self.unsaid(found, carried.refusals);
            if !unsaid.is_empty() {
                compare("(motifs)", unsaid.join(" | "), said(&found.sentence));
            }
            return list;
        }
        for name in self.fields.keys().chain(
            found
                .fields
                .keys()
                .filter(|name| !self.fields.contains_key(*name)),
        ) {
            let [own, other] = [self, found].map(|answer| answer.fields.get(name));
            let is_carried = match carried.fields {
                Fields::All | Fields::Single => true,
                Fields::Numbers => other.is_some() && matches!(own, Some(Json::Number(_))),
                Fields::Totals => name.starts_with("total."),
                Fields::Months => name.starts_with(|first: char| first.is_ascii_digit()),
            };
            if !is_carried {
                continue;
            }
            compare(name, shown(own, carried), shown(other, carried));
        }
        let following = match (&self.whole, carried.following) {
            (Some(_), Following::Asked) => return list,
            (Some(whole), Following::Always) => whole,
            _ => self,
        };
        compare(
            "(avertissements)",
            following.warned(carried.warnings),
            found.warned(carried.warnings),
        );
        if carried.version {
            compare("(version)", said(&following.version), said(&found.version));
        }
        compare(
            "(reserves)",
            following.remarked(carried.reserves),
            found.remarked(carried.reserves),
        );
        if carried.cited {
            compare(
                "(references)",
                following.cited.join(" | "),
                found.cited.join(" | "),
            );
        }
        if carried.day {
            compare(
                "(bareme_en_vigueur)",
                said(&following.day),
                said(&found.day),
            );
        }
        list
    }

    /// Whether it has an answer that a column cannot hold.
    fn is_unfit(&self, refused: &Refused) -> bool {
        !self.is_refused()
            && refused.code == "trop_de_chiffres"
            && self.unfit.contains(&refused.parameter)
    }

    fn remarked(&self, carried: Reserves) -> String {
        let all = || {
            self.reserves
                .iter()
                .chain(&self.cited)
                .cloned()
                .collect::<BTreeSet<String>>()
        };
        match carried {
            Reserves::Unsourced => self.reserves.join(" | "),
            Reserves::All => all().into_iter().collect::<Vec<_>>().join(" | "),
            Reserves::None => String::new(),
        }
    }

    fn refusal(&self, carried: Refusals) -> String {
        if !self.is_refused() {
            return "a complete answer".to_owned();
        }
        let all = self.refusals.iter().map(Refused::to_string);
        match carried {
            Refusals::Codes => all.collect::<Vec<_>>().join(", "),
            Refusals::FirstCode => all
                .take(1)
                .chain(self.sentence.clone())
                .collect::<Vec<_>>()
                .join(": "),
            Refusals::Sentence => said(&self.sentence),
            Refusals::Reasons | Refusals::None => "a refusal".to_owned(),
        }
    }

    /// The reasons that the refusal of a door does not give.
    fn unsaid(&self, found: &Self, carried: Refusals) -> Vec<&str> {
        let sentence = said(&found.sentence);
        let all = self
            .reasons
            .iter()
            .map(String::as_str)
            .filter(|_| carried == Refusals::Reasons);
        all.filter(|reason| !sentence.contains(reason)).collect()
    }

    fn warned(&self, carried: Warnings) -> String {
        let kind = |warning: &Warning| Warning {
            months: None,
            ..warning.clone()
        };
        let kinds = || {
            self.warnings
                .iter()
                .map(kind)
                .collect::<BTreeSet<Warning>>()
        };
        let joined = |all: Vec<Warning>| {
            all.iter()
                .map(Warning::to_string)
                .collect::<Vec<_>>()
                .join(" | ")
        };
        match carried {
            Warnings::Whole => joined(self.warnings.clone()),
            Warnings::Kinds => joined(kinds().into_iter().collect()),
            Warnings::None => String::new(),
        }
    }
}

/// A field, as far as the door can hold it.
fn shown(value: Option<&Json>, carried: Carried) -> String {
    let is_carried = |value: &&Json| value.is_single() || carried.fields == Fields::All;
    let Some(value) = value.filter(is_carried) else {
        return String::new();
    };
    match value {
        value if value.is_nothing() => String::new(),
        value if carried.types => value.to_string(),
        value => value.cell(),
    }
}

fn said(text: &Option<String>) -> String {
    text.clone().unwrap_or_default()
}

/// The remarks under the sources of an answer.
fn cited(json: &Json) -> Vec<String> {
    // With `detail=true` the evidence is cited too, which no other answer has.
    let is_evidence =
        |source: &&Json| source.get("nature").and_then(Json::text) == Some("secondaire");
    let sources = json
        .get("references")
        .map(Json::items)
        .unwrap_or_default()
        .iter();
    let own = sources
        .filter(|source| !is_evidence(source))
        .filter_map(|source| source.get("reserves"));
    own.flat_map(remarks).collect()
}

/// A list of remarks.
pub(crate) fn remarks(json: &Json) -> Vec<String> {
    json.items().iter().map(Json::to_string).collect()
}

/// The warnings of a JSON answer.
pub(crate) fn warnings(json: &Json) -> Vec<Warning> {
    json.items().iter().map(Warning::of_json).collect()
}

impl Warning {
    fn of_json(json: &Json) -> Self {
        let text = |name: &str| json.get(name).and_then(Json::text).map(str::to_owned);
        Self {
            code: text("code").unwrap_or_default(),
            text: text("texte")
                .or_else(|| json.text().map(str::to_owned))
                .unwrap_or_default(),
            parameter: text("parametre"),
            months: json.get("mois").map(Json::to_string),
        }
    }
}

impl std::fmt::Display for Warning {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Self {
            code,
            text,
            parameter,
            months,
        } = self;
        write!(
            formatter,
            "{code} ({}) {}: {text}",
            said(parameter),
            said(months)
        )
    }
}

impl Refused {
    fn of_json(json: &Json) -> Self {
        let text = |name: &str| {
            json.get(name)
                .and_then(Json::text)
                .unwrap_or_default()
                .to_owned()
        };
        Self {
            parameter: text("nom"),
            code: text("code"),
            month: json.get("mois").map(Json::to_string),
        }
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Self {
            parameter,
            code,
            month,
        } = self;
        write!(
            formatter,
            "{parameter} {code}{}",
            month
                .as_ref()
                .map(|month| format!(" {month}"))
                .unwrap_or_default()
        )
    }
}
