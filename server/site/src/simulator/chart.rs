//! Charts of a simulator: the pay in parts, the brackets of the income, the curves.

use bareme_engine::law::parameter::OF_THE_DAY;
use bareme_engine::law::{Field, Period, Slice, Type};
use bareme_engine::run::StepTrace;
use bareme_engine::{Calculation, Lang, say};
use bareme_show::chart::{Chart, Colour, Curve, Look, Panel, Values};
use bareme_show::curve::{Axis, Household};
use bareme_show::kinks::{Kink, KinkKind, TracedCurve};
use bareme_show::trace::bounds;
use bareme_show::{Locale, Pay, without_unit};
use jiff::civil::Date;
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::amounts::Money;
use super::question::Question;
use super::shares::bar;
use crate::text::{drawing, printed, prose, say};

/// Colours that the style sheet replaces, in the light and in the dark theme.
pub(super) const NET: Colour = (43, 122, 75);
pub(super) const EFFECTIVE: Colour = (28, 79, 143);
pub(super) const MARGINAL: Colour = (168, 72, 12);
const HERE: Colour = (80, 92, 108);

/// Greatest length of the label of an axis.
const MOST_LETTERS: usize = 45;

/// Small, so that texts are readable on a telephone: the page scales it.
pub(super) const LOOK: Look = Look {
    size: (480, 560),
    margins: (8, 24),
    labels: (52, 84),
    colours_of_page: Some(HERE),
};

/// Each scale of brackets as a bar, with the share of the income in each bracket.
pub(super) fn brackets(calculation: &Calculation) -> Markup {
    let money = Money::new(calculation.edition().method());
    let lang = money.lang();

    let mut scales: Vec<&StepTrace> = Vec::new();
    for step in super::trace::steps(calculation) {
        // The same income in the same scale is drawn once.
        let is_drawn = scales.iter().any(|drawn| sliced(drawn).eq(sliced(step)));
        if step.slices.len() > 1 && !is_drawn {
            scales.push(step);
        }
    }

    html! {
        @for step in scales {
            // The legend has each bracket in words; the bar is for the eye alone.
            figure.brackets {
                figcaption { (say(lang, "Tranches\u{a0}: ", "Bands: ")) (prose(step.step.title())) }
                (bar(&classed(&step.slices), step.slices.iter().map(|slice| slice.base).sum()))
                ol.legend {
                    @for (slice, (class, _)) in step.slices.iter().zip(classed(&step.slices)) {
                        li class=(class) {
                            (bounds(slice, Locale::page(lang))) (say(lang, "\u{a0}: ", ": "))
                            strong { (money.percent(slice.rate)) } (say(lang, " de ", " of "))
                            (money.text(slice.base)) " = "
                            (money.text(slice.amount))
                        }
                    }
                }
            }
        }
    }
}

fn sliced(step: &StepTrace) -> impl Iterator<Item = (Decimal, Decimal)> {
    step.slices.iter().map(|slice| (slice.base, slice.amount))
}

/// Each slice with the class of its shade, in the order of the scale.
fn classed(slices: &[Slice]) -> Vec<(String, Decimal)> {
    let shade = |index: usize| format!("shade-{}", index.min(7));
    slices
        .iter()
        .enumerate()
        .map(|(index, slice)| (shade(index), slice.base))
        .collect()
}

/// The amount of a question, on the axes of the curve of its folder.
pub(super) struct ShownAmount<'r> {
    pub axis: Axis<'r>,
    /// The parameters besides the amount.
    pub household: Household,
    /// The amount.
    pub here: Decimal,
}

impl<'r> ShownAmount<'r> {
    /// The amount of a calculation; `None` where its folder has no curve.
    pub(super) fn new(
        question: &Question<'r>,

        // A pay is drawn at its gross, even where the question starts from the net.
        calculation: &Calculation,
        pay: Option<&Pay>,
    ) -> Option<Self> {
        let axis = Axis::declared(question.listed.folder)?;
        let sent = || question.sent(&axis.input)?.parse().ok();
        let here = pay.map(|pay| pay.gross).or_else(sent)?;

        let method = calculation.edition().method();
        // Options add nothing to the net, and would only take time.
        let is_kept = |name: &str| {
            let is_input = method
                .inputs()
                .iter()
                .any(|input| input.name == name && input.name != axis.input);
            (is_input && method.options().iter().all(|option| option.name != name))
                || OF_THE_DAY.contains(&name)
        };

        let query = question
            .sent
            .iter()
            .filter(|(name, _)| is_kept(name))
            .cloned()
            .collect();

        (here > Decimal::ZERO).then_some(Self {
            axis,
            household: Household { query },
            here,
        })
    }
}

/// The curve of the field and its rates around the amount, with its kinks.
pub(super) fn curve(asked: &ShownAmount, calculation: &Calculation, today: Date) -> Markup {
    let axis = &asked.axis;
    // The curve goes to twice the amount, so that the amount is in its middle.
    let Some(end) = asked.here.checked_mul(Decimal::TWO) else {
        return html! {};
    };
    let decimals = if end > Decimal::ONE_THOUSAND { 0 } else { 2 };
    // Without cents where amounts are large: fewer points, and none that the eye could see.
    let Some(traced) = axis.trace_curve((Decimal::ZERO, end), decimals, &asked.household, today)
    else {
        return html! {};
    };

    // 1. What the axes say.
    let money = Money::new(calculation.edition().method());

    let unit = |label: &str, name: &str| {
        format!(
            "{}, {}{}",
            printed(label),
            money.sign(),
            period(calculation, name)
        )
    };
    // `Revenu imposable` of `Revenu imposable, en euros par an`.
    let lang = money.lang();
    let label = without_unit(&axis.input_label, lang);
    // One that is wider than the drawing, up to its first comma.
    let is_wide = label.chars().count() > MOST_LETTERS;
    let short = label.split(',').next().filter(|_| is_wide);
    let amounts = unit(short.unwrap_or(label), &axis.input);
    let values = unit(&axis.field_label, &axis.field);

    // 2. The curves, and the kinks as lines across them.
    let panels = panels(axis, &traced, &values, lang);
    let marks = traced.kinks.iter().map(|kink| kink.amount).collect();
    let chart = Chart {
        panels,
        amounts: Some(&amounts),
        here: Some(asked.here),
        marks,
        look: LOOK,
    };

    let field = printed(&axis.field_label);
    let title = say!(
        lang,
        "{field}, taux moyen et taux marginal",
        "{field}, average rate and marginal rate"
    );

    html! {
        @if let Some(svg) = chart.svg(Locale::page(lang)) {
            figure.curve.screen {
                figcaption { (prose(&title)) }
                div.drawing role="img"
                    aria-label={
                        (title)
                        (say(
                            lang,
                            " selon le montant\u{a0}; les points de rupture sont écrits dessous.",
                            " by amount; the points where the curve breaks are listed below."
                        ))
                    } {
                    (drawing(svg))
                }
                (kinks(&traced.kinks, money))
            }
        }
    }
}

/// Above, the field; below, its rates, which have another scale.
fn panels<'p>(axis: &Axis, traced: &TracedCurve, values: &'p str, lang: Lang) -> Vec<Panel<'p>> {
    let field = Curve {
        name: axis.field_label.clone(),
        points: traced.points.clone(),
        colour: NET,
        is_pale: false,
    };

    let names = [
        say(lang, "Taux moyen", "Average rate"),
        say(lang, "Taux marginal", "Marginal rate"),
    ];
    let names = names.map(str::to_owned);
    // Of a net, the rate is what is taken; of a tax, what is due.
    let of_rates = [
        traced.effective(axis.is_net()),
        traced.marginal(axis.is_net()),
    ];
    let rates = names.into_iter().zip(of_rates).zip([EFFECTIVE, MARGINAL]);
    let rates = rates.map(|((name, points), colour)| Curve {
        name,
        points,
        colour,
        is_pale: false,
    });

    vec![
        Panel {
            caption: Some(values),
            values: Values::Amounts,
            curves: vec![field],
        },
        Panel {
            caption: Some(say(lang, "Taux, en %", "Rates, in %")),
            values: Values::Rates,
            curves: rates.collect(),
        },
    ]
}

/// The kinks and jumps of a curve, each with its step.
fn kinks(kinks: &[Kink], money: Money) -> Markup {
    let lang = money.lang();
    html! {
        @if !kinks.is_empty() {
            p {
                (say(
                    lang,
                    "Points de rupture de la courbe (traits verticaux)\u{a0}:",
                    "Where the curve breaks (vertical lines):"
                ))
            }
            ul.bends {
                @for kink in kinks {
                    li {
                        strong { (money.short(kink.amount)) } (say(lang, "\u{a0}: ", ": "))
                        (prose(&kink.step))
                        // What happens at the point, by the step that causes it.
                        @match kink.kind {
                            KinkKind::Jump(jump) => {
                                @if jump.is_sign_negative() {
                                    (say(lang, ", baisse de ", ", falls by "))
                                } @else {
                                    (say(lang, ", hausse de ", ", rises by "))
                                }
                                (money.text(jump.abs())) (say(lang, " d’un coup", " at once"))
                            },
                            KinkKind::Bracket(rate) => {
                                (say(lang, ", tranche à ", ", band at ")) (money.percent(rate))
                            },
                            KinkKind::Ceiling => (say(lang, ", plafond atteint", ", ceiling reached")),
                            KinkKind::End => (say(lang, ", prend fin", ", ends")),
                            KinkKind::Start => (say(lang, ", commence", ", begins")),
                            KinkKind::Other => (say(lang, ", la pente change", ", the slope changes")),
                        }
                    }
                }
            }
        }
    }
}

/// The period of an amount, to follow its currency: ` par an`.
fn period(calculation: &Calculation, name: &str) -> &'static str {
    // The amount on the axis is an input, or a field of the answer.
    let method = calculation.edition().method();
    let input = method
        .inputs()
        .iter()
        .find(|input| input.name == name)
        .map(|input| input.ty);

    let field = || {
        method
            .fields()
            .iter()
            .find(|field| field.name == name)
            .map(Field::value_type)
    };

    match input.or_else(field) {
        Some(Type::Money(Period::Month)) => say(method.lang, " par mois", " per month"),
        Some(Type::Money(Period::Year)) => say(method.lang, " par an", " per year"),
        _ => "",
    }
}
