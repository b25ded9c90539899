//! Source of the nodes of a folder: their compact form where a record has it, else the YAML parser.

use std::sync::Arc;

use crate::run::folder::Checks;
use crate::set::load::FolderFiles;
use crate::text::{Node, Report, RuleFile, TreeReader, TreeWriter};

/// Where the nodes of the methods and scales of a folder come from.
pub(super) enum Nodes<'t> {
    /// The compact form of an earlier reading of the same files, and its reader.
    Known(&'t Arc<[u8]>, TreeReader<'t>),
    /// The YAML parser; with the compact form of what was parsed, if it is requested and nothing
    /// was reported that it would lose.
    Parsed(Option<TreeWriter>),
}

impl<'t> Nodes<'t> {
    /// A source for the files of a folder.
    pub(super) fn new(folder: &FolderFiles<'t>) -> Self {
        match (folder.trees, folder.checks) {
            (Some(trees), _) => Self::Known(trees, TreeReader::new(trees)),
            (None, Checks::Whole) => Self::Parsed(Some(TreeWriter::default())),
            (None, _) => Self::Parsed(None),
        }
    }

    /// The node of the next file.
    pub(super) fn next(&mut self, file: &Arc<RuleFile>, report: &mut Report) -> Option<Node> {
        if let Self::Known(_, trees) = self {
            match trees.next(file) {
                Some(node) => return Some(node),
                // The bytes are not of these files, or damaged: parsing them only costs time.
                None => *self = Self::Parsed(None),
            }
        }

        // A report of its own: what was reported of the files before does not end the compact form.
        let mut own = Report::default();
        let node = Node::read(file, &mut own);
        self.keep(node.as_ref().filter(|_| own.all().next().is_none()));
        report.extend(own);
        node
    }

    /// Adds a node to the compact form. `None` ends that form: what was reported of a file must be
    /// reported each time.
    fn keep(&mut self, node: Option<&Node>) {
        if let Self::Parsed(kept) = self {
            let added = kept
                .as_mut()
                .zip(node)
                .and_then(|(trees, node)| trees.add(node));
            if added.is_none() {
                *kept = None;
            }
        }
    }

    /// The compact form of all nodes; empty if there is none.
    pub(super) fn into_trees(self) -> Arc<[u8]> {
        match self {
            Self::Known(trees, _) => Arc::clone(trees),
            Self::Parsed(Some(trees)) => trees.into_bytes().into(),
            _ => Arc::default(),
        }
    }
}
