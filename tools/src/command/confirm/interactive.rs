//! Interactive confirmation of the cells left in a draft. Each answer is saved at once, so that the
//! session can be interrupted and resumed.

use bareme_engine::authoring::WrittenCell;
use bareme_engine::text::pluralized;
use bareme_show::say;

use super::apply::CellReading;
use super::reading::Reading;
use super::sheet::{keys_of, value_of};
use super::write::CellId;
use super::{Args, confirm, day, words};
use crate::prompt;
use crate::rule_files::RuleFiles;
use crate::series::Series;
use crate::session::{Exit, Failure, Session};

/// Reply to a question.
enum Answer {
    Read(Reading, Option<Box<Args>>),
    Pass,
    Leave,
}

/// Goes through the unconfirmed cells of a draft.
pub(super) fn run(args: &Args, files: &RuleFiles, session: &Session) -> Result<Exit, Failure> {
    let lang = session.lang;
    let series = Series::read(files, args.folder(), session)?;
    let date = day(args, &series, session)?;
    // The day is fixed first: with the last cell of a draft confirmed, another file would be the
    // first one open.
    let args = &Args {
        from: Some(date),
        ..args.clone()
    };

    let Some(file) = series.on(date) else {
        return Ok(Exit::Unusable);
    };

    let left = file.unconfirmed(&series.shapes);
    let (folder, count) = (&series.folder, left.len());
    session.print(&pluralized(&say!(
        lang,
        "{folder} au {date} : {count} valeur(s) à confirmer.\nValeur lue dans le texte, `=` si elle reste celle du barème précédent, Entrée pour passer, `q` pour s’arrêter.\n",
        "{folder} on {date}: {count} value(s) to confirm.\nThe value that the text says, `=` if it stays that of the scale before, Enter to pass, `q` to stop.\n"
    ), lang))?;

    // The last source is proposed again, since a text often sets several figures.
    let mut source = args.source.clone();
    for cell in &left {
        // Another command may have confirmed it meanwhile.
        let now = Series::read(files, args.folder(), session)?;
        let id = CellId::new(cell);
        let waits = now
            .on(date)
            .is_some_and(|file| file.unconfirmed(&now.shapes).iter().any(|cell| id.is(cell)));

        if !waits {
            continue;
        }

        // A refused answer is asked again.
        loop {
            let (reading, described) =
                match ask_value(args, &series, cell, source.as_deref(), session)? {
                    Answer::Read(reading, described) => (reading, described),
                    Answer::Pass => break,
                    Answer::Leave => return ended(args, files, session),
                };

            let args = described.map_or_else(|| args.clone(), |described| *described);
            let given = reading.source.clone();
            let own = Args {
                source: given.clone(),
                ..args
            };
            let read = |_: &Series, _| {
                Ok(vec![CellReading {
                    line: None,
                    id: id.clone(),
                    reading: reading.clone(),
                }])
            };

            match confirm(&own, files, read, session) {
                Ok(_) => {
                    source = given.or(source);
                    break;
                }
                Err(failure) => session.print(&format!("{}\n", failure.message))?,
            }
        }
    }

    ended(args, files, session)
}

fn ended(args: &Args, files: &RuleFiles, session: &Session) -> Result<Exit, Failure> {
    let series = Series::read(files, args.folder(), session)?;
    // All drafts of the folder, since the next session goes on with them.
    let left: usize = series
        .files
        .iter()
        .map(|file| file.unconfirmed(&series.shapes).len())
        .sum();

    let folder = &series.folder;
    session.print(&pluralized(
        &say!(
            session.lang,
            "\n{left} valeur(s) à confirmer dans {folder} : la même commande reprend où elle s’est arrêtée.\n",
            "\n{left} value(s) to confirm in {folder}: the same command goes on where it stopped.\n"
        ),
        session.lang,
    ))?;
    Ok(Exit::Fine)
}

/// Asks for the value of a cell and for its source.
fn ask_value(
    args: &Args,
    series: &Series,
    cell: &WrittenCell,
    source: Option<&str>,
    session: &Session,
) -> Result<Answer, Failure> {
    let lang = session.lang;
    let date = day(args, series, session)?;
    let before = series.before(date);
    // The same cell of the earlier file, by the keys of its row.
    let earlier = before.and_then(|before| series.counterpart(cell, series.on(date)?, before));

    // The question shows the value before, and the proposal where it differs.
    let (name, keys) = (cell.name(), keys_of(series, cell));
    let keys = if keys.is_empty() {
        keys
    } else {
        format!(" ({keys})")
    };

    let (old, own) = (
        value_of(earlier.as_ref()).unwrap_or("–"),
        value_of(Some(cell)).unwrap_or("–"),
    );
    let since = before
        .map(|before| before.date.to_string())
        .unwrap_or_default();

    let proposed = match old == own {
        true => String::new(),
        false => say!(lang, ", proposé : {own}", ", proposed: {own}"),
    };

    let question = say!(
        lang,
        "\n{name}{keys}\n  {since} : {old}{proposed}\n  valeur ? ",
        "\n{name}{keys}\n  {since}: {old}{proposed}\n  value? "
    );

    // `=` is the value before; an empty line leaves the cell for later.
    let value = match prompt::line(&question, session)?.as_deref() {
        None | Some("q") => return Ok(Answer::Leave),
        Some("") => return Ok(Answer::Pass),
        Some("=") => earlier
            .as_ref()
            .and_then(|earlier| value_of(Some(earlier)))
            .map(str::to_owned),
        Some(value) => Some(value.to_owned()),
    };

    let known = source
        .map(|source| format!(" [{source}]"))
        .unwrap_or_default();

    let question = say!(
        lang,
        "  source{known}, ou `=` pour « inchangé, toujours en vigueur » ? ",
        "  source{known}, or `=` for \"unchanged, still in force\"? "
    );

    let own = |unchanged| Args {
        unchanged,
        because: None,
        ..args.clone()
    };

    Ok(match prompt::line(&question, session)?.as_deref() {
        None | Some("q") => Answer::Leave,
        Some("=") => Answer::Read(
            Reading {
                value,
                source: None,
                words: words(&own(true), lang),
            },
            None,
        ),
        Some("") => Answer::Read(
            Reading {
                value,
                source: source.map(str::to_owned),
                words: None,
            },
            None,
        ),
        Some(id) => {
            let described = ask_source(args, id, session)?.map(Box::new);
            Answer::Read(
                Reading {
                    value,
                    source: Some(id.to_owned()),
                    words: None,
                },
                described,
            )
        }
    })
}

/// Asks for the details of a source that the file does not name yet.
fn ask_source(args: &Args, id: &str, session: &Session) -> Result<Option<Args>, Failure> {
    let lang = session.lang;
    // Read again: an earlier answer may have added the source.
    let files = RuleFiles::find(session, &[])?;
    let now = Series::read(&files, args.folder(), session)?;
    let date = day(args, &now, session)?;
    if id.contains(';') || now.on(date).is_none_or(|file| file.source(id).is_some()) {
        return Ok(None);
    }

    let ask = |question: String| {
        Ok::<_, Failure>(prompt::line(&question, session)?.filter(|line| !line.is_empty()))
    };
    let title = ask(say!(
        lang,
        "  `{id}` est nouvelle. Titre du texte ? ",
        "  `{id}` is new. Title of the text? "
    ))?;

    // Without a title there is no source to add: the refusal will name the ones that exist.
    let Some(title) = title else { return Ok(None) };

    let publisher = ask(say!(lang, "  Publié par ? ", "  Published by? "))?;
    let day = ask(say!(
        lang,
        "  Date du texte (AAAA-MM-JJ) ? ",
        "  Date of the text (YYYY-MM-DD)? "
    ))?;

    let text_date = day.and_then(|day| day.parse().ok());
    Ok(Some(Args {
        described: args.described.with(title, publisher, text_date),
        ..args.clone()
    }))
}
