//! What the renewal of a folder writes, once everything that speaks against it was looked for.

use bareme_engine::authoring::Node;
use bareme_engine::law::{PendingText, Scale};
use bareme_engine::set::lint;
use bareme_engine::text::normalize;
use bareme_engine::{Diagnostic, FileSet, Loader, Report, Rules};
use bareme_show::{Tone, say};
use jiff::civil::Date;

use super::accepted::{self, ReadText};
use super::cases::{self, MovedCase};
use super::write::{self, Record};
use super::{Args, refusal};
use crate::command::confirm::{add_source, check_new};
use crate::page::Page;
use crate::rule_files::{RuleFiles, folder_of};
use crate::series::{DatedFile, Series};
use crate::session::{Failure, Session};

/// The last known day before and after.
#[derive(Debug, Clone, Copy)]
pub(super) struct Days {
    pub known: Date,
    pub until: Date,
}

/// An awaited text that was read: the words that name it, and its line of `watch`.
#[derive(Debug)]
pub(super) struct Answered {
    pub words: String,
    pub index: usize,
    pub line: String,
}

/// The renewal of a folder.
pub(super) struct Renewal {
    pub series: Series,
    pub before: DatedFile,
    pub after: DatedFile,
    pub days: Days,
    /// The texts that were read.
    pub read: Vec<ReadText>,
    /// The awaited texts, and those of them that were read.
    pub awaited: Vec<String>,
    pub answered: Vec<Answered>,
    pub moved: Vec<MovedCase>,
    /// The files as they are written.
    set: FileSet,
    /// What `bareme check` says of the dated file afterwards.
    pub findings: Vec<Diagnostic>,
}

impl Renewal {
    /// Plans the renewal of a folder of some files, or says why it is refused.
    pub(super) fn plan(
        args: &Args,
        set: &FileSet,
        files: &RuleFiles,
        name: &str,
        session: &Session,
    ) -> Result<Self, Failure> {
        let series = Series::of(set, files, name, session)?;
        let before = accepted::file(args, files, &series, session)?.clone();

        // 1. What is known of the scale, and that nothing speaks against more days.
        let rules = rules(&series, files, session)?;
        let scale = scale(&rules, &series.folder, before.date)
            .ok_or_else(|| Failure::unusable(before.inside.clone()))?;
        let days = Days {
            known: scale.known_until,
            until: args.until,
        };
        accepted::check_period(files, &series, &before, scale, args.until, session)?;
        accepted::check_taken(files, &series, &before, &rules, args.until, session)?;

        // 2. The texts that were read.
        let source = args.described.entry(Some(&args.source));
        check_new(source.as_ref(), Some(&before), session)?;
        let mut start = before.clone();
        if let Some((id, stated)) = &source {
            add_source(&mut start, id, stated);
        }
        let read = accepted::texts(args, files, &before, &start, session)?;

        // 3. The awaited texts that were read, and no other that the new days lie beyond.
        let answered = answered(args, &scale.watch, session)?;
        let node = |index: usize| before.node.get("watch")?.items().get(index);
        for (one, awaited) in answered
            .iter()
            .filter_map(|one| Some((one, scale.watch.get(one.index)?)))
        {
            let place = accepted::place(files, &before, node(one.index));
            accepted::check_year(&awaited.text, &read, &place, session)?;
        }
        let is_answered = |index: usize| answered.iter().any(|one| one.index == index);
        let waits = scale.watch.iter().enumerate();
        let mut waits =
            waits.filter(|(index, one)| one.expected < args.until && !is_answered(*index));
        if let Some((index, awaited)) = waits.next() {
            let node = before
                .node
                .get("watch")
                .and_then(|list| list.items().get(index));
            return Err(not_answered(files, &before, node, awaited, args, session));
        }
        let awaited = scale.watch.iter().map(|one| one.text.clone()).collect();

        // 4. The edits of the file, then of the cases that ask about its new days.
        let record = Record {
            until: args.until,
            today: session.today,
            read: &read,
            answered: &answered,
            because: args.because.as_deref(),
        };
        let after = write::renewed(&start, &record, &series.all, &before);
        let set = series.all.clone().with(&after.inside, &after.text);
        let (set, moved) = cases::settled(set, days, args, files, session)?;

        let findings = checked(files, &series.all, &set, &after, session)?;
        Ok(Self {
            series,
            before,
            after,
            days,
            read,
            awaited,
            answered,
            moved,
            set,
            findings,
        })
    }

    /// The files to write, each with its text.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.set
            .texts()
            .filter(|(path, text)| self.series.all.text(path) != Some(text))
    }
}

/// The scales in force of a folder, and of those that it calculates.
fn rules(series: &Series, files: &RuleFiles, session: &Session) -> Result<Rules, Failure> {
    let loaded = Loader::new().without_cases().load_files(&series.all);
    loaded
        .rules
        .ok_or_else(|| files.refused(&loaded.report, session))
}

/// The scale of a folder that starts on a day: one that it calculates may have a file of that day too.
fn scale<'r>(rules: &'r Rules, folder: &str, date: Date) -> Option<&'r Scale> {
    let editions = rules.folder(folder)?.editions().iter();
    let mut scales = editions.filter_map(|edition| edition.scale());
    scales.find(|scale| scale.date == date)
}

/// The awaited texts that the command names by words of theirs.
fn answered(
    args: &Args,
    watch: &[PendingText],
    session: &Session,
) -> Result<Vec<Answered>, Failure> {
    let mut found = Vec::new();
    for words in &args.answered {
        let word = normalize(words);
        let named: Vec<(usize, &PendingText)> = watch
            .iter()
            .enumerate()
            .filter(|(_, one)| !word.is_empty() && normalize(&one.text).contains(&word))
            .collect();

        // Two texts may have the same name: which of them was read would be a guess.
        if let [first, second, ..] = named.as_slice() {
            let (first, second) = (&first.1.text, &second.1.text);
            return Err(Failure::unusable(say!(
                session.lang,
                "`{words}` nomme plusieurs textes attendus : en dire davantage. « {first} », « {second} »",
                "`{words}` names several awaited texts: say more of it. \"{first}\", \"{second}\""
            )));
        }
        found.extend(named.into_iter().map(|(index, one)| Answered {
            words: words.clone(),
            index,
            line: format!("{} : {}", one.expected, one.text),
        }));
    }
    Ok(found)
}

fn not_answered(
    files: &RuleFiles,
    file: &DatedFile,
    node: Option<&Node>,
    awaited: &PendingText,
    args: &Args,
    session: &Session,
) -> Failure {
    let (expected, text, until) = (awaited.expected, &awaited.text, args.until);
    let cause = say!(
        session.lang,
        "`watch` attend pour le {expected}, avant le {until} : {text}",
        "`watch` awaits for {expected}, before {until}: {text}"
    );
    let cure = say!(
        session.lang,
        "si ce texte est paru et ne change rien, le nommer par `--answered \"…\"`, quelques mots de son titre, qui l’ôte de `watch` ; sinon attendre, ou donner un jour de `--until` qui ne le dépasse pas.",
        "if that text is out and changes nothing, name it by `--answered \"…\"`, some words of its title, which takes it off `watch`; otherwise wait, or give a day of `--until` that is not beyond it."
    );
    refusal(&cause, &accepted::place(files, file, node), &cure, session)
}

/// What `bareme check` says of the file afterwards; mistakes, doubts and warnings that it did not
/// say before refuse the renewal.
fn checked(
    files: &RuleFiles,
    before: &FileSet,
    after: &FileSet,
    file: &DatedFile,
    session: &Session,
) -> Result<Vec<Diagnostic>, Failure> {
    let found = |set: &FileSet| -> Result<Vec<Diagnostic>, Report> {
        let about = [folder_of(&file.inside)];
        let loaded = Loader::new().only(&about).keeping_cases().load_files(set);
        let Some(rules) = &loaded.rules else {
            return Err(loaded.report);
        };
        let renewed = rules.folder(about[0]);
        let advice = lint(renewed, session.today);
        let warnings = loaded.report.warnings().chain(advice.all());
        Ok(warnings
            .filter(|one| one.file() == file.inside)
            .cloned()
            .collect())
    };

    let now = found(after).map_err(|report| files.refused(&report, session))?;
    // A file that was refused before has nothing to compare with.
    let known = found(before).unwrap_or_default();

    let count =
        |all: &[Diagnostic], code: &str| all.iter().filter(|one| one.code() == code).count();
    let is_new = |one: &&Diagnostic| {
        let code = one.code();
        !one.is_reminder() && count(&now, code) > count(&known, code)
    };
    // A doubt holds the file back whether or not it was there before: nobody knows the scale yet.
    let against: Vec<&Diagnostic> = now
        .iter()
        .filter(|one| one.is_doubt() || is_new(one))
        .collect();
    if against.is_empty() {
        return Ok(now);
    }

    let mut page = Page::default();
    files.show(against.into_iter(), &mut page, session);
    page.toned(
        say!(
            session.lang,
            "`bareme check` le dirait du fichier renouvelé : le corriger, ou en écrire le motif (`reviewed: \"…\"`), puis reprendre la commande.",
            "`bareme check` would say so of the renewed file: fix it, or write its reason (`reviewed: \"…\"`), then give the command again."
        ),
        Tone::Plain,
    );
    Err(Failure::wrong(page.to_text(session.style)))
}
