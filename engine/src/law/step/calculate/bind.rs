//! How each edition of another folder is asked: the places of its inputs and of its fields.

use jiff::civil::Date;

use crate::law::callee::CalleeEdition;
use crate::law::formula::EvalError;
use crate::law::{InputId, Inverse, Method, Presence, Type, Value};
use crate::text::{Problem, Report};

use super::read::called_type;
use super::{Calculate, Given};

/// An edition of the other folder.
#[derive(Debug)]
pub(super) struct BoundEdition {
    /// The first day of its scale; `None` for a method without dates.
    pub start: Option<Date>,
    /// The last day of its scale, where the law ends it.
    pub until: Option<Date>,
    /// How it is asked for the outputs read; `None` where it cannot be.
    pub binding: Option<Binding>,
}

/// How an edition of the other folder is asked.
#[derive(Debug)]
pub(super) struct Binding {
    /// The number of its inputs.
    pub inputs: usize,
    /// For each value given, where it goes.
    pub given: Vec<GivenTo>,
    /// The value that an inverse calculation must reach, and the index of that calculation.
    pub target: Option<(usize, usize)>,
    /// The fields of the outputs that are read, by index.
    pub fields: Vec<usize>,
}

/// The input that a value is given to.
#[derive(Debug)]
pub(super) struct GivenTo {
    /// `None` for the amount that an inverse calculation must reach.
    pub input: Option<InputId>,
    /// For each word that the value may be, its index among those of the input.
    words: Vec<u16>,
}

impl GivenTo {
    /// A value as the other folder reads it.
    pub(super) fn word(&self, value: Value) -> Result<Value, EvalError> {
        match value {
            Value::Word(index) => {
                let word = self.words.get(usize::from(index));
                word.map(|index| Value::Word(*index))
                    .ok_or(EvalError::Internal)
            }
            value => Ok(value),
        }
    }
}

/// The editions of the other folder, each with how it is asked for the outputs read.
pub(super) fn editions(step: &Calculate, read: &[usize]) -> Vec<BoundEdition> {
    let editions = step.callee.editions();
    let bound = editions.iter().map(|edition| BoundEdition {
        start: edition.start(),
        until: edition.until(),
        binding: bind(step, edition, read, &mut |_| {}),
    });
    bound.collect()
}

/// Binds a step to an edition; reports what this one lacks, and gives nothing then.
fn bind(
    step: &Calculate,
    edition: &CalleeEdition,
    read: &[usize],
    report: &mut dyn FnMut(Lacking),
) -> Option<Binding> {
    let method = edition.method;
    let mut is_whole = true;
    let mut lacks = |lacking| {
        is_whole = false;
        report(lacking);
    };

    // 1. What is given.
    let mut target = None;
    let mut to = Vec::with_capacity(step.given.len());
    for (index, given) in step.given.iter().enumerate() {
        let input = InputId::enumerate(method.inputs())
            .find(|(_, input)| input.name == given.name && !input.is_absent);
        let inverse = method
            .inverses()
            .iter()
            .position(|inverse| inverse.parameter.name == given.name);
        if input.is_none() && inverse.is_none() {
            lacks(Lacking::Input(index));
            continue;
        }
        if input.is_none() {
            target = inverse.map(|inverse| (index, inverse));
        }

        // Another type, or a word that this edition does not have, would change what is meant.
        let mut words = Vec::new();
        if let Some((_, input)) = &input {
            let is_same = match (given.ty, input.ty) {
                (Type::Choice(_), Type::Choice(_)) => true,
                (a, b) => a == b,
            };
            if !is_same {
                lacks(Lacking::Input(index));
            }
            for word in &given.words {
                match input.word(word) {
                    Some(own) => words.push(own),
                    None => lacks(Lacking::Word(index, word.clone())),
                }
            }
        }
        to.push(GivenTo {
            input: input.map(|(id, _)| id),
            words,
        });
    }

    // 2. What this edition requires besides.
    for (id, input) in InputId::enumerate(method.inputs()) {
        let is_given = step.given.iter().any(|given| given.name == input.name);
        let is_searched = target
            .and_then(|(_, inverse)| method.inverses().get(inverse))
            .is_some_and(|inverse: &Inverse| inverse.input == id);
        if matches!(input.presence, Presence::Required) && !is_given && !is_searched {
            lacks(Lacking::Required(input.name.clone()));
        }
    }

    // 3. What is read.
    let mut fields = Vec::with_capacity(read.len());
    for output in read {
        let called = step.outputs.get(*output)?;
        let found = method
            .fields()
            .iter()
            .position(|field| field.name == called.name && called_type(field) == Some(called.ty));
        match found {
            Some(field) => fields.push(field),
            None => lacks(Lacking::Field(called.name.clone())),
        }
    }

    is_whole.then(|| Binding {
        inputs: method.inputs().len(),
        given: to,
        target,
        fields,
    })
}

/// What an edition lacks of what a step asks.
enum Lacking {
    /// The input of a value given, by the index of that value.
    Input(usize),
    /// A word of that input.
    Word(usize, String),
    /// An input that it requires, and that is not given.
    Required(String),
    /// A field that is read.
    Field(String),
}

/// A step that calculates another folder, for the check of the days of a scale.
pub(crate) trait CalledDays {
    /// The path of the other folder.
    fn folder(&self) -> &str;

    /// The days from which calculations reach another edition of that folder.
    fn changes(&self) -> Vec<Date>;

    /// The version of the law that the other folder applies in a calculation on a day; that of the
    /// whole folder without a day.
    fn law(&self, day: Option<Date>) -> Option<&str>;

    /// Whether an amount is given that the other folder has to reach, on some of its days.
    fn searches(&self) -> bool;

    /// Reports the days, from the first to the last one of a scale, on which the other folder has no
    /// edition that can be asked for the outputs read.
    fn check(&self, first: Option<Date>, last: Option<Date>, read: &[usize], report: &mut Report);
}

impl CalledDays for Calculate {
    fn folder(&self) -> &str {
        self.callee.path()
    }

    fn changes(&self) -> Vec<Date> {
        let editions = self.callee.editions();
        let starts = editions.iter().filter_map(CalleeEdition::start);
        starts
            .filter_map(|start| self.day.first_reaching(start))
            .collect()
    }

    fn law(&self, day: Option<Date>) -> Option<&str> {
        match day {
            Some(day) => self.callee.law_on(self.day.after(day)?),
            None => Some(self.callee.version()),
        }
    }

    fn searches(&self) -> bool {
        let editions = self.callee.editions();
        let searches = |method: &Method| {
            let is_input = |name: &str| method.inputs().iter().any(|input| input.name == name);
            let mut inverses = method.inverses().iter();
            // A given name that is no input is the target of an inverse calculation of the other
            // folder.
            let mut targets = self.given.iter().filter(|given| !is_input(&given.name));
            let is_target =
                |given: &Given| inverses.any(|inverse| inverse.parameter.name == given.name);
            targets.any(is_target) || method.searches()
        };
        editions.iter().any(|edition| searches(edition.method))
    }

    fn check(&self, first: Option<Date>, last: Option<Date>, read: &[usize], report: &mut Report) {
        let editions = self.callee.editions();
        let folder = self.callee.path().to_owned();
        let first = first.and_then(|day| self.day.after(day));
        let last = last.and_then(|day| self.day.after(day));

        // A method without dates answers for every day on which the other folder has a scale.
        let start = editions.first().and_then(|edition| edition.start());
        if let (Some(first), Some(start)) = (first, start)
            && first < start
        {
            let problem = Problem::CalledTooEarly {
                folder: folder.clone(),
                date: first.to_string(),
                start: start.to_string(),
            };
            report.error(&self.place, problem);
        }

        let is_asked = |index: &usize| {
            let next = editions.get(index + 1).and_then(|edition| edition.start());
            let own = editions.get(*index).and_then(|edition| edition.start());
            let ends_before = next.zip(first).is_some_and(|(next, first)| next <= first);
            let starts_after = own.zip(last).is_some_and(|(own, last)| own > last);
            !ends_before && !starts_after
        };
        for edition in (0..editions.len())
            .filter(is_asked)
            .filter_map(|index| editions.get(index))
        {
            self.check_edition(edition, read, report);
        }
    }
}

impl Calculate {
    /// Reports what an edition of the other folder lacks.
    fn check_edition(&self, edition: &CalleeEdition, read: &[usize], report: &mut Report) {
        let folder = self.callee.path().to_owned();
        let date = edition
            .start()
            .map(|start| start.to_string())
            .unwrap_or_default();
        let given = |index: usize| self.given.get(index);

        bind(self, edition, read, &mut |lacking| {
            let (folder, date) = (folder.clone(), date.clone());
            let reported = match lacking {
                Lacking::Input(index) => given(index).map(|given| {
                    let name = given.name.clone();
                    (
                        &given.place,
                        Problem::GivenOnOtherDays { name, folder, date },
                    )
                }),
                Lacking::Word(index, word) => given(index).map(|given| {
                    let name = given.name.clone();
                    let problem = Problem::WordOfOtherFolder {
                        name,
                        word,
                        folder,
                        date,
                    };
                    (&given.place, problem)
                }),
                Lacking::Required(name) => Some((
                    &self.place,
                    Problem::RequiredOnOtherDays { name, folder, date },
                )),
                Lacking::Field(name) => Some((
                    &self.place,
                    Problem::CalledFieldOnOtherDays { name, folder, date },
                )),
            };
            if let Some((place, problem)) = reported {
                report.error(place, problem);
            }
        });
    }
}

/// Reports the days of a scale on which a step cannot calculate its folder.
pub(crate) fn check_binding(
    step: &crate::law::Step,
    read: &[usize],
    days: (Option<Date>, Option<Date>),
    report: &mut Report,
) {
    if let Some(call) = step.checked.as_ref().and_then(|checked| checked.call()) {
        call.check(days.0, days.1, read, report);
    }
}
