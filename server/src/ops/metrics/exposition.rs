//! What Prometheus scrapes: the counters, and the state at the time of the scrape.

use bareme_engine::{Folder, Scale};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use crate::shared::Shared;

/// Media type of what [`write()`] gives.
pub(crate) const MEDIA: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ScaleLabels {
    folder: String,
}

/// Everything.
pub(crate) fn write(shared: &Shared) -> String {
    let mut registry = Registry::with_prefix("bareme");
    shared.metrics.register(&mut registry);
    add_state(&mut registry, shared);
    let mut text = String::new();
    match text::encode(&mut text, &registry) {
        Ok(()) => text,
        // To write in a string never fails.
        Err(_) => String::new(),
    }
}

/// What is true now.
fn add_state(registry: &mut Registry, shared: &Shared) {
    let mut gauge = |name: &str, help: &str, value: i64| {
        let gauge: Gauge = Gauge::default();
        gauge.set(value);
        registry.register(name, help, gauge);
    };
    let outcome = shared.outcome();
    gauge("start_time_seconds", "When the service started", shared.metrics.started.as_second());
    let connections = i64::try_from(shared.connections.count()).unwrap_or(i64::MAX);
    gauge("connections", "Connections that are open", connections);
    gauge("connections_limit", "Most connections at once", shared.connections.total().into());
    gauge("ready", "1 when calls are answered and the service is not stopping", shared.is_ready().into());
    let store_unavailable = shared.access.store().health().unavailable_since();
    gauge("store_up", "1 when keys and counts can be read and written", store_unavailable.is_none().into());
    let refused = !outcome.errors.is_empty();
    gauge("rules_refused", "1 when the files hold rules that were refused, and older ones serve", refused.into());
    gauge(
        "rules_waiting",
        "1 when a set that lost files waits until they are still",
        (!outcome.lost.is_empty()).into(),
    );
    gauge(
        "rules_reading_seconds",
        "How long the reading of the files that runs now has taken",
        shared.loading.seconds(),
    );
    gauge("rules_read_time_seconds", "When the files were last read", outcome.since.as_second());

    registry.register("build", "The program", Info::new([("version", env!("CARGO_PKG_VERSION"))]));
    if let Some(snapshot) = shared.snapshot() {
        let version = snapshot.rules.version().to_owned();
        registry.register("rules", "The rule set in force", Info::new([("version", version)]));
        registry.register_with_unit(
            "scale_known_until_time",
            "End of the last day for which a folder's last scale is known to hold",
            Unit::Seconds,
            of_last_scales(snapshot.rules.folders(), |scale| end_of(scale.known_until)),
        );
        registry.register_with_unit(
            "scale_checked_time",
            "Day on which the figures of a folder's last scale were last read in the texts, 0 if never",
            Unit::Seconds,
            of_last_scales(snapshot.rules.folders(), |scale| {
                scale.checked.map_or(Some(Timestamp::UNIX_EPOCH), start_of)
            }),
        );
    }
}

/// A moment of the last scale of each folder.
fn of_last_scales<'f>(
    folders: impl Iterator<Item = &'f Folder>,
    moment: impl Fn(&Scale) -> Option<Timestamp>,
) -> Family<ScaleLabels, Gauge> {
    let family = Family::<ScaleLabels, Gauge>::default();
    for folder in folders {
        let scale = folder.latest().and_then(|edition| edition.scale());
        if let Some(moment) = scale.and_then(&moment) {
            family.get_or_create(&ScaleLabels { folder: folder.path().to_owned() }).set(moment.as_second());
        }
    }
    family
}

fn start_of(day: Date) -> Option<Timestamp> {
    Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// The first moment after a day.
fn end_of(day: Date) -> Option<Timestamp> {
    start_of(day.tomorrow().ok()?)
}
