//! The sources of an answer, and how certain its figures are.

use bareme_engine::authoring::Node;

use crate::compute::Run;
use crate::fields::{Member, Members};
use crate::json::Json;
use crate::law::{Figure, Row, entries, text};

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

/// The figures whose option is on, and the rows found, each with what sets it, what it was checked
/// against and what is to be known of it; in the order of the method's figures, then of the rows
/// found.
pub(crate) fn citing<'r>(run: &'r Run) -> Vec<(&'r Figure, &'r Row, &'r [String])> {
    let law = run.law;
    let is_on = |figure: &&Figure| {
        figure
            .option
            .as_ref()
            .is_none_or(|option| run.on.contains(option))
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

/// Sources of the figures; with the steps, the evidence comes after them.
pub(crate) fn references(run: &Run, with_evidence: bool) -> Json<'static> {
    let law = run.law;
    let citing = citing(run);
    let sources = || entries(law.scale.as_ref().unwrap_or(&law.method), "sources");
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

    for (id, source) in sources()
        .iter()
        .filter(|(id, source)| sets(&id.value, source))
    {
        list.push(reference(
            &id.value,
            source,
            reserves(&citing, Some(&id.value)),
        ));
    }

    let evidence = sources()
        .iter()
        .filter(|(id, source)| !sets(&id.value, source) && proves(&id.value, source));
    for (id, source) in evidence.filter(|_| with_evidence) {
        list.push(reference(&id.value, source, Vec::new()));
    }

    Json::List(list)
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
