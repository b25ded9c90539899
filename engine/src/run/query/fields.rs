//! Selection of the fields of an answer: `champs=net_mensuel,cout_employeur`.

use crate::law::members::{AUTOMATIC, OF_ALL_STEPS, SCALE_IN_FORCE, STEPS};
use crate::law::parameter::{DETAIL, FIELDS};
use crate::law::{Field, Member, Value};
use crate::run::{Edition, Folder};
use crate::say;
use crate::text::date_in_words::in_words;
use crate::text::words::distinct;
use crate::text::{BadParameter, Reason, Text, nearest};

/// The fields to compute, which a caller selects beside the parameters of a query.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["salaire"])
/// #     .load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("salaire").ok_or("no such folder")?;
/// use bareme_engine::Query;
/// use bareme_engine::run::FieldSelection;
///
/// let names = ["net", "cout_employeur"];
/// let pay = || Query::from([("brut", "2500")]);
/// let day = jiff::civil::date(2026, 3, 31);
/// let available = folder.calculate(&pay().selecting(FieldSelection::Available(&names)), day)?;
/// assert_eq!(available.fields().count(), 1);
/// let asked = folder.calculate(&pay().selecting(FieldSelection::Asked(&names)), day);
/// assert!(asked.is_err_and(|error| error.to_string().starts_with("champs : ")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldSelection<'q> {
    /// Fields that somebody asks for by name: the query is refused if its answer does not have one,
    /// like a query with the parameter `champs`.
    Asked(&'q [&'q str]),
    /// Columns that nobody named, such as those of all answers of a table: one that an answer does
    /// not have is absent.
    Available(&'q [&'q str]),
}

/// The fields that a query asks for; each has the same value as in the whole answer.
#[derive(Debug, Default)]
pub(crate) struct ChosenFields {
    /// Indices of the fields of the method, in the order of the answer.
    pub fields: Vec<usize>,
    /// Whether each of [`AUTOMATIC`] is selected.
    pub automatic: [bool; AUTOMATIC.len()],
}

/// Parameters of a query that decide which fields its answer has.
#[derive(Clone, Copy)]
pub(super) struct SentValues<'v> {
    /// The values of the inputs, which switch options on.
    pub values: &'v [Value],
    /// Whether the steps are explained.
    pub detail: bool,
}

impl ChosenFields {
    /// Whether every step must be computed, for `etapes` or for the rows to cite.
    pub(crate) fn needs_all_steps(&self) -> bool {
        let mut asked = AUTOMATIC
            .iter()
            .zip(self.automatic)
            .filter(|(_, is_asked)| *is_asked);
        asked.any(|(member, _)| OF_ALL_STEPS.contains(&member.name))
    }

    /// Selects the fields of a list that an answer has, given the options that the inputs switch
    /// on.
    pub(super) fn among<'n>(
        names: impl Iterator<Item = &'n str>,
        edition: &Edition,
        values: &[Value],
    ) -> Self {
        let mut chosen = Self::default();

        for name in names {
            match Named::find(name, edition, values) {
                Named::Field(index) => chosen.fields.push(index),
                Named::Automatic(index) => chosen.add(index),
                Named::SwitchedOff(_) | Named::Unknown => {}
            }
        }

        chosen.in_order()
    }

    /// Selects the fields that a query names; the values of the inputs say which options are on.
    /// Names that an answer of this edition does not have are added to the bad parameters.
    pub(super) fn read<'n>(
        asked: impl Iterator<Item = &'n str>,
        (folder, edition): (&Folder, &Edition),
        sent: SentValues,
        bad: &mut Vec<BadParameter>,
    ) -> Self {
        let mut chosen = Self::default();
        let asked: Vec<&str> = asked.collect();
        if let Some(refused) = too_many(asked.iter().copied(), &names(edition).collect::<Vec<_>>())
        {
            bad.push(refused);
            return chosen;
        }

        let mut refused = RefusedNames::default();
        for name in asked {
            match Named::find(name, edition, sent.values) {
                Named::Field(index) => chosen.fields.push(index),
                // The steps are explained only with `detail`: without it there is nothing to
                // select.
                Named::Automatic(_) if name == STEPS.name && !sent.detail => {
                    refused.add(name, || needs(name, DETAIL));
                }
                Named::Automatic(index) => chosen.add(index),
                Named::SwitchedOff(option) => refused.add(name, || needs(name, option)),
                Named::Unknown => refused.add(name, || unknown(name, folder, edition)),
            }
        }
        bad.extend(refused.into_bad());
        chosen.in_order()
    }

    fn add(&mut self, automatic: usize) {
        if let Some(place) = self.automatic.get_mut(automatic) {
            *place = true;
        }
    }

    fn in_order(mut self) -> Self {
        self.fields.sort_unstable();
        self.fields.dedup();
        self
    }
}

/// Greatest number of refused names that are listed, each with the accepted ones; further ones are
/// counted.
const MAX_LISTED: usize = 8;

/// The names of a list that are refused, each once.
#[derive(Debug, Default)]
struct RefusedNames<'n> {
    names: Vec<&'n str>,
    listed: Vec<BadParameter>,
}

impl<'n> RefusedNames<'n> {
    /// Adds a name with its problem, which is made if it is to be listed.
    fn add(&mut self, name: &'n str, bad: impl FnOnce() -> BadParameter) {
        // A repeated name is no second mistake.
        if self.names.contains(&name) {
            return;
        }
        self.names.push(name);
        if self.names.len() <= MAX_LISTED {
            self.listed.push(bad());
        }
    }

    fn into_bad(self) -> impl Iterator<Item = BadParameter> {
        let count = self.names.len().saturating_sub(self.listed.len());
        let more_names = || {
            let expected = Text::new("des noms de champs", "names of fields");
            BadParameter::because(FIELDS, Reason::MoreNames { count }, None, expected)
        };
        let rest = (count > 0).then(more_names);
        self.listed.into_iter().chain(rest)
    }
}

/// The problem of a list with more names than there are fields, which it cannot need.
fn too_many<'n>(
    sent: impl Iterator<Item = &'n str> + Clone,
    known: &[&str],
) -> Option<BadParameter> {
    // The bound protects the answer, which would name each mistake.
    let (most, found) = (known.len(), sent.clone().count());

    (found > most).then(|| {
        let expected = Text::same(known.join(", "));
        BadParameter::because(
            FIELDS,
            Reason::TooManyNames { found, most },
            sent.last(),
            expected,
        )
    })
}

/// The target of a field name in `champs`.
enum Named<'e> {
    /// A field of the method, by index.
    Field(usize),
    /// An automatic member, by index in [`AUTOMATIC`].
    Automatic(usize),
    /// A field of an option that is off.
    SwitchedOff(&'e str),
    Unknown,
}

impl<'e> Named<'e> {
    fn find(name: &str, edition: &'e Edition, values: &[Value]) -> Self {
        let method = edition.method();

        if let Some((index, field)) = method
            .fields()
            .iter()
            .enumerate()
            .find(|(_, field)| field.name == name)
        {
            return switched_off(field, edition, values)
                .map_or(Self::Field(index), Self::SwitchedOff);
        }

        let is_it = |member: &Member| {
            member.name == name && has_automatic(edition.scale().is_some(), member)
        };
        AUTOMATIC
            .iter()
            .position(is_it)
            .map_or(Self::Unknown, Self::Automatic)
    }
}

/// Whether answers of a method, with or without dates, have an automatic member.
fn has_automatic(is_dated: bool, member: &Member) -> bool {
    is_dated || member.name != SCALE_IN_FORCE.name
}

/// The name of the option of a field, if that is off.
fn switched_off<'e>(field: &Field, edition: &'e Edition, values: &[Value]) -> Option<&'e str> {
    let option = edition.method().options().get(field.option?)?;
    (option.input.of(values) != Some(&Value::Boolean(true))).then_some(option.name.as_str())
}

/// The names of the fields that answers of an edition may have.
fn names(edition: &Edition) -> impl Iterator<Item = &str> {
    let automatic = AUTOMATIC
        .iter()
        .filter(|member| has_automatic(edition.scale().is_some(), member));

    edition
        .method()
        .fields()
        .iter()
        .map(|field| field.name.as_str())
        .chain(automatic.map(|member| member.name))
}

fn needs(field: &str, option: &str) -> BadParameter {
    let reason = Reason::SwitchedBy {
        parameter: field.to_owned(),
        option: option.to_owned(),
    };

    let expected = say!(
        "ajouter `{option}=true`, ou ne pas demander `{field}`",
        "add `{option}=true`, or do not ask for `{field}`"
    );
    BadParameter::because(FIELDS, reason, Some(field), expected)
}

/// The problem of a name that the edition does not have; on other days it may exist.
fn unknown(name: &str, folder: &Folder, edition: &Edition) -> BadParameter {
    let has_it = |edition: &Edition| {
        edition
            .method()
            .fields()
            .iter()
            .any(|field| field.name == name)
    };

    // A name of another day is no typing mistake: the reason then says when it exists.
    let reason = if folder.editions().iter().any(has_it) {
        let (from, until) = folder.days_with(has_it);
        match (from.map(in_words), until.map(in_words)) {
            (Some(from), _) => Reason::FieldNotYet { from },
            (None, Some(until)) => Reason::FieldNoLonger { until },
            (None, None) => Reason::FieldOfOtherDays,
        }
    } else {
        Reason::UnknownField {
            near: Text::suggestion(nearest(name, names(edition))),
        }
    };

    let listed = names(edition).collect::<Vec<_>>().join(", ");
    BadParameter::because(FIELDS, reason, Some(name), Text::same(listed))
}

/// The names that no answer of some folders has, on any day and with any option.
pub(crate) fn unknown_fields<'f>(
    folders: impl Iterator<Item = &'f Folder>,
    asked: &[&str],
) -> Vec<BadParameter> {
    let known = distinct(folders.flat_map(Folder::newest).flat_map(names), |name| {
        name
    });
    if let Some(refused) = too_many(asked.iter().copied(), &known) {
        return vec![refused];
    }

    let mut refused = RefusedNames::default();
    for name in asked.iter().filter(|name| !known.contains(name)) {
        refused.add(name, || {
            let near = Text::suggestion(nearest(name, known.iter().copied()));

            let (reason, expected) = (Reason::UnknownField { near }, Text::same(known.join(", ")));
            BadParameter::because(FIELDS, reason, Some(name), expected)
        });
    }
    refused.into_bad().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_of_refused_names_is_bounded_and_its_rest_counted() {
        let names: Vec<String> = (0..100_000).map(|index| format!("x{index}")).collect();
        let mut refused = RefusedNames::default();
        for name in names.iter().chain(&names).take(30) {
            refused.add(name, || {
                BadParameter::repeated(FIELDS, Some(name), ("", ""))
            });
        }
        let bad: Vec<BadParameter> = refused.into_bad().collect();
        assert_eq!(bad.len(), MAX_LISTED + 1);
        assert!(
            bad[MAX_LISTED].reason.fr.contains("22"),
            "{}",
            bad[MAX_LISTED].reason.fr
        );

        let known = ["net", "brut"];
        assert_eq!(too_many("net,net".split(','), &known), None);
        let problem = too_many(names.iter().map(String::as_str), &known).unwrap();
        assert!(problem.reason.en.contains("100000") && problem.reason.en.contains('2'));
    }
}
