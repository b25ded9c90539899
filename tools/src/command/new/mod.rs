//! `bareme new`: creates the dated file of a day from the one before, with every figure to be
//! confirmed.

mod all;
mod dated;
mod first_day;
mod indexation;
mod text;

use std::path::PathBuf;

use bareme_engine::authoring::Node;
use bareme_engine::law::Scale;
use bareme_engine::run::Edition;
use bareme_engine::text::RuleFile;
use bareme_engine::{Folder, Report};
use bareme_show::{Cell, Locale, Table, Tone, say};
use jiff::civil::Date;
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::format::rule_number;
use crate::page::Page;
use crate::rule_files::{RuleFiles, folder, folder_name};
use crate::series::Series;
use crate::session::{Exit, Failure, Format, Outcome, Session};
use crate::{prompt, save};
use dated::dated_figures;
use indexation::{Adjustment, Proposal, Rate, proposals};
use text::next_text;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "FOLDER", value_parser = folder_name)]
    name: String,
    #[arg(value_name = "DATE", required_unless_present = "all")]
    from: Option<Date>,
    #[arg(long)]
    all: bool,
    #[arg(long, value_name = "RATE")]
    index: Vec<String>,
    #[arg(long, value_name = "UNIT", requires = "index")]
    round: Option<Decimal>,
    #[arg(long, conflicts_with = "all")]
    carry: bool,
    #[arg(long, conflicts_with = "all")]
    print: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    let files = RuleFiles::find(session, &[])?;
    // Without a folder the name is a day: each dated folder gets its file.
    if args.all {
        return all::run(args, &files, session);
    }

    let Some(from) = args.from else {
        return Err(no_day(&args.name, session));
    };

    let rules = files.read_drafts_about(&args.name, session)?;
    let folder = folder(&rules, &args.name, session)?;
    // Rates are resolved before anything is written: a misspelt figure would keep its amount.
    let rates = rates(&args.index, folder, session)?;

    let mut draft = NewFile {
        from,
        rates: &rates,
        round: args.round,
        carries: args.carry,
    };

    let later = later(folder, from);
    // Asked before the lock is taken, so that no other command waits for the answer.
    if !later.is_empty() && !args.carry && !args.print && prompt::is_interactive() {
        draft.carries = confirm_carry(&later, session)?;
    }

    let lock = files.lock(session)?;
    let next = Next::new(folder, &draft, &files, session)?;

    if args.print && session.format == Format::Text {
        session.print(&next.text)?;
        return Ok(Exit::Fine);
    }

    // `create` refuses a file that is there: the lock keeps other commands from writing it
    // meanwhile.
    if !args.print {
        save::create(&next.path, &next.text)?;
    }

    drop(lock);
    session.show(&outcome(&next, folder, session))
}

fn no_day(received: &str, session: &Session) -> Failure {
    Failure::unusable(say!(
        session.lang,
        "`{received}` n’est pas une date : écrire `bareme new --all 2027-01-01`.",
        "`{received}` is not a date: write `bareme new --all 2027-01-01`."
    ))
}

/// The first days of later files.
fn later(folder: &Folder, from: Date) -> Vec<Date> {
    folder
        .editions()
        .iter()
        .filter_map(Edition::scale)
        .map(|scale| scale.date)
        .filter(|date| *date > from)
        .collect()
}

fn confirm_carry(later: &[Date], session: &Session) -> Result<bool, Failure> {
    // Every later file is named, since each may have been prepared by somebody else.
    let days = later
        .iter()
        .map(Date::to_string)
        .collect::<Vec<_>>()
        .join(", ");

    prompt::confirmed(
        &say!(
            session.lang,
            "Des fichiers suivent ce jour : {days}. Y écrire aussi ce que celui-ci changera ? [o/N] ",
            "Files follow this day: {days}. Write what this one changes into them too? [y/N] "
        ),
        session,
    )
}

/// The file to create.
struct NewFile<'a> {
    from: Date,
    rates: &'a [Rate],
    round: Option<Decimal>,
    carries: bool,
}

/// A proposed dated file.
struct Next<'f> {
    path: PathBuf,
    text: String,
    /// The scale that it is copied from, the one before its day.
    last: &'f Scale,
    proposals: Vec<Proposal>,
    /// Figures that the method gives until a day before its own, which are left out.
    ended: Vec<String>,
    /// Figures that the method gives from its day on, or from one since the last scale.
    starting: Vec<String>,
    /// Worked cases for its days: their expected values were computed with another scale.
    asking: Vec<&'f str>,
    /// The days of later files, and whether changes are carried into them.
    later: Vec<Date>,
    carries: bool,
}

impl<'f> Next<'f> {
    fn new(
        folder: &'f Folder,
        requested: &NewFile,
        files: &RuleFiles,
        session: &Session,
    ) -> Result<Self, Failure> {
        let from = requested.from;

        let last = scale_before(from, folder, session)?;
        // Dated files are named by the first day of their scale.
        let path = |date: Date| files.root.join(folder.path()).join(format!("{date}.yaml"));

        let text = std::fs::read_to_string(path(last.date))?;
        let file = RuleFile::new(format!("{}/{}.yaml", folder.path(), last.date), text);
        let Some(node) = Node::read(&file, &mut Report::default()) else {
            return Err(Failure::unusable(file.path()));
        };

        // The other files are read only where an index asks for their history.
        let proposals = match requested.rates {
            [] => Vec::new(),
            rates => {
                let series = Series::read(files, folder.path(), session)?;
                series
                    .on(last.date)
                    .map(|last| proposals(&series, last, rates, requested.round, session.lang))
                    .unwrap_or_default()
            }
        };

        // Changes are carried into later files, which the new one would otherwise change only until
        // them.
        let later = later(folder, from);
        let carries = requested.carries && !later.is_empty();
        let (ended, starting) = dated_figures(folder, last.date, from);
        let text = next_text(&file, &node, from, last, &proposals, &ended, carries);

        // The cases of the days that the new scale covers were computed with the last one.
        let is_asked = |day: &Date| *day >= from && later.first().is_none_or(|later| day < later);
        let asking = folder
            .cases()
            .iter()
            .filter(|case| case.date().as_ref().is_some_and(is_asked));
        let asking = asking.map(|case| case.name.as_str()).collect();

        Ok(Self {
            path: path(from),
            text,
            last,
            proposals,
            ended,
            starting,
            asking,
            later,
            carries,
        })
    }

    /// Its figures, all to be confirmed.
    fn count(&self) -> usize {
        self.last.figures.len().saturating_sub(self.ended.len())
    }
}

/// The scale before a day.
fn scale_before<'f>(
    from: Date,
    folder: &'f Folder,
    session: &Session,
) -> Result<&'f Scale, Failure> {
    let path = folder.path();

    let scales: Vec<&Scale> = folder
        .editions()
        .iter()
        .filter_map(Edition::scale)
        .collect();
    // A second file of one day would be an error of the set.
    if scales.iter().any(|scale| scale.date == from) {
        return Err(Failure::unusable(say!(
            session.lang,
            "`{path}` a déjà un barème du {from} : donner un autre jour.",
            "`{path}` has a scale of {from} already: give another day."
        )));
    }

    scales
        .into_iter()
        .rev()
        .find(|scale| scale.date < from)
        .ok_or_else(|| {
            Failure::unusable(say!(
                session.lang,
                "`{path}` n’a pas de barème avant le {from}.",
                "`{path}` has no scale before {from}."
            ))
        })
}

/// A rate with an optional name on the command line: `1.1%`, `bareme=1.1%`.
fn named_rate<'t>(text: &'t str, session: &Session) -> Result<(Option<&'t str>, Decimal), Failure> {
    // Without an equals sign the rate is for all.
    let (name, rate) = text
        .split_once('=')
        .map_or((None, text), |(name, rate)| (Some(name.trim()), rate));
    // A French percentage may have a decimal comma.
    let value = rate
        .trim()
        .strip_suffix('%')
        .and_then(|rate| rate.trim().replace(',', ".").parse::<Decimal>().ok());

    match value.and_then(|value| value.checked_div(Decimal::ONE_HUNDRED)) {
        Some(value) => Ok((name, value)),
        None => Err(not_understood(text, session)),
    }
}

fn not_understood(text: &str, session: &Session) -> Failure {
    Failure::unusable(say!(
        session.lang,
        "`{text}` n’est pas compris : écrire `--index 1.1%`, ou `--index chiffre=1.1%` avec un chiffre du barème ; avec `--all`, `--index ir=1.1%` avec un dossier ou un chiffre.",
        "`{text}` is not understood: write `--index 1.1%`, or `--index figure=1.1%` with a figure of the scale; with `--all`, `--index ir=1.1%` with a folder or a figure."
    ))
}

fn has_figure(folder: &Folder, name: &str) -> bool {
    folder.latest().is_some_and(|edition| {
        edition
            .method()
            .figures()
            .iter()
            .any(|shape| shape.name == name && shape.shared.is_none())
    })
}

/// The rate for each figure of a folder; one without a name is for all.
fn rates(texts: &[String], folder: &Folder, session: &Session) -> Result<Vec<Rate>, Failure> {
    let rate = |text: &String| {
        let (name, rate) = named_rate(text, session)?;
        // A name that no figure has would index nothing, without an error.
        if name.is_some_and(|name| !has_figure(folder, name)) {
            return Err(not_understood(text, session));
        }
        Ok(Rate {
            figure: name.map(str::to_owned),
            rate,
        })
    };
    texts.iter().map(rate).collect()
}

fn outcome(next: &Next, folder: &Folder, session: &Session) -> Outcome {
    let lang = session.lang;
    let Next {
        path,
        last,
        proposals,
        asking,
        ..
    } = next;
    let (shown, from, figures) = (path.display(), last.date, next.count());

    // The page says what was copied and proposed, and what is left to do.
    let mut page = Page::titled(shown.to_string());
    page.text(say!(
        lang,
        "Copie du barème du {from} : {figures} chiffres à confirmer.",
        "Copy of the scale of {from}: {figures} figures to confirm."
    ));

    let differing = next.differing(lang);
    if !differing.is_empty() {
        page.list(differing);
    }

    if !proposals.is_empty() {
        indexed(proposals, &from.to_string(), &mut page, session);
    }

    followed(next, &mut page, session);

    if !asking.is_empty() {
        page.heading(say!(
            lang,
            "Cas qui interrogent déjà ces jours : leurs valeurs viennent d’un autre barème",
            "Cases that ask about these days already: their values come from another scale"
        ));
        page.list(asking.iter().map(|name| (*name).to_owned()).collect());
        let folder = folder.path();
        page.text(say!(
            lang,
            "Une fois les chiffres confirmés, `bareme test {folder} --drafts --update` les récrit avec ce barème et les dit `computed` : les refaire ensuite à la main, et dire leur origine.",
            "Once the figures are confirmed, `bareme test {folder} --drafts --update` rewrites them with this scale and says that they are `computed`: work them out by hand then, and say their origin."
        ));
    }

    page.heading(say!(lang, "À faire", "To do"));
    page.list(vec![
        say!(lang, "Lire chaque chiffre dans le nouveau texte, le corriger, nommer sa source, puis le confirmer (`bareme confirm`).", "Read each figure in the new text, fix it, name its source, then confirm it (`bareme confirm`)."),
        say!(lang, "Revoir `title`, `citation`, `sources`, `note`.", "Look at `title`, `citation`, `sources`, `note` again."),
        say!(lang, "Ajouter des cas à `cases.yaml`, puis `bareme check` et `bareme test`.", "Add cases to `cases.yaml`, then `bareme check` and `bareme test`."),
        say!(lang, "Tant qu’un chiffre reste à confirmer, ce fichier est un brouillon : rien d’autre ne l’attend, et `--drafts` calcule avec lui.", "As long as a figure is to be confirmed, this file is a draft: nothing else waits for it, and `--drafts` computes with it."),
    ]);

    let json = json!({
        "fichier": shown.to_string(), "bareme": folder.path(), "copie_de": from.to_string(), "a_confirmer": figures, "cas_a_refaire": asking,
        "propositions": proposals.iter().map(as_json).collect::<Vec<_>>(),
        "fichiers_suivants": next.later.iter().map(Date::to_string).collect::<Vec<_>>(), "reporte": next.carries,
    });

    Outcome {
        page,
        json,
        annotations: Vec::new(),
    }
}

fn as_json(proposal: &Proposal) -> Value {
    match &proposal.fate {
        Adjustment::Moved { new, unit, .. } => {
            json!({"chiffre": proposal.label, "avant": proposal.old, "propose": rule_number(*new), "arrondi": rule_number(*unit)})
        }
        Adjustment::Left(reason) => {
            json!({"chiffre": proposal.label, "avant": proposal.old, "laisse": reason})
        }
    }
}

/// The table of indexed amounts, each with its rounding, or the reason why it was not adjusted.
fn indexed(proposals: &[Proposal], from: &str, page: &mut Page, session: &Session) {
    let lang = session.lang;
    page.heading(say!(
        lang,
        "Montants indexés, et ceux que l’indice laisse",
        "Indexed amounts, and those that the index leaves"
    ));

    let mut table = Table::default()
        .text(say!(lang, "Chiffre", "Figure"))
        .number(from.to_owned())
        .number(say!(lang, "Proposé", "Proposed"))
        .number(say!(lang, "Écart", "Change"))
        .text(say!(lang, "Arrondi à, ou laissé", "Rounded to, or left"));

    // Numbers are grouped for reading; the file has its own form.
    let number = |value: Decimal| Locale::from(lang).number(value);
    for proposal in proposals {
        let label = proposal.label.as_str();
        match &proposal.fate {
            Adjustment::Moved { old, new, unit } => {
                // The change is shown beside the rate of the index, which rounding may hide.
                let change = new
                    .saturating_sub(*old)
                    .checked_div(*old)
                    .unwrap_or_default();
                let change = Locale::from(lang).percent(change.round_dp(4));
                let new = Cell::toned(number(*new), Tone::Strong);
                table.row([
                    label.into(),
                    number(*old).into(),
                    new,
                    change.into(),
                    number(*unit).into(),
                ]);
            }
            Adjustment::Left(reason) => {
                let old = proposal.old.as_str();
                table.row([
                    label.into(),
                    old.into(),
                    "–".into(),
                    "–".into(),
                    reason.as_str().into(),
                ]);
            }
        }
    }

    page.table(table);
}

/// The later files, which undo a change unless it is carried into them.
fn followed(next: &Next, page: &mut Page, session: &Session) {
    let lang = session.lang;
    let days = next
        .later
        .iter()
        .map(Date::to_string)
        .collect::<Vec<_>>()
        .join(", ");

    // The usual case: the new file is the last one.
    if next.later.is_empty() {
        return;
    }

    let text = match next.carries {
        true => say!(
            lang,
            "Fichiers qui suivent : {days}. Chaque changement confirmé dans celui-ci y sera écrit aussi, là où ils ont la valeur précédente (`carry_forward: true`).",
            "Files that follow: {days}. Each change that is confirmed in this one is written into them too, where they have the value before (`carry_forward: true`)."
        ),
        false => say!(
            lang,
            "Fichiers qui suivent : {days}. Ils annuleront ce que celui-ci change, s’il n’y est pas écrit aussi : `bareme new … --carry` ou `bareme confirm … --carry` l’y écrit.",
            "Files that follow: {days}. They will undo what this one changes unless it is written into them too: `bareme new … --carry` or `bareme confirm … --carry` does so."
        ),
    };

    page.toned(text, Tone::Warning);
}
