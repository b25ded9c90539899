//! Formatting of a file, like `bareme fmt`.

use gen_lsp_types as lsp;

use super::rename::line_edits;
use super::server::Server;
use crate::layout::{amounts_of, laid_out};
use crate::rule_files::folder_of;

/// Answers a request for formatting; `None` for a file that cannot be parsed.
pub(super) fn formatting(
    server: &mut Server,
    parameters: lsp::DocumentFormattingParams,
) -> Result<Option<Vec<lsp::TextEdit>>, String> {
    let Some(file) = server.file(&parameters.text_document.uri) else {
        return Ok(None);
    };

    // Amounts are declared in the methods of the folder, and written in its dated files.
    let folder = file.folder();
    let amounts = amounts_of(
        file.root
            .files
            .texts()
            .filter(|(path, _)| folder_of(path) == folder),
    );

    // A file that cannot be formatted is left as it is, without a message: its error is marked
    // already.
    let laid_out = laid_out(&file.path, file.text, &amounts).ok();
    Ok(laid_out.map(|now| line_edits(&file.lines(), file.text, &now)))
}
