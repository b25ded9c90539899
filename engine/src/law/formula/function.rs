//! The functions of formulas, one table row each: name, arguments, type, value and words. The
//! parser, the messages, the reserved words and the pages that put formulas in words read this
//! table.

use std::fmt;

use rust_decimal::Decimal;

use crate::law::calendar::{whole_months, whole_years};
use crate::law::column::{Active, Block, Numbers};
use crate::law::range::Range;
use crate::law::types::{Period, Type};
use crate::text::lang::Text;
use crate::text::number::{div, larger, mul, smaller, sub};
use crate::text::power;

use super::error::EvalError;
use super::items::ItemFold;

/// A function of formulas.
///
/// ```
/// use bareme_engine::Lang;
/// use bareme_engine::law::Function;
///
/// let ratio = Function::find("ratio").ok_or("no such function")?;
/// assert_eq!((ratio.least, ratio.most, ratio.words.in_lang(Lang::Fr)), (2, 2, "rapport de "));
/// # Ok::<(), &str>(())
/// ```
pub struct Function {
    /// Its name in a formula.
    pub name: &'static str,
    /// Least number of arguments.
    pub least: usize,
    /// Greatest number of arguments.
    pub most: usize,
    /// Description of its arguments and its value.
    pub help: Text,
    /// Its name in prose; `{}` is the place of the argument where that is not at the end.
    pub words: Text,
    pub(super) typing: Typing,
    value: fn(&Arguments) -> Result<Decimal, EvalError>,
    pub(super) by_column: ByColumn,
}

/// How a function is computed over many rows at once.
#[derive(Clone, Copy)]
pub(super) enum ByColumn {
    /// Folds the arguments, two at a time, by an operation that rises with both.
    Fold(ColumnOperation),
    /// Applies an operation to the argument and to a constant, which rises with the argument.
    With(ColumnOperation, Decimal),
    /// Computes integers near the values, where it can; else calls the function for each row.
    Near(fn(&[Numbers], &Active) -> Option<Numbers>),
    /// Calls the function for each row.
    Rows,
}

/// An operation on two columns of numbers.
type ColumnOperation = fn(&Numbers, &Numbers, &Block, &Active) -> Numbers;

/// The arguments of a function, and the type of its value.
pub(super) enum Typing {
    /// Numbers, rates or amounts. The function gives the type of the value; `None` where the
    /// arguments do not go together.
    Values(fn(&[Type]) -> Option<Type>),
    /// A number, and an exponent that is known when the file is read.
    Power,
    /// An input or a figure, whose presence is its value.
    Presence,
    /// The name of what is added up over the months, and optionally that of the key that restarts
    /// the sum.
    Sum,
    /// The name of a value that is known for every month in advance.
    KnownForAllMonths,
    /// An expression that reads values of the items of a group; the name of a group for `count`.
    Items(ItemFold),
}

impl Typing {
    /// Whether the function reads other months of the year of pays.
    pub(super) fn is_of_year_of_pays(&self) -> bool {
        matches!(self, Self::Sum | Self::KnownForAllMonths)
    }
}

/// The arguments of a call, evaluated on demand.
pub(super) struct Arguments<'a> {
    pub count: usize,
    pub value: &'a dyn Fn(usize) -> Result<Decimal, EvalError>,
}

impl Arguments<'_> {
    fn get(&self, index: usize) -> Result<Decimal, EvalError> {
        (self.value)(index)
    }

    fn extreme(&self, better: fn(Decimal, Decimal) -> Decimal) -> Result<Decimal, EvalError> {
        let mut best = self.get(0)?;
        for index in 1..self.count {
            best = better(best, self.get(index)?);
        }
        Ok(best)
    }
}

/// Declares the functions: each with its name, the fewest and the most arguments, its typing, its
/// value and its form by column; then, in both languages, what it gives and its name in prose.
macro_rules! functions {
    ($($name:tt $least:literal..=$most:tt $typing:expr, $value:expr, $by_column:expr;
        fr $help_fr:literal $words_fr:literal
        en $help_en:literal $words_en:literal)*) => {
        /// Every function.
        ///
        /// ```
        /// use bareme_engine::law::FUNCTIONS;
        ///
        /// let names: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
        /// assert!(names.contains(&"max"));
        /// ```
        pub static FUNCTIONS: &[Function] = &[$(Function {
            name: $name,
            least: $least,
            most: $most,
            help: Text::new($help_fr, $help_en),
            words: Text::new($words_fr, $words_en),
            typing: $typing,
            value: $value,
            by_column: $by_column,
        }),*];
    };
}

functions! {
    "min" 2..=ANY_NUMBER Typing::Values(common),
        |arguments| arguments.extreme(smaller), ByColumn::Fold(Numbers::smaller);
        fr "la plus petite de plusieurs valeurs de même type" "le plus petit de "
        en "the least of two values or more, of one type" "the least of "
    "max" 2..=ANY_NUMBER Typing::Values(common),
        |arguments| arguments.extreme(larger), ByColumn::Fold(Numbers::larger);
        fr "la plus grande de plusieurs valeurs de même type" "le plus grand de "
        en "the greatest of two values or more, of one type" "the greatest of "
    "annual" 1..=1 Typing::Values(|types| changed(types, Period::Month, Period::Year)),
        |arguments| Ok(mul(arguments.get(0)?, MONTHS)?), ByColumn::With(Numbers::times, MONTHS);
        fr "un montant par mois, fois 12" "douze fois "
        en "an amount per month, times 12" "twelve times "
    "monthly" 1..=1 Typing::Values(|types| changed(types, Period::Year, Period::Month)),
        |arguments| Ok(div(arguments.get(0)?, MONTHS)?),
        ByColumn::With(Numbers::divided_by, MONTHS);
        fr "un montant par an, divisé par 12" "le douzième de "
        en "an amount per year, over 12" "a twelfth of "
    "ratio" 2..=2 Typing::Values(|types| common(types).map(|_| Type::Number)),
        ratio, ByColumn::Near(ratios);
        fr "`a / b` de deux valeurs de même type, et 0 quand b vaut 0" "rapport de "
        en "`a / b` of two values of one type, and 0 where b is 0" "ratio of "
    "years" 2..=2 Typing::Values(between_dates),
        |arguments| whole_years(arguments.get(0)?, arguments.get(1)?), ByColumn::Rows;
        fr "le nombre d’années entières d’une date à une autre" "années entières de {} à {}"
        en "the number of whole years from one date to another" "whole years from {} to {}"
    "months" 2..=2 Typing::Values(between_dates),
        |arguments| whole_months(arguments.get(0)?, arguments.get(1)?), ByColumn::Rows;
        fr "le nombre de mois entiers d’une date à une autre : de quantième à quantième, ou au \
            dernier jour du mois"
            "mois entiers de {} à {}"
        en "the number of whole months from one date to another: to the day of the same number, \
            or to the last of the month"
            "whole months from {} to {}"
    "days" 2..=2 Typing::Values(between_dates),
        |arguments| Ok(sub(arguments.get(1)?.floor(), arguments.get(0)?.floor())?), ByColumn::Rows;
        fr "le nombre de jours d’une date à une autre, sans compter la première" "jours de {} à {}"
        en "the number of days from one date to another, without the first" "days from {} to {}"
    "power" 2..=2 Typing::Power, raised, ByColumn::Near(powers);
        fr "un nombre élevé à un multiple d’un quart" "puissance "
        en "a number raised to a multiple of a quarter" "power "
    "given" 1..=1 Typing::Presence, an_expression, ByColumn::Rows;
        fr "si l’utilisateur de l’API a envoyé une entrée, ou si le barème a un chiffre"
            "{} est donné"
        en "whether the caller sent an input, or the scale has a figure" "{} is given"
    "year_to_date" 1..=2 Typing::Sum, an_expression, ByColumn::Rows;
        fr "une valeur du mois et des mois précédents de l’année de paie, additionnées ; \
            `year_to_date(x; k)` repart du mois où k change"
            "somme depuis janvier de "
        en "a value of the month and of the earlier months of the year of pays, added up; \
            `year_to_date(x; k)` starts again where k changes"
            "sum since January of "
    "year_mean" 1..=1 Typing::KnownForAllMonths, an_expression, ByColumn::Rows;
        fr "la moyenne sur tous les mois de l’année de paie de ce que la loi seule décide"
            "moyenne de l’année de "
        en "the mean over all the months of the year of pays of what the law alone decides"
            "mean of the year of "
    "sum" 1..=2 Typing::Items(ItemFold::Sum), an_expression, ByColumn::Rows;
        fr "la somme de ce que vaut une expression pour chaque élément d’un groupe ; \
            `sum(x; k)`, dans une étape qui a `each`, de ceux dont k est le même"
            "somme de "
        en "the sum of the values of an expression for each item of a group; `sum(x; k)`, in a \
            step that has `each`, of those whose k is the same"
            "sum of "
    "count" 1..=1 Typing::Items(ItemFold::Count), an_expression, ByColumn::Rows;
        fr "le nombre d’éléments d’un groupe" "nombre de "
        en "the number of items of a group" "number of "
    "least" 1..=1 Typing::Items(ItemFold::Least), an_expression, ByColumn::Rows;
        fr "la plus petite valeur d’une expression pour les éléments d’un groupe, et 0 sans élément"
            "le plus petit, pour chacun, de "
        en "the least value of an expression for the items of a group, and 0 without items"
            "the least, over all, of "
    "greatest" 1..=1 Typing::Items(ItemFold::Greatest), an_expression, ByColumn::Rows;
        fr "la plus grande valeur d’une expression pour les éléments d’un groupe, et 0 sans élément"
            "le plus grand, pour chacun, de "
        en "the greatest value of an expression for the items of a group, and 0 without items"
            "the greatest, over all, of "
    "any" 1..=1 Typing::Items(ItemFold::Any), an_expression, ByColumn::Rows;
        fr "si une condition est vraie d’un élément d’un groupe au moins" "l’un au moins : "
        en "whether a condition is true of one item of a group at least" "at least one: "
    "all" 1..=1 Typing::Items(ItemFold::All), an_expression, ByColumn::Rows;
        fr "si une condition est vraie de chaque élément d’un groupe" "chacun : "
        en "whether a condition is true of each item of a group" "each one: "
    BEFORE 1..=2 Typing::Items(ItemFold::Before), an_expression, ByColumn::Rows;
        fr "dans une étape qui a `each`, la somme de ce que vaut une expression pour les éléments \
            qui précèdent ; `before(x; k)`, de ceux dont k est le même"
            "somme, pour les précédents, de "
        en "in a step that has `each`, the sum of the values of an expression for the items before; \
            `before(x; k)`, of those whose k is the same"
            "sum, over the earlier ones, of "
    LAST_MONTH 1..=1 Typing::KnownForAllMonths, an_expression, ByColumn::Rows;
        fr "si le mois est le dernier où une valeur que la loi seule décide reste la même, ou le \
            dernier de tous"
            "dernier mois de "
        en "whether the month is the last in which what the law alone decides stays the same, or \
            the last of all"
            "last month of "
}

/// The most arguments of a function that takes any number.
const ANY_NUMBER: usize = usize::MAX;

/// Name of the function that adds up the earlier items of a group.
pub(super) const BEFORE: &str = "before";

/// Name of the function that tells the last month with a value.
pub(super) const LAST_MONTH: &str = "last_month";

/// Placeholder of a function that is never called: the checker makes a variant of `Expr` of the
/// call, by which conditions are narrowed or other months of the year of pays are read.
fn an_expression(_: &Arguments) -> Result<Decimal, EvalError> {
    Err(EvalError::Internal)
}

fn ratio(arguments: &Arguments) -> Result<Decimal, EvalError> {
    let below = arguments.get(1)?;
    if below.is_zero() {
        Ok(Decimal::ZERO)
    } else {
        Ok(div(arguments.get(0)?, below)?)
    }
}

fn ratios(arguments: &[Numbers], _: &Active) -> Option<Numbers> {
    let [above, below] = arguments else {
        return None;
    };
    above.ratio(below, |above, below| {
        if below.is_zero() {
            Ok(Decimal::ZERO)
        } else {
            div(above, below)
        }
    })
}

fn powers(arguments: &[Numbers], active: &Active) -> Option<Numbers> {
    let [base, Numbers::One(exponent)] = arguments else {
        return None;
    };
    base.power(power::quarters(*exponent)?, power::power, active)
}

fn raised(arguments: &Arguments) -> Result<Decimal, EvalError> {
    // The checks of formulas, then of each dated file, exclude any other exponent.
    let quarters = power::quarters(arguments.get(1)?).ok_or(EvalError::Internal)?;
    power::power(arguments.get(0)?, quarters).ok_or(EvalError::Overflow)
}

const MONTHS: Decimal = Decimal::from_parts(12, 0, 0, false, 0);

impl Function {
    /// Finds a function by name.
    pub fn find(name: &str) -> Option<&'static Self> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }

    /// The names of all functions.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        FUNCTIONS.iter().map(|function| function.name)
    }

    /// The range of its value over ranges of its arguments; `None` where it is not known.
    pub(super) fn range(&self, arguments: &[Range]) -> Option<Range> {
        // Operations of columns rise with each argument; of other functions nothing is known.
        let is_rising = match self.by_column {
            ByColumn::Fold(_) | ByColumn::With(..) => true,
            ByColumn::Near(_) | ByColumn::Rows => false,
        };
        let is_one = || arguments.iter().all(|range| range.single().is_some());
        if !is_rising && !is_one() {
            return None;
        }

        let value = |end: fn(&Range) -> Decimal| {
            let value = |index: usize| arguments.get(index).map(end).ok_or(EvalError::Internal);
            let arguments = Arguments {
                count: arguments.len(),
                value: &value,
            };
            self.value(&arguments).ok()
        };
        Some(Range {
            low: value(|range| range.low)?,
            high: value(|range| range.high)?,
        })
    }

    /// Computes its value.
    pub(super) fn value(&self, arguments: &Arguments) -> Result<Decimal, EvalError> {
        (self.value)(arguments)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// The common type of the arguments, if they have one.
fn common(types: &[Type]) -> Option<Type> {
    let (first, rest) = types.split_first()?;
    rest.iter().copied().try_fold(*first, Type::together)
}

/// The type of a count between two dates.
fn between_dates(types: &[Type]) -> Option<Type> {
    let are_dates = types
        .iter()
        .all(|ty| matches!(ty, Type::Date | Type::Unknown));
    are_dates.then_some(Type::Number)
}

/// The type of an amount converted from one period to another.
fn changed(types: &[Type], from: Period, to: Period) -> Option<Type> {
    (types == [Type::Money(from)]).then_some(Type::Money(to))
}
