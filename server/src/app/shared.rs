//! The state that all parts of the service share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bareme_accounts::Access;
#[cfg(feature = "site")]
use bareme_accounts::confirmations::Confirmations;
use bareme_api::calls::receipt::Signer;
use bareme_api::wire::address::Proxies;
use bareme_api::wire::clock::Clock;
use bareme_api::wire::headers::{self, ReplyMeta, RequestContext};
use bareme_api::wire::problem::Problem;
use bareme_api::wire::problem::kinds::Kind;
use bareme_api::wire::reply::Reply;
use bareme_api::work::budget::Budget;
#[cfg(feature = "site")]
use bareme_site::legal::OwnTexts;

#[cfg(feature = "site")]
use crate::app::site::KnownDays;
use crate::archive::Archive;
use crate::net::Host;
use crate::net::connection_limit::ConnectionLimit;
use crate::ops::metrics::Metrics;
use crate::ops::status::Status;
use crate::reload::in_force::InForce;

/// The state of the service.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The clock of every request.
    pub clock: Clock,
    /// Keys and quotas.
    pub access: Arc<Access>,
    /// The trusted proxies.
    pub proxies: Proxies,
    /// Limits of connections.
    pub connections: Arc<ConnectionLimit>,
    /// The work that each caller may ask for.
    pub budget: Budget,
    /// The operator's texts of the site.
    #[cfg(feature = "site")]
    pub texts: OwnTexts,
    /// Whether assistants are served, and further host names that they may call.
    #[cfg(feature = "mcp")]
    pub mcp_hosts: Option<Vec<String>>,
    /// Whether only the admin listener answers the probes.
    pub hides_probes: bool,
    /// Sender of confirmation e-mails for free keys, if there is a mail server.
    #[cfg(feature = "site")]
    pub confirmations: Option<Confirmations>,
    /// What signs receipts, if the operator has a key.
    pub signer: Option<Arc<Signer>>,
    /// Counters.
    pub metrics: Arc<Metrics>,
    pub rules: Arc<InForce>,
    /// The rule sets that came into force.
    pub archive: Arc<Archive>,
    /// The availability of the last days, as it was last read.
    #[cfg(feature = "site")]
    pub served_days: KnownDays,
    draining: AtomicBool,
}

impl Shared {
    /// The state before any rules are loaded.
    pub(crate) fn new(
        clock: Clock,
        access: Arc<Access>,
        proxies: Proxies,
        connections: ConnectionLimit,
    ) -> Self {
        Self {
            clock,
            archive: Arc::new(Archive::new(access.shared_store())),
            access,
            proxies,
            connections: Arc::new(connections),
            budget: Budget::default(),
            #[cfg(feature = "site")]
            texts: OwnTexts::default(),
            #[cfg(feature = "mcp")]
            mcp_hosts: None,
            hides_probes: false,
            #[cfg(feature = "site")]
            confirmations: None,
            signer: None,
            metrics: Arc::default(),
            rules: Arc::default(),
            #[cfg(feature = "site")]
            served_days: KnownDays::default(),
            draining: AtomicBool::new(false),
        }
    }

    /// Root of the addresses of error types, by the rule set in force.
    pub(crate) fn documentation(&self) -> Option<String> {
        self.rules
            .snapshot()
            .map(|snapshot| snapshot.rules.service().documentation.clone())
    }

    /// The state as shown to the operator.
    pub(crate) fn status(&self) -> Status<'_> {
        Status {
            access: &self.access,
            connections: &self.connections,
            metrics: &self.metrics,
            rules: &self.rules,
            is_draining: self.draining.load(Ordering::Acquire),
        }
    }

    /// Marks the service as stopping, for good.
    pub(crate) fn start_draining(&self) {
        self.draining.store(true, Ordering::Release);
    }
}

impl Host for Shared {
    fn refuse(&self, kind: &'static Kind) -> Reply {
        let context = RequestContext::without_request(&self.clock);
        let mut reply =
            Problem::plain(kind).into_reply(self.documentation().as_deref(), context.id);

        // Without a request there is no handler to count and log: both are done here.
        headers::complete(reply.headers_mut(), &context, &ReplyMeta::default());
        self.metrics.refused(kind);
        tracing::info!(
            target: "access",
            id = %context.id,
            status = kind.status.as_u16(),
            code = kind.code,
            "refused"
        );
        reply
    }

    fn written_late(&self, took: Duration) {
        self.metrics.written_late(took);
    }
}
