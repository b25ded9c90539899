//! The parameters of a folder as JSON, with their bounds, units, choices, defaults and labels.

use bareme_engine::Folder;
use bareme_engine::law::{Expr, Input, Inverse, Method, Presence, Type, Value as Held};
use bareme_engine::run::{DefaultText, Edition};
use bareme_show::json::number;
use jiff::civil::Date;
use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::{date, labels, object};

/// The parameters, in order: inputs, then the parameters that may replace one.
pub(super) fn describe(folder: &Folder) -> Vec<Value> {
    let inputs = folder
        .inputs()
        .into_iter()
        .map(|input| described(folder, input, None));
    let inverses = folder.inverses().into_iter().map(|inverse| {
        let instead_of = replaces(folder, inverse).unwrap_or_default();
        described(folder, &inverse.parameter, Some(instead_of))
    });
    inputs.chain(inverses).collect()
}

/// The input that a parameter replaces.
fn replaces<'f>(folder: &'f Folder, inverse: &Inverse) -> Option<&'f str> {
    // The method that has it: a parameter may belong to older editions only.
    let has_it = |edition: &&Edition| {
        edition
            .method()
            .inverses()
            .iter()
            .any(|known| std::ptr::eq(known, inverse))
    };

    let method = folder.editions().iter().rev().find(has_it)?.method();
    inverse
        .input
        .of(method.inputs())
        .map(|input| input.name.as_str())
}

/// A parameter: what it is, its value without it, what is accepted.
fn described(folder: &Folder, input: &Input, instead_of: Option<&str>) -> Value {
    let is_required = matches!(input.presence, Presence::Required) && instead_of.is_none();
    let method = folder.latest().map(Edition::method);
    let what = [
        ("nom", input.name.clone().into()),
        ("libelle", input.label.clone().into()),
        ("aide", input.help.clone().into()),
        (
            "type",
            if input.integer {
                "entier"
            } else {
                labels::kind(input.ty)
            }
            .into(),
        ),
        ("unite", counted_in(input, method)),
        ("obligatoire", is_required.into()),
        ("a_la_place_de", instead_of.into()),
        ("sinon", instead(folder, input).into()),
    ];

    let (since, until) = days_of(folder, input);
    let accepted = [
        ("minimum", bound(input, input.min)),
        ("maximum", bound(input, input.max)),
        ("pas", bound(input, input.step)),
        (
            "decimales",
            // What is rounded on arrival may have any number of decimals.
            if input.round.is_none() {
                input.decimals.into()
            } else {
                Value::Null
            },
        ),
        ("arrondi_a", input.round.map(number).unwrap_or_default()),
        ("valeurs", listed(folder, input).into()),
        ("choix", choices(input).into()),
        ("mots", input.words.clone().into()),
        ("attendu", input.expected().into()),
        ("depuis", since.map(date).unwrap_or_default()),
        ("jusqu_au", until.map(date).unwrap_or_default()),
    ];

    object(
        what.into_iter()
            .chain(default_of(folder, input))
            .chain(accepted),
    )
}

/// The days of all editions that take a parameter, as an input or in place of one.
fn days_of(folder: &Folder, input: &Input) -> (Option<Date>, Option<Date>) {
    let is_it = |known: &Input| known.name == input.name && !known.is_absent;
    folder.days_with(|edition| {
        let instead = edition
            .method()
            .inverses()
            .iter()
            .map(|inverse| &inverse.parameter);
        edition.method().inputs().iter().chain(instead).any(is_it)
    })
}

/// The default of a parameter: a constant, a formula over other parameters, or a figure of a scale.
fn default_of(folder: &Folder, input: &Input) -> [(&'static str, Value); 3] {
    let default = folder.default_of(input);
    let of_scale = default.as_ref().and_then(|default| default.scale).map(date);
    // A formula is shown as it is written in the rules.
    let formula = default
        .as_ref()
        .filter(|default| is_formula(input, default));
    [
        (
            "defaut",
            default
                .as_ref()
                .map(|default| constant(input, default))
                .unwrap_or_default(),
        ),
        (
            "defaut_calcule",
            formula.map(|default| default.text.clone()).into(),
        ),
        ("defaut_du_bareme", of_scale.unwrap_or_default()),
    ]
}

/// Whether a default depends on other parameters.
fn is_formula(input: &Input, default: &DefaultText) -> bool {
    let Presence::Default(expr, _) = &input.presence else {
        return false;
    };
    default.scale.is_none() && !matches!(expr, Expr::Number(_) | Expr::Boolean(_) | Expr::Word(_))
}

/// The constant value of a default, as a query sends it.
fn constant(input: &Input, default: &DefaultText) -> Value {
    // In the unit of a query: rates are percentages there, fractions in the rules.
    match (&input.presence, input.ty) {
        _ if is_formula(input, default) => Value::Null,
        (Presence::Default(Expr::Boolean(found), _), _) => (*found).into(),
        (Presence::Default(Expr::Number(found), _), _) => bound(input, Some(*found)),
        (_, Type::Money(_) | Type::Rate | Type::Number) => {
            default.text.parse().map_or(Value::Null, number)
        }
        _ => default.text.clone().into(),
    }
}

/// The parameters that may replace an input.
fn instead(folder: &Folder, input: &Input) -> Vec<String> {
    let inverses = folder.inverses().into_iter();
    let instead = inverses.filter(|inverse| replaces(folder, inverse) == Some(input.name.as_str()));
    instead
        .map(|inverse| inverse.parameter.name.clone())
        .collect()
}

/// The unit of a parameter: rates are sent in percent.
fn counted_in(input: &Input, method: Option<&Method>) -> Value {
    match input.ty {
        Type::Rate => "%".into(),
        ty => method
            .map(|method| labels::counted_in(ty, method))
            .unwrap_or_default(),
    }
}

/// A bound in the unit of the parameter.
fn bound(input: &Input, bound: Option<Decimal>) -> Value {
    let sent = bound.map(|bound| input.sent_text(&Held::Number(bound)));
    sent.and_then(|sent| sent.parse().ok())
        .map(number)
        .unwrap_or_default()
}

/// The numbers that a table lists, if no others are accepted.
fn listed(folder: &Folder, input: &Input) -> Vec<Value> {
    // Of all editions, since the parameter has one description.
    let values = folder.listed_values(input).unwrap_or_default();
    values
        .iter()
        .filter_map(|value| input.sent_text(value).parse().ok())
        .map(number)
        .collect()
}

/// The words of a choice.
fn choices(input: &Input) -> Vec<Value> {
    if !matches!(input.ty, Type::Choice(_)) {
        return Vec::new();
    }
    // Other spellings of a word, which the list of words does not show.
    let described = |(index, (word, label)): (usize, &(String, String))| {
        let own = input
            .aliases
            .iter()
            .filter(|(_, of)| usize::from(*of) == index)
            .map(|(alias, _)| alias.as_str());

        let others: Vec<&str> = own.collect();

        if others.is_empty() {
            json!({"mot": word, "libelle": label})
        } else {
            json!({"mot": word, "libelle": label, "autres_noms": others})
        }
    };
    input.values.iter().enumerate().map(described).collect()
}
