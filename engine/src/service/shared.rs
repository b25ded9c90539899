//! Amounts of the law that several folders give: on one day, from one text, they are one amount,
//! which one folder gives and the others take from it.
//!
//! Two records count as the same where they have the same name and rest on the same legal text, and
//! their values where the columns have the same name and type, or are the only one of each record.
//! Equal sums of money or rates from the very same texts count as the same whatever their names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::law::{Column, Figure, Scale, Shape, Source, SourceKind, Type, Value};
use crate::run::Folder;
use crate::text::{Problem, Report, number_text};

/// A record of a scale in force, with the days on which it answers.
#[derive(Clone, Copy)]
struct Record<'f> {
    folder: &'f str,
    shape: &'f Shape,
    figure: &'f Figure,
    scale: &'f Scale,
    /// The first day on which it no longer answers, if a later file or the law ends it.
    end: Option<Date>,
}

impl Record<'_> {
    /// Its folder, name and first day, which no other record has.
    fn key(&self) -> (String, String, Date) {
        let name = self.shape.name.clone();
        (self.folder.to_owned(), name, self.scale.date)
    }
}

/// Reports the amounts that two folders give differently, and those that they give twice.
pub(super) fn check_shared(folders: &BTreeMap<String, Arc<Folder>>, report: &mut Report) {
    // The folders of a record of checked files were compared with each other when it was made.
    if folders.values().all(|folder| folder.is_trusted()) {
        return;
    }

    // Records are compared within a name: all pairs of a country would be too many.
    let mut by_name: BTreeMap<&str, Vec<Record>> = BTreeMap::new();
    for (path, folder) in folders {
        for record in records(path, folder) {
            by_name.entry(&record.shape.name).or_default().push(record);
        }
    }

    for same_name in by_name.values() {
        each_pair(same_name, |one, other| compare(one, other, report));
    }

    let mut by_sum: BTreeMap<String, Vec<Record>> = BTreeMap::new();
    for (path, folder) in folders {
        for record in records(path, folder) {
            for sum in sums(&record) {
                by_sum.entry(sum).or_default().push(record);
            }
        }
    }
    // A rate and its ceiling that are both the same are one repeated record.
    let mut reported = BTreeSet::new();
    for same_sum in by_sum.values() {
        each_pair(same_sum, |one, other| {
            if meet(one, other) && reported.insert([one, other].map(Record::key)) {
                report_twice(one, other, report);
            }
        });
    }
}

/// Each two records of different folders.
fn each_pair<'r, 'f>(
    records: &'r [Record<'f>],
    mut read: impl FnMut(&'r Record<'f>, &'r Record<'f>),
) {
    for (position, one) in records.iter().enumerate() {
        let others = records.iter().skip(position.saturating_add(1));
        others
            .filter(|other| other.folder != one.folder)
            .for_each(|other| read(one, other));
    }
}

/// The sums of money and the rates of a record, but 0 and 100 %, each with the texts that it rests
/// on, as a key. Those of a draft, or without a legal text, are compared with none.
fn sums(record: &Record) -> Vec<String> {
    let texts: BTreeSet<String> = laws(record).into_iter().filter_map(text_key).collect();
    if texts.is_empty() || texts.len() < laws(record).len() {
        return Vec::new();
    }

    let columns = record.shape.columns.iter().zip(&record.figure.record);
    let sums = columns.filter(|(column, _)| matches!(column.ty, Type::Money(_) | Type::Rate));
    let texts = texts.into_iter().collect::<Vec<_>>().join(" ; ");
    sums.filter_map(|(column, value)| {
        let value = value.as_ref()?;
        // Nothing and the whole are no figures that a text would set twice.
        let number = value.number().unwrap_or_default();
        let is_whole = column.ty == Type::Rate && number == Decimal::ONE;
        let is_trivial = number.is_zero() || is_whole;
        let value = (!is_trivial).then(|| shown(value))?;
        Some(format!("{} {value} {texts}", column.ty.name()))
    })
    .collect()
}

/// Reports one amount of the law that two folders give, in the one that comes last.
fn report_twice(one: &Record, other: &Record, report: &mut Report) {
    let problem = Problem::AmountGivenTwice {
        figure: other.shape.name.clone(),
        folder: one.folder.to_owned(),
        other: one.shape.name.clone(),
    };
    report.error(&other.figure.place, problem);
}

fn records<'f>(path: &'f str, folder: &'f Folder) -> impl Iterator<Item = Record<'f>> {
    let next = folder.editions().iter().skip(1).map(Some).chain([None]);
    let editions = folder.editions().iter().zip(next);
    editions.flat_map(move |(edition, next)| {
        let scale = edition.scale();
        let following = next.and_then(|next| next.scale()).map(|next| next.date);
        let ended = scale.and_then(|scale| scale.until?.tomorrow().ok());
        // Whichever comes first: the next scale, or the day on which the law ends this one.
        let end = following.into_iter().chain(ended).min();
        let figures = scale
            .map(|scale| scale.figures.as_slice())
            .unwrap_or_default();
        let shapes = edition.method().figures().iter().zip(figures);
        shapes
            .filter(|(shape, _)| !shape.has_rows() && shape.shared.is_none())
            .filter_map(move |(shape, figure)| {
                Some(Record {
                    folder: path,
                    shape,
                    figure,
                    scale: scale?,
                    end,
                })
            })
    })
}

/// Reports the first value that differs between two records of the same law and a common day.
fn compare(one: &Record, other: &Record, report: &mut Report) {
    if !meet(one, other) || !rest_on_one_text(one, other) {
        return;
    }
    let Some((column, value, beside)) = pairs(one, other).find(|(_, one, other)| one != other)
    else {
        return;
    };

    // In both folders, since nobody but a reader of the text knows which one is wrong.
    let problem =
        |own: &Record, value: &Value, against: &Record, other: &Value| Problem::SharedAmount {
            figure: format!("{}.{column}", own.shape.name),
            value: shown(value),
            folder: against.folder.to_owned(),
            other: shown(other),
            date: against.scale.date.to_string(),
        };
    report.error(&one.figure.place, problem(one, value, other, beside));
    report.error(&other.figure.place, problem(other, beside, one, value));
}

/// Whether there is a day on which both answer.
fn meet(one: &Record, other: &Record) -> bool {
    let starts_before_end =
        |one: &Record, other: &Record| other.end.is_none_or(|end| one.scale.date < end);
    starts_before_end(one, other) && starts_before_end(other, one)
}

fn rest_on_one_text(one: &Record, other: &Record) -> bool {
    let theirs: Vec<String> = laws(other).into_iter().filter_map(text_key).collect();
    let mut ours = laws(one).into_iter().filter_map(text_key);
    ours.any(|text| theirs.contains(&text))
}

/// The legal texts that set a record.
fn laws<'f>(record: &Record<'f>) -> Vec<&'f Source> {
    let cited = record.figure.sources.iter();
    let cited = cited.filter_map(|index| record.scale.sources.get(*index));
    cited
        .filter(|source| source.kind == SourceKind::Law)
        .collect()
}

/// The articles of a text of a day, as a key; `None` for a text without day or number.
fn text_key(source: &Source) -> Option<String> {
    let is_dated = source.date.is_some() || source.identifier.is_some();
    let (title, article) = (&source.title, &source.article);
    let (date, identifier) = (source.date, &source.identifier);
    is_dated.then(|| format!("{title}|{article:?}|{date:?}|{identifier:?}"))
}

/// The numbers of both records that are one amount of the law, with the name of the column.
fn pairs<'f>(
    one: &'f Record,
    other: &'f Record,
) -> impl Iterator<Item = (&'f str, &'f Value, &'f Value)> {
    let cells = |record: &'f Record<'f>| {
        let columns = record.shape.columns.iter().zip(&record.figure.record);
        columns
            .filter_map(|(column, value)| Some((column, value.as_ref()?)))
            .collect::<Vec<_>>()
    };
    let (ours, theirs) = (cells(one), cells(other));
    let are_alone = ours.len() == 1 && theirs.len() == 1;
    let is_one = move |column: &Column, other: &Column| {
        column.ty == other.ty && column.ty != Type::Text && (are_alone || column.name == other.name)
    };
    ours.into_iter().filter_map(move |(column, value)| {
        let (_, beside) = theirs.iter().find(|(other, _)| is_one(column, other))?;
        Some((column.name.as_str(), value, *beside))
    })
}

fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => number_text(*number),
        Value::Text(text) => text.to_string(),
        Value::Boolean(value) => value.to_string(),
        Value::Date(day) => day.to_string(),
        Value::Nothing | Value::Word(_) | Value::List(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::Loader;
    use crate::service::Rules;
    use crate::service::tests::whole;
    use crate::set::FileSet;
    use crate::testing::{method, set};
    use crate::text::{Diagnostic, Report};

    /// The codes and files of the errors of two folders, each with a figure of one value.
    fn loaded(one: &str, other: &str) -> (Vec<String>, Option<Rules>) {
        let loaded = Loader::new().load_service_by_folder(&two_folders(one, other), None);
        (codes(&loaded.report), loaded.rules)
    }

    fn codes(report: &Report) -> Vec<String> {
        let code = |error: &Diagnostic| format!("{} {}", error.code(), error.file());
        report.errors().map(code).collect()
    }

    /// The files of two folders, `zz` and `famille/aa`, each with a figure of one value.
    fn two_folders(one: &str, other: &str) -> FileSet {
        let keys = |folder: &str| {
            let keys = "inputs:
  brut: {type: money, per: month, required: true, label: Brut}
headline: [{field: x, role: levy}]
figures:
  plafond: {montant: money/month}
steps:
  x: {formula: brut + plafond.montant}
answer:
  x: x
";
            method(keys).replace("folder: zz", &format!("folder: {folder}"))
        };
        let scale = |figure: &str| {
            format!(
                "format: bareme/1
title: Titre
sources:
  s: {{kind: law, title: Arrêté, article: art. 1, publisher: JO, date: 2025-12-22}}
  t: {{kind: law, title: Décret, publisher: JO, date: 2025-12-24}}
figures:
  plafond: {{{figure}, per: month}}
"
            )
        };
        let mut files = whole();
        files.retain(|(path, _)| *path == "service.yaml");
        files.push(("zz/method.yaml", keys("zz")));
        files.push(("zz/2026-01-01.yaml", scale(one)));
        let member = keys("famille/aa").replace("{montant: money", "{mensuel: money");
        files.push((
            "famille/aa/method.yaml",
            member.replace("plafond.montant", "plafond.mensuel"),
        ));
        files.push(("famille/aa/2026-02-01.yaml", scale(other)));
        FileSet::read(set(&files).path())
    }

    #[test]
    fn one_amount_of_one_text_is_the_same_in_every_folder() {
        let codes = |one: &str, other: &str| loaded(one, other).0;
        assert_eq!(
            codes("montant: 4 110, source: s", "mensuel: 4 110, source: s; t"),
            [""; 0]
        );
        assert_eq!(
            codes("montant: 4 110, source: s", "mensuel: 4 140, source: s; t"),
            ["G34 famille/aa/2026-02-01.yaml", "G34 zz/2026-01-01.yaml"]
        );
        // Another text may set another amount.
        assert_eq!(
            codes("montant: 4 110, source: s", "mensuel: 4 140, source: t"),
            [""; 0]
        );
    }

    #[test]
    fn one_folder_alone_is_compared_with_the_others() {
        let files = two_folders("montant: 4 110, source: s", "mensuel: 4 140, source: s; t");
        let of = |folder: &str| {
            let report = Loader::new()
                .only(&[folder])
                .load_service_files(&files)
                .report;
            codes(&report)
        };
        assert_eq!(of("famille/aa"), ["G34 famille/aa/2026-02-01.yaml"]);
        assert_eq!(of("famille"), ["G34 famille/aa/2026-02-01.yaml"]);
        assert_eq!(of("zz"), ["G34 zz/2026-01-01.yaml"]);
        assert_eq!(of("elsewhere"), [""; 0]);
    }

    #[test]
    fn scales_that_never_answer_on_one_day_may_differ() {
        let ended = "montant: 4 110, source: s";
        let until = |figure: &str| format!("{figure}, per: month}}\nuntil: 2026-01-31\n#");
        let text = until(ended);
        assert_eq!(loaded(&text, "mensuel: 4 140, source: s").0, [""; 0]);
    }
}
