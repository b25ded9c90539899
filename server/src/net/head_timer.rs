//! A timeout for the head of a request that needs one runtime timer for each connection.
//!
//! hyper creates a timer for each head, and drops it when the head has arrived. Timers of the
//! runtime enter and leave a list that all its threads share, at a cost that `benches/throughput`
//! measures. The timer here stays in the list, set to the end of an earlier timeout; when it fires,
//! it is set to the end of the current one.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use hyper::rt::{Sleep, Timer};
use parking_lot::Mutex;
use tokio::time;

/// The timer of a connection.
#[derive(Debug, Default, Clone)]
pub(super) struct HeadTimer(Arc<Mutex<Option<Pin<Box<time::Sleep>>>>>);

/// The timeout of one head.
#[derive(Debug)]
struct Limit {
    timer: HeadTimer,
    end: time::Instant,
}

impl Timer for HeadTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(Limit {
            timer: self.clone(),
            end: deadline.into(),
        })
    }

    fn now(&self) -> Instant {
        time::Instant::now().into()
    }
}

impl Future for Limit {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut timer = self.timer.0.lock();
        let sleep = timer.get_or_insert_with(|| Box::pin(time::sleep_until(self.end)));

        // An earlier limit may have set the timer further ahead.
        if sleep.deadline() > self.end {
            sleep.as_mut().reset(self.end);
        }
        loop {
            ready!(sleep.as_mut().poll(context));
            // The timer fired, perhaps for an earlier head: only the end of this one counts.
            if time::Instant::now() >= self.end {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(self.end);
        }
    }
}

impl Sleep for Limit {}

#[cfg(test)]
mod tests {
    use tokio::time::{advance, timeout};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn each_limit_ends_at_its_own_time() {
        let (timer, start) = (HeadTimer::default(), time::Instant::now());
        for seconds in [3, 3, 1, 5] {
            // A dropped timeout has no later effect.
            assert!(timeout(SECOND / 2, timer.sleep(10 * SECOND)).await.is_err());
            let before = time::Instant::now();
            timer.sleep(seconds * SECOND).await;
            assert_eq!(before.elapsed().as_secs(), u64::from(seconds));
        }
        advance(SECOND).await;
        let late = timer.sleep_until(start.into());
        let before = time::Instant::now();
        late.await;
        assert_eq!(before.elapsed(), Duration::ZERO, "its end has passed");
    }
}
