//! Answers that were given lately.
//!
//! An answer follows from the rules, the question and the day, so the same question has the same
//! answer, to the byte, as long as the rule set is in force. Many ask the same: the default of a form,
//! the example of a page. What was asked lately is not computed again.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::civil::Date;

use crate::http::reply::Content;

/// Parts with a lock of their own, so that requests seldom wait for each other.
const PARTS: usize = 16;

/// Bytes of questions and answers in a generation of a part: four mebibytes in all. More would hold more
/// answers, and slow down those that have to be computed: memory that is near is small.
const ROOM: usize = 128 * 1024;

/// The answers, by question.
#[derive(Debug, Default)]
pub struct AnswerCache {
    hasher: RandomState,
    parts: [Mutex<Part>; PARTS],
}

/// Two generations: what is asked again moves to the young one, and when that is full it becomes the
/// old one, whose last answers nobody asked for any more.
#[derive(Debug, Default)]
struct Part {
    day: Date,
    young: HashMap<Box<str>, Content>,
    bytes: usize,
    old: HashMap<Box<str>, Content>,
}

impl AnswerCache {
    /// The answer to this question on this day, if it was given lately.
    pub fn find(&self, day: Date, question: &str) -> Option<Content> {
        self.part(question)?.find(day, question)
    }

    /// Keeps an answer that was just given.
    pub fn keep(&self, day: Date, question: &str, answer: &Content) {
        if let Some(mut part) = self.part(question) {
            part.keep(day, question.into(), answer.clone());
        }
    }

    fn part(&self, question: &str) -> Option<MutexGuard<'_, Part>> {
        let index = usize::try_from(self.hasher.hash_one(question) % PARTS as u64).ok()?;
        Some(self.parts.get(index)?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Part {
    fn find(&mut self, day: Date, question: &str) -> Option<Content> {
        if day != self.day {
            return None;
        }
        if let Some(answer) = self.young.get(question) {
            return Some(answer.clone());
        }
        let (question, answer) = self.old.remove_entry(question)?;
        self.keep(day, question, answer.clone());
        Some(answer)
    }

    fn keep(&mut self, day: Date, question: Box<str>, answer: Content) {
        if day != self.day {
            *self = Self { day, ..Self::default() };
        }
        let bytes = question.len() + answer.body.len();
        if self.bytes + bytes > ROOM {
            self.old = mem::take(&mut self.young);
            self.bytes = 0;
        }
        if bytes <= ROOM && self.young.insert(question, answer).is_none() {
            self.bytes += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    const TODAY: Date = date(2026, 12, 31);

    fn answer(bytes: usize) -> Content {
        Content::json(vec![b' '; bytes])
    }

    #[test]
    fn an_answer_is_found_the_same_day() {
        let cache = AnswerCache::default();
        assert!(cache.find(TODAY, "/a?b=1").is_none());
        cache.keep(TODAY, "/a?b=1", &answer(3));
        assert_eq!(cache.find(TODAY, "/a?b=1").unwrap().etag, answer(3).etag);
        assert!(cache.find(TODAY, "/a?b=2").is_none());
        assert!(cache.find(date(2027, 1, 1), "/a?b=1").is_none());
        cache.keep(date(2027, 1, 1), "/a?b=2", &answer(3));
    }

    #[test]
    fn what_is_asked_again_stays_and_the_rest_goes() {
        let mut part = Part { day: TODAY, ..Part::default() };
        part.keep(TODAY, "often".into(), answer(10));
        part.keep(TODAY, "once".into(), answer(10));
        for n in 0..100 {
            part.keep(TODAY, format!("another {n}").into(), answer(ROOM / 8));
            assert!(part.find(TODAY, "often").is_some(), "after {n}");
            assert!(part.bytes <= ROOM && part.young.len() <= 9 && part.old.len() <= 9);
        }
        assert!(part.find(TODAY, "once").is_none());
    }

    #[test]
    fn what_is_larger_than_the_room_is_not_kept() {
        let mut part = Part { day: TODAY, ..Part::default() };
        part.keep(TODAY, "large".into(), answer(ROOM));
        assert!(part.find(TODAY, "large").is_none() && part.bytes == 0);
    }
}
