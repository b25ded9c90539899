//! Figures of dated files in words, with editions compared value by value.

mod side_by_side;

use bareme_engine::Lang;
use bareme_engine::law::{BoundWord, Column, FigureId, Method, Remark, Type, Value};
use bareme_engine::run::Edition;

use crate::currency::Amounts;
use crate::labels::column;
use crate::locale::{Locale, Medium};
use crate::names;
use crate::say;
use crate::trace::capitalized;

pub use side_by_side::{Line, given, sent_key, side_by_side};

/// The words for a bound, before its number: `jusqu’à`.
pub fn bound(word: BoundWord, lang: Lang) -> String {
    // A bound is read before its number: `jusqu’à 1 200`.
    match word {
        BoundWord::UpTo => say!(lang, "jusqu’à", "up to"),
        BoundWord::Below => say!(lang, "en dessous de", "below"),
        BoundWord::Over => say!(lang, "au-delà de", "over"),
        BoundWord::From => say!(lang, "à partir de", "from"),
    }
}

/// The label of a column in French: its own, that of the rule language, or its name in words.
pub fn column_label(known: &Column) -> String {
    // An author may label a column; the language of rules has words for its own columns.
    let own = known.label.clone();
    own.or_else(|| column(&known.name, Lang::Fr))
        .unwrap_or_default()
}

/// Formats a value of a figure.
///
/// An amount is shown whole or with the decimals of its currency, and with more where the legal
/// text has more.
pub fn value<'m>(
    value: &Value,
    ty: Type,
    amounts: impl Into<Amounts<'m>>,
    locale: Locale,
) -> String {
    match value {
        Value::Number(rate) if ty == Type::Rate => locale.percent(*rate),
        Value::Number(amount) if matches!(ty, Type::Money(_)) => {
            locale.set_amount(*amount, amounts.into())
        }
        Value::Number(number) => locale.set_number(*number),
        Value::Boolean(true) => say!(locale.lang, "oui", "yes"),
        Value::Boolean(false) => say!(locale.lang, "non", "no"),
        // A name of the rules, such as that of another table, is read as words.
        Value::Text(text) if locale.medium == Medium::Page && text.contains('_') => {
            names::french(text)
        }
        Value::Text(text) => text.to_string(),
        _ => String::new(),
    }
}

/// The title of a figure, in the language of the method: its own, or that of the first step that reads it.
pub fn title(method: &Method, figure: &str) -> String {
    let Some(id) = FigureId::find(method.figures(), |shape| shape.name == figure) else {
        return names::words(figure, method.lang);
    };

    let own = id
        .of(method.figures())
        .and_then(|shape| shape.label.clone());

    let step = || {
        method
            .steps()
            .iter()
            .find(|step| step.figures.contains(&id))?
            .label
            .clone()
    };

    own.or_else(step)
        .unwrap_or_else(|| capitalized(&names::words(figure, method.lang)))
}

/// Changed values of a figure to list one by one; of more, only the number is given.
const MAX_LISTED: usize = 2;

/// The changes of an edition, in a French sentence:
/// `Plafond de la sécurité sociale : de 3 925 à 4 005.`
pub fn changes(edition: &Edition, before: Option<&Edition>) -> String {
    let Some(before) = before else {
        return "Première édition.".to_owned();
    };

    let method = edition.method();

    // Values are compared as they are shown: a change that no reader sees is none.
    let shown = |line: &Line, index: usize| {
        let found = line.values.get(index).and_then(Option::as_ref);
        found.map(|(found, ty)| self::value(found, *ty, method, Locale::PAGE))
    };

    let lines = side_by_side(&[edition, before]);
    let changed: Vec<&Line> = lines
        .iter()
        .filter(|line| shown(line, 0) != shown(line, 1))
        .collect();

    let in_words = |of_figure: &[&Line]| {
        let title = of_figure
            .first()
            .map(|line| title(method, line.figure))
            .unwrap_or_default();

        if of_figure.len() > MAX_LISTED {
            return format!("{title} : {} valeurs", of_figure.len());
        }
        let listed = of_figure.iter().map(|line| {
            let name = if line.is_alone {
                title.clone()
            } else {
                format!("{title}, {}", line.label())
            };
            match (shown(line, 1), shown(line, 0)) {
                (Some(old), Some(new)) => format!("{name} : de {old} à {new}"),
                (None, Some(new)) => format!("{name} : {new}, nouveau"),
                _ => format!("{name} : supprimé"),
            }
        });
        listed.collect::<Vec<_>>().join(" ; ")
    };

    // Lines of one figure follow one another.
    let figures: Vec<String> = changed
        .chunk_by(|one, next| one.figure == next.figure)
        .map(in_words)
        .collect();

    match figures.len() {
        0 => "Aucun chiffre ne change.".to_owned(),
        1 => format!("Un chiffre change. {}.", figures.concat()),
        count => format!("{count} chiffres changent. {}.", figures.join(" ; ")),
    }
}

/// Remarks on the certainty of the figures of an edition, each with the name of its figure.
pub fn remarks(edition: &Edition) -> Vec<(&str, &Remark)> {
    let all = given(edition).flat_map(|(shape, figure)| {
        let own = [&figure.remark]
            .into_iter()
            .chain(figure.rows.iter().map(|row| &row.remark));
        own.map(|remark| (shape.name.as_str(), remark))
    });
    all.filter(|(_, remark)| !remark.is_empty()).collect()
}

/// The text of a remark after the title of its figure:
/// `Cotisation retraite, confiance moyenne : note`.
pub fn remark(figure: &str, remark: &Remark, lang: Lang) -> String {
    let confidence = remark.confidence_in(lang);
    let confidence = confidence.map(|confidence| {
        say!(
            lang,
            ", confiance {confidence}",
            ", {confidence} confidence"
        )
    });

    let note = remark
        .note
        .as_deref()
        .map(|note| say!(lang, " : {note}", ": {note}"))
        .unwrap_or_default();
    format!("{figure}{}{note}", confidence.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn what_is_gone_is_listed_with_its_row_and_its_figure() {
        let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/broken/base");
        let folder = tempfile::tempdir().unwrap();
        std::fs::copy(
            base.join("service.yaml"),
            folder.path().join("service.yaml"),
        )
        .unwrap();
        std::fs::create_dir(folder.path().join("zz")).unwrap();
        let read = |name: &str| std::fs::read_to_string(base.join("zz").join(name)).unwrap();
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join("zz").join(name), text).unwrap()
        };
        write(
            "method.yaml",
            &read("method.yaml").replace("ceiling: money/month", "ceiling: optional money/month"),
        );
        let older = read("2026-01-01.yaml");
        write("2026-01-01.yaml", &older);
        let newer = older.replace("6.3%, ceiling: 1 200, per: month", "7%, per: month");
        let newer = newer
            .replace("      - {situation: couple, up_to: 12 000, rate: 0%}\n", "")
            .replace("2026", "2027");
        write("2027-01-01.yaml", &newer);
        let loaded = bareme_engine::Loader::new()
            .without_cases()
            .only(&["zz"])
            .load(folder.path());
        let errors: Vec<String> = loaded
            .report
            .errors()
            .map(|error| error.message(Lang::En).to_string())
            .collect();
        let rules = loaded.rules.unwrap_or_else(|| panic!("{errors:?}"));
        let [old, new] = rules.folder("zz").unwrap().editions() else {
            panic!("two editions")
        };
        let shown = |found: &Option<(Value, Type)>| {
            found.as_ref().map_or("–".to_owned(), |(found, ty)| {
                value(found, *ty, 0, Lang::Fr.into())
            })
        };
        let lines: Vec<String> = side_by_side(&[new, old])
            .iter()
            .filter(|line| shown(&line.values[0]) != shown(&line.values[1]))
            .map(|line| {
                format!(
                    "{} = {}, {}",
                    line.path(Lang::Fr),
                    shown(&line.values[0]),
                    shown(&line.values[1])
                )
            })
            .collect();
        assert_eq!(
            lines,
            [
                "pension.rate = 7 %, 6,3 %",
                "pension.ceiling = –, 1 200",
                "impot, situation couple, ligne 1, borne = –, 12 000",
                "impot, situation couple, ligne 1, rate = 15 %, 0 %",
                "impot, situation couple, ligne 2, rate = –, 15 %",
            ]
        );
        let second = &side_by_side(&[old])[3];
        assert_eq!(second.label(), "seul, tranche 1, taux");
        assert_eq!(
            changes(new, Some(old)),
            "2 chiffres changent. Pension, taux : de 6,3\u{202f}% à 7\u{202f}% ; Pension, plafond : supprimé ; Impôt de l'année : 3 valeurs."
        );
        assert_eq!(changes(old, None), "Première édition.");
    }
}
