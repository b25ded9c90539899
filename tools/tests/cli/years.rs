//! Years of pays on the command line: explained, documented, computed from rows, and counted among
//! the cases.

use serde_json::Value;

use crate::common::{run, run_with};

/// A year with a bonus in December: the reduction is taken back.
const BONUS: [&str; 6] = [
    "explain",
    "salaire/annee",
    "annee=2026",
    "brut=2600",
    "primes=0;0;0;0;0;0;0;0;0;0;0;2600",
    "employeur=true",
];

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_year_is_explained_month_by_month_with_what_it_adds_up() {
    let all = run(&BONUS).fine();
    for wanted in [
        "Mois par mois",
        "Total de l’année",
        "Janvier 2026 – Étapes",
        "Décembre 2026 – Ce que l’année cumule",
    ] {
        assert!(all.contains(wanted), "{wanted}\n{all}");
    }
    let wide = all
        .lines()
        .filter(|line| line.chars().count() > 80 && !line.contains("http"))
        .collect::<Vec<_>>();
    assert!(wide.is_empty(), "{wide:#?}");
    let december = run(&[&BONUS[..], &["--month", "12"]].concat()).fine();
    assert!(!december.contains("Janvier 2026"), "{december}");
    let json = |more: &[&str]| {
        let text = run(&[&BONUS[..], &["--format", "json"], more].concat()).fine();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let (year, month) = (json(&[]), json(&["--month", "12"]));
    assert_eq!((&year["mois"][11], &month["mois"]), (&month, &12.into()));
    assert_eq!(year["total"]["net"].to_string(), "26755.96");
    // What is settled in December stands in its table and under its step.
    let steps = month["etapes"].as_array().unwrap();
    let settled = steps
        .iter()
        .find(|step| step["nom"] == "tranche_1")
        .unwrap_or(&Value::Null);
    assert!(
        settled["cumule"].is_number() && settled["deja"].is_number(),
        "{settled}"
    );
    assert!(
        flat(&december).contains("depuis le premier mois, moins"),
        "{december}"
    );
}

#[test]
fn a_year_that_cannot_be_explained_says_why() {
    let refused = run(&[
        "explain",
        "salaire/annee",
        "annee=2026",
        "brut=2600;x",
        "prime=3",
    ]);
    assert_eq!(refused.code, 1);
    assert!(
        refused.errors.contains("`brut`, mois 2 : Nombre attendu"),
        "{refused:#?}"
    );
    assert!(
        refused.errors.contains("vouliez-vous dire `primes` ?"),
        "{refused:#?}"
    );
    let without = run(&[
        "explain",
        "salaire-net/ci/annee",
        "annee=2026",
        "brut=900000",
    ]);
    assert!(
        without.code == 2 && without.errors.contains("ne calcule pas d’année de paies"),
        "{without:#?}"
    );
    let family = run(&["explain", "salaire-net/annee", "annee=2026", "brut=9000"]);
    assert!(
        family.code == 2 && family.errors.contains("`salaire-net/qc/annee`"),
        "{family:#?}"
    );
    let alone = run(&["explain", "salaire", "brut=2600", "--month", "3"]);
    assert!(
        alone.code == 2 && alone.errors.contains("salaire/annee"),
        "{alone:#?}"
    );
    let outside = run(&[
        "explain",
        "salaire/annee",
        "annee=2026",
        "brut=1;2",
        "--month",
        "3",
    ]);
    assert!(
        outside.code == 1 && outside.errors.contains("1 à 2"),
        "{outside:#?}"
    );
    // Numbers of a list may be written as people write them.
    let french = run(&[
        "explain",
        "salaire/annee",
        "annee=2026",
        "brut=2 600,50;2600.50",
        "--format",
        "json",
    ])
    .fine();
    let french: Value = serde_json::from_str(&french).unwrap();
    assert_eq!(french["mois"][0]["net"], french["mois"][1]["net"]);
}

const FIELDS: [&str; 2] = ["--fields", "net,cumul_brut,coefficient_reduction"];

/// The months of two years, one row each, the second year with a hiring in March.
const PAYROLL: &str = "cle,annee,mois,brut,primes,employeur,nom\nm1,2026,1,2600,,true,Awa\nm2,2026,3,3000,,true,Max\n\
    m1,2026,3,2600,500,true,Awa\nm1,2026,2,2700,,true,Awa\nm2,2026,4,3000.50,,true,Max\n";

#[test]
fn rows_are_months_of_years_wherever_they_stand() {
    let ran = run_with(
        &[&["batch", "salaire/annee", "--keep", "nom"][..], &FIELDS].concat(),
        PAYROLL,
    )
    .fine();
    let lines: Vec<Vec<&str>> = ran.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(
        lines[0],
        [
            "ligne",
            "cle",
            "mois",
            "nom",
            "net",
            "cumul_brut",
            "coefficient_reduction"
        ]
    );
    let year = |query: &[&str]| -> Value {
        let text = run(&[
            &[
                "explain",
                "salaire/annee",
                "annee=2026",
                "employeur=true",
                "--format",
                "json",
            ],
            query,
        ]
        .concat());
        serde_json::from_str(&text.fine()).unwrap()
    };
    let first = year(&["brut=2600;2700;2600", "primes=;;500"]);
    let second = year(&["brut=3000;3000.50", "premier_mois=3"]);
    for (line, (start, year, month)) in lines[1..].iter().zip([
        ("2,m1,1,Awa", &first, 0),
        ("3,m2,3,Max", &second, 0),
        ("4,m1,3,Awa", &first, 2),
        ("5,m1,2,Awa", &first, 1),
        ("6,m2,4,Max", &second, 1),
    ]) {
        assert_eq!(line[..4].join(","), start);
        for (name, cell) in lines[0][4..].iter().zip(&line[4..]) {
            assert_eq!(
                year["mois"][month][*name].to_string(),
                *cell,
                "{name} of {start}"
            );
        }
    }
    let json = "{\"matricule\": \"m1\", \"annee\": 2026, \"mois\": 1, \"brut\": 2600}\n";
    let ran = run_with(
        &[
            "batch",
            "salaire/annee",
            "--map",
            "matricule=cle",
            "--fields",
            "net",
        ],
        json,
    )
    .fine();
    assert_eq!(
        ran,
        "{\"ligne\":1,\"cle\":\"m1\",\"mois\":\"1\",\"net\":2058.15}\n"
    );
}

#[test]
fn a_refused_month_refuses_its_year_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let errors = folder.path().join("errors.csv");
    let rows = "cle;annee;mois;brut;cadre\na;2026;1;2600;\na;2026;2;-1;\nb;2026;1;2600;\nc;2026;1;2600;\nc;2026;3;2600;\n\
        d;2026;1;2600;\nd;2026;1;2600;\ne;2026;13;2600;\n;2026;1;2600;\nf;2026;1;2600;VRAI\nf;2026;2;2600;FAUX\ng;;1;2600;\n";
    let arguments = [
        "batch",
        "salaire/annee",
        "--fields",
        "net",
        "--errors",
        errors.to_str().unwrap(),
    ];
    let ran = run_with(&arguments, rows);
    assert_eq!(
        (ran.code, ran.output.as_str()),
        (1, "ligne;cle;mois;net\n4;b;1;2058,15\n"),
        "{ran:#?}"
    );
    let apart = std::fs::read_to_string(&errors).unwrap();
    for wanted in [
        "a;2026;1;2600;;2;son année est refusée, à cause de la ligne 3\n",
        "a;2026;2;-1;;3;brut, mois 2 : Valeur trop petite (reçu : -1)\n",
        "c;2026;3;2600;;6;\"mois : il manque le mois 2 ; un mois sans paie a sa ligne, avec un brut de 0\"\n",
        "d;2026;1;2600;;8;mois : le mois 1 est déjà à la ligne 7\n",
        "e;2026;13;2600;;9;mois : un mois de 1 à 12 (reçu : 13)\n",
        ";2026;1;2600;;10;cle : dire de qui",
        "f;2026;1;2600;VRAI;11;cadre : vaut pour toute l’année, et diffère de la ligne 12\n",
        "g;;1;2600;;13;annee : Paramètre obligatoire manquant\n",
    ] {
        assert!(apart.contains(wanted), "{wanted}\n{apart}");
    }
    assert!(
        ran.errors.contains("12 lignes") && ran.errors.contains("refusées : 11"),
        "{ran:#?}"
    );
    // The file of the refused rows can be given back once it is mended.
    let mended = "cle;annee;mois;brut;ligne;motif\na;2026;1;2600;2;x\na;2026;2;2600;3;y\n";
    assert_eq!(
        run_with(&["batch", "salaire/annee", "--fields", "net"], mended)
            .fine()
            .lines()
            .count(),
        3
    );
}

#[test]
fn what_no_year_can_be_made_of_stops_everything_at_once() {
    for (rows, said) in [
        ("annee,mois,brut\n2026,1,2600\n", "La colonne `cle` manque"),
        ("cle,annee,brut\na,2026,2600\n", "La colonne `mois` manque"),
        ("cle,mois,brut\na,1,2600\n", "La colonne `annee` manque"),
        (
            "cle,annee,mois,brut,prime\na,2026,1,2600,1\n",
            "vouliez-vous dire `primes` ?",
        ),
        (
            "cle,annee,mois,brut,premier_mois\na,2026,1,2600,1\n",
            "La colonne `premier_mois` n’est pas un paramètre",
        ),
        ("cle,annee,mois,brut\n", "Rien à calculer"),
    ] {
        let ran = run_with(&["batch", "salaire/annee"], rows);
        assert!(
            ran.code == 2 && ran.errors.contains(said),
            "{said}\n{ran:#?}"
        );
    }
    let table = run_with(
        &["batch", "salaire/annee", "--output", "a.parquet"],
        "cle,annee,mois,brut\na,2026,1,1\n",
    );
    assert!(
        table.code == 2 && table.errors.contains("les lire d’une table"),
        "{table:#?}"
    );
}

#[test]
fn the_page_of_a_method_says_what_its_year_adds_up() {
    let page = flat(&run(&["doc", "salaire-net/qc", "--date", "2026-11-01"]).fine());
    for wanted in [
        "Année de paies",
        "bareme explain salaire-net/qc/annee",
        "Peut changer d’un mois à l’autre",
        "Exemple d’année",
    ] {
        assert!(page.contains(wanted), "{wanted}\n{page}");
    }
    assert!(
        !run(&["doc", "tva", "--date", "2026-11-01"])
            .fine()
            .contains("Année de paies")
    );
}

#[test]
fn cases_of_years_run_and_are_counted() {
    let json = run(&["test", "salaire-net/qc", "--format", "json"]).fine();
    let tested: Value = serde_json::from_str(&json).unwrap();
    assert!(tested[0]["annees"].as_u64().unwrap() >= 5, "{json}");
    assert!(
        run(&["test", "salaire-net/qc"])
            .fine()
            .contains("Parmi eux,")
    );
}
