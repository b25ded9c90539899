//! Conversion of the errors of accounts to problems of HTTP.

use bareme_accounts::Denial;
use bareme_accounts::allowance::{ADDRESS_POLICY, KEY_POLICY, POLICY};
use bareme_accounts::store::Unavailable;

use super::{Problem, kinds};

impl From<Denial> for Problem {
    fn from(denial: Denial) -> Self {
        match denial {
            Denial::Key => Self::plain(&kinds::KEY),
            Denial::OtherVariant => Self::plain(&kinds::OTHER_VARIANT),
            Denial::Page(denial) => Self::of_page(&denial),
            Denial::KeyExhausted(few) => Self::exhausted(KEY_POLICY, few),
            Denial::Exhausted(few) => Self::exhausted(POLICY, few),
            Denial::AddressExhausted(few) => Self::exhausted(ADDRESS_POLICY, few),
            Denial::TooManyKeys { midnight } => Self::until(&kinds::TOO_MANY_KEYS, midnight),
            Denial::Form => Self::plain(&kinds::FORM_USED),
            Denial::Link => Self::plain(&kinds::CONFIRMATION),
            Denial::Overloaded => Self::plain(&kinds::OVERLOADED),
            Denial::NoPlan => Self::plain(&kinds::INTERNAL),
            Denial::Unavailable(unavailable) => unavailable.into(),
        }
    }
}

impl From<Unavailable> for Problem {
    fn from(unavailable: Unavailable) -> Self {
        tracing::debug!(%unavailable, "refused: the store is unavailable");
        Self::plain(&kinds::STORE_UNAVAILABLE)
    }
}
