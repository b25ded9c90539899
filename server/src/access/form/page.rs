//! The pages of the form: small, French, without a script.

use bareme_engine::{Plan, Service, Variant};
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, REFERRER_POLICY};

use super::{PATH, STYLE_PATH};
use crate::access::issue::Issued;
use crate::reply::Reply;

const STYLE: &str = include_str!("page.css");

/// The page takes its style and sends its form, here and nowhere else.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The style of the pages.
pub(super) fn style() -> Reply {
    let mut reply = Reply::new(Bytes::from_static(STYLE.as_bytes()));
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/css; charset=utf-8"));
    reply.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    reply
}

/// The form, with what was wrong with what was sent before.
pub(super) fn form(service: &Service, email: &str, wrong: Option<&str>) -> Reply {
    let wrong = wrong.map(|wrong| format!("<p class=\"wrong\" role=\"alert\">{}</p>\n", escape(wrong)));
    let choices: String =
        service.variants.iter().enumerate().filter_map(|(rank, variant)| choice(rank, variant)).collect();
    let plans: String = service.variants.iter().map(plans).collect();
    let content = format!(
        "<h1>Obtenir une clé gratuite</h1>\n\
         <p>Une clé suit votre quota où que vous soyez ; sans clé, le quota est celui de votre adresse IP.</p>\n\
         {wrong}<form method=\"post\" action=\"{PATH}\">\n\
         <label for=\"courriel\">Adresse électronique</label>\n\
         <input id=\"courriel\" name=\"courriel\" type=\"email\" autocomplete=\"email\" maxlength=\"254\" required \
         value=\"{email}\">\n\
         <fieldset><legend>Version de l'interface</legend>\n{choices}</fieldset>\n\
         <button>Obtenir ma clé</button>\n</form>\n\
         <p>La clé s'affiche aussitôt, une seule fois. L'adresse n'est gardée que pour vous écrire au sujet de la clé.</p>\n\
         {attribution}<h2>Offres</h2>\n{plans}",
        wrong = wrong.unwrap_or_default(),
        email = escape(email),
        attribution = attribution(service),
    );
    page(service, StatusCode::OK, "Obtenir une clé", &content)
}

/// The key, this once.
pub(super) fn given(service: &Service, variant: &Variant, plan: &Plan, issued: &Issued) -> Reply {
    let end = issued.record.expires.map(|end| format!(" Elle est valable jusqu'au {}.", end.strftime("%d/%m/%Y")));
    let content = format!(
        "<h1>Votre clé</h1>\n\
         <p><code class=\"key\">{key}</code></p>\n\
         <p><strong>Copiez-la maintenant : elle ne sera plus jamais affichée.</strong>{end}</p>\n\
         <p>Offre {plan}, {variant} : {calls}. Envoyez-la dans l'en-tête <code>X-API-Key</code>, jamais dans \
         l'adresse :</p>\n\
         <pre>curl -H 'X-API-Key: {key}' '…{prefix}/{endpoint}?…'</pre>\n{attribution}",
        key = escape(issued.key.reveal()),
        end = end.unwrap_or_default(),
        plan = escape(&plan.title),
        variant = escape(&variant.title),
        calls = calls(plan),
        prefix = escape(&variant.prefix),
        endpoint = escape(variant.endpoints.first().map_or("", String::as_str)),
        attribution = if plan.attribution { attribution(service) } else { String::new() },
    );
    page(service, StatusCode::CREATED, "Votre clé", &content)
}

fn choice(rank: usize, variant: &Variant) -> Option<String> {
    let plan = variant.plans.first()?;
    let checked = if rank == 0 { " checked" } else { "" };
    Some(format!(
        "<label><input type=\"radio\" name=\"variante\" value=\"{name}\"{checked}> {title} <small>({prefix}, {calls})</small></label>\n",
        name = escape(&variant.name),
        title = escape(&variant.title),
        prefix = escape(&variant.prefix),
        calls = calls(plan),
    ))
}

fn plans(variant: &Variant) -> String {
    let row = |plan: &Plan| {
        let cells = [plan.title.as_str(), &plan.price, &calls(plan), &plan.terms.join(", ")];
        format!("<tr>{}</tr>\n", cells.map(|cell| format!("<td>{}</td>", escape(cell))).concat())
    };
    format!(
        "<table>\n<caption>{}</caption>\n\
         <thead><tr><th>Offre</th><th>Prix</th><th>Quota</th><th>Conditions</th></tr></thead>\n\
         <tbody>\n{}</tbody>\n</table>\n",
        escape(&variant.title),
        variant.plans.iter().map(row).collect::<String>(),
    )
}

fn attribution(service: &Service) -> String {
    format!(
        "<p id=\"attribution\">L'offre gratuite permet un usage commercial si cette mention est affichée : \
         <q>{}</q></p>\n",
        escape(&service.attribution)
    )
}

fn calls(plan: &Plan) -> String {
    plan.calls_per_day
        .map_or_else(|| "appels illimités".to_owned(), |calls| format!("{} appels par jour", thousands(calls)))
}

/// `1000` as a French reader writes it.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (rank, digit) in digits.chars().enumerate() {
        if rank > 0 && (digits.len() - rank).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

fn page(service: &Service, status: StatusCode, title: &str, content: &str) -> Reply {
    let html = format!(
        "<!doctype html>\n<html lang=\"fr\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} – {service}</title>\n<link rel=\"stylesheet\" href=\"{STYLE_PATH}\">\n</head>\n\
         <body>\n<main>\n{content}</main>\n</body>\n</html>\n",
        service = escape(&service.title),
    );
    let mut reply = Reply::new(html.into());
    *reply.status_mut() = status;
    for (name, value) in [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, POLICY),
        // Under `no-referrer` a browser would send the form with `Origin: null`.
        (REFERRER_POLICY, "same-origin"),
    ] {
        reply.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    reply
}

/// Text that is never read as HTML, in content or in a quoted attribute.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_sent_is_read_as_html() {
        assert_eq!(escape("<b a=\"c\">&'é"), "&lt;b a=&quot;c&quot;&gt;&amp;&#39;é");
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([100, 1_000, 500_000].map(thousands), ["100", "1\u{202f}000", "500\u{202f}000"]);
    }
}
