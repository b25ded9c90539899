//! Helpers of the unit tests.

use std::path::Path;

use bareme_engine::service::Rules;

/// The rules of the repository.
pub(crate) fn rules() -> Rules {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules");
    bareme_engine::Loader::new()
        .without_cases()
        .load_service(&root)
        .rules
        .unwrap()
}
