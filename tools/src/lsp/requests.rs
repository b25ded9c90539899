//! The requests that the server answers: one table for its capabilities and its loop.

use gen_lsp_types as lsp;
use gen_lsp_types::Request;
use lsp_server::ErrorCode;
use serde_json::{Value, json};

use super::server::Server;
use super::{actions, cases, completion, formatting, hints, hover, navigation, rename, symbols};

/// Why a request is refused.
pub(super) struct Refused {
    pub code: ErrorCode,
    pub message: String,
}

/// A capability of the protocol, and its value.
type Capability = (&'static str, fn() -> Value);

/// A request: its method, its capability, and its handler.
struct Handler {
    method: &'static str,
    capability: Option<Capability>,
    answer: fn(&mut Server, Value) -> Result<Value, Refused>,
}

/// Declares the requests that the server answers, each with its handler, and the capability that
/// announces it.
macro_rules! handlers {
    (@announced) => { None };
    (@announced $name:literal $value:tt) => { Some(($name, || json!($value))) };
    ($($request:ident $handle:path $(, $name:literal $value:tt)?;)*) => {
        /// Every request.
        static HANDLERS: &[Handler] = &[$(Handler {
            method: <lsp::$request as Request>::METHOD.as_str(),
            capability: handlers!(@announced $($name $value)?),
            answer: |server, asked| answered::<lsp::$request>(server, asked, $handle),
        }),*];
    };
}

handlers! {
    HoverRequest hover::hover, "hoverProvider" true;
    CompletionRequest completion::completion,
        "completionProvider" {"triggerCharacters": [".", "{", ",", ":", " ", ";"]};
    DefinitionRequest navigation::definition, "definitionProvider" true;
    ReferencesRequest navigation::references, "referencesProvider" true;
    DocumentHighlightRequest navigation::highlights, "documentHighlightProvider" true;
    DocumentSymbolRequest symbols::symbols, "documentSymbolProvider" true;
    RenameRequest rename::rename, "renameProvider" {"prepareProvider": true};
    PrepareRenameRequest rename::prepare;
    CodeActionRequest actions::actions, "codeActionProvider" {"codeActionKinds": ["quickfix"]};
    CodeLensRequest cases::lenses, "codeLensProvider" {};
    InlayHintRequest hints::hints, "inlayHintProvider" true;
    DocumentFormattingRequest formatting::formatting, "documentFormattingProvider" true;
    ExecuteCommandRequest cases::execute, "executeCommandProvider" {"commands": cases::COMMANDS};
}

/// Capabilities that the server announces. Positions are in UTF-16 units, which every editor
/// supports.
pub(super) fn capabilities() -> Value {
    let mut all = json!({
        "positionEncoding": "utf-16",
        // 2: changes are sent as ranges, since scale files are long and edits short.
        "textDocumentSync": {"openClose": true, "change": 2, "save": {}},
        "workspace": {"workspaceFolders": {"supported": true, "changeNotifications": true}},
    });

    for (name, value) in HANDLERS.iter().filter_map(|handler| handler.capability) {
        if let Value::Object(members) = &mut all {
            members.insert(name.to_owned(), value());
        }
    }
    all
}

/// Answers a request.
pub(super) fn answer(server: &mut Server, method: &str, asked: Value) -> Result<Value, Refused> {
    // A request that no handler announces may still be sent: the protocol wants this code.
    let Some(handler) = HANDLERS.iter().find(|handler| handler.method == method) else {
        return Err(Refused {
            code: ErrorCode::MethodNotFound,
            message: format!("unknown method: {method}"),
        });
    };
    (handler.answer)(server, asked)
}

fn answered<R: Request>(
    server: &mut Server,
    asked: Value,
    handle: fn(&mut Server, R::Params) -> Result<R::Result, String>,
) -> Result<Value, Refused> {
    let bad = |error: serde_json::Error| Refused {
        code: ErrorCode::InvalidParams,
        message: error.to_string(),
    };

    let parameters = serde_json::from_value::<R::Params>(asked).map_err(bad)?;
    let result = handle(server, parameters).map_err(|message| Refused {
        code: ErrorCode::RequestFailed,
        message,
    })?;
    serde_json::to_value(result).map_err(bad)
}
