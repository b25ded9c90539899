//! `bareme explain`: the payslip in words.

use serde_json::Value;

use crate::common::{broken, root, run, run_in};

const PAY: [&str; 6] = [
    "explain",
    "salaire-net/sn",
    "brut=450000",
    "parts=2.5",
    "--date",
    "2026-03-31",
];

#[test]
fn a_payslip_tells_operands_bands_roundings_articles_and_addresses() {
    let output = run(&PAY).fine();
    for wanted in [
        "Salaire net au Sénégal",
        "  30 % × 5 400 000, au plus 900 000",
        "  de 4 000 000 à 8 000 000 : 35 % × 500 000 = 175 000",
        "  arrondi par défaut, à 1 000",
        "  CGI, art. 173 [1",
        "Sans objet ici : Indemnité de transport exonérée ;",
        "régime complémentaire des cadres ;",
        "https://taxsummaries.pwc.com/senegal",
    ] {
        assert!(output.contains(wanted), "{wanted}\n{output}");
    }
    let wide = output
        .lines()
        .filter(|line| line.chars().count() > 80 && !line.contains("http"))
        .collect::<Vec<_>>();
    assert!(wide.is_empty(), "{wide:#?}");
    let net = output
        .lines()
        .find(|line| line.starts_with("Salaire net du mois"))
        .unwrap();
    assert!(net.ends_with(" 358 225 XOF par mois"), "{net}");
}

/// A payslip shows the net, and the cost right under it; formulas are read as words.
#[test]
fn what_was_asked_for_comes_first_and_the_steps_in_words() {
    let output = run(&[
        "explain",
        "salaire",
        "brut=2480",
        "employeur=true",
        "--date",
        "2026-11-01",
    ])
    .fine();
    let lines: Vec<&str> = output.lines().collect();
    let net = lines
        .iter()
        .position(|line| line.starts_with("Net avant impôt (net) "))
        .unwrap();
    assert!(
        lines[net - 3].starts_with("Résultat") && lines[net].ends_with(" EUR"),
        "{output}"
    );
    assert!(
        lines[net + 1].starts_with("Coût total pour l’employeur (cout_employeur) "),
        "{output}"
    );
    for wanted in [
        "  plafond_ss (mensuel) × mois\n",
        "  si taux_at_mp est donné alors",
        "  taux_at_mp = non donné ;",
    ] {
        assert!(output.contains(wanted), "{wanted}\n{output}");
    }
    for language in [" if ", " then ", " else ", "given(", "annual("] {
        assert!(!output.contains(language), "{language}\n{output}");
    }
    let markdown = run(&["explain", "tva", "montant=100", "--format", "markdown"]).fine();
    assert!(
        markdown.contains("\n| **Montant hors taxe (ht)** | **100** |\n"),
        "{markdown}"
    );
}

/// The parts of the employee and of the employer stand on one row, with their totals; the rate of a
/// part that goes by another base than its row is left out.
#[test]
fn a_payslip_stands_in_a_table_of_its_own() {
    let output = run(&[
        "explain",
        "salaire",
        "brut=2650",
        "cadre=true",
        "employeur=true",
        "--date",
        "2026-06-30",
    ])
    .fine();
    let output = output.replace(['\u{a0}', '\u{202f}'], " ");
    let row = |start: &str| {
        let found = output
            .lines()
            .find(|line| line.starts_with(start))
            .unwrap_or_else(|| panic!("{start}\n{output}"));
        found
            .split("  ")
            .map(str::trim)
            .filter(|cell| !cell.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    // The part of the employee is due in Alsace and Moselle alone.
    assert_eq!(
        row("Sécurité sociale, maladie,")[1..],
        ["2 650,00", "0,00", "13 %", "344,50"]
    );
    assert_eq!(
        row("Apec")[1..],
        ["2 650,00", "0,024 %", "0,64", "0,036 %", "0,95"]
    );
    // 2 650 - 2 097,08 and 3 442,42 - 2 650.
    assert_eq!(row("Total"), ["Total", "552,92", "792,42"]);
    let wide = output
        .lines()
        .find(|line| line.chars().count() > 80 && !line.contains("http"));
    assert_eq!(wide, None);
}

/// The steps of a worked case cite the numbers of the list of sources of the page.
#[test]
fn a_page_numbers_its_sources_as_its_steps_cite_them() {
    let page = run(&[
        "doc",
        "salaire-net/bj",
        "--date",
        "2026-11-01",
        "--format",
        "markdown",
    ])
    .fine();
    for wanted in [
        "3,6 % × 318 750",
        "Cotisations de la CNSS, branche des pensions [3]",
        "- [3] `css` :",
        "jusqu’à (XOF par mois)",
        "selon mois ; la tranche de base_imposable",
        "arrondi au plus proche, à 1",
    ] {
        assert!(page.contains(wanted), "{wanted}\n{page}");
    }
}

#[test]
fn the_same_comes_as_markdown_html_and_json() {
    let with = |format: &str| run(&[&PAY[..], &["--format", format]].concat()).fine();
    let markdown = with("markdown");
    assert!(
        markdown.starts_with("# Salaire net au Sénégal\n"),
        "{markdown}"
    );
    assert!(
        markdown.contains("\n| Étape | Résultat | Unité |\n| --- | ---: | --- |\n"),
        "{markdown}"
    );
    let html = with("html");
    assert!(
        html.starts_with("<!doctype html>\n<html lang=\"fr\">"),
        "{html}"
    );
    assert!(
        html.contains("<a href=\"https://taxsummaries.pwc.com/senegal"),
        "{html}"
    );
    let json: Value = serde_json::from_str(&with("json")).unwrap();
    assert_eq!(json["net_mensuel"], 358_225);
    let steps = json["etapes"].as_array().unwrap();
    let paid = steps.iter().find(|step| step["nom"] == "brut_total");
    assert_eq!(paid.unwrap()["resultat"], 450_000, "{steps:?}");
    let english = run(&[&PAY[..], &["--lang", "en"]].concat()).fine();
    for wanted in ["30% × 5,400,000, at most 900,000", "rounded down to 1,000"] {
        assert!(english.contains(wanted), "{wanted}\n{english}");
    }
}

#[test]
fn what_cannot_be_computed_says_why() {
    let refused = run(&["explain", "salaire-net/sn", "brut=12,5x", "part=2"]);
    assert_eq!(refused.code, 1);
    assert!(
        refused
            .errors
            .contains("`part` : Paramètre inconnu ; vouliez-vous dire `parts` ?"),
        "{refused:#?}"
    );
    assert!(
        refused
            .errors
            .contains("`brut` : La virgule n’est pas acceptée"),
        "{refused:#?}"
    );
    let unknown = run(&["explain", "sn", "brut=1"]);
    assert_eq!(unknown.code, 2);
    assert!(
        unknown
            .errors
            .contains("vouliez-vous dire `salaire-minimum/sn` ou\n  `salaire-net/sn` ?"),
        "{unknown:#?}"
    );
    assert_eq!(run(&["explain", "salaire-net/sn", "450000"]).code, 2);
}

/// A rate is a rate whatever the analyst calls the input that it comes from.
#[test]
fn a_value_is_read_by_its_type_and_not_by_the_name_of_an_input() {
    let method = std::fs::read_to_string(root().join("rules/pret/method.yaml")).unwrap();
    for name in ["assurance", "assu"] {
        let folder = tempfile::tempdir().unwrap();
        let rules = folder.path().join("rules");
        std::fs::create_dir_all(rules.join("zz")).unwrap();
        std::fs::copy(
            broken().join("base/service.yaml"),
            rules.join("service.yaml"),
        )
        .unwrap();
        let renamed = method
            .replace("\nfolder: pret\n", "\nfolder: zz\n")
            .replace("\n  assurance:", &format!("\n  {name}:"))
            .replace("insurance: assurance", &format!("insurance: {name}"));
        std::fs::write(rules.join("zz/method.yaml"), renamed).unwrap();
        let insured = format!("{name}=0.36");
        let output = run_in(
            folder.path(),
            &[
                "explain",
                "zz",
                "montant=100000",
                "duree=120",
                "taux=3.5",
                &insured,
            ],
        )
        .fine();
        let flat = output.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            flat.contains("taux = 3,5 % ; frais = 0 ; assurance = 0,36 %"),
            "{output}"
        );
    }
}

/// Numbers, days and names may be written as people write them.
#[test]
fn a_query_may_be_written_as_people_write_it() {
    let explained = |arguments: &[&str]| run(&[&["explain"], arguments].concat()).fine();
    let day = ["--date", "2026-11-01"];
    let plain = explained(&[&["ir", "revenu=30000.50"], &day[..]].concat());
    assert_eq!(
        explained(&[&["IR", "revenu=30 000,50"], &day[..]].concat()),
        plain
    );
    let plain = explained(&["salaire-net/sn", "brut=450000", "date=2026-12-31"]);
    assert_eq!(
        explained(&["Sénégal", "brut=450 000", "date=31/12/2026"]),
        plain
    );
    assert_eq!(
        explained(&["salaire-net/SN", "brut=450000", "date=31/12/2026"]),
        plain
    );
}

/// A number whose point may stand between thousands is refused with its cure, as in a file,
/// wherever one is typed.
#[test]
fn a_number_that_reads_in_two_ways_is_refused_wherever_it_is_typed() {
    let folder = tempfile::tempdir().unwrap();
    let sample = folder.path().join("menages.csv");
    std::fs::write(&sample, "revenu\n30000\n").unwrap();
    let sample = sample.to_str().unwrap();
    let impact = [
        "impact", "ir", sample, "--before", "2025", "--after", "2026",
    ];
    for (arguments, cure) in [
        (
            &["explain", "ir", "revenu=30.000"][..],
            "`30.000` se lit de deux façons : écrire 30,000 ou 30000",
        ),
        (
            &["explain", "salaire", "brut=2.650"],
            "écrire 2,650 ou 2650",
        ),
        (
            &["explain", "salaire/annee", "annee=2026", "brut=2600;2.650"],
            "écrire 2,650 ou 2650",
        ),
        (&["inverse", "salaire", "net=2.650"], "écrire 2,650 ou 2650"),
        (
            &["diff", "ir", "2025", "2026", "--range", "1.000..80000"],
            "écrire 1,000 ou 1000",
        ),
        (
            &[&impact[..], &["--poverty", "9.000"]].concat(),
            "écrire 9,000 ou 9000",
        ),
        (
            &[
                "impact",
                "ir",
                sample,
                "--figure",
                "bareme[1].up_to=11.600..12000:50",
            ],
            "11.600",
        ),
    ] {
        let ran = run(&[arguments, &["--date", "2026-11-01"]].concat());
        assert!(
            ran.code > 0 && ran.errors.contains(cure),
            "{arguments:?}\n{ran:#?}"
        );
    }
    let both = run(&["explain", "salaire", "brut=2.650", "primes=1.000"]);
    assert!(
        both.code == 1 && both.errors.contains("`brut`") && both.errors.contains("`primes`"),
        "{both:#?}"
    );
}
