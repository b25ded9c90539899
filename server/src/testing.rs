//! Helpers of the unit tests.

use std::path::Path;
use std::sync::Arc;

use bareme_engine::service::Rules;
use hyper::Request;
use hyper::header::HeaderName;
use hyper::http::request::Parts;

use crate::accounts::Access;
use crate::accounts::store::Sharing;
use crate::accounts::store::testing::Memory;
use crate::app::shared::Shared;
use crate::wire::address::Proxies;
use crate::wire::clock::Clock;
use crate::wire::net::connection_limit::ConnectionLimit;

/// The head of a request, as a client sends it.
pub(crate) fn request(method: &str, target: &str) -> Parts {
    Request::builder().method(method).uri(target).header("host", "localhost").body(()).unwrap().into_parts().0
}

/// The rules of the repository.
pub(crate) fn rules() -> Rules {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules");
    bareme_engine::Loader::new().without_cases().load_service(&root).rules.unwrap()
}

/// A service without rules, on a store in memory.
pub(crate) fn shared() -> Shared {
    let proxies = Proxies::new(Vec::new(), HeaderName::from_static("x-forwarded-for"), 64);
    Shared::new(Clock::new(None), Arc::new(Access::new(Memory::new(Sharing::Alone))), proxies, ConnectionLimit::new(8))
}
