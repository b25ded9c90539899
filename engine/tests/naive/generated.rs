//! Generated rule sets: random figures, formulas and steps, by the grammar and the types of the
//! manual.

use std::fmt::Write as _;

use crate::draw::Random;
use crate::rule_sets::Files;

/// Maximum number of nested operators of a formula.
const MAX_DEPTH: u64 = 4;

/// Maximum number of random steps.
const MAX_STEPS: u64 = 6;

const AMOUNTS: [&str; 8] = [
    "0", "0.01", "99.995", "100", "333.33", "1 234.56", "20 000", "7.5",
];

const NUMBERS: [&str; 10] = [
    "0", "1", "2", "3", "12", "0.5", "0.25", "1.1", "0.001", "100",
];

const RATES: [&str; 8] = ["0%", "1%", "2.5%", "7%", "12.345%", "20%", "33.33%", "45%"];

const BOUNDS: [&str; 6] = ["100", "250.50", "1 000", "2 500", "10 000", "50 000"];

/// Steps that use each input and each figure, so that no set is refused for one that is not.
const METHOD: &str = "format: bareme/1
folder: zz
title: Titre
currency: EUR
inputs:
  brut:  {type: money, required: true, label: Brut}
  prime: {type: money, optional: true, label: Prime}
  n:     {type: number, default: 1, label: Nombre}
  cadre: {type: boolean, default: false, label: Cadre}
  zone:  {type: choice, values: nord; sud; est, default: nord, label: Zone}
figures:
  f: {rate: rate, montant: money}
  t: {zone: key, rate: rate, montant: money}
  a: {bound: money, rate: rate}
  b: {bound: money, rate: rate, less: money}
  c: {zone: key, bound: money, rate: rate, plus: money}
steps:
  bonus: if given(prime) then prime else f.montant * f.rate
  t: {table: t, by: zone}
  a: {brackets: brut, with: a}
  b: {brackets: brut * n, with: b}
  c: {brackets: brut + bonus, with: c, by: zone}
  chef: {formula: brut * t.rate, when: cadre}
";

const ANSWER: &str = "answer:
  a: {value: a - b + c, label: Impôt}
  chef: {value: chef + bonus + t.montant, label: Chef}
";

/// The type of a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Money,
    Number,
    Boolean,
}

/// The method of a rule set under construction.
struct Method<'r> {
    random: &'r mut Random,
    /// Names that the next formula may use, with their types.
    names: Vec<(String, Type)>,
    /// Whether formulas do not divide: a comparison or a divisor whose last digit depends on a
    /// division differs in exact fractions.
    is_exact: bool,
    steps: String,
    answer: String,
}

/// A rule set of one folder: inputs of each type, a record, a table, brackets of each form, and
/// random steps that read them, each with a field of the answer.
pub(crate) fn rule_set(random: &mut Random) -> Files {
    let scale = scale(random);
    let named = |names: &[&str], ty| {
        names
            .iter()
            .map(|name| ((*name).to_owned(), ty))
            .collect::<Vec<_>>()
    };

    let names = [
        named(
            &[
                "brut",
                "bonus",
                "f.montant",
                "t.montant",
                "a",
                "b",
                "c",
                "chef",
            ],
            Type::Money,
        ),
        named(
            &["n", "f.rate", "t.rate", "a.rate", "scale.month"],
            Type::Number,
        ),
        named(
            &["cadre", "zone = nord", "zone != est", "given(prime)"],
            Type::Boolean,
        ),
    ];
    let mut method = Method {
        random,
        names: names.concat(),
        is_exact: false,
        steps: METHOD.to_owned(),
        answer: ANSWER.to_owned(),
    };

    for index in 0..=method.random.below(MAX_STEPS) {
        method.add_step(&format!("s{index}"));
    }

    vec![
        ("zz/method.yaml".to_owned(), method.steps + &method.answer),
        ("zz/2026-01-01.yaml".to_owned(), scale),
    ]
}

/// The dated file, with random amounts, rates and bounds.
fn scale(random: &mut Random) -> String {
    let mut text = "format: bareme/1
title: Titre
sources:
  s: {kind: law, title: Source, publisher: Editeur}
figures:
"
    .to_owned();
    let (amount, rate) = (random.pick(&AMOUNTS), random.pick(&RATES));
    let _ = write!(
        text,
        "  f: {{rate: {rate}, montant: {amount}, source: s}}\n  t:\n    source: s\n    rows:\n"
    );
    for zone in ["nord", "sud", "est"] {
        let (amount, rate) = (random.pick(&AMOUNTS), random.pick(&RATES));
        let _ = writeln!(
            text,
            "      - {{zone: {zone}, rate: {rate}, montant: {amount}}}"
        );
    }

    for (figure, zones, printed) in [
        ("a", &[""][..], None),
        ("b", &[""], Some("less")),
        ("c", &["nord", ""], Some("plus")),
    ] {
        let _ = write!(text, "  {figure}:\n    source: s\n    rows:\n");
        for zone in zones {
            rows(zone, printed, random, &mut text);
        }
    }

    text
}

/// The rows of brackets, of one form of bounds.
fn rows(zone: &str, printed: Option<&str>, random: &mut Random, text: &mut String) {
    let is_lower = printed == Some("plus") || random.one_in(2);
    let word = random.pick(if is_lower {
        &["over", "from"]
    } else {
        &["up_to", "below"]
    });
    let first = random.below(3) as usize;
    let bounds = &BOUNDS[first..first + 1 + random.below(3) as usize];
    let zone = if zone.is_empty() {
        String::new()
    } else {
        format!("zone: {zone}, ")
    };

    for row in 0..=bounds.len() {
        let bound = match (is_lower, row) {
            (true, 0) if printed == Some("plus") => format!("{word}: 0, "),
            (true, 0) => String::new(),
            (true, row) => format!("{word}: {}, ", bounds[row - 1]),
            (false, row) => bounds
                .get(row)
                .map(|bound| format!("{word}: {bound}, "))
                .unwrap_or_default(),
        };
        let printed = printed
            .map(|column| format!(", {column}: {}", random.pick(&AMOUNTS)))
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "      - {{{zone}{bound}rate: {}{printed}}}",
            random.pick(&RATES)
        );
    }
}

impl Method<'_> {
    /// Adds a step of a random kind, and the field that shows it.
    fn add_step(&mut self, name: &str) {
        let amount = self.formula(Type::Money);
        let (ty, kind) = match self.random.below(8) {
            0 => (
                Type::Money,
                format!(
                    "contribution: {amount}{}",
                    self.limits(&["floor", "ceiling", "over"])
                ),
            ),
            1 => (
                Type::Money,
                format!("deduction: {amount}{}", self.limits(&["min", "max"])),
            ),
            2 => (
                Type::Money,
                format!(
                    "brackets: {amount}, with: {}, shares: 1 + n * n",
                    self.random.pick(&["a", "b"])
                ),
            ),
            3 => (
                Type::Money,
                format!("brackets: {amount}, with: c, by: zone"),
            ),
            4 => (
                Type::Boolean,
                format!("formula: {}", self.formula(Type::Boolean)),
            ),
            5 => (
                Type::Number,
                format!("formula: {}", self.formula(Type::Number)),
            ),
            _ => (Type::Money, format!("formula: {amount}")),
        };

        let modifiers = self.modifiers(ty, &kind);
        let _ = writeln!(self.steps, "  {name}: {{{kind}{modifiers}}}");
        let _ = writeln!(self.answer, "  {name}: {{value: {name}, label: Champ}}");
        self.names.push((name.to_owned(), ty));
    }

    /// The rate of a step, and some of its limits.
    fn limits(&mut self, keys: &[&str]) -> String {
        let mut limits = if self.random.one_in(2) {
            ", rate: f.rate".to_owned()
        } else {
            ", rate: t.rate".to_owned()
        };
        for key in keys {
            if self.random.one_in(2) {
                let limit = self.formula(Type::Money);
                let _ = write!(limits, ", {key}: {limit}");
            }
        }
        limits
    }

    /// The modifiers of a step. An amount is rounded, and whatever divides.
    fn modifiers(&mut self, ty: Type, kind: &str) -> String {
        let mut modifiers = String::new();
        if self.random.one_in(4) {
            let _ = write!(modifiers, ", when: {}", self.formula(Type::Boolean));
        }

        if ty == Type::Boolean {
            return modifiers;
        }

        for limit in ["at_least", "at_most"] {
            if self.random.one_in(4) {
                let _ = write!(modifiers, ", {limit}: {}", self.formula(ty));
            }
        }

        let divides = [kind, &modifiers]
            .iter()
            .any(|text| text.contains('/') || text.contains("ratio"));
        // The other evaluator tells an amount by its operands, and 0 is none: both show cents that
        // are rounded.
        if divides || ty == Type::Money || self.random.one_in(2) {
            let unit = self.random.pick(&["0.01", "0.1", "1", "5", "100"]);
            let _ = write!(
                modifiers,
                ", round: {unit}{}",
                self.random.pick(&["", " down", " up", " half_up"])
            );
        }

        modifiers
    }

    /// A random formula of a type.
    fn formula(&mut self, ty: Type) -> String {
        let depth = self.random.below(MAX_DEPTH + 1);
        self.nested(ty, depth)
    }

    /// A formula of a type. Now and then one is without its parentheses, so that operators bind by
    /// their priority.
    fn nested(&mut self, ty: Type, depth: u64) -> String {
        if depth == 0 {
            return self.leaf(ty);
        }

        let depth = depth - 1;
        let text = match (ty, self.random.below(8)) {
            (Type::Boolean, 0) => format!("not {}", self.nested(ty, depth)),
            (Type::Boolean, 1..=3) => self.binary(ty, &["and", "or"], ty, depth),
            (Type::Boolean, kind) => {
                let ty = if kind == 4 { Type::Number } else { Type::Money };
                let [left, right] = [ty, ty].map(|ty| self.exact(ty, depth));
                format!(
                    "{left} {} {right}",
                    self.random.pick(&["<", "<=", ">", ">=", "=", "!="])
                )
            }
            (_, 0) => format!("-{}", self.nested(ty, depth)),
            (_, 1) => {
                let [when, yes, no] = [Type::Boolean, ty, ty].map(|ty| self.nested(ty, depth));
                format!("if {when} then {yes} else {no}")
            }
            (_, 2) => {
                let [a, b, c] = [ty, ty, ty].map(|ty| self.nested(ty, depth));
                return format!("{}({a}; {b}; {c})", self.random.pick(&["min", "max"]));
            }
            (Type::Number, 3) if !self.is_exact => {
                let (a, b) = (
                    self.nested(Type::Money, depth),
                    self.exact(Type::Money, depth),
                );
                return format!("ratio({a}; {b})");
            }
            (Type::Number, 4) if !self.is_exact => {
                format!(
                    "{} / {}",
                    self.nested(Type::Money, depth),
                    self.exact(Type::Money, depth)
                )
            }
            (_, 5) if !self.is_exact => format!(
                "{} / {}",
                self.nested(ty, depth),
                self.exact(Type::Number, depth)
            ),
            (_, 3 | 4) => self.binary(ty, &["*"], Type::Number, depth),
            (Type::Money, 5) => self.binary(Type::Number, &["*"], ty, depth),
            _ => self.binary(ty, &["+", "-"], ty, depth),
        };

        if self.random.one_in(6) {
            text
        } else {
            format!("({text})")
        }
    }

    /// A formula that does not divide.
    fn exact(&mut self, ty: Type, depth: u64) -> String {
        let before = std::mem::replace(&mut self.is_exact, true);
        let text = self.nested(ty, depth);
        self.is_exact = before;
        text
    }

    fn binary(&mut self, left: Type, operators: &[&str], right: Type, depth: u64) -> String {
        let [left, right] = [left, right].map(|ty| self.nested(ty, depth));
        format!("{left} {} {right}", self.random.pick(operators))
    }

    fn leaf(&mut self, ty: Type) -> String {
        if ty == Type::Number && self.random.one_in(2) {
            return (*self.random.pick(&NUMBERS)).to_owned();
        }
        let names: Vec<&String> = self
            .names
            .iter()
            .filter(|(_, of)| *of == ty)
            .map(|(name, _)| name)
            .collect();
        (*self.random.pick(&names)).clone()
    }
}
