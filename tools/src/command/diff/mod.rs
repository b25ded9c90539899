//! `bareme diff`: compares two editions of a scale, figure by figure, then by their effect on
//! households.

mod callers;
mod effect;
pub(crate) mod figures;
mod household;

use std::path::PathBuf;

use bareme_engine::Folder;
use bareme_engine::run::Edition;
use bareme_engine::run::curve::amounts;
use bareme_engine::set::moved::moved_fields;
use bareme_show::curve::Axis;
use bareme_show::{Cell, Table, Tone, say};
use jiff::civil::Date;
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::days::{day, edition_on};
use crate::drawing;
use crate::format::unique;
use crate::moved::Moved;
use crate::page::Page;
use crate::rule_files::{RuleFiles, folder, folder_name};
use crate::session::{Exit, Failure, Outcome, Session};
use crate::user_input::number;

use household::Pair;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "FOLDER", value_parser = folder_name)]
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
    #[arg(long)]
    with_callers: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    // 1. The two editions, and the axes of the effect; a scale without income has none.
    let files = RuleFiles::find(session, &[])?;
    let rules = files.read_about(&[&args.name], session)?;
    let folder = folder(&rules, &args.name, session)?;
    let (old, new) = editions(args, folder, session)?;
    let axis = axis(args, folder, session)?;

    // 2. The figures, then the effect on households.
    let (mut outcome, changed) = compared(args, folder, old, new, session);
    let seen = axis
        .as_ref()
        .map(|axis| View::new(args, axis, folder, [old, new], session))
        .transpose()?;

    let moved = moved(
        folder,
        [old, new],
        axis.as_ref().zip(seen.as_ref()),
        &changed,
    );

    let mut effect = None;
    if let (Some(axis), Some(seen)) = (&axis, &seen) {
        effect = Some(effect::show(
            axis,
            seen,
            &moved,
            new,
            &mut outcome.page,
            session,
        ));
        // The drawing is written to a file: a terminal cannot show it.
        if let Some(path) = &args.plot {
            std::fs::write(path, drawing(axis, seen, session))?;
            let path = path.display();
            outcome.page.toned(
                say!(session.lang, "Dessin : {path}", "Drawing: {path}"),
                Tone::Dim,
            );
        }
    }

    // What each figure moves comes after the effect, which it explains.
    moved.show(&mut outcome.page, session.lang);
    let days = [old, new].map(|edition| edition.scale().map(|scale| scale.date));
    let callers = match days {
        [Some(old), Some(new)] if args.with_callers => Some(callers::show(
            &files,
            folder.path(),
            [old, new],
            &mut outcome.page,
            session,
        )),
        _ => None,
    };

    // The JSON of the figures gets the other parts as members.
    if let Value::Object(members) = &mut outcome.json {
        let own = moved.to_json(["chiffre", "champs", "refus", "calculs"]);
        members.extend(effect.map(|effect| ("effet".to_owned(), effect)));
        members.insert("champs_changes".to_owned(), own);
        members.extend(callers.map(|callers| ("appele_par".to_owned(), callers)));
    }

    session.show(&outcome)
}

/// What each changed figure moves, over the worked cases and the households that are compared.
fn moved(
    folder: &Folder,
    editions: [&Edition; 2],
    shown: Option<(&Axis, &View)>,
    changed: &[String],
) -> Moved {
    let queries = shown
        .map(|(axis, seen)| seen.queries(axis))
        .unwrap_or_default();

    let changed: Vec<&str> = changed.iter().map(String::as_str).collect();
    let measure = shown.map(|(axis, _)| [axis.field.clone(), axis.field_label.clone()]);
    let [_, after] = editions;

    Moved::new(
        moved_fields(folder, editions, &changed, &queries),
        measure,
        after,
    )
}

/// The axes of the effect; a named field must exist.
fn axis<'f>(
    args: &Args,
    folder: &'f Folder,
    session: &Session,
) -> Result<Option<Axis<'f>>, Failure> {
    let axis = Axis::new(folder, args.field.as_deref());
    let (Some(field), None) = (&args.field, &axis) else {
        return Ok(axis);
    };

    // The field is not a number of the answer: those that could be drawn are named.
    let fields = folder
        .fields()
        .into_iter()
        .filter(|field| field.json_type() == "number");
    let names = fields
        .map(|field| field.name.as_str())
        .collect::<Vec<_>>()
        .join(", ");

    Err(Failure::unusable(say!(
        session.lang,
        "`{field}` n’est pas un nombre de la réponse : {names}.",
        "`{field}` is no number of the answer: {names}."
    )))
}

/// Editions and questions on which an effect is computed.
struct View {
    old: Date,
    new: Date,
    range: (Decimal, Decimal),
    households: Vec<Pair>,
    /// Number of households that both editions calculated.
    tried: usize,
}

/// Incomes of each household at which it is asked what a changed figure moves.
const ASKED: u32 = 24;

impl View {
    fn new(
        args: &Args,
        axis: &Axis,
        folder: &Folder,
        editions: [&Edition; 2],
        session: &Session,
    ) -> Result<Self, Failure> {
        // A method without a usual range has no incomes in its cases: any wide range will do.
        let range = match &args.range {
            Some(text) => range(text, session)?,
            None => axis
                .usual_range()
                .unwrap_or((Decimal::ONE_HUNDRED, Decimal::from(10_000))),
        };

        let [old, new] =
            editions.map(|edition| edition.scale().map(|scale| scale.date).unwrap_or_default());
        let households = household::named(args, axis, folder, editions, session)?;

        let seen = Self {
            old,
            new,
            range,
            tried: households.len(),
            households,
        };

        if seen.households.is_empty() {
            // Without named households, those are shown that the changes concern.
            return effect::pick_households(
                axis,
                seen,
                household::candidates(axis, folder, editions),
                session,
            );
        }

        effect::check_answered(axis, &seen, session)?;
        Ok(seen)
    }

    /// Questions about its households, as the later edition sees them, at incomes of the whole
    /// range.
    fn queries(&self, axis: &Axis) -> Vec<Vec<(String, String)>> {
        let incomes = amounts(self.range, ASKED, axis.decimals);

        // The household after is used, since the later edition computes what is moved.
        let of_household = |pair: &Pair| {
            incomes
                .iter()
                .map(|income| axis.query(*income, &pair.after))
                .collect::<Vec<_>>()
        };

        self.households.iter().flat_map(of_household).collect()
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

    // An empty range has no incomes.
    if low < high {
        Ok((low, high))
    } else {
        Err(wrong())
    }
}

/// The two editions asked for; for a year, the one on its first day.
fn editions<'f>(
    args: &Args,
    folder: &'f Folder,
    session: &Session,
) -> Result<(&'f Edition, &'f Edition), Failure> {
    let find = |text: &String| -> Result<Option<usize>, Failure> {
        let found = edition_on(folder, day(text, session)?, text, session)?;
        Ok(folder
            .editions()
            .iter()
            .position(|edition| edition.is_of_file_of(found)))
    };

    let (from, to) = match args.dates.as_slice() {
        [from, to, ..] => (Some(from), Some(to)),
        [to] => (None, Some(to)),
        [] => (None, None),
    };

    // Without dates, the last edition is compared with the one before it.
    let last = folder.editions().len().checked_sub(1);
    let new = to.map(find).transpose()?.flatten().or(last);
    let old = from
        .map(find)
        .transpose()?
        .flatten()
        .or(new.and_then(|new| new.checked_sub(1)));

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

/// The figures of two editions side by side, with the names of the changed ones.
fn compared(
    args: &Args,
    folder: &Folder,
    old: &Edition,
    new: &Edition,
    session: &Session,
) -> (Outcome, Vec<String>) {
    let lang = session.lang;
    let date = |edition: &Edition| {
        edition
            .scale()
            .map(|scale| scale.date.to_string())
            .unwrap_or_default()
    };

    let (from, to) = (date(old), date(new));

    let title = folder.title();
    let mut page = Page::titled(say!(
        lang,
        "{title} : du {from} au {to}",
        "{title}: from {from} to {to}"
    ));

    let lines = figures::lines(old, new, lang);
    // The number is of all figures, the table of those to be shown.
    let changed = lines.iter().filter(|line| !line.change.is_empty()).count();

    let mut table = Table::default()
        .text(say!(lang, "Chiffre", "Figure"))
        .number(&from)
        .number(&to)
        .number(say!(lang, "Écart", "Change"));

    for line in lines
        .iter()
        .filter(|line| args.all || !line.change.is_empty())
    {
        let cell =
            |value: &Option<String>| Cell::from(value.clone().unwrap_or_else(|| "–".to_owned()));
        table.row([
            line.label.as_str().into(),
            cell(&line.old),
            cell(&line.new),
            Cell::toned(&line.change, Tone::Strong),
        ]);
    }

    if old.method().name != new.method().name {
        // A change of method explains more than the figures: it is named.
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
        0 => say!(
            lang,
            "Aucun des {all} chiffres ne change.",
            "None of the {all} figures changes."
        ),
        _ => say!(
            lang,
            "{changed} chiffres sur {all} changent.",
            "{changed} figures out of {all} change."
        ),
    });

    if !table.is_empty() {
        page.table(table);
    }

    let listed = lines
        .iter()
        .filter(|line| args.all || !line.change.is_empty());
    let listed = listed.map(|line| {
        json!({
            "chiffre": line.label,
            "avant": line.old,
            "apres": line.new,
            "ecart": line.change,
        })
    });
    let json = json!({
        "bareme": folder.path(),
        "de": from,
        "a": to,
        "chiffres": listed.collect::<Vec<_>>(),
    });

    let names = unique(
        lines
            .into_iter()
            .filter(|line| !line.change.is_empty())
            .map(|line| line.figure),
    );

    (
        Outcome {
            page,
            json,
            annotations: Vec::new(),
        },
        names,
    )
}

/// A chart of both editions for the first household: the result, and the rates if it is a net.
fn drawing(axis: &Axis, seen: &View, session: &Session) -> String {
    let pair = seen.households.first().cloned().unwrap_or_default();
    let curve = |household, date: Date| {
        (
            date.to_string(),
            axis.points(
                seen.range,
                (drawing::POINTS, axis.decimals),
                household,
                date,
            ),
        )
    };

    // Each edition draws its own household: an input may have another name in it.
    let editions = [curve(&pair.before, seen.old), curve(&pair.after, seen.new)];
    drawing::draw(axis, &editions, session.lang).unwrap_or_default()
}
