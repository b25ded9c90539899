//! What the service does besides a calculation: it takes the law that a call names, the version of
//! an earlier answer or the rules as they were known on a day, and signs a receipt. Tools of
//! assistants name a law in the same way.

use std::borrow::Cow;
use std::sync::Arc;

use bareme_api::calls::called_calculation::CalledCalculation;
use bareme_api::calls::route::Route;
use bareme_api::data;
use bareme_api::wire::headers::ReplyMeta;
use bareme_api::wire::problem::Problem;
use bareme_api::wire::query::Query;
use bareme_api::wire::reply::Reply;
use bareme_api::work::{Payer, cost};
use bareme_engine::law::parameter::{DATE, KNOWN_ON, RECEIPT, VERSION, YEAR};
use bareme_engine::text::{BadParameter, ParameterCode, boolean};
use hyper::Uri;
use hyper::body::Incoming;
use hyper::http::request::Parts;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::app::call::Call;
use crate::app::caller::admit;
use crate::app::pipeline::answer_from;
use crate::archive::index::{Index, KeptSet};
use crate::reload::in_force::Snapshot;

/// Most versions that a problem lists.
const MOST_LISTED: usize = 20;

/// Parameters of the service, which no calculation takes.
const OF_SERVICE: [&str; 2] = [KNOWN_ON, RECEIPT];

/// Whether a query has a parameter that the service takes by itself.
pub(super) fn is_for_service(query: Option<&str>) -> bool {
    let names = [VERSION, KNOWN_ON, RECEIPT];
    let parts = query.unwrap_or_default().split('&');
    // A name that is written with escapes is decoded with the others.
    let mut names_sent = parts.map(|part| part.split('=').next().unwrap_or_default());
    names_sent.any(|name| names.contains(&name) || name.contains('%'))
}

/// The reply of a call that may name the law to apply, or ask for a receipt.
///
/// # Errors
/// A version or a day that nothing is kept of, a receipt that nothing signs; then whatever the call
/// itself is refused for.
pub(super) async fn respond(
    call: Call<'_>,
    unread: Option<Incoming>,
    (snapshot, route): (&Arc<Snapshot>, Route<'_>),
    meta: &mut ReplyMeta,
) -> Result<Reply, Problem> {
    let (Route::Endpoint(_, called) | Route::Batch(_, called)) = route else {
        return answer_from(call, unread, (snapshot, route), meta).await;
    };

    // 1. What is asked. What cannot be decoded is refused with everything else.
    let request = without_own(call.request);
    let text = call.request.uri.query().unwrap_or_default();
    let pairs = called.query(Query::borrowed(text)).pairs;
    let by_law = Call {
        request: &request,
        is_signed: is_signed(&pairs)?,
        ..call
    };
    // Without a key, it is refused before anything is charged.
    by_law.receipt()?;
    let asked = Asked::read(pairs)?;
    let Some(asked) = asked else {
        return answer_from(by_law, unread, (snapshot, route), meta).await;
    };

    // 2. The rules that hold that law.
    let payer = Payer::Address(call.address());
    let past = asked.rules((call, payer), called, snapshot).await?;

    // 3. The call by that law.
    answer_from(by_law, unread, (&past, route), meta).await
}

/// Why there are no rules for a call that names a law.
#[derive(Debug)]
pub(super) enum LawError {
    /// Nothing is kept of it.
    Unknown(UnknownLaw),
    /// Anything else: what names it cannot be used, a budget is spent, the store is away.
    Refused(Problem),
}

/// A law that nothing is kept of.
#[derive(Debug)]
pub(super) struct UnknownLaw {
    /// The day of the calculation.
    pub day: Date,
    /// The versions that are kept for that day, the newest first.
    pub versions: Vec<String>,
    /// When the first set came into force that is kept.
    pub since: Option<Timestamp>,
}

impl From<Problem> for LawError {
    fn from(problem: Problem) -> Self {
        Self::Refused(problem)
    }
}

impl From<LawError> for Problem {
    fn from(error: LawError) -> Self {
        match error {
            LawError::Unknown(unknown) => unknown.problem(),
            LawError::Refused(problem) => problem,
        }
    }
}

impl UnknownLaw {
    /// The problem of the interface.
    pub(super) fn problem(&self) -> Problem {
        Problem::unknown_law(self.day, &self.versions, self.since)
    }
}

/// The law that a call names.
pub(super) struct Asked<'q> {
    /// The parameters of the calculation.
    pairs: Vec<(Cow<'q, str>, Cow<'q, str>)>,
    version: Option<String>,
    known_on: Option<Date>,
}

impl<'q> Asked<'q> {
    /// Reads the parameters; `None` where none of them names a law.
    pub(super) fn read(
        mut pairs: Vec<(Cow<'q, str>, Cow<'q, str>)>,
    ) -> Result<Option<Self>, Problem> {
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
            [day, ..] => {
                let expected = ("une seule date", "a single date");
                return Err(repeated(KNOWN_ON, day, expected));
            }
        };
        pairs.retain(|(name, _)| !OF_SERVICE.contains(&name.as_ref()));
        Ok(Some(Self {
            pairs,
            // A repeated version is refused by the calculation, like any repeated parameter.
            version: versions.into_iter().next(),
            known_on,
        }))
    }

    /// The rules that hold the law: those in force, or those of a kept set, whose files are read and
    /// compiled, and paid for, unless an earlier call has asked for them.
    pub(super) async fn rules(
        &self,
        (call, payer): (Call<'_>, Payer),
        called: CalledCalculation<'_>,
        snapshot: &Arc<Snapshot>,
    ) -> Result<Arc<Snapshot>, LawError> {
        let (archive, today) = (&call.shared.archive, call.context.time.today);
        let index = archive.index();
        let folders = self.folders(called, snapshot);

        // The set in force needs nothing from the store.
        let number = match self.set(&index, (called, &folders), snapshot, today)? {
            Some(set) if set.number != index.last_number() => set.number,
            _ => return Ok(Arc::clone(snapshot)),
        };

        if !archive.is_compiled(number, &folders) {
            admit(call, payer, cost::INVERSE.calls)?;
        }
        let found = archive.rules(number, &folders, snapshot).await;
        found
            .map_err(Problem::from)?
            .ok_or_else(|| self.unknown(&index, &folders, today))
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
    ) -> Result<Option<&'i KeptSet>, LawError> {
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
        // The law in force needs no set, whichever one it came with.
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

    /// A law that is not kept, with those that are for the day of the call.
    fn unknown(&self, index: &Index, folders: &[String], today: Date) -> LawError {
        let of_year = || Date::new(self.sent(YEAR)?.parse().ok()?, 1, 1).ok();
        let of_date = || self.sent(DATE)?.parse().ok();
        let day = of_date().or_else(of_year).unwrap_or(today);

        let of_folders = folders
            .iter()
            .flat_map(|folder| index.versions_on(folder, day));
        LawError::Unknown(UnknownLaw {
            day,
            versions: of_folders.take(MOST_LISTED).map(str::to_owned).collect(),
            since: index.sets().first().map(|set| set.published),
        })
    }
}

/// Whether the parameters ask for a receipt.
fn is_signed(pairs: &[(Cow<str>, Cow<str>)]) -> Result<bool, Problem> {
    let sent = pairs
        .iter()
        .filter(|(name, value)| name == RECEIPT && !value.is_empty());
    let sent: Vec<&str> = sent.map(|(_, value)| value.as_ref()).collect();
    let one = match sent.as_slice() {
        [] => return Ok(false),
        [one] => one,
        [one, ..] => {
            return Err(repeated(
                RECEIPT,
                one,
                ("une seule valeur", "a single value"),
            ));
        }
    };

    boolean(one).ok_or_else(|| {
        let reason = ("Booléen attendu.", "A boolean is expected.");
        let expected = ("true ou false", "true or false");
        let code = ParameterCode::Format;
        let bad = BadParameter::new(RECEIPT, code, reason, Some(one), expected);
        Problem::parameters(vec![bad])
    })
}

/// The refusal of a parameter that is given several times.
fn repeated(name: &str, received: &str, expected: (&str, &str)) -> Problem {
    let expected = (expected.0.to_owned(), expected.1.to_owned());
    let bad = BadParameter::repeated(name, Some(received), expected);
    Problem::parameters(vec![bad])
}

/// The request without the parameters of the service.
fn without_own(request: &Parts) -> Parts {
    let mut request = request.clone();
    let query = request.uri.query().unwrap_or_default();
    let is_own = |part: &str| {
        let pairs = Query::borrowed(part).pairs;
        let first = pairs.first();
        first.is_some_and(|(name, _)| OF_SERVICE.contains(&name.as_ref()))
    };
    let kept = query.split('&').filter(|part| !is_own(part));

    let query = kept.collect::<Vec<_>>().join("&");
    let target = format!("{}?{query}", request.uri.path());
    // The parts of an address that was read are those of one.
    request.uri = target.parse::<Uri>().unwrap_or_default();
    request
}
