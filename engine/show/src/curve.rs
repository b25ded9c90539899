//! Curves of a scale over an input: net pay by gross pay, tax by income.

use bareme_engine::law::{FieldValue, Find, Input, Method, Presence, Type};
use bareme_engine::run::{curve::Point, curve::amounts};
use bareme_engine::{Calculation, CalculationError, Folder};
use jiff::civil::Date;
use rust_decimal::Decimal;

/// Number of parts in which a range is searched for falls.
const FALL_SEARCH_PARTS: u32 = 2_000;

/// Decimals of the amounts that are calculated.
pub const CENTS: u32 = 2;

/// The axes of a curve: an input amount, and a field of the answer.
#[derive(Debug, Clone)]
pub struct Axis<'f> {
    folder: &'f Folder,
    /// Name of the input.
    pub input: String,
    /// Label of the input.
    pub input_label: String,
    /// Name of the field.
    pub field: String,
    /// Label of the field.
    pub field_label: String,
    /// Whether the field is a net of the amount: the rest is then withheld, and more of it is better. Else it is a
    /// tax.
    pub is_net: bool,
    /// The option that the field belongs to, to be switched on.
    option: Option<String>,
}

/// A household: its parameters besides the input amount.
#[derive(Debug, Clone, Default)]
pub struct Household {
    /// The parameters, by name.
    pub query: Vec<(String, String)>,
}

impl<'f> Axis<'f> {
    /// The axes of a folder: input and field of the first inverse calculation that finds the smallest input, else the
    /// first required amount and the first number of the answer. `named` chooses another field.
    pub fn new(folder: &'f Folder, named: Option<&str>) -> Option<Self> {
        let method = folder.latest()?.method();
        let net = method.inverse(Find::Smallest);
        let named = named.map(|name| method.fields().iter().position(|field| field.name == name));
        let field = named.unwrap_or_else(|| net.map_or_else(|| first_number(method), |inverse| Some(inverse.field)))?;
        let input = net.map_or_else(|| first_amount(method), |inverse| inverse.input.of(method.inputs()))?;
        let is_net = net.is_some_and(|inverse| inverse.field == field);
        let field = method.fields().get(field)?;
        let option = field.option.and_then(|index| method.options().get(index)).map(|option| option.name.clone());
        (field.json_type() == "number").then(|| Self {
            folder,
            input: input.name.clone(),
            input_label: input.label.clone(),
            field: field.name.clone(),
            field_label: field.label.clone().unwrap_or_else(|| field.name.clone()),
            is_net,
            option,
        })
    }

    /// The axes of the curve that the method declares, else of its net over its gross; `None` where it has neither.
    pub fn declared(folder: &'f Folder) -> Option<Self> {
        let method = folder.latest()?.method();
        let Some(curve) = method.curve() else {
            return method.inverse(Find::Smallest).and_then(|_| Self::new(folder, None));
        };
        let name = &method.fields().get(curve.field)?.name;
        let input = curve.input.of(method.inputs())?;
        let axis = Self::new(folder, Some(name))?;
        Some(Self { input: input.name.clone(), input_label: input.label.clone(), is_net: false, ..axis })
    }

    /// Value of the field for an amount and a household, by the scale of the household's day, or of today; `None` if
    /// the query is refused.
    pub fn at(&self, amount: Decimal, household: &Household, today: Date) -> Option<Decimal> {
        self.calculate(amount, household, today).ok()?
    }

    /// Like [`at`](Self::at), with the reason of a refusal; `None` where the answer does not have the field.
    ///
    /// # Errors
    /// A refused query, or an internal error of the engine.
    pub fn calculate(
        &self,
        amount: Decimal,
        household: &Household,
        today: Date,
    ) -> Result<Option<Decimal>, CalculationError> {
        let calculation = self.calculation(amount, household, today)?;
        Ok(calculation.field(&self.field).and_then(FieldValue::number))
    }

    /// The whole calculation for an amount and a household.
    ///
    /// # Errors
    /// A refused query, or an internal error of the engine.
    pub(crate) fn calculation(
        &self,
        amount: Decimal,
        household: &Household,
        today: Date,
    ) -> Result<Calculation<'f>, CalculationError> {
        let mut query = household.query.clone();
        query.push((self.input.clone(), amount.to_string()));
        let is_said = |option: &&String| household.query.iter().any(|(name, _)| name == *option);
        let option = self.option.as_ref().filter(|option| !is_said(option));
        query.extend(option.map(|option| (option.clone(), "true".to_owned())));
        self.folder.calculate(&(&query).into(), today)
    }

    /// The smallest unit of the field, such as a cent.
    pub(crate) fn cent(&self) -> Decimal {
        Decimal::new(1, self.folder.latest().map_or(CENTS, |edition| edition.method().decimals))
    }

    /// The usual range of the input in the worked cases, without extremes.
    pub fn usual_range(&self) -> Option<(Decimal, Decimal)> {
        let (low, high) = self.folder.examples().usual(&self.input)?;
        let (low, high) = (two_digits(low), two_digits(high));
        (low < high).then_some((low, high))
    }

    /// The points of the curve of a household over a range, which is divided into equal parts.
    pub fn points(
        &self,
        range: (Decimal, Decimal),
        (parts, decimals): (u32, u32),
        household: &Household,
        today: Date,
    ) -> Vec<Point> {
        let at = |amount| Some(Point { amount, value: self.at(amount, household, today)? });
        amounts(range, parts, decimals).into_iter().filter_map(at).collect()
    }

    /// Falls of the field where the amount rises, the greatest first: the amount from which it is lower, and by how
    /// much.
    pub fn falls(&self, range: (Decimal, Decimal), household: &Household, date: Date) -> Vec<Point> {
        let points = self.points(range, (FALL_SEARCH_PARTS, CENTS), household, date);
        let pairs = points.iter().zip(points.iter().skip(1));
        let falling = pairs.filter(|(before, after)| after.value < before.value);
        let mut falls: Vec<Point> = falling.filter_map(|(a, b)| self.narrowed(*a, *b, household, date)).collect();
        falls.sort_by(|a, b| b.value.cmp(&a.value).then(a.amount.cmp(&b.amount)));
        falls
    }

    /// The exact amount at which the field falls between two points, found by bisection.
    fn narrowed(&self, mut before: Point, mut after: Point, household: &Household, date: Date) -> Option<Point> {
        let cent = Decimal::new(1, 2);
        while after.amount.saturating_sub(before.amount) > cent {
            let middle = before.amount.saturating_add(after.amount).checked_div(Decimal::TWO)?;
            let middle = middle.round_dp_with_strategy(2, rust_decimal::RoundingStrategy::ToZero);
            let point = Point { amount: middle, value: self.at(middle, household, date)? };
            if point.value < before.value { after = point } else { before = point }
        }
        let fall = before.value.saturating_sub(after.value);
        (fall > Decimal::ZERO).then_some(Point { amount: after.amount, value: fall })
    }
}

fn first_amount(method: &Method) -> Option<&Input> {
    let is_amount = |input: &Input| matches!(input.ty, Type::Money(_)) && matches!(input.presence, Presence::Required);
    method.inputs().iter().find(|input| is_amount(input))
}

fn first_number(method: &Method) -> Option<usize> {
    method.fields().iter().position(|field| field.json_type() == "number" && field.is_always_there())
}

/// An amount rounded to its first two digits.
fn two_digits(amount: Decimal) -> Decimal {
    let digits = amount.trunc().to_string().len().saturating_sub(2);
    let unit = Decimal::from(10u64.saturating_pow(u32::try_from(digits).unwrap_or_default()));
    amount.checked_div(unit).unwrap_or(amount).trunc().saturating_mul(unit)
}

impl Household {
    /// The household with all defaults, and those that differ from it in one input.
    pub fn typical(method: &Method, axis: &Axis) -> Vec<Self> {
        let mut found = vec![Self::default()];
        let is_switch = |input: &Input| method.options().iter().any(|option| option.name == input.name);
        // Inputs of options have no effect while the option is off.
        let counts =
            |input: &Input| !is_switch(input) && !input.is_absent && (axis.option.is_some() || !input.only_of_options);
        for input in method.inputs().iter().filter(|input| input.name != axis.input && counts(input)) {
            found.extend(others(input).into_iter().map(|value| Self { query: vec![(input.name.clone(), value)] }));
        }
        found
    }

    /// Its name in a table: the parameters that differ, or `usual` where none does.
    pub fn label(&self, usual: &str) -> String {
        let pairs: Vec<String> = self.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if pairs.is_empty() { usual.to_owned() } else { pairs.join(" ") }
    }
}

/// Some values of an input other than its default.
fn others(input: &Input) -> Vec<String> {
    let Presence::Default(_, default) = &input.presence else { return Vec::new() };
    match input.ty {
        Type::Choice(_) => input.values.iter().map(|(word, _)| word.clone()).filter(|word| word != default).collect(),
        Type::Boolean => vec![(default != "true").to_string()],
        Type::Number => {
            let start: Option<Decimal> = default.parse().ok().or(input.min);
            let more = [Decimal::ONE, Decimal::from(3)].into_iter().filter_map(|more| start?.checked_add(more));
            let is_accepted = |value: &Decimal| input.parse(&value.to_string()).is_ok();
            more.filter(is_accepted).map(|value| value.normalize().to_string()).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_round() {
        assert_eq!(two_digits(Decimal::from(375_500)), Decimal::from(370_000));
        assert_eq!(two_digits(Decimal::from(7)), Decimal::from(7));
    }
}
