//! The plan of a dated file from the lines of a sheet, and the sources that its lines describe.

use bareme_engine::authoring::Node;
use bareme_engine::{Diagnostic, FileSet};
use bareme_show::say;
use bareme_show::spreadsheet::argument;
use jiff::civil::Date;

use super::super::Args;
use super::super::apply::{CellReading, NewSource, Plan};
use super::super::columns::Column;
use super::super::doubts;
use super::super::lines::{Line, Sheet};
use super::super::mistakes::{Mistake, Mistakes};
use super::super::source::Described;
use crate::rule_files::RuleFiles;
use crate::series::{DatedFile, Series, ids};
use crate::session::Session;

/// What is planned with for a source whose description cannot be read: nothing is written then.
const UNREADABLE: &str = "{kind: administration, title: \"…\", publisher: \"…\"}";

/// The lines of a dated file.
pub(super) struct Group {
    pub folder: String,
    pub day: Date,
    pub lines: Vec<Line>,
}

/// A dated file with its planned edits.
pub(super) struct Planned {
    pub series: Series,
    pub plan: Plan,
    /// The mistakes and doubts that keep it from coming into force.
    pub held_back: Vec<Diagnostic>,
}

impl Group {
    /// Plans its lines on the files of a set.
    ///
    /// # Errors
    /// All that is wrong in them.
    pub(super) fn planned(
        &self,
        rows: &Sheet,
        args: &Args,
        set: &FileSet,
        files: &RuleFiles,
        session: &Session,
    ) -> Result<Planned, Mistakes> {
        let lang = session.lang;

        // 1. The file, which is not in force yet, or named on purpose.
        let series = Series::of(set, files, &self.folder, session);
        let series = series.map_err(|failure| Mistakes::of(failure, lang))?;
        let file = self
            .file(&series, args, session)
            .map_err(|reason| Mistakes::new(self.of_each_line(&reason), lang))?;

        // 2. The readings, and the sources that the file does not name yet.
        let (read, mut mistakes) = rows.by_name(&self.lines, args, &series, file, session);
        mistakes.extend(rows.typed_over(&self.lines, &series, file, lang));
        let (sources, undescribed) = self.sources(rows, &read, file, args, session);
        mistakes.extend(undescribed);

        // 3. The edits. What can be read is judged even beside lines that cannot.
        let carries = args.carry;
        let plan = Plan::new(&series, self.day, &read, &sources, carries, session);
        let plan = plan
            .and_then(|plan| doubts::answered(plan, &series, &read, &sources, carries, session));
        match plan {
            Ok(mut plan) if mistakes.is_empty() => {
                let refused = plan.mistakes_of_edits(&series, &read, lang);
                if !refused.is_empty() {
                    return Err(Mistakes::new(refused, lang));
                }
                let held_back = plan.hold_back(&series, files, session);
                let held_back = held_back.map_err(|failure| Mistakes::of(failure, lang))?;
                Ok(Planned {
                    series,
                    plan,
                    held_back,
                })
            }
            Ok(_) => Err(Mistakes::new(mistakes, lang)),
            Err(mut refused) => {
                refused.list.extend(mistakes);
                Err(refused)
            }
        }
    }

    /// A mistake of each of its lines.
    fn of_each_line(&self, reason: &str) -> Vec<Mistake> {
        let lines = self.lines.iter();
        lines
            .map(|(line, _)| Mistake::of_line(*line, reason))
            .collect()
    }

    /// The dated file, or why its figures cannot be confirmed.
    fn file<'s>(
        &self,
        series: &'s Series,
        args: &Args,
        session: &Session,
    ) -> Result<&'s DatedFile, String> {
        let (lang, day) = (session.lang, self.day);
        let Some(file) = series.on(day) else {
            let days = series.days();
            return Err(say!(
                lang,
                "aucun fichier du {day}. Fichiers : {days}",
                "no file of {day}. Files: {days}"
            ));
        };

        let is_open = file.is_draft(&series.shapes) || day > session.today;
        if !is_open && args.from != Some(day) {
            return Err(say!(
                lang,
                "le fichier du {day} est déjà en vigueur : `--from {day}` le corrige exprès",
                "the file of {day} is in force already: `--from {day}` corrects it on purpose"
            ));
        }
        Ok(file)
    }

    /// The sources that the lines, or the command line, describe and the file does not have.
    fn sources(
        &self,
        rows: &Sheet,
        read: &[CellReading],
        file: &DatedFile,
        args: &Args,
        session: &Session,
    ) -> (Vec<NewSource>, Vec<Mistake>) {
        let (mut sources, mut mistakes): (Vec<NewSource>, Vec<Mistake>) = (Vec::new(), Vec::new());
        for (line, cells) in &self.lines {
            let described = described(rows, cells, file, args, session);
            let (id, entry) = match described {
                Ok(None) => continue,
                Ok(Some(described)) => described,
                Err(reason) => {
                    mistakes.push(Mistake::of_line(*line, reason));
                    // The other lines that name it are not blamed for this one.
                    let named = rows.cell(cells, Column::Source).map(ids);
                    let id = named.and_then(|named| named.first().cloned());
                    let is_new = |id: &String| {
                        file.source(id).is_none() && sources.iter().all(|(one, _)| one != id)
                    };
                    sources.extend(id.filter(is_new).map(|id| (id, UNREADABLE.to_owned())));
                    continue;
                }
            };
            match sources.iter().find(|(known, _)| *known == id) {
                None => sources.push((id, entry)),
                Some((_, known)) if known == UNREADABLE => {}
                Some((_, known)) if *known == entry => {}
                Some(_) => mistakes.push(Mistake::of_line(*line, other_words(&id, session))),
            }
        }

        // That of the command line is added where a line of the file rests on it.
        let is_named = |id: &str| {
            let mut named = read.iter().filter_map(|one| one.reading.source.as_deref());
            named.any(|source| ids(source).iter().any(|one| one == id))
        };
        let of_command = args.described.entry(args.source.as_deref());
        let is_missing = |(id, _): &NewSource| {
            let is_known = file.source(id).is_some() || sources.iter().any(|(one, _)| one == id);
            !is_known && is_named(id)
        };
        sources.extend(of_command.filter(is_missing));
        (sources, mistakes)
    }
}

/// The source that a line describes, unless the file has it already.
///
/// # Errors
/// A description without an id or a title, or another one than that of the file.
fn described(
    rows: &Sheet,
    cells: &[String],
    file: &DatedFile,
    args: &Args,
    session: &Session,
) -> Result<Option<NewSource>, String> {
    let lang = session.lang;
    let [title, publisher, date, url] = [
        Column::SourceTitle,
        Column::SourcePublisher,
        Column::SourceDate,
        Column::SourceUrl,
    ]
    .map(|column| rows.cell(cells, column));
    if [title, publisher, date, url].iter().all(Option::is_none) {
        return Ok(None);
    }

    // 1. The source that it is, and its day.
    let named = rows
        .cell(cells, Column::Source)
        .map(ids)
        .unwrap_or_default();
    let Some(id) = named.first() else {
        let column = Column::Source.name(lang);
        return Err(say!(
            lang,
            "une source est décrite, et `{column}` n’en nomme aucune",
            "a source is described, and `{column}` names none"
        ));
    };
    let date = date.map(|text| day(text, session)).transpose()?;

    // 2. A source of the file is described as it is there, or not at all.
    if let Some(known) = file.source(id) {
        let date = date.map(|date| date.to_string());
        let given = [
            ("title", title),
            ("publisher", publisher),
            ("date", date.as_deref()),
            ("url", url),
        ];
        let differs = |(key, value): &(&str, Option<&str>)| {
            let stated = known.get(key).and_then(Node::text).map(|text| &*text.value);
            value.is_some_and(|value| stated != Some(value))
        };
        return match given.iter().find(|member| differs(member)) {
            None => Ok(None),
            Some((key, _)) => Err(say!(
                lang,
                "la source `{id}` est déjà dans `sources` avec un autre `{key}` : donner un autre nom à celle-ci, ou vider les colonnes qui la décrivent",
                "the source `{id}` is in `sources` already with another `{key}`: give this one another id, or empty the columns that describe it"
            )),
        };
    }

    // 3. A new one.
    let Some(title) = title else {
        let column = Column::SourceTitle.name(lang);
        return Err(say!(
            lang,
            "`{id}` est une source nouvelle, et `{column}` est vide",
            "`{id}` is a new source, and `{column}` is empty"
        ));
    };
    let described = Described {
        kind: &args.described.kind,
        title,
        publisher,
        published: None,
        date,
        url,
    };
    Ok(Some((id.clone(), described.entry())))
}

fn other_words(id: &str, session: &Session) -> String {
    say!(
        session.lang,
        "la source `{id}` est décrite autrement sur une ligne précédente du même fichier",
        "the source `{id}` is described otherwise on an earlier line of the same file"
    )
}

/// A day as a spreadsheet writes it: `2027-01-01`, or `01/01/2027`.
///
/// # Errors
/// What is no day.
pub(super) fn day(text: &str, session: &Session) -> Result<Date, String> {
    let plain = argument(text).unwrap_or_else(|_| text.to_owned());
    plain.parse().map_err(|_| {
        say!(
            session.lang,
            "`{text}` n’est pas un jour : écrire AAAA-MM-JJ ou JJ/MM/AAAA",
            "`{text}` is no day: write YYYY-MM-DD or DD/MM/YYYY"
        )
    })
}
