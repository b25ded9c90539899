//! The year of pays of a folder: its parameters, where those that vary by month are arrays, and its
//! answer.

use bareme_engine::Folder;
use bareme_engine::law::parameter::{Call, FIRST_MONTH, RECEIPT, YEAR, of_call};
use bareme_engine::law::{Input, Presence, YearBlock, members};
use bareme_engine::run::Edition;
use bareme_show::schema::{self, Parameter, fitted};
use serde_json::{Value, json};

use super::parameters::{self, parameter};
use super::{answers, names};
use crate::calls::called_calculation::CalledCalculation;
use crate::wire::query::value as sent;

/// Months of a year.
const MONTHS: u8 = 12;

/// Description of the operation of a year.
pub(super) const DESCRIPTION: &str = "Une année de paies d’un salarié chez un employeur, douze \
    mois au plus, chaque mois selon le barème de son dernier jour, avec ce que les textes cumulent \
    depuis janvier ou depuis l’embauche. Un paramètre de plusieurs mois est une liste : ses \
    valeurs séparées par `;`, ou le paramètre répété, jamais les deux ; une seule valeur vaut pour \
    tous les mois, sauf là où le paramètre la refuse, une place vide pour la valeur par défaut. Un \
    mois refusé fait refuser l’année. Une année compte pour un appel.";

/// Months of an example: those of a whole year are a hundred kilobytes of description.
const SHOWN: usize = 2;

/// The query of a worked case, cut to its last months and without optional parameters of the
/// answer.
pub(super) fn example(folder: &Folder) -> Vec<(String, String)> {
    let Some(case) = &folder.examples().year else {
        return Vec::new();
    };

    let days = case.days();
    let left_out = days.len().saturating_sub(SHOWN);

    // Options add members to an answer, and the first month is that of the cut list below.
    let options = || {
        folder
            .editions()
            .iter()
            .flat_map(|edition| edition.method().options())
    };

    let is_kept = |name: &str| name != FIRST_MONTH && options().all(|option| option.name != name);

    let cut = |value: &str| {
        let places: Vec<&str> = value.split(';').map(str::trim).collect();
        let first = if places.len() > 1 { left_out } else { 0 };
        places.into_iter().skip(first).collect::<Vec<_>>().join(";")
    };

    let first = days
        .get(left_out)
        .map(|day| (FIRST_MONTH.to_owned(), day.month().to_string()));

    let kept = case.query.iter().filter(|(name, _)| is_kept(name));
    let mut query: Vec<(String, String)> = kept
        .map(|(name, value)| (name.clone(), cut(value)))
        .collect();
    // After the year.
    let place = query.len().min(1);
    query.splice(place..place, first);
    query
}

/// The parameters: the months, then the inputs.
pub(super) fn parameters(folder: &Folder, example: &[(String, String)]) -> Vec<Value> {
    let Some(block) = folder.year_block() else {
        return Vec::new();
    };

    let first = folder
        .editions()
        .first()
        .and_then(Edition::scale)
        .map_or(1, |scale| scale.date.year());

    let general = of_call(Call::Year)
        .chain(of_call(Call::Kept))
        .filter(parameters::is_described)
        .map(|known| {
            (
                known.name,
                parameters::general(schema::general(known, first), known.name == YEAR, example),
            )
        });

    // In the order of a form: which year, the inputs, then what every calculation takes.
    let (of_year, of_all): (Vec<_>, Vec<_>) =
        general.partition(|(name, _)| of_call(Call::Undated).all(|known| known.name != *name));

    let described = schema::of_folder(folder);

    let inputs = folder.year_inputs().into_iter().filter_map(|input| {
        let found = described.iter().find(|found| found.name == input.name)?;
        Some(of_input(input, found, block, example))
    });

    let described =
        |general: Vec<(&'static str, Value)>| general.into_iter().map(|(_, described)| described);

    described(of_year)
        .chain(inputs)
        .chain(described(of_all))
        .collect()
}

/// The parameter of an input: as for a single pay, or an array with one value for each month.
fn of_input(
    input: &Input,
    found: &Parameter,
    block: &YearBlock,
    example: &[(String, String)],
) -> Value {
    let Parameter {
        description,
        schema,
        ..
    } = found;

    let required = matches!(input.presence, Presence::Required);
    // An input that holds for the whole year is described as for a single pay.
    if !block.varies(&input.name) {
        return parameter(
            &input.name,
            required,
            description,
            schema.clone(),
            parameters::example(input, example),
        );
    }

    let items = sent(example, &input.name).map(|list| {
        let values = list
            .split(';')
            .map(|value| parameters::typed(input, value.trim()));
        values.collect::<Vec<Value>>()
    });

    let months = if block.is_asked_each_month(&input.name) {
        " Une valeur par mois : une seule pour plusieurs mois est refusée."
    } else {
        " Une valeur par mois, ou une seule pour tous."
    };

    let description = fitted([(0, description.clone()), (1, months.to_owned())]);
    let list = json!({"type": "array", "items": schema, "minItems": 1, "maxItems": MONTHS});

    let mut described = parameter(
        &input.name,
        required,
        &description,
        list,
        items.map(Value::from),
    );
    // `style: form` with `explode` is the repeated parameter, which the service reads like a list.
    if let Value::Object(members) = &mut described {
        members.insert("style".into(), "form".into());
        members.insert("explode".into(), true.into());
        // An empty array is not sent: there is no empty value.
        members.remove("allowEmptyValue");
    }
    described
}

/// The schemas of the answer, of its months and of its totals, by their names.
pub(super) fn schemas(folder: &Folder, called: CalledCalculation) -> Vec<(String, Value)> {
    let name = names::answer(called);
    // The total has the schemas of the fields that are added up, under the same names.
    let [of_month, of_total] = ["Mois", "Total"].map(|part| format!("{name}{part}"));

    let mut month = answers::fields(folder, called.selected());
    let mut total = answers::ObjectSchema::default();

    for name in folder.year_block().into_iter().flat_map(YearBlock::totals) {
        if let Some(schema) = month.member(name) {
            total.add(name, schema.clone(), false);
        }
    }

    month.add(members::MONTH.name, answers::of(&members::MONTH), true);
    month.add(
        members::SCALE_IN_FORCE.name,
        answers::of(&members::SCALE_IN_FORCE),
        true,
    );
    month.add(members::STEPS.name, answers::of(&members::STEPS), false);

    let mut year = answers::ObjectSchema::default();
    for member in &members::YEAR {
        let schema = match member.name {
            "mois" => {
                json!({
                    "description": member.label,
                    "type": "array",
                    "items": names::schema(&of_month),
                })
            }
            "total" => names::schema(&of_total),
            _ => answers::of_folder(member, folder),
        };
        year.add(member.name, schema, member.always);
    }
    year.add(RECEIPT, answers::receipt(), false);

    vec![
        (
            of_month,
            month.described(
                "Un mois de l’année : ce que répond le mois seul, avec ce qui est cumulé.",
            ),
        ),
        (
            of_total,
            total.described("Les sommes de l’année, champ par champ et ligne par ligne."),
        ),
        (
            name,
            year.described(&format!("{} : une année de paies", folder.title())),
        ),
    ]
}
