//! The first page: what the service is, what it computes, what it offers.

use bareme_engine::{Case, Endpoint, Folder, Rules, Variant};
use jiff::civil::Date;
use serde_json::{Map, Value};

use super::html::{self, escape, prose};
use super::offers::{attribution, offers};
use crate::openapi::members;

/// Members of an answer that are shown before the rest is left out.
const SHOWN: usize = 7;

/// Makes the page.
pub(super) fn page(rules: &Rules) -> String {
    let service = rules.service();
    // The first variant is the one shown; the others are told by their offers.
    let calculations = service.variants.first().map(|variant| calculations(rules, variant)).unwrap_or_default();
    let content = format!(
        "<h1>{title}</h1>\n\
         <p class=\"lead\">Un service de calcul\u{a0}: une requête GET, une réponse JSON. Chaque barème est daté, chaque \
         chiffre a sa source, et les montants sont des décimales exactes.</p>\n\
         <p><a class=\"button\" href=\"/cle\">Obtenir une clé gratuite</a></p>\n\
         {call}\
         <h2 id=\"calculs\">Calculs</h2>\n{calculations}\
         <h2>Ce que dit chaque réponse</h2>\n\
         <ul>\n\
         <li>le barème utilisé (<code>bareme_en_vigueur</code>) et ses textes, avec éditeur, date et adresse \
         (<code>references</code>)\u{202f};</li>\n\
         <li>la version exacte des règles (<code>version</code>), et ce qu’il faut savoir du résultat \
         (<code>avertissements</code>)\u{202f};</li>\n\
         <li>avec <code>detail=true</code>, chaque étape du calcul dans l’ordre du bulletin, avec son article\u{202f};</li>\n\
         <li>avec <code>date=AAAA-MM-JJ</code> ou <code>annee=AAAA</code>, le calcul selon le barème de ce jour.</li>\n\
         </ul>\n\
         <p>Une entrée qui ne peut pas servir est refusée, et tous les paramètres fautifs sont nommés à la fois. \
         Le quota se compte par jour et repart à minuit UTC. Voir les <a href=\"/erreurs\">erreurs</a>.</p>\n\
         <h2 id=\"offres\">Offres</h2>\n{offers}\
         <p>Sans clé, la première offre de chaque version s’applique, par adresse IP.</p>\n\
         {attribution}",
        title = prose(&service.title),
        call = call(rules).unwrap_or_default(),
        offers = offers(service),
        attribution = attribution(service),
    );
    html::page(service, &service.title, &content)
}

/// A call and the beginning of its answer, real both.
fn call(rules: &Rules) -> Option<String> {
    let variant = rules.service().variants.first()?;
    let endpoint = rules.service().endpoints_of(variant).next()?;
    let (word, folder) = members(rules, endpoint).into_iter().next()?;
    let query = query(endpoint, word, example(folder)?);
    let answer = rules.calculate(endpoint, &query, Date::default()).ok()?.to_json();
    let whole: Map<String, Value> = serde_json::from_str(&answer).ok()?;
    let shown: Map<String, Value> = whole.into_iter().take(SHOWN).collect();
    let beginning = format!("{:#}", Value::Object(shown));
    let beginning = beginning.strip_suffix("\n}").unwrap_or(&beginning);
    Some(format!(
        "<pre><span class=\"soft\">GET</span> {target}\n\n{beginning},\n  …\n}}</pre>\n",
        target = link(&target(variant, endpoint, &query)),
        beginning = escape(beginning),
    ))
}

/// What can be computed, with a call of each to try.
fn calculations(rules: &Rules, variant: &Variant) -> String {
    let rows = rules.service().endpoints_of(variant).map(|endpoint| {
        let examples = members(rules, endpoint).into_iter().filter_map(|(word, folder)| {
            let target = target(variant, endpoint, &query(endpoint, word, example(folder)?));
            Some(match word {
                Some(_) => format!("<li><a href=\"{}\">{}</a></li>\n", escape(&target), prose(folder.title())),
                None => format!("<li>{}</li>\n", link(&target)),
            })
        });
        format!(
            "<section>\n<h3>{title}</h3>\n<ul{class}>\n{examples}</ul>\n</section>\n",
            title = prose(&endpoint.title),
            class = if endpoint.by.is_some() { " class=\"many\"" } else { "" },
            examples = examples.collect::<String>(),
        )
    });
    rows.collect()
}

/// A worked case that gives an answer, of the latest scale if possible.
fn example(folder: &Folder) -> Option<&Case> {
    folder.cases().iter().find(|case| case.refuse.is_none())
}

fn query(endpoint: &Endpoint, word: Option<&str>, case: &Case) -> Vec<(String, String)> {
    let selected = endpoint.by.clone().zip(word.map(str::to_owned));
    // The date comes last: it is the least of what is asked.
    let (date, inputs): (Vec<_>, Vec<_>) = case.query.iter().cloned().partition(|(name, _)| name == "date");
    selected.into_iter().chain(inputs).chain(date).collect()
}

fn target(variant: &Variant, endpoint: &Endpoint, query: &[(String, String)]) -> String {
    let pairs: Vec<String> = query.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    format!("{}/{}?{}", variant.prefix, endpoint.name, pairs.join("&"))
}

fn link(target: &str) -> String {
    format!("<a href=\"{0}\"><code>{0}</code></a>", escape(target))
}

/// A value as a query writes it.
fn encoded(value: &str) -> String {
    let mut text = String::new();
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' => text.push(byte.into()),
            other => text.push_str(&format!("%{other:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_written_as_a_query_reads_it() {
        let sent = "sans objet & 5,5 % à l'été";
        let read = crate::http::query::Query::read(&format!("a={}", encoded(sent)));
        assert_eq!(read.pairs, [("a".to_owned(), sent.to_owned())]);
    }
}
