//! The text that Prometheus scrapes: the rows of the [`table`], with their current values.

use bareme_engine::Folder;
use bareme_engine::law::Scale;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use prometheus_client::encoding::text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{self, Registry, Unit};

use super::Label;
use super::table::{self, Metric};
use crate::ops::status::Status;

/// Media type of the result of [`write()`].
pub(crate) const MEDIA: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Suffix that the format adds to a name, by the kind of its metric.
const SUFFIXES: [&str; 2] = ["_total", "_info"];

/// Everything.
pub(crate) fn write(status: Status<'_>) -> String {
    let mut registry = Registry::with_prefix(table::PREFIX);
    table::register(&mut registry, status);
    let mut text = String::new();
    // Writing to a String cannot fail.
    text::encode(&mut text, &registry)
        .map(|()| text)
        .unwrap_or_default()
}

/// The entry of a row in the registry.
pub(super) struct Entry<'r> {
    pub registry: &'r mut Registry,
    pub metric: &'r Metric,
}

impl Entry<'_> {
    /// Adds the series to the registry.
    pub(super) fn add(self, series: impl registry::Metric) {
        // The library adds the suffix of a counter, and that of a unit, by itself.
        let Metric { name, help, .. } = self.metric;
        let name = SUFFIXES
            .iter()
            .find_map(|suffix| name.strip_suffix(suffix))
            .unwrap_or(name);

        for unit in [Unit::Seconds, Unit::Bytes] {
            if let Some(name) = name
                .strip_suffix(unit.as_str())
                .and_then(|name| name.strip_suffix('_'))
            {
                return self.registry.register_with_unit(name, *help, unit, series);
            }
        }

        self.registry.register(name, *help, series);
    }
}

/// The rule sets read, by outcome.
pub(super) fn reloads(status: Status<'_>) -> Family<Label, Counter> {
    let family = Family::<Label, Counter>::default();
    for (outcome, count) in status.rules.counts() {
        family.get_or_create(&[("outcome", outcome)]).inc_by(count);
    }
    family
}

/// The folders whose files have errors.
pub(super) fn held_folders(status: Status<'_>, entry: Entry<'_>) {
    let family = Family::<[(&str, String); 2], Gauge>::default();
    for held in &status.rules.outcome().held {
        let serves = if held.serves { "older" } else { "none" };
        family
            .get_or_create(&[
                ("folder", held.folder.clone()),
                ("serves", serves.to_owned()),
            ])
            .set(1);
    }

    entry.add(family);
}

/// The end of the last day for which the last scale of each folder is known to hold.
pub(super) fn end_of_last_scales(status: Status<'_>, entry: Entry<'_>) {
    of_last_scales(status, entry, |scale| end_of(scale.known_until));
}

/// The day on which the last scale of each folder was last checked.
pub(super) fn last_check_of_scales(status: Status<'_>, entry: Entry<'_>) {
    of_last_scales(status, entry, |scale| {
        scale.checked.map_or(Some(Timestamp::UNIX_EPOCH), start_of)
    });
}

/// A moment of the last scale of each folder.
fn of_last_scales(
    status: Status<'_>,
    entry: Entry<'_>,
    moment: impl Fn(&Scale) -> Option<Timestamp>,
) {
    let Some(snapshot) = status.rules.snapshot() else {
        return;
    };

    let family = Family::<[(&str, String); 1], Gauge>::default();
    // A folder without dates has no scale, and no series.
    let of_last_scale = |folder: &Folder| {
        folder
            .latest()
            .and_then(|edition| edition.scale())
            .and_then(&moment)
    };

    for folder in snapshot.rules.folders() {
        if let Some(moment) = of_last_scale(folder) {
            family
                .get_or_create(&[("folder", folder.path().to_owned())])
                .set(moment.as_second());
        }
    }

    entry.add(family);
}

fn start_of(day: Date) -> Option<Timestamp> {
    Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// The first moment after a day.
fn end_of(day: Date) -> Option<Timestamp> {
    start_of(day.tomorrow().ok()?)
}
