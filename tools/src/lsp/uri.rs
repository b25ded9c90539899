//! Conversion between file URIs and paths.

use std::path::{Path, PathBuf};

use gen_lsp_types::Uri;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

const SCHEME: &str = "file://";

/// The characters that are percent-encoded in a file URI.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}');

/// The path of a URI; `None` if it is not a local file.
pub(super) fn path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.0.strip_prefix(SCHEME)?;
    // `file://localhost/…` is the same file.
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    // A name that is not UTF-8 cannot be written in JSON either.
    let decoded = percent_decode_str(rest).decode_utf8().ok()?;
    // `/c:/rules` is a Windows path.
    let bytes = decoded.as_bytes();
    let is_drive = cfg!(windows) && bytes.get(2) == Some(&b':') && bytes.first() == Some(&b'/');

    Some(PathBuf::from(if is_drive {
        decoded.get(1..)?
    } else {
        &decoded
    }))
}

pub(super) fn uri(path: &Path) -> Uri {
    // Paths of Windows begin with a letter: `file:///c:/rules`.
    let path = path.to_string_lossy().replace('\\', "/");
    let slash = if path.starts_with('/') { "" } else { "/" };

    Uri(format!(
        "{SCHEME}{slash}{}",
        utf8_percent_encode(&path, ENCODED)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_comes_back_from_its_address() {
        for written in ["/a/b.yaml", "/a b/é#1%20?.yaml"] {
            assert_eq!(
                path(&uri(Path::new(written))).as_deref(),
                Some(Path::new(written))
            );
        }
        assert_eq!(
            path(&Uri("file:///a%2Fb/c%C3%A9.yaml".to_owned())).unwrap(),
            Path::new("/a/b/cé.yaml")
        );
        assert_eq!(path(&Uri("untitled:Untitled-1".to_owned())), None);
    }
}
