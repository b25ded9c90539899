//! The steps of a method in words, from the keys of its file.

use bareme_engine::{Help, Lang, MODIFIERS, Method, Node, Report, RuleFile, Step};

use crate::formula_words::{formula, rounding};
use crate::page::{Page, Table};
use crate::session::say;
use crate::words::option_title;

/// The steps of the method, then those of each option under what switches it on.
pub(super) fn show(method: &Method, text: &str, page: &mut Page, lang: Lang) {
    let file = RuleFile::new(format!("{}.yaml", method.name), text);
    let node = Node::read(&file, &mut Report::default());
    let Some(node) = node.as_ref() else { return };
    page.table(table(method, None, node, lang));
    for (index, option) in method.options().iter().enumerate() {
        let Some(node) = node.get("options").and_then(|options| options.get(&option.name)) else { continue };
        page.heading(option_title(method, option, lang));
        page.table(table(method, Some(index), node, lang));
    }
}

/// One row a step of a part of the method: what it is, how it is computed, by which article.
fn table(method: &Method, option: Option<usize>, node: &Node, lang: Lang) -> Table {
    let written = node.get("steps").map(Node::entries).unwrap_or_default();
    let mut table = super::pairs(say!(lang, "Étape", "Step"), say!(lang, "Calcul", "Computation"));
    for step in method.steps().iter().filter(|step| step.option == option) {
        let keys = written.iter().find(|(name, _)| name.value == step.name).map(|(_, node)| node);
        let label = step.label.as_deref().map(|label| format!("{label}\n  {}", step.name));
        let mut how = sentence(method, step, keys, lang);
        if let Some(law) = &step.law {
            how.push_str(&format!("\n  {law}"));
        }
        table.row([label.unwrap_or_else(|| step.name.clone()).into(), how.into()]);
    }
    table
}

fn sentence(method: &Method, step: &Step, keys: Option<&Node>, lang: Lang) -> String {
    let read = formula(&step.formula, lang);
    let mut text = match step.kind.phrase {
        Some(phrase) => format!("{} {read}", phrase.in_lang(lang)),
        None => read,
    };
    for (key, node) in keys.map(Node::entries).unwrap_or_default() {
        let (Some(phrase), Some(value)) = (phrase(step, &key.value), node.text()) else { continue };
        let value = match key.value.as_str() {
            "round" => rounding(&value.value, lang),
            "by" => by(method, step, &value.value, lang),
            _ => formula(&value.value, lang),
        };
        text.push_str(&format!(", {} {value}", phrase.in_lang(lang)));
    }
    text
}

/// What chooses a row, each after the name of its column: `mois ; tranche de base_imposable`.
fn by(method: &Method, step: &Step, text: &str, lang: Lang) -> String {
    let shape = step.figures.first().and_then(|figure| figure.of(method.figures()));
    let keys = shape.map(|shape| shape.keys.as_slice()).unwrap_or_default();
    let chosen = text.split(';').map(str::trim).enumerate().map(|(index, read)| {
        let shown = formula(read, lang);
        match keys.get(index) {
            Some(key) if key.name == read => shown,
            Some(key) => format!("{} = {shown}", key.name),
            None => say!(lang, "la tranche de {shown}", "the band of {shown}"),
        }
    });
    chosen.collect::<Vec<_>>().join(if lang == Lang::Fr { " ; " } else { "; " })
}

/// What a key of a step says, before its value.
fn phrase(step: &Step, key: &str) -> Option<Help> {
    let modifier = MODIFIERS.iter().find(|modifier| modifier.name == key).map(|modifier| modifier.phrase);
    let own = step.kind.keys.iter().find(|own| own.name == key);
    own.map_or(modifier, |own| own.phrase)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_key_of_every_kind_has_its_words() {
        for key in bareme_engine::KINDS.iter().flat_map(|kind| kind.keys) {
            // The period of a formula is that of what it gives: the page shows it there.
            assert!(key.phrase.is_some() || key.name == "per", "{}", key.name);
        }
    }
}
