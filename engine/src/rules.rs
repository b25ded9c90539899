//! A whole rule set: read, checked, bound, its cases run. All or nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::civil::Date;
use sha2::{Digest, Sha256};

use crate::cases::Case;
use crate::diagnostic::{Place, Report, SourceFile};
use crate::folder::{Answer, Edition, Extras, Folder, sent};
use crate::method::Method;
use crate::problem::Problem;
use crate::program::{Figures, Program};
use crate::refusal::{BadParameter, Reason, Refusal};
use crate::scale::{Scale, parse_date};
use crate::schema::Schemas;
use crate::service::{Endpoint, Service};
use crate::words::{nearest, normalize};
use crate::yaml::Node;

/// An immutable rule set.
#[derive(Debug)]
pub struct Rules {
    version: String,
    service: Service,
    folders: BTreeMap<String, Arc<Folder>>,
}

/// What a reading gives: the rules if nothing is wrong, and everything there is to say.
#[derive(Debug)]
pub struct Loaded {
    /// The rules; `None` when the report has an error.
    pub rules: Option<Rules>,
    /// Errors and warnings.
    pub report: Report,
}

/// Reads a rule set from its folder: parses, checks and binds every file, then runs every case.
pub fn load(root: &Path) -> Loaded {
    let mut loaded = read(root);
    if let Some(rules) = &loaded.rules {
        for folder in rules.folders() {
            for case in folder.cases() {
                case.run(folder, &mut loaded.report);
            }
        }
        loaded.report.sort();
    }
    loaded.rules = loaded.rules.filter(|_| loaded.report.is_ok());
    loaded
}

/// Reads a rule set without running its cases: for those who run them one by one.
pub fn read(root: &Path) -> Loaded {
    let mut report = Report::default();
    let files = RuleFiles::find(root, &mut report);
    let mut schemas = Schemas::new();
    let mut folders = BTreeMap::new();
    for (path, texts) in &files.folders {
        let mut own = Report::default();
        if let Some(folder) = read_folder(path, texts, &mut schemas, &mut own) {
            folders.insert(path.clone(), Arc::new(folder));
        }
        report.extend(own);
    }
    let service = read_service(&files, &mut schemas, &mut report);
    report.sort();
    let rules = service.filter(|_| report.is_ok()).map(|service| Rules { version: files.version(), service, folders });
    Loaded { rules, report }
}

impl Rules {
    /// Hash of the content of the whole set.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Endpoints, variants and plans.
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// The folders, by path.
    pub fn folders(&self) -> impl Iterator<Item = &Folder> {
        self.folders.values().map(Arc::as_ref)
    }

    /// A folder by its path, `salaire-net/ci`.
    pub fn folder(&self, path: &str) -> Option<&Folder> {
        self.folders.get(path).map(Arc::as_ref)
    }

    /// The folders of a family with the word that selects each.
    pub fn family<'r>(&'r self, family: &str) -> impl Iterator<Item = (&'r str, &'r Folder)> {
        let beginning = format!("{family}/");
        self.folders.iter().filter_map(move |(path, folder)| {
            let word = path.strip_prefix(&beginning)?;
            Some((word, folder.as_ref()))
        })
    }

    /// Answers a query on an endpoint.
    ///
    /// # Errors
    /// Every parameter that cannot be used, with what was received and what is accepted.
    pub fn answer(&self, endpoint: &Endpoint, query: &[(String, String)], today: Date) -> Result<Answer, Refusal> {
        let folder = self.select(endpoint, query)?;
        let extras = Extras { ignored: &endpoint.ignored, selector: endpoint.by.as_deref() };
        folder.answer(query, extras, today)
    }

    /// The folder that an endpoint answers a query from.
    ///
    /// # Errors
    /// The selecting parameter, missing, repeated or unknown, with the words that exist.
    pub fn select(&self, endpoint: &Endpoint, query: &[(String, String)]) -> Result<&Folder, Refusal> {
        let Some(by) = &endpoint.by else {
            return self.folder(&endpoint.folder).ok_or(Refusal { parameters: Vec::new() });
        };
        let words: Vec<&str> = self.family(&endpoint.folder).map(|(word, _)| word).collect();
        let refuse = |reason, received| Refusal::of(BadParameter::new(by, reason, received, words.join(", ")));
        if query.iter().filter(|(name, _)| name == by).count() > 1 {
            return Err(refuse(Reason::Repeated, sent(query, by)));
        }
        let Some(received) = sent(query, by) else { return Err(refuse(Reason::Missing, None)) };
        let word = normalize(received);
        let found = self.family(&endpoint.folder).find(|(known, _)| *known == word).map(|(_, folder)| folder);
        found.ok_or_else(|| {
            let near = nearest(&word, words.iter().copied()).map(str::to_owned);
            refuse(Reason::NotListed { near }, Some(received))
        })
    }
}

/// The YAML files of a rule folder, by folder.
struct RuleFiles {
    root: Vec<Arc<SourceFile>>,
    folders: BTreeMap<String, Vec<Arc<SourceFile>>>,
}

/// How deep folders may nest: `salaire-net/ci` is two.
const DEPTH: usize = 4;

impl RuleFiles {
    fn find(root: &Path, report: &mut Report) -> Self {
        let mut found = Self { root: Vec::new(), folders: BTreeMap::new() };
        found.walk(root, "", report);
        if found.folders.is_empty() {
            report.error(&Place::of_file(&SourceFile::new(".", "")), Problem::NoRules {});
        }
        found
    }

    fn walk(&mut self, folder: &Path, path: &str, report: &mut Report) {
        if path.split('/').count() > DEPTH {
            return;
        }
        let mut texts = Vec::new();
        for (name, entry) in sorted_entries(folder, path, report) {
            let inside = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            // What starts with a point belongs to editors and to mounts that swap links.
            if name.starts_with('.') {
                continue;
            }
            if entry.is_dir() {
                self.walk(&entry, &inside, report);
            } else if name.ends_with(".yaml") || name.ends_with(".yml") {
                match std::fs::read_to_string(&entry) {
                    Ok(text) => texts.push(SourceFile::new(inside, text)),
                    Err(error) => unreadable(&inside, &error, report),
                }
            }
        }
        if path.is_empty() {
            self.root = texts;
        } else if !texts.is_empty() {
            self.folders.insert(path.to_owned(), texts);
        }
    }

    fn version(&self) -> String {
        hash(self.root.iter().chain(self.folders.values().flatten()))
    }
}

fn unreadable(path: &str, error: &std::io::Error, report: &mut Report) {
    let place = Place::of_file(&SourceFile::new(path, ""));
    report.error(&place, Problem::Unreadable { reason: error.to_string() });
}

fn sorted_entries(folder: &Path, path: &str, report: &mut Report) -> Vec<(String, PathBuf)> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            unreadable(if path.is_empty() { "." } else { path }, &error, report);
            return Vec::new();
        }
    };
    let mut found: Vec<_> =
        entries.flatten().map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path())).collect();
    found.sort();
    found
}

/// First 64 bits of the SHA-256 of names and contents.
fn hash<'f>(files: impl IntoIterator<Item = &'f Arc<SourceFile>>) -> String {
    let mut digest = Sha256::new();
    for file in files {
        for part in [file.path(), file.text()] {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        }
    }
    digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn read_service(files: &RuleFiles, schemas: &mut Schemas, report: &mut Report) -> Option<Service> {
    let mut service = None;
    for file in &files.root {
        if file.path() != "service.yaml" {
            report.error(&Place::of_file(file), Problem::UnexpectedFile { name: file.path().to_owned() });
            continue;
        }
        let Some(node) = Node::read(file, report) else { continue };
        let paths: Vec<&str> = files.folders.keys().map(String::as_str).collect();
        let mut own = Report::default();
        service = Some(Service::read(&node, &paths, &mut own));
        schemas.service(&node, &mut own);
        report.extend(own);
    }
    if service.is_none() {
        report.error(&Place::of_file(&SourceFile::new("service.yaml", "")), Problem::ServiceMissing {});
    }
    service
}

/// The parsed files of one folder.
#[derive(Default)]
struct Parsed {
    methods: Vec<(String, Arc<SourceFile>, Node)>,
    scales: Vec<(Date, Arc<SourceFile>, Node)>,
    cases: Option<(Arc<SourceFile>, Node)>,
}

impl Parsed {
    fn of(files: &[Arc<SourceFile>], report: &mut Report) -> Self {
        let mut parsed = Self::default();
        for file in files {
            let name = file.path().rsplit('/').next().unwrap_or_default();
            let stem = name.trim_end_matches(".yaml");
            let date = parse_date(stem);
            let is_method = stem == "method" || stem.starts_with("method-");
            if !name.ends_with(".yaml") || (date.is_none() && !is_method && stem != "cases") {
                report.error(&Place::of_file(file), Problem::UnexpectedFile { name: name.to_owned() });
                continue;
            }
            let Some(node) = Node::read(file, report) else { continue };
            match date {
                Some(date) => parsed.scales.push((date, Arc::clone(file), node)),
                None if is_method => parsed.methods.push((stem.to_owned(), Arc::clone(file), node)),
                None => parsed.cases = Some((Arc::clone(file), node)),
            }
        }
        parsed.scales.sort_by_key(|(date, ..)| *date);
        parsed
    }
}

fn read_folder(path: &str, files: &[Arc<SourceFile>], schemas: &mut Schemas, report: &mut Report) -> Option<Folder> {
    let parsed = Parsed::of(files, report);
    let mut methods = BTreeMap::new();
    for (name, file, node) in &parsed.methods {
        let mut own = Report::default();
        let method = Arc::new(Method::read(name, file, node, &mut own));
        schemas.method(node, &mut own);
        let is_ok = own.is_ok();
        report.extend(own);
        // A method with a mistake would make every dated file look wrong.
        if is_ok {
            methods.insert(name.clone(), method);
        }
    }
    if parsed.methods.is_empty() {
        let first = files.first()?;
        report.error(&Place::of_file(first), Problem::NoMethod {});
    }
    let mut editions = Vec::new();
    for (date, file, node) in &parsed.scales {
        editions.extend(read_scale(*date, file, node, &parsed, &methods, schemas, report));
    }
    if parsed.scales.is_empty() {
        editions.extend(
            methods.values().filter(|method| method.name == "method").filter_map(|method| undated(method, report)),
        );
    }
    let dated = editions.iter().all(|edition| edition.scale.is_some());
    let cases = match &parsed.cases {
        Some((file, node)) => {
            let mut own = Report::default();
            let cases = Case::read_all(file, node, dated, &mut own);
            schemas.cases(node, &mut own);
            report.extend(own);
            cases
        }
        None => Vec::new(),
    };
    let complete = !editions.is_empty() && report.is_ok();
    complete.then(|| Folder { path: path.to_owned(), version: hash(files), editions, cases })
}

fn read_scale(
    date: Date,
    file: &Arc<SourceFile>,
    node: &Node,
    parsed: &Parsed,
    methods: &BTreeMap<String, Arc<Method>>,
    schemas: &mut Schemas,
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
    let method = methods.get(name)?;
    if !method.dated {
        report.error(&Place::of_file(file), Problem::DatedFileOfUndated {});
        return None;
    }
    let mut own = Report::default();
    let scale = Scale::read(date, file, node, method, &mut own);
    schemas.scale(method, node, &mut own);
    let mut edition = None;
    if own.is_ok() {
        let figures = Figures {
            date: Some(date),
            sources: &scale.sources,
            citation: scale.citation.as_deref(),
            figures: &scale.figures,
        };
        let program = Program::bind(method, &figures, &mut own);
        edition = Some(Edition { scale: Some(scale), method: Arc::clone(method), program });
    }
    report.extend(own);
    edition
}

fn undated(method: &Arc<Method>, report: &mut Report) -> Option<Edition> {
    if method.dated {
        report.error(&method.place, Problem::NoDatedFile {});
        return None;
    }
    let figures = Figures { date: None, sources: &method.sources, citation: method.citation.as_deref(), figures: &[] };
    let program = Program::bind(method, &figures, report);
    Some(Edition { scale: None, method: Arc::clone(method), program })
}
