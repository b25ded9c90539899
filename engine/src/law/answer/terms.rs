//! The steps that a field adds and subtracts.

use crate::law::{Expr, Operator, StepId};

use super::{Field, FieldContent};

/// A step that a field adds or subtracts.
///
/// A term of the net of a pay, which is its whole pay less what is withheld:
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["salaire-net/ga"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("salaire-net/ga").ok_or("no such folder")?;
/// let method = folder.latest().ok_or("no edition")?.method();
/// let net = method.fields().iter().find(|field| field.name == "net_mensuel").ok_or("no net")?;
/// let terms = net.terms().ok_or("no sum")?;
/// let signs: Vec<bool> = terms.iter().map(|term| term.is_subtracted).collect();
/// assert_eq!(signs, [false, true]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    /// The step.
    pub step: StepId,
    /// Whether it is subtracted.
    pub is_subtracted: bool,
}

impl Field {
    /// The steps that the field adds and subtracts, in the order of its formula; `None` where it
    /// computes anything else, or rounds. Inputs, and steps that are absent from the scale of the
    /// day, are left out.
    pub fn terms(&self) -> Option<Vec<Term>> {
        let FieldContent::Value {
            expr, round: None, ..
        } = &self.content
        else {
            return None;
        };
        let mut terms = Vec::new();
        collect(expr, false, &mut terms)?;
        Some(terms)
    }
}

fn collect(expr: &Expr, is_subtracted: bool, terms: &mut Vec<Term>) -> Option<()> {
    match expr {
        Expr::Binary(Operator::Add, left, right) => {
            collect(left, is_subtracted, terms)?;
            collect(right, is_subtracted, terms)
        }
        Expr::Binary(Operator::Subtract, left, right) => {
            collect(left, is_subtracted, terms)?;
            collect(right, !is_subtracted, terms)
        }
        // The first output of a step is its value.
        Expr::Output(step, 0) => {
            terms.push(Term {
                step: *step,
                is_subtracted,
            });
            Some(())
        }
        Expr::Input(_) | Expr::Absent(_) => Some(()),
        _ => None,
    }
}
