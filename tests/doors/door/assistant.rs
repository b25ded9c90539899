//! `/mcp`, `tools/call`: the tool of a calculation.

use std::net::SocketAddr;

use super::batch::row_of_json;
use super::single::Caller;
use super::{Door, Group};
use crate::answer::{Answer, Carried, Following, Reserves, Warnings};
use crate::draw::{Kind, Question};
use crate::json::Json;
use crate::oracle::Target;

/// The tools of the service.
pub(crate) struct Assistant(pub SocketAddr);

impl Door for Assistant {
    fn name(&self) -> String {
        "/mcp".to_owned()
    }

    fn carries(&self) -> Carried {
        Carried {
            warnings: Warnings::None,
            reserves: Reserves::None,
            cited: false,
            following: Following::Always,
            ..Carried::WHOLE
        }
    }

    fn takes(&self, target: Target, question: &Question) -> bool {
        // A member of a JSON object is there once.
        target.endpoint.is_some() && question.kind != Kind::Repeated
    }

    fn ask(&self, group: &Group) -> Vec<Answer> {
        let mut caller = Caller::new(self.0);
        group
            .questions
            .iter()
            .map(|question| called(&mut caller, group.target, question))
            .collect()
    }
}

fn called(caller: &mut Caller, target: Target, question: &Question) -> Answer {
    let mut pairs = question.query();
    pairs.push(("detail".to_owned(), "true".to_owned()));
    // Tools have no `/` in their names.
    let (tool, arguments) = (target.name.replace('/', "_"), row_of_json(&pairs));
    let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
    let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
    let headers = "Accept: application/json, text/event-stream\r\n";
    let body = caller.post("/mcp", "application/json", message.as_bytes(), headers);

    let read = Json::read(&body);
    let found = read
        .get("result")
        .and_then(|result| result.get("structuredContent"));
    let found = found.unwrap_or_else(|| panic!("{message}: {body}"));
    if found.get("parametres").is_some() {
        return Answer::of_json(found);
    }
    let fields = found
        .get("reponse")
        .unwrap()
        .members()
        .iter()
        .cloned()
        .collect();
    let day = found
        .get("bareme_du")
        .and_then(Json::text)
        .map(str::to_owned);
    let version = found.get("version").and_then(Json::text);
    Answer {
        fields,
        day,
        version: version.map(str::to_owned),
        ..Answer::default()
    }
}
