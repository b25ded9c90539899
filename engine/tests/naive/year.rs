//! Years of pays: each month starts again from January and keeps nothing, so that a wrong sum
//! cannot agree with itself.

use std::rc::Rc;

use bareme_engine::Folder;
use jiff::civil::Date;

use crate::answer;
use crate::draw::{self, Random};
use crate::input::Refused;
use crate::json::Json;
use crate::law::Law;
use crate::past::{Past, When, Year, names};
use crate::{TODAY, comparable, total};

/// Years drawn for each folder that has them.
const YEARS: usize = 4;
/// Draws of a month until one is accepted.
const TRIES: usize = 400;

/// A month: its law, its query, what formulas read of its day.
struct Month<'l> {
    law: &'l Law,
    query: Vec<(String, String)>,
    when: When,
    last: bool,
}

/// The answers of the months, each with what its steps gave.
fn computed(months: &[Month]) -> Result<Vec<total::Month>, Vec<Refused>> {
    let of = |month: &Month, year| answer::answer_in(month.law, &month.query, month.when, year);
    let alone = months
        .iter()
        .map(|month| Ok(of(month, None)?.1))
        .collect::<Result<Vec<_>, Vec<Refused>>>()?;
    let alone = Rc::new(alone);
    let within = |month: usize, earlier: &[Rc<Past>]| {
        let (alone, last) = (Rc::clone(&alone), months[month].last);
        let year = Year {
            earlier: earlier.to_vec(),
            alone,
            month,
            last,
            is_asked: true,
        };
        of(&months[month], Some(year))
    };

    let mut answers = Vec::new();

    for month in 0..months.len() {
        // From January again: the months before it are computed anew.
        let mut earlier: Vec<Rc<Past>> = Vec::new();
        for before in 0..month {
            let past = within(before, &earlier)?.1;
            earlier.push(Rc::new(past));
        }
        let (answer, past) = within(month, &earlier)?;
        answers.push(total::Month {
            answer,
            past: Rc::new(past),
        });
    }

    Ok(answers)
}

/// Compares a year that is asked for.
pub(crate) fn compare_asked(folder: &Folder, laws: &[Law], query: &[(String, String)]) {
    let sent = |name: &str| {
        query
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    };

    let varying = names(laws.last().unwrap(), "varying");
    let number = |name: &str| sent(name).map(|month| month.parse::<i8>().unwrap());
    let year: i16 = sent("annee").unwrap().parse().unwrap();
    let (first, last) = (
        number("premier_mois").unwrap_or(1),
        number("dernier_mois").unwrap_or(12),
    );
    let lists = varying
        .iter()
        .filter_map(|name| Some(sent(name)?.split(';').count()));
    let count = lists
        .max()
        .filter(|count| *count > 1)
        .map_or(last + 1 - first, |count| i8::try_from(count).unwrap());
    let leaves = sent("depart").is_some_and(|text| ["true", "oui", "1"].contains(&text));
    let month = |month: i8| {
        let day = Date::new(year, month, 1).unwrap().last_of_month();
        let of_month = |(name, value): &(String, String)| {
            let own = value
                .split(';')
                .nth(usize::try_from(month - first).unwrap())
                .unwrap_or(value);
            (name.clone(), own.to_owned())
        };
        let own = query.iter().filter(|(name, _)| {
            !["annee", "premier_mois", "dernier_mois", "depart"].contains(&name.as_str())
        });
        let mut own: Vec<(String, String)> = own.map(of_month).collect();
        let law = law_on(laws, day).unwrap();
        own.extend(
            names(law, "rank")
                .into_iter()
                .map(|rank| (rank, month.to_string())),
        );
        let last = month + 1 == first + count && (month == 12 || leaves);
        Month {
            law,
            query: own,
            when: crate::days::when(law, day),
            last,
        }
    };

    let months: Vec<Month> = (first..first + count).map(month).collect();
    compare_months(folder, &months, query, first);
}

/// Draws years of a folder that has them, and compares.
pub(crate) fn compare(folder: &Folder, laws: &[Law]) {
    let Some(law) = laws.last().filter(|law| law.method.get("year").is_some()) else {
        return;
    };

    let (varying, mut without) = (names(law, "varying"), names(law, "without"));
    without.extend(names(law, "rank"));
    let mut years: Vec<i16> = laws
        .iter()
        .filter_map(|law| law.date.as_ref()?[..4].parse().ok())
        .collect();
    years.dedup();
    let draws = std::env::var("BAREME_YEARS").map_or(YEARS, |years| years.parse().unwrap());
    let mut compared = 0;

    for draw in 0..draws {
        let mut random = Random(draw as u64 + 1);
        let year = years[draw % years.len()];
        let first = if random.one_in(2) {
            1
        } else {
            1 + random.below(12) as i8
        };
        let count = if random.one_in(2) {
            13 - first
        } else {
            1 + random.below(13 - first as u64) as i8
        };
        let leaves = random.one_in(2);
        let Some(months) = drawn(
            (folder, laws, year),
            (first, count, leaves),
            (&varying, &without),
            &mut random,
        ) else {
            continue;
        };
        compare_one(folder, &months, (year, first, leaves), &varying);
        compared += 1;
    }

    assert!(compared > 0, "{}: no year was accepted", folder.path());
}

fn law_on(laws: &[Law], day: Date) -> Option<&Law> {
    laws.iter().rfind(|law| {
        law.first_day
            .as_ref()
            .is_none_or(|date| date.parse::<Date>().unwrap() <= day)
    })
}

/// Months that are accepted one by one, with the same values of what does not vary.
fn drawn<'l>(
    (folder, laws, year): (&Folder, &'l [Law], i16),
    (first, count, leaves): (i8, i8, bool),
    (varying, without): (&[String], &[String]),
    random: &mut Random,
) -> Option<Vec<Month<'l>>> {
    let mut months: Vec<Month> = Vec::new();
    let mut fixed: Option<Vec<(String, String)>> = None;

    for month in first..first + count {
        let day = Date::new(year, month, 1).unwrap().last_of_month();
        // A year is computed by methods that have one in every month.
        let law = law_on(laws, day).filter(|law| law.method.get("year").is_some())?;
        let edges = draw::edges(law);
        let accepted = (0..TRIES).find_map(|_| {
            let mut query = draw::query(law, &edges, random);
            query.retain(|(name, value)| !value.contains(';') && !without.contains(name));
            if let Some(fixed) = &fixed {
                query.retain(|(name, _)| varying.contains(name));
                query.extend(fixed.iter().cloned());
            }
            let ranks = names(law, "rank")
                .into_iter()
                .map(|rank| (rank, month.to_string()));
            let mut sent = query.clone();
            sent.push(("date".to_owned(), day.to_string()));
            let is_accepted = folder.calculate(&(&sent).into(), TODAY).is_ok();
            query.extend(ranks);
            is_accepted.then_some(query)
        });
        let query = accepted?;
        let ranks = names(law, "rank");
        let holds =
            |(name, _): &&(String, String)| !varying.contains(name) && !ranks.contains(name);
        let of_year = query.iter().filter(holds).cloned().collect();
        fixed.get_or_insert(of_year);
        let last = month + 1 == first + count && (month == 12 || leaves);
        months.push(Month {
            law,
            query,
            when: crate::days::when(law, day),
            last,
        });
    }

    Some(months)
}

fn compare_one(
    folder: &Folder,
    months: &[Month],
    (year, first, leaves): (i16, i8, bool),
    varying: &[String],
) {
    let value = |month: &Month, name: &str| {
        let sent = month.query.iter().find(|(known, _)| known == name);
        sent.map(|(_, value)| value.clone()).unwrap_or_default()
    };

    let mut query: Vec<(String, String)> = vec![
        ("annee".to_owned(), year.to_string()),
        ("premier_mois".to_owned(), first.to_string()),
        ("depart".to_owned(), leaves.to_string()),
    ];
    let ranks = names(months[0].law, "rank");
    let of_year = months[0]
        .query
        .iter()
        .filter(|(name, _)| !varying.contains(name) && !ranks.contains(name));
    query.extend(of_year.cloned());
    for name in varying {
        let list: Vec<String> = months.iter().map(|month| value(month, name)).collect();
        query.push((name.clone(), list.join(";")));
    }

    // One value alone would stand for all the months that are left.
    if months.len() == 1 && first < 12 {
        return;
    }

    compare_months(folder, months, &query, first);
}

fn compare_months(folder: &Folder, months: &[Month], query: &[(String, String)], first: i8) {
    let (engine, naive) = match (folder.year(&query.into()), computed(months)) {
        (Ok(engine), Ok(naive)) => (engine, naive),
        (Err(_), Err(_)) => return,
        (engine, naive) => {
            let engine = engine.map(|_| ()).map_err(|error| error.to_string());
            panic!(
                "{} {query:?}: {engine:?}, naive {:?}",
                folder.path(),
                naive.map(|_| ())
            );
        }
    };

    let law = months.last().unwrap().law;
    let totals: Vec<(String, String)> = engine
        .totals()
        .iter()
        .map(|total| (total.field.name.clone(), total.value.datum().to_string()))
        .collect();
    let own = total::totals(law, &naive)
        .into_iter()
        .map(|(name, value)| (name, value.to_string()));
    assert_same(
        &totals,
        &own.collect::<Vec<_>>(),
        &format!("{} {query:?}, totals", folder.path()),
    );

    let of_json = |answer: Json| {
        let Json::Object(members) = answer else {
            panic!("an answer is an object")
        };
        let members = comparable(
            members
                .into_iter()
                .map(|(name, value)| (name.into_owned(), value.to_string())),
        );
        let automatic = [
            "references",
            "reserves",
            "bareme_en_vigueur",
            "avertissements",
        ];
        members
            .into_iter()
            .filter(|(name, _)| !automatic.contains(&name.as_str()))
            .collect::<Vec<_>>()
    };

    assert_eq!(engine.months().len(), naive.len());

    for (month, (engine, naive)) in (first..).zip(engine.months().iter().zip(naive)) {
        let fields = engine.calculation.fields();
        let fields: Vec<(String, String)> = fields
            .map(|(field, value)| (field.name.clone(), value.datum().to_string()))
            .collect();
        assert_same(
            &fields,
            &of_json(naive.answer),
            &format!("{} {query:?}, month {month}", folder.path()),
        );
    }
}

fn assert_same(engine: &[(String, String)], naive: &[(String, String)], asked: &str) {
    let differs = engine
        .iter()
        .zip(naive)
        .find(|(engine, naive)| engine != naive);
    assert!(
        engine == naive,
        "{asked}: {differs:?}, {} and {} members",
        engine.len(),
        naive.len()
    );
}
