//! A call of the API that anybody can edit and run on a page, without a key or a quota. The answer
//! has the exact bytes of the API, laid out with one member on each line.

use bareme_api::calls::calculate;
use bareme_api::calls::route::{self, Route};
use bareme_api::data;
use bareme_api::wire::headers::BATCH_METHODS;
use bareme_api::wire::problem::{Problem, kinds};
use bareme_api::wire::query::{Query, value};
use bareme_engine::service::Rules;
use bareme_show::query_string;
use jiff::civil::Date;
use maud::{Markup, html};
use uuid::Uuid;

use super::language::localized;
use super::text::say;
use super::{PageRequest, developers};

/// Path of the answer to a call, for the script of the page.
pub(super) const PATH: &str = "/site/appel";

/// Field of the form with the call.
const FIELD: &str = "appel";

/// Greatest length of a shown answer in bytes: the schedule of a loan has thousands of lines.
const SHOWN: usize = 20_000;

/// The call in a query of the page.
pub(super) fn sent(query: &str) -> Option<String> {
    let pairs = Query::read(query).pairs;
    value(&pairs, FIELD)
        .filter(|call| !call.trim().is_empty())
        .map(str::to_owned)
}

/// The query of a page that shows the answer to a call.
pub(super) fn query(call: &str) -> String {
    query_string::from_pairs(&[(FIELD.to_owned(), call.to_owned())])
}

/// The form with the call, and its answer.
pub(super) fn form(request: &PageRequest, call: &str) -> Markup {
    let lang = request.lang();
    html! {
        div.beside {
            // Without the script, the form leads to this page again, with the answer in it.
            form.call action=(localized(developers::PATH, lang)) method="get"
                data-live=(localized(PATH, lang)) {
                label for="appel" {
                    (say(lang, "Appel, à modifier et à relancer", "Call, to change and run again"))
                }
                div.line {
                    span.method aria-hidden="true" { "GET" }
                    input #appel name=(FIELD) value=(call) spellcheck="false" autocomplete="off"
                        maxlength="2000";
                    button { (say(lang, "Lancer", "Run")) }
                }
            }
            // A screen reader reads the answer once it is there; the focus stays in the field.
            div #reponse aria-live="polite" { (answer(request, call)) }
        }
    }
}

/// The answer to the call in a query alone, for the script of the page.
pub(super) fn part(request: &PageRequest) -> String {
    answer(request, &sent(request.query).unwrap_or_default()).into_string()
}

fn answer(request: &PageRequest, call: &str) -> Markup {
    let (rules, lang) = (request.rules_of_api(), request.lang());
    let documentation = &rules.service().documentation;
    // A refused call is shown like an answer, since it teaches as much.
    let (status, body) = match run(rules, call.trim(), request.today) {
        Ok(json) => (200, indented(&json)),
        Err(problem) => {
            let status = problem.kind.status.as_u16();
            let problem = problem.in_language(lang);
            let body = problem.into_body(Some(documentation), Uuid::nil());
            (status, format!("{body:#}"))
        }
    };

    // Cut between characters: a position within one would not be a text.
    let end = body
        .char_indices()
        .map(|(at, _)| at)
        .find(|at| *at >= SHOWN);

    html! {
        p.status { (say(lang, "Statut ", "Status ")) strong { (status) } }
        pre tabindex="0" {
            @match end {
                Some(end) => {
                    (body.get(..end).unwrap_or_default()) "\n… (" (body.len()) (say(lang, " octets en tout)", " bytes in all)"))
                }
                None => (body),
            }
        }
    }
}

fn run(rules: &Rules, call: &str, today: Date) -> Result<String, Problem> {
    // A whole address may have been pasted.
    let call = call
        .split_once("://")
        .and_then(|(_, rest)| rest.find('/').and_then(|at| rest.get(at..)))
        .unwrap_or(call);

    // The path is looked up like that of a real call; what needs another method, or no answer of
    // JSON, is explained.
    let (path, query) = call.split_once('?').unwrap_or((call, ""));

    let answer = match route::find(rules, path) {
        Some(Route::Endpoint(_, called)) => {
            return calculate::answer(rules, called, Query::read(query), None, today)
                .map(|answer| answer.to_json());
        }
        Some(Route::Data(variant, asked)) => {
            data::answer(rules, variant, asked, Query::read(query), today)?
        }
        Some(Route::Batch(..)) => return Err(Problem::method_other_than(BATCH_METHODS, "GET")),
        Some(Route::Description(_) | Route::Published(_)) | None => {
            let (known, near) = (route::paths(rules.service()), route::near(rules, path));
            return Err(Problem::not_found(path, &known, near.as_deref()));
        }
    };

    // Numbers keep their digits: the text of the API is shown, not a value that was parsed.
    String::from_utf8(answer.to_vec()).map_err(|_| Problem::plain(&kinds::INTERNAL))
}

/// JSON with one member on each line. Numbers are not parsed, so they keep their digits.
fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let (mut in_text, mut escaped) = (false, false);
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend((0..depth).map(|_| "  "));
    };

    // Within a text nothing is laid out; a quote after a backslash does not end it.
    let mut characters = json.chars().peekable();
    while let Some(character) = characters.next() {
        if in_text {
            out.push(character);
            in_text = escaped || character != '"';
            escaped = !escaped && character == '\\';
            continue;
        }
        match character {
            '{' | '['
                if characters
                    .peek()
                    .is_some_and(|next| matches!(next, '}' | ']')) =>
            {
                out.push(character)
            }
            '{' | '[' => {
                depth = depth.saturating_add(1);
                out.push(character);
                line(&mut out, depth);
            }
            '}' | ']' => {
                if !out.ends_with(['{', '[']) {
                    depth = depth.saturating_sub(1);
                    line(&mut out, depth);
                }
                out.push(character);
            }
            ',' => {
                out.push(',');
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            other => {
                in_text = other == '"';
                out.push(other);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_shown_a_member_a_line_and_its_numbers_as_they_are() {
        let json = r#"{"a":0.10000000000000000001,"b":[1,{"c":"x,\"{y}:"}],"d":[],"e":{}}"#;
        let shown = "{\n  \"a\": 0.10000000000000000001,\n  \"b\": [\n    1,\n    {\n      \"c\": \
                     \"x,\\\"{y}:\"\n    }\n  ],\n  \"d\": [],\n  \"e\": {}\n}";
        assert_eq!(indented(json), shown);
    }
}
