//! The signature of an event: `Stripe-Signature: t=<seconds>,v1=<hex>,…`, an HMAC-SHA256 of
//! `<t>.<body>`.

use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use sha2::Sha256;

use crate::key::Digest;

/// Greatest age of an event, in seconds, in either direction: an older one may be a replay.
// The provider signs each attempt with its own time: an honest event that is sent again is fresh.
const TOLERANCE: i64 = 300;

/// The secrets that events may be signed with: two during a rotation.
pub struct Secrets(Vec<String>);

/// Why the signature of an event is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Forgery {
    /// Missing or malformed signature.
    #[error("no signature `t=…,v1=…` in Stripe-Signature")]
    Unsigned,
    /// Signed too long ago, or in the future.
    #[error("the signature is more than five minutes away from the clock of the service")]
    Stale,
    /// Signed with another secret, or modified.
    #[error("the signature is not that of this body with the secret of the service")]
    Wrong,
}

impl Secrets {
    /// Parses secrets separated by white space or commas; `None` if there are none.
    pub fn read(text: &str) -> Option<Self> {
        let separated = text.split(|character: char| character.is_whitespace() || character == ',');
        let secrets: Vec<String> = separated
            .filter(|secret| !secret.is_empty())
            .map(str::to_owned)
            .collect();
        (!secrets.is_empty()).then_some(Self(secrets))
    }

    /// Parses the header of a signature: its moment and its digests. It does not need the body, so
    /// that most forged events are refused before their body is read.
    pub fn read_head(field: &str, now: Timestamp) -> Result<(&str, Vec<[u8; 32]>), Forgery> {
        let values = |name: &'static str| {
            field.split(',').filter_map(move |part| {
                part.trim()
                    .split_once('=')
                    .filter(|(known, _)| *known == name)
            })
        };

        let (_, time) = values("t").next().ok_or(Forgery::Unsigned)?;
        let seconds: i64 = time.parse().map_err(|_| Forgery::Unsigned)?;

        // Several digests come during a rotation of the secret; other schemes than `v1` are
        // ignored, as the provider asks.
        let digests: Vec<[u8; 32]> = values("v1")
            .filter_map(|(_, hex)| Some(Digest::from_hex(hex)?.0))
            .collect();
        if digests.is_empty() {
            return Err(Forgery::Unsigned);
        }

        // Saturating, because the field is what anybody may send.
        if now.as_second().saturating_sub(seconds).saturating_abs() > TOLERANCE {
            return Err(Forgery::Stale);
        }
        Ok((time, digests))
    }

    /// Checks that a body was recently signed with one of the secrets.
    pub fn check(&self, field: &str, body: &[u8], now: Timestamp) -> Result<(), Forgery> {
        let (time, digests) = Self::read_head(field, now)?;

        let signed = |secret: &String| {
            // Never fails: HMAC takes keys of any length.
            let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok();
            // The time is signed as the text that was sent: written again, `01` would become `1`.
            let mac = mac.map(|mac| mac.chain_update(time).chain_update(b".").chain_update(body));
            // Compared in constant time.
            mac.is_some_and(|mac| {
                digests
                    .iter()
                    .any(|digest| mac.clone().verify(digest.into()).is_ok())
            })
        };

        // Each secret is tried: during a rotation both are valid.
        if self.0.iter().any(signed) {
            Ok(())
        } else {
            Err(Forgery::Wrong)
        }
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Secrets(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Computed with `openssl dgst -sha256 -hmac whsec_test`.
    const BODY: &[u8] = br#"{"id":"evt_1"}"#;
    const SIGNED: &str = "45705be2a45ab5acdd1395cc695e9e7073125385ec24194921c401dff44176f8";

    fn check(secrets: &str, field: &str, body: &[u8], now: i64) -> Result<(), Forgery> {
        Secrets::read(secrets)
            .unwrap()
            .check(field, body, Timestamp::from_second(now).unwrap())
    }

    #[test]
    fn what_was_signed_with_the_secret_is_believed_for_five_minutes() {
        let field = format!("t=1800000000,v1={SIGNED}");
        for now in [1_799_999_700, 1_800_000_000, 1_800_000_300] {
            assert_eq!(check("whsec_test", &field, BODY, now), Ok(()));
        }
        for now in [1_799_999_699, 1_800_000_301] {
            assert_eq!(check("whsec_test", &field, BODY, now), Err(Forgery::Stale));
        }
        let both = format!("t=1800000000,v1={},v0=00,v1={SIGNED}", "0".repeat(64));
        assert_eq!(
            check("whsec_old\nwhsec_test\n", &both, BODY, 1_800_000_000),
            Ok(())
        );
    }

    #[test]
    fn anything_else_is_not() {
        let field = format!("t=1800000000,v1={SIGNED}");
        assert_eq!(
            check("whsec_other", &field, BODY, 1_800_000_000),
            Err(Forgery::Wrong)
        );
        assert_eq!(
            check("whsec_test", &field, b"{}", 1_800_000_000),
            Err(Forgery::Wrong)
        );
        let later = field.replace("1800000000", "1800000001");
        assert_eq!(
            check("whsec_test", &later, BODY, 1_800_000_000),
            Err(Forgery::Wrong)
        );
        for unsigned in [
            "",
            "t=1800000000",
            &format!("v1={SIGNED}"),
            "t=x,v1=00",
            "t=1800000000,v1=zz",
            "t=1800000000,v1=é",
        ] {
            assert_eq!(
                check("whsec_test", unsigned, BODY, 1_800_000_000),
                Err(Forgery::Unsigned),
                "{unsigned}"
            );
        }
        assert!(Secrets::read(" \n,").is_none());
        assert_eq!(
            format!("{:?}", Secrets::read("whsec_test")),
            "Some(Secrets(…))"
        );
    }
}
