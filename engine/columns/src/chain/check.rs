//! Whether the fields of one plan fit the parameters of another: names, types, currencies, words and
//! periods. Everything that does not fit is reported at once.

use bareme_engine::law::{Field, Input, Period, Type};
use bareme_engine::run::plan::FieldKind;
use bareme_engine::say;
use bareme_engine::text::{Text, nearest};

use super::given::{Conversion, Given, Target};
use super::{Chain, Feed};
use crate::plan::Plan;

/// Months of a year.
const YEAR: u32 = 12;

/// Why a field cannot be given as a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainMistake {
    /// A stable code.
    pub code: &'static str,
    /// The mistake in words.
    pub text: Text<String>,
}

impl ChainMistake {
    fn new(code: &'static str, text: Text<String>) -> Self {
        Self { code, text }
    }
}

/// The parameters that a feed gives to a chain, or all its mistakes.
pub(super) fn resolve(chain: &Chain, feed: &Feed) -> Result<Vec<Given>, Vec<ChainMistake>> {
    let mut check = Check {
        plan: &chain.plan,
        source: &feed.source.plan,
        feed,
        // A parameter that an earlier feed gives cannot be given again.
        taken: chain
            .feeds
            .iter()
            .flat_map(|fed| &fed.given)
            .flat_map(|given| given.to.names().to_vec())
            .collect(),
        uses_months: false,
        mistakes: Vec::new(),
    };
    check.feed(chain);

    let given: Vec<Given> = feed
        .gives
        .iter()
        .filter_map(|(field, parameters)| check.given(field, parameters))
        .collect();
    check.months();
    match check.mistakes.is_empty() {
        true => Ok(given),
        false => Err(check.mistakes),
    }
}

impl Target {
    /// The names of the parameters.
    fn names(&self) -> &[String] {
        match self {
            Self::Places(names) => names,
            Self::Items(name) => std::slice::from_ref(name),
        }
    }
}

/// A check of a feed.
struct Check<'c> {
    plan: &'c Plan,
    source: &'c Plan,
    feed: &'c Feed,
    /// Parameters that are given already.
    taken: Vec<String>,
    /// Whether an amount per month is given to one per year.
    uses_months: bool,
    mistakes: Vec<ChainMistake>,
}

impl Check<'_> {
    fn add(&mut self, code: &'static str, text: Text<String>) {
        self.mistakes.push(ChainMistake::new(code, text));
    }

    /// Checks a feed as a whole, before its fields.
    fn feed(&mut self, chain: &Chain) {
        if self.plan.kernel().has_years() || self.source.kernel().has_years() {
            self.add(
                "annee_par_lots",
                say!(
                    "une année de paies ne se chaîne pas : ses lignes sont des mois",
                    "a year of pays is not chained: its rows are months"
                ),
            );
        }

        let name = match &self.feed.each {
            Some(each) => each.as_str(),
            None => self.source.name(),
        };
        let is_output = self.plan.output_schema().field_with_name(name).is_ok();
        let is_fed = chain.feeds.iter().any(|feed| feed.name() == name);
        if is_output || is_fed {
            self.add(
                "colonne_repetee",
                say!(
                    "la réponse a déjà une colonne `{name}`",
                    "the answer has a column `{name}` already"
                ),
            );
        }

        if self.feed.gives.is_empty() {
            let name = self.source.name();
            self.add(
                "rien_a_donner",
                say!(
                    "aucun champ de `{name}` n’est donné comme paramètre",
                    "no field of `{name}` is given as a parameter"
                ),
            );
        }
    }

    /// A field with its parameters; `None` where something of it is wrong.
    fn given(&mut self, name: &str, parameters: &[String]) -> Option<Given> {
        let before = self.mistakes.len();
        self.field(name);
        for parameter in parameters {
            self.parameter(parameter);
        }
        let to = self.target(name, parameters);

        // Types are compared where both names are right.
        let mut conversion = Conversion::Same;
        if self.mistakes.len() == before {
            for parameter in parameters {
                conversion = self.types(name, parameter);
            }
        }
        (self.mistakes.len() == before).then(|| Given {
            field: name.to_owned(),
            to,
            conversion,
        })
    }

    fn field(&mut self, name: &str) {
        let fields = self.source.kernel().fields();
        let names = || fields.iter().map(|field| field.name.as_str());
        let own = self.source.name();

        match fields.iter().find(|field| field.name == name) {
            None => {
                let near = suggestion(nearest(name, names()));
                self.add(
                    "champ_inconnu",
                    say!(
                        "`{name}` n’est pas un champ calculé par le plan de `{own}`{near}",
                        "`{name}` is not a field that the plan of `{own}` computes{near}"; near
                    ),
                );
            }
            Some(field) if field.kind == FieldKind::List => self.add(
                "type_de_champ",
                say!(
                    "`{name}` de `{own}` est une liste, qu’aucun paramètre ne prend",
                    "`{name}` of `{own}` is a list, which no parameter takes"
                ),
            ),
            Some(_) => {}
        }
    }

    fn parameter(&mut self, name: &str) {
        let inputs = self.plan.kernel().inputs();
        let own = self.plan.name();
        if !inputs.iter().any(|input| input.name == name) {
            let near = nearest(name, inputs.iter().map(|input| input.name.as_str()));
            let near = suggestion(near);
            self.add(
                "parametre_inconnu",
                say!(
                    "`{name}` n’est pas un paramètre de `{own}`{near}",
                    "`{name}` is not a parameter of `{own}`{near}"; near
                ),
            );
            return;
        }

        // A name that `map` uses for a column would be that column.
        let is_mapped = self.plan.maps(name);
        if is_mapped || self.taken.iter().any(|taken| taken == name) {
            self.add(
                "parametre_repete",
                say!(
                    "le paramètre `{name}` de `{own}` est donné deux fois",
                    "the parameter `{name}` of `{own}` is given twice"
                ),
            );
        }
        self.taken.push(name.to_owned());
    }

    /// Whether the number of parameters is that of the elements.
    fn target(&mut self, field: &str, parameters: &[String]) -> Target {
        let takes_items = |name: &String| {
            let inputs = self.plan.kernel().inputs();
            let input = inputs.iter().find(|input| input.name == *name);
            input.is_some_and(|input| input.most_items().is_some())
        };
        let of_items = parameters.iter().any(takes_items);

        match (self.feed.each.is_some(), parameters) {
            (true, [name]) if of_items => return Target::Items(name.clone()),
            (true, [_, ..]) if !of_items => {}
            (false, [_]) if !of_items => {}
            (true, _) => self.add(
                "nombre_de_parametres",
                say!(
                    "`{field}` : un paramètre pour chaque élément, ou un seul qui prend une liste",
                    "`{field}`: a parameter for each element, or a single one that takes a list"
                ),
            ),
            (false, _) => self.add(
                "nombre_de_parametres",
                say!(
                    "`{field}` : un seul paramètre, qui ne prend pas de liste",
                    "`{field}`: a single parameter, which takes no list"
                ),
            ),
        }
        Target::Places(parameters.to_vec())
    }

    /// Compares a field with a parameter, in every edition of both.
    fn types(&mut self, field: &str, parameter: &str) -> Conversion {
        let mut found = None;
        for given in sources(self.source, field) {
            for taken in targets(self.plan, parameter) {
                match fit(&given, &taken, self.feed.months) {
                    Ok(conversion) => found = Some(conversion),
                    Err(mistake) => {
                        let (own, other) = (self.source.name(), self.plan.name());
                        let why = mistake.text;
                        // The other editions mostly have the same mistake.
                        self.add(
                            mistake.code,
                            say!(
                                "`{field}` de `{own}` ne peut donner `{parameter}` de `{other}` : \
                                 {why}",
                                "`{field}` of `{own}` cannot give `{parameter}` of `{other}`: {why}";
                                why
                            ),
                        );
                        return Conversion::Same;
                    }
                }
            }
        }

        let conversion = found.unwrap_or(Conversion::Same);
        self.uses_months |= matches!(conversion, Conversion::Months(_));
        conversion
    }

    /// Whether the number of months is one, and has an effect.
    fn months(&mut self) {
        let Some(months) = self.feed.months else {
            return;
        };
        if !(1..=YEAR).contains(&months) {
            self.add(
                "mois",
                say!("{months} mois : de 1 à 12", "{months} months: 1 to 12"),
            );
        } else if !self.uses_months && self.mistakes.is_empty() {
            self.add(
                "mois",
                say!(
                    "un nombre de mois, et aucun montant d’un mois n’en donne un par an",
                    "a number of months, and no amount of a month gives one per year"
                ),
            );
        }
    }
}

fn suggestion(near: Option<&str>) -> Text<String> {
    match near {
        None => Text::same(""),
        Some(near) => say!(
            " ; vouliez-vous dire `{near}` ?",
            "; did you mean `{near}`?"
        ),
    }
}

/// A field in one edition.
struct Source<'m> {
    field: &'m Field,
    words: Vec<&'m str>,
    currency: Option<&'m str>,
}

/// A parameter in one edition.
struct Taken<'m> {
    input: &'m Input,
    currency: Option<&'m str>,
}

fn sources<'p>(plan: &'p Plan, name: &str) -> Vec<Source<'p>> {
    let methods = plan.folders().flat_map(|folder| folder.editions());
    // In every edition: the rows of a table may be of several days.
    let of_method = methods.filter_map(|edition| {
        let method = edition.method();
        let field = method.fields().iter().find(|field| field.name == name)?;
        Some(Source {
            field,
            words: field.words(method.inputs()),
            currency: method.currency.as_deref(),
        })
    });
    of_method.collect()
}

fn targets<'p>(plan: &'p Plan, name: &str) -> Vec<Taken<'p>> {
    let methods = plan.folders().flat_map(|folder| folder.editions());
    let of_method = methods.filter_map(|edition| {
        let method = edition.method();
        let mut inputs = method.inputs().iter();
        let input = inputs.find(|input| input.name == name && !input.is_absent)?;
        Some(Taken {
            input,
            currency: method.currency.as_deref(),
        })
    });
    of_method.collect()
}

/// How a field gives a parameter, or why it cannot.
fn fit(source: &Source, taken: &Taken, months: Option<u32>) -> Result<Conversion, ChainMistake> {
    let (field, input) = (source.field, taken.input);
    let other_type = || {
        ChainMistake::new(
            "type_de_champ",
            say!("ils ne sont pas du même type", "they are not of one type"),
        )
    };

    match (field.json_type(), field.value_type(), input.ty) {
        // Every word that the field may have must be one of the choice: any other refuses the rows
        // that have it.
        ("string", _, Type::Choice(_)) => {
            let mut words = source.words.iter();
            let other = words.find(|word| input.parse(word).is_err());
            match (source.words.is_empty(), other) {
                (true, _) => Err(other_type()),
                (_, None) => Ok(Conversion::Same),
                (_, Some(word)) => Err(ChainMistake::new(
                    "mot_inconnu",
                    say!(
                        "le mot `{word}` n’est pas accepté",
                        "the word `{word}` is not accepted"
                    ),
                )),
            }
        }
        ("string", ty, taken) if matches!(taken, Type::Text) || ty == taken => Ok(Conversion::Same),
        ("string" | "boolean", ty, taken) if ty != taken => Err(other_type()),
        ("boolean", ..) => Ok(Conversion::Same),

        (_, Type::Money(own), Type::Money(period)) => {
            if source.currency != taken.currency {
                let (one, other) = (
                    source.currency.unwrap_or("?"),
                    taken.currency.unwrap_or("?"),
                );
                return Err(ChainMistake::new(
                    "monnaie",
                    say!(
                        "l’un est en {one}, l’autre en {other}",
                        "one is in {one}, the other in {other}"
                    ),
                ));
            }
            of_periods(own, period, months)
        }

        // A percentage is a plain number in an answer, and what a rate is sent as.
        (_, Type::Number, Type::Rate) if field.is_in_percent() => Ok(Conversion::Same),
        (_, Type::Rate, Type::Rate) => Ok(Conversion::Percent),
        (found, Type::Number, Type::Number) if !field.is_in_percent() => {
            match input.integer && found != "integer" {
                true => Err(ChainMistake::new(
                    "type_de_champ",
                    say!(
                        "seul un nombre entier est accepté",
                        "only a whole number is accepted"
                    ),
                )),
                false => Ok(Conversion::Same),
            }
        }
        _ => Err(other_type()),
    }
}

/// How an amount of a period gives one of another.
fn of_periods(own: Period, taken: Period, months: Option<u32>) -> Result<Conversion, ChainMistake> {
    let words = |period| match period {
        Period::Month => Text::new("par mois", "per month"),
        Period::Year => Text::new("par an", "per year"),
        Period::None => Text::new("sans période", "without a period"),
    };

    match (own, taken, months) {
        // An amount without a period is that of a single payment, as a pay is.
        (Period::Month, Period::Year | Period::None, Some(months))
        | (Period::None, Period::Year, Some(months)) => Ok(Conversion::Months(months)),
        // An amount of a year is one sum, which an amount without a period takes.
        (Period::Year, Period::None, _) => Ok(Conversion::Same),
        (own, taken, _) if own == taken => Ok(Conversion::Same),
        _ => {
            let is_of_months = matches!(
                (own, taken),
                (Period::Month, _) | (Period::None, Period::Year)
            );
            let (own, taken) = (words(own), words(taken));
            let cure = match is_of_months {
                true => Text::new(
                    " : dire pour combien de mois (`months=12`)",
                    ": say for how many months (`months=12`)",
                ),
                false => Text::new("", ""),
            };
            Err(ChainMistake::new(
                "periode",
                say!(
                    "l’un est un montant {own}, l’autre {taken}{cure}",
                    "one is an amount {own}, the other {taken}{cure}"; own, taken, cure
                ),
            ))
        }
    }
}
