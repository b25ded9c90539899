//! `bareme check`: reports every error in the rule files, as the server would refuse them, and
//! every warning.

use std::path::PathBuf;
use std::sync::mpsc;

use bareme_engine::law::Authority;
use bareme_engine::service::{Loaded, Rules};
use bareme_engine::set::lint;
use bareme_engine::text::{Severity, pluralized};
use bareme_engine::{Diagnostic, Folder, Lang, Loader};
use bareme_show::{Cell, Locale, Table, Text, Tone, say};
use serde_json::{Value, json};

use crate::page::Page;
use crate::rule_files::{RuleFiles, STEPS};
use crate::session::{Exit, Failure, Outcome, Session};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[arg(long)]
    watch: bool,
    #[arg(long, short)]
    verbose: bool,
    #[arg(long)]
    strict: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let files = RuleFiles::find(session, &args.paths)?;
    if args.watch {
        return watch(args, &files, session);
    }
    check(args, &files, session)
}

fn check(args: &Args, files: &RuleFiles, session: &Session) -> Result<Exit, Failure> {
    // Loaded as the server would, cases included. What is reported of other folders than the chosen
    // ones is not shown: they are read only for what these calculate with them.
    let about = files.folders();
    let is_of_root = about.iter().any(|folder| folder.is_empty());
    let about = if is_of_root { [].as_slice() } else { &about };
    let Loaded { rules, report } = Loader::new()
        .drafts(session.drafts)
        .only(about)
        .keeping_cases()
        .load_service(&files.root);

    // Advice needs rules without errors.
    let advice = rules
        .as_ref()
        .map(|rules| lint(chosen_folders(rules, files), session.today))
        .unwrap_or_default();
    // The authorities are of the last scales: what the figures in use rest on.
    let authorities = rules
        .as_ref()
        .map(|rules| count_authorities(rules, files))
        .unwrap_or_default();

    let chosen = |found: &&Diagnostic| files.holds(found.file());
    // An unreadable draft is an error for its author, though it stops no server.
    let unreadable: Vec<Diagnostic> = report
        .warnings()
        .filter_map(Diagnostic::of_unreadable_draft)
        .collect();
    let is_warning = |found: &&Diagnostic| found.of_unreadable_draft().is_none();

    let errors: Vec<&Diagnostic> = report.errors().chain(&unreadable).filter(chosen).collect();
    let warnings: Vec<&Diagnostic> = report
        .warnings()
        .filter(is_warning)
        .chain(advice.all())
        .filter(chosen)
        .collect();

    // A doubt about a scale in force holds its folder back from the service, like an error.
    let folders = rules.iter().flat_map(|rules| rules.folders());
    let doubts = folders.flat_map(|folder| folder.doubts());
    let doubts = doubts.filter(chosen).count();

    // The result is shown before the exit code is decided, which depends on `--strict`.
    session.show(&outcome(
        args,
        files,
        &Found {
            errors: &errors,
            warnings: &warnings,
            doubts,
        },
        &authorities,
        session,
    ))?;

    // The process ends after a check: its memory is not given back piece by piece before.
    if !args.watch {
        std::mem::forget(rules);
    }

    // Reminders depend on the day only: `--strict` must not fail a build that nobody has changed.
    let is_wrong = !errors.is_empty()
        || doubts > 0
        || (args.strict && warnings.iter().any(|warning| !warning.is_reminder()));
    Ok(if is_wrong { Exit::Wrong } else { Exit::Fine })
}

/// Results of a check: its messages and the counts of the summary.
struct Found<'f> {
    errors: &'f [&'f Diagnostic],
    warnings: &'f [&'f Diagnostic],
    /// How many of the warnings hold a folder in force back.
    doubts: usize,
}

fn outcome(
    args: &Args,
    files: &RuleFiles,
    found: &Found,
    authorities: &AuthorityCounts,
    session: &Session,
) -> Outcome {
    let lang = session.lang;
    let Found {
        errors,
        warnings,
        doubts,
    } = *found;

    let mut page = Page::default();

    files.show(errors.iter().copied(), &mut page, session);

    if args.verbose {
        files.show(warnings.iter().copied(), &mut page, session);
    } else if !warnings.is_empty() {
        page.heading(say!(
            lang,
            "À relire (`--verbose` pour le détail)",
            "To look at again (`--verbose` for more)"
        ));
        page.table(short(warnings, lang));
    }

    if args.verbose && !authorities.is_empty() {
        page.heading(say!(
            lang,
            "Ce qui fonde les chiffres des derniers barèmes",
            "What the figures of the last scales rest on"
        ));
        page.table(authority_table(authorities, lang));
    }

    let (wrong, odd) = (errors.len(), warnings.len());
    let tone = if wrong > 0 || doubts > 0 {
        Tone::Bad
    } else {
        Tone::Good
    };

    // Before the verdict, which is the last line.
    if doubts > 0 {
        page.toned(doubts_text(doubts, lang), Tone::Bad);
    }

    let verdict = format!(
        "{}, {}.",
        errors_text(wrong, lang),
        warnings_text(odd, lang)
    );

    page.toned(&verdict, tone);

    let annotations = errors
        .iter()
        .chain(warnings)
        .map(|found| annotation(found, files, lang));

    Outcome {
        page,
        // The members are in French, as all JSON of the commands for authors.
        json: json!({
            "erreurs": errors.iter().map(|found| to_json(found, files, lang)).collect::<Vec<_>>(),
            "fondements": authorities_to_json(authorities),
            "retiennent": doubts,
            "avertissements": warnings.iter().map(|found| to_json(found, files, lang)).collect::<Vec<_>>(),
        }),
        annotations: annotations
            .chain([format!("::notice::{}", escaped(&verdict, false))])
            .collect(),
    }
}

/// The folders of which something is chosen.
fn chosen_folders<'r>(rules: &'r Rules, files: &RuleFiles) -> impl Iterator<Item = &'r Folder> {
    rules
        .folders()
        .filter(|folder| files.holds_part_of(folder.path()))
}

/// Numbers of figures by authority, in the last scale of each folder.
type AuthorityCounts = Vec<(String, [usize; AUTHORITIES.len()])>;

/// The authorities of figures, as programs and analysts read them.
const AUTHORITIES: [(Authority, &str, Text); 3] = [
    (Authority::Law, "loi", Text::new("Loi", "Law")),
    (
        Authority::Administration,
        "administration",
        Text::new("Administration", "Administration"),
    ),
    (
        Authority::Evidence,
        "aucun_texte",
        Text::new("Aucun texte", "No text"),
    ),
];

fn count_authorities(rules: &Rules, files: &RuleFiles) -> AuthorityCounts {
    // A folder without dated files has no sources to count.
    let counts = chosen_folders(rules, files).filter_map(|folder| {
        let scale = folder.latest()?.scale()?;
        let own: Vec<Authority> = scale
            .figures
            .iter()
            .map(|figure| figure.authority(&scale.sources))
            .collect();

        let count = |(authority, _, _)| own.iter().filter(|known| **known == authority).count();
        Some((folder.path().to_owned(), AUTHORITIES.map(count)))
    });

    counts.collect()
}

fn authority_table(counts: &AuthorityCounts, lang: Lang) -> Table {
    let mut table = Table::default().text(say!(lang, "Barème", "Scale"));
    for (_, _, title) in AUTHORITIES {
        table = table.number(title.in_lang(lang));
    }

    for (folder, counts) in counts {
        table.row(
            [folder.into()]
                .into_iter()
                .chain(counts.map(|count| count.to_string().into())),
        );
    }
    table
}

fn authorities_to_json(counts: &AuthorityCounts) -> Value {
    let named = |counts: &[usize; AUTHORITIES.len()]| -> Value {
        AUTHORITIES
            .iter()
            .zip(counts)
            .map(|((_, name, _), count)| ((*name).to_owned(), Value::from(*count)))
            .collect()
    };

    counts
        .iter()
        .map(|(folder, counts)| (folder.clone(), named(counts)))
        .collect()
}

fn errors_text(errors: usize, lang: Lang) -> String {
    Locale::from(lang).count(
        errors,
        Text::new("erreur", "error"),
        Text::new("erreurs", "errors"),
    )
}

fn warnings_text(warnings: usize, lang: Lang) -> String {
    Locale::from(lang).count(
        warnings,
        Text::new("avertissement", "warning"),
        Text::new("avertissements", "warnings"),
    )
}

fn doubts_text(doubts: usize, lang: Lang) -> String {
    let text = say!(
        lang,
        "{doubts} doute(s) sur un barème en vigueur : le service garde l’état précédent du dossier tant que le texte n’est pas relu, et la valeur corrigée ou son motif écrit (`reviewed: \"…\"`).",
        "{doubts} doubt(s) about a scale in force: the service keeps the state of the folder before until the text is read again, and the value fixed or its reason written (`reviewed: \"…\"`)."
    );
    pluralized(&text, lang)
}

/// One line for each warning.
fn short(warnings: &[&Diagnostic], lang: Lang) -> Table {
    let mut table = Table::default()
        .text(say!(lang, "Fichier", "File"))
        .text("Code")
        .text(say!(lang, "Constat", "What"));

    let mut last = "";
    // A file is named once, with its first warning.
    for warning in warnings {
        // Warnings are in the order of their files.
        let file = if warning.file() == last {
            ""
        } else {
            warning.file()
        };

        last = warning.file();
        table.row([
            file.into(),
            Cell::toned(warning.code(), Tone::Warning),
            warning.message(lang).into(),
        ]);
    }
    table
}

/// A diagnostic for programs.
fn to_json(found: &Diagnostic, files: &RuleFiles, lang: Lang) -> Value {
    json!({
        "fichier": files.shown(found.file()), "ligne": found.line(), "colonne": found.column(), "code": found.code(),
        "message": found.message(lang), "remede": found.cure(lang), "extrait": found.excerpt(),
    })
}

/// A diagnostic as a workflow command, which annotates the line in the pull request.
pub(crate) fn annotation(found: &Diagnostic, files: &RuleFiles, lang: Lang) -> String {
    let level = if found.severity() == Severity::Error {
        "error"
    } else {
        "warning"
    };

    let (file, line, column) = (
        escaped(&files.shown(found.file()), true),
        found.line(),
        found.column(),
    );

    // Message and cure are one annotation, as the editor shows them.
    let text = [found.message(lang), found.cure(lang)].join("\n");
    format!(
        "::{level} file={file},line={line},col={column},title={}::{}",
        found.code(),
        escaped(text.trim_end(), false)
    )
}

/// Escapes characters that workflow commands reserve.
fn escaped(text: &str, is_property: bool) -> String {
    let text = text
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A");

    if is_property {
        text.replace(':', "%3A").replace(',', "%2C")
    } else {
        text
    }
}

/// Checks again at each change of a file, until interrupted.
fn watch(args: &Args, files: &RuleFiles, session: &Session) -> Result<Exit, Failure> {
    let (sender, changes) = mpsc::channel();
    // The watcher stops when it is dropped.
    let _watcher = files.watch(move || sender.send(()).unwrap_or_default())?;

    loop {
        // A terminal is cleared, so that only the last result is on it.
        if session.style.coloured {
            session.print("\u{1b}[2J\u{1b}[H")?;
        }
        check(args, files, session)?;

        // The time shows that the check has run again where the result is the same.
        let now = jiff::Zoned::now().strftime("%H:%M:%S").to_string();
        let waiting = say!(
            session.lang,
            "{now} : en attente d’une modification (Ctrl-C pour finir)\n",
            "{now}: waiting for a change (Ctrl-C to end)\n"
        );
        session.print(&session.style.paint(&waiting, Tone::Dim))?;

        if changes.recv().is_err() {
            return Ok(Exit::Fine);
        }
        // The several writes of an editor are one change.
        while changes.recv_timeout(STEPS).is_ok() {}
    }
}
