//! Helpers of the unit tests.

use std::path::Path;
use std::sync::Arc;

use bareme_accounts::Access;
use bareme_accounts::store::Purpose;
use bareme_accounts::store::sqlite::Sqlite;
use bareme_api::wire::address::Proxies;
use bareme_api::wire::clock::Clock;
use bareme_engine::service::Rules;
use hyper::Request;
use hyper::header::HeaderName;
use hyper::http::request::Parts;
use tempfile::TempDir;

use crate::app::shared::Shared;
use crate::net::connection_limit::ConnectionLimit;

/// The head of a request, as a client sends it.
pub(crate) fn request(method: &str, target: &str) -> Parts {
    Request::builder()
        .method(method)
        .uri(target)
        .header("host", "localhost")
        .body(())
        .unwrap()
        .into_parts()
        .0
}

/// The rules of the repository.
pub(crate) fn rules() -> Rules {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules");
    bareme_engine::Loader::new()
        .without_cases()
        .load_service(&root)
        .rules
        .unwrap()
}

/// A service without rules, and the folder of its store.
pub(crate) fn shared() -> (TempDir, Shared) {
    let place = tempfile::tempdir().unwrap();
    let store = Sqlite::open(&place.path().join("bareme.db"), Purpose::Serving).unwrap();
    let proxies = Proxies::new(Vec::new(), HeaderName::from_static("x-forwarded-for"), 64);
    let access = Arc::new(Access::new(Arc::new(store)));
    (
        place,
        Shared::new(Clock::new(None), access, proxies, ConnectionLimit::new(8)),
    )
}
