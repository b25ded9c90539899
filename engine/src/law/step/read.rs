//! The reader of steps, by the table of kinds.

use crate::law::formula::{ExpectedType, Narrowing, Scope, Typed, narrowings};
use crate::law::members::LINE;
use crate::law::option;
use crate::law::unit::warn_of_units;
use crate::law::{Ast, AstNode, Expr, FigureId, Sum, Type};
use crate::text::json::Head;
use crate::text::number::parse_plain;
use crate::text::problem::suggestion;
use crate::text::{Content, Datum, Node, Place, PlacedText, Problem, Report, RoundMode};

use super::modifiers::Change;
use super::{Built, Effect, KINDS, KeyForm, Kind, MODIFIERS, Modifiers, Rounding, Step, Written};

/// The annotations of every step, with their meaning for the editor.
pub(crate) const ANNOTATIONS: [(&str, &str); 2] = [
    ("label", "what the payslip calls it, in French"),
    ("law", "article of the law"),
];

/// Keys that every step may have.
fn common() -> impl Iterator<Item = &'static str> {
    MODIFIERS
        .iter()
        .map(|modifier| modifier.name)
        .chain(ANNOTATIONS.map(|(name, _)| name))
}

/// Reads a step; `scope` has what is written above it.
pub(crate) fn read_step(
    name: &PlacedText,
    node: &Node,
    scope: &mut Scope,
    report: &mut Report,
) -> Step {
    let mut step = Step {
        name: name.value.clone(),
        label: node.string_of("label"),
        law: node.string_of("law"),
        kind: &super::formula::KIND,
        keys: Vec::new(),
        outputs: Vec::new(),
        figures: Vec::new(),
        steps: Vec::new(),
        hidden: 0,
        option: scope.option,
        checked: None,
        modifiers: Modifiers::default(),
        depends_on_pays: false,
        already: None,
        is_absent: false,
        is_echo: false,
        line_head: Head::default(),
        place: name.place.clone(),
    };
    step.line_head = line_head(&step);
    let Some(kind) = kind_of(node, report) else {
        return step;
    };
    step.kind = kind;
    let mut reader = Reader {
        name,
        node,
        kind,
        known: Vec::new(),
        with: None,
        written: Vec::new(),
        scope,
        report,
    };
    reader.check_keys();
    step.is_absent = reader.conditions(&mut step.modifiers);
    reader.with = reader.figure("with");
    let Some(Built {
        checked,
        outputs,
        hidden,
    }) = (kind.read)(&mut reader)
    else {
        return step;
    };
    let main = outputs
        .iter()
        .find(|output| output.main)
        .map(|output| output.ty);
    step.already = reader.modifiers(main, &mut step.modifiers);
    step.keys = reader.written();
    step.outputs = outputs;
    if step.already.is_some() {
        // A sum over the months less its earlier part is an amount of the month again.
        let main = step.outputs.iter_mut().filter(|output| output.main);
        main.for_each(|output| output.ty = output.ty.of_the_month().unwrap_or(Type::Unknown));
    }
    step.hidden = hidden;
    step.is_echo =
        step.modifiers.only_round() && checked.passes_on().is_some_and(|expr| scope.is_echo(expr));
    step.checked = Some(checked);
    step
}

/// The name and the title of a step as the first members of a line.
fn line_head(step: &Step) -> Head {
    let values = [&step.name, step.title()].map(Datum::Text);
    Head::from_members(
        LINE.iter()
            .zip(values)
            .map(|(member, value)| (member.name, value)),
    )
}

fn kind_of(node: &Node, report: &mut Report) -> Option<&'static Kind> {
    if node.text().is_some() {
        return Some(&super::formula::KIND);
    }
    let (first, _) = node.entries().first()?;
    let found = KINDS.iter().copied().find(|kind| kind.name == first.value);
    if found.is_none() {
        let names = KINDS.iter().map(|kind| kind.name);
        let near = suggestion(&first.value, names.clone()).map(str::to_owned);
        let kinds = names.collect::<Vec<_>>().join(", ");
        let problem = Problem::UnknownKind {
            found: first.value.clone(),
            kinds,
            near,
        };
        report.error(&first.place, problem);
    }
    found
}

/// The reader of the keys of a step.
pub(crate) struct Reader<'r> {
    pub name: &'r PlacedText,
    pub node: &'r Node,
    pub kind: &'static Kind,
    pub known: Vec<Narrowing>,
    /// The figure of `with`.
    pub with: Option<FigureId>,
    pub written: Vec<(&'static str, Written)>,
    pub scope: &'r mut Scope,
    pub report: &'r mut Report,
}

impl Reader<'_> {
    pub(crate) fn error(&mut self, place: &Place, problem: Problem) {
        self.report.error(place, problem);
    }

    fn check_keys(&mut self) {
        for (key, value) in self.node.entries() {
            let own = self.kind.keys.iter().map(|key| key.name);
            let mut known = own.chain(common()).chain([self.kind.name]);
            if !known.any(|known| known == key.value) {
                let own = self.kind.keys.iter().map(|key| key.name).chain(common());
                self.report
                    .error(&key.place, Problem::unknown_key(&key.value, own));
            } else if matches!(value.content, Content::Empty) {
                self.report.error(
                    &key.place,
                    Problem::EmptyValue {
                        key: key.value.clone(),
                    },
                );
            }
        }
    }

    /// Whether a key is unknown: it is reported, and may be one that is missing.
    fn has_unknown_key(&self) -> bool {
        let own = self.kind.keys.iter().map(|key| key.name);
        let known: Vec<&str> = own.chain(common()).chain([self.kind.name]).collect();
        self.node
            .entries()
            .iter()
            .any(|(key, _)| !known.contains(&key.value.as_str()))
    }

    /// The text of the kind's own key.
    pub(crate) fn main_text(&self) -> Option<PlacedText> {
        self.node
            .text()
            .or_else(|| self.node.text_of(self.kind.name))
            .cloned()
    }

    /// A formula under a key, which is kept for the pages.
    fn check(&mut self, key: &'static str, text: &PlacedText, expected: ExpectedType) -> Typed {
        let (typed, formula) = self
            .scope
            .check_and_keep(text, expected, &self.known, self.report);
        self.keep(key, formula.map(Written::Formula));
        typed
    }

    /// The kind's own key as a formula.
    pub(crate) fn main_formula(&mut self) -> Option<Typed> {
        let text = self.main_text()?;
        Some(self.check(self.kind.name, &text, ExpectedType::default()))
    }

    /// An amount in the kind's own key.
    pub(crate) fn main_amount(&mut self) -> Option<Typed> {
        let text = self.main_text()?;
        let typed = self.check(self.kind.name, &text, ExpectedType::default());
        if !matches!(typed.ty, Type::Money(_) | Type::Unknown) {
            self.error(
                &text.place,
                Problem::NotAnAmount {
                    found: typed.ty.name(),
                },
            );
            return Some(Typed {
                ty: Type::Unknown,
                ..typed
            });
        }
        Some(typed)
    }

    /// A key: what the step writes, else the column of `with` of that name.
    pub(crate) fn key(&mut self, name: &'static str, expected: ExpectedType) -> Option<Typed> {
        if let Some(text) = self.node.text_of(name) {
            return Some(self.check(name, text, expected));
        }
        let filled = self.with.and_then(|figure| {
            let shape = figure
                .of(&self.scope.figures)
                .filter(|shape| !shape.has_rows())?;
            let column = shape.column(name)?;
            let found = column.of(&shape.columns)?;
            Some((figure, column, found.ty, found.optional))
        });
        match filled {
            Some((figure, column, ty, optional)) => {
                self.scope.used.columns.insert((figure, column));
                let fits = expected
                    .ty
                    .is_none_or(|expected| expected.together(ty).is_some());
                if !fits || (optional && !expected.optional) {
                    let place = self.place("with");
                    let expected = expected.ty.map_or("", Type::name);
                    self.error(
                        &place,
                        Problem::ColumnOfOtherType {
                            column: name,
                            expected,
                            found: ty.name(),
                        },
                    );
                }
                Some(Typed {
                    expr: Expr::Column(figure, column),
                    ty,
                })
            }
            None => {
                // A figure that is not there was reported already.
                let is_misnamed = self.with.is_none() && self.node.text_of("with").is_some();
                let is_reported = is_misnamed || self.has_unknown_key();
                if !is_reported
                    && self
                        .kind
                        .keys
                        .iter()
                        .any(|key| key.name == name && key.required)
                {
                    self.report.error(
                        &self.name.place,
                        Problem::MissingStepKey {
                            key: name,
                            kind: self.kind.name,
                        },
                    );
                }
                None
            }
        }
    }

    /// Formulas separated by `;`.
    pub(crate) fn formulas(&mut self, name: &'static str) -> Vec<Typed> {
        let Some(text) = self.node.text_of(name) else {
            return Vec::new();
        };
        let (typed, formulas) = self.scope.check_list(text, &self.known, self.report);
        self.keep(name, Some(Written::Formulas(formulas)));
        typed
    }

    /// A key that names a figure.
    pub(crate) fn figure(&mut self, name: &'static str) -> Option<FigureId> {
        let text = self.node.text_of(name)?;
        self.keep(name, Some(Written::Name(text.value.clone())));
        let found = self.scope.figure(&text.value);
        match found {
            Some(figure) => self.check_given(figure, &text.place),
            None => {
                let problem = Problem::unknown_figure(&text.value, self.scope.figure_names());
                self.report.error(
                    &text.place,
                    option::unknown(&text.value, self.scope, problem),
                );
            }
        }
        found
    }

    /// A figure that may be absent is read where it is known to be there.
    pub(crate) fn check_given(&mut self, figure: FigureId, place: &Place) {
        if let Some(problem) = self.scope.unguarded(figure, &self.known) {
            self.report.error(place, problem);
        }
    }

    /// The place of a key, or of the step.
    pub(crate) fn place(&self, key: &str) -> Place {
        self.node
            .text_of(key)
            .map_or(&self.name.place, |text| &text.place)
            .clone()
    }

    /// Conditions are read first: what they establish is known in every key. Returns whether one of
    /// them is false on all the days that the method is read for.
    fn conditions(&mut self, modifiers: &mut Modifiers) -> bool {
        let mut is_absent = false;
        for modifier in MODIFIERS
            .iter()
            .filter(|modifier| matches!(modifier.effect, Effect::Condition))
        {
            let Some(text) = self.node.text_of(modifier.name) else {
                continue;
            };
            let condition = self.check(modifier.name, text, ExpectedType::BOOLEAN).expr;
            self.known.extend(narrowings(&condition, true));
            let settled = self.scope.settled(&condition);
            is_absent |= settled == Some(false);
            if settled != Some(true) {
                modifiers.conditions.push(condition);
            }
        }
        is_absent
    }

    /// The modifiers, in the order of the table. Returns the step whose earlier values are taken
    /// off.
    fn modifiers(&mut self, main: Option<Type>, modifiers: &mut Modifiers) -> Option<PlacedText> {
        let mut earlier = None;
        let is_numeric = main.is_some_and(Type::is_numeric);
        let limit = ExpectedType::limit(main.unwrap_or(Type::Unknown));
        let rounds_itself = self
            .kind
            .keys
            .iter()
            .any(|key| key.form == KeyForm::Rounding);
        for modifier in MODIFIERS {
            let Some(text) = self.node.text_of(modifier.name) else {
                continue;
            };
            let change = match modifier.effect {
                Effect::Condition => continue,
                Effect::Rounding if rounds_itself => continue,
                Effect::Limit(_) | Effect::Rounding | Effect::Earlier if !is_numeric => {
                    self.report.error(
                        &text.place,
                        Problem::ModifierNeedsNumber {
                            modifier: modifier.name,
                        },
                    );
                    continue;
                }
                Effect::Limit(apply) => {
                    let limit = self.check(modifier.name, text, limit);
                    Change::Limit(modifier, apply, limit.expr)
                }
                Effect::Rounding => Change::Rounding(self.roundings(modifier.name)),
                Effect::Earlier => {
                    let Some((step, sum)) = self.already(text, main.unwrap_or(Type::Unknown))
                    else {
                        continue;
                    };
                    earlier = Some(step);
                    Change::Earlier(Expr::Earlier(sum))
                }
            };
            modifiers.changes.push(change);
        }
        earlier
    }

    /// `already: reduction` or `already: reduction; delta`: the step whose earlier values are taken
    /// off, and what starts them again. Whether there is such a step is known once all are read.
    fn already(&mut self, text: &PlacedText, main: Type) -> Option<(PlacedText, Sum)> {
        let key = MODIFIERS
            .iter()
            .find(|modifier| matches!(modifier.effect, Effect::Earlier))?
            .name;
        if !self.scope.year.exists {
            self.error(
                &text.place,
                Problem::SumWithoutYear {
                    word: key.to_owned(),
                },
            );
            return None;
        }
        if main.of_the_month().is_none() {
            self.error(&text.place, Problem::AlreadyOfType { found: main.name() });
            return None;
        }
        let parts = text.list();
        let (step, again) = match parts.as_slice() {
            [step] => (step, None),
            [step, again] => (step, Some(again)),
            _ => {
                self.error(&text.place, Problem::AlreadyCount { count: parts.len() });
                return None;
            }
        };
        self.keep(key, Some(Written::Name(step.value.clone())));
        let again = match again {
            Some(again) => Some(self.scope.sum_key(again, &self.known, self.report)?),
            None => None,
        };
        self.scope.year.names.sums(&step.value);
        self.scope.year.has_summed = true;
        Some((
            step.clone(),
            Sum {
                name: step.value.clone(),
                key: again,
            },
        ))
    }

    /// `round: 1; 100` or `round: base.pas down`.
    pub(crate) fn roundings(&mut self, key: &'static str) -> Vec<Rounding<Expr>> {
        let Some(text) = self.node.text_of(key) else {
            return Vec::new();
        };
        let read: Vec<(Rounding<Expr>, Option<Ast>)> = text
            .list()
            .iter()
            .filter_map(|part| self.rounding(part))
            .collect();
        let written = |(rounding, unit): &(Rounding<Expr>, Option<Ast>)| {
            unit.clone().map(|unit| Rounding {
                unit,
                mode: rounding.mode,
            })
        };
        self.keep(
            key,
            Some(Written::Roundings(
                read.iter().filter_map(written).collect(),
            )),
        );
        read.into_iter().map(|(rounding, _)| rounding).collect()
    }

    fn rounding(&mut self, part: &PlacedText) -> Option<(Rounding<Expr>, Option<Ast>)> {
        let (unit, mode) = match part.value.rsplit_once(' ') {
            Some((unit, word)) => {
                let start = part.value.len() - word.len();
                let place = part.part(start..part.value.len());
                match RoundMode::WORDS.iter().find(|(known, _)| *known == word) {
                    Some((_, mode)) => (unit.trim_end(), *mode),
                    None => {
                        let is_first = RoundMode::WORDS
                            .iter()
                            .any(|(known, _)| *known == unit.trim());
                        let near = suggestion(word, RoundMode::WORDS.map(|(known, _)| known))
                            .map(str::to_owned);
                        let near = if is_first {
                            Some(format!("{word} {}", unit.trim()))
                        } else {
                            near
                        };
                        let modes = RoundMode::WORDS.map(|(known, _)| known).join(", ");
                        self.error(
                            &place,
                            Problem::UnknownRoundMode {
                                word: word.to_owned(),
                                modes,
                                near,
                            },
                        );
                        return None;
                    }
                }
            }
            None => (part.value.as_str(), RoundMode::HalfUp),
        };
        if let Ok(value) = parse_plain(unit) {
            let written = Ast {
                span: 0..unit.len(),
                node: AstNode::Number(value),
            };
            if value.is_sign_negative() {
                self.error(&part.place, Problem::NegativeRounding {});
            }
            warn_of_units(value, part, self.report);
            return Some((
                Rounding {
                    unit: Expr::Number(value),
                    mode,
                },
                Some(written),
            ));
        }
        let text = PlacedText {
            value: unit.to_owned(),
            place: part.part(0..unit.len()),
        };
        let expected = ExpectedType::exactly(Type::Number);
        let (typed, written) = self
            .scope
            .check_and_keep(&text, expected, &self.known, self.report);
        Some((
            Rounding {
                unit: typed.expr,
                mode,
            },
            written,
        ))
    }
}
