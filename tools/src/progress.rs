//! Progress of a command over many rows, on the standard error of a terminal: rows, rows per
//! second, time left.

use std::cell::Cell;
use std::time::{Duration, Instant};

use bareme_show::{Locale, Text, say};
use indicatif::{ProgressBar, ProgressStyle};
use rust_decimal::Decimal;

use crate::session::Session;

/// A bar if the number of rows is known, else a counter; hidden where the output is not a terminal.
pub(crate) struct Progress<'s> {
    bar: ProgressBar,
    started: Instant,
    rows: Cell<usize>,
    /// The number of rows, if known.
    total: Option<usize>,
    session: &'s Session,
}

impl<'s> Progress<'s> {
    pub(crate) fn new(total: Option<u64>, session: &'s Session) -> Self {
        let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        let template = if total.is_some() {
            "{bar:30} {msg}"
        } else {
            "{spinner} {msg}"
        };

        // The templates are constants of this file; were one wrong, the usual style is still better
        // than no display.
        bar.set_style(
            ProgressStyle::with_template(template)
                .unwrap_or_else(|_| ProgressStyle::default_spinner()),
        );

        let total = total.and_then(|total| usize::try_from(total).ok());
        Self {
            bar,
            started: Instant::now(),
            rows: Cell::new(0),
            total,
            session,
        }
    }

    /// Counts completed rows, and updates the display.
    pub(crate) fn add(&self, rows: usize) {
        let rows = self.rows.get() + rows;
        self.rows.set(rows);
        let lang = self.session.lang;
        let mut message = rows_text(rows, self.session);
        // Nothing is estimated in the first second: a rate over a few rows jumps.
        if let Some((_, per_second)) = self.rate() {
            let per_second = Locale::from(lang).number(per_second);
            message.push_str(&say!(
                lang,
                ", {per_second} par seconde",
                ", {per_second} per second"
            ));
        }

        if let Some(left) = self
            .total
            .and_then(|total| time_left(rows, total, self.started.elapsed()))
        {
            let left = Locale::from(lang).number(left);
            message.push_str(&say!(lang, ", reste {left} s", ", {left} s left"));
        }

        // `indicatif` limits how often it draws, so that a call for each block of rows is cheap.
        self.bar
            .set_position(u64::try_from(rows).unwrap_or_default());
        self.bar.set_message(message);
        self.bar.tick();
    }

    /// Seconds, and rows per second; `None` in the first second.
    pub(crate) fn rate(&self) -> Option<(Decimal, Decimal)> {
        rate(self.rows.get(), self.started.elapsed())
    }

    /// Prints a line above the bar.
    pub(crate) fn print(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Seconds, and rows per second; too few rows in less than a second for an estimate.
fn rate(rows: usize, took: Duration) -> Option<(Decimal, Decimal)> {
    // In milliseconds, since whole seconds would be up to 100 % off for a short run.
    let milliseconds = Decimal::from(took.as_millis());
    let seconds = milliseconds
        .checked_div(Decimal::ONE_THOUSAND)
        .filter(|seconds| *seconds >= Decimal::ONE)?;

    Some((
        seconds.round_dp(1),
        Decimal::from(rows).checked_div(seconds)?.round(),
    ))
}

/// Estimated seconds for the remaining rows.
fn time_left(rows: usize, total: usize, took: Duration) -> Option<Decimal> {
    // `None` where there are more rows than announced, and for no row yet, whose rate is unknown.
    let left = u128::try_from(total.checked_sub(rows)?).ok()?;
    let milliseconds = took
        .as_millis()
        .checked_mul(left)?
        .checked_div(u128::try_from(rows).ok()?)?;

    (took >= Duration::from_secs(1)).then(|| Decimal::from(milliseconds / 1_000))
}

/// A number of rows in words.
pub(crate) fn rows_text(rows: usize, session: &Session) -> String {
    Locale::from(session.lang).count(rows, Text::new("ligne", "row"), Text::new("lignes", "rows"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_reported_where_there_is_one() {
        let of = |rows, milliseconds| rate(rows, Duration::from_millis(milliseconds));
        assert_eq!(
            of(1_000_000, 2_150),
            Some((Decimal::new(22, 1), Decimal::from(465_116)))
        );
        assert_eq!(of(7, 1_000), Some((Decimal::ONE, Decimal::from(7))));
        assert_eq!((of(3, 999), of(0, 0)), (None, None));
        let left = |rows, milliseconds| time_left(rows, 1_000, Duration::from_millis(milliseconds));
        assert_eq!(
            (left(250, 2_000), left(250, 999), left(0, 2_000)),
            (Some(Decimal::from(6)), None, None)
        );
    }
}
