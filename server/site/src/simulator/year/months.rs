//! The months of a year side by side: pay and cost, then every line of the payslips.

use bareme_engine::Lang;
use bareme_engine::run::{YearCalculation, YearMonth};
use bareme_engine::text::french_month;
use bareme_show::{Pay, Table};
use jiff::civil::date;
use rust_decimal::Decimal;

use super::super::amounts::Money;
use super::super::trace;
use crate::text::{printed, say};

/// The name of a month, by its number.
pub(in crate::simulator) fn month_name(month: i8, lang: Lang) -> String {
    // Any year will do.
    let day = date(2000, month.clamp(1, 12), 1);
    match lang {
        Lang::Fr => french_month(day).to_owned(),
        Lang::En => day.strftime("%B").to_string(),
    }
}

/// Some months in words, in their order: three or more that follow each other are named by the
/// first and the last.
pub(super) fn months_in_words(months: &[i8], lang: Lang) -> String {
    // Months that follow each other are a run.
    let runs = months.chunk_by(|month, next| month.checked_add(1) == Some(*next));
    let words = runs.flat_map(|run| match run {
        [first, _, .., last] => vec![between(*first, *last, lang)],
        few => few.iter().map(|month| month_name(*month, lang)).collect(),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The months from one to another: « de février à mai », « d’avril à juin », “April to June”.
pub(super) fn between(first: i8, last: i8, lang: Lang) -> String {
    let [first, last] = [first, last].map(|month| month_name(month, lang));
    match lang {
        Lang::Fr if first.starts_with(['a', 'o']) => format!("d’{first} à {last}"),
        Lang::Fr => format!("de {first} à {last}"),
        Lang::En => format!("{first} to {last}"),
    }
}

/// A month with its pay.
pub(super) struct MonthPay<'y, 'r> {
    pub month: &'y YearMonth<'r>,
    pub pay: Pay<'y, 'r>,
}

/// The pays of a year; empty where its method has no net.
pub(super) fn pays<'y, 'r>(year: &'y YearCalculation<'r>) -> Vec<MonthPay<'y, 'r>> {
    let of_month = |month: &'y YearMonth<'r>| {
        Some(MonthPay {
            month,
            pay: trace::pay(&month.calculation)?,
        })
    };
    year.months().iter().filter_map(of_month).collect()
}

/// An amount of a pay, such as its net.
type Part = fn(&Pay) -> Decimal;

/// The sum of an amount over the months.
pub(super) fn sum(pays: &[MonthPay], part: Part) -> Decimal {
    pays.iter().fold(Decimal::ZERO, |sum, month| {
        sum.saturating_add(part(&month.pay))
    })
}

/// The columns of amounts, each with its title and its amount.
fn parts(pays: &[MonthPay], lang: Lang) -> Vec<(String, Part)> {
    let Some(first) = pays.first().map(|month| &month.pay) else {
        return Vec::new();
    };

    let mut parts: Vec<(String, Part)> = vec![
        (gross_label(pays, lang), |pay| pay.paid),
        (say(lang, "Retenues", "Deductions").to_owned(), |pay| {
            pay.paid.saturating_sub(pay.net)
        }),
        (printed(first.net_label), |pay| pay.net),
    ];

    // The employer's part is there where the question asks for it.
    if first.cost.is_some() {
        let part = say(lang, "Part de l’employeur", "Employer’s part");
        parts.push((part.to_owned(), |pay| cost(pay).saturating_sub(pay.paid)));
        let whole = say(lang, "Coût employeur", "Employer cost");
        parts.push((whole.to_owned(), cost));
    }
    parts
}

/// The cost of a pay to the employer, or the whole gross where that is not known.
pub(super) fn cost(pay: &Pay) -> Decimal {
    // Without an employer's part the cost is what is paid.
    pay.cost.unwrap_or(pay.paid)
}

/// Label of the whole gross of a month.
pub(super) fn gross_label(pays: &[MonthPay], lang: Lang) -> String {
    let is_more = pays.iter().any(|month| month.pay.paid != month.pay.gross);
    let label = if is_more {
        say(
            lang,
            "Brut, primes et heures comprises",
            "Gross pay, bonuses and hours included",
        )
    } else {
        say(lang, "Brut", "Gross pay")
    };
    label.to_owned()
}

/// The table of pay and cost, one row for each month, with the total of the year. A headline field
/// that is not part of the pay, such as the net after tax, is a column too.
pub(super) fn table(pays: &[MonthPay], money: Money) -> Table {
    let lang = money.lang();
    let parts = parts(pays, lang);
    // After the pay, so that it can be read by itself.
    let others = first_fields(pays);

    let mut table = Table::default().text(say(lang, "Mois", "Month"));
    for (title, _) in &parts {
        table = table.number(title.clone());
    }
    for (_, label) in &others {
        table = table.number(label.clone());
    }

    let other = |month: &MonthPay, name: &str| {
        month
            .month
            .calculation
            .field(name)
            .and_then(|found| found.number())
    };

    for month in pays {
        let name = month_name(month.month.month, lang);
        let amounts = parts.iter().map(|(_, part)| money.plain(part(&month.pay)));
        // A field that the answer of a month does not have leaves its cell empty.
        let rest = others.iter().map(|(name, _)| {
            other(month, name)
                .map(|found| money.plain(found))
                .unwrap_or_default()
        });

        table.row(
            std::iter::once(name)
                .chain(amounts)
                .chain(rest)
                .map(Into::into),
        );
    }

    let totals = parts.iter().map(|(_, part)| money.plain(sum(pays, *part)));
    let rest = others.iter().map(|(name, _)| {
        let found = pays.iter().filter_map(|month| other(month, name));
        money.plain(found.fold(Decimal::ZERO, Decimal::saturating_add))
    });

    table.total(
        std::iter::once("Total".to_owned())
            .chain(totals)
            .chain(rest),
    );
    table
}

/// Headline fields of the method that are amounts but not part of the pay, if the answer has them.
fn first_fields<'y>(pays: &'y [MonthPay]) -> Vec<(&'y str, String)> {
    let Some(first) = pays.first() else {
        return Vec::new();
    };

    let calculation = &first.month.calculation;
    let method = calculation.edition().method();
    let fields = method
        .headlines()
        .iter()
        .filter_map(|headline| method.fields().get(headline.field));

    // A field that no month has would be an empty column.
    let is_there = |name: &str| {
        pays.iter()
            .any(|month| month.month.calculation.field(name).is_some())
    };

    let others = fields.filter(|field| {
        is_there(&field.name) && field.label.as_deref() != Some(first.pay.net_label)
    });

    others
        .map(|field| {
            (
                field.name.as_str(),
                printed(field.label.as_deref().unwrap_or(&field.name)),
            )
        })
        .collect()
}

/// A line of the payslips of a year.
pub(super) struct YearLine<'y> {
    /// Its label.
    pub title: &'y str,
    /// Whether it is the employer's.
    pub is_employers: bool,
    /// Its amounts by month, withheld from the pay or added to it.
    pub amounts: Vec<Decimal>,
}

/// Every line that some month has, in the order of the payslips, without those at zero in all
/// months.
pub(super) fn lines<'y>(pays: &'y [MonthPay]) -> Vec<YearLine<'y>> {
    // By the step, since its title may change during the year; an employer's line may have the same
    // one.
    let mut lines: Vec<(&str, YearLine)> = Vec::new();

    for (index, month) in pays.iter().enumerate() {
        let withheld = month
            .pay
            .withheld
            .iter()
            .filter(|line| !line.is_paid)
            .map(|line| (line, false));

        let added = month
            .pay
            .added
            .iter()
            .filter(|line| !line.is_paid)
            .map(|line| (line, true));

        for (line, is_employers) in withheld.chain(added) {
            let step = line.trace.step;
            let known = lines
                .iter()
                .position(|(name, known)| *name == step.name && known.is_employers == is_employers);

            let place = known.unwrap_or_else(|| {
                let amounts = vec![Decimal::ZERO; pays.len()];
                lines.push((
                    &step.name,
                    YearLine {
                        title: step.title(),
                        is_employers,
                        amounts,
                    },
                ));
                lines.len().saturating_sub(1)
            });

            if let Some(amount) = lines
                .get_mut(place)
                .and_then(|(_, line)| line.amounts.get_mut(index))
            {
                *amount = line.amount;
            }
        }
    }

    // The employee's lines come first, as on a payslip.
    let (own, employers): (Vec<_>, Vec<_>) = lines
        .into_iter()
        .map(|(_, line)| line)
        .partition(|line| !line.is_employers);
    own.into_iter()
        .chain(employers)
        .filter(|line| line.amounts.iter().any(|amount| !amount.is_zero()))
        .collect()
}

/// The table of the lines of the payslips, one column for each month.
pub(super) fn lines_table(pays: &[MonthPay], money: Money) -> Table {
    let lang = money.lang();
    let mut table = Table::default().text(say(lang, "Ligne", "Line"));
    for month in pays {
        table = table.number(month_name(month.month.month, lang));
    }
    table = table.number("Total");

    // The gross first, then the lines of each part under a heading.
    let paid: Vec<Decimal> = pays.iter().map(|month| month.pay.paid).collect();

    let row = |title: String, amounts: &[Decimal]| {
        let sum = amounts
            .iter()
            .fold(Decimal::ZERO, |sum, amount| sum.saturating_add(*amount));

        let amounts: Vec<String> = amounts
            .iter()
            .chain([&sum])
            .map(|amount| money.plain(*amount))
            .collect();
        std::iter::once(title)
            .chain(amounts)
            .map(Into::into)
            .collect::<Vec<_>>()
    };

    table.row(row(gross_label(pays, lang), &paid));

    let lines = lines(pays);
    for (is_employers, section) in [
        (false, say(lang, "Salarié", "Employee")),
        (true, say(lang, "Employeur", "Employer")),
    ] {
        let mut of_part = lines
            .iter()
            .filter(|line| line.is_employers == is_employers)
            .peekable();

        if of_part.peek().is_some() {
            table.section(section);
        }

        for line in of_part {
            table.row(row(printed(line.title), &line.amounts));
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use bareme_engine::Lang;

    #[test]
    fn months_that_follow_each_other_are_shown_by_the_first_and_the_last() {
        let months_in_words = |months: &[i8]| super::months_in_words(months, Lang::Fr);
        assert_eq!(months_in_words(&[2]), "février");
        assert_eq!(months_in_words(&[3, 4]), "mars, avril");
        assert_eq!(
            months_in_words(&[1, 4, 5, 6, 9, 10, 12]),
            "janvier, d’avril à juin, septembre, octobre, décembre"
        );
        assert_eq!(
            months_in_words(&[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
            "de février à décembre"
        );
        assert_eq!(
            super::months_in_words(&[1, 4, 5, 6, 9, 10], Lang::En),
            "January, April to June, September, October"
        );
    }
}
