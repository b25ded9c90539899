//! The audit log: every command that changes a key leaves an entry, with who and from where.

use serde_json::Value;

use crate::desk::Desk;

/// The entries, the oldest first.
fn entries(desk: &Desk, arguments: &[&str]) -> Vec<Value> {
    let listed = desk.keys(&[&["audit", "--format", "json"], arguments].concat());
    assert!(listed.status.success(), "{listed:?}");
    let mut entries: Vec<Value> = serde_json::from_slice(&listed.stdout).unwrap();
    entries.reverse();
    entries
}

#[test]
fn every_command_that_changes_a_key_is_in_the_audit_log() {
    let desk = Desk::new();
    let key = desk.issue("a", "pro");
    let id = desk.id(&key);
    let other = desk.issue("a", "pro");
    let mut expected = vec!["issued", "issued"];
    for (arguments, action) in [
        (vec!["renew", &id], "changed"),
        (vec!["change", &id, "--plan", "business"], "changed"),
        (
            vec!["change", &id, "--email", "dan@example.org"],
            "readdressed",
        ),
        (vec!["rotate", &id], "rotated"),
        (vec!["resend", &id], "resent"),
        (vec!["revoke", &id], "revoked"),
        (vec!["restore", &id], "restored"),
    ] {
        let mut command = desk.command(&arguments);
        let done = command.env("SUDO_USER", "claire").output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {done:?}");
        expected.push(action);
    }
    let done = desk.keys(&["erase", "--email", "claire@example.org"]);
    assert!(done.status.success());
    expected.push("erased");

    let all = entries(&desk, &[]);
    let actions: Vec<&str> = all
        .iter()
        .map(|entry| entry["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions, expected);
    for entry in &all[2..9] {
        assert_eq!(entry["key"], id.as_str(), "{entry}");
        assert_eq!(entry["by"], "operator");
        let from = entry["from"].as_str().unwrap();
        assert!(from.starts_with("claire@") && from.len() > 7, "{from}");
    }
    assert!(
        all[3]["detail"]
            .as_str()
            .unwrap()
            .starts_with("a business, until 20")
    );
    assert_eq!(entries(&desk, &[&id]).len(), 8, "of one account");
    assert_eq!(entries(&desk, &[&desk.id(&other)]).len(), 2);
    assert_eq!(entries(&desk, &["--most", "1"]), all[9..]);
    assert_eq!(entries(&desk, &["--since", "2999-01-01"]), [Value::Null; 0]);

    // No address of an owner, and no key.
    let text = String::from_utf8(desk.keys(&["audit"]).stdout).unwrap();
    assert!(
        !text.contains("example.org") && !text.contains("bma_"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 11, "{text}");
}

#[test]
fn what_does_not_exist_is_not_in_the_audit_log() {
    let desk = Desk::new();
    let nobody = "01980000-0000-7000-8000-000000000001";
    for command in ["revoke", "audit"] {
        let refused = desk.keys(&[command, nobody]);
        assert_eq!(refused.status.code(), Some(1), "{command}");
        let text = String::from_utf8(refused.stderr).unwrap();
        assert!(text.contains(&format!("no key with id {nobody}")), "{text}");
    }
    assert_eq!(entries(&desk, &[]), [Value::Null; 0]);
}
