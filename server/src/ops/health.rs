//! `/livez` and `/readyz`, for the operator and for load balancers.
//!
//! Liveness depends on nothing, or an outage elsewhere would restart every node. The service is not
//! ready only while no rule set was ever good, or while it is stopping. Errors in a folder are
//! reported here and in the log, while its last good state and the other folders keep serving; so
//! is an unavailable store, while known keys and quotas stay valid.

use bareme_accounts::store::{Component, Health};
use bareme_api::wire::reply::{self, Reply};
use bareme_engine::law::Draft;
use bareme_engine::service::Rules;
use hyper::StatusCode;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::ops::status::Status;
use crate::reload::in_force::InForce;
use crate::reload::outcome::{HeldFolder, RuleError};

/// The two paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Probe {
    /// `/livez`
    Live,
    /// `/readyz`
    Ready,
}

impl Probe {
    /// The probe for a path, if it is one.
    pub(crate) fn find(path: &str) -> Option<Self> {
        match path {
            "/livez" => Some(Self::Live),
            "/readyz" => Some(Self::Ready),
            _ => None,
        }
    }

    /// The answer.
    pub(crate) fn reply(self, status: Status<'_>) -> Reply {
        match self {
            Self::Live => reply::unstored(StatusCode::OK, &json!({"status": "ok"})),
            Self::Ready => ready(status),
        }
    }
}

fn ready(service: Status<'_>) -> Reply {
    // Errors in the rules or an outage of the store leave it ready: other nodes have them too.
    let snapshot = service.rules.snapshot();
    let health = service.access.store().health();
    let (status, word) = match &snapshot {
        // First of all: calls are still answered then, but load balancers must look elsewhere.
        _ if service.is_draining => (StatusCode::SERVICE_UNAVAILABLE, "arret"),
        None => (StatusCode::SERVICE_UNAVAILABLE, "indisponible"),
        Some(_) if health.unavailable_since().is_some() => (StatusCode::OK, "degrade"),
        Some(snapshot) if snapshot.rules.absent().next().is_some() => (StatusCode::OK, "degrade"),
        Some(_) => (StatusCode::OK, "ok"),
    };

    let (reload, store) = (
        reload(service.rules),
        store(health, service.access.grace_until()),
    );

    let body = match &snapshot {
        Some(snapshot) => json!({
            "status": word,
            "version": snapshot.rules.version(),
            "brouillons": drafts(&snapshot.rules),
            "reload": reload, "store": store,
        }),
        None => json!({"status": word, "reload": reload, "store": store}),
    };

    reply::unstored(status, &body)
}

/// The drafts, with what is left to do.
fn drafts(rules: &Rules) -> Value {
    // Drafts are no error: they are not in force yet.
    let described = |(folder, draft): (&str, &Draft)| {
        json!({
            "bareme": folder,
            "date": draft.date.to_string(),
            "a_confirmer": draft.unconfirmed.len(),
            "erreurs": draft.errors,
        })
    };
    rules.drafts().map(described).collect()
}

/// The failing components of the store. Causes are in the log only: they may reveal what a public
/// probe must not. `grace` is the end of the time during which paying keys work without the store.
fn store(health: &Health, grace: Option<Timestamp>) -> Value {
    // An outage is reported since its start, component by component.
    let Some(since) = health.unavailable_since() else {
        return json!({"etat": "ok"});
    };
    let outage = |(component, since): (Component, Timestamp)| {
        json!({
            "composant": component.name(), "depuis": since.to_string(),
        })
    };

    let outages: Vec<Value> = health.outages().into_iter().map(outage).collect();
    let mut store = json!({"etat": "injoignable", "depuis": since.to_string(), "pannes": outages});
    if let (Some(until), Some(members)) = (grace, store.as_object_mut()) {
        members.insert("cles_payantes_jusqu_a".into(), until.to_string().into());
    }
    store
}

fn reload(rules: &InForce) -> Value {
    // 1. A load that does not end: the outcome is still that of the load before.
    let outcome = rules.outcome();
    if let Some(since) = rules.loading.slow_since() {
        let message =
            "la lecture des fichiers de barèmes ne finit pas : vérifier que leur dossier répond";
        return json!({
            "etat": "lent", "depuis": since.to_string(), "message": message, "erreurs": [],
        });
    }

    // 2. A set that waits, complete or not.
    if !outcome.lost.is_empty() {
        let message = "des fichiers en service ont disparu : le nouveau jeu entre en service quand \
                       les fichiers ne changent plus depuis quelques secondes";
        let since = outcome.since.to_string();
        return json!({
            "etat": "en_attente",
            "depuis": since,
            "message": message,
            "disparus": outcome.lost,
            "erreurs": [],
        });
    }

    // 3. Errors: of some folders, or of the set as a whole.
    let described = |error: &RuleError| {
        json!({
            "fichier": error.file, "ligne": error.line, "colonne": error.column, "code": error.code,
            "message": error.message, "remede": error.cure,
        })
    };
    let errors: Vec<Value> = outcome.errors.iter().map(described).collect();

    if !outcome.held.is_empty() {
        let held: Vec<Value> = outcome.held.iter().map(held).collect();
        return json!({
            "etat": "partiel",
            "depuis": outcome.since.to_string(),
            "dossiers": held,
            "erreurs": errors,
        });
    }

    let state = if outcome.errors.is_empty() {
        "a_jour"
    } else {
        "refuse"
    };
    json!({"etat": state, "depuis": outcome.since.to_string(), "erreurs": errors})
}

/// A folder whose files have errors, while the others are in force.
fn held(held: &HeldFolder) -> Value {
    let serves = if held.serves {
        "dernier_etat_valide"
    } else {
        "absent"
    };
    json!({"dossier": held.folder, "sert": serves, "depuis": held.since.to_string()})
}
