//! Static files of the pages: embedded in the binary, at fixed addresses, revalidated by `ETag`.
//! Sheets and scripts are sent without their comments and their indentation, which are for who reads
//! the source: a seventh of what a first visitor would load.

use std::sync::LazyLock;

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
/// Script of the comparison.
pub(super) const COMPARE: &str = "/comparaison.js";
/// Script of the guides.
pub(super) const GUIDE: &str = "/guide.js";
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

/// The files, each with its address.
static ASSETS: LazyLock<[Asset; 12]> = LazyLock::new(|| {
    let file = |path, media, bytes: &'static [u8]| Asset { path, media, bytes };
    let sheet = |path, text| file(path, "text/css; charset=utf-8", sheet(text));
    let script = |path, text| file(path, SCRIPT, script(text));
    let icon = |path| file(path, "image/svg+xml", include_bytes!("assets/icon.svg"));

    [
        sheet(
            STYLE,
            concat!(
                include_str!("assets/frame.css"),
                include_str!("assets/style.css")
            ),
        ),
        icon(ICON),
        icon(OLD_ICON),
        file(
            TOUCH_ICON,
            "image/png",
            include_bytes!("assets/icon-180.png"),
        ),
        script(SIMULATOR, include_str!("assets/simulator.js")),
        script(SEARCH, include_str!("assets/search.js")),
        script(CALL, include_str!("assets/call.js")),
        script(COMPARE, include_str!("assets/compare.js")),
        script(GUIDE, include_str!("assets/guide.js")),
        script(VIEWER, include_str!("assets/viewer.js")),
        script(VIEWER_FRENCH, include_str!("assets/viewer-french.js")),
        sheet(
            VIEWER_STYLE,
            concat!(
                include_str!("assets/frame.css"),
                include_str!("assets/viewer.css")
            ),
        ),
    ]
});

/// The file at a path.
pub(super) fn find(path: &str) -> Option<Asset> {
    ASSETS.iter().find(|asset| asset.path == path).copied()
}

/// A style sheet as it is sent.
fn sheet(text: &str) -> &'static [u8] {
    let parts = text.split("/*");
    // Rules of the sheet follow the end of each comment.
    let applied = parts.map(|part| part.split_once("*/").map_or(part, |(_, rest)| rest));
    lines(&applied.collect::<String>())
}

/// A script as it is sent. Its comments have lines of their own, and no text in it several lines.
fn script(text: &str) -> &'static [u8] {
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    let run = text.lines().filter(|line| !is_comment(line));
    lines(&run.flat_map(|line| [line, "\n"]).collect::<String>())
}

/// The lines of a text without their indentation, made once for the life of the program.
fn lines(text: &str) -> &'static [u8] {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty());
    let lines: String = lines.flat_map(|line| [line, "\n"]).collect();
    lines.leak().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_and_scripts_are_sent_without_comments() {
        let sent =
            sheet("a { b: \"\\a0: \"; }\n/* One\n   reason. */\n@media c {\n  d { e: f; }\n}\n");
        assert_eq!(sent, b"a { b: \"\\a0: \"; }\n@media c {\nd { e: f; }\n}\n");
        let sent = script("// Reason.\nf(() => {\n  // Why.\n  g(\"https://a\"); // kept\n});\n");
        assert_eq!(sent, b"f(() => {\ng(\"https://a\"); // kept\n});\n");
    }

    #[test]
    fn no_text_of_a_script_has_several_lines() {
        // Their indentation would be lost.
        for asset in ASSETS.iter().filter(|asset| asset.media == SCRIPT) {
            let text = std::str::from_utf8(asset.bytes).unwrap();
            let is_open = |line: &&str| line.matches('`').count() % 2 == 1;
            assert_eq!(text.lines().find(is_open), None, "{}", asset.path);
        }
    }
}
