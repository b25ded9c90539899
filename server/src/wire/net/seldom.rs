//! A future polled beside others of the same task, but only when it was woken itself.
//!
//! `select!` polls all of its futures whenever the task wakes, even those that were not woken: in a connection these
//! are a channel and a timer, whose locks all connections share.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// A future that is polled at first, and then only after it has woken its task.
#[derive(Debug)]
pub(super) struct Seldom<F> {
    future: F,
    alarm: Option<Arc<Alarm>>,
}

/// The waker passed to the future.
#[derive(Debug)]
struct Alarm {
    task: Waker,
    rang: AtomicBool,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.rang.store(true, Ordering::Release);
        self.task.wake_by_ref();
    }
}

impl<F: Future + Unpin> Seldom<F> {
    pub(super) fn new(future: F) -> Self {
        Self { future, alarm: None }
    }
}

impl<F: Future + Unpin> Future for Seldom<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let known = self.alarm.take().filter(|alarm| alarm.task.will_wake(context.waker()));
        let alarm =
            known.unwrap_or_else(|| Arc::new(Alarm { task: context.waker().clone(), rang: AtomicBool::new(true) }));
        let rang = alarm.rang.load(Ordering::Acquire);
        let mut polled = Poll::Pending;
        if rang {
            // Reset before the poll, which sees everything up to then.
            alarm.rang.store(false, Ordering::Relaxed);
            let waker = Waker::from(Arc::clone(&alarm));
            polled = Pin::new(&mut self.future).poll(&mut Context::from_waker(&waker));
        }
        self.alarm = Some(alarm);
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
        let mut seldom = Seldom::new(Box::pin(poll_fn(move |context| {
            counted.fetch_add(1, Ordering::Relaxed);
            Pin::new(&mut receiver).poll(context)
        })));
        // In a task of its own, like a connection, so that its waker stays the same.
        let task = tokio::spawn(async move {
            for _ in 0..10 {
                tokio::select! {
                    biased;
                    _ = &mut seldom => panic!("nothing was sent"),
                    () = tokio::task::yield_now() => {}
                }
            }
            assert_eq!(polls.load(Ordering::Relaxed), 1);
            tokio::spawn(async move { sender.send(7) });
            (seldom.await, polls.load(Ordering::Relaxed))
        });
        assert_eq!(task.await.unwrap(), (Ok(7), 2));
    }
}
