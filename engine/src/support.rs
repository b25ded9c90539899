//! What the figures of a scale rest on: a legal text, an official page, or nothing that can be cited.

use crate::figure::{Figure, Row};
use crate::source::{Source, SourceKind};

/// What a figure rests on, the best first.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().about(&["tva"]).load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// use bareme_engine::Support;
///
/// let scale = folder.latest().and_then(|edition| edition.scale()).ok_or("no scale")?;
/// assert!(scale.figures.iter().all(|figure| figure.support(&scale.sources) <= Support::Administration));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Support {
    /// A legal text.
    Law,
    /// An official page, table or calculator.
    Administration,
    /// Evidence only: no text was found.
    Evidence,
}

impl Support {
    fn of_source(source: &Source) -> Self {
        match source.kind {
            SourceKind::Law => Self::Law,
            SourceKind::Administration => Self::Administration,
            SourceKind::Secondary => Self::Evidence,
        }
    }
}

impl Figure {
    /// What the figure rests on: the best of its sources; with rows, that of the row that has the least.
    pub fn support(&self, sources: &[Source]) -> Support {
        let best = |named: &[usize]| {
            let named = named.iter().filter_map(|index| sources.get(*index));
            named.map(Support::of_source).min().unwrap_or(Support::Evidence)
        };
        let whole = best(&self.sources);
        let rows = self.rows.iter().map(|row| if row.sources.is_empty() { whole } else { best(&row.sources) });
        rows.max().unwrap_or(whole)
    }

    /// Whether what no legal text sets says so in a note: the figure, or each row of it that rests on none.
    pub(crate) fn says_what_it_lacks(&self, sources: &[Source]) -> bool {
        let is_law = |index: &usize| sources.get(*index).is_some_and(|source| source.kind == SourceKind::Law);
        let is_fine = |row: &Row| {
            let named = if row.sources.is_empty() { &self.sources } else { &row.sources };
            named.iter().any(is_law) || row.remark.note.is_some()
        };
        self.remark.note.is_some() || (!self.rows.is_empty() && self.rows.iter().all(is_fine))
    }
}

#[cfg(test)]
mod tests {
    use crate::source::SourceKind;
    use crate::testing::{GROSS, folder};

    use super::Support;

    #[test]
    fn a_figure_rests_on_its_best_source_and_a_list_on_its_weakest_row() {
        let keys = format!(
            "{GROSS}figures:\n  f: {{v: rate}}\n  g: {{cadre: key, v: rate}}\nsteps:\n  t: {{table: g, by: cadre}}\n  x: {{contribution: brut, rate: t.v}}\n  y: brut * f.v\nanswer:\n  x: x\n  y: y\n"
        );
        let figures = "  f: {v: 1%, source: s}\n  g: {rows: [{cadre: true, v: 1%, source: s}, {v: 2%, checked_with: s, confidence: low, note: N}]}";
        let folder = folder(&keys, figures);
        let scale = folder.latest().unwrap().scale().unwrap();
        let support: Vec<Support> = scale.figures.iter().map(|figure| figure.support(&scale.sources)).collect();
        assert_eq!(scale.sources[0].kind, SourceKind::Law);
        assert_eq!(support, [Support::Law, Support::Evidence]);
    }
}
