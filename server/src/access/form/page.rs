//! The pages of the form: small, French, without a script.

use bareme_engine::{Plan, Service, Variant};
use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, REFERRER_POLICY};

use super::PATH;
use crate::access::issue::Issued;
use crate::http::reply::Reply;
use crate::site::{self, attribution, calls, escape, offers, prose};

/// The form, with what was wrong with the previous attempt.
pub(super) fn form(service: &Service, email: &str, wrong: Option<&str>) -> Reply {
    let wrong = wrong.map(|wrong| format!("<p class=\"wrong\" role=\"alert\">{}</p>\n", prose(wrong)));
    let choices: String =
        service.variants.iter().enumerate().filter_map(|(index, variant)| choice(index, variant)).collect();
    let content = format!(
        "<h1>Obtenir une clé gratuite</h1>\n\
         <p>Une clé suit votre quota où que vous soyez\u{202f}; sans clé, le quota est celui de votre adresse IP.</p>\n\
         {wrong}<form method=\"post\" action=\"{PATH}\">\n\
         <label for=\"courriel\">Adresse électronique</label>\n\
         <input id=\"courriel\" name=\"courriel\" type=\"email\" autocomplete=\"email\" maxlength=\"254\" required \
         value=\"{email}\">\n\
         <fieldset><legend>Version de l’interface</legend>\n{choices}</fieldset>\n\
         <button>Obtenir ma clé</button>\n</form>\n\
         <p>La clé s’affiche aussitôt, une seule fois. L’adresse n’est gardée que pour vous écrire au sujet de la clé.</p>\n\
         {attribution}<h2>Offres</h2>\n{offers}",
        wrong = wrong.unwrap_or_default(),
        email = escape(email),
        attribution = attribution(service),
        offers = offers(service),
    );
    page(service, StatusCode::OK, "Obtenir une clé", &content)
}

/// The new key, shown once.
pub(super) fn issued(service: &Service, variant: &Variant, plan: &Plan, issued: &Issued) -> Reply {
    let end = issued.end(plan).map(|end| format!(" {}", prose(&end)));
    let content = format!(
        "<h1>Votre clé</h1>\n\
         <p><code class=\"key\">{key}</code></p>\n\
         <p><strong>Copiez-la maintenant\u{a0}: elle ne sera plus jamais affichée.</strong>{end}</p>\n\
         <p>Offre {plan}, {variant}\u{a0}: {calls}. Envoyez-la dans l’en-tête <code>X-API-Key</code>, jamais dans \
         l’adresse\u{a0}:</p>\n\
         <pre>curl -H 'X-API-Key: {key}' '…{prefix}/{endpoint}?…'</pre>\n{attribution}",
        key = escape(issued.key.reveal()),
        end = end.unwrap_or_default(),
        plan = prose(&plan.title),
        variant = prose(&variant.title),
        calls = calls(plan),
        prefix = escape(&variant.prefix),
        endpoint = escape(variant.endpoints.first().map_or("", String::as_str)),
        attribution = if plan.attribution { attribution(service) } else { String::new() },
    );
    page(service, StatusCode::CREATED, "Votre clé", &content)
}

fn choice(index: usize, variant: &Variant) -> Option<String> {
    let plan = variant.plans.first()?;
    let checked = if index == 0 { " checked" } else { "" };
    Some(format!(
        "<label><input type=\"radio\" name=\"variante\" value=\"{name}\"{checked}> {title} <small>(<code>{prefix}</code>, {calls})</small></label>\n",
        name = escape(&variant.name),
        title = prose(&variant.title),
        prefix = escape(&variant.prefix),
        calls = calls(plan),
    ))
}

fn page(service: &Service, status: StatusCode, title: &str, content: &str) -> Reply {
    let html = site::page(service, &format!("{title} – {}", service.title), content);
    let mut reply = Reply::new(html.into());
    *reply.status_mut() = status;
    for (name, value) in [
        (CONTENT_TYPE, site::HTML),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, site::POLICY),
        // Under `no-referrer` a browser would send the form with `Origin: null`.
        (REFERRER_POLICY, "same-origin"),
    ] {
        reply.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    reply
}
