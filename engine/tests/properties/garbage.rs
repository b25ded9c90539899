//! Whatever is asked, the engine answers or refuses; it never panics. Whatever is written:
//! `tests/fuzz`.

use bareme_engine::Folder;
use jiff::civil::{Date, date};
use proptest::prelude::*;

use crate::{common, draws};

const ANY_DAY: Date = date(2026, 6, 30);

fn folder(which: usize) -> &'static Folder {
    let folders: Vec<&Folder> = common::rules().folders().collect();
    folders[which % folders.len()]
}

/// Values near what inputs accept, and far from it.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[0-9]{0,30}(\\.[0-9]{0,30})?",
        "-?[0-9.,eE+ ]{0,12}",
        Just("999999999999.99".to_owned()),
        Just("0.0000000000000000000000000001".to_owned()),
        Just("79228162514264337593543950335".to_owned()),
        Just("true".to_owned()),
        "[a-zà-ÿ' _-]{0,12}",
        (1..=9999_u16, 0..=13_u8, 0..=32_u8)
            .prop_map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}")),
    ]
}

proptest! {
    #![proptest_config(draws(4000))]

    #[test]
    fn any_query_is_answered_or_refused(which in any::<usize>(), names in prop::collection::vec(any::<(u8, bool)>(), 0..12), values in prop::collection::vec(value(), 12), strange in any::<String>()) {
        let folder = folder(which);
        let inputs = folder.inputs();
        let extra = ["date", "annee", "detail", "net", strange.as_str()];
        let known: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).chain(extra).collect();
        let named = names.iter().zip(values).map(|((name, _), value)| (known[usize::from(*name) % known.len()].to_owned(), value));
        let query: Vec<(String, String)> = named.collect();
        match folder.calculate(&(&query).into(), ANY_DAY) {
            Ok(calculation) => {
                prop_assert!(serde_json::from_str::<serde_json::Value>(&calculation.to_json()).is_ok(), "{query:?}");
            }
            Err(error) => {
                let refusal = error.refusal();
                prop_assert!(refusal.is_some_and(|refusal| !refusal.parameters.is_empty()), "{query:?}: {error}");
            }
        }
    }
}
