//! The pages for people.

use harness::{Answer, Connection, Rules, Server};

fn page(answer: &Answer) -> String {
    assert_eq!((answer.status, answer.header("content-type")), (200, "text/html; charset=utf-8"));
    let policy = answer.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'self'") && !policy.contains("unsafe"), "{policy}");
    assert!(!answer.has("access-control-allow-origin"), "a page is not for scripts of other sites");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    let text = String::from_utf8(answer.body.clone()).unwrap();
    assert!(text.starts_with("<!doctype html>\n<html lang=\"fr\">") && text.ends_with("</html>\n"), "{text}");
    text
}

/// The links of a page, as text.
fn links(page: &str) -> Vec<String> {
    let links = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    links.map(|link| link.replace("&amp;", "&")).collect()
}

#[test]
fn every_example_of_the_first_page_is_answered() {
    let server = Server::start();
    let home = page(&server.get("/"));
    let calls: Vec<String> = links(&home).into_iter().filter(|link| link.contains('?')).collect();
    // Six endpoints, one of them with a member a country, and the call that is shown whole.
    assert!(calls.len() >= 6 + 11, "{calls:?}");
    for call in &calls {
        assert_eq!(server.get(call).status, 200, "{call}");
    }
    let shown = server.get(&calls[0]).json();
    let first = shown.as_object().unwrap().iter().next().unwrap();
    assert!(
        home.contains(&format!("&quot;{}&quot;: {}", first.0, first.1)),
        "the answer that is shown is the real one"
    );
}

#[test]
fn every_link_within_the_site_leads_somewhere() {
    let server = Server::start();
    for start in ["/", "/erreurs", "/cle"] {
        for link in links(&page(&server.get(start))) {
            let target = link.split('#').next().unwrap();
            assert!(link.starts_with('/') && server.get(target).status == 200, "{link} on {start}");
        }
    }
}

#[test]
fn the_type_of_a_problem_is_explained_where_it_says() {
    let server = Server::start();
    for bad in ["/nowhere", "/api/v1/ir?revenu=x"] {
        let body = server.get(bad).json();
        let path = body["type"].as_str().unwrap().strip_prefix("https://bareme.example").unwrap();
        let text = page(&server.get(path));
        assert!(
            text.contains(body["title"].as_str().unwrap()) && text.contains(body["code"].as_str().unwrap()),
            "{text}"
        );
    }
    server.get("/erreurs/rien-de-tel").problem(404, "adresse_inconnue");
    server.get("/index.html").problem(404, "adresse_inconnue");
}

#[test]
fn pages_are_kept_by_browsers_and_answer_like_everything_else() {
    let server = Server::start();
    let mut connection = Connection::open(server.address()).unwrap();
    for path in ["/", "/erreurs", "/style.css", "/icone.svg"] {
        let got = connection.call("GET", path, "").unwrap();
        let known = format!("If-None-Match: {}\r\n", got.header("etag"));
        assert_eq!(connection.call("GET", path, &known).unwrap().status, 304, "{path}");
        let head = connection.call("HEAD", path, "").unwrap();
        assert_eq!(head.header("content-length"), got.body.len().to_string());
        assert_eq!(connection.call("OPTIONS", path, "").unwrap().header("allow"), "GET, HEAD, OPTIONS");
        assert_eq!(connection.call("DELETE", path, "").unwrap().status, 405);
    }
}

#[test]
fn the_first_page_follows_the_rules() {
    let rules = Rules::copy();
    rules.replace("service.yaml", "title: \"Barème\"", "title: \"Le <Barème> d'été\"");
    let server = Server::with(&rules.root(), &[]);
    assert!(page(&server.get("/")).contains("<h1>Le &lt;Barème&gt; d’été</h1>"));
}
