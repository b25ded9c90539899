//! Targets of a query: a rule folder by its path, or an endpoint of the service by its name.

use std::borrow::Cow;

use bareme_arrow::{Options, Plan};
use bareme_engine::law::parameter::{OF_THE_DAY, VERSION};
use bareme_engine::run::{FieldSelection, InternalFault, YEAR_PATH, YearCalculation};
use bareme_engine::service::{Endpoint, Rules};
use bareme_engine::text::{BadParameter, normalize};
use bareme_engine::{Calculation, CalculationError, Folder, Lang, Query, Refusal};
use bareme_show::say;
use jiff::civil::Date;

use crate::rule_files::{called, unknown_name};
use crate::session::{Failure, Session};
use crate::user_input::{argument, typed};

/// The target of a query: a rule folder, or an endpoint of the service.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'r> {
    rules: &'r Rules,
    /// The folder; `None` where a parameter selects it.
    folder: Option<&'r Folder>,
    endpoint: Option<&'r Endpoint>,
    /// The version of the law that calculates; another is refused.
    law: Option<&'r str>,
}

impl<'r> Target<'r> {
    /// Finds the folder or the endpoint with this name or alias.
    ///
    /// # Errors
    /// An unknown name.
    pub(crate) fn find(rules: &'r Rules, name: &str, session: &Session) -> Result<Self, Failure> {
        let endpoints = &rules.service().endpoints;

        let Some(folder) = called(rules, name) else {
            // 1. No folder has the name: an endpoint may, whatever its case and accents.
            let word = normalize(name);

            return match endpoints
                .iter()
                .find(|endpoint| normalize(&endpoint.name) == word)
            {
                Some(endpoint) => Ok(Self {
                    rules,
                    folder: rules.folder(&endpoint.folder),
                    endpoint: Some(endpoint),
                    law: None,
                }),
                None => Err(unknown_name(
                    name,
                    &rules.folders().map(Folder::path).collect::<Vec<_>>(),
                    session,
                )),
            };
        };

        // 2. A folder. The endpoint that leads to it has the parameters that are accepted without
        // effect, and may serve it directly or as one of its family.
        let family = folder.path().split_once('/').map(|(family, _)| family);
        let leads = |endpoint: &&Endpoint| {
            endpoint.folder == folder.path() || Some(endpoint.folder.as_str()) == family
        };

        Ok(Self {
            rules,
            folder: Some(folder),
            endpoint: endpoints.iter().find(leads),
            law: None,
        })
    }

    /// The same target by the law of a version, where one is named.
    pub(crate) fn by_law(self, version: Option<&'r str>) -> Self {
        Self {
            law: version,
            ..self
        }
    }

    /// The names of the parameters of all possible folders.
    // All folders, since the one of a query depends on its values.
    pub(crate) fn parameters(&self) -> Vec<&'r str> {
        let folders = self.folders();
        let inputs = folders.iter().flat_map(|folder| folder.inputs());

        // An inverse is asked by a parameter that is no input, as `net`.
        let asked = folders
            .iter()
            .flat_map(|folder| folder.inverses())
            .map(|inverse| &inverse.parameter);

        let mut names: Vec<&str> = inputs
            .chain(asked)
            .map(|input| input.name.as_str())
            .collect();
        names.extend(OF_THE_DAY);
        names.push(VERSION);
        names.extend(self.selector());
        names.extend(self.ignored().iter().map(String::as_str));
        names
    }

    /// The folder for a query.
    pub(crate) fn folder(&self, query: &[(String, String)]) -> Result<&'r Folder, Refusal> {
        // Without folder and endpoint there is no such target: `find` never makes one.
        match (self.folder, self.endpoint) {
            (Some(folder), _) => Ok(folder),
            (None, Some(endpoint)) => self.rules.select(endpoint, query),
            (None, None) => Err(Refusal {
                parameters: Vec::new(),
            }),
        }
    }

    /// Every possible folder.
    pub(crate) fn folders(&self) -> Vec<&'r Folder> {
        match (self.folder, self.endpoint) {
            (Some(folder), _) => vec![folder],
            (None, Some(endpoint)) => self
                .rules
                .family(&endpoint.folder)
                .map(|(_, folder)| folder)
                .collect(),
            (None, None) => Vec::new(),
        }
    }

    /// The parameter that selects the folder, if any.
    pub(crate) fn selector(&self) -> Option<&'r str> {
        if self.folder.is_some() {
            None
        } else {
            self.endpoint.and_then(|endpoint| endpoint.by.as_deref())
        }
    }

    /// Parameters that are accepted without effect where a method has no such input.
    pub(crate) fn ignored(&self) -> &'r [String] {
        self.endpoint
            .map(|endpoint| endpoint.ignored.as_slice())
            .unwrap_or_default()
    }

    /// A plan of some fields over tables, for many rows at once; of years of pays, where rows are
    /// their months.
    pub(crate) fn table_plan(
        &self,
        is_year: bool,
        day: Date,
        options: &Options,
    ) -> Result<Plan, bareme_arrow::Error> {
        let name = match (self.folder, self.endpoint) {
            // A family is planned by the name of its endpoint, so that each row selects its folder.
            (None, Some(endpoint)) => &endpoint.name,
            (folder, _) => folder.map_or("", Folder::path),
        };

        let options = match self.law {
            Some(version) => options.clone().by_law(version),
            None => options.clone(),
        };
        let end = if is_year { YEAR_PATH } else { "" };
        Plan::new(self.rules, &format!("{name}{end}"), day, &options)
    }

    /// The folder whose year of pays is asked for.
    ///
    /// # Errors
    /// A family whose folder is not named; a folder that computes no year.
    pub(crate) fn folder_of_year(&self, session: &Session) -> Result<&'r Folder, Failure> {
        let lang = session.lang;
        let message = match self.folder {
            Some(folder) if folder.year_block().is_some() => return Ok(folder),
            Some(folder) => {
                let path = folder.path();
                say!(
                    lang,
                    "`{path}` ne calcule pas d’année de paies : sa méthode n’a pas de bloc \
                     `year:`.",
                    "`{path}` computes no year of pays: its method has no block `year:`."
                )
            }
            None => say!(
                lang,
                "Une année de paies est celle d’un seul barème : le nommer, comme \
                 `salaire-net/qc/annee`.",
                "A year of pays is that of one folder: name it, as in `salaire-net/qc/annee`."
            ),
        };

        Err(Failure::unusable(message))
    }

    /// Calculates a year of pays as the service would; of some fields, where they are named.
    pub(crate) fn year(
        &self,
        folder: &'r Folder,
        parameters: &[(String, String)],
        fields: Option<FieldSelection>,
    ) -> Result<YearCalculation<'r>, CalculationError> {
        let parameters = self.with_law(parameters);
        let query = Query::from(&*parameters).ignoring(self.ignored());
        folder.year(&selecting(query, fields))
    }

    /// Calculates a query like the service; of some fields, where they are named.
    pub(crate) fn calculate(
        &self,
        parameters: &[(String, String)],
        fields: Option<FieldSelection>,
        today: Date,
    ) -> Result<Calculation<'r>, CalculationError> {
        let parameters = &*self.with_law(parameters);
        // Through the endpoint, whose selector chooses the folder of this query.
        if let (None, Some(endpoint)) = (self.folder, self.endpoint) {
            return match fields {
                Some(fields) => self
                    .rules
                    .calculate_only(endpoint, parameters, fields, today),
                None => self.rules.calculate(endpoint, parameters, today),
            };
        }

        // A named folder: `ignored` still holds, as when it is called through its endpoint.
        let query = Query::from(parameters).ignoring(self.ignored());
        self.folder(parameters)?
            .calculate(&selecting(query, fields), today)
    }

    /// The parameters with the law of the target, which a row may repeat.
    fn with_law<'p>(&self, parameters: &'p [(String, String)]) -> Cow<'p, [(String, String)]> {
        let Some(law) = self.law else {
            return Cow::Borrowed(parameters);
        };
        let is_other = |(name, value): &&(String, String)| name != VERSION || value != law;
        let mut sent: Vec<_> = parameters.iter().filter(is_other).cloned().collect();
        sent.push((VERSION.to_owned(), law.to_owned()));
        Cow::Owned(sent)
    }
}

fn selecting<'q>(query: Query<'q>, fields: Option<FieldSelection<'q>>) -> Query<'q> {
    match fields {
        Some(fields) => query.selecting(fields),
        None => query,
    }
}

/// A name without the end that asks for a year of pays, and whether it asks for one.
pub(crate) fn of_year(name: &str) -> (&str, bool) {
    let name = name.trim_end_matches('/');
    name.strip_suffix(YEAR_PATH)
        .map_or((name, false), |name| (name, true))
}

/// Parses `name=value` on the command line, with numbers and days as people write them.
///
/// # Errors
/// A word without `=`; every value that reads in two ways.
pub(crate) fn query(words: &[String], session: &Session) -> Result<Vec<(String, String)>, Failure> {
    // Every wrong value is reported at once, rather than the first only.
    let (mut read, mut wrong) = (Vec::new(), Vec::new());
    for word in words {
        let (name, value) = word.split_once('=').ok_or_else(|| {
            Failure::unusable(say!(
                session.lang,
                "`{word}` n’est pas un paramètre : écrire `nom=valeur`, comme `brut=450000`.",
                "`{word}` is not a parameter: write `name=value`, like `brut=450000`."
            ))
        })?;

        // A list is written `1;2;3`, one value for each month.
        let name = name.trim();
        let values = value
            .split(';')
            .map(|value| argument(value.trim(), session.lang));

        match values.collect::<Result<Vec<String>, String>>() {
            Ok(values) => read.push((name.to_owned(), values.join(";"))),
            Err(reason) => wrong.push(say!(
                session.lang,
                "`{name}` : {reason}.",
                "`{name}`: {reason}."
            )),
        }
    }

    if wrong.is_empty() {
        Ok(read)
    } else {
        Err(Failure::wrong(wrong.join("\n")))
    }
}

/// A query as on the command line.
pub(crate) fn words(query: &[(String, String)]) -> String {
    // The words may be pasted into a shell: what is not plain is quoted, and a quote inside is
    // closed, escaped and opened again.
    let word = |(name, value): &(String, String)| {
        let value = typed(value);
        let plain = value
            .chars()
            .all(|letter| letter.is_alphanumeric() || ".,-_".contains(letter));
        let value = if plain {
            value
        } else {
            Cow::Owned(format!("'{}'", value.replace('\'', "'\\''")))
        };
        format!("{name}={value}")
    };

    query.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// The error of a query without an answer: refused, parameter by parameter, or an internal error of
/// the engine.
pub(crate) fn failed(error: &CalculationError, session: &Session) -> Failure {
    match error {
        CalculationError::Refused(refusal) => refused(refusal, session),
        CalculationError::Internal(fault) => Failure::unusable(of_fault(fault, session.lang)),
    }
}

fn of_fault(fault: &InternalFault, lang: Lang) -> String {
    let place = fault.place();
    say!(
        lang,
        "{fault}",
        "internal fault of the engine, in `{place}`"
    )
}

/// The reason on one line, for a row among others.
pub(crate) fn reason(error: &CalculationError, lang: Lang) -> String {
    // In a table of rows there is no room for what is accepted.
    let one = |bad: &BadParameter| {
        let (name, month, reason) = (
            &bad.name,
            month(bad, lang),
            bad.reason.in_lang(lang).trim_end_matches('.'),
        );
        let received = received(bad, lang);
        say!(
            lang,
            "{name}{month} : {reason}{received}",
            "{name}{month}: {reason}{received}"
        )
    };

    match error {
        CalculationError::Refused(refusal) => {
            let all: Vec<String> = refusal.parameters.iter().map(one).collect();
            all.join(if lang == Lang::Fr { " ; " } else { "; " })
        }
        CalculationError::Internal(fault) => of_fault(fault, lang),
    }
}

/// The month that a bad parameter is about, in a year of pays.
fn month(bad: &BadParameter, lang: Lang) -> String {
    bad.month
        .map(|month| say!(lang, ", mois {month}", ", month {month}"))
        .unwrap_or_default()
}

fn received(bad: &BadParameter, lang: Lang) -> String {
    let received = bad.received.as_deref();
    received
        .map(|received| say!(lang, " (reçu : {received})", " (received: {received})"))
        .unwrap_or_default()
}

/// The error of a refused query, parameter by parameter.
pub(crate) fn refused(refusal: &Refusal, session: &Session) -> Failure {
    let lang = session.lang;
    let line = |bad: &BadParameter| {
        // Some reasons leave nothing to accept, as of an unknown parameter.
        let expected = bad.expected.in_lang(lang);
        let expected = match expected {
            "" => String::new(),
            _ => say!(lang, "\n  accepté : {expected}", "\n  accepted: {expected}"),
        };
        let (name, month) = (&bad.name, month(bad, lang));
        let (reason, received) = (bad.reason.in_lang(lang), received(bad, lang));
        say!(
            lang,
            "`{name}`{month} : {reason}{received}{expected}",
            "`{name}`{month}: {reason}{received}{expected}"
        )
    };

    Failure::wrong(
        refusal
            .parameters
            .iter()
            .map(line)
            .collect::<Vec<_>>()
            .join("\n"),
    )
}
