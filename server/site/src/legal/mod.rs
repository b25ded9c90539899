//! The legal pages: terms, privacy, legal notice. The operator's own texts, Markdown files in a
//! folder, replace the built-in ones.

pub(super) mod pages;

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use bareme_engine::service::Service;
use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{Event, Parser};

use pages::{LegalPage, PAGES};

use super::layout::Page;
use super::text::printed;

/// The operator's texts.
#[derive(Debug, Clone, Default)]
pub struct OwnTexts(pub Option<PathBuf>);

impl OwnTexts {
    /// The text of a page, read at each request, so that an edit shows at once.
    fn read(&self, page: &LegalPage) -> String {
        let file = format!("{}.md", page.path.trim_start_matches('/'));
        let own = self
            .0
            .as_ref()
            .map(|folder| fs::read_to_string(folder.join(&file)));
        if let Some(Err(error)) = &own
            && error.kind() != ErrorKind::NotFound
        {
            tracing::warn!(file, %error, "a text of --pages cannot be read: the provided one is \
                                          shown");
        }
        own.and_then(Result::ok)
            .unwrap_or_else(|| page.provided.to_owned())
    }
}

pub(super) fn find(path: &str) -> Option<&'static LegalPage> {
    PAGES.iter().find(|page| page.path == path)
}

/// The HTML of a page.
pub(super) fn page(service: &Service, page: &LegalPage, own: &OwnTexts) -> String {
    // The text needs an address in this place, or says that it is missing.
    let contact = service.contact.as_ref().map_or_else(
        || "L’adresse de contact du service n’a pas encore été publiée.".to_owned(),
        |contact| format!("<{contact}>"),
    );
    // The names in braces that a text may hold.
    let named = [
        ("{service}", &service.title),
        ("{adresse}", &service.documentation),
        ("{contact}", &contact),
    ];
    // The operator's own text, or else a general one.
    let text = named
        .into_iter()
        .fold(own.read(page), |text, (name, value)| {
            text.replace(name, value)
        });

    let content = html! {
        h1 { (page.title) }
        (markdown(&text))
    };
    let description = format!("{} de {}.", page.title, printed(&service.title));

    Page {
        title: page.title,
        description: &description,
        path: Some(page.path),
        content,
        ..Page::default()
    }
    .render(service)
}

/// Markdown as HTML. HTML in it is escaped, since the content policy would block most of it.
fn markdown(text: &str) -> Markup {
    let events = Parser::new(text).map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        Event::Text(text) => Event::Text(printed(&text).into()),
        other => other,
    });
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events);
    PreEscaped(html)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_shown_and_not_read() {
        let shown =
            markdown("# L’offre\n\n<script>alert(1)</script>\n\n*a* : [b](/c)\n").into_string();
        assert!(
            shown.contains("<h1>L’offre</h1>") && shown.contains("<em>a</em>"),
            "{shown}"
        );
        assert!(
            shown.contains("<a href=\"/c\">b</a>") && !shown.contains("<script"),
            "{shown}"
        );
    }

    #[test]
    fn the_operator_s_text_takes_the_place_of_the_provided_one() {
        let place = tempfile::tempdir().unwrap();
        fs::write(
            place.path().join("conditions.md"),
            "## {service} selon nous\n",
        )
        .unwrap();
        let own = OwnTexts(Some(place.path().to_owned()));
        let service = Service {
            title: "Essai".to_owned(),
            ..Service::default()
        };
        assert!(page(&service, &PAGES[0], &own).contains("<h2>Essai selon nous</h2>"));
        for other in &PAGES {
            let provided = page(&service, other, &OwnTexts::default());
            assert!(
                provided.contains("<h2>Contact</h2>") && !provided.contains('{'),
                "{}",
                other.path
            );
        }
        assert!(page(&service, &PAGES[1], &own).contains("CNIL"));
    }
}
