//! The questions that the server answers: one table, which its capabilities and its loop go by.

use gen_lsp_types as lsp;
use gen_lsp_types::Request;
use lsp_server::ErrorCode;
use serde_json::{Value, json};

use super::server::Server;
use super::{actions, cases, completion, formatting, hints, hover, navigation, rename, symbols};

/// Why a question is not answered.
pub(super) struct Refused {
    pub code: ErrorCode,
    pub message: String,
}

/// A capability of the protocol, and what is said of it.
type Capability = (&'static str, fn() -> Value);

/// A question: its method, the capability that announces it, and what answers it.
struct Handler {
    method: &'static str,
    capability: Option<Capability>,
    answer: fn(&mut Server, Value) -> Result<Value, Refused>,
}

const fn handler<R: Request>(
    capability: Option<Capability>,
    answer: fn(&mut Server, Value) -> Result<Value, Refused>,
) -> Handler {
    Handler { method: R::METHOD.as_str(), capability, answer }
}

fn yes() -> Value {
    json!(true)
}

/// Every question.
static HANDLERS: &[Handler] = &[
    handler::<lsp::HoverRequest>(Some(("hoverProvider", yes)), |server, asked| {
        answered::<lsp::HoverRequest>(server, asked, hover::hover)
    }),
    handler::<lsp::CompletionRequest>(
        Some(("completionProvider", || json!({"triggerCharacters": [".", "{", ",", ":", " ", ";"]}))),
        |server, asked| answered::<lsp::CompletionRequest>(server, asked, completion::completion),
    ),
    handler::<lsp::DefinitionRequest>(Some(("definitionProvider", yes)), |server, asked| {
        answered::<lsp::DefinitionRequest>(server, asked, navigation::definition)
    }),
    handler::<lsp::ReferencesRequest>(Some(("referencesProvider", yes)), |server, asked| {
        answered::<lsp::ReferencesRequest>(server, asked, navigation::references)
    }),
    handler::<lsp::DocumentHighlightRequest>(Some(("documentHighlightProvider", yes)), |server, asked| {
        answered::<lsp::DocumentHighlightRequest>(server, asked, navigation::highlights)
    }),
    handler::<lsp::DocumentSymbolRequest>(Some(("documentSymbolProvider", yes)), |server, asked| {
        answered::<lsp::DocumentSymbolRequest>(server, asked, symbols::symbols)
    }),
    handler::<lsp::RenameRequest>(Some(("renameProvider", || json!({"prepareProvider": true}))), |server, asked| {
        answered::<lsp::RenameRequest>(server, asked, rename::rename)
    }),
    handler::<lsp::PrepareRenameRequest>(None, |server, asked| {
        answered::<lsp::PrepareRenameRequest>(server, asked, rename::prepare)
    }),
    handler::<lsp::CodeActionRequest>(
        Some(("codeActionProvider", || json!({"codeActionKinds": ["quickfix"]}))),
        |server, asked| answered::<lsp::CodeActionRequest>(server, asked, actions::actions),
    ),
    handler::<lsp::CodeLensRequest>(Some(("codeLensProvider", || json!({}))), |server, asked| {
        answered::<lsp::CodeLensRequest>(server, asked, cases::lenses)
    }),
    handler::<lsp::InlayHintRequest>(Some(("inlayHintProvider", yes)), |server, asked| {
        answered::<lsp::InlayHintRequest>(server, asked, hints::hints)
    }),
    handler::<lsp::DocumentFormattingRequest>(Some(("documentFormattingProvider", yes)), |server, asked| {
        answered::<lsp::DocumentFormattingRequest>(server, asked, formatting::formatting)
    }),
    handler::<lsp::ExecuteCommandRequest>(
        Some(("executeCommandProvider", || json!({"commands": cases::COMMANDS}))),
        |server, asked| answered::<lsp::ExecuteCommandRequest>(server, asked, cases::execute),
    ),
];

/// Capabilities that the server announces to the editor. Positions count units of UTF-16, which every editor knows.
pub(super) fn capabilities() -> Value {
    let mut all = json!({
        "positionEncoding": "utf-16",
        "textDocumentSync": {"openClose": true, "change": 2, "save": {}},
        "workspace": {"workspaceFolders": {"supported": true, "changeNotifications": true}},
    });
    for (name, value) in HANDLERS.iter().filter_map(|handler| handler.capability) {
        if let Value::Object(known) = &mut all {
            known.insert(name.to_owned(), value());
        }
    }
    all
}

/// The answer to a question.
pub(super) fn answer(server: &mut Server, method: &str, asked: Value) -> Result<Value, Refused> {
    let Some(handler) = HANDLERS.iter().find(|handler| handler.method == method) else {
        return Err(Refused { code: ErrorCode::MethodNotFound, message: format!("unknown method: {method}") });
    };
    (handler.answer)(server, asked)
}

fn answered<R: Request>(
    server: &mut Server,
    asked: Value,
    handle: fn(&mut Server, R::Params) -> Result<R::Result, String>,
) -> Result<Value, Refused> {
    let bad = |error: serde_json::Error| Refused { code: ErrorCode::InvalidParams, message: error.to_string() };
    let parameters = serde_json::from_value::<R::Params>(asked).map_err(bad)?;
    let result = handle(server, parameters).map_err(|message| Refused { code: ErrorCode::RequestFailed, message })?;
    serde_json::to_value(result).map_err(bad)
}
