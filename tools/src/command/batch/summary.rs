//! Summary of a run: its progress, then the numbers of rows computed, refused and with warnings.

use bareme_show::{Locale, say};
use rust_decimal::Decimal;

use super::compute::{Computed, Counts};
use crate::progress::{Progress, rows_text};
use crate::session::Session;

/// Number of reasons shown where refused rows have no file, and of warnings.
const MAX_LISTED: usize = 10;
/// Number of different warnings counted separately.
const MAX_KEPT: usize = 1_000;

/// The counts of a run.
pub(super) struct Summary<'s> {
    session: &'s Session,
    progress: Progress<'s>,
    pub rows: usize,
    pub refused: usize,
    warnings: Counts,
    empty: Counts,
}

impl<'s> Summary<'s> {
    /// Counts of a new run.
    pub(super) fn new(total: Option<u64>, session: &'s Session) -> Self {
        Self {
            session,
            progress: Progress::new(total, session),
            rows: 0,
            refused: 0,
            warnings: Counts::new(),
            empty: Counts::new(),
        }
    }

    /// Counts a chunk, and shows the first reasons where refused rows have no file.
    pub(super) fn take(&mut self, computed: &Computed, places: &[String], shows_reasons: bool) {
        let lang = self.session.lang;
        // Where refused rows have no file, the first ones are shown while the run goes on.
        let left = if shows_reasons {
            MAX_LISTED.saturating_sub(self.refused)
        } else {
            0
        };

        for (file, line, reason) in computed.reasons.iter().take(left) {
            let sentence = match places.get(*file) {
                Some(place) if places.len() > 1 => {
                    say!(
                        lang,
                        "{place}, ligne {line} : {reason}",
                        "{place}, line {line}: {reason}"
                    )
                }
                _ => say!(lang, "ligne {line} : {reason}", "line {line}: {reason}"),
            };
            self.progress.print(&sentence);
        }

        self.rows += computed.rows;
        self.refused += computed.reasons.len();
        for (warning, rows) in &computed.warnings {
            // Warnings with amounts may all differ: memory must stay constant.
            let is_kept = self.warnings.len() < MAX_KEPT || self.warnings.contains_key(warning);
            let warning = if is_kept { warning.as_str() } else { "…" };
            *self.warnings.entry(warning.to_owned()).or_default() += rows;
        }
        // Parameters are few: no limit is needed for them.
        for (parameter, cells) in &computed.empty {
            *self.empty.entry(parameter.clone()).or_default() += cells;
        }

        self.progress.add(computed.rows);
    }

    /// Reports the run; `errors` is the file of refused rows, `with_default` the parameters that
    /// have a default.
    pub(super) fn report(&self, errors: Option<&str>, with_default: &[&str]) {
        // The bar is removed first, otherwise it would be redrawn below the summary.
        self.progress.finish();
        let lang = self.session.lang;
        let number = |number| Locale::from(lang).number(number);

        let rows = rows_text(self.rows, self.session);
        let mut summary = match self.progress.rate() {
            None => say!(
                lang,
                "{rows} en moins d’une seconde",
                "{rows} in less than a second"
            ),
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
            summary.push_str(&say!(
                lang,
                " ; refusées : {refused}",
                "; refused: {refused}"
            ));
            if let Some(errors) = errors {
                summary.push_str(&format!(" ({errors})"));
            }
        }

        // An empty cell of a parameter with a default is not refused, although it may be a mistake.
        let empty = self
            .empty
            .iter()
            .filter(|(name, _)| with_default.contains(&name.as_str()));
        let empty: Vec<String> = empty
            .map(|(name, cells)| format!("{name} {}", number(Decimal::from(*cells))))
            .collect();

        if !empty.is_empty() {
            let empty = empty.join(", ");
            summary.push_str(&say!(
                lang,
                " ; cellules vides, valeur par défaut : {empty}",
                "; empty cells, their default: {empty}"
            ));
        }

        // The summary comes last, where a terminal still shows it.
        show_warnings(&self.warnings, self.session);
        eprintln!("{summary}");
    }
}

/// Reports how many rows have each warning, the most frequent first.
fn show_warnings(warnings: &Counts, session: &Session) {
    // The most frequent first: it concerns most rows.
    let mut sorted: Vec<_> = warnings.iter().collect();
    sorted.sort_by_key(|(_, rows)| std::cmp::Reverse(**rows));
    for (warning, rows) in sorted.iter().take(MAX_LISTED) {
        let rows = rows_text(**rows, session);
        eprintln!(
            "{}",
            say!(
                session.lang,
                "Avertissement, {rows} : {warning}",
                "Warning, {rows}: {warning}"
            )
        );
    }

    if sorted.len() > MAX_LISTED {
        let others = sorted.len() - MAX_LISTED;
        eprintln!(
            "{}",
            say!(
                session.lang,
                "Autres avertissements : {others}.",
                "Other warnings: {others}."
            )
        );
    }
}
