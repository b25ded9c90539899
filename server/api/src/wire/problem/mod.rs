//! Problem details (RFC 9457) of a refused request.
//!
//! The media type stays `application/json`, as the API promises for every reply.

mod causes;
mod denial;
pub mod kinds;
mod page;

use std::collections::HashSet;
use std::time::SystemTime;

use bareme_engine::text::{BadParameter, Text};
use bareme_engine::{Lang, say};
use hyper::header::{ALLOW, CONNECTION, HeaderValue, RETRY_AFTER, VARY, WWW_AUTHENTICATE};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::wire::headers::METHODS;
use crate::wire::mask::mask;
use crate::wire::reply::{self, Reply};
use kinds::Kind;

/// Greatest number of bad parameters named in one reply; in a year one may be named for each month.
const MAX_NAMED: usize = 32;

/// Greatest number of mistakes listed in one reply: further ones are counted.
const MAX_LISTED: usize = 64;

/// One occurrence of an error.
#[derive(Debug)]
pub struct Problem {
    /// The row of the catalogue: type, status, title.
    pub kind: &'static Kind,
    detail: Text<String>,
    /// The language of the caller.
    lang: Lang,
    parameters: Vec<BadParameter>,
    /// Members specific to this kind.
    members: Vec<(&'static str, Value)>,
    /// When to retry.
    until: Option<SystemTime>,
    /// The methods of the path.
    allowed: &'static str,
}

impl Problem {
    /// A problem with a detail.
    pub(crate) fn new(kind: &'static Kind, detail: impl Into<Text<String>>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            lang: Lang::Fr,
            parameters: Vec::new(),
            members: Vec::new(),
            until: None,
            allowed: METHODS,
        }
    }

    /// Sets the language of the caller.
    pub fn in_language(self, lang: Lang) -> Self {
        Self { lang, ..self }
    }

    /// Parameters that cannot be used, all of them together.
    pub fn parameters(parameters: Vec<BadParameter>) -> Self {
        let names: Vec<String> = names(&parameters)
            .iter()
            .map(|name| format!("`{}`", mask(name)))
            .collect();
        let (count, all) = (names.len(), names.join(", "));

        // Beyond the limit, names would be all that a person sees of the reply.
        let detail = match names.as_slice() {
            [one] => (
                format!("Le paramètre {one} manque ou est incorrect."),
                format!("The parameter {one} cannot be used."),
            ),
            _ if count > MAX_NAMED => (
                format!("{count} paramètres manquent ou sont incorrects."),
                format!("{count} parameters cannot be used."),
            ),
            _ => (
                format!("Ces paramètres manquent ou sont incorrects : {all}."),
                format!("These parameters cannot be used: {all}."),
            ),
        };
        Self {
            parameters,
            ..Self::new(&kinds::PARAMETERS, detail)
        }
    }

    /// The problem on one line, in the language of the caller; each bad parameter with its reason.
    pub(crate) fn one_line(&self) -> String {
        let lang = self.lang;
        // For a cell of a batch or the text of a tool, which have one line.
        let of = |bad: &BadParameter| {
            let received = bad
                .received
                .as_deref()
                .map(|received| format!(" ({})", mask(received)))
                .unwrap_or_default();
            let month = bad
                .month
                .map(|month| format!(", mois {month}"))
                .unwrap_or_default();
            format!(
                "{}{month}{received} : {}",
                mask(&bad.name),
                bad.reason.in_lang(lang)
            )
        };

        // A problem that concerns no parameter is its detail alone.
        if self.parameters.is_empty() {
            return self.detail.in_lang(lang).to_owned();
        }

        let Listed { shown, rest } = Listed::of(&self.parameters);
        let rest =
            (rest > 0).then(|| say!(lang, "Autres erreurs : {rest}.", "Other mistakes: {rest}."));

        shown
            .into_iter()
            .map(of)
            .chain(rest)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// A problem without a detail, to retry at a moment.
    pub fn until(kind: &'static Kind, until: SystemTime) -> Self {
        Self {
            until: Some(until),
            ..Self::plain(kind)
        }
    }

    /// A problem without a detail.
    pub fn plain(kind: &'static Kind) -> Self {
        Self::new(kind, (kind.meaning.fr, kind.meaning.en))
    }

    /// Its sentence.
    pub fn detail(&self) -> &Text<String> {
        &self.detail
    }

    /// The parameters that cannot be used, for a door whose refusals have another form.
    pub fn bad_parameters(&self) -> &[BadParameter] {
        &self.parameters
    }

    /// The problem as a single text, for a page.
    pub fn text(&self) -> String {
        self.text_in(Lang::Fr)
    }

    /// The same in a language.
    pub fn text_in(&self, lang: Lang) -> String {
        let of = |bad: &BadParameter| {
            let (reason, expected) = (bad.reason.in_lang(lang), bad.expected.in_lang(lang));
            say!(
                lang,
                "{reason} Attendu : {expected}.",
                "{reason} Expected: {expected}."
            )
        };
        let texts: Vec<String> = self.parameters.iter().map(of).collect();
        if texts.is_empty() {
            self.detail.in_lang(lang).to_owned()
        } else {
            texts.join(" ")
        }
    }

    /// The content of the reply. `documentation` is the root of the addresses of the kinds of
    /// error; without a rule set the type is `about:blank` (RFC 9457).
    pub fn into_body(self, documentation: Option<&str>, id: Uuid) -> Value {
        let (kind, lang) = (self.kind, self.lang);
        let address =
            documentation.map_or_else(|| "about:blank".to_owned(), |root| type_address(root, kind));

        // The members of RFC 9457 in its order, then those of this API.
        let mut body = Map::new();
        body.insert("type".into(), address.into());
        body.insert("title".into(), kind.title.in_lang(lang).into());
        body.insert("status".into(), kind.status.as_u16().into());
        body.insert("detail".into(), self.detail.in_lang(lang).into());
        body.insert("code".into(), kind.code.into());

        // A bounded list: a query with thousands of mistakes has a short reply.
        if !self.parameters.is_empty() {
            let Listed { shown, rest } = Listed::of(&self.parameters);
            let listed = shown.into_iter().map(|bad| parameter(bad, lang)).collect();
            body.insert("parametres".into(), listed);
            if rest > 0 {
                body.insert("autres".into(), rest.into());
            }
        }

        body.extend(
            self.members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value)),
        );

        // The id that the log line of the request has as well.
        body.insert("instance".into(), format!("urn:uuid:{id}").into());
        Value::Object(body)
    }

    /// The reply.
    pub fn into_reply(self, documentation: Option<&str>, id: Uuid) -> Reply {
        let (kind, until, allowed) = (self.kind, self.until, self.allowed);

        let mut reply = reply::unstored(kind.status, &self.into_body(documentation, id));
        let headers = reply.headers_mut();
        headers.insert(VARY, HeaderValue::from_static("Accept-Language"));

        // The field that the standard demands with a status.
        match kind.status.as_u16() {
            401 => drop(headers.insert(
                WWW_AUTHENTICATE,
                HeaderValue::from_static("ApiKey realm=\"api\", Bearer realm=\"api\""),
            )),
            405 => drop(headers.insert(ALLOW, HeaderValue::from_static(allowed))),
            503 => drop(headers.insert(RETRY_AFTER, HeaderValue::from_static("1"))),
            _ => {}
        }

        // A known moment takes the place of the delay above. A date is plain ASCII, which never
        // fails.
        if let Some(Ok(date)) =
            until.map(|until| HeaderValue::try_from(httpdate::fmt_http_date(until)))
        {
            headers.insert(RETRY_AFTER, date);
        }

        // The framing of the request is in doubt: the connection must not be read any further.
        if std::ptr::eq(kind, &kinds::HOST) || std::ptr::eq(kind, &kinds::BODY) {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        reply
    }
}

/// Address of the page about a kind of error.
pub fn type_address(documentation: &str, kind: &Kind) -> String {
    format!(
        "{}/erreurs/{}",
        documentation.trim_end_matches('/'),
        kind.code.replace('_', "-")
    )
}

/// The names of bad parameters, each once.
fn names(parameters: &[BadParameter]) -> Vec<&str> {
    let mut known = HashSet::new();
    parameters
        .iter()
        .map(|parameter| parameter.name.as_str())
        .filter(|name| known.insert(*name))
        .collect()
}

/// The mistakes that a reply lists, and how many more there are.
struct Listed<'p> {
    shown: Vec<&'p BadParameter>,
    rest: usize,
}

impl<'p> Listed<'p> {
    fn of(parameters: &'p [BadParameter]) -> Self {
        // A name is listed with all of its mistakes, or not at all.
        let named: HashSet<&str> = names(parameters).into_iter().take(MAX_NAMED).collect();
        let is_named = |bad: &&BadParameter| named.contains(bad.name.as_str());
        let shown: Vec<_> = parameters
            .iter()
            .filter(is_named)
            .take(MAX_LISTED)
            .collect();
        let rest = parameters.len().saturating_sub(shown.len());
        Self { shown, rest }
    }
}

/// One bad parameter, with possible keys masked in the received value.
fn parameter(bad: &BadParameter, lang: Lang) -> Value {
    let mut listed = json!({
        // The name is masked as well: a key may have been sent in its place.
        "nom": mask(&bad.name),
        "code": bad.code.as_str(),
        "motif": bad.reason.in_lang(lang),
        "valeur_recue": bad.received.as_deref().map(mask),
        "attendu": bad.expected.in_lang(lang),
    });

    if let (Some(month), Value::Object(members)) = (bad.month, &mut listed) {
        members.insert("mois".into(), month.into());
    }
    listed
}

#[cfg(test)]
mod tests {
    use bareme_accounts::allowance::{InsufficientCalls, POLICY};
    use bareme_engine::text::{ParameterCode, excerpt};
    use hyper::header::CONTENT_TYPE;

    use super::*;

    fn body_of(reply: Reply) -> Value {
        serde_json::from_slice(reply.body().bytes()).unwrap()
    }

    fn bad(name: &str, received: &str) -> BadParameter {
        let (reason, expected) = (
            ("Ce n’est pas un nombre.", "It is not a number."),
            ("un nombre", "a number"),
        );
        BadParameter::new(
            name,
            ParameterCode::Format,
            reason,
            Some(received),
            expected,
        )
    }

    #[test]
    fn members_come_in_the_order_of_the_standard() {
        let reply = Problem::parameters(vec![bad("brut", "abc")])
            .into_reply(Some("https://docs.example/"), Uuid::nil());
        assert_eq!(reply.status().as_u16(), 400);
        assert_eq!(reply.headers()[CONTENT_TYPE], "application/json");
        let body = body_of(reply);
        let members: Vec<&String> = body.as_object().unwrap().keys().collect();
        assert_eq!(
            members,
            [
                "type",
                "title",
                "status",
                "detail",
                "code",
                "parametres",
                "instance"
            ]
        );
        assert_eq!(
            body["type"],
            "https://docs.example/erreurs/parametres-invalides"
        );
        assert_eq!(
            body["instance"],
            "urn:uuid:00000000-0000-0000-0000-000000000000"
        );
        assert_eq!(body["parametres"][0]["nom"], "brut");
        assert_eq!(body["parametres"][0]["valeur_recue"], "abc");
    }

    #[test]
    fn a_long_value_is_cut_between_characters() {
        let body = body_of(
            Problem::parameters(vec![bad("brut", &"é".repeat(200))]).into_reply(None, Uuid::nil()),
        );
        let shown = body["parametres"][0]["valeur_recue"].as_str().unwrap();
        assert_eq!(shown, excerpt(&"é".repeat(200)));
        assert_eq!(body["type"], "about:blank");
    }

    #[test]
    fn a_long_list_of_mistakes_is_cut_and_its_rest_counted() {
        for (bad, shown, rest) in [
            (
                (0..10_000).map(|_| bad("champs", "x")).collect::<Vec<_>>(),
                64,
                9_936,
            ),
            (
                (0..10_000)
                    .map(|index| bad(&format!("x{index}"), "x"))
                    .collect(),
                32,
                9_968,
            ),
        ] {
            let line = Problem::parameters(bad.clone()).one_line();
            assert!(
                line.len() < 20_000 && line.contains(&rest.to_string()),
                "{}",
                line.len()
            );
            let body = body_of(Problem::parameters(bad).into_reply(None, Uuid::nil()));
            assert_eq!(body["parametres"].as_array().unwrap().len(), shown);
            assert_eq!(body["autres"], rest);
            assert!(
                body.to_string().len() < 32_000,
                "{}",
                body.to_string().len()
            );
        }
    }

    #[test]
    fn a_quota_that_is_used_up_says_when_it_is_whole_again() {
        let midnight = httpdate::parse_http_date("Fri, 01 Jan 2027 00:00:00 GMT").unwrap();
        let few = InsufficientCalls {
            limit: 1_000,
            asked: 1,
            remaining: 0,
            midnight,
        };
        let reply = Problem::exhausted(POLICY, few).into_reply(None, Uuid::nil());
        assert_eq!(reply.status(), 429);
        assert_eq!(
            reply.headers()[RETRY_AFTER],
            "Fri, 01 Jan 2027 00:00:00 GMT"
        );
        let body = body_of(reply);
        assert_eq!(body["violated-policies"], json!(["jour"]));
        assert_eq!(
            (&body["limite"], &body["restant"]),
            (&json!(1_000), &json!(0))
        );
        assert_eq!(body["reinitialisation"], "2027-01-01T00:00:00Z");
        assert_eq!(
            body["detail"],
            "1\u{202f}000 appels par jour ; reprise le 01/01/2027 à 00:00 UTC."
        );
    }

    #[test]
    fn each_status_has_the_fields_that_the_standard_demands() {
        for kind in kinds::ALL.into_iter().chain(kinds::SITE) {
            let reply = Problem::plain(kind).into_reply(None, Uuid::nil());
            assert_eq!(reply.status(), kind.status);
            assert_eq!(
                reply.headers().contains_key(WWW_AUTHENTICATE),
                kind.status == 401,
                "{}",
                kind.code
            );
            assert_eq!(
                reply.headers().contains_key(ALLOW),
                kind.status == 405,
                "{}",
                kind.code
            );
            assert_eq!(
                reply.headers().contains_key(RETRY_AFTER),
                kind.status == 503,
                "{}",
                kind.code
            );
        }
    }
}
