//! A pay from gross to net, line by line, for any country: amounts withheld, and what the employer
//! adds.
//!
//! The field of the net is named by the method, and the formula of that field by steps. A sum of
//! steps is split as long as its parts add up to it exactly; each part that is not a sum is a line.

use std::collections::HashSet;

use bareme_engine::law::{
    Ast, AstNode, Field, FieldValue, Find, Inverse, Levy, Operator, Sentence, StepId, Term,
};
use bareme_engine::run::{StepResult, StepTrace};
use bareme_engine::{Calculation, CalculationError};
use rust_decimal::Decimal;

/// A pay.
///
/// ```
/// # let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../rules"));
/// # let rules = bareme_engine::Loader::new().without_cases().only(&["salaire-net/qc"])
/// #     .load(root).rules.ok_or("errors")?;
/// # let folder = rules.folder("salaire-net/qc").ok_or("no such folder")?;
/// # let sent = [("brut".to_owned(), "4200".to_owned())];
/// # let calculation = folder.calculate(&sent[..].into(), jiff::civil::date(2026, 3, 31))?;
/// let pay = bareme_show::Pay::new(&calculation)?.ok_or("no net")?;
/// let withheld = pay.withheld.iter().map(|line| line.amount).sum::<rust_decimal::Decimal>();
/// assert_eq!(pay.gross - withheld, pay.net);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Pay<'c, 'f> {
    /// The gross.
    pub gross: Decimal,
    /// Label of the gross, or of the turnover.
    pub gross_label: &'f str,
    /// The whole pay, with bonuses and overtime; the gross where there are none.
    pub paid: Decimal,
    /// The net.
    pub net: Decimal,
    /// Label of the net.
    pub net_label: &'f str,
    /// Label of the net where no income tax is withheld from it: it is then not the amount paid
    /// out.
    pub untaxed: Option<&'f str>,
    /// Cost to the employer, where it is known.
    pub cost: Option<Decimal>,
    /// Amounts withheld, in the order of the payslip.
    pub withheld: Vec<Line<'c, 'f>>,
    /// Contributions of the employer.
    pub added: Vec<Line<'c, 'f>>,
}

/// A line of a pay.
#[derive(Debug)]
pub struct Line<'c, 'f> {
    /// The step that it shows.
    pub trace: &'c StepTrace<'f>,
    /// The amount, withheld from the pay or added to it.
    pub amount: Decimal,
    /// Whether it is a tax: some step behind it has a scale of brackets.
    pub is_tax: bool,
    /// Whether it is a part of the pay besides the gross, such as a bonus or overtime.
    pub is_paid: bool,
}

impl<'c, 'f> Pay<'c, 'f> {
    /// The pay of a calculation; `None` where its method has no net.
    ///
    /// # Errors
    /// An internal error of the engine.
    pub fn new(calculation: &'c Calculation<'f>) -> Result<Option<Self>, CalculationError> {
        Ok(Self::with(calculation, calculation.steps()?))
    }

    fn with(calculation: &'c Calculation<'f>, steps: &'c [StepTrace<'f>]) -> Option<Self> {
        let method = calculation.edition().method();
        // The method declares its net as the field for which a gross can be searched, its cost as
        // the one that a budget must hold.
        let net_of = method.inverse(Find::Smallest)?;
        let cost_of = method.inverse(Find::Greatest);

        let shown = |index: usize| {
            calculation
                .field(&method.fields().get(index)?.name)?
                .number()
        };

        let (gross, net) = (shown(net_of.shown)?, shown(net_of.field)?);
        let net_field = method.fields().get(net_of.field)?;
        let label = |index: usize| method.fields().get(index)?.label.as_deref();

        // The driver is the input of the gross, which formulas read by its name.
        let sheet = Sheet {
            calculation,
            steps,
            gross,
            driver: net_of.input.of(method.inputs())?.name.as_str(),
        };

        // The employer's part needs that of the employee: parts of the pay that the cost includes
        // are found among the lines withheld.
        let withheld = sheet.withheld(net_of, net);
        let added = sheet.added(&withheld);

        let is_taxed = withheld.iter().any(|line| line.is_tax);

        Some(Self {
            gross,
            gross_label: label(net_of.shown)?,
            paid: withheld
                .iter()
                .filter(|line| line.is_paid)
                .fold(gross, |sum, line| sum.saturating_sub(line.amount)),
            net,
            net_label: label(net_of.field)?,
            untaxed: if is_taxed {
                None
            } else {
                net_field.label.as_deref()
            },
            cost: cost_of.and_then(|inverse| shown(inverse.field)),
            withheld,
            added,
        })
    }

    /// The totals of the contributions and of the taxes withheld.
    pub fn parts(&self) -> (Decimal, Decimal) {
        let sum = |is_tax: bool| {
            self.withheld
                .iter()
                .filter(|line| line.is_tax == is_tax)
                .map(|line| line.amount)
                .sum()
        };
        (sum(false), sum(true))
    }
}

/// A calculation in which lines are searched.
struct Sheet<'c, 'f> {
    calculation: &'c Calculation<'f>,
    steps: &'c [StepTrace<'f>],
    gross: Decimal,
    /// Name of the input with the gross.
    driver: &'c str,
}

/// How a step was reached while sums were split.
#[derive(Debug, Clone, Copy)]
struct OpenedAs {
    /// Whether it is added to the net, not withheld.
    is_added: bool,
    /// Whether it is a part of the whole pay.
    is_paid: bool,
    /// Whether it is a part of another step.
    is_part: bool,
}

/// A part of a sum: a step with its sign, or the gross.
struct Part<'c, 'f> {
    trace: Option<&'c StepTrace<'f>>,
    value: Decimal,
}

impl<'c, 'f> Sheet<'c, 'f> {
    fn step(&self, name: &str) -> Option<&'c StepTrace<'f>> {
        self.steps.iter().find(|trace| trace.step.name == name)
    }

    /// The lines between gross and net.
    fn withheld(&self, inverse: &Inverse, net: Decimal) -> Vec<Line<'c, 'f>> {
        let method = self.calculation.edition().method();
        let field = method.fields().get(inverse.field);
        // Of any other formula, the step behind the net is the net itself or the amount withheld.
        let is_withheld = |step: &StepId| {
            let trace = step
                .of(method.steps())
                .and_then(|step| self.step(&step.name));
            trace.is_none_or(|trace| {
                value(trace) != net || value(trace) == self.gross.saturating_sub(net)
            })
        };
        let read = |field: &Field| {
            let terms = field.steps.iter().map(|step| Term {
                step: *step,
                is_subtracted: is_withheld(step),
            });
            terms.collect()
        };
        let terms: Vec<Term> = field
            .map(|field| field.terms().unwrap_or_else(|| read(field)))
            .unwrap_or_default();
        // A net that is a sum of its own opens as the step would that held this sum.
        let is_part = terms.len() > 1;

        let mut lines = Vec::new();
        for term in terms {
            let trace = term.step.of(method.steps());
            let Some(trace) = trace.and_then(|step| self.step(&step.name)) else {
                continue;
            };
            let opened = OpenedAs {
                is_added: !term.is_subtracted,
                is_paid: false,
                is_part,
            };
            self.open(trace, opened, &mut lines);
        }

        // A step that did not apply is no line; one that applied may be zero.
        lines.retain(|line| !line.amount.is_zero() || line.trace.applied);
        lines
    }

    /// Splits a step into lines, and adds these.
    fn open(&self, trace: &'c StepTrace<'f>, opened: OpenedAs, lines: &mut Vec<Line<'c, 'f>>) {
        let OpenedAs {
            is_added,
            is_paid,
            is_part,
        } = opened;

        match self.parts(trace) {
            Some(parts) => {
                // The first sum of the net that contains the gross is the whole pay.
                let is_pay = is_part && self.is_pay(&parts);

                for part in parts {
                    let Some(step) = part.trace else { continue };

                    // A part that was subtracted twice is added.
                    let is_added = is_added != (part.value != value(step));
                    self.open(
                        step,
                        OpenedAs {
                            is_added,
                            is_paid: is_paid || is_pay,
                            is_part: true,
                        },
                        lines,
                    );
                }
            }
            None => {
                let amount = if is_added {
                    Decimal::ZERO.saturating_sub(value(trace))
                } else {
                    value(trace)
                };
                lines.push(Line {
                    trace,
                    amount,
                    is_tax: self.is_tax(trace),
                    is_paid,
                });
            }
        }
    }

    /// The parts of a step whose formula only adds and subtracts steps; `None` for any other.
    fn parts(&self, trace: &'c StepTrace<'f>) -> Option<Vec<Part<'c, 'f>>> {
        // A step with an article of its own is a line of the payslip, even where it adds up others.
        let step = trace.step;

        if step.sentence() != Sentence::Formula || step.law.is_some() {
            return None;
        }

        let mut parts = Vec::new();
        self.add(step.formula()?, false, &mut parts)?;

        // Roundings between the parts and their sum would make the lines add up to something else.
        let sum = parts
            .iter()
            .fold(Decimal::ZERO, |sum, part| sum.saturating_add(part.value));

        // The gross alone is the whole pay of a scale without the other parts.
        let is_sum = parts.len() > 1 || self.is_pay(&parts);
        (is_sum && sum == value(trace)).then_some(parts)
    }

    /// Whether a sum is the pay, or the pay with more parts: it contains the gross, or adds to a sum
    /// that does.
    fn is_pay(&self, parts: &[Part<'c, 'f>]) -> bool {
        if parts.iter().any(|part| part.trace.is_none()) {
            return true;
        }
        // A net before tax contains the gross too, less what is withheld.
        let mut steps = parts
            .iter()
            .filter_map(|part| Some((part.trace?, part.value)));
        let is_added = steps.clone().all(|(step, added)| value(step) == added);
        let is_of_pay = |step| self.parts(step).is_some_and(|parts| self.is_pay(&parts));
        is_added && steps.any(|(step, _)| is_of_pay(step))
    }

    /// Collects the parts of a sum; `None` where it adds anything but steps and the gross.
    fn add(&self, formula: &Ast, is_taken_away: bool, parts: &mut Vec<Part<'c, 'f>>) -> Option<()> {
        match &formula.node {
            AstNode::Binary(Operator::Add, left, right) => {
                self.add(left, is_taken_away, parts)?;
                self.add(right, is_taken_away, parts)
            }
            AstNode::Binary(Operator::Subtract, left, right) => {
                self.add(left, is_taken_away, parts)?;
                self.add(right, !is_taken_away, parts)
            }
            AstNode::Name(name) => {
                // The gross is an input, not a step; any other name would be a line without a step.
                let (trace, found) = match self.step(name) {
                    Some(trace) => (Some(trace), value(trace)),
                    // The gross itself is a part of the pay, and no line.
                    None if name == self.driver => (None, self.gross),
                    None if self.is_absent_step(name) => return Some(()),
                    None => return None,
                };
                let value = if is_taken_away {
                    Decimal::ZERO.saturating_sub(found)
                } else {
                    found
                };

                parts.push(Part { trace, value });
                Some(())
            }
            _ => None,
        }
    }

    /// Whether a name of a formula is that of a step which is absent from the scale of the day: the
    /// rules were checked, so that it is no mistake.
    fn is_absent_step(&self, name: &str) -> bool {
        let method = self.calculation.edition().method();
        let is_input = method.inputs().iter().any(|input| input.name == name);
        let is_figure = method.figures().iter().any(|figure| figure.name == name);
        !is_input && !is_figure
    }

    /// Whether a line is a tax: some step behind it has a scale of brackets, or a table unless it
    /// gives a rate on the pay.
    fn is_tax(&self, trace: &'c StepTrace<'f>) -> bool {
        let steps = self.calculation.edition().method().steps();
        let of_line = trace.step.kind.levy == Levy::Contribution;

        // A contribution may itself be looked up in a table, and be read by a tax: only what is
        // behind the line counts, and each step once.
        let (mut waiting, mut seen) = (vec![trace], HashSet::new());

        while let Some(found) = waiting.pop() {
            match found.step.kind.levy {
                Levy::Tax => return true,
                Levy::Listed if !of_line => return true,
                Levy::Contribution if !of_line => continue,
                Levy::None | Levy::Listed | Levy::Contribution => {}
            }

            let read = found
                .step
                .steps
                .iter()
                .filter_map(|index| self.step(&index.of(steps)?.name));
            waiting.extend(read.filter(|read| seen.insert(read.step.name.as_str())));
        }

        false
    }

    /// The lines of the employer that options list, with the parts of the pay that the cost
    /// includes.
    fn added(&self, withheld: &[Line<'c, 'f>]) -> Vec<Line<'c, 'f>> {
        // The employer's part is an option: an answer without it has no such lines.
        let listed = self
            .calculation
            .fields()
            .filter(|(field, _)| field.option.is_some());

        let lines = listed.filter_map(|(_, found)| match found {
            FieldValue::Lines(lines) => Some(lines),
            _ => None,
        });

        let line = |line: &bareme_engine::law::Line| {
            let trace = self.step(&line.step.name)?;
            Some(Line {
                trace,
                amount: line.amount,
                is_tax: false,
                is_paid: self.is_paid(trace, withheld),
            })
        };

        let mut added: Vec<Line<'c, 'f>> = lines.flatten().filter_map(line).collect();

        // The cost includes the whole pay, where the list of the employer's lines may not.
        if !added.is_empty() && !added.iter().any(|line| line.is_paid) {
            let paid = withheld.iter().filter(|line| line.is_paid);
            added.extend(paid.map(|line| Line {
                trace: line.trace,
                amount: Decimal::ZERO.saturating_sub(line.amount),
                is_tax: false,
                is_paid: true,
            }));
        }
        added
    }

    /// Whether a step is a part of the pay, or a sum of such parts.
    fn is_paid(&self, trace: &StepTrace<'f>, withheld: &[Line]) -> bool {
        let is_it = |line: &Line| line.is_paid && line.trace.step.name == trace.step.name;
        let parts = self
            .step(&trace.step.name)
            .and_then(|own| self.parts(own))
            .unwrap_or_default();

        // A part that did not apply is zero, whatever it belongs to.
        let is_part = |part: &Part<'c, 'f>| {
            part.trace
                .is_some_and(|step| !step.applied || self.is_paid(step, withheld))
        };
        withheld.iter().any(is_it) || (!parts.is_empty() && parts.iter().all(is_part))
    }
}

/// The result of a step; zero where it did not apply.
fn value(trace: &StepTrace) -> Decimal {
    match &trace.result {
        StepResult::Value(scalar, _) if trace.applied => {
            scalar.datum().number().unwrap_or_default()
        }
        _ => Decimal::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use jiff::civil::date;

    use super::*;

    #[test]
    fn the_lines_of_every_case_are_what_lies_between_gross_net_and_cost() {
        let rules = bareme_engine::Loader::new()
            .without_cases()
            .load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules"))
            .rules
            .unwrap();
        let (mut pays, mut opened) = (0, 0);
        for folder in rules.folders() {
            for case in folder.cases() {
                let Ok(calculation) = folder.calculate(&(&case.query).into(), date(2026, 11, 22))
                else {
                    continue;
                };
                let Some(pay) = Pay::new(&calculation).unwrap() else {
                    continue;
                };
                let sum = |lines: &[Line]| lines.iter().map(|line| line.amount).sum::<Decimal>();
                let place = format!("{}: {}", folder.path(), case.name);
                assert_eq!(sum(&pay.withheld), pay.gross - pay.net, "{place}");
                let (levies, tax) = pay.parts();
                assert_eq!(levies + tax, pay.gross - pay.net, "{place}");
                // Some answers give the cost without its lines.
                if !pay.added.is_empty()
                    && let Some(cost) = pay.cost
                {
                    assert_eq!(sum(&pay.added), cost - pay.gross, "{place}");
                }
                pays += 1;
                opened += usize::from(pay.withheld.len() > 1);
            }
        }
        assert!(pays > 500 && opened * 10 > pays * 9, "{opened} of {pays}");
    }
}
