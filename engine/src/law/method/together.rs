//! What the checks of a method say of the inputs that a query gives together: which exclude each
//! other, and which ask for another one. Forms are laid out by it.

use std::collections::BTreeSet;

use super::{Check, Method};
use crate::law::InputId;
use crate::law::formula::{Expr, Operator};

/// Inputs of which a query gives those of one side only, such as a monthly pay or a daily one.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let loader = bareme_engine::Loader::new().without_cases().only(&["chomage"]);
/// # let rules = loader.load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("chomage").ok_or("no such folder")?;
/// let method = folder.latest().ok_or("no edition")?.method();
/// let name = |input: &bareme_engine::law::InputId| {
///     input.of(method.inputs()).map(|input| input.name.as_str())
/// };
/// let found = method.alternatives();
/// let sides: Vec<Vec<_>> =
///     found[0].sides.iter().map(|side| side.iter().map(name).collect()).collect();
/// assert_eq!(sides, [[Some("salaire_mensuel")], [Some("sjr")]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternatives {
    /// The inputs of each side, in the order of the file.
    pub sides: Vec<Vec<InputId>>,
}

impl Method {
    /// The inputs that exclude each other: a check refuses any two of different sides, whatever
    /// else is given.
    pub fn alternatives(&self) -> Vec<Alternatives> {
        let inputs = self.checked_inputs();
        let excludes = |a: InputId, b: InputId| self.refuses_pair(a, b);

        // Inputs that exclude each other, even through a third one, form a group; those of a group
        // that may be given together form a side of it.
        let sides_of = |group: Vec<InputId>| Alternatives {
            sides: connected(&group, |a, b| !excludes(a, b)),
        };

        let groups = connected(&inputs, excludes).into_iter().map(sides_of);
        groups
            .filter(|alternatives| alternatives.sides.len() > 1)
            .collect()
    }

    /// The input that may have to be given beside another one: a check refuses its absence there
    /// alone.
    pub fn companion(&self, input: InputId) -> Option<InputId> {
        let asks_for = |check: &Check| {
            let other = check.verdict.refuses().filter(|other| *other != input)?;

            // The check must refuse where the other input is absent, and only then; and only where
            // this one is given, for it is no companion of an input that is not sent.
            let is_of_the_absent =
                decided(&check.condition, &|known| (known == other).then_some(true)) == Some(false);
            let is_of_the_given =
                decided(&check.condition, &|known| (known == input).then_some(false))
                    == Some(false);

            (is_of_the_absent && is_of_the_given).then_some(other)
        };
        self.refusals().find_map(asks_for)
    }

    /// Whether a warning comes with every answer, whatever is asked.
    pub fn always_warns(&self, code: &str) -> bool {
        let is_own = |check: &&Check| check.verdict.code() == Some(code);
        let mut checks = self.checks.iter().filter(is_own);
        checks.any(|check| check.option.is_none() && matches!(check.condition, Expr::Boolean(true)))
    }

    /// The input without which a check refuses this one, whatever else is given: months that are
    /// added to years are nothing without these. `None` where it may be given alone.
    pub fn needed_beside(&self, input: InputId) -> Option<InputId> {
        let own = |check: &&Check| check.verdict.refuses() == Some(input);
        let needed = |check: &Check| {
            let is_needed = |other: &InputId| {
                let is_of_the_absent =
                    decided(&check.condition, &|known| (known == *other).then_some(true))
                        == Some(false);
                // Both are enough for the refusal: a check that asks for one of several is of none.
                let refuses_alone = decided(&check.condition, &|known| Some(known != *other))
                    == Some(true)
                    && decided(&check.condition, &|known| Some(known == input)) == Some(true);
                *other != input && is_of_the_absent && refuses_alone
            };
            self.checked_inputs().into_iter().find(is_needed)
        };
        self.refusals().filter(own).find_map(needed)
    }

    /// The words of a choice with which an input may be given: with the others, a check refuses it
    /// whatever else is given. `None` where every word of every choice accepts it.
    pub fn accepting_words(&self, input: InputId) -> Option<(InputId, Vec<&str>)> {
        // Most inputs are in no refusal: a page asks for all of them.
        let checks = self
            .refusals()
            .filter(|check| mentions(&check.condition, input));
        let checks: Vec<&Check> = checks.collect();
        if checks.is_empty() {
            return None;
        }

        let mut choices = InputId::enumerate(self.inputs()).filter(|(id, _)| *id != input);
        choices.find_map(|(choice, model)| {
            let refuses = |word: u16| {
                let mut checks = checks.iter();
                checks.any(|check| refuses_beside(&check.condition, input, choice, word))
            };
            let words = (0..).zip(&model.values);
            let accepting = words.filter(|(word, _)| !refuses(*word));
            let accepting: Vec<&str> = accepting.map(|(_, (word, _))| word.as_str()).collect();
            let is_settled = accepting.len() < model.values.len() && !accepting.is_empty();
            is_settled.then_some((choice, accepting))
        })
    }

    /// The checks that refuse a query whatever its options.
    fn refusals(&self) -> impl Iterator<Item = &Check> {
        self.checks
            .iter()
            .filter(|check| check.verdict.refuses().is_some() && check.option.is_none())
    }

    /// The inputs whose presence a refusal depends on, in the order of the file.
    fn checked_inputs(&self) -> Vec<InputId> {
        let mut inputs = BTreeSet::new();
        self.refusals()
            .for_each(|check| add_given(&check.condition, &mut inputs));
        inputs.into_iter().collect()
    }

    /// Whether two inputs are refused together, while each may be given without the other.
    fn refuses_pair(&self, a: InputId, b: InputId) -> bool {
        self.refusals().any(|check| {
            let refuses = |given: &[InputId]| {
                decided(&check.condition, &|known| {
                    given.contains(&known).then_some(true)
                })
            };
            refuses(&[a, b]) == Some(true) && refuses(&[a]).is_none() && refuses(&[b]).is_none()
        })
    }
}

/// Whether a condition holds wherever an input is given beside a word of a choice, and not for the
/// word alone.
fn refuses_beside(condition: &Expr, input: InputId, choice: InputId, word: u16) -> bool {
    let with = |is_given: Option<bool>| {
        settled(condition, &|fact| match fact {
            Expr::Given(known) | Expr::Input(known) if *known == input => is_given,
            Expr::Binary(operator @ (Operator::Equal | Operator::NotEqual), a, b) => {
                let compared = match (a.as_ref(), b.as_ref()) {
                    (Expr::Input(known), Expr::Word(own)) if *known == choice => *own,
                    _ => return None,
                };
                Some((compared == word) == (*operator == Operator::Equal))
            }
            _ => None,
        })
    };
    with(Some(true)) == Some(true) && with(None).is_none()
}

/// Whether a condition tests the presence of an input, or a boolean one itself.
fn mentions(condition: &Expr, input: InputId) -> bool {
    match condition {
        Expr::Given(known) | Expr::Input(known) => *known == input,
        Expr::Not(inner) => mentions(inner, input),
        Expr::Binary(_, a, b) => mentions(a, input) || mentions(b, input),
        _ => false,
    }
}

/// The value of a condition that is settled by which of some inputs are given; `None` where it
/// depends on more.
fn decided(condition: &Expr, given: &impl Fn(InputId) -> Option<bool>) -> Option<bool> {
    settled(condition, &|fact| match fact {
        Expr::Given(input) => given(*input),
        _ => None,
    })
}

/// The value of a condition that is settled by the parts of it that are known; `None` where it
/// depends on more.
fn settled(condition: &Expr, known: &impl Fn(&Expr) -> Option<bool>) -> Option<bool> {
    if let Some(value) = known(condition) {
        return Some(value);
    }
    match condition {
        Expr::Boolean(value) => Some(*value),
        Expr::Not(inner) => settled(inner, known).map(|value| !value),
        Expr::Binary(operator @ (Operator::And | Operator::Or), a, b) => {
            // One operand is enough: true for `or`, false for `and`.
            let decides = *operator == Operator::Or;
            match (settled(a, known), settled(b, known)) {
                (Some(value), _) | (_, Some(value)) if value == decides => Some(decides),
                (Some(_), Some(_)) => Some(!decides),
                _ => None,
            }
        }
        Expr::Binary(operator @ (Operator::Equal | Operator::NotEqual), a, b) => {
            let is_equal = settled(a, known)? == settled(b, known)?;
            Some(is_equal == (*operator == Operator::Equal))
        }
        _ => None,
    }
}

/// Adds the inputs whose presence a condition tests.
fn add_given(condition: &Expr, inputs: &mut BTreeSet<InputId>) {
    match condition {
        Expr::Given(input) => {
            inputs.insert(*input);
        }
        Expr::Not(inner) => add_given(inner, inputs),
        Expr::Binary(_, a, b) => {
            add_given(a, inputs);
            add_given(b, inputs);
        }
        _ => {}
    }
}

/// The groups of inputs that a relation connects, each with itself at least.
fn connected(
    inputs: &[InputId],
    is_related: impl Fn(InputId, InputId) -> bool,
) -> Vec<Vec<InputId>> {
    let mut groups: Vec<Vec<InputId>> = Vec::new();
    for input in inputs {
        let is_linked = |group: &Vec<InputId>| group.iter().any(|known| is_related(*known, *input));

        // Everything that the input is related to becomes one group.
        let (linked, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_linked);
        let mut joined: Vec<InputId> = linked.into_iter().flatten().chain([*input]).collect();
        joined.sort_unstable();

        groups = others;
        groups.push(joined);
    }

    // The order of the file, whatever the order in which groups were joined.
    groups.sort_unstable();
    groups
}

#[cfg(test)]
mod tests {
    use crate::law::{InputId, Method};
    use crate::run::folder::Folder;
    use crate::testing::folder;

    /// A folder with the optional inputs `a` to `e` and these checks.
    fn checked(checks: &str) -> Folder {
        let inputs = ["a", "b", "c", "d", "e"].map(|name| {
            format!("  {name}: {{type: number, optional: true, min: 0, label: {name}}}\n")
        });
        let sum = ["a", "b", "c", "d", "e"]
            .map(|name| format!("(if given({name}) then {name} else 0)"))
            .join(" + ");
        let inputs = inputs.concat();
        folder(
            &format!("inputs:\n{inputs}steps:\n  x: {sum}\nanswer:\n  x: x\nchecks:\n{checks}"),
            "",
        )
    }

    fn names(method: &Method, inputs: &[InputId]) -> String {
        inputs
            .iter()
            .map(|input| input.of(method.inputs()).unwrap().name.as_str())
            .collect()
    }

    /// The sides of each group: `a|bc`.
    fn sides(checks: &str) -> Vec<String> {
        let folder = checked(checks);
        let method = folder.latest().unwrap().method();
        let alternatives = method.alternatives().into_iter();
        alternatives
            .map(|group| {
                group
                    .sides
                    .iter()
                    .map(|side| names(method, side))
                    .collect::<Vec<_>>()
                    .join("|")
            })
            .collect()
    }

    /// A check that refuses `a`.
    fn refuse(condition: &str) -> String {
        format!("  - {{if: {condition}, refuse: Non., input: a}}\n")
    }

    #[test]
    fn inputs_that_a_check_refuses_together_are_on_two_sides() {
        for (conditions, expected) in [
            (&["given(a) and given(b)"][..], &["a|b"][..]),
            (&["given(a) = given(b)"], &["a|b"]),
            (&["not (not given(a) or not given(b))"], &["a|b"]),
            (&["given(a) and (given(b) or given(c))"], &["a|bc"]),
            (&["given(b) = (given(a) or given(c))"], &["ac|b"]),
            (
                &[
                    "given(a) and given(b)",
                    "given(a) and given(c)",
                    "given(b) and given(c)",
                ],
                &["a|b|c"],
            ),
            (
                &["given(a) and given(b)", "given(c) and given(e)"],
                &["a|b", "c|e"],
            ),
            // Each of these may be given with any other, in some case at least.
            (&["given(a) and given(b) and given(c)"], &[]),
            (&["given(a) and given(b) and a > b"], &[]),
            (&["given(a) and not given(b)"], &[]),
            (&["given(a) != given(b)"], &[]),
            (&["not given(a) and not given(b)"], &[]),
            (&["given(a) or given(b)"], &[]),
            // No side of this chain excludes the other as a whole.
            (
                &[
                    "given(a) and given(b)",
                    "given(b) and given(c)",
                    "given(c) and given(d)",
                ],
                &[],
            ),
        ] {
            let checks: String = conditions
                .iter()
                .map(|condition| refuse(condition))
                .collect();
            assert_eq!(sides(&checks), expected, "{conditions:?}");
        }
        assert!(
            sides("  - {if: given(a) and given(b), warn: Sans effet., code: sans_effet}\n")
                .is_empty(),
            "a warning refuses nothing"
        );
    }

    #[test]
    fn an_input_is_accepted_beside_the_words_that_no_check_refuses_with_it() {
        let inputs = "inputs:
  seul: {type: choice, values: oui; non; peut_etre, default: oui, label: Seul}
  a: {type: number, default: 0, min: 0, label: a}
  b: {type: boolean, default: false, label: b}
";
        let words = |condition: &str, name: &str| {
            let method = format!(
                "{inputs}steps:\n  x: a + (if b then 1 else 0) + (if seul = oui then 1 else 0)\n\
                 answer:\n  x: x\nchecks:\n{}",
                refuse(condition)
            );
            let folder = folder(&method, "");
            let method = folder.latest().unwrap().method();
            let input = InputId::find(method.inputs(), |input| input.name == name).unwrap();
            let (choice, words) = method.accepting_words(input)?;
            assert_eq!(names(method, &[choice]), "seul");
            Some(words.join(" "))
        };
        for (condition, name, expected) in [
            ("given(a) and seul != non", "a", Some("non")),
            (
                "given(a) and seul != non and seul != oui",
                "a",
                Some("oui non"),
            ),
            ("b and (seul = oui or seul = non)", "b", Some("peut_etre")),
            ("given(a) and a > 2 and seul = oui", "a", None),
            ("seul = oui", "a", None),
            ("given(a) and b and seul = oui", "a", None),
        ] {
            assert_eq!(
                words(condition, name).as_deref(),
                expected,
                "{condition}, {name}"
            );
        }
    }

    #[test]
    fn an_input_asks_for_the_one_whose_absence_is_refused_beside_it() {
        let companion = |condition: &str, name: &str| {
            let folder = checked(&refuse(condition));
            let method = folder.latest().unwrap().method();
            let input = InputId::find(method.inputs(), |input| input.name == name).unwrap();
            method.companion(input).map(|input| names(method, &[input]))
        };
        assert_eq!(
            companion("given(b) and not given(a)", "b").as_deref(),
            Some("a")
        );
        assert_eq!(
            companion("given(b) and b < 31 and not given(a)", "b").as_deref(),
            Some("a")
        );
        for (condition, name) in [
            ("given(b) and not given(a)", "a"),
            ("given(b) and not given(a)", "c"),
            ("given(b) and given(a)", "b"),
            ("not given(b) and not given(a)", "b"),
        ] {
            assert_eq!(companion(condition, name), None, "{condition}, {name}");
        }
    }
}
