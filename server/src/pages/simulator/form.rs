//! The form of a simulator, from the inputs of the method: the starting amount, the two most
//! important inputs, and the rest folded.

use bareme_engine::law::parameter::{DATE, OF_THE_DAY, YEAR};
use bareme_engine::law::{Expr, Group, Input, InputId, Method, Presence, Type};
use bareme_engine::run::Edition;
use bareme_engine::text::BadParameter;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::RESULT_PATH;
use super::choice::Choice;
use super::groups;
use super::question::{AMOUNT, COMPARED, Driver, Question, START};
use super::settled::EARLIER;
use super::values::default_text;
use crate::pages::text::{printed, prose};

/// Number of inputs shown at first, the starting amount included.
const FIRST: usize = 3;

/// Greatest number of values for a drop-down list.
const MOST_LISTED: usize = 24;

/// What a form asks at one place: an input with the one that it may ask for, or a choice between
/// inputs.
enum Item<'f> {
    Inputs(Vec<&'f Input>),
    Choice(&'f Choice<'f>),
    /// The items of a group, a row each.
    Group(&'f Group, &'f Method),
}

impl Item<'_> {
    fn inputs(&self) -> Vec<&Input> {
        match self {
            Self::Inputs(inputs) => inputs.clone(),
            Self::Choice(choice) => choice.inputs().collect(),
            Self::Group(group, method) => groups::inputs(group, method).collect(),
        }
    }

    fn is_required(&self) -> bool {
        let is_due = |input: &&Input| matches!(input.presence, Presence::Required);
        self.inputs().iter().any(is_due)
    }

    fn shown(
        &self,
        question: &Question,
        bad: &[BadParameter],
        field: &impl Fn(&Input) -> Markup,
    ) -> Markup {
        match self {
            Self::Group(group, method) => groups::rows(question, group, method, bad),
            Self::Inputs(inputs) => html! { @for input in inputs { (field(input)) } },
            Self::Choice(choice) => choice.fields(field),
        }
    }
}

pub(super) fn form(question: &Question, bad: &[BadParameter]) -> Markup {
    // Inputs that these days do not have are not asked.
    let method = question.edition.map(Edition::method);
    let inputs = method
        .map(Method::inputs)
        .unwrap_or_default()
        .iter()
        .filter(|input| !input.is_absent);
    let options = method.map(Method::options).unwrap_or_default();

    // The starting amount has a control of its own, and options are switches: neither is a field.
    let driver = question.driver();
    let is_driver = |input: &Input| {
        driver
            .as_ref()
            .is_some_and(|driver| driver.input.name == input.name)
    };
    let is_option = |input: &Input| options.iter().any(|option| option.name == input.name);

    let (switches, others): (Vec<&Input>, Vec<&Input>) = inputs
        .filter(|input| !is_driver(input))
        .partition(|input| is_option(input));

    // The first inputs are shown, and those without which there is no answer; the rest is folded.
    // An input that only an option reads is never first.
    let shown = FIRST.saturating_sub(usize::from(driver.is_some()));
    let is_first = |item: &Item| item.inputs().iter().any(|input| !input.only_of_options);
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for item in items(question, &others) {
        let is_first = first.len() < shown && is_first(&item);
        if is_first || item.is_required() {
            first.push(item)
        } else {
            rest.push(item)
        }
    }

    // The rest is open if it has something that was sent or is wrong, or nobody would see it.
    let folded: Vec<&Input> = rest.iter().flat_map(Item::inputs).collect();
    let is_asked =
        |input: &&Input| question.sent(&input.name).is_some() || wrong(&input.name, bad).is_some();

    let field = |input: &Input| field(question, input, bad);

    html! {
        form.questions action=(question.listed.simulator()) method="get" autocomplete="off"
            data-live={ (RESULT_PATH) "/" (question.listed.folder.path()) } {
            @if let Some(driver) = &driver { (starting_point(question, driver, bad)) }
            @for item in &first { (item.shown(question, bad, &field)) }
            @for input in &switches { (field(input)) }
            @if !rest.is_empty() {
                details.more open[folded.iter().any(is_asked)] {
                    summary { "Autres options (" (folded.len()) ")" }
                    div.fields { @for item in &rest { (item.shown(question, bad, &field)) } }
                }
            }
            (earlier(question))
            @if question.listed.folder.is_dated() { (dates(question, bad)) }
            button { "Calculer" }
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
            p.help #aide-anterieur { "Facultatif\u{a0}: pour voir ce qui reste à régulariser." }
        }
    }
}

/// The items of a form, in the order of the inputs: a choice at the place of its first one.
fn items<'f>(question: &'f Question, inputs: &[&'f Input]) -> Vec<Item<'f>> {
    let method = question.edition.map(Edition::method);
    // Two inputs that make one question, such as a sum and its period, stay together.
    let companion = |input: &Input| {
        let inputs = method?.inputs();
        let id = InputId::find(inputs, |known| known.name == input.name)?;
        method?.companion(id)?.of(inputs)
    };
    let is_in_a_choice = |input: &Input| question.choices.iter().any(|choice| choice.has(input));

    let mut items: Vec<Item> = Vec::new();

    for input in inputs {
        let is_placed = |input: &Input| {
            items
                .iter()
                .any(|item| item.inputs().iter().any(|known| known.name == input.name))
        };
        if is_placed(input) {
            continue;
        }

        let group = input.group.zip(method);
        let group = group.and_then(|(group, method)| Some((group.of(method.groups())?, method)));
        if let Some((group, method)) = group {
            items.push(Item::Group(group, method));
            continue;
        }

        let choice = question.choices.iter().find(|choice| choice.has(input));
        let beside = companion(input).filter(|other| !is_in_a_choice(other) && !is_placed(other));
        items.push(match choice {
            Some(choice) => Item::Choice(choice),
            None => Item::Inputs([*input].into_iter().chain(beside).collect()),
        });
    }
    items
}

/// The choice of the starting amount: the gross, or a target that replaces it.
fn starting_point(question: &Question, driver: &Driver, bad: &[BadParameter]) -> Markup {
    let labels = question.labels();
    let input = driver.input;
    // The gross, and the parameters that may replace it: one select for all of them.
    let parameters = || {
        [input]
            .into_iter()
            .chain(driver.inverses.iter().map(|inverse| &inverse.parameter))
    };

    let asked = parameters()
        .find(|parameter| question.sent(&parameter.name).is_some())
        .unwrap_or(input);
    let wrong = parameters().find_map(|parameter| wrong(&parameter.name, bad));

    // A refused value stays as it was typed.
    let typed = question.sent(&asked.name).unwrap_or_default();
    let shown = if wrong.is_some() {
        typed.to_owned()
    } else {
        written(input, typed)
    };

    html! {
        div.field data-champs=(
            parameters().map(|parameter| parameter.name.as_str()).collect::<Vec<_>>().join(" ")
        ) {
            label for="champ-depart" { "Je pars de" }
            select #champ-depart name=(START) {
                @for parameter in parameters() {
                    option value=(parameter.name) selected[parameter.name == asked.name] {
                        (printed(&parameter.label))
                    }
                }
            }
            label for="champ-montant" { "Montant" }
            input #champ-montant name=(AMOUNT) inputmode="decimal" required value=(shown)
                aria-invalid=[
                    wrong.as_ref().map(|_| "true")
                ] aria-describedby="aide-montant erreur-montant";
            p.help #aide-montant { (prose(&labels.written(input.help.as_deref().unwrap_or_default()))) }
            (message("montant", wrong.as_deref()))
        }
    }
}

/// The control of an input, with label, help and error.
pub(super) fn field(question: &Question, input: &Input, bad: &[BadParameter]) -> Markup {
    let name = &input.name;
    let labels = question.labels();
    let (id, help) = (format!("champ-{name}"), labels.written(&help(input)));

    let wrong = wrong(name, bad);
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
            written(input, value)
        }
    });

    html! {
        div.field data-champs=(name) {
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
                                        "Choisir".to_owned()
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
                    input id=(id) name=(name) inputmode=(
                        if input.integer { "numeric" } else { "decimal" }
                    ) value=[shown.as_deref()]
                        required[matches!(input.presence, Presence::Required)]
                        aria-describedby=(described) aria-invalid=[wrong.as_ref().map(|_| "true")];
                }
            }
            p.help id={ "aide-" (name) } { (prose(&help)) }
            (message(name, wrong.as_deref()))
        }
    }
}

/// A value as people write it, with a decimal comma.
pub(super) fn written(input: &Input, value: &str) -> String {
    let is_number = matches!(input.ty, Type::Money(_) | Type::Rate | Type::Number);
    if is_number && value.parse::<Decimal>().is_ok() {
        value.replace('.', ",")
    } else {
        value.to_owned()
    }
}

/// The empty option of an input whose default depends on others: `Déduire : nombre de parts`.
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

    // The default may be a figure of the scale.
    if read.is_empty() {
        "Valeur du barème".to_owned()
    } else {
        format!("Déduire\u{a0}: {}", read.join(", "))
    }
}

/// The options of a drop-down list, where they are few: each value as sent, and its label.
fn choices(question: &Question, input: &Input) -> Option<Vec<(String, String)>> {
    match input.ty {
        Type::Choice(_) => Some(input.values.clone()),
        Type::Boolean => Some(
            [("true", "oui"), ("false", "non")]
                .map(|(word, label)| (word.to_owned(), label.to_owned()))
                .to_vec(),
        ),
        // Few values are listed; beyond that, typing is faster.
        Type::Number | Type::Rate => {
            let listed = question.listed.folder.listed_values(input)?;
            let sign = if input.ty == Type::Rate { " %" } else { "" };
            let texts = listed.iter().map(|value| input.sent_text(value));

            let choices: Vec<_> = texts
                .map(|text| (text.clone(), format!("{}{sign}", text.replace('.', ","))))
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
fn help(input: &Input) -> String {
    // What happens without an answer, unless the help of the input says more.
    let otherwise = match &input.presence {
        Presence::Default(Expr::Column(..), _) => "Sans réponse, la valeur est celle du barème.",
        Presence::Default(..) if default_text(input).is_none() => {
            "Sans réponse, la valeur suit des autres réponses."
        }
        _ => "",
    };

    input.help.clone().unwrap_or_else(|| otherwise.to_owned())
}

/// The day of the scale, and another day to compare.
fn dates(question: &Question, bad: &[BadParameter]) -> Markup {
    let wrong = OF_THE_DAY.into_iter().find_map(|name| wrong(name, bad));

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
                label for="champ-date" { "Date du calcul" }
                input #champ-date type="date" name=(DATE) value=[day]
                    aria-describedby="aide-date erreur-date"
                    aria-invalid=[wrong.as_ref().map(|_| "true")];
                p.help #aide-date { "Vide\u{a0}: aujourd’hui." }
                (message(DATE, wrong.as_deref()))
            }
            div.field data-champs=(COMPARED) {
                label for="champ-comparer" { "Comparer au barème du" }
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

/// Error message of a parameter.
pub(super) fn wrong(name: &str, bad: &[BadParameter]) -> Option<String> {
    let bad = bad.iter().find(|bad| bad.name == name)?;
    Some(if bad.expected.fr.is_empty() {
        bad.reason.fr.clone()
    } else {
        format!("{} Attendu : {}.", bad.reason.fr, bad.expected.fr)
    })
}

pub(super) fn message(name: &str, wrong: Option<&str>) -> Markup {
    html! {
        p.wrong id={ "erreur-" (name) } hidden[wrong.is_none()] {
            @if let Some(wrong) = wrong { (prose(wrong)) }
        }
    }
}
