//! A simulator for the pages of other sites: alone in a frame, on the sites listed by `embedded_by`
//! in `service.yaml`. It sets no cookie and loads nothing from other hosts.

use bareme_api::wire::problem::Problem;
use bareme_engine::service::Service;
use maud::{Markup, html};

use super::catalogue::ListedFolder;
use super::language::localized;
use super::layout::Page;
use super::text::{printed, prose, say};
use super::{POLICY, PageRequest, assets, simulator};

/// Prefix of the paths.
pub(super) const PATH: &str = "/widget";

/// The page of a folder.
///
/// # Errors
/// An internal error of the engine.
pub(super) fn page(request: &PageRequest, listed: &ListedFolder) -> Result<String, Problem> {
    let service = request.rules.service();
    let lang = listed.lang();
    let whole = format!("{}{}", service.documentation, listed.simulator());

    let content = html! {
        h1 { (prose(listed.folder.title())) }
        (simulator::form_and_result(request, listed)?)
        p.soft {
            (say(lang, "Calcul\u{a0}: ", "Calculation: "))
            // Without a target, the link would open in the frame.
            a href=(whole) target="_blank" rel="noopener" { (prose(&service.title)) }
            (say(lang, ", à titre indicatif.", ", for information only."))
        }
    };

    let page = Page {
        // No description and no address of its own: search engines find the simulator itself.
        title: listed.folder.title(),
        script: Some(assets::SIMULATOR),
        is_framed: true,
        content,
        ..Page::default()
    };
    Ok(page.render(service))
}

/// The Content-Security-Policy of these pages, with the sites that may embed them.
pub(super) fn policy(service: &Service) -> String {
    let by = if service.embedded_by.is_empty() {
        "'none'".to_owned()
    } else {
        service.embedded_by.join(" ")
    };

    // The rest of the policy stays: a widget loads nothing more than a page.
    POLICY.replace("frame-ancestors 'none'", &format!("frame-ancestors {by}"))
}

/// The HTML to embed the simulator of a folder; `None` where no site may.
pub(super) fn lines(service: &Service, listed: &ListedFolder) -> Option<Markup> {
    let (documentation, title) = (&service.documentation, printed(listed.folder.title()));
    let (path, simulator, lang) = (listed.folder.path(), listed.simulator(), listed.lang());
    let widget = localized(&format!("{PATH}/{path}"), lang);
    let by = say(lang, "par", "by");

    let lines = format!(
        "<iframe src=\"{documentation}{widget}\" title=\"{title}\" width=\"100%\" \
         height=\"900\" loading=\"lazy\"></iframe>\n\
         <p><a href=\"{documentation}{simulator}\">{title}</a>, {by} {}</p>",
        printed(&service.title)
    );

    // Without a site that may embed it, the lines would show an empty frame.
    (!service.embedded_by.is_empty()).then(|| {
        html! {
            details.block.screen {
                summary {
                    (say(
                        lang,
                        "Mettre ce simulateur sur votre site",
                        "Put this calculator on your site"
                    ))
                }
                p {
                    (say(
                        lang,
                        "Deux lignes à coller, sans clé, sans cookie et sans script\u{a0}; le \
                         barème y est toujours celui du jour.",
                        "Two lines to paste, without a key, a cookie or a script; the figures are \
                         always those of the day."
                    ))
                }
                pre.copy tabindex="0" { (lines) }
            }
        }
    })
}
