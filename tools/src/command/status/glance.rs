//! The preparation of a year on one screen: a headline, then the folders in groups.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use bareme_engine::Lang;
use bareme_engine::text::pluralized;
use bareme_show::{Cell, Table, Tone, say};
use jiff::civil::Date;

use super::progress::{Progress, Reason, State};
use crate::page::Page;
use crate::session::Session;

/// A reason in words, with the day of a text.
type NamedReason = (Option<Date>, String);

/// A folder, and what follows its name.
type NamedFolder<'f> = (&'f str, String);

/// Longest title of an awaited text, in letters.
const LONGEST: usize = 48;

/// The groups of folders, under the headline.
pub(super) fn show(all: &[Progress], year: i16, page: &mut Page, session: &Session) {
    let lang = session.lang;
    headline(all, page, session);

    let of = |state: State| all.iter().filter(move |one| one.state == state);
    if of(State::Blocked).next().is_some() {
        page.heading(say!(lang, "Bloqués, et par quoi", "Blocked, and by what"));
        page.table(blocked(&of(State::Blocked).collect::<Vec<_>>(), lang));
    }

    if of(State::ToRead).next().is_some() {
        page.heading(say!(
            lang,
            "À lire : les chiffres qui restent",
            "To read: the figures that are left"
        ));
        page.table(to_read(&of(State::ToRead).collect::<Vec<_>>(), year, lang));
    }

    if of(State::Read).next().is_some() {
        page.heading(say!(
            lang,
            "Lus, pas encore en vigueur",
            "Read, not in force yet"
        ));
        page.table(read(&of(State::Read).collect::<Vec<_>>(), lang));
    }

    if of(State::InForce).next().is_some() {
        let folders = compact(of(State::InForce).map(|one| (&*one.folder, String::new())));
        page.text(say!(
            lang,
            "En vigueur : {folders}.",
            "In force: {folders}."
        ));
    }
}

/// The four counts.
pub(super) fn headline(all: &[Progress], page: &mut Page, session: &Session) {
    let count = |state: State| all.iter().filter(|one| one.state == state).count();
    let [read, to_read, blocked, in_force] =
        [State::Read, State::ToRead, State::Blocked, State::InForce].map(count);
    let sentence = say!(
        session.lang,
        "{read} lu(s), {to_read} à lire, {blocked} bloqué(s), {in_force} en vigueur.",
        "{read} read, {to_read} to read, {blocked} blocked, {in_force} in force."
    );
    page.toned(pluralized(&sentence, session.lang), Tone::Strong);
}

/// What is left to do, and by which commands.
pub(super) fn rest(all: &[Progress], computed: usize, page: &mut Page, session: &Session) {
    let lang = session.lang;
    if computed > 0 {
        let text = say!(
            lang,
            "Cas à recalculer à la main (`computed`) : {computed}.",
            "Cases to work out by hand (`computed`): {computed}."
        );
        page.toned(text, Tone::Warning);
    }

    let is_open = |one: &&Progress| matches!(one.state, State::ToRead | State::Blocked);
    let left = all.iter().filter(is_open).count();
    page.text(match left {
        0 => say!(lang, "Tout est prêt.", "All is ready."),
        _ => say!(
            lang,
            "{left} à finir. `bareme check --verbose` montre chaque faute, `bareme confirm` confirme un chiffre, `bareme renew` un barème qui ne change pas.",
            "{left} to finish. `bareme check --verbose` shows each mistake, `bareme confirm` confirms a figure, `bareme renew` a scale that does not change."
        ),
    });
}

/// The reasons, each with the folders that it blocks; a folder is named once.
fn blocked(all: &[&Progress], lang: Lang) -> Table {
    // 1. How many folders each reason blocks: of several texts, the one that blocks most.
    let mut counts: BTreeMap<NamedReason, usize> = BTreeMap::new();
    for reason in all.iter().flat_map(|one| &one.reasons) {
        let count = counts.entry(named(reason, lang)).or_default();
        *count = count.saturating_add(1);
    }

    // 2. The folders by the reason that is shown: mistakes and doubts, which have no day, first.
    let mut by_reason: BTreeMap<NamedReason, Vec<NamedFolder>> = BTreeMap::new();
    for one in all {
        let reasons = one.reasons.iter().map(|reason| named(reason, lang));
        let weight = |reason: &NamedReason| {
            let count = counts.get(reason).copied().unwrap_or_default();
            (reason.0.is_some(), Reverse(count), reason.0)
        };
        let Some(main) = reasons.min_by_key(weight) else {
            continue;
        };
        let more = one.reasons.len().saturating_sub(1);
        let more = if more > 0 {
            format!(" +{more}")
        } else {
            String::new()
        };
        by_reason.entry(main).or_default().push((&one.folder, more));
    }

    // 3. The rows.
    let mut table = Table::default()
        .text(say!(lang, "Par quoi", "By what"))
        .text(say!(lang, "Attendu le", "Awaited on"))
        .text(say!(
            lang,
            "Barèmes (+1 : un motif de plus)",
            "Scales (+1: one reason more)"
        ));
    for ((day, reason), folders) in by_reason {
        let tone = if day.is_some() {
            Tone::Warning
        } else {
            Tone::Bad
        };
        table.row([
            Cell::toned(reason, tone),
            day.map_or_else(|| "–".to_owned(), |day| day.to_string())
                .into(),
            compact(folders.into_iter()).into(),
        ]);
    }
    table
}

/// A reason in words short enough for a column, and its day.
fn named(reason: &Reason, lang: Lang) -> NamedReason {
    match reason {
        Reason::Mistakes(_) => (
            None,
            say!(lang, "fautes (`bareme check`)", "mistakes (`bareme check`)"),
        ),
        Reason::Doubts(_) => (None, say!(lang, "doutes", "doubts")),
        Reason::Awaits(day, text) => (Some(*day), short(text)),
    }
}

/// The title of a text without what follows it.
fn short(text: &str) -> String {
    let ends = [" (", " : ", " ; ", ", "];
    let end = ends.iter().filter_map(|end| text.find(end)).min();
    let title = end.and_then(|end| text.get(..end)).unwrap_or(text);
    if title.chars().count() <= LONGEST {
        return title.to_owned();
    }

    // Between words, with room for the sign that it goes on.
    let mut cut = String::new();
    for word in title.split(' ') {
        if cut.chars().count().saturating_add(word.chars().count()) >= LONGEST {
            break;
        }
        if !cut.is_empty() {
            cut.push(' ');
        }
        cut.push_str(word);
    }
    cut + " …"
}

/// The folders to read with the number of figures that are left, drafts and those without a file.
fn to_read(all: &[&Progress], year: i16, lang: Lang) -> Table {
    let mut table = Table::default()
        .text(say!(lang, "Fichier de {year}", "File of {year}"))
        .text(say!(lang, "Barèmes, chiffres", "Scales, figures"));
    for has_draft in [true, false] {
        let folders = all.iter().filter(|one| one.has_draft == has_draft);
        let named: Vec<NamedFolder> = folders
            .map(|one| (&*one.folder, format!(" {}", one.left)))
            .collect();
        if named.is_empty() {
            continue;
        }
        let file = if has_draft {
            say!(lang, "brouillon", "draft")
        } else {
            say!(lang, "aucun", "none")
        };
        table.row([file.into(), compact(named.into_iter()).into()]);
    }
    table
}

/// The folders that were read, by the day on which they come into force.
fn read(all: &[&Progress], lang: Lang) -> Table {
    let mut by_day: BTreeMap<Option<Date>, Vec<NamedFolder>> = BTreeMap::new();
    for one in all {
        let folders = by_day.entry(one.from).or_default();
        folders.push((&one.folder, String::new()));
    }

    let mut table = Table::default()
        .text(say!(lang, "À partir du", "From"))
        .text(say!(lang, "Barèmes", "Scales"));
    for (day, folders) in by_day {
        let day = day.map_or_else(|| "–".to_owned(), |day| day.to_string());
        table.row([day.into(), compact(folders.into_iter()).into()]);
    }
    table
}

/// Folders in few words, each with what follows its name: those of a family together.
fn compact<'f>(folders: impl Iterator<Item = NamedFolder<'f>>) -> String {
    let mut families: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (path, more) in folders {
        let (family, name) = path.rsplit_once('/').unwrap_or(("", path));
        let names = families.entry(family).or_default();
        names.push(format!("{name}{more}"));
    }

    let named = families.iter().map(|(family, names)| {
        let names = names.join(", ");
        if family.is_empty() {
            names
        } else {
            format!("{family} : {names}")
        }
    });
    named.collect::<Vec<_>>().join(" ; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_a_family_are_together() {
        let folders = ["ifi", "salaire-net/bf", "is", "salaire-net/bj"];
        let named = folders.iter().map(|folder| (*folder, " 2".to_owned()));
        assert_eq!(compact(named), "ifi 2, is 2 ; salaire-net : bf 2, bj 2");
        assert_eq!(compact(std::iter::empty()), "");
    }

    #[test]
    fn a_title_is_cut_at_its_end_or_between_words() {
        assert_eq!(
            short("Projet de loi de finances pour 2027 (n° 3210, non voté)"),
            "Projet de loi de finances pour 2027"
        );
        let long = "Instructions administratives de l’office pour le premier trimestre de 2027";
        assert_eq!(
            short(long),
            "Instructions administratives de l’office pour le …"
        );
    }
}
