//! The answer to a year: what is paid and what it costs, its drawing, the months, what was settled, the lines.

use bareme_engine::run::YearCalculation;
use bareme_engine::service::Rules;
use bareme_engine::text::BadParameter;
use bareme_show::Locale;
use bareme_show::bars::{Bars, Series};
use bareme_show::chart::Look;
use jiff::civil::Date;
use maud::{Markup, html};

use super::super::amounts::Money;
use super::super::chart::{EFFECTIVE, LOOK, NET};
use super::super::headline::{Figure, headline};
use super::super::{code, form, trace};
use super::months::{self, MonthPay, cost, gross_label, month_name, sum};
use super::question::{Answer, YearQuestion};
use super::settled::settled;
use crate::pages::table::table;
use crate::pages::text::{day, drawing, percent, printed, prose};

/// The result of a question, or what is wrong with it.
pub(super) fn result(rules: &Rules, question: &YearQuestion, answer: &Answer, today: Date) -> Markup {
    match answer {
        Ok(year) => html! {
            div.answer data-lien=(question.link()) { (shown(rules, question, year, today)) }
        },
        Err(bad) => refused(question, bad),
    }
}

/// Refused parameters, each with its month, where it is of one.
fn refused(question: &YearQuestion, bad: &[BadParameter]) -> Markup {
    let label = |name: &str| {
        let column = question.columns.iter().find(|column| column.input.name == name);
        column.map(|column| column.input.label.as_str()).or_else(|| question.question.label(name))
    };
    html! {
        div.refused role="alert" {
            p { strong { "Corrigez la saisie." } }
            ul {
                @for bad in bad {
                    li data-champ=(bad.name) data-mois=[bad.month] {
                        @if let Some(month) = bad.month { strong { (month_name(month)) } ", " }
                        @if let Some(label) = label(&bad.name) { (prose(label)) } @else { code { (bad.name) } }
                        "\u{a0}: " (prose(&form::wrong(&bad.name, std::slice::from_ref(bad)).unwrap_or_default()))
                    }
                }
            }
        }
    }
}

fn shown(rules: &Rules, question: &YearQuestion, year: &YearCalculation, today: Date) -> Markup {
    let Some(last) = year.months().last() else { return html! {} };
    let money = Money::of(last.calculation.edition().method());
    let pays = months::pays(year);
    let sent = question.sent();
    html! {
        (headline(&figures(&pays, money)))
        @for warning in year.warnings() {
            p.warning { (prose(&warning.what.fr)) @if let Some(months) = named(&warning.months, year) { " (" (months) ")" } }
        }
        p.actions.screen {
            a.button.plain href=(question.link()) data-partager { "Partager" } " "
            button.plain type="button" data-imprimer hidden { "Imprimer" } " "
            a.button.plain href=(question.download()) download { "Télécharger (CSV)" } " "
            span.soft aria-live="polite" data-partage {}
        }
        (chart(&pays, money))
        h2 { "Mois par mois" }
        (table(&months::table(&pays, money), "payslip months", "Salaires et coût, mois par mois"))
        (settled(year, money))
        details.block #lignes {
            summary { "Toutes les lignes des bulletins" }
            (table(&months::lines_table(&pays, money), "payslip", "Lignes des bulletins, mois par mois"))
        }
        (sources(year))
        (code::year_calls(rules.service(), &question.question.listed, &sent))
        (citation(rules, question, year, today))
    }
}

/// The sums of the year above the others.
fn figures(pays: &[MonthPay], money: Money) -> Vec<Figure> {
    let Some(first) = pays.first().map(|month| &month.pay) else { return Vec::new() };
    let (gross, net) = (sum(pays, |pay| pay.paid), sum(pays, |pay| pay.net));
    let of_year = |label: &str| format!("{}, total de l’année", printed(label));
    let mut figures = vec![
        Figure::plain(of_year(first.net_label), money.text(net)),
        Figure::plain(of_year(&gross_label(pays)), money.text(gross)),
    ];
    if first.cost.is_some() {
        figures.push(Figure::plain("Coût employeur, total de l’année", money.text(sum(pays, cost))));
    }
    let rate = gross.saturating_sub(net).checked_div(gross);
    figures.extend(rate.map(|rate| Figure::plain("Retenues, % du brut", percent(rate.round_dp(4)))));
    figures
}

/// Net and cost by month, or net and gross where the cost is not asked for.
fn chart(pays: &[MonthPay], money: Money) -> Markup {
    let Some(first) = pays.first().map(|month| &month.pay) else { return html! {} };
    let whole = if first.cost.is_some() { "Coût employeur" } else { "Brut" };
    let look = Look { size: (480, 260), labels: (46, LOOK.labels.1), ..LOOK };
    let series = [("Net", NET), (whole, EFFECTIVE)].map(|(name, colour)| Series { name, colours: [colour, colour] });
    let initial = |month: i8| month_name(month).chars().take(1).collect::<String>().to_uppercase();
    let bars = pays.iter().map(|month| (initial(month.month.month), vec![month.pay.net, cost(&month.pay)]));
    let bars = Bars { caption: None, groups: "", series: series.to_vec(), bars: bars.collect(), look };
    html! {
        @if let Some(svg) = bars.svg(Locale::PAGE) {
            figure.year {
                figcaption { "Net et " (whole.to_lowercase()) " par mois, " (money.sign()) }
                div.drawing role="img" aria-label={ "Barres du net et du " (whole.to_lowercase()) " par mois\u{a0}; les mêmes montants se lisent dans le tableau." } { (drawing(svg)) }
                ul.legend { li.net { "Net" } li.levies { (whole) } }
            }
        }
    }
}

/// Some months, in words; none where they are all those of the year.
fn named(months: &[i8], year: &YearCalculation) -> Option<String> {
    (months.len() < year.months().len())
        .then(|| months.iter().map(|month| month_name(*month)).collect::<Vec<_>>().join(", "))
}

fn sources(year: &YearCalculation) -> Markup {
    let references = year.references();
    html! {
        details.block #textes {
            summary { "Textes (" (references.len()) ")" }
            ul {
                @for reference in references {
                    li { (trace::source(reference.what.source)) @if let Some(months) = named(&reference.months, year) { " (" (months) ")" } }
                }
            }
        }
    }
}

/// The line that cites the result, and the link that reopens the case.
fn citation(rules: &Rules, question: &YearQuestion, year: &YearCalculation, today: Date) -> Markup {
    let address = format!("{}{}", rules.service().documentation, question.link());
    let said = question.said_pairs().into_iter().map(|(label, value)| printed(&format!("{label} : {value}")));
    html! {
        section.cite aria-label="Citation" {
            h2 { "Citer ce calcul" }
            p { (prose(year.citation())) ". Calcul du " (day(today)) "." }
            p.link { a href=(question.link()) { (address) } }
            p.sent.paper { "Saisie\u{a0}: " (said.collect::<Vec<_>>().join("\u{202f}; ")) "." }
        }
    }
}
