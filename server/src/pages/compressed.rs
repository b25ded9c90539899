//! Pages and files as gzip: callers on a telephone pay for each byte. The answers of the interface are sent as
//! they are: they are short, and proxies compress them where that is wanted.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::sync::{LazyLock, Mutex, PoisonError};

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::Bytes;
use hyper::header::HeaderValue;

use crate::wire::reply::Content;

/// Least length that is compressed: shorter content fits one packet anyhow.
const LEAST: usize = 1_200;

/// Pages are compressed each time, files once.
const PAGE: Compression = Compression::new(4);

/// A page, compressed where that is worth it.
pub(super) fn page(content: Content) -> Option<Content> {
    compressed(content, PAGE)
}

/// A file of the site, compressed once for all.
pub(super) fn file(path: &str, content: Content) -> Option<Content> {
    static KEPT: LazyLock<Mutex<HashMap<String, Content>>> = LazyLock::new(Mutex::default);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept.get(path) {
        return Some(known.clone());
    }
    let made = compressed(content, Compression::best())?;
    kept.insert(path.to_owned(), made.clone());
    Some(made)
}

/// Other bytes have another name.
fn compressed(content: Content, level: Compression) -> Option<Content> {
    if content.body.len() < LEAST {
        return None;
    }
    let body = gzip(&content.body, level).ok()?;
    let name = content.etag.to_str().ok()?.trim_matches('"');
    let etag = HeaderValue::try_from(format!("\"{name}-gzip\"")).ok()?;
    Some(Content { body, media: content.media, etag })
}

fn gzip(bytes: &[u8], level: Compression) -> io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), level);
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.into())
}
