//! The sources of an answer, and how certain its figures are.

use std::collections::BTreeSet;

use bareme_engine::authoring::Node;

use crate::compute::Run;
use crate::fields::{Member, Members};
use crate::json::Json;
use crate::law::{Figure, Law, Row, text};

/// How certain a figure or a row is, in the words of an answer.
pub(crate) fn remark(
    (confidence, note): &(Option<String>, Option<String>),
) -> impl Iterator<Item = Member> {
    let confidence = confidence
        .as_ref()
        .map(|word| if word == "low" { "faible" } else { "moyenne" });
    let confidence = confidence.map(|word| ("confiance".into(), Json::text(word)));
    confidence
        .into_iter()
        .chain(note.clone().map(|note| ("note".into(), Json::text(note))))
}

/// What a calculation cites of a scale: its own, or that of a folder that it calculated.
pub(crate) struct Cited<'r> {
    law: &'r Law,
    on: &'r BTreeSet<String>,
    /// The figures that were read, where not all were.
    read: Option<BTreeSet<String>>,
    /// Rows found, as (figure, place in its list).
    found: Vec<(String, usize)>,
    is_called: bool,
}

impl<'r> Cited<'r> {
    pub(crate) fn of(run: &'r Run) -> Self {
        Self {
            law: run.law,
            on: &run.on,
            read: run.read.clone(),
            found: run.found.clone(),
            is_called: false,
        }
    }

    /// What a calculation cites of each scale, its own first; each scale once, with what all of its
    /// calculations read and found.
    fn all(run: &'r Run) -> Vec<Self> {
        let mut all = vec![Self::of(run)];
        Self::add_calls(run, &mut all);
        all
    }

    fn add_calls(run: &'r Run, all: &mut Vec<Self>) {
        for called in &run.called {
            let mut own = Self::of(&called.run);
            own.is_called = true;
            let known = all.iter_mut().skip(1);
            match known
                .into_iter()
                .find(|known| std::ptr::eq(known.law, own.law) && known.on == own.on)
            {
                Some(known) => {
                    for row in own.found {
                        if !known.found.contains(&row) {
                            known.found.push(row);
                        }
                    }
                    known.read = known
                        .read
                        .take()
                        .zip(own.read)
                        .map(|(read, more)| read.union(&more).cloned().collect());
                }
                None => all.push(own),
            }
            Self::add_calls(&called.run, all);
        }
    }
}

/// The figures whose option is on, and the rows found, each with what sets it, what it was checked
/// against and what is to be known of it; in the order of the method's figures, then of the rows
/// found.
pub(crate) fn citing<'r>(run: &'r Cited) -> Vec<(&'r Figure, &'r Row, &'r [String])> {
    let law = run.law;
    let is_read = |figure: &String| run.read.as_ref().is_none_or(|read| read.contains(figure));
    let is_on = |figure: &&Figure| {
        let mut option = figure.option.iter();
        is_read(&figure.name) && option.all(|option| run.on.contains(option))
    };

    let whole = law
        .order
        .iter()
        .map(|name| &law.figures[name])
        .filter(is_on);
    let whole = whole.map(|figure| (figure, &figure.record, &figure.record.sources[..]));
    let found = run
        .found
        .iter()
        .filter(|(figure, _)| is_read(figure))
        .map(|(figure, index)| (&law.figures[figure], &law.figures[figure].rows[*index]));
    let found = found.map(|(figure, row)| {
        (
            figure,
            row,
            if row.sources.is_empty() {
                &figure.record.sources[..]
            } else {
                &row.sources[..]
            },
        )
    });
    whole.chain(found).collect()
}

/// How certain the figures are that these sources come first for.
pub(crate) fn reserves(
    citing: &[(&Figure, &Row, &[String])],
    first: Option<&String>,
) -> Vec<Json<'static>> {
    let is_reported = |(_, row, sources): &&(&Figure, &Row, &[String])| {
        row.remark != (None, None) && sources.first() == first
    };
    let reported = citing.iter().filter(is_reported).map(|(figure, row, _)| {
        let named = ("figure".into(), Json::text(figure.name.clone()));
        Json::Object([named].into_iter().chain(remark(&row.remark)).collect())
    });
    reported.collect()
}

/// What is to be known of figures without a source, of a calculation and of the folders that it
/// calculated; each once.
pub(crate) fn unsourced(run: &Run) -> Vec<Json<'static>> {
    let all = Cited::all(run);
    each_once(all.iter().flat_map(|cited| reserves(&citing(cited), None)))
}

fn each_once(all: impl Iterator<Item = Json<'static>>) -> Vec<Json<'static>> {
    let mut once: Vec<Json> = Vec::new();
    for one in all {
        if !once
            .iter()
            .any(|known| known.to_string() == one.to_string())
        {
            once.push(one);
        }
    }
    once
}

/// Sources of the figures of a calculation, then of the folders that it calculated, each with its
/// folder before its id; each once.
pub(crate) fn references(run: &Run, with_evidence: bool) -> Vec<Json<'static>> {
    let of_scale = |cited: &Cited| {
        let folder = text(&cited.law.method, "folder").unwrap_or_default();
        let qualified = |reference: Json<'static>| {
            let Json::Object(mut members) = reference else {
                panic!("a reference is an object")
            };
            if cited.is_called {
                let id = members[0].1.to_string();
                members[0].1 = Json::text(format!("{folder}/{}", id.trim_matches('"')));
            }
            Json::Object(members)
        };
        let own = own_references(cited, with_evidence).into_iter();
        own.map(qualified).collect::<Vec<_>>()
    };
    let all = Cited::all(run);
    let mut cited = each_once(all.iter().flat_map(of_scale));
    cited.sort_by_key(|one| one.to_string().contains("\"nature\":\"secondaire\""));
    cited
}

/// Sources of the figures; with the steps, the evidence comes after them.
fn own_references(run: &Cited, with_evidence: bool) -> Vec<Json<'static>> {
    let law = run.law;
    let citing = citing(run);
    let sources = || law.sources.iter();
    let is_secondary = |source: &Node| text(source, "kind") == Some("secondary");
    let no_figures = law.figures.is_empty();
    let sets = |id: &String, source: &Node| match no_figures {
        true => !is_secondary(source),
        false => citing.iter().any(|(_, _, sources)| sources.contains(id)),
    };

    let proves = |id: &String, source: &Node| match no_figures {
        true => is_secondary(source),
        false => citing.iter().any(|(_, row, _)| row.evidence.contains(id)),
    };

    let mut list = Vec::new();

    for (id, source) in sources().filter(|(id, source)| sets(id, source)) {
        list.push(reference(id, source, reserves(&citing, Some(id))));
    }

    let evidence = sources().filter(|(id, source)| !sets(id, source) && proves(id, source));
    for (id, source) in evidence.filter(|_| with_evidence) {
        list.push(reference(id, source, Vec::new()));
    }

    list
}

fn reference(id: &str, source: &Node, reserves: Vec<Json<'static>>) -> Json<'static> {
    let keys = [
        ("titre", "title"),
        ("article", "article"),
        ("editeur", "publisher"),
        ("parution", "published"),
        ("date", "date"),
        ("identifiant", "identifier"),
        ("url", "url"),
    ];
    let member = |(name, key): (&'static str, &str)| {
        Some((name.into(), Json::text(text(source, key)?.to_owned())))
    };

    let mut members: Members = vec![("id".into(), Json::text(id.to_owned()))];
    members.extend(keys.into_iter().filter_map(member));
    let nature = text(source, "kind").map(|kind| match kind {
        "law" => "loi",
        "secondary" => "secondaire",
        other => other,
    });
    members.extend(nature.map(|nature| ("nature".into(), Json::text(nature.to_owned()))));
    if !reserves.is_empty() {
        members.push(("reserves".into(), Json::List(reserves)));
    }

    Json::Object(members)
}
