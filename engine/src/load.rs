//! The reading of a rule set: found, parsed, checked, bound, its cases run. All or nothing.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::civil::Date;

use crate::cases::Case;
use crate::diagnostic::{Place, Report, RuleFile};
use crate::draft::{Draft, Drafts};
use crate::edition::Edition;
use crate::files::{FileSet, hash};
use crate::folder::Folder;
use crate::limits::{METHODS, VALUES};
use crate::method::Method;
use crate::methods::Methods;
use crate::option;
use crate::problem::Problem;
use crate::program::{Figures, Program};
use crate::rules::{Rules, family};
use crate::scale::Scale;
use crate::schema;
use crate::service::Service;
use crate::source::parse_date;
use crate::words::nearest;
use crate::yaml::Node;

/// What a reading gives: the rules if nothing is wrong, and everything there is to say.
#[derive(Debug)]
pub struct Loaded {
    /// The rules; `None` when the report has an error.
    pub rules: Option<Rules>,
    /// Errors and warnings.
    pub report: Report,
}

/// How a rule set is read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading<'r> {
    /// Whether drafts are scales like the others.
    pub drafts: Drafts,
    /// Whether the worked cases are left to those who run them one by one.
    pub without_cases: bool,
    /// Paths of the folders that are asked for, or of their families; none: all. Another folder that has errors is
    /// left out, and nothing is said of it.
    pub about: &'r [&'r str],
    /// Whether every folder that has errors is left out, and nothing is said of it.
    pub leave_broken: bool,
}

impl Reading<'_> {
    fn is_about(&self, path: &str) -> bool {
        let holds =
            |asked: &&str| path.strip_prefix(*asked).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        !self.leave_broken && (self.about.is_empty() || self.about.iter().any(holds))
    }
}

/// Reads a rule set from its folder: parses, checks and compiles every file, then runs every case.
pub fn load(root: &Path) -> Loaded {
    load_as(root, &Reading::default())
}

/// Reads a rule set from its files. Folders that are as they were in the set before, if there is one, are taken
/// over from it: their content was checked then, and their cases run.
pub fn load_files(files: &FileSet, before: Option<&Rules>) -> Loaded {
    read_set(files, before, &Reading::default())
}

/// Reads a rule set from its folder without running its cases.
pub fn read(root: &Path) -> Loaded {
    load_as(root, &Reading { without_cases: true, ..Reading::default() })
}

/// Reads a rule set from its folder in the way that is asked for.
pub fn load_as(root: &Path, reading: &Reading) -> Loaded {
    read_set(&FileSet::read(root), None, reading)
}

fn read_set(files: &FileSet, before: Option<&Rules>, reading: &Reading) -> Loaded {
    let mut report = files.report.clone();
    let mut folders = BTreeMap::new();
    for (path, folder, own) in read_folders(files, before, reading) {
        if !own.is_ok() && !reading.is_about(&path) {
            continue;
        }
        folders.extend(folder.map(|folder| (path, folder)));
        report.extend(own);
    }
    let service = read_service(files, &mut report);
    if let Some(service) = &service {
        check_families(service, &folders, &mut report);
        if report.is_ok() && reading.about.is_empty() && !reading.leave_broken {
            check_in_force(service, files, &folders, &mut report);
        }
    }
    report.sort();
    let rules = service.filter(|_| report.is_ok()).map(|service| Rules { version: files.version(), service, folders });
    Loaded { rules, report }
}

/// A folder read, or what is wrong with it.
type ReadFolder = (String, Option<Arc<Folder>>, Report);

/// Reads the folders, which know nothing of each other, on every processor.
fn read_folders(files: &FileSet, before: Option<&Rules>, reading: &Reading) -> Vec<ReadFolder> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    let queue: Vec<_> = files.folders.iter().collect();
    let work = || {
        while let Some((path, texts)) = queue.get(next.fetch_add(1, Ordering::Relaxed)) {
            let read = read_or_keep(path, texts, files.is_complete(path), before, reading);
            found.lock().unwrap_or_else(PoisonError::into_inner).push(read);
        }
    };
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    std::thread::scope(|scope| {
        for _ in 1..processors {
            scope.spawn(work);
        }
        work();
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn read_or_keep(
    path: &str,
    texts: &[Arc<RuleFile>],
    is_complete: bool,
    before: Option<&Rules>,
    reading: &Reading,
) -> ReadFolder {
    let version = hash(texts);
    let known = before.and_then(|before| before.folders.get(path)).filter(|folder| folder.version == version);
    if let Some(folder) = known {
        return (path.to_owned(), Some(Arc::clone(folder)), folder.warnings.clone());
    }
    let mut report = Report::default();
    let files = FolderFiles { path, version: &version, files: texts, is_complete };
    let mut folder = read_folder(&files, reading.drafts, &mut report);
    if let Some(folder) = folder.as_mut().filter(|_| !reading.without_cases) {
        for case in &folder.cases {
            case.run(folder, &mut report);
        }
        if reading.drafts == Drafts::Aside {
            check_drafts(&files, folder, &mut report);
        }
    }
    let folder =
        folder.filter(|_| report.is_ok()).map(|folder| Arc::new(Folder { warnings: report.clone(), ..folder }));
    (path.to_owned(), folder, report)
}

/// Runs the cases of the drafts of a folder against them: what fails is a warning.
pub(crate) fn check_drafts(files: &FolderFiles, folder: &mut Folder, report: &mut Report) {
    if folder.drafts.is_empty() {
        return;
    }
    let mut failed = Report::default();
    let Some(whole) = read_folder(files, Drafts::Included, &mut failed) else {
        for draft in &mut folder.drafts {
            let file = format!("{}/{}.yaml", files.path, draft.date);
            draft.errors = failed.errors().filter(|error| error.file() == file).count();
        }
        return;
    };
    let waits = |case: &&Case| case.date().is_some_and(|day| folder.is_draft_on(day));
    let waiting: Vec<&Case> = whole.cases.iter().filter(waits).collect();
    for case in waiting {
        let mut own = Report::default();
        case.run(&whole, &mut own);
        let scale = case.date().and_then(|day| whole.edition(day)?.scale());
        if let Some(draft) = folder.drafts.iter_mut().find(|draft| scale.is_some_and(|scale| scale.date == draft.date))
        {
            draft.errors += own.errors().count();
        }
        report.extend(own.demoted());
    }
}

/// A folder that an endpoint names has a scale in force.
fn check_in_force(service: &Service, files: &FileSet, folders: &BTreeMap<String, Arc<Folder>>, report: &mut Report) {
    for endpoint in service.endpoints.iter().filter(|endpoint| endpoint.by.is_none()) {
        let first = files.folders.get(&endpoint.folder).and_then(|files| files.first());
        if let (Some(file), false) = (first, folders.contains_key(&endpoint.folder)) {
            let (folder, endpoint) = (endpoint.folder.clone(), endpoint.name.clone());
            report.error(&Place::of_file(file), Problem::OnlyDrafts { folder, endpoint });
        }
    }
}

fn read_service(files: &FileSet, report: &mut Report) -> Option<Service> {
    let mut service = None;
    for file in &files.root {
        if file.path() != "service.yaml" {
            let near = Some("service.yaml".to_owned()).filter(|near| *near == well_named(file.path()));
            report.error(&Place::of_file(file), Problem::UnexpectedFile { name: file.path().to_owned(), near });
            continue;
        }
        let Some(node) = Node::read(file, report) else { continue };
        let paths: Vec<&str> = files.folders.keys().map(String::as_str).collect();
        let mut own = Report::default();
        service = Some(Service::read(&node, &paths, &mut own));
        schema::SERVICE.validate(&node, &mut own);
        report.extend_file(own);
    }
    if !files.root.iter().any(|file| file.path() == "service.yaml") {
        report.error(&Place::of_file(&RuleFile::new("service.yaml", "")), Problem::ServiceMissing {});
    }
    service
}

/// What an answer says of the folder that it comes from must be the word that the caller asked for.
fn check_families(service: &Service, folders: &BTreeMap<String, Arc<Folder>>, report: &mut Report) {
    for endpoint in &service.endpoints {
        let Some(by) = &endpoint.by else { continue };
        for (word, folder) in family(folders, &endpoint.folder) {
            let constants = folder.editions.iter().flat_map(|edition| &edition.method.constants);
            for (field, said) in constants.filter(|(field, said)| field == by && said.value != word) {
                let (field, said, place) = (field.clone(), said.value.clone(), &said.place);
                report.error(place, Problem::ConstantOfOtherFolder { field, said, word: word.to_owned() });
            }
        }
    }
}

/// What a file of a folder is, by its name.
enum FileKind<'n> {
    Method(&'n str),
    Scale(Date),
    Cases,
}

impl<'n> FileKind<'n> {
    fn of(name: &'n str) -> Option<Self> {
        let stem = name.strip_suffix(".yaml")?;
        match parse_date(stem) {
            Some(date) => Some(Self::Scale(date)),
            None if stem == "cases" => Some(Self::Cases),
            None => Some(Self::Method(stem)).filter(|_| stem == "method" || stem.starts_with("method-")),
        }
    }
}

/// A name of a file as it should be written: `Cases.YML` is `cases.yaml`.
fn well_named(name: &str) -> String {
    let name = name.to_lowercase();
    let stem = name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".yml")).unwrap_or(&name);
    format!("{stem}.yaml")
}

/// The parsed files of one folder.
#[derive(Default)]
struct Parsed {
    methods: Vec<(String, Arc<RuleFile>, Node)>,
    scales: Vec<(Date, Arc<RuleFile>, Node)>,
    cases: Option<(Arc<RuleFile>, Node)>,
}

impl Parsed {
    fn of(files: &[Arc<RuleFile>], report: &mut Report) -> Self {
        let mut parsed = Self::default();
        let (mut methods, mut values) = (0, 0);
        for file in files {
            let name = file.path().rsplit('/').next().unwrap_or_default();
            let Some(kind) = FileKind::of(name) else {
                let near = Some(well_named(name)).filter(|near| FileKind::of(near).is_some());
                report.error(&Place::of_file(file), Problem::UnexpectedFile { name: name.to_owned(), near });
                continue;
            };
            methods += usize::from(matches!(kind, FileKind::Method(_)));
            if !METHODS.accepts(methods, &Place::of_file(file), report) {
                break;
            }
            let Some(node) = Node::read(file, report) else { continue };
            values += node.count();
            if !VALUES.accepts(values, &Place::of_file(file), report) {
                break;
            }
            match kind {
                FileKind::Scale(date) => parsed.scales.push((date, Arc::clone(file), node)),
                FileKind::Method(stem) => parsed.methods.push((stem.to_owned(), Arc::clone(file), node)),
                FileKind::Cases => parsed.cases = Some((Arc::clone(file), node)),
            }
        }
        parsed.scales.sort_by_key(|(date, ..)| *date);
        parsed
    }
}

/// The files of one folder.
pub(crate) struct FolderFiles<'f> {
    /// Its path from the root of the rules.
    pub path: &'f str,
    /// Hash of its files.
    pub version: &'f str,
    /// The files that were read.
    pub files: &'f [Arc<RuleFile>],
    /// Whether that is all of them.
    pub is_complete: bool,
}

/// Reads the files of one folder.
pub(crate) fn read_folder(folder: &FolderFiles, drafts: Drafts, report: &mut Report) -> Option<Folder> {
    let FolderFiles { path, version, files, is_complete } = *folder;
    let mut own = Report::default();
    let parsed = Parsed::of(files, &mut own);
    // A file that is misnamed or cannot be read must not be reported missing as well.
    let all_read = is_complete && own.is_ok();
    report.extend_file(own);
    let mut methods = Methods::read(path, &parsed.methods, report);
    if parsed.methods.is_empty() && all_read {
        let first = files.first()?;
        report.error(&Place::of_file(first), Problem::NoMethod {});
    }
    let (mut editions, mut waiting) = (Vec::new(), Vec::new());
    for (date, file, node) in &parsed.scales {
        let mut own = Report::default();
        let edition = read_scale(*date, file, node, &parsed, &mut methods, &mut own);
        let draft = Draft::read(*date, node, &mut own);
        let is_aside = draft.is_some() && drafts == Drafts::Aside;
        waiting.extend(draft);
        editions.extend(edition.filter(|_| !is_aside));
        report.extend(if is_aside { own.demoted() } else { own });
    }
    if parsed.scales.is_empty() && all_read {
        editions.extend(methods.get("method").and_then(|known| undated(&known.method, report)));
    }
    let dated = editions.iter().all(|edition| edition.scale.is_some());
    let cases = match &parsed.cases {
        Some((file, node)) => {
            let mut own = Report::default();
            let cases = Case::read_all(file, node, dated, &mut own);
            schema::CASES.validate(node, &mut own);
            report.extend_file(own);
            cases
        }
        None => Vec::new(),
    };
    editions.iter_mut().for_each(|edition| edition.cite(path, version));
    let complete = !editions.is_empty() && report.is_ok();
    let (path, version, warnings) = (path.to_owned(), version.to_owned(), Report::default());
    let mut folder = complete.then_some(Folder { path, version, editions, drafts: waiting, cases, warnings })?;
    if drafts == Drafts::Aside {
        folder.leave_cases_of_drafts();
    }
    Some(folder)
}

fn read_scale(
    date: Date,
    file: &Arc<RuleFile>,
    node: &Node,
    parsed: &Parsed,
    methods: &mut Methods,
    report: &mut Report,
) -> Option<Edition> {
    let written = node.text_of("method");
    let name = written.map_or("method", |text| text.value.trim_end_matches(".yaml"));
    if !parsed.methods.iter().any(|(known, ..)| known == name) {
        if let Some(text) = written {
            let near = nearest(name, parsed.methods.iter().map(|(known, ..)| known.as_str()));
            let near = near.map(|near| format!("{near}.yaml"));
            report.error(&text.place, Problem::UnknownMethod { name: text.value.clone(), near });
        }
        return None;
    }
    let known = methods.get(name)?;
    if !known.method.dated {
        report.error(&Place::of_file(file), Problem::DatedFileOfUndated {});
        return None;
    }
    let mut own = Report::default();
    let without = option::read_without(node, known.method.options(), &mut own);
    let method = methods.without(name, &without)?;
    let scale = Scale::read(date, file, node, &method, &mut own);
    if let Some(known) = methods.get(name) {
        known.schema.validate(node, &mut own);
    }
    let edition = own.is_ok().then(|| Edition::compile(&method, scale, &mut own));
    report.extend_file(own);
    edition
}

fn undated(method: &Arc<Method>, report: &mut Report) -> Option<Edition> {
    if method.dated {
        report.error(&method.place, Problem::NoDatedFile {});
        return None;
    }
    let figures = Figures { date: None, sources: &method.sources, citation: method.citation.as_deref(), figures: &[] };
    let program = Program::compile(method, &figures, report);
    Some(Edition { scale: None, method: Arc::clone(method), program, citation: String::new() })
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, method, scale};

    use super::*;

    const SERVICE: &str = "format: bareme/1
title: Service
documentation: https://example.org/
attribution: Service
endpoints:
  calcul: {title: Calcul, folder: zz}
  pays:   {title: Pays, family: famille, by: pays, ignored: parts}
variants:
  a: {title: A, prefix: /a/, endpoints: calcul; pays, key_prefix: aaa, cors: true, plans: {free: {title: Free, price: \"0\", calls_per_day: 1 000, attribution: true, terms: a; b}}}
";

    fn steps() -> String {
        method(&format!("{GROSS}figures:\n  f: {{v: rate}}\nsteps:\n  x: brut * f.v\nanswer:\n  x: x\n"))
    }

    /// A set of files on the disk.
    fn written(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        root
    }

    fn whole() -> Vec<(&'static str, String)> {
        let figures = scale("  f: {v: 10%, source: s}");
        vec![
            ("service.yaml", SERVICE.to_owned()),
            ("zz/method.yaml", steps()),
            ("zz/2026-01-01.yaml", figures.clone()),
            ("famille/aa/method.yaml", steps().replace("folder: zz", "folder: famille/aa")),
            ("famille/aa/2026-01-01.yaml", figures),
        ]
    }

    fn set(files: &[(&'static str, String)]) -> tempfile::TempDir {
        written(&files.iter().map(|(path, text)| (*path, text.as_str())).collect::<Vec<_>>())
    }

    /// Codes of the errors of the whole set with one file changed, or removed.
    fn reported(path: &'static str, text: Option<&str>) -> Vec<String> {
        let mut files = whole();
        files.retain(|(known, _)| *known != path);
        files.extend(text.map(|text| (path, text.to_owned())));
        let loaded = load(set(&files).path());
        assert_eq!(loaded.rules.is_some(), loaded.report.is_ok());
        loaded.report.errors().map(|error| format!("{} {}", error.code(), error.file())).collect()
    }

    #[test]
    fn a_whole_set_is_read() {
        let loaded = load(set(&whole()).path());
        let rules = loaded.rules.unwrap();
        assert_eq!(rules.folders().map(|folder| folder.path().to_owned()).collect::<Vec<_>>(), ["famille/aa", "zz"]);
        assert_eq!(rules.family("famille").map(|(word, _)| word).collect::<Vec<_>>(), ["aa"]);
        let variant = &rules.service().variants[0];
        assert_eq!((variant.prefix.as_str(), variant.plans[0].calls_per_day), ("/a", Some(1000)));
        assert_eq!(variant.plans[0].terms, ["a", "b"]);
    }

    #[test]
    fn files_have_their_names_and_their_places() {
        assert_eq!(reported("zz/methode.yaml", Some("a: b")), ["M02 zz/methode.yaml"]);
        assert_eq!(reported("zz/2026-02-30.yaml", Some("a: b")), ["M02 zz/2026-02-30.yaml"]);
        assert_eq!(reported("zz/method.yml", Some("a: b")), ["M02 zz/method.yml"]);
        assert_eq!(reported("zz/cases.YAML", Some("a: b")), ["M02 zz/cases.YAML"]);
        assert_eq!(reported("zz/2027-01-01.YAML", Some("a: b")), ["M02 zz/2027-01-01.YAML"]);
        assert_eq!(reported("zz/method.yaml.yaml", Some("a: b")), ["M02 zz/method.yaml.yaml"]);
        assert_eq!(reported("autre.yaml", Some("a: b")), ["M02 autre.yaml"]);
        assert_eq!(reported("zz/method.yaml", None), ["M03 zz/2026-01-01.yaml"]);
        assert_eq!(reported("zz/2026-01-01.yaml", None), ["M05 zz/method.yaml"]);
        assert_eq!(reported("zz/2026-01-01.yaml", Some("a: [")), ["Y01 zz/2026-01-01.yaml"]);
        assert_eq!(reported("zz/method.yaml", Some("a: [")), ["Y01 zz/method.yaml"]);
        assert_eq!(reported("service.yaml", Some("a: [")), ["Y01 service.yaml"]);
        assert_eq!(
            reported(
                "zz/2026-01-01.yaml",
                Some(&scale("  f: {v: 1%, source: s}").replace("sources", "method: method-b.yaml\nsources"))
            ),
            ["M04 zz/2026-01-01.yaml"]
        );
        assert_eq!(reported("zz/.2026.yaml.swp", Some("a: b")), Vec::<String>::new());
        assert_eq!(reported("zz/notes.md", Some("a: b")), Vec::<String>::new());
    }

    #[test]
    fn a_method_says_which_folder_it_is_for() {
        assert_eq!(reported("zz/method.yaml", Some(&steps().replace("folder: zz\n", ""))), ["S02 zz/method.yaml"]);
        assert_eq!(reported("famille/aa/method.yaml", Some(&steps())), ["M08 famille/aa/method.yaml"]);
    }

    #[test]
    fn an_answer_names_the_folder_that_the_caller_asked_for() {
        let saying = |word: &str| {
            steps().replace("folder: zz", "folder: famille/aa") + &format!("  pays: {{text: {word}, label: Pays}}\n")
        };
        assert_eq!(reported("famille/aa/method.yaml", Some(&saying("aa"))), Vec::<String>::new());
        assert_eq!(reported("famille/aa/method.yaml", Some(&saying("ab"))), ["M09 famille/aa/method.yaml"]);
    }

    #[test]
    fn a_method_without_dates_has_no_dated_file() {
        let undated = steps()
            .replace("title", "dated: false\ntitle")
            .replace("figures:\n  f: {v: rate}\n", "")
            .replace("brut * f.v", "brut");
        assert_eq!(reported("zz/method.yaml", Some(&undated)), ["M06 zz/2026-01-01.yaml"]);
        let with_figures = steps().replace("title", "dated: false\ntitle");
        assert_eq!(reported("zz/method.yaml", Some(&with_figures)), ["G19 zz/method.yaml"]);
    }

    #[test]
    fn the_service_names_what_exists() {
        assert_eq!(reported("service.yaml", None), ["V05 service.yaml"]);
        let changed = |from: &str, to: &str| reported("service.yaml", Some(&SERVICE.replace(from, to)));
        assert_eq!(changed("folder: zz", "folder: zzz"), ["V01 service.yaml"]);
        assert_eq!(changed("family: famille", "family: fami"), ["V01 service.yaml"]);
        assert_eq!(changed("endpoints: calcul; pays", "endpoints: calcul; paye"), ["V02 service.yaml"]);
        assert_eq!(changed("folder: zz", "folder: zz, family: famille"), ["V03 service.yaml"]);
        assert_eq!(changed(", by: pays", "")[0], "V03 service.yaml");
        let twice = SERVICE.to_owned()
            + "  b: {title: B, prefix: /a, endpoints: calcul, key_prefix: bbb, cors: false, plans: {p: {title: P, price: x, calls_per_day: unlimited, attribution: false}}}\n";
        assert_eq!(reported("service.yaml", Some(&twice)), ["V04 service.yaml"]);
    }

    #[test]
    fn a_case_that_fails_refuses_the_set() {
        let case = |x: &str| {
            format!(
                "format: bareme/1\ncases:\n  - {{name: C, date: 2026-01-01, given: {{brut: 50}}, expect: {{x: {x}}}, origin: {{kind: hand}}}}\n"
            )
        };
        assert_eq!(reported("zz/cases.yaml", Some(&case("5"))), Vec::<String>::new());
        assert_eq!(reported("zz/cases.yaml", Some(&case("6"))), ["C01 zz/cases.yaml"]);
    }

    #[test]
    fn an_empty_or_missing_folder_is_told() {
        let codes = |path: &Path| load(path).report.errors().map(|error| error.code()).collect::<Vec<_>>();
        assert_eq!(codes(written(&[]).path()), ["M07", "V05"]);
        assert_eq!(codes(Path::new("/nowhere/at/all")), ["M01", "M07", "V05"]);
    }

    #[test]
    fn a_file_that_is_no_text_is_told() {
        let root = set(&whole());
        std::fs::write(root.path().join("zz/cases.yaml"), [0xff, 0xfe, 0x00]).unwrap();
        assert_eq!(load(root.path()).report.errors().map(|error| error.code()).collect::<Vec<_>>(), ["M01"]);
    }

    #[test]
    fn the_version_changes_with_every_byte_and_only_then() {
        let version = |files: &[(&'static str, String)]| load(set(files).path()).rules.unwrap().version().to_owned();
        let mut changed = whole();
        changed[2].1.push_str("\n# note");
        assert_eq!(version(&whole()), version(&whole()));
        assert_ne!(version(&whole()), version(&changed));
    }

    #[test]
    fn folders_that_have_not_changed_are_kept() {
        let root = set(&whole());
        let before = load(root.path()).rules.unwrap();
        std::fs::write(root.path().join("zz/2026-01-01.yaml"), scale("  f: {v: 20%, source: s}")).unwrap();
        let after = load_files(&FileSet::read(root.path()), Some(&before)).rules.unwrap();
        let kept = |path: &str| std::ptr::eq(before.folder(path).unwrap(), after.folder(path).unwrap());
        assert_eq!((kept("zz"), kept("famille/aa")), (false, true));
    }

    #[test]
    fn the_selector_chooses_a_folder_of_the_family() {
        let rules = load(set(&whole()).path()).rules.unwrap();
        let endpoint = &rules.service().endpoints[1];
        let select =
            |query: &str| rules.select(endpoint, &crate::testing::query(query)).map(|folder| folder.path().to_owned());
        assert_eq!(select("pays=AA").unwrap(), "famille/aa");
        for (query, code) in
            [("", "manquant"), ("pays=", "manquant"), ("pays=ab", "valeur_inconnue"), ("pays=aa&pays=aa", "repete")]
        {
            assert_eq!(select(query).unwrap_err().parameters[0].code.as_str(), code, "{query}");
        }
    }
}
