//! `/livez` and `/readyz`, for the operator and for load balancers.
//!
//! Liveness depends on nothing, or an outage of something else would restart every node. Readiness
//! is lost only when no rule set was ever good or when the service is stopping: a bad edit of the
//! rules is reported here and in the log, while the last good set goes on serving; so is a store that is
//! unavailable, while known keys and quotas stay valid.

use bareme_engine::{Draft, Rules};
use hyper::StatusCode;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::access::store::{Component, Health};
use crate::http::reply::{self, Reply};
use crate::shared::Shared;

/// The two paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Probe {
    /// `/livez`
    Live,
    /// `/readyz`
    Ready,
}

impl Probe {
    /// The probe of this path, if it is one.
    pub(crate) fn find(path: &str) -> Option<Self> {
        match path {
            "/livez" => Some(Self::Live),
            "/readyz" => Some(Self::Ready),
            _ => None,
        }
    }

    /// The answer.
    pub(crate) fn reply(self, shared: &Shared) -> Reply {
        match self {
            Self::Live => reply::unstored(StatusCode::OK, &json!({"status": "ok"})),
            Self::Ready => ready(shared),
        }
    }
}

fn ready(shared: &Shared) -> Reply {
    let snapshot = shared.snapshot();
    let health = shared.access.store().health();
    let (status, word) = match &snapshot {
        _ if shared.draining() => (StatusCode::SERVICE_UNAVAILABLE, "arret"),
        None => (StatusCode::SERVICE_UNAVAILABLE, "indisponible"),
        Some(_) if health.unavailable_since().is_some() => (StatusCode::OK, "degrade"),
        Some(_) => (StatusCode::OK, "ok"),
    };
    let mut body = Map::new();
    body.insert("status".into(), word.into());
    if let Some(snapshot) = &snapshot {
        body.insert("version".into(), snapshot.rules.version().into());
        body.insert("brouillons".into(), drafts(&snapshot.rules));
    }
    body.insert("reload".into(), reload(shared));
    body.insert("store".into(), store(health));
    reply::unstored(status, &Value::Object(body))
}

/// The dated files that are prepared and not in force, with what is left to do.
fn drafts(rules: &Rules) -> Value {
    let described = |(folder, draft): (&str, &Draft)| {
        json!({
            "bareme": folder, "date": draft.date.to_string(), "a_confirmer": draft.unconfirmed.len(),
            "erreurs": draft.errors,
        })
    };
    rules.drafts().map(described).collect()
}

/// The failing components of the store. Causes are only in the log: they may name what a public probe must not reveal.
fn store(health: &Health) -> Value {
    let Some(since) = health.unavailable_since() else { return json!({"etat": "ok"}) };
    let outage = |(component, since): (Component, Timestamp)| json!({"composant": component.name(), "depuis": since.to_string()});
    let outages: Vec<Value> = health.outages().into_iter().map(outage).collect();
    json!({"etat": "injoignable", "depuis": since.to_string(), "pannes": outages})
}

fn reload(shared: &Shared) -> Value {
    let outcome = shared.outcome();
    if let Some(since) = shared.loading.slow_since() {
        let message = "la lecture des fichiers de barèmes ne finit pas : vérifier que leur dossier répond";
        return json!({"etat": "lent", "depuis": since.to_string(), "message": message, "erreurs": []});
    }
    if !outcome.lost.is_empty() {
        let message = "des fichiers en service ont disparu : le nouveau jeu entre en service quand les fichiers ne changent plus depuis quelques secondes";
        let since = outcome.since.to_string();
        return json!({"etat": "en_attente", "depuis": since, "message": message, "disparus": outcome.lost, "erreurs": []});
    }
    let errors: Vec<Value> = outcome
        .errors
        .iter()
        .map(|error| {
            json!({
                "fichier": error.file,
                "ligne": error.line,
                "colonne": error.column,
                "code": error.code,
                "message": error.message,
                "remede": error.cure,
            })
        })
        .collect();
    let state = if outcome.errors.is_empty() { "a_jour" } else { "refuse" };
    json!({"etat": state, "depuis": outcome.since.to_string(), "erreurs": errors})
}
