//! Values that an input accepts where a table lists them, such as the rates of a tax.

use crate::law::{Input, InputId, Lookup, Value};
use crate::run::{Edition, Folder};

impl Folder {
    /// The values of `input` that some row matches, in the order of the tables, the last edition
    /// first; `None` where no table limits it.
    pub fn listed_values(&self, input: &Input) -> Option<Vec<Value>> {
        let mut found = Vec::new();
        // One edition whose table does not limit the input is enough for any value to be accepted.
        for edition in self.newest() {
            for value in edition.listed_values(&input.name)? {
                if !found.contains(&value) {
                    found.push(value);
                }
            }
        }

        Some(found)
    }
}

impl Edition {
    /// The values in the key column named like an input, in the first table that refuses all
    /// others.
    fn listed_values(&self, name: &str) -> Option<Vec<Value>> {
        let inputs = self.method().inputs();

        let id = InputId::find(inputs, |input| input.name == name)?;

        // Only a step that refuses the input has a table of all its values.
        let refusing = self
            .method()
            .steps()
            .iter()
            .filter(|step| step.refuses() == Some(id));

        refusing.flat_map(|step| &step.figures).find_map(|figure| {
            let shape = figure.of(self.method().figures())?;
            let depth = shape.keys.iter().position(|key| key.input == Some(id))?;

            let mut values = Vec::new();
            let lookup = &figure.of(&self.scale()?.figures)?.lookup;
            list(lookup, depth, &mut values).then_some(values)
        })
    }
}

/// Collects the values of the key at a depth; returns whether these are all that a lookup accepts.
fn list(lookup: &Lookup, depth: usize, values: &mut Vec<Value>) -> bool {
    // A lookup by brackets accepts any number.
    let Lookup::ByKey { cases, other } = lookup else {
        return false;
    };

    if depth == 0 {
        values.extend(cases.iter().map(|(value, _)| value.clone()));
        // A row for all others accepts any value.
        return other.is_none();
    }

    cases
        .iter()
        .map(|(_, next)| next)
        .chain(other.as_deref())
        .all(|next| list(next, depth - 1, values))
}

#[cfg(test)]
mod tests {
    use crate::testing::folder;

    const METHOD: &str = "
inputs:
  lieu: {type: choice, values: {ville: Ville, mer: Mer}, default: ville, label: Lieu}
  taux: {type: rate, optional: true, label: Taux}
  autre: {type: rate, optional: true, label: Autre}
figures:
  admis: {lieu: key, taux: key, nom: text}
  usuel: {taux: rate}
steps:
  retenu: {formula: if given(taux) then taux else usuel.taux}
  ligne:  {table: admis, by: lieu; retenu, or_refuse: taux}
answer:
  nom: ligne.nom
  autre: {value: autre, when: given(autre)}
";

    fn listed(rows: &str, input: &str) -> Option<String> {
        let folder = folder(
            METHOD,
            &format!(
                "  usuel: {{taux: 20%, source: s}}\n  admis:\n    source: s\n    rows:\n{rows}"
            ),
        );
        let input = folder
            .inputs()
            .into_iter()
            .find(|known| known.name == input)
            .unwrap()
            .clone();
        let values = folder.listed_values(&input)?;
        Some(
            values
                .iter()
                .map(|value| input.sent_text(value))
                .collect::<Vec<_>>()
                .join(" "),
        )
    }

    #[test]
    fn the_rates_of_a_table_are_all_that_there_are() {
        let rows = "      - {lieu: ville, taux: 20%, nom: A}\n      - {lieu: ville, taux: 5.5%, nom: B}\n      - {lieu: mer, taux: 8.5%, nom: C}\n      - {lieu: mer, taux: 5.5%, nom: D}\n";
        assert_eq!(listed(rows, "taux").as_deref(), Some("20 5.5 8.5"));
        assert_eq!(listed(rows, "autre"), None, "no table limits it");
        assert_eq!(
            listed(rows, "lieu"),
            None,
            "the table refuses another input"
        );
    }
}
