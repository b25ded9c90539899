//! The loader of one folder: its methods, its dated files, its cases.

use std::sync::Arc;

use jiff::civil::Date;
use sha2::{Digest as _, Sha256};

use crate::law::adopted::check_adopted;
use crate::law::callee::Callees;
use crate::law::option;
use crate::law::{Draft, Drafts, Method, Scale};
use crate::run::case::{Case, CaseFile};
use crate::run::edition::Edition;
use crate::run::folder::{Checks, Folder};
use crate::run::rules::{Digest, version_of};
use crate::set::compare::{Findings, Sheet, compare};
use crate::set::files::{FilesOfFolder, digest};
use crate::set::load::methods::Methods;
use crate::set::schema;
use crate::text::limits::{METHODS, VALUES};
use crate::text::{Node, Place, Problem, Report, RuleFile};

use super::followed::check_followed;
use super::kind::{FileKind, misnamed};
use super::law::set_versions;
use super::nodes::Nodes;
use super::picture::{PICTURE, read_picture};
use super::shared::follow_shared_figures;
use super::translation::TRANSLATION;
use super::years::check_years;

/// The parsed files of one folder.
#[derive(Default)]
pub(super) struct Parsed {
    pub methods: Vec<(String, Arc<RuleFile>, Node)>,
    pub scales: Vec<(Date, Arc<RuleFile>, Node)>,
    /// The file of the cases; not parsed where it was checked before.
    pub cases: Option<(Arc<RuleFile>, Option<Node>)>,
    /// The file of the English texts.
    pub translation: Option<Arc<RuleFile>>,
    /// The file of the picture.
    pub picture: Option<Arc<RuleFile>>,
    /// Drafts that are not valid YAML.
    pub unreadable: Vec<Draft>,
    /// The methods and scales in their compact form; empty if there is none.
    pub trees: Arc<[u8]>,
}

impl Parsed {
    fn parse(folder: &FolderFiles, drafts: Drafts, report: &mut Report) -> Self {
        let mut nodes = Nodes::new(folder);
        let mut parsed = Self::default();
        let (mut methods, mut values) = (0, 0);

        for file in folder.files.iter() {
            let Some(kind) = FileKind::from_name(file.name()) else {
                report.error(&Place::of_file(file), misnamed(file.name(), folder.files));
                continue;
            };

            methods += usize::from(matches!(kind, FileKind::Method(_)));
            if !METHODS.accepts(methods, &Place::of_file(file), report) {
                break;
            }

            // Cases that will not run are two thirds of the files.
            if matches!(kind, FileKind::Cases) && !folder.reads_cases {
                parsed.cases = Some((Arc::clone(file), None));
                continue;
            }

            // Translations and pictures are no law: they are read after it, and hold none back.
            let aside = match kind {
                FileKind::Translation => Some(&mut parsed.translation),
                FileKind::Picture => Some(&mut parsed.picture),
                _ => None,
            };
            if let Some(aside) = aside {
                *aside = Some(Arc::clone(file));
                continue;
            }

            let mut own = Report::default();
            let read = match kind {
                FileKind::Cases => Node::read(file, &mut own),
                _ => nodes.next(file, &mut own),
            };
            let Some(node) = read else {
                // A draft stops no service, even one that is not YAML: its errors are warnings.
                let draft = match kind {
                    FileKind::Scale(date) if drafts == Drafts::Aside => {
                        Draft::unreadable(date, file.text(), own.errors().count())
                    }
                    _ => None,
                };
                report.extend(if draft.is_some() { own.demoted() } else { own });
                parsed.unreadable.extend(draft);
                continue;
            };
            report.extend(own);

            // The parser limits each file; this is the limit of the whole folder.
            values += node.count();
            if !VALUES.accepts(values, &Place::of_file(file), report) {
                break;
            }

            match kind {
                FileKind::Scale(date) => parsed.scales.push((date, Arc::clone(file), node)),
                FileKind::Method(stem) => {
                    parsed
                        .methods
                        .push((stem.to_owned(), Arc::clone(file), node))
                }
                FileKind::Cases => parsed.cases = Some((Arc::clone(file), Some(node))),
                FileKind::Translation | FileKind::Picture => {}
            }
        }

        parsed.scales.sort_by_key(|(date, ..)| *date);
        parsed.trees = nodes.into_trees();
        parsed
    }
}

/// The files of a folder, with what is to be done with them.
pub(crate) struct FolderFiles<'f> {
    /// Path from the root of the rules.
    pub path: &'f str,
    /// Digest of its files, drafts included, and of what it calculates.
    pub content: Digest,
    /// The files that were read.
    pub files: &'f FilesOfFolder,
    /// The other folders that it may calculate.
    pub callees: &'f Callees,
    /// Whether every file of the folder was read.
    pub is_complete: bool,
    /// Checks to be made.
    pub checks: Checks,
    /// Whether the cases are read now; otherwise on first use, if ever.
    pub reads_cases: bool,
    /// Whether its texts in English are read.
    pub reads_english: bool,
    /// How many findings of a comparison with the file before are reported.
    pub findings: Findings,
    /// The compact form of its parsed files but the cases, if it is known.
    pub trees: Option<&'f Arc<[u8]>>,
}

/// Reads a folder: its methods, then its dated files, then its cases. `None` where there are
/// errors.
pub(crate) fn read_folder(
    folder: &FolderFiles,
    drafts: Drafts,
    report: &mut Report,
) -> Option<Folder> {
    let FolderFiles {
        path,
        files,
        is_complete,
        checks,
        ..
    } = *folder;

    // 1. The text of every file.
    let mut own = Report::default();
    let mut parsed = Parsed::parse(folder, drafts, &mut own);
    // A misnamed or unreadable file must not be reported as missing too.
    let all_read = is_complete && own.is_ok();
    report.extend_file(own);

    // 2. The methods, before the dated files, whose schemas and figures are those of their method.
    let mut methods = Methods::read(path, &parsed.methods, folder.callees, checks, report);
    if parsed.methods.is_empty() && all_read {
        let first = files.first()?;
        report.error(&Place::of_file(first), Problem::NoMethod {});
    }

    // 3. The dated files, each alone, then compared with each other.
    let mut waiting = std::mem::take(&mut parsed.unreadable);
    let Scales {
        mut editions,
        drafts: readable,
        sheets,
    } = read_scales(&parsed, &mut methods, checks, drafts, report);
    waiting.extend(readable);
    compare(&sheets, folder.findings, report);
    check_years(&editions, report);

    // 4. A method without dates is an edition of its own.
    if parsed.scales.is_empty() && all_read {
        editions.extend(
            methods
                .get("method")
                .and_then(|known| undated(&known.method, checks, report)),
        );
    }
    check_days(&parsed, &methods, report);
    if !checks.are_skipped() {
        check_followed(
            &parsed.methods,
            parsed.scales.iter().map(|(.., node)| node),
            report,
        );
    }
    follow_shared_figures(&mut editions, checks, report);
    check_calls(&editions, checks, report);

    // 5. The cases, read against what the folder has become; they run later.
    let dated = has_days(files, &editions, &methods);
    let cases = parsed
        .cases
        .as_ref()
        .and_then(|(file, node)| read_cases(file, node.as_ref()?, dated, report));

    waiting.sort_by_key(|draft| draft.date);
    let version = version(folder, drafts, &waiting);
    let english = parsed
        .translation
        .as_ref()
        .filter(|_| folder.reads_english && report.is_ok())
        .and_then(|file| parsed.in_english(file, folder, drafts, report));
    let picture = parsed
        .picture
        .as_ref()
        .filter(|_| checks != Checks::Unchecked)
        .and_then(|file| read_picture(file, report));
    let methods = parsed
        .methods
        .iter()
        .map(|(name, _, node)| (name.as_str(), node));
    let scales = parsed.scales.iter().map(|(date, _, node)| (*date, node));
    set_versions(&mut editions, methods.collect(), &scales.collect());

    if editions.is_empty() || !report.is_ok() {
        return None;
    }
    let folder = Folder {
        path: path.to_owned(),
        version,
        content: folder.content,
        editions,
        drafts: waiting,
        cases: CaseFile::new(parsed.cases.map(|(file, _)| file), drafts),
        checks: match checks {
            Checks::Whole => Checks::WithoutCases,
            checks => checks,
        },
        trees: parsed.trees,
        warnings: Report::default(),
        english: english.map(|english| {
            let picture = picture.clone();
            Arc::new(Folder { picture, ..english })
        }),
        picture,
    };
    if let Some(cases) = cases {
        folder.keep_cases(cases);
    }
    Some(folder)
}

/// The dated files of a folder, read.
#[derive(Default)]
pub(super) struct Scales<'n> {
    /// Those without errors, in force or included.
    pub editions: Vec<Edition>,
    /// The drafts, whether they are left out or answer like other scales.
    drafts: Vec<Draft>,
    /// Those to compare with each other.
    sheets: Vec<Sheet<'n>>,
}

/// Reads the dated files in the order of their days.
pub(super) fn read_scales<'n>(
    parsed: &'n Parsed,
    methods: &mut Methods,
    checks: Checks,
    drafts: Drafts,
    report: &mut Report,
) -> Scales<'n> {
    let mut scales = Scales::default();

    for (date, file, node) in &parsed.scales {
        let mut own = Report::default();
        let edition = read_scale(*date, file, node, parsed, methods, checks, &mut own);
        let draft = Draft::read(*date, node, &mut own);

        // A draft may rest on a bill; what is in force may not.
        if draft.is_none() && !checks.are_skipped() {
            check_adopted(node, &mut own);
        }

        let is_aside = draft.is_some() && drafts == Drafts::Aside;
        let sheet =
            |edition: &Edition| Sheet::new(*date, file, node, &edition.method, draft.is_some());
        if !checks.are_skipped() {
            scales.sheets.extend(edition.as_ref().map(sheet));
        }
        scales.drafts.extend(draft);

        if is_aside {
            report.extend(own.demoted());
        } else {
            scales.editions.extend(edition);
            report.extend(own);
        }
    }

    scales
}

/// The version of a folder. Drafts that are left out do not count: an answer must not show another
/// version because somebody prepares next year.
pub(super) fn version(folder: &FolderFiles, drafts: Drafts, waiting: &[Draft]) -> String {
    let is_draft = |file: &&Arc<RuleFile>| {
        waiting
            .iter()
            .any(|draft| file.path() == draft.path(folder.path))
    };
    // Translations and pictures are no law: they do not change its version.
    let is_aside = |file: &Arc<RuleFile>| [TRANSLATION, PICTURE].contains(&file.name());
    let own = match drafts {
        Drafts::Aside if !waiting.is_empty() => digest(
            folder
                .files
                .iter()
                .filter(|file| !is_draft(file) && !is_aside(file)),
        ),
        _ if folder.files.iter().any(is_aside) => {
            digest(folder.files.iter().filter(|file| !is_aside(file)))
        }
        _ => folder.files.content(),
    };

    // What it calculates changes its answers as much as its own files do.
    let mut called = folder.callees.versions().peekable();
    if called.peek().is_none() {
        return version_of(own);
    }
    let mut whole = Sha256::new();
    whole.update(own);
    called.for_each(|(path, version)| whole.update(format!("{path}\n{version}")));
    version_of(whole.finalize().into())
}

/// Reports the days of each edition on which a step cannot calculate the folder that it names.
fn check_calls(editions: &[Edition], checks: Checks, report: &mut Report) {
    if checks.are_skipped() {
        return;
    }

    let start = |edition: &Edition| Some(edition.scale()?.date);
    for (index, edition) in editions.iter().enumerate() {
        let next = editions.get(index.saturating_add(1)).and_then(start);
        let until = edition.scale().and_then(|scale| scale.until);
        let last = until.or_else(|| next.and_then(|next| next.yesterday().ok()));
        edition.method.check_calls((start(edition), last), report);
    }
}

/// Whether the cases of a folder have days. A method with mistakes does not say so; the names of
/// the files do.
fn has_days(files: &[Arc<RuleFile>], editions: &[Edition], methods: &Methods) -> bool {
    let is_scale =
        |file: &Arc<RuleFile>| matches!(FileKind::from_name(file.name()), Some(FileKind::Scale(_)));
    match (editions.first(), methods.get("method")) {
        (Some(edition), _) => edition.scale.is_some(),
        (None, Some(known)) => known.method.dated,
        (None, None) => files.iter().any(is_scale),
    }
}

/// Reads the cases; `None` where the file is not a map of sections.
fn read_cases(
    file: &Arc<RuleFile>,
    node: &Node,
    dated: bool,
    report: &mut Report,
) -> Option<Vec<Case>> {
    let mut own = Report::default();
    let cases = schema::CASES.check_sections(node, &mut own).then(|| {
        let cases = Case::read_all(file, node, dated, &mut own);
        schema::CASES.validate(node, &mut own);
        cases
    });
    report.extend_file(own);
    cases
}

/// Reads a dated file and compiles it with its method; `None` where it cannot be read.
fn read_scale(
    date: Date,
    file: &Arc<RuleFile>,
    node: &Node,
    parsed: &Parsed,
    methods: &mut Methods,
    checks: Checks,
    report: &mut Report,
) -> Option<Edition> {
    // 1. Its method. One with errors of its own is reported there, and nothing here.
    let written = node.text_of("method");
    let name = written.map_or("method", |text| text.value.trim_end_matches(".yaml"));
    if !parsed.methods.iter().any(|(known, ..)| known == name) {
        if let Some(text) = written {
            let files = parsed.methods.iter().map(|(_, file, _)| file.name());
            report.error(&text.place, Problem::unknown_method(&text.value, files));
        }
        return None;
    }
    let known = methods.get(name)?;
    if !known.method.dated {
        report.error(&Place::of_file(file), Problem::DatedFileOfUndated {});
        return None;
    }

    // 2. Its sections.
    let mut own = Report::default();
    if known
        .schema
        .as_ref()
        .is_some_and(|schema| !schema.check_sections(node, &mut own))
    {
        report.extend_file(own);
        return None;
    }

    // 3. Its figures, by the version of the method for this file; then the schema, for what the
    // reader has not reported.
    let without = option::read_without(node, known.method.options(), &mut own);
    let method = methods.of_scale(name, &without, date)?;
    let scale = Scale::read(date, file, node, &method, &mut own);
    if let Some(schema) = methods.get(name).and_then(|known| known.schema.as_ref()) {
        schema.validate(node, &mut own);
    }

    // 4. The program. Figures with errors would only give errors that follow from them.
    let edition = own
        .is_ok()
        .then(|| compiled(Edition::new(&method, Some(scale)), checks, &mut own));

    report.extend_file(own);
    edition
}

/// Compiles an edition, to report its mistakes; not where a record says that it compiles: then its
/// first calculation does.
fn compiled(edition: Edition, checks: Checks, report: &mut Report) -> Edition {
    if checks != Checks::Trusted {
        // A program that does not compile is in the report, and its folder is not served.
        drop(edition.compile(report));
    }
    edition
}

/// Reports figures that appear or end on another day than the first of a dated file: they would
/// start on another day than the law says.
fn check_days(parsed: &Parsed, methods: &Methods, report: &mut Report) {
    let starts: Vec<Date> = parsed.scales.iter().map(|(date, ..)| *date).collect();

    for (name, ..) in &parsed.methods {
        let figures = methods
            .get(name)
            .map(|known| known.method.figures())
            .unwrap_or_default();

        for shape in figures {
            let gone = shape.until.and_then(|until| until.tomorrow().ok());

            // A figure that appeared before the first dated file had no scale to start with.
            for day in shape.since.into_iter().chain(gone) {
                if starts.first().is_some_and(|first| *first < day) && !starts.contains(&day) {
                    let problem = Problem::NoScaleOnThatDay {
                        figure: shape.name.clone(),
                        date: day.to_string(),
                    };
                    report.warn(&shape.place, problem);
                }
            }
        }
    }
}

/// The only edition of a method without dates.
pub(super) fn undated(
    method: &Arc<Method>,
    checks: Checks,
    report: &mut Report,
) -> Option<Edition> {
    if method.dated {
        report.error(&method.place, Problem::NoDatedFile {});
        return None;
    }
    Some(compiled(Edition::new(method, None), checks, report))
}
