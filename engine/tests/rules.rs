//! The rules of the project as a whole: they load without a remark, are worked by enough cases, and
//! every answer of those cases has the fields that callers were promised.

#![cfg(test)]

mod common;

use std::collections::BTreeSet;

use bareme_engine::law::{KINDS, KeyForm};
use bareme_engine::run::Case;
use bareme_engine::text::Rendering;
use bareme_engine::{Folder, Lang, Loader, Report};
use jiff::civil::{Date, date};
use rust_decimal::Decimal;
use serde_json::{Map, Value};

/// Cases of dated folders carry their date, and nothing depends on the day for the others.
const ANY_DAY: Date = date(2026, 1, 1);

/// Fewer do not show what a law does at its edges.
const FEWEST_CASES: usize = 12;

/// First fields of the answers of each endpoint, in order, with their JSON types.
const PROMISED: [(&str, &[(&str, &str)]); 5] = [
    (
        "ir",
        &[
            ("impot_net", "number"),
            ("taux_marginal", "number"),
            ("taux_effectif", "number"),
            ("parts", "number"),
            ("revenu_imposable", "number"),
            ("bareme", "string"),
        ],
    ),
    (
        "salaire",
        &[
            ("brut", "number"),
            ("net", "number"),
            ("cotisations_salariales", "number"),
            ("taux_cotisations", "number"),
            ("cadre", "boolean"),
            ("annee", "integer"),
        ],
    ),
    (
        "tva",
        &[
            ("ht", "number"),
            ("tva", "number"),
            ("ttc", "number"),
            ("taux", "number"),
            ("sens", "string"),
        ],
    ),
    (
        "pret",
        &[
            ("mensualite", "number"),
            ("cout_total", "number"),
            ("cout_credit", "number"),
            ("taeg", "number"),
            ("duree_mois", "integer"),
        ],
    ),
    (
        "tva-afrique",
        &[
            ("pays", "string"),
            ("taux", "number"),
            ("sens", "string"),
            ("montant_ht", "number"),
            ("tva", "number"),
            ("montant_ttc", "number"),
            ("source", "string"),
            ("year", "integer"),
        ],
    ),
];

/// Fields that the answer for a rate alone leaves out.
const OF_AN_AMOUNT: [&str; 4] = ["sens", "montant_ht", "tva", "montant_ttc"];

/// Fields before and after the levies of each country.
const BEFORE_LEVIES: [(&str, &str); 3] = [
    ("pays", "string"),
    ("devise", "string"),
    ("brut_mensuel", "number"),
];
const AFTER_LEVIES: [(&str, &str); 4] = [
    ("net_mensuel", "number"),
    ("taux_prelevement_effectif", "number"),
    ("source", "string"),
    ("year", "integer"),
];

/// Country whose levies were promised by name.
const LEVIES_OF_CI: [(&str, &str); 2] = [("its_net", "number"), ("cnps", "number")];

/// Every case of a single calculation that is answered, with its answer.
fn answered(folder: &Folder) -> impl Iterator<Item = (&Case, Map<String, Value>)> {
    folder.answered_cases().map(|case| {
        let calculation = folder.calculate(&(&case.query).into(), ANY_DAY).unwrap();
        (case, serde_json::from_str(&calculation.to_json()).unwrap())
    })
}

fn is_of_type(value: &Value, ty: &str) -> bool {
    match ty {
        "number" => value.is_number(),
        "integer" => value.is_i64(),
        "string" => value.as_str().is_some_and(|text| !text.is_empty()),
        _ => value.is_boolean(),
    }
}

/// The fields stand first, in their order, each of its type.
fn check_case(
    folder: &Folder,
    case: &Case,
    answer: &Map<String, Value>,
    promised: &[(&str, &str)],
) {
    let found: Vec<&str> = answer
        .keys()
        .map(String::as_str)
        .take(promised.len())
        .collect();
    let wanted: Vec<&str> = promised.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        found,
        wanted,
        "first fields of {}, case {:?}",
        folder.path(),
        case.name
    );
    for (name, ty) in promised {
        assert!(
            is_of_type(&answer[*name], ty),
            "{name} of {}, case {:?}, is no {ty}",
            folder.path(),
            case.name
        );
    }
}

#[test]
fn the_rules_load_without_error_and_without_warning() {
    let loaded = bareme_engine::Loader::new().load(&common::root().join("rules"));
    let odd = loaded
        .report
        .all()
        .filter(|diagnostic| !diagnostic.is_reminder());
    let odd: Vec<String> = odd
        .map(|diagnostic| diagnostic.render(Rendering::new(Lang::En)))
        .collect();
    assert!(
        loaded.rules.is_some() && odd.is_empty(),
        "{}",
        odd.join("\n")
    );
}

#[test]
fn every_folder_has_enough_cases_and_one_for_each_scale() {
    for folder in common::rules().folders() {
        let (path, count) = (folder.path(), folder.cases().len());
        // Of figures alone, a case holds the first day of each scale, and another the last one.
        let wanted = match folder.inputs().is_empty() {
            true => 2 * folder.editions().len(),
            false => FEWEST_CASES,
        };
        assert!(
            count >= wanted,
            "{path} has {count} cases, {wanted} are wanted"
        );
        let used: Vec<Value> = answered(folder)
            .filter_map(|(_, mut answer)| answer.remove("bareme_en_vigueur"))
            .collect();
        for scale in folder
            .editions()
            .iter()
            .filter_map(|edition| edition.scale())
        {
            let date = Value::from(scale.date.to_string());
            assert!(
                used.contains(&date),
                "{path} has no case for the scale of {}",
                scale.date
            );
        }
    }
}

#[test]
fn every_answer_names_its_scale_its_sources_and_its_version() {
    for folder in common::rules().folders() {
        let dates: Vec<Value> = folder
            .editions()
            .iter()
            .filter_map(|edition| Some(edition.scale()?.date.to_string().into()))
            .collect();
        for (case, answer) in answered(folder) {
            let reported = format!("{}, case {:?}", folder.path(), case.name);
            let day = answer.get("bareme_en_vigueur").and_then(Value::as_str);
            let mut laws = folder.editions().iter().filter(|edition| {
                edition.scale().map(|scale| scale.date.to_string()) == day.map(str::to_owned)
            });
            // Other folders change the law of an edition during its days.
            let is_its_own = |version: &str| answer["version"] == version;
            assert!(
                laws.any(|edition| is_its_own(edition.version()))
                    || folder.versions().any(is_its_own),
                "{reported}"
            );
            assert_eq!(
                answer
                    .get("bareme_en_vigueur")
                    .is_some_and(|date| dates.contains(date)),
                folder.is_dated(),
                "{reported}"
            );
            let references = answer["references"].as_array().unwrap();
            assert!(!references.is_empty(), "{reported}");
            for name in references
                .iter()
                .flat_map(|reference| [&reference["titre"], &reference["editeur"]])
            {
                assert!(is_of_type(name, "string"), "{reported}");
            }
        }
    }
}

#[test]
fn the_promised_fields_come_first_in_order_with_their_types() {
    let rules = common::rules();
    for (path, promised) in PROMISED {
        let folder = rules.folder(path).unwrap();
        for (case, answer) in answered(folder) {
            let rate_alone = path == "tva-afrique" && !answer.contains_key("montant_ht");
            let left_out = |name: &str| rate_alone && OF_AN_AMOUNT.contains(&name);
            let promised: Vec<_> = promised
                .iter()
                .copied()
                .filter(|(name, _)| !left_out(name))
                .collect();
            check_case(folder, case, &answer, &promised);
        }
    }
}

#[test]
fn the_promised_fields_of_a_country_frame_its_levies() {
    for (code, folder) in common::rules().family("salaire-net") {
        for (case, answer) in answered(folder) {
            let reported = format!("{code}, case {:?}", case.name);
            let levies = answer
                .keys()
                .skip(BEFORE_LEVIES.len())
                .take_while(|name| *name != "net_mensuel");
            let levies: Vec<(&str, &str)> = levies.map(|name| (name.as_str(), "number")).collect();
            assert!(
                !levies.is_empty() && levies.len() < 10,
                "{reported}: {levies:?}"
            );
            assert!(
                code != "ci" || levies == LEVIES_OF_CI,
                "{reported}: {levies:?}"
            );
            check_case(
                folder,
                case,
                &answer,
                &[&BEFORE_LEVIES, levies.as_slice(), &AFTER_LEVIES].concat(),
            );
            assert_eq!(answer["pays"], code, "{reported}");
        }
    }
}

/// The rows of the payslip hold each line once: both columns add up to what the answer withholds
/// and charges.
#[test]
fn the_payslip_of_france_adds_up_to_its_totals() {
    let rules = common::rules();
    let mut slips = 0;
    for (case, answer) in answered(rules.folder("salaire").unwrap()) {
        let Some(rows) = answer.get("bulletin").and_then(Value::as_array) else {
            continue;
        };
        let total = |part: &str| -> Decimal {
            let counted = rows.iter().filter(|row| row.get("information").is_none());
            let amounts = counted.filter_map(|row| row[part].get("montant"));
            amounts
                .map(|amount| amount.to_string().parse::<Decimal>().unwrap())
                .sum()
        };
        let said = |field: &str| answer[field].to_string().parse::<Decimal>().unwrap();
        assert_eq!(
            total("part_salariale"),
            said("cotisations_salariales"),
            "{}",
            case.name
        );
        assert_eq!(
            total("part_patronale"),
            said("charges_patronales"),
            "{}",
            case.name
        );
        slips += 1;
    }
    assert!(slips > 40, "{slips} payslips");
}

/// Evidence is no law: only who asks for the details sees it, and after the rest.
#[test]
fn no_answer_cites_evidence_as_the_law() {
    for folder in common::rules().folders() {
        for case in folder.answered_cases() {
            let mut query = case.query.clone();
            let natures = |query: &[(String, String)]| -> Vec<bool> {
                let calculation = folder.calculate(&query.into(), ANY_DAY).unwrap();
                calculation
                    .references()
                    .iter()
                    .map(|reference| reference.source.is_secondary())
                    .collect()
            };
            let said = format!("{}: {}", folder.path(), case.name);
            query.retain(|(name, _)| name != "detail");
            assert!(!natures(&query).contains(&true), "{said}");
            query.push(("detail".to_owned(), "true".to_owned()));
            assert!(natures(&query).is_sorted(), "{said}: evidence comes last");
        }
    }
}

#[test]
fn every_field_of_every_folder_says_in_french_what_it_is() {
    let rules = common::rules();
    let editions = rules.folders().flat_map(|folder| {
        folder
            .editions()
            .iter()
            .map(move |edition| (folder, edition))
    });
    let fields = editions.flat_map(|(folder, edition)| {
        edition
            .method()
            .fields()
            .iter()
            .map(move |field| (folder, field))
    });
    let mut silent: Vec<String> = fields
        .filter(|(_, field)| field.label.is_none())
        .map(|(folder, field)| format!("{}: {}", folder.path(), field.name))
        .collect();
    silent.sort();
    silent.dedup();
    assert!(
        silent.is_empty(),
        "these fields have no label:\n{}",
        silent.join("\n")
    );
}

#[test]
fn folders_loaded_without_the_others_answer_as_in_the_whole_set() {
    let whole = common::rules();
    let selected = ["foyer", "statuts"];
    let loader = Loader::new().without_cases().only(&selected);
    let loaded = loader
        .without_others()
        .load_service(&common::root().join("rules"));
    let limited = loaded.rules.unwrap();

    // 1. They are there, with all that they calculate, and nothing else.
    let mut needed: BTreeSet<&str> = selected.into();
    while let Some(used) = needed
        .iter()
        .flat_map(|path| whole.folder(path).unwrap().used_folders())
        .find(|used| !needed.contains(used))
    {
        needed.insert(used);
    }
    let read: BTreeSet<&str> = limited.folders().map(Folder::path).collect();
    assert_eq!(read, needed);
    assert!(needed.contains("ir") && !needed.contains("tva"));

    // 2. Every worked case has the same answer.
    for path in selected {
        let (of_whole, of_limited) = (whole.folder(path), limited.folder(path).unwrap());
        for case in of_whole.unwrap().cases() {
            let mut report = Report::default();
            case.run(of_limited, &mut report);
            assert!(report.is_ok(), "{path}: {report:?}");
        }
    }
}

#[test]
fn a_step_has_the_outputs_that_its_kind_lists() {
    let rules = common::rules();
    let editions = rules.folders().flat_map(Folder::editions);
    let steps = editions.flat_map(|edition| edition.method().steps());

    let mut seen = BTreeSet::new();
    // The fields of another folder are those that the step names.
    for step in steps.filter(|step| step.kind.main != KeyForm::Folder) {
        let names = step.outputs.iter().map(|output| output.name.as_str());
        let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        let listed = step.kind.outputs;

        // The columns of a figure that is looked up come first.
        if step.kind.main == KeyForm::Figure {
            assert!(names.ends_with(listed), "{}: {names:?}", step.name);
        } else {
            assert_eq!(names, listed, "{}", step.name);
        }
        seen.insert(step.kind.name);
    }

    let all = KINDS.iter().filter(|kind| kind.main != KeyForm::Folder);
    let unseen: Vec<&str> = all
        .map(|kind| kind.name)
        .filter(|kind| !seen.contains(kind))
        .collect();
    assert_eq!(
        unseen,
        Vec::<&str>::new(),
        "no rule has a step of these kinds"
    );
}
