//! The fields of an answer that have one value: what a row of a table shows of them.

use std::rc::Rc;

use bareme_engine::authoring::Node;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::builder::{Builder, Test};
use super::compiler::{Axis, Compiler, Stopped, unit};
use super::kernel::Slot;
use super::number::Number;
use super::program::{Block, Program, Span};
use super::symbol::Symbol;
use crate::law::{Law, Rat, entries, plain, power_of_ten, text};
use crate::past::When;

/// A case, compiled.
#[derive(Debug, Default)]
pub(crate) struct Compiled {
    pub program: Program,
    pub fields: Vec<Field>,
    /// Columns of which a 1 says that the row has no answer.
    pub failures: Vec<Slot>,
    /// The warnings, each with where it comes.
    pub warnings: Vec<(There, Warned)>,
}

/// A warning: its code, its sentence, the parameter that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Warned(pub String, pub String, pub Option<String>);

impl Warned {
    /// The warning of a check, with its sentence.
    pub(crate) fn new(check: &Node, sentence: String) -> Self {
        let part = |key: &str| text(check, key).map(str::to_owned);
        Self(part("code").unwrap(), sentence, part("input"))
    }
}

/// A field of the answer.
#[derive(Debug)]
pub(crate) struct Field {
    pub name: String,
    pub there: There,
    pub shown: Shown,
}

/// Where something is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum There {
    Always,
    Never,
    /// Where a column is 1.
    Where(Slot),
}

/// The value of a field.
#[derive(Debug)]
pub(crate) enum Shown {
    /// An integer over ten to so many decimals.
    Fixed(i128, u32),
    Narrow(Slot, u32),
    Wide(Slot, u32),
    Boolean(There),
    Text(String),
    Texts(Slot, Rc<[Option<String>]>),
}

/// A value of a field whose columns still have the indices of the builder.
enum Draft {
    Fixed(i128, u32),
    Column(Slot, u32),
    Boolean(Test),
    Text(String),
    Texts(Slot, Rc<[Option<String>]>),
}

impl There {
    pub(crate) fn at(self, block: &Block, row: usize) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Where(slot) => block.at(slot, row) == 1,
        }
    }
}

impl Compiled {
    /// Compiles a case.
    pub(crate) fn new(
        law: &Law,
        sent: &[(String, String)],
        axis: Option<&Axis>,
        when: When,
    ) -> Result<Self, Stopped> {
        let mut compiler = Compiler::new(law, when);
        compiler.compile(sent, axis)?;
        let mut drafts = Vec::new();
        let answers: Vec<_> = compiler
            .parts()
            .into_iter()
            .flat_map(|part| entries(part, "answer"))
            .collect();
        for (name, node) in answers {
            if let Some((there, draft)) = compiler.field(node)? {
                drafts.push((name.value.clone(), there, draft));
            }
        }

        Ok(compiler.finish(drafts))
    }

    /// Computes the rows of some spans.
    pub(crate) fn run(&self, block: &mut Block, spans: &[Span]) {
        self.program.run(block, spans);
    }

    /// Whether a row has no answer.
    pub(crate) fn is_refused(&self, block: &Block, row: usize) -> bool {
        self.failures.iter().any(|slot| block.at(*slot, row) == 1)
    }

    /// Which rows have no answer.
    pub(crate) fn refused(&self, block: &Block) -> Vec<bool> {
        let mut refused = vec![false; block.rows];
        for slot in &self.failures {
            refused
                .iter_mut()
                .zip(block.column(*slot))
                .for_each(|(refused, fails)| *refused |= *fails == 1);
        }
        refused
    }

    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Field {
    /// The number of a row, as an integer over ten to [`decimals`](Self::decimals).
    pub(crate) fn number(&self, block: &Block, row: usize) -> Option<i128> {
        match self.shown {
            Shown::Fixed(value, _) => Some(value),
            Shown::Narrow(slot, _) => Some(block.at(slot, row).into()),
            Shown::Wide(slot, _) => Some(block.wide_column(slot)[row]),
            _ => None,
        }
    }

    pub(crate) fn decimals(&self) -> u32 {
        match self.shown {
            Shown::Fixed(_, decimals) | Shown::Narrow(_, decimals) | Shown::Wide(_, decimals) => {
                decimals
            }
            _ => 0,
        }
    }
}

impl Compiler<'_> {
    fn field(&mut self, node: &Node) -> Result<Option<(Test, Draft)>, Stopped> {
        let mut there = match text(node, "when") {
            Some(when) => self.is(when)?,
            None => Test::Fixed(true),
        };

        if there == Test::Fixed(false) {
            return Ok(None);
        }

        if let Some(constant) = text(node, "text") {
            return Ok(Some((there, Draft::Text(constant.to_owned()))));
        }

        let formula = node
            .text()
            .map(|text| text.value.as_str())
            .or(text(node, "value"));
        // Lists are compared elsewhere, answer by answer.
        let Some(formula) = formula else {
            return Ok(None);
        };

        if self.law.is_step_of_other_days(formula) && !formula.contains(' ') {
            return Ok(None);
        }

        let mut value = self.under(there, |compiler| compiler.one(formula))?;
        if let Symbol::Perhaps(is_there, own) = value {
            there = self.builder.both(there, is_there);
            value = *own;
        }

        let draft = match value {
            Symbol::Nothing => return Ok(None),
            Symbol::Number(number, money) => {
                self.shown(number, money, text(node, "as"), text(node, "round"))?
            }
            Symbol::Boolean(test) => Draft::Boolean(test),
            Symbol::Word(text) | Symbol::Text(text) => Draft::Text(text),
            Symbol::Texts(slot, texts) => Draft::Texts(slot, texts),
            Symbol::Perhaps(..) => {
                return Err(Stopped::Unsupported("a value that may be missing twice"));
            }
        };

        Ok(Some((there, draft)))
    }

    fn shown(
        &mut self,
        mut number: Number,
        money: bool,
        form: Option<&str>,
        rounding: Option<&str>,
    ) -> Result<Draft, Stopped> {
        if form == Some("percent") {
            number = self.builder.times(&number, &Number::whole(100))?;
        }

        if let Some(rounding) = rounding {
            let (unit, mode) = rounding.split_once(' ').unwrap_or((rounding, "half_up"));
            number = self.builder.rounded(&number, &plain(unit).unwrap(), mode)?;
        }

        let own =
            text(&self.law.method, "decimals").map_or(2, |decimals| decimals.parse().unwrap());
        let decimals: u32 = if money { own } else { 10 };
        let number = self.builder.rounded(&number, &unit(decimals), "half_up")?;
        let draft = match number {
            Number::Fixed(value) => {
                let scaled: Rat = value * power_of_ten(decimals as usize);
                Draft::Fixed(
                    scaled
                        .to_integer()
                        .to_i128()
                        .ok_or(Stopped::Unsupported("more than 128 bits"))?,
                    decimals,
                )
            }
            Number::Column(column) => {
                let own = BigInt::from(10).pow(decimals);
                assert_eq!(
                    (column.den, column.by),
                    (own, None),
                    "a rounded number is over a power of ten"
                );
                Draft::Column(column.top, decimals)
            }
            Number::Rough(_) => return Err(Stopped::Unsupported("a power that is not rounded")),
        };

        Ok(match (form, draft) {
            (Some("text"), Draft::Fixed(value, decimals)) => {
                let number = rust_decimal::Decimal::from_i128_with_scale(value, decimals);
                Draft::Text(number.normalize().to_string())
            }
            (Some("text"), _) => return Err(Stopped::Unsupported("a number as a text")),
            (_, draft) => draft,
        })
    }

    /// The program that fills the columns of the fields, of the failures and of the warnings.
    fn finish(self, drafts: Vec<(String, Test, Draft)>) -> Compiled {
        let mut needed = Vec::new();
        let mut want = |slot: Slot| {
            needed.push(slot);
            needed.len() - 1
        };

        let mut want_test = |test: Test| match test {
            Test::Fixed(true) => There::Always,
            Test::Fixed(false) => There::Never,
            Test::Column(slot) => There::Where(want(slot)),
        };

        let mut fields: Vec<Field> = Vec::new();

        for (name, there, draft) in drafts {
            let there = want_test(there);
            let shown = match draft {
                Draft::Fixed(value, decimals) => Shown::Fixed(value, decimals),
                Draft::Column(slot, decimals) => match want_test(Test::Column(slot)) {
                    There::Where(place) => Shown::Narrow(place, decimals),
                    _ => unreachable!(),
                },
                Draft::Boolean(test) => Shown::Boolean(want_test(test)),
                Draft::Text(text) => Shown::Text(text),
                Draft::Texts(slot, texts) => match want_test(Test::Column(slot)) {
                    There::Where(place) => Shown::Texts(place, texts),
                    _ => unreachable!(),
                },
            };
            fields.push(Field { name, there, shown });
        }

        let warnings: Vec<(There, Warned)> = self
            .warnings
            .iter()
            .map(|(test, warned)| (want_test(*test), warned.clone()))
            .collect();
        let failures: Vec<There> = self
            .failures
            .iter()
            .map(|slot| want_test(Test::Column(*slot)))
            .collect();
        let (program, places) = Builder::finish(&self.builder, &needed);
        fields.iter_mut().for_each(|field| field.place(&places));
        let slot = |there: There| {
            if let There::Where(slot) = there.placed(&places) {
                slot
            } else {
                unreachable!()
            }
        };

        Compiled {
            program,
            fields,
            failures: failures.into_iter().map(slot).collect(),
            warnings: warnings
                .into_iter()
                .map(|(there, warned)| (there.placed(&places), warned))
                .collect(),
        }
    }
}

impl There {
    /// The same once columns have their places.
    fn placed(self, places: &[(Slot, bool)]) -> Self {
        if let Self::Where(needed) = self {
            Self::Where(places[needed].0)
        } else {
            self
        }
    }
}

impl Field {
    fn place(&mut self, places: &[(Slot, bool)]) {
        self.there = self.there.placed(places);
        match &mut self.shown {
            Shown::Narrow(needed, decimals) => {
                let (slot, is_wide) = places[*needed];
                self.shown = if is_wide {
                    Shown::Wide(slot, *decimals)
                } else {
                    Shown::Narrow(slot, *decimals)
                };
            }
            Shown::Boolean(there) => *there = there.placed(places),
            Shown::Texts(needed, _) => *needed = places[*needed].0,
            Shown::Fixed(..) | Shown::Wide(..) | Shown::Text(_) => {}
        }
    }
}
