//! The list of all keys in JSON: written by `keys export`, read by `keys reconcile`.

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::key::Digest;
use crate::publishable::{Origin, Publication};
use crate::store::{Delivery, Record};

/// Name and version of the format of the list.
const FORMAT: &str = "bareme-keys/1";

/// The list of these keys, taken at this moment.
pub fn list(records: &[Record], taken: Timestamp) -> Vec<u8> {
    let head = json!({"format": FORMAT, "taken": taken.to_string()}).to_string();
    // The keys are appended as bytes, one a line, so that two lists can be compared line by line.
    let head = head.strip_suffix('}').unwrap_or(&head);
    [head.as_bytes(), b",\"keys\":", &keys(records), b"}\n"].concat()
}

/// The keys without the moment: the bytes change only if a key does.
pub fn keys(records: &[Record]) -> Vec<u8> {
    let mut text = b"[".to_vec();
    for (rank, record) in records.iter().enumerate() {
        text.extend_from_slice(if rank == 0 { b"\n" } else { b",\n" });
        text.extend_from_slice(write(record).to_string().as_bytes());
    }
    text.extend_from_slice(b"\n]");
    text
}

fn write(record: &Record) -> Value {
    let moment = |moment: Option<Timestamp>| moment.map(|moment| moment.to_string());

    let digest: String = record
        .digest
        .0
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();

    json!({
        "id": record.id.to_string(),
        "account": record.account.to_string(),
        "digest": digest,
        "last_four": record.last_four,
        "variant": record.variant,
        "plan": record.plan,
        "email": record.email,
        "created": record.created.to_string(),
        "expires": moment(record.expires),
        "revoked": moment(record.revoked),
        "subscription": record.subscription,
        "renews": record.renews,
        "noticed": record.noticed,
        "delivery": record.delivery.name(),
        "attempts": record.attempts,
        "attempt_at": moment(record.attempt_at),
        "publication": record.publication.as_ref().map(write_publication),
    })
}

fn write_publication(publication: &Publication) -> Value {
    let origins: Vec<&str> = publication.origins.iter().map(Origin::as_str).collect();
    json!({
        "label": publication.label,
        "origins": origins,
        "calls_per_day": publication.calls_per_day,
    })
}

/// Parses a list: its moment and its keys.
///
/// # Errors
/// The mistake in it.
pub(super) fn read_list(text: &[u8]) -> Result<(Timestamp, Vec<Record>), String> {
    let list: Value =
        serde_json::from_slice(text).map_err(|error| format!("it is no list of keys: {error}"))?;
    let member = |name: &str| list.get(name);

    // Checked first: another version may have the same members with another meaning.
    if member("format").and_then(Value::as_str) != Some(FORMAT) {
        return Err(format!(
            "it is no list of keys: its `format` is not `{FORMAT}`"
        ));
    }

    let taken = member("taken")
        .and_then(Value::as_str)
        .and_then(|text| text.parse().ok());
    let taken = taken.ok_or("its `taken` is no moment")?;

    let keys = member("keys")
        .and_then(Value::as_array)
        .ok_or("its `keys` are no list")?;

    let record = |(rank, key): (usize, &Value)| {
        // A list with one unreadable key is refused as a whole: a key that is missing here would be
        // removed from the store.
        let members = key
            .as_object()
            .ok_or_else(|| format!("its key {} is no object", rank + 1))?;
        read(members).ok_or_else(|| format!("its key {} cannot be read", rank + 1))
    };
    Ok((
        taken,
        keys.iter()
            .enumerate()
            .map(record)
            .collect::<Result<_, _>>()?,
    ))
}

fn read(members: &Map<String, Value>) -> Option<Record> {
    let text = |name: &str| members.get(name)?.as_str().map(str::to_owned);
    let moment = |name: &str| match members.get(name)? {
        Value::Null => Some(None),
        value => value.as_str()?.parse::<Timestamp>().ok().map(Some),
    };
    let id = |name: &str| Uuid::parse_str(members.get(name)?.as_str()?).ok();

    Some(Record {
        id: id("id")?,
        account: id("account")?,
        digest: Digest::from_hex(&text("digest")?)?,
        last_four: text("last_four")?,
        variant: text("variant")?,
        plan: text("plan")?,
        email: text("email")?,
        created: moment("created")??,
        expires: moment("expires")?,
        revoked: moment("revoked")?,
        subscription: match members.get("subscription")? {
            Value::Null => None,
            value => Some(value.as_str()?.to_owned()),
        },
        renews: members.get("renews")?.as_bool()?,
        noticed: match members.get("noticed")? {
            Value::Null => None,
            value => Some(u16::try_from(value.as_u64()?).ok()?),
        },
        delivery: Delivery::find(&text("delivery")?)?,
        attempts: u32::try_from(members.get("attempts")?.as_u64()?).ok()?,
        attempt_at: moment("attempt_at")?,
        // A list of a program before publishable keys has none.
        publication: match members.get("publication") {
            None | Some(Value::Null) => None,
            Some(value) => Some(read_publication(value)?),
        },
    })
}

fn read_publication(value: &Value) -> Option<Publication> {
    let origins = value.get("origins")?.as_array()?.iter();
    let origin = |origin: &Value| Origin::parse(origin.as_str()?).ok();
    Some(Publication {
        label: value.get("label")?.as_str()?.to_owned(),
        origins: origins.map(origin).collect::<Option<_>>()?,
        calls_per_day: match value.get("calls_per_day")? {
            Value::Null => None,
            value => Some(value.as_u64()?),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publishable::Draft;
    use crate::store::testing::record;

    #[test]
    fn a_list_of_before_publishable_keys_is_read() {
        let text = String::from_utf8(list(&[record()], Timestamp::UNIX_EPOCH)).unwrap();
        let before = text.replace(",\"publication\":null", "");
        assert_ne!(before, text);
        assert_eq!(
            read_list(before.as_bytes()).unwrap(),
            read_list(text.as_bytes()).unwrap()
        );
    }

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let full = Record {
            expires: Some(Timestamp::from_second(1_900_000_000).unwrap()),
            revoked: Some(Timestamp::from_second(1_800_000_000).unwrap()),
            subscription: Some("sub_\"1".to_owned()),
            renews: true,
            noticed: Some(30),
            delivery: Delivery::Sending,
            attempts: 2,
            attempt_at: Some(Timestamp::from_second(1_800_000_500).unwrap()),
            publication: Draft {
                label: "Boutique",
                origins: vec!["https://a.example", "http://localhost:8080"],
                calls_per_day: "500",
            }
            .read()
            .ok(),
            ..record()
        };
        let taken = Timestamp::from_second(1_850_000_000).unwrap();
        for records in [vec![], vec![record(), full]] {
            assert_eq!(read_list(&list(&records, taken)).unwrap(), (taken, records));
        }
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let good = String::from_utf8(list(&[record()], Timestamp::UNIX_EPOCH)).unwrap();
        for (text, reason) in [
            ("", "it is no list of keys"),
            ("[]", "it is no list of keys: its `format`"),
            (
                &good.replace("keys/1", "keys/2"),
                "it is no list of keys: its `format`",
            ),
            (
                &good.replace("\"taken\":\"1970", "\"taken\":\"x"),
                "its `taken`",
            ),
            (
                &good.replace("\"digest\":\"", "\"digest\":\"g"),
                "its key 1 cannot be read",
            ),
            (
                &good.replace("\"noticed\":null", "\"noticed\":-1"),
                "its key 1 cannot be read",
            ),
            (
                &good.replace(
                    "\"publication\":null",
                    "\"publication\":{\"label\":\"\",\"origins\":[\"*\"],\"calls_per_day\":null}",
                ),
                "its key 1 cannot be read",
            ),
            (
                &good.replace("\"renews\":false,", ""),
                "its key 1 cannot be read",
            ),
        ] {
            let refused = read_list(text.as_bytes()).unwrap_err();
            assert!(refused.starts_with(reason), "{refused}");
        }
    }
}
