//! A rule folder: its methods, its dated scales, its cases; and the answer to a query at a date.

use jiff::civil::Date;

use crate::answer::Field;
use crate::asked::{self, Asked};
use crate::cases::Case;
use crate::diagnostic::Report;
use crate::edition::Edition;
use crate::input::Input;
use crate::inverse::Inverse;
use crate::json::Json;
use crate::method::Method;
use crate::program::Run;
use crate::refusal::{BadParameter, Reason, Refusal};
use crate::search;
use crate::source::parse_date;
use crate::types::Value;
use crate::words::{boolean, nearest};

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
    wanted: Option<Asked>,
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

    /// The fields that may be asked for of all its methods, those of the last edition first, each parameter once.
    pub fn inverses(&self) -> Vec<&Inverse> {
        let mut found: Vec<&Inverse> = Vec::new();
        for inverse in self.editions.iter().rev().flat_map(|edition| edition.method.inverses()) {
            if !found.iter().any(|known| known.parameter.name == inverse.parameter.name) {
                found.push(inverse);
            }
        }
        found
    }

    /// The option whose field this is, by name.
    pub fn option_of(&self, field: &Field) -> Option<&str> {
        let methods = self.editions.iter().rev().map(|edition| &edition.method);
        let mut found = methods.filter(|method| method.fields().iter().any(|known| std::ptr::eq(known, field)));
        Some(found.next()?.options().get(field.option?)?.name.as_str())
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
            Some(wanted) => search::find(&edition.program, &mut values, &wanted, year)?,
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
            reading.wanted = asked::read(query, &edition.method, &mut reading.bad);
            reading.values = read_inputs(query, &edition.method, &mut reading.bad);
            if let Some(asked) = &reading.wanted {
                asked::switch_on(asked, query, &edition.method, &mut reading.values, &mut reading.bad);
            }
            self.refuse_left_out(edition, query, &reading.values, &mut reading.bad);
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
        let refuse = |name: &str, reason, sent| BadParameter::because(name, reason, Some(sent), self.accepted_dates());
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
        bad.push(BadParameter::because(name, reason, Some(&received), self.accepted_dates()));
        None
    }

    /// An option that the scale goes without is not computed without its figures.
    fn refuse_left_out(
        &self,
        edition: &Edition,
        query: &[(String, String)],
        values: &[Value],
        bad: &mut Vec<BadParameter>,
    ) {
        for option in &edition.method.left_out {
            let is_on = values.get(option.input) == Some(&Value::Boolean(true));
            let asked = option.parameters.iter().map(|(name, _)| name).filter(|name| sent(query, name).is_some());
            let asked: Vec<&String> = Some(&option.name).filter(|_| is_on).into_iter().chain(asked).collect();
            let has_it = |edition: &Edition| edition.method.options().iter().any(|known| known.name == option.name);
            let later = self.editions.iter().skip_while(|known| !std::ptr::eq(*known, edition));
            let from = later.filter(|later| has_it(later)).find_map(|later| Some(later.scale.as_ref()?.date));
            for name in asked {
                let (reason, expected) =
                    (Reason::OptionNotKnown { from }, "ne pas le demander à cette date".to_owned());
                bad.push(BadParameter::because(name, reason, sent(query, name), expected));
            }
        }
    }

    fn accepted_dates(&self) -> String {
        let first = self.editions.first().and_then(|edition| edition.scale.as_ref());
        first.map(|scale| format!("une date à partir du {}", scale.date)).unwrap_or_default()
    }

    /// Parameters that nobody reads: a typo must never change a result silently.
    fn unknown(&self, query: &[(String, String)], extras: Extras, method: &Method, bad: &mut Vec<BadParameter>) {
        let dates: &[&str] = if self.is_dated() { &[DATE, YEAR] } else { &[] };
        let inputs = method.inputs().iter().map(|input| input.name.as_str()).chain(asked::parameters(method));
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
                bad.push(BadParameter::because(name, Reason::Unknown { near }, Some(value), known.join(", ")));
                told.push(name);
            } else if repeated {
                bad.push(BadParameter::because(name, Reason::Repeated, Some(value), "une seule valeur".to_owned()));
                told.push(name);
            }
        }
    }
}

/// The value sent for a parameter; an empty one is a missing one.
pub(crate) fn sent<'q>(query: &'q [(String, String)], name: &str) -> Option<&'q str> {
    query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
}

fn read_flag(query: &[(String, String)], name: &str, bad: &mut Vec<BadParameter>) -> bool {
    let Some(text) = sent(query, name) else { return false };
    boolean(text).unwrap_or_else(|| {
        bad.push(BadParameter::because(name, Reason::NotBoolean, Some(text), "true ou false".to_owned()));
        false
    })
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
                let instead = || asked::instead_of(rank, method);
                let is_found = instead().any(|name| sent(query, name).is_some());
                if matches!(input.presence, crate::input::Presence::Required) && !is_found {
                    let or_instead = instead().map(|name| format!(", ou bien `{name}`"));
                    let expected = input.expected() + &or_instead.collect::<String>();
                    bad.push(BadParameter::because(&input.name, Reason::Missing, None, expected));
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

#[cfg(test)]
mod tests {
    use crate::testing::{GROSS, TODAY, folder, method, query, read, refused, scale, shown, shown_all};

    use super::*;

    /// Three scales: 2024, 2025 until June, July 2025 checked until the end of 2027.
    fn dated() -> Folder {
        let keys = format!(
            "{GROSS}figures:\n  f: {{v: number}}\nsteps:\n  x: brut * f.v\nanswer:\n  x: x\n  an: scale.year\n  jour: scale.date\n"
        );
        let old = scale("  f: {v: 1, source: s}");
        let ended = scale("  f: {v: 2, source: s}").replace("title: Titre\n", "title: Titre\nuntil: 2025-06-29\n");
        let known =
            scale("  f: {v: 3, source: s}").replace("title: Titre\n", "title: Titre\nknown_until: 2027-12-31\n");
        let files = [
            ("method.yaml", method(&keys)),
            ("2024-02-01.yaml", old),
            ("2025-01-01.yaml", ended),
            ("2025-07-01.yaml", known),
        ];
        let files = files.iter().map(|(name, text)| (*name, text.as_str())).collect::<Vec<_>>();
        read(&files).0.unwrap()
    }

    #[test]
    fn the_day_decides_the_scale() {
        for (asked, x, year, date) in [
            ("date=2024-02-01", "10", "2024", "2024-02-01"),
            ("date=2024-12-31", "10", "2024", "2024-02-01"),
            ("annee=2025", "20", "2025", "2025-01-01"),
            ("date=2025-07-01", "30", "2025", "2025-07-01"),
            ("date=", "30", "2026", "2025-07-01"),
            ("date=2030-01-01", "30", "2027", "2025-07-01"),
        ] {
            let shown = shown_all(&dated(), &format!("brut=10&{asked}"), "x an jour bareme_en_vigueur");
            assert_eq!(shown, format!(r#"{x} {year} "{date}" "{date}""#), "{asked}");
        }
    }

    #[test]
    fn a_day_without_scale_is_refused() {
        for (asked, told) in [
            ("date=2024-01-31", "date sans_bareme"),
            ("annee=2023", "annee sans_bareme"),
            ("date=2025-06-30", "date sans_bareme"),
            ("date=2025-02-30", "date format"),
            ("date=2025-2-3", "date format"),
            ("annee=25", "annee format"),
            ("annee=+025", "annee format"),
            ("annee=2025&date=2025-01-01", "date incompatible"),
        ] {
            assert_eq!(refused(&dated(), &format!("brut=1&{asked}")), [told], "{asked}");
        }
    }

    #[test]
    fn a_day_that_nobody_checked_gets_a_warning() {
        assert_eq!(shown(&dated(), "brut=1&date=2027-12-31", "avertissements"), "absent");
        let warning = shown(&dated(), "brut=1&date=2028-01-01", "avertissements.0");
        assert!(warning.contains("2027-12-31") && warning.contains("2028-01-01"), "{warning}");
        // Without `known_until`, the end of the year of the file.
        let warning = shown(&dated(), "brut=1&date=2024-12-31", "avertissements");
        assert_eq!(warning, "absent");
    }

    #[test]
    fn every_bad_parameter_is_told_at_once_in_the_order_of_the_inputs() {
        let told = refused(&dated(), "date=hier&cadre=peut-etre&brutt=5&detail=x");
        assert_eq!(told, ["date format", "detail format", "brutt inconnu", "brut manquant", "cadre format"]);
    }

    #[test]
    fn an_unknown_parameter_may_be_a_known_one_mistyped() {
        let refusal = dated().answer(&query("brut=5&cadr=true"), Extras::default(), TODAY).unwrap_err();
        let bad = &refusal.parameters[0];
        assert!(bad.reason.contains("`cadre`"), "{}", bad.reason);
        assert_eq!(bad.expected, "brut, cadre, date, annee, detail");
    }

    #[test]
    fn a_parameter_is_given_once() {
        assert_eq!(refused(&dated(), "brut=5&brut=6&brut=7"), ["brut repete"]);
        assert_eq!(refused(&dated(), "brut=5&brut="), ["brut repete"]);
    }

    #[test]
    fn a_parameter_of_others_is_ignored_with_a_warning_and_the_selector_without() {
        let ignored = ["parts".to_owned(), "cadre".to_owned()];
        let extras = Extras { ignored: &ignored, selector: Some("pays") };
        let warned = |text: &str| {
            dated()
                .answer_with(&query(text), extras, TODAY, |answer| {
                    answer.get("avertissements").map(ToString::to_string)
                })
                .unwrap()
        };
        assert_eq!(warned("brut=5&pays=zz&cadre=oui"), None);
        let told = warned("brut=5&pays=zz&parts=2").unwrap();
        assert!(told.contains("`parts`"), "{told}");
        assert_eq!(refused(&dated(), "brut=5&parts=2"), ["parts inconnu"]);
    }

    #[test]
    fn steps_are_shown_when_they_are_asked_for() {
        assert_eq!(shown(&dated(), "brut=5&detail=non", "etapes"), "absent");
        let paths = "etapes.0.nom etapes.0.resultat etapes.0.sources etapes.1";
        assert_eq!(shown_all(&dated(), "brut=5&detail=1", paths), r#""x" 15 ["s"] absent"#);
    }

    #[test]
    fn a_method_without_dates_takes_none() {
        let keys = format!("{GROSS}steps:\n  x: brut\nanswer:\n  x: x\n");
        assert_eq!(refused(&folder(&keys, ""), "brut=5&date=2026-01-01&annee=2026"), ["date inconnu", "annee inconnu"]);
        assert_eq!(shown_all(&folder(&keys, ""), "brut=5", "x bareme_en_vigueur version"), r#"5 absent "0""#);
    }

    #[test]
    fn equal_queries_give_equal_bytes() {
        let ask = |text: &str| dated().answer(&query(text), Extras::default(), TODAY).unwrap().into_json();
        assert_eq!(ask("brut=5.10&cadre=oui"), ask("cadre=1&brut=5.1"));
    }

    #[test]
    fn checks_refuse_before_the_steps_and_warn_after_them() {
        let checks = "checks:
  - {if: cadre, refuse: \"Pas de cadre.\", input: cadre}
  - {if: brut < 0, refuse: \"Pas de brut.\", input: brut}
  - {if: x > brut, warn: \"Plus que le brut.\"}
  - {if: inverse > 1 and cadre, refuse: \"Jamais.\", input: brut}
";
        let steps = "steps:\n  x: brut * 2\n  inverse: brut / brut\nanswer:\n  x: x\n";
        let folder = folder(&format!("{GROSS}{checks}{steps}"), "");
        assert_eq!(refused(&folder, "brut=-1&cadre=oui"), ["cadre incompatible", "brut incompatible"]);
        assert_eq!(refused(&folder, "brut=0&cadre=oui"), ["cadre incompatible"]);
        assert_eq!(refused(&folder, "brut=0"), ["brut non_calculable"]);
        assert_eq!(shown(&folder, "brut=1", "avertissements"), r#"["Plus que le brut."]"#);
    }
}
