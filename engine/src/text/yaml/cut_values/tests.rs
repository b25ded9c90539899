use crate::text::diagnostic::{Report, RuleFile};
use crate::text::lang::Lang;
use crate::text::yaml::Node;

/// The problems of a text, each with its cure, and the value that its first key is then given.
fn problems_of(text: &str) -> (Vec<String>, String) {
    let mut report = Report::default();
    let node = Node::read(&RuleFile::new("f.yaml", text), &mut report).unwrap();
    let problems = report
        .errors()
        .map(|one| format!("{} {}", one.code(), one.cure(Lang::Fr)))
        .collect();
    let value = node.entries()[0].1.entries()[0]
        .1
        .text()
        .map_or(String::new(), |text| text.value.clone());
    (problems, value)
}

#[test]
fn what_a_comma_cut_is_reported_once_with_its_cure() {
    for (text, cure, value) in [
        ("{rate: 3,6%, b: c}", "`rate: 3.6%`", "3.6%"),
        ("{ceiling: 1 200,50}", "`ceiling: 1 200.50`", "1 200.50"),
        (
            "{ceiling: 1,200, b: c}",
            "`ceiling: 1 200` si la virgule sépare des milliers, `ceiling: 1.2` si",
            "1 200",
        ),
        ("{ceiling: 1,200,000}", "`ceiling: 1 200 000`", "1 200 000"),
        ("{ceiling: 1,200,50}", "`ceiling: 1 200.50`", "1 200.50"),
        ("{enfants: 1,2,3}", "`enfants: 1; 2; 3`", "1; 2; 3"),
        ("{round: 0,01, law: x}", "`round: 0.01`", "0.01"),
        ("{source: cgi, cnss}", "`source: cgi; cnss`", "cgi; cnss"),
        ("{enfants: 1, 2, montant: 5}", "`enfants: 1; 2`", "1; 2"),
        (
            "{parts: 1, 1.5, 2, montant: 5}",
            "`parts: 1; 1.5; 2`",
            "1; 1.5; 2",
        ),
        ("{rate: 30%, 41%}", "`rate: 30%`, puis la clé", "30%"),
        (
            "{up_to: 84 577, 30%}",
            "`up_to: 84 577`, puis la clé",
            "84 577",
        ),
        (
            "{per: bound month, montant year}",
            "`per: bound month; montant year`",
            "bound month; montant year",
        ),
        (
            "{law: CGI, art. 124, label: x}",
            "`law: \"CGI, art. 124\"`",
            "CGI, art. 124",
        ),
        (
            "{law: « CGI, art. 1er, 2 », label: x}",
            "`law: \"CGI, art. 1er, 2\"`",
            "CGI, art. 1er, 2",
        ),
        (
            "{formula: min(cnss, its), label: x}",
            "`formula: min(cnss; its)`",
            "min(cnss; its)",
        ),
        (
            "{formula: max(a * 0,5, b)}",
            "`formula: max(a * 0.5; b)`",
            "max(a * 0.5; b)",
        ),
        (
            "{seul: Personne seule, sans enfant}",
            "`seul: \"Personne seule, sans enfant\"`",
            "Personne seule, sans enfant",
        ),
    ] {
        let (problems, read) = problems_of(&format!("a: {text}\n"));
        assert_eq!(
            (problems.len(), read.as_str()),
            (1, value),
            "{text} {problems:?}"
        );
        assert!(
            problems[0].starts_with("Y05") && problems[0].contains(cure),
            "{text} {problems:?}"
        );
    }
}

#[test]
fn a_colon_that_is_missing_is_reported_once() {
    for text in [
        "{rate 6.3%, b: c}",
        "{rate:6.3%, b: c}",
        "{rate = 6.3%, b: c}",
    ] {
        let (problems, read) = problems_of(&format!("a: {text}\n"));
        assert_eq!(
            (problems.as_slice(), read.as_str()),
            (&["Y06 écrire `rate: 6.3%`".to_owned()][..], "6.3%"),
            "{text}"
        );
    }
    assert_eq!(
        problems_of("a: {b: c, rate:6.3%}\n").0,
        ["Y06 écrire `rate: 6.3%`"]
    );
    // A period after a number, and a number whose key is not written.
    for (text, cure) in [
        ("a: {montant: 1 807, per year}\n", "Y06 écrire `per: year`"),
        ("a: {b: c, 84 577}\n", "Y06 écrire `…: 84 577`"),
    ] {
        let (problems, _) = problems_of(text);
        assert!(
            problems.first().is_some_and(|one| one == cure),
            "{problems:?}"
        );
    }
}

#[test]
fn an_empty_value_has_its_colon() {
    assert_eq!(problems_of("a: {b: , c: d}\n").0, Vec::<String>::new());
    assert_eq!(
        problems_of("a: {b: x, \"c\" : , d: e}\n").0,
        Vec::<String>::new()
    );
}
