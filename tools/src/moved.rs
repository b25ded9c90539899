//! The fields that each changed figure moves, as lines of a page and as JSON.

use bareme_engine::Lang;
use bareme_engine::law::Method;
use bareme_engine::run::Edition;
use bareme_engine::set::moved::MovedFields;
use bareme_engine::text::pluralized;
use bareme_show::{Tone, say};
use serde_json::{Value, json};

use crate::page::Page;

/// Most fields of a line; the JSON has all of them.
const SHOWN: usize = 8;

/// The fields that changed figures move, and the field by which the two scales are compared.
pub(crate) struct Moved {
    /// Each figure with its fields, those that readers come for first.
    pub figures: Vec<MovedFields>,
    /// Name and label of the measured field.
    pub measure: Option<[String; 2]>,
}

impl Moved {
    pub(crate) fn new(
        mut figures: Vec<MovedFields>,
        measure: Option<[String; 2]>,
        edition: &Edition,
    ) -> Self {
        // The measured field comes first, then those of the headline: readers look for these, and a
        // line is cut after `SHOWN`.
        let first = importance(
            edition.method(),
            measure.as_ref().map(|[name, _]| name.as_str()),
        );
        for moved in &mut figures {
            let place = |name: &String| {
                first
                    .iter()
                    .position(|important| important == name)
                    .unwrap_or(first.len())
            };
            moved.fields.sort_by_key(place);
        }

        Self { figures, measure }
    }

    /// Adds a line for each figure.
    pub(crate) fn show(&self, page: &mut Page, lang: Lang) {
        if self.figures.is_empty() {
            return;
        }

        page.heading(say!(
            lang,
            "Champs que change chaque chiffre",
            "Fields that each figure changes"
        ));
        page.list(
            self.figures
                .iter()
                .map(|moved| self.line(moved, lang))
                .collect(),
        );
        // All figures are tried on the same questions, except those that cannot be changed alone,
        // which are asked none.
        let asked = self
            .figures
            .iter()
            .map(|moved| moved.asked)
            .max()
            .unwrap_or_default();

        page.toned(
            pluralized(
                &say!(
                    lang,
                    "Un chiffre à la fois, sur {asked} calcul(s) : cas du barème et ménages \
                     comparés.",
                    "One figure at a time, over {asked} calculation(s): cases of the scale and \
                     households compared."
                ),
                lang,
            ),
            Tone::Dim,
        );
    }

    fn line(&self, moved: &MovedFields, lang: Lang) -> String {
        // Nothing was computed: silence would read as “no effect”.
        let (figure, asked) = (&moved.figure, moved.asked);
        if asked == 0 {
            return say!(
                lang,
                "{figure} : non calculé, ce chiffre ne se change pas seul",
                "{figure}: not computed, this figure cannot be changed alone"
            );
        }

        // A figure without effect is reported as such, since it may be unused by mistake.
        if moved.is_without_effect() {
            let line = say!(
                lang,
                "{figure} → aucun champ, sur {asked} calcul(s)",
                "{figure} → no field, over {asked} calculation(s)"
            );
            return pluralized(&line, lang);
        }

        let mut parts = vec![shortened(&moved.fields, lang)];
        if moved.refusals {
            parts.push(say!(
                lang,
                "des demandes refusées",
                "questions that are refused"
            ));
        }

        // Of a figure whose effect is refusals only, the list of fields is empty.
        let moves = parts
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", ");

        // The reader looks for the measured field: where it is not in the list, its absence may not
        // be noticed.
        let unmoved = self
            .measure
            .as_ref()
            .filter(|[name, _]| !moved.fields.contains(name));
        let unmoved = unmoved.map(|[_, label]| {
            say!(
                lang,
                " (« {label} » ne change pas)",
                " (\"{label}\" stays the same)"
            )
        });

        format!("{figure} → {moves}{}", unmoved.unwrap_or_default())
    }

    /// The figures in JSON, whose members have these names: figure, fields, refusals, number of
    /// questions.
    pub(crate) fn to_json(&self, names: [&str; 4]) -> Value {
        let [figure, fields, refusals, asked] = names;
        let one = |moved: &MovedFields| {
            json!({
                figure: moved.figure,
                fields: moved.fields,
                refusals: moved.refusals,
                asked: moved.asked,
            })
        };

        self.figures.iter().map(one).collect::<Vec<_>>().into()
    }
}

/// The fields of a method, the measured one first, then those of its headline.
fn importance(method: &Method, measure: Option<&str>) -> Vec<String> {
    // A field may be in the list several times: its first place counts.
    let of_headline = method
        .headlines()
        .iter()
        .filter_map(|headline| method.fields().get(headline.field));

    let names = of_headline
        .chain(method.fields())
        .map(|field| field.name.as_str());

    measure
        .into_iter()
        .chain(names)
        .map(str::to_owned)
        .collect()
}

/// The first names of a list, and how many more there are.
fn shortened(names: &[String], lang: Lang) -> String {
    let first = names
        .iter()
        .take(SHOWN)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");

    match names.len().checked_sub(SHOWN) {
        None | Some(0) => first,
        Some(others) => pluralized(
            &say!(
                lang,
                "{first} et {others} autre(s)",
                "{first} and {others} other(s)"
            ),
            lang,
        ),
    }
}
