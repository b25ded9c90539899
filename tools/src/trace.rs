//! The steps of a calculation, as its answer tells them with `detail=true`, put in words.

use bareme_engine::{Json, Lang, Method, Step, Type};

use crate::page::{Cell, Table};
use crate::session::say;
use crate::words::{number, percent, value};

/// The steps of an answer.
pub(crate) fn steps<'j>(answer: &'j Json<'j>) -> &'j [Json<'j>] {
    answer.get("etapes").map(Json::items).unwrap_or_default()
}

/// A text in an object; empty if there is none.
pub(crate) fn text<'j>(json: &'j Json, key: &str) -> &'j str {
    match json.get(key) {
        Some(Json::Text(text)) => text,
        _ => "",
    }
}

fn members<'j>(json: Option<&'j Json<'j>>) -> impl Iterator<Item = (&'j str, &'j Json<'j>)> {
    json.map(Json::members).unwrap_or_default().iter().map(|(name, value)| (name.as_ref(), value))
}

/// What a table of steps says of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Its label and its result.
    Result,
    /// How it was worked out too, with the numbers of its sources.
    Full,
}

/// The steps of an answer whose names are wanted.
pub(crate) fn table(answer: &Json, method: &Method, wanted: impl Fn(&str) -> bool, depth: Depth, lang: Lang) -> Table {
    let mut table = Table::default().text(say!(lang, "Étape", "Step")).number(say!(lang, "Résultat", "Result"));
    let sources = answer.get("references").map(Json::items).unwrap_or_default();
    for told in steps(answer).iter().filter(|told| wanted(text(told, "nom"))) {
        let Some(step) = method.steps().iter().find(|step| step.name == text(told, "nom")) else { continue };
        if depth == Depth::Full && is_set_aside(told) {
            continue;
        }
        let mut cell = text(told, "libelle").to_owned();
        if depth == Depth::Full {
            for line in how(told, step, method, sources, lang) {
                cell.push_str("\n  ");
                cell.push_str(&line);
            }
        }
        table.row([Cell::from(cell), result(told, step, lang).into()]);
    }
    table
}

/// Labels of the steps that did not apply.
pub(crate) fn set_aside<'j>(answer: &'j Json<'j>) -> impl Iterator<Item = &'j str> {
    steps(answer).iter().filter(|told| is_set_aside(told)).map(|told| text(told, "libelle"))
}

fn is_set_aside(told: &Json) -> bool {
    told.get("applique").is_some()
}

/// What came out; nothing where the step was set aside or gives several values.
fn result(told: &Json, step: &Step, lang: Lang) -> String {
    if is_set_aside(told) {
        return "–".to_owned();
    }
    let main = step.outputs.iter().find(|output| output.main).map_or(Type::Number, |output| output.ty);
    told.get("resultat").map(|result| value(result, main, lang)).unwrap_or_default()
}

/// How a step was worked out, a line each: operands, slices, limits, rounding, article.
fn how(told: &Json, step: &Step, method: &Method, sources: &[Json], lang: Lang) -> Vec<String> {
    let mut lines = operation(told, step, method, lang);
    for slice in told.get("tranches").map(Json::items).unwrap_or_default() {
        lines.push(slice_line(slice, lang));
    }
    let limit = |key| match told.get(key) {
        Some(Json::Number(limit)) => Some(number(*limit, lang)),
        _ => None,
    };
    let mut ends = Vec::new();
    ends.extend(limit("au_moins").map(|limit| say!(lang, "au moins {limit}", "at least {limit}")));
    ends.extend(limit("au_plus").map(|limit| say!(lang, "au plus {limit}", "at most {limit}")));
    let rounding = text(told, "arrondi");
    if !rounding.is_empty() {
        ends.push(say!(lang, "arrondi {rounding}", "rounded {rounding}"));
    }
    if !ends.is_empty() {
        lines.push(ends.join(", "));
    }
    let law = text(told, "loi");
    let cited = told_sources(told, sources);
    if !law.is_empty() || !cited.is_empty() {
        lines.push(format!("{law} {cited}").trim().to_owned());
    }
    lines
}

/// The numbers of the sources of a step, `[1, 3]`.
fn told_sources(told: &Json, sources: &[Json]) -> String {
    let ids = told.get("sources").map(Json::items).unwrap_or_default();
    let named = |id: &str| ids.iter().any(|known| matches!(known, Json::Text(known) if known == id));
    let cited = sources.iter().enumerate().filter(|(_, source)| named(text(source, "id")));
    let cited: Vec<String> = cited.map(|(rank, _)| (rank + 1).to_string()).collect();
    if cited.is_empty() { String::new() } else { format!("[{}]", cited.join(", ")) }
}

/// A formula and what it reads share a line up to this length.
const SHORT: usize = 60;

fn operation(told: &Json, step: &Step, method: &Method, lang: Lang) -> Vec<String> {
    let operand = |name: &str| members(told.get("operandes")).find(|(known, _)| *known == name).map(|(_, value)| value);
    let amount = |name: &str| operand(name).map(|found| value(found, Type::Number, lang));
    let rate = |name: &str| operand(name).map(|found| value(found, Type::Rate, lang)).unwrap_or_default();
    match step.kind {
        "contribution" => {
            let limits = [("plancher", say!(lang, "plancher", "floor")), ("plafond", say!(lang, "plafond", "ceiling"))];
            let limits = limits.into_iter().chain([("au_dela_de", say!(lang, "au-delà de", "above"))]);
            let limits: Vec<String> =
                limits.filter_map(|(name, word)| Some(format!("{word} {}", amount(name)?))).collect();
            let (base, counted) = (amount("base").unwrap_or_default(), amount("assiette").unwrap_or_default());
            let origin = if limits.is_empty() { String::new() } else { format!(" ({base}, {})", limits.join(", ")) };
            vec![format!("{} x {counted}{origin}", rate("taux"))]
        }
        "deduction" => {
            let mut line = format!("{} x {}", rate("taux"), amount("base").unwrap_or_default());
            for (name, word) in
                [("minimum", say!(lang, "au moins", "at least")), ("maximum", say!(lang, "au plus", "at most"))]
            {
                if let Some(limit) = amount(name) {
                    line.push_str(&format!(", {word} {limit}"));
                }
            }
            vec![line]
        }
        "brackets" => {
            let (base, marginal) = (amount("base").unwrap_or_default(), rate("taux_marginal"));
            let shares =
                amount("parts").map(|parts| say!(lang, ", {parts} part(s)", ", {parts} share(s)")).unwrap_or_default();
            vec![say!(
                lang,
                "barème de {base}{shares}, taux marginal {marginal}",
                "scale of {base}{shares}, marginal rate {marginal}"
            )]
        }
        "table" => {
            let found = members(told.get("resultat")).filter(|(name, _)| *name != "source");
            let found = found.filter_map(|(name, found)| {
                let ty = step.outputs.iter().find(|output| output.name == name)?.ty;
                Some(format!("{name} {}", value(found, ty, lang)))
            });
            let found: Vec<String> = found.collect();
            let mut line = named(told, method, lang);
            if !found.is_empty() {
                line = format!("{line} : {}", found.join(" ; "));
            }
            vec![line]
        }
        "formula" => {
            let operands = named(told, method, lang);
            // `a = 3` beside the formula `a` says nothing more than the result.
            let is_bare = !step.formula.contains([' ', '(']);
            let line = format!("{}, {operands}", step.formula);
            match operands.is_empty() || is_bare {
                true => vec![step.formula.clone()],
                false if line.chars().count() <= SHORT => vec![line],
                false => vec![step.formula.clone(), operands],
            }
        }
        _ => vec![named(told, method, lang)],
    }
}

/// `brut = 450 000 ; famille.rate = 20 %`
fn named(told: &Json, method: &Method, lang: Lang) -> String {
    let shown = |(name, found): (&str, &Json)| format!("{name} = {}", value(found, type_of(name, method), lang));
    members(told.get("operandes")).map(shown).collect::<Vec<_>>().join(" ; ")
}

/// The type of what a formula reads under a name.
fn type_of(name: &str, method: &Method) -> Type {
    let (owner, member) = name.split_once('.').unwrap_or((name, ""));
    let input = || method.inputs().iter().find(|input| input.name == name).map(|input| input.ty);
    let step = || {
        let step = method.steps().iter().find(|step| step.name == owner)?;
        let is_read =
            |output: &&bareme_engine::Output| if member.is_empty() { output.main } else { output.name == member };
        step.outputs.iter().find(is_read).map(|output| output.ty)
    };
    let column = || {
        let shape = method.figures().iter().find(|shape| shape.name == owner)?;
        shape.columns.iter().find(|column| column.name == member).map(|column| column.ty)
    };
    input().or_else(step).or_else(column).unwrap_or(match name {
        "taux" | "taux_annuel" => Type::Rate,
        _ => Type::Number,
    })
}

/// `630 000 à 1 500 000 : 20 % x 870 000 = 174 000`
fn slice_line(slice: &Json, lang: Lang) -> String {
    let amount = |key| match slice.get(key) {
        Some(Json::Number(amount)) => Some(number(*amount, lang)),
        _ => None,
    };
    let shown = |key| amount(key).unwrap_or_default();
    let rate = match slice.get("taux") {
        Some(Json::Number(rate)) => percent(*rate, lang),
        _ => String::new(),
    };
    let (from, base, tax) = (shown("de"), shown("assiette"), shown("montant"));
    let place = match amount("a") {
        Some(to) => say!(lang, "de {from} à {to}", "{from} to {to}"),
        None => say!(lang, "au-delà de {from}", "above {from}"),
    };
    let constant = amount("constante").map(|constant| say!(lang, ", constante {constant}", ", constant {constant}"));
    format!("{place} : {rate} x {base}{} = {tax}", constant.unwrap_or_default())
}
