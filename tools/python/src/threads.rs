//! The threads that compute.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The threads of this process, with its number.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Runs some work, whose parallel parts use every processor, or as many as `RAYON_NUM_THREADS`
/// says.
pub(crate) fn run<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match pool() {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// A forked process has the memory of the one before it, but none of its threads: it gets its own.
fn pool() -> Option<Arc<ThreadPool>> {
    let mut held = POOL.lock().unwrap_or_else(PoisonError::into_inner);

    let own = std::process::id();
    // The pool of another process, copied by a fork, would wait forever for threads that do not
    // exist.
    if let Some((process, pool)) = held.as_ref()
        && *process == own
    {
        return Some(Arc::clone(pool));
    }

    let pool = Arc::new(ThreadPoolBuilder::new().build().ok()?);
    // Its end would wait for threads that are not in this process.
    std::mem::forget(held.replace((own, Arc::clone(&pool))));
    Some(pool)
}
