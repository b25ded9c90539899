//! `bareme test`: runs the worked cases; for a failing one it shows the expected values, the
//! computed ones and the steps behind them.

mod drafts;
mod mutate;
mod update;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

use bareme_engine::law::parameter::DATE;
use bareme_engine::law::{Method, Step, StepId};
use bareme_engine::run::{Case, YEAR_PATH};
use bareme_engine::set::Difference;
use bareme_engine::{Calculation, Diagnostic, Folder, Lang, Query};
use bareme_show::trace::{self, Depth};
use bareme_show::{Cell, Locale, Table, Text, Tone, say};
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::accept::CaseRun;
use crate::page::Page;
use crate::rule_files::RuleFiles;
use crate::session::{Exit, Failure, Outcome, Session};
use crate::target::words;
use drafts::Drafted;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[arg(long)]
    steps: bool,
    #[arg(long, conflicts_with_all = ["update", "steps"])]
    mutate: bool,
    #[arg(long)]
    update: bool,
    #[arg(long, requires = "update")]
    yes: bool,
}

/// Failing cases whose steps are shown, unless all are asked for.
const EXPLAINED: usize = 3;

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let files = RuleFiles::find(session, &args.paths)?;

    let started = Instant::now();
    // The folders of the named paths only, so that errors elsewhere do not matter.
    let rules = files.read_only(&files.folders(), session)?;

    // Mutations need every case to pass: they run the cases themselves.
    if args.mutate {
        return mutate::run(&files, &rules, session);
    }

    // The rules are loaded without their cases, which run here, each for its differences.
    let tested: Vec<TestedFolder> = rules
        .folders()
        .filter(|folder| files.holds_part_of(folder.path()))
        .map(TestedFolder::new)
        .collect();

    let failed = tested
        .iter()
        .map(|tested| tested.failures.len())
        .sum::<usize>();

    // The cases of drafts run separately: they fail no test of what is in force.
    let drafted = Drafted::load(&files, &rules, session);
    let of_drafts: Vec<TestedFolder> = drafted.folders().map(TestedFolder::of_drafts).collect();
    let all = Tested {
        in_force: &tested,
        of_drafts: &of_drafts,
        drafted: &drafted,
    };
    session.show(&outcome(args, &files, &all, started, session))?;

    // The differences have been shown before the approval is asked for.
    if args.update && failed > 0 {
        return update::run(args.yes, &files, &tested, session);
    }
    Ok(if failed > 0 { Exit::Wrong } else { Exit::Fine })
}

/// The folders whose cases ran: against what is in force, and separately against the drafts.
struct Tested<'t> {
    in_force: &'t [TestedFolder<'t>],
    of_drafts: &'t [TestedFolder<'t>],
    drafted: &'t Drafted,
}

/// A folder whose cases ran.
struct TestedFolder<'r> {
    folder: &'r Folder,
    /// Number of its cases that ran.
    cases: usize,
    failures: Vec<CaseRun<'r>>,
}

impl<'r> TestedFolder<'r> {
    fn new(folder: &'r Folder) -> Self {
        Self {
            folder,
            cases: folder.cases().len(),
            failures: CaseRun::all(folder)
                .filter(|run| !run.outcome.is_ok())
                .collect(),
        }
    }

    /// The cases of the drafts of a folder that was loaded with them.
    fn of_drafts(folder: &'r Folder) -> Self {
        let is_of_draft = |case: &&Case| folder.is_of_draft(case);
        let runs = CaseRun::all(folder).filter(|run| folder.is_of_draft(run.case));
        Self {
            folder,
            cases: folder.cases().iter().filter(is_of_draft).count(),
            failures: runs.filter(|run| !run.outcome.is_ok()).collect(),
        }
    }
}

/// Day on which cases of methods without dates run; it has no effect.
const ANY_DAY: Date = Date::constant(2026, 1, 1);

fn outcome(
    args: &Args,
    files: &RuleFiles,
    all: &Tested,
    started: Instant,
    session: &Session,
) -> Outcome {
    let lang = session.lang;
    let mut page = Page::default();
    // Steps are long: the first failing cases mostly have the cause of the others.
    let mut left = if args.steps { usize::MAX } else { EXPLAINED };
    let mut annotations = Vec::new();

    let tested = all.in_force;
    for tested in tested.iter().chain(all.of_drafts) {
        for failing in &tested.failures {
            show_failure(failing, files, left > 0, &mut page, session);
            left = left.saturating_sub(1);
            let annotated =
                |found: &Diagnostic| crate::command::check::annotation(found, files, lang);
            annotations.extend(failing.outcome.report().errors().map(annotated));
        }
    }

    let (total, failed) = counted(tested);
    let (of_drafts, failed_drafts) = counted(all.of_drafts);

    page.table(summary(all, lang));

    let locale = Locale::from(lang);
    let ran = locale.count(total, Text::new("cas", "case"), Text::new("cas", "cases"));
    let wrong = locale.count(
        failed,
        Text::new("faux", "wrong"),
        Text::new("faux", "wrong"),
    );

    let took = format!("{:.1}", started.elapsed().as_secs_f32());
    let took = if lang == Lang::Fr {
        took.replace('.', ",")
    } else {
        took
    };

    // The verdict is the last line, where a terminal still shows it.
    let mut verdict = match failed {
        0 => say!(
            lang,
            "{ran}, tous justes ({took} s).",
            "{ran}, all right ({took} s)."
        ),
        _ => say!(
            lang,
            "{ran}, dont {wrong} ({took} s).",
            "{ran}, {wrong} ({took} s)."
        ),
    };

    let years = tested
        .iter()
        .map(|tested| years(tested.folder))
        .sum::<usize>();
    if years > 0 {
        let years = locale.count(
            years,
            Text::new("année", "year"),
            Text::new("années", "years"),
        );
        verdict += &say!(
            lang,
            " Parmi eux, {years} de paies.",
            " Among them, {years} of pays."
        );
    }

    // Cases with values of the program prove nothing: their number is a reminder.
    let computed = tested
        .iter()
        .map(|tested| computed(tested.folder))
        .sum::<usize>();
    if computed > 0 {
        verdict += &say!(
            lang,
            " Aux valeurs données par le programme, à refaire à la main : {computed}.",
            " With values that the program gave, to be worked out by hand: {computed}."
        );
    }

    verdict += &drafts::verdict(of_drafts, failed_drafts, all.drafted, lang);
    page.toned(&verdict, if failed > 0 { Tone::Bad } else { Tone::Good });
    annotations.push(format!("::notice::{verdict}"));

    Outcome {
        page,
        json: to_json(all, files, lang),
        annotations,
    }
}

/// Numbers of the cases that ran, and of those that failed.
fn counted(tested: &[TestedFolder]) -> (usize, usize) {
    let cases = tested.iter().map(|tested| tested.cases).sum();
    let failed = tested.iter().map(|tested| tested.failures.len()).sum();
    (cases, failed)
}

/// Number of cases of a folder that are years of pays.
fn years(folder: &Folder) -> usize {
    folder.cases().iter().filter(|case| case.is_year).count()
}

/// Number of cases of a folder with computed values.
fn computed(folder: &Folder) -> usize {
    folder
        .cases()
        .iter()
        .filter(|case| case.is_computed)
        .count()
}

fn summary(all: &Tested, lang: Lang) -> Table {
    let mut table = Table::default()
        .text(say!(lang, "Barème", "Scale"))
        .number(say!(lang, "Cas", "Cases"))
        .number(say!(lang, "Faux", "Wrong"));

    let mut row = |name: String, tested: &TestedFolder, bad: Tone| {
        let failed = tested.failures.len();
        let tone = if failed > 0 { bad } else { Tone::Good };
        let cases = tested.cases.to_string();
        table.row([
            name.into(),
            cases.into(),
            Cell::toned(failed.to_string(), tone),
        ]);
    };

    for tested in all.in_force {
        row(tested.folder.path().to_owned(), tested, Tone::Bad);
    }
    for tested in all.of_drafts.iter().filter(|tested| tested.cases > 0) {
        let path = tested.folder.path();
        row(
            say!(lang, "{path}, brouillon", "{path}, draft"),
            tested,
            Tone::Warning,
        );
    }

    table
}

fn to_json(all: &Tested, files: &RuleFiles, lang: Lang) -> Value {
    let failing = |failing: &CaseRun| {
        let differences = failing
            .outcome
            .differences
            .iter()
            .map(|one| json!({"champ": one.field.value, "attendu": one.expected.shown(), "obtenu": one.found}));

        json!({
            "nom": failing.case.name, "fichier": files.shown(failing.case.place.file().path()), "ligne": failing.case.place.line(),
            "differences": differences.collect::<Vec<_>>(),
            "messages": failing.outcome.report().errors().map(|found| found.message(lang)).collect::<Vec<_>>(),
        })
    };

    let of_draft = |path: &str| {
        let mut tested = all.of_drafts.iter();
        tested.find(|tested| tested.folder.path() == path)
    };

    // Folders whose cases all pass are listed too, with their numbers.
    let folder = |tested: &TestedFolder| {
        let draft = of_draft(tested.folder.path());
        let faux = draft.map(|draft| draft.failures.iter().map(failing).collect::<Vec<_>>());
        json!({
            "bareme": tested.folder.path(), "cas": tested.cases,
            "annees": years(tested.folder), "calcules": computed(tested.folder),
            "faux": tested.failures.iter().map(failing).collect::<Vec<_>>(),
            "cas_de_brouillon": draft.map_or(0, |draft| draft.cases),
            "faux_de_brouillon": faux.unwrap_or_default(),
        })
    };
    Value::Array(all.in_force.iter().map(folder).collect())
}

fn show_failure(
    failing: &CaseRun,
    files: &RuleFiles,
    with_steps: bool,
    page: &mut Page,
    session: &Session,
) {
    let lang = session.lang;

    let CaseRun { folder, case, .. } = failing;
    let place = format!(
        "{}:{}",
        files.shown(case.place.file().path()),
        case.place.line()
    );

    page.toned(format!("{} : {}", folder.path(), case.name), Tone::Bad);
    page.toned(place, Tone::Dim);

    if !failing.outcome.differences.is_empty() {
        let mut table = Table::default()
            .text(say!(lang, "Champ", "Field"))
            .number(say!(lang, "Attendu", "Expected"))
            .number(say!(lang, "Obtenu", "Got"));
        for Difference {
            field,
            expected,
            found,
            ..
        } in &failing.outcome.differences
        {
            table.row([
                field.value.as_str().into(),
                expected.shown().into(),
                Cell::toned(found, Tone::Bad),
            ]);
        }
        page.table(table);
    }

    // What is wrong beside values, as a warning that did not come.
    let others = failing.outcome.others.errors();
    let others: Vec<String> = others
        .map(|found| format!("{} ({})", found.message(lang), found.cure(lang)))
        .collect();
    if !others.is_empty() {
        page.list(others);
    }

    let fields: Vec<&str> = failing
        .outcome
        .differences
        .iter()
        .map(|one| one.field.value.as_str())
        .collect();
    // Steps are shown for the first failures only: a wrong figure fails many cases by the same
    // steps.
    if with_steps
        && let Some(table) = steps_to(&fields, case, folder, lang).filter(|table| !table.is_empty())
    {
        page.heading(say!(lang, "Étapes qui y mènent", "Steps that led there"));
        page.table(table);
    }

    // The command that explains the case.
    let query = words(
        &case
            .query
            .iter()
            .filter(|(name, _)| name != DATE)
            .cloned()
            .collect::<Vec<_>>(),
    );

    let date = case.query.iter().find(|(name, _)| name == DATE);
    let date = date
        .map(|(_, date)| format!(" --date {date}"))
        .unwrap_or_default();
    let end = if case.is_year { YEAR_PATH } else { "" };

    page.verbatim(
        format!("$ bareme explain {}{end} {query}{date}", folder.path()),
        Tone::Dim,
    );
}

/// The steps behind some fields, with their results.
fn steps_to(fields: &[&str], case: &Case, folder: &Folder, lang: Lang) -> Option<Table> {
    // The day is that of the query; a method without dates needs any.
    let query = Query::from(&case.query);

    if !case.is_year {
        return steps_of(&folder.calculate(&query, ANY_DAY).ok()?, fields, lang);
    }

    // Of a year of pays, the steps of the first month that differs.
    let of_month = |field: &&str| {
        let (month, field) = field.strip_prefix("mois.")?.split_once('.')?;
        Some((month.parse::<usize>().ok()?, field.to_owned()))
    };

    let of_months: Vec<(usize, String)> = fields.iter().filter_map(of_month).collect();
    let (first, _) = of_months.first()?;
    let own = of_months
        .iter()
        .filter(|(month, _)| month == first)
        .map(|(_, field)| field.as_str());

    let year = folder.year(&query).ok()?;
    steps_of(
        &year.months().get(*first)?.calculation,
        &own.collect::<Vec<_>>(),
        lang,
    )
}

fn steps_of(calculation: &Calculation, fields: &[&str], lang: Lang) -> Option<Table> {
    let names = steps_behind(fields, calculation.edition().method());
    let requested = |step: &Step| names.contains(step.name.as_str());
    trace::table(calculation, requested, Depth::Result, &[], lang.into()).ok()
}

/// Names of the steps that some fields depend on, directly or not.
fn steps_behind<'m>(fields: &[&str], method: &'m Method) -> BTreeSet<&'m str> {
    // A path such as `mois.0.net` or `detail.base` begins with its field.
    let of_fields = method.fields().iter().filter(|field| {
        fields
            .iter()
            .any(|path| path.split('.').next() == Some(&field.name))
    });

    let mut left: Vec<StepId> = of_fields
        .flat_map(|field| field.steps.iter().copied())
        .collect();

    // A step is followed once, though several paths lead to it.
    let mut names = BTreeSet::new();
    while let Some(step) = left.pop().and_then(|step| step.of(method.steps())) {
        if names.insert(step.name.as_str()) {
            left.extend(&step.steps);
        }
    }
    names
}
