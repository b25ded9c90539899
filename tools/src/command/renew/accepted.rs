//! What a renewal accepts: the file, the days, and the texts that were read.

use bareme_engine::Rules;
use bareme_engine::authoring::{Node, is_reason, years_of_scale};
use bareme_engine::law::Scale;
use bareme_show::say;
use jiff::civil::Date;

use super::{Args, refusal};
use crate::command::confirm::{date_of, refused_text, says_nothing, unknown_source};
use crate::rule_files::RuleFiles;
use crate::series::{DatedFile, Series, ids};
use crate::session::{Failure, Session};

/// A text that was read for the new days.
#[derive(Debug)]
pub(super) struct ReadText {
    pub id: String,
    pub title: String,
    pub date: Option<Date>,
}

/// A file, with the line of a node of it, from the current folder.
pub(super) fn place(files: &RuleFiles, file: &DatedFile, node: Option<&Node>) -> String {
    let shown = files.shown(&file.inside);
    match node {
        Some(node) => format!("{shown}:{}", node.place.line()),
        None => shown,
    }
}

/// The file that is renewed: the one named, or else the last one in force.
pub(super) fn file<'s>(
    args: &Args,
    files: &RuleFiles,
    series: &'s Series,
    session: &Session,
) -> Result<&'s DatedFile, Failure> {
    let (lang, folder, today) = (session.lang, &series.folder, session.today);
    let days = series.days();
    let shown = files.shown(folder);
    if series.files.is_empty() {
        let cause = say!(
            lang,
            "{folder} : ce calcul n’a pas de fichier daté, rien à renouveler",
            "{folder}: this calculation has no dated file, nothing to renew"
        );
        let cure = say!(
            lang,
            "nommer un dossier de fichiers datés (`bareme list`).",
            "name a folder of dated files (`bareme list`)."
        );
        return Err(refusal(&cause, &shown, &cure, session));
    }

    let Some(day) = args.from else {
        let in_force = |file: &&DatedFile| file.date <= today && !file.is_draft(&series.shapes);
        return series.files.iter().rev().find(in_force).ok_or_else(|| {
            let cause = say!(
                lang,
                "{folder} : aucun barème daté en vigueur le {today}, rien à renouveler",
                "{folder}: no dated scale in force on {today}, nothing to renew"
            );
            let cure = say!(
                lang,
                "nommer par `--from` le fichier à renouveler, s’il y en a un ({days}).",
                "name by `--from` the file to renew, if there is one ({days})."
            );
            refusal(&cause, &shown, &cure, session)
        });
    };

    let Some(file) = series.on(day) else {
        let cause = say!(
            lang,
            "{folder} : aucun fichier du {day}",
            "{folder}: no file of {day}"
        );
        let cure = say!(
            lang,
            "nommer l’un de ceux-ci : {days}",
            "name one of these: {days}"
        );
        return Err(refusal(&cause, &shown, &cure, session));
    };
    // A draft is confirmed figure by figure: nothing of it is known yet.
    if file.is_draft(&series.shapes) {
        let cause = say!(
            lang,
            "{folder} : le fichier du {day} est un brouillon",
            "{folder}: the file of {day} is a draft"
        );
        let cure = say!(
            lang,
            "le confirmer d’abord (`bareme confirm {folder}`).",
            "confirm it first (`bareme confirm {folder}`)."
        );
        return Err(refusal(&cause, &place(files, file, None), &cure, session));
    }
    Ok(file)
}

/// Refuses a day that is no renewal, or one that the law, a draft or another file already answers.
pub(super) fn check_period(
    files: &RuleFiles,
    series: &Series,
    file: &DatedFile,
    scale: &Scale,
    until: Date,
    session: &Session,
) -> Result<(), Failure> {
    let (lang, folder) = (session.lang, &series.folder);
    let (start, known) = (file.date, scale.known_until);
    let refused = |key: &str, cause: String, cure: String| {
        let place = place(files, file, file.node.get(key));
        Err(refusal(
            &format!("{folder} : {cause}"),
            &place,
            &cure,
            session,
        ))
    };

    // 1. The day itself.
    let later = say!(
        lang,
        "donner un jour après le {known}.",
        "give a day after {known}."
    );
    if until < start {
        let cause = say!(
            lang,
            "le {until} est avant le premier jour du barème, le {start}",
            "{until} is before the first day of the scale, {start}"
        );
        return refused("title", cause, later);
    }
    if until <= known {
        let cause = say!(
            lang,
            "ce barème est déjà connu jusqu’au {known}, et le {until} n’est pas après",
            "this scale is known until {known} already, and {until} is not after it"
        );
        return refused("known_until", cause, later);
    }
    if let Some(end) = scale.until.filter(|end| *end < until) {
        let cause = say!(
            lang,
            "la loi met fin à ce barème le {end}, avant le {until}",
            "the law ends this scale on {end}, before {until}"
        );
        let cure = say!(
            lang,
            "donner ce jour, écrire le barème qui suit (`bareme new`), ou corriger `until` si la loi l’a prorogé.",
            "give that day, write the scale that follows (`bareme new`), or fix `until` if the law has extended it."
        );
        return refused("until", cause, cure);
    }

    // 2. The files that answer for these days.
    let Some(next) = series.after(start).find(|next| next.date <= until) else {
        return Ok(());
    };
    let (date, next_place) = (next.date, place(files, next, None));
    let (cause, cure) = if next.is_draft(&series.shapes) {
        (
            say!(
                lang,
                "{folder} : un brouillon attend pour le {date}, avant le {until}",
                "{folder}: a draft waits for {date}, before {until}"
            ),
            say!(
                lang,
                "le confirmer (`bareme confirm {folder}`), ou l’ôter si les textes parus laissent tout inchangé.",
                "confirm it (`bareme confirm {folder}`), or remove it if the texts that are out leave everything unchanged."
            ),
        )
    } else {
        (
            say!(
                lang,
                "{folder} : le fichier du {date} remplace celui du {start} avant le {until}",
                "{folder}: the file of {date} replaces that of {start} before {until}"
            ),
            say!(
                lang,
                "renouveler celui-là par `--from {date}`.",
                "renew that one by `--from {date}`."
            ),
        )
    };
    Err(refusal(&cause, &next_place, &cure, session))
}

/// Refuses a day for which a figure that another folder gives is not known.
pub(super) fn check_taken(
    files: &RuleFiles,
    series: &Series,
    file: &DatedFile,
    rules: &Rules,
    until: Date,
    session: &Session,
) -> Result<(), Failure> {
    let own = rules.folder(&series.folder);
    let edition = own.and_then(|folder| folder.edition(file.date));
    let figures = edition.map(|edition| edition.method().figures());
    let taken = figures.unwrap_or_default().iter();
    for from in taken.filter_map(|shape| shape.shared.as_ref()) {
        let day = from.day.of(until);
        let given = rules.folder(&from.folder);
        let known = given.and_then(|given| Some(given.edition(day)?.scale()?.known_until));
        let Some(known) = known.filter(|known| *known < day) else {
            continue;
        };

        let (lang, folder) = (session.lang, &series.folder);
        let (giver, figure) = (&from.folder, &from.figure);
        let cause = say!(
            lang,
            "{folder} : le chiffre `{figure}` vient de {giver}, qui n’est connu que jusqu’au {known}",
            "{folder}: the figure `{figure}` comes from {giver}, which is known until {known} only"
        );
        let cure = say!(
            lang,
            "renouveler d’abord {giver}, ou le nommer dans la même commande.",
            "renew {giver} first, or name it in the same command."
        );
        return Err(refusal(&cause, &place(files, file, None), &cure, session));
    }
    Ok(())
}

/// The texts that the command names, or the reason why one of them confirms nothing. `own` is the
/// file as it was, `file` the one that names a new source too.
pub(super) fn texts(
    args: &Args,
    files: &RuleFiles,
    own: &DatedFile,
    file: &DatedFile,
    session: &Session,
) -> Result<Vec<ReadText>, Failure> {
    if let Some(unknown) = unknown_source(file, &args.source, session) {
        let place = place(files, own, own.node.get("sources"));
        return Err(Failure::unusable(format!("{unknown}\n --> {place}")));
    }

    let named = ids(&args.source);
    if named.is_empty() {
        return Err(Failure::unusable(say!(
            session.lang,
            "`--source` ne nomme aucun texte : donner celui qui a été lu.",
            "`--source` names no text: give the one that was read."
        )));
    }

    let mut read = Vec::new();
    for id in named {
        let Some(node) = file.source(&id) else {
            continue;
        };
        check_text(&id, node, files, own, session)?;
        let title = node.get("title").and_then(Node::text);
        read.push(ReadText {
            title: title.map_or_else(|| id.clone(), |title| title.value.clone()),
            date: date_of(Some(node)),
            id,
        });
    }

    check_dates(args, &read, files, own, session)?;
    Ok(read)
}

/// Refuses a text that sets no law, or that nobody can have read yet.
fn check_text(
    id: &str,
    node: &Node,
    files: &RuleFiles,
    own: &DatedFile,
    session: &Session,
) -> Result<(), Failure> {
    let (lang, today) = (session.lang, session.today);
    let adopted = say!(
        lang,
        "donner par `--source` le texte adopté et publié, avec sa date.",
        "give by `--source` the text that was adopted and published, with its date."
    );
    if let Some(cause) = refused_text(id, node, today, lang) {
        let place = place(files, own, own.source(id));
        return Err(refusal(&cause, &place, &adopted, session));
    }
    Ok(())
}

/// Refuses texts that are all older than the last one of the file, unless a reason says why they
/// confirm the days to come.
fn check_dates(
    args: &Args,
    read: &[ReadText],
    files: &RuleFiles,
    own: &DatedFile,
    session: &Session,
) -> Result<(), Failure> {
    match &args.because {
        Some(because) if is_reason(because) => return Ok(()),
        Some(because) => {
            let words = says_nothing("--because", because, session.lang);
            return Err(Failure::unusable(words));
        }
        None => {}
    }

    // What only served to compare says nothing about the law.
    let sources = own
        .node
        .get("sources")
        .map(Node::entries)
        .unwrap_or_default();
    let is_text = |node: &Node| {
        let kind = node.get("kind").and_then(Node::text);
        kind.is_none_or(|kind| kind.value != "secondary")
    };
    let last = sources
        .iter()
        .filter(|(_, node)| is_text(node))
        .filter_map(|(id, node)| Some((date_of(Some(node))?, &id.value, node)))
        .max_by_key(|(date, ..)| *date);

    let lang = session.lang;
    let checked = own.node.get("checked").and_then(Node::text);
    let checked: Option<Date> = checked.and_then(|day| day.value.parse().ok());
    let (named, newest) = (&args.source, read.iter().filter_map(|text| text.date).max());
    let cause = match (newest, last) {
        (None, _) => say!(
            lang,
            "la source `{named}` n’a pas de date : rien ne dit qu’elle confirme les jours à venir",
            "the source `{named}` has no date: nothing says that it confirms the days to come"
        ),
        (Some(date), Some((newer, id, _))) if date < newer => say!(
            lang,
            "la source `{named}` est du {date}, avant la dernière du barème, `{id}` du {newer} : elle ne peut pas avoir confirmé les jours à venir",
            "the source `{named}` is of {date}, before the last one of the scale, `{id}` of {newer}: it cannot have confirmed the days to come"
        ),
        (Some(date), _) if checked.is_some_and(|checked| date < checked) => {
            let checked = checked.unwrap_or(date);
            say!(
                lang,
                "la source `{named}` est du {date}, et ce barème a été vérifié le {checked}, après elle : elle ne dit rien de plus des jours à venir",
                "the source `{named}` is of {date}, and this scale was checked on {checked}, after it: it says nothing more of the days to come"
            )
        }
        _ => return Ok(()),
    };

    let cure = say!(
        lang,
        "nommer le texte de l’année, avec sa date ; ou dire par `--because \"…\"` ce qui fait que celui-ci vaut pour ces jours.",
        "name the text of the year, with its date; or say by `--because \"…\"` why this one holds for these days."
    );
    let node = own.source(named).or(last.map(|(.., node)| node));
    Err(refusal(&cause, &place(files, own, node), &cure, session))
}

/// Refuses to strike off an awaited text of one year by texts of other years.
pub(super) fn check_year(
    awaited: &str,
    read: &[ReadText],
    place: &str,
    session: &Session,
) -> Result<(), Failure> {
    let years = years_of_scale(awaited);
    let other = read.iter().find(|text| {
        let own = years_of_scale(&text.title);
        !own.is_empty() && !own.iter().any(|year| years.contains(year))
    });
    let is_answered = || {
        let own = read.iter().flat_map(|text| years_of_scale(&text.title));
        own.into_iter().any(|year| years.contains(&year))
    };
    let Some(other) = other.filter(|_| !years.is_empty() && !is_answered()) else {
        return Ok(());
    };

    let (lang, id, title) = (session.lang, &other.id, &other.title);
    let cause = say!(
        lang,
        "le texte attendu est d’une autre année que la source `{id}` : « {awaited} », et « {title} »",
        "the awaited text is of another year than the source `{id}`: \"{awaited}\", and \"{title}\""
    );
    let cure = say!(
        lang,
        "donner par `--source` le texte attendu, une fois paru.",
        "give by `--source` the text that is awaited, once it is out."
    );
    Err(refusal(&cause, place, &cure, session))
}
