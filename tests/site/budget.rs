//! The budget of work that an address has for pages.

use harness::{Connection, Server, eventually};
use serde_json::json;

use crate::pages::BROWSER;
use crate::with_quotas;

/// The dearest page. An amount that is no number is charged like others, and is answered at once.
const DEAREST: &str = "/comparer?point-de-depart=cout&montant=x";

#[test]
fn pages_that_calculate_have_a_budget_and_take_no_quota() {
    let server = with_quotas();
    // On a busy machine, a call may be turned away before it is charged.
    let left = |server: &Server| {
        let mut answer = server.get(harness::GOOD);
        eventually("an answer", || {
            let is_answered = answer.status == 200;
            if !is_answered {
                answer = server.get(harness::GOOD);
            }
            is_answered
        });
        answer.header("ratelimit").to_owned()
    };
    let remaining = |field: String| {
        field
            .split("r=")
            .nth(1)
            .unwrap()
            .split(';')
            .next()
            .unwrap()
            .parse::<u32>()
            .unwrap()
    };

    let before = remaining(left(&server));
    let mut connection = Connection::open(server.address()).unwrap();
    // A comparison of costs counts for five hundred calls, and one tried on the page of the API for
    // a hundred. A thousand of these alone take longer than a connection lives, on a busy machine.
    for _ in 0..180 {
        assert_eq!(connection.call("GET", DEAREST, "").unwrap().status, 200);
    }

    let mut tried = || {
        connection
            .call("GET", "/site/appel?appel=/api/v1/tva", "")
            .unwrap()
    };

    let good = (0..150).take_while(|_| tried().status == 200).count();
    assert!((90..130).contains(&good), "{good}");
    let refused = tried().problem_unread(429, "trop_de_calculs");
    assert_eq!(
        (&refused["cout"], &refused["limite"]),
        (&json!(100), &json!(100_000))
    );
    assert_eq!(refused["violated-policies"], json!(["travail"]));
    assert_eq!(
        remaining(left(&server)),
        before - 1,
        "only the call itself was charged"
    );
}

#[test]
fn too_many_calculations_are_a_page_to_a_person() {
    let server = Server::start();
    let mut connection = Connection::open(server.address()).unwrap();
    let spent = (0..300)
        .take_while(|_| connection.call("GET", DEAREST, BROWSER).unwrap().status == 200)
        .count();
    assert!((200..300).contains(&spent), "{spent}");
    // What is left, and is regained meanwhile, is less than so many simulations.
    let asked = "/simulateurs/tva?montant=100&taux=20&sens=ht";
    let refused = (0..100)
        .map(|_| connection.call("GET", asked, BROWSER).unwrap())
        .find(|answer| answer.status != 200);
    let refused = refused.expect("an address has a budget");
    assert_eq!(refused.status, 429);
    assert!(refused.has("retry-after"));
    let text = String::from_utf8(refused.body).unwrap();
    assert!(
        text.contains("Trop de calculs") && text.contains("sens=ht\">rouvrez la page</a>"),
        "{text}"
    );
}
