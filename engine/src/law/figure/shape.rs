//! Shapes of figures: the columns and types that every dated file must fill.

use jiff::civil::Date;

use crate::law::formula::{Env, Symbols};
use crate::law::source::read_date;
use crate::law::{ColumnId, InputId, Period, Type};
use crate::text::limits::COLUMNS;
use crate::text::number::{parse_amount, parse_rate};
use crate::text::problem::suggestion;
use crate::text::words::is_name;
use crate::text::{Node, Place, PlacedText, Problem, Report};

use super::keys::{LABEL, SHAPE_KEYS, SINCE, UNTIL};
use super::{BoundWord, Limits, PERIOD, ROWS, SOURCE, SharedFrom, own_keys};

/// The shape of a figure.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// let method = folder.latest().ok_or("no edition")?.method();
/// let rates = method.figures().iter().find(|shape| shape.has_rows()).ok_or("no table")?;
/// assert!(!rates.column_names().is_empty() && !rates.may_be_absent());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Shape {
    /// Name of the figure.
    pub name: String,
    /// Its label, in French; by default that of the first step that reads it.
    pub label: Option<String>,
    /// Columns looked up by equality, in order.
    pub keys: Vec<Key>,
    /// Type of the column of intervals, if any.
    pub bound: Option<Type>,
    /// Limits of its bounds.
    pub bound_limits: Limits,
    /// The other columns.
    pub columns: Vec<Column>,
    /// The option that it belongs to, by index; `None`: the method itself.
    pub option: Option<usize>,
    /// First day whose dated file gives it; `None`: from the start.
    pub since: Option<Date>,
    /// The last day whose dated file gives it.
    pub until: Option<Date>,
    /// The other folder that gives it; `None`: the dated file itself.
    pub shared: Option<SharedFrom>,
    pub(crate) place: Place,
}

/// A column looked up by equality.
///
/// One of [`Shape::keys`].
#[derive(Debug, Clone)]
pub struct Key {
    /// Its name, as a row writes it.
    pub name: String,
    /// The input of the same name, if any, whose values are those of the column.
    pub input: Option<InputId>,
}

/// A column of values.
///
/// One of [`Shape::columns`]; [`Shape::column`] finds it by name.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name, as a row writes it.
    pub name: String,
    /// Its label, in French, where the name does not tell it.
    pub label: Option<String>,
    /// Type of its values.
    pub ty: Type,
    /// Whether it may stay empty.
    pub optional: bool,
    /// Limits of its values.
    pub limits: Limits,
    pub(crate) place: Place,
}

impl Shape {
    /// Whether the figure is a list of rows rather than one record.
    pub fn has_rows(&self) -> bool {
        !self.keys.is_empty() || self.bound.is_some()
    }

    /// Whether a key is the bound of a row; in a record such a word is an ordinary column.
    pub(crate) fn is_bound(&self, key: &str) -> bool {
        self.has_rows() && BoundWord::from_word(key).is_some()
    }

    /// Whether some dated files do not give it: formulas must then test `given` first.
    pub fn may_be_absent(&self) -> bool {
        self.since.is_some() || self.until.is_some()
    }

    /// Whether the dated file of a day gives it.
    pub fn is_given_on(&self, day: Date) -> bool {
        self.since.is_none_or(|since| since <= day) && self.until.is_none_or(|until| day <= until)
    }

    /// The period of its amounts as a dated file writes it, `month` or `bound month; montant year`;
    /// `None` without an amount that has one.
    pub(crate) fn period(&self) -> Option<String> {
        let bound = self.bound.map(|ty| ("bound", ty));
        let columns = self
            .columns
            .iter()
            .map(|column| (column.name.as_str(), column.ty));

        let period = |(column, ty)| match ty {
            Type::Money(Period::Month) => Some((column, "month")),
            Type::Money(Period::Year) => Some((column, "year")),
            _ => None,
        };

        let periods: Vec<(&str, &str)> = bound
            .into_iter()
            .chain(columns)
            .filter_map(period)
            .collect();

        // One period for all is written once; otherwise each column has its own.
        let (_, first) = periods.first()?;
        if periods.iter().all(|(_, period)| period == first) {
            return Some((*first).to_owned());
        }

        Some(
            periods
                .iter()
                .map(|(column, period)| format!("{column} {period}"))
                .collect::<Vec<_>>()
                .join("; "),
        )
    }

    /// Template of its form in a dated file, for an author who has to add it:
    /// `pension: {rate: …, per: month, source: …}`.
    pub(crate) fn written(&self) -> String {
        let key = |name: &str| format!("{name}: …");

        // Only what a file must have, so that the template can be filled without knowing more.
        let columns = self
            .columns
            .iter()
            .filter(|column| !column.optional)
            .map(|column| key(&column.name));

        let of_figure = self
            .period()
            .map(|period| format!("{PERIOD}: {period}"))
            .into_iter()
            .chain([key(SOURCE)]);

        let members: Vec<String> = if self.has_rows() {
            let keys = self.keys.iter().map(|column| key(&column.name));
            let bound = self.bound.map(|_| key(BoundWord::UpTo.name()));
            let row = keys
                .chain(bound)
                .chain(columns)
                .collect::<Vec<_>>()
                .join(", ");
            of_figure
                .chain([format!("{ROWS}: [{{{row}}}, …]")])
                .collect()
        } else {
            columns.chain(of_figure).collect()
        };

        format!("{}: {{{}}}", self.name, members.join(", "))
    }

    /// Names of its value columns.
    pub fn column_names(&self) -> Vec<&str> {
        self.columns
            .iter()
            .map(|column| column.name.as_str())
            .collect()
    }

    /// Index of a value column by name.
    pub fn column(&self, name: &str) -> Option<ColumnId> {
        ColumnId::find(&self.columns, |column| column.name == name)
    }
}

/// Reads a shape; the symbols have the inputs that its keys may refer to.
pub(crate) fn read_shape(name: &PlacedText, node: &Node, env: Env, report: &mut Report) -> Shape {
    let mut shape = Shape {
        name: name.value.clone(),
        label: node.string_of(LABEL),
        keys: Vec::new(),
        bound: None,
        bound_limits: Limits::for_type(Type::Unknown),
        columns: Vec::new(),
        option: env.option,
        since: day(node, SINCE, report),
        until: day(node, UNTIL, report),
        shared: None,
        place: name.place.clone(),
    };

    check_days(name, node, &shape, env.symbols, report);

    // Columns beyond the limit are reported once, and not read.
    COLUMNS.accepts(node.entries().len(), &name.place, report);
    for (column, value) in node.entries().iter().take(COLUMNS.most) {
        let Some(written) = type_of(value) else {
            continue;
        };

        if SHAPE_KEYS.contains(&column.value.as_str()) {
            continue;
        }

        // A column cannot have the name of a key that every figure may have, such as `source`.
        if !is_name(&column.value) || own_keys().any(|own| own == column.value) {
            report.error(&column.place, Problem::bad_name(&column.value));
            continue;
        }

        // Three kinds of columns: the bound, the keys, and the values.
        if column.value == "bound" {
            shape.bound = bound_type(written, report);
            shape.bound_limits = shape.bound.map_or(shape.bound_limits, |ty| {
                Limits::read(value, Limits::of_bound(ty), report)
            });
        } else if written.value == "key" {
            let input = env.symbols.input(&column.value);
            shape.keys.push(Key {
                name: column.value.clone(),
                input,
            });
        } else {
            shape
                .columns
                .extend(value_column(column, value, written, report));
        }
    }

    // In a record `over` is an ordinary column; in a row it would be read as the bound.
    for column in shape
        .columns
        .iter()
        .filter(|column| shape.is_bound(&column.name))
    {
        report.error(&column.place, Problem::bad_name(&column.name));
    }

    if shape.columns.is_empty() && !node.entries().is_empty() {
        report.error(
            &name.place,
            Problem::FigureWithoutColumns {
                name: name.value.clone(),
            },
        );
    }

    shape
}

pub(super) fn day(node: &Node, key: &str, report: &mut Report) -> Option<Date> {
    read_date(node.text_of(key)?, report)
}

/// Reports a figure that ends before it starts, and one named like an input, which makes `given`
/// ambiguous.
pub(super) fn check_days(
    name: &PlacedText,
    node: &Node,
    shape: &Shape,
    symbols: &Symbols,
    report: &mut Report,
) {
    if let (Some(since), Some(until), Some(text)) = (shape.since, shape.until, node.text_of(UNTIL))
        && until < since
    {
        report.error(&text.place, Problem::EndsBeforeItStarts {});
    }

    // `given(name)` would ask for both.
    if shape.may_be_absent() && symbols.input(&name.value).is_some() {
        report.error(
            &name.place,
            Problem::NameTaken {
                name: name.value.clone(),
            },
        );
    }
}

fn bound_type(written: &PlacedText, report: &mut Report) -> Option<Type> {
    let ty = column_type(written, report);
    if ty.is_numeric() {
        return Some(ty);
    }
    report.error(&written.place, Problem::not_numeric(ty));
    Some(Type::Unknown)
}

/// The type of a column: written alone, or beside its limits.
fn type_of(value: &Node) -> Option<&PlacedText> {
    value.text().or_else(|| value.text_of("type"))
}

fn value_column(
    name: &PlacedText,
    value: &Node,
    written: &PlacedText,
    report: &mut Report,
) -> Option<Column> {
    // `optional` comes before the type: `optional money/month`.
    let (optional, rest) = match written.value.strip_prefix("optional ") {
        Some(rest) => (true, rest.trim()),
        None => (false, written.value.as_str()),
    };

    // A column of a figure is a value of the law, and not a switch.
    let ty = column_type(
        &PlacedText {
            value: rest.to_owned(),
            place: written.place.clone(),
        },
        report,
    );

    if ty == Type::Boolean {
        report.error(
            &written.place,
            Problem::UnknownType {
                name: rest.to_owned(),
                types: column_types(),
                near: None,
            },
        );
    }

    let limits = Limits::read(value, Limits::for_type(ty), report);
    let label = value.string_of(LABEL);

    Some(Column {
        name: name.value.clone(),
        label,
        ty,
        optional,
        limits,
        place: name.place.clone(),
    })
}

/// The types that a column may have. A boolean is no figure of the law, only an input.
fn written_types() -> impl Iterator<Item = &'static str> {
    let types = Type::WRITTEN
        .iter()
        .filter(|(_, ty)| *ty != Type::Boolean)
        .map(|(name, _)| *name);
    types.chain(["key"])
}

/// Guesses the type that was meant: `optionnal rate`, `money per month`.
fn meant_type(written: &str) -> Option<String> {
    let plain = written.replace(" per ", "/");

    if Type::from_word(&plain).is_some() {
        return Some(plain);
    }

    // `optionnal rate`: the first word alone may be misspelt, or both.
    if let Some((optional, ty)) = plain.split_once(' ')
        && suggestion(optional, ["optional"]).is_some()
    {
        let ty = Type::from_word(ty)
            .map(Type::name)
            .or_else(|| suggestion(ty, written_types()))?;
        return Some(format!("optional {ty}"));
    }

    suggestion(&plain, written_types()).map(str::to_owned)
}

/// The types that a value of a dated file may have, judged by its text.
fn types_of_value(written: &str) -> Option<&'static str> {
    // A rate has its sign; a plain number may be an amount or a count.
    if written.ends_with('%') && parse_rate(written).is_ok() {
        return Some("rate");
    }

    parse_amount(written)
        .is_ok()
        .then_some("money/month, money/year, money, number")
}

fn column_types() -> String {
    written_types().collect::<Vec<_>>().join(", ")
}

fn column_type(written: &PlacedText, report: &mut Report) -> Type {
    // A value of the law in place of a type: the author has taken the method for a dated file.
    Type::from_word(&written.value).unwrap_or_else(|| {
        if let Some(types) = types_of_value(&written.value) {
            report.error(
                &written.place,
                Problem::ValueInMethod {
                    text: written.value.clone(),
                    types,
                },
            );
            return Type::Unknown;
        }

        let near = meant_type(&written.value);
        let problem = Problem::UnknownType {
            name: written.value.clone(),
            types: column_types(),
            near,
        };
        report.error(&written.place, problem);
        Type::Unknown
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, errors, warnings};

    fn with(shape: &str) -> String {
        format!("{GROSS}figures:\n  f: {shape}\nsteps:\n  x: brut\nanswer:\n  x: x\n")
    }

    #[test]
    fn columns_have_a_name_and_a_type() {
        for (shape, code) in [
            ("{rat: rat}", "T16"),
            ("{v: optional moneys}", "T16"),
            ("{v: boolean}", "T16"),
            ("{bound: text, v: rate}", "T04"),
            ("{a: key}", "G17"),
            ("{source: text, v: rate}", "S08"),
            ("{bound: money, over: money}", "S08"),
            ("{Rate: rate, v: rate}", "S08"),
        ] {
            assert_eq!(errors(&with(shape), "  f: {source: s}")[0], code, "{shape}");
        }
    }

    #[test]
    fn a_figure_and_a_column_say_what_they_are() {
        let method = with("{label: Taux de la caisse, v: {type: rate, label: Part du salarié}}")
            .replace("x: brut", "x: brut * f.v");
        assert_eq!(
            errors(&method, "  f: {v: 5%, source: s}"),
            Vec::<&str>::new()
        );
        assert_eq!(
            errors(&with("{v: rate}"), "  f: {v: 5%, label: x, source: s}")[0],
            "S01"
        );
    }

    #[test]
    fn a_record_may_have_a_column_named_like_a_bound() {
        let method = with("{over: money/month}")
            .replace("x: brut", "x: {contribution: brut, with: f, rate: 0}");
        assert_eq!(
            errors(&method, "  f: {over: 5, per: month, source: s}"),
            Vec::<&str>::new()
        );
    }

    #[test]
    fn what_nothing_reads_is_odd() {
        assert_eq!(
            warnings(&with("{a: rate}"), "  f: {a: 1%, source: s}"),
            ["W01", "W02"]
        );
        let method = with("{a: rate, b: rate}").replace("x: brut", "x: brut * f.a");
        assert_eq!(
            warnings(&method, "  f: {a: 1%, b: 2%, source: s}"),
            ["W01", "W03"]
        );
    }
}
