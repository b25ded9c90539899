//! The pages of the site: made on other threads, and once where they depend on the rules and the
//! day alone.

use std::sync::Arc;

use bareme_api::wire::headers::METHODS;
use bareme_api::wire::negotiation::accepts_gzip;
use bareme_api::wire::problem::{Problem, kinds};
use bareme_api::wire::reply::{self, Content, Reply};
use bareme_api::work::{Payer, cost};
use bareme_engine::Lang;
use bareme_site::language;
use bareme_site::legal::OwnTexts;
use hyper::header::{HeaderMap, HeaderValue, VARY};
use jiff::civil::Date;

use crate::app::call::Call;
use crate::app::{blocking, caller, pipeline};
use crate::reload::in_force::Snapshot;

/// The reply with a page of the site. Pages that depend on the rules and the day alone are made
/// once.
pub(super) async fn respond(
    call: Call<'_>,
    route: &bareme_site::Route<'_>,
    snapshot: &Arc<Snapshot>,
) -> Result<Reply, Problem> {
    let Call {
        shared,
        request,
        context,
        ..
    } = call;
    if pipeline::asks_options(request, METHODS)? {
        return Ok(reply::options(METHODS));
    }

    let (path, query) = (request.uri.path(), request.uri.query().unwrap_or_default());
    // A link to a pay, which has a query, opens in the language in which it was sent.
    let is_home = path == language::home(Lang::Fr) && snapshot.english.is_some();
    if is_home && query.is_empty() && is_sent_to_english(&request.headers) {
        caller::admit(call, Payer::Address(call.address()), cost::MADE.calls)?;
        return Ok(reply::elsewhere(language::home(Lang::En), BY_LANGUAGE));
    }
    let (payer, today) = (Payer::Address(call.address()), context.time.today);
    let gzip = accepts_gzip(&request.headers);
    let work = route.work(query);
    let is_kept = work == &cost::MADE;

    // 1. The request is charged at the rate of pages, for a page that is kept as well.
    caller::admit(call, payer, work.calls)?;
    let kept = if is_kept {
        snapshot.pages.find(path, today, gzip)
    } else {
        None
    };

    // 2. Any other page is made on another thread. One that is then kept is charged once more, at
    // what its making costs.
    let content = match kept {
        Some(kept) => kept,
        None => {
            if is_kept {
                caller::admit(call, payer, route.making().calls)?;
            }
            let made = MadePage {
                path: path.to_owned(),
                query: query.to_owned(),
                today,
                gzip,
                is_kept,
            };
            let (snapshot, texts) = (Arc::clone(snapshot), shared.texts.clone());
            let make = move || made.content(&snapshot, &texts);
            blocking::in_turn(call, payer, make).await??
        }
    };

    let service = snapshot.rules.service();
    let mut reply = route.reply(content, service, &request.headers, is_kept);
    // Otherwise a cache would show the French page to a reader who is led to the English one (RFC
    // 9110, 12.5.5).
    if is_home && query.is_empty() {
        let headers = reply.headers_mut();
        headers.insert(VARY, HeaderValue::from_static(HOME_VARIES));
    }
    Ok(reply)
}

/// The headers that the language of the home page depends on; its bytes also on the encoding.
const BY_LANGUAGE: &str = "Accept-Language, Sec-Fetch-Site";
const HOME_VARIES: &str = "Accept-Encoding, Accept-Language, Sec-Fetch-Site";

/// Whether the home page is shown in English: to whoever comes from elsewhere and prefers it. A link
/// of the site itself leads where it says.
fn is_sent_to_english(headers: &HeaderMap) -> bool {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let is_own_link = header("sec-fetch-site") == Some("same-origin");
    !is_own_link && header("accept-language").is_some_and(language::prefers_english)
}

/// A page to be made on another thread.
struct MadePage {
    path: String,
    query: String,
    today: Date,
    gzip: bool,
    /// Whether it is kept for others.
    is_kept: bool,
}

impl MadePage {
    fn content(&self, snapshot: &Snapshot, texts: &OwnTexts) -> Result<Content, Problem> {
        let Self {
            path,
            query,
            today,
            gzip,
            is_kept,
        } = self;
        // It may have been made while this one waited for its turn.
        let known = || snapshot.pages.find(path, *today, *gzip);
        if let Some(known) = is_kept.then(known).flatten() {
            return Ok(known);
        }

        let (lang, _) = language::of_path(path);
        let route = snapshot.page(path).zip(snapshot.rules_in(lang));
        let (route, rules) = route.ok_or_else(|| Problem::plain(&kinds::INTERNAL))?;
        let other = match lang {
            Lang::Fr => snapshot.english.as_ref(),
            Lang::En => Some(&snapshot.rules),
        };

        let page_request = bareme_site::PageRequest {
            rules,
            other,
            query,
            today: *today,
            texts,
        };
        let content = route.content(&page_request, *gzip)?;

        if *is_kept {
            snapshot.pages.keep(path, *today, *gzip, content.clone());
        }
        Ok(content)
    }
}
