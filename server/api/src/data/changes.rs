//! The changes between two editions, value by value and in words.

use bareme_engine::law::{Type, Value as Held};
use bareme_engine::run::Edition;
use bareme_show::figures;
use serde_json::Value;

use super::{date, figures::value, labels, object};

/// The changes of an edition since another one.
pub(super) fn describe(edition: &Edition, before: &Edition) -> Value {
    object([
        (
            "depuis",
            before
                .scale()
                .map(|scale| date(scale.date))
                .unwrap_or_default(),
        ),
        ("resume", figures::changes(edition, Some(before)).into()),
        ("valeurs", values(edition, before).into()),
    ])
}

/// The values that differ.
fn values(edition: &Edition, before: &Edition) -> Vec<Value> {
    let method = edition.method();
    let changed = |line: &figures::Line| {
        // A line has the value of both editions, where the figure exists in both.
        let [new, old] = [0, 1].map(|index| line.values.get(index).cloned().flatten());
        let (_, ty) = new.as_ref().or(old.as_ref())?.clone();

        let found = |found: &Option<(Held, Type)>| {
            found
                .as_ref()
                .map(|(found, _)| value(found))
                .unwrap_or_default()
        };

        (new != old).then(|| {
            object([
                ("chiffre", line.figure.into()),
                ("libelle", figures::title(method, line.figure).into()),
                ("valeur", line.label().into()),
                ("type", labels::kind(ty).into()),
                ("unite", labels::counted_in(ty, method)),
                ("avant", found(&old)),
                ("apres", found(&new)),
            ])
        })
    };

    // The lines of both editions, in the order of the method: those of one alone have changed too.
    figures::side_by_side(&[edition, before])
        .iter()
        .filter_map(changed)
        .collect()
}
