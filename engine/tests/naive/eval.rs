//! The value of a formula, by what the manual says of each operator and function.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::calendar;
use crate::compute::{Computed, Run, Stop, cited, number};
use crate::formula::Expr;
use crate::law::{Figure, Rat, Value, entries, power_of_ten, same, text};

/// A fourth root to sixty decimals, of the base four times too often multiplied by itself.
pub(crate) fn power(base: &Rat, exponent: &Rat) -> Result<Rat, Stop> {
    let quarters = (exponent * BigInt::from(4)).to_integer().to_u32().unwrap();
    if quarters.is_multiple_of(4) {
        return Ok(num_traits::pow(base.clone(), (quarters / 4) as usize));
    }
    if base.is_negative() {
        return Err(Stop::Impossible);
    }
    let scaled = num_traits::pow(base.clone(), quarters as usize) * power_of_ten(4 * 60);
    Ok(Rat::new(scaled.to_integer().nth_root(4), power_of_ten(60)))
}

impl<'l> Run<'l> {
    pub(crate) fn one(&self, text: &str) -> Computed {
        self.eval(&self.law.formulas(text)[0])
    }

    pub(crate) fn is(&self, condition: &str) -> Result<bool, Stop> {
        Ok(self.one(condition)? == Value::Boolean(true))
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

    pub(crate) fn eval(&self, expr: &Expr) -> Computed {
        Ok(match expr {
            Expr::Number(value) => Value::Number(value.clone(), false),
            Expr::Boolean(value) => Value::Boolean(*value),
            Expr::Name(name) => match self
                .inputs
                .get(name)
                .or_else(|| self.steps.get(name)?.main.as_ref())
            {
                Some(value) => value.clone(),
                // A word, in the default of a choice.
                None => Value::Word(name.clone()),
            },
            Expr::Member(owner, name) => self.member(owner, name),
            Expr::Negative(inner) => match self.eval(inner)? {
                Value::Number(value, money) => Value::Number(-value, money),
                other => panic!("- {other:?}"),
            },
            Expr::Not(inner) => Value::Boolean(self.eval(inner)? == Value::Boolean(false)),
            Expr::If(test, yes, no) if self.eval(test)? == Value::Boolean(true) => {
                return self.eval(if true { yes } else { no });
            }
            Expr::If(_, _, no) => self.eval(no)?,
            Expr::Binary(operator, a, b) => return self.binary(operator, a, b),
            Expr::Call(function, arguments) => return self.call(function, arguments),
        })
    }

    fn member(&self, owner: &str, name: &str) -> Value {
        if owner == "scale" {
            return self.scale(name);
        }
        if let Some((_, row)) = self.row.filter(|(figure, _)| *figure == owner) {
            return row.cells.get(name).cloned().unwrap_or(Value::Nothing);
        }
        let output = self
            .steps
            .get(owner)
            .and_then(|step| step.outputs.get(name));
        let column = || self.law.figures.get(owner)?.record.cells.get(name);
        output.or_else(column).cloned().unwrap_or(Value::Nothing)
    }

    fn scale(&self, name: &str) -> Value {
        let said = match name {
            "year" => return Value::Number(BigInt::from(self.when.year).into(), false),
            "month" => return Value::Number(BigInt::from(self.when.day.month()).into(), false),
            "days" => {
                return Value::Number(BigInt::from(self.when.day.days_in_month()).into(), false);
            }
            "day" => {
                let day = calendar::read(&self.when.day.to_string());
                return Value::Number(day.unwrap(), false);
            }
            "months" => {
                let before = self.year.as_ref().map_or(0, |year| year.month);
                return Value::Number(BigInt::from(before + 1).into(), false);
            }
            "last" => return Value::Boolean(self.is_last()),
            "in_year" => {
                return Value::Boolean(self.year.as_ref().is_some_and(|year| year.is_asked));
            }
            "date" => self.law.date.clone(),
            "currency" => text(&self.law.method, "currency").map(str::to_owned),
            _ => {
                let sources = self.law.sources.iter();
                // What only options cite is no text of the method's own scale, and evidence is no
                // text.
                let figures = || self.law.figures.values();
                let rows = |figure: &'l Figure| figure.rows.iter().chain([&figure.record]);
                let sets = |id: &String| {
                    figures()
                        .filter(|figure| figure.option.is_none())
                        .flat_map(rows)
                        .any(|row| row.sources.contains(id))
                };
                let is_named = |id: &String| {
                    figures()
                        .flat_map(rows)
                        .any(|row| row.sources.contains(id) || row.evidence.contains(id))
                };
                let sources = sources.filter(|(id, source)| {
                    text(source, "kind") != Some("secondary") && (sets(id) || !is_named(id))
                });
                let titles = sources
                    .filter_map(|(_, source)| cited(source))
                    .collect::<Vec<_>>()
                    .join(" ; ");
                self.law.scale_text("citation").or(Some(titles))
            }
        };

        said.map_or(Value::Nothing, Value::Text)
    }

    fn binary(&self, operator: &str, a: &Expr, b: &Expr) -> Computed {
        if let (Expr::Name(name), Expr::Name(word), "=" | "!=") = (a, b, operator)
            && self.words(name).contains(word)
        {
            return Ok(Value::Boolean(
                (self.inputs[name] == Value::Word(word.clone())) == (operator == "="),
            ));
        }

        let left = self.eval(a)?;
        if let "and" | "or" = operator {
            // A condition that is a step of other days is false.
            let is_true = left == Value::Boolean(true);
            return if is_true == (operator == "or") {
                Ok(Value::Boolean(is_true))
            } else {
                Ok(Value::Boolean(self.eval(b)? == Value::Boolean(true)))
            };
        }

        let right = self.eval(b)?;
        let (Value::Number(a, money_a), Value::Number(b, money_b)) = (&left, &right) else {
            return Ok(Value::Boolean(same(&left, &right) == (operator == "=")));
        };

        let money = *money_a || *money_b;
        Ok(match operator {
            "+" => Value::Number(a + b, money),
            "-" => Value::Number(a - b, money),
            "*" => Value::Number(a * b, money),
            "/" if b.is_zero() => return Err(Stop::Impossible),
            "/" => Value::Number(a / b, *money_a && !money_b),
            "=" => Value::Boolean(a == b),
            "!=" => Value::Boolean(a != b),
            "<" => Value::Boolean(a < b),
            "<=" => Value::Boolean(a <= b),
            ">" => Value::Boolean(a > b),
            _ => Value::Boolean(a >= b),
        })
    }

    fn call(&self, function: &str, arguments: &[Expr]) -> Computed {
        if let ("given", [Expr::Name(input)]) = (function, arguments) {
            return Ok(Value::Boolean(
                self.sent.contains(input) || self.law.figures.contains_key(input),
            ));
        }

        if let Some(of_items) = self.of_items(function, arguments)? {
            return Ok(of_items);
        }

        if let Some(of_months) = self.of_months(function, arguments)? {
            return Ok(of_months);
        }

        // A ratio over zero is zero, whatever its numerator, which is not computed.
        if let ("ratio", [_, below]) = (function, arguments)
            && number(self.eval(below)?)?.is_zero()
        {
            return Ok(Value::zero());
        }

        let values = arguments
            .iter()
            .map(|argument| self.eval(argument))
            .collect::<Result<Vec<_>, _>>()?;
        let money = values
            .iter()
            .any(|value| matches!(value, Value::Number(_, true)));
        let values = values
            .into_iter()
            .map(number)
            .collect::<Result<Vec<_>, _>>()?;
        let twelve = || Rat::from(BigInt::from(12));
        Ok(match function {
            "min" => Value::Number(values.into_iter().min().unwrap(), money),
            "max" => Value::Number(values.into_iter().max().unwrap(), money),
            "annual" => Value::Number(&values[0] * twelve(), true),
            "monthly" => Value::Number(&values[0] / twelve(), true),
            "power" => Value::Number(power(&values[0], &values[1])?, false),
            "ratio" => Value::Number(&values[0] / &values[1], false),
            "days" => Value::Number(values[1].floor() - values[0].floor(), false),
            "months" => Value::Number(calendar::months(&values[0], &values[1]), false),
            "years" => {
                let months = calendar::months(&values[0], &values[1]);
                Value::Number((months / twelve()).trunc(), false)
            }
            _ => panic!("the naive evaluator does not know the function {function}"),
        })
    }

    fn is_last(&self) -> bool {
        self.year
            .as_ref()
            .map_or(self.when.day.month() == 12, |year| year.last)
    }

    /// Sum over the earlier months, back to the one in which the key had another value.
    pub(crate) fn before(&self, of: &Expr, key: Option<&Expr>) -> Result<Rat, Stop> {
        let now = key.map(|key| self.eval(key)).transpose()?;
        let earlier = self.year.iter().flat_map(|year| year.earlier.iter().rev());
        let since = earlier.take_while(|past| key.is_none_or(|key| Some(past.value(key)) == now));
        Ok(since
            .map(|past| number(past.value(of)).unwrap_or_default())
            .sum())
    }

    /// The functions that read other months.
    fn of_months(&self, function: &str, arguments: &[Expr]) -> Result<Option<Value>, Stop> {
        let Some(of) = arguments.first() else {
            return Ok(None);
        };

        let alone = || self.year.iter().flat_map(|year| year.alone.iter());
        Ok(Some(match function {
            "year_to_date" => {
                let Value::Number(now, money) = self.eval(of)? else {
                    panic!("a sum of no numbers")
                };
                Value::Number(now + self.before(of, arguments.get(1))?, money)
            }
            "year_mean" if self.year.as_ref().is_some_and(|year| year.is_asked) => {
                let values: Vec<Rat> = alone()
                    .map(|past| number(past.value(of)).unwrap_or_default())
                    .collect();
                let count = BigInt::from(values.len());
                Value::Number(values.into_iter().sum::<Rat>() / count, false)
            }
            "year_mean" => self.eval(of)?,
            "last_month" => {
                let next = self
                    .year
                    .as_ref()
                    .and_then(|year| year.alone.get(year.month + 1));
                let changes = match next {
                    Some(next) => next.value(of) != self.eval(of)?,
                    None => false,
                };
                Value::Boolean(self.is_last() || changes)
            }
            _ => return Ok(None),
        }))
    }

    /// Whether a formula is true or false rather than a number, even where it is not computed.
    pub(crate) fn is_boolean(&self, expr: &Expr) -> bool {
        expr.is_boolean(&|name| {
            let input = self.law.input(name).and_then(|input| text(input, "type"));
            input == Some("boolean") || self.steps.get(name).is_some_and(|step| step.is_boolean)
        })
    }

    /// Whether a formula reads figures only.
    pub(crate) fn is_fixed(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Number(_) | Expr::Boolean(_) => true,
            Expr::Name(_) => false,
            Expr::Member(owner, name) => !self
                .steps
                .get(owner)
                .is_some_and(|step| step.outputs.contains_key(name)),
            Expr::Negative(inner) | Expr::Not(inner) => self.is_fixed(inner),
            Expr::Binary(_, a, b) => self.is_fixed(a) && self.is_fixed(b),
            Expr::If(..) => false,
            Expr::Call(_, arguments) => arguments.iter().all(|argument| self.is_fixed(argument)),
        }
    }
}
