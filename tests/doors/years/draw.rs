//! Random years of pays.

use bareme_engine::law::{Input, Presence};
use bareme_engine::run::Edition;
use harness::Random;

use super::{YearQuestion, answer};
use crate::oracle::{Member, Oracle, Target};
use crate::values;

/// Draws of a year until one is accepted.
const ATTEMPTS: usize = 60;

/// Years of a folder; one in four has a value that is refused.
pub(super) fn draw<'r>(
    oracle: &'r Oracle,
    target: Target<'r>,
    member: Member<'r>,
    count: usize,
    mut random: Random,
) -> Vec<YearQuestion> {
    let question = |index| {
        let mut question = attempt(target, member, index, &mut random);
        for _ in 0..ATTEMPTS {
            if !answer(oracle, target, &question).is_refused() {
                break;
            }
            question = attempt(target, member, index, &mut random);
        }
        if random.percent(25) {
            spoil(&mut question, &mut random);
        }
        question
    };
    (0..count).map(question).collect()
}

fn attempt(target: Target, member: Member, index: usize, random: &mut Random) -> YearQuestion {
    let folder = member.folder;
    let block = folder.year_block().unwrap();
    let years: Vec<i16> = folder
        .editions()
        .iter()
        .filter_map(Edition::scale)
        .map(|scale| scale.date.year())
        .collect();
    let year = years[random.below(years.len())].max(2023);
    let first = 1 + random.below(12);
    let count = 1 + random.below(13 - first);
    let end = format!("{year}-12-31").parse().unwrap();
    let inputs = folder
        .edition(end)
        .map(|edition| edition.method().inputs())
        .unwrap_or_default();

    let (mut whole, mut monthly) = (Vec::new(), Vec::new());
    let rank = block
        .rank()
        .and_then(|rank| rank.of(inputs))
        .map(|input| input.name.as_str());
    let is_of_year = |input: &&Input| {
        !input.is_absent && !block.is_excluded_in_year(&input.name) && rank != Some(&input.name)
    };
    for (place, input) in inputs.iter().filter(is_of_year).enumerate() {
        let is_required = matches!(input.presence, Presence::Required);
        let is_next = place == index % inputs.len();
        if !is_required && !is_next && !random.percent(6) {
            continue;
        }
        let mut value = || values::accepted(input, folder, random);
        if block.varies(&input.name) && count > 1 {
            monthly.push((input.name.clone(), (0..count).map(|_| value()).collect()));
        } else {
            whole.push((input.name.clone(), value()));
        }
    }
    let selected = target
        .by
        .zip(member.word)
        .map(|(by, word)| (by.to_owned(), word.to_owned()));
    let leaves = random.percent(30);
    YearQuestion {
        index,
        selected,
        year: year.to_string(),
        first,
        count,
        whole,
        monthly,
        leaves,
    }
}

/// Makes one value of a year wrong.
fn spoil(question: &mut YearQuestion, random: &mut Random) {
    let place = random.below(question.count);
    match question.monthly.first_mut() {
        Some((_, values)) if random.percent(60) => "abc".clone_into(&mut values[place]),
        _ => question.whole.push(("inconnu".to_owned(), "1".to_owned())),
    }
}
