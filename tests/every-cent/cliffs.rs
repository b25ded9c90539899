//! The list of the cliffs: amounts at which a little more gross gives less net, or costs much more,
//! with the step of the law that does it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bareme_engine::authoring::Node;
use bareme_engine::text::french_date;
use bareme_show::{Amounts, Locale};
use rust_decimal::Decimal;

use crate::cases::{Case, Scale};
use crate::evaluator::{Axis, Block, Field, ROWS};
use crate::kinks;
use crate::law::{Law, text};
use crate::world::Cases;

/// What a curve tells of an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Curve {
    /// What is left of the amount.
    Net,
    /// What is taken off the amount.
    Tax,
    /// What the amount costs.
    Cost,
}

/// A cliff.
#[derive(Debug, Clone)]
struct Cliff {
    curve: Curve,
    /// The last amount before it, in units.
    amount: i64,
    /// By how much what is left falls, or what is due rises, at the next unit.
    height: Decimal,
    /// The steps that do it, each with its article.
    steps: Vec<(String, Option<String>)>,
    situation: String,
    since: Vec<String>,
}

/// Windows in which the jumps of roundings are looked for.
const WINDOWS: i64 = 64;

fn curve<'c>(law: &Law, case: &'c Case, axis: &Axis) -> Option<Vec<(Curve, &'c Field)>> {
    let parts = law.parts().into_iter().map(|(_, part)| part);
    let inverses = parts.flat_map(|part| part.get("inverse").map(Node::items).unwrap_or_default());
    let of_inverse = inverses
        .filter(|node| text(node, "input") == Some(&axis.input))
        .filter_map(|node| {
            let curve = if text(node, "find") == Some("smallest") {
                Curve::Net
            } else {
                Curve::Cost
            };
            Some((curve, case.compiled.field(text(node, "field")?)?))
        });
    let curve = law
        .method
        .get("curve")
        .filter(|curve| text(curve, "input") == Some(&axis.input));
    let taxed =
        curve.and_then(|curve| Some((Curve::Tax, case.compiled.field(text(curve, "field")?)?)));
    Some(of_inverse.chain(taxed).collect())
}

/// By how much a curve is worse at the next amount, in its own units, beyond what a unit more
/// explains.
fn loss(curve: Curve, unit: i128, at: i128, next: i128) -> i128 {
    match curve {
        Curve::Net => at - next,
        Curve::Tax => next - at - unit,
        Curve::Cost => next - at - 2 * unit,
    }
}

/// The cliffs of a case.
fn of_case(scale: &Scale, case: &Case, situation: &str) -> Vec<Cliff> {
    let Some(axis) = &case.axis else {
        return Vec::new();
    };

    let mut found = Vec::new();

    for (curve, field) in curve(&scale.law, case, axis).unwrap_or_default() {
        let Some(unit) = field
            .decimals()
            .checked_sub(axis.decimals)
            .map(|decimals| 10_i128.pow(decimals))
        else {
            continue;
        };
        let grain = grain(case, axis, curve, field, unit).max(0);
        for amount in case
            .kinks()
            .iter()
            .copied()
            .filter(|amount| *amount < axis.last)
        {
            let Some((at, next)) = crate::properties::around(&case.compiled, field, amount) else {
                continue;
            };
            if loss(curve, unit, at, next) <= grain {
                continue;
            }
            let steps = kinks::steps(&case.compiled, amount);
            let described = steps.iter().filter_map(|name| {
                let node = scale.law.step(name)?;
                let label = text(node, "label").unwrap_or(name).to_owned();
                Some((label, text(node, "law").map(str::to_owned)))
            });
            let described: Vec<_> = described.collect();
            // Where a check alone compares, the law does not bend: roundings fall there.
            if described.is_empty() {
                continue;
            }
            let height = if curve == Curve::Net {
                at - next
            } else {
                next - at
            };
            found.push(Cliff {
                curve,
                amount,
                height: Decimal::from_i128_with_scale(height, field.decimals()),
                steps: described,
                situation: situation.to_owned(),
                since: vec![scale.name().to_owned()],
            });
        }
    }

    found
}

/// The greatest loss between two amounts between which the law does not bend: that of roundings.
fn grain(case: &Case, axis: &Axis, curve: Curve, field: &Field, unit: i128) -> i128 {
    let mut block = Block::default();
    let mut most = 0;
    let stride = ((axis.last - axis.first) / WINDOWS).max(1);

    for window in 0..WINDOWS {
        let first = axis.first + window * stride;
        let count = (axis.last - first + 1).clamp(0, ROWS as i64) as usize;
        if count < 2 {
            continue;
        }
        case.compiled.run(&mut block, &[(first, count)]);
        for row in 0..count - 1 {
            let is_bend = case.kinks().contains(&(first + row as i64));
            let is_there =
                |row| field.there.at(&block, row) && !case.compiled.is_refused(&block, row);
            if is_bend || !is_there(row) || !is_there(row + 1) {
                continue;
            }
            if let (Some(at), Some(next)) =
                (field.number(&block, row), field.number(&block, row + 1))
            {
                most = most.max(loss(curve, unit, at, next));
            }
        }
    }

    most
}

impl Cases<'_> {
    /// The section of the folder in the list of the cliffs; none where it has no cliff.
    pub fn cliffs(&self) -> Option<String> {
        let mut usual: Vec<Cliff> = Vec::new();
        let mut others: BTreeMap<(Curve, i64), Cliff> = BTreeMap::new();

        for (index, (scale, _)) in self.scales.iter().enumerate() {
            let mut own: Vec<&Case> = self.of_scale(index).collect();
            own.sort_by_key(|case| case.combination.sent.len());
            let is_latest = index + 1 == self.scales.len();
            let mut has_cost = false;
            for case in own {
                let is_plain = case.combination.sent.is_empty();
                let costs = case
                    .axis
                    .as_ref()
                    .and_then(|axis| curve(&scale.law, case, axis))
                    .unwrap_or_default();
                let costs = costs.iter().any(|(curve, _)| *curve == Curve::Cost);
                // The plainest case of all, and the plainest with the employer's part.
                let is_usual = is_plain || (costs && !has_cost);
                has_cost |= costs;
                if is_usual {
                    let mut found = of_case(scale, case, "");
                    found.retain(|cliff| is_plain || cliff.curve == Curve::Cost);
                    found.into_iter().for_each(|cliff| add(&mut usual, cliff));
                } else if is_latest {
                    for cliff in of_case(scale, case, &situation(case)) {
                        let place = (cliff.curve, cliff.amount);
                        if others
                            .get(&place)
                            .is_none_or(|known| known.height < cliff.height)
                        {
                            others.insert(place, cliff);
                        }
                    }
                }
            }
        }

        let worse = |cliff: &Cliff| {
            let known = usual
                .iter()
                .filter(|known| (known.curve, known.amount) == (cliff.curve, cliff.amount));
            known
                .map(|known| known.height)
                .max()
                .is_none_or(|height| height < cliff.height)
        };

        let mut all = usual.clone();
        all.extend(others.into_values().filter(worse));
        all.sort_by(|a, b| (a.curve, a.amount, &a.since).cmp(&(b.curve, b.amount, &b.since)));
        (!all.is_empty()).then(|| self.section(&all))
    }

    fn section(&self, cliffs: &[Cliff]) -> String {
        let mut out = format!("## {} (`{}`)\n", self.folder.title(), self.path);
        let decimals = |case: &Case| case.axis.as_ref().map_or(0, |axis| axis.decimals);
        let decimals = self
            .cases
            .iter()
            .map(|(_, case)| decimals(case))
            .max()
            .unwrap_or_default();
        for (curve, heading, column) in [
            (Curve::Net, "Le net baisse", "Le net perd"),
            (
                Curve::Tax,
                "Le montant dû augmente d’un coup",
                "Le dû prend",
            ),
            (
                Curve::Cost,
                "Le coût de l’employeur augmente d’un coup",
                "Le coût prend",
            ),
        ] {
            let own: Vec<&Cliff> = cliffs.iter().filter(|cliff| cliff.curve == curve).collect();
            if own.is_empty() {
                continue;
            }
            let _ = write!(
                out,
                "\n**{heading}**\n\n| Au-dessus de | {column} | Ligne de la loi | Article | Barèmes | Situation |\n|---:|---:|---|---|---|---|\n"
            );
            for cliff in own {
                let amounts = self
                    .folder
                    .latest()
                    .map(|edition| Amounts::from(edition.method()))
                    .unwrap_or_default();
                let money = |value: Decimal| Locale::PAGE.money(value, amounts);
                let list = |texts: Vec<String>| {
                    if texts.is_empty() {
                        "—".to_owned()
                    } else {
                        texts.join("<br>")
                    }
                };
                let labels = list(cliff.steps.iter().map(|(label, _)| label.clone()).collect());
                let mut articles: Vec<String> = cliff
                    .steps
                    .iter()
                    .filter_map(|(_, law)| law.clone())
                    .collect();
                articles.dedup();
                let since = cliff
                    .since
                    .iter()
                    .map(|day| day.parse().map_or(day.clone(), french_date));
                let situation = if cliff.situation.is_empty() {
                    "cas le plus simple"
                } else {
                    &cliff.situation
                };
                let _ = writeln!(
                    out,
                    "| {} | {} | {labels} | {} | {} | {situation} |",
                    money(Decimal::new(cliff.amount, decimals)),
                    money(cliff.height),
                    list(articles),
                    since.collect::<Vec<_>>().join(", "),
                );
            }
        }

        out
    }
}

/// A cliff that scales after each other have is one.
fn add(known: &mut Vec<Cliff>, cliff: Cliff) {
    let is_it = |other: &&mut Cliff| {
        (other.curve, other.amount, other.height) == (cliff.curve, cliff.amount, cliff.height)
            && other.steps == cliff.steps
    };
    match known.iter_mut().find(is_it) {
        Some(other) => other.since.extend(cliff.since),
        None => known.push(cliff),
    }
}

fn situation(case: &Case) -> String {
    let sent: Vec<String> = case
        .combination
        .sent
        .iter()
        .map(|(name, value)| format!("`{name}={value}`"))
        .collect();
    sent.join(" ")
}
