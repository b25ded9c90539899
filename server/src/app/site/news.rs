//! The corrections of published rule sets, as a page, as a feed and for e-mails.

use bareme_api::wire::headers::METHODS;
use bareme_api::wire::problem::Problem;
use bareme_api::wire::reply::{self, Reply};
use bareme_engine::service::Rules;
use bareme_site::corrections::{self, CorrectionNews, MovedField};
use hyper::StatusCode;

use super::form;
use crate::app::call::Call;
use crate::app::pipeline;
use crate::archive::correction::{CorrectedField, Correction};
use crate::archive::described::MOST_SETS;
use crate::archive::index::{Index, KeptSet};

/// The corrections, as a page or as a feed.
///
/// # Errors
/// A method that the path does not accept.
pub(super) fn respond(call: Call, rules: &Rules) -> Result<Reply, Problem> {
    if pipeline::asks_options(call.request, METHODS)? {
        return Ok(reply::options(METHODS));
    }

    let index = call.shared.archive.index();
    let news = newest(&index);
    if call.request.uri.path() == corrections::FEED {
        return Ok(reply::feed(corrections::atom(rules, &news)));
    }

    let since = index.sets().first().map(|set| set.published);
    Ok(form::page(
        StatusCode::OK,
        corrections::page(rules, &news, since),
    ))
}

/// The corrections for the page and its feed, the newest first.
fn newest(index: &Index) -> Vec<CorrectionNews<'_>> {
    let sets = index.sets().iter().rev();
    sets.flat_map(of_set).take(MOST_SETS).collect()
}

fn of_set(set: &KeptSet) -> impl Iterator<Item = CorrectionNews<'_>> {
    let corrections = set.changes.corrections.iter();
    corrections.map(|correction| news_of(set, correction))
}

/// A correction of a set, for the page, its feed and an e-mail.
pub(crate) fn news_of<'n>(set: &KeptSet, correction: &'n Correction) -> CorrectionNews<'n> {
    CorrectionNews {
        number: set.number,
        published: set.published,
        folder: &correction.folder,
        from: correction.from,
        until: correction.until,
        versions: [correction.before.as_deref(), correction.after.as_deref()],
        cases: correction.cases,
        fields: correction.fields.iter().map(moved).collect(),
    }
}

fn moved(field: &CorrectedField) -> MovedField<'_> {
    MovedField {
        name: &field.name,
        cases: field.cases,
        before: &field.before,
        after: &field.after,
    }
}
