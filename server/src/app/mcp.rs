//! The tools of assistants, by the Model Context Protocol over streamable HTTP: a POST is one
//! message, its answer one JSON text, and there are no sessions. The protocol is in
//! `bareme-assistant`; keys, quotas and limits are those of the API. Only a call of a tool that
//! calculates is charged.

use std::sync::Arc;
use std::time::Duration;

use bareme_accounts::publishable::Door;
use bareme_api::calls::called_calculation::CalledCalculation;
use bareme_api::wire::body::Body;
use bareme_api::wire::headers::{BATCH_METHODS, ReplyMeta};
use bareme_api::wire::limits;
use bareme_api::wire::problem::{Problem, kinds};
use bareme_api::wire::reply::{self, Reply};
use bareme_api::work::Payer;
use bareme_api::work::cost::{self, Work};
use bareme_assistant::http::{self, Asked, Bounds};
use bareme_assistant::{Assistant, FoundLaw, Question, RuleSource};
use bareme_engine::Lang;
use hyper::Request;
use hyper::body::Incoming;
use hyper::header::{CACHE_CONTROL, HeaderValue};
use jiff::civil::Date;
use tokio::runtime::Builder;

use crate::app::call::Call;
use crate::app::past::LawError;
use crate::app::{blocking, caller, past, pipeline};
use crate::reload::in_force::Snapshot;

pub(crate) const PATH: &str = "/mcp";

/// Greatest length of a message in bytes; usual ones have some hundreds.
const MAX_LENGTH: usize = 64 * 1024;

/// How long a message may take to arrive.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// Host names of this machine for local clients.
const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Answers a message of a client.
///
/// # Errors
/// Before anything is computed: a refused method, length or key, or a quota without a call left.
pub(super) async fn respond(
    call: Call<'_>,
    body: Option<Incoming>,
    snapshot: Arc<Snapshot>,
    meta: &mut ReplyMeta,
) -> Result<Reply, Problem> {
    let Call {
        shared,
        request,
        context,
        ..
    } = call;
    if pipeline::asks_options(request, BATCH_METHODS)? {
        return Ok(reply::options(BATCH_METHODS));
    }
    let body =
        body.ok_or_else(|| Problem::method_other_than(BATCH_METHODS, request.method.as_str()))?;

    let service = snapshot.rules.service();
    // The calculations, keys and plans are those of the first variant.
    let variant = service
        .variants
        .first()
        .ok_or_else(|| Problem::plain(&kinds::INTERNAL))?;

    // 1. The caller is known before the body is read, so that a refused key costs nothing.
    let caller = caller::identify(call, meta, (service, variant), Door::Secret).await?;
    let body = limits::read(body, MAX_LENGTH, READ_TIMEOUT, &kinds::MESSAGE_LENGTH).await?;
    meta.read_body = true;

    // 2. The rules: those in force, and those of the laws that the message names.
    let asked = http::asked(&body);
    let payer = caller::payer(call, &caller);
    let mut source = MessageRules {
        snapshot: Arc::clone(&snapshot),
        laws: Vec::new(),
        today: context.time.today,
        lang: context.lang,
    };
    source.laws = laws((call, payer), &source, &asked).await?;

    // 3. The work of the message and, if it calculates, a call of the quota: both before it is
    // done. The other messages of the protocol are free, and so is a law that is not there.
    meta.work = Some(caller::admit(call, payer, source.work(&asked).calls)?);
    if source.calculates(&asked) {
        caller::charge(call, &caller, 1, meta, variant).await?;
    }

    // 4. The host names that a client may call: a page of another site, whose name was made to
    // resolve to this machine, names its own.
    let hosts = LOCAL
        .into_iter()
        .map(str::to_owned)
        .chain(host_of(&service.documentation).map(str::to_owned));
    let hosts = hosts
        .chain(shared.mcp_hosts.iter().flatten().cloned())
        .collect();

    let message = Request::from_parts(request.clone(), body);
    let bounds = Bounds {
        length: MAX_LENGTH,
        hosts,
    };

    // The protocol waits for nothing: it is driven to its end where the tool computes. The library
    // spawns a task for each message, which a runtime of its own keeps off the threads that serve
    // connections.
    let answer = blocking::in_turn(call, payer, move || {
        let runtime = Builder::new_current_thread().enable_time().build();
        let runtime = runtime.map_err(|_| Problem::plain(&kinds::INTERNAL))?;
        Ok::<_, Problem>(runtime.block_on(http::respond(source, message, bounds)))
    });

    // 5. The answer is made for this caller and this message.
    let (head, body) = answer.await??.into_parts();
    let mut answer = Reply::from_parts(head, Body::from(body));
    answer
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(answer)
}

/// The host of an address: `bareme.example` for `https://bareme.example/documentation`.
fn host_of(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    rest.split(['/', ':'])
        .next()
        .filter(|host| !host.is_empty())
}

/// The laws that a message names, looked up before its tool is called: the protocol waits for
/// nothing.
///
/// # Errors
/// A budget that is spent, or a store that is away: what the caller named itself is refused by the
/// tool.
async fn laws(
    (call, payer): (Call<'_>, Payer),
    source: &MessageRules,
    asked: &Asked,
) -> Result<Vec<KeptLaw>, Problem> {
    let Asked::Tool { name, arguments } = asked else {
        return Ok(Vec::new());
    };

    let mut laws = Vec::new();
    for question in source.assistant().questions(name, arguments) {
        let rules = match law((call, payer), source, &question).await {
            Ok(rules) => Ok(rules),
            Err(LawError::Unknown(unknown)) => Err(bareme_assistant::LawError::Unknown(
                bareme_assistant::UnknownLaw {
                    code: kinds::UNKNOWN_LAW.code,
                    detail: unknown.problem().detail().clone(),
                    since: unknown
                        .since
                        .map(|since| since.strftime("%Y-%m-%d").to_string()),
                    versions: unknown.versions,
                },
            )),
            Err(LawError::Refused(problem)) if !problem.bad_parameters().is_empty() => {
                let bad = problem.bad_parameters().to_vec();
                Err(bareme_assistant::LawError::Parameters(bad))
            }
            Err(LawError::Refused(problem)) => return Err(problem),
        };
        laws.push(KeptLaw { question, rules });
    }
    Ok(laws)
}

/// The rules of the law that a question names.
async fn law(
    by: (Call<'_>, Payer),
    source: &MessageRules,
    question: &Question,
) -> Result<Arc<Snapshot>, LawError> {
    let snapshot = &source.snapshot;
    let mut endpoints = snapshot.rules.service().endpoints.iter();
    let endpoint = endpoints.find(|endpoint| endpoint.name == question.endpoint);
    let sent = question.sent.iter();
    let pairs = sent.map(|(name, value)| (name.into(), value.into()));
    let named = past::Asked::read(pairs.collect())?;

    let (Some(endpoint), Some(named)) = (endpoint, named) else {
        return Ok(Arc::clone(snapshot));
    };
    let called = CalledCalculation {
        endpoint,
        word: None,
        year: false,
    };
    named.rules(by, called, snapshot).await
}

/// A law that a message names, with the rules that hold it.
#[derive(Debug)]
struct KeptLaw {
    question: Question,
    rules: Result<Arc<Snapshot>, bareme_assistant::LawError>,
}

/// The rules of a message: those in force when it arrived, and those of the laws that it names.
#[derive(Debug)]
struct MessageRules {
    snapshot: Arc<Snapshot>,
    laws: Vec<KeptLaw>,
    today: Date,
    lang: Lang,
}

impl MessageRules {
    /// The tools of the first variant.
    fn assistant(&self) -> Assistant<'_> {
        let rules = &self.snapshot.rules;
        // An assistant sees what the first version of the API has: all calculations.
        let variant = rules.service().variants.first();
        let laws = self.laws.iter().map(|law| FoundLaw {
            question: law.question.clone(),
            rules: match &law.rules {
                Ok(snapshot) => Ok(&snapshot.rules),
                Err(error) => Err(error.clone()),
            },
        });
        Assistant::new(rules, variant, self.today, self.lang)
            .with_index(&self.snapshot.index)
            .with_laws(laws.collect())
    }

    /// Whether a message calls a tool that calculates, by laws that are all there.
    fn calculates(&self, asked: &Asked) -> bool {
        let are_there = self.laws.iter().all(|law| law.rules.is_ok());
        are_there && matches!(asked, Asked::Tool { name, .. } if self.assistant().calculates(name))
    }

    /// The rules by which a message may calculate.
    fn snapshots(&self) -> impl Iterator<Item = &Snapshot> {
        let past = self.laws.iter().filter_map(|law| law.rules.as_deref().ok());
        past.chain([self.snapshot.as_ref()])
    }

    /// What a message costs.
    fn work(&self, asked: &Asked) -> &'static Work {
        match asked {
            Asked::Tools => &cost::TOOLS,
            Asked::Other => &cost::MESSAGE,
            Asked::Tool { name, arguments } => {
                // Tools for a result search, and so does the law of some.
                let is_it = |(known, _): &&(&str, &Work)| *known == name.as_str();
                let is_for_result = || {
                    let is_inverse =
                        |name: &str| self.snapshots().any(|rules| rules.is_inverse(name));
                    http::names(arguments).any(is_inverse)
                };
                let searches = || {
                    let endpoint = self.assistant().endpoint_of(name);
                    endpoint.is_some_and(|endpoint| {
                        self.snapshots()
                            .any(|rules| rules.always_searches(endpoint))
                    })
                };

                match cost::TOOLS_BY_NAME.iter().find(is_it) {
                    Some((_, work)) => work,
                    None if is_for_result() || searches() => &cost::TOOL_FOR_RESULT,
                    None => &cost::TOOL,
                }
            }
        }
    }
}

impl RuleSource for MessageRules {
    fn ask(&self, ask: &mut dyn FnMut(&Assistant<'_>)) -> Result<(), String> {
        ask(&self.assistant());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_that_is_no_calculation_has_its_cost() {
        let rules = crate::testing::rules();
        let today = jiff::civil::date(2026, 11, 28);
        let assistant = Assistant::new(&rules, rules.service().variants.first(), today, Lang::Fr);
        let names: Vec<String> = assistant
            .tools()
            .iter()
            .map(|tool| tool.name.to_string())
            .collect();
        let is_calculation = |name: &String| {
            rules
                .service()
                .endpoints
                .iter()
                .any(|endpoint| endpoint.name.replace('/', "_") == *name)
        };
        let fixed: Vec<&String> = names.iter().filter(|name| !is_calculation(name)).collect();
        let known = cost::TOOLS_BY_NAME.map(|(name, _)| name);
        assert_eq!(fixed, known);
    }

    #[test]
    fn the_host_of_an_address_is_without_its_port() {
        for (address, host) in [
            ("https://bareme.example", Some("bareme.example")),
            ("https://bareme.example:8443/docs", Some("bareme.example")),
            ("http://localhost:8080", Some("localhost")),
            ("bareme.example", None),
            ("https://", None),
        ] {
            assert_eq!(host_of(address), host, "{address}");
        }
    }
}
