//! The table of costs in the manual: every door of the service, pages included, with its charge.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use bareme_api::work::cost::*;
use bareme_engine::service::Rules;

use crate::route::{FIXED_PAGES, FOLDER_PAGES, FolderPage, Route};
use crate::testing::rules;
use crate::{compare, errors, guide, legal, questions, viewer};

/// Marks around the table in the manual.
const MARKS: [&str; 2] = ["<!-- costs -->\n", "<!-- end -->"];

/// Command that updates the table in the manual; `tests/attack/run costs` measures its last
/// column.
const REFRESH: &str = "BAREME_UPDATE_DOCS=1 cargo test --workspace --lib cost";

/// Doors that are no page and no tool, with the address of the manual.
fn others() -> [(&'static str, &'static Work); 18] {
    [
        ("{prefix}/<calculation>", &CALL),
        ("{prefix}/<calculation>?cout=", &INVERSE),
        ("{prefix}/<calculation>?detail=complet", &EXPLAINED_CALLS),
        ("{prefix}/salaire-net/qc?net=&mois=", &INVERSE_OF_LATER_PAY),
        ("{prefix}/statuts", &LAW_THAT_SEARCHES),
        ("{prefix}/<calculation>/annee", &YEAR),
        ("POST {prefix}/lot/<calculation>", &BATCH),
        ("{prefix}/<calculation>?recu=true", &RECEIPT),
        ("/.well-known/jwks.json", &MADE),
        ("{prefix}, {prefix}/baremes/…, {prefix}/pays", &DATA),
        ("{prefix}/openapi.json", &DESCRIPTION),
        ("/cle, /cle/confirmation, /cle/usage, /cle/gestion", &FORM),
        ("/etat", &STATE),
        ("initialize, resources/…", &MESSAGE),
        ("tools/list", &TOOLS),
        ("the tool of each calculation", &TOOL),
        ("the same with `net`, `cout`…", &TOOL_FOR_RESULT),
        ("the tool of statuts", &TOOL_FOR_RESULT),
    ]
}

/// Every page and file, by the pattern of its path, with its cost: without a query, and with one
/// that asks for a result.
fn doors(rules: &Rules) -> Vec<(String, [&'static Work; 2])> {
    const FOLDER: &str = "salaire";
    const COMPARED: &str = "statuts";

    // By the route of the path, so that a page without a cost is found.
    let works = |path: &str| {
        let route = Route::find(rules, path).unwrap();
        let query = format!("a=1&{}=cout&cout=1", compare::START);
        [route.work(""), route.work(&query)]
    };

    let fixed = FIXED_PAGES
        .iter()
        .map(|page| (page.path.to_owned(), works(page.path)));
    let folders = FOLDER_PAGES
        .iter()
        .map(|FolderPage { prefix, suffix, .. }| {
            (
                format!("{prefix}/<folder>{suffix}"),
                works(&format!("{prefix}/{FOLDER}{suffix}")),
            )
        });

    // Where alternatives are compared, in so far as that costs something else.
    let compared = FOLDER_PAGES.iter().filter_map(|page| {
        let FolderPage { prefix, suffix, .. } = page;
        let path = format!("{prefix}/{COMPARED}{suffix}");
        let route = Route::find(rules, &path)?;
        let work = route.work("");
        let other = works(&format!("{prefix}/{FOLDER}{suffix}"));
        (work != other[0]).then_some((path, [work; 2]))
    });

    let guides = guide::paths().map(|path| (path.clone(), works(&path)));
    let legal = legal::pages::PAGES
        .iter()
        .map(|page| (page.path.to_owned(), works(page.path)));
    let references = rules.service().variants.iter().map(viewer::page_path);
    let references = references.map(|path| (path.clone(), works(&path)));

    // One for all: they cost the same.
    let question = questions::all(rules).into_iter().map(|question| {
        let path = question.path();
        (format!("{}/<question>", questions::PATH), works(&path))
    });
    let errors = format!("{}/<code>", errors::PATH);
    let error = works(&errors::path(&bareme_api::wire::problem::kinds::QUOTA));

    let all = fixed
        .chain(folders)
        .chain(compared)
        .chain(guides)
        .chain(legal)
        .chain(references)
        .chain(question.take(1));
    all.chain([(errors, error)]).collect()
}

/// The addresses of each work, by its door.
fn addresses() -> BTreeMap<&'static str, Vec<String>> {
    let rules = rules();
    let mut found: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut add = |work: &Work, address: String| {
        let known = found.entry(work.door).or_default();
        if !known.contains(&address) {
            known.push(address);
        }
    };

    for (address, work) in others() {
        add(work, address.to_owned());
    }
    for (name, work) in TOOLS_BY_NAME {
        add(work, name.to_owned());
    }
    for (path, [plain, asked]) in doors(&rules) {
        add(plain, path.clone());
        if asked != plain {
            add(asked, format!("{path}?…"));
        }
    }
    found
}

/// The table, with what was measured by the door.
fn table(measured: &BTreeMap<String, String>) -> String {
    let addresses = addresses();
    let mut table = "\n| door | charged | addresses | dearest request known | measured |\n\
                     |---|---|---|---|---|\n"
        .to_owned();
    for Work {
        door,
        calls,
        dearest,
    } in WORKS
    {
        let of_door = addresses
            .get(door)
            .map(|known| known.join(", "))
            .unwrap_or_default();
        let cost = measured.get(*door).map_or("", String::as_str);
        writeln!(
            table,
            "| {door} | {calls} | {of_door} | `{dearest}` | {cost} |"
        )
        .unwrap();
    }
    table + "\n"
}

#[test]
fn the_manual_has_every_door_with_its_cost() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text
        .split_once(MARKS[0])
        .expect("the mark of the beginning");
    let (known, after) = rest.split_once(MARKS[1]).expect("the mark of the end");
    let measured = known.lines().filter_map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        Some((cells.first()?.to_string(), cells.get(4)?.to_string()))
    });
    let measured: BTreeMap<String, String> = measured.collect();

    let table = table(&measured);
    if known != table && std::env::var_os("BAREME_UPDATE_DOCS").is_some() {
        fs::write(&path, [before, MARKS[0], &table, MARKS[1], after].concat()).unwrap();
        return;
    }
    assert_eq!(known, table, "write it again: {REFRESH}");

    for Work { door, calls, .. } in WORKS {
        let whole = measured[*door]
            .split('.')
            .next()
            .and_then(|whole| whole.parse::<u32>().ok());
        let cost = whole.unwrap_or_else(|| panic!("{door} is not measured"));
        let most = calls.max(&100) * 3 / 2;
        assert!(cost <= most, "{door} costs {cost}, and is charged {calls}");
    }
}
