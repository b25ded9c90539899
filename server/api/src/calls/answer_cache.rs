//! Cache of answers.
//!
//! An answer depends on the rules, the day and the address called. A hash of these three is its
//! `ETag`, so that `If-None-Match` needs no calculation, and its key in the cache. Some queries are
//! frequent (the default of a form, the example of a page), many are never repeated: an answer is
//! cached when it is computed for the second time, so that the others cost the cache nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bareme_accounts::store::corrections::Law;
use hyper::body::Bytes;
use hyper::header::HeaderValue;
use jiff::civil::Date;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sha2::{Digest as _, Sha256};

use crate::wire::reply::etag;

/// Capacity of the cache in bytes. A larger one would hold more answers, but slow down
/// calculations, since the caches of the processor are small.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Size of an entry in bytes, without its answer.
const ENTRY: usize = 64;

/// Size of a law in bytes, with its texts.
const LAW: usize = 96;

/// Size of a usual answer, to allocate the table.
const USUAL_ANSWER: usize = 2048;

/// Number of recent answers remembered as computed once.
const REMEMBERED: usize = 4096;

/// The id of an answer: equal ids mean equal answers, on every node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AnswerId(u128);

impl AnswerId {
    /// The id of the answer of a rule set, on a day, to a path with its query, compressed or not.
    /// It includes the version of the program, which may write the same answer differently.
    pub fn new(rules: &str, day: Date, target: &str, gzip: bool) -> Self {
        let mut digest = Sha256::new();
        let [year, month, date] = [i32::from(day.year()), day.month().into(), day.day().into()];

        // No version contains a line feed: different lists never hash the same bytes.
        for part in [
            env!("CARGO_PKG_VERSION").as_bytes(),
            b"\n",
            rules.as_bytes(),
            b"\n",
        ] {
            digest.update(part);
        }

        digest.update((year * 10_000 + month * 100 + date).to_be_bytes());
        digest.update([u8::from(gzip)]);
        digest.update(target);

        // 128 bits are enough: a collision would take 2^64 different answers.
        Self(
            digest
                .finalize()
                .first_chunk()
                .copied()
                .map(u128::from_be_bytes)
                .unwrap_or_default(),
        )
    }

    /// The `ETag` of the answer.
    pub fn etag(self) -> HeaderValue {
        etag(self.0)
    }
}

/// The text of an answer, with the laws that it applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeAnswer {
    /// JSON, compressed where the caller takes that.
    pub body: Bytes,
    /// None where it is no calculation.
    pub laws: Arc<[Law]>,
}

impl MadeAnswer {
    /// A text that applies no law.
    pub fn of_data(body: Bytes) -> Self {
        Self {
            body,
            laws: Arc::default(),
        }
    }
}

/// The cached answers of one rule set.
#[derive(Debug)]
pub struct AnswerCache {
    answers: Cache<AnswerId, MadeAnswer, ByBytes>,
    /// Ids of answers computed recently and not cached, each at the slot of its last bits.
    once: Box<[AtomicU64]>,
}

#[derive(Debug, Clone)]
struct ByBytes;

impl Weighter<AnswerId, MadeAnswer> for ByBytes {
    fn weight(&self, _: &AnswerId, answer: &MadeAnswer) -> u64 {
        (answer.body.len() + answer.laws.len() * LAW + ENTRY) as u64
    }
}

impl Default for AnswerCache {
    fn default() -> Self {
        let usual = MAX_BYTES as usize / USUAL_ANSWER;
        let once = std::iter::repeat_with(AtomicU64::default)
            .take(REMEMBERED)
            .collect();
        Self {
            answers: Cache::with_weighter(usual, MAX_BYTES, ByBytes),
            once,
        }
    }
}

impl AnswerCache {
    /// The cached answer with this id.
    pub fn find(&self, id: AnswerId) -> Option<MadeAnswer> {
        self.answers.get(&id)
    }

    /// Offers an answer that was just computed: it is cached if it was offered before, not long
    /// ago.
    pub fn offer(&self, id: AnswerId, answer: &MadeAnswer) {
        if self.was_offered(id) {
            self.answers.insert(id, answer.clone());
        }
    }

    fn was_offered(&self, id: AnswerId) -> bool {
        // Two ids may share a slot: the later one wins, and the earlier is computed once more.
        let slot = usize::try_from(id.0 % REMEMBERED as u128).unwrap_or_default();
        // The first half of the id; an unused slot is zero.
        let name = u64::try_from(id.0 >> 64).unwrap_or_default();
        self.once
            .get(slot)
            .is_some_and(|slot| slot.swap(name, Ordering::Relaxed) == name)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    const TODAY: Date = date(2026, 12, 31);

    fn id(target: &str) -> AnswerId {
        AnswerId::new("a", TODAY, target, false)
    }

    #[test]
    fn a_name_is_of_one_rule_set_one_day_and_one_address() {
        let known = id("/ir?revenu=1");
        assert_eq!(known, id("/ir?revenu=1"));
        for other in [
            id("/ir?revenu=2"),
            AnswerId::new("b", TODAY, "/ir?revenu=1", false),
            AnswerId::new("a", TODAY, "/ir?revenu=1", true),
            AnswerId::new("a", date(2027, 1, 1), "/ir?revenu=1", false),
        ] {
            assert_ne!(other, known);
        }
        let etag = known.etag();
        assert!(
            etag.len() == 34 && etag.as_bytes().starts_with(b"\""),
            "{etag:?}"
        );
    }

    #[test]
    fn an_answer_is_kept_from_the_second_time_on() {
        let cache = AnswerCache::default();
        let answer = MadeAnswer::of_data(Bytes::from_static(b"{}"));
        cache.offer(id("/a"), &answer);
        assert_eq!(cache.find(id("/a")), None);
        cache.offer(id("/a"), &answer);
        assert_eq!(cache.find(id("/a")), Some(answer));
        assert_eq!(cache.find(id("/b")), None);
    }

    #[test]
    fn memory_is_bounded() {
        let cache = AnswerCache::default();
        let answer = MadeAnswer::of_data(vec![b' '; 64 * 1024].into());
        for n in 0..200 {
            let id = id(&n.to_string());
            cache.offer(id, &answer);
            cache.offer(id, &answer);
        }
        assert!(cache.answers.weight() <= MAX_BYTES && cache.answers.len() > 10);
    }
}
