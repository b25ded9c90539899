//! Result page of a simulator: the pay with its lines, or the fields of the answer; its drawings; the
//! call that asks the same; the citation.

use bareme_engine::Calculation;
use bareme_engine::law::FieldValue;
use bareme_engine::run::StepTrace;
use bareme_engine::service::Rules;
use bareme_engine::text::BadParameter;
use bareme_show::{Line, Locale, Pay, trace};
use jiff::civil::Date;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::question::{Answer, Question};
use super::{chart, code, sheet, trace as unfolded};
use crate::pages::text::{amount, currency, day, drawing, number, percent, printed, prose};
use crate::wire::problem::Problem;

/// Fields that stand above the others where there is no pay.
const MAIN_FIELDS: usize = 4;

/// The result of a question, or what is wrong with it.
///
/// # Errors
/// A fault of the engine.
pub(super) fn result(rules: &Rules, question: &Question, answer: &Answer, today: Date) -> Result<Markup, Problem> {
    Ok(match answer {
        Ok(calculation) => {
            let compared = question.calculate_compared(today)?;
            html! {
                div.answer data-lien=(question.link()) { (shown(rules, question, calculation, compared.as_ref(), today)) }
            }
        }
        Err(bad) => refused(bad),
    })
}

fn refused(bad: &[BadParameter]) -> Markup {
    html! {
        div.refused role="alert" {
            p { strong { "Le calcul attend une correction." } }
            ul {
                @for bad in bad {
                    li data-champ=(bad.name) {
                        code { (bad.name) } "\u{a0}: " (prose(&super::form::wrong(&bad.name, std::slice::from_ref(bad)).unwrap_or_default()))
                    }
                }
            }
        }
    }
}

fn shown(
    rules: &Rules,
    question: &Question,
    calculation: &Calculation,
    compared: Option<&Answer>,
    today: Date,
) -> Markup {
    let method = calculation.edition().method();
    let payslip = unfolded::pay(calculation);
    html! {
        @for warning in calculation.warnings() { p.warning { (prose(&warning.fr)) } }
        @match &payslip {
            Some(payslip) => {
                (headline(payslip, method.decimals, method.currency.as_deref()))
                (chart::parts(payslip, method.decimals))
            }
            None => (main_fields(calculation)),
        }
        (comparison(calculation, payslip.as_ref(), compared))
        @if let Some(payslip) = &payslip { (chart::brackets(calculation)) (curve(question, calculation, payslip, today)) }
        @else { (chart::brackets(calculation)) }
        (sheet::sheets(calculation))
        (all_steps(calculation))
        (all_fields(calculation))
        (sources(calculation))
        (code::calls(rules.service(), &question.listed, &question.sent))
        (citation(rules, question, calculation, today))
    }
}

/// Net, what is withheld, cost: the figures that are looked for.
fn headline(payslip: &Pay, decimals: u32, code: Option<&str>) -> Markup {
    let unit = code.map(currency).unwrap_or_default();
    let withheld = payslip.gross.saturating_sub(payslip.net);
    html! {
        dl.headline {
            div.net { dt { (prose(payslip.net_label)) } dd { (amount(payslip.net, decimals)) } }
            div { dt { (prose(payslip.gross_label)) } dd { (amount(payslip.gross, decimals)) } }
            @if let Some(cost) = payslip.cost { div { dt { "Coût pour l’employeur" } dd { (amount(cost, decimals)) } } }
            @if let Some(rate) = withheld.checked_div(payslip.gross) { div { dt { "Part prélevée" } dd { (percent(rate.round_dp(4))) } } }
        }
        p.soft.unit { "Montants en " (unit) @if let Some(code) = code { " (" (code) ")" } "." }
    }
}

/// The first amounts of an answer without a pay.
fn main_fields(calculation: &Calculation) -> Markup {
    let decimals = calculation.edition().method().decimals;
    let numbers = calculation.fields().filter_map(|(field, found)| {
        let label = field.label.as_deref()?;
        (field.json_type() == "number").then_some((label, found.number()?))
    });
    let code = calculation.edition().method().currency.as_deref();
    html! {
        dl.headline {
            @for (label, found) in numbers.take(MAIN_FIELDS) { div { dt { (prose(label)) } dd { (figure(found, decimals)) } } }
        }
        @if let Some(code) = code { p.soft.unit { "Montants en " (currency(code)) " (" (code) ")." } }
    }
}

/// A field of an answer: an amount, or a ratio with more decimals than amounts have.
fn figure(found: Decimal, decimals: u32) -> String {
    if found.normalize().scale() > decimals { number(found) } else { amount(found, decimals) }
}

/// The lines of the pay, beside those of the other day.
fn comparison(calculation: &Calculation, payslip: Option<&Pay>, compared: Option<&Answer>) -> Markup {
    let other = compared.and_then(|compared| compared.as_ref().ok());
    let other_payslip = other.and_then(unfolded::pay);
    html! {
        @if let Some(Err(bad)) = compared {
            p.warning { "Pas de comparaison à cette date\u{a0}: " @for bad in bad { (prose(&bad.reason.fr)) " " } }
        }
        @if let Some(payslip) = payslip {
            (pay_table(calculation, payslip, other, other_payslip.as_ref()))
        } @else if let Some(other) = other {
            (fields_table(calculation, other))
        }
    }
}

fn heading(calculation: &Calculation) -> Markup {
    html! { @if let Some(scale) = calculation.edition().scale() { (scale.date.strftime("%d/%m/%Y")) } @else { "Montant" } }
}

/// The payslip as a table: employee, net, employer, cost.
fn pay_table(calculation: &Calculation, payslip: &Pay, other: Option<&Calculation>, beside: Option<&Pay>) -> Markup {
    let decimals = calculation.edition().method().decimals;
    let table = Table { calculation, decimals, beside: beside.is_some() };
    let of = |amount: fn(&Pay) -> Option<Decimal>| beside.and_then(amount);
    let withheld = payslip.gross.saturating_sub(payslip.net);
    html! {
        div.wide tabindex="0" role="region" aria-label="Bulletin" {
            table.payslip.compared[beside.is_some()] {
                caption { "Bulletin" }
                thead {
                    tr {
                        th scope="col" { "Ligne" } th.n.aside scope="col" { "Assiette" } th.n.aside scope="col" { "Taux" }
                        th.n scope="col" { @if beside.is_some() { (heading(calculation)) } @else { "Montant" } }
                        @if let Some(other) = other { th.n scope="col" { (heading(other)) } th.n scope="col" { "Écart" } }
                    }
                }
                tbody {
                    (table.total(&printed(payslip.gross_label), payslip.gross, of(|other| Some(other.gross))))
                    @for line in &payslip.withheld { (table.line(line, beside.map(|other| same(line, &other.withheld)), true)) }
                    @if let Some(beside) = beside { @for line in gone(&beside.withheld, &payslip.withheld) { (table.gone(line, true)) } }
                    (table.total("Total retenu", withheld, of(|other| Some(other.gross.saturating_sub(other.net)))))
                    (table.total(&printed(payslip.net_label), payslip.net, of(|other| Some(other.net))))
                }
                @if let Some(cost) = payslip.cost {
                    tbody.employer {
                        @for line in &payslip.added { (table.line(line, beside.map(|other| same(line, &other.added)), false)) }
                        @if let Some(beside) = beside { @for line in gone(&beside.added, &payslip.added) { (table.gone(line, false)) } }
                        (table.total("Part de l’employeur", cost.saturating_sub(payslip.gross), of(|other| Some(other.cost?.saturating_sub(other.gross)))))
                        (table.total("Coût pour l’employeur", cost, of(|other| other.cost)))
                    }
                }
            }
        }
    }
}

/// The amount of the same line on another day.
fn same(line: &Line, others: &[Line]) -> Option<Decimal> {
    others.iter().find(|other| other.trace.step.name == line.trace.step.name).map(|other| other.amount)
}

/// The lines of another day that are no more.
fn gone<'l, 'c, 'f>(others: &'l [Line<'c, 'f>], lines: &'l [Line]) -> impl Iterator<Item = &'l Line<'c, 'f>> {
    others.iter().filter(|other| !lines.iter().any(|line| line.trace.step.name == other.trace.step.name))
}

/// How the rows of a payslip are written.
struct Table<'t, 'f> {
    calculation: &'t Calculation<'f>,
    decimals: u32,
    beside: bool,
}

impl Table<'_, '_> {
    /// A line, its detail on demand; `beside` is its amount on another day.
    fn line(&self, line: &Line, beside: Option<Option<Decimal>>, is_withheld: bool) -> Markup {
        let operand = |name: &str| {
            let found = line.trace.operands.iter().find(|operand| operand.name == name)?;
            found.value.datum().number()
        };
        let base = operand("assiette").map(|base| amount(base, self.decimals)).unwrap_or_default();
        let rate = operand("taux").map(percent).unwrap_or_default();
        html! {
            tr data-ligne=(line.trace.step.name) {
                th scope="row" {
                    details {
                        summary { (prose(line.trace.step.title())) }
                        (unfolded::detail(line.trace, self.calculation))
                    }
                }
                td.n.aside { (base) }
                td.n.aside { (rate) }
                (self.amounts(Some(line.amount), beside, is_withheld))
            }
        }
    }

    /// A line of the other day only.
    fn gone(&self, line: &Line, is_withheld: bool) -> Markup {
        html! {
            tr {
                th scope="row" { (prose(line.trace.step.title())) }
                td.aside {} td.aside {}
                (self.amounts(None, Some(Some(line.amount)), is_withheld))
            }
        }
    }

    fn total(&self, label: &str, total: Decimal, beside: Option<Decimal>) -> Markup {
        html! {
            tr.total {
                th scope="row" { (label) } td.aside {} td.aside {}
                (self.amounts(Some(total), self.beside.then_some(beside), false))
            }
        }
    }

    fn amounts(&self, own: Option<Decimal>, beside: Option<Option<Decimal>>, is_withheld: bool) -> Markup {
        let signed = |found: Decimal| if is_withheld { Decimal::ZERO.saturating_sub(found) } else { found };
        let shown =
            |found: Option<Decimal>| found.map_or_else(|| "–".to_owned(), |found| amount(signed(found), self.decimals));
        html! {
            td.n { (shown(own)) }
            @if let Some(beside) = beside {
                @let change = signed(own.unwrap_or_default()).saturating_sub(signed(beside.unwrap_or_default()));
                td.n { (shown(beside)) }
                td.n { @if change.is_zero() { "=" } @else { mark { @if change > Decimal::ZERO { "+" } (amount(change, self.decimals)) } } }
            }
        }
    }
}

/// The fields of two days side by side.
fn fields_table(calculation: &Calculation, other: &Calculation) -> Markup {
    let rows = calculation.fields().filter_map(|(field, found)| {
        let label = field.label.as_deref()?;
        Some((
            label,
            field_text(found)?,
            other.field(&field.name).and_then(field_text).unwrap_or_else(|| "–".to_owned()),
        ))
    });
    html! {
        table {
            caption { "Comparaison" }
            thead { tr { th scope="col" { "Champ" } th.n scope="col" { (heading(calculation)) } th.n scope="col" { (heading(other)) } } }
            tbody {
                @for (label, own, other) in rows.filter(|(_, own, other)| own.len() < 40 && other.len() < 40) {
                    tr { th scope="row" { (prose(label)) } td.n { (own) } td.n { @if own == other { (other) } @else { mark { (other) } } } }
                }
            }
        }
    }
}

/// The value of a field that has one only.
fn field_text(found: &FieldValue) -> Option<String> {
    let FieldValue::Scalar(scalar) = found else { return None };
    let text = Locale::PAGE.value(scalar.datum(), bareme_engine::law::Type::Number, 2);
    (!text.is_empty()).then_some(text)
}

fn curve(question: &Question, calculation: &Calculation, payslip: &Pay, today: Date) -> Markup {
    let svg = chart::curve(question, calculation, payslip, today);
    html! {
        @if let Some(svg) = svg {
            figure.curve.screen {
                figcaption { "Net, taux effectif et taux marginal selon le montant brut" }
                div.drawing role="img" aria-label="Courbes du net, du taux effectif et du taux marginal selon le brut\u{a0}; les mêmes montants se lisent dans le bulletin." {
                    (drawing(svg))
                }
            }
        }
    }
}

/// Every step, in the order of the law.
fn all_steps(calculation: &Calculation) -> Markup {
    let decimals = calculation.edition().method().decimals;
    let (applied, skipped): (Vec<&StepTrace>, Vec<&StepTrace>) =
        unfolded::steps(calculation).iter().partition(|step| step.applied);
    html! {
        details.block #etapes {
            summary { "Tout le calcul, étape par étape (" (applied.len()) ")" }
            ol.steps {
                @for step in applied {
                    li {
                        div.step { strong { (prose(step.step.title())) } span.n { (trace::result(step, decimals, Locale::PAGE)) } }
                        (unfolded::detail(step, calculation))
                    }
                }
            }
            @if !skipped.is_empty() {
                p.soft { "Sans objet ici\u{a0}: " (skipped.iter().map(|step| printed(step.step.title())).collect::<Vec<_>>().join("\u{202f}; ")) "." }
            }
        }
    }
}

/// The fields of the answer as a program gets them.
fn all_fields(calculation: &Calculation) -> Markup {
    html! {
        details.block #champs {
            summary { "Tous les champs de la réponse" }
            div.wide tabindex="0" role="region" aria-label="Champs de la réponse" {
                table {
                    thead { tr { th scope="col" { "Champ" } th scope="col" { "Sens" } th.n scope="col" { "Valeur" } } }
                    tbody {
                        @for (field, found) in calculation.fields() {
                            @if let Some(text) = field_text(found).filter(|text| text.len() < 60) {
                                tr { th scope="row" { code { (field.name) } } td { (prose(field.label.as_deref().unwrap_or_default())) } td.n { (text) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn sources(calculation: &Calculation) -> Markup {
    let references = calculation.references();
    let remarks = references.iter().flat_map(|reference| &reference.remarks);
    let notes: Vec<&str> = remarks.filter_map(|remark| remark.remark.note.as_deref()).collect();
    html! {
        details.block #textes {
            summary { "Textes et réserves (" (references.len()) ")" }
            ul { @for reference in references { li { (unfolded::source(reference.source)) } } }
            @if !notes.is_empty() {
                h3 { "Réserves" }
                ul { @for note in notes { li { (prose(note)) } } }
            }
        }
    }
}

/// The line that cites the result, and the link that reopens the case.
fn citation(rules: &Rules, question: &Question, calculation: &Calculation, today: Date) -> Markup {
    let address = format!("{}{}", rules.service().documentation, question.link());
    html! {
        section.cite aria-label="Citation" {
            h2 { "Citer ce calcul" }
            p { (prose(calculation.edition().citation())) ". Calcul du " (day(today)) "." }
            p.link { a href=(question.link()) { (address) } }
            p.sent.paper {
                "Réponses données\u{a0}: "
                @for (name, value) in &question.sent { code { (name) "=" (value) } " " }
            }
        }
    }
}
