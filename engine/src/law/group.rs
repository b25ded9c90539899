//! Groups: several like things of one query, each with its own inputs, such as the heirs of an
//! estate or the lines of an invoice.

use crate::law::{InputId, SlotId};
use crate::text::limits::ITEMS;
use crate::text::{Node, Place, PlacedText, Problem, Report};

/// Separator of the values that a query sends for a list: those of the items of a group, or of the
/// months of a year of pays.
pub const VALUE_SEPARATOR: char = ';';

/// A group of like things, its items, of which a query sends any number.
///
/// An input of a group has a value for each item, `part=0.5;0.5`; a step with `each` is computed for
/// each of them.
///
/// ```
/// use bareme_engine::{FileSet, Loader};
///
/// let method = "format: bareme/1\nfolder: facture\ntitle: \"Facture\"\ndated: false\n\
///     groups:\n  lignes: {label: \"Lignes\", item: \"Ligne\", most: 3}\n\
///     inputs:\n  montant: {type: money, group: lignes, required: true, label: \"Montant\"}\n\
///     steps:\n  total: {formula: sum(montant), label: \"Total\"}\n\
///     answer:\n  total: total\n";
/// let files = FileSet::from_texts([("facture/method.yaml", method)]);
/// let rules = Loader::new().without_cases().load_files(&files).rules.ok_or("errors")?;
/// let folder = rules.folder("facture").ok_or("no such folder")?;
/// let method = folder.latest().ok_or("no edition")?.method();
/// assert_eq!((method.groups()[0].item.as_str(), method.groups()[0].most), ("Ligne", 3));
///
/// let sent = [("montant".to_owned(), "10;20.50".to_owned())];
/// let calculation = folder.calculate(&sent[..].into(), jiff::civil::date(2026, 3, 31))?;
/// let total = calculation.field("total").and_then(|field| field.number());
/// assert_eq!(total, Some("30.50".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Group {
    /// Its name, by which inputs and steps say that they are of each of its items.
    pub name: String,
    /// Its label, in French: "Héritiers".
    pub label: String,
    /// The label of one item, in French: "Héritier".
    pub item: String,
    /// The fewest items that a query may send.
    pub least: usize,
    /// The most items that a query may send.
    pub most: usize,
    /// Its inputs, in the order of the method.
    pub inputs: Vec<InputId>,
    pub(crate) place: Place,
}

impl Group {
    /// The slot whose list has a value for each item: that of its first input.
    pub(crate) fn size(&self) -> Option<SlotId> {
        self.inputs.first().map(|input| input.slot())
    }
}

/// Reads the groups of a method; the reading of the inputs says which inputs are theirs.
pub(crate) fn read_groups(node: &Node, report: &mut Report) -> Vec<Group> {
    let entries = node.entries_of("groups");
    entries
        .iter()
        .map(|(name, node)| read_group(name, node, report))
        .collect()
}

fn read_group(name: &PlacedText, node: &Node, report: &mut Report) -> Group {
    let count = |key: &str| node.text_of(key)?.value.parse::<usize>().ok();
    let least = count("least").unwrap_or_default();
    let most = count("most").unwrap_or(ITEMS.most);

    let place = node.text_of("most").map_or(&name.place, |text| &text.place);
    if most == 0 || least > most {
        report.error(place, Problem::GroupWithoutRoom { least, most });
    }
    ITEMS.accepts(most, place, report);

    Group {
        name: name.value.clone(),
        label: node.string_of("label").unwrap_or_default(),
        item: node.string_of("item").unwrap_or_default(),
        least,
        most,
        inputs: Vec::new(),
        place: name.place.clone(),
    }
}

/// Reports groups without inputs, and any group of a method that computes a year of pays.
pub(crate) fn check_groups(node: &Node, groups: &[Group], report: &mut Report) {
    for group in groups {
        let name = group.name.clone();
        if group.inputs.is_empty() {
            report.error(&group.place, Problem::GroupWithoutInputs { name });
        } else if node.get("year").is_some() {
            report.error(&group.place, Problem::GroupInYear { name });
        }
    }
}
