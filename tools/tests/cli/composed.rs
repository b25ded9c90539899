//! A small set of rules with a folder that calculates another one and takes a figure from it.

use crate::common::small_rules;

/// A tax, with an input that its callers give and a figure that another folder takes.
pub(crate) const TAX: &str = "format: bareme/1
folder: impot
title: \"Impôt du foyer\"
currency: XTS
inputs:
  revenu: {type: money, per: year, required: true, min: 0, label: \"Revenu imposable\", help: \"Après abattements.\"}
figures:
  taux: {normal: rate}
steps:
  du: {formula: revenu * taux.normal, round: 1, label: \"Impôt dû\"}
answer:
  impot: {value: du, label: \"Impôt à payer\"}
  revenu: {value: revenu, label: \"Revenu\"}
inverse:
  - {input: revenu, field: impot, find: smallest, parameter: vise, label: \"Impôt visé\"}
";
/// The scale of 2026; that of 2027 has another rate.
const TAX_OF_2026: &str = "format: bareme/1
title: \"Impôt de 2026\"
known_until: 2026-12-31
sources:
  code: {kind: law, title: \"Code des impôts\", publisher: \"Journal officiel\", date: 2025-12-30}
figures:
  taux: {normal: 10%, source: code}
";
/// A caller, that takes a figure too.
pub(crate) const CALLER: &str = "format: bareme/1
folder: foyer
title: \"Foyer\"
currency: XTS
inputs:
  salaire: {type: money, per: year, required: true, min: 0, label: \"Salaire\"}
figures:
  taux: {taken_from: impot}
steps:
  calcul: {calculate: impot, given: {revenu: salaire}, value: impot, label: \"Impôt\"}
  reste:  {formula: salaire - calcul.impot, label: \"Reste\"}
  vise:   {calculate: impot, given: {vise: salaire}, value: impot, label: \"Impôt du montant du salaire\"}
answer:
  reste: {value: reste, label: \"Reste\"}
  taux:  {value: taux.normal, label: \"Taux\"}
  vise:  {value: vise, label: \"Impôt visé\"}
";
const CALLER_OF_2026: &str = "format: bareme/1
title: \"Foyer de 2026\"
known_until: 2027-12-31
sources:
  code: {kind: law, title: \"Code des impôts\", publisher: \"Journal officiel\", date: 2025-12-30}
figures: {}
";
/// The worked cases of the caller: one in each year, and one of the first year.
const CASES_OF_CALLER: &str = "format: bareme/1
cases:
  - {name: \"Un salaire\", date: 2026-03-31, given: {salaire: 1000}, expect: {reste: 900, taux: 0.1}, origin: {kind: hand, note: \"1 000 moins 10 %\"}}
  - {name: \"Ensuite\", date: 2027-03-31, given: {salaire: 1000}, expect: {reste: 880}, origin: {kind: hand, note: \"1 000 moins 12 %\"}}
  - {name: \"Un autre\", date: 2026-12-31, given: {salaire: 30000}, expect: {reste: 27000}, origin: {kind: hand, note: \"30 000 moins 10 %\"}}
";

/// Rules in which `foyer` calculates `impot`, whose rate is 10 % in 2026 and 12 % in 2027.
pub(crate) fn composed_rules() -> tempfile::TempDir {
    let folder = small_rules(None);
    let next = TAX_OF_2026
        .replace("2026", "2027")
        .replace("2025", "2026")
        .replace("10%", "12%");
    for (name, text) in [
        ("impot/method.yaml", TAX),
        ("impot/2026-01-01.yaml", TAX_OF_2026),
        ("impot/2027-01-01.yaml", &next),
        ("foyer/method.yaml", CALLER),
        ("foyer/2026-01-01.yaml", CALLER_OF_2026),
        ("foyer/cases.yaml", CASES_OF_CALLER),
    ] {
        let path = folder.path().join("rules").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}
