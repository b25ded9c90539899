//! Payments that a person settles: open cases, and the comparison with the export of the provider.

use harness::eventually;
use serde_json::json;

use crate::payments::Shop;
use crate::shop::{BOUGHT, NOW, UPDATED, altered};

#[test]
fn what_no_key_follows_from_waits_for_a_person() {
    let shop = Shop::open(None);
    let mut ids = Vec::new();
    let price = [
        ("/metadata", json!({})),
        ("/id", "sub_9".into()),
        ("/items/data/0/price/id", "price_new".into()),
    ];
    let bought = [("/metadata", json!({})), ("/subscription", "sub_9".into())];
    assert_eq!(
        shop.send(&altered(BOUGHT, "evt_1", 1_800_000_000, &bought)),
        "waiting"
    );
    assert_eq!(
        shop.send(&altered(UPDATED, "evt_2", 1_800_000_000, &price)),
        "waiting"
    );
    let refund = json!({
        "id": "evt_3", "type": "charge.refunded", "created": NOW,
        "data": {"object": {
            "id": "ch_1", "amount_refunded": 19_900, "currency": "eur", "customer": "cus_TS0001"
        }}
    });
    assert_eq!(shop.send(&refund.to_string()), "waiting");
    let dispute = json!({
        "id": "evt_4", "type": "charge.dispute.created", "created": NOW,
        "data": {"object": {
            "id": "dp_1", "status": "needs_response", "amount": 19_900, "currency": "eur",
            "charge": "ch_1"
        }}
    });
    assert_eq!(shop.send(&dispute.to_string()), "waiting");
    for kind in ["unknown_price", "refund", "dispute"] {
        let case = shop
            .cases()
            .into_iter()
            .find(|case| case["kind"] == kind)
            .unwrap_or_else(|| panic!("no {kind}"));
        shop.node
            .server
            .logged(|line| line["level"] == "ERROR" && line["case"] == case["id"]);
        assert!(!case["advice"].as_str().unwrap().is_empty());
        eventually("it is counted", || {
            shop.node
                .metrics()
                .contains(&format!("bareme_open_cases{{kind=\"{kind}\"}} 1"))
        });
        ids.push(case["id"].as_str().unwrap().to_owned());
    }

    assert_eq!(shop.cases().len(), 3);
    let reported = String::from_utf8(shop.desk.keys(&["payments"]).stdout).unwrap();
    assert!(
        reported.contains("price_new")
            && reported.contains("19900")
            && reported.contains("cus_TS0001"),
        "{reported}"
    );

    assert!(
        !shop
            .desk
            .keys(&["payments", "--settle", "refund:ch_2"])
            .status
            .success()
    );
    for id in &ids[1..] {
        assert!(
            shop.desk
                .keys(&["payments", "--settle", id])
                .status
                .success()
        );
    }

    assert_eq!(shop.send(&refund.to_string()), "waiting", "the same again");
    assert_eq!(shop.cases().len(), 1, "is not opened again");
    // A plan gets the price: the key follows automatically.
    shop.desk
        .rules()
        .replace("service.yaml", "price_1SWscale", "price_new");
    let key = shop.key();
    assert_eq!(shop.desk.find(&key)["plan"], "scale");
    eventually("the case is settled", || shop.cases().is_empty());
}

/// Compares an export of the provider with the keys: exit code, findings, errors.
fn reconciled(shop: &Shop, rows: &str) -> (Option<i32>, String, String) {
    let file = shop.desk.place().join("export.csv");
    let header =
        "id,Customer ID,Plan,Status,Current Period End (UTC),Cancel At Period End,Ended At (UTC)\n";
    std::fs::write(&file, format!("{header}{rows}")).unwrap();

    // The options of the command `keys`, which name the store, are those of this one too.
    let keys = shop.desk.command(&[]);
    let options: Vec<_> = keys.get_args().skip(1).map(ToOwned::to_owned).collect();
    let output = std::process::Command::new(harness::binary())
        .args(["payments", "reconcile", "--from"])
        .arg(&file)
        .args(options)
        .output()
        .unwrap();

    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn the_export_of_the_provider_is_compared_with_the_keys() {
    let shop = Shop::open(None);
    shop.send(BOUGHT);
    shop.send(UPDATED);
    let key = shop.key();
    let id = shop.desk.id(&key);
    let reconcile = |rows: &str| reconciled(&shop, rows);

    let good = "sub_1SW0001,cus_1,price_1SWscale,active,2028-01-15 08:00,false,\n";
    let same = reconcile(good);
    assert_eq!((same.0, same.1.as_str()), (Some(0), ""), "{}", same.2);
    assert!(
        same.2
            .contains("1 subscriptions of the provider compared with 1 keys"),
        "{}",
        same.2
    );
    for (rows, reported) in [
        (
            "sub_1SW0001,c,price_1SWpro,active,2028-01-15 08:00,false,\n",
            "it pays for a pro, the key has a scale",
        ),
        (
            "sub_1SW0001,c,price_1SWscale,active,2029-01-15 08:00,false,\n",
            "its period ends 2029-01-15",
        ),
        (
            "sub_1SW0001,c,price_1SWscale,unpaid,2028-01-15 08:00,false,\n",
            "has ended or is unpaid, and the key is good",
        ),
        (
            "sub_1SW0001,c,price_1SWscale,active,2028-01-15 08:00,true,\n",
            "it was cancelled",
        ),
        (
            "sub_2,c,price_1SWscale,active,2028-01-15 08:00,false,\n",
            "there is no key",
        ),
        (
            "sub_2,c,price_1SWscale,canceled,,,2027-01-15 08:00\n",
            "does not have its subscription",
        ),
    ] {
        let (status, found, errors) = reconcile(rows);
        assert_eq!(status, Some(1), "{rows}: {errors}");
        assert!(found.contains(reported), "{rows}: {found}");
    }

    for (rows, reported) in [
        ("", "no subscription is in it"),
        (
            "sub_1,c,p,on_holiday,,,\n",
            "line 2: unknown status `on_holiday`",
        ),
        (
            "sub_1,c,p,active,tomorrow,,\n",
            "line 2: no date `tomorrow`",
        ),
        ("sub_1,c,p\n", "line"),
    ] {
        let (status, _, errors) = reconcile(rows);
        assert!(
            status == Some(1) && errors.contains(reported),
            "{rows}: {errors}"
        );
    }

    assert!(shop.desk.keys(&["revoke", &id]).status.success());
    assert!(
        reconcile(good)
            .1
            .contains("it is running, and the key was revoked")
    );
    assert!(shop.desk.keys(&["restore", &id]).status.success());
    assert_eq!(reconcile(good).0, Some(0));
    assert!(
        !shop.desk.keys(&["restore", &id]).status.success(),
        "it is not revoked"
    );
}
