//! An edition of a folder: the scale of a day with its method and the program that they make.

use std::sync::Arc;

use crate::answer::{Field, FieldContent, SCHEDULE};
use crate::diagnostic::Report;
use crate::figure::Figure;
use crate::method::Method;
use crate::program::{Figures, Program};
use crate::scale::Scale;
use crate::types::Type;

/// A dated scale with its program; or the method alone where it is not dated.
#[derive(Debug)]
pub struct Edition {
    pub(crate) scale: Option<Scale>,
    pub(crate) method: Arc<Method>,
    pub(crate) program: Program,
}

impl Edition {
    /// Puts the figures of a dated scale in the place that its method gives them.
    pub(crate) fn bind(method: &Arc<Method>, scale: Scale, report: &mut Report) -> Self {
        let figures = Figures {
            date: Some(scale.date),
            sources: &scale.sources,
            citation: scale.citation.as_deref(),
            figures: &scale.figures,
        };
        let program = Program::bind(method, &figures, report);
        Self { scale: Some(scale), method: Arc::clone(method), program }
    }

    /// The dated scale; none for a method without dates.
    pub fn scale(&self) -> Option<&Scale> {
        self.scale.as_ref()
    }

    /// Its method.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// Names of the members of the elements of an array that a field answers, each with its JSON type.
    pub fn members_of(&self, field: &Field) -> Vec<(String, &'static str)> {
        let shapes = self.method.figures();
        let numbers = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), "number")).collect::<Vec<_>>();
        let texts = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), "string")).collect::<Vec<_>>();
        match &field.content {
            FieldContent::Lines { .. } => {
                [texts(&["code", "libelle"]), numbers(&["assiette", "taux", "montant"])].concat()
            }
            FieldContent::Brackets(steps) => {
                let read = steps.iter().filter_map(|step| self.method.steps().get(*step));
                let mut read = read.flat_map(|step| &step.figures).filter_map(|figure| shapes.get(*figure));
                let printed = read.any(|shape| shape.column("less").or(shape.column("plus")).is_some());
                let tax = if steps.len() > 1 { texts(&["impot"]) } else { Vec::new() };
                let constant = if printed { numbers(&["constante"]) } else { Vec::new() };
                [tax, numbers(&["de", "a", "taux"]), constant, numbers(&["assiette", "montant"])].concat()
            }
            FieldContent::Schedule(_) => numbers(&SCHEDULE),
            FieldContent::Rows { figure, by, extra, .. } => {
                let Some(shape) = shapes.get(*figure) else { return Vec::new() };
                let keys = shape.keys.iter().skip(by.len()).map(|key| (key.name.clone(), "string"));
                let found = self.scale().and_then(|scale| scale.figures.get(*figure));
                let bound = shape.bound.map(|_| (found.map_or("borne", Figure::bound_name).to_owned(), "number"));
                let ty = |ty: Type| if ty == Type::Text { "string" } else { "number" };
                let columns = shape.columns.iter().map(|column| (column.name.clone(), ty(column.ty)));
                let extra = extra.iter().map(|(name, _, found)| (name.clone(), ty(*found)));
                keys.chain(bound).chain(columns).chain(extra).collect()
            }
            _ => Vec::new(),
        }
    }
}
