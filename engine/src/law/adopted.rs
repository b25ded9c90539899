//! A dated file in force rests on adopted law: none of its texts says that it is a bill.
//!
//! Evidence (`checked_with`) and what is awaited (`watch`) may be bills; a draft may be one whole.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::law::figure::{CONFIRMED, NOTE, SOURCE, parts_of};
use crate::text::bill_words::{address_of_a_bill, words_of_a_bill, words_of_no_law};
use crate::text::{Node, PlacedText, Problem, Report};

/// The texts of a dated file that say what it is.
const OF_FILE: [&str; 3] = ["title", "citation", NOTE];

/// The texts of a source that say what it is; its publisher may be called anything.
const OF_SOURCE: [&str; 4] = ["title", "article", "published", "identifier"];

/// Reports the texts of a dated file in force that say that they are no law yet.
pub(crate) fn check_adopted(node: &Node, report: &mut Report) {
    // A source that only serves as evidence may be a bill: those that figures cite may not.
    let figures = || node.entries_of("figures").iter().map(|(_, figure)| figure);
    let cited: BTreeSet<String> = figures()
        .flat_map(parts_of)
        .flat_map(|part| part.list_of(SOURCE))
        .map(|id| id.value)
        .collect();
    let sources = node
        .entries_of("sources")
        .iter()
        .filter(|(id, _)| cited.contains(&id.value));

    let of_file = texts(node, &OF_FILE);
    let of_sources = sources
        .clone()
        .flat_map(|(_, source)| texts(source, &OF_SOURCE));
    let of_figures = figures()
        .flat_map(parts_of)
        .flat_map(|part| texts(part, &[NOTE, CONFIRMED]));

    let stated = |text: &'_ PlacedText| words_of_a_bill(&text.value);
    let texts = of_file.chain(of_sources).chain(of_figures);
    let texts = texts.filter_map(|text| Some((text, stated(text)?)));
    let laws = sources.flat_map(|(_, source)| other_than_law(source));
    for (text, words) in texts.chain(laws) {
        let place = text.part(words.clone());
        let stated = text.value.get(words).unwrap_or_default().to_owned();
        report.error(&place, Problem::BillInForce { stated });
    }
}

/// Whether a source says that it is no law yet, or another text than the law.
pub(crate) fn is_bill(source: &Node) -> bool {
    let mut texts = texts(source, &OF_SOURCE);
    texts.any(|text| words_of_a_bill(&text.value).is_some())
        || other_than_law(source).next().is_some()
}

/// What a source that is given as law says of itself, or by its address, that makes it another
/// text: a report, an amendment, the address of a bill.
fn other_than_law(source: &Node) -> impl Iterator<Item = (&PlacedText, Range<usize>)> {
    let is_law = source
        .text_of("kind")
        .is_none_or(|kind| kind.value == "law");
    let stated = OF_SOURCE.iter().filter_map(|key| {
        let text = source.text_of(key)?;
        Some((text, words_of_no_law(&text.value, *key == "title")?))
    });
    let address = source
        .text_of("url")
        .and_then(|url| Some((url, address_of_a_bill(&url.value)?)));
    stated.chain(address).filter(move |_| is_law)
}

fn texts<'n>(node: &'n Node, keys: &'n [&str]) -> impl Iterator<Item = &'n PlacedText> {
    keys.iter().filter_map(|key| node.text_of(key))
}

#[cfg(test)]
mod tests {
    use crate::law::draft::Drafts;
    use crate::testing::{GROSS, method, read_as, scale};

    /// The errors of a scale in which a text is replaced, each with what it marks.
    fn errors(figure: &str, edit: impl Fn(String) -> String) -> Vec<String> {
        let keys = "figures:\n  f: {v: rate}\nsteps:\n  x: brut * f.v\nanswer:\n  x: x\n";
        let files = [
            ("method.yaml", method(&format!("{GROSS}{keys}"))),
            (
                "2026-01-01.yaml",
                edit(scale(&format!("  f: {{v: 10%, source: s{figure}}}"))),
            ),
        ];
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        let (_, report) = read_as(&files, Drafts::Aside);
        let marked = |one: &crate::text::Diagnostic| {
            let place = one.place();
            format!("{} {}", one.code(), &place.file().text()[place.span()])
        };
        report.errors().map(marked).collect()
    }

    #[test]
    fn no_file_in_force_calls_itself_a_bill() {
        let stated = |from: &'static str, to: &'static str| {
            errors("", move |text| text.replacen(from, to, 1))
        };
        assert_eq!(errors("", |text| text), Vec::<String>::new());
        assert_eq!(
            stated("title: Titre", "title: \"Projet de barème\""),
            ["G32 Projet"]
        );
        assert_eq!(
            stated("sources:", "citation: Loi non votée\nsources:"),
            ["G32 votée"]
        );
        assert_eq!(
            stated("sources:", "note: Texte du projet de loi\nsources:"),
            ["G32 projet"]
        );
        assert_eq!(
            stated("title: Source", "title: Proposition de loi"),
            ["G32 Proposition"]
        );
        assert_eq!(
            stated(
                "title: Source",
                "title: Loi, identifier: projet de loi n° 3"
            ),
            ["G32 projet"]
        );
        for other in [
            "title: Rapport général",
            "title: \"Texte adopté n° 45 par le Sénat\"",
            "title: Loi, published: JO à paraître",
            "title: Loi, url: https://e.org/l17b1906_projet-loi.pdf",
        ] {
            assert_eq!(stated("title: Source", other).len(), 1, "{other}");
        }
        let official = |text: String| {
            text.replacen("kind: law", "kind: administration", 1)
                .replacen("title: Source", "title: Rapport annuel", 1)
        };
        assert_eq!(errors("", official), Vec::<String>::new());
        assert_eq!(
            errors(", note: \"Lu dans le projet\"", |text| text),
            ["G32 projet"]
        );
        assert_eq!(
            errors(", confirmed: \"d’après le PLF\"", |text| text),
            ["G32 PLF"]
        );
    }

    #[test]
    fn evidence_and_what_is_awaited_may_be_bills_and_a_draft_whole() {
        let evidence =
            "sources:\n  e: {kind: administration, title: Projet de loi, publisher: P}\n";
        let watch = "watch: [{text: Projet de loi, expected: 2026-12-31, changes: le taux}]\n";
        let with = |added: &str| {
            let added = added.to_owned();
            move |text: String| text.replacen("sources:\n", &added, 1)
        };
        assert_eq!(
            errors(", checked_with: e", with(evidence)),
            Vec::<String>::new()
        );
        assert_eq!(
            errors("", with(&format!("{watch}sources:\n"))),
            Vec::<String>::new()
        );
        assert_eq!(
            errors("; e", with(evidence)),
            ["G32 Projet"],
            "a figure may not rest on it"
        );
        let draft = "state: draft\nnote: Projet de loi\nsources:\n";
        assert_eq!(errors("", with(draft)), Vec::<String>::new());
    }
}
