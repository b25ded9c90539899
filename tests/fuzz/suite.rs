//! Some inputs of each target. `BAREME_FUZZ_SECONDS=600` sets the seconds, `BAREME_FUZZ_SEED=7` the
//! seed of the mutations; `tests/fuzz/run` is guided by coverage.

#![cfg(test)]

use std::collections::BTreeSet;
use std::path::Path;

/// A test for each target, named after it.
macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            fuzz::run_mutations(fuzz::target(stringify!($name)));
        })*

        #[test]
        fn every_target_has_its_test_and_its_corpus() {
            let tested = BTreeSet::from([$(stringify!($name).to_owned()),*]);
            let named: BTreeSet<String> = fuzz::TARGETS.iter().map(|target| target.name.to_owned()).collect();
            assert_eq!(tested, named);
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
            let kept = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
            let kept: BTreeSet<String> = kept.map(|name| name.into_string().unwrap()).collect();
            assert_eq!(kept, named);
        }
    };
}

targets! { query head event batch_body batch_file tables method scale cases service formula }
