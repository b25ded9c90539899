//! What is wrong with a request, said as RFC 9457 lays out problem details.
//!
//! The media type stays `application/json`, as the interface promises for every answer.

pub mod kinds;

use bareme_engine::{BadParameter, Refusal};
use hyper::header::{ALLOW, CONNECTION, HeaderValue, RETRY_AFTER};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::headers::METHODS;
use crate::reply::{self, Reply};
use kinds::Kind;

/// Longest part of a received value that is sent back, in characters.
const LONGEST_ECHO: usize = 64;

/// Most bad parameters named in one answer.
const MOST_NAMED: usize = 32;

/// One occurrence of an error.
#[derive(Debug)]
pub struct Problem {
    kind: &'static Kind,
    detail: String,
    parameters: Vec<BadParameter>,
}

impl Problem {
    fn new(kind: &'static Kind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), parameters: Vec::new() }
    }

    /// The parameters cannot be used; all of them are named at once.
    pub fn parameters(parameters: Vec<BadParameter>) -> Self {
        let mut names: Vec<String> = Vec::new();
        for parameter in &parameters {
            let name = format!("`{}`", echo(&parameter.name));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let detail = match names.as_slice() {
            [one] => format!("Le paramètre {one} ne peut pas être utilisé."),
            _ if names.len() > MOST_NAMED => format!("{} paramètres ne peuvent pas être utilisés.", names.len()),
            _ => format!("Ces paramètres ne peuvent pas être utilisés : {}.", names.join(", ")),
        };
        Self { kind: &kinds::PARAMETERS, detail, parameters }
    }

    /// No such path; `known` are those that exist.
    pub fn not_found(path: &str, known: &[String]) -> Self {
        let detail = format!("Aucune réponse à l'adresse `{}`. Adresses servies : {}.", echo(path), known.join(", "));
        Self::new(&kinds::NOT_FOUND, detail)
    }

    /// A method that no path takes.
    pub fn method(method: &str) -> Self {
        let detail = format!("La méthode `{}` n'est pas servie ; utiliser {METHODS}.", echo(method));
        Self::new(&kinds::METHOD, detail)
    }

    /// The path or the query is over the limit.
    pub fn too_long(what: &str, length: usize, limit: usize) -> Self {
        Self::new(&kinds::TOO_LONG, format!("{what} compte {length} octets ; {limit} au plus sont acceptés."))
    }

    /// An error whose kind says everything.
    pub fn plain(kind: &'static Kind) -> Self {
        Self::new(kind, kind.meaning)
    }

    /// The kind of this error.
    pub fn kind(&self) -> &'static Kind {
        self.kind
    }

    /// The answer. `documentation` is the root of the addresses that name the kinds of error;
    /// without a rule set there is none, and RFC 9457 has a word for that.
    pub fn into_reply(self, documentation: Option<&str>, id: Uuid) -> Reply {
        let kind = self.kind;
        let address = documentation.map_or_else(|| "about:blank".to_owned(), |root| type_address(root, kind));
        let mut body = Map::new();
        body.insert("type".into(), address.into());
        body.insert("title".into(), kind.title.into());
        body.insert("status".into(), kind.status.as_u16().into());
        body.insert("detail".into(), self.detail.into());
        body.insert("code".into(), kind.code.into());
        if !self.parameters.is_empty() {
            body.insert("parametres".into(), self.parameters.iter().take(MOST_NAMED).map(parameter).collect());
        }
        body.insert("instance".into(), format!("urn:uuid:{id}").into());

        let mut reply = reply::unstored(kind.status, &Value::Object(body));
        let headers = reply.headers_mut();
        match kind.status.as_u16() {
            405 => drop(headers.insert(ALLOW, HeaderValue::from_static(METHODS))),
            503 => drop(headers.insert(RETRY_AFTER, HeaderValue::from_static("1"))),
            _ => {}
        }
        // What framed the request is in doubt: nothing more may be read from this connection.
        if std::ptr::eq(kind, &kinds::HOST) || std::ptr::eq(kind, &kinds::BODY) {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        reply
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self::parameters(refusal.parameters)
    }
}

/// Address of the page that explains a kind of error.
pub fn type_address(documentation: &str, kind: &Kind) -> String {
    format!("{}/erreurs/{}", documentation.trim_end_matches('/'), kind.code.replace('_', "-"))
}

fn parameter(bad: &BadParameter) -> Value {
    json!({
        "nom": echo(&bad.name),
        "code": bad.code,
        "motif": bad.reason,
        "valeur_recue": bad.received.as_deref().map(echo),
        "attendu": bad.expected,
    })
}

/// What the caller sent, short enough to be sent back.
fn echo(text: &str) -> String {
    match text.char_indices().nth(LONGEST_ECHO) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::CONTENT_TYPE;

    use super::*;
    use crate::testing::body_of;

    fn bad(name: &str, received: &str) -> BadParameter {
        BadParameter {
            name: name.into(),
            code: "format",
            reason: "La valeur n'est pas un nombre.".into(),
            received: Some(received.into()),
            expected: "un nombre".into(),
        }
    }

    #[test]
    fn members_come_in_the_order_of_the_standard() {
        let reply =
            Problem::parameters(vec![bad("brut", "abc")]).into_reply(Some("https://docs.example/"), Uuid::nil());
        assert_eq!(reply.status().as_u16(), 400);
        assert_eq!(reply.headers()[CONTENT_TYPE], "application/json");
        let body = body_of(reply);
        let members: Vec<&String> = body.as_object().unwrap().keys().collect();
        assert_eq!(members, ["type", "title", "status", "detail", "code", "parametres", "instance"]);
        assert_eq!(body["type"], "https://docs.example/erreurs/parametres-invalides");
        assert_eq!(body["instance"], "urn:uuid:00000000-0000-0000-0000-000000000000");
        assert_eq!(body["parametres"][0]["nom"], "brut");
        assert_eq!(body["parametres"][0]["valeur_recue"], "abc");
    }

    #[test]
    fn a_long_value_is_cut_between_characters() {
        let body = body_of(Problem::parameters(vec![bad("brut", &"é".repeat(200))]).into_reply(None, Uuid::nil()));
        let shown = body["parametres"][0]["valeur_recue"].as_str().unwrap();
        assert_eq!(shown.chars().count(), LONGEST_ECHO + 1);
        assert_eq!(body["type"], "about:blank");
    }

    #[test]
    fn each_status_has_the_fields_that_the_standard_demands() {
        for kind in kinds::ALL {
            let reply = Problem::plain(kind).into_reply(None, Uuid::nil());
            assert_eq!(reply.status(), kind.status);
            assert_eq!(reply.headers().contains_key(ALLOW), kind.status == 405, "{}", kind.code);
            assert_eq!(reply.headers().contains_key(RETRY_AFTER), kind.status == 503, "{}", kind.code);
        }
    }
}
