//! `bareme mcp`: the tools of an assistant, by the Model Context Protocol over the standard input
//! and output.

use std::sync::{Arc, PoisonError, RwLock};

use bareme_assistant::{Assistant, Index, RuleSource, Server, with_exact_numbers};
use bareme_engine::Lang;
use bareme_engine::service::Rules;
use bareme_show::say;
use jiff::civil::Date;
use rmcp::service::{Peer, RoleServer, ServiceExt};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex, stdin, stdout,
};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::rule_files::{RuleFiles, STEPS};
use crate::session::{Exit, Failure, Session, today};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args, session: &Session) -> Result<Exit, Failure> {
    let files = RuleFiles::find(session, &[])?;
    let current = Current::new(files.read_good(session.drafts, false, session)?);
    let held = InForce {
        current: Arc::new(RwLock::new(current)),
        asked_day: session.asked_day,
        lang: session.lang,
    };

    // One thread is enough: a client asks one question at a time.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;

    let served = runtime.block_on(serve(held, &files, session));
    // The task that reads the input never ends, even after the client is gone.
    runtime.shutdown_background();
    served
}

async fn serve(held: InForce, files: &RuleFiles, session: &Session) -> Result<Exit, Failure> {
    let (sender, changes) = unbounded_channel();
    let _watcher = files.watch(move || sender.send(()).unwrap_or_default())?;

    let failed = |error: String| {
        Failure::unusable(say!(
            session.lang,
            "Le dialogue a échoué : {error}",
            "The dialogue failed: {error}"
        ))
    };

    let service = Server::new(held.clone())
        .serve((exact_input(), stdout()))
        .await;
    let service = service.map_err(|error| failed(error.to_string()))?;
    let peer = service.peer().clone();

    // Until the client ends the dialogue; following the files alone never ends.
    tokio::select! {
        ended = service.waiting() => ended
            .map(|_| Exit::Fine)
            .map_err(|error| failed(error.to_string())),
        () = follow(changes, &held, files, session, peer) => Ok(Exit::Fine),
    }
}

/// Size of the buffer between the standard input and the protocol, in bytes.
const BUFFER: usize = 64 * 1024;

/// The standard input, one message a line, with the numbers of its messages as they were written.
fn exact_input() -> DuplexStream {
    let (mut sender, receiver) = duplex(BUFFER);
    tokio::spawn(async move {
        let (mut input, mut line) = (BufReader::new(stdin()), Vec::new());
        // At its end, or once the protocol has ended, the other side reads the end too.
        while input
            .read_until(b'\n', &mut line)
            .await
            .is_ok_and(|read| read > 0)
        {
            if sender.write_all(&with_exact_numbers(&line)).await.is_err() {
                break;
            }
            line.clear();
        }
    });
    receiver
}

/// Reloads changed rules if they have no errors, and notifies the client that the tools changed.
/// Errors are printed to the standard error, and the last good rules stay in use.
async fn follow(
    mut changes: UnboundedReceiver<()>,
    held: &InForce,
    files: &RuleFiles,
    session: &Session,
    peer: Peer<RoleServer>,
) {
    while changes.recv().await.is_some() {
        // An editor writes a file in several steps, which are one change.
        tokio::time::sleep(STEPS).await;
        while changes.try_recv().is_ok() {}

        match files.read_good(session.drafts, false, session) {
            Ok(rules) => {
                *held.current.write().unwrap_or_else(PoisonError::into_inner) = Current::new(rules);

                // A client that is gone need not be notified.
                let _ = peer.notify_tool_list_changed().await;
                let _ = peer.notify_resource_list_changed().await;
            }
            Err(failure) => eprintln!("{}", failure.message),
        }
    }
}

/// A rule set, with the index that its searches share.
#[derive(Debug)]
struct Current {
    rules: Rules,
    index: Arc<Index>,
}

impl Current {
    fn new(rules: Rules) -> Arc<Self> {
        Arc::new(Self {
            rules,
            index: Arc::default(),
        })
    }
}

/// The current rules.
#[derive(Debug, Clone)]
struct InForce {
    current: Arc<RwLock<Arc<Current>>>,
    asked_day: Option<Date>,
    lang: Lang,
}

impl RuleSource for InForce {
    fn ask(&self, ask: &mut dyn FnMut(&Assistant<'_>)) -> Result<(), String> {
        // The set is taken once, so that an answer never mixes two of them.
        let current = Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner));
        let today = self.asked_day.unwrap_or_else(today);
        let assistant = Assistant::new(&current.rules, None, today, self.lang);

        ask(&assistant.with_index(&current.index));
        Ok(())
    }

    fn changes(&self) -> bool {
        true
    }
}
