//! The items of a group in an answer: an object for each, with its own members.

use crate::law::formula::{Code, Env, EvalError, ExpectedType, ItemScope, State};
use crate::law::step::Compiler;
use crate::law::{Expr, Scalar, SlotId, Type};
use crate::text::json::{Datum, Key, Object};
use crate::text::words::is_name;
use crate::text::{PlacedText, Problem};

use super::compile::Shown;
use super::evaluate::Evaluator;
use super::reader::FieldReader;
use super::{FieldContent, Form, ItemMember};

/// The key of a field that lists some items: the condition of those that it lists.
pub(crate) const ONLY: &str = "only";

/// An item of a group in an answer.
///
/// An element of [`FieldValue::Items`](super::FieldValue::Items).
#[derive(Debug)]
pub struct ListedItem<'f> {
    members: &'f [CompiledMember],
    /// The value of each member; `None` where it is left out.
    values: Vec<Option<Scalar<'f>>>,
}

/// A member of the objects of a field, compiled for a dated file.
#[derive(Debug)]
pub(crate) struct CompiledMember {
    name: String,
    label: Option<String>,
    code: Code,
    shown: Shown,
}

impl ListedItem<'_> {
    /// Its members, in order: the label or else the name, the type, and the value; `None` where it is
    /// left out.
    pub fn members(&self) -> impl Iterator<Item = (&str, Type, Option<&Scalar<'_>>)> {
        let members = self.members.iter().zip(&self.values);
        members.map(|(member, value)| {
            let title = member.label.as_deref().unwrap_or(&member.name);
            (title, member.shown.ty, value.as_ref())
        })
    }
}

impl CompiledMember {
    pub(super) fn new(member: &ItemMember, compiler: &Compiler) -> Self {
        Self {
            name: member.name.clone(),
            label: member.label.clone(),
            code: compiler.code(&member.expr),
            shown: Shown {
                ty: member.ty,
                form: Form::Plain,
                round: None,
            },
        }
    }
}

impl FieldReader<'_> {
    /// The members of a field that lists the items of a group.
    pub(super) fn items(&mut self, name: &PlacedText) -> Option<FieldContent> {
        let group = self.env.symbols.named_group(name, self.report)?;

        let env = Env {
            items: ItemScope::Of(group),
            ..self.env
        };
        let only = self.node.text_of(ONLY);
        let only = only.map(|text| self.check_in(env, text, ExpectedType::BOOLEAN).expr);
        let mut members = Vec::new();
        for (key, node) in self.node.entries() {
            if ["each", ONLY, "when", "label"].contains(&key.value.as_str()) {
                continue;
            }
            if !is_name(&key.value) {
                self.report.error(&key.place, Problem::bad_name(&key.value));
            }
            // The schema reports a member that is no formula.
            let Some(text) = node.text().or_else(|| node.text_of("value")) else {
                continue;
            };
            let typed = self.check_in(env, text, ExpectedType::OPTIONAL);
            members.push(ItemMember {
                name: key.value.clone(),
                label: node
                    .string_of("label")
                    .or_else(|| self.member_label(&typed.expr)),
                expr: typed.expr,
                ty: typed.ty,
            });
        }

        Some(FieldContent::Items {
            group,
            only,
            members,
        })
    }

    /// The label of the input or step that a member shows as it is.
    fn member_label(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Input(input) => Some(input.of(&self.env.symbols.inputs)?.label.clone()),
            Expr::Output(step, output) => {
                let step = step.of(&self.env.symbols.steps)?;
                let output = step.outputs.get(*output)?;
                if output.main {
                    step.label.clone()
                } else {
                    output.label.clone()
                }
            }
            _ => None,
        }
    }
}

impl<'f> Evaluator<'f> {
    /// The items of a group, of which `size` has a value each; those alone that meet a condition.
    pub(super) fn items(
        &self,
        size: Option<SlotId>,
        only: Option<&Code>,
        members: &'f [CompiledMember],
        state: &State,
    ) -> Result<Vec<ListedItem<'f>>, EvalError> {
        let count = state.items(size.ok_or(EvalError::Internal)?)?.len();

        let mut items = Vec::with_capacity(count);
        for item in 0..count {
            state.item.set(item);
            if let Some(only) = only
                && !only.boolean(state)?
            {
                continue;
            }

            let value = |member: &'f CompiledMember| self.value(&member.code, &member.shown, state);
            let values = members.iter().map(value).collect::<Result<_, _>>()?;
            items.push(ListedItem { members, values });
        }
        Ok(items)
    }
}

impl Object for ListedItem<'_> {
    fn visit<'v>(&'v self, visit: &mut dyn FnMut(Key<'v>, Datum<'v>)) {
        for (member, value) in self.members.iter().zip(&self.values) {
            if let Some(value) = value {
                visit(member.name.as_str().into(), value.datum());
            }
        }
    }
}
