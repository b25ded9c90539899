//! Navigation from a name to its declaration and to all its uses, and back: from a column of a
//! method to its values in dated files, from a value to its column.

use gen_lsp_types as lsp;

use super::index::{FileKind, Index, Occurrence, Symbol};
use super::position::Lines;
use super::server::{File, Server};

/// Answers a request for the definition of the name under the cursor. From the declaration of a
/// figure it leads to its values in the last dated file, so that the same key leads there and back.
pub(super) fn definition(
    server: &mut Server,
    parameters: lsp::DefinitionParams,
) -> Result<Option<lsp::DefinitionResponse>, String> {
    let at = parameters.text_document_position_params;
    let found = places(server, &at, |index, one, _| {
        let all: Vec<&Occurrence> = index.all_of(one).collect();
        if !one.is_definition {
            return all
                .into_iter()
                .filter(|found| found.is_definition)
                .collect();
        }

        // From a declaration: only figures have values elsewhere.
        let is_of_figure = matches!(one.symbol, Symbol::Figure(_) | Symbol::Column(..));
        let of_scale = |found: &&Occurrence| FileKind::from_path(&found.path) == FileKind::Scale;

        // File names are days: the greatest is the last scale.
        let last = all
            .iter()
            .copied()
            .filter(of_scale)
            .map(|found| found.path.as_str())
            .max()
            .filter(|_| is_of_figure);

        match last {
            Some(path) => all.into_iter().filter(|found| found.path == path).collect(),
            None => vec![one],
        }
    });
    Ok(found.map(|found| lsp::Definition::from(found).into()))
}

/// Answers a request for every use of the name under the cursor.
pub(super) fn references(
    server: &mut Server,
    parameters: lsp::ReferenceParams,
) -> Result<Option<Vec<lsp::Location>>, String> {
    let at = parameters.text_document_position_params;
    let with_declaration = parameters.context.include_declaration;
    Ok(places(server, &at, |index, one, _| {
        index
            .all_of(one)
            .filter(|found| with_declaration || !found.is_definition)
            .collect()
    }))
}

/// Answers a request for the uses of the name under the cursor in the same file.
pub(super) fn highlights(
    server: &mut Server,
    parameters: lsp::DocumentHighlightParams,
) -> Result<Option<Vec<lsp::DocumentHighlight>>, String> {
    let at = parameters.text_document_position_params;
    let found = places(server, &at, |index, one, file| {
        index
            .all_of(one)
            .filter(|found| found.path == file.path)
            .collect()
    });

    let mark = |place: lsp::Location| lsp::DocumentHighlight {
        range: place.range,
        kind: None,
    };
    Ok(found.map(|found| found.into_iter().map(mark).collect()))
}

/// The selected occurrences of the symbol under the cursor.
fn places(
    server: &mut Server,
    at: &lsp::TextDocumentPositionParams,
    select: impl for<'i> Fn(&'i Index, &'i Occurrence, &File) -> Vec<&'i Occurrence>,
) -> Option<Vec<lsp::Location>> {
    let file = server.file(&at.text_document.uri)?;
    let offset = file.lines().offset(at.position);
    let index = file.root.index(file.folder())?;
    let one = index.at(&file.path, offset)?;

    // The ranges are collected first: an address needs the whole server, which the file borrows.
    let found: Vec<(std::path::PathBuf, lsp::Range)> = select(index, one, &file)
        .into_iter()
        .filter_map(|found| {
            let text = file.root.files.text(&found.path)?;
            Some((
                file.root.path.join(&found.path),
                Lines::new(text).range(&found.span),
            ))
        })
        .collect();

    Some(
        found
            .into_iter()
            .map(|(path, range)| lsp::Location {
                uri: server.uri(&path),
                range,
            })
            .collect(),
    )
}
