//! Calculations by a law that a call names: the version of an earlier answer, or the rules as they
//! were known on a day.

use std::borrow::Cow;
use std::sync::Arc;

use bareme_engine::law::parameter::{DATE, KNOWN_ON, VERSION, YEAR};
use bareme_engine::text::BadParameter;
use hyper::Uri;
use hyper::body::Incoming;
use hyper::http::request::Parts;
use jiff::civil::Date;

use crate::api::called_calculation::CalledCalculation;
use crate::api::route::Route;
use crate::app::call::Call;
use crate::app::caller::admit;
use crate::app::pipeline::answer_from;
use crate::archive::index::{Index, KeptSet};
use crate::data;
use crate::reload::in_force::Snapshot;
use crate::wire::headers::ReplyMeta;
use crate::wire::problem::Problem;
use crate::wire::query::Query;
use crate::wire::reply::Reply;
use crate::work::{Payer, cost};

/// Most versions that a problem lists.
const MOST_LISTED: usize = 20;

/// Whether a query names the law to apply.
pub(super) fn names_law(query: Option<&str>) -> bool {
    let names = [VERSION, KNOWN_ON];
    let parts = query.unwrap_or_default().split('&');
    // A name that is written with escapes is decoded with the others.
    let mut names_sent = parts.map(|part| part.split('=').next().unwrap_or_default());
    names_sent.any(|name| names.contains(&name) || name.contains('%'))
}

/// The reply of a call that may name the law to apply.
///
/// # Errors
/// A version or a day that nothing is kept of; then whatever the call itself is refused for.
pub(super) async fn respond(
    call: Call<'_>,
    unread: Option<Incoming>,
    (snapshot, route): (&Arc<Snapshot>, Route<'_>),
    meta: &mut ReplyMeta,
) -> Result<Reply, Problem> {
    let (Route::Endpoint(_, called) | Route::Batch(_, called)) = route else {
        return answer_from(call, unread, (snapshot, route), meta).await;
    };

    // 1. What is asked. What cannot be decoded is refused with everything else. No calculation takes
    // the day on which the law was known.
    let request = without_known_on(call.request);
    let by_law = Call {
        request: &request,
        ..call
    };
    let text = call.request.uri.query().unwrap_or_default();
    let asked = Asked::read(called.query(Query::borrowed(text)).pairs)?;
    let Some(asked) = asked else {
        return answer_from(by_law, unread, (snapshot, route), meta).await;
    };
    let folders = asked.folders(called, snapshot);

    // 2. The set that holds that law. The one in force needs nothing from the store.
    let index = call.shared.archive.index();
    let today = call.context.time.today;
    let number = match asked.set(&index, (called, &folders), snapshot, today)? {
        Some(set) if set.number != index.last_number() => Some(set.number),
        _ => None,
    };
    let past = match number {
        None => Arc::clone(snapshot),
        Some(number) => {
            // Its files are read and compiled, unless an earlier call has asked for them.
            admit(call, Payer::Address(call.address()), cost::INVERSE.calls)?;
            let archive = &call.shared.archive;
            let found = archive.rules(number, &folders, snapshot).await;
            found?.ok_or_else(|| asked.unknown(&index, &folders, today))?
        }
    };

    // 3. The call by that law.
    answer_from(by_law, unread, (&past, route), meta).await
}

/// The law that a call names.
struct Asked<'q> {
    /// The parameters of the calculation.
    pairs: Vec<(Cow<'q, str>, Cow<'q, str>)>,
    version: Option<String>,
    known_on: Option<Date>,
}

impl<'q> Asked<'q> {
    /// Reads the parameters; `None` where none of them names a law.
    fn read(mut pairs: Vec<(Cow<'q, str>, Cow<'q, str>)>) -> Result<Option<Self>, Problem> {
        let sent = |name: &str| {
            let found = pairs
                .iter()
                .filter(|(known, value)| known == name && !value.is_empty());
            found
                .map(|(_, value)| value.to_string())
                .collect::<Vec<_>>()
        };
        let (versions, days) = (sent(VERSION), sent(KNOWN_ON));
        if versions.is_empty() && days.is_empty() {
            return Ok(None);
        }

        let known_on = match days.as_slice() {
            [] => None,
            [day] => data::day(&[(KNOWN_ON.to_owned(), day.clone())], KNOWN_ON)?,
            [day, ..] => return Err(repeated(day)),
        };
        pairs.retain(|(name, _)| name != KNOWN_ON);
        Ok(Some(Self {
            pairs,
            // A repeated version is refused by the calculation, like any repeated parameter.
            version: versions.into_iter().next(),
            known_on,
        }))
    }

    /// The paths of the folders that may answer: the one that is selected, else all of the family.
    fn folders(&self, called: CalledCalculation, snapshot: &Snapshot) -> Vec<String> {
        let rules = &snapshot.rules;
        if let Ok(folder) = rules.select(called.endpoint, &self.pairs) {
            return vec![folder.path().to_owned()];
        }
        let members = rules.members(called.endpoint);
        members
            .map(|(_, folder)| folder.path().to_owned())
            .collect()
    }

    /// The kept set that holds the law; `None` for the one in force.
    fn set<'i>(
        &self,
        index: &'i Index,
        (called, folders): (CalledCalculation, &[String]),
        snapshot: &Snapshot,
        today: Date,
    ) -> Result<Option<&'i KeptSet>, Problem> {
        // A day is more precise than a version: several sets may hold one law.
        if let Some(day) = self.known_on {
            let found = index.known_on(day);
            return found
                .map(Some)
                .ok_or_else(|| self.unknown(index, folders, today));
        }

        let Some(version) = &self.version else {
            return Ok(None);
        };
        let is_in_force = |path: &String| {
            let folder = snapshot.rules.folder(path);
            folder.is_some_and(|folder| folder.versions().any(|known| known == version))
        };
        if folders.iter().any(is_in_force) {
            return Ok(None);
        }

        let year = self.sent(YEAR).and_then(|year| year.parse::<i16>().ok());
        let kept = folders.iter().find_map(|path| {
            let of_year = || index.with_year(path, year.filter(|_| called.year)?, version);
            index.with_law(path, version).or_else(of_year)
        });
        kept.map(Some)
            .ok_or_else(|| self.unknown(index, folders, today))
    }

    fn sent(&self, name: &str) -> Option<&str> {
        let found = self
            .pairs
            .iter()
            .find(|(known, value)| known == name && !value.is_empty());
        found.map(|(_, value)| value.as_ref())
    }

    /// The problem of a law that is not kept, with those that are for the day of the call.
    fn unknown(&self, index: &Index, folders: &[String], today: Date) -> Problem {
        let of_year = || Date::new(self.sent(YEAR)?.parse().ok()?, 1, 1).ok();
        let of_date = || self.sent(DATE)?.parse().ok();
        let day = of_date().or_else(of_year).unwrap_or(today);

        let mut versions: Vec<&str> = folders
            .iter()
            .flat_map(|folder| index.versions_on(folder, day))
            .collect();
        versions.truncate(MOST_LISTED);
        let since = index.sets().first().map(|set| set.published);
        Problem::unknown_law(day, &versions, since)
    }
}

/// The refusal of a day of knowledge that is given several times.
fn repeated(received: &str) -> Problem {
    let expected = ("une seule date".to_owned(), "a single date".to_owned());
    Problem::parameters(vec![BadParameter::repeated(
        KNOWN_ON,
        Some(received),
        expected,
    )])
}

/// The request without the day on which the law was known, which no calculation takes.
fn without_known_on(request: &Parts) -> Parts {
    let mut request = request.clone();
    let query = request.uri.query().unwrap_or_default();
    let is_known_on = |part: &str| {
        let pairs = Query::borrowed(part).pairs;
        pairs.first().is_some_and(|(name, _)| name == KNOWN_ON)
    };
    let kept = query.split('&').filter(|part| !is_known_on(part));

    let query = kept.collect::<Vec<_>>().join("&");
    let target = format!("{}?{query}", request.uri.path());
    // The parts of an address that was read are those of one.
    request.uri = target.parse::<Uri>().unwrap_or_default();
    request
}
