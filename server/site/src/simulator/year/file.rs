//! The months of a year as a file that spreadsheets of its language open directly: one row for each
//! month, one column for each line.

use bareme_api::wire::problem::Problem;
use bareme_engine::Lang;
use bareme_show::Pay;
use rust_decimal::Decimal;

use super::super::download::Rows;
use super::months::{self, MonthPay, month_name};
use crate::PageRequest;
use crate::catalogue::ListedFolder;
use crate::text::say;

/// The months of the year for a query.
///
/// # Errors
/// A folder without a year of pays, a refused query, or an internal error of the engine.
pub(crate) fn file(request: &PageRequest, listed: &ListedFolder) -> Result<Vec<u8>, Problem> {
    let question = super::read(request, listed)?;
    let year = question.calculate()?.map_err(Problem::parameters)?;

    // All amounts have the decimals of the currency, by the method of the last month.
    let decimals = year
        .months()
        .last()
        .map(|month| month.calculation.edition().method().decimals);
    let lang = listed.lang();
    let mut rows = Rows::new(decimals.unwrap_or_default(), lang);

    let address = format!(
        "{}{}",
        request.rules.service().documentation,
        question.link()
    );
    rows.case(
        [listed.folder.title(), year.citation()],
        question.pairs_in_words(),
        &address,
        request.today,
    );

    // A year without pays has its case alone.
    let pays = months::pays(&year);
    if let Some(first) = pays.first() {
        add_months(&mut rows, &pays, &first.pay, lang);
    }
    Ok(rows.into_bytes())
}

/// Adds the titles, a row for each month, and the total; `first` is the pay of the first month.
fn add_months(rows: &mut Rows, pays: &[MonthPay], first: &Pay, lang: Lang) {
    // 1. The columns: the months, what the employee pays, the net, what the employer pays.
    let lines = months::lines(pays);
    let (employers, own): (Vec<_>, Vec<_>) = lines.iter().partition(|line| line.is_employers);
    let title = |line: &&months::YearLine| {
        let of = if line.is_employers {
            say(lang, "employeur", "employer")
        } else {
            say(lang, "salarié", "employee")
        };
        format!("{} ({of})", line.title)
    };
    let has_cost = first.cost.is_some();
    let month = say(lang, "Mois", "Month").to_owned();
    let cost = say(lang, "Coût employeur", "Employer cost").to_owned();
    let titles = [month, months::gross_label(pays, lang)]
        .into_iter()
        .chain(own.iter().map(title))
        .chain([first.net_label.to_owned()])
        .chain(employers.iter().map(title))
        .chain(has_cost.then_some(cost));
    rows.add(&titles.collect::<Vec<_>>());

    // 2. A row of amounts takes the same value of each column: that of a month, or the sum.
    let amounts = |pick: &dyn Fn(&[Decimal]) -> Decimal| -> Vec<Decimal> {
        let of = |values: &dyn Fn(&MonthPay) -> Decimal| {
            pick(&pays.iter().map(values).collect::<Vec<_>>())
        };
        std::iter::once(of(&|month| month.pay.paid))
            .chain(own.iter().map(|line| pick(&line.amounts)))
            .chain([of(&|month| month.pay.net)])
            .chain(employers.iter().map(|line| pick(&line.amounts)))
            .chain(has_cost.then(|| of(&|month| months::cost(&month.pay))))
            .collect()
    };
    for (index, month) in pays.iter().enumerate() {
        let own = amounts(&|values| values.get(index).copied().unwrap_or_default());
        rows.amounts(&month_name(month.month.month, lang), &own);
    }

    // 3. The sum of each column.
    let totals = amounts(&|values| {
        values
            .iter()
            .fold(Decimal::ZERO, |sum, value| sum.saturating_add(*value))
    });
    rows.amounts("Total", &totals);
}
