//! The same calculation as a call of the API, in several programming languages.

use bareme_engine::service::Service;
use maud::{Markup, html};

use super::trace::foreign;
use crate::catalogue::ListedFolder;
use crate::text::say;

/// The call of a calculation in each language, folded.
pub(super) fn calls(service: &Service, listed: &ListedFolder, sent: &[(String, String)]) -> Markup {
    // The call of a member of a family has the word among its parameters, as in the form of the
    // API.
    let selected = listed
        .endpoint
        .by
        .clone()
        .zip(listed.word.map(str::to_owned));
    let pairs: Vec<(String, String)> = selected.into_iter().chain(sent.iter().cloned()).collect();

    let address = format!("{}/{}", listed.variant.prefix, listed.endpoint.name);
    shown(service, &address, &pairs, &listed.call(sent))
}

/// The call of a year of pays in each language, folded.
pub(super) fn year_calls(
    service: &Service,
    listed: &ListedFolder,
    sent: &[(String, String)],
) -> Markup {
    let call = listed.year_call(sent);
    let (address, _) = call.split_once('?').unwrap_or((&call, ""));
    shown(service, address, sent, &call)
}

fn shown(service: &Service, address: &str, pairs: &[(String, String)], call: &str) -> Markup {
    let [address, whole] = [address, call].map(|path| format!("{}{path}", service.documentation));

    let lang = service.lang;
    let title = say(
        lang,
        "Le même calcul par l’API",
        "The same calculation by the API",
    );

    html! {
        section.code aria-label=(title) {
            h2 { (title) }
            p {
                a href=(call) { (say(lang, "Réponse JSON", "JSON answer")) }
                (say(
                    lang,
                    ", sans clé ou avec la vôtre dans l’en-tête ",
                    ", without a key or with yours in the header "
                ))
                code { "X-API-Key" } "."
            }
            // Folded, since a reader looks at one of them.
            @for (language, text) in [
                ("curl", format!("curl '{whole}'")),
                ("Python", python(&address, pairs)),
                ("JavaScript", javascript(&address, pairs)),
                ("PHP", php(&address, pairs)),
            ] {
                details { summary { (language) } pre.copy tabindex="0" lang=[foreign(lang)] { (text) } }
            }
        }
    }
}

fn python(address: &str, pairs: &[(String, String)]) -> String {
    let (pairs, address) = (joined(pairs, ": ", json), json(address));
    format!(
        "import json\nfrom urllib.parse import urlencode\nfrom urllib.request import urlopen\n\n\
         parametres = {{{pairs}}}\nwith urlopen({address} + \"?\" + urlencode(parametres)) as \
         reponse:\n    calcul = json.load(reponse)\n"
    )
}

fn javascript(address: &str, pairs: &[(String, String)]) -> String {
    let (pairs, address) = (joined(pairs, ": ", json), json(address));
    format!(
        "const parametres = new URLSearchParams({{ {pairs} }});\nconst reponse = await \
         fetch({address} + \"?\" + parametres);\n\
         const calcul = await reponse.json();\n"
    )
}

fn php(address: &str, pairs: &[(String, String)]) -> String {
    let text = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
    let (pairs, address) = (joined(pairs, " => ", text), text(address));
    format!(
        "<?php\n$parametres = http_build_query([{pairs}]);\n$calcul = \
         json_decode(file_get_contents({address} . '?' . $parametres), true);\n"
    )
}

/// The members of a table of a language.
fn joined(pairs: &[(String, String)], sign: &str, literal: impl Fn(&str) -> String) -> String {
    let pairs = pairs
        .iter()
        .map(|(name, value)| format!("{}{sign}{}", literal(name), literal(value)));
    pairs.collect::<Vec<_>>().join(", ")
}

/// A string literal of Python and JavaScript.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_typed_stays_a_text() {
        let pairs = [("a".to_owned(), "'\"\\; system('x')".to_owned())];
        assert!(python("https://x", &pairs).contains(r#"{"a": "'\"\\; system('x')"}"#));
        assert!(javascript("https://x", &pairs).contains(r#"{ "a": "'\"\\; system('x')" }"#));
        assert!(php("https://x", &pairs).contains(r"['a' => '\'"));
    }
}
