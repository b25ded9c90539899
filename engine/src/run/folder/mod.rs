//! A rule folder: its methods, its dated scales, its cases.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::civil::Date;

use crate::law::{
    Alias, ColumnId, Draft, Expr, Field, FigureId, Input, Inverse, Presence, Scale, Step, Warning,
    WarningCode,
};
use crate::run::case::{Case, CaseFile};
use crate::run::edition::Edition;
use crate::run::rules::Digest;
use crate::say;
use crate::text::date_in_words::in_words;
use crate::text::words::distinct;
use crate::text::{Diagnostic, Lang, Picture, Report};

/// A rule folder that can be queried.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["tva"])
/// #     .load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("tva").ok_or("no such folder")?;
/// let sent = [("montant".to_owned(), "100".to_owned())];
/// let calculation = folder.calculate(&sent[..].into(), jiff::civil::date(2026, 3, 31))?;
/// assert!(calculation.to_json().starts_with(r#"{"ht":100,"tva":20,"ttc":120,"taux":0.2"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Folder {
    pub(crate) path: String,
    pub(crate) version: String,
    /// Digest of all its files, drafts included.
    pub(crate) content: Digest,
    /// The editions, the oldest first; a single one without a scale for a method without dates.
    pub(crate) editions: Vec<Edition>,
    /// Drafts, by date; [`Drafts`](crate::law::Drafts) says whether they are editions too.
    pub(crate) drafts: Vec<Draft>,
    pub(crate) cases: CaseFile,
    pub(crate) checks: Checks,
    /// Its parsed files but the cases, in their compact form; empty if they are not to be read from
    /// it.
    pub(crate) trees: Arc<[u8]>,
    /// The warnings reported when it was loaded.
    pub(crate) warnings: Report,
    /// The same folder with its texts in English, where every one is there.
    pub(crate) english: Option<Arc<Self>>,
    /// The picture that pages show beside its name.
    pub(crate) picture: Option<Arc<Picture>>,
}

/// How far a folder is checked when it is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Checks {
    /// The files against their schemas, and the cases.
    Whole,
    /// All checks but the cases.
    WithoutCases,
    /// Only what a calculation needs: a record says that the same files were checked as a whole.
    Trusted,
    /// Only what a calculation needs; mistakes in the folder are not reported.
    Unchecked,
}

impl Checks {
    /// Whether only what a calculation needs is read.
    pub(crate) fn are_skipped(self) -> bool {
        matches!(self, Self::Trusted | Self::Unchecked)
    }
}

/// The default of an input, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultText {
    /// A value as a query would send it, or a formula.
    pub text: String,
    /// The last scale that gives it as a figure, if it is one: other scales may have other values.
    pub scale: Option<Date>,
}

impl Folder {
    /// Path from the rule folder, `salaire-net/ci`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Hash of its files, without drafts: these do not change any answer. That of the law of a day
    /// is [`Edition::version`].
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Title of the latest method.
    pub fn title(&self) -> &str {
        self.latest()
            .map(|edition| edition.method.title.as_str())
            .unwrap_or_default()
    }

    /// Language of its texts.
    pub fn lang(&self) -> Lang {
        self.latest()
            .map(|edition| edition.method.lang)
            .unwrap_or_default()
    }

    /// The same folder with its texts in English, where every one is there. Its answers have the
    /// same values.
    pub fn in_english(&self) -> Option<&Self> {
        self.english.as_deref()
    }

    /// The picture that pages show beside its name, if it has one.
    pub fn picture(&self) -> Option<&Picture> {
        self.picture.as_deref()
    }

    /// The editions, the oldest first.
    pub fn editions(&self) -> &[Edition] {
        &self.editions
    }

    /// The drafts, the oldest first.
    pub fn drafts(&self) -> &[Draft] {
        &self.drafts
    }

    /// First days of its editions.
    pub(crate) fn dates(&self) -> impl Iterator<Item = Date> {
        self.editions
            .iter()
            .filter_map(Edition::scale)
            .map(|scale| scale.date)
    }

    /// Whether the scale of a day would be a draft that is left out of the scales in force.
    pub fn is_draft_on(&self, day: Date) -> bool {
        Draft::covers(&self.drafts, self.dates(), day)
    }

    /// Whether its files were not checked when it was loaded, since a record says that they were
    /// before.
    pub fn is_trusted(&self) -> bool {
        self.checks == Checks::Trusted
    }

    /// The cases of single calculations that expect an answer, in the order of the file.
    pub fn answered_cases(&self) -> impl Iterator<Item = &Case> + Clone {
        self.cases()
            .iter()
            .filter(|case| case.refuse.is_none() && !case.is_year)
    }

    /// The cases that an edition computes; of a year of pays, only where it computes every month.
    pub fn cases_of<'f>(&'f self, edition: &'f Edition) -> impl Iterator<Item = &'f Case> {
        // A case belongs to the edition that computes all of it; one across two editions, to none
        // of them.
        let is_its_own = |found: &Edition| found.is_of_file_of(edition);
        let of_it = move |case: &&Case| {
            let days = case.days();
            !days.is_empty()
                && days
                    .into_iter()
                    .all(|day| self.edition(day).is_some_and(is_its_own))
        };

        self.cases().iter().filter(of_it)
    }

    /// Whether its scales are dated.
    pub fn is_dated(&self) -> bool {
        self.editions.iter().any(|edition| edition.scale.is_some())
    }

    /// The last edition, by the day from which it is in force.
    pub fn latest(&self) -> Option<&Edition> {
        self.editions.last()
    }

    /// The editions with those of later days, on which other folders change their figures, the
    /// oldest first.
    pub(crate) fn all_editions(&self) -> impl Iterator<Item = &Edition> + Clone {
        self.editions.iter().flat_map(Edition::with_later)
    }

    /// The version of the law of each edition, and of each later day on which another folder changes
    /// it, the oldest first.
    pub fn versions(&self) -> impl Iterator<Item = &str> {
        self.all_editions().map(Edition::version)
    }

    /// The law of each of its days, the oldest first: the day from which it applies, none for a
    /// method without dates, and its version.
    pub fn laws(&self) -> impl Iterator<Item = (Option<Date>, &str)> {
        self.all_editions()
            .map(|edition| (edition.first_day(), edition.version()))
    }

    /// The editions, the newest first.
    pub(crate) fn newest(&self) -> impl Iterator<Item = &Edition> + Clone {
        self.editions.iter().rev()
    }

    /// The paths of the folders that its steps calculate, or whose figures it takes.
    pub fn used_folders(&self) -> BTreeSet<&str> {
        let methods = self.editions.iter().map(Edition::method);
        let used = methods.flat_map(|method| {
            let shared = method
                .figures()
                .iter()
                .filter_map(|shape| shape.shared.as_ref());
            let given = shared.map(|shared| shared.folder.as_str());
            method
                .steps()
                .iter()
                .filter_map(Step::called_folder)
                .chain(given)
        });
        used.collect()
    }

    /// Whether a step of one of its methods looks in another folder for the input that gives an
    /// amount: each calculation is then a search.
    pub fn searches(&self) -> bool {
        let mut methods = self.editions.iter().map(|edition| &edition.method);
        methods.any(|method| method.searches())
    }

    /// The same folder with a single edition, without cases, to ask what another edition would
    /// answer.
    pub(crate) fn with_only(&self, edition: Edition) -> Self {
        Self {
            path: self.path.clone(),
            version: String::new(),
            content: self.content,
            editions: vec![edition],
            drafts: Vec::new(),
            cases: CaseFile::default(),
            checks: self.checks,
            trees: Arc::default(),
            warnings: Report::default(),
            english: None,
            picture: None,
        }
    }

    /// The edition for a day.
    pub fn edition(&self, date: Date) -> Option<&Edition> {
        // The first from the newest that has started, so that few are looked at: most queries are
        // for today.
        let has_started = |edition: &&Edition| {
            let scale = edition.scale.as_ref();
            scale.is_none_or(|scale| scale.date <= date)
        };
        self.newest()
            .find(has_started)
            .map(|edition| edition.on(date))
    }

    /// The inputs of all its methods, those of the last edition first, each name once.
    pub fn inputs(&self) -> Vec<&Input> {
        let inputs = self.newest().flat_map(|edition| edition.method.inputs());
        distinct(inputs.filter(|input| !input.is_absent), |input| {
            input.name.as_str()
        })
    }

    /// Inputs that a query may send: those of all methods, then the parameters of their inverses,
    /// each name once.
    pub fn accepted_inputs(&self) -> Vec<&Input> {
        // A net is accepted where a gross is: the parameter of an inverse comes after the inputs.
        let asked = self
            .inverses()
            .into_iter()
            .map(|inverse| &inverse.parameter);
        // A name may be that of an input in one method, and in another that of what is asked instead.
        let all = self.inputs().into_iter().chain(asked);
        distinct(all, |input| input.name.as_str())
    }

    /// The fields of all its methods, those of the last edition first, each name once.
    pub fn fields(&self) -> Vec<&Field> {
        distinct(
            self.newest().flat_map(|edition| edition.method.fields()),
            |field| field.name.as_str(),
        )
    }

    /// The aliases that select it within its family, those of the last edition first.
    pub fn aliases(&self) -> Vec<&Alias> {
        distinct(
            self.newest().flat_map(|edition| &edition.method.aliases),
            |alias| alias.word.as_str(),
        )
    }

    /// The words for which it is suggested without being selected, of all its methods.
    pub(crate) fn near(&self) -> impl Iterator<Item = &Alias> {
        self.newest().flat_map(|edition| &edition.method.near)
    }

    /// Whether a normalized word is an alias of it, in one of its methods.
    pub(crate) fn is_called(&self, word: &str) -> bool {
        self.editions
            .iter()
            .flat_map(|edition| &edition.method.aliases)
            .any(|alias| alias.word == word)
    }

    /// Whether one of its methods has an input of this name, or a parameter that replaces one.
    pub(crate) fn takes(&self, name: &str) -> bool {
        self.editions.iter().any(|edition| {
            edition
                .method
                .accepted_inputs()
                .any(|input| input.name == name)
        })
    }

    /// The inverse calculations of all its methods, those of the last edition first, each parameter
    /// once.
    pub fn inverses(&self) -> Vec<&Inverse> {
        let inverses = self.newest().flat_map(|edition| edition.method.inverses());
        distinct(inverses, |inverse| inverse.parameter.name.as_str())
    }

    /// The default of an input of this folder, if it has one.
    pub fn default_of(&self, input: &Input) -> Option<DefaultText> {
        let Presence::Default(expr, written) = &input.presence else {
            return None;
        };

        // An input belongs to one method, which is found by identity: inputs of several methods may
        // have the same name.
        let is_its_own = |edition: &&Edition| {
            edition
                .method
                .inputs()
                .iter()
                .any(|known| std::ptr::eq(known, input))
        };

        // A default that is a column of a figure has a value, but only for one scale.
        let of_figure = |figure: &FigureId, column: &ColumnId| {
            let scale = self.newest().find(is_its_own)?.scale()?;
            let value = column.of(&figure.of(&scale.figures)?.record)?.as_ref()?;
            Some(DefaultText {
                text: input.sent_text(value),
                scale: Some(scale.date),
            })
        };

        let figure = if let Expr::Column(figure, column) = expr {
            of_figure(figure, column)
        } else {
            None
        };

        Some(figure.unwrap_or_else(|| DefaultText {
            text: written.clone(),
            scale: None,
        }))
    }

    /// The first and the last day of something that not all of its scales have: the first day if it
    /// starts after the first scale, the last day if it ends before the last one.
    pub fn days_with(&self, has: impl Fn(&Edition) -> bool) -> (Option<Date>, Option<Date>) {
        let starts: Vec<Date> = self.dates().collect();

        // Scales that have it are taken to be without a gap: only the first and the last one count.
        let first = self.editions.iter().position(&has).unwrap_or_default();

        // The last one that has it: what comes after it starts without it.
        let after = self
            .editions
            .iter()
            .rposition(&has)
            .map_or(starts.len(), |last| last.saturating_add(1));

        // No day where the first scale has it already: there is then nothing to say.
        let since = if first > 0 {
            starts.get(first).copied()
        } else {
            None
        };

        (
            since,
            starts.get(after).and_then(|day| day.yesterday().ok()),
        )
    }

    /// The codes of the warnings that its methods may give, those of the last edition first. The
    /// engine adds its own, those of [`WarningCode`].
    pub fn warning_codes(&self) -> Vec<&str> {
        let checks = self.newest().flat_map(|edition| &edition.method.checks);
        let codes = checks.filter_map(|check| check.verdict.code());
        distinct(codes, |code| code)
    }

    /// The warnings that its methods may give, each code once, with the amounts of the last edition
    /// that has it.
    pub fn warnings(&self) -> Vec<&Warning> {
        let mut warnings: Vec<&Warning> = Vec::new();
        for edition in self.newest() {
            // Another folder may have changed the amounts since the first day of its file.
            let edition = edition.with_later().last().unwrap_or(edition);
            // An edition is compiled for a code that no later one has.
            let codes = edition.method.checks.iter();
            let mut codes = codes.filter_map(|check| check.verdict.code());
            let is_listed = |code: &str| warnings.iter().any(|known| &*known.code == code);
            if codes.all(is_listed) {
                continue;
            }

            let checks = edition.program().ok().map(|program| &program.checks);
            for warning in checks
                .into_iter()
                .flatten()
                .filter_map(|check| check.warning())
            {
                if !warnings.iter().any(|known| known.code == warning.code) {
                    warnings.push(warning);
                }
            }
        }
        warnings
    }

    /// The name of the option that a field belongs to.
    pub fn option_of(&self, field: &Field) -> Option<&str> {
        let methods = self.newest().map(|edition| &edition.method);

        // By identity: two methods may have fields of one name in different options.
        let mut found = methods.filter(|method| {
            method
                .fields()
                .iter()
                .any(|known| std::ptr::eq(known, field))
        });

        Some(found.next()?.options().get(field.option?)?.name.as_str())
    }

    /// The doubts about its scales in force, for which no reason is written. A service does not
    /// take a folder over that has any.
    ///
    /// ```
    /// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../rules"));
    /// # let rules = bareme_engine::Loader::new().without_cases().only(&["tva"]).load(root).rules.ok_or("errors")?;
    /// # let folder = rules.folder("tva").ok_or("no such folder")?;
    /// assert_eq!(folder.doubts().count(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn doubts(&self) -> impl Iterator<Item = &Diagnostic> {
        let is_draft = |file: &str| {
            self.drafts
                .iter()
                .any(|draft| file == draft.path(&self.path))
        };
        let doubts = self
            .warnings
            .warnings()
            .filter(|warning| warning.is_doubt());
        doubts.filter(move |doubt| !is_draft(doubt.file()))
    }

    /// Whether a scale of this folder is a draft.
    pub fn is_drafted(&self, scale: &Scale) -> bool {
        self.drafts.iter().any(|draft| draft.date == scale.date)
    }
}

/// The warning of a calculation for a day after the last one that its scale was checked for.
///
/// ```
/// use jiff::civil::date;
///
/// let warning = bareme_engine::run::unchecked(date(2026, 12, 31), date(2027, 3, 1));
/// assert!(warning.text.en.starts_with("The scale is checked until 2026-12-31"));
/// ```
pub fn unchecked(until: Date, day: Date) -> Warning {
    let (until, day) = (in_words(until), in_words(day));
    let sentence = say!(
        "Barème vérifié jusqu’au {until} : le calcul au {day} applique le dernier barème connu.",
        "The scale is checked until {until}: the calculation of {day} applies the last one known.";
        until,
        day
    );
    Warning::new(WarningCode::Unchecked, sentence)
}

#[cfg(test)]
mod tests;
