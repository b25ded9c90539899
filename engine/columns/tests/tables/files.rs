//! Files and streams of tables: whole, cut short, and with lengths or types that are wrong.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array};
use bareme_arrow::{Error, Format, Sink, Source};

use super::table;

#[test]
fn a_file_that_is_cut_short_is_an_error_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let batch = table([(
        "revenu",
        Arc::new(Int64Array::from_iter_values(0..5_000)) as ArrayRef,
    )]);
    for (format, endings) in Format::ALL {
        let path = folder.path().join(format!("foyers.{}", endings[0]));
        let mut sink = Sink::new(
            std::fs::File::create(&path).unwrap(),
            batch.schema(),
            format,
        )
        .unwrap();
        sink.write(&batch).unwrap();
        sink.finish().unwrap();
        let rows = |path: &Path| -> Result<usize, Error> {
            Source::open(path, format, 1_000)?
                .map(|batch| Ok(batch?.num_rows()))
                .sum()
        };
        assert_eq!(rows(&path).unwrap(), 5_000);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() * 2 / 3]).unwrap();
        assert!(rows(&path).is_err(), "{format:?}");
    }
}

/// The libraries allocate the lengths that a file states before they read: a wrong one asked for
/// 500 GB and ended the program.
#[test]
fn a_length_beyond_the_end_of_the_file_is_refused_before_memory_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let batch = table([(
        "revenu",
        Arc::new(Int64Array::from_iter_values(0..5_000)) as ArrayRef,
    )]);
    for format in [Format::Arrow, Format::ArrowStream] {
        let mut bytes = Vec::new();
        let mut sink = Sink::new(&mut bytes, batch.schema(), format).unwrap();
        sink.write(&batch).unwrap();
        sink.finish().unwrap();
        let (body, wrong) = (40_000_i64.to_le_bytes(), (1_i64 << 39).to_le_bytes());
        let places: Vec<usize> = (0..bytes.len() - 8)
            .filter(|at| bytes[*at..].starts_with(&body))
            .collect();
        assert!(
            !places.is_empty(),
            "{format:?} states the length of its body"
        );
        for place in places {
            bytes[place..place + 8].copy_from_slice(&wrong);
        }
        let path = folder.path().join("foyers");
        std::fs::write(&path, &bytes).unwrap();
        let refused = Source::open(&path, format, 1_000)
            .and_then(|mut source| source.next().unwrap())
            .unwrap_err();
        assert!(
            refused.to_string().starts_with("table illisible"),
            "{refused}"
        );
    }
    // A message of 2 GB, of which there is nothing.
    let head = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0];
    let refused = Source::stream(std::io::Cursor::new(head))
        .map(drop)
        .unwrap_err();
    assert_eq!(refused.code(), "table_illisible", "{refused}");
    let empty = Source::stream(std::io::empty()).map(drop).unwrap_err();
    assert_eq!(empty.code(), "table_illisible", "{empty}");
}

/// A pipe whose other end waits for the answers to its first batch.
#[test]
fn a_batch_of_a_stream_is_given_before_the_next_is_written() {
    struct Nothing;
    impl std::io::Read for Nothing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::WouldBlock.into())
        }
    }
    let batch = table([(
        "revenu",
        Arc::new(Int64Array::from_iter_values(0..5)) as ArrayRef,
    )]);
    let mut bytes = Vec::new();
    let mut sink = Sink::new(&mut bytes, batch.schema(), Format::ArrowStream).unwrap();
    sink.write(&batch).unwrap();
    sink.finish().unwrap();
    // Without the mark of the end.
    bytes.truncate(bytes.len() - 8);
    let pipe = std::io::Read::chain(std::io::Cursor::new(bytes), Nothing);
    let mut source = Source::stream(pipe).unwrap();
    assert_eq!(source.next().unwrap().unwrap().num_rows(), 5);
    assert!(source.next().unwrap().is_err());
}

/// A stream whose schema has a column of no type, found by fuzzing: the Arrow library panics on it.
#[test]
fn a_stream_on_which_the_library_panics_is_refused() {
    let found =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz/corpus/tables/bug-type-none");
    // The first byte is the format.
    let bytes = std::fs::read(found).unwrap().split_off(1);
    let refused = Source::stream(std::io::Cursor::new(bytes))
        .map(drop)
        .unwrap_err();
    assert!(matches!(&refused, Error::Malformed(_)), "{refused}");
    assert_eq!(refused.code(), "table_illisible");
}
