//! Work that takes long, away from the threads that serve connections.

use std::time::Duration;

use bareme_api::wire::problem::{Problem, kinds};
use bareme_api::work::Payer;
use tokio::task::spawn_blocking;

use crate::app::call::Call;

/// How long a reply may take that such work is done for, until it starts; reading and queueing
/// included.
pub(super) const DEADLINE: Duration = Duration::from_secs(30);

/// Runs work on another thread than single calls.
///
/// # Errors
/// A panic in the work is an internal error.
pub(super) async fn run<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    spawn_blocking(work)
        .await
        .map_err(|_| Problem::plain(&kinds::INTERNAL))
}

/// Runs work on another thread, when it is the turn of its caller. Work whose caller waits no
/// longer is not started; what has started keeps its turn to its end.
///
/// # Errors
/// Too many works of the caller wait; a panic in the work is an internal error.
pub(super) async fn in_turn<T: Send + 'static>(
    call: Call<'_>,
    payer: Payer,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let soon = call.context.time.second + Duration::from_secs(1);
    let turn = call.shared.budget.turns.take(payer).await;
    let turn = turn.map_err(|_| Problem::until(&kinds::WORK, soon))?;
    // The turn is held by the work, not by its caller: a caller that gives up would free a turn
    // whose thread is still busy.
    run(move || {
        let done = work();
        drop(turn);
        done
    })
    .await
}
