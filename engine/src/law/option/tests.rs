use crate::run::folder::Folder;
use crate::testing::{GROSS, TODAY, errors, method, query, read, refused, scale, shown, shown_all};

const SWITCHES: &str = "  employeur: {type: boolean, default: false, label: Employeur}
  taux: {type: rate, default: 2%, min: 0%, max: 5%, label: Taux}
";
const OWN: &str = "figures:
  p: {rate: rate}
steps:
  retenue: {contribution: brut, with: p}
  net: brut - retenue
answer:
  net: net
  source: scale.source
checks:
  - {if: net < brut * 0.95, warn: Peu., code: peu}
";
const OPTION: &str = "options:
  employeur:
    checks:
      - {if: cadre, refuse: Pas de cadre., input: cadre}
      - {if: cout > brut, warn: Cher., code: cher}
    figures:
      c: {rate: rate}
    steps:
      charge: {contribution: brut, rate: c.rate + taux}
      cout: brut + charge
    answer:
      cout: cout
      lignes: {lines: charge, as: percent}
";
const FIGURES: &str = "  p: {rate: 10%, source: s}\n";
const SOURCES: &str = "  s: {kind: law, title: Source, publisher: Éditeur}\n";
const OTHER: &str = "  autre: {kind: law, title: Autre, publisher: Éditeur}\n";

fn with_option(option: &str) -> String {
    format!("{GROSS}{SWITCHES}{OWN}{option}")
}

/// The dated file of a method with the option, whose figures cite their own source.
fn whole_scale() -> String {
    let figures = scale(&format!(
        "{FIGURES}  c: {{rate: 20%, source: autre, note: Part patronale.}}\n"
    ));
    figures.replace(SOURCES, &format!("{SOURCES}{OTHER}"))
}

/// Scales of 2024 without the option, of 2026 with it.
fn folder() -> Folder {
    let (old, new) = (
        scale(FIGURES).replace("sources:", "without: employeur\nsources:"),
        whole_scale(),
    );
    let method = method(&with_option(OPTION));
    let (folder, report) = read(&[
        ("method.yaml", &method),
        ("2024-01-01.yaml", &old),
        ("2026-01-01.yaml", &new),
    ]);
    folder.unwrap_or_else(|| panic!("{report:?}"))
}

fn answer(folder: &Folder, asked: &str) -> String {
    folder
        .calculate(&(&query(asked)).into(), TODAY)
        .unwrap()
        .to_json()
}

#[test]
fn it_adds_its_fields_lines_sources_and_warnings_when_it_is_on() {
    let on = |path: &str| shown(&folder(), "brut=100&employeur=true&detail=true", path);
    assert_eq!(on("cout"), "122");
    assert_eq!(on("lignes.0.taux"), "22");
    let warnings = r#"[{"code":"peu","texte":"Peu."},{"code":"cher","texte":"Cher."}]"#;
    assert_eq!(on("avertissements"), warnings);
    assert!(on("references").contains("Part patronale."));
    assert_eq!(on("etapes.2.nom"), "\"charge\"");
    // The texts of the scale are those of the method, whether the option is on or off.
    assert_eq!(on("source"), "\"Source\"");
    assert_eq!(
        refused(&folder(), "brut=100&cadre=true&employeur=true"),
        ["cadre incompatible"]
    );
}

#[test]
fn where_it_is_off_the_answer_is_that_of_a_method_without_it() {
    let plain = method(&with_option(""));
    let (plain, _) = read(&[
        ("method.yaml", &plain),
        ("2026-01-01.yaml", &scale(FIGURES)),
    ]);
    for asked in [
        "brut=100",
        "brut=5&detail=1",
        "brut=100&cadre=true&employeur=false&taux=4",
        "brut=1&taux=0",
    ] {
        let (own, plain) = (folder(), plain.as_ref().unwrap());
        // The methods differ, and so do the versions of their law.
        let without_version = |folder: &Folder, text: String| {
            folder.versions().fold(text, |text, version| {
                text.replace(version, "").replace(&version[..8], "")
            })
        };
        let same = |text| without_version(&own, text);
        let plainly = |text| without_version(plain, text);
        assert_eq!(
            same(answer(&own, asked)),
            plainly(answer(plain, asked)),
            "{asked}"
        );
    }
    // Inputs of the option are checked even where it is left out.
    assert_eq!(refused(&folder(), "brut=1&taux=6"), ["taux hors_bornes"]);
}

#[test]
fn a_day_that_goes_without_it_refuses_it_and_says_from_when_it_is_known() {
    let asked = query("brut=1&employeur=oui&date=2024-05-01");
    let refusal = folder().calculate(&(&asked).into(), TODAY).unwrap_err();
    let bad = &refusal.refusal().unwrap().parameters[0];
    assert_eq!(
        (bad.name.as_str(), bad.code.as_str()),
        ("employeur", "sans_bareme")
    );
    assert!(
        bad.reason.fr.contains("1er janvier 2026"),
        "{}",
        bad.reason.fr
    );
    assert_eq!(
        shown_all(
            &folder(),
            "brut=1&employeur=non&date=2024-05-01",
            "net cout"
        ),
        "0.9 absent"
    );
}

#[test]
fn a_dated_file_gives_all_of_its_figures_or_goes_without_it() {
    let codes = |scale: &str| {
        let method = method(&with_option(OPTION));
        let report = read(&[("method.yaml", &method), ("2026-01-01.yaml", scale)]).1;
        report
            .errors()
            .map(|error| error.code())
            .collect::<Vec<_>>()
    };
    let without =
        |names: &str| whole_scale().replace("sources:", &format!("without: {names}\nsources:"));
    assert_eq!(codes(&whole_scale()), Vec::<&str>::new());
    assert_eq!(codes(&scale(FIGURES)), ["G02"]);
    assert_eq!(codes(&without("employeur")), ["O06"]);
    assert_eq!(codes(&without("employer")), ["O05"]);
    let plain = method(&with_option(""));
    let reported = read(&[
        ("method.yaml", &plain),
        ("2026-01-01.yaml", &without("employeur")),
    ])
    .1;
    assert_eq!(
        reported
            .errors()
            .map(|error| error.code())
            .collect::<Vec<_>>(),
        ["S01", "G01"]
    );
}

#[test]
fn what_it_holds_is_read_by_itself_only() {
    let figures = "  p: {rate: 10%, source: s}\n  c: {rate: 20%, source: s}\n";
    let codes = |from: &str, to: &str| errors(&with_option(OPTION).replace(from, to), figures);
    assert_eq!(codes("net: brut - retenue", "net: brut - cout"), ["O02"]);
    assert_eq!(codes("net: brut - retenue", "net: brut * c.rate"), ["O02"]);
    assert_eq!(codes("if: net < brut", "if: cout < brut"), ["O02"]);
    assert_eq!(codes("net: net\n", "net: cout\n"), ["O02"]);
    assert_eq!(codes("net: net\n", "net: {lines: charge}\n"), ["O02"]);
    assert_eq!(codes("with: p}", "with: c, rate: taux}"), ["O02"]);
    let second = "  cadre:\n    steps:\n      x: charge + brut\n    answer:\n      x: x\n";
    assert_eq!(
        errors(&with_option(&format!("{OPTION}{second}")), figures),
        ["O02"]
    );
}

#[test]
fn its_names_are_its_own_and_its_switch_is_an_input_that_is_off() {
    let figures = "  p: {rate: 10%, source: s}\n  c: {rate: 20%, source: s}\n";
    let codes = |from: &str, to: &str| errors(&with_option(OPTION).replace(from, to), figures);
    assert_eq!(
        codes(
            "      cout: brut + charge",
            "      net: brut + charge\n      cout: brut"
        ),
        ["O03"]
    );
    assert_eq!(codes("      cout: cout", "      net: cout"), ["O03"]);
    assert_eq!(
        codes(
            "      c: {rate: rate}",
            "      c: {rate: rate}\n      p: {rate: rate}"
        ),
        ["O03"]
    );
    assert_eq!(codes("  employeur:\n", "  patron:\n"), ["O01"]);
    assert_eq!(
        codes(
            "employeur: {type: boolean, default: false",
            "employeur: {type: boolean, default: true"
        ),
        ["O01"]
    );
    assert_eq!(
        codes(
            "employeur: {type: boolean, default: false",
            "employeur: {type: boolean, optional: true"
        ),
        ["O01"]
    );
    let many = (1..6).map(|index| {
        format!(
            "  b{index}:\n    steps:\n      x{index}: brut\n    answer:\n      x{index}: \
                x{index}\n"
        )
    });
    let switches =
        (1..6).map(|index| format!("  b{index}: {{type: boolean, default: false, label: B}}\n"));
    let keys = format!(
        "{GROSS}{}{OWN}options:\n{}",
        switches.collect::<String>(),
        many.collect::<String>()
    );
    assert_eq!(errors(&keys, FIGURES), ["O04"]);
}

/// A default that reads a figure of the option.
fn with_average() -> (String, String, String) {
    let keys = with_option(OPTION).replace("default: 2%, min: 0%", "default: c.moyen, min: 1%");
    let keys = keys.replace(
        "      c: {rate: rate}",
        "      c: {rate: rate, moyen: rate}",
    );
    let new = whole_scale().replace("{rate: 20%,", "{rate: 20%, moyen: 3%,");
    (
        keys,
        scale(FIGURES).replace("sources:", "without: employeur\nsources:"),
        new,
    )
}

#[test]
fn the_default_of_its_input_may_be_a_figure_of_it() {
    let (keys, old, new) = with_average();
    let files = [
        ("method.yaml", method(&keys)),
        ("2024-01-01.yaml", old),
        ("2026-01-01.yaml", new),
    ];
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let (folder, report) = read(&files);
    let folder = folder.unwrap_or_else(|| panic!("{report:?}"));
    assert_eq!(shown(&folder, "brut=100&employeur=true", "cout"), "123");
    assert_eq!(
        shown(&folder, "brut=100&employeur=true&taux=1", "cout"),
        "121"
    );
    assert_eq!(
        shown_all(&folder, "brut=100&taux=4&date=2025-01-01", "net cout"),
        "90 absent"
    );
    assert_eq!(
        refused(&folder, "brut=100&taux=0.5&date=2025-01-01"),
        ["taux hors_bornes"]
    );
}

#[test]
fn an_input_whose_default_is_a_figure_of_it_is_read_by_it_only() {
    let (keys, _, new) = with_average();
    let codes = |keys: &str, scale: &str| {
        let report = read(&[("method.yaml", &method(keys)), ("2026-01-01.yaml", scale)]).1;
        report
            .errors()
            .map(|error| error.code())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        codes(
            &keys.replace("net: brut - retenue", "net: brut * taux"),
            &new
        ),
        ["O02"]
    );
    let above =
        "  autre: {type: rate, default: taux, min: 0%, max: 5%, label: Autre}\nfigures:\n  p";
    let with_another = keys.replacen("figures:\n  p", above, 1);
    assert_eq!(
        codes(
            &with_another.replace("net: brut - retenue", "net: brut * autre"),
            &new
        ),
        ["O02"]
    );
    // The value of the figure must be one that a caller could send.
    assert_eq!(
        codes(&keys, &new.replace("moyen: 3%", "moyen: 30%")),
        ["I13"]
    );
}
