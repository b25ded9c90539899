//! `bareme diff`: two editions of a scale side by side, then what they change for those who pay.

mod effect;
mod figures;

use std::path::PathBuf;

use bareme_engine::{Edition, Folder};
use jiff::civil::Date;
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::chart;
use crate::curve::{Axis, Household};
use crate::page::{Cell, Page, Table, Tone};
use crate::rule_files::{RuleFiles, folder};
use crate::session::{Exit, Failure, Outcome, Session, say};
use crate::target::query;

/// Compare two editions of a scale: the figures, then the effect on those who pay
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of rules, like `salaire-net/ci`
    #[arg(value_name = "FOLDER")]
    name: String,
    /// Years or days of the two editions, the older first; one alone is compared with the one before it, and
    /// none is the last
    #[arg(value_name = "DATE", num_args = 0..=2)]
    dates: Vec<String>,
    /// Show the figures that did not change too
    #[arg(long)]
    all: bool,
    /// Range of incomes, like `1000..8000`; that of the worked cases if absent
    #[arg(long, value_name = "RANGE")]
    range: Option<String>,
    /// A household to look at, like `"parts=2 statut=cadre"`; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    household: Vec<String>,
    /// The amount of the answer that is looked at, like `cout_employeur`: an option that has it is switched on
    #[arg(long, value_name = "FIELD")]
    field: Option<String>,
    /// Draw both editions to this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let rules = RuleFiles::find(session, &[])?.read_about(&[&args.name], session)?;
    let folder = folder(&rules, &args.name, session)?;
    let (old, new) = editions(args, folder, session)?;
    let axis = axis(args, folder, session)?;
    let mut outcome = compared(args, folder, old, new, session);
    if let Some(axis) = axis {
        let seen = View::new(args, &axis, old, new, session)?;
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
    session.show(&outcome)?;
    Ok(Exit::Fine)
}

/// What the effect is looked at on; a field that is named must be there.
fn axis<'f>(args: &Args, folder: &'f Folder, session: &Session) -> Result<Option<Axis<'f>>, Failure> {
    let axis = Axis::of(folder, args.field.as_deref());
    let (Some(field), None) = (&args.field, &axis) else { return Ok(axis) };
    let fields = folder.fields().into_iter().filter(|field| field.json_type() == "number");
    let known = fields.map(|field| field.name.as_str()).collect::<Vec<_>>().join(", ");
    Err(Failure::unusable(say!(
        session.lang,
        "`{field}` n'est pas un nombre de la réponse : {known}.",
        "`{field}` is no number of the answer: {known}."
    )))
}

/// From where the effect of two editions is looked at.
struct View {
    old: Date,
    new: Date,
    range: (Decimal, Decimal),
    households: Vec<Household>,
}

impl View {
    fn new(args: &Args, axis: &Axis, old: &Edition, new: &Edition, session: &Session) -> Result<Self, Failure> {
        let date = |edition: &Edition| edition.scale().map(|scale| scale.date).unwrap_or_default();
        let range = match &args.range {
            Some(text) => range(text, session)?,
            None => axis.usual_range().unwrap_or((Decimal::ONE_HUNDRED, Decimal::from(10_000))),
        };
        let mut households = Vec::new();
        for words in &args.household {
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            households.push(Household { query: query(&words, session)? });
        }
        if households.is_empty() {
            households = Household::typical(new.method(), axis);
        }
        Ok(Self { old: date(old), new: date(new), range, households })
    }
}

fn range(text: &str, session: &Session) -> Result<(Decimal, Decimal), Failure> {
    let ends = text.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    ends.filter(|(low, high)| low < high).ok_or_else(|| {
        Failure::unusable(say!(
            session.lang,
            "`{text}` n'est pas un intervalle : écrire `1000..8000`.",
            "`{text}` is not a range: write `1000..8000`."
        ))
    })
}

/// The two editions asked for: of a year, that of its first day.
fn editions<'f>(args: &Args, folder: &'f Folder, session: &Session) -> Result<(&'f Edition, &'f Edition), Failure> {
    let find = |text: &String| {
        let date = if text.len() == 4 { format!("{text}-01-01") } else { text.clone() };
        let index = date.parse::<Date>().ok().and_then(|date| {
            let in_force = |edition: &Edition| edition.scale().is_some_and(|scale| scale.date <= date);
            folder.editions().iter().rposition(in_force)
        });
        index.ok_or_else(|| {
            let path = folder.path();
            let days = folder.editions().iter().filter_map(|edition| Some(edition.scale()?.date.to_string()));
            let days = days.collect::<Vec<_>>().join(", ");
            Failure::unusable(say!(
                session.lang,
                "`{path}` n'a pas de barème pour `{text}` : écrire une année ou un jour. Barèmes : {days}.",
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

/// The figures of two editions.
fn compared(args: &Args, folder: &Folder, old: &Edition, new: &Edition, session: &Session) -> Outcome {
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
    Outcome { page, json, annotations: Vec::new() }
}

/// Both editions for the first household: the result, and the rates if the result is a net.
fn drawing(axis: &Axis, seen: &View, session: &Session) -> String {
    let household = seen.households.first().cloned().unwrap_or_default();
    let curve = |date: Date| chart::Curve {
        name: date.to_string(),
        points: axis.points(seen.range, chart::PARTS, &household, date),
    };
    chart::draw(axis, &[curve(seen.old), curve(seen.new)], session.lang)
}
