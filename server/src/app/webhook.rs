//! The listener for events of the payment provider: signed events at one path, and nothing else.
//!
//! Anybody may reach it through the web server in front, so it has its own connections: a flood of
//! forged events takes none of callers or probes. Most are refused by their header, before the body
//! is read.
//!
//! An event is answered with 200 once its facts are stored; [`deliveries`](super::deliveries) then
//! sends the key.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bareme_accounts::payment::apply::{self, Outcome};
use bareme_accounts::payment::event::Event;
use bareme_accounts::payment::signature::Secrets;
use bareme_accounts::payment::{Failure, MAX_LENGTH};
use bareme_api::wire::reply::{self, Reply};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Body as _, Incoming};
use hyper::header::{ALLOW, HeaderMap, HeaderValue};
use hyper::{Method, Request, StatusCode};
use jiff::Timestamp;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use crate::app::deliveries::Deliveries;
use crate::app::shared::Shared;
use crate::net::Handler;
use crate::net::internal::Internal;

/// The path of events.
const PATH: &str = "/stripe";

/// The header with the signature of an event.
const SIGNATURE_FIELD: &str = "stripe-signature";

/// How long the body of an event may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// Least time between two log lines about events without a valid signature.
const FORGED_PERIOD: Duration = Duration::from_secs(60);

/// Receiver of the provider's events.
#[derive(Debug)]
pub(crate) struct Webhook {
    shared: Arc<Shared>,
    secrets: Secrets,
    /// Sender of purchased keys.
    deliveries: Arc<Deliveries>,
    /// Events being applied, even if the provider no longer waits.
    running: TaskTracker,
    /// Number of unsigned events since the last log line about them, and its time.
    forged: Mutex<(u64, Option<Instant>)>,
}

impl Internal for Webhook {
    const NAME: &'static str = "payments";
    /// At worst each holds an event of the greatest length: 64 MiB in total.
    const MAX_CONNECTIONS: usize = 256;
    /// Each event has its own connection, so that an idle connection is one whose event has not
    /// arrived.
    const KEEP_ALIVE: bool = false;
}

impl Handler for Webhook {
    async fn answer(self: Arc<Self>, request: Request<Incoming>, _: IpAddr) -> Reply {
        if request.uri().path() != PATH {
            return reply::unstored(
                StatusCode::NOT_FOUND,
                &json!({"error": format!("events are sent to {PATH}")}),
            );
        }
        if *request.method() != Method::POST {
            let mut reply = reply::unstored(
                StatusCode::METHOD_NOT_ALLOWED,
                &json!({"error": "events are sent with POST"}),
            );
            reply
                .headers_mut()
                .insert(ALLOW, HeaderValue::from_static("POST"));
            return reply;
        }

        // 1. The header alone refuses most forged events: their bodies are not read.
        let (head, body) = request.into_parts();
        if let Err(failure) = self.check_head(&head.headers, body.size_hint().exact()) {
            return self.refuse(&failure);
        }

        // 2. The body, with a limit in bytes and in time.
        let limit = usize::try_from(MAX_LENGTH).unwrap_or(usize::MAX);
        match timeout(BODY_TIMEOUT, Limited::new(body, limit).collect()).await {
            Ok(Ok(body)) => self.respond(&head.headers, &body.to_bytes()).await,
            Ok(Err(_)) => self.refuse(&Failure::Length),
            Err(_) => self.refuse(&Failure::Late),
        }
    }
}

impl Webhook {
    /// A receiver of events signed with one of the secrets.
    pub(crate) fn new(shared: Arc<Shared>, secrets: Secrets, deliveries: Arc<Deliveries>) -> Self {
        Self {
            shared,
            secrets,
            deliveries,
            running: TaskTracker::new(),
            forged: Mutex::default(),
        }
    }

    /// Accepts no further event, and waits for those being applied.
    pub(crate) async fn finish(&self) {
        self.running.close();
        self.running.wait().await;
    }

    /// Checks the header of an event, so that most unsigned ones are refused before their body is
    /// read.
    fn check_head(&self, headers: &HeaderMap, length: Option<u64>) -> Result<(), Failure> {
        if length.is_some_and(|length| length > MAX_LENGTH) {
            return Err(Failure::Length);
        }
        Ok(Secrets::read_head(signature_field(headers), self.now()).map(drop)?)
    }

    /// Answers an event: 200 once its facts are stored; otherwise the provider sends it again.
    ///
    /// It is applied in its own task, which continues when the provider disconnects, and which a
    /// stop waits for.
    async fn respond(self: &Arc<Self>, headers: &HeaderMap, body: &[u8]) -> Reply {
        // 1. The signature covers the bytes of the body: it is checked before they are parsed.
        if let Err(forgery) = self
            .secrets
            .check(signature_field(headers), body, self.now())
        {
            return self.refuse(&forgery.into());
        }

        let event = match Event::read(body) {
            Ok(event) => event,
            Err(error) => return self.refuse(&Failure::Unreadable(error)),
        };

        // 2. While the service stops, an event is refused: the provider sends it again to the next
        // process.
        if self.running.is_closed() {
            return self.refuse(&Failure::Stopping);
        }

        let webhook = Arc::clone(self);
        let task = self
            .running
            .spawn(async move { webhook.apply(event).await });
        task.await
            .unwrap_or_else(|_| self.refuse(&Failure::Stopping))
    }

    /// Applies an event, reports it, and writes the answer.
    async fn apply(&self, event: Event) -> Reply {
        match self.outcome(&event).await {
            Ok(outcome) => {
                // A key that is new or has changed may have to be sent: the sender need not wait
                // for its period.
                let (result, key, reason) = described(&outcome);
                if matches!(
                    outcome,
                    Outcome::Issued(_) | Outcome::Renewed(_) | Outcome::Changed(_)
                ) {
                    self.deliveries.wake();
                }

                self.shared.metrics.payment_event(result);
                tracing::info!(
                    event = event.id,
                    kind = event.kind,
                    result,
                    key,
                    reason,
                    "payment event"
                );

                // An event that changes nothing is answered with 200 as well: the provider repeats
                // any other for days.
                let content = [
                    ("result", Some(result)),
                    ("key", key.as_deref()),
                    ("reason", reason),
                ];
                let content = content
                    .into_iter()
                    .filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
                reply::unstored(StatusCode::OK, &Value::Object(content.collect()))
            }
            Err(failure) => {
                tracing::error!(
                    event = event.id,
                    kind = event.kind,
                    error = %failure,
                    "payment event not applied"
                );
                self.refuse(&failure)
            }
        }
    }

    async fn outcome(&self, event: &Event) -> Result<Outcome, Failure> {
        // The clock of the store, which all nodes share: the event sets the days of a key.
        let Shared { access, clock, .. } = self.shared.as_ref();
        let now = access
            .now(clock.read().second)
            .map_err(|_| Failure::NotReady)?;
        let snapshot = self.shared.rules.snapshot().ok_or(Failure::NotReady)?;
        apply::receive(access.store(), snapshot.rules.service(), event, now).await
    }

    /// Refuses an event. Unsigned ones are counted, and logged once a minute at most, since anybody
    /// can send them.
    fn refuse(&self, failure: &Failure) -> Reply {
        // Forged events are expected from the internet, and only warned of now and then; an event
        // that is signed and unreadable is a fault, of the provider's version or ours.
        let (result, status) = refusal(failure);
        self.shared.metrics.payment_event(result);
        match failure {
            Failure::Forged(_) | Failure::Length | Failure::Late => self.count_forged(failure),
            Failure::Unreadable(_) => tracing::error!(error = %failure, "payment event refused"),
            _ => {}
        }
        reply::unstored(status, &json!({"error": failure.to_string()}))
    }

    fn count_forged(&self, failure: &Failure) {
        // Anybody could fill the log: the events in between are counted.
        let mut state = self.forged.lock();
        state.0 += 1;
        if state
            .1
            .is_none_or(|logged| logged.elapsed() >= FORGED_PERIOD)
        {
            tracing::warn!(
                count = state.0,
                last = %failure,
                "payment events refused: not signed by the provider"
            );
            *state = (0, Some(Instant::now()));
        }
    }

    /// The time by the clock of this machine, to compare with that of the provider.
    fn now(&self) -> Timestamp {
        Timestamp::try_from(self.shared.clock.read().second).unwrap_or_default()
    }
}

fn signature_field(headers: &HeaderMap) -> &str {
    headers
        .get(SIGNATURE_FIELD)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

/// Label of a failure, and the status of its answer.
fn refusal(failure: &Failure) -> (&'static str, StatusCode) {
    // The provider sends an event again unless it gets 200, so that any other status is a retry.
    match failure {
        Failure::Forged(_) => ("forged", StatusCode::BAD_REQUEST),
        Failure::Unreadable(_) => ("unreadable", StatusCode::BAD_REQUEST),
        Failure::Length => ("forged", StatusCode::PAYLOAD_TOO_LARGE),
        Failure::Late => ("forged", StatusCode::REQUEST_TIMEOUT),
        Failure::Busy => ("unavailable", StatusCode::CONFLICT),
        Failure::Facts(_) => ("unavailable", StatusCode::INTERNAL_SERVER_ERROR),
        Failure::NotReady | Failure::Stopping | Failure::Store(_) => {
            ("unavailable", StatusCode::SERVICE_UNAVAILABLE)
        }
    }
}

/// Label of an outcome, the key concerned, and the reason.
fn described(outcome: &Outcome) -> (&'static str, Option<String>, Option<&'static str>) {
    match outcome {
        Outcome::Issued(record) => ("issued", Some(record.id.to_string()), None),
        Outcome::Renewed(record) => ("renewed", Some(record.id.to_string()), None),
        Outcome::Changed(record) => ("changed", Some(record.id.to_string()), None),
        Outcome::Ended(record) => ("ended", Some(record.id.to_string()), None),
        Outcome::Waiting(reason) => ("waiting", None, Some(reason)),
        Outcome::Ignored(reason) => ("ignored", None, Some(reason)),
    }
}
