//! Curves of a scale over an input: net pay by gross pay, tax by income.

use bareme_engine::law::{Field, FieldValue, Find, Input, Method, Presence, Role, Type};
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
    /// Whether the field is kept, paid or received by the person concerned; a levy where the
    /// method does not declare it.
    pub role: Role,
    /// The unit of the field.
    pub unit: Unit,
    /// Decimals of the amounts that are tried: none of a number that is not an amount.
    pub decimals: u32,
    /// Parameters sent where a household leaves them out, for an answer that has the field: those
    /// that its headline assumes, and the option that it belongs to.
    pub assumed: Vec<(String, String)>,
}

/// The unit in which a field is a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// An amount of money.
    Money,
    /// A fraction, which people read in percent: 0.07 for 7 %.
    Fraction,
    /// A number that is in percent already: 7 for 7 %.
    Percent,
    /// Any other number, such as a count of months.
    Number,
}

impl Unit {
    /// The unit of a field; `is_percent` where its headline is shown in percent.
    fn new(field: &Field, is_percent: bool) -> Self {
        match field.value_type() {
            // The type of the field decides first; a plain number may still be a share of
            // something.
            Type::Money(_) => Self::Money,
            Type::Rate => Self::Fraction,
            _ if field.is_in_percent() => Self::Percent,
            // The headline says that the number is read in percent.
            _ if is_percent => Self::Fraction,
            _ => Self::Number,
        }
    }

    /// Whether it is a share, whose changes are points.
    pub fn is_share(self) -> bool {
        matches!(self, Self::Fraction | Self::Percent)
    }

    /// A value as people read it: a fraction in percent, and any other value as it is.
    pub fn shown(self, value: Decimal) -> Decimal {
        if self == Self::Fraction {
            value.saturating_mul(Decimal::ONE_HUNDRED).normalize()
        } else {
            value
        }
    }
}

/// A household: its parameters besides the input amount.
#[derive(Debug, Clone, Default)]
pub struct Household {
    /// The parameters, by name.
    pub query: Vec<(String, String)>,
}

impl<'f> Axis<'f> {
    /// The axes by which the answers of a folder are compared: the measure of its latest method,
    /// over the input that drives it. `named` chooses another field; `None` where that is no
    /// number, or there is no measure.
    pub fn new(folder: &'f Folder, named: Option<&str>) -> Option<Self> {
        let method = folder.latest()?.method();
        let field = match named {
            Some(name) => method
                .fields()
                .iter()
                .position(|field| field.name == name)?,
            None => method.measure()?.field,
        };

        // A field may be asked for without being a headline: it then has no role of its own.
        let headline = method
            .headlines()
            .iter()
            .find(|headline| headline.field == field);

        let field = method
            .fields()
            .get(field)
            .filter(|field| field.json_type() == "number")?;

        let input = driver(method)?;

        // A field of an option is absent from an answer without it, and the option is switched on
        // where the household says nothing.
        let option = field.option.and_then(|index| method.options().get(index));
        let option = option.map(|option| (option.name.clone(), "true".to_owned()));
        let assumed = headline
            .map(|headline| headline.assumed.clone())
            .unwrap_or_default();

        Some(Self {
            folder,
            input: input.name.clone(),
            input_label: input.label.clone(),
            field: field.name.clone(),
            field_label: field.label.clone().unwrap_or_else(|| field.name.clone()),
            role: headline
                .and_then(|headline| headline.role)
                .unwrap_or(Role::Levy),
            unit: Unit::new(field, headline.is_some_and(|headline| headline.is_percent)),
            decimals: if matches!(input.ty, Type::Money(_)) {
                CENTS
            } else {
                0
            },
            assumed: assumed.into_iter().chain(option).collect(),
        })
    }

    /// The axes of the curve that the method declares, else of its net over its gross; `None` where
    /// it has neither.
    pub fn declared(folder: &'f Folder) -> Option<Self> {
        let method = folder.latest()?.method();
        // A folder with neither a curve nor a net has amounts, but no question that a curve would
        // answer.
        let has_curve = method.curve().is_some() || method.inverse(Find::Smallest).is_some();
        if has_curve {
            Self::new(folder, None)
        } else {
            None
        }
    }

    /// Whether the field is what is left of the amount: the rest of it is then withheld.
    pub fn is_net(&self) -> bool {
        self.role == Role::Net
    }

    /// Value of the field for an amount and a household, by the scale of the household's day, or of
    /// today; `None` if the query is refused.
    pub fn at(&self, amount: Decimal, household: &Household, today: Date) -> Option<Decimal> {
        self.calculate(amount, household, today).ok()?
    }

    /// Like [`at`](Self::at), with the reason of a refusal; `None` where the answer does not have
    /// the field.
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
        self.folder
            .calculate(&(&self.query(amount, household)).into(), today)
    }

    /// The query for an amount and a household.
    pub fn query(&self, amount: Decimal, household: &Household) -> Vec<(String, String)> {
        let mut query = household.query.clone();

        // The amount replaces none of the household's own parameters: these are listed without it.
        query.push((self.input.clone(), amount.to_string()));

        let is_sent = |assumed: &str| household.query.iter().any(|(name, _)| name == assumed);
        query.extend(
            self.assumed
                .iter()
                .filter(|(name, _)| !is_sent(name))
                .cloned(),
        );

        query
    }

    /// The smallest unit of the field, such as a cent.
    pub(crate) fn cent(&self) -> Decimal {
        Decimal::new(
            1,
            self.folder
                .latest()
                .map_or(CENTS, |edition| edition.method().decimals),
        )
    }

    /// The usual range of the input in the worked cases, without extremes.
    pub fn usual_range(&self) -> Option<(Decimal, Decimal)> {
        let (low, high) = self.folder.examples().usual(&self.input)?;

        // Round ends make a readable axis.
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
        let at = |amount| {
            Some(Point {
                amount,
                value: self.at(amount, household, today)?,
            })
        };

        amounts(range, parts, decimals)
            .into_iter()
            .filter_map(at)
            .collect()
    }

    /// Falls of the field where the amount rises, the greatest first: the amount from which it is
    /// lower, and by how much.
    pub fn falls(
        &self,
        range: (Decimal, Decimal),
        household: &Household,
        date: Date,
    ) -> Vec<Point> {
        // Two thousand calculations: a fall between two of the points is missed.
        let points = self.points(range, (FALL_SEARCH_PARTS, CENTS), household, date);

        let pairs = points.iter().zip(points.iter().skip(1));
        let falling = pairs.filter(|(before, after)| after.value < before.value);
        let mut falls: Vec<Point> = falling
            .filter_map(|(a, b)| self.narrowed(*a, *b, household, date))
            .collect();

        // The greatest fall comes first; amounts break ties, so that the same rules give the same
        // list.
        falls.sort_by(|a, b| b.value.cmp(&a.value).then(a.amount.cmp(&b.amount)));
        falls
    }

    /// The exact amount at which the field falls between two points, found by bisection.
    fn narrowed(
        &self,
        mut before: Point,
        mut after: Point,
        household: &Household,
        date: Date,
    ) -> Option<Point> {
        let cent = Decimal::new(1, 2);
        // Down to the cent, which is the least difference between two pays.
        while after.amount.saturating_sub(before.amount) > cent {
            let middle = before
                .amount
                .saturating_add(after.amount)
                .checked_div(Decimal::TWO)?;
            // Towards zero, so that the middle never is the upper end.
            let middle = middle.round_dp_with_strategy(2, rust_decimal::RoundingStrategy::ToZero);

            let point = Point {
                amount: middle,
                value: self.at(middle, household, date)?,
            };

            if point.value < before.value {
                after = point
            } else {
                before = point
            }
        }

        let fall = before.value.saturating_sub(after.value);
        (fall > Decimal::ZERO).then_some(Point {
            amount: after.amount,
            value: fall,
        })
    }
}

/// The input that drives the measure of a method: that of its curve, else that of its inverse
/// calculation, else its first required amount or number, else its first amount or number.
fn driver(method: &Method) -> Option<&Input> {
    // An input that the method declares is preferred to any guess.
    let named = method.curve().map(|curve| curve.input);
    let named = named.or_else(|| method.inverse(Find::Smallest).map(|inverse| inverse.input));

    if let Some(input) = named {
        return input.of(method.inputs());
    }

    let inputs = || method.inputs().iter().filter(|input| !input.is_absent);
    let is_required = |input: &&Input| matches!(input.presence, Presence::Required);
    let is_amount = |input: &&Input| matches!(input.ty, Type::Money(_));
    let is_number = |input: &&Input| matches!(input.ty, Type::Number);

    // A required amount is what the calculation is about; an optional one mostly corrects it.
    let required = inputs()
        .filter(is_required)
        .find(is_amount)
        .or_else(|| inputs().filter(is_required).find(is_number));

    required
        .or_else(|| inputs().find(is_amount))
        .or_else(|| inputs().find(is_number))
}

/// An amount rounded to its first two digits.
fn two_digits(amount: Decimal) -> Decimal {
    let digits = amount.trunc().to_string().len().saturating_sub(2);
    // 375 500 has four digits after its first two: the unit is 10 000.
    let unit = Decimal::from(10u64.saturating_pow(u32::try_from(digits).unwrap_or_default()));
    amount
        .checked_div(unit)
        .unwrap_or(amount)
        .trunc()
        .saturating_mul(unit)
}

impl Household {
    /// The household with all defaults, and those that differ from it in one input.
    pub fn typical(method: &Method, axis: &Axis) -> Vec<Self> {
        let mut found = vec![Self::default()];
        let is_switch = |input: &Input| {
            method
                .options()
                .iter()
                .any(|option| option.name == input.name)
        };

        // Inputs of options have no effect while the option is off.
        let is_switched_on =
            |input: &Input| axis.assumed.iter().any(|(name, _)| *name == input.name);

        let has_option = method
            .inputs()
            .iter()
            .any(|input| is_switch(input) && is_switched_on(input));

        let counts = |input: &Input| {
            !is_switch(input) && !input.is_absent && (has_option || !input.only_of_options)
        };

        for input in method
            .inputs()
            .iter()
            .filter(|input| input.name != axis.input && counts(input))
        {
            found.extend(others(input).into_iter().map(|value| Self {
                query: vec![(input.name.clone(), value)],
            }));
        }
        found
    }

    /// Its name in a table: the parameters that differ, or `usual` where none does.
    pub fn label(&self, usual: &str) -> String {
        let pairs: Vec<String> = self
            .query
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        if pairs.is_empty() {
            usual.to_owned()
        } else {
            pairs.join(" ")
        }
    }
}

/// Some values of an input other than its default.
fn others(input: &Input) -> Vec<String> {
    let Presence::Default(_, default) = &input.presence else {
        return Vec::new();
    };

    // A little more than the default, as of children, shares or months.
    match input.ty {
        Type::Choice(_) => input
            .values
            .iter()
            .map(|(word, _)| word.clone())
            .filter(|word| word != default)
            .collect(),
        Type::Boolean => vec![(default != "true").to_string()],
        Type::Number => {
            let start: Option<Decimal> = default.parse().ok().or(input.min);
            let more = [Decimal::ONE, Decimal::from(3)]
                .into_iter()
                .filter_map(|more| start?.checked_add(more));

            let is_accepted = |value: &Decimal| input.parse(&value.to_string()).is_ok();
            more.filter(is_accepted)
                .map(|value| value.normalize().to_string())
                .collect()
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
