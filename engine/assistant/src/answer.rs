//! The layout of an answer, as sentences for people and members for programs, in at most two
//! kilobytes unless details are asked for. Parts that are left out are mentioned; the result, its
//! date, its citation and its link never are.

use bareme_engine::{Lang, say};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

use crate::reserves::{Nature, Reserve};

/// Greatest length of an answer in bytes of JSON, unless details are asked for.
pub(crate) const MAX_ANSWER_LENGTH: usize = 2000;

/// Lengths, in characters, to which the texts of reserves are shortened, in turn, until an answer
/// fits.
const RESERVE_LENGTHS: [usize; 4] = [600, 240, 120, 60];

/// Lengths, in characters, to which lines of the text are shortened; the members keep the whole
/// text.
const LINE_LENGTHS: [usize; 3] = [usize::MAX, 160, 80];

/// Reserves that even the shortest answer has; of the others it gives the number.
const MIN_RESERVES: usize = 2;

/// An answer, before it is laid out.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// Members at the start of the answer, each with its line of text, if it has one.
    pub head: Vec<Part>,
    /// The list of results, the most important first.
    pub list: Parts,
    /// Reserves: the doubts about the answer.
    pub reserves: Vec<Reserve>,
    /// Members at the end of the answer: date, citation, link.
    pub tail: Vec<Part>,
    /// Whether everything is shown, however long it is.
    pub is_whole: bool,
}

/// A member of an answer, with its line of text.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub name: String,
    pub value: Value,
    /// Line of the text; empty where the text leaves it out.
    pub line: String,
}

/// A list of parts, which may be shortened from its end.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// Name of the member that holds them.
    pub name: &'static str,
    /// Whether that is an object with the names of the parts as keys; else it is an array of their
    /// values.
    pub is_object: bool,
    pub parts: Vec<Part>,
    /// Number of parts that are always kept.
    pub fewest: usize,
}

impl Part {
    pub(crate) fn new(
        name: impl Into<String>,
        value: impl Into<Value>,
        line: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
            line: line.into(),
        }
    }
}

/// How much of an answer to show.
#[derive(Debug, Clone, Copy)]
struct Room {
    parts: usize,
    reserves: usize,
    reserve_length: usize,
    line_length: usize,
}

impl Answer {
    /// The result of the tool, shortened until it fits.
    pub(crate) fn into_result(self, lang: Lang) -> CallToolResult {
        let all = Room {
            parts: self.list.parts.len(),
            reserves: self.reserves.len(),
            reserve_length: usize::MAX,
            line_length: usize::MAX,
        };

        // With `detail: true` the caller has asked for the length.
        if self.is_whole {
            return self.laid_out(all, lang);
        }

        let fewest = self.list.fewest.min(all.parts);
        let few = MIN_RESERVES.min(all.reserves);

        // From the roomiest to the tightest: the texts of reserves are shortened first, then their
        // number, and lines of the text last, since those repeat what the members have.
        let rooms = LINE_LENGTHS.iter().flat_map(|line_length| {
            let of_reserves = RESERVE_LENGTHS
                .iter()
                .flat_map(|length| [(all.reserves, *length), (few, *length)]);
            of_reserves.map(|(reserves, reserve_length)| Room {
                reserves,
                reserve_length,
                line_length: *line_length,
                ..all
            })
        });

        let mut shortest = all;
        for room in rooms {
            let fitting = |parts: usize| {
                let made = self.laid_out(Room { parts, ..room }, lang);
                (length(&made) <= MAX_ANSWER_LENGTH).then_some(made)
            };

            if let Some(fits) = most(fewest, all.parts, fitting) {
                return fits;
            }

            shortest = Room {
                parts: fewest,
                ..room
            };
        }

        // Nothing fits: the shortest answer is sent all the same.
        self.laid_out(shortest, lang)
    }

    fn laid_out(&self, room: Room, lang: Lang) -> CallToolResult {
        let (mut lines, mut members) = (Vec::new(), Map::new());

        // A part may have a line without a member, or a member without a line.
        let add = |part: &Part, lines: &mut Vec<String>, members: &mut Map<String, Value>| {
            if !part.line.is_empty() {
                lines.push(part.line.clone());
            }
            if !part.value.is_null() {
                members.insert(part.name.clone(), part.value.clone());
            }
        };

        self.head
            .iter()
            .for_each(|part| add(part, &mut lines, &mut members));

        let shown = || self.list.parts.iter().take(room.parts);

        // An answer without a question, `Answer::default()`, has no list.
        if !self.list.name.is_empty() {
            let value = match self.list.is_object {
                true => Value::Object(
                    shown()
                        .map(|part| (part.name.clone(), part.value.clone()))
                        .collect(),
                ),
                false => shown().map(|part| part.value.clone()).collect(),
            };
            members.insert(self.list.name.to_owned(), value);
            lines.extend(
                shown()
                    .map(|part| part.line.clone())
                    .filter(|line| !line.is_empty()),
            );
        }

        let mut reserves: Vec<Reserve> = self
            .reserves
            .iter()
            .take(room.reserves)
            .map(|reserve| cut(reserve, room.reserve_length))
            .collect();
        reserves.extend(self.left_out(room, lang));

        let words = |reserve: &Reserve| {
            let (nature, text) = (nature_in_words(reserve.nature, lang), &reserve.text);
            say!(lang, "{nature} : {text}", "{nature}: {text}")
        };

        lines.extend(reserves.iter().map(words));
        members.insert(
            "reserves".to_owned(),
            reserves.iter().map(Reserve::described).collect(),
        );

        self.tail
            .iter()
            .filter(|part| !part.value.is_null())
            .for_each(|part| add(part, &mut lines, &mut members));

        // A shortened address would be useless.
        let line = |line: String| {
            if line.contains("https://") {
                line
            } else {
                shortened(&line, room.line_length)
            }
        };

        let lines: Vec<String> = lines.into_iter().map(line).collect();

        // The protocol has both: the text for people, and for clients that read nothing else; the
        // members for programs.
        let mut result = CallToolResult::success(vec![ContentBlock::text(lines.join("\n"))]);
        result.structured_content = Some(Value::Object(members));
        result
    }

    /// The sentence that names the parts left out.
    fn left_out(&self, room: Room, lang: Lang) -> Option<Reserve> {
        // The model is given the number of parts left out, so that it knows to ask for them.
        let parts = self.list.parts.len().saturating_sub(room.parts);
        let reserves = self.reserves.len().saturating_sub(room.reserves);

        let is_cut = self
            .reserves
            .iter()
            .take(room.reserves)
            .any(|reserve| is_longer(reserve, room.reserve_length));

        if parts == 0 && reserves == 0 && !is_cut {
            return None;
        }
        let mut omitted = Vec::new();

        if parts > 0 {
            omitted.push(say!(
                lang,
                "{parts} autre(s) élément(s)",
                "{parts} more item(s)"
            ));
        }

        if reserves > 0 {
            omitted.push(say!(
                lang,
                "{reserves} autre(s) réserve(s)",
                "{reserves} more reservation(s)"
            ));
        }
        let omitted = bareme_engine::text::pluralized(&omitted.join(", "), lang);
        let omitted = if omitted.is_empty() {
            omitted
        } else {
            format!("{omitted} ; ")
        };

        let text = say!(
            lang,
            "{omitted}tout avec `detail: true`.",
            "{omitted}everything with `detail: true`."
        );

        Some(Reserve::new(Nature::Shortened, text))
    }
}

/// The longest result that fits, by number of parts; fewer parts never make it longer.
fn most<T>(fewest: usize, most: usize, fitting: impl Fn(usize) -> Option<T>) -> Option<T> {
    if let Some(all) = fitting(most) {
        return Some(all);
    }

    let mut found = fitting(fewest)?;

    // The number of parts is found by bisection: an answer of two hundred fields is laid out eight
    // times.
    let (mut fits, mut beyond) = (fewest, most);
    while beyond.saturating_sub(fits) > 1 {
        // Fewer parts never make an answer longer, so that the bound can be bisected.
        let middle = fits.midpoint(beyond);
        match fitting(middle) {
            Some(more) => (found, fits) = (more, middle),
            None => beyond = middle,
        }
    }

    Some(found)
}

/// Length in bytes of a result as it is sent.
pub(crate) fn length(result: &CallToolResult) -> usize {
    // As it is sent: the text and the members both take room in the context of the model.
    serde_json::to_string(result).map_or(usize::MAX, |text| text.len())
}

fn is_longer(reserve: &Reserve, length: usize) -> bool {
    reserve.text.chars().nth(length).is_some()
}

fn cut(reserve: &Reserve, length: usize) -> Reserve {
    Reserve {
        text: shortened(&reserve.text, length),
        ..reserve.clone()
    }
}

/// A text shortened to a number of characters.
pub(crate) fn shortened(text: &str, length: usize) -> String {
    // Characters are counted, since a cut within one would be no text.
    match text.char_indices().nth(length) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default().trim_end()),
        None => text.to_owned(),
    }
}

fn nature_in_words(nature: Nature, lang: Lang) -> String {
    match nature {
        Nature::Unverified => say!(lang, "Non vérifié", "Not verified"),
        Nature::NotCovered => say!(lang, "Non couvert", "Not covered"),
        Nature::Uncertain => say!(lang, "Chiffre incertain", "Uncertain figure"),
        Nature::Note => say!(lang, "Remarque", "Remark"),
        Nature::Warning => say!(lang, "Avertissement", "Warning"),
        Nature::Shortened => say!(lang, "Abrégé", "Shortened"),
    }
}

/// The members of an object, without those that are `null`.
pub(crate) fn object(object: Value) -> Map<String, Value> {
    let mut members = if let Value::Object(members) = object {
        members
    } else {
        Map::new()
    };

    // An absent member says the same in fewer bytes.
    members.retain(|_, value| !value.is_null());

    members
}

/// The schema of the members that all answers and refusals have, merged with those of a tool.
pub(crate) fn schema(own: Value, required: &[&str]) -> Map<String, Value> {
    let text = json!({"type": "string"});

    let mut properties = object(own);

    let members = json!({"nature": text, "code": text, "texte": text, "parametre": text});
    let reserve = json!({"type": "object", "properties": members, "required": ["nature", "texte"]});

    properties.insert(
        "reserves".to_owned(),
        json!({"type": "array", "items": reserve}),
    );

    // The members of a refusal: clients check the result of a call against one schema, whichever it
    // is.
    for name in ["code", "nature", "detail"] {
        properties.insert(name.to_owned(), text.clone());
    }
    properties.insert(
        "parametres".to_owned(),
        json!({"type": "array", "items": {"type": "object"}}),
    );
    properties.insert("autres".to_owned(), json!({"type": "integer"}));
    properties.insert(
        "versions".to_owned(),
        json!({"type": "array", "items": text}),
    );
    properties.insert("conservees_depuis".to_owned(), text.clone());

    let answered: Vec<&str> = required.iter().copied().chain(["reserves"]).collect();

    object(json!({
        "type": "object", "properties": properties,
        "anyOf": [{"required": answered}, {"required": ["code", "nature", "detail"]}],
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(parts: usize, reserves: usize) -> Answer {
        let part = |index: usize| {
            Part::new(
                format!("champ_{index}"),
                index,
                format!("Un champ de la réponse : {index}"),
            )
        };
        Answer {
            head: vec![Part::new("titre", "Essai", "Essai")],
            list: Parts {
                name: "reponse",
                is_object: true,
                parts: (0..parts).map(part).collect(),
                fewest: 1,
            },
            reserves: (0..reserves)
                .map(|_| Reserve::new(Nature::Warning, "é".repeat(700)))
                .collect(),
            tail: vec![Part::new(
                "lien",
                "https://bareme.example",
                "Lien : https://bareme.example",
            )],
            is_whole: false,
        }
    }

    #[test]
    fn a_short_answer_is_whole() {
        let result = long(3, 0).into_result(Lang::Fr);
        let members = result.structured_content.unwrap();
        assert_eq!(
            (
                members["reponse"].as_object().unwrap().len(),
                members["reserves"].as_array().unwrap().len()
            ),
            (3, 0)
        );
    }

    #[test]
    fn a_long_answer_keeps_what_matters_and_says_what_it_left_out() {
        for (parts, reserves) in [(200, 0), (200, 9), (1, 9), (0, 2)] {
            let result = long(parts, reserves).into_result(Lang::Fr);
            assert!(
                length(&result) <= MAX_ANSWER_LENGTH,
                "{parts} {reserves}: {}",
                length(&result)
            );
            let members = result.structured_content.unwrap();
            let shown = members["reponse"].as_object().unwrap().len();
            assert!(shown >= parts.min(1) && members["lien"] == "https://bareme.example");
            let last = members["reserves"].as_array().unwrap().last().unwrap();
            assert_eq!(last["nature"], "abrege");
            assert!(last["texte"].as_str().unwrap().contains("`detail: true`"));
        }
    }

    #[test]
    fn a_whole_answer_has_everything() {
        let result = Answer {
            is_whole: true,
            ..long(200, 9)
        }
        .into_result(Lang::En);
        let members = result.structured_content.unwrap();
        assert_eq!(members["reponse"].as_object().unwrap().len(), 200);
        assert_eq!(
            members["reserves"][8]["texte"]
                .as_str()
                .unwrap()
                .chars()
                .count(),
            700
        );
    }
}
