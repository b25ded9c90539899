//! Formulas, compiled by what the manual says of each operator and function.

use num_traits::{ToPrimitive, Zero};

use super::builder::{Test, Unsupported};
use super::compiler::{Compiler, Stopped};
use super::number::Number;
use super::symbol::Symbol;
use crate::formula::Expr;
use crate::law::{entries, text};

impl Compiler<'_> {
    pub(crate) fn one(&mut self, formula: &str) -> Result<Symbol, Stopped> {
        let formulas = self.law.formulas(formula);
        self.eval(&formulas[0])
    }

    pub(crate) fn is(&mut self, condition: &str) -> Result<Test, Stopped> {
        Ok(self.one(condition)?.test()?)
    }

    /// Compiles what is computed only where a condition holds.
    pub(crate) fn under<T>(
        &mut self,
        test: Test,
        compile: impl FnOnce(&mut Self) -> Result<T, Stopped>,
    ) -> Result<T, Stopped> {
        let outside = self.active;
        self.active = self.builder.both(outside, test);
        let made = compile(self);
        self.active = outside;
        made
    }

    /// Notes that a row where a condition holds has no answer.
    pub(crate) fn fail(&mut self, test: Test) -> Result<(), Stopped> {
        match self.builder.both(self.active, test) {
            Test::Fixed(true) => Err(Stopped::Refused),
            Test::Fixed(false) => Ok(()),
            Test::Column(slot) => {
                self.failures.push(slot);
                Ok(())
            }
        }
    }

    pub(crate) fn eval(&mut self, expr: &Expr) -> Result<Symbol, Stopped> {
        Ok(match expr {
            Expr::Number(value) => Symbol::Number(Number::Fixed(value.clone()), false),
            Expr::Boolean(value) => Symbol::Boolean(Test::Fixed(*value)),
            Expr::Name(name) => self.named(name)?,
            Expr::Member(owner, name) => self.member(owner, name),
            Expr::Negative(inner) => match self.eval(inner)? {
                Symbol::Number(number, money) => {
                    Symbol::Number(self.builder.times(&number, &Number::whole(-1))?, money)
                }
                _ => return Err(Unsupported("the opposite of what is no number").into()),
            },
            Expr::Not(inner) => {
                let test = self.eval(inner)?.test()?;
                Symbol::Boolean(self.builder.not(test))
            }
            Expr::If(test, yes, no) => {
                let test = self.eval(test)?.test()?;
                match test {
                    Test::Fixed(true) => return self.eval(yes),
                    Test::Fixed(false) => return self.eval(no),
                    Test::Column(_) => {}
                }
                let other = self.builder.not(test);
                let yes = self.under(test, |compiler| compiler.eval(yes))?;
                let no = self.under(other, |compiler| compiler.eval(no))?;
                self.builder.select(test, &yes, &no)?
            }
            Expr::Binary(operator, a, b) => return self.binary(operator, a, b),
            Expr::Call(function, arguments) => return self.call(function, arguments),
        })
    }

    fn named(&self, name: &str) -> Result<Symbol, Stopped> {
        if let Some(value) = self.inputs.get(name) {
            return Ok(value.clone());
        }
        match self.steps.get(name) {
            Some(step) => step
                .main
                .clone()
                .ok_or(Unsupported("a step without a value of its own").into()),
            // A word, in the default of a choice.
            None => Ok(Symbol::Word(name.to_owned())),
        }
    }

    fn member(&self, owner: &str, name: &str) -> Symbol {
        if owner == "scale" {
            return self.scale(name);
        }

        let output = self
            .steps
            .get(owner)
            .and_then(|step| step.outputs.get(name))
            .cloned();
        let column = || {
            self.law
                .figures
                .get(owner)?
                .record
                .cells
                .get(name)
                .map(Symbol::from)
        };

        output.or_else(column).unwrap_or(Symbol::Nothing)
    }

    fn scale(&self, name: &str) -> Symbol {
        match name {
            "year" => Symbol::Number(Number::whole(self.when.year.into()), false),
            "month" => Symbol::Number(Number::whole(self.when.day.month().into()), false),
            "days" => Symbol::Number(Number::whole(self.when.day.days_in_month().into()), false),
            "months" => Symbol::Number(Number::whole(self.earlier.len() as i64 + 1), false),
            "last" => Symbol::Boolean(Test::Fixed(self.is_last())),
            "in_year" => Symbol::Boolean(Test::Fixed(false)),
            _ => Symbol::from(&self.texts_of_scale(name)),
        }
    }

    /// Whether the year ends with the month.
    fn is_last(&self) -> bool {
        self.when.day.month() == 12
    }

    /// The words that `=` may compare a name with: of a choice, or beside the numbers of a rate.
    fn words(&self, name: &str) -> Vec<String> {
        let Some(input) = self.law.input(name) else {
            return Vec::new();
        };

        let list = |text: &str| text.split(';').map(|word| word.trim().to_owned()).collect();
        let values = || {
            entries(input, "values")
                .iter()
                .map(|(word, _)| word.value.clone())
                .collect()
        };

        text(input, "values")
            .or(text(input, "words"))
            .map_or_else(values, list)
    }

    fn binary(&mut self, operator: &str, a: &Expr, b: &Expr) -> Result<Symbol, Stopped> {
        if let (Expr::Name(name), Expr::Name(word), "=" | "!=") = (a, b, operator)
            && self.words(name).contains(word)
        {
            let is_it = matches!(&self.inputs[name], Symbol::Word(own) if own == word);
            return Ok(Symbol::Boolean(Test::Fixed(is_it == (operator == "="))));
        }

        let left = self.eval(a)?;
        if let ("and" | "or", Symbol::Boolean(left)) = (operator, &left) {
            let left = *left;
            let reaches = if operator == "and" {
                left
            } else {
                self.builder.not(left)
            };
            if reaches == Test::Fixed(false) {
                return Ok(Symbol::Boolean(left));
            }
            let right = self.under(reaches, |compiler| compiler.eval(b))?.test()?;
            let both = operator == "and";
            return Ok(Symbol::Boolean(if both {
                self.builder.both(left, right)
            } else {
                self.builder.either(left, right)
            }));
        }

        let right = self.eval(b)?;
        let (Symbol::Number(a, money_a), Symbol::Number(b, money_b)) = (&left, &right) else {
            return self.same(&left, &right, operator == "=");
        };

        let money = *money_a || *money_b;
        let builder = &mut self.builder;
        Ok(match operator {
            "+" => Symbol::Number(builder.plus(a, b)?, money),
            "-" => Symbol::Number(builder.minus(a, b)?, money),
            "*" => Symbol::Number(builder.times(a, b)?, money),
            "/" => {
                let is_zero = builder.is_equal(b, &Number::zero())?;
                self.fail(is_zero)?;
                if is_zero == Test::Fixed(true) {
                    return Ok(Symbol::Number(Number::zero(), *money_a && !money_b));
                }
                Symbol::Number(self.builder.over(a, b)?, *money_a && !money_b)
            }
            "=" => Symbol::Boolean(builder.is_equal(a, b)?),
            "!=" => {
                let equal = builder.is_equal(a, b)?;
                Symbol::Boolean(builder.not(equal))
            }
            "<" => Symbol::Boolean(builder.is_less(a, b, false)?),
            "<=" => Symbol::Boolean(builder.is_less(a, b, true)?),
            ">" => Symbol::Boolean(builder.is_less(b, a, false)?),
            _ => Symbol::Boolean(builder.is_less(b, a, true)?),
        })
    }

    fn same(&mut self, a: &Symbol, b: &Symbol, expected: bool) -> Result<Symbol, Stopped> {
        let same = match (a, b) {
            (Symbol::Boolean(a), Symbol::Boolean(b)) => {
                let (not_a, not_b) = (self.builder.not(*a), self.builder.not(*b));
                let (yes, no) = (self.builder.both(*a, *b), self.builder.both(not_a, not_b));
                self.builder.either(yes, no)
            }
            (Symbol::Word(a), Symbol::Word(b)) | (Symbol::Text(a), Symbol::Text(b)) => {
                Test::Fixed(a == b)
            }
            (Symbol::Nothing, Symbol::Nothing) => Test::Fixed(true),
            // A rate that is the word is no number, and a number is no word.
            (Symbol::Word(_), Symbol::Number(..)) | (Symbol::Number(..), Symbol::Word(_)) => {
                Test::Fixed(false)
            }
            (Symbol::Nothing, _) | (_, Symbol::Nothing) => Test::Fixed(false),
            _ => return Err(Unsupported("values that are compared").into()),
        };

        Ok(Symbol::Boolean(if expected {
            same
        } else {
            self.builder.not(same)
        }))
    }

    fn call(&mut self, function: &str, arguments: &[Expr]) -> Result<Symbol, Stopped> {
        if let ("given", [Expr::Name(input)]) = (function, arguments) {
            let is_given = self.sent.contains(input) || self.law.figures.contains_key(input);
            return Ok(Symbol::Boolean(Test::Fixed(is_given)));
        }

        // No combination sends an item of a group.
        match function {
            "sum" | "count" | "least" | "greatest" => return Ok(Symbol::zero()),
            "any" | "all" => return Ok(Symbol::Boolean(Test::Fixed(function == "all"))),
            _ => {}
        }

        // A month alone is a year of one month; equal pays before it are the year so far.
        match (function, arguments) {
            ("year_to_date", [of, rest @ ..]) => {
                let Symbol::Number(now, money) = self.eval(of)? else {
                    return Err(Unsupported("a sum of no numbers").into());
                };
                let before = self.before(of, rest.first())?;
                return Ok(Symbol::Number(self.builder.plus(&now, &before)?, money));
            }
            ("year_mean", [of, ..]) => return self.eval(of),
            ("last_month", _) => return Ok(Symbol::Boolean(Test::Fixed(self.is_last()))),
            _ => {}
        }

        let mut values = Vec::new();
        let mut money = false;

        for argument in arguments {
            let value = self.eval(argument)?;
            money |= matches!(value, Symbol::Number(_, true));
            values.push(value.number()?);
        }

        let builder = &mut self.builder;
        let twelve = Number::whole(12);
        Ok(match function {
            "min" | "max" => {
                let greatest = function == "max";
                let mut found = values[0].clone();
                for value in &values[1..] {
                    found = builder.extreme(&found, value, greatest)?;
                }
                Symbol::Number(found, money)
            }
            "annual" => Symbol::Number(builder.times(&values[0], &twelve)?, true),
            "monthly" => Symbol::Number(builder.over(&values[0], &twelve)?, true),
            "power" => return self.power(&values[0], &values[1]),
            "ratio" => {
                let is_zero = builder.is_equal(&values[1], &Number::zero())?;
                if is_zero == Test::Fixed(true) {
                    return Ok(Symbol::zero());
                }
                let quotient = builder.over(&values[0], &values[1])?;
                Symbol::Number(builder.choose(is_zero, &Number::zero(), &quotient)?, false)
            }
            _ => return Err(Unsupported("a function that is not known").into()),
        })
    }

    /// Sum of a value over the earlier pays.
    pub(crate) fn before(&mut self, of: &Expr, key: Option<&Expr>) -> Result<Number, Stopped> {
        let mut sum = Number::zero();
        let values: Vec<Symbol> = self
            .earlier
            .iter()
            .filter_map(|pay| pay.value(of))
            .collect();
        if key.is_some() && !values.is_empty() {
            return Err(Unsupported("a sum that a key begins again").into());
        }

        for value in values {
            let number = match &value {
                Symbol::Nothing => continue,
                Symbol::Perhaps(there, number) => {
                    self.builder
                        .choose(*there, &number.number()?, &Number::zero())?
                }
                other => other.number()?,
            };
            sum = self.builder.plus(&sum, &number)?;
        }

        Ok(sum)
    }

    fn power(&mut self, base: &Number, exponent: &Number) -> Result<Symbol, Stopped> {
        let Number::Fixed(exponent) = exponent else {
            return Err(Unsupported("an exponent of the row").into());
        };

        let quarters = (exponent * num_bigint::BigInt::from(4))
            .to_integer()
            .to_u32();
        let quarters = quarters.ok_or(Unsupported("an exponent below 0"))?;
        if quarters.is_zero() {
            return Ok(Symbol::Number(Number::whole(1), false));
        }

        if let Number::Fixed(base) = base {
            let Ok(power) = crate::eval::power(base, exponent) else {
                self.fail(Test::Fixed(true))?;
                return Ok(Symbol::zero());
            };
            return Ok(Symbol::Number(Number::Fixed(power), false));
        }

        if quarters.is_multiple_of(4) {
            return Ok(Symbol::Number(self.builder.power(base, quarters)?, false));
        }

        let is_negative = self.builder.is_less(base, &Number::zero(), false)?;
        self.fail(is_negative)?;
        let base = self.builder.extreme(base, &Number::zero(), true)?;
        Ok(Symbol::Number(self.builder.power(&base, quarters)?, false))
    }
}
