//! Reasons for which a parameter is refused, each with its sentence.

use jiff::civil::Date;

use super::refusal::ParameterCode;
use crate::say;
use crate::text::lang::Text;
use crate::text::spoken_date::spoken;

/// Why a parameter cannot be used.
#[derive(Debug, Clone)]
pub(crate) enum Reason {
    Missing,
    Repeated,
    Unknown {
        near: Option<String>,
    },
    NotNumber,
    /// A comma, and the number as it is to be sent, where the text can be read so.
    Comma {
        meant: Option<String>,
    },
    TooManyDigits,
    TooManyDecimals,
    NotWhole,
    /// The step that values follow, as it is sent.
    NotMultiple {
        step: Text<String>,
    },
    TooLow,
    TooHigh,
    NotBoolean,
    NotListed {
        near: Option<String>,
    },
    /// A word that no folder of the family answers, and another endpoint does.
    Elsewhere {
        endpoint: String,
        by: String,
    },
    NotDate,
    /// Written as a date, 30 February.
    NoSuchDay,
    DateAndYear,
    /// Sent with the input that it stands for.
    InsteadOf {
        input: String,
    },
    /// Sent with another parameter that asks for something else.
    NotWith {
        other: String,
    },
    /// Switched off, and needed by what is asked.
    SwitchedBy {
        parameter: String,
        option: String,
    },
    /// No input gives what is asked: the sentence says what the nearest one gives.
    OutOfReach(Text<String>),
    /// The search for an input was given up: how far it came.
    GivenUp(Text<String>),
    BeforeFirstScale,
    /// After the last day of a scale that the law ends, and before the next one.
    NoScale {
        until: Date,
    },
    /// An option whose figures are not known that day: the first later day on which they are, if there is one.
    OptionNotKnown {
        from: Option<Date>,
    },
    /// An input that nothing reads that day: the first later day on which something does, the last earlier one.
    InputOfOtherDays {
        from: Option<Date>,
        until: Option<Date>,
    },
    /// A field that no answer of the folder has.
    UnknownField {
        near: Option<String>,
    },
    /// A field that answers of other days have: the first of them or the last.
    FieldOfOtherDays {
        from: Option<Date>,
        until: Option<Date>,
    },
    /// A rule of the method: the sentence is the analyst's.
    Rule(String),
    NoRow {
        input: String,
    },
    NotComputable {
        step: String,
    },
    /// Not given for a year of pays.
    NotInYear,
    /// A list for an input that holds for the whole year.
    HoldsForYear,
    /// A list that is written with `;` and by repeating the parameter.
    ListTwice,
    /// A list of another length than the one before it.
    OtherLength {
        other: String,
        count: usize,
        found: usize,
    },
    /// A list of more months than the year has from the first one on.
    TooManyMonths {
        found: usize,
    },
    /// A last month that comes before the first one.
    LastBeforeFirst,
    /// A folder that computes no year of pays.
    NoYear,
}

impl Reason {
    pub(super) fn code(&self) -> ParameterCode {
        match self {
            Self::Missing => ParameterCode::Missing,
            Self::Repeated => ParameterCode::Repeated,
            Self::Unknown { .. } => ParameterCode::Unknown,
            Self::NotNumber
            | Self::Comma { .. }
            | Self::NotWhole
            | Self::NotBoolean
            | Self::NotDate
            | Self::NoSuchDay => ParameterCode::Format,
            Self::TooManyDigits | Self::TooManyDecimals => ParameterCode::Digits,
            Self::NotMultiple { .. } | Self::TooLow | Self::TooHigh | Self::OutOfReach(_) => ParameterCode::Bounds,
            Self::NotListed { .. } | Self::NoRow { .. } | Self::UnknownField { .. } | Self::Elsewhere { .. } => {
                ParameterCode::UnknownValue
            }
            Self::DateAndYear
            | Self::InsteadOf { .. }
            | Self::NotWith { .. }
            | Self::SwitchedBy { .. }
            | Self::GivenUp(_)
            | Self::Rule(_) => ParameterCode::Incompatible,
            Self::BeforeFirstScale
            | Self::NoScale { .. }
            | Self::OptionNotKnown { .. }
            | Self::InputOfOtherDays { .. }
            | Self::FieldOfOtherDays { .. } => ParameterCode::NoScale,
            Self::NotComputable { .. } => ParameterCode::NotComputable,
            Self::NotInYear | Self::HoldsForYear | Self::ListTwice | Self::LastBeforeFirst | Self::NoYear => {
                ParameterCode::Incompatible
            }
            Self::OtherLength { .. } | Self::TooManyMonths { .. } => ParameterCode::Length,
        }
    }

    /// The sentence that tells it.
    pub(super) fn sentence(self) -> Text<String> {
        match self {
            Self::Rule(sentence) => of_the_method(sentence),
            Self::OutOfReach(sentence) | Self::GivenUp(sentence) => sentence,
            Self::Unknown { near: name } => near(Text::new("Paramètre inconnu", "Unknown parameter"), name),
            Self::NotListed { near: word } => near(Text::new("Valeur inconnue", "Unknown value"), word),
            Self::UnknownField { near: name } => near(Text::new("Champ inconnu", "Unknown field"), name),
            Self::BeforeFirstScale
            | Self::NoScale { .. }
            | Self::OptionNotKnown { .. }
            | Self::InputOfOtherDays { .. }
            | Self::FieldOfOtherDays { .. }
            | Self::NotDate
            | Self::NoSuchDay
            | Self::DateAndYear => self.of_the_day(),
            Self::OtherLength { other, count, found } => say!(
                "Liste de {found} mois, alors que `{other}` en a {count}.",
                "A list of {found} months, where `{other}` has {count}."
            ),
            Self::TooManyMonths { found } => say!(
                "Liste de {found} mois : c’est plus que l’année n’en a.",
                "A list of {found} months: the year has fewer."
            ),
            Self::Comma { meant: Some(meant) } => {
                say!("La virgule n’est pas acceptée : écrire `{meant}`.", "A comma is not accepted: write `{meant}`.")
            }
            Self::NotMultiple { step } => {
                say!("La valeur doit suivre un pas de {step}.", "The value must be in steps of {step}."; step)
            }
            Self::InsteadOf { input } => {
                say!("Se donne à la place de `{input}`, pas avec lui.", "Is given instead of `{input}`, not with it.")
            }
            Self::Elsewhere { endpoint, by } => say!(
                "Se calcule à l’adresse `/{endpoint}`, sans `{by}`.",
                "Is calculated at `/{endpoint}`, without `{by}`."
            ),
            Self::NotWith { other } => {
                say!("Ne se donne pas avec `{other}`.", "Is not given with `{other}`.")
            }
            Self::SwitchedBy { parameter, option } => {
                say!("`{parameter}` demande `{option}=true`.", "`{parameter}` needs `{option}=true`.")
            }
            Self::NoRow { input } => say!(
                "Le barème n’a pas de ligne pour cette valeur de `{input}`.",
                "The scale has no row for this value of `{input}`."
            ),
            Self::NotComputable { step } => say!(
                "Calcul impossible avec ces valeurs (étape `{step}`).",
                "These values cannot be computed (step `{step}`)."
            ),
            plain => plain.of_the_value().into(),
        }
    }

    /// The reasons that concern a value, or its presence.
    fn of_the_value(&self) -> Text {
        match self {
            Self::Missing => Text::new("Paramètre obligatoire manquant.", "A required parameter is missing."),
            Self::Repeated => Text::new("Paramètre donné plusieurs fois.", "The parameter is given several times."),
            Self::Comma { .. } => Text::new(
                "La virgule n’est pas acceptée : écrire les décimales après un point.",
                "A comma is not accepted: write decimals after a point.",
            ),
            Self::NotInYear => Text::new("Ne se donne pas pour une année.", "Is not given for a year."),
            Self::HoldsForYear => Text::new(
                "Vaut pour toute l’année : ne change pas d’un mois à l’autre.",
                "Holds for the whole year: it does not differ from month to month.",
            ),
            Self::ListTwice => Text::new(
                "Liste écrite de deux façons : séparer les mois par `;`, ou répéter le paramètre.",
                "A list written in two ways: separate the months by `;`, or repeat the parameter.",
            ),
            Self::LastBeforeFirst => {
                Text::new("Le dernier mois vient avant le premier.", "The last month comes before the first one.")
            }
            Self::NoYear => {
                Text::new("Ce calcul ne se fait pas par année.", "This calculation is not made by the year.")
            }
            Self::TooManyDigits => Text::new("Trop de chiffres.", "Too many digits."),
            Self::TooManyDecimals => Text::new("Trop de décimales.", "Too many decimals."),
            Self::NotWhole => Text::new("Nombre entier attendu.", "A whole number is expected."),
            Self::TooLow => Text::new("Valeur trop petite.", "The value is too small."),
            Self::TooHigh => Text::new("Valeur trop grande.", "The value is too large."),
            Self::NotBoolean => Text::new("Réponse par oui ou non attendue.", "Yes or no is expected."),
            _ => Text::new(
                "Nombre attendu, comme 2650.50.",
                "A number is expected, in plain decimal notation, such as 2650.50.",
            ),
        }
    }

    /// The reasons that concern the day of the query.
    fn of_the_day(self) -> Text<String> {
        match self {
            Self::NotDate => {
                Text::new("Date attendue, comme 2026-01-31.", "A date is expected, written YYYY-MM-DD.").into()
            }
            Self::NoSuchDay => Text::new("Ce jour n’existe pas.", "There is no such day.").into(),
            Self::DateAndYear => {
                Text::new("`date` et `annee` ne se donnent pas ensemble.", "`date` and `annee` are not given together.")
                    .into()
            }
            Self::BeforeFirstScale => Text::new(
                "Aucun barème connu à cette date : elle précède le premier.",
                "No scale is known on this date: it is before the first one.",
            )
            .into(),
            Self::NoScale { until } => said(until, |until| {
                say!(
                    "Aucun barème en vigueur à cette date : la loi y met fin le {until}.",
                    "No scale is in force on this date: the law ends it on {until}.";
                    until
                )
            }),
            Self::OptionNotKnown { from: Some(day) } => said(day, |day| {
                say!(
                    "À cette date cette partie du calcul n’est pas connue : elle l’est à partir du {day}.",
                    "On this date this part of the calculation is not known: it is from {day} on.";
                    day
                )
            }),
            Self::OptionNotKnown { from: None } => Text::new(
                "À cette date cette partie du calcul n’est pas connue.",
                "On this date this part of the calculation is not known.",
            )
            .into(),
            Self::InputOfOtherDays { .. } | Self::FieldOfOtherDays { .. } => self.of_other_days(),
            _ => Text::new("Aucun barème en vigueur à cette date.", "No scale is in force on this date.").into(),
        }
    }

    /// The reasons that concern a parameter or a field of other days.
    fn of_other_days(self) -> Text<String> {
        match self {
            Self::InputOfOtherDays { from: Some(day), .. } => said(day, |day| {
                say!(
                    "À cette date ce paramètre n’existe pas : il est accepté à partir du {day}.",
                    "On this date this parameter does not exist: it is accepted from {day} on.";
                    day
                )
            }),
            Self::InputOfOtherDays { until: Some(day), .. } => said(day, |day| {
                say!(
                    "À cette date ce paramètre n’existe plus : il est accepté jusqu’au {day}.",
                    "On this date this parameter no longer exists: it is accepted until {day}.";
                    day
                )
            }),
            Self::InputOfOtherDays { .. } => {
                Text::new("À cette date ce paramètre n’existe pas.", "On this date this parameter does not exist.")
                    .into()
            }
            Self::FieldOfOtherDays { from: Some(day), .. } => said(day, |day| {
                say!(
                    "À cette date la réponse n’a pas ce champ : elle l’a à partir du {day}.",
                    "On this date the answer has no such field: it has from {day} on.";
                    day
                )
            }),
            Self::FieldOfOtherDays { until: Some(day), .. } => said(day, |day| {
                say!(
                    "À cette date la réponse n’a plus ce champ : elle l’a jusqu’au {day}.",
                    "On this date the answer has no such field any more: it has until {day}.";
                    day
                )
            }),
            _ => Text::new("À cette date la réponse n’a pas ce champ.", "On this date the answer has no such field.")
                .into(),
        }
    }
}

/// A sentence about a day, which each language writes its own way.
fn said(day: Date, sentence: impl Fn(&Text<String>) -> Text<String>) -> Text<String> {
    sentence(&spoken(day))
}

/// A sentence of a method, which its analyst wrote in French: in English it is quoted.
pub(crate) fn of_the_method(sentence: impl Into<String>) -> Text<String> {
    let fr = sentence.into();
    let en = format!("The rules say, in French: \"{}\"", fr.trim_end_matches('.'));
    Text { fr, en }
}

/// A sentence, with the word that may have been meant.
fn near(unknown: Text, near: Option<String>) -> Text<String> {
    match near {
        Some(near) => {
            say!("{unknown} ; vouliez-vous dire `{near}` ?", "{unknown}; did you mean `{near}`?"; unknown)
        }
        None => say!("{unknown}.", "{unknown}."; unknown),
    }
}
