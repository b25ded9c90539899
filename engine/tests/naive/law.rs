//! The rule files as they are written: a method, a dated scale, and the row of a figure that is
//! found.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use bareme_engine::authoring::Node;
use bareme_engine::text::PlacedText;
use num_traits::Zero;

use crate::formula::{Expr, parse};
pub(crate) use crate::number::{literal, plain, power_of_ten, round};
use crate::rule_folder::Days;
use crate::taken;

pub(crate) use crate::number::Rat;

/// A value of a calculation. A number knows whether it is an amount of money, for its decimals.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Nothing,
    Number(Rat, bool),
    Boolean(bool),
    Word(String),
    Text(String),
    /// The values of the items of a group.
    List(Vec<Value>),
}

impl Value {
    pub(crate) fn zero() -> Self {
        Self::Number(Rat::zero(), false)
    }
}

/// One dated scale with its method; or a method without dates.
pub(crate) struct Law {
    /// The folder of all rules.
    pub root: PathBuf,
    pub date: Option<String>,
    /// The day from which its figures hold, where another folder gives one of them: that of the
    /// scale, or a later one.
    pub first_day: Option<String>,
    pub method: Node,
    pub scale: Option<Node>,
    /// The sources of its file, then those of the figures that other folders give.
    pub sources: Vec<(String, Node)>,
    /// The last days for which the figures of other folders are known.
    pub known: Vec<String>,
    /// The last days on which other folders give figures that it takes.
    pub ends: Vec<String>,
    pub figures: BTreeMap<String, Figure>,
    /// Names of the figures, in the order of the method.
    pub order: Vec<String>,
    formulas: RefCell<HashMap<String, Rc<Vec<Expr>>>>,
}

#[derive(Clone)]
pub(crate) struct Figure {
    pub name: String,
    /// Column -> type, as the method writes them.
    pub shape: Vec<(String, String)>,
    /// The option that it belongs to.
    pub option: Option<String>,
    pub record: Row,
    pub rows: Vec<Row>,
}

#[derive(Default, Clone)]
pub(crate) struct Row {
    pub keys: HashMap<String, Vec<Value>>,
    pub bound: Option<(String, Rat)>,
    pub cells: HashMap<String, Value>,
    pub sources: Vec<String>,
    pub evidence: Vec<String>,
    pub remark: (Option<String>, Option<String>),
}

impl Law {
    pub(crate) fn new(
        folder: &Path,
        days: Option<Days>,
        method: Node,
        scale: Option<Node>,
    ) -> Self {
        let depth = text(&method, "folder")
            .unwrap_or_default()
            .split('/')
            .count();
        let written = entries(scale.as_ref().unwrap_or(&method), "sources");
        let sources = written
            .iter()
            .map(|(id, source)| (id.value.clone(), source.clone()));
        let (date, first_day) = days.map(|days| (days.date, days.first_day)).unzip();
        let mut law = Self {
            root: folder.ancestors().nth(depth).unwrap().to_owned(),
            date,
            first_day,
            sources: sources.collect(),
            known: Vec::new(),
            ends: Vec::new(),
            method,
            scale,
            figures: BTreeMap::new(),
            order: Vec::new(),
            formulas: RefCell::default(),
        };
        let mut figures = Vec::new();
        let mut taken = Vec::new();
        for (option, part) in law.parts() {
            for (name, shape) in entries(part, "figures") {
                if !law.has_day_of(shape) {
                    continue;
                }
                if let Some(given) = taken::figure(&law, &name.value, shape) {
                    figures.push(Figure {
                        option: option.map(str::to_owned),
                        ..given.figure.clone()
                    });
                    taken.push(given);
                    continue;
                }
                let written = law
                    .scale
                    .as_ref()
                    .and_then(|scale| scale.get("figures")?.get(&name.value))
                    .unwrap();
                let columns = shape
                    .entries()
                    .iter()
                    .filter(|(column, _)| !is_day(&column.value));
                let shape = columns.map(|(column, ty)| {
                    let ty = ty.text().or_else(|| ty.get("type")?.text()).unwrap();
                    (
                        column.value.clone(),
                        ty.value.trim_start_matches("optional ").to_owned(),
                    )
                });
                let shape: Vec<(String, String)> = shape.collect();
                let rows = written.get("rows").map(Node::items).unwrap_or_default();
                let rows = rows.iter().map(|row| law.row(row, &shape)).collect();
                let option = option.map(str::to_owned);
                figures.push(Figure {
                    name: name.value.clone(),
                    record: law.row(written, &shape),
                    rows,
                    shape,
                    option,
                });
            }
        }
        for given in taken {
            law.known.extend(given.known_until);
            law.ends.extend(given.until);
            for (id, source) in given.sources {
                if law.sources.iter().all(|(known, _)| *known != id) {
                    law.sources.push((id, source));
                }
            }
        }
        law.order = figures.iter().map(|figure| figure.name.clone()).collect();
        law.figures = figures
            .into_iter()
            .map(|figure| (figure.name.clone(), figure))
            .collect();
        law
    }

    /// The method, then each of its options but those that the scale goes without.
    pub(crate) fn parts(&self) -> Vec<(Option<&str>, &Node)> {
        let options = entries(&self.method, "options").iter();
        let options = options.filter(|(name, _)| !self.is_left_out(&name.value));
        let options = options.map(|(name, node)| (Some(name.value.as_str()), node));
        [(None, &self.method)].into_iter().chain(options).collect()
    }

    /// Whether the scale starts on one of the days of a figure.
    fn has_day_of(&self, shape: &Node) -> bool {
        let date = self.date.as_deref().unwrap_or_default();
        text(shape, "since").is_none_or(|since| since <= date)
            && text(shape, "until").is_none_or(|until| date <= until)
    }

    /// A condition that only the figures of the scale decide.
    fn settled(&self, condition: &Expr) -> Option<bool> {
        let is_figure = |name: &str| {
            self.parts().iter().any(|(_, part)| {
                entries(part, "figures")
                    .iter()
                    .any(|(known, _)| known.value == name)
            })
        };
        match condition {
            Expr::Call(function, arguments) => match (function.as_str(), arguments.as_slice()) {
                ("given", [Expr::Name(name)]) if is_figure(name) => {
                    Some(self.figures.contains_key(name))
                }
                _ => None,
            },
            Expr::Not(inner) => Some(!self.settled(inner)?),
            Expr::Binary(operator, a, b) if operator == "and" || operator == "or" => {
                let sides = [self.settled(a), self.settled(b)];
                let decides = Some(operator == "or");
                if sides.contains(&decides) {
                    decides
                } else {
                    Some(sides[0]? | sides[1]?)
                }
            }
            _ => None,
        }
    }

    /// Whether something with a condition under a key is of other days.
    pub(crate) fn is_of_other_days(&self, node: &Node, key: &str) -> bool {
        text(node, key)
            .is_some_and(|condition| self.settled(&self.formulas(condition)[0]) == Some(false))
    }

    /// Whether a name, or the owner of an output, is a step of other days.
    pub(crate) fn is_step_of_other_days(&self, name: &str) -> bool {
        let step = self.step(name.split('.').next().unwrap_or_default().trim());
        step.is_some_and(|step| self.is_of_other_days(step, "when"))
    }

    /// Whether nothing that is of these days reads an input, though something else does.
    pub(crate) fn is_input_of_other_days(&self, input: &str) -> bool {
        let is_named = |text: &str| {
            let mut words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            words.any(|word| word == input)
        };
        let reads = |node: &Node| {
            let formulas = node.entries().iter().filter(|(key, _)| {
                !["label", "law", "warn", "code", "input"].contains(&key.value.as_str())
            });
            let texts = formulas
                .filter_map(|(_, value)| value.text())
                .chain(node.text());
            let named = texts.filter(|text| is_named(&text.value));
            named
                .map(|text| text.value.clone())
                .collect::<Vec<String>>()
        };
        // A condition that the day settles leaves one branch of a formula.
        let is_in_other_branch = |formula: &String| {
            let parts = formula.strip_prefix("if ").and_then(|rest| {
                let (condition, branches) = rest.split_once(" then ")?;
                let (yes, no) = branches.rsplit_once(" else ")?;
                Some((condition, yes, no))
            });
            parts.is_some_and(|(condition, yes, no)| {
                let settled = self.settled(&self.formulas(condition)[0]);
                settled.is_some_and(|holds| !is_named(if holds { yes } else { no }))
            })
        };
        let mut all = Vec::new();
        for (_, part) in self.parts() {
            all.extend(
                entries(part, "steps")
                    .iter()
                    .chain(entries(part, "answer"))
                    .map(|(_, node)| (node, "when")),
            );
            all.extend(
                part.get("checks")
                    .map(Node::items)
                    .unwrap_or_default()
                    .iter()
                    .map(|node| (node, "if")),
            );
        }
        let readers: Vec<_> = all
            .into_iter()
            .filter(|(node, _)| !reads(node).is_empty())
            .collect();
        // The default of an input reads for those who read that input.
        let by_default =
            |other: &&(PlacedText, Node)| text(&other.1, "default").is_some_and(is_named);
        let others: Vec<_> = entries(&self.method, "inputs")
            .iter()
            .filter(by_default)
            .collect();
        (!readers.is_empty() || !others.is_empty())
            && readers.iter().all(|(node, key)| {
                self.is_of_other_days(node, key) || reads(node).iter().all(is_in_other_branch)
            })
            && others
                .iter()
                .all(|(name, _)| self.is_input_of_other_days(&name.value))
    }

    pub(crate) fn is_left_out(&self, option: &str) -> bool {
        let without = self.scale.as_ref().and_then(|scale| text(scale, "without"));
        without.is_some_and(|names| names.split(';').any(|name| name.trim() == option))
    }

    /// Whether its scale is a draft.
    pub(crate) fn is_draft(&self) -> bool {
        self.scale_text("state").as_deref() == Some("draft") || is_unconfirmed(self.scale.as_ref())
    }

    /// The keys of a step, wherever it stands.
    pub(crate) fn step(&self, name: &str) -> Option<&Node> {
        self.parts()
            .into_iter()
            .find_map(|(_, part)| part.get("steps")?.get(name))
    }

    fn row(&self, node: &Node, shape: &[(String, String)]) -> Row {
        let list = |text: &str| {
            text.split(';')
                .map(|part| part.trim().to_owned())
                .collect::<Vec<_>>()
        };
        let mut row = Row {
            sources: text(node, "source").map(list).unwrap_or_default(),
            evidence: text(node, "checked_with").map(list).unwrap_or_default(),
            remark: (
                text(node, "confidence").map(str::to_owned),
                text(node, "note").map(str::to_owned),
            ),
            ..Row::default()
        };
        for (key, node) in node.entries() {
            let Some(written) = node.text().map(|text| text.value.as_str()) else {
                continue;
            };
            let ty = shape
                .iter()
                .find(|(column, _)| *column == key.value)
                .map(|(_, ty)| ty.as_str());
            match (key.value.as_str(), ty) {
                (column, Some("key")) => {
                    let values = list(written)
                        .iter()
                        .map(|value| self.key(column, value))
                        .collect();
                    row.keys.insert(column.to_owned(), values);
                }
                (column, Some("text")) => {
                    row.cells
                        .insert(column.to_owned(), Value::Text(written.to_owned()));
                }
                (column, Some(ty)) => {
                    row.cells.insert(
                        column.to_owned(),
                        Value::Number(literal(written).unwrap(), ty.starts_with("money")),
                    );
                }
                (word @ ("up_to" | "below" | "over" | "from"), None) => {
                    row.bound = Some((word.to_owned(), literal(written).unwrap()));
                }
                _ => {}
            }
        }
        row
    }

    /// A value of a key column: of the input of its name, else a number.
    fn key(&self, column: &str, written: &str) -> Value {
        match self.input(column).and_then(|input| text(input, "type")) {
            Some("choice") => Value::Word(written.to_owned()),
            Some("boolean") => Value::Boolean(written == "true"),
            _ => Value::Number(literal(written).unwrap(), false),
        }
    }

    pub(crate) fn input(&self, name: &str) -> Option<&Node> {
        self.method.get("inputs")?.get(name)
    }

    pub(crate) fn formulas(&self, text: &str) -> Rc<Vec<Expr>> {
        let mut known = self.formulas.borrow_mut();
        Rc::clone(
            known
                .entry(text.to_owned())
                .or_insert_with(|| parse(text).into()),
        )
    }

    /// A source by its id.
    pub(crate) fn source(&self, id: &str) -> Option<&Node> {
        let found = self.sources.iter().find(|(known, _)| known == id);
        found.map(|(_, source)| source)
    }

    pub(crate) fn scale_text(&self, key: &str) -> Option<String> {
        text(self.scale.as_ref().unwrap_or(&self.method), key).map(str::to_owned)
    }
}

impl Figure {
    pub(crate) fn ty(&self, column: &str) -> &str {
        self.shape
            .iter()
            .find(|(name, _)| name == column)
            .map(|(_, ty)| ty.as_str())
            .unwrap_or_default()
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.shape
            .iter()
            .filter(|(_, ty)| ty == "key")
            .map(|(name, _)| name.as_str())
    }

    /// For each key in turn: the rows that list the value, else the rows without that key.
    pub(crate) fn rows_by(&self, values: &[Value]) -> Result<Vec<&Row>, usize> {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        for (index, (key, value)) in self.keys().zip(values).enumerate() {
            let lists = |row: &&Row| {
                row.keys
                    .get(key)
                    .is_some_and(|listed| listed.iter().any(|one| same(one, value)))
            };
            let listing = rows.iter().copied().filter(lists).collect::<Vec<_>>();
            rows = match listing.is_empty() {
                true => rows
                    .into_iter()
                    .filter(|row| !row.keys.contains_key(key))
                    .collect(),
                false => listing,
            };
            if rows.is_empty() {
                return Err(index);
            }
        }
        Ok(rows)
    }
}

/// Whether a figure is only proposed, which makes its file a draft.
fn is_unconfirmed(node: Option<&Node>) -> bool {
    node.is_some_and(|node| {
        let in_entries = node
            .entries()
            .iter()
            .any(|(key, node)| key.value == "unconfirmed" || is_unconfirmed(Some(node)));
        in_entries || node.items().iter().any(|node| is_unconfirmed(Some(node)))
    })
}

/// Whether the bounds are upper ones.
pub(crate) fn is_upper(rows: &[&Row]) -> bool {
    rows.iter().all(|row| {
        row.bound
            .as_ref()
            .is_none_or(|(word, _)| word == "up_to" || word == "below")
    })
}

/// The row that a value falls in, the bounds being multiplied by `shares`.
pub(crate) fn row_at(rows: &[&Row], value: &Rat, shares: &Rat) -> Option<usize> {
    let holds = |row: &&Row| match &row.bound {
        None => true,
        Some((word, bound)) => match word.as_str() {
            "up_to" => *value <= bound * shares,
            "below" => *value < bound * shares,
            "over" => *value > bound * shares,
            _ => *value >= bound * shares,
        },
    };
    if is_upper(rows) {
        rows.iter().position(holds)
    } else {
        rows.iter().rposition(holds)
    }
}

pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a, _), Value::Number(b, _)) => a == b,
        _ => a == b,
    }
}

pub(crate) fn entries<'n>(
    node: &'n Node,
    key: &str,
) -> &'n [(bareme_engine::text::PlacedText, Node)] {
    node.get(key).map(Node::entries).unwrap_or_default()
}

pub(crate) fn text<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    node.get(key)?.text().map(|text| text.value.as_str())
}

/// The keys of a shape that are no columns.
fn is_day(key: &str) -> bool {
    key == "since" || key == "until" || key == "label"
}
