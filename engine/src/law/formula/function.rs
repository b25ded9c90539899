//! The functions of formulas, one row each: its name, its arguments, its type, its value and its words. The reader,
//! the messages, the reserved words and the pages that put formulas in words go by this table.

use std::fmt;

use rust_decimal::Decimal;

use crate::law::column::{Active, Block, Numbers};
use crate::law::types::{Period, Type};
use crate::text::lang::Text;
use crate::text::number::{div, greater, lesser, mul};
use crate::text::power;

use super::error::EvalError;

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
    /// Fewest arguments.
    pub least: usize,
    /// Most arguments.
    pub most: usize,
    /// Its arguments and its value.
    pub help: Text,
    /// Its name in prose; `{}` is the place of its argument, if not after it.
    pub words: Text,
    pub(super) typing: Typing,
    value: fn(&Arguments) -> Result<Decimal, EvalError>,
    pub(super) by_column: ByColumn,
}

/// Form in which a function is computed over many rows at once.
#[derive(Clone, Copy)]
pub(super) enum ByColumn {
    /// Two arguments at a time.
    Fold(ColumnOperation),
    /// The only argument, with the same number in every row.
    With(ColumnOperation, Decimal),
    /// Row by row.
    Rows,
}

/// An operation of two columns of numbers.
type ColumnOperation = fn(&Numbers, &Numbers, &Block, &Active) -> Numbers;

/// The arguments of a function, and the type of its value.
pub(super) enum Typing {
    /// Numbers, rates or amounts. Their types say that of the value; none: they do not go together.
    Values(fn(&[Type]) -> Option<Type>),
    /// A number, and an exponent that is known when the file is read.
    Power,
    /// An input or a figure, whose presence is its value.
    Presence,
    /// The name of what is added up over the months, and that of what starts the sum again.
    Sum,
    /// The name of something that is known for every month in advance.
    Ahead,
}

impl Typing {
    /// Whether it reads other months of the year of pays.
    pub(super) fn is_of_year_of_pays(&self) -> bool {
        matches!(self, Self::Sum | Self::Ahead)
    }
}

/// The arguments of a call, each computed when it is asked for.
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

/// Every function.
///
/// ```
/// let names: Vec<&str> = bareme_engine::law::FUNCTIONS.iter().map(|function| function.name).collect();
/// assert!(names.contains(&"max"));
/// ```
pub static FUNCTIONS: &[Function] = &[
    Function {
        name: "min",
        least: 2,
        most: usize::MAX,
        help: Text::new(
            "la plus petite de plusieurs valeurs de même type",
            "the least of two values or more, of one type",
        ),
        words: Text::new("le plus petit de ", "the least of "),
        typing: Typing::Values(common),
        value: |arguments| arguments.extreme(lesser),
        by_column: ByColumn::Fold(Numbers::lesser),
    },
    Function {
        name: "max",
        least: 2,
        most: usize::MAX,
        help: Text::new(
            "la plus grande de plusieurs valeurs de même type",
            "the greatest of two values or more, of one type",
        ),
        words: Text::new("le plus grand de ", "the greatest of "),
        typing: Typing::Values(common),
        value: |arguments| arguments.extreme(greater),
        by_column: ByColumn::Fold(Numbers::greater),
    },
    Function {
        name: "annual",
        least: 1,
        most: 1,
        help: Text::new("un montant par mois, fois 12", "an amount per month, times 12"),
        words: Text::new("douze fois ", "twelve times "),
        typing: Typing::Values(|types| changed(types, Period::Month, Period::Year)),
        value: |arguments| Ok(mul(arguments.get(0)?, MONTHS)?),
        by_column: ByColumn::With(Numbers::times, MONTHS),
    },
    Function {
        name: "monthly",
        least: 1,
        most: 1,
        help: Text::new("un montant par an, divisé par 12", "an amount per year, over 12"),
        words: Text::new("le douzième de ", "a twelfth of "),
        typing: Typing::Values(|types| changed(types, Period::Year, Period::Month)),
        value: |arguments| Ok(div(arguments.get(0)?, MONTHS)?),
        by_column: ByColumn::With(Numbers::over, MONTHS),
    },
    Function {
        name: "ratio",
        least: 2,
        most: 2,
        help: Text::new(
            "`a / b` de deux valeurs de même type, et 0 quand b vaut 0",
            "`a / b` of two values of one type, and 0 where b is 0",
        ),
        words: Text::new("rapport de ", "ratio of "),
        typing: Typing::Values(|types| common(types).map(|_| Type::Number)),
        value: |arguments| {
            let below = arguments.get(1)?;
            if below.is_zero() { Ok(Decimal::ZERO) } else { Ok(div(arguments.get(0)?, below)?) }
        },
        by_column: ByColumn::Rows,
    },
    Function {
        name: "power",
        least: 2,
        most: 2,
        help: Text::new("un nombre élevé à un multiple d’un quart", "a number raised to a multiple of a quarter"),
        words: Text::new("puissance ", "power "),
        typing: Typing::Power,
        value: |arguments| {
            let quarters = power::quarters(arguments.get(1)?).ok_or(EvalError::Internal)?;
            power::power(arguments.get(0)?, quarters).ok_or(EvalError::Overflow)
        },
        by_column: ByColumn::Rows,
    },
    Function {
        name: "given",
        least: 1,
        most: 1,
        help: Text::new(
            "si l’utilisateur de l’API a envoyé une entrée, ou si le barème a un chiffre",
            "whether the caller sent an input, or the scale has a figure",
        ),
        words: Text::new("{} est donné", "{} is given"),
        typing: Typing::Presence,
        // Conditions are narrowed by it: it has an expression of its own.
        value: |_| Err(EvalError::Internal),
        by_column: ByColumn::Rows,
    },
    of_months(
        "year_to_date",
        2,
        Text::new(
            "une valeur du mois et des mois précédents de l’année de paie, additionnées ; `year_to_date(x; k)` repart du mois où k change",
            "a value of the month and of the earlier months of the year of pays, added up; `year_to_date(x; k)` starts again where k changes",
        ),
        Text::new("somme depuis janvier de ", "sum since January of "),
        Typing::Sum,
    ),
    of_months(
        "year_mean",
        1,
        Text::new(
            "la moyenne sur tous les mois de l’année de paie de ce que la loi seule décide",
            "the mean over all the months of the year of pays of what the law alone decides",
        ),
        Text::new("moyenne de l’année de ", "mean of the year of "),
        Typing::Ahead,
    ),
    of_months(
        LAST_MONTH,
        1,
        Text::new(
            "si le mois est le dernier où une valeur que la loi seule décide reste la même, ou le dernier de tous",
            "whether the month is the last in which what the law alone decides stays the same, or the last of all",
        ),
        Text::new("dernier mois de ", "last month of "),
        Typing::Ahead,
    ),
];

/// The function that is true or false of a month.
pub(super) const LAST_MONTH: &str = "last_month";

/// A function that reads other months of the year of pays: its argument is a name, and it has an expression of its own.
const fn of_months(name: &'static str, most: usize, help: Text, words: Text, typing: Typing) -> Function {
    Function {
        name,
        least: 1,
        most,
        help,
        words,
        typing,
        value: |_| Err(EvalError::Internal),
        by_column: ByColumn::Rows,
    }
}

const MONTHS: Decimal = Decimal::from_parts(12, 0, 0, false, 0);

impl Function {
    /// The function of a name.
    pub fn find(name: &str) -> Option<&'static Self> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }

    /// The names of all.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        FUNCTIONS.iter().map(|function| function.name)
    }

    /// Its value.
    pub(super) fn value(&self, arguments: &Arguments) -> Result<Decimal, EvalError> {
        (self.value)(arguments)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// The type that values have in common.
fn common(types: &[Type]) -> Option<Type> {
    let (first, rest) = types.split_first()?;
    rest.iter().copied().try_fold(*first, Type::together)
}

/// An amount of one period, as one of another.
fn changed(types: &[Type], from: Period, to: Period) -> Option<Type> {
    (types == [Type::Money(from)]).then_some(Type::Money(to))
}
