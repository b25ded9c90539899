//! Reasons for which a parameter is refused, each with its sentence.

use super::refusal::ParameterCode;
use crate::say;
use crate::text::lang::{Lang, Text};
use crate::text::pluralized;

/// Declares the reasons, each with its code and its sentence; the field after it is a text in each
/// language.
macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident $({ $($field:ident: $ty:ty),+ })? $code:ident
        $fr:literal $en:literal $(, $text:ident)?;)*) => {
        /// Why a parameter cannot be used.
        #[derive(Debug, Clone)]
        pub(crate) enum Reason {
            $($(#[$doc])* $name $({ $($field: $ty),+ })?,)*
        }

        impl Reason {
            pub(super) fn code(&self) -> ParameterCode {
                match self {
                    $(Self::$name { .. } => ParameterCode::$code,)*
                }
            }

            /// The sentence that states it.
            pub(super) fn sentence(self) -> Text<String> {
                match self {
                    $(Self::$name $({ $($field),+ })? => {
                        let sentence = say!($fr, $en $(; $text)?);
                        // A text of a caller or of an author may contain `(s)` too: it stays as it is.
                        if $fr.contains("(s)") { of_numbers(&sentence) } else { sentence }
                    })*
                }
            }
        }
    };
}

reasons! {
    Missing Missing
        "Paramètre obligatoire manquant." "A required parameter is missing.";
    Repeated Repeated
        "Paramètre donné plusieurs fois." "The parameter is given several times.";
    NotNumber Format
        "Nombre attendu, comme 2650.50."
        "A number is expected, in plain decimal notation, such as 2650.50.";
    TooManyDigits Digits
        "Trop de chiffres." "Too many digits.";
    TooManyDecimals Digits
        "Trop de décimales." "Too many decimals.";
    NotWhole Format
        "Nombre entier attendu." "A whole number is expected.";
    /// The step that values follow, as it is sent.
    NotMultiple { step: Text<String> } Bounds
        "La valeur doit suivre un pas de {step}." "The value must be in steps of {step}.", step;
    TooLow Bounds
        "Valeur trop petite." "The value is too small.";
    TooHigh Bounds
        "Valeur trop grande." "The value is too large.";
    NotBoolean Format
        "Réponse par oui ou non attendue." "Yes or no is expected.";
    NotDetailLevel Format
        "Oui, non ou `complet` attendu." "Yes, no or `complet` is expected.";
    /// A word that no folder of the family answers, and another endpoint does.
    Elsewhere { endpoint: String, by: String } UnknownValue
        "Se calcule à l’adresse `/{endpoint}`, sans `{by}`."
        "Is calculated at `/{endpoint}`, without `{by}`.";
    NotYear Format
        "Année attendue, comme 2026." "A year is expected, in four digits, such as 2026.";
    NotDate Format
        "Date attendue, comme 2026-01-31." "A date is expected, written YYYY-MM-DD.";
    /// Written as a date, 30 February.
    NoSuchDay Format
        "Ce jour n’existe pas." "There is no such day.";
    DateAndYear Incompatible
        "`date` et `annee` ne se donnent pas ensemble."
        "`date` and `annee` are not given together.";
    /// Sent with the input that it replaces.
    InsteadOf { input: String } Incompatible
        "Se donne à la place de `{input}`, pas avec lui."
        "Is given instead of `{input}`, not with it.";
    /// Sent with another parameter that asks for something else.
    NotWith { other: String } Incompatible
        "Ne se donne pas avec `{other}`." "Is not given with `{other}`.";
    /// Switched off, and needed by what is asked.
    SwitchedBy { parameter: String, option: String } Incompatible
        "`{parameter}` demande `{option}=true`." "`{parameter}` needs `{option}=true`.";
    BeforeFirstScale NoScale
        "Aucun barème connu à cette date : elle précède le premier."
        "No scale is known on this date: it is before the first one.";
    NoRow { input: String } UnknownValue
        "Le barème n’a pas de ligne pour cette valeur de `{input}`."
        "The scale has no row for this value of `{input}`.";
    NotComputable { step: String } NotComputable
        "Calcul impossible avec ces valeurs (étape `{step}`)."
        "These values cannot be computed (step `{step}`).";
    /// What a step gives to another folder, which that one refuses.
    OfAnotherFolder { step: String, sentence: Text<String> } NotComputable
        "Calcul impossible avec ces valeurs (étape « {step} ») : {sentence}"
        "These values cannot be computed (step “{step}”): {sentence}", sentence;
    /// Not given for a year of pays.
    NotInYear Incompatible
        "Ne se donne pas pour une année." "Is not given for a year.";
    /// A list for an input that holds for the whole year.
    HoldsForYear Incompatible
        "Vaut pour toute l’année : ne change pas d’un mois à l’autre."
        "Holds for the whole year: it does not differ from month to month.";
    /// One value where each of several months has its own.
    OneForSeveralMonths { count: usize } Length
        "Une seule valeur pour {count} mois : elle se donne mois par mois."
        "One value for {count} months: it is given month by month.";
    /// A list that is written with `;` and by repeating the parameter.
    ListTwice Incompatible
        "Liste écrite de deux façons : séparer les mois par `;`, ou répéter le paramètre."
        "A list written in two ways: separate the months by `;`, or repeat the parameter.";
    /// A list of another length than the one before it.
    OtherLength { other: String, count: usize, found: usize } Length
        "Liste de {found} mois, alors que `{other}` en a {count}."
        "A list of {found} months, where `{other}` has {count}.";
    /// More values than a group has items.
    TooManyItems { found: usize, most: usize } Length
        "Liste de {found} valeur(s), pour {most} au plus."
        "A list of {found} value(s), for {most} at most.";
    /// Fewer values than a group has items.
    TooFewItems { found: usize, least: usize } Length
        "Liste de {found} valeur(s), pour {least} au moins."
        "A list of {found} value(s), for {least} at least.";
    /// A list of another length than the one of the same group before it.
    OtherItems { other: String, count: usize, found: usize } Length
        "Liste de {found} valeur(s), alors que `{other}` en a {count}."
        "A list of {found} value(s), where `{other}` has {count}.";
    /// A list of more months than the year has from the first one on.
    TooManyMonths { found: usize } Length
        "Liste de {found} mois : c’est plus que l’année n’en a."
        "A list of {found} months: the year has fewer.";
    /// A last month that comes before the first one.
    LastBeforeFirst Incompatible
        "Le dernier mois vient avant le premier." "The last month comes before the first one.";
    NotMonth Format
        "Mois de 1 à 12 attendu." "A month from 1 to 12 is expected.";
    /// Two rows of one month in a year of pays.
    MonthTwice Incompatible
        "Ce mois a déjà une ligne dans son année." "This month has a row in its year already.";
    /// Rows of a year of pays with a month left out between them.
    MonthMissing { missing: i8 } Incompatible
        "Il manque le mois {missing} ; un mois sans paie a sa ligne, avec un brut de 0."
        "Month {missing} is missing; a month without pay has its row, with a gross of 0.";
    /// A list in a row, which is one month.
    NotList Format
        "Une seule valeur par mois." "A single value a month.";
    /// The end of a contract in a row that is not the last of its year.
    NotLastMonth Incompatible
        "Se dit sur la ligne du dernier mois." "Is stated in the row of the last month.";
    /// Another row of the year of pays is refused.
    OfRefusedYear { month: String } Incompatible
        "Refusée avec son année : le mois {month} a une erreur."
        "Refused with its year: month {month} has a mistake.";
    /// A folder that computes no year of pays.
    NoYear Incompatible
        "Ce calcul ne se fait pas par année." "This calculation is not made by the year.";
    Unknown { near: Text<String> } Unknown
        "Paramètre inconnu{near}" "Unknown parameter{near}", near;
    /// A comma, and the number as it is to be sent.
    Comma { meant: String } Format
        "La virgule n’est pas acceptée : écrire `{meant}`."
        "A comma is not accepted: write `{meant}`.";
    /// A comma in a text that cannot be read as a number.
    CommaInText Format
        "La virgule n’est pas acceptée : écrire les décimales après un point."
        "A comma is not accepted: write decimals after a point.";
    NotListed { near: Text<String> } UnknownValue
        "Valeur inconnue{near}" "Unknown value{near}", near;
    /// No input gives what is asked: the sentence says what the nearest one gives.
    OutOfReach { sentence: Text<String> } Bounds
        "{sentence}" "{sentence}", sentence;
    /// The search for an input was given up: how far it came.
    GivenUp { sentence: Text<String> } Incompatible
        "{sentence}" "{sentence}", sentence;
    /// After the last day of a scale that the law ends, and before the next one.
    NoScale { until: Text<String> } NoScale
        "Aucun barème en vigueur à cette date : la loi y met fin le {until}."
        "No scale is in force on this date: the law ends it on {until}.", until;
    /// The same of another folder, which a step calculates.
    NoScaleOfStep { step: String, until: Text<String> } NoScale
        "Aucun barème en vigueur à cette date pour l’étape « {step} » : la loi y met fin le {until}."
        "No scale is in force on this date for the step “{step}”: the law ends it on {until}.", until;
    /// The version of another law than that which applies; its place is the version that does.
    OtherLaw Incompatible
        "Ce n’est pas la version du droit appliqué ici." "It is not the version of the law that \
         applies here.";
    /// An option whose figures are not known before a later day.
    OptionNotYet { from: Text<String> } NoScale
        "À cette date cette partie du calcul n’est pas connue : elle l’est à partir du {from}."
        "On this date this part of the calculation is not known: it is from {from} on.", from;
    /// An option whose figures are known neither that day nor later.
    OptionNotKnown NoScale
        "À cette date cette partie du calcul n’est pas connue."
        "On this date this part of the calculation is not known.";
    /// An input that nothing reads before a later day.
    InputNotYet { from: Text<String> } NoScale
        "À cette date ce paramètre n’existe pas : il est accepté à partir du {from}."
        "On this date this parameter does not exist: it is accepted from {from} on.", from;
    /// An input that nothing reads after an earlier day.
    InputNoLonger { until: Text<String> } NoScale
        "À cette date ce paramètre n’existe plus : il est accepté jusqu’au {until}."
        "On this date this parameter no longer exists: it is accepted until {until}.", until;
    /// An input that nothing reads that day.
    InputOfOtherDays NoScale
        "À cette date ce paramètre n’existe pas." "On this date this parameter does not exist.";
    /// A field that no answer of the folder has.
    UnknownField { near: Text<String> } UnknownValue
        "Champ inconnu{near}" "Unknown field{near}", near;
    /// A field that no answer has before a later day.
    FieldNotYet { from: Text<String> } NoScale
        "À cette date la réponse n’a pas ce champ : elle l’a à partir du {from}."
        "On this date the answer has no such field: it has from {from} on.", from;
    /// A field that no answer has after an earlier day.
    FieldNoLonger { until: Text<String> } NoScale
        "À cette date la réponse n’a plus ce champ : elle l’a jusqu’au {until}."
        "On this date the answer has no such field any more: it has until {until}.", until;
    /// A field that answers of other days have.
    FieldOfOtherDays NoScale
        "À cette date la réponse n’a pas ce champ." "On this date the answer has no such field.";
    /// A list of more names than there are fields.
    TooManyNames { found: usize, most: usize } TooMany
        "Liste de {found} nom(s) : la réponse n’a que {most} champ(s)."
        "A list of {found} name(s): the answer has only {most} field(s).";
    /// Refused names beyond those that are listed.
    MoreNames { count: usize } UnknownValue
        "Autres noms refusés : {count}." "Other names refused: {count}.";
    /// A rule of the method.
    Rule { sentence: Text<String> } Incompatible
        "{sentence}" "{sentence}", sentence;
}

/// A sentence whose words agree with their numbers: `1 valeur`, `3 valeurs` of `valeur(s)`.
fn of_numbers(sentence: &Text<String>) -> Text<String> {
    Text {
        fr: pluralized(&sentence.fr, Lang::Fr),
        en: pluralized(&sentence.en, Lang::En),
    }
}

/// A sentence of a method. One that its analyst wrote in French is quoted in English; one of a method
/// that was put in English is the same in both.
pub(crate) fn of_the_method(sentence: impl Into<String>, lang: Lang) -> Text<String> {
    let fr = sentence.into();
    if lang == Lang::En {
        return Text::same(fr);
    }
    let en = format!("The rules say, in French: \"{}\"", fr.trim_end_matches('.'));
    Text { fr, en }
}
