//! A future polled beside others of the same task, but only when it was woken itself.
//!
//! `select!` polls all of its futures whenever the task wakes, even those that were not woken: in a
//! connection these are a channel and a timer, whose locks all connections share.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// A future that is polled at first, and then only after it has woken its task.
#[derive(Debug)]
pub(super) struct PollOnWake<F> {
    future: F,
    flag: Option<Arc<WakeFlag>>,
}

/// The waker passed to the future.
#[derive(Debug)]
struct WakeFlag {
    task: Waker,
    is_woken: AtomicBool,
}

impl Wake for WakeFlag {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.is_woken.store(true, Ordering::Release);
        self.task.wake_by_ref();
    }
}

impl<F: Future + Unpin> PollOnWake<F> {
    pub(super) fn new(future: F) -> Self {
        Self { future, flag: None }
    }
}

impl<F: Future + Unpin> Future for PollOnWake<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // The waker is kept while the task keeps its own. A new one counts as woken, so that the
        // first poll happens.
        let known = self
            .flag
            .take()
            .filter(|flag| flag.task.will_wake(context.waker()));
        let flag = known.unwrap_or_else(|| {
            Arc::new(WakeFlag {
                task: context.waker().clone(),
                is_woken: AtomicBool::new(true),
            })
        });

        // `Acquire` pairs with the waker's `Release`: what happened before the wake is seen by this
        // poll.
        let is_woken = flag.is_woken.load(Ordering::Acquire);
        let mut polled = Poll::Pending;
        if is_woken {
            // Reset before the poll, which sees everything up to then.
            flag.is_woken.store(false, Ordering::Relaxed);
            let waker = Waker::from(Arc::clone(&flag));
            polled = Pin::new(&mut self.future).poll(&mut Context::from_waker(&waker));
        }

        self.flag = Some(flag);
        polled
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::atomic::AtomicU32;

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn it_is_polled_when_it_has_woken_and_not_when_the_task_has() {
        let (sender, mut receiver) = oneshot::channel();
        let polls = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&polls);
        let mut filtered = PollOnWake::new(Box::pin(poll_fn(move |context| {
            counted.fetch_add(1, Ordering::Relaxed);
            Pin::new(&mut receiver).poll(context)
        })));
        // In a task of its own, like a connection, so that its waker stays the same.
        let task = tokio::spawn(async move {
            for _ in 0..10 {
                tokio::select! {
                    biased;
                    _ = &mut filtered => panic!("nothing was sent"),
                    () = tokio::task::yield_now() => {}
                }
            }
            assert_eq!(polls.load(Ordering::Relaxed), 1);
            tokio::spawn(async move { sender.send(7) });
            (filtered.await, polls.load(Ordering::Relaxed))
        });
        assert_eq!(task.await.unwrap(), (Ok(7), 2));
    }
}
