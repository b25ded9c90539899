//! Authority of the sources of a figure: a legal text, an official page, or evidence only.

use crate::law::{Figure, Row, Source, SourceKind};

/// Authority of the sources of a figure, the best first.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// use bareme_engine::law::Authority;
///
/// let scale = folder.latest().and_then(|edition| edition.scale()).ok_or("no scale")?;
/// let is_official = |figure: &bareme_engine::law::Figure| {
///     figure.authority(&scale.sources) <= Authority::Administration
/// };
/// assert!(scale.figures.iter().all(is_official));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Authority {
    /// A legal text.
    Law,
    /// An official page, table or calculator.
    Administration,
    /// Evidence only: no text was found.
    Evidence,
}

impl Authority {
    fn of_source(source: &Source) -> Self {
        match source.kind {
            SourceKind::Law => Self::Law,
            SourceKind::Administration => Self::Administration,
            SourceKind::Secondary => Self::Evidence,
        }
    }
}

impl Figure {
    /// The authority of its best source; of a figure with rows, that of the weakest row.
    pub fn authority(&self, sources: &[Source]) -> Authority {
        let best = |named: &[usize]| {
            let named = named.iter().filter_map(|index| sources.get(*index));
            named
                .map(Authority::of_source)
                .min()
                .unwrap_or(Authority::Evidence)
        };

        // A row without sources of its own has those of the figure.
        let whole = best(&self.sources);
        let rows = self.rows.iter().map(|row| {
            if row.sources.is_empty() {
                whole
            } else {
                best(&row.sources)
            }
        });

        // The weakest row decides: the figure is no better than what each answer may rest on.
        rows.max().unwrap_or(whole)
    }

    /// Whether the figure has a note, or each of its rows cites a legal text or has a note.
    pub(crate) fn documents_gaps(&self, sources: &[Source]) -> bool {
        let is_law = |index: &usize| {
            sources
                .get(*index)
                .is_some_and(|source| source.kind == SourceKind::Law)
        };

        // A note says why no legal text is cited.
        let is_fine = |row: &Row| {
            let named = if row.sources.is_empty() {
                &self.sources
            } else {
                &row.sources
            };
            named.iter().any(is_law) || row.remark.note.is_some()
        };

        self.remark.note.is_some() || (!self.rows.is_empty() && self.rows.iter().all(is_fine))
    }
}

#[cfg(test)]
mod tests {
    use crate::law::source::SourceKind;
    use crate::testing::{GROSS, folder};

    use super::Authority;

    #[test]
    fn a_figure_rests_on_its_best_source_and_a_list_on_its_weakest_row() {
        let keys = format!(
            "{GROSS}figures:\n  f: {{v: rate}}\n  g: {{cadre: key, v: rate}}\nsteps:\n  t: \
             {{table: g, by: cadre}}\n  x: {{contribution: brut, rate: t.v}}\n  y: brut * \
             f.v\nanswer:\n  x: x\n  y: y\n"
        );
        let figures = "  f: {v: 1%, source: s}\n  g: {rows: [{cadre: true, v: 1%, source: s}, {v: \
            2%, checked_with: s, confidence: low, note: N}]}";
        let folder = folder(&keys, figures);
        let scale = folder.latest().unwrap().scale().unwrap();
        let support: Vec<Authority> = scale
            .figures
            .iter()
            .map(|figure| figure.authority(&scale.sources))
            .collect();
        assert_eq!(scale.sources[0].kind, SourceKind::Law);
        assert_eq!(support, [Authority::Law, Authority::Evidence]);
    }
}
