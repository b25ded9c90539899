//! `bareme impact`: the cost of a reform, its winners and losers, over a sample of a population.

mod arguments;
mod changed_figures;
mod compute;
mod distribution;
mod extremes;
mod inequality;
mod json;
pub mod library;
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

use bareme_engine::law::{Role, Type};
use bareme_engine::service::Rules;
use bareme_engine::set::moved::moved_fields;
use bareme_engine::{FileSet, Lang};
use bareme_show::curve::{Axis, Unit};
use bareme_show::say;
use clap::ValueEnum;
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
use compute::{ImpactResult, Income, Question};
use inequality::Inequality;
use sample::Sample;
use scale::Units;
use sides::{Side, Terms};

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
    figure: Option<String>,
}

/// What is measured, and how the columns of the sample are read.
#[derive(Debug, Default, clap::Args)]
struct Measures {
    #[arg(long, value_name = "FIELD")]
    field: Option<String>,
    #[arg(long, value_enum, value_name = "WAY")]
    gain: Option<Gain>,
    #[arg(long, value_name = "COLUMN")]
    weight: Option<String>,
    #[arg(long, value_name = "COLUMN")]
    by: Vec<String>,
    #[arg(long, value_name = "AMOUNT")]
    poverty: Option<String>,
    #[arg(long, value_name = "COLUMN")]
    unit: Option<String>,
    #[arg(
        long,
        value_name = "COLUMN=PARAMETER",
        value_delimiter = ',',
        value_parser = column_mapping
    )]
    map: Vec<(String, String)>,
    #[arg(
        long,
        value_name = "COLUMN=PARAMETER",
        value_delimiter = ',',
        value_parser = column_mapping
    )]
    map_after: Vec<(String, String)>,
    /// Whether the effect on each row is kept.
    #[arg(skip)]
    keeps_rows: bool,
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

/// Direction in which a household gains: more or less of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Gain {
    /// More of it, as of a net.
    More,
    /// Less of it, as of a levy.
    Less,
}

impl Gain {
    /// The role of a field that is read in this direction.
    fn role(self, declared: Role) -> Role {
        match self {
            // A role that already gains in this direction is kept, since a benefit is no net.
            _ if declared.gains_by_more() == (self == Self::More) => declared,
            Self::More => Role::Net,
            Self::Less => Role::Levy,
        }
    }
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
            if let Some(figure) = &args.figure {
                let files = hypothesis.as_ref().map(|set| set.files.clone());
                let files = files.unwrap_or_else(|| FileSet::read(root));
                return sweep::run(figure, question, after, axis, &files, session);
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
            groupings,
            keeps_rows: measures.keeps_rows,
            session,
        };
        answer(&question, &axis, &terms_after)
    }
}

/// The income, where the field is what is left of it or what is taken of it, in money: only then
/// are there rates, and incomes that are left.
fn income(side: &Side, axis: &Axis, role: Role) -> Option<Income> {
    // What is taken of a whole that the method divides is measured by it: the column that drives
    // the calculation is one of its parts.
    if axis.unit == Unit::Money && role == Role::Levy && side.whole().is_some() {
        return Some(Income::Whole);
    }

    let input = side
        .edition
        .method()
        .inputs()
        .iter()
        .find(|input| input.name == axis.input)?;

    let is_of_income =
        axis.unit == Unit::Money && role != Role::Benefit && matches!(input.ty, Type::Money(_));

    let column = side
        .columns
        .iter()
        .find(|(_, name)| *name == axis.input)
        .map(|(column, _)| Income::Column(*column));
    column.filter(|_| is_of_income)
}

fn income_label(question: &Question, axis: &Axis) -> String {
    let whole = question.before.whole();
    let whole = whole.filter(|_| matches!(question.income, Some(Income::Whole)));
    let label = whole.and_then(|field| field.label.clone());
    label.unwrap_or_else(|| axis.input_label.clone())
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

/// The unused columns of the sample, each with the parameter that may be meant.
fn unused(question: &Question) -> Vec<String> {
    let sides = [question.before, question.after];
    let is_read = |index: usize| {
        let is_input = sides
            .iter()
            .any(|side| side.columns.iter().any(|(column, _)| *column == index));

        is_input
            || question.weight == Some(index)
            || question.consumption == Some(index)
            || question
                .groupings
                .iter()
                .any(|grouping| grouping.column == index)
    };

    let names = question.sample.schema.fields().iter().enumerate();
    names
        .filter(|(index, _)| !is_read(*index))
        .map(|(_, field)| field.name().clone())
        .collect()
}

/// A share in percent, with two decimals.
fn percent(share: Decimal) -> Decimal {
    share
        .saturating_mul(Decimal::ONE_HUNDRED)
        .round_dp(2)
        .normalize()
}
