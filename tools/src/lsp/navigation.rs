//! Navigation from a name to its declaration and to all its uses, and back: from a column of a
//! method to its values in dated files, from a value to its column.

use gen_lsp_types as lsp;

use super::index::{FileKind, Occurrence, Symbol};
use super::position::Lines;
use super::server::{File, Server};

/// Answers a request for the definition of the name under the cursor. From the declaration of a
/// figure it leads to its values in the last dated file, so that the same key leads there and back.
pub(super) fn definition(
    server: &mut Server,
    parameters: lsp::DefinitionParams,
) -> Result<Option<lsp::DefinitionResponse>, String> {
    let at = parameters.text_document_position_params;
    let found = places(server, &at, |all, one, file| {
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
            None => given_elsewhere(file, one).unwrap_or_else(|| vec![one]),
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
    Ok(places(server, &at, |all, _, _| {
        all.into_iter()
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
    let Some(file) = server.file(&at.text_document.uri) else {
        return Ok(None);
    };
    let (index, one) = (file.root.index(file.folder()), file.occurrence(at.position));
    let Some((index, one)) = index.zip(one) else {
        return Ok(None);
    };

    let lines = file.lines();
    let mark = |found: &Occurrence| lsp::DocumentHighlight {
        range: lines.range(&found.span),
        kind: None,
    };
    let own = index.all_of(one).filter(|found| found.path == file.path);
    Ok(Some(own.map(mark).collect()))
}

/// The declarations of a figure in the folder that gives it, from the place that takes it over.
fn given_elsewhere<'f>(file: &'f File, one: &Occurrence) -> Option<Vec<&'f Occurrence>> {
    let Symbol::Figure(name) = &one.symbol else {
        return None;
    };
    let index = file.root.index(file.folder())?;
    let shared = index.names_of(&one.path)?.shared.get(name)?;
    let figure = Symbol::of(&shared.folder, Symbol::Figure(shared.figure.clone()));
    let mut taken = index.occurrences.iter();
    let taken = taken.find(|found| found.symbol == figure)?;
    let all = file.root.all_of(taken).into_iter();
    Some(all.filter(|found| found.is_definition).collect())
}

/// The selected ones of all occurrences of the symbol under the cursor, in its folder and in those
/// that use it.
fn places(
    server: &mut Server,
    at: &lsp::TextDocumentPositionParams,
    select: impl for<'i> Fn(Vec<&'i Occurrence>, &'i Occurrence, &'i File) -> Vec<&'i Occurrence>,
) -> Option<Vec<lsp::Location>> {
    let file = server.file_with_users(at)?;
    let one = file.occurrence(at.position)?;

    // The ranges are collected first: an address needs the whole server, which the file borrows.
    let found: Vec<(std::path::PathBuf, lsp::Range)> = select(file.root.all_of(one), one, &file)
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
