//! Static files of the pages: embedded in the binary, at fixed addresses, revalidated by `ETag`.

/// Style sheet of all pages, which have no inline styles.
pub(super) const STYLE: &str = "/style.css";
/// Icon of all pages.
pub(super) const ICON: &str = "/icone.svg";
/// Icon of a page on the screen of a telephone, as pixels.
pub(super) const TOUCH_ICON: &str = "/apple-touch-icon.png";
/// The icon at the address where programs look for it without reading a page.
const OLD_ICON: &str = "/favicon.ico";
/// Script of the simulators.
pub(super) const SIMULATOR: &str = "/simulateur.js";
/// Script of the search.
pub(super) const SEARCH: &str = "/recherche.js";
/// Script of the editable call.
pub(super) const CALL: &str = "/appel.js";
/// Script of the API reference.
pub(super) const VIEWER: &str = "/reference.js";
/// French words of the API reference, for its script.
const VIEWER_FRENCH: &str = "/reference-mots.js";
/// Style sheet of the API reference: the frame of all pages, and the differences in the viewer.
pub(super) const VIEWER_STYLE: &str = "/reference.css";

/// A file of the site.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    pub path: &'static str,
    /// Its media type.
    pub media: &'static str,
    pub bytes: &'static [u8],
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

static ASSETS: [Asset; 10] = [
    Asset {
        path: STYLE,
        media: "text/css; charset=utf-8",
        bytes: concat!(
            include_str!("assets/frame.css"),
            include_str!("assets/style.css")
        )
        .as_bytes(),
    },
    Asset {
        path: ICON,
        media: "image/svg+xml",
        bytes: include_bytes!("assets/icon.svg"),
    },
    Asset {
        path: OLD_ICON,
        media: "image/svg+xml",
        bytes: include_bytes!("assets/icon.svg"),
    },
    Asset {
        path: TOUCH_ICON,
        media: "image/png",
        bytes: include_bytes!("assets/icon-180.png"),
    },
    Asset {
        path: SIMULATOR,
        media: SCRIPT,
        bytes: include_bytes!("assets/simulator.js"),
    },
    Asset {
        path: SEARCH,
        media: SCRIPT,
        bytes: include_bytes!("assets/search.js"),
    },
    Asset {
        path: CALL,
        media: SCRIPT,
        bytes: include_bytes!("assets/call.js"),
    },
    Asset {
        path: VIEWER,
        media: SCRIPT,
        bytes: include_bytes!("assets/viewer.js"),
    },
    Asset {
        path: VIEWER_FRENCH,
        media: SCRIPT,
        bytes: include_bytes!("assets/viewer-french.js"),
    },
    Asset {
        path: VIEWER_STYLE,
        media: "text/css; charset=utf-8",
        bytes: concat!(
            include_str!("assets/frame.css"),
            include_str!("assets/viewer.css")
        )
        .as_bytes(),
    },
];

/// The file at a path.
pub(super) fn find(path: &str) -> Option<Asset> {
    ASSETS.into_iter().find(|asset| asset.path == path)
}
