//! The protocol over streamable HTTP, without sessions: a POST is one message, its answer one JSON text.

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::{RuleSource, Server, with_exact_numbers};

/// Bounds of the messages that are accepted.
#[derive(Debug)]
pub struct Bounds {
    /// Greatest length of a message, in bytes.
    pub length: usize,
    /// The names by which a client may reach the service: any other `Host` is refused.
    pub hosts: Vec<String>,
}

/// The name of the tool that a message calls, if it calls one.
pub fn called_tool(message: &[u8]) -> Option<String> {
    let Ok(JsonRpcMessage::Request(request)) = serde_json::from_slice::<ClientJsonRpcMessage>(message) else {
        return None;
    };
    let ClientRequest::CallToolRequest(call) = request.request else { return None };
    Some(call.params.name.into_owned())
}

/// Answers a message with the rules of a source.
pub fn respond(source: impl RuleSource, message: Request<Bytes>, bounds: Bounds) -> Responding {
    let message = message.map(|text| match with_exact_numbers(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(exact) => exact.into(),
    });
    respond_as(Server::new(source), message, bounds)
}

/// An answer under way. It is boxed, and made by a function that is not generic, so that the protocol is compiled with
/// this crate: otherwise it is compiled a second time in the crate of the caller, where it was a quarter of the code.
pub type Responding = Pin<Box<dyn Future<Output = Response<Bytes>> + Send>>;

fn respond_as(server: Server, message: Request<Bytes>, bounds: Bounds) -> Responding {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        // A number that became a text has two signs more.
        .with_max_request_body_bytes(bounds.length.saturating_mul(2))
        .with_allowed_hosts(bounds.hosts);
    let protocol =
        StreamableHttpService::new(move || Ok(server.clone()), Arc::new(NeverSessionManager::default()), config);
    Box::pin(async move {
        let (head, body) = protocol.handle(message.map(Full::new)).await.into_parts();
        let Ok(body) = body.collect().await;
        Response::from_parts(head, body.to_bytes())
    })
}
