//! Content coding: gzip, where the client accepts it and it saves more than it costs.

use std::cell::RefCell;
use std::collections::HashMap;

use flate2::{Compress, Compression, FlushCompress, Status};
use hyper::body::Bytes;
use hyper::header::HeaderValue;

use crate::wire::reply::Content;

/// Least length to compress, in bytes: shorter content fits one packet with its head, so that
/// nothing is saved.
pub(crate) const MIN_LENGTH: usize = 1024;

/// Level for content compressed at each request. The next level takes half as long again for a few
/// bytes (`cargo bench --bench coding`).
pub const FAST: Compression = Compression::new(1);

/// Window size as a power of two: 32 KiB, the maximum of gzip.
const WINDOW: u8 = 15;

thread_local! {
    /// A reusable encoder for each level: creating one takes as long as compressing a short answer.
    static ENCODERS: RefCell<HashMap<u32, Compress>> = RefCell::default();
}

/// Bytes as gzip, if they are long enough.
pub fn gzip(bytes: &[u8], level: Compression) -> Option<Bytes> {
    if bytes.len() < MIN_LENGTH {
        return None;
    }

    ENCODERS.with_borrow_mut(|encoders| {
        let encoder = encoders
            .entry(level.level())
            .or_insert_with(|| Compress::new_gzip(level, WINDOW));
        encoder.reset();

        // Incompressible content becomes slightly longer.
        let mut out = Vec::with_capacity(bytes.len() + MIN_LENGTH);
        let status = encoder.compress_vec(bytes, &mut out, FlushCompress::Finish);
        matches!(status, Ok(Status::StreamEnd)).then(|| out.into())
    })
}

/// Content as gzip, if it is long enough; its `ETag` differs.
pub fn compressed(content: &Content, level: Compression) -> Option<Content> {
    let body = gzip(&content.body, level)?;
    // Another representation has another `ETag` (RFC 9110, 8.8.3.3).
    let name = content.etag.to_str().ok()?.trim_matches('"');
    let etag = HeaderValue::try_from(format!("\"{name}-gzip\"")).ok()?;
    Some(Content {
        body,
        media: content.media,
        etag,
    })
}

/// Whether bytes are gzip: no text of ours begins like it.
pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::wire::reply::JSON;

    #[test]
    fn what_is_long_is_compressed_under_another_name() {
        let long = Content::new(JSON, vec![b' '; MIN_LENGTH]);
        let gzip = compressed(&long, FAST).unwrap();
        assert!(is_gzip(&gzip.body) && gzip.body.len() < 100);
        assert_ne!(gzip.etag, long.etag);
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(&gzip.body[..])
            .read_to_end(&mut text)
            .unwrap();
        assert_eq!(text, long.body);
        assert!(compressed(&Content::new(JSON, vec![b' '; MIN_LENGTH - 1]), FAST).is_none());
    }
}
