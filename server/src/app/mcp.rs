//! The tools of assistants, by the Model Context Protocol over streamable HTTP: a POST is one message, its answer one JSON
//! text, and no session is kept. The protocol is that of `bareme-assistant`; keys, quotas and limits are those of the
//! calls of the interface. A call of a tool that calculates is a call of the quota; all else is free.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bareme_assistant::{Assistant, RuleSource, Server};
use bareme_engine::Lang;
use bareme_engine::service::{Service, Variant};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::Request;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, HeaderValue};
use hyper::http::request::Parts;
use jiff::civil::Date;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::time::timeout;

use crate::app::pipeline;
use crate::app::shared::Shared;
use crate::reload::in_force::Snapshot;
use crate::wire::body::Body;
use crate::wire::headers::{BATCH_METHODS, ReplyMeta, RequestContext};
use crate::wire::problem::{Problem, kinds};
use crate::wire::reply::{self, Reply};

/// The path.
pub(crate) const PATH: &str = "/mcp";

/// The longest message, in bytes: a question is some hundreds.
const LONGEST: usize = 64 * 1024;

/// How long a message may take to arrive.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// The names of this machine, by which any client on it calls.
const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Answers a message of a client.
///
/// # Errors
/// Before anything is computed: a method, a length, a key that are refused; a quota with no call left.
pub(crate) async fn respond(
    shared: &Shared,
    peer: IpAddr,
    request: &Parts,
    body: Option<Incoming>,
    snapshot: Arc<Snapshot>,
    context: &RequestContext,
    meta: &mut ReplyMeta,
) -> Result<Reply, Problem> {
    if pipeline::asks_options(request, BATCH_METHODS)? {
        return Ok(reply::options(BATCH_METHODS));
    }
    let body = body.ok_or_else(|| Problem::method_other_than(BATCH_METHODS, request.method.as_str()))?;
    let service = snapshot.rules.service();
    let variant = variant(service).ok_or_else(|| Problem::plain(&kinds::INTERNAL))?;
    let caller = pipeline::identify(shared, peer, request, context, meta, (service, variant)).await?;
    let body = read(body).await?;
    meta.read_body = true;
    let source = InForce { snapshot: Arc::clone(&snapshot), today: context.time.today, lang: context.lang };
    if source.calculates(&body) {
        pipeline::charge(shared, &caller, 1, context, meta, variant).await?;
    } else {
        pipeline::admit_visit(shared, peer, request, context)?;
    }
    let hosts = LOCAL.into_iter().map(str::to_owned).chain(host_of(&service.documentation).map(str::to_owned));
    let hosts = hosts.chain(shared.mcp_hosts.iter().flatten().cloned());
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(LONGEST)
        .with_allowed_hosts(hosts);
    let server = move || Ok(Server::new(source.clone()));
    let protocol = StreamableHttpService::new(server, Arc::new(NeverSessionManager::default()), config);
    let answer = protocol.handle(Request::from_parts(request.clone(), Full::new(body))).await;
    let (head, body) = answer.into_parts();
    let body = body.collect().await.map_err(|_| Problem::plain(&kinds::INTERNAL))?.to_bytes();
    let mut answer = Reply::from_parts(head, Body::from(body));
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(answer)
}

/// The variant whose calculations are the tools, and whose keys and plans hold: the first one.
fn variant(service: &Service) -> Option<&Variant> {
    service.variants.first()
}

/// Reads a message.
async fn read(body: Incoming) -> Result<Bytes, Problem> {
    match timeout(READ_TIMEOUT, Limited::new(body, LONGEST).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Problem::plain(&kinds::BODY)),
        Ok(Err(_)) => Err(Problem::plain(&kinds::UNREADABLE)),
        Err(_) => Err(Problem::plain(&kinds::TIMEOUT)),
    }
}

/// The host of an address, `bareme.example` of `https://bareme.example/documentation`.
fn host_of(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    rest.split(['/', ':']).next().filter(|host| !host.is_empty())
}

/// The rules in force when a message arrived.
#[derive(Debug, Clone)]
struct InForce {
    snapshot: Arc<Snapshot>,
    today: Date,
    lang: Lang,
}

impl InForce {
    /// Whether a message calls a tool that calculates.
    fn calculates(&self, message: &[u8]) -> bool {
        let Ok(JsonRpcMessage::Request(request)) = serde_json::from_slice::<ClientJsonRpcMessage>(message) else {
            return false;
        };
        let ClientRequest::CallToolRequest(call) = request.request else { return false };
        self.ask(|assistant| assistant.calculates(&call.params.name)).unwrap_or_default()
    }
}

impl RuleSource for InForce {
    fn ask<T>(&self, ask: impl FnOnce(&Assistant<'_>) -> T) -> Result<T, String> {
        let rules = &self.snapshot.rules;
        Ok(ask(&Assistant::new(rules, variant(rules.service()), self.today, self.lang)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
