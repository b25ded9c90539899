//! The site as search engines, assistants and other sites find it.

use harness::{Answer, Connection, Rules, Server};
use serde_json::Value;

use crate::pages::{in_language, page, pages};

#[test]
fn every_page_says_what_others_show_of_a_link_to_it() {
    let server = Server::start();
    let paths = pages(&server);

    for path in paths
        .iter()
        .filter(|path| path.matches('/').count() < 3 && !path.contains("openapi"))
    {
        let text = page(&server.get(path));
        let canonical =
            format!("<meta property=\"og:url\" content=\"https://bareme.example{path}\">");
        assert!(text.contains(&canonical), "{path}");
        assert!(
            text.contains("<meta property=\"og:title\" content=\""),
            "{path}"
        );
    }

    let simulator = page(&server.get("/simulateurs/salaire"));
    let (_, data) = simulator
        .split_once("<script type=\"application/ld+json\">")
        .unwrap();
    let data: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(data["@type"], "WebApplication");
    assert_eq!(data["url"], "https://bareme.example/simulateurs/salaire");
    assert_eq!(
        server.get("/favicon.ico").header("content-type"),
        "image/svg+xml"
    );
}

/// A plain text of the site.
fn plain(answer: &Answer) -> String {
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, "text/plain; charset=utf-8")
    );
    String::from_utf8(answer.body.clone()).unwrap()
}

#[test]
fn assistants_and_researchers_find_their_texts() {
    let server = Server::start();
    let text = plain(&server.get("/llms.txt"));

    for path in pages(&server)
        .iter()
        .filter(|path| path.starts_with("/simulateurs/"))
    {
        assert!(
            text.contains(&format!("](https://bareme.example{path})")),
            "{path}"
        );
    }

    assert!(
        text.contains("/api/v1/openapi.json")
            && text.contains("POST https://bareme.example/api/v1/lot/")
    );
    let security = plain(&server.get("/.well-known/security.txt"));
    assert!(
        security.starts_with("Contact: mailto:contact@bareme.example\n"),
        "{security}"
    );
    let end = security
        .split("Expires: ")
        .nth(1)
        .unwrap()
        .lines()
        .next()
        .unwrap();
    let left = end
        .parse::<jiff::Timestamp>()
        .unwrap()
        .duration_since(jiff::Timestamp::now());
    assert!((120..200).contains(&(left.as_hours() / 24)), "{end}");
}

/// A simulator within another site: its own policy, which the file of the service writes, and no
/// frame of ours.
#[test]
fn other_sites_may_show_a_simulator_where_the_service_says_so() {
    let rules = Rules::small();
    rules.replace(
        "service.yaml",
        "embedded_by: \"*\"",
        "embedded_by: https://www.example.org; https://*.example.net",
    );
    let server = Server::with(&rules.root(), &[]);
    let widget = server.get("/widget/ir?revenu=30000");
    let policy = widget.header("content-security-policy");
    assert!(
        policy.ends_with("frame-ancestors https://www.example.org https://*.example.net"),
        "{policy}"
    );
    let text = page(&widget);
    assert!(
        text.contains("2\u{202f}104") && !text.contains("<footer>") && !widget.has("set-cookie"),
        "{text}"
    );
    let simulator = server.get("/simulateurs/ir");
    assert!(
        simulator
            .header("content-security-policy")
            .ends_with("frame-ancestors 'none'")
    );
    assert!(
        page(&simulator).contains("&lt;iframe src=&quot;https://bareme.example/widget/ir&quot;")
    );

    rules.replace(
        "service.yaml",
        "embedded_by: https://www.example.org; https://*.example.net\n",
        "",
    );
    let server = Server::with(&rules.root(), &[]);
    assert!(
        server
            .get("/widget/ir")
            .header("content-security-policy")
            .ends_with("frame-ancestors 'none'")
    );
    assert!(!page(&server.get("/simulateurs/ir")).contains("iframe"));
}

#[test]
fn every_batch_of_the_guides_is_answered_as_they_say() {
    let server = Server::start();
    let mut batches = 0;

    for path in [
        "/documentation/lots",
        "/documentation/tableur",
        "/en/documentation/lots",
    ] {
        let language = if path.starts_with("/en/") { "en" } else { "fr" };
        let text = in_language(&server.get(path), language);
        for part in text.split("data-lot=\"").skip(1) {
            let target = part.split('"').next().unwrap().replace("&amp;", "&");
            let attribute = |name: &str| {
                let value = part
                    .split(&format!("data-{name}=\""))
                    .nth(1)
                    .unwrap()
                    .split('"')
                    .next()
                    .unwrap();
                value.replace("&quot;", "\"").replace("&amp;", "&")
            };
            let mut connection = Connection::open(server.address()).unwrap();
            let answer = connection
                .post(
                    &target,
                    &attribute("type"),
                    attribute("corps").as_bytes(),
                    "",
                )
                .unwrap();
            assert_eq!(
                answer.status.to_string(),
                attribute("statut"),
                "{target} on {path}"
            );
            let body = String::from_utf8(answer.body).unwrap();
            assert!(
                answer.status != 200 || !body.contains("\"erreur\""),
                "{body}"
            );
            batches += 1;
        }
    }

    assert!(batches >= 4, "{batches}");
}
