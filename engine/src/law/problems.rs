//! Constructors of problems about types, or about the keys of figures.

use rust_decimal::Decimal;

use crate::law::figure::own_keys;
use crate::law::parameter::is_general;
use crate::law::types::Type;
use crate::say;
use crate::text::lang::Text;
use crate::text::number::{BadLiteral, number_text, parse_amount, parse_rate};
use crate::text::problem::{Problem, corrected_amount, corrected_rate};
use crate::text::words::{is_name, normalize};

impl Problem {
    /// A literal that cannot be read as a value of a type.
    pub(crate) fn literal(problem: BadLiteral, text: &str, ty: Type) -> Self {
        // The correction depends on the type: `5,5 %` is `5.5%` for a rate.
        let near = if ty == Type::Rate {
            corrected_rate(text)
        } else {
            corrected_amount(text)
        };

        let text = text.to_owned();
        match problem {
            BadLiteral::Comma => Self::CommaInNumber { text, near },
            BadLiteral::TooLong => Self::NumberTooLong { text },
            BadLiteral::ZeroDenominator => Self::ZeroDenominator { text },
            BadLiteral::Percent => Self::needless_percent(text, ty),
            BadLiteral::NoPercent => Self::percent_missing(text),
            BadLiteral::Form if ty == Type::Rate => Self::BadRate { text, near },
            BadLiteral::Form => Self::BadNumber { text, near },
        }
    }

    /// A malformed name; proposes it without accents and capitals.
    pub(crate) fn bad_name(name: &str) -> Self {
        let near = Some(normalize(name)).filter(|near| is_name(near) && near != name);
        let taken = own_keys().collect::<Vec<_>>().join("`, `");
        Self::BadName {
            name: name.to_owned(),
            taken,
            near,
        }
    }

    /// A reserved name: a word of the language, or a parameter of every folder.
    pub(crate) fn reserved_name(name: &str) -> Self {
        let what = if is_general(name) {
            Text::new(
                "à un paramètre que les appels ont déjà",
                "for a parameter that calls already have",
            )
        } else {
            Text::new("au langage", "by the language")
        };
        Self::ReservedName {
            name: name.to_owned(),
            what: what.into(),
        }
    }

    /// A value in arithmetic that is not a number.
    pub(crate) fn not_numeric(found: Type) -> Self {
        let cure = match found {
            Type::Choice(_) => Text::new(
                "un choix se compare à l’un de ses mots : `if situation = seul then … else …`",
                "a choice is compared with one of its words: `if status = single then … else …`",
            ),
            Type::Boolean => Text::new(
                "en faire une condition : `if … then … else …`",
                "make it a condition: `if … then … else …`",
            ),
            Type::Date => Text::new(
                "compter une durée : `months(embauche; sortie)`, ou comparer deux dates",
                "count a duration: `months(hired; left)`, or compare two dates",
            ),
            _ => Text::new(
                "lire une entrée, une étape ou une colonne qui soit un nombre",
                "read an input, a step or a column that is a number",
            ),
        };
        Self::NotNumeric {
            found: found.name(),
            cure: cure.into(),
        }
    }

    /// A percentage where a number or an amount is expected: without its `%` a coefficient would be
    /// a hundred times what was meant.
    fn needless_percent(text: String, ty: Type) -> Self {
        let fraction = parse_rate(&text)
            .ok()
            .filter(|rate| rate.abs() < Decimal::ONE);
        let is_amount = matches!(ty, Type::Money(_));

        let cure = match fraction.map(number_text) {
            Some(fraction) if is_amount => say!(
                "retirer le `%` d’un montant, écrire `{fraction}` pour un coefficient, ou déclarer \
                 le type `rate` dans la méthode",
                "remove the `%` of an amount, write `{fraction}` for a coefficient, or declare the \
                 type `rate` in the method"
            ),
            Some(fraction) => say!(
                "écrire `{fraction}`, ou déclarer le type `rate` dans la méthode",
                "write `{fraction}`, or declare the type `rate` in the method"
            ),
            None => say!(
                "retirer le `%`, ou déclarer le type `rate` dans la méthode",
                "remove the `%`, or declare the type `rate` in the method"
            ),
        };
        Self::PercentNotWanted { text, cure }
    }

    /// A rate without `%`. A number below 1 is more often a fraction (0.07) than less than one
    /// percent.
    fn percent_missing(text: String) -> Self {
        let value = parse_amount(&text)
            .ok()
            .filter(|value| value.abs() < Decimal::ONE);

        let percent = value
            .and_then(|value| value.checked_mul(Decimal::ONE_HUNDRED))
            .map(number_text);

        let cure = match percent {
            Some(percent) => say!(
                "écrire `{percent}%`, ou `{text}%` si le taux est bien de moins de 1 %",
                "write `{percent}%`, or `{text}%` if the rate is indeed below 1 %"
            ),
            None => say!("écrire `{text}%`", "write `{text}%`"),
        };

        Self::PercentMissing { text, cure }
    }
}
