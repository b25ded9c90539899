//! Purchased keys are delivered, whatever the mail server does and whenever the service stops.

use std::time::{Duration, Instant};

use harness::{Cluster, eventually};
use serde_json::Value;

use crate::desk::{A, Desk, with_key};
use crate::shop::{BOUGHT, NOW, Node, keys_of, rules};
use crate::smtp::{Manner, Smtp};

fn shop() -> (Desk, Smtp) {
    (Desk::new().with_rules(rules()), Smtp::start())
}

fn serve(desk: &Desk, mail: &Smtp, now: i64) -> Node {
    Node::serve(desk, now, |command| mail.used_by(command))
}

fn undelivered(desk: &Desk) -> usize {
    let listed = desk.keys(&["payments", "--format", "json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    listed["undelivered"].as_array().unwrap().len()
}

/// The provider disconnects after ten seconds, and its retried event finds the key issued: the key
/// must still be delivered.
#[test]
fn an_event_is_answered_at_once_while_the_mail_server_hangs() {
    let (desk, mail) = shop();
    mail.set(Manner::Hang);
    let mut node = serve(&desk, &mail, NOW);
    let start = Instant::now();
    assert_eq!(node.send(BOUGHT), "issued");
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(node.send(BOUGHT), "ignored");
    eventually("the e-mail is read", || mail.emails().len() == 1);
    assert_eq!(undelivered(&desk), 1);
    eventually("it is counted", || {
        node.metrics().contains("bareme_undelivered_keys 1")
    });
    // The service dies, and restarts after the claim has expired.
    node.server.kill();
    drop(node);
    mail.set(Manner::Take(Duration::ZERO));
    let node = serve(&desk, &mail, NOW + 120);
    eventually("it is sent again", || mail.emails().len() == 2);
    eventually("it is delivered", || undelivered(&desk) == 0);
    let keys = keys_of(&mail.emails());
    assert_ne!(keys[0], keys[1], "the text of the first is kept nowhere");
    for key in &keys {
        assert_eq!(
            with_key(&node.server, A, key).status,
            200,
            "whoever got the first e-mail has a key that works"
        );
    }
    assert!(crate::emails::text(&mail.emails()[1]).contains("partagent le même"));
    assert_eq!(
        desk.find(&keys[0])["account"],
        desk.find(&keys[1])["account"]
    );
}

#[test]
fn a_stop_waits_for_the_e_mail_that_is_being_sent() {
    let (desk, mail) = shop();
    mail.set(Manner::Take(Duration::from_secs(3)));
    let mut node = serve(&desk, &mail, NOW);
    assert_eq!(node.send(BOUGHT), "issued");
    eventually("the e-mail is read", || mail.emails().len() == 1);
    node.server.terminate();
    assert!(node.server.ended_within(Duration::from_secs(25)).success());
    let key = keys_of(&mail.emails()).remove(0);
    assert_eq!(desk.find(&key)["delivery"], "delivered");
    drop(node);
    let _node = serve(&desk, &mail, NOW + 120);
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(mail.emails().len(), 1, "once");
}

#[test]
fn a_key_that_is_refused_slowly_is_sent_again() {
    let (desk, mail) = shop();
    mail.set(Manner::Refuse(Duration::from_secs(2)));
    let node = serve(&desk, &mail, NOW);
    assert_eq!(node.send(BOUGHT), "issued");
    node.server
        .logged(|line| line["message"] == "a key could not be sent" && line["attempts"] == 1);
    mail.set(Manner::Take(Duration::ZERO));
    eventually("it is sent", || mail.emails().len() == 1);
    eventually("it is delivered", || undelivered(&desk) == 0);
    let key = keys_of(&mail.emails()).remove(0);
    assert_eq!(with_key(&node.server, A, &key).status, 200);
    let listed: Vec<Value> =
        serde_json::from_slice(&desk.keys(&["list", "--format", "json"]).stdout).unwrap();
    assert_eq!(listed.len(), 1, "nobody has another");
    eventually("it is counted", || {
        node.metrics()
            .contains("bareme_deliveries_total{outcome=\"failed\"} 1")
    });
}

#[test]
fn a_key_is_sent_again_on_request() {
    let (desk, mail) = shop();
    let node = serve(&desk, &mail, NOW);
    node.send(BOUGHT);
    eventually("it is sent", || mail.emails().len() == 1);
    eventually("it is delivered", || undelivered(&desk) == 0);
    let first = keys_of(&mail.emails()).remove(0);
    assert!(desk.keys(&["resend", &desk.id(&first)]).status.success());
    eventually("another is sent", || mail.emails().len() == 2);
    let keys = keys_of(&mail.emails());
    assert!(
        keys[0] != keys[1]
            && keys
                .iter()
                .all(|key| with_key(&node.server, A, key).status == 200)
    );
    let revoked = desk.id(&keys[0]);
    assert!(desk.keys(&["revoke", &revoked]).status.success());
    assert!(
        !desk.keys(&["resend", &revoked]).status.success(),
        "a key that ended"
    );
}

/// Both nodes look for keys to send.
#[test]
fn of_two_nodes_one_sends_a_key() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let (desk, mail) = (
        Desk::on(cluster.address()).with_rules(rules()),
        Smtp::start(),
    );
    let nodes = [NOW, NOW].map(|now| serve(&desk, &mail, now));
    assert_eq!(nodes[0].send(BOUGHT), "issued");
    assert_eq!(nodes[1].send(BOUGHT), "ignored");
    eventually("it is delivered", || {
        undelivered(&desk) == 0 && !mail.emails().is_empty()
    });
    std::thread::sleep(Duration::from_secs(5));
    assert_eq!(mail.emails().len(), 1);
}
