//! Checks the lengths that a file states of its parts against its size: the libraries allocate them
//! before they read, and a program that asks for more memory than there is ends without a message.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use arrow::error::ArrowError;
use arrow::ipc::reader::read_footer_length;
use arrow::ipc::root_as_footer;
use parquet::file::metadata::ParquetMetaData;

use crate::error::Error;

/// Bytes at the end of an Arrow file: the length of its footer and the mark of the format.
const ARROW_END: usize = 10;

/// Checks the footer of an Arrow file, and the blocks that it lists.
///
/// # Errors
/// A file that cannot be read, has no footer, or lists a part that ends after the file.
pub(crate) fn check_arrow(mut file: &File) -> Result<(), Error> {
    let size = file.metadata()?.len();
    let mut end = [0; ARROW_END];
    // 1. The end of the file states how long the footer is.
    let footer_end = size
        .checked_sub(ARROW_END as u64)
        .ok_or_else(|| part_outside(0, ARROW_END as u64))?;
    file.seek(SeekFrom::Start(footer_end))?;
    file.read_exact(&mut end)?;

    let length = read_footer_length(end)?;
    let start = footer_end
        .checked_sub(length as u64)
        .ok_or_else(|| part_outside(0, length as u64))?;
    // 2. The footer lies before it, within the file.
    file.seek(SeekFrom::Start(start))?;
    let mut footer = vec![0; length];
    file.read_exact(&mut footer)?;
    // The reader starts over from the beginning.
    file.rewind()?;

    let footer =
        root_as_footer(&footer).map_err(|error| ArrowError::ParseError(error.to_string()))?;

    // 3. So does each block that the footer lists. Negative lengths, which only a forged file has,
    // are taken for the greatest.
    let blocks = [footer.recordBatches(), footer.dictionaries()]
        .into_iter()
        .flatten()
        .flatten();
    for block in blocks {
        let [start, head, body] = [
            block.offset(),
            block.metaDataLength().into(),
            block.bodyLength(),
        ]
        .map(|stated| u64::try_from(stated).unwrap_or(u64::MAX));
        check_part(start, head.saturating_add(body), size)?;
    }

    Ok(())
}

/// Checks the column chunks that the metadata of a Parquet file lists.
///
/// # Errors
/// A chunk that ends after the file.
pub(crate) fn check_parquet(metadata: &ParquetMetaData, size: u64) -> Result<(), Error> {
    let chunks = metadata
        .row_groups()
        .iter()
        .flat_map(|group| group.columns());

    chunks
        .map(|chunk| chunk.byte_range())
        .try_for_each(|(start, length)| check_part(start, length, size))
}

fn check_part(start: u64, length: u64, size: u64) -> Result<(), Error> {
    match start.checked_add(length) {
        Some(end) if end <= size => Ok(()),
        _ => Err(part_outside(start, length)),
    }
}

fn part_outside(start: u64, length: u64) -> Error {
    Error::Malformed(format!(
        "une partie de {length} octets, à l’octet {start}, dépasse la fin du fichier"
    ))
}
