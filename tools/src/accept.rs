//! Accepts the computed values of a case as expected ones. The origin then says so, and the earlier
//! values with their origin stay beside it until somebody has worked the case out by hand.

use bareme_engine::Folder;
use bareme_engine::authoring::{Content, Node};
use bareme_engine::run::Case;
use bareme_engine::set::{CaseOutcome, Difference};
use bareme_engine::text::PlacedText;
use rust_decimal::Decimal;

use crate::edit::{Edit, extent, quoted, without_entry};

/// A case with its rewritten values.
#[derive(Debug)]
pub(crate) struct Rewritten {
    pub edits: Vec<Edit>,
    /// Number of rewritten values.
    pub values: usize,
    /// Whether its origin becomes `computed`, and was not before.
    pub is_computed: bool,
    /// Whether the case then passes.
    pub is_right: bool,
}

/// A case that ran.
pub(crate) struct CaseRun<'f> {
    pub folder: &'f Folder,
    pub case: &'f Case,
    pub outcome: CaseOutcome<'f>,
}

/// A field and its earlier expected value, as written.
type Before = (String, String);

impl<'f> CaseRun<'f> {
    /// Runs the cases of a folder.
    pub(crate) fn all(folder: &'f Folder) -> impl Iterator<Item = Self> {
        folder.cases().iter().map(move |case| Self {
            folder,
            case,
            outcome: case.outcome(folder),
        })
    }

    /// The edits of the differing values and of the origin in its file; `None` where a mismatch is
    /// not an expected value.
    pub(crate) fn rewritten(&self, file: &Node, text: &str) -> Option<Rewritten> {
        // A case has no id: it is recognised by the place of its first key.
        let is_its_own = |node: &&Node| {
            node.entries()
                .first()
                .is_some_and(|(key, _)| key.place.span() == self.case.place.span())
        };

        // 1. The differing values, each replaced where it is written.
        let node = file.get("cases")?.items().iter().find(is_its_own)?;
        let expect = node.get("expect").map(Node::entries).unwrap_or_default();

        let mut edits = Vec::new();
        let mut before: Vec<Before> = Vec::new();
        let mut is_right = true;
        for Difference { field, found, .. } in &self.outcome.differences {
            let entry = expect.iter().find(|(key, _)| key.value == field.value);
            // A list of the answer is expected element by element, so a new list has no single
            // place in the file: the case stays wrong.
            match entry {
                Some((key, node)) if !found.starts_with(['[', '{']) => {
                    edits.push(Edit::replace(
                        value_place(text, key, node),
                        format!(" {found}"),
                    ));
                    // The earlier value is recorded as it was written, with its spaces and quotes.
                    before.push((field.value.clone(), written(text, node)));
                }
                _ => is_right = false,
            }
        }

        // Nothing can be rewritten: the origin stays as well.
        if edits.is_empty() {
            return None;
        }

        // 2. The warning about a day after the last scale, where a newer scale covers the day.
        let values = edits.len();
        let warns = self.warning_that_goes(node);
        // Other mismatches, as of a step or of an error, are not values: they stay, and so does the
        // failure.
        is_right &= self.outcome.others.is_ok() || warns.is_some();
        edits.extend(warns.map(|entry| without_entry(text, entry)));

        // 3. The origin. Where every value is again the one that was worked out by hand, so is the
        // origin; otherwise it is `computed`.
        let origin = node.get("origin")?;
        let found = &self.outcome.differences;
        let earlier = restored(text, origin, &before, found);
        let is_computed = earlier.is_none() && !self.case.is_computed;
        let origin_now = earlier.or_else(|| computed(text, origin, &before, warns));
        edits.extend(origin_now.map(|now| Edit::replace(extent(text, origin), now)));

        Some(Rewritten {
            edits,
            values,
            is_computed,
            is_right,
        })
    }

    /// The expected warning of a day after the last scale, in a case that a newer scale covers now
    /// and that also expects other things.
    fn warning_that_goes<'n>(&self, node: &'n Node) -> Option<&'n (PlacedText, Node)> {
        // The case must fail for nothing else than the missing warning.
        let is_alone = self.outcome.others.errors().count() == 1;
        if !is_alone || !self.case.expects_uncovered_day(self.folder) {
            return None;
        }
        node.entries().iter().find(|(key, _)| key.value == "warns")
    }
}

/// The origin of a case with computed values: the one that somebody gave is kept in `before`,
/// however often the case is rewritten. There is none where the values were computed from the
/// start.
fn computed(
    text: &str,
    origin: &Node,
    before: &[Before],
    warns: Option<&(PlacedText, Node)>,
) -> Option<String> {
    // The origin by hand: that of the case, or the one kept in `before` by an earlier rewriting. A
    // case computed from the start has none, and `?` ends here.
    let earlier = origin.get("before");
    let is_computed = origin
        .get("kind")
        .and_then(Node::text)
        .is_some_and(|kind| kind.value == "computed");
    let first = if is_computed {
        earlier?.get("origin")?
    } else {
        origin
    };

    // A field keeps its first value: a second rewriting of it replaces a computed value, which
    // nobody worked out.
    let kept_fields = earlier.map(kept).unwrap_or_default();
    let is_new = |(field, _): &&Before| kept_fields.iter().all(|(kept, _)| kept != field);
    let fields = kept_fields
        .iter()
        .map(|(field, node)| (field.clone(), written(text, node)));
    let fields = fields.chain(before.iter().filter(is_new).cloned());

    let fields: Vec<String> = fields
        .map(|(field, value)| format!("{field}: {value}"))
        .collect();
    // A removed warning is kept as well, otherwise `restored` could not give the case back whole.
    let warns = warns
        .map(|(_, node)| node)
        .or_else(|| earlier?.get("warns"));
    let warns = warns
        .map(|node| format!("warns: {}, ", written(text, node)))
        .unwrap_or_default();

    let (fields, first) = (fields.join(", "), written(text, first));
    Some(format!(
        "{{kind: computed, before: {{expect: {{{fields}}}, {warns}origin: {first}}}}}"
    ))
}

/// The earlier origin of a computed case, where every value is again the earlier one.
fn restored(text: &str, origin: &Node, before: &[Before], found: &[Difference]) -> Option<String> {
    let earlier = origin
        .get("before")
        .filter(|earlier| earlier.get("warns").is_none())?;
    // A case whose warning was removed stays computed: its day is covered by another scale now.
    let kept_fields = kept(earlier);
    let is_again = |difference: &Difference| {
        let earlier = kept_fields
            .iter()
            .find(|(field, _)| *field == difference.field.value);
        earlier.is_some_and(|(_, node)| same(&written(text, node), &difference.found))
    };

    // Every value rewritten then differs now: those that do not differ are still the computed ones.
    let is_whole = found.len() == before.len() && kept_fields.len() == found.len();
    if !is_whole || !found.iter().all(is_again) {
        return None;
    }
    Some(written(text, earlier.get("origin")?))
}

/// The earlier expected values of a computed case.
fn kept(before: &Node) -> Vec<(String, &Node)> {
    let entries = before.get("expect").map(Node::entries).unwrap_or_default();
    entries
        .iter()
        .map(|(field, node)| (field.value.clone(), node))
        .collect()
}

/// Whether two values are equal, compared as numbers if they are numbers.
fn same(one: &str, other: &str) -> bool {
    // `1 296.00` and `1296` are the same amount.
    let plain = |text: &str| text.trim_matches('"').replace(' ', "");
    let (one, other) = (plain(one), plain(other));
    match (one.parse::<Decimal>(), other.parse::<Decimal>()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

/// The range of the value of a key, after its colon; it may be empty.
fn value_place(text: &str, key: &PlacedText, node: &Node) -> std::ops::Range<usize> {
    // The parser has no place for an empty value, nor for its colon: both are found in the text.
    let end = key.place.span().end;
    let colon = text
        .get(end..)
        .and_then(|rest| rest.find(':'))
        .map_or(end, |colon| end + colon + 1);

    let end = match &node.content {
        Content::Empty => {
            // An empty value ends at the next separator or comment of its line; blanks after it are
            // not part of it.
            let rest = text.get(colon..).unwrap_or_default();
            let value = rest
                .split([',', '}', '#', '\n', '\r'])
                .next()
                .unwrap_or_default()
                .trim_end();
            colon + value.len()
        }
        _ => extent(text, node).end,
    };
    colon..end
}

/// A value as written between braces: on one line, quoted where needed.
fn written(text: &str, node: &Node) -> String {
    match &node.content {
        Content::Empty => String::new(),
        Content::Text(value) => {
            // The text is copied as its author wrote it where it means the same between braces: a
            // text that contains a comma or a colon needs quotes there, and a quoted text over
            // several lines is joined.
            let raw = text.get(value.place.span()).unwrap_or_default();
            let is_plain = |letter: char| letter.is_alphanumeric() || " ._-%".contains(letter);
            let is_quoted = raw.starts_with(['"', '\'']) && !raw.contains('\n');
            if is_quoted || raw.chars().all(is_plain) {
                raw.to_owned()
            } else {
                quoted(&value.value)
            }
        }
        Content::Map(entries) => {
            let entries = entries
                .iter()
                .map(|(key, node)| format!("{}: {}", key.value, written(text, node)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Content::List(items) => {
            let items = items.iter().map(|node| written(text, node));
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
    }
}
