//! Helpers of the unit tests.

use std::path::Path;

use bareme_engine::service::Rules;
use hyper::Request;
use hyper::http::request::Parts;

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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules");
    bareme_engine::Loader::new()
        .without_cases()
        .load_service(&root)
        .rules
        .unwrap()
}
