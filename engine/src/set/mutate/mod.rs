//! Mutation tests: whether the worked cases of a folder would notice a mistyped figure, or a slip
//! in its method.
//!
//! Each cell of a dated file is changed a little, one at a time: some case must then have another
//! answer, or the file be refused. A figure that no case notices is not checked by anybody.
//! [`MethodProbe`] does the same with the words of a method, [`propose`] finds a question that would
//! notice.

mod method;
mod proposal;

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use rust_decimal::Decimal;

use crate::law::{Scale, Type};
use crate::run::{Case, Edition, Folder};
use crate::set::cell::cells_of;
use crate::text::{Content, Node, Place, Report, number_text};

pub use crate::set::cell::Cell;
pub use method::{MethodProbe, Slip};
pub use proposal::{Proposal, propose};

/// A dated scale with its worked cases, without those computed by the program.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["tva"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// use bareme_engine::set::mutate::Probe;
///
/// let edition = folder.latest().ok_or("no edition")?;
/// let probe = Probe::new(folder, edition).ok_or("no figures")?;
/// let cell = &probe.cells()[0];
/// assert!(cell.nearby().iter().any(|written| probe.is_noticed(cell, written)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Probe<'f> {
    folder: &'f Folder,
    edition: &'f Edition,
    scale: &'f Scale,
    node: Node,
    cases: Vec<&'f Case>,
    /// Index of the case that noticed the last change: it most likely notices the next one, in a
    /// cell nearby.
    likely: AtomicUsize,
}

impl<'f> Probe<'f> {
    /// A probe of a scale; `None` for an edition without figures.
    pub fn new(folder: &'f Folder, edition: &'f Edition) -> Option<Self> {
        let scale = edition.scale.as_ref()?;
        // An edition keeps the values only: the texts are parsed again.
        let file = scale.place.file();
        let node = Node::read(file, &mut Report::default())?;
        let cases = folder
            .cases_of(edition)
            .filter(|case| !case.is_computed)
            .collect();
        Some(Self {
            folder,
            edition,
            scale,
            node,
            cases,
            likely: AtomicUsize::new(0),
        })
    }

    /// Every cell of its figures, in the order of the file.
    pub fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();

        for (name, node) in self.node.entries_of("figures") {
            let shapes = self.edition.method.figures();
            let Some(shape) = shapes.iter().find(|shape| shape.name == name.value) else {
                continue;
            };
            if !shape.has_rows() {
                cells.extend(cells_of(shape, node, None));
            }
            for (row, node) in (1..).zip(node.items_of("rows")) {
                cells.extend(cells_of(shape, node, Some(row)));
            }
        }

        cells
    }

    /// Whether the file with another text in a cell is refused, or changes the answer of some case.
    pub fn is_noticed(&self, cell: &Cell, written: &str) -> bool {
        let Some(edition) = self.changed(&[(cell, written.to_owned())]) else {
            return true;
        };
        let changed = self.folder.with_only(edition);

        // From the case that noticed the last change on, then those before it: nearly always the
        // first one that is run notices.
        let likely = self.likely.load(Relaxed);
        let notices = |(_, case): &(usize, &&Case)| !case.outcome(&changed).is_ok();
        let cases = self.cases.iter().enumerate();
        let found = cases
            .clone()
            .skip(likely)
            .chain(cases.take(likely))
            .find(notices);

        found
            .inspect(|(index, _)| self.likely.store(*index, Relaxed))
            .is_some()
    }

    /// A question that a wrong text in a cell would answer otherwise, for a case that notices it.
    pub fn propose(&self, cell: &Cell, written: &str) -> Option<Proposal> {
        let changed = self.changed(&[(cell, written.to_owned())])?;
        let (right, wrong) = (self.changed(&[])?, changed);
        propose(
            self.folder,
            &self.cases,
            [right, wrong],
            &cell.value().into_iter().collect::<Vec<_>>(),
        )
    }

    /// The edition with other texts in some cells; `None` where it is refused.
    pub fn changed(&self, texts: &[(&Cell, String)]) -> Option<Edition> {
        let mut node = self.node.clone();
        for (cell, written) in texts {
            rewrite(&mut node, &cell.text.place, written);
        }

        // As if the file were on the disk: checked against the bounds of its method, then compiled.
        let mut report = Report::default();
        let file = self.scale.place.file();
        let scale = Scale::read(
            self.scale.date,
            file,
            &node,
            &self.edition.method,
            &mut report,
        );

        let edition = Edition::alone(&self.edition.method, scale, &mut report);
        (report.is_ok() && edition.program().is_ok()).then_some(edition)
    }
}

/// Replaces the text at a place, that of a key or of a value.
fn rewrite(node: &mut Node, place: &Place, written: &str) {
    match &mut node.content {
        // The place identifies the text: others may be the same.
        Content::Text(text) if text.place.span() == place.span() => {
            written.clone_into(&mut text.value)
        }
        Content::Map(entries) => entries.iter_mut().for_each(|(key, inside)| {
            if key.place.span() == place.span() {
                written.clone_into(&mut key.value);
            }
            rewrite(inside, place, written);
        }),
        Content::List(items) => items
            .iter_mut()
            .for_each(|inside| rewrite(inside, place, written)),
        _ => {}
    }
}

impl Cell {
    /// Other values for the cell as texts, the nearest first. A rate moves by a hundredth of a
    /// point, then by a tenth; any other value by one in its last digit, then by a hundredth of
    /// itself.
    pub fn nearby(&self) -> Vec<String> {
        let text = self.written();
        let is_rate = self.ty == Type::Rate;
        let Some(value) = self.value() else {
            return Vec::new();
        };

        let part = |scale| value.checked_mul(Decimal::new(1, scale));
        let steps = match (is_rate, text.contains('/')) {
            // As fractions: 0.01 % and 0.1 %.
            (true, _) => [Some(Decimal::new(1, 4)), Some(Decimal::new(1, 3))],
            // A fraction such as `2/37` has no last digit.
            (false, true) => [part(3), part(2)],
            (false, false) => [Some(Decimal::new(1, value.scale())), part(2)],
        };

        let moved = steps
            .into_iter()
            .flatten()
            .flat_map(|step| [value.checked_add(step), value.checked_sub(step)]);
        // A rate of 0 does not become negative: the file would be refused, which proves nothing.
        let keeps_sign = |moved: &Decimal| {
            *moved != value && moved.is_sign_negative() == value.is_sign_negative()
        };

        let write = |value: Decimal| {
            let shown = if is_rate {
                value.checked_mul(Decimal::ONE_HUNDRED)?
            } else {
                value
            };
            Some(number_text(shown) + if is_rate { "%" } else { "" })
        };

        moved
            .flatten()
            .filter(keeps_sign)
            .filter_map(write)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, method, read, scale};

    use super::*;

    fn folder() -> Folder {
        let keys = "figures:\n  f: {v: rate, n: number}\n  g: {bound: money/month, rate: rate}\n\
                    steps:\n  x: brut * f.v * f.n\n  y: {brackets: brut, with: g}\n\
                    answer:\n  x: x\n  y: y\n";
        let figures = "  f: {v: 10%, n: 3/4, source: s}\n  g: {per: month, source: s, rows: \
                       [{up_to: 1 000.50, rate: 0%}, {rate: 50%}]}\n";
        let cases = "format: bareme/1\ncases:\n  - {name: C, date: 2026-01-01, given: {brut: \
                     1000.50}, expect: {x: 75.04, y: 0}, origin: {kind: hand}}\n";
        let method = method(&format!("{GROSS}{keys}"));
        read(&[
            ("method.yaml", &method),
            ("2026-01-01.yaml", &scale(figures)),
            ("cases.yaml", cases),
        ])
        .0
        .unwrap()
    }

    #[test]
    fn every_cell_has_a_name_and_values_nearby() {
        let folder = folder();
        let probe = Probe::new(&folder, folder.latest().unwrap()).unwrap();
        let cells: Vec<_> = probe
            .cells()
            .iter()
            .map(|cell| format!("{} {}", cell.name(), cell.nearby().join(" ")))
            .collect();
        let expected = [
            "f.v 10.01% 9.99% 10.1% 9.9%",
            "f.n 0.75075 0.74925 0.7575 0.7425",
            "g[1].up_to 1000.51 1000.49 1010.505 990.495",
            "g[1].rate 0.01% 0.1%",
            "g[2].rate 50.01% 49.99% 50.1% 49.9%",
        ];
        assert_eq!(cells, expected);
    }

    #[test]
    fn a_change_is_noticed_by_a_case_or_not() {
        let folder = folder();
        let probe = Probe::new(&folder, folder.latest().unwrap()).unwrap();
        let noticed: Vec<_> = probe
            .cells()
            .iter()
            .map(|cell| {
                cell.nearby()
                    .iter()
                    .map(|near| probe.is_noticed(cell, near))
                    .collect::<Vec<_>>()
            })
            .collect();
        let (yes, no) = (true, false);
        let expected: [&[bool]; 5] = [
            &[yes; 4],
            &[yes; 4],
            &[no, yes, no, yes],
            &[yes; 2],
            &[no; 4],
        ];
        assert_eq!(noticed, expected);
    }
}
