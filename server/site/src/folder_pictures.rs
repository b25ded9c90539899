//! The pictures that folders have beside their names, in one file: a page that shows twenty of them
//! loads it once, where twenty files would weigh more by their headers than the page.

use bareme_api::wire::reply::Content;
use bareme_engine::Folder;
use bareme_engine::service::Rules;
use maud::{Markup, html};

/// Path of the file.
pub(super) const PATH: &str = "/images.svg";

/// The policy of the file, which loads nothing itself.
pub(super) const POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// Size of a picture in pixels, where text has its usual size.
const WIDTH: usize = 24;
const HEIGHT: usize = 16;

/// The file: each picture below the one before, in a view that has the path of its folder.
pub(super) fn file(rules: &Rules) -> Content {
    let pictures = || {
        let folders = rules.folders();
        let pictures = folders.filter_map(|folder| Some((folder.path(), folder.picture()?)));
        pictures.enumerate()
    };

    let drawn = html! {
        svg xmlns="http://www.w3.org/2000/svg" {
            @for (index, (path, picture)) in pictures() {
                @let top = index * HEIGHT;
                view id=(path) viewBox={ "0 " (top) " " (WIDTH) " " (HEIGHT) } {}
                // A picture of another form is in the middle, as a whole.
                svg y=(top) width=(WIDTH) height=(HEIGHT) viewBox=(picture.view_box()) {
                    // The engine lets pass what draws, and nothing else.
                    (maud::PreEscaped(picture.drawing()))
                }
            }
        }
    };
    Content::new("image/svg+xml", drawn.into_string().into_bytes())
}

/// The picture of a folder as an image before its name, without a text: the name follows.
pub(super) fn image(folder: &Folder) -> Markup {
    html! {
        @if folder.picture().is_some() {
            img.picture src={ (PATH) "#" (folder.path()) } alt="" width=(WIDTH) height=(HEIGHT)
                loading="lazy" decoding="async";
        }
    }
}
