//! The parameters of every folder: what calls take besides the inputs of a method. One table, which
//! the reader of queries, the checks of names, the descriptions and the forms go by.

use crate::text::Text;

/// A parameter that calls take besides the inputs of a method.
///
/// ```
/// use bareme_engine::law::parameter::{Call, DATE, GeneralType, of_call};
///
/// let first = of_call(Call::Dated).next().ok_or("no parameter")?;
/// assert_eq!((first.name, first.ty), (DATE, GeneralType::Date));
/// assert!(of_call(Call::Undated).all(|parameter| parameter.name != DATE));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct GeneralParameter {
    /// Its name, which no input may have.
    pub name: &'static str,
    /// The type of its value.
    pub ty: GeneralType,
    /// The calls that take it, with this meaning.
    pub calls: &'static [Call],
    /// Its meaning, in sentences.
    pub help: Text,
}

/// The kind of call that a parameter may be part of.
///
/// [`GeneralParameter::calls`] lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Call {
    /// A calculation of a folder without dates.
    Undated,
    /// A calculation by the scale of a day.
    Dated,
    /// A year of pays.
    Year,
    /// A column of a batch of years of pays.
    YearRow,
    /// A batch as a whole: what its address has.
    Batch,
    /// A calculation or a batch that a service answers: one that keeps its rule sets, and signs.
    Kept,
}

/// The type of a parameter of every folder.
///
/// [`GeneralParameter::ty`] is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum GeneralType {
    /// A day, `2026-03-31`.
    Date,
    /// A year of four digits.
    Year,
    /// A month, 1 to 12.
    Month,
    /// `true` or `false`.
    Boolean,
    /// `true`, `false`, or `complet`: a [`DetailLevel`](crate::law::DetailLevel).
    Detail,
    /// The version of a law, sixteen hexadecimal digits.
    Version,
    /// A text.
    Text,
}

use Call::{Batch, Dated, Kept, Undated, Year, YearRow};

/// Declares the parameters: the constant of each name, its type, then what it means in which calls.
macro_rules! parameters {
    ($($(#[$doc:meta])* $constant:ident $name:literal $ty:ident {
        $([$($call:ident),*] $fr:literal $en:literal;)*
    })*) => {
        $($(#[$doc])* pub const $constant: &str = $name;)*

        /// The parameters of every folder, in the order in which messages list them; one that means
        /// something else in other calls is there for each meaning.
        pub const GENERAL: &[GeneralParameter] = &[$($(GeneralParameter {
            name: $name,
            ty: GeneralType::$ty,
            calls: &[$($call),*],
            help: Text::new($fr, $en),
        },)*)*];
    };
}

parameters! {
    /// The day whose scale applies.
    DATE "date" Date {
        [Dated] "Jour dont le barème s’applique ; aujourd’hui (UTC) par défaut."
            "Day whose scale applies; today (UTC) by default.";
    }
    /// A year: short for its first day, or the year of a year of pays.
    YEAR "annee" Year {
        [Dated]
            "Année, en quatre chiffres, dont le barème du 1er janvier s’applique ; incompatible \
             avec `date`."
            "Year, of four digits, whose scale of 1 January applies; not together with `date`.";
        [Year, YearRow] "Année civile des paies, en quatre chiffres."
            "Calendar year of the pays, of four digits.";
    }
    /// The first month of the lists of a year of pays.
    FIRST_MONTH "premier_mois" Month {
        [Year, YearRow]
            "Mois de la première valeur des listes : celui de l’embauche, en cours d’année. Par \
             défaut : `1`."
            "Month of the first value of the lists: that of the hiring, during the year. By \
             default: `1`.";
    }
    /// The last month of a year of pays.
    FINAL_MONTH "dernier_mois" Month {
        [Year, YearRow]
            "Dernier mois calculé. Par défaut : celui où les listes finissent, ou décembre."
            "Last month computed. By default: that in which the lists end, or December.";
    }
    /// Whether the contract ends with the last month of a year of pays.
    DEPARTURE "depart" Boolean {
        [Year, YearRow]
            "`true` : le contrat prend fin avec le dernier mois, ce qui se règle une fois s’y \
            règle. Par défaut : `false`."
            "`true`: the contract ends with the last month, and what is settled once is settled \
            there. By default: `false`.";
    }
    /// Whether the answer has the steps.
    DETAIL "detail" Detail {
        [Undated, Dated, Year, YearRow]
            "`true` : la réponse explique le calcul étape par étape (`etapes`) ; `complet` : les \
             étapes des calculs qu’il demande à d’autres dossiers aussi."
            "`true`: the answer explains the calculation step by step (`etapes`); `complet`: the \
             steps of the calculations that it asks of other folders too.";
    }
    /// The fields of the answer, separated by commas.
    FIELDS "champs" Text {
        [Undated, Dated, Year, Batch] "Champs à calculer, séparés par des virgules. Vide : tous."
            "Fields to compute, separated by commas. Empty: all of them.";
    }
    /// The version of the law to apply, as an earlier answer gave it.
    VERSION "version" Version {
        [Undated, Dated, Year, YearRow]
            "Version du droit, telle qu’une réponse l’a donnée : le calcul applique celle-là, ou \
             est refusé."
            "Version of the law, as an answer gave it: the calculation applies that one, or is \
             refused.";
    }
    /// The day on which the law was known that is to be applied.
    KNOWN_ON "connu_le" Date {
        [Kept]
            "Jour de connaissance : le calcul applique les barèmes tels qu’ils étaient en service \
             à la fin de ce jour (UTC), sans les corrections d’après."
            "Day of knowledge: the calculation applies the scales as they were in service at the \
             end of that day (UTC), without later corrections.";
    }
    /// Whether the answer has a signed receipt.
    RECEIPT "recu" Boolean {
        [Kept]
            "`true` : la réponse porte un reçu signé (`recu`), qui prouve la demande, les \
             montants et le droit appliqué."
            "`true`: the answer has a signed receipt (`recu`), which proves the question, the \
             amounts and the law that was applied.";
    }
    /// The column of a batch that names its rows, repeated in their answers.
    ROW_KEY "cle" Text {
        [Batch] "Colonne qui nomme chaque ligne, recopiée dans sa réponse."
            "Column that names each row, repeated in its answer.";
    }
}

/// The parameters by which a calculation chooses its scale: at most one of them is sent.
pub const OF_THE_DAY: [&str; 2] = [DATE, YEAR];

/// The parameters that a call takes.
pub fn of_call(call: Call) -> impl Iterator<Item = &'static GeneralParameter> + Clone {
    GENERAL
        .iter()
        .filter(move |parameter| parameter.calls.contains(&call))
}

/// Whether a name is that of a parameter of every folder: no input may have it.
pub fn is_general(name: &str) -> bool {
    GENERAL.iter().any(|parameter| parameter.name == name)
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, errors};

    use super::*;

    /// The keys of a method after its inputs.
    const REST: &str = "steps:\n  x: brut\nanswer:\n  brut: brut\n  x: x\n";

    #[test]
    fn no_input_and_no_target_has_the_name_of_one() {
        for GeneralParameter { name, .. } in GENERAL {
            let input =
                format!("{GROSS}  {name}: {{type: boolean, optional: true, label: Autre}}\n{REST}");
            assert!(
                errors(&input, "").contains(&"S09"),
                "{name}: {:?}",
                errors(&input, "")
            );
            let inverse = format!(
                "{{input: brut, field: x, find: smallest, parameter: {name}, label: Autre}}"
            );
            let target = format!("{GROSS}{REST}inverse: [{inverse}]\n");
            assert_eq!(errors(&target, ""), ["I08"], "{name}");
        }
    }

    #[test]
    fn a_call_takes_a_parameter_with_one_meaning() {
        for (index, one) in GENERAL.iter().enumerate() {
            let twins = GENERAL
                .iter()
                .skip(index + 1)
                .filter(|other| other.name == one.name);
            let both = twins
                .flat_map(|other| other.calls)
                .filter(|call| one.calls.contains(call));
            assert_eq!(both.count(), 0, "{}", one.name);
        }
    }
}
