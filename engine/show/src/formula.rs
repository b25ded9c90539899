//! Formulas, roundings, columns and units in words, for readers who do not write rules.

use bareme_engine::Lang;
use bareme_engine::law::{Ast, AstNode, Function, Operator, Period, Rounding, Type, column_words};
use bareme_engine::text::RoundMode;
use rust_decimal::Decimal;

use crate::locale::Locale;
use crate::say;

/// A formula in words: `if given(mois) then base.pas else 0.5` as
/// `si mois est donné alors base (pas) sinon 0,5`.
pub fn formula(formula: &Ast, lang: Lang) -> String {
    with_names(lang, |words| words.formula(formula))
}

/// Reads formulas in the words that have the names as the rules write them.
pub(crate) fn with_names<T>(lang: Lang, read: impl FnOnce(&FormulaWords) -> T) -> T {
    let words = FormulaWords {
        lang,
        number: &|value| match lang {
            Lang::Fr => value.to_string().replace('.', ","),
            Lang::En => value.to_string(),
        },
        name: &str::to_owned,
        word: &|_, _| None,
        member: &|owner, member| of_member(owner, member, lang),
    };
    read(&words)
}

/// How a formula is put in words: its language, and what its names are called.
pub(crate) struct FormulaWords<'w> {
    pub lang: Lang,
    pub number: &'w dyn Fn(Decimal) -> String,
    /// An input, a step or a word of a choice.
    pub name: &'w dyn Fn(&str) -> String,
    /// A word of the choice that it is compared with: an input or a step may have the same name.
    pub word: &'w dyn Fn(&str, &str) -> Option<String>,
    /// A column of a figure or an output of a step.
    pub member: &'w dyn Fn(&str, &str) -> String,
}

impl FormulaWords<'_> {
    /// A formula in these words.
    pub(crate) fn formula(&self, formula: &Ast) -> String {
        let lang = self.lang;
        let part = |inner: &Ast| self.formula(inner);
        let within = |inner: &Ast, outer: u8| {
            let shown = part(inner);
            if binding(&inner.node) < outer {
                format!("({shown})")
            } else {
                shown
            }
        };

        // A part that binds less than what is around it needs parentheses.
        let own = binding(&formula.node);
        let tighter = own.saturating_add(1);

        match &formula.node {
            AstNode::Number(value) => (self.number)(*value),
            AstNode::Boolean(true) => say!(lang, "oui", "yes"),
            AstNode::Boolean(false) => say!(lang, "non", "no"),
            AstNode::Name(name) => (self.name)(name),
            AstNode::Member(owner, member) => (self.member)(owner, member),
            // The minus sign of Unicode, as for numbers.
            AstNode::Negative(inner) => format!("−{}", within(inner, own)),
            AstNode::Not(inner) => {
                let inner = within(inner, own);
                say!(lang, "non {inner}", "not {inner}")
            }
            AstNode::Binary(operator, left, right) => {
                let (of_left, of_right) = self.compared_words(*operator, left, right);
                // Comparisons cannot be chained.
                let outer = if own == COMPARISON { tighter } else { own };
                let left = of_left.unwrap_or_else(|| within(left, outer));
                let right = of_right.unwrap_or_else(|| within(right, tighter));
                format!("{left} {} {right}", sign(*operator, lang))
            }
            AstNode::If(condition, yes, no) => {
                let (condition, yes, no) = (part(condition), part(yes), part(no));
                say!(
                    lang,
                    "si {condition} alors {yes} sinon {no}",
                    "if {condition} then {yes} else {no}"
                )
            }
            AstNode::Call(function, arguments) => self.call(function, arguments),
        }
    }

    /// Each side of a comparison that is a word of the choice on the other side.
    fn compared_words(
        &self,
        operator: Operator,
        left: &Ast,
        right: &Ast,
    ) -> (Option<String>, Option<String>) {
        let is_comparison = matches!(operator, Operator::Equal | Operator::NotEqual);
        match (&left.node, &right.node) {
            (AstNode::Name(left), AstNode::Name(right)) if is_comparison => {
                ((self.word)(right, left), (self.word)(left, right))
            }
            _ => (None, None),
        }
    }

    fn call(&self, function: &Function, arguments: &[Ast]) -> String {
        let words = function.words.in_lang(self.lang);
        // A function may have a place for each of its arguments.
        if arguments.len() > 1 && words.matches("{}").count() == arguments.len() {
            return arguments.iter().fold(words.to_owned(), |filled, argument| {
                filled.replacen("{}", &self.formula(argument), 1)
            });
        }

        let arguments = self.list(arguments);
        // Most functions have their words before the arguments, `given` has them behind.
        match words.split_once("{}") {
            Some((before, after)) => format!("{before}{arguments}{after}"),
            None => format!("{words}({arguments})"),
        }
    }

    /// Formulas joined by separators.
    pub(crate) fn list(&self, formulas: &[Ast]) -> String {
        let shown: Vec<String> = formulas.iter().map(|inner| self.formula(inner)).collect();
        shown.join(separator(self.lang))
    }

    /// Roundings as a method writes them, `base.pas down`; several are joined.
    pub(crate) fn roundings(&self, roundings: &[Rounding<Ast>]) -> String {
        self::roundings(roundings, |unit| self.formula(unit), self.lang)
    }
}

const COMPARISON: u8 = 4;

/// Precedence of an operator: an operand of lower precedence is put in parentheses.
pub(crate) fn binding(node: &AstNode) -> u8 {
    match node {
        AstNode::If(..) => 0,
        AstNode::Binary(Operator::Or, ..) => 1,
        AstNode::Binary(Operator::And, ..) => 2,
        AstNode::Not(_) => 3,
        AstNode::Binary(Operator::Add | Operator::Subtract, ..) => 5,
        AstNode::Binary(Operator::Multiply | Operator::Divide, ..) => 6,
        AstNode::Binary(..) => COMPARISON,
        AstNode::Negative(_) => 7,
        _ => 8,
    }
}

/// Separator of the members of a list.
pub(crate) fn separator(lang: Lang) -> &'static str {
    if lang == Lang::Fr { " ; " } else { "; " }
}

fn sign(operator: Operator, lang: Lang) -> String {
    match operator {
        Operator::Multiply => "×".to_owned(),
        Operator::Divide => "÷".to_owned(),
        Operator::Subtract => "−".to_owned(),
        Operator::NotEqual => "≠".to_owned(),
        Operator::LessOrEqual => "≤".to_owned(),
        Operator::GreaterOrEqual => "≥".to_owned(),
        Operator::And => say!(lang, "et", "and"),
        Operator::Or => say!(lang, "ou", "or"),
        other => other.symbol().to_owned(),
    }
}

fn of_member(owner: &str, member: &str, lang: Lang) -> String {
    of_scale(owner, member, lang).unwrap_or_else(|| format!("{owner} ({})", column(member, lang)))
}

/// A value of the day of the calculation, in words; `None` for a column or an output.
pub(crate) fn of_scale(owner: &str, member: &str, lang: Lang) -> Option<String> {
    Some(match (owner, member) {
        ("scale", "year") => say!(lang, "année de la date", "year of the date"),
        ("scale", "month") => say!(lang, "mois de la date", "month of the date"),
        ("scale", "days") => say!(lang, "jours du mois", "days of the month"),
        ("scale", "months") => {
            say!(
                lang,
                "mois depuis le début de l’année de paie",
                "months since the year of pays began"
            )
        }
        ("scale", "last") => {
            say!(
                lang,
                "dernier mois de l’année ou du contrat",
                "last month of the year or of the contract"
            )
        }
        ("scale", "in_year") => say!(lang, "mois d’une année de paie", "month of a year of pays"),
        _ => return None,
    })
}

/// The name of an operand; a column comes after its figure or step: `base (pas)`.
pub(crate) fn name(name: &str, lang: Lang) -> String {
    name.split_once('.').map_or_else(
        || name.to_owned(),
        |(owner, member)| of_member(owner, member, lang),
    )
}

/// The name of a column or of an output: in words where the rule language names it, else as
/// written.
pub fn column(name: &str, lang: Lang) -> &str {
    column_words(name).map_or(name, |words| words.in_lang(lang))
}

/// Roundings of a calculation, in words.
pub(crate) fn applied_roundings(roundings: &[Rounding<Decimal>], locale: Locale) -> String {
    self::roundings(roundings, |unit| locale.number(*unit), locale.lang)
}

fn roundings<U>(roundings: &[Rounding<U>], unit: impl Fn(&U) -> String, lang: Lang) -> String {
    let one = |rounding: &Rounding<U>| {
        let unit = unit(&rounding.unit);
        match rounding.mode {
            RoundMode::HalfUp => say!(lang, "au plus proche, à {unit}", "to the nearest {unit}"),
            RoundMode::Down => say!(lang, "par défaut, à {unit}", "down to {unit}"),
            RoundMode::Up => say!(lang, "par excès, à {unit}", "up to {unit}"),
        }
    };
    roundings
        .iter()
        .map(one)
        .collect::<Vec<_>>()
        .join(&say!(lang, ", puis ", ", then "))
}

/// Unit of an amount, `XOF par mois`; `None` for any other type.
pub fn unit(ty: Type, currency: Option<&str>, lang: Lang) -> Option<String> {
    let Type::Money(period) = ty else { return None };
    let period = match period {
        Period::None => String::new(),
        Period::Month => say!(lang, "par mois", "per month"),
        Period::Year => say!(lang, "par an", "per year"),
    };
    let unit = format!("{} {period}", currency.unwrap_or_default());

    Some(unit.trim().to_owned()).filter(|unit| !unit.is_empty())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bareme_engine::Loader;
    use bareme_engine::law::Written;

    use super::*;

    const METHOD: &str = "format: bareme/1
folder: zz
title: Essai
dated: false
citation: Essai
sources:
  essai: {kind: law, title: Essai, publisher: Essai, date: 2026-01-01}
inputs:
  brut: {type: number, required: true, label: B}
  net: {type: number, required: true, label: N}
  mois: {type: number, optional: true, label: M}
steps:
FORMULAS
answer:
  a: a
";

    /// Each formula in French and in English words.
    fn read(formulas: &str) -> Vec<(String, String)> {
        let folder = tempfile::tempdir().unwrap();
        let service =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/broken/base/service.yaml");
        std::fs::copy(service, folder.path().join("service.yaml")).unwrap();
        std::fs::create_dir(folder.path().join("zz")).unwrap();
        std::fs::write(
            folder.path().join("zz/method.yaml"),
            METHOD.replace("FORMULAS", formulas),
        )
        .unwrap();
        let loaded = Loader::new()
            .without_cases()
            .only(&["zz"])
            .load(folder.path());
        let errors: Vec<String> = loaded
            .report
            .errors()
            .map(|error| error.message(Lang::En).to_string())
            .collect();
        let rules = loaded.rules.unwrap_or_else(|| panic!("{errors:?}"));
        let steps = rules
            .folder("zz")
            .unwrap()
            .latest()
            .unwrap()
            .method()
            .steps();
        let both = |written: &Written| match written {
            Written::Formula(read) => (formula(read, Lang::Fr), formula(read, Lang::En)),
            Written::Roundings(read) => (
                with_names(Lang::Fr, |words| words.roundings(read)),
                with_names(Lang::En, |words| words.roundings(read)),
            ),
            other => panic!("{other:?}"),
        };
        steps
            .iter()
            .flat_map(|step| &step.keys)
            .map(|(_, written)| both(written))
            .collect()
    }

    #[test]
    fn formulas_and_roundings_are_read_without_their_language() {
        let read = read(
            "  a: if given(mois) and brut >= 5 then min(brut * 0.5; net) else brut - (net + 1)\n  \
               b: {formula: (brut + net) * 2 - -net, round: 0.5 down; 0.01 up}\n  \
               c: not (brut = net or brut != 2) and (brut > 1) = (net > 1)\n",
        );
        let words = |index: usize| (read[index].0.as_str(), read[index].1.as_str());
        let (french, english) = words(0);
        assert_eq!(
            french,
            "si mois est donné et brut ≥ 5 alors le plus petit de (brut × 0,5 ; net) sinon brut − (net + 1)"
        );
        assert_eq!(
            english,
            "if mois is given and brut ≥ 5 then the least of (brut × 0.5; net) else brut − (net + 1)"
        );
        assert_eq!(words(1).0, "(brut + net) × 2 − −net");
        assert_eq!(
            words(2),
            (
                "par défaut, à 0,5, puis par excès, à 0,01",
                "down to 0.5, then up to 0.01"
            )
        );
        assert_eq!(
            words(3).0,
            "non (brut = net ou brut ≠ 2) et (brut > 1) = (net > 1)"
        );
    }

    #[test]
    fn amounts_say_their_currency_and_period() {
        assert_eq!(
            unit(Type::Money(Period::Year), Some("XOF"), Lang::Fr).as_deref(),
            Some("XOF par an")
        );
        assert_eq!(
            unit(Type::Money(Period::None), Some("EUR"), Lang::En).as_deref(),
            Some("EUR")
        );
        assert_eq!(
            (
                unit(Type::Rate, Some("EUR"), Lang::Fr),
                unit(Type::Money(Period::None), None, Lang::Fr)
            ),
            (None, None)
        );
    }
}
