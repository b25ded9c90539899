//! One pay in every country: the same gross, or the same cost, in the currency of each country or converted at
//! rates that the visitor gives. No rate of exchange is kept here: the service knows law, not markets.

use bareme_engine::CalculationError;
use bareme_engine::law::{Find, Method, Presence};
use bareme_engine::service::Rules;
use bareme_show::Pay;
use jiff::civil::Date;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::catalogue::{self, Listed};
use super::layout::Page;
use super::simulator::Question;
use super::text::{amount, currency, percent, printed, prose, query};
use crate::wire::problem::Problem;
use crate::wire::query::Query;

/// Path of the page.
pub(super) const PATH: &str = "/comparer";

/// Parameters of the page: their names have a hyphen, which no input has, but for the amount.
const AMOUNT: &str = "montant";
const START: &str = "point-de-depart";
const CURRENCY: &str = "devise";
const RATE: &str = "taux-";

/// The amount of a comparison that says none.
const USUAL: &str = "3000";

/// The currency in which amounts are compared, where none is asked.
const USUAL_CURRENCY: &str = "EUR";

/// Parameters of a comparison.
struct Asked {
    amount: Option<Decimal>,
    written: String,
    from_cost: bool,
    /// The currency of the amount; none: that of each country.
    currency: Option<String>,
    /// Units of a currency for one of the amount's.
    rates: Vec<(String, Option<Decimal>, String)>,
}

/// Result of a country.
struct Outcome<'r> {
    listed: Listed<'r>,
    code: &'r str,
    result: Result<Amounts, String>,
    link: String,
}

/// A pay in the currency of its country.
#[derive(Debug)]
struct Amounts {
    gross: Decimal,
    net: Decimal,
    cost: Option<Decimal>,
    decimals: u32,
    /// Label of its net where no tax is withheld from it, since it does not compare with the others.
    untaxed: Option<String>,
}

/// The page.
pub(super) fn page(rules: &Rules, query: &str, today: Date) -> String {
    let members = members(rules);
    let asked = read(query, &members);
    let is_known = |listed: &&Listed| code(listed).is_some_and(|code| asked.rate(code).is_some());
    let outcomes: Vec<Outcome> =
        members.iter().filter(is_known).filter_map(|listed| outcome(listed, &asked, today)).collect();
    let content = html! {
        h1 { "Comparer un salaire" }
        p.lead { "Un même brut, ou un même coût pour l’employeur, dans tous les pays du service." }
        (form(&members, &asked))
        @if asked.amount.is_none() { p.wrong role="alert" { "Le montant n’est pas un nombre positif\u{a0}: " code { (asked.written) } "." } }
        @else { (chart(&outcomes)) (table(&outcomes, &asked)) (waiting(&members, &asked)) }
        p.soft {
            "Chaque pays est calculé pour une personne seule, sans enfant, aux valeurs par défaut de son simulateur. Les monnaies se "
            "comparent aux taux que vous donnez\u{a0}: le service n’en tient aucun."
        }
    };
    let page = Page {
        title: "Comparer un salaire",
        description: "Le salaire net, le taux de prélèvement et le coût employeur d’un même brut dans tous les pays du service.",
        path: Some(PATH),
        content,
        ..Page::default()
    };
    page.render(rules.service())
}

/// The folders whose answer has a net of nothing but a gross, in some currency: a country each.
fn members(rules: &Rules) -> Vec<Listed<'_>> {
    // What asks for more than its gross is no pay: two of them cannot stand beside each other.
    let is_pay = |method: &Method| {
        let Some(driver) = method.inverse(Find::Smallest).and_then(|net| net.input.of(method.inputs())) else {
            return false;
        };
        let mut others = method.inputs().iter().filter(|input| input.name != driver.name && !input.is_absent);
        method.currency.is_some() && others.all(|input| !matches!(input.presence, Presence::Required))
    };
    catalogue::all(rules).into_iter().filter(|listed| method(listed).is_some_and(is_pay)).collect()
}

fn method<'r>(listed: &Listed<'r>) -> Option<&'r Method> {
    Some(listed.folder.latest()?.method())
}

/// The currency of a country.
fn code<'r>(listed: &Listed<'r>) -> Option<&'r str> {
    method(listed)?.currency.as_deref()
}

/// The currencies of the countries, each once.
fn currencies<'r>(members: &[Listed<'r>]) -> Vec<&'r str> {
    let mut codes: Vec<&str> = members.iter().filter_map(code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn read(query: &str, members: &[Listed]) -> Asked {
    let pairs = Query::read(query).pairs;
    let value = |name: &str| {
        pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    };
    let written = value(AMOUNT).unwrap_or(USUAL).to_owned();
    let asked_currency = match value(CURRENCY) {
        Some("locale") => None,
        Some(code) => Some(code.to_owned()),
        None => Some(USUAL_CURRENCY.to_owned()),
    };
    let rate = |code: &str| {
        let written = value(&format!("{RATE}{code}")).unwrap_or_default().to_owned();
        (code.to_owned(), positive(&written), written)
    };
    Asked {
        amount: positive(&written),
        written,
        from_cost: value(START) == Some("cout"),
        rates: currencies(members).into_iter().map(rate).collect(),
        currency: asked_currency,
    }
}

/// A positive number as people write it.
fn positive(text: &str) -> Option<Decimal> {
    let plain: String = text
        .chars()
        .filter(|character| !character.is_whitespace())
        .map(|character| if character == ',' { '.' } else { character })
        .collect();
    plain
        .parse::<Decimal>()
        .ok()
        .filter(|found| *found > Decimal::ZERO && *found < Decimal::from(1_000_000_000_000_u64))
}

impl Asked {
    /// Units of a currency for one of the amount's.
    fn rate(&self, code: &str) -> Option<Decimal> {
        match &self.currency {
            None => Some(Decimal::ONE),
            Some(own) if own == code => Some(Decimal::ONE),
            Some(_) => self.rates.iter().find(|(known, ..)| known == code)?.1,
        }
    }
}

fn outcome<'r>(listed: &Listed<'r>, asked: &Asked, today: Date) -> Option<Outcome<'r>> {
    let (method, code) = (method(listed)?, code(listed)?);
    let made = sent(method, asked, code);
    let link = |sent: &[(String, String)]| format!("{}?{}", listed.simulator(), query(sent));
    let (result, link) = match made {
        Ok(sent) => (pay(listed, &sent, today), link(&sent)),
        Err(reason) => (Err(reason), listed.simulator()),
    };
    Some(Outcome { listed: *listed, code, result, link })
}

/// The parameters that ask a country for the amount.
fn sent(method: &Method, asked: &Asked, code: &str) -> Result<Vec<(String, String)>, String> {
    let rate = asked.rate(code).ok_or("donnez le taux de change")?;
    let find = if asked.from_cost { Find::Greatest } else { Find::Smallest };
    let inverse = method.inverse(find).ok_or("le coût n’est pas connu")?;
    let found = asked.amount.and_then(|amount| amount.checked_mul(rate)).ok_or("montant trop grand")?;
    let unit = inverse.unit;
    let steps = found.checked_div(unit).map(|steps| steps.round()).ok_or("montant trop grand")?;
    let found = steps.checked_mul(unit).ok_or("montant trop grand")?.normalize();
    let name = if asked.from_cost {
        Some(inverse.parameter.name.clone())
    } else {
        inverse.input.of(method.inputs()).map(|input| input.name.clone())
    };
    let mut sent = vec![(name.unwrap_or_default(), found.to_string())];
    sent.extend(method.options().iter().map(|option| (option.name.clone(), "true".to_owned())));
    Ok(sent)
}

fn pay(listed: &Listed, sent: &[(String, String)], today: Date) -> Result<Amounts, String> {
    let question = Question { listed: *listed, edition: None, sent: Vec::new(), bad: Vec::new(), compared: None };
    let calculation = question.ask(sent, today).map_err(|error| refused(listed, error))?;
    let found = Pay::of(&calculation).map_err(|error| refused(listed, error))?.ok_or("sans bulletin")?;
    let decimals = calculation.edition().method().decimals;
    let untaxed = found.untaxed.map(str::to_owned);
    Ok(Amounts { gross: found.gross, net: found.net, cost: found.cost, decimals, untaxed })
}

/// Why a country gives no pay; a fault of the engine leaves the other countries as they are.
fn refused(listed: &Listed, error: CalculationError) -> String {
    match error {
        CalculationError::Refused(refusal) => {
            refusal.parameters.first().map(|bad| bad.reason.fr.clone()).unwrap_or_default()
        }
        CalculationError::Internal(fault) => Problem::internal(listed.folder.path(), &fault).text(),
    }
}

fn form(members: &[Listed], asked: &Asked) -> Markup {
    let codes = currencies(members);
    let is_asked = |code: &str| asked.currency.as_deref() == Some(code);
    html! {
        form.compare action=(PATH) method="get" {
            div.row {
                div.field {
                    label for="depart" { "Je pars de" }
                    select #depart name=(START) {
                        option value="brut" selected[!asked.from_cost] { "Salaire brut du mois" }
                        option value="cout" selected[asked.from_cost] { "Coût pour l’employeur" }
                    }
                }
                div.field { label for="montant" { "Montant" } input #montant name=(AMOUNT) inputmode="decimal" required value=(asked.written); }
                div.field {
                    label for="devise" { "Monnaie du montant" }
                    select #devise name=(CURRENCY) {
                        option value="locale" selected[asked.currency.is_none()] { "celle de chaque pays, même nombre" }
                        @for code in &codes { option value=(code) selected[is_asked(code)] { (currency(code)) " (" (code) ")" } }
                    }
                }
            }
            fieldset.rates {
                legend { "Pour 1 unité de la monnaie du montant, combien de…" }
                @for (code, _, written) in &asked.rates {
                    @if !is_asked(code) {
                        div.field {
                            label for={ "taux-" (code) } { (currency(code)) }
                            input id={ "taux-" (code) } name={ (RATE) (code) } inputmode="decimal" value=(written);
                        }
                    }
                }
            }
            button { "Comparer" }
        }
    }
}

/// Says of a net that no tax is withheld from it.
fn untaxed(outcome: &Outcome) -> Markup {
    let label = outcome.result.as_ref().ok().and_then(|pay| pay.untaxed.as_deref());
    html! { @if let Some(label) = label { " " span.soft { "(" (prose(label)) ")" } } }
}

/// Bars of the net pays, the longest first.
fn chart(outcomes: &[Outcome]) -> Markup {
    let kept = |pay: &Amounts| pay.net.checked_div(pay.cost.filter(|cost| !cost.is_zero()).unwrap_or(pay.gross));
    let mut bars: Vec<(&Outcome, Decimal)> =
        outcomes.iter().filter_map(|outcome| Some((outcome, kept(outcome.result.as_ref().ok()?)?))).collect();
    bars.sort_by_key(|(_, share)| std::cmp::Reverse(*share));
    let width = |share: Decimal| {
        format!(
            "{}%",
            share.saturating_mul(Decimal::ONE_HUNDRED).round_dp(2).clamp(Decimal::ZERO, Decimal::ONE_HUNDRED)
        )
    };
    html! {
        @if !bars.is_empty() {
            figure.shares {
                figcaption { "Part du coût pour l’employeur qui reste au salarié" }
                ul {
                    @for (outcome, share) in bars {
                        li {
                            span { (prose(outcome.listed.folder.title())) (untaxed(outcome)) } " " strong { (percent(share.round_dp(3))) }
                            svg.bar height="10" width="100%" aria-hidden="true" focusable="false" { rect.rest width="100%" height="10" {} rect.net width=(width(share)) height="10" {} }
                        }
                    }
                }
            }
        }
    }
}

/// The countries that a rate of exchange would add, by their currencies.
fn waiting(members: &[Listed], asked: &Asked) -> Markup {
    let missing: Vec<&str> = currencies(members).into_iter().filter(|code| asked.rate(code).is_none()).collect();
    let of = |wanted: &str| {
        let own = members.iter().filter(|listed| code(listed) == Some(wanted));
        own.map(|listed| printed(listed.folder.title())).collect::<Vec<_>>().join(", ")
    };
    html! {
        @if !missing.is_empty() {
            h2 { "Donnez un taux de change pour voir aussi" }
            ul {
                @for code in missing {
                    li { a href={ "#taux-" (code) } { (currency(code)) } "\u{a0}: " (of(code)) }
                }
            }
        }
    }
}

fn table(outcomes: &[Outcome], asked: &Asked) -> Markup {
    let converted = |found: Decimal, code: &str| {
        let found = found.checked_div(asked.rate(code)?)?;
        asked.currency.as_ref().filter(|own| *own != code).map(|own| format!("{} {own}", amount(found, 2)))
    };
    let shown = |found: Decimal, decimals: u32, code: &str| {
        html! { (amount(found, decimals)) " " (code) @if let Some(converted) = converted(found, code) { br; span.soft { (converted) } } }
    };
    html! {
        div.wide tabindex="0" role="region" aria-label="Comparaison des pays" {
            table {
                thead {
                    tr {
                        th scope="col" { "Pays" } th.n scope="col" { "Brut" } th.n scope="col" { "Net" }
                        th.n scope="col" { "Prélevé" } th.n scope="col" { "Coût" }
                    }
                }
                tbody {
                    @for outcome in outcomes {
                        tr data-bareme=(outcome.listed.folder.path()) {
                            th scope="row" { a href=(outcome.link) { (prose(outcome.listed.folder.title())) } (untaxed(outcome)) }
                            @match &outcome.result {
                                Ok(pay) => {
                                    td.n { (shown(pay.gross, pay.decimals, outcome.code)) }
                                    td.n { (shown(pay.net, pay.decimals, outcome.code)) }
                                    td.n { @if let Some(rate) = pay.gross.saturating_sub(pay.net).checked_div(pay.gross) { (percent(rate.round_dp(4))) } }
                                    td.n { @if let Some(cost) = pay.cost { (shown(cost, pay.decimals, outcome.code)) } @else { "–" } }
                                }
                                Err(reason) => td.soft colspan="4" { (printed(reason)) },
                            }
                        }
                    }
                }
            }
        }
    }
}
