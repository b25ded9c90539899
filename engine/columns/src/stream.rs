//! Streams of Arrow IPC, decoded as their bytes arrive: no more memory is taken than there are
//! bytes, whatever lengths the stream states.

use std::io::{ErrorKind, Read};

use arrow::array::RecordBatch;
use arrow::buffer::Buffer;
use arrow::datatypes::SchemaRef;
use arrow::ipc::reader::StreamDecoder;

use crate::error::Error;

/// Bytes that are read at once at most: what a pipe of Linux holds.
const CHUNK: usize = 65_536;

/// A stream whose schema was read.
pub(crate) struct Stream {
    reader: Box<dyn Read + Send>,
    decoder: StreamDecoder,
    /// Bytes that were read and not yet decoded.
    unread: Buffer,
    pub schema: SchemaRef,
    /// The first batch, where it came with the schema.
    first: Option<RecordBatch>,
}

impl Stream {
    /// Reads the schema of a stream.
    ///
    /// # Errors
    /// A stream that cannot be read, or has no schema.
    pub(crate) fn open(mut reader: Box<dyn Read + Send>) -> Result<Self, Error> {
        let mut decoder = StreamDecoder::new();

        let mut unread = Buffer::default();
        let mut first = None;

        let schema = loop {
            if let Some(schema) = decoder.schema() {
                break schema;
            }

            if !fill(&mut reader, &mut unread)? {
                return Err(Error::Malformed(
                    "le flux s’arrête avant la fin de son schéma".to_owned(),
                ));
            }

            // Other messages may come with the schema in one chunk: the first batch is kept for
            // `next_batch`.
            first = decoder.decode(&mut unread)?;
        };

        Ok(Self {
            reader,
            decoder,
            unread,
            schema,
            first,
        })
    }

    /// Decodes the next batch, `None` at the end of the stream.
    ///
    /// # Errors
    /// A stream that cannot be read, is malformed, or ends within a message.
    pub(crate) fn next_batch(&mut self) -> Result<Option<RecordBatch>, Error> {
        if let Some(batch) = self.first.take() {
            return Ok(Some(batch));
        }

        // Nothing comes until the bytes at hand have a whole message: more are read until then.
        loop {
            if let Some(batch) = self.decoder.decode(&mut self.unread)? {
                return Ok(Some(batch));
            }

            if !fill(&mut self.reader, &mut self.unread)? {
                let cut =
                    |_| Error::Malformed("le flux s’arrête au milieu d’un message".to_owned());
                return self.decoder.finish().map(|()| None).map_err(cut);
            }
        }
    }
}

/// Reads what is there into a buffer whose bytes were all decoded, `false` at the end of the
/// stream. It does not wait for a whole chunk: a program that writes a batch may wait for its
/// answers before it writes the next.
fn fill(reader: &mut dyn Read, unread: &mut Buffer) -> Result<bool, Error> {
    // A new chunk each time: the arrays of a batch keep the bytes that they were decoded from.
    let mut chunk = vec![0; CHUNK];
    // A signal that interrupts a read says nothing about the stream.
    let length = loop {
        match reader.read(&mut chunk) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => break read?,
        }
    };

    chunk.truncate(length);
    *unread = Buffer::from_vec(chunk);
    Ok(length > 0)
}
