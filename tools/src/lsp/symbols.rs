//! The outline of a file: its sections and their entries.

use bareme_engine::Report;
use bareme_engine::authoring::{Content, Node};
use bareme_engine::text::{PlacedText, RuleFile};
use gen_lsp_types as lsp;

use super::position::Lines;
use super::server::Server;
use crate::edit::extent;

/// Sections whose entries are listed; those of an option are one level deeper.
const LISTED: &[&str] = &[
    "groups",
    "inputs",
    "figures",
    "steps",
    "answer",
    "sources",
    "cases",
    "options",
    "endpoints",
    "variants",
];

/// Answers a request for the outline of a file.
pub(super) fn symbols(
    server: &mut Server,
    parameters: lsp::DocumentSymbolParams,
) -> Result<Option<lsp::DocumentSymbolResponse>, String> {
    let Some(file) = server.file(&parameters.text_document.uri) else {
        return Ok(None);
    };

    // The outline is that of the text itself; of one that cannot be read the editor keeps the last.
    let Some(root) = Node::read(
        &RuleFile::new(&file.path, file.text),
        &mut Report::default(),
    ) else {
        return Ok(None);
    };

    let outline = Outline {
        text: file.text,
        lines: file.lines(),
    };

    let sections = root
        .entries()
        .iter()
        .map(|entry| outline.entry(entry, lsp::SymbolKind::Namespace, 2));
    Ok(Some(sections.collect::<Vec<_>>().into()))
}

struct Outline<'t> {
    text: &'t str,
    lines: Lines<'t>,
}

impl Outline<'_> {
    fn entry(
        &self,
        (key, value): &(PlacedText, Node),
        kind: lsp::SymbolKind,
        depth: usize,
    ) -> lsp::DocumentSymbol {
        // Two levels: the sections, and the entries of those that are listed.
        let is_listed = depth > 0 && (LISTED.contains(&key.value.as_str()) || depth == 1);
        let children = match &value.content {
            Content::Map(entries) if is_listed => {
                // An option has the sections of a method, one level below.
                let below = if key.value == "options" {
                    depth
                } else {
                    depth.saturating_sub(2)
                };
                entries
                    .iter()
                    .map(|entry| self.entry(entry, lsp::SymbolKind::Field, below))
                    .collect()
            }
            Content::List(items) if is_listed => {
                items.iter().filter_map(|item| self.case(item)).collect()
            }
            _ => Vec::new(),
        };

        let label = value
            .get("label")
            .or_else(|| value.get("title"))
            .and_then(Node::text);

        let span = key.place.span();
        let end = extent(self.text, value).end.max(span.end);
        // The whole entry is folded and followed by the cursor; the name is what is selected.
        symbol(
            key.value.clone(),
            label.map(|label| label.value.clone()),
            kind,
            children,
            [
                self.lines.range(&(span.start..end)),
                self.lines.range(&span),
            ],
        )
    }

    /// An element of a list with a name.
    fn case(&self, item: &Node) -> Option<lsp::DocumentSymbol> {
        let name = item.get("name")?.text()?;

        let date = item
            .get("date")
            .and_then(Node::text)
            .map(|date| date.value.clone());

        let ranges = [
            self.lines.range(&extent(self.text, item)),
            self.lines.range(&name.place.span()),
        ];

        Some(symbol(
            name.value.clone(),
            date,
            lsp::SymbolKind::Event,
            Vec::new(),
            ranges,
        ))
    }
}

#[allow(
    deprecated,
    reason = "the type of the protocol has a field that nothing uses any more"
)]
fn symbol(
    name: String,
    detail: Option<String>,
    kind: lsp::SymbolKind,
    children: Vec<lsp::DocumentSymbol>,
    [range, selection_range]: [lsp::Range; 2],
) -> lsp::DocumentSymbol {
    // Editors do not show an empty name.
    let name = if name.is_empty() {
        "—".to_owned()
    } else {
        name
    };

    let children = (!children.is_empty()).then_some(children);
    lsp::DocumentSymbol {
        name,
        detail,
        kind,
        tags: None,
        deprecated: None,
        range,
        selection_range,
        children,
    }
}
