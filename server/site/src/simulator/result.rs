//! The result of a simulator: the pay with its lines, or the fields of the answer; charts; the same
//! call of the API; the citation.

use bareme_api::wire::problem::Problem;
use bareme_engine::law::Warning;
use bareme_engine::law::parameter::DATE;
use bareme_engine::law::{Field, FieldValue, Scalar, Type};
use bareme_engine::service::Rules;
use bareme_engine::text::BadParameter;
use bareme_engine::{Calculation, Lang, say};
use bareme_show::{Locale, Pay};
use jiff::civil::Date;
use maud::{Markup, html};

use super::amounts::Money;
use super::compared::Compared;
use super::lines::heading;
use super::question::{Answer, Question};
use super::targets::{self, Amount};
use super::year::{link_to_year, month_name};
use super::{
    chart, code, elsewhere, form, headline, items, lines, months, next_bracket, once, period,
    schedule, sentence, settled, shares, sheet, steps, trace as unfolded, trials,
};
use crate::labels::Labels;
use crate::table::wide;
use crate::text::{day_in, days_in_words, ended, printed, prose, say};

/// The result of a question, or its errors.
///
/// # Errors
/// An internal error of the engine.
pub(super) fn result(
    rules: &Rules,
    question: &Question,
    answer: &Answer,
    amounts: &[Amount],
    today: Date,
) -> Result<Markup, Problem> {
    Ok(match answer {
        Ok(calculation) => {
            // The other day is computed only for a question that has an answer.
            let compared = question.calculate_compared(today)?;
            let values = (!amounts.is_empty()).then(|| targets::values(amounts));

            html! {
                div.answer data-lien=(question.address()) data-montants=[values] {
                    (shown(rules, question, calculation, compared.as_ref(), today))
                }
            }
        }
        Err(bad) => refused(question.lang(), bad, |name| question.label(name)),
    })
}

/// Refused parameters, each by its label, and with its month where it is of one.
pub(super) fn refused<'l>(
    lang: Lang,
    bad: &[BadParameter],
    label: impl Fn(&str) -> Option<&'l str>,
) -> Markup {
    // Where nothing that was given is wrong, something is missing.
    let is_incomplete = bad.iter().all(|bad| bad.received.is_none());

    html! {
        div.refused role="alert" {
            p {
                strong {
                    @if is_incomplete {
                        (say(lang, "Complétez la saisie.", "Complete the form."))
                    } @else {
                        (say(lang, "Corrigez la saisie.", "Correct the form."))
                    }
                }
            }
            ul {
                @for bad in bad {
                    li data-champ=(bad.name) data-mois=[bad.month] {
                        @if let Some(month) = bad.month { strong { (month_name(month, lang)) } ", " }
                        @let of_day = (bad.name == DATE).then(|| form::day_label(lang));
                        @if let Some(label) = label(&bad.name).or(of_day) {
                            // The expected value is part of the message, as beside the field.
                            (prose(label))
                        } @else {
                            code { (bad.name) }
                        }
                        (say(lang, "\u{a0}: ", ": "))
                        (prose(
                            &form::wrong(
                                lang, &bad.name, std::slice::from_ref(bad)
                            ).unwrap_or_default()
                        ))
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
    // Everything is computed first, so that the template below only lays it out.
    let money = Money::new(calculation.edition().method());
    let lang = money.lang();
    let pay = unfolded::pay(calculation);
    let figures = headline::figures(question, calculation, pay.as_ref(), today);
    let labels = Labels::with_called(rules, question.listed.folder);
    // What is compared has a line of each alternative in place of a curve.
    let compared_here = Compared::new(question, calculation);
    // Without a curve there is no amount that could be increased.
    let asked = chart::ShownAmount::new(question, calculation, pay.as_ref());
    let asked = asked.filter(|_| compared_here.is_none());
    let best = compared_here.as_ref().and_then(Compared::headline);
    // Lines by month and by year stand in place of a payslip, which only an employee has.
    let lines = compared.is_none().then(|| settled::lines(calculation));
    let lines = lines.flatten();
    let method = calculation.edition().method();
    let sentence = |warning: &Warning| {
        let text = labels.written_here(warning.text.in_lang(lang))?;
        Some(days_in_words(&text, lang))
    };
    // What is true of every answer is no news of this one: it comes after it.
    let (always, of_this): (Vec<_>, Vec<_>) = calculation
        .warnings()
        .iter()
        .partition(|warning| method.always_warns(&warning.code));
    let warnings = || {
        html! {
            @for text in of_this.iter().copied().filter_map(sentence) {
                p.warning { (prose(&text)) }
            }
        }
    };
    let notes: Vec<String> = always.into_iter().filter_map(sentence).collect();

    html! {
        (elsewhere::takes(rules, question, calculation))
        @if let Some(compared) = &compared_here { (compared.sentence()) }
        (period::doubt(question, calculation, today))
        (months::doubt(question, calculation, today))
        (sentence::sentence(calculation))
        (headline::headline(best.as_ref().unwrap_or(&figures)))
        (elsewhere::chips(rules, question, calculation, today))
        @if let Some(asked) = &asked { (next_bracket::next_bracket(calculation, asked, today)) }
        @for reason in &question.left_out { p.warning { (prose(reason)) } }
        // What is compared comes with the warnings of each alternative: its table is first.
        @if compared_here.is_none() { (warnings()) }
        (actions(lang, &question.link(), &question.download()))
        @if !notes.is_empty() {
            ul.notes { @for text in &notes { li { (prose(text)) } } }
        }
        @if let Some(pay) = &pay {
            (once::once(question, calculation, pay, today))
            (shares::shares(&shares::of_pay(calculation, pay), money))
        }
        (link_to_year(question, calculation, today))
        @if let Some(compared) = &compared_here {
            (compared.table(rules, question, today))
            (compared.lines(rules, question, today))
            (warnings())
        }
        (shares::shares(&shares::of_answer(calculation), money))
        (trials::trials(question, calculation, today))
        (settled::advances(question, calculation, today))
        @if let Some(lines) = lines { (lines) }
        @else { (comparison(calculation, pay.as_ref(), compared)) }
        (items::tables(calculation))
        (schedule::schedule(question, calculation, today))
        (chart::brackets(calculation))
        @if let Some(asked) = &asked { (chart::curve(asked, calculation, today)) }
        (steps::steps(question, calculation))
        (all_fields(calculation))
        (sources(calculation, &labels))
        (code::calls(rules.service(), &question.listed, &question.sent))
        (citation(
            rules,
            &question.link(),
            html! {
                // It has the texts of the law, as they were published.
                span lang=[unfolded::foreign(lang)] { (prose(calculation.edition().citation())) }
            },
            question.pairs_in_words(),
            today
        ))
    }
}

/// Actions on the result: link, print, download.
pub(super) fn actions(lang: Lang, link: &str, download: &str) -> Markup {
    html! {
        p.actions.screen {
            a.button.plain href=(link) data-partager { (say(lang, "Partager", "Share")) } " "
            button.plain type="button" data-imprimer hidden {
                (say(lang, "Enregistrer en PDF", "Save as PDF"))
            } " "
            a.button.plain href=(download) download {
                (say(lang, "Télécharger (CSV)", "Download (CSV)"))
            } " "
            span.soft aria-live="polite" data-partage {}
        }
    }
}

/// The lines of the pay, or the differences on the other day.
pub(super) fn comparison(
    calculation: &Calculation,
    pay: Option<&Pay>,
    compared: Option<&Answer>,
) -> Markup {
    // Another day that is refused leaves the answer of this one as it is.
    let other = compared.and_then(|compared| compared.as_ref().ok());
    let beside = other.and_then(unfolded::pay);
    let lang = calculation.edition().method().lang;
    // A payslip that the method lays out has both parts on each row.
    let sheets = if other.is_none() {
        sheet::sheets(calculation)
    } else {
        None
    };

    html! {
        @if let Some(Err(bad)) = compared {
            p.warning {
                (say(
                    lang,
                    "Pas de comparaison à cette date\u{a0}: ",
                    "No comparison with that day: "
                ))
                @for bad in bad { (prose(bad.reason.in_lang(lang))) " " }
            }
        }
        @if let Some(sheets) = sheets { (sheets) }
        @else if let Some(pay) = pay {
            (lines::pay_table(calculation, pay, other, beside.as_ref()))
        }
        @else if let Some(other) = other { (fields_table(calculation, other)) }
    }
}

/// The fields of two days side by side.
fn fields_table(calculation: &Calculation, other: &Calculation) -> Markup {
    let lang = calculation.edition().method().lang;
    // Only fields with a label and a single value can be compared side by side.
    let rows = calculation.fields().filter_map(|(field, found)| {
        let label = field.label.as_deref()?;
        let there = other
            .field(&field.name)
            .and_then(|found| field_text(other, field, found));
        Some((
            label,
            field_text(calculation, field, found)?,
            there.unwrap_or_else(|| "–".to_owned()),
        ))
    });

    html! {
        (wide(
            say(lang, "Comparaison", "Comparison"),
            html! {
                table {
                    caption { (say(lang, "Comparaison", "Comparison")) }
                    thead {
                        tr {
                            th scope="col" { (say(lang, "Champ", "Field")) }
                            th.n scope="col" { (heading(calculation)) }
                            th.n scope="col" { (heading(other)) }
                        }
                    }
                    tbody {
                        // Long texts would break the columns.
                        @for (label, own, other) in rows.filter(
                            |(_, own, other)| own.len() < 40 && other.len() < 40
                        ) {
                            tr {
                                th scope="row" { (prose(label)) } td.n { (own) }
                                td.n { @if own == other { (other) } @else { mark { (other) } } }
                            }
                        }
                    }
                }
            }
        ))
    }
}

/// The text of a single-valued field.
pub(super) fn field_text(
    calculation: &Calculation,
    field: &Field,
    found: &FieldValue,
) -> Option<String> {
    // A number has the format of its type, with the currency.
    if let Some(number) = found.number() {
        return Some(Money::of(calculation).of_field(field, number));
    }

    let method = calculation.edition().method();
    bareme_show::field(field, found, method, Locale::page(method.lang))
}

/// The fields of the answer, as a program gets them.
fn all_fields(calculation: &Calculation) -> Markup {
    let lang = calculation.edition().method().lang;
    // A text of one word is a code of the rules, and the citation has the texts of the law.
    let cited = calculation.edition().citation();
    let is_quoted = |text: &str| !text.contains(' ') || cited.contains(text);
    let is_text = |found: &FieldValue| matches!(found, FieldValue::Scalar(Scalar::Text(_)));
    let is_choice = |field: &Field| matches!(field.value_type(), Type::Choice(_));

    html! {
        details.block #champs {
            summary { (say(lang, "Tous les champs de la réponse", "All fields of the API’s answer")) }
            div.wide tabindex="0" role="region" aria-label=(
                say(lang, "Champs de la réponse", "Fields of the answer")
            ) {
                table.fields-of-answer {
                    thead {
                        tr {
                            th scope="col" { (say(lang, "Champ", "Field")) }
                            th scope="col" { (say(lang, "Sens", "Meaning")) }
                            th.n scope="col" { (say(lang, "Valeur", "Value")) }
                        }
                    }
                    tbody {
                        @for (field, found) in calculation.fields() {
                            // Lists and long texts have a table or a place of their own above.
                            @if let Some(text) = field_text(
                                calculation, field, found
                            ).filter(|text| is_choice(field) || text.len() < 60) {
                                tr {
                                    th scope="row" { code lang=[unfolded::foreign(lang)] { (field.name) } }
                                    td { (prose(field.label.as_deref().unwrap_or_default())) }
                                    @let is_french = is_text(found) && is_quoted(&text);
                                    td.n lang=[unfolded::foreign(lang).filter(|_| is_french)] {
                                        (text)
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn sources(calculation: &Calculation, labels: &Labels) -> Markup {
    let references = calculation.references();
    let lang = calculation.edition().method().lang;

    let remarks = references.iter().flat_map(|reference| &reference.remarks);
    // A note about a figure counts only for answers that use the figure.
    let written = remarks.filter_map(|remark| labels.written_here(remark.remark.note.as_deref()?));
    let written = written.map(ended);
    let mut notes: Vec<String> = Vec::new();
    for note in written {
        // Two figures of one text may have the same note.
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    html! {
        details.block #textes {
            summary {
                (say(lang, "Textes et réserves (", "Sources and reservations ("))
                (references.len()) ")"
            }
            ul {
                @for reference in references { li { (unfolded::source(reference.source, lang)) } }
            }
            @if !notes.is_empty() {
                h3 { (say(lang, "Réserves", "Reservations, in French")) }
                ul lang=[unfolded::foreign(lang)] { @for note in &notes { li { (prose(note)) } } }
            }
        }
    }
}

/// The citation line of the result, with the link to this question.
pub(super) fn citation(
    rules: &Rules,
    link: &str,
    cited: Markup,
    sent: Vec<(String, String)>,
    today: Date,
) -> Markup {
    // The whole address: it is copied into documents.
    let address = format!("{}{link}", rules.service().documentation);
    let lang = rules.service().lang;
    let sent: Vec<String> = sent
        .into_iter()
        .map(|(label, value)| printed(&say!(lang, "{label} : {value}", "{label}: {value}")))
        .collect();

    html! {
        section.cite aria-label="Citation" {
            h2 {
                span.screen { (say(lang, "Citer ce calcul", "Cite this calculation")) }
                span.paper { (say(lang, "Sources et date", "Sources and date")) }
            }
            p {
                (cited)
                (say(lang, ". Calcul du ", ". Calculated on ")) (day_in(today, lang)) "."
            }
            p.link { a href=(link) { (address) } }
            @if !sent.is_empty() {
                p.sent.paper {
                    (say(lang, "Saisie\u{a0}: ", "Entered: "))
                    (sent.join(say(lang, "\u{202f}; ", "; "))) "."
                }
            }
        }
    }
}
