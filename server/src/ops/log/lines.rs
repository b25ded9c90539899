//! Log lines on their way to the standard error.
//!
//! A request must not wait for the reader of the log, nor cost a system call a line. So lines
//! are put together in memory and a thread writes them, a few dozen times a second. If the reader is
//! stuck, lines are lost, and counted, rather than calls.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a line waits for others.
const PAUSE: Duration = Duration::from_millis(20);

/// Most bytes that wait.
const ROOM: usize = 1 << 20;

/// How long the last lines may take at the end.
const LAST_LINES: Duration = Duration::from_secs(1);

static QUEUE: Mutex<Queue> = Mutex::new(Queue { lines: Vec::new(), ending: false });
static CHANGED: Condvar = Condvar::new();
static LOST: AtomicU64 = AtomicU64::new(0);

struct Queue {
    lines: Vec<u8>,
    ending: bool,
}

/// Lines that were lost since the start.
pub fn lost() -> u64 {
    LOST.load(Ordering::Relaxed)
}

/// Takes one line at a time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lines;

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut queue = lock();
        if queue.lines.is_empty() {
            CHANGED.notify_all();
        }
        if queue.lines.len().saturating_add(line.len()) > ROOM {
            LOST.fetch_add(1, Ordering::Relaxed);
        } else {
            queue.lines.extend_from_slice(line);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes the lines as long as it is kept; when dropped, the last ones.
#[derive(Debug)]
pub struct Writing {
    ended: Receiver<()>,
}

impl Writing {
    /// Starts to write.
    pub(super) fn start() -> io::Result<Self> {
        let (end, ended) = channel();
        thread::Builder::new().name("log".to_owned()).spawn(move || {
            write_all();
            drop(end);
        })?;
        Ok(Self { ended })
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        lock().ending = true;
        CHANGED.notify_all();
        // A reader that is stuck does not keep the process from ending.
        let _ = self.ended.recv_timeout(LAST_LINES);
    }
}

fn lock() -> MutexGuard<'static, Queue> {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes what waits, until the end.
fn write_all() {
    let mut lines = Vec::new();
    loop {
        let queue = CHANGED.wait_while(lock(), |queue| queue.lines.is_empty() && !queue.ending);
        let queue = queue.unwrap_or_else(PoisonError::into_inner);
        let waited = CHANGED.wait_timeout_while(queue, PAUSE, |queue| !queue.ending);
        let (mut queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut lines, &mut queue.lines);
        let ending = queue.ending;
        drop(queue);
        // A failure to log cannot be logged.
        drop(io::stderr().write_all(&lines));
        lines.clear();
        if ending {
            return;
        }
    }
}
