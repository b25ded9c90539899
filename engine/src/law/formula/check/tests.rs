use crate::law::formula::{Env, ExpectedType, Part, WordCount};
use crate::law::{FigureId, Method};
use crate::run::folder::Folder;
use crate::testing::{errors, folder, shown};
use crate::text::limits::FORMULAS;
use crate::text::{Diagnostic, Place, PlacedText, Report};

const INPUTS: &str = "inputs:
  mois: {type: money, per: month, required: true, label: M}
  annuel: {type: money, per: year, default: 0, label: A}
  prime: {type: money, default: 0, label: P}
  taux: {type: rate, default: 0%, label: T}
  n: {type: number, default: 1, label: N}
  oui: {type: boolean, default: true, label: O}
  statut: {type: choice, values: cadre; ouvrier, default: if n > 1 then cadre else ouvrier, label: S}
  autre: {type: choice, values: cadre; agent, default: agent, label: U}
  avance: {type: money, per: month, optional: true, label: V}
  local: {type: rate, words: moyen; aucun, default: 1%, label: L}
  propre: {type: rate, words: moyen, optional: true, label: R}
";

const FIGURES: &str = "  f: {r: 10%, m: 5, t: abc, per: month, source: s}
  g: {source: s, rows: [{n: 1, v: 1}, {v: 2}]}
";

fn method(steps: &str, answer: &str) -> String {
    let figures = "figures:\n  f: {r: rate, m: money/month, t: text, o: optional money/month}\n  \
        g: {n: key, v: number}\n";
    format!("{INPUTS}{figures}steps:\n  base: mois\n{steps}  fin: mois\nanswer:\n{answer}")
}

/// Code of the first mistake of a formula in a step; `None` without a mistake.
fn reported(formula: &str) -> Option<&'static str> {
    errors(&method(&format!("  x: {formula}\n"), "  x: fin\n"), FIGURES)
        .first()
        .copied()
}

#[test]
fn what_goes_together_is_accepted() {
    for formula in [
        "mois + mois - base",
        "mois + 0",
        "max(mois; 0)",
        "mois * taux * n",
        "mois / mois + n",
        "taux + n",
        "taux * taux",
        "annual(mois) - annuel + annual(monthly(annuel))",
        "ratio(mois; base) * n",
        "ratio(taux; taux)",
        "if oui then mois else 0",
        "mois = base and oui != false",
        "not oui or n >= 2 and taux < 1",
        "statut = cadre or autre = agent",
        "-mois * -f.r",
        "if given(avance) then avance else mois",
        "given(avance) and avance > mois",
        "not given(avance) or avance > mois",
        "if not given(avance) then mois else avance",
        "if local = moyen or local = aucun then f.r else local",
        "if local != moyen and local != aucun then local else f.r",
        "if given(propre) and propre != moyen then propre else f.r",
        "{formula: avance, when: given(avance) and oui}",
        "{formula: mois, when: given(avance), at_most: avance}",
        "{contribution: mois, rate: local, when: not (local = moyen or local = aucun)}",
        "{formula: mois, at_most: f.o}",
    ] {
        assert_eq!(reported(formula), None, "{formula}");
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (formula, code) in [
        ("mois + annuel", "T01"),
        ("mois - prime", "T01"),
        ("mois + taux", "T01"),
        ("mois + 3", "F24"),
        ("mois * mois", "T01"),
        ("n / mois", "T01"),
        ("mois / annuel", "T01"),
        ("mois < annuel", "T01"),
        ("mois > 1", "F24"),
        ("oui + n", "T01"),
        ("oui < oui", "T01"),
        ("oui = n", "T01"),
        ("-oui", "T04"),
        ("if mois then 1 else 2", "T02"),
        ("not n", "T02"),
        ("oui and n", "T02"),
        ("if oui then mois else annuel", "T03"),
        ("if oui then mois else oui", "T03"),
        ("statut = technicien", "T10"),
        ("statut = autre", "T10"),
        ("statut = n + 1", "T11"),
        ("statut < cadre", "T01"),
        ("local = moyenne", "T08"),
        ("avance", "T07"),
        ("if oui then avance else mois", "T07"),
        ("given(avance) or avance > mois", "T07"),
        ("propre = moyen", "T07"),
        ("local", "T08"),
        ("if local = moyen then f.r else local", "T08"),
        (
            "if local = moyen and local = aucun then f.r else local",
            "T08",
        ),
        ("if given(propre) then propre else f.r", "T08"),
        ("mois + f.o", "T09"),
    ] {
        assert_eq!(reported(formula), Some(code), "{formula}");
    }
}

#[test]
fn a_name_that_cannot_be_read_here_is_refused() {
    for (formula, code) in [
        ("f", "F16"),
        ("g.v", "F18"),
        ("f.z", "F26"),
        ("moi", "F14"),
        ("fin + mois", "F15"),
        ("fin.rate", "F15"),
        ("base.rate", "F17"),
        ("scale.date", "F19"),
        ("scale.yeer", "F14"),
        ("given(base)", "F20"),
        ("given(2)", "F20"),
        ("cadre", "F14"),
    ] {
        assert_eq!(reported(formula), Some(code), "{formula}");
    }
}

#[test]
fn arguments_that_a_function_does_not_take_are_refused() {
    for (formula, code) in [
        ("min(mois; annuel)", "T05"),
        ("annual(annuel)", "T05"),
        ("annual(prime)", "T05"),
        ("monthly(mois)", "T05"),
        ("ratio(mois; annuel)", "T05"),
        ("max(mois; oui)", "T04"),
        ("power(n; 0.3)", "F22"),
        ("power(n; n)", "F22"),
        ("power(n; 17)", "F22"),
        ("power(n; 0 - 1)", "F22"),
        ("power(mois; 2)", "T05"),
        ("power(taux; 2)", "T05"),
        ("power(n)", "F07"),
    ] {
        assert_eq!(reported(formula), Some(code), "{formula}");
    }
}

#[test]
fn every_branch_is_checked_and_one_mistake_is_reported_once() {
    let steps = "  x: if oui then mois else zzz + annuel\n  y: x + mois * x - max(x; annuel)\n";
    assert_eq!(errors(&method(steps, "  x: fin\n"), FIGURES), ["F14"]);
}

#[test]
fn what_a_condition_establishes_holds_in_its_own_branch_only() {
    let steps = "  x: {formula: if given(avance) then avance else mois, when: oui}\n  y: avance\n";
    assert_eq!(errors(&method(steps, "  x: x\n"), FIGURES), ["T07"]);
}

#[test]
fn the_scale_is_read_in_answers_only_and_by_its_names() {
    let with = |field: &str| errors(&method("", &format!("  x: {field}\n")), FIGURES);
    assert_eq!(with("scale.year"), Vec::<&str>::new());
    assert_eq!(with("scale.yeer"), ["F14"]);
    assert_eq!(with("scale.month"), Vec::<&str>::new());
    // A method without dates does not depend on the day.
    let undated = "inputs:\n  mois: {type: money, per: month, required: true, label: \
        M}\nsteps:\n  x: mois * scale.month\nanswer:\n  x: x\n";
    assert_eq!(errors(undated, ""), ["F21"]);
    assert_eq!(with("f.o"), Vec::<&str>::new());
    assert_eq!(with("{value: mois, when: scale.year}"), ["T02"]);
    assert_eq!(
        with("{value: avance, when: given(avance)}"),
        Vec::<&str>::new()
    );
}

#[test]
fn a_step_of_the_name_of_a_figure_lets_its_columns_be_read() {
    let folder = folder(
        &method(
            "  f: {deduction: mois, rate: f.r}\n  y: f + f.m\n",
            "  y: y\n",
        ),
        FIGURES,
    );
    assert_eq!(shown(&folder, "mois=10", "y"), "6");
    assert_eq!(
        errors(&method("  n: mois\n", "  x: fin\n"), FIGURES),
        ["E14"]
    );
    let clash = method("  r: {contribution: mois, rate: r.rate}\n", "  x: fin\n");
    let clash = clash.replace("figures:\n", "figures:\n  r: {rate: rate, base: rate}\n");
    assert_eq!(
        errors(
            &clash,
            &format!("{FIGURES}  r: {{rate: 1%, base: 2%, source: s}}\n")
        ),
        ["E15"]
    );
}

#[test]
fn the_default_of_a_choice_is_one_of_its_words() {
    let folder = folder(&method("", "  s: statut\n  u: autre\n"), FIGURES);
    assert_eq!(
        (
            shown(&folder, "mois=1&n=2", "s"),
            shown(&folder, "mois=1", "s")
        ),
        ("\"cadre\"".into(), "\"ouvrier\"".into())
    );
    let wrong =
        method("", "  s: fin\n").replace("then cadre else ouvrier", "then cadre else agent");
    assert_eq!(errors(&wrong, FIGURES), ["F14"]);
}

/// A folder whose method has an option, `plus`, with a figure of its own.
fn folder_with_option() -> Folder {
    let option = "options:\n  plus:\n    figures:\n      q: {r: rate}\n    steps:\n      z: mois * \
        q.r\n    answer:\n      z: z\n";
    let keys = format!("{}{option}", method("", "  x: fin\n"));
    let switch = "  plus: {type: boolean, default: false, label: Plus}\nfigures:";
    let keys = keys.replacen("figures:", switch, 1);
    folder(&keys, &format!("{FIGURES}  q: {{r: 1%, source: s}}\n"))
}

/// The names that a formula reads where it is; the codes of its mistakes where it has some.
fn read_in(env: Env, formula: &str) -> Result<Vec<String>, Vec<&'static str>> {
    let text = PlacedText {
        value: formula.to_owned(),
        place: place(env),
    };
    let mut report = Report::default();
    let checked = env.check(&text, ExpectedType::OPTIONAL, &[], &mut report);
    if !report.is_ok() {
        return Err(report.errors().map(Diagnostic::code).collect());
    }

    let (reads, symbols) = (checked.reads, env.symbols);
    let inputs = reads.inputs.iter();
    let inputs = inputs.map(|input| input.of(&symbols.inputs).unwrap().name.clone());
    let columns = reads.columns.iter().map(|(figure, column)| {
        let shape = figure.of(&symbols.figures).unwrap();
        format!("{}.{}", shape.name, column.of(&shape.columns).unwrap().name)
    });
    let steps = reads.steps.iter();
    let steps = steps.map(|step| step.of(&symbols.steps).unwrap().name.clone());
    Ok(inputs.chain(columns).chain(steps).collect())
}

fn place(env: Env) -> Place {
    env.symbols.figures[0].place.clone()
}

fn method_of(folder: &Folder) -> &Method {
    folder.latest().unwrap().method()
}

#[test]
fn a_formula_returns_what_it_reads() {
    let folder = folder_with_option();
    let words = WordCount::default();
    let env = Env::new(&method_of(&folder).symbols, &words, Part::Check, None);
    for (formula, read) in [
        ("1 + 1", "Ok([])"),
        ("mois * f.r", r#"Ok(["mois", "f.r"])"#),
        ("fin + max(base; 0) + fin", r#"Ok(["base", "fin"])"#),
        (
            "given(avance) and avance > mois",
            r#"Ok(["mois", "avance"])"#,
        ),
        ("if oui then mois else f.m", r#"Ok(["mois", "oui", "f.m"])"#),
        ("statut = cadre", r#"Ok(["statut"])"#),
        ("mois + annuel", r#"Err(["T01"])"#),
    ] {
        assert_eq!(format!("{:?}", read_in(env, formula)), read, "{formula}");
    }
}

#[test]
fn where_a_formula_is_decides_which_names_it_reads() {
    let folder = folder_with_option();
    let symbols = &method_of(&folder).symbols;
    let words = WordCount::default();
    let env = |part, option| Env::new(symbols, &words, part, option);
    let read = |env, formula| read_in(env, formula).map(|names| names.concat());

    // The figures of an option are read by its own entries, and by defaults.
    assert_eq!(read(env(Part::Check, None), "q.r"), Err(vec!["O02"]));
    assert_eq!(read(env(Part::Check, Some(0)), "q.r"), Ok("q.r".to_owned()));
    assert_eq!(read(env(Part::Default, None), "q.r"), Ok("q.r".to_owned()));

    // The texts of the scale are shown by answers.
    let source = "scale.source";
    assert_eq!(read(env(Part::Check, None), source), Err(vec!["F19"]));
    assert_eq!(read(env(Part::Answer, None), source), Ok(String::new()));

    // A column of a figure with rows is read where they are listed.
    let listed = Env {
        row: FigureId::find(&symbols.figures, |shape| shape.name == "g"),
        ..env(Part::Answer, None)
    };
    assert_eq!(read(env(Part::Answer, None), "g.v"), Err(vec!["F18"]));
    assert_eq!(read(listed, "g.v"), Ok("g.v".to_owned()));
}

#[test]
fn the_words_of_all_formulas_are_counted_together() {
    let folder = folder_with_option();
    let words = WordCount::default();
    let env = Env::new(&method_of(&folder).symbols, &words, Part::Check, None);
    let mut report = Report::default();

    assert!(words.accepts(FORMULAS.most, &place(env), &mut report));
    assert!(report.is_ok());

    // The first formula beyond the limit is reported; the next ones are not checked.
    assert_eq!(read_in(env, "mois").map_err(|codes| codes.len()), Err(1));
    assert_eq!(read_in(env, "no_such_name"), Ok(Vec::new()));
}
