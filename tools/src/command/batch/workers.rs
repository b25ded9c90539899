//! The threads: one that reads, several that compute, this one that writes; and the queues between
//! them.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use bareme_engine::law::Presence;
use bareme_show::say;

use super::Args;
use super::compute::{Chunk, Computed, Form, Work};
use super::format::Refusals;
use super::row_format::RowFormat;
use super::summary::Summary;
use super::tables::{self, Tables};
use super::texts::Texts;
use crate::output::{Output, in_words, unfit, unwritable};
use crate::session::{Exit, Failure, Session};

/// Chunks that may wait before and after each worker: few, since they bound the memory of a run.
const QUEUE: usize = 4;

/// Source of the rows.
pub(super) enum Source {
    Texts(Box<Texts>),
    Tables(Tables),
}

/// A chunk, or the error that prevented its reading.
type Read = Result<Chunk, Failure>;

/// Computes every row, and gives their number.
///
/// # Errors
/// An input or output error, or an input without rows.
pub(super) fn run(
    work: &Work,
    source: Source,
    mut outputs: Outputs,
    args: &Args,
) -> Result<Exit, Failure> {
    let available = || std::thread::available_parallelism().map_or(1, usize::from);
    let workers = args.jobs.unwrap_or_else(available).max(1);

    let total = if let Source::Tables(tables) = &source {
        tables.rows
    } else {
        None
    };

    let mut summary = Summary::new(total, work.session);
    std::thread::scope(|scope| {
        // Each worker has queues of its own: the turn of its chunks gives the order of the answers
        // back.
        let (mut inbound, mut outbound) = (Vec::new(), Vec::new());
        for _ in 0..workers {
            let (to_worker, chunks) = sync_channel::<Read>(QUEUE);
            let (results, from_worker) = sync_channel(QUEUE);
            inbound.push(to_worker);
            outbound.push(from_worker);
            scope.spawn(move || compute(work, &chunks, &results));
        }
        let (session, years) = (work.session, work.years);

        // The reader and the workers end by themselves when a queue is closed; the scope waits for
        // them.
        scope.spawn(move || deal(source, years, session, &inbound));
        outputs.collect(&outbound, &mut summary)
    })?;

    if summary.rows == 0 {
        return Err(no_row(outputs.places, work.session));
    }
    // Only a complete output is put in its place.
    outputs.finish()?;

    let inputs = work.plan.kernel().inputs();
    let has_default = inputs
        .iter()
        .filter(|input| matches!(input.presence, Presence::Default(..)));
    let with_default: Vec<&str> = has_default.map(|input| input.name.as_str()).collect();

    summary.report(
        args.errors
            .as_ref()
            .map(|path| path.display().to_string())
            .as_deref(),
        &with_default,
    );

    Ok(if summary.refused > 0 {
        Exit::Wrong
    } else {
        Exit::Fine
    })
}

/// Files without any row.
pub(super) fn no_row(places: &[String], session: &Session) -> Failure {
    let places = places.join(", ");
    Failure::unusable(say!(
        session.lang,
        "Rien à calculer : aucune ligne dans {places}.",
        "Nothing to compute: no row in {places}."
    ))
}

/// Computes chunks until there are none left, or the receiver is gone.
fn compute(work: &Work, chunks: &Receiver<Read>, results: &SyncSender<Result<Computed, Failure>>) {
    for chunk in chunks {
        // An error is a result too: it reaches the writer in the turn of its chunk.
        let computed = chunk.and_then(|chunk| work.compute(&chunk));
        if results.send(computed).is_err() {
            return;
        }
    }
}

/// Reads the input and passes its chunks to the workers in turn, those of tables with whole years
/// where `years` are the columns that name one. A read error is the last item.
fn deal(source: Source, years: Option<&[String]>, session: &Session, workers: &[SyncSender<Read>]) {
    let mut turns = workers.iter().cycle();
    let mut send = |chunk: Read| {
        turns
            .next()
            .is_some_and(|worker| worker.send(chunk).is_ok())
    };

    let read = match (source, years) {
        (Source::Texts(texts), _) => texts.read(session, |rows| send(Ok(Chunk::Text(rows)))),
        (Source::Tables(tables), Some(columns)) => {
            tables.read_years(columns, session, |batch| send(Ok(Chunk::Table(batch))))
        }
        (Source::Tables(tables), None) => {
            tables.read(session, |batch| send(Ok(Chunk::Table(batch))))
        }
    };
    // The error is passed on after the chunks before it, so that their answers are written.
    if let Err(failure) = read {
        send(Err(failure));
    }
}

/// The outputs of the results.
pub(super) struct Outputs<'o> {
    answers: Output<'o>,
    /// The file of refused rows.
    errors: Option<(BufWriter<File>, &'o Path)>,
    places: &'o [String],
    session: &'o Session,
}

impl<'o> Outputs<'o> {
    /// Opens the outputs, and writes their first lines.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn open(
        work: &Work<'o>,
        args: &'o Args,
        format: RowFormat,
        places: &'o [String],
    ) -> Result<Self, Failure> {
        let (session, refusals) = (work.session, work.refusals.as_ref());
        // The errors file is opened after the answers, whose columns may be refused.
        let answers = match (&work.form, format, &args.output) {
            (Form::Table, RowFormat::Table(format), Some(path)) => {
                let schema = match &work.bound {
                    Some(bound) => tables::schema_of_tables(bound)?,
                    None => tables::schema_of_text(&args.keep, &work.plan, session)?,
                };
                Output::of_tables(path, schema, format, session)?
            }
            (Form::Text { columns, .. }, ..) => {
                Output::of_text(args.output.as_deref(), &columns.header(), session)?
            }
            (Form::Table, ..) => return Err(unfit(session)),
        };

        Self::new(answers, refusals, args, places, session)
    }

    /// The outputs of answers, and of refused rows where they have a file.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn new(
        answers: Output<'o>,
        refusals: Option<&Refusals>,
        args: &'o Args,
        places: &'o [String],
        session: &'o Session,
    ) -> Result<Self, Failure> {
        let mut errors = None;
        if let (Some(path), Some(refusals)) = (&args.errors, refusals) {
            let file = File::create(path)
                .map_err(|error| unwritable(path, &in_words(&error, session.lang), session))?;
            let mut file = BufWriter::new(file);
            let started = file.write_all(&refusals.header());
            started.map_err(|error| unwritable(path, &in_words(&error, session.lang), session))?;
            errors = Some((file, path.as_path()));
        }

        Ok(Self {
            answers,
            errors,
            places,
            session,
        })
    }

    /// Collects the results from the workers, in the turn in which the chunks were dealt.
    fn collect(
        &mut self,
        workers: &[Receiver<Result<Computed, Failure>>],
        summary: &mut Summary,
    ) -> Result<(), Failure> {
        // A queue that is closed in its turn means that the input has ended: the next chunk would
        // have come from it.
        for worker in workers.iter().cycle() {
            let Ok(computed) = worker.recv() else {
                return Ok(());
            };
            self.write(&computed?, summary)?;
        }
        Ok(())
    }

    /// Writes the results of a chunk, and counts them.
    pub(super) fn write(
        &mut self,
        computed: &Computed,
        summary: &mut Summary,
    ) -> Result<(), Failure> {
        self.answers.write(&computed.answers)?;
        if let Some((file, path)) = &mut self.errors {
            file.write_all(&computed.refused).map_err(|error| {
                unwritable(path, &in_words(&error, self.session.lang), self.session)
            })?;
        }

        summary.take(computed, self.places, self.errors.is_none());
        Ok(())
    }

    /// Ends the outputs.
    pub(super) fn finish(self) -> Result<(), Failure> {
        if let Some((mut file, path)) = self.errors {
            file.flush().map_err(|error| {
                unwritable(path, &in_words(&error, self.session.lang), self.session)
            })?;
        }

        self.answers.finish()
    }
}
