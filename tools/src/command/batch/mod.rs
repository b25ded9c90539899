//! `bareme batch`: rows of parameters in, rows of answers out, on every processor and in constant memory.
//!
//! One thread reads, as many as there are processors compute, and this one writes, in the order of the
//! input: chunk after chunk goes to the workers in turn and is fetched back in the same turn. Every
//! queue is short, so that whoever is ahead waits.

mod dialect;
mod header;
mod rows;
mod written;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use bareme_engine::Folder;
use bareme_show::{Locale, Text, say};
use indicatif::{ProgressBar, ProgressStyle};
use rust_decimal::Decimal;

use crate::rule_files::RuleFiles;
use crate::session::{Exit, Failure, Format, Session};
use crate::target::{Target, reason};
use crate::typed::{Signs, currency};

use dialect::{Letters, Wanted};
use rows::{Layout, Read, Reading, Row, Rows};
use written::Columns;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "FOLDER")]
    name: String,
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[arg(long, value_name = "FILE")]
    errors: Option<PathBuf>,
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    fields: Vec<String>,
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    keep: Vec<String>,
    #[arg(long, value_name = "LOCALE")]
    locale: Option<Signs>,
    #[arg(long, value_name = "ENCODING")]
    encoding: Option<Letters>,
    #[arg(long, value_name = "COUNT")]
    jobs: Option<usize>,
}

/// Chunks that wait before and after each worker.
const QUEUE: usize = 4;
/// Reasons shown of refused rows when they are not kept apart, and warnings shown.
const TOLD: usize = 10;
/// Different warnings that are counted apart.
const KEPT: usize = 1_000;

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    if !matches!(session.format, Format::Text | Format::Json) {
        let message = say!(
            session.lang,
            "`batch` écrit du CSV ou, avec `--format json`, des lignes JSON.",
            "`batch` writes CSV or, with `--format json`, JSON lines."
        );
        return Err(Failure::unusable(message));
    }
    let rules = RuleFiles::find(session, &[])?.read_about(&[&args.name], session)?;
    let target = Target::find(&rules, &args.name, session)?;
    let wanted = Wanted { locale: args.locale, letters: args.encoding };
    let (input, place) = open(args.file.as_deref(), session)?;
    let Some((mut layout, rows)) = Rows::open(input, wanted, session.lang)? else {
        return Err(Failure::unusable(say!(
            session.lang,
            "Rien à lire : {place} est vide.",
            "Nothing to read: {place} is empty."
        )));
    };
    header::check(&mut layout, &args.keep, &target, session)?;
    let fields = fields(args, &layout, &target, session)?;
    let dialect = match (&layout, session.format) {
        (_, Format::Json) | (Layout::JsonLines, _) => None,
        (Layout::Csv { dialect, .. }, _) => Some(*dialect),
    };
    let columns = Columns { dialect, kept: &args.keep, fields: &fields, lang: session.lang };
    let folders = target.folders();
    let reading = Reading { keep: &args.keep, currency: currency(&folders), lang: session.lang };
    let batch = Batch { target, layout, reading, columns, session };
    let exit = batch.run(rows, args)?;
    batch.mention_what_is_not_written(args);
    Ok(exit)
}

/// The file of the rows, or the standard input, and its name for messages.
fn open(file: Option<&Path>, session: &Session) -> Result<(Box<dyn BufRead + Send>, String), Failure> {
    const CAPACITY: usize = 1 << 16;
    let lang = session.lang;
    match file.filter(|file| *file != Path::new("-")) {
        Some(path) => {
            let place = path.display().to_string();
            let opened = File::open(path).map_err(|error| {
                Failure::unusable(say!(lang, "`{place}` ne se lit pas : {error}", "`{place}` cannot be read: {error}"))
            })?;
            Ok((Box::new(BufReader::with_capacity(CAPACITY, opened)), place))
        }
        None if file.is_none() && std::io::stdin().is_terminal() => Err(Failure::unusable(say!(
            lang,
            "Dire le fichier des lignes : `bareme batch DOSSIER lignes.csv`, ou `-` pour l'entrée standard.",
            "Name the file of the rows: `bareme batch FOLDER rows.csv`, or `-` for the standard input."
        ))),
        None => {
            let place = say!(lang, "l'entrée standard", "the standard input");
            Ok((Box::new(BufReader::with_capacity(CAPACITY, std::io::stdin())), place))
        }
    }
}

/// The fields to write: those asked for, or all those of one value.
fn fields(args: &Args, layout: &Layout, target: &Target, session: &Session) -> Result<Vec<String>, Failure> {
    /// Fields that follow by themselves and are of use in a row.
    const FOLLOWING: [&str; 2] = ["bareme_en_vigueur", "avertissements"];
    /// The texts of the law, the same in every row.
    const CITATION: &str = "source";
    let has_lists = session.format == Format::Json || matches!(layout, Layout::JsonLines);
    let mut all: Vec<String> = Vec::new();
    let mut usual: Vec<String> = Vec::new();
    let folders: Vec<&Folder> = target.folders();
    for field in folders.iter().flat_map(|folder| folder.fields()) {
        if all.contains(&field.name) {
            continue;
        }
        all.push(field.name.clone());
        let is_one_value = has_lists || field.json_type() != "array";
        if is_one_value && field.name != CITATION {
            usual.push(field.name.clone());
        }
    }
    for list in [&mut all, &mut usual] {
        list.extend(FOLLOWING.map(str::to_owned));
    }
    let Some(unknown) = args.fields.iter().find(|field| !all.contains(field)) else {
        return Ok(if args.fields.is_empty() { usual } else { args.fields.clone() });
    };
    let known = all.join(", ");
    Err(Failure::unusable(say!(
        session.lang,
        "`{unknown}` n'est pas un champ de la réponse. Champs : {known}",
        "`{unknown}` is not a field of the answer. Fields: {known}"
    )))
}

struct Batch<'b> {
    target: Target<'b>,
    layout: Layout,
    reading: Reading<'b>,
    columns: Columns<'b>,
    session: &'b Session,
}

/// A chunk that was computed.
#[derive(Default)]
struct Computed {
    rows: usize,
    answers: Vec<u8>,
    refused: Vec<u8>,
    /// Reasons, with the lines.
    reasons: Vec<(u64, String)>,
    warnings: Counts,
}

/// Rows by the warning that their answers have.
type Counts = BTreeMap<String, usize>;

type Chunk = std::io::Result<Vec<Row>>;

impl Batch<'_> {
    fn run<R: std::io::BufRead + Send>(&self, rows: Rows<R>, args: &Args) -> Result<Exit, Failure> {
        let available = || std::thread::available_parallelism().map_or(1, usize::from);
        let workers = args.jobs.unwrap_or_else(available).max(1);
        let started = Instant::now();
        let mut output = Output::open(self, args)?;
        let finished = std::thread::scope(|scope| {
            let (mut inbound, mut outbound) = (Vec::new(), Vec::new());
            for _ in 0..workers {
                let (to_worker, chunks) = sync_channel::<Chunk>(QUEUE);
                let (results, from_worker) = sync_channel(QUEUE);
                inbound.push(to_worker);
                outbound.push(from_worker);
                scope.spawn(move || self.work(&chunks, &results));
            }
            scope.spawn(move || deal(rows, &inbound));
            output.collect(&outbound)
        });
        finished?;
        output.finish(started)
    }

    /// Says which fields a row of CSV does not hold, and that the letters are those of Windows.
    fn mention_what_is_not_written(&self, args: &Args) {
        let lang = self.session.lang;
        let fields = self.target.folders().into_iter().flat_map(|folder| folder.fields());
        let mut lists: Vec<&str> = Vec::new();
        for field in fields.filter(|field| field.json_type() == "array") {
            let name = field.name.as_str();
            if !lists.contains(&name) && !self.columns.fields.contains(&field.name) {
                lists.push(name);
            }
        }
        if self.columns.dialect.is_some() && args.fields.is_empty() && !lists.is_empty() {
            let lists = lists.join(", ");
            eprintln!(
                "{}",
                say!(
                    lang,
                    "Champs à plusieurs lignes, absents du CSV : {lists} ; `--format json` les écrit.",
                    "Fields of several rows, not in the CSV: {lists}; `--format json` writes them."
                )
            );
        }
        let found = matches!(&self.layout, Layout::Csv { dialect, .. } if dialect.is_windows());
        if found && args.encoding.is_none() {
            eprintln!("{}", say!(lang, "Lu en Windows-1252.", "Read as Windows-1252."));
        }
    }

    /// Computes chunk after chunk until there is none left, or nobody wants the results.
    fn work(&self, chunks: &Receiver<Chunk>, results: &SyncSender<std::io::Result<Computed>>) {
        let mut read = Read::default();
        for chunk in chunks {
            let computed = chunk.map(|rows| self.compute(&rows, &mut read));
            if results.send(computed).is_err() {
                return;
            }
        }
    }

    fn compute(&self, rows: &[Row], read: &mut Read) -> Computed {
        let mut computed = Computed { rows: rows.len(), ..Computed::default() };
        for row in rows {
            let lang = self.session.lang;
            let calculated = self.layout.read(row, self.reading, read).and_then(|()| {
                self.target.calculate(&read.query, self.session.today).map_err(|error| reason(&error, lang))
            });
            match calculated {
                Ok(calculation) => {
                    for warning in calculation.warnings() {
                        *computed.warnings.entry(warning.in_lang(lang).to_owned()).or_default() += 1;
                    }
                    self.columns.answer(row, &read.kept, &calculation, &mut computed.answers);
                }
                Err(reason) => {
                    written::refused(&self.layout, row, &reason, &mut computed.refused);
                    computed.reasons.push((row.line, reason));
                }
            }
        }
        computed
    }
}

/// Reads the input and deals its chunks to the workers in turn. A reading that fails is the last chunk.
fn deal<R: std::io::BufRead>(mut rows: Rows<R>, workers: &[SyncSender<Chunk>]) {
    for worker in workers.iter().cycle() {
        let chunk = rows.next_chunk();
        if chunk.as_ref().is_ok_and(Vec::is_empty) {
            return;
        }
        let is_last = chunk.is_err();
        if worker.send(chunk).is_err() || is_last {
            return;
        }
    }
}

/// The outputs of the results.
struct Output<'o> {
    answers: BufWriter<std::io::Stdout>,
    errors: Option<(BufWriter<File>, &'o PathBuf)>,
    progress: ProgressBar,
    session: &'o Session,
    rows: usize,
    refused: usize,
    warnings: Counts,
}

impl<'o> Output<'o> {
    fn open(batch: &Batch<'o>, args: &'o Args) -> Result<Self, Failure> {
        let mut answers = BufWriter::new(std::io::stdout());
        answers.write_all(&batch.columns.header())?;
        let errors = match &args.errors {
            Some(path) => {
                let mut file = BufWriter::new(File::create(path)?);
                file.write_all(&written::refused_header(&batch.layout))?;
                Some((file, path))
            }
            None => None,
        };
        // On a terminal only, and on its error output: the bar hides itself elsewhere.
        let progress = ProgressBar::new_spinner();
        progress.set_style(
            ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()),
        );
        Ok(Self { answers, errors, progress, session: batch.session, rows: 0, refused: 0, warnings: Counts::new() })
    }

    /// Fetches the results from the workers in the turn in which the chunks were dealt.
    fn collect(&mut self, workers: &[Receiver<std::io::Result<Computed>>]) -> Result<(), Failure> {
        for worker in workers.iter().cycle() {
            let Ok(computed) = worker.recv() else { return Ok(()) };
            self.take(&computed?)?;
        }
        Ok(())
    }

    fn take(&mut self, computed: &Computed) -> Result<(), Failure> {
        self.answers.write_all(&computed.answers)?;
        if let Some((file, _)) = &mut self.errors {
            file.write_all(&computed.refused)?;
        } else {
            let left = TOLD.saturating_sub(self.refused);
            for (line, reason) in computed.reasons.iter().take(left) {
                let sentence = say!(self.session.lang, "ligne {line} : {reason}", "line {line}: {reason}");
                self.progress.suspend(|| eprintln!("{sentence}"));
            }
        }
        self.rows += computed.rows;
        self.refused += computed.reasons.len();
        for (warning, rows) in &computed.warnings {
            // Texts that hold amounts may all differ: memory stays constant.
            let is_kept = self.warnings.len() < KEPT || self.warnings.contains_key(warning);
            let warning = if is_kept { warning.as_str() } else { "…" };
            *self.warnings.entry(warning.to_owned()).or_default() += rows;
        }
        self.progress.set_message(rows_text(self.rows, self.session));
        self.progress.tick();
        Ok(())
    }

    fn finish(mut self, started: Instant) -> Result<Exit, Failure> {
        self.answers.flush()?;
        self.progress.finish_and_clear();
        let lang = self.session.lang;
        let rows = rows_text(self.rows, self.session);
        let mut summary = match rate(self.rows, started.elapsed()) {
            None => say!(lang, "{rows} en moins d'une seconde", "{rows} in less than a second"),
            Some((seconds, per_second)) => {
                let (seconds, per_second) = (Locale::from(lang).number(seconds), Locale::from(lang).number(per_second));
                say!(
                    lang,
                    "{rows} en {seconds} s, {per_second} par seconde",
                    "{rows} in {seconds} s, {per_second} per second"
                )
            }
        };
        if self.refused > 0 {
            let refused = Locale::from(lang).number(Decimal::from(self.refused));
            summary.push_str(&say!(lang, " ; refusées : {refused}", "; refused: {refused}"));
        }
        if let Some((mut file, path)) = self.errors {
            file.flush()?;
            if self.refused > 0 {
                summary.push_str(&format!(" ({})", path.display()));
            }
        }
        show_warnings(&self.warnings, self.session);
        eprintln!("{summary}");
        Ok(if self.refused > 0 { Exit::Wrong } else { Exit::Fine })
    }
}

/// Reports how many rows have each warning, the most frequent first.
fn show_warnings(warnings: &Counts, session: &Session) {
    let mut sorted: Vec<_> = warnings.iter().collect();
    sorted.sort_by_key(|(_, rows)| std::cmp::Reverse(**rows));
    for (warning, rows) in sorted.iter().take(TOLD) {
        let rows = rows_text(**rows, session);
        eprintln!("{}", say!(session.lang, "Avertissement, {rows} : {warning}", "Warning, {rows}: {warning}"));
    }
    if sorted.len() > TOLD {
        let others = sorted.len() - TOLD;
        eprintln!("{}", say!(session.lang, "Autres avertissements : {others}.", "Other warnings: {others}."));
    }
}

/// Seconds, and rows a second: in less than one the few that there were say nothing about the many.
fn rate(rows: usize, took: Duration) -> Option<(Decimal, Decimal)> {
    let milliseconds = Decimal::from(took.as_millis());
    let seconds = milliseconds.checked_div(Decimal::ONE_THOUSAND).filter(|seconds| *seconds >= Decimal::ONE)?;
    Some((seconds.round_dp(1), Decimal::from(rows).checked_div(seconds)?.round()))
}

fn rows_text(rows: usize, session: &Session) -> String {
    Locale::from(session.lang).count(rows, Text::new("ligne", "row"), Text::new("lignes", "rows"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_told_where_there_is_one() {
        let of = |rows, milliseconds| rate(rows, Duration::from_millis(milliseconds));
        assert_eq!(of(1_000_000, 2_150), Some((Decimal::new(22, 1), Decimal::from(465_116))));
        assert_eq!(of(7, 1_000), Some((Decimal::ONE, Decimal::from(7))));
        assert_eq!((of(3, 999), of(0, 0)), (None, None));
    }
}
