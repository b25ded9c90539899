//! `bareme impact`: the cost of a reform, its winners and losers, over a sample of a population.

mod arguments;
mod changed_figures;
mod columns;
mod compute;
mod distribution;
mod errors;
mod extremes;
mod grid;
mod inequality;
mod json;
pub mod library;
mod measures;
mod money;
mod replication;
mod report;
mod rows;
mod sample;
mod scale;
mod sides;
mod statistics;
mod sweep;
mod tables;
mod tally;
mod to_arrow;

use std::path::{Path, PathBuf};

use bareme_engine::service::Rules;
use bareme_engine::set::moved::moved_fields;
use bareme_engine::{FileSet, Lang};
use bareme_show::curve::Axis;
use bareme_show::say;
use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::format::unique;
use crate::hypothesis::{Hypothesis, HypotheticalRules};
use crate::moved::Moved;
use crate::progress::Progress;
use crate::quantity::Quantity;
use crate::rule_files::{RuleFiles, folder, folder_name};
use crate::session::{Exit, Failure, Outcome, Session};
use crate::user_input::column_mapping;

use arguments::{PARTS, axis, days, groupings};
use changed_figures::{ChangedFigure, changed_figures};
use columns::{income, income_label, unused};
use compute::{ImpactResult, Question};
use inequality::Inequality;
use measures::Measures;
use money::Totals;
use replication::{Replicate, Replication};
use sample::Sample;
use scale::Units;
use sides::{Side, Terms};
use sweep::Variants;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_name = "FOLDER", value_parser = folder_name)]
    name: String,
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[arg(long, value_name = "DATE")]
    before: Option<String>,
    #[arg(long, value_name = "DATE")]
    after: Option<String>,
    #[arg(long, value_name = "FOLDER")]
    rules_after: Option<PathBuf>,
    #[arg(long, value_name = "FIGURE=VALUE", value_parser = figure_value)]
    set: Vec<(String, String)>,
    #[command(flatten)]
    measures: Measures,
    #[arg(long, value_name = "COUNT")]
    round_floats: Option<u32>,
    #[arg(long, value_name = "FIGURE=RANGE")]
    figure: Vec<String>,
}

/// Two sets of rules, each on a day: what is compared.
struct Reform<'r> {
    path: &'r str,
    before: (&'r Rules, Date),
    after: (&'r Rules, Date),
}

/// Parses `figure=value` on the command line.
fn figure_value(text: &str) -> Result<(String, String), &'static str> {
    column_mapping(text).map_err(|_| "figure=value")
}

/// The computed effect of a reform.
struct Impact<'i> {
    question: &'i Question<'i>,
    found: ImpactResult,
    units: Units,
    quantity: Quantity,
    field: String,
    field_label: String,
    /// The income that rates are of, and the amount of which the marginal rate takes 100 more.
    income_label: String,
    raised_label: String,
    changed: Vec<ChangedFigure>,
    moved: Moved,
    inequality: Option<Inequality>,
    /// The same sums by other weights, for standard errors.
    replicates: Vec<Replicate>,
    /// How sums of amounts are shown.
    totals: Totals,
    /// Unused columns of the sample.
    unused: Vec<String>,
    lang: Lang,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Exit, Failure> {
    // 1. Both sets of rules, which are the same without `--rules-after` and `--set`.
    let rule_files = RuleFiles::find(session, &[])?;
    let rules = rule_files.read_about(&[&args.name], session)?;
    let root = args.rules_after.as_ref().unwrap_or(&rule_files.root);
    let other = args
        .rules_after
        .as_ref()
        .map(|root| RuleFiles::of(root.clone()).read_about(&[&args.name], session));
    let other = other.transpose()?;

    let after_rules = other.as_ref().unwrap_or(&rules);
    let path = folder(&rules, &args.name, session)?.path().to_owned();

    // 2. The days, and the figures that are set in the scale after.
    let [before, after] = days(args, &rules, after_rules, &path, session)?;
    let hypothesis = set_figures(args, after_rules, root, &path, after, session)?;
    let after_rules = hypothesis.as_ref().map_or(after_rules, |set| &set.rules);

    // 3. A sweep over a figure, or the effect of the reform.
    let reform = Reform {
        path: &path,
        before: (&rules, before),
        after: (after_rules, after),
    };
    let mut sample = Sample::open(&args.file, args.round_floats, session)?;

    let outcome = reform.asked(
        &mut sample,
        &args.measures,
        session,
        |question, axis, after| {
            if !args.figure.is_empty() {
                let files = hypothesis.as_ref().map(|set| set.files.clone());
                let files = files.unwrap_or_else(|| FileSet::read(root));
                let rules = Variants {
                    files: &files,
                    terms: after,
                    axis,
                };
                let totals = question.totals(args.measures.totals_in);
                return match args.figure.as_slice() {
                    [figure] => sweep::run(figure, question, &rules, &totals, session),
                    figures => grid::run(figures, question, &rules, &totals, session),
                };
            }

            let impact = impact(&args.measures, question, axis, session)?;
            Ok(Outcome {
                page: impact.page(),
                json: impact.to_json(),
                annotations: Vec::new(),
            })
        },
    )?;
    session.show(&outcome)
}

/// The rules after with the figures of `--set`, in the scale of the day alone; `None` without any.
fn set_figures(
    args: &Args,
    rules: &Rules,
    root: &Path,
    path: &str,
    day: Date,
    session: &Session,
) -> Result<Option<HypotheticalRules>, Failure> {
    if args.set.is_empty() {
        return Ok(None);
    }

    let hypothesis = Hypothesis {
        figures: &args.set,
        folder: Some(path),
        since: day,
        until: Some(day),
        drafts: session.drafts,
        lang: session.lang,
    };
    let loaded = hypothesis.load(&FileSet::read(root), rules, &[path]);
    loaded
        .map(Some)
        .map_err(|error| match error.mistakes.is_empty() {
            true => Failure::unusable(error.message),
            false => Failure::wrong(error.message),
        })
}

impl Reform<'_> {
    /// Asks what the reform changes for a sample, and answers by a function.
    fn asked<T>(
        &self,
        sample: &mut Sample,
        measures: &Measures,
        session: &Session,
        answer: impl FnOnce(&Question, &Axis, &Terms) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Self {
            path,
            before: (rules, before),
            after: (after_rules, after),
        } = *self;

        // 1. The field that is compared, and both sides. `--map-after` comes first, so that it
        // replaces `--map` for the same column.
        let axis = axis(measures.field.as_deref(), after_rules, path, session)?;
        let maps = &measures.map;
        let maps_after: Vec<_> = measures.map_after.iter().chain(maps).cloned().collect();
        for (column, _) in &maps_after {
            sample.column(column)?;
        }

        let terms = Terms {
            rules,
            path,
            day: before,
            maps,
        };
        let terms_after = Terms {
            rules: after_rules,
            path,
            day: after,
            maps: &maps_after,
        };
        let before = Side::new(&terms, &axis, sample, session)?;
        let after = Side::new(&terms_after, &axis, sample, session)?;

        // 2. The columns that are not parameters, whose numbers are read as they are shown.
        let column = |name: &Option<String>| name.as_deref().map(|name| sample.column(name));
        let weight = column(&measures.weight).transpose()?;
        let consumption = column(&measures.unit).transpose()?;
        let named_income = column(&measures.income).transpose()?;
        let replication = Replication::new(&measures.precision, sample, session)?;

        let is_input = |column: &usize| {
            [&before, &after]
                .iter()
                .any(|side| side.columns.iter().any(|(own, _)| own == column))
        };

        let grouped = measures.by.iter().map(|text| {
            text.split_once(':')
                .map_or(text.as_str(), |(_, column)| column)
        });
        let grouped = grouped
            .filter_map(|name| sample.column(name).ok())
            .filter(|column| !is_input(column));

        let others: Vec<usize> = weight
            .into_iter()
            .chain(consumption)
            .chain(named_income.filter(|column| !is_input(column)))
            .chain(replication.columns().iter().copied())
            .chain(grouped)
            .collect();
        sample.read_as_shown(&others)?;

        // 3. The question. Decimals are the most of both sides, so that differences are exact.
        let role = measures.gain.map_or(axis.role, |gain| gain.role(axis.role));
        let income = income(&before, &axis, role);
        let groupings = groupings(&measures.by, sample, weight, session)?;
        let decimals = before.decimals().max(after.decimals());

        let question = Question {
            sample,
            before: &before,
            after: &after,
            role,
            unit: axis.unit,
            decimals,
            weight,
            income,
            consumption,
            named_income,
            replication,
            groupings,
            keeps_rows: measures.keeps_rows,
            session,
        };
        answer(&question, &axis, &terms_after)
    }
}

/// Computes the sample; it is an error if every row is refused.
fn impact<'i>(
    measures: &Measures,
    question: &'i Question<'i>,
    axis: &Axis,
    session: &Session,
) -> Result<Impact<'i>, Failure> {
    let lang = session.lang;
    let progress = Progress::new(question.sample.rows(), session);
    let found = question.compute(|rows| progress.add(rows))?;
    progress.finish();

    if found.tally.rows == 0 {
        let reasons: Vec<String> = found
            .reasons
            .values()
            .map(|why| format!("  {}", why.message))
            .collect();

        let (rows, reasons) = (found.rows, reasons.join("\n"));
        // Nothing to report: the reasons are the result.
        return Err(Failure::wrong(match rows {
            0 => {
                say!(
                    lang,
                    "Rien à calculer : le fichier n’a aucune ligne.",
                    "Nothing to compute: the file has no row."
                )
            }
            _ => say!(
                lang,
                "Aucune des {rows} lignes n’est calculée :\n{reasons}",
                "None of the {rows} rows is computed:\n{reasons}"
            ),
        }));
    }

    let units = question.units();
    let inequality = Inequality::new(
        &found,
        units,
        measures.poverty.as_deref(),
        question,
        session,
    )?;
    let changed = changed_figures(question.before, question.after, lang);
    let moved = moved(&changed, axis, question)?;
    let replicates = question.replicates(&found)?;

    Ok(Impact {
        units,
        quantity: question.quantity(),
        field: axis.field.clone(),
        field_label: axis.field_label.clone(),
        income_label: income_label(question, axis),
        raised_label: axis.input_label.clone(),
        changed,
        moved,
        inequality,
        replicates,
        totals: question.totals(measures.totals_in),
        unused: unused(question),
        found,
        question,
        lang,
    })
}

/// Rows of the sample of which it is asked what a changed figure moves.
const ASKED: usize = 200;

/// What each changed figure moves, over the worked cases and the first rows of the sample.
fn moved(changed: &[ChangedFigure], axis: &Axis, question: &Question) -> Result<Moved, Failure> {
    let figures = unique(changed.iter().map(|changed| changed.line.figure.as_str()));

    let after = question.after;
    let mut queries = Vec::new();
    // The first rows rather than a random choice, so that the report is the same each time.
    if let Some(batch) = question.sample.batches()?.next().transpose()? {
        for row in 0..batch.num_rows().min(ASKED) {
            queries.push(after.query(&batch, row)?);
        }
    }

    let found = moved_fields(
        after.folder,
        [question.before.edition, after.edition],
        &figures,
        &queries,
    );

    Ok(Moved::new(
        found,
        Some([axis.field.clone(), axis.field_label.clone()]),
        after.edition,
    ))
}

/// A share in percent, with two decimals.
fn percent(share: Decimal) -> Decimal {
    share
        .saturating_mul(Decimal::ONE_HUNDRED)
        .round_dp(2)
        .normalize()
}
