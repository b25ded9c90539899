//! The answer: its fields and their contents (amounts, percentages, lines, brackets, schedules).

mod called;
mod columns;
mod compile;
mod evaluate;
mod items;
mod payslip;
mod read;
mod reader;
mod terms;
mod total;
mod value;

#[cfg(test)]
mod tests;

use rust_decimal::Decimal;

use crate::law::{Expr, FigureId, GroupId, Input, InputId, Rounding, ScaleField, StepId, Type};
use crate::text::number::{PERCENT, mul};

pub(crate) use compile::CompiledField;
pub(crate) use evaluate::Evaluator;
pub use items::ListedItem;
pub(crate) use items::ONLY;
pub use payslip::PayslipRow;
pub(crate) use payslip::RowOfSteps;
pub(crate) use read::{FORMS, FieldForm, IF_APPLIED, RowKey};
pub use terms::Term;
pub use value::{FieldValue, Line, ListedRow};

/// A field of the answer.
///
/// [`FieldValue`] has an example that iterates over the fields of an answer.
#[derive(Debug)]
pub struct Field {
    /// Its name in the answer.
    pub name: String,
    /// Its name as JSON with the colon, `"net":`.
    pub(crate) key: String,
    /// Its label, in French; by default that of the input or step that it shows.
    pub label: Option<String>,
    /// Steps that it reads.
    pub steps: Vec<StepId>,
    /// The option that it belongs to, by index.
    pub option: Option<usize>,
    pub(crate) content: FieldContent,
    pub(crate) when: Option<Expr>,
    /// Whether its value may be empty: the field is then left out.
    pub(crate) may_be_empty: bool,
    /// Whether it only shows an input, as it is or rounded.
    pub(crate) is_echo: bool,
}

#[derive(Debug)]
pub(crate) enum FieldContent {
    Value {
        expr: Expr,
        ty: Type,
        form: Form,
        round: Option<Rounding<Decimal>>,
    },
    Text(String),
    Lines {
        steps: Vec<ListedStep>,
        form: Form,
    },
    Payslip {
        rows: Vec<RowOfSteps>,
        form: Form,
    },
    Brackets(Vec<StepId>),
    Schedule(StepId),
    /// An object for each item of a group.
    Items {
        group: GroupId,
        /// The items that are listed; `None`: all.
        only: Option<Expr>,
        members: Vec<ItemMember>,
    },
    Rows {
        figure: FigureId,
        by: Vec<Expr>,
        form: Form,
        extra: Vec<(String, Expr, Type)>,
    },
}

/// A member of the objects of a field that lists the items of a group.
#[derive(Debug)]
pub(crate) struct ItemMember {
    pub name: String,
    pub label: Option<String>,
    pub expr: Expr,
    pub ty: Type,
}

/// A step among the lines of a field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListedStep {
    pub step: StepId,
    /// Whether the line is left out where the step does not apply.
    pub if_applied: bool,
}

impl FieldContent {
    /// Whether every step that it shows is absent from the scale of the day.
    fn is_of_other_days(&self) -> bool {
        match self {
            Self::Value { expr, .. } => matches!(expr, Expr::Absent(_)),
            Self::Lines { steps, .. } => steps.is_empty(),
            Self::Brackets(steps) => steps.is_empty(),
            Self::Payslip { rows, .. } => rows.is_empty(),
            Self::Text(_) | Self::Schedule(_) | Self::Items { .. } | Self::Rows { .. } => false,
        }
    }
}

/// The form of a fraction that is shown as it is, 0.07 for 7 %, and read as a percentage.
pub(crate) const RATE: &str = "rate";

/// The form in which a value is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Plain,
    Percent,
    Text,
}

impl Form {
    /// The word of each form in a rule file, after `as`.
    pub(crate) const WORDS: [(&'static str, Self); 3] = [
        ("percent", Self::Percent),
        ("text", Self::Text),
        (RATE, Self::Plain),
    ];
}

impl Field {
    /// Whether the field is in every answer.
    pub fn is_always_there(&self) -> bool {
        self.when.is_none() && !self.may_be_empty && self.option.is_none()
    }

    /// Whether an answer that has its option may leave it out.
    pub(crate) fn is_left_out_sometimes(&self) -> bool {
        self.when.is_some() || self.may_be_empty
    }

    /// Whether it only shows what was sent, as it is or rounded, rather than a result of the law.
    ///
    /// ```
    /// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
    /// # let loader = bareme_engine::Loader::new().without_cases().only(&["is"]);
    /// # let rules = loader.load(root).rules.ok_or("errors")?;
    /// # let folder = rules.folder("is").ok_or("no such folder")?;
    /// let method = folder.latest().ok_or("no edition")?.method();
    /// let fields = method.fields().iter().filter(|field| field.is_echo());
    /// let echoes: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
    /// assert_eq!(echoes, ["resultat"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_echo(&self) -> bool {
        self.is_echo
    }

    /// Whether it shows an amount of money.
    pub(crate) fn is_money(&self) -> bool {
        self.is_plain_amount()
            && !matches!(
                self.content,
                FieldContent::Value {
                    ty: Type::Unknown,
                    ..
                }
            )
    }

    /// Whether it is an amount, without a condition.
    pub(crate) fn is_plain_amount(&self) -> bool {
        self.is_amount_beside(|_| false)
    }

    /// Whether it is an amount that every answer has beside some inputs: without a condition, or
    /// with the one that such an input is given.
    pub(crate) fn is_amount_beside(&self, is_sent: impl Fn(InputId) -> bool) -> bool {
        // An unknown type was reported already, and passes.
        let is_amount = |content: &FieldContent| {
            matches!(
                content,
                FieldContent::Value {
                    ty: Type::Money(_) | Type::Unknown,
                    form: Form::Plain,
                    ..
                }
            )
        };
        let is_there = match &self.when {
            None => true,
            Some(Expr::Given(input)) => is_sent(*input),
            Some(_) => false,
        };
        is_amount(&self.content) && is_there
    }

    /// Whether a year of pays may add it up: an amount, a number, or lines.
    pub(crate) fn is_added_up(&self) -> bool {
        let is_amount = matches!(
            self.value_type(),
            Type::Money(_) | Type::Number | Type::Zero | Type::Unknown
        );

        match &self.content {
            FieldContent::Lines { .. } | FieldContent::Payslip { .. } => true,
            // The percentages of several months have no sum.
            _ => is_amount && self.json_type() == "number" && !self.is_in_percent(),
        }
    }

    /// Type of its value as an answer has it; a rate that is given in percent is a plain number.
    pub fn value_type(&self) -> Type {
        // Percentages and texts of numbers have no unit of the law any more.
        if let FieldContent::Value {
            ty,
            form: Form::Plain,
            ..
        } = &self.content
        {
            *ty
        } else {
            Type::Number
        }
    }

    /// Whether its value is in percent: 7 for 7 %.
    pub fn is_in_percent(&self) -> bool {
        matches!(
            self.content,
            FieldContent::Value {
                form: Form::Percent,
                ..
            }
        )
    }

    /// Whether its JSON is a string, as for a year or a code.
    pub fn is_text(&self) -> bool {
        self.json_type() == "string"
    }

    /// Whether it shows the unchanged value of an input.
    pub(crate) fn shows_input(&self, input: InputId) -> bool {
        let shows = matches!(
            &self.content,
            FieldContent::Value { expr: Expr::Input(shown), form: Form::Plain, .. }
                if *shown == input
        );
        shows && self.when.is_none()
    }

    /// The words that the field can have, if it shows a choice input; else empty.
    pub fn words<'m>(&self, inputs: &'m [Input]) -> Vec<&'m str> {
        let FieldContent::Value {
            ty: Type::Choice(input),
            form: Form::Plain,
            ..
        } = &self.content
        else {
            return Vec::new();
        };

        let values = input
            .of(inputs)
            .map(|input| input.values.as_slice())
            .unwrap_or_default();
        values.iter().map(|(word, _)| word.as_str()).collect()
    }

    /// A rate of its lines as a fraction, 0.07 for 7 %, converted where the field shows rates in
    /// percent.
    pub fn fraction(&self, rate: Decimal) -> Decimal {
        let form = match &self.content {
            FieldContent::Lines { form, .. } | FieldContent::Payslip { form, .. } => *form,
            _ => Form::Plain,
        };

        // Pages show fractions: rates that the field gives in percent are brought back.
        if form == Form::Percent {
            mul(rate, PERCENT).unwrap_or(rate)
        } else {
            rate
        }
    }

    /// JSON type of the field: `number`, `integer`, `string`, `boolean` or `array`.
    pub fn json_type(&self) -> &'static str {
        match &self.content {
            FieldContent::Value {
                form: Form::Text, ..
            }
            | FieldContent::Text(_) => "string",
            FieldContent::Value {
                expr: Expr::Scale(ScaleField::Year | ScaleField::Month),
                ..
            } => "integer",
            // Amounts, rates and plain numbers are all JSON numbers.
            FieldContent::Value { ty, .. } => match ty {
                Type::Boolean => "boolean",
                Type::Choice(_) | Type::Text | Type::Date => "string",
                _ => "number",
            },
            FieldContent::Lines { .. }
            | FieldContent::Payslip { .. }
            | FieldContent::Brackets(_)
            | FieldContent::Schedule(_)
            | FieldContent::Items { .. }
            | FieldContent::Rows { .. } => "array",
        }
    }
}
