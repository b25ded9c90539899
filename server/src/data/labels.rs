//! French labels of figures and of their values.

use bareme_engine::Lang;
use bareme_engine::law::{Column, Method, Type};
use bareme_show::figures::{self, Line};
use bareme_show::{column, unit};
use serde_json::Value;

pub(super) fn figure(method: &Method, name: &str) -> String {
    figures::title(method, name)
}

/// The label of a column.
pub(super) fn of_column(known: &Column) -> String {
    column(&known.name, Lang::Fr).replace('_', " ")
}

/// The label of a value within its figure.
pub(super) fn line(line: &Line) -> String {
    line.label()
}

/// Name of a type, which tells how to read the number.
pub(super) fn kind(ty: Type) -> &'static str {
    match ty {
        Type::Money(_) => "montant",
        Type::Rate => "taux",
        Type::Choice(_) => "choix",
        Type::Boolean => "booleen",
        Type::Text => "texte",
        _ => "nombre",
    }
}

/// Unit of an amount, `EUR par mois`.
pub(super) fn counted_in(ty: Type, method: &Method) -> Value {
    unit(ty, method.currency.as_deref(), Lang::Fr).into()
}
