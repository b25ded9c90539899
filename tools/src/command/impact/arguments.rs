//! The days, the axes and the groupings that the arguments name.

use bareme_engine::service::Rules;
use bareme_engine::text::nearest;
use bareme_show::curve::Axis;
use bareme_show::say;
use jiff::civil::Date;

use super::Args;
use super::compute::{Grouping, bounds};
use super::sample::Sample;
use crate::days::{day, edition_on};
use crate::rule_files::folder;
use crate::session::{Failure, Session};

/// The days of both sides. Without `--before` it is the scale before that of `--after`; with other
/// rules, its day.
pub(super) fn days(
    args: &Args,
    rules: &Rules,
    after_rules: &Rules,
    path: &str,
    session: &Session,
) -> Result<[Date; 2], Failure> {
    let lang = session.lang;
    // A day must have a scale of its own: another one would silently be taken.
    let named = |text: &Option<String>, rules: &Rules| -> Result<Option<Date>, Failure> {
        let Some(text) = text else { return Ok(None) };
        let day = day(text, session)?;
        edition_on(folder(rules, path, session)?, day, text, session)?;
        Ok(Some(day))
    };

    let (before, after) = (
        named(&args.before, rules)?,
        named(&args.after, after_rules)?,
    );

    // Other rules, or other figures, are a reform on one day.
    let is_other = args.rules_after.is_some() || !args.figure.is_empty() || !args.set.is_empty();
    if !is_other && after.is_none() {
        return Err(Failure::unusable(say!(
            lang,
            "Dire la réforme : `--after 2027` (avec `--drafts` pour un brouillon), `--set \
             CHIFFRE=VALEUR`, `--rules-after DOSSIER`, ou `--figure CHIFFRE=PLAGE`.",
            "Say the reform: `--after 2027` (with `--drafts` for a draft), `--set FIGURE=VALUE`, \
             `--rules-after FOLDER`, or `--figure FIGURE=RANGE`."
        )));
    }

    let after = after.or(before).unwrap_or(session.today);
    // The scale before ends on the day before that of `--after` begins.
    let previous = || {
        let edition = folder(after_rules, path, session).ok()?.edition(after)?;
        edition.scale()?.date.yesterday().ok()
    };

    let before = match before {
        Some(before) => before,
        None if is_other => after,
        None => previous().unwrap_or(after),
    };

    let scale = |rules: &Rules, day| {
        Some(
            folder(rules, path, session)
                .ok()?
                .edition(day)?
                .scale()?
                .date,
        )
    };

    let after_scale = scale(after_rules, after);
    // One scale on both days changes nothing, unless the rules or a figure differ.
    let is_same = after_scale.is_some() && after_scale == scale(rules, before);
    if !is_other && is_same {
        return Err(Failure::unusable(say!(
            lang,
            "Le barème est le même au {before} et au {after} : il n’y a pas de réforme à chiffrer.",
            "The scale is the same on {before} and on {after}: there is no reform to cost."
        )));
    }

    Ok([before, after])
}

/// The axes: the income, and the field whose change is the effect.
pub(super) fn axis<'r>(
    field: Option<&str>,
    rules: &'r Rules,
    path: &str,
    session: &Session,
) -> Result<Axis<'r>, Failure> {
    // The field is looked up in the rules after, which may have added it.
    let folder = folder(rules, path, session)?;
    Axis::new(folder, field).ok_or_else(|| {
        // Without a field to compare by default, it has to be named.
        let fields = folder
            .fields()
            .into_iter()
            .filter(|field| field.json_type() == "number");

        let names = fields
            .map(|field| field.name.as_str())
            .collect::<Vec<_>>()
            .join(", ");

        Failure::unusable(say!(
            session.lang,
            "Dire par `--field` le montant à regarder : {names}.",
            "Say with `--field` which amount to look at: {names}."
        ))
    })
}

/// Quantile groups, by name.
pub(super) const PARTS: [(&str, u32); 4] = [
    ("quartile", 4),
    ("quintile", 5),
    ("decile", 10),
    ("centile", 100),
];

pub(super) fn groupings(
    by: &[String],
    sample: &Sample,
    weight: Option<usize>,
    session: &Session,
) -> Result<Vec<Grouping>, Failure> {
    // `decile:income`, or the name of a column whose values are the groups.
    let grouping = |text: &String| {
        let Some((word, column)) = text.split_once(':') else {
            return Ok(Grouping {
                name: text.clone(),
                column: sample.column(text)?,
                bounds: None,
            });
        };

        let Some((word, parts)) = PARTS.iter().find(|(name, _)| *name == word) else {
            let words = PARTS.map(|(word, _)| format!("{word}:")).join(", ");
            let near = nearest(word, PARTS.iter().map(|(word, _)| *word));
            let near = near.map(|near| {
                say!(
                    session.lang,
                    " ; vouliez-vous dire `{near}:` ?",
                    "; did you mean `{near}:`?"
                )
            });
            let near = near.unwrap_or_default();
            return Err(Failure::unusable(say!(
                session.lang,
                "`--by {text}` : une colonne, ou une part et sa colonne ({words}){near}",
                "`--by {text}`: a column, or a part and its column ({words}){near}"
            )));
        };

        // The bounds of the groups need a pass over the sample of their own.
        let column = sample.column(column)?;
        Ok(Grouping {
            name: (*word).to_owned(),
            column,
            bounds: Some(bounds(sample, column, weight, *parts, session)?),
        })
    };
    by.iter().map(grouping).collect()
}
