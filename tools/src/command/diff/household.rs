//! The households to compare: named by the user, or chosen by the changes.

use bareme_engine::Folder;
use bareme_engine::law::parameter::OF_THE_DAY;
use bareme_engine::run::Edition;
use bareme_engine::text::nearest;
use bareme_show::curve::{Axis, Household};
use bareme_show::say;

use crate::format::{did_you_mean, unique};
use crate::session::{Failure, Session};
use crate::target::query;

use super::Args;

/// A household, with its query for each edition.
#[derive(Debug, Clone, Default)]
pub(super) struct Pair {
    pub before: Household,
    pub after: Household,
    /// Inputs that one edition does not have, left out of its query.
    pub left_out: Vec<LeftOut>,
}

/// An input that an edition does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeftOut {
    pub input: String,
    /// The day of the edition.
    pub day: String,
}

impl Pair {
    /// Name in a table: its parameters, for each edition where they differ.
    pub(super) fn label(&self, usual: &str) -> String {
        let (before, after) = (self.before.label(usual), self.after.label(usual));
        // With an input left out, the labels differ by it only: the longer one has it.
        let differs_by_more = self.left_out.is_empty() && before != after;

        let longer = if before.len() > after.len() {
            &before
        } else {
            &after
        };

        if differs_by_more {
            format!("{before} → {after}")
        } else {
            longer.clone()
        }
    }

    /// The query of each edition, without the inputs that it does not have.
    fn new(queries: [&[(String, String)]; 2], editions: [&Edition; 2]) -> Self {
        let mut left_out = Vec::new();
        let mut query_for = |query: &[(String, String)], edition: &Edition| {
            let (taken, unknown): (Vec<_>, Vec<_>) = query
                .iter()
                .cloned()
                .partition(|(name, _)| takes(edition, name));

            let day = edition
                .scale()
                .map(|scale| scale.date.to_string())
                .unwrap_or_default();
            // An input that one edition does not have is left out of its query rather than refused:
            // a reform may add or remove inputs.
            left_out.extend(unknown.into_iter().map(|(input, _)| LeftOut {
                input,
                day: day.clone(),
            }));

            Household { query: taken }
        };

        let ([before, after], [old, new]) = (queries, editions);
        Self {
            before: query_for(before, old),
            after: query_for(after, new),
            left_out,
        }
    }
}

/// Whether the method of an edition has the input.
fn takes(edition: &Edition, name: &str) -> bool {
    edition
        .method()
        .inputs()
        .iter()
        .any(|input| input.name == name && !input.is_absent)
}

/// The households that the user named.
///
/// # Errors
/// An input that neither edition has, or that the axis or the editions set; households before and
/// after that do not form pairs.
pub(super) fn named(
    args: &Args,
    axis: &Axis,
    folder: &Folder,
    editions: [&Edition; 2],
    session: &Session,
) -> Result<Vec<Pair>, Failure> {
    let read = |texts: &[String]| -> Result<Vec<_>, Failure> {
        let one = |text: &String| {
            let words: Vec<String> = pairs(text);
            // Checked here, where the word can be named: a refusal by each edition would be harder
            // to read.
            let sent = query(&words, session)?;

            sent.iter()
                .try_for_each(|(name, _)| check(name, axis, folder, session))?;
            Ok(sent)
        };
        texts.iter().map(one).collect()
    };
    let (before, after) = (read(&args.household)?, read(&args.household_after)?);

    let lang = session.lang;
    // One list is for both editions; two lists are pairs, in order.
    Ok(match (before.len(), after.len()) {
        (_, 0) => before
            .iter()
            .map(|query| Pair::new([query, query], editions))
            .collect(),
        (0, 1) => after
            .iter()
            .map(|after| Pair::new([&[], after], editions))
            .collect(),
        (count, others) if count == others => before
            .iter()
            .zip(&after)
            .map(|(before, after)| Pair::new([before, after], editions))
            .collect(),
        (count, others) => {
            return Err(Failure::unusable(say!(
                lang,
                "{count} `--household` et {others} `--household-after` : un même nombre est \
                 attendu, l’un pour l’autre.",
                "{count} `--household` and {others} `--household-after`: as many of both are \
                 expected, one for the other."
            )));
        }
    })
}

/// The words of a household; a value may contain spaces, as `revenu=30 000`.
fn pairs(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    // A word without an equals sign continues the value before it.
    for word in text.split_whitespace() {
        match words.last_mut() {
            Some(last) if !word.contains('=') => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

fn check(name: &str, axis: &Axis, folder: &Folder, session: &Session) -> Result<(), Failure> {
    let lang = session.lang;
    // The income and the day are what varies.
    if name == axis.input || OF_THE_DAY.contains(&name) {
        return Err(Failure::unusable(say!(
            lang,
            "`{name}` varie de lui-même : la plage (`--range`) et les dates de la commande le \
             donnent.",
            "`{name}` varies by itself: the range (`--range`) and the dates of the command give it."
        )));
    }

    let inputs = folder.inputs();
    let names = || inputs.iter().map(|input| input.name.as_str());
    if names().any(|input| input == name) {
        return Ok(());
    }

    let near = did_you_mean(nearest(name, names()), lang);
    let (near, names) = (
        near.unwrap_or_else(|| ".".to_owned()),
        names().collect::<Vec<_>>().join(", "),
    );

    Err(Failure::unusable(say!(
        lang,
        "`{name}` n’est pas une donnée de ce barème{near} Données : {names}.",
        "`{name}` is no input of this scale{near} Inputs: {names}."
    )))
}

/// The households to try where none is named: the defaults, those with one other input, and those
/// of the worked cases, which together read every figure.
pub(super) fn candidates(axis: &Axis, folder: &Folder, editions: [&Edition; 2]) -> Vec<Pair> {
    let inputs = folder.inputs();
    let typical = editions
        .into_iter()
        .flat_map(|edition| Household::typical(edition.method(), axis));

    let of_case = |query: &Vec<(String, String)>| {
        let is_input =
            |name: &str| name != axis.input && inputs.iter().any(|input| input.name == name);
        query
            .iter()
            .filter(|(name, _)| is_input(name))
            .cloned()
            .collect()
    };

    // A query of a year of pays does not fit a single month.
    let cases = folder
        .cases()
        .iter()
        .filter(|case| !case.is_year)
        .map(|case| Household {
            query: of_case(&case.query),
        });

    let queries: Vec<Vec<(String, String)>> =
        unique(typical.chain(cases).map(|household| household.query));
    queries
        .iter()
        .map(|query| Pair::new([query, query], editions))
        .collect()
}
