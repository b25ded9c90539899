//! Days and years that a command names, and the scales in force on them.

use bareme_engine::Folder;
use bareme_engine::run::Edition;
use bareme_show::say;
use jiff::civil::Date;

use crate::session::{Failure, Session};
use crate::user_input::argument;

/// The day of an argument; for a year, its first day.
///
/// # Errors
/// It is neither a year nor a day.
pub(crate) fn day(text: &str, session: &Session) -> Result<Date, Failure> {
    // Four characters are a year. Anything else is a day, in the forms that a French file may have;
    // what is no day is rejected by its parsing.
    let written = match text.len() {
        4 => format!("{text}-01-01"),
        _ => argument(text, session.lang).unwrap_or_else(|_| text.to_owned()),
    };

    written.parse().map_err(|_| {
        Failure::unusable(say!(
            session.lang,
            "`{text}` n’est ni une année ni un jour : écrire `2027` ou `2027-01-01`.",
            "`{text}` is neither a year nor a day: write `2027` or `2027-01-01`."
        ))
    })
}

/// The scale of a day that somebody names, to be compared with another.
///
/// # Errors
/// There is no scale on that day, or only a draft that is left out, or only one that is not checked
/// so far.
pub(crate) fn edition_on<'f>(
    folder: &'f Folder,
    day: Date,
    written: &str,
    session: &Session,
) -> Result<&'f Edition, Failure> {
    // A draft that is left out comes first: the scale before it would be found instead, without a
    // warning.
    refuse_draft(folder, day, session)?;
    let found = folder
        .edition(day)
        .ok_or_else(|| no_scale(folder, written, session))?;

    // A folder without dated files has one edition for all days.
    let Some(scale) = found.scale() else {
        return Ok(found);
    };

    // The scale has ended, and nothing has replaced it.
    if scale.until.is_some_and(|until| day > until) {
        return Err(no_scale(folder, written, session));
    }

    // The last scale has no successor to end it: it holds as far as its figures have been verified.
    // To compare a later day would compare a guess.
    let is_last = folder
        .latest()
        .is_some_and(|latest| latest.is_of_file_of(found));

    if is_last && day > scale.known_until {
        let (path, date, until) = (folder.path(), scale.date, scale.known_until);
        return Err(Failure::unusable(say!(
            session.lang,
            "`{path}` n’a pas de barème pour `{written}` : le dernier, du {date}, n’est vérifié \
             que jusqu’au {until}. Nommer un jour jusque-là, ou préparer le barème suivant \
             (`bareme new {path} {day}`), puis ajouter `--drafts`.",
            "`{path}` has no scale for `{written}`: the last one, of {date}, is checked until \
             {until} only. Name a day until then, or prepare the next scale (`bareme new {path} \
             {day}`), then add `--drafts`."
        )));
    }
    Ok(found)
}

/// Refuses a day whose scale is a draft that is left out: another scale would be taken for it.
pub(crate) fn refuse_draft(folder: &Folder, day: Date, session: &Session) -> Result<(), Failure> {
    if !folder.is_draft_on(day) {
        return Ok(());
    }
    // Among the drafts of this day or before, the latest would be in force.
    let drafts = folder.drafts().iter().filter(|draft| draft.date <= day);
    let (path, date) = (
        folder.path(),
        drafts.map(|draft| draft.date).max().unwrap_or(day),
    );

    Err(Failure::unusable(say!(
        session.lang,
        "Au {day}, `{path}` n’a qu’un brouillon, celui du {date} : ajouter `--drafts` pour \
         calculer avec lui, ou nommer un jour avant.",
        "On {day}, `{path}` has a draft only, that of {date}: add `--drafts` to compute with it, \
         or name a day before."
    )))
}

/// Refuses the day of the command line for a folder that has a draft only on it.
pub(crate) fn refuse_draft_of_command(folder: &Folder, session: &Session) -> Result<(), Failure> {
    session
        .asked_day
        .map_or(Ok(()), |day| refuse_draft(folder, day, session))
}

/// The error of a day without scale.
pub(crate) fn no_scale(folder: &Folder, written: &str, session: &Session) -> Failure {
    let path = folder.path();

    let days = folder
        .editions()
        .iter()
        .filter_map(|edition| Some(edition.scale()?.date.to_string()));
    let days = days.collect::<Vec<_>>().join(", ");

    Failure::unusable(say!(
        session.lang,
        "`{path}` n’a pas de barème pour `{written}` : écrire une année ou un jour. Barèmes : \
         {days} (un brouillon ne compte qu’avec `--drafts`).",
        "`{path}` has no scale for `{written}`: write a year or a day. Scales: {days} (a draft \
         counts with `--drafts` only)."
    ))
}
