//! `bareme mcp`: the tools of an assistant, by the Model Context Protocol over the standard input and output.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bareme_assistant::{Assistant, RuleSource, Server};
use bareme_engine::Lang;
use bareme_engine::service::Rules;
use bareme_show::say;
use jiff::civil::Date;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use rmcp::service::{Peer, RoleServer, ServiceExt};
use rmcp::transport::stdio;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::rule_files::RuleFiles;
use crate::session::{Exit, Failure, Session, today};

/// Pause in which the several writes of an editor count as one change.
const STEPS: Duration = Duration::from_millis(150);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args, session: &Session) -> Result<Exit, Failure> {
    let files = RuleFiles::find(session, &[])?;
    let rules = Arc::new(files.read_good(session.drafts, false, session)?);
    let held = InForce { rules: Arc::new(RwLock::new(rules)), asked_day: session.asked_day, lang: session.lang };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(serve(held, &files, session));
    // The task that reads the input never ends, even after the client is gone.
    runtime.shutdown_background();
    served
}

async fn serve(held: InForce, files: &RuleFiles, session: &Session) -> Result<Exit, Failure> {
    let (_watcher, changes) = watch(&files.root)?;
    let failed = |error: String| {
        Failure::unusable(say!(session.lang, "Le dialogue a échoué : {error}", "The dialogue failed: {error}"))
    };
    let service = Server::new(held.clone()).serve(stdio()).await.map_err(|error| failed(error.to_string()))?;
    let peer = service.peer().clone();
    tokio::select! {
        ended = service.waiting() => ended.map(|_| Exit::Fine).map_err(|error| failed(error.to_string())),
        () = follow(changes, &held, files, session, peer) => Ok(Exit::Fine),
    }
}

/// Watches the files below a folder.
fn watch(root: &Path) -> Result<(RecommendedWatcher, UnboundedReceiver<()>), Failure> {
    let unwatchable = |error: notify::Error| Failure::unusable(error.to_string());
    let (sender, changes) = unbounded_channel();
    let mut watcher = notify::recommended_watcher(move |change: notify::Result<notify::Event>| {
        // Reading the files causes events too.
        if change.is_ok_and(|event| !event.kind.is_access()) {
            let _ = sender.send(());
        }
    })
    .map_err(unwatchable)?;
    watcher.watch(root, RecursiveMode::Recursive).map_err(unwatchable)?;
    Ok((watcher, changes))
}

/// Reloads changed rules if they have no errors, and notifies the client that the tools changed. Errors are printed
/// to the standard error, and the last good rules stay in use.
async fn follow(
    mut changes: UnboundedReceiver<()>,
    held: &InForce,
    files: &RuleFiles,
    session: &Session,
    peer: Peer<RoleServer>,
) {
    while changes.recv().await.is_some() {
        tokio::time::sleep(STEPS).await;
        while changes.try_recv().is_ok() {}
        match files.read_good(session.drafts, false, session) {
            Ok(rules) => {
                *held.rules.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(rules);
                // A client that is gone need not be notified.
                let _ = peer.notify_tool_list_changed().await;
                let _ = peer.notify_resource_list_changed().await;
            }
            Err(failure) => eprintln!("{}", failure.message),
        }
    }
}

/// The current rules.
#[derive(Debug, Clone)]
struct InForce {
    rules: Arc<RwLock<Arc<Rules>>>,
    asked_day: Option<Date>,
    lang: Lang,
}

impl RuleSource for InForce {
    fn ask<T>(&self, ask: impl FnOnce(&Assistant<'_>) -> T) -> Result<T, String> {
        let rules = Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner));
        let today = self.asked_day.unwrap_or_else(today);
        Ok(ask(&Assistant::new(&rules, None, today, self.lang)))
    }

    fn changes(&self) -> bool {
        true
    }
}
