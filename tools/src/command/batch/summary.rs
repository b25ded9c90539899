//! Summary of a run: its progress, then the counts of rows computed, refused and warned of.

use std::time::{Duration, Instant};

use bareme_show::{Locale, Text, say};
use indicatif::{ProgressBar, ProgressStyle};
use rust_decimal::Decimal;

use super::compute::{Computed, Counts};
use crate::session::Session;

/// Reasons shown of refused rows when they are not kept apart, and warnings shown.
const TOLD: usize = 10;
/// Different warnings that are counted apart.
const KEPT: usize = 1_000;

/// The counts of a run.
pub(super) struct Summary<'s> {
    session: &'s Session,
    progress: ProgressBar,
    started: Instant,
    /// The number of rows, where it is known.
    total: Option<usize>,
    pub rows: usize,
    pub refused: usize,
    warnings: Counts,
    empty: Counts,
}

impl<'s> Summary<'s> {
    /// The counts of a run that begins.
    pub(super) fn new(total: Option<u64>, session: &'s Session) -> Self {
        // On a terminal only, and on its error output: the bar hides itself elsewhere.
        let progress = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        let template = if total.is_some() { "{bar:30} {msg}" } else { "{spinner} {msg}" };
        progress.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner()));
        Self {
            session,
            progress,
            started: Instant::now(),
            total: total.and_then(|total| usize::try_from(total).ok()),
            rows: 0,
            refused: 0,
            warnings: Counts::new(),
            empty: Counts::new(),
        }
    }

    /// Counts a chunk, and shows the first reasons of all where refused rows are not kept apart.
    pub(super) fn take(&mut self, computed: &Computed, places: &[String], is_told: bool) {
        let lang = self.session.lang;
        let left = if is_told { TOLD.saturating_sub(self.refused) } else { 0 };
        for (file, line, reason) in computed.reasons.iter().take(left) {
            let sentence = match places.get(*file).filter(|_| places.len() > 1) {
                None => say!(lang, "ligne {line} : {reason}", "line {line}: {reason}"),
                Some(place) => {
                    say!(lang, "{place}, ligne {line} : {reason}", "{place}, line {line}: {reason}")
                }
            };
            self.progress.suspend(|| eprintln!("{sentence}"));
        }
        self.rows += computed.rows;
        self.refused += computed.reasons.len();
        for (warning, rows) in &computed.warnings {
            // Texts that hold amounts may all differ: memory stays constant.
            let is_kept = self.warnings.len() < KEPT || self.warnings.contains_key(warning);
            let warning = if is_kept { warning.as_str() } else { "…" };
            *self.warnings.entry(warning.to_owned()).or_default() += rows;
        }
        for (parameter, cells) in &computed.empty {
            *self.empty.entry(parameter.clone()).or_default() += cells;
        }
        self.show();
    }

    /// Shows how far the run is.
    fn show(&self) {
        let lang = self.session.lang;
        let mut said = rows_text(self.rows, self.session);
        let took = self.started.elapsed();
        if let Some((_, per_second)) = rate(self.rows, took) {
            let per_second = Locale::from(lang).number(per_second);
            said.push_str(&say!(lang, ", {per_second} par seconde", ", {per_second} per second"));
        }
        if let Some(left) = self.total.and_then(|total| time_left(self.rows, total, took)) {
            let left = Locale::from(lang).number(left);
            said.push_str(&say!(lang, ", reste {left} s", ", {left} s left"));
        }
        self.progress.set_position(u64::try_from(self.rows).unwrap_or_default());
        self.progress.set_message(said);
        self.progress.tick();
    }

    /// Reports the whole run; `apart` is the file of the refused rows, `with_default` the parameters that have a default.
    pub(super) fn report(&self, apart: Option<&str>, with_default: &[&str]) {
        self.progress.finish_and_clear();
        let lang = self.session.lang;
        let number = |number| Locale::from(lang).number(number);
        let rows = rows_text(self.rows, self.session);
        let mut said = match rate(self.rows, self.started.elapsed()) {
            None => say!(lang, "{rows} en moins d'une seconde", "{rows} in less than a second"),
            Some((seconds, per_second)) => {
                let (seconds, per_second) = (number(seconds), number(per_second));
                say!(
                    lang,
                    "{rows} en {seconds} s, {per_second} par seconde",
                    "{rows} in {seconds} s, {per_second} per second"
                )
            }
        };
        if self.refused > 0 {
            let refused = number(Decimal::from(self.refused));
            said.push_str(&say!(lang, " ; refusées : {refused}", "; refused: {refused}"));
            if let Some(apart) = apart {
                said.push_str(&format!(" ({apart})"));
            }
        }
        let empty = self.empty.iter().filter(|(name, _)| with_default.contains(&name.as_str()));
        let empty: Vec<String> =
            empty.map(|(name, cells)| format!("{name} {}", number(Decimal::from(*cells)))).collect();
        if !empty.is_empty() {
            let empty = empty.join(", ");
            said.push_str(&say!(
                lang,
                " ; cellules vides, valeur par défaut : {empty}",
                "; empty cells, their default: {empty}"
            ));
        }
        show_warnings(&self.warnings, self.session);
        eprintln!("{said}");
    }
}

/// Reports how many rows have each warning, the most frequent first.
fn show_warnings(warnings: &Counts, session: &Session) {
    let mut sorted: Vec<_> = warnings.iter().collect();
    sorted.sort_by_key(|(_, rows)| std::cmp::Reverse(**rows));
    for (warning, rows) in sorted.iter().take(TOLD) {
        let rows = rows_text(**rows, session);
        eprintln!("{}", say!(session.lang, "Avertissement, {rows} : {warning}", "Warning, {rows}: {warning}"));
    }
    if sorted.len() > TOLD {
        let others = sorted.len() - TOLD;
        eprintln!("{}", say!(session.lang, "Autres avertissements : {others}.", "Other warnings: {others}."));
    }
}

/// Seconds, and rows a second: in less than one the few that there were say nothing about the many.
fn rate(rows: usize, took: Duration) -> Option<(Decimal, Decimal)> {
    let milliseconds = Decimal::from(took.as_millis());
    let seconds = milliseconds.checked_div(Decimal::ONE_THOUSAND).filter(|seconds| *seconds >= Decimal::ONE)?;
    Some((seconds.round_dp(1), Decimal::from(rows).checked_div(seconds)?.round()))
}

/// Seconds that the rows which are left will take.
fn time_left(rows: usize, total: usize, took: Duration) -> Option<Decimal> {
    let left = u128::try_from(total.checked_sub(rows)?).ok()?;
    let milliseconds = took.as_millis().checked_mul(left)?.checked_div(u128::try_from(rows).ok()?)?;
    Some(Decimal::from(milliseconds / 1_000)).filter(|_| took >= Duration::from_secs(1))
}

fn rows_text(rows: usize, session: &Session) -> String {
    Locale::from(session.lang).count(rows, Text::new("ligne", "row"), Text::new("lignes", "rows"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_told_where_there_is_one() {
        let of = |rows, milliseconds| rate(rows, Duration::from_millis(milliseconds));
        assert_eq!(of(1_000_000, 2_150), Some((Decimal::new(22, 1), Decimal::from(465_116))));
        assert_eq!(of(7, 1_000), Some((Decimal::ONE, Decimal::from(7))));
        assert_eq!((of(3, 999), of(0, 0)), (None, None));
        let left = |rows, milliseconds| time_left(rows, 1_000, Duration::from_millis(milliseconds));
        assert_eq!((left(250, 2_000), left(250, 999), left(0, 2_000)), (Some(Decimal::from(6)), None, None));
    }
}
