//! Alternatives side by side: a table, a line of each over the amount that drives them, and the
//! amounts at which another one is best, in words.

use bareme_engine::Calculation;
use bareme_engine::law::parameter::DATE;
use bareme_engine::law::{Alternative, Comparison, FieldValue, Input, Method, Scalar, Type};
use bareme_engine::run::StepTrace;
use bareme_engine::service::Rules;
use bareme_show::alternatives::{Crossing, Lines};
use bareme_show::chart::{Chart, Colour, Curve, Look, Panel, Values};
use bareme_show::{Locale, query_string};
use jiff::civil::Date;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::amounts::Money;
use super::chart::{EFFECTIVE, LOOK, MARGINAL, NET};
use super::headline::{Figure, figure};
use super::question::Question;
use super::trace;
use crate::catalogue;
use crate::text::{drawing, printed, prose};

/// The colours of the lines, in their order.
const COLOURS: [Colour; 4] = [NET, EFFECTIVE, MARGINAL, (110, 60, 150)];

/// The alternatives of a calculation.
pub(super) struct Compared<'c, 'f> {
    calculation: &'c Calculation<'f>,
    method: &'f Method,
    comparison: &'f Comparison,
    money: Money<'f>,
    /// The amount that drives them.
    here: Decimal,
}

impl<'c, 'f> Compared<'c, 'f> {
    /// Those of a question; `None` where its method compares nothing.
    pub(super) fn new(question: &Question, calculation: &'c Calculation<'f>) -> Option<Self> {
        let method = calculation.edition().method();
        let comparison = method.comparison()?;
        let input = comparison.input.of(method.inputs())?;
        let here = question.sent(&input.name)?.parse().ok()?;
        Some(Self {
            calculation,
            method,
            comparison,
            money: Money::new(method),
            here,
        })
    }

    fn number(&self, field: usize) -> Option<Decimal> {
        let name = &self.method.fields().get(field)?.name;
        self.calculation.field(name)?.number()
    }

    fn text(&self, field: usize) -> Option<String> {
        let name = &self.method.fields().get(field)?.name;
        match self.calculation.field(name)? {
            FieldValue::Scalar(Scalar::Text(text)) => Some(text.to_string()),
            _ => None,
        }
    }

    /// Whether an alternative may be chosen.
    fn may_be_chosen(&self, alternative: &Alternative) -> bool {
        let Some(when) = alternative.when else {
            return true;
        };
        let name = self.method.fields().get(when).map(|field| &field.name);
        let found = name.and_then(|name| self.calculation.field(name));
        matches!(found, Some(FieldValue::Scalar(Scalar::Boolean(true))))
    }

    /// The best alternative, if one is.
    fn best(&self) -> Option<&'f Alternative> {
        let alternatives = &self.comparison.alternatives;
        if let Some(best) = self.comparison.best {
            let word = self.text(best)?;
            return alternatives.iter().find(|known| known.word == word);
        }
        // The first one of the greatest.
        let chosen = alternatives
            .iter()
            .filter(|known| self.may_be_chosen(known));
        chosen.rev().max_by_key(|known| self.number(known.field))
    }

    /// The best alternative as the main result.
    pub(super) fn headline(&self) -> Option<Vec<Figure>> {
        let best = self.best()?;
        let field = self.method.fields().get(best.field)?;
        let label = format!("{} : {}", printed(&self.comparison.label), best.name);
        let found = self.number(best.field)?;
        Some(vec![figure(
            self.money,
            field,
            printed(&label),
            found,
            None,
        )])
    }

    /// The answer in a sentence: the best alternative, and how much more it leaves than the next one.
    pub(super) fn sentence(&self) -> Markup {
        let next = self.best().and_then(|best| {
            let others = self
                .comparison
                .alternatives
                .iter()
                .filter(|other| other.word != best.word && self.may_be_chosen(other));
            // The first one of the greatest, as for the best: of equal ones, `max_by_key` takes the
            // last.
            let next = others.rev().max_by_key(|other| self.number(other.field))?;
            let less = self.number(next.field)?;
            Some((best, next, self.number(best.field)?.checked_sub(less)?))
        });

        html! {
            @if let Some((best, next, more)) = next {
                p.sentence {
                    "Avec " strong { (self.money.round(self.here)) } " "
                    (prose(&self.comparison.of)) ", "
                    @if more.is_zero() {
                        (prose(&best.name)) " et " (prose(&next.name)) " se valent."
                    } @else {
                        (prose(&best.name)) " " (prose(&self.comparison.more)) " "
                        (prose(&next.name)) ", qui vient ensuite\u{a0}: "
                        strong { (self.money.text(more)) } " d’écart."
                    }
                }
            } @else {
                p.sentence {
                    "Avec " strong { (self.money.round(self.here)) } " "
                    (prose(&self.comparison.of)) ", aucun choix n’est nommé le meilleur."
                }
            }
        }
    }

    /// A row for each alternative.
    pub(super) fn table(&self, rules: &Rules, question: &Question, today: Date) -> Markup {
        let best = self.best().map(|best| best.word.as_str());
        let columns = &self.comparison.columns;
        let heading = self.comparison.label.split(',').next().unwrap_or_default();

        html! {
            div.wide.countries tabindex="0" role="region" aria-label="Comparaison" {
                table {
                    caption { (prose(&self.comparison.label)) ", " (self.money.sign()) " par an" }
                    thead {
                        tr {
                            // A heading without a word is read aloud as an empty cell.
                            th scope="col" { span.reader { "Choix" } }
                            th.n scope="col" { (prose(heading)) }
                            @for (_, column) in columns { th.n scope="col" { (prose(column)) } }
                        }
                    }
                    tbody {
                        @for alternative in &self.comparison.alternatives {
                            tr data-choix=(alternative.word) {
                                th scope="row" {
                                    (prose(&alternative.label))
                                    @if best == Some(alternative.word.as_str()) {
                                        " " small.best { "En tête" }
                                    }
                                    @if !self.may_be_chosen(alternative) {
                                        " " small.soft { "n’est plus possible à ce montant" }
                                    }
                                    (self.links(rules, question, alternative, today))
                                }
                                td.n data-colonne=(printed(heading)) {
                                    strong { (self.sum(&[alternative.field])) }
                                }
                                @for ((_, column), fields) in columns.iter().zip(&alternative.values) {
                                    td.n data-colonne=(printed(column)) { (self.sum(fields)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The sum of some fields, formatted by the type of the first.
    fn sum(&self, fields: &[usize]) -> String {
        let found: Vec<Decimal> = fields
            .iter()
            .filter_map(|field| self.number(*field))
            .collect();
        let sum = found
            .iter()
            .try_fold(Decimal::ZERO, |sum, more| sum.checked_add(*more));
        let model = fields
            .first()
            .and_then(|field| self.method.fields().get(*field));
        // An alternative that has none of the fields has no sum, which is not the same as 0.
        match (sum.filter(|_| !found.is_empty()), model) {
            (Some(sum), Some(field)) if matches!(field.value_type(), Type::Money(_)) => {
                self.money.plain(sum)
            }
            (Some(sum), Some(field)) => self.money.of_field(field, sum),
            _ => "–".to_owned(),
        }
    }

    /// Links to the calculations of an alternative in the simulators of their folders.
    fn links(
        &self,
        rules: &Rules,
        question: &Question,
        alternative: &Alternative,
        today: Date,
    ) -> Markup {
        let steps = trace::steps(self.calculation);
        let named = alternative.calculations.iter().filter_map(|id| {
            let name = &id.of(self.method.steps())?.name;
            let trace = steps
                .iter()
                .find(|trace| trace.step.name == *name && trace.applied)?;
            self.link(rules, question, (alternative, trace), today)
        });
        let links: Vec<(String, String)> = named.collect();

        html! {
            @for (title, link) in links {
                small.link { a href=(link) { (prose(&title)) } }
            }
        }
    }

    /// The title of a calculation, and its link.
    fn link(
        &self,
        rules: &Rules,
        question: &Question,
        (alternative, trace): (&Alternative, &StepTrace),
        today: Date,
    ) -> Option<(String, String)> {
        let call = trace.call.as_ref()?;
        let listed = catalogue::find(rules, call.folder)?;
        let mut pairs = call.parameters.clone();

        // The assumed values of an alternative are for the folders that it asks, such as this one.
        let takes = |name: &str| {
            listed
                .folder
                .inputs()
                .iter()
                .any(|input| input.name == name)
        };
        for (name, value) in alternative.assumed.iter().filter(|(name, _)| takes(name)) {
            pairs.retain(|(known, _)| known != name);
            pairs.push((name.clone(), value.clone()));
        }

        // Without a day in the question, a link follows the figures in force, as the question does.
        let asked = question.day();
        let other_day = call.day.filter(|day| asked.is_some() || *day != today);
        pairs.extend(other_day.map(|day| (DATE.to_owned(), day.to_string())));

        let title = &listed.endpoint.title;
        // The title of an endpoint explains itself after a comma or a colon: a link has its name
        // alone.
        let title = title.split([',', ':']).next().unwrap_or(title).trim();
        let query = query_string::from_pairs(&pairs);
        Some((title.to_owned(), format!("{}?{query}", listed.simulator())))
    }

    /// A line of each alternative, and where they cross.
    pub(super) fn lines(&self, rules: &Rules, question: &Question, today: Date) -> Markup {
        let input = self.comparison.input.of(self.method.inputs());
        let Some(input) = input.filter(|_| self.here > Decimal::ZERO) else {
            return html! {};
        };
        // The lines go to twice the amount, so that it is in their middle at most.
        let most = self.here.saturating_mul(Decimal::TWO);
        let most = input.max.map_or(most, |max| most.min(max));
        let query = question.sent_without(&input.name);
        let folder = question.listed.folder.path();
        let Some(lines) = Lines::new(rules, folder, self.method, &query, (most, today)) else {
            return html! {};
        };

        html! { (self.chart(&lines, input)) (self.crossings(&lines)) }
    }

    fn chart(&self, lines: &Lines, input: &Input) -> Markup {
        let curves = self.comparison.alternatives.iter().zip(&lines.points);
        let curves = curves.zip(COLOURS.iter().cycle());
        let curves = curves.map(|((alternative, points), colour)| Curve {
            name: alternative.label.clone(),
            points: points.clone(),
            colour: *colour,
            is_pale: false,
        });
        let caption = format!(
            "{}, {} par an",
            printed(&self.comparison.label),
            self.money.sign()
        );
        let panels = vec![Panel {
            caption: None,
            values: Values::Amounts,
            curves: curves.collect(),
        }];
        let amounts = format!("{}, {}", printed(&input.label), self.money.sign());
        let chart = Chart {
            panels,
            amounts: Some(&amounts),
            here: Some(self.here),
            marks: Vec::new(),
            look: Look {
                size: (480, 400),
                margins: (8, 44),
                ..LOOK
            },
        };

        html! {
            @if let Some(svg) = chart.svg(Locale::PAGE) {
                figure.curve.screen {
                    figcaption { (caption) }
                    div.drawing role="img"
                        aria-label={
                            (caption)
                            "\u{a0}: une courbe pour chaque choix\u{a0}; les croisements sont écrits \
                             dessous."
                        } {
                        (drawing(svg))
                    }
                }
            }
        }
    }

    /// The amounts at which another alternative becomes the best, in words.
    fn crossings(&self, lines: &Lines) -> Markup {
        let found = &lines.crossings;
        let amount = |amount: i64| self.money.round(Decimal::from(amount));

        html! {
            section.crossings {
                h2 { "Où le meilleur choix change" }
                @if found.crossings.is_empty() {
                    p { "Le meilleur choix reste le même sur ces montants." }
                }
                ul {
                    @for crossing in &found.crossings { li { (self.crossing(crossing)) "." } }
                    @for end in &found.ends {
                        @if let Some(alternative) = self.comparison.alternatives.get(end.line) {
                            li {
                                "Au-delà de " strong { (amount(end.amount)) } " "
                                (prose(&self.comparison.of)) ", "
                                (prose(&alternative.name)) " n’est plus possible."
                            }
                        }
                    }
                }
                p.soft {
                    "Les montants sont exacts à l’unité, tout le reste étant égal\u{a0}; les autres \
                     réponses sont celles du formulaire. "
                    "La recherche part d’un montant tous les " (amount(lines.stride))
                    ", et se resserre là où deux courbes sont proches."
                    @if found.precision > 1 {
                        " Deux croisements à moins de " (amount(found.precision))
                        " l’un de l’autre peuvent manquer."
                    }
                    " Tout près d’un croisement, les arrondis donnent l’avantage à l’un ou à \
                     l’autre."
                }
            }
        }
    }

    fn crossing(&self, crossing: &Crossing) -> Markup {
        let name = |line: usize| {
            let alternative = self.comparison.alternatives.get(line);
            alternative.map_or("", |alternative| alternative.name.as_str())
        };

        html! {
            span data-croisement=(crossing.amount) {
                @if crossing.amount == 0 {
                    "Dès les premiers montants "
                } @else {
                    "Au-delà de " strong { (self.money.round(Decimal::from(crossing.amount))) } " "
                }
                (prose(&self.comparison.of)) ", " (prose(name(crossing.after))) " "
                (prose(&self.comparison.more)) " " (prose(name(crossing.other)))
            }
        }
    }
}
