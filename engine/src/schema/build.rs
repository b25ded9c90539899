//! The schemas, written from the tables of the language.
//!
//! A scalar of a rule file is the text that was written. An editor reads `1200` as a number and `true`
//! as a boolean where the engine reads their texts: each schema accepts both. `x-form` says the form in
//! words, in French and English, for the messages.

use serde_json::{Map, Value, json};

use crate::answer::FORMS;
use crate::answer::members::{LINE, Member, PAYMENT, SLICE};
use crate::figure::{BoundWord, Shape};
use crate::input::Input;
use crate::inverse::Find;
use crate::method::Method;
use crate::source::SourceKind;
use crate::step::{KINDS, KeyForm, Kind, StepKey};
use crate::types::Type;

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";
const NAME: &str = "^[a-z][a-z0-9_]*$";
const DATE: &str = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";
const AMOUNT: &str = r"^-?[0-9]{1,3}( [0-9]{3})+(\.[0-9]+)?$|^-?[0-9]+(\.[0-9]+)?$|^-?[0-9][0-9 .]* */ *[0-9][0-9 .]*$";
const RATE: &str = r"^-?[0-9][0-9 ]*(\.[0-9]+)? ?%$|^-?[0-9][0-9 .]* */ *[0-9][0-9 .]*$|^-?0(\.0+)?$";

/// Marks a key whose value is the path of the folder that the file is in.
pub(super) const PATH_OF_FOLDER: &str = "x-path-of-folder";

fn described(mut schema: Value, help: &str) -> Value {
    if let Value::Object(members) = &mut schema {
        members.insert("description".to_owned(), help.into());
    }
    schema
}

fn scalar(help: &str) -> Value {
    json!({"type": ["string", "number", "boolean"], "description": help})
}

fn text(help: &str) -> Value {
    json!({"type": "string", "minLength": 1, "description": help})
}

fn amount(help: &str) -> Value {
    json!({"type": ["string", "number"], "pattern": AMOUNT, "description": help,
        "x-form": ["un montant ou un nombre : `21.50`, `-3`, `1 296 000`, ou une fraction `137/51`", "an amount or a number: `21.50`, `-3`, `1 296 000`, or a fraction `137/51`"]})
}

fn rate(help: &str) -> Value {
    json!({"anyOf": [{"const": 0}, {"type": "string", "pattern": RATE}], "description": help,
        "x-form": ["un taux : `6.3%`, une fraction, ou `0`", "a rate: `6.3%`, a fraction, or `0`"]})
}

fn date(help: &str) -> Value {
    json!({"type": "string", "pattern": DATE, "description": help, "x-form": ["une date, `2026-01-31`", "a date, `2026-01-31`"]})
}

fn boolean(help: &str) -> Value {
    json!({"enum": [true, false, "true", "false"], "description": help})
}

fn one_of(words: &[&str], help: &str) -> Value {
    json!({"enum": words, "description": help})
}

/// A map whose keys are all known.
fn closed(properties: Map<String, Value>, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// A map of names to things of one form.
fn named(inside: Value, help: &str) -> Value {
    json!({"type": "object", "propertyNames": {"pattern": NAME}, "additionalProperties": inside, "description": help})
}

fn properties<const N: usize>(entries: [(&str, Value); N]) -> Map<String, Value> {
    entries.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

fn format_key() -> Value {
    json!({"const": "bareme/1", "description": "version of the rule language"})
}

fn folder_key() -> Value {
    let help = "the folder that the method is written for, its path from the root of the rules: `salaire-net/sn`";
    json!({"type": "string", "minLength": 1, "description": help, PATH_OF_FOLDER: true})
}

fn file(title: &str, properties: Map<String, Value>, required: &[&str]) -> Value {
    let mut schema = json!({"$schema": DRAFT, "title": title});
    if let (Value::Object(schema), Value::Object(members)) = (&mut schema, closed(properties, required)) {
        schema.extend(members);
    }
    tell_editors(&mut schema, None);
    schema
}

/// Beside each pattern, what an editor says instead of showing it: the form that is expected, in French.
fn tell_editors(schema: &mut Value, form: Option<&str>) {
    match schema {
        Value::Object(members) => {
            let own = members.get("x-form").and_then(|forms| forms.get(0)).and_then(Value::as_str).map(str::to_owned);
            let form = own.as_deref().or(form);
            if let (Some(form), true) = (form, members.contains_key("pattern")) {
                members.insert("patternErrorMessage".to_owned(), format!("attendu : {form}").into());
            }
            members.values_mut().for_each(|inside| tell_editors(inside, form));
        }
        Value::Array(items) => items.iter_mut().for_each(|inside| tell_editors(inside, form)),
        _ => {}
    }
}

/// Schema of `method.yaml`.
pub fn method_schema() -> Value {
    let mut entries = properties([
        ("format", format_key()),
        ("folder", folder_key()),
        ("title", text("title of the calculation, in French")),
        (
            "currency",
            json!({"type": "string", "pattern": "^[A-Z]{3}$", "description": "currency of the amounts, ISO 4217", "x-form": ["trois capitales, comme `EUR`", "three capitals, like `EUR`"]}),
        ),
        (
            "decimals",
            json!({"enum": [0, 1, 2, 3, "0", "1", "2", "3"], "description": "decimals of the amounts of the answer (2)"}),
        ),
        ("dated", boolean("false: the calculation has no figures of its own, and no dated files")),
        ("citation", text("text of `scale.source`, for a method without dates")),
        ("inputs", named(input_schema(), "what the caller sends; the names are those of the query")),
        ("checks", checks_schema()),
        ("figures", named(shape_schema(), "the shape that each dated file must fill")),
        (
            "steps",
            named(step_schema(), "what is computed, in payslip order; a formula reads inputs and the steps above"),
        ),
        ("answer", named(field_schema(), "fields of the answer, in order")),
        ("inverse", inverse_schema()),
        ("options", named(option_schema(), "parts of the law that a boolean input of the same name switches on")),
    ]);
    entries.insert("sources".to_owned(), sources_schema());
    file("Barème: method", entries, &["format", "folder", "title", "inputs", "steps", "answer"])
}

fn option_schema() -> Value {
    closed(
        properties([
            ("checks", checks_schema()),
            ("figures", named(shape_schema(), "the shape of the figures that only the option reads")),
            ("steps", named(step_schema(), "what is computed after the method's steps, where the option is on")),
            ("answer", named(field_schema(), "fields that follow those of the method, where the option is on")),
            ("inverse", inverse_schema()),
        ]),
        &["steps", "answer"],
    )
}

fn checks_schema() -> Value {
    json!({"type": "array", "items": check_schema(), "description": "refusals and warnings, in order"})
}

fn inverse_schema() -> Value {
    let entries = properties([
        ("input", text("the amount that is looked for")),
        ("field", text("the field that must reach what is asked, or stay within it")),
        (
            "find",
            one_of(
                &Find::WORDS.map(|(word, _)| word),
                "smallest: the smallest input whose field is at least what is asked; greatest: the greatest whose field is at most it",
            ),
        ),
        ("unit", scalar("what is found is a multiple of it; without it, of the unit of the input")),
        ("parameter", text("the parameter that asks for it, sent instead of the input")),
        ("label", text("what the parameter is, in French")),
    ]);
    let entry = closed(entries, &["input", "field", "find", "parameter", "label"]);
    json!({"type": "array", "minItems": 1, "items": entry, "description": "the other way round: what a caller may ask for instead of sending an input"})
}

fn input_schema() -> Value {
    let types = ["money", "rate", "number", "integer", "choice", "boolean", "text"];
    let words = json!({"type": ["string", "object"], "description": "values of a choice: `one; two`, or a map value: label",
        "propertyNames": {"pattern": NAME}, "additionalProperties": {"type": "string", "minLength": 1}});
    let aliases = json!({"type": "object", "description": "other names of the values: a map alias: value",
        "additionalProperties": {"type": "string", "minLength": 1}});
    closed(
        properties([
            ("type", one_of(&types, "type of the value")),
            ("per", one_of(&["month", "year"], "period of an amount; absent: none")),
            ("required", boolean("the caller must send it")),
            ("optional", boolean("the caller may leave it out: formulas read it under `given(…)`")),
            (
                "default",
                scalar("value when it is left out: a literal, or a formula on the inputs above and on figures"),
            ),
            ("min", scalar("least value")),
            ("max", scalar("greatest value")),
            ("step", scalar("values are multiples of it, counted from `min`")),
            ("decimals", scalar("most decimals of an amount; more are refused")),
            ("round", scalar("unit to which an amount is rounded on entry, half up")),
            ("values", words),
            ("aliases", aliases),
            ("words", text("words accepted instead of a rate, separated by `;`")),
            ("label", text("what it is, in French")),
            ("help", text("more about it, in French")),
        ]),
        &["type", "label"],
    )
}

fn check_schema() -> Value {
    closed(
        properties([
            ("if", scalar("the condition")),
            ("refuse", text("answer 400 with this French sentence, naming `input`")),
            ("input", text("the input that is refused")),
            ("warn", text("add this French sentence to the warnings of the answer")),
        ]),
        &["if"],
    )
}

fn shape_schema() -> Value {
    let forms = Type::WRITTEN.iter().map(|(name, _)| *name).filter(|name| *name != "boolean");
    let forms: Vec<String> =
        forms.flat_map(|name| [name.to_owned(), format!("optional {name}")]).chain(["key".to_owned()]).collect();
    json!({"type": "object", "minProperties": 1, "propertyNames": {"pattern": NAME},
        "additionalProperties": {"enum": forms, "description": "`key` (looked up by equality), or the type of the column; `bound` is the column of intervals"}})
}

fn step_key_schema(key: &StepKey) -> Value {
    match key.form {
        KeyForm::Formula | KeyForm::Formulas => scalar(key.help.en),
        KeyForm::Figure | KeyForm::Input => text(key.help.en),
        KeyForm::Period => one_of(&["month", "year", "none"], key.help.en),
        KeyForm::Rounding => scalar(key.help.en),
    }
}

fn kind_schema(kind: &Kind) -> Value {
    let mut entries = Map::new();
    entries.insert(kind.name.to_owned(), scalar(kind.help.en));
    for key in kind.keys {
        entries.insert(key.name.to_owned(), step_key_schema(key));
    }
    entries.extend(properties([
        ("when", scalar("false: the step gives 0, false or nothing, and the rest is skipped")),
        ("at_least", scalar("the amount is raised to it")),
        ("at_most", scalar("then lowered to it, so it wins")),
        ("round", scalar("`unit [half_up|down|up]`, several separated by `;`")),
        ("label", text("what the payslip calls it, in French")),
        ("law", text("article of the law")),
    ]));
    json!({"properties": entries, "additionalProperties": false})
}

fn step_schema() -> Value {
    let by_kind =
        KINDS.iter().map(|kind| json!({"if": {"type": "object", "required": [kind.name]}, "then": kind_schema(kind)}));
    let kinds: Map<String, Value> = KINDS.iter().map(|kind| (kind.name.to_owned(), scalar(kind.help.en))).collect();
    json!({"type": ["string", "number", "boolean", "object"], "minProperties": 1, "properties": kinds,
        "allOf": by_kind.collect::<Vec<_>>(), "description": "a formula, or a map whose first key is the kind of step"})
}

fn field_schema() -> Value {
    let help = |form: &str| match form {
        "value" => "a formula".to_owned(),
        "text" => "a fixed text".to_owned(),
        "lines" => format!("steps as lines of a payslip: {}", names(&LINE)),
        "brackets" => format!("`brackets` steps slice by slice: {}", names(&SLICE)),
        "schedule" => format!("the schedule of a `loan` step: {}", names(&PAYMENT)),
        _ => "the rows of a figure; other keys are computed members, formulas that read `figure.column`".to_owned(),
    };
    let mut entries: Map<String, Value> =
        FORMS.iter().map(|(form, _)| ((*form).to_owned(), scalar(&help(form)))).collect();
    entries.extend(properties([
        ("as", one_of(&["percent", "text"], "percent: times 100; text: a number as text")),
        ("round", scalar("unit to which the value is rounded for show")),
        ("by", scalar("values of the first keys of the rows to list")),
        ("when", scalar("false: no such field")),
        ("label", text("what the field is, in French")),
    ]));
    let closed = json!({"if": {"type": "object", "not": {"required": ["rows"]}}, "then": {"propertyNames": {"enum": entries.keys().collect::<Vec<_>>()}}});
    json!({"type": ["string", "number", "boolean", "object"], "minProperties": 1, "properties": entries,
        "additionalProperties": {"type": ["string", "number", "boolean"]}, "allOf": [closed],
        "description": "a formula, or what the field shows"})
}

/// Names of the members that are always there.
fn names(members: &[Member]) -> String {
    members.iter().filter(|member| member.always).map(|member| member.name).collect::<Vec<_>>().join(", ")
}

fn sources_schema() -> Value {
    let source = closed(
        properties([
            (
                "kind",
                one_of(
                    &SourceKind::WRITTEN.map(|(word, ..)| word),
                    "law: a legal text; administration: an official page or table; secondary: evidence only, for `checked_with`",
                ),
            ),
            ("title", text("title of the text")),
            ("article", text("articles that hold the figures")),
            ("publisher", text("who publishes it")),
            ("published", text("gazette, with its number, date and page")),
            ("date", date("date of the text")),
            ("identifier", text("stable identifier: ELI, NOR, number of the text")),
            (
                "url",
                json!({"type": "string", "pattern": "^https?://", "description": "address", "x-form": ["une adresse qui commence par https://", "an address that starts with https://"]}),
            ),
        ]),
        &["kind", "title", "publisher"],
    );
    json!({"type": "object", "additionalProperties": source, "minProperties": 1, "propertyNames": {"pattern": "^[a-z0-9][a-z0-9_-]*$"},
        "description": "where the figures come from: id -> kind, title, article, publisher, published, date, identifier, url"})
}

fn watch_schema() -> Value {
    let watched = closed(
        properties([
            ("text", text("the text that is awaited, in French")),
            ("expected", date("day by which it is expected")),
            ("changes", text("what of the scale it will change, in French")),
        ]),
        &["text", "expected", "changes"],
    );
    json!({"type": "array", "minItems": 1, "items": watched, "description": "texts to come that will change the scale"})
}

/// Schema of the dated files of a method.
pub fn scale_schema(method: &Method) -> Value {
    let method = method.whole();
    let figures: Map<String, Value> =
        method.figures().iter().map(|shape| (shape.name.clone(), figure_schema(shape, method))).collect();
    let names = |option: Option<usize>| -> Vec<&str> {
        let shapes = method.figures().iter().filter(|shape| shape.option == option);
        shapes.map(|shape| shape.name.as_str()).collect()
    };
    let mut entries = properties([
        ("format", format_key()),
        ("title", text("title of the scale, in French")),
        (
            "method",
            json!({"type": "string", "pattern": r"^method(-[a-z0-9-]+)?\.yaml$", "description": "the method, `method.yaml` if absent", "x-form": ["un fichier `method.yaml` ou `method-<nom>.yaml`", "a file `method.yaml` or `method-<name>.yaml`"]}),
        ),
        ("state", one_of(&["draft"], "the file is prepared and never in force, until this key is removed")),
        ("until", date("last day in force, if the law ends it")),
        ("known_until", date("last day checked; absent: end of the year of the file. Later days get a warning")),
        ("checked", date("day on which the figures were last read in the texts")),
        ("watch", watch_schema()),
        ("citation", text("text that names the sources in the answers, in French")),
        ("note", text("a note, in French")),
        ("sources", sources_schema()),
        ("figures", closed(figures, &names(None))),
    ]);
    let options: Vec<Value> = method
        .options()
        .iter()
        .enumerate()
        .map(|(index, option)| left_out_or_whole(&option.name, &names(Some(index))))
        .collect();
    if !options.is_empty() {
        entries.insert("without".to_owned(), text("options whose figures are not known, separated by `;`"));
    }
    let mut schema = file(&format!("Barème: {}", method.title), entries, &["format", "title", "sources", "figures"]);
    if let (Value::Object(members), false) = (&mut schema, options.is_empty()) {
        members.insert("allOf".to_owned(), options.into());
    }
    schema
}

/// A file gives every figure of an option, or says that it goes without it and gives none.
fn left_out_or_whole(option: &str, figures: &[&str]) -> Value {
    let said = json!({"type": "string", "pattern": format!("(^|;) *{option} *(;|$)")});
    let none: Map<String, Value> = figures.iter().map(|name| ((*name).to_owned(), false.into())).collect();
    json!({
        "if": {"properties": {"without": said}, "required": ["without"]},
        "then": {"properties": {"figures": {"properties": none}}},
        "else": {"properties": {"figures": {"required": figures}}},
    })
}

fn figure_schema(shape: &Shape, method: &Method) -> Value {
    let mut entries = properties([
        ("source", text("ids of the legal texts and official pages that set it, separated by `;`")),
        ("checked_with", text("ids of the sources that it was checked against, separated by `;`")),
        ("per", text("period of the amounts: month, year, or `bound month; amount year`")),
        (
            "unconfirmed",
            json!({"enum": [true, "true"], "description": "the figure is a proposal: the file is a draft, never in force, until it is confirmed and this key removed"}),
        ),
    ]);
    entries.extend(remark());
    if !shape.has_rows() {
        for column in &shape.columns {
            entries.insert(column.name.clone(), cell(column.ty, &column.name));
        }
        let required: Vec<&str> =
            shape.columns.iter().filter(|column| !column.optional).map(|column| column.name.as_str()).collect();
        return closed(entries, &required);
    }
    let mut row = properties([
        ("source", text("ids of the legal texts and official pages that set this row, separated by `;`")),
        ("checked_with", text("ids of the sources that this row was checked against, separated by `;`")),
    ]);
    row.extend(remark());
    for key in &shape.keys {
        let input = key.input.and_then(|input| input.of(method.inputs()));
        row.insert(key.name.clone(), key_cell(input));
    }
    if let Some(bound) = shape.bound {
        for (word, _) in BoundWord::ALL {
            row.insert(word.to_owned(), cell(bound, "bound of the row"));
        }
    }
    for column in &shape.columns {
        row.insert(column.name.clone(), cell(column.ty, &column.name));
    }
    let required: Vec<&str> =
        shape.columns.iter().filter(|column| !column.optional).map(|column| column.name.as_str()).collect();
    entries.insert("rows".to_owned(), json!({"type": "array", "minItems": 1, "items": closed(row, &required)}));
    closed(entries, &["rows"])
}

fn remark() -> Map<String, Value> {
    properties([
        ("confidence", one_of(&["medium", "low"], "how certain the figure is, where it is not high")),
        ("note", text("what a caller must know of it, in French")),
    ])
}

fn cell(ty: Type, help: &str) -> Value {
    match ty {
        Type::Rate => rate(help),
        Type::Text => text(help),
        _ => amount(&format!("{help}, {}", ty.name())),
    }
}

fn key_cell(input: Option<&Input>) -> Value {
    match input {
        Some(input) if matches!(input.ty, Type::Choice(_)) => {
            let words = input.values.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>();
            // One word, or several separated by `;`.
            let several = format!("^({0})( *; *({0}))*$", words.join("|"));
            json!({"type": "string", "anyOf": [{"enum": words}, {"pattern": several}], "description": input.label,
                "x-form": [format!("l'un ou plusieurs de : {}", words.join("; ")), format!("one or several of: {}", words.join("; "))]})
        }
        Some(input) => described(scalar(""), &input.label),
        None => scalar("value of the key, or several separated by `;`"),
    }
}

/// Schema of `cases.yaml`.
pub fn cases_schema() -> Value {
    let values = |help: &str| json!({"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "null"]}, "description": help});
    let origin = closed(
        properties([
            ("kind", one_of(&["law", "official", "published", "hand"], "where the expected values come from")),
            ("title", text("title of the publication")),
            ("url", text("its address")),
            ("seen", date("day on which it was read")),
            ("note", text("how it was worked out, in French")),
        ]),
        &["kind"],
    );
    let case = closed(
        properties([
            ("name", text("what the case shows, in French")),
            ("date", date("day of the calculation; none for a method without dates")),
            ("given", values("inputs, as they are sent")),
            ("expect", values("fields and their exact values; `tranches.1.montant` enters an array, from 0")),
            ("absent", text("fields that must not be there, separated by `;`")),
            ("refuse", text("the parameter that is refused")),
            ("warns", text("part of a warning")),
            ("origin", origin),
        ]),
        &["name", "given", "origin"],
    );
    let entries =
        properties([("format", format_key()), ("cases", json!({"type": "array", "minItems": 1, "items": case}))]);
    file("Barème: worked cases", entries, &["format", "cases"])
}

/// Schema of `service.yaml`.
pub fn service_schema() -> Value {
    let endpoint = closed(
        properties([
            ("title", text("what it computes, in French")),
            ("folder", text("the rule folder that answers")),
            ("family", text("the folder of a family of rule folders")),
            ("by", text("the parameter that selects a folder of the family")),
            ("ignored", text("parameters accepted everywhere, without effect where a method has no such input")),
        ]),
        &["title"],
    );
    let calls = json!({"type": ["integer", "string"], "pattern": r"^([0-9]+|[0-9]{1,3}( [0-9]{3})+|unlimited)$",
        "description": "calls a day, or `unlimited`", "x-form": ["un nombre entier, ou `unlimited`", "a whole number, or `unlimited`"]});
    let days = |description: &str| {
        json!({"type": ["integer", "string"], "pattern": "^[1-9][0-9]{0,4}$", "minimum": 1, "maximum": 99_999,
            "description": description, "x-form": ["un nombre de jours, `365`", "a number of days, `365`"]})
    };
    let plan = closed(
        properties([
            ("title", text("what it is called")),
            ("price", text("price, in words")),
            ("calls_per_day", calls),
            ("attribution", boolean("whether the caller must credit the service")),
            ("valid_days", days("days for which a key is good; without it a key does not expire")),
            ("unused_days", days("days without a call after which a key ends")),
            ("terms", text("other terms, in French, separated by `;`")),
        ]),
        &["title", "price", "calls_per_day", "attribution"],
    );
    let path = json!({"type": "string", "pattern": "^/[a-z0-9/-]+$", "description": "beginning of its paths", "x-form": ["un chemin, comme `/api/v1`", "a path, like `/api/v1`"]});
    let key_prefix = json!({"type": "string", "pattern": "^[a-z]{3}$", "description": "the three letters that its keys begin with",
        "x-form": ["trois lettres minuscules", "three lower case letters"]});
    let variant = closed(
        properties([
            ("title", text("what it is, in French")),
            ("prefix", path),
            ("endpoints", text("its endpoints, separated by `;`")),
            ("key_prefix", key_prefix),
            ("cors", boolean("whether scripts of other sites may read its answers")),
            (
                "plans",
                json!({"type": "object", "minProperties": 1, "additionalProperties": plan, "description": "the first plan is that of callers without a key"}),
            ),
        ]),
        &["title", "prefix", "endpoints", "key_prefix", "cors", "plans"],
    );
    let entries = properties([
        ("format", format_key()),
        ("title", text("name of the service")),
        (
            "documentation",
            json!({"type": "string", "pattern": "^https?://", "description": "address of its documentation", "x-form": ["une adresse qui commence par https://", "an address that starts with https://"]}),
        ),
        ("attribution", text("what a caller whose plan asks for it shows to its own users, in French")),
        ("endpoints", json!({"type": "object", "minProperties": 1, "additionalProperties": endpoint})),
        ("variants", json!({"type": "object", "minProperties": 1, "additionalProperties": variant})),
    ]);
    file("Barème: service", entries, &["format", "title", "documentation", "attribution", "endpoints", "variants"])
}
