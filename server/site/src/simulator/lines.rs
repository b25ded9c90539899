//! The lines of a pay as a table: the employee's part, beside it the employer's if asked for, or
//! the same lines on another day.

use bareme_engine::{Calculation, Lang};
use bareme_show::{Line, Pay};
use maud::{Markup, html};
use rust_decimal::Decimal;

use super::amounts::Money;
use super::{settled, trace as unfolded};
use crate::text::{printed, prose, say};

/// The lines of a pay; `other` is the pay of the same question on another day.
pub(super) fn pay_table(
    calculation: &Calculation,
    pay: &Pay,
    other: Option<&Calculation>,
    beside: Option<&Pay>,
) -> Markup {
    let money = Money::new(calculation.edition().method());
    // The day beside this one needs the room of the employer's column.
    let columns = match beside {
        Some(_) => Columns::Days,
        None if pay.added.is_empty() => Columns::Employee,
        None => Columns::Parts,
    };

    let table = Table {
        calculation,
        money,
        columns,
    };

    // Lines at zero on both days are folded below the table.
    let (withheld, zero) = with_amounts(&pay.withheld, beside.map(|other| &other.withheld[..]));
    let (added, zero_added) = with_amounts(&pay.added, beside.map(|other| &other.added[..]));

    // Only an employee has a payslip.
    let lang = money.lang();
    let title = if settled::is_of_employee(calculation) {
        say(lang, "Bulletin", "Payslip")
    } else {
        say(
            lang,
            "Du montant encaissé au revenu",
            "From the amount received to the income",
        )
    };

    html! {
        div.wide tabindex="0" role="region" aria-label=(title) {
            table.payslip.compared[beside.is_some()] {
                caption { (title) (say(lang, ", montants en ", ", amounts in ")) (money.sign()) }
                (table.head(other))
                tbody { (table.employees_rows(pay, &withheld, beside)) }
                @if let Some(cost) = pay.cost {
                    tbody.employer { (table.employers_rows(pay, cost, &added, beside)) }
                }
            }
        }
        (zeros(
            zero.into_iter().chain(zero_added).map(|line| line.trace.step.title()),
            (Some(calculation), lang),
            "lignes-a-zero"
        ))
    }
}

/// Splits the lines into those with an amount on one of the days, and the others.
fn with_amounts<'l, 'c, 'f>(
    lines: &'l [Line<'c, 'f>],
    other: Option<&[Line]>,
) -> (Vec<&'l Line<'c, 'f>>, Vec<&'l Line<'c, 'f>>) {
    // A line that is zero today and had an amount on the other day is a change, and stays.
    let is_zero_there = |line: &Line| {
        other
            .and_then(|other| same(line, other))
            .is_none_or(|amount| amount.is_zero())
    };

    lines
        .iter()
        .partition(|line| !line.amount.is_zero() || !is_zero_there(line))
}

/// The lines at zero, folded; those of a calculation with their details.
pub(super) fn zeros<'t>(
    titles: impl Iterator<Item = &'t str>,
    (calculation, lang): (Option<&Calculation>, Lang),
    id: &str,
) -> Markup {
    let titles: Vec<&str> = titles.collect();

    let lines = if titles.len() > 1 {
        say(lang, " lignes à zéro", " lines at zero")
    } else {
        say(lang, " ligne à zéro", " line at zero")
    };
    // Only a calculation has steps to unfold; a comparison has the titles alone.
    let step = |title: &str| {
        unfolded::steps(calculation?)
            .iter()
            .find(|step| step.step.title() == title)
            .zip(calculation)
    };

    html! {
        @if !titles.is_empty() {
            details.zeros id=(id) {
                summary { (titles.len()) (lines) }
                ul {
                    @for title in titles {
                        li {
                            @if let Some((step, calculation)) = step(title) {
                                details {
                                    summary { (prose(title)) } (unfolded::detail(step, calculation))
                                }
                            } @else { (prose(title)) }
                        }
                    }
                }
            }
        }
    }
}

/// The amount of the same line on the other day; zero if it has none.
fn same(line: &Line, others: &[Line]) -> Option<Decimal> {
    others
        .iter()
        .find(|other| other.trace.step.name == line.trace.step.name)
        .map(|other| other.amount)
}

/// The lines of the other day that are missing on this one.
fn gone<'l, 'c, 'f>(
    others: &'l [Line<'c, 'f>],
    lines: &'l [Line],
) -> impl Iterator<Item = &'l Line<'c, 'f>> {
    // Each line is found by its step, since titles may change from edition to edition.
    others.iter().filter(|other| {
        !lines
            .iter()
            .any(|line| line.trace.step.name == other.trace.step.name)
    })
}

/// The columns of a table of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Columns {
    /// The employee's part only.
    Employee,
    /// The employee's part and the employer's.
    Parts,
    /// This day, the other day, and the difference.
    Days,
}

/// The part of a pay that a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Employee,
    Employer,
}

/// Layout of the rows of a payslip.
struct Table<'t, 'f> {
    calculation: &'t Calculation<'f>,
    money: Money<'t>,
    columns: Columns,
}

impl Table<'_, '_> {
    fn head(&self, other: Option<&Calculation>) -> Markup {
        let lang = self.money.lang();
        html! {
            thead {
                tr {
                    th scope="col" { (say(lang, "Ligne", "Line")) }
                    th.n.aside scope="col" { (say(lang, "Assiette", "Base")) }
                    th.n.aside scope="col" { (say(lang, "Taux", "Rate")) }
                    @match self.columns {
                        Columns::Employee => th.n scope="col" { (say(lang, "Montant", "Amount")) },
                        Columns::Parts => {
                            th.n scope="col" { (say(lang, "Salarié", "Employee")) }
                            th.n scope="col" { (say(lang, "Employeur", "Employer")) }
                        },
                        Columns::Days => {
                            th.n scope="col" { (heading(self.calculation)) }
                            @if let Some(other) = other { th.n scope="col" { (heading(other)) } }
                            th.n scope="col" { (say(lang, "Écart", "Difference")) }
                        }
                    }
                }
            }
        }
    }

    /// The rows from the gross to the net, with those that only the other day has.
    fn employees_rows(&self, pay: &Pay, withheld: &[&Line], beside: Option<&Pay>) -> Markup {
        html! {
            (self.total(
                &printed(pay.gross_label),
                Part::Employee,
                pay.gross,
                beside.map(|other| other.gross)
            ))
            // The lines of this day, then those that only the other day has.
            @for line in withheld {
                (self.line(
                    line,
                    Part::Employee,
                    beside.map(|other| same(line, &other.withheld))
                ))
            }
            @if let Some(beside) = beside {
                @for line in gone(&beside.withheld, &pay.withheld) {
                    (self.gone(line, Part::Employee))
                }
            }
            (self.total(say(self.money.lang(), "Total retenu", "Total deductions"), Part::Employee, deducted(pay), beside.map(deducted)))
            (self.total(
                &printed(pay.net_label),
                Part::Employee,
                pay.net,
                beside.map(|other| other.net)
            ))
        }
    }

    /// The rows from the gross to the cost, with those that only the other day has.
    fn employers_rows(
        &self,
        pay: &Pay,
        cost: Decimal,
        added: &[&Line],
        beside: Option<&Pay>,
    ) -> Markup {
        let cost_beside = beside.and_then(|other| other.cost);
        let part_beside = beside.and_then(|other| Some(other.cost?.saturating_sub(other.gross)));

        html! {
            @for line in added {
                (self.line(line, Part::Employer, beside.map(|other| same(line, &other.added))))
            }
            @if let Some(beside) = beside {
                @for line in gone(&beside.added, &pay.added) {
                    (self.gone(line, Part::Employer))
                }
            }
            (self.total(
                say(self.money.lang(), "Part de l’employeur", "Employer’s part"),
                Part::Employer,
                cost.saturating_sub(pay.gross),
                part_beside
            ))
            (self.total(say(self.money.lang(), "Coût employeur", "Employer cost"), Part::Employer, cost, cost_beside))
        }
    }

    /// A line, with its details folded; `beside` is its amount on another day.
    fn line(&self, line: &Line, part: Part, beside: Option<Option<Decimal>>) -> Markup {
        // The base and the rate of a contribution; other lines have none.
        let operand = |name: &str| {
            let found = line
                .trace
                .operands
                .iter()
                .find(|operand| operand.name == name)?;
            found.value.datum().number()
        };

        let base = operand("assiette")
            .map(|base| self.money.plain(base))
            .unwrap_or_default();
        let rate = operand("taux")
            .map(|rate| self.money.percent(rate))
            .unwrap_or_default();

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
                (self.amounts(
                    part,
                    Some(signed(part, line.amount)),
                    beside.map(|beside| beside.map(|found| signed(part, found)))
                ))
            }
        }
    }

    /// A line that only the other day has.
    fn gone(&self, line: &Line, part: Part) -> Markup {
        html! {
            tr {
                th scope="row" { (prose(line.trace.step.title())) }
                td.aside {} td.aside {}
                (self.amounts(part, None, Some(Some(signed(part, line.amount)))))
            }
        }
    }

    fn total(&self, label: &str, part: Part, total: Decimal, beside: Option<Decimal>) -> Markup {
        html! {
            tr.total {
                th scope="row" { (label) } td.aside {} td.aside {}
                (self.amounts(part, Some(total), (self.columns == Columns::Days).then_some(beside)))
            }
        }
    }

    /// The cells of an amount, in the column of its part, or beside that of the other day.
    fn amounts(&self, part: Part, own: Option<Decimal>, beside: Option<Option<Decimal>>) -> Markup {
        let shown = |found: Option<Decimal>| {
            found.map_or_else(|| "–".to_owned(), |found| self.money.plain(found))
        };

        html! {
            // Each part has its own column, the other one stays empty.
            @if self.columns == Columns::Parts && part == Part::Employer { td {} }
            td.n { (shown(own)) }
            @if self.columns == Columns::Parts && part == Part::Employee { td {} }
            @if let Some(beside) = beside {
                @let change = own.unwrap_or_default().saturating_sub(beside.unwrap_or_default());
                td.n { (shown(beside)) }
                td.n {
                    @if change.is_zero() {
                        "="
                    } @else {
                        mark { @if change > Decimal::ZERO { "+" } (self.money.plain(change)) }
                    }
                }
            }
        }
    }
}

/// Everything that is withheld from a pay.
fn deducted(pay: &Pay) -> Decimal {
    pay.gross.saturating_sub(pay.net)
}

/// An amount with its sign: amounts withheld are negative.
fn signed(part: Part, found: Decimal) -> Decimal {
    if part == Part::Employee {
        Decimal::ZERO.saturating_sub(found)
    } else {
        found
    }
}

/// The day of the scale of a calculation, as the heading of a column.
pub(super) fn heading(calculation: &Calculation) -> Markup {
    html! {
        @if let Some(scale) = calculation.edition().scale() {
            (scale.date.strftime("%d/%m/%Y"))
        } @else {
            (say(calculation.edition().method().lang, "Montant", "Amount"))
        }
    }
}
