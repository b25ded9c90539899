//! The form of a simulator: the controls of the inputs that it asks for, with label, help and
//! error.

use bareme_engine::law::parameter::{DATE, OF_THE_DAY, YEAR};
use bareme_engine::law::{Expr, Input, InputId, Method, Presence, Type};
use bareme_engine::run::Edition;
use bareme_engine::text::{BadParameter, ParameterCode};
use bareme_engine::{Lang, say};
use bareme_show::Locale;
use maud::{Markup, html};

use super::RESULT_PATH;
use super::asked::{Asked, Item, Section};
use super::driver::{Driver, START};
use super::question::{BACK, COMPARED, Question};
use super::settled::EARLIER;
use super::targets::{Amount, as_shown};
use super::values::{decimal, default_text, plain_number, yes_or_no};
use super::{period, unit};
use crate::language::prefix;
use crate::text::{days_in_words, printed, prose, say};

/// Greatest number of values for a drop-down list.
const MOST_LISTED: usize = 24;

pub(super) fn form(question: &Question, amounts: &[Amount], bad: &[BadParameter]) -> Markup {
    let driver = question.driver();
    let asked = Asked::new(question, driver.as_ref());
    let field = |input: &Input| field(question, input, bad);

    html! {
        // By GET, so that the address has the question. Without `autocomplete`, Firefox puts what
        // was typed before a reload back into the fields, beside the answer to the address.
        form.questions action=(question.listed.simulator()) method="get" autocomplete="off"
            data-live={
                (prefix(question.lang())) (RESULT_PATH) "/" (question.listed.folder.path())
            } {
            @if let Some(back) = &question.back { input type="hidden" name=(BACK) value=(back); }
            @if let Some(driver) = &driver { (starting_point(question, driver, amounts, bad)) }
            @for section in &asked.sections {
                (part(section, question, bad, &field))
            }
            @for item in &asked.first { (item.shown(question, bad, &field)) }
            @for input in &asked.switches { (field(input)) }
            @if !asked.rest.items.is_empty() { (part(&asked.rest, question, bad, &field)) }
            (earlier(question))
            @if question.listed.folder.is_dated() { (dates(question, bad)) }
            button { (say(question.lang(), "Calculer", "Calculate")) }
        }
    }
}

/// The amount of an earlier year, from which advances are computed.
fn earlier(question: &Question) -> Markup {
    let method = question.edition.map(Edition::method);
    let Some(advances) = method.and_then(Method::advances) else {
        return html! {};
    };

    html! {
        div.field data-champs=(EARLIER) {
            label for="champ-anterieur" { (prose(&advances.label)) }
            input #champ-anterieur name=(EARLIER) inputmode="decimal" value=[
                question.earlier.as_deref()
            ] aria-describedby="aide-anterieur";
            p.help #aide-anterieur {
                (say(
                    question.lang(),
                    "Facultatif\u{a0}: pour voir ce qui reste à régulariser.",
                    "Optional: shows what is left to settle."
                ))
            }
        }
    }
}

/// A section of a form: unfolded, or with its title alone.
fn part(
    section: &Section,
    question: &Question,
    bad: &[BadParameter],
    field: &impl Fn(&Input) -> Markup,
) -> Markup {
    let inputs: Vec<&Input> = section.items.iter().flat_map(Item::inputs).collect();
    // It is open if it has something that was sent or is wrong, or nobody would see it.
    let is_asked = |input: &&Input| {
        question.sent(&input.name).is_some() || wrong(question.lang(), &input.name, bad).is_some()
    };
    let fields = html! {
        div.fields { @for item in &section.items { (item.shown(question, bad, field)) } }
    };

    html! {
        @if section.is_open {
            fieldset.section { legend { (prose(section.label)) } (fields) }
        } @else {
            details.more open[inputs.iter().any(is_asked)] {
                summary { (prose(section.label)) " (" (inputs.len()) ")" }
                (fields)
            }
        }
    }
}

/// The amounts that the question may start from, a field each: one is typed, the others follow.
fn starting_point(
    question: &Question,
    driver: &Driver,
    amounts: &[Amount],
    bad: &[BadParameter],
) -> Markup {
    let labels = question.labels();
    let help = labels.written(driver.input.help.as_deref().unwrap_or_default());

    html! {
        fieldset.amounts {
            legend {
                (say(
                    question.lang(),
                    "Un montant, les autres suivent",
                    "Type one amount, the others follow"
                ))
            }
            input type="hidden" name=(START) value=(driver.typed(question));
            div.fields {
                @for amount in amounts {
                    @let (name, wrong) = (&amount.name, wrong(question.lang(), &amount.name, bad));
                    div.field.typed[amount.is_typed] data-champs=(name) data-montant
                        hidden[!amount.is_shown] {
                        label for={ "champ-" (name) } { (prose(unit::label(question, &amount.label))) }
                        // A field that is hidden would be sent all the same: one that is disabled
                        // is not.
                        input id={ "champ-" (name) } name=(name) inputmode="decimal"
                            value=(amount.text) disabled[!amount.is_shown]
                            aria-describedby={ "erreur-" (name) }
                            aria-invalid=[wrong.as_ref().map(|_| "true")];
                        (as_shown(amount))
                        (message(name, wrong.as_deref()))
                    }
                }
            }
            @if !help.is_empty() { p.help { (prose(&help)) } }
            (periods(question, bad))
        }
    }
}

/// The choice of the period of the amounts: that of the law with the hour, or that of the page.
fn periods(question: &Question, bad: &[BadParameter]) -> Markup {
    let Some(method) = question.edition.map(Edition::method) else {
        return html! {};
    };
    let own = period::input(method);
    let offered = unit::offered(question, method);
    let asked = question.unit.as_ref().map(|unit| unit.word);
    if offered.is_empty() {
        return html! { @if let Some(own) = own { (field(question, own, bad)) } };
    }

    // The law has no word for an hour: the page takes it out of the choice.
    let name = own.map_or(unit::PERIOD, |own| own.name.as_str());
    let lang = question.lang();
    let period = say(lang, "Période des montants", "Period of the amounts");
    let label = own.map_or(period, |own| own.label.as_str());
    let sent = question.sent(name).map(str::to_owned);
    let chosen = sent.or_else(|| default_text(own?));
    let of_law = own.map(|own| own.values.as_slice()).unwrap_or_default();

    html! {
        div.field data-champs=(name) {
            label for={ "champ-" (name) } { (prose(label)) }
            select id={ "champ-" (name) } name=(name) aria-describedby={ "erreur-" (name) } {
                @for (word, label) in of_law {
                    option value=(word) selected[
                        asked.is_none() && chosen.as_ref() == Some(word)
                    ] {
                        (prose(label))
                    }
                }
                @for (word, label) in offered {
                    option value=(word) selected[asked == Some(word)] { (label) }
                }
            }
            @if let Some(hours) = question.hours.filter(|_| asked == Some(unit::HOUR)) {
                p.help {
                    @let hours = question.locale().number(unit::shown(hours));
                    (say!(
                        lang,
                        "Sur la base de {hours} heures par mois.",
                        "At {hours} hours a month."
                    ))
                }
            }
            (message(name, wrong(question.lang(), name, bad).as_deref()))
        }
    }
}

/// The control of an input, with label, help and error.
pub(super) fn field(question: &Question, input: &Input, bad: &[BadParameter]) -> Markup {
    let name = &input.name;
    let labels = question.labels();
    let mut help = labels.written(&help(input, question.lang()));
    if unit::reads_weekly_hours(question, input) {
        help.push_str(say(
            question.lang(),
            " Ou les heures de la semaine\u{a0}: 24\u{a0}h.",
            " Or the hours of a week: 24 h.",
        ));
    }
    if input.is_months {
        help.push_str(say(
            question.lang(),
            " Ou des années\u{a0}: 20\u{a0}ans.",
            " Or years: 20 years.",
        ));
    }
    let id = format!("champ-{name}");

    let wrong = wrong(question.lang(), name, bad);
    let described = format!("aide-{name} erreur-{name}");

    let default = default_text(input);
    let value = question
        .sent(name)
        .map(str::to_owned)
        .or_else(|| default.clone());
    // A refused value stays as it was typed.
    let shown = value.as_deref().map(|value| {
        if wrong.is_some() {
            value.to_owned()
        } else {
            written(input, value, question.lang())
        }
    });

    html! {
        div.field data-champs=(name) data-pour=[accepting(question, input)] {
            // A box that is not ticked sends nothing, which is `false` here; with any other default
            // it would leave no way to answer no.
            @if input.ty == Type::Boolean && default.as_deref() == Some("false") {
                label.check {
                    input id=(id) type="checkbox" name=(name) value="true" checked[
                        value.as_deref() != Some("false")
                    ]
                        aria-describedby=(described);
                    " " (prose(&input.label))
                }
            } @else {
                label for=(id) { (prose(&input.label)) }
                @if let Some(choices) = choices(question, input) {
                    select id=(id) name=(name) aria-describedby=(described) aria-invalid=[
                        wrong.as_ref().map(|_| "true")
                    ] {
                        @if default.is_none() {
                            option value="" {
                                (
                                    if matches!(input.presence, Presence::Required) {
                                        say(question.lang(), "Choisir", "Choose").to_owned()
                                    }
                                    else { deduced(question, input) }
                                )
                            }
                        }
                        @for (word, label) in with_sent(choices, value.as_deref()) {
                            option value=(word) selected[value.as_deref() == Some(&word)] {
                                (printed(&label))
                            }
                        }
                    }
                } @else {
                    input id=(id) name=(name) type=[typed_as(input)] inputmode=[keyboard(input)]
                        value=[shown.as_deref()]
                        required[matches!(input.presence, Presence::Required)]
                        aria-describedby=(described) aria-invalid=[wrong.as_ref().map(|_| "true")];
                }
            }
            p.help id={ "aide-" (name) } { (prose(&help)) }
            (message(name, wrong.as_deref()))
        }
    }
}

/// The answers to another question beside which an input may be given, for the script of the page:
/// `situation=couple`.
fn accepting(question: &Question, input: &Input) -> Option<String> {
    let method = question.edition?.method();
    let id = InputId::find(method.inputs(), |known| known.name == input.name)?;
    let (choice, words) = method.accepting_words(id)?;
    Some(format!(
        "{}={}",
        choice.of(method.inputs())?.name,
        words.join(" ")
    ))
}

/// The type of the control of an input, where the browser has one for its values.
pub(super) fn typed_as(input: &Input) -> Option<&'static str> {
    // In a field of the type `number`, a browser has no value for `2 650,50`: numbers are text.
    (input.ty == Type::Date).then_some("date")
}

/// The keyboard that a telephone shows for an input.
pub(super) fn keyboard(input: &Input) -> Option<&'static str> {
    match input.ty {
        Type::Date => None,
        _ if input.integer => Some("numeric"),
        _ => Some("decimal"),
    }
}

/// A value as people write it, with the decimal mark of their language.
pub(super) fn written(input: &Input, value: &str, lang: Lang) -> String {
    match (input.ty, plain_number(value)) {
        // Six digits in a row are counted by nobody.
        (Type::Money(_), Some(amount)) => Locale::page(lang).number(amount),
        (Type::Rate | Type::Number, Some(_)) => decimal(value, lang),
        _ => value.to_owned(),
    }
}

/// The empty option of an input: what its default depends on, `Déduire : nombre de parts`, or that the
/// law decides where nothing is chosen.
fn deduced(question: &Question, input: &Input) -> String {
    let inputs = question
        .edition
        .map(|edition| edition.method().inputs())
        .unwrap_or_default();
    let read: Vec<String> = input
        // The inputs that the default is computed from.
        .defaults_from(inputs)
        .map(|input| printed(&input.label))
        .collect();

    // The help of the field says what applies then.
    if read.is_empty() {
        say(question.lang(), "Sans choix", "No choice").to_owned()
    } else {
        let read = read.join(", ");
        say!(
            question.lang(),
            "Déduire\u{a0}: {read}",
            "Work out from: {read}"
        )
    }
}

/// The options of a drop-down list, where they are few: each value as sent, and its label.
fn choices(question: &Question, input: &Input) -> Option<Vec<(String, String)>> {
    let lang = question.lang();
    match input.ty {
        Type::Choice(_) => Some(input.values.clone()),
        Type::Boolean => Some(
            [("true", true), ("false", false)]
                .map(|(word, is_yes)| (word.to_owned(), yes_or_no(is_yes, lang).to_owned()))
                .to_vec(),
        ),
        // Few values are listed; beyond that, typing is faster.
        Type::Number | Type::Rate => {
            let listed = question.listed.folder.listed_values(input)?;
            let sign = match input.ty {
                Type::Rate => say(lang, " %", "%"),
                _ => "",
            };
            let texts = listed.iter().map(|value| input.sent_text(value));

            let choices: Vec<_> = texts
                .map(|text| (text.clone(), format!("{}{sign}", decimal(&text, lang))))
                .collect();
            (choices.len() <= MOST_LISTED).then_some(choices)
        }
        _ => None,
    }
}

/// The options, with the value sent if it is none of them: it is refused, not changed.
fn with_sent(mut choices: Vec<(String, String)>, value: Option<&str>) -> Vec<(String, String)> {
    // A browser would choose the first option in its place.
    if let Some(value) = value.filter(|value| !choices.iter().any(|(word, _)| word == value)) {
        choices.push((value.to_owned(), value.to_owned()));
    }
    choices
}

/// Help for an input; by default, that it follows from the other ones.
fn help(input: &Input, lang: Lang) -> String {
    // What happens without an answer, unless the help of the input says more.
    let otherwise = match &input.presence {
        Presence::Default(Expr::Column(..), _) => say(
            lang,
            "Vide\u{a0}: la valeur que fixe la loi.",
            "Empty: the value set by law.",
        ),
        Presence::Default(..) if default_text(input).is_none() => say(
            lang,
            "Vide\u{a0}: d’après les autres réponses.",
            "Empty: worked out from the other answers.",
        ),
        _ => "",
    };

    input.help.clone().unwrap_or_else(|| otherwise.to_owned())
}

/// The day of the scale, and another day to compare.
fn dates(question: &Question, bad: &[BadParameter]) -> Markup {
    let lang = question.lang();
    let wrong = OF_THE_DAY
        .into_iter()
        .find_map(|name| wrong(question.lang(), name, bad));

    let scales = question
        .listed
        .folder
        .editions()
        .iter()
        .rev()
        .filter_map(Edition::scale);

    // The field has one day: a year is its first one.
    let day = question
        .sent(DATE)
        .map(str::to_owned)
        .or_else(|| Some(format!("{}-01-01", question.sent(YEAR)?)));

    html! {
        div.dates {
            div.field data-champs=(OF_THE_DAY.join(" ")) {
                label for="champ-date" { (day_label(lang)) }
                input #champ-date type="date" name=(DATE) value=[day]
                    aria-describedby="aide-date erreur-date"
                    aria-invalid=[wrong.as_ref().map(|_| "true")];
                p.help #aide-date { (say(lang, "Vide\u{a0}: aujourd’hui.", "Empty: today.")) }
                (message(DATE, wrong.as_deref()))
            }
            div.field data-champs=(COMPARED) {
                label for="champ-comparer" {
                    (say(lang, "Comparer au barème du", "Compare with the figures of"))
                }
                select #champ-comparer name=(COMPARED) {
                    option value="" { "–" }
                    @for scale in scales {
                        option value=(scale.date) selected[
                            question.compared.as_deref() == Some(scale.date.to_string().as_str())
                        ] {
                            (scale.date.strftime("%d/%m/%Y"))
                        }
                    }
                }
            }
        }
    }
}

/// The label of the day of a calculation.
pub(super) fn day_label(lang: Lang) -> &'static str {
    say(lang, "Date du calcul", "Day of the calculation")
}

/// Error message of a parameter.
pub(super) fn wrong(lang: Lang, name: &str, bad: &[BadParameter]) -> Option<String> {
    let bad = bad.iter().find(|bad| bad.name == name)?;
    let (reason, expected) = (bad.reason.in_lang(lang), bad.expected.in_lang(lang));

    // What a field accepts is no cure where its value is accepted, and another one excludes it.
    let is_cure = !expected.is_empty() && bad.code != ParameterCode::Incompatible;
    let sentence = if is_cure {
        say!(
            lang,
            "{reason} Attendu : {expected}.",
            "{reason} Expected: {expected}."
        )
    } else {
        reason.to_owned()
    };
    Some(days_in_words(&sentence, lang))
}

pub(super) fn message(name: &str, wrong: Option<&str>) -> Markup {
    html! {
        p.wrong id={ "erreur-" (name) } hidden[wrong.is_none()] {
            @if let Some(wrong) = wrong { (prose(wrong)) }
        }
    }
}
