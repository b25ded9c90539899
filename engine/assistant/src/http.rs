//! The protocol over streamable HTTP, without sessions: a POST is one message, its answer one JSON
//! text.

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonObject, JsonRpcMessage};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;

use crate::{RuleSource, Server, with_exact_numbers};

/// Bounds of the messages that are accepted.
#[derive(Debug)]
pub struct Bounds {
    /// Greatest length of a message, in bytes.
    pub length: usize,
    /// The names by which a client may reach the service: any other `Host` is refused.
    pub hosts: Vec<String>,
}

/// The kind of request in a message, by which its work is charged.
#[derive(Debug, PartialEq, Eq)]
pub enum Asked {
    /// The list of the tools.
    Tools,
    /// A call of a tool.
    Tool {
        /// Its name.
        name: String,
        /// Its arguments, with numbers as they were written.
        arguments: JsonObject,
    },
    /// Anything else: the beginning, a page, a message that cannot be read.
    Other,
}

/// The kind of request in a message.
pub fn asked(message: &[u8]) -> Asked {
    let read = serde_json::from_slice::<ClientJsonRpcMessage>(&with_exact_numbers(message));
    // Notifications and answers of the client are no requests.
    let Ok(JsonRpcMessage::Request(request)) = read else {
        return Asked::Other;
    };

    match request.request {
        ClientRequest::ListToolsRequest(_) => Asked::Tools,
        ClientRequest::CallToolRequest(call) => Asked::Tool {
            name: call.params.name.into_owned(),
            arguments: call.params.arguments.unwrap_or_default(),
        },
        _ => Asked::Other,
    }
}

/// The names of the arguments of a call, and of those inside them: some tools take the parameters
/// of a calculation in an object of their own, `parametres`.
pub fn names(arguments: &JsonObject) -> impl Iterator<Item = &str> {
    let inner = arguments.values().filter_map(Value::as_object);
    let inner = inner.flat_map(|members| members.keys());
    inner.chain(arguments.keys()).map(String::as_str)
}

/// Answers a message with the rules of a source.
pub fn respond(source: impl RuleSource, message: Request<Bytes>, bounds: Bounds) -> Responding {
    // Numbers are made texts before the library parses the message: afterwards their digits are
    // lost.
    let message = message.map(|text| match with_exact_numbers(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(exact) => exact.into(),
    });

    respond_as(Server::new(source), message, bounds)
}

/// An answer under way. It is boxed, and made by a function that is not generic, so that the
/// protocol is compiled with this crate: otherwise it is compiled a second time in the crate of the
/// caller, where it was a quarter of the code.
pub type Responding = Pin<Box<dyn Future<Output = Response<Bytes>> + Send>>;

fn respond_as(server: Server, message: Request<Bytes>, bounds: Bounds) -> Responding {
    let config = StreamableHttpServerConfig::default()
        // Without sessions any process of the service answers any message.
        .with_legacy_session_mode(false)
        .with_json_response(true)
        // A number that became a text has two signs more.
        .with_max_request_body_bytes(bounds.length.saturating_mul(2))
        // A page whose name resolves to this server, by DNS rebinding, sends that name as the host.
        .with_allowed_hosts(bounds.hosts);

    let protocol = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );

    Box::pin(async move {
        // The service answers with one JSON text, so that its body can be collected without a
        // limit.
        let (head, body) = protocol.handle(message.map(Full::new)).await.into_parts();
        let Ok(body) = body.collect().await;
        Response::from_parts(head, body.to_bytes())
    })
}
