use std::sync::Arc;

use crate::run::Folder;
use crate::run::plan::{Cells, Plan, Rows};
use crate::testing::{TODAY, method, read, scale};

/// A folder whose older scale asks for the net, and whose newer one for the gross or the net.
fn folder() -> Folder {
    let old = method(
        "inputs:
  net:  {type: money, required: true, label: Net}
  brut: {type: money, optional: true, label: Brut}
figures:
  f: {v: number}
steps:
  x: if given(brut) then brut else net * f.v
answer:
  x: x
",
    );
    let new = method(
        "inputs:
  part: {type: number, default: 1, label: Part}
  brut: {type: money, required: true, min: 0, max: 1000, label: Brut}
figures:
  f: {v: number}
steps:
  x: brut / f.v * part
answer:
  x: x
  brut: brut
inverse:
  - {input: brut, field: x, find: smallest, parameter: net, label: Net}
",
    );
    let figures = "  f: {v: 2, source: s}\n";
    let older = format!("method: method-net.yaml\n{}", scale(figures));
    let files = [
        ("method-net.yaml", old.as_str()),
        ("method.yaml", new.as_str()),
        ("2025-01-01.yaml", older.as_str()),
        ("2026-01-01.yaml", &scale(figures)),
    ];
    let (folder, report) = read(&files);
    folder.unwrap_or_else(|| panic!("{report:?}"))
}

#[test]
fn a_plan_by_a_law_refuses_the_rows_of_another() {
    let folder = Arc::new(folder());
    let laws: Vec<String> = folder
        .editions()
        .iter()
        .map(|edition| edition.version().to_owned())
        .collect();
    let plan = |law: &str| {
        let folders = vec![("zz".to_owned(), Arc::clone(&folder))];
        let plan = Plan::of_folders(folders, None, &[], TODAY, Some(&["x"]));
        plan.unwrap().by_law(law)
    };
    let texts = |texts: [&'static str; 2]| Cells::Texts(texts.map(Some).to_vec());
    let rows = || {
        Rows::new(
            2,
            [
                ("net", texts(["100", "100"])),
                ("date", texts(["2025-06-30", "2026-06-30"])),
            ],
        )
    };

    for (law, [first, second]) in [(&laws[0], ["200", "null"]), (&laws[1], ["null", "100"])] {
        let answers = plan(law).evaluate(&rows()).unwrap();
        let shown = [0, 1].map(|row| answers.fields[0].at(row).to_string());
        assert_eq!(shown, [first, second]);
        let [(row, error)] = answers.refused.as_slice() else {
            panic!("{:?}", answers.refused)
        };
        assert_eq!(*row, usize::from(second == "null"));
        assert!(error.to_string().contains("version"), "{error}");
    }
}

#[test]
fn a_column_that_some_scale_does_without_is_missing_in_no_row_of_it() {
    let folder = Arc::new(folder());
    let plan = Plan::of_folders(
        vec![("zz".to_owned(), folder)],
        None,
        &[],
        TODAY,
        Some(&["x"]),
    );
    let plan = plan.unwrap();
    let texts = |texts: [&'static str; 2]| Cells::Texts(texts.map(Some).to_vec());
    let rows = Rows::new(
        2,
        [
            ("net", texts(["100", "100"])),
            ("date", texts(["2025-06-30", "2026-06-30"])),
        ],
    );
    let answers = plan.evaluate(&rows).unwrap();
    let shown: Vec<String> = [0, 1]
        .map(|row| answers.fields[0].at(row).to_string())
        .to_vec();
    assert_eq!(shown, ["200", "100"]);

    // Without either of them no row of the newer scale has an answer, and each says why.
    let rows = Rows::new(1, [("date", Cells::Texts(vec![Some("2026-06-30")]))]);
    assert!(plan.evaluate(&rows).is_err() || !plan.evaluate(&rows).unwrap().refused.is_empty());
}
