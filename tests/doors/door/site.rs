//! The file of a simulator, for French spreadsheets: labels in place of names, decimal commas, and
//! of a pay its lines.

use std::net::SocketAddr;

use bareme_engine::Folder;
use bareme_engine::jiff::civil::Date;
use bareme_engine::law::{Field, Find, Method};

use super::single::{Caller, query};
use super::{Door, Group};
use crate::answer::{Answer, Carried, Fields, Reserves, Warnings};
use crate::draw::{Kind, Question};
use crate::json::{self, Json, number};
use crate::oracle::{Oracle, Target, today};

/// The simulators of the service.
pub(crate) struct Site<'o> {
    pub service: SocketAddr,
    pub oracle: &'o Oracle,
}

impl Door for Site<'_> {
    fn name(&self) -> String {
        "simulateur .csv".to_owned()
    }

    fn carries(&self) -> Carried {
        Carried {
            types: false,
            fields: Fields::Numbers,
            warnings: Warnings::None,
            version: false,
            reserves: Reserves::None,
            cited: false,
            day: false,
            ..Carried::WHOLE
        }
    }

    fn takes(&self, target: Target, question: &Question) -> bool {
        // People type commas; and a page without a question shows an example.
        let is_said = question.kind != Kind::Comma && !question.unselected().is_empty();
        // Three decimals may be thousands.
        let has_three = |(_, value): &(String, String)| {
            value
                .split_once('.')
                .is_some_and(|(_, decimals)| decimals.len() == 3 && json::is_number(value))
        };
        let is_said = is_said && !question.pairs.iter().any(has_three);
        target.endpoint.is_some()
            && is_said
            && (question.fields.is_none() || question.kind == Kind::Fields)
    }

    fn ask(&self, group: &Group) -> Vec<Answer> {
        let mut caller = Caller::new(self.service);
        let members = self.oracle.members(group.target);
        let of = |question: &&Question| {
            let path = format!(
                "/simulateurs/{}.csv?{}",
                question.folder,
                query(&question.unselected())
            );
            let text = caller.get(&path);
            if text.starts_with('{') {
                return Answer::of_json(&Json::read(&text));
            }
            let member = members
                .iter()
                .find(|member| member.folder.path() == question.folder)
                .unwrap();
            read(&text, method(member.folder, question))
        };
        group.questions.iter().map(of).collect()
    }
}

/// The method of the day of a question.
fn method<'r>(folder: &'r Folder, question: &Question) -> &'r Method {
    let sent = |name: &str| {
        question
            .pairs
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    };
    let day = sent("date")
        .cloned()
        .or_else(|| Some(format!("{}-01-01", sent("annee")?)));
    let day: Date = day.map_or(today(), |day| day.parse().unwrap());
    folder.edition(day).unwrap().method()
}

/// The numbers of a file.
fn read(text: &str, method: &Method) -> Answer {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader
        .delimiter(b';')
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let rows: Vec<Vec<String>> = reader
        .records()
        .map(|row| row.unwrap().iter().map(str::to_owned).collect())
        .collect();
    let is_head = |row: &Vec<String>, name: &str| row.len() > 1 && row[0] == name;
    let fields = match rows.iter().position(|row| is_head(row, "Champ")) {
        Some(head) => of_fields(&rows[head + 1..], method),
        None => of_pay(
            &rows[rows
                .iter()
                .position(|row| is_head(row, "Ligne"))
                .expect(text)
                + 1..],
            method,
        ),
    };
    assert!(!fields.is_empty(), "{text}");
    Answer {
        fields: fields.into_iter().collect(),
        ..Answer::default()
    }
}

/// The fields of an answer, which are in the order of the method.
fn of_fields(rows: &[Vec<String>], method: &Method) -> Vec<(String, Json)> {
    let mut known = method.fields().iter();
    let of = |row: &Vec<String>| {
        let [label, value] = row.as_slice() else {
            return None;
        };
        let field = known.find(|field| label_of(field) == label).expect(label);
        plain(value).map(|value| (field.name.clone(), value))
    };
    rows.iter()
        .map_while(|row| (row.len() == 2).then_some(row))
        .filter_map(of)
        .collect()
}

/// The net and the cost of a pay, which stand in rows without a base and a rate.
fn of_pay(rows: &[Vec<String>], method: &Method) -> Vec<(String, Json)> {
    let field = |find: Find| {
        method
            .inverse(find)
            .map(|inverse| &method.fields()[inverse.field])
    };
    let value = |label: &str, column: usize| {
        let is_it = |row: &&Vec<String>| {
            row.len() == 5 && row[0] == label && row[1].is_empty() && row[2].is_empty()
        };
        rows.iter().find(is_it).and_then(|row| plain(&row[column]))
    };
    let net = field(Find::Smallest)
        .and_then(|field| Some((field.name.clone(), value(label_of(field), 3)?)));
    let cost = field(Find::Greatest)
        .and_then(|field| Some((field.name.clone(), value("Coût employeur", 4)?)));
    net.into_iter().chain(cost).collect()
}

fn label_of(field: &Field) -> &str {
    field.label.as_deref().unwrap_or(&field.name)
}

/// A number as a French spreadsheet reads it.
fn plain(cell: &str) -> Option<Json> {
    let text: String = cell
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .collect();
    let text = text.replace(',', ".").replace('−', "-");
    text.parse::<bareme_engine::rust_decimal::Decimal>()
        .ok()
        .map(|_| Json::Number(number(&text)))
}
