//! Progress of a command over many rows, on the error output of a terminal: rows, rows a second, time left.

use indicatif::{ProgressBar, ProgressStyle};

use bareme_show::say;

use crate::session::Session;

/// A bar where the number of rows is known, else a count. It hides itself where nobody reads it.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn new(rows: Option<u64>, session: &Session) -> Self {
        let bar = rows.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        let template = match rows {
            Some(_) => say!(
                session.lang,
                "{{wide_bar}} {{pos}}/{{len}} lignes, {{per_sec}}, reste {{eta}}",
                "{{wide_bar}} {{pos}}/{{len}} rows, {{per_sec}}, {{eta}} left"
            ),
            None => {
                say!(session.lang, "{{spinner}} {{pos}} lignes, {{per_sec}}", "{{spinner}} {{pos}} rows, {{per_sec}}")
            }
        };
        bar.set_style(ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_spinner()));
        Self(bar)
    }

    /// Counts rows that are done.
    pub(crate) fn add(&self, rows: usize) {
        self.0.inc(u64::try_from(rows).unwrap_or(u64::MAX));
    }

    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
