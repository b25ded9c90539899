//! A rule set with the service that publishes it.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use jiff::civil::Date;

use crate::law::Addresses;
use crate::run;
use crate::run::plan::{Plan, PlanError};
use crate::run::query::unknown_fields;
use crate::run::rules::word_in;
use crate::run::select::{named, or_elsewhere, refused_by_all, select, suggested};
use crate::run::{
    Calculation, CalculationError, FieldSelection, Folder, Query, YEAR_PATH, YearCalculation,
};
use crate::set::CheckRecord;
use crate::text::diagnostic::folder_of;
use crate::text::{BadParameter, Refusal, nearest, normalize, query_string};

use super::{Endpoint, Held, Service};

/// A rule set with the service that publishes it. It dereferences to the [`Rules`](crate::Rules)
/// themselves.
#[derive(Debug)]
pub struct Rules {
    pub(super) rules: run::rules::Rules,
    pub(super) service: Arc<Service>,
    /// The parts whose files have errors, by folder; the file of the service has the empty path.
    pub(super) held: BTreeMap<String, Held>,
}

impl Rules {
    /// Record of the fully checked folders, and of the file of the service, on a day.
    pub fn check_record(&self, day: Date) -> CheckRecord {
        CheckRecord::from_rules(&self.rules, day).with_service(self.rules.root)
    }
}

impl Deref for Rules {
    type Target = run::rules::Rules;

    fn deref(&self) -> &Self::Target {
        &self.rules
    }
}

impl Addresses for Rules {
    fn address(&self, folder: &str, parameters: &[(String, String)]) -> Option<String> {
        let (endpoint, word) = self.service.endpoints.iter().find_map(|endpoint| {
            let mut members = self.members(endpoint);
            let (word, _) = members.find(|(_, member)| member.path() == folder)?;
            Some((endpoint, word))
        })?;

        let selected = endpoint.by.clone().zip(word.map(str::to_owned));
        let asked = query_string::from_pairs(selected.iter().chain(parameters));
        Some(format!("{}?{asked}", endpoint.name))
    }
}

impl Rules {
    /// The same service over the folders of another rule set, for calculations by the law of that
    /// one.
    #[must_use]
    pub fn with_folders(&self, rules: run::rules::Rules) -> Self {
        Self {
            rules,
            service: Arc::clone(&self.service),
            held: BTreeMap::new(),
        }
    }

    /// The endpoints and folders of which every text is in English; `None` without any. Their
    /// answers have the same values.
    #[must_use]
    pub fn in_english(&self) -> Option<Self> {
        let english = |(path, folder): (&String, &Arc<Folder>)| {
            Some((path.clone(), Arc::clone(folder.english.as_ref()?)))
        };
        let folders = self.rules.folders.iter().filter_map(english).collect();

        // A family keeps its endpoint as long as one of its folders is in English.
        let has_folder = |endpoint: &Endpoint| match &endpoint.by {
            Some(_) => run::rules::family(&folders, &endpoint.folder)
                .next()
                .is_some(),
            None => folders.contains_key(&endpoint.folder),
        };
        let mut service = self.service.english.as_deref()?.clone();
        service.endpoints.retain(has_folder);
        if service.endpoints.is_empty() {
            return None;
        }

        Some(Self {
            rules: run::rules::Rules::new(self.rules.root, folders),
            service: Arc::new(service),
            held: BTreeMap::new(),
        })
    }

    /// Endpoints, variants and plans.
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// The folders of an endpoint, each with the word that selects it in a family.
    pub fn members<'r>(
        &'r self,
        endpoint: &'r Endpoint,
    ) -> impl Iterator<Item = (Option<&'r str>, &'r Folder)> {
        // An endpoint has either one folder or a family.
        let family = endpoint.by.as_ref().map(|_| self.family(&endpoint.folder));
        let of_family = family
            .into_iter()
            .flatten()
            .map(|(word, folder)| (Some(word), folder));

        let alone = if endpoint.by.is_none() {
            self.folder(&endpoint.folder)
        } else {
            None
        };

        alone
            .into_iter()
            .map(|folder| (None, folder))
            .chain(of_family)
    }

    /// The parts of the set whose files have errors, by folder.
    pub fn held(&self) -> impl Iterator<Item = &Held> {
        self.held.values()
    }

    /// Whether a file belongs to a part whose files have errors.
    pub fn holds(&self, path: &str) -> bool {
        self.held.contains_key(folder_of(path))
    }

    /// The absent folders: their files have errors, and they have no good state.
    pub fn absent(&self) -> impl Iterator<Item = &Held> {
        self.held().filter(|held| !held.serves)
    }

    /// The absent folder that a query is for: its files have errors, and it has no good state. In a
    /// family, any absent folder counts if the word of the query selects none that is present.
    pub fn absent_for<N: AsRef<str>, V: AsRef<str>>(
        &self,
        endpoint: &Endpoint,
        parameters: impl Fn() -> Vec<(N, V)>,
    ) -> Option<&Held> {
        let Some(by) = &endpoint.by else {
            return self.absent().find(|held| held.folder == endpoint.folder);
        };

        // A word may be an alias of the folder that is absent, which nobody can know while it is.
        let absent = || {
            self.absent()
                .filter_map(|held| Some((word_in(&endpoint.folder, &held.folder)?, held)))
        };

        // Without any absent folder there is nothing to read: the usual case.
        let (_, first) = absent().next()?;

        let parameters = parameters();
        // Without a word the query is refused for that, and not for an absent folder.
        let word = normalize(Query::from(&parameters[..]).sent(by)?);

        // A word that selects a folder that is present is answered by that one.
        if self.select(endpoint, &parameters).is_ok() {
            return None;
        }

        Some(
            absent()
                .find(|(own, _)| *own == word)
                .map_or(first, |(_, held)| held),
        )
    }

    /// Calculates the answer of an endpoint to a query.
    ///
    /// # Errors
    /// Every parameter that cannot be used, with the value received and the values accepted; or an
    /// internal error of the engine.
    pub fn calculate<N: AsRef<str>, V: AsRef<str>>(
        &self,
        endpoint: &Endpoint,
        parameters: &[(N, V)],
        today: Date,
    ) -> Result<Calculation<'_>, CalculationError> {
        self.answer(endpoint, Query::from(parameters), today)
    }

    /// Calculates only some fields of an endpoint.
    ///
    /// # Errors
    /// As [`calculate`](Self::calculate), and fields asked for by name that the answer does not
    /// have.
    pub fn calculate_only<N: AsRef<str>, V: AsRef<str>>(
        &self,
        endpoint: &Endpoint,
        parameters: &[(N, V)],
        fields: FieldSelection,
        today: Date,
    ) -> Result<Calculation<'_>, CalculationError> {
        self.answer(endpoint, Query::from(parameters).selecting(fields), today)
    }

    /// Calculates a year of pays of an endpoint; the values of a list may be a repeated parameter.
    ///
    /// # Errors
    /// Every bad parameter, with its month; or an internal error of the engine.
    pub fn year<N: AsRef<str>, V: AsRef<str>>(
        &self,
        endpoint: &Endpoint,
        parameters: &[(N, V)],
    ) -> Result<YearCalculation<'_>, CalculationError> {
        self.answer_year(endpoint, Query::from(parameters))
    }

    /// Calculates only some fields of a year of pays.
    ///
    /// # Errors
    /// As [`year`](Self::year), and fields asked for by name that a month does not have.
    pub fn year_only<N: AsRef<str>, V: AsRef<str>>(
        &self,
        endpoint: &Endpoint,
        parameters: &[(N, V)],
        fields: FieldSelection,
    ) -> Result<YearCalculation<'_>, CalculationError> {
        self.answer_year(endpoint, Query::from(parameters).selecting(fields))
    }

    /// A query as an endpoint answers it.
    fn of_endpoint<'q>(&'q self, query: Query<'q>, endpoint: &'q Endpoint) -> Query<'q> {
        query
            .ignoring(&endpoint.ignored)
            .chosen_by(endpoint.by.as_deref())
            .addressed_by(self)
    }

    fn answer_year(
        &self,
        endpoint: &Endpoint,
        query: Query,
    ) -> Result<YearCalculation<'_>, CalculationError> {
        let query = self.of_endpoint(query, endpoint);

        // A year is computed by one folder: without it no other parameter can be judged.
        let folder = self.selected(endpoint, &query)?;
        folder.year(&self.without_empty(endpoint, folder, query))
    }

    fn answer(
        &self,
        endpoint: &Endpoint,
        query: Query,
        today: Date,
    ) -> Result<Calculation<'_>, CalculationError> {
        let query = self.of_endpoint(query, endpoint);
        match self.selected(endpoint, &query) {
            Ok(folder) => folder.calculate(&self.without_empty(endpoint, folder, query), today),
            Err(mut refusal) => {
                if let Some(by) = &endpoint.by {
                    // Without a folder, what no folder of the family could use is refused at once
                    // with the word.
                    let family = self.family(&endpoint.folder).map(|(_, folder)| folder);
                    refusal
                        .parameters
                        .extend(refused_by_all(by, family, &query, today));
                }
                Err(refusal.into())
            }
        }
    }

    /// The query without empty parameters that other folders of the family have: they belong to the
    /// endpoint, and an empty one counts as not sent.
    fn without_empty<'q>(
        &self,
        endpoint: &Endpoint,
        folder: &Folder,
        query: Query<'q>,
    ) -> Query<'q> {
        // Nearly no query has an empty parameter.
        if endpoint.by.is_none() || query.parameters.iter().all(|(_, value)| !value.is_empty()) {
            return query;
        }

        let is_of_another = |name: &str| {
            // A form sends all its fields: those of other countries are empty.
            !folder.takes(name)
                && self
                    .family(&endpoint.folder)
                    .any(|(_, other)| other.takes(name))
        };

        query.without(|name, value| value.is_empty() && is_of_another(name))
    }

    /// The names that no answer of an endpoint has, or in a family no answer of the folder of a
    /// word, each as a bad parameter `champs`.
    pub fn unknown_fields(
        &self,
        endpoint: &Endpoint,
        word: Option<&str>,
        names: &[&str],
    ) -> Vec<BadParameter> {
        let own = self.folder(&endpoint.folder);

        let family = self
            .family(&endpoint.folder)
            .filter(|(known, _)| word.is_none_or(|word| *known == word));

        unknown_fields(
            own.into_iter().chain(family.map(|(_, folder)| folder)),
            names,
        )
    }

    /// The word of the folder of a family that another text selects or may mean.
    pub fn word_meant(&self, endpoint: &Endpoint, text: &str) -> Option<&str> {
        let (family, text) = (|| self.family(&endpoint.folder), normalize(text));

        // What selects a folder comes before what only resembles it.
        named(family, &text)
            .map(|(own, _)| own)
            .or_else(|| suggested(family, &text).map(|(own, _)| own))
    }

    /// A plan of a folder, by path, or of an endpoint, by name, with the parameters that the
    /// service accepts; for the scale of a day unless a column gives another, and for some fields
    /// or all single-valued ones.
    ///
    /// `salaire/annee` is a plan of the years of pays of `salaire`: its rows are months, with the
    /// columns `cle`, `mois` and `annee`, and those of a year are all evaluated together.
    ///
    /// # Errors
    /// An unknown name or field; a year of pays of what computes none.
    pub fn plan(&self, name: &str, day: Date, fields: Option<&[&str]>) -> Result<Plan, PlanError> {
        let year = name.strip_suffix(YEAR_PATH);
        let name = year.unwrap_or(name);

        let endpoints = &self.service.endpoints;
        // The name of an endpoint, such as `tva/facture`, is also a path below the folder of
        // another.
        let find = |is_it: &dyn Fn(&Endpoint) -> bool| endpoints.iter().find(|one| is_it(one));
        let endpoint = find(&|endpoint| endpoint.name == name)
            .or_else(|| find(&|endpoint| endpoint.folder == name))
            .or_else(|| find(&|endpoint| word_in(&endpoint.folder, name).is_some()));

        let ignored = endpoint
            .map(|endpoint| endpoint.ignored.as_slice())
            .unwrap_or_default();

        // A path names a folder itself; a name of an endpoint, the folder that it answers from.
        let path = endpoint
            .filter(|endpoint| endpoint.name == name)
            .map_or(name, |endpoint| &endpoint.folder);

        // A plan by path takes the parameters that the endpoint of the folder ignores, so that both
        // accept the same columns.
        if let Some(folder) = self.folders.get(path).filter(|_| year.is_some()) {
            return Plan::of_years(path, folder, ignored, day, fields);
        }
        if let Some(folder) = self.folders.get(path) {
            return Plan::of_folders(
                vec![(path.to_owned(), Arc::clone(folder))],
                None,
                ignored,
                day,
                fields,
            );
        }

        // A family is computed whole, and the parameter that chooses its folder becomes a column.
        let by = endpoint
            .filter(|endpoint| endpoint.folder == path)
            .and_then(|endpoint| endpoint.by.as_deref());

        let family = self
            .folders
            .iter()
            .filter_map(|(folder, held)| Some((word_in(path, folder)?.to_owned(), held)));

        let family: Vec<_> = family
            .map(|(word, folder)| (word, Arc::clone(folder)))
            .collect();

        if by.is_none() || family.is_empty() {
            let known = endpoints.iter().map(|endpoint| endpoint.name.as_str());
            // Plans are asked for by the name of an endpoint or by a path: either may be mistyped.
            let near = nearest(name, known.chain(self.folders.keys().map(String::as_str)))
                .map(str::to_owned);
            return Err(PlanError::UnknownFolder {
                name: name.to_owned(),
                near,
            });
        }

        // A year of pays is that of one folder.
        if year.is_some() {
            return Err(PlanError::NoYear {
                name: name.to_owned(),
            });
        }

        let elsewhere = endpoint
            .map(|endpoint| endpoint.elsewhere.as_slice())
            .unwrap_or_default();
        Ok(Plan::of_folders(family, by, ignored, day, fields)?.with_elsewhere(elsewhere))
    }

    /// The folder of an endpoint that a query selects.
    ///
    /// # Errors
    /// The selecting parameter is missing, repeated or unknown; the refusal lists the known words.
    pub fn select<N: AsRef<str>, V: AsRef<str>>(
        &self,
        endpoint: &Endpoint,
        parameters: &[(N, V)],
    ) -> Result<&Folder, Refusal> {
        self.selected(endpoint, &Query::from(parameters))
    }

    fn selected(&self, endpoint: &Endpoint, query: &Query) -> Result<&Folder, Refusal> {
        let Some(by) = &endpoint.by else {
            // The folder is absent for its errors: no parameter is to blame.
            return self.folder(&endpoint.folder).ok_or(Refusal {
                parameters: Vec::new(),
            });
        };

        let selected = select(by, || self.family(&endpoint.folder), query);
        selected.map_err(|refusal| or_elsewhere(refusal, by, &endpoint.elsewhere, query))
    }
}
