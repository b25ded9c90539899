//! Random questions: a day, then inputs that are accepted together, and of some questions one thing
//! that is wrong.

use std::collections::BTreeSet;

use bareme_engine::Folder;
use bareme_engine::jiff::ToSpan as _;
use bareme_engine::jiff::civil::Date;
use bareme_engine::law::{Input, Method, Presence, Type};
use bareme_engine::run::Edition;
use harness::Random;

use crate::oracle::{Member, Oracle, Pairs, TODAY, Target, today};
use crate::values;

/// Draws of a right question until one is accepted.
const ATTEMPTS: usize = 80;

/// Attempts after which as little as possible differs from a worked case.
const FREE_ATTEMPTS: usize = 40;

/// A question.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// Its rank among the questions of its target.
    pub index: usize,
    /// The folder that it is about.
    pub folder: String,
    /// The word that selects it, and the parameter that says it.
    pub selected: Option<(String, String)>,
    /// The parameters, the selecting one first, without `champs`.
    pub pairs: Pairs,
    /// A parameter that it would have and does not: a table has a column for it.
    pub missing: Option<String>,
    /// The value of `champs`.
    pub fields: Option<String>,
    pub kind: Kind,
}

/// What is wrong with a question: some doors cannot be asked so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Right,
    /// A value that its input refuses.
    Value,
    /// A decimal comma, which doors where people type read.
    Comma,
    /// A parameter that does not exist.
    Unknown,
    Repeated,
    Missing,
    /// A field that no answer has.
    Fields,
    Day,
}

impl Question {
    /// All its parameters, as a query sends them.
    pub(crate) fn query(&self) -> Pairs {
        let fields = self
            .fields
            .iter()
            .map(|fields| ("champs".to_owned(), fields.clone()));
        self.pairs.iter().cloned().chain(fields).collect()
    }

    /// Its parameters without the one that selects the folder, which an address may do.
    pub(crate) fn unselected(&self) -> Pairs {
        let by = self.selected.as_ref().map(|(by, _)| by.as_str());
        self.query()
            .into_iter()
            .filter(|(name, _)| Some(name.as_str()) != by)
            .collect()
    }
}

/// Draws the questions of a target.
pub(crate) struct Draw<'r> {
    pub oracle: &'r Oracle,
    pub target: Target<'r>,
    pub random: Random,
    /// The inputs of each folder that some accepted question sent, and those that none did.
    pub accepted: BTreeSet<(String, String)>,
    /// Fields that the questions of this target ask for that ask for some.
    pub fields: String,
}

impl<'r> Draw<'r> {
    pub(crate) fn new(oracle: &'r Oracle, target: Target<'r>, mut random: Random) -> Self {
        let fields = fields(&oracle.members(target), &mut random);
        Self {
            oracle,
            target,
            random,
            accepted: BTreeSet::new(),
            fields,
        }
    }

    /// Questions about a folder, of which `index` says the input that the question must send.
    pub(crate) fn question(&mut self, member: Member<'r>, index: usize) -> Question {
        let selected = self.target.by.zip(member.word);
        let selected = selected.map(|(by, word)| (by.to_owned(), word.to_owned()));
        let pairs = self.right(member, index);
        let mut question = Question {
            index,
            folder: member.folder.path().to_owned(),
            selected: selected.clone(),
            pairs: selected.into_iter().chain(pairs).collect(),
            missing: None,
            fields: self.random.percent(15).then(|| self.fields.clone()),
            kind: Kind::Right,
        };
        if self.random.percent(35) {
            self.spoil(&mut question, member.folder);
        }
        question
    }

    /// Parameters that are accepted together, as far as some are found.
    fn right(&mut self, member: Member<'r>, index: usize) -> Pairs {
        let inputs: Vec<String> = member
            .folder
            .accepted_inputs()
            .iter()
            .map(|input| input.name.clone())
            .collect();
        // A folder of figures alone is asked for a day.
        if inputs.is_empty() {
            return self.day(member.folder).1.into_iter().collect();
        }
        let forced = &inputs[index % inputs.len()];
        let by = self.target.by.zip(member.word);
        let mut pairs = Pairs::new();
        for attempt in 0..ATTEMPTS {
            let Some(drawn) = self.attempt(member.folder, forced, attempt) else {
                continue;
            };
            pairs = drawn;
            let selected = by.map(|(by, word)| (by.to_owned(), word.to_owned()));
            let all: Pairs = selected.into_iter().chain(pairs.iter().cloned()).collect();
            if self.oracle.accepts(self.target, &all) {
                let path = member.folder.path();
                self.accepted.extend(
                    pairs
                        .iter()
                        .map(|(name, _)| (path.to_owned(), name.clone())),
                );
                break;
            }
        }
        pairs
    }

    /// Parameters of a day on which an input is known, with that input.
    fn attempt(&mut self, folder: &'r Folder, forced: &str, attempt: usize) -> Option<Pairs> {
        let is_near = attempt >= FREE_ATTEMPTS;
        let (day, mut pairs) = self.base(folder, forced, is_near);
        let method = folder.edition(day)?.method();
        let find = |name: &str| {
            method
                .accepted_inputs()
                .find(|input| input.name == name && !input.is_absent)
        };
        let is_of_day = |name: &str| name == "date" || name == "annee";
        pairs.retain(|(name, _)| is_of_day(name) || find(name).is_some());

        for (name, value) in &mut pairs {
            let is_drawn = !is_near && self.random.percent(35);
            if let Some(input) = find(name).filter(|_| is_drawn) {
                *value = values::accepted(input, folder, &mut self.random);
            }
        }
        let more = if is_near { 0 } else { self.random.below(3) };
        let known: Vec<&Input> = method
            .accepted_inputs()
            .filter(|input| !input.is_absent)
            .collect();
        for _ in 0..more {
            let input = known[self.random.below(known.len())];
            self.set(input, (method, folder), &mut pairs);
        }
        self.set(find(forced)?, (method, folder), &mut pairs);
        Some(pairs)
    }

    /// A day, with the parameters of a worked case or with those that are required.
    fn base(&mut self, folder: &'r Folder, forced: &str, is_near: bool) -> (Date, Pairs) {
        let cases: Vec<_> = folder.answered_cases().collect();
        let with_it: Vec<_> = cases
            .iter()
            .filter(|case| case.query.iter().any(|(name, _)| name == forced))
            .collect();
        let case = match self.random.below(10) {
            0..=4 if !with_it.is_empty() => Some(*with_it[self.random.below(with_it.len())]),
            0..=7 if !cases.is_empty() => Some(cases[self.random.below(cases.len())]),
            _ => None,
        };
        let pairs = |keeps_day: bool| {
            let of_case = case
                .map(|case| case.query.clone())
                .unwrap_or_default()
                .into_iter();
            of_case
                .filter(|(name, _)| keeps_day || (name != "date" && name != "annee"))
                .collect::<Pairs>()
        };
        if let Some(case) = case.filter(|_| is_near || self.random.percent(50)) {
            return (case.date().unwrap_or(today()), pairs(true));
        }

        let (day, said) = self.day(folder);
        let mut pairs = pairs(false);
        if let (true, Some(edition)) = (case.is_none(), folder.edition(day)) {
            for input in edition.method().inputs() {
                let is_sent =
                    matches!(input.presence, Presence::Required) || self.random.percent(20);
                if is_sent && !input.is_absent {
                    pairs.push((
                        input.name.clone(),
                        values::accepted(input, folder, &mut self.random),
                    ));
                }
            }
        }
        pairs.extend(said);
        (day, pairs)
    }

    /// A day of a scale, with the parameter that says it; of some questions, one that no scale was
    /// checked for.
    fn day(&mut self, folder: &Folder) -> (Date, Option<(String, String)>) {
        let starts: Vec<Date> = folder
            .editions()
            .iter()
            .filter_map(Edition::scale)
            .map(|scale| scale.date)
            .collect();
        if starts.is_empty() {
            return (today(), None);
        }
        let start = starts[self.random.below(starts.len())];
        let later = |days: usize, day: Date| day.saturating_add((days as i64).days());
        let date = |day: Date| (day, Some(("date".to_owned(), day.to_string())));
        match self.random.below(10) {
            0 | 1 => (today(), None),
            2 if start.year() < 2027 => {
                let year = start.year() + 1;
                (
                    Date::new(year, 1, 1).unwrap(),
                    Some(("annee".to_owned(), year.to_string())),
                )
            }
            3 => {
                let drafted = folder.drafts().first().map(|draft| draft.date);
                date(later(self.random.below(400), drafted.unwrap_or(today())))
            }
            _ => date(later(self.random.below(200), start)),
        }
    }

    /// Sends an input, in place of those that it excludes.
    fn set(&mut self, input: &Input, (method, folder): (&Method, &Folder), pairs: &mut Pairs) {
        let value = values::accepted(input, folder, &mut self.random);
        for inverse in method.inverses() {
            let replaced = &inverse.input.of(method.inputs()).unwrap().name;
            let is_it = input.name == inverse.parameter.name;
            if is_it {
                pairs.retain(|(name, _)| name != replaced);
            }
            if is_it
                || input.name == *replaced
                || method
                    .inverses()
                    .iter()
                    .any(|other| other.parameter.name == input.name)
            {
                pairs.retain(|(name, _)| *name != inverse.parameter.name);
            }
        }
        pairs.retain(|(name, _)| *name != input.name);
        pairs.push((input.name.clone(), value));
    }

    /// Makes one thing of a question wrong.
    fn spoil(&mut self, question: &mut Question, folder: &Folder) {
        let inputs = folder.accepted_inputs();
        let find = |name: &str| inputs.iter().find(|input| input.name == name).copied();
        let own: Vec<usize> = (0..question.pairs.len())
            .filter(|at| find(&question.pairs[*at].0).is_some())
            .collect();
        if own.is_empty() {
            return;
        }
        let at = own[self.random.below(own.len())];
        let (name, value) = question.pairs[at].clone();
        let input = find(&name).unwrap();
        question.kind = match self.random.below(8) {
            0 | 1 => match values::refused(input, &mut self.random) {
                Some(wrong) => {
                    question.pairs[at].1 = wrong;
                    Kind::Value
                }
                None => Kind::Right,
            },
            2 if !matches!(input.ty, Type::Text) => {
                question.pairs[at].1 = "1234,5".to_owned();
                Kind::Comma
            }
            3 => {
                let (name, value) = [("couleur", "rouge"), ("revenue", "1")][self.random.below(2)];
                question.pairs.push((name.to_owned(), value.to_owned()));
                Kind::Unknown
            }
            4 => {
                question.pairs.push((name, value));
                Kind::Repeated
            }
            5 => {
                question.missing = Some(question.pairs.remove(at).0);
                Kind::Missing
            }
            6 => {
                question.fields = Some(format!("{},champ_inconnu", self.fields));
                Kind::Fields
            }
            _ => self.wrong_day(question, folder),
        };
    }

    /// A day that is none, or two; where the folder has no dates, a parameter that does not exist.
    fn wrong_day(&mut self, question: &mut Question, folder: &Folder) -> Kind {
        let is_of_day = |name: &str| name == "date" || name == "annee";
        question.pairs.retain(|(name, _)| !is_of_day(name));
        let said = match self.random.below(5) {
            0 => vec![("date", "2026-02-30")],
            1 => vec![("date", "hier")],
            2 => vec![("annee", "1900")],
            3 => vec![("annee", "26")],
            _ => vec![("date", TODAY), ("annee", "2026")],
        };
        question.pairs.extend(
            said.into_iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned())),
        );
        if folder.is_dated() {
            Kind::Day
        } else {
            Kind::Unknown
        }
    }
}

/// A few fields of one value, of one of the folders.
fn fields(members: &[Member], random: &mut Random) -> String {
    let member = members[random.below(members.len())];
    let single = member
        .folder
        .fields()
        .into_iter()
        .filter(|field| field.json_type() != "array");
    let names: Vec<&str> = single.map(|field| field.name.as_str()).collect();
    let mut chosen: Vec<&str> = (0..4).map(|_| names[random.below(names.len())]).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen.join(",")
}
