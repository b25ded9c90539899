//! Figures that another folder gives.

use bareme_engine::authoring::Node;
use jiff::civil::Date;

use crate::call::laws;
use crate::law::{Figure, Law, Row, entries, text};

/// A figure of another folder, under the name that it has here.
pub(crate) struct Taken {
    pub figure: Figure,
    pub sources: Vec<(String, Node)>,
    /// The last day for which it is known, where no later scale of that folder follows.
    pub known_until: Option<String>,
    /// The last day on which it is given, where no scale of that folder follows at once.
    pub until: Option<String>,
}

/// The scales of a folder that answer, drafts as the test has them.
fn given(law: &Law, folder: &str) -> Vec<&'static Law> {
    let all = laws(law, folder).iter();
    all.filter(|law| crate::WITH_DRAFTS || !law.is_draft())
        .collect()
}

fn year(day: &str) -> i16 {
    day[..4].parse().unwrap()
}

/// The day on which a shape reads the other folder, in a calculation on some day.
fn read_on(shape: &Node, day: &str) -> String {
    match text(shape, "on") {
        Some("end_of_last_year") => format!("{:04}-12-31", year(day) - 1),
        Some(_) => format!("{}-01-01", &day[..4]),
        None => day.to_owned(),
    }
}

/// The figure that another folder gives on the first day of a scale; `None` for one of its own.
pub(crate) fn figure(law: &Law, name: &str, shape: &Node) -> Option<Taken> {
    let folder = text(shape, "taken_from")?;
    let scales = given(law, folder);
    let day = read_on(shape, law.first_day.as_ref().unwrap());
    let scale = scales
        .iter()
        .rfind(|scale| *scale.first_day.as_ref().unwrap() <= day)
        .unwrap();
    let is_last = std::ptr::eq(*scale, *scales.last().unwrap());
    let until = text(scale.scale.as_ref().unwrap(), "until").filter(|until| {
        let after = until
            .parse::<Date>()
            .unwrap()
            .tomorrow()
            .unwrap()
            .to_string();
        scales
            .iter()
            .all(|scale| *scale.first_day.as_ref().unwrap() != after)
    });

    let found = &scale.figures[text(shape, "figure").unwrap_or(name)];
    let id = |id: &String| format!("{folder}/{id}");
    let row = |row: &Row| Row {
        sources: row.sources.iter().map(id).collect(),
        evidence: row.evidence.iter().map(id).collect(),
        ..row.clone()
    };
    let figure = Figure {
        name: name.to_owned(),
        record: row(&found.record),
        rows: found.rows.iter().map(row).collect(),
        ..found.clone()
    };

    // In the order in which the figure names them.
    let mut sources: Vec<(String, Node)> = Vec::new();
    for name in [&found.record]
        .into_iter()
        .chain(&found.rows)
        .flat_map(|row| row.sources.iter().chain(&row.evidence))
    {
        let source = scale.source(name);
        sources.extend(source.map(|source| (id(name), source.clone())));
    }

    Some(Taken {
        figure,
        sources,
        known_until: is_last
            .then(|| known_through(shape, &crate::days::known_until(scale).unwrap())),
        until: until.map(|until| given_through(shape, until)),
    })
}

/// The last day of a calculation that reads a figure that is given there until a day.
fn given_through(shape: &Node, until: &str) -> String {
    match text(shape, "on") {
        Some("end_of_last_year") => known_through(shape, until),
        Some(_) => format!("{}-12-31", &until[..4]),
        None => until.to_owned(),
    }
}

/// The last day of a calculation for which a figure is known that is known there until a day.
fn known_through(shape: &Node, until: &str) -> String {
    match text(shape, "on") {
        Some("end_of_last_year") if until.ends_with("-12-31") => {
            format!("{:04}-12-31", year(until) + 1)
        }
        Some("end_of_last_year") => format!("{}-12-31", &until[..4]),
        _ => until.to_owned(),
    }
}

/// The days after the first one of a scale, up to the next file, on which another folder gives new
/// values.
pub(crate) fn changes(law: &Law, next: Option<&str>) -> Vec<String> {
    let parts = law.parts().into_iter();
    let shapes = parts.flat_map(|(_, part)| entries(part, "figures"));
    let mut days: Vec<String> = Vec::new();
    for (_, shape) in shapes {
        let Some(folder) = text(shape, "taken_from") else {
            continue;
        };
        let scales = given(law, folder);
        for scale in &scales {
            let start = scale.first_day.as_deref().unwrap();
            let is_new_year = start.ends_with("-01-01");
            let day = match text(shape, "on") {
                Some(on) if !is_new_year || on == "end_of_last_year" => {
                    format!("{:04}-01-01", year(start) + 1)
                }
                _ => start.to_owned(),
            };
            let day_there = read_on(shape, &day);
            let in_force = scales
                .iter()
                .rfind(|scale| *scale.first_day.as_ref().unwrap() <= day_there);
            let known = crate::days::known_until(in_force.unwrap()).unwrap();
            let is_within = law.date.as_ref().is_some_and(|date| *date < day)
                && next.is_none_or(|next| day.as_str() < next)
                && text(law.scale.as_ref().unwrap(), "until").is_none_or(|end| day.as_str() <= end);
            let own = crate::days::known_until(law).unwrap();
            if is_within && day_there <= known && day <= own && !days.contains(&day) {
                days.push(day);
            }
        }
    }
    days.sort();
    days
}

impl Law {
    /// The last day in force, where the law ends the scale or one that it takes figures from.
    pub(crate) fn until(&self) -> Option<String> {
        self.scale_text("until")
            .into_iter()
            .chain(self.ends.iter().cloned())
            .min()
    }
}
