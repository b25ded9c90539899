//! What one change of a question would make: the share that is withheld of a little more, which is
//! always shown, and the buttons that compute the rest.

use bareme_engine::law::{Headline, Input, Method, Role, Trial};
use bareme_engine::text::{BadParameter, Text, number_text};
use bareme_engine::{Calculation, say};
use jiff::civil::Date;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::amounts::Money;
use super::form::written;
use super::question::{Question, take};
use super::result::refused;
use super::values::{default_text, plain};
use crate::table::wide;
use crate::text::{printed, prose, say};

/// Parameter of the page with the input whose change is tried.
const TRIED: &str = "un-essai";

/// Beginning of the parameter of the page with how much more of an input is tried.
const MORE: &str = "essai-";

/// The change that a question tries.
#[derive(Debug)]
pub(super) struct Tried {
    /// The input.
    input: String,
    /// How much more, as it was typed; without it as much as the method says.
    more: Option<String>,
}

impl Tried {
    /// Takes the parameters of a change out of a query: a form sends the amount of each.
    pub(super) fn take(pairs: &mut Vec<(String, String)>) -> Option<Self> {
        let input = take(pairs, TRIED);
        let mut tried = input.map(|input| Self { input, more: None });

        pairs.retain(|(name, value)| {
            let Some(input) = name.strip_prefix(MORE) else {
                return true;
            };
            if let Some(tried) = tried.as_mut().filter(|tried| tried.input == input) {
                tried.more = Some(value.clone());
            }
            false
        });
        tried
    }

    /// Its parameters.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (String, String)> {
        let more = self.more.iter();
        let more = more.map(|more| (format!("{MORE}{}", self.input), more.clone()));
        [(TRIED.to_owned(), self.input.clone())]
            .into_iter()
            .chain(more)
    }
}

/// A change of a method with the input that it is of.
struct Change<'m> {
    trial: &'m Trial,
    input: &'m Input,
}

/// The changes that can be tried beside a question: with an inverse, the input is not the one that
/// was sent.
fn changes<'m>(question: &Question, method: &'m Method) -> Vec<Change<'m>> {
    let is_replaced = |input: &Input| {
        let mut inverses = method.inverses().iter();
        inverses.any(|inverse| {
            inverse.input.of(method.inputs()).map(|own| &own.name) == Some(&input.name)
                && question.sent(&inverse.parameter.name).is_some()
        })
    };
    let trials = method.trials().iter().filter_map(|trial| {
        let input = trial.input.of(method.inputs())?;
        (!input.is_absent && !is_replaced(input)).then_some(Change { trial, input })
    });
    trials.collect()
}

/// The answer to a question with more of an input.
fn with_more<'r>(
    question: &Question<'r>,
    input: &Input,
    more: Decimal,
    today: Date,
) -> Option<Result<Calculation<'r>, Vec<BadParameter>>> {
    let now = question.sent(&input.name).map(str::to_owned);
    let now = now.or_else(|| default_text(input));
    let now: Decimal = now.map_or(Some(Decimal::ZERO), |now| now.parse().ok())?;

    let mut sent = question.sent_without(&input.name);
    sent.push((input.name.clone(), number_text(now.checked_add(more)?)));
    question.or_bad(question.ask(&sent, today)).ok()
}

/// The field by which two answers are compared, in two of them.
fn measured(
    method: &Method,
    before: &Calculation,
    after: &Calculation,
) -> Option<(Role, Decimal, Decimal)> {
    let measure = method.measure()?;
    let name = &method.fields().get(measure.field)?.name;
    let value = |calculation: &Calculation| calculation.field(name)?.number();
    Some((measure.role?, value(before)?, value(after)?))
}

/// What is taken of a little more, and the buttons of the other changes with the effect of the one
/// that is tried.
pub(super) fn trials(question: &Question, calculation: &Calculation, today: Date) -> Markup {
    let method = calculation.edition().method();
    let (shown, asked): (Vec<Change>, Vec<Change>) = changes(question, method)
        .into_iter()
        .partition(|change| change.trial.is_percent);

    let shown = shown.iter();
    let shares: Vec<Markup> = shown
        .filter_map(|change| share(question, calculation, change, today))
        .collect();

    html! {
        @if !shares.is_empty() { ul.ahead { @for line in &shares { li { (line) } } } }
        @if !asked.is_empty() {
            section.trials {
                h2 .screen { (say(method.lang, "Et avec…", "And with…")) }
                (buttons(question, method, &asked))
                @for change in &asked {
                    @if let Some(tried) = question.tried.as_ref().filter(
                        |tried| tried.input == change.input.name
                    ) {
                        (effect(question, calculation, change, tried, today))
                    }
                }
            }
        }
    }
}

/// What a little more of an input leaves: `Sur 100 € de plus de votre salaire, 27 € sont prélevés
/// (27 %).` Nothing where the law refuses it.
fn share(
    question: &Question,
    calculation: &Calculation,
    change: &Change,
    today: Date,
) -> Option<Markup> {
    let method = calculation.edition().method();
    let money = Money::new(method);
    let more = change.trial.more;
    let after = with_more(question, change.input, more, today)?.ok()?;
    let (role, before, after) = measured(method, calculation, &after)?;

    let effect = after.saturating_sub(before);
    let share = effect.checked_div(more)?.round_dp(4);
    let done = match (role, effect.is_sign_negative() && !effect.is_zero()) {
        (Role::Levy, false) => Text::new("sont prélevés", "are taken"),
        (Role::Levy, true) => Text::new("sont rendus", "are given back"),
        (Role::Net, false) => Text::new("vous restent", "are left to you"),
        (Role::Net, true) | (Role::Benefit, true) => Text::new("sont perdus", "are lost"),
        (Role::Benefit, false) => Text::new("s’y ajoutent", "are added"),
    };
    let lang = money.lang();
    Some(html! {
        (say(lang, "Sur ", "Of ")) (money.short(more)) (say(lang, " de plus ", " more "))
        (prose(&change.trial.label)) ", "
        strong { (money.short(effect.abs())) } " " (done.in_lang(lang))
        " (" (money.percent(share.abs())) ")."
    })
}

/// A button for each change, with the amount where it is of money.
fn buttons(question: &Question, method: &Method, changes: &[Change]) -> Markup {
    let (sign, lang) = (Money::new(method).sign(), method.lang);
    let amount = |change: &Change| {
        let tried = question.tried.as_ref();
        let typed = tried.filter(|tried| tried.input == change.input.name);
        let typed = typed.and_then(|tried| tried.more.clone());
        typed.unwrap_or_else(|| written(change.input, &number_text(change.trial.more), method.lang))
    };

    html! {
        form.try.screen action=(question.listed.simulator()) method="get" autocomplete="off"
            data-essai {
            @for (name, value) in question.kept() {
                input type="hidden" name=(name) value=(value);
            }
            @for change in changes {
                div.trial {
                    @if is_of_money(change.input) {
                        @let id = format!("{MORE}{}", change.input.name);
                        label for=(id) { (prose(&change.trial.label)) }
                        span.amount {
                            input id=(id) name=(id) inputmode="decimal" value=(amount(change));
                            " " (sign)
                        }
                        // Several buttons show the same word: read aloud, each says what it
                        // calculates.
                        button.plain name=(TRIED) value=(change.input.name)
                            aria-label={
                                (say(lang, "Calculer\u{a0}: ", "Calculate: "))
                                (printed(&change.trial.label))
                            } {
                            (say(lang, "Calculer", "Calculate"))
                        }
                    } @else {
                        button.plain name=(TRIED) value=(change.input.name) {
                            (prose(&change.trial.label))
                        }
                    }
                }
            }
        }
    }
}

fn is_of_money(input: &Input) -> bool {
    matches!(input.ty, bareme_engine::law::Type::Money(_))
}

/// The effect of the change that is tried, or why it has none.
fn effect(
    question: &Question,
    calculation: &Calculation,
    change: &Change,
    tried: &Tried,
    today: Date,
) -> Markup {
    let method = calculation.edition().method();
    let money = Money::new(method);

    // 1. How much more was typed.
    let typed = tried.more.as_deref().filter(|_| is_of_money(change.input));
    let more = match typed.map(|typed| plain(method, change.input, typed)) {
        None => Ok(change.trial.more),
        Some(Ok(text)) => text.parse::<Decimal>().map_err(|_| Vec::new()),
        Some(Err(bad)) => Err(vec![bad]),
    };
    let label = printed(&change.trial.label);
    let title = match &more {
        Ok(more) if is_of_money(change.input) => {
            let more = money.short(*more);
            say!(method.lang, "{label} de {more}", "{label}: {more}")
        }
        _ => label,
    };

    // 2. The answer with it.
    let asked = match more {
        Ok(more) => with_more(question, change.input, more, today),
        Err(bad) => Some(Err(bad)),
    };
    let after = match asked {
        Some(Ok(after)) => after,
        Some(Err(bad)) => {
            return html! {
                div.tried #essai {
                    h3 { (prose(&title)) }
                    @if bad.is_empty() {
                        p.warning {
                            (say(
                                method.lang,
                                "Écrivez un montant, comme 1\u{202f}000.",
                                "Type an amount, such as 1,000."
                            ))
                        }
                    } @else { (refused(method.lang, &bad, |name| question.label(name))) }
                }
            };
        }
        None => return html! {},
    };

    // 3. Warnings that only the change brings.
    let labels = question.labels();
    let is_new = |text: &str| {
        let mut known = calculation.warnings().iter();
        !known.any(|warning| warning.text.fr == text)
    };
    let warnings = after.warnings().iter();
    let warnings = warnings.filter(|warning| is_new(&warning.text.fr));

    html! {
        div.tried #essai {
            h3 { (prose(&title)) }
            @if let Some((role, before, after)) = measured(method, calculation, &after) {
                p { (in_words(money, role, after.saturating_sub(before))) }
            }
            (beside(method, calculation, &after))
            @for warning in warnings { p.warning { (prose(&labels.written(warning.text.in_lang(method.lang)))) } }
        }
    }
}

/// What changes for whoever the calculation is for.
fn in_words(money: Money, role: Role, change: Decimal) -> Markup {
    let lang = money.lang();
    let verb = match role {
        Role::Levy => say(lang, "Vous payez ", "You pay "),
        Role::Net => say(lang, "Vous gardez ", "You keep "),
        Role::Benefit => say(lang, "Vous recevez ", "You receive "),
    };

    html! {
        @if change.is_zero() {
            (say(lang, "Rien ne change.", "Nothing changes."))
        } @else {
            (verb) strong { (money.short(change.abs())) }
            @if change.is_sign_negative() {
                (say(lang, " de moins.", " less."))
            } @else {
                (say(lang, " de plus.", " more."))
            }
        }
    }
}

/// The headline fields without and with the change.
fn beside(method: &Method, before: &Calculation, after: &Calculation) -> Markup {
    let money = Money::new(method);
    let lang = method.lang;
    let value = |calculation: &Calculation, headline: &Headline| {
        let field = method.fields().get(headline.field)?;
        let found = calculation.field(&field.name)?.number()?;
        Some(if headline.is_percent {
            money.percent(found)
        } else {
            money.of_field(field, found)
        })
    };
    let rows = method.headlines().iter().filter_map(|headline| {
        let field = method.fields().get(headline.field)?;
        let label = headline.label.as_deref().or(field.label.as_deref())?;
        Some((label, value(before, headline)?, value(after, headline)?))
    });

    html! {
        (wide(
            say(lang, "Sans et avec", "Without and with"),
            html! {
                table {
                    thead {
                        tr {
                            th scope="col" { span.reader { (say(lang, "Résultat", "Result")) } }
                            th.n scope="col" { (say(lang, "Sans", "Without")) }
                            th.n scope="col" { (say(lang, "Avec", "With")) }
                        }
                    }
                    tbody {
                        @for (label, own, other) in rows {
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
