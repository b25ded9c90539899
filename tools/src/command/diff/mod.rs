//! `bareme diff`: compares two editions of a scale, figure by figure, then by their effect on households.

mod effect;
pub(crate) mod figures;
mod household;

use std::path::PathBuf;

use bareme_engine::run::Edition;
use bareme_engine::{Folder, Lang};
use bareme_show::curve::Axis;
use bareme_show::{Cell, Table, Tone, say};
use jiff::civil::Date;
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::drawing;
use crate::page::Page;
use crate::rule_files::{RuleFiles, folder};
use crate::session::{Exit, Failure, Outcome, Session};
use crate::user_input::{argument, number};

use household::Pair;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "FOLDER")]
    name: String,
    #[arg(value_name = "DATE", num_args = 0..=2)]
    dates: Vec<String>,
    #[arg(long)]
    all: bool,
    #[arg(long, value_name = "RANGE")]
    range: Option<String>,
    #[arg(long, value_name = "NAME=VALUE")]
    household: Vec<String>,
    #[arg(long, value_name = "NAME=VALUE")]
    household_after: Vec<String>,
    #[arg(long, value_name = "FIELD")]
    field: Option<String>,
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let rules = RuleFiles::find(session, &[])?.read_about(&[&args.name], session)?;
    let folder = folder(&rules, &args.name, session)?;
    let (old, new) = editions(args, folder, session)?;
    let axis = axis(args, folder, session)?;
    let (mut outcome, changed) = compared(args, folder, old, new, session);
    warn_beyond(args, old, new, &mut outcome.page, session);
    if let Some(axis) = axis {
        let seen = View { changed, ..View::new(args, &axis, folder, [old, new], session)? };
        let json = effect::show(&axis, &seen, &mut outcome.page, session);
        if let Value::Object(members) = &mut outcome.json {
            members.insert("effet".to_owned(), json);
        }
        if let Some(path) = &args.plot {
            std::fs::write(path, drawing(&axis, &seen, session))?;
            let path = path.display();
            outcome.page.toned(say!(session.lang, "Dessin : {path}", "Drawing: {path}"), Tone::Dim);
        }
    }
    session.show(&outcome)
}

/// The axes of the effect; a named field must exist.
fn axis<'f>(args: &Args, folder: &'f Folder, session: &Session) -> Result<Option<Axis<'f>>, Failure> {
    let axis = Axis::new(folder, args.field.as_deref());
    let (Some(field), None) = (&args.field, &axis) else { return Ok(axis) };
    let fields = folder.fields().into_iter().filter(|field| field.json_type() == "number");
    let known = fields.map(|field| field.name.as_str()).collect::<Vec<_>>().join(", ");
    Err(Failure::unusable(say!(
        session.lang,
        "`{field}` n’est pas un nombre de la réponse : {known}.",
        "`{field}` is no number of the answer: {known}."
    )))
}

/// What the effect of two editions is computed on.
struct View {
    old: Date,
    new: Date,
    range: (Decimal, Decimal),
    households: Vec<Pair>,
    /// Number of households that both editions calculated.
    tried: usize,
    /// Number of changed figures.
    changed: usize,
}

impl View {
    fn new(
        args: &Args,
        axis: &Axis,
        folder: &Folder,
        editions: [&Edition; 2],
        session: &Session,
    ) -> Result<Self, Failure> {
        let range = match &args.range {
            Some(text) => range(text, session)?,
            None => axis.usual_range().unwrap_or((Decimal::ONE_HUNDRED, Decimal::from(10_000))),
        };
        let [old, new] = editions.map(|edition| edition.scale().map(|scale| scale.date).unwrap_or_default());
        let households = household::named(args, axis, folder, editions, session)?;
        let seen = Self { old, new, range, tried: households.len(), households, changed: 0 };
        if seen.households.is_empty() {
            return effect::pick_households(axis, seen, household::candidates(axis, folder, editions), session);
        }
        effect::check_answered(axis, &seen, session)?;
        Ok(seen)
    }
}

fn range(text: &str, session: &Session) -> Result<(Decimal, Decimal), Failure> {
    let wrong = || {
        Failure::unusable(say!(
            session.lang,
            "`{text}` n’est pas un intervalle : écrire `1000..8000`.",
            "`{text}` is not a range: write `1000..8000`."
        ))
    };
    let end = |text: &str| number(text, session)?.ok_or_else(wrong);
    let (low, high) = text.split_once("..").ok_or_else(wrong)?;
    let (low, high) = (end(low)?, end(high)?);
    if low < high { Ok((low, high)) } else { Err(wrong()) }
}

/// The day of an argument; for a year, its first day.
pub(crate) fn day(text: &str) -> Option<Date> {
    if text.len() == 4 { format!("{text}-01-01").parse().ok() } else { argument(text, Lang::Fr).ok()?.parse().ok() }
}

/// Warns of days after the last one that the scale was checked for.
fn warn_beyond(args: &Args, old: &Edition, new: &Edition, page: &mut Page, session: &Session) {
    for (text, edition) in args.dates.iter().rev().zip([new, old]) {
        let Some((day, scale)) = day(text).zip(edition.scale()) else { continue };
        if day > scale.known_until {
            let (date, until) = (scale.date, scale.known_until);
            page.toned(
                say!(
                    session.lang,
                    "{text} est au-delà du {until}, dernier jour vérifié : le barème du {date} en tient lieu.",
                    "{text} is beyond {until}, the last day that was checked: the scale of {date} stands for it."
                ),
                Tone::Warning,
            );
        }
    }
}

/// The two editions asked for; for a year, the one on its first day.
fn editions<'f>(args: &Args, folder: &'f Folder, session: &Session) -> Result<(&'f Edition, &'f Edition), Failure> {
    let find = |text: &String| {
        let index = day(text).and_then(|date| {
            let in_force = |edition: &Edition| edition.scale().is_some_and(|scale| scale.date <= date);
            folder.editions().iter().rposition(in_force)
        });
        index.ok_or_else(|| {
            let path = folder.path();
            let days = folder.editions().iter().filter_map(|edition| Some(edition.scale()?.date.to_string()));
            let days = days.collect::<Vec<_>>().join(", ");
            Failure::unusable(say!(
                session.lang,
                "`{path}` n’a pas de barème pour `{text}` : écrire une année ou un jour. Barèmes : {days}.",
                "`{path}` has no scale for `{text}`: write a year or a day. Scales: {days}."
            ))
        })
    };
    let (from, to) = match args.dates.as_slice() {
        [from, to, ..] => (Some(from), Some(to)),
        [to] => (None, Some(to)),
        [] => (None, None),
    };
    let last = folder.editions().len().checked_sub(1);
    let new = to.map(find).transpose()?.or(last);
    let old = from.map(find).transpose()?.or(new.and_then(|new| new.checked_sub(1)));
    let edition = |index: Option<usize>| index.and_then(|index| folder.editions().get(index));
    match (edition(old), edition(new)) {
        (Some(old_edition), Some(new_edition)) if old != new => Ok((old_edition, new_edition)),
        _ => Err(Failure::unusable(say!(
            session.lang,
            "Il faut deux barèmes datés différents à comparer (`bareme list` les donne).",
            "Two different dated scales are needed to compare (`bareme list` gives them)."
        ))),
    }
}

/// The figures of two editions side by side, with the number of changed ones.
fn compared(args: &Args, folder: &Folder, old: &Edition, new: &Edition, session: &Session) -> (Outcome, usize) {
    let lang = session.lang;
    let date = |edition: &Edition| edition.scale().map(|scale| scale.date.to_string()).unwrap_or_default();
    let (from, to) = (date(old), date(new));
    let title = folder.title();
    let mut page = Page::titled(say!(lang, "{title} : du {from} au {to}", "{title}: from {from} to {to}"));
    let lines = figures::lines(old, new, lang);
    let changed = lines.iter().filter(|line| !line.change.is_empty()).count();
    let mut table = Table::default()
        .text(say!(lang, "Chiffre", "Figure"))
        .number(&from)
        .number(&to)
        .number(say!(lang, "Écart", "Change"));
    for line in lines.iter().filter(|line| args.all || !line.change.is_empty()) {
        let cell = |value: &Option<String>| Cell::from(value.clone().unwrap_or_else(|| "–".to_owned()));
        table.row([
            line.label.as_str().into(),
            cell(&line.old),
            cell(&line.new),
            Cell::toned(&line.change, Tone::Strong),
        ]);
    }
    if old.method().name != new.method().name {
        let (before, after) = (&old.method().name, &new.method().name);
        page.toned(
            say!(
                lang,
                "La méthode change : `{before}.yaml`, puis `{after}.yaml`.",
                "The method changes: `{before}.yaml`, then `{after}.yaml`."
            ),
            Tone::Warning,
        );
    }
    let all = lines.len();
    page.text(match changed {
        0 => say!(lang, "Aucun des {all} chiffres ne change.", "None of the {all} figures changes."),
        _ => say!(lang, "{changed} chiffres sur {all} changent.", "{changed} figures out of {all} change."),
    });
    if !table.is_empty() {
        page.table(table);
    }
    let listed = lines.iter().filter(|line| args.all || !line.change.is_empty());
    let listed =
        listed.map(|line| json!({"chiffre": line.label, "avant": line.old, "apres": line.new, "ecart": line.change}));
    let json = json!({"bareme": folder.path(), "de": from, "a": to, "chiffres": listed.collect::<Vec<_>>()});
    (Outcome { page, json, annotations: Vec::new() }, changed)
}

/// A chart of both editions for the first household: the result, and the rates if it is a net.
fn drawing(axis: &Axis, seen: &View, session: &Session) -> String {
    let pair = seen.households.first().cloned().unwrap_or_default();
    let curve = |household, date: Date| (date.to_string(), axis.points(seen.range, drawing::POINTS, household, date));
    let editions = [curve(&pair.before, seen.old), curve(&pair.after, seen.new)];
    drawing::draw(axis, &editions, session.lang).unwrap_or_default()
}
