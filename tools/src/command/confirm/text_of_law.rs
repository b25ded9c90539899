//! Whether a text can set a figure: the same for each door that takes one (`confirm`, a sheet,
//! `renew`).

use bareme_engine::Lang;
use bareme_engine::authoring::{Node, is_bill};
use bareme_show::say;
use jiff::civil::Date;

use super::reading::date_of;

/// Why a source confirms nothing on a day: a bill, mere evidence, or a text that nobody can have
/// read yet.
pub(in crate::command) fn refused(
    id: &str,
    source: &Node,
    today: Date,
    lang: Lang,
) -> Option<String> {
    if is_bill(source) {
        return Some(say!(
            lang,
            "la source `{id}` se dit elle-même un projet, ou un texte qui n’est pas la loi",
            "the source `{id}` says itself that it is a bill, or a text that is not the law"
        ));
    }
    if kind(source) == Some("secondary") {
        return Some(say!(
            lang,
            "la source `{id}` n’est ni la loi ni une page officielle (`secondary`)",
            "the source `{id}` is neither the law nor an official page (`secondary`)"
        ));
    }
    let date = date_of(Some(source)).filter(|date| *date > today)?;
    Some(say!(
        lang,
        "la source `{id}` est datée du {date}, un jour à venir : personne ne l’a lue",
        "the source `{id}` is dated {date}, a day to come: nobody has read it"
    ))
}

/// Why a source that is new in the file confirms nothing: nothing distinguishes a law without a date
/// from the one that it replaces.
pub(super) fn undated(id: &str, source: &Node, lang: Lang) -> Option<String> {
    let is_law = kind(source).is_none_or(|kind| kind == "law");
    if !is_law || source.get("date").is_some() {
        return None;
    }
    Some(say!(
        lang,
        "la source nouvelle `{id}` n’a pas de date : la donner par `--text-date AAAA-MM-JJ`, ou dans la colonne `date_source`",
        "the new source `{id}` has no date: give it by `--text-date YYYY-MM-DD`, or in the column `source_date`"
    ))
}

fn kind(source: &Node) -> Option<&str> {
    Some(source.get("kind")?.text()?.value.as_str())
}
