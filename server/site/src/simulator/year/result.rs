//! The answer of a year: pay and cost, chart, months, settlements, lines.

use bareme_engine::run::YearCalculation;
use bareme_engine::service::Rules;
use bareme_engine::{Lang, say};
use bareme_show::Locale;
use bareme_show::bars::{Bars, Series};
use bareme_show::chart::Look;
use jiff::civil::Date;
use maud::{Markup, html};

use super::super::amounts::Money;
use super::super::chart::{EFFECTIVE, LOOK, NET};
use super::super::headline::{Figure, headline};
use super::super::result::{actions, citation, refused};
use super::super::{code, trace};
use super::months::{self, MonthPay, cost, gross_label, month_name, months_in_words, sum};
use super::question::{Answer, YearQuestion};
use super::settlements::settlements;
use crate::labels::Labels;
use crate::table::table;
use crate::text::{drawing, printed, prose, say};

/// The result of a question, or its errors.
pub(super) fn result(
    rules: &Rules,
    question: &YearQuestion,
    answer: &Answer,
    today: Date,
) -> Markup {
    let lang = question.question.lang();

    match answer {
        Ok(year) => html! {
            div.answer data-lien=(question.link()) { (shown(rules, question, year, today)) }
        },
        Err(bad) => {
            // A mistake is named by the column, or by the input of the whole year.
            let column = |name: &str| {
                question
                    .columns
                    .iter()
                    .find(|column| column.input.name == name)
            };
            let of_column = |name: &str| column(name).map(|column| column.input.label.as_str());
            refused(lang, bad, |name| {
                of_column(name).or_else(|| question.question.label(name))
            })
        }
    }
}

fn shown(rules: &Rules, question: &YearQuestion, year: &YearCalculation, today: Date) -> Markup {
    // The currency is that of the last month.
    let Some(last) = year.months().last() else {
        return html! {};
    };

    let money = Money::new(last.calculation.edition().method());
    let pays = months::pays(year);
    let sent = question.sent();
    let labels = Labels::with_called(rules, question.question.listed.folder);
    let lang = money.lang();

    html! {
        (headline(&figures(&pays, money)))
        @for warning in year.warnings() {
            p.warning {
                (prose(&labels.written(warning.what.text.in_lang(lang))))
                @if let Some(months) = named(&warning.months, year, lang) { " (" (months) ")" }
            }
        }
        (actions(lang, &question.link(), &question.download()))
        (chart(&pays, money))

        h2 { (say(lang, "Mois par mois", "Month by month")) }
        (table(
            &months::table(&pays, money),
            "payslip months",
            say(lang, "Salaires et coût, mois par mois", "Pay and cost, month by month")
        ))
        (settlements(year, money))
        details.block #lignes {
            summary { (say(lang, "Toutes les lignes des bulletins", "All lines of the payslips")) }
            (table(
                &months::lines_table(&pays, money),
                "payslip",
                say(lang, "Lignes des bulletins, mois par mois", "Lines of the payslips, month by month")
            ))
        }
        (sources(year, lang))
        (code::year_calls(rules.service(), &question.question.listed, &sent))
        (citation(
            rules,
            &question.link(),
            prose(year.citation()),
            question.pairs_in_words(),
            today
        ))
    }
}

/// The totals of the year, as main results.
fn figures(pays: &[MonthPay], money: Money) -> Vec<Figure> {
    // The label and the net are those of the first month.
    let Some(first) = pays.first().map(|month| &month.pay) else {
        return Vec::new();
    };

    let (gross, net) = (sum(pays, |pay| pay.paid), sum(pays, |pay| pay.net));
    // « Total » in each label: the same words are used for a month.
    let lang = money.lang();
    let of_year = |label: &str| {
        let label = printed(label);
        say!(
            lang,
            "{label}, total de l’année",
            "{label}, total of the year"
        )
    };

    let mut figures = vec![
        Figure::plain(of_year(first.net_label), money.text(net)),
        Figure::plain(of_year(&gross_label(pays, lang)), money.text(gross)),
    ];

    if first.cost.is_some() {
        figures.push(Figure::plain(
            of_year(say(lang, "Coût employeur", "Employer cost")),
            money.text(sum(pays, cost)),
        ));
    }

    let rate = gross.saturating_sub(net).checked_div(gross);
    figures.extend(rate.map(|rate| {
        let label = say(lang, "Retenues, % du brut", "Deductions, % of gross");
        Figure::plain(label, money.percent(rate.round_dp(4)))
    }));
    figures
}

/// Chart of net and cost by month; of net and gross where the cost is not asked for.
fn chart(pays: &[MonthPay], money: Money) -> Markup {
    let Some(first) = pays.first().map(|month| &month.pay) else {
        return html! {};
    };
    // Beside the net, the cost of the employer where it is asked for, and otherwise the gross.
    let lang = money.lang();
    let whole = if first.cost.is_some() {
        say(lang, "Coût employeur", "Employer cost")
    } else {
        say(lang, "Brut", "Gross pay")
    };
    let net = say(lang, "Net", "Net pay");
    let in_sentence = whole.to_lowercase();

    let look = Look {
        size: (480, 260),
        labels: (46, LOOK.labels.1),
        ..LOOK
    };

    let series = [(net, NET), (whole, EFFECTIVE)].map(|(name, colour)| Series {
        name,
        colours: [colour, colour],
    });

    // Twelve names find no room below the bars.
    let initial = |month: i8| {
        month_name(month, lang)
            .chars()
            .take(1)
            .collect::<String>()
            .to_uppercase()
    };

    let bars = pays.iter().map(|month| {
        (
            initial(month.month.month),
            vec![month.pay.net, cost(&month.pay)],
        )
    });

    let bars = Bars {
        caption: None,
        groups: "",
        series: series.to_vec(),
        bars: bars.collect(),
        look,
    };

    let drawn = say!(
        lang,
        "Barres du net et du {in_sentence} par mois\u{a0}; les mêmes montants se lisent dans le \
         tableau.",
        "Bars of the net pay and the {in_sentence} per month; the table has the same amounts."
    );

    html! {
        @if let Some(svg) = bars.svg(Locale::page(lang)) {
            figure.year {
                figcaption {
                    (net) (say(lang, " et ", " and ")) (in_sentence)
                    (say(lang, " par mois, ", " per month, ")) (money.sign())
                }
                div.drawing role="img" aria-label=(drawn) { (drawing(svg)) }
                ul.legend { li.net { (net) } li.levies { (whole) } }
            }
        }
    }
}

/// Some months in words; `None` for all months of the year.
fn named(months: &[i8], year: &YearCalculation, lang: Lang) -> Option<String> {
    (months.len() < year.months().len()).then(|| months_in_words(months, lang))
}

fn sources(year: &YearCalculation, lang: Lang) -> Markup {
    let references = year.references();

    html! {
        details.block #textes {
            summary { (say(lang, "Textes (", "Sources (")) (references.len()) ")" }
            ul {
                @for reference in references {
                    li {
                        (trace::source(reference.what.source, lang))
                        @if let Some(months) = named(&reference.months, year, lang) { " (" (months) ")" }
                    }
                }
            }
        }
    }
}
