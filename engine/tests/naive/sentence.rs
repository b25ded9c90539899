//! Sentences of checks, with the amounts of the law that stand between their braces.

use num_traits::Zero;

use crate::law::{Law, Rat, Value, power_of_ten, round, text};
use crate::number::french;

impl Law {
    /// A sentence with its amounts; `value` computes a formula.
    pub(crate) fn sentence<E>(
        &self,
        written: &str,
        mut value: impl FnMut(&str) -> Result<Value, E>,
    ) -> Result<String, E> {
        let mut sentence = String::new();
        let mut rest = written;
        while let Some((words, amount, after)) = rest
            .split_once('{')
            .and_then(|(words, rest)| rest.split_once('}').map(|(at, to)| (words, at, to)))
        {
            sentence.push_str(words);
            let Value::Number(number, is_money) = value(amount)? else {
                panic!("{amount} is a number");
            };
            sentence.push_str(&self.shown(amount, number, is_money));
            rest = after;
        }
        Ok(sentence + rest)
    }

    fn shown(&self, formula: &str, number: Rat, is_money: bool) -> String {
        if is_money {
            let decimals = text(&self.method, "decimals").map_or(2, |text| text.parse().unwrap());
            let unit = Rat::new(1.into(), power_of_ten(decimals));
            let rounded = round(&number, &unit, "half_up");
            let is_whole = rounded.fract().is_zero();
            return french(&rounded, if is_whole { 0 } else { decimals });
        }
        // A rate is a percentage where the formula is a column of rates.
        let column = formula.split_once('.').and_then(|(figure, column)| {
            let shape = &self.figures.get(figure)?.shape;
            shape.iter().find(|(name, _)| name == column)
        });
        if column.is_some_and(|(_, kind)| kind == "rate") {
            let percentage = number * power_of_ten(2);
            return format!("{} %", french(&percentage, 0));
        }
        french(&number, 0)
    }
}
