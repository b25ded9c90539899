//! French labels of figures and of their values.

use bareme_engine::Lang;
use bareme_engine::law::{Column, Method, Type};
use bareme_show::{column, unit};
use serde_json::Value;

/// The label of a column.
pub(super) fn of_column(known: &Column) -> String {
    column(&known.name, Lang::Fr).replace('_', " ")
}

/// Name of a type, which tells how to read the number.
pub(super) fn kind(ty: Type) -> &'static str {
    match ty {
        Type::Money(_) => "montant",
        Type::Rate => "taux",
        Type::Choice(_) => "choix",
        Type::Boolean => "booleen",
        Type::Text => "texte",
        Type::Date => "date",
        _ => "nombre",
    }
}

/// Unit of an amount, `EUR par mois`.
pub(super) fn counted_in(ty: Type, method: &Method) -> Value {
    unit(ty, method.currency.as_deref(), Lang::Fr).into()
}
