//! A rule folder: its methods, its dated scales, its cases; and the answer to a query at a date.

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::answer::Field;
use crate::cases::Case;
use crate::diagnostic::Report;
use crate::edition::Edition;
use crate::input::Input;
use crate::json::Json;
use crate::method::Method;
use crate::program::Run;
use crate::refusal::{BadParameter, Reason, Refusal};
use crate::source::parse_date;
use crate::types::Value;
use crate::words::{nearest, normalize};

/// A rule folder, ready to answer.
#[derive(Debug)]
pub struct Folder {
    pub(crate) path: String,
    pub(crate) version: String,
    /// By date, the oldest first; one without scale for a method without dates.
    pub(crate) editions: Vec<Edition>,
    pub(crate) cases: Vec<Case>,
    /// What its reading warned of.
    pub(crate) warnings: Report,
}

/// Parameters that every dated folder understands besides its inputs.
const DATE: &str = "date";
const YEAR: &str = "annee";
const DETAIL: &str = "detail";

/// An answer, ready to be written.
#[derive(Debug)]
pub struct Answer {
    text: String,
}

impl Answer {
    /// The JSON text: equal calculations give equal bytes.
    pub fn json(&self) -> &str {
        &self.text
    }

    /// The JSON text, owned.
    pub fn into_json(self) -> String {
        self.text
    }
}

/// What the caller of a folder may send besides its inputs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extras<'e> {
    /// Accepted in any case; without effect (and a warning) where the method has no such input.
    pub ignored: &'e [String],
    /// Already understood: the parameter that chose the folder.
    pub selector: Option<&'e str>,
}

/// A query read against the scale of its day.
struct Reading<'f> {
    /// The day asked, where it can be read.
    asked: Option<Date>,
    /// The edition in force that day.
    edition: Option<&'f Edition>,
    detail: bool,
    /// The value asked of a field, to find the input that gives it.
    wanted: Option<Decimal>,
    /// One value for each input, or nothing.
    values: Vec<Value>,
    bad: Vec<BadParameter>,
}

impl Folder {
    /// Path from the rule folder, `salaire-net/ci`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Hash of the content of its files.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Title of the method in force last.
    pub fn title(&self) -> &str {
        self.latest().map(|edition| edition.method.title.as_str()).unwrap_or_default()
    }

    /// The editions, the oldest first.
    pub fn editions(&self) -> &[Edition] {
        &self.editions
    }

    /// The worked cases.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// Whether its scales are dated.
    pub fn is_dated(&self) -> bool {
        self.editions.iter().any(|edition| edition.scale.is_some())
    }

    /// The last edition.
    pub fn latest(&self) -> Option<&Edition> {
        self.editions.last()
    }

    /// The edition in force on a day.
    pub fn edition(&self, date: Date) -> Option<&Edition> {
        self.editions.iter().rev().find(|edition| edition.scale.as_ref().is_none_or(|scale| scale.date <= date))
    }

    /// The inputs of all its methods, those of the last edition first, each name once.
    pub fn inputs(&self) -> Vec<&Input> {
        let mut found: Vec<&Input> = Vec::new();
        for input in self.editions.iter().rev().flat_map(|edition| edition.method.inputs()) {
            if !found.iter().any(|known| known.name == input.name) {
                found.push(input);
            }
        }
        found
    }

    /// The fields of all its methods, those of the last edition first, each name once.
    pub fn fields(&self) -> Vec<&Field> {
        let mut found: Vec<&Field> = Vec::new();
        for field in self.editions.iter().rev().flat_map(|edition| edition.method.fields()) {
            if !found.iter().any(|known| known.name == field.name) {
                found.push(field);
            }
        }
        found
    }

    /// Answers a query.
    ///
    /// # Errors
    /// Every parameter that cannot be used, with what was received and what is accepted.
    pub fn answer(&self, query: &[(String, String)], extras: Extras, today: Date) -> Result<Answer, Refusal> {
        self.answer_with(query, extras, today, |answer| {
            // A usual answer takes two or three kilobytes.
            let mut text = String::with_capacity(4096);
            answer.write(&mut text);
            Answer { text }
        })
    }

    /// Answers a query and hands the answer over as a tree.
    ///
    /// # Errors
    /// Every parameter that cannot be used, with what was received and what is accepted.
    pub fn answer_with<T>(
        &self,
        query: &[(String, String)],
        extras: Extras,
        today: Date,
        hand_over: impl FnOnce(&Json) -> T,
    ) -> Result<T, Refusal> {
        let Reading { asked, edition, detail, wanted, mut values, bad } = self.read(query, extras, today);
        let (Some(edition), Some(date), true) = (edition, asked, bad.is_empty()) else {
            return Err(Refusal { parameters: bad });
        };
        let known_until = edition.scale.as_ref().map(|scale| scale.known_until);
        let year = known_until.map_or(date.year(), |until| date.year().min(until.year()));
        let notes = match wanted {
            Some(wanted) => edition.program.find(&mut values, wanted, year)?,
            None => Vec::new(),
        };
        let mut run = edition.program.run(values, year)?;
        run.warnings.extend(notes);
        run.warnings.extend(without_effect(query, extras, &edition.method));
        if let Some(until) = known_until.filter(|until| date > *until) {
            let warning =
                format!("Barème vérifié jusqu'au {until} : le calcul au {date} applique le dernier barème connu.");
            run.warnings.push(warning);
        }
        Ok(hand_over(&self.compose(&run, edition, detail)?))
    }

    /// Every parameter of a query that this folder could not use.
    pub(crate) fn refused(&self, query: &[(String, String)], extras: Extras, today: Date) -> Vec<BadParameter> {
        self.read(query, extras, today).bad
    }

    fn read(&self, query: &[(String, String)], extras: Extras, today: Date) -> Reading<'_> {
        let mut bad = Vec::new();
        let asked = self.date(query, today, &mut bad);
        let edition = asked.and_then(|date| self.edition_at(date, query, &mut bad));
        let detail = read_flag(query, DETAIL, &mut bad);
        let mut reading = Reading { asked, edition, detail, wanted: None, values: Vec::new(), bad };
        // Without a usable date the other parameters are still read, against the last scale.
        if let Some(edition) = edition.or_else(|| self.latest()) {
            self.unknown(query, extras, &edition.method, &mut reading.bad);
            reading.wanted = read_wanted(query, &edition.method, &mut reading.bad);
            reading.values = read_inputs(query, &edition.method, &mut reading.bad);
        }
        reading
    }

    /// The fields of the method, then those that follow by themselves.
    fn compose<'r>(&'r self, run: &'r Run, edition: &Edition, detail: bool) -> Result<Json<'r>, Refusal> {
        let mut members: Vec<_> = run.fields()?.into_iter().map(|(name, value)| (name.into(), value)).collect();
        members.push(("references".into(), run.references()));
        let date = edition.scale.as_ref().map(|scale| scale.date.to_string());
        members.extend(date.map(|date| ("bareme_en_vigueur".into(), Json::text(date))));
        members.push(("version".into(), Json::text(self.version.as_str())));
        if !run.warnings.is_empty() {
            let warnings = run.warnings.iter().map(|warning| Json::text(warning.as_str())).collect();
            members.push(("avertissements".into(), Json::List(warnings)));
        }
        if detail {
            members.push(("etapes".into(), run.steps()));
        }
        Ok(Json::Object(members))
    }

    /// The day whose scale is asked. `annee` is short for 1 January of that year.
    fn date(&self, query: &[(String, String)], today: Date, bad: &mut Vec<BadParameter>) -> Option<Date> {
        if !self.is_dated() {
            return Some(today);
        }
        let refuse = |name: &str, reason, sent| BadParameter::new(name, reason, Some(sent), self.accepted_dates());
        let (date, year) = (sent(query, DATE), sent(query, YEAR));
        match (date, year) {
            (Some(date), Some(_)) => {
                bad.push(refuse(DATE, Reason::DateAndYear, date));
                None
            }
            (Some(text), None) => {
                let date = parse_date(text);
                if date.is_none() {
                    bad.push(refuse(DATE, Reason::NotDate, text));
                }
                date
            }
            (None, Some(text)) => {
                let plain = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
                let date = text.parse().ok().filter(|_| plain).and_then(|year| Date::new(year, 1, 1).ok());
                if date.is_none() {
                    bad.push(refuse(YEAR, Reason::NotNumber, text));
                }
                date
            }
            (None, None) => Some(today),
        }
    }

    fn edition_at(&self, date: Date, query: &[(String, String)], bad: &mut Vec<BadParameter>) -> Option<&Edition> {
        let found = self.edition(date);
        let ended =
            |edition: &Edition| edition.scale.as_ref().and_then(|scale| scale.until).is_some_and(|until| date > until);
        let reason = match found {
            None => Reason::BeforeFirstScale,
            Some(edition) if ended(edition) => Reason::NoScale,
            Some(edition) => return Some(edition),
        };
        let name = if sent(query, YEAR).is_some() { YEAR } else { DATE };
        let received = sent(query, name).map_or_else(|| date.to_string(), str::to_owned);
        bad.push(BadParameter::new(name, reason, Some(&received), self.accepted_dates()));
        None
    }

    fn accepted_dates(&self) -> String {
        let first = self.editions.first().and_then(|edition| edition.scale.as_ref());
        first.map(|scale| format!("une date à partir du {}", scale.date)).unwrap_or_default()
    }

    /// Parameters that nobody reads: a typo must never change a result silently.
    fn unknown(&self, query: &[(String, String)], extras: Extras, method: &Method, bad: &mut Vec<BadParameter>) {
        let dates: &[&str] = if self.is_dated() { &[DATE, YEAR] } else { &[] };
        let wanted = method.inverse().map(|inverse| &inverse.parameter);
        let inputs = method.inputs().iter().chain(wanted).map(|input| input.name.as_str());
        let extra = extras.ignored.iter().map(String::as_str).chain(extras.selector);
        let mut known: Vec<&str> = inputs.chain(dates.iter().copied()).chain([DETAIL]).collect();
        // An ignored parameter may be an input of this very method.
        known.extend(extra.filter(|name| !method.inputs().iter().any(|input| input.name == **name)));
        let mut told: Vec<&str> = Vec::new();
        for (rank, (name, value)) in query.iter().enumerate() {
            let repeated = query.iter().take(rank).any(|(before, _)| before == name);
            if told.contains(&name.as_str()) {
                continue;
            }
            if !known.contains(&name.as_str()) {
                let near = nearest(name, known.iter().copied()).map(str::to_owned);
                bad.push(BadParameter::new(&shortened(name), Reason::Unknown { near }, Some(value), known.join(", ")));
                told.push(name);
            } else if repeated {
                bad.push(BadParameter::new(name, Reason::Repeated, Some(value), "une seule valeur".to_owned()));
                told.push(name);
            }
        }
    }
}

/// A name that nobody knows is echoed, but not at any length.
fn shortened(name: &str) -> String {
    name.chars().take(64).collect()
}

/// The value sent for a parameter; an empty one is a missing one.
pub(crate) fn sent<'q>(query: &'q [(String, String)], name: &str) -> Option<&'q str> {
    query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
}

fn read_flag(query: &[(String, String)], name: &str, bad: &mut Vec<BadParameter>) -> bool {
    let Some(text) = sent(query, name) else { return false };
    match normalize(text).as_str() {
        "true" | "1" | "oui" => true,
        "false" | "0" | "non" => false,
        _ => {
            bad.push(BadParameter::new(name, Reason::NotBoolean, Some(text), "true ou false".to_owned()));
            false
        }
    }
}

/// What the caller asks for instead of sending an input.
fn read_wanted(query: &[(String, String)], method: &Method, bad: &mut Vec<BadParameter>) -> Option<Decimal> {
    let inverse = method.inverse()?;
    let parameter = &inverse.parameter;
    let text = sent(query, &parameter.name)?;
    let input = method.inputs().get(inverse.input)?;
    if sent(query, &input.name).is_some() {
        let reason = Reason::InsteadOf { input: input.name.clone() };
        bad.push(BadParameter::new(&parameter.name, reason, Some(text), parameter.expected()));
    }
    match parameter.parse(text) {
        Ok(Value::Number(wanted)) => Some(wanted),
        Ok(_) => None,
        Err(problem) => {
            bad.push(problem);
            None
        }
    }
}

fn read_inputs(query: &[(String, String)], method: &Method, bad: &mut Vec<BadParameter>) -> Vec<Value> {
    let mut values = Vec::with_capacity(method.inputs().len());
    for (rank, input) in method.inputs().iter().enumerate() {
        let value = match sent(query, &input.name) {
            Some(text) => input.parse(text).unwrap_or_else(|problem| {
                // One that is repeated is told already.
                if !bad.iter().any(|told| told.name == input.name) {
                    bad.push(problem);
                }
                Value::Nothing
            }),
            None => {
                let instead = method.inverse().filter(|inverse| inverse.input == rank);
                let instead = instead.map(|inverse| inverse.parameter.name.as_str());
                let is_found = instead.is_some_and(|name| sent(query, name).is_some());
                if matches!(input.presence, crate::input::Presence::Required) && !is_found {
                    let or_instead = instead.map(|name| format!(", ou bien `{name}`")).unwrap_or_default();
                    let expected = input.expected() + &or_instead;
                    bad.push(BadParameter::new(&input.name, Reason::Missing, None, expected));
                }
                Value::Nothing
            }
        };
        values.push(value);
    }
    values
}

fn without_effect(query: &[(String, String)], extras: Extras, method: &Method) -> Vec<String> {
    let has_no_input = |name: &&String| !method.inputs().iter().any(|input| input.name == **name);
    let ignored = extras.ignored.iter().filter(has_no_input).filter(|name| sent(query, name).is_some());
    ignored.map(|name| format!("Le paramètre `{name}` n'a pas d'effet sur ce calcul.")).collect()
}
