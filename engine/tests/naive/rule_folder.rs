//! The dated files of a folder, each with the days on which a figure of another folder changes.

use std::path::Path;

use bareme_engine::Report;
use bareme_engine::authoring::Node;
use bareme_engine::text::RuleFile;

use crate::law::{Law, text};
use crate::taken;

/// Every dated scale of a folder, the oldest first.
pub(crate) fn read_folder(folder: &Path) -> Vec<Law> {
    let read = |name: &str| -> Node {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        Node::read(&RuleFile::new(name, text), &mut Report::default()).unwrap()
    };
    let mut dates: Vec<String> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    dates.retain(|name| name.starts_with(|first: char| first.is_ascii_digit()));
    dates.sort();
    if dates.is_empty() {
        return vec![Law::new(folder, None, read("method.yaml"), None)];
    }
    let law = |name: &String, first_day: &str| {
        let scale = read(name);
        let method = text(&scale, "method").unwrap_or("method.yaml").to_owned();
        let days = Days {
            date: name.trim_end_matches(".yaml").to_owned(),
            first_day: first_day.to_owned(),
        };
        Law::new(folder, Some(days), read(&method), Some(scale))
    };

    let mut laws = Vec::new();
    for name in &dates {
        let date = name.trim_end_matches(".yaml");
        let own = law(name, date);
        // A later file ends the scale, unless it is a draft that is left out.
        let next = dates.iter().find(|next| {
            *next > name
                && (crate::WITH_DRAFTS || !law(next, next.trim_end_matches(".yaml")).is_draft())
        });
        let changes = taken::changes(&own, next.map(|next| next.trim_end_matches(".yaml")));
        laws.push(own);
        laws.extend(changes.iter().map(|day| law(name, day)));
    }
    laws
}

/// The days of a scale.
pub(crate) struct Days {
    pub date: String,
    pub first_day: String,
}
