//! Plans against single calculations: the same values, warnings and refusals for random rows of
//! every folder, whether their amounts fit integers or not, and for a single field too.
//!
//! `BAREME_ROWS=1000000` draws more rows of each folder than the usual number.

use std::path::Path;

use bareme_engine::law::Drafts;
use bareme_engine::run::plan::{Cells, Plan, PlanError, Rows};
use bareme_engine::service::Rules;
use bareme_engine::{CalculationError, Datum, Folder, Loader, Query};

use crate::call::searches;
use crate::law::Law;
use crate::rule_folder::read_folder;
use crate::{TODAY, day, draw, draw::Random};

type Sent = Vec<(String, String)>;

/// Rows drawn for each folder.
fn rows() -> usize {
    std::env::var("BAREME_ROWS").map_or(3000, |rows| rows.parse().unwrap())
}

/// Rows of a batch: some more than are computed together.
const BATCH: usize = 1500;

#[test]
fn a_plan_answers_as_single_calculations_do() {
    compare_set(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules"));
}

#[test]
fn a_plan_answers_as_single_calculations_do_on_made_up_scales() {
    compare_set(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/naive/rules"));
}

#[test]
fn a_plan_answers_the_worked_cases() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules");
    let rules = load(&root);
    for folder in rules.folders() {
        let cases = folder.cases().iter().filter(|case| !case.is_year);
        let queries: Vec<Sent> = cases.map(|case| case.query.clone()).collect();
        assert!(!queries.is_empty(), "{}", folder.path());
        compare(&rules, folder, &queries, None);
    }
}

fn load(root: &Path) -> Rules {
    Loader::new()
        .drafts(Drafts::Included)
        .load_service(root)
        .rules
        .expect("the rules have errors: run `bareme check`")
}

fn compare_set(root: &Path) {
    let rules = load(root);
    let folders: Vec<&Folder> = rules.folders().collect();
    let (even, odd): (Vec<_>, Vec<_>) = folders
        .iter()
        .enumerate()
        .partition(|(index, _)| index % 2 == 0);
    let compare = |half: Vec<(usize, &&Folder)>| {
        half.iter()
            .for_each(|(_, folder)| compare_folder(&rules, root, folder))
    };

    std::thread::scope(|scope| {
        scope.spawn(|| compare(even));
        compare(odd);
    });
}

fn compare_folder(rules: &Rules, root: &Path, folder: &Folder) {
    let laws = read_folder(&root.join(folder.path()));
    let mut random = Random(7);

    // Rows with a search are computed one by one.
    let count = if laws.iter().any(searches) {
        BATCH / 10
    } else {
        BATCH
    };
    for batch in 0..rows().div_ceil(BATCH) {
        let drawn: Vec<Sent> = (0..count).map(|_| drawn(&laws, &mut random)).collect();
        // Amounts that 64 bits hold through all products, and amounts that they do not.
        let small: Vec<Sent> = drawn
            .iter()
            .filter(|sent| sent.iter().all(is_small))
            .cloned()
            .collect();
        let fields = rules.folder(folder.path()).unwrap().fields();
        let scalar: Vec<&str> = fields
            .iter()
            .filter(|field| field.json_type() != "array")
            .map(|field| field.name.as_str())
            .collect();
        compare(rules, folder, &drawn, None);
        compare(rules, folder, &small, None);
        compare(rules, folder, &small, Some(scalar[batch % scalar.len()]));
    }
}

fn is_small((name, value): &(String, String)) -> bool {
    name == "date" || value.len() < 9
}

fn drawn(laws: &[Law], random: &mut Random) -> Sent {
    let index = usize::try_from(random.below(laws.len() as u64)).unwrap();
    let law = &laws[index];
    let (mut sent, _) = day(law, laws.get(index + 1), random);
    sent.extend(draw::query(law, &draw::edges(law), random));
    sent
}

/// Compares each row of a batch with the calculation of the same query.
fn compare(rules: &Rules, folder: &Folder, queries: &[Sent], field: Option<&str>) {
    let asked = field.map(|field| vec![field]);
    let plan = Plan::new(rules, folder.path(), TODAY, asked.as_deref()).unwrap();
    let known = plan.columns();
    // An unknown column refuses the whole batch: its message is tested elsewhere.
    let queries: Vec<&Sent> = queries
        .iter()
        .filter(|sent| sent.iter().all(|(name, _)| known.contains(&name.as_str())))
        .collect();
    let mut names: Vec<&str> = queries
        .iter()
        .flat_map(|sent| sent.iter().map(|(name, _)| name.as_str()))
        .collect();
    names.sort_unstable();
    names.dedup();
    let cell = |sent: &'_ Sent, name: &str| sent.iter().position(|(known, _)| known == name);
    let columns = names.iter().map(|name| {
        let cells = queries
            .iter()
            .map(|sent| cell(sent, name).map(|index| sent[index].1.as_str()));
        (*name, Cells::Texts(cells.collect()))
    });
    let answers = match plan.evaluate(&Rows::new(queries.len(), columns)) {
        // No row of a small batch may send it.
        Err(PlanError::MissingColumn { .. }) => return,
        answers => answers.unwrap(),
    };

    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../rules")
        .join(folder.path());
    let is_search = root.exists() && read_folder(&root).iter().any(searches);
    // Refused rows are computed alone to say why, and so are searches, pays that follow others
    // and rows with items; nearly nothing else is.
    let method = folder.latest().unwrap().method();
    let rank = method
        .year()
        .and_then(|block| block.rank())
        .and_then(|rank| rank.of(method.inputs()));
    let inputs = folder.inputs().into_iter();
    let of_items: Vec<&str> = inputs
        .filter(|input| input.group.is_some())
        .map(|input| input.name.as_str())
        .collect();
    let is_apart = |name: &str| {
        folder
            .inverses()
            .iter()
            .any(|inverse| inverse.parameter.name == name)
            || rank.is_some_and(|rank| rank.name == name)
            || of_items.contains(&name)
    };

    let apart = queries
        .iter()
        .filter(|sent| sent.iter().any(|(name, _)| is_apart(name)))
        .count();
    let beside = (answers.alone - answers.refused.len()).saturating_sub(apart);
    assert!(
        beside <= queries.len() / 20 || is_search,
        "{} {field:?}: {beside} of {} rows",
        folder.path(),
        queries.len()
    );
    let mut refused = answers.refused.iter().peekable();

    for (row, sent) in queries.iter().enumerate() {
        let asked = field.map(|field| ("champs", field));
        let query: Query = sent
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .chain(asked)
            .collect();
        let told = refused
            .next_if(|(refused, _)| *refused == row)
            .map(|(_, error)| error);
        let context = || format!("{} {sent:?}", folder.path());
        match (folder.calculate(&query, TODAY), told) {
            (Err(alone), Some(told)) => assert_eq!(alone, *told, "{}", context()),
            // A step that no field reads may overflow.
            (Err(alone), None) if is_not_computable(&alone) => {}
            (Err(alone), None) => panic!("{}: answered, and refused alone: {alone:?}", context()),
            (Ok(_), Some(told)) => panic!("{}: refused, and answered alone: {told:?}", context()),
            (Ok(calculation), None) => {
                for (field, values) in plan.fields().iter().zip(&answers.fields) {
                    let alone = calculation
                        .field(&field.name)
                        .map_or(Datum::Null, |value| value.datum())
                        .to_string();
                    assert_eq!(
                        values.at(row).to_string(),
                        alone,
                        "{} of {}",
                        field.name,
                        context()
                    );
                }
                assert_eq!(
                    answers.warnings(row),
                    calculation.warnings(),
                    "{}",
                    context()
                );
                let date = calculation.edition().scale().map(|scale| scale.date);
                assert_eq!(answers.scale(row).unwrap().date, date, "{}", context());
            }
        }
    }
}

fn is_not_computable(error: &CalculationError) -> bool {
    let codes = error
        .refusal()
        .map(|refusal| refusal.parameters.iter().map(|bad| bad.code.as_str()));
    codes.is_some_and(|mut codes| codes.all(|code| code == "non_calculable"))
}
