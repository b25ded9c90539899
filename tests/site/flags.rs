//! The pictures beside the names of calculations: the flags of the countries.

use std::collections::BTreeSet;

use harness::{Rules, Server, eventually};

use crate::pages::{in_language, page};

/// The views that some HTML shows, in the order of the page.
fn shown(text: &str) -> Vec<String> {
    let pictures = text.split("src=\"/images.svg#").skip(1);
    pictures
        .map(|rest| rest.split('"').next().unwrap().to_owned())
        .collect()
}

/// The file of all pictures.
fn drawings(server: &Server) -> String {
    String::from_utf8(server.get("/images.svg").body).unwrap()
}

/// The views that the file has.
fn views(file: &str) -> BTreeSet<String> {
    let views = file.split("<view id=\"").skip(1);
    views
        .map(|rest| rest.split('"').next().unwrap().to_owned())
        .collect()
}

#[test]
fn every_country_has_its_flag_wherever_it_is_named() {
    let server = Server::start();
    let file = server.get("/images.svg");
    assert_eq!(
        (file.header("content-type"), file.header("cache-control")),
        ("image/svg+xml", "public, max-age=300")
    );
    assert_eq!(
        file.header("content-security-policy"),
        "default-src 'none'; frame-ancestors 'none'"
    );
    let all = views(&drawings(&server));
    assert_eq!(all.len(), 23, "{all:?}");

    let pages = [
        ("/", "fr"),
        ("/en", "en"),
        ("/comparer", "fr"),
        ("/en/comparer", "en"),
    ];
    for (path, language) in pages {
        let text = in_language(&server.get(path), language);
        let on_page: BTreeSet<String> = shown(&text).into_iter().collect();
        assert_eq!(on_page, all, "{path}");
        // The name follows: a screen reader passes over the picture.
        let pictures = text.split("<img class=\"picture\"").skip(1);
        for picture in pictures {
            let (picture, _) = picture.split_once('>').unwrap();
            assert!(
                picture.contains(" alt=\"\" width=\"24\" height=\"16\" loading=\"lazy\""),
                "{path}: {picture}"
            );
        }
    }

    assert_eq!(
        shown(&page(&server.get("/simulateurs/salaire-net/sn"))),
        ["salaire-net/sn"]
    );
    assert_eq!(shown(&page(&server.get("/simulateurs/ir"))), [""; 0]);
}

#[test]
fn a_picture_is_exchanged_without_a_restart_and_without_another_version() {
    let rules = Rules::copy();
    let server = Server::with(&rules.root(), &[]);
    let call = "/api/v1/salaire-net?pays=sn&brut=500000";
    let version = server.get(call).json()["version"].clone();
    let ready = server.get("/readyz").json()["version"].clone();

    let drawn = "<path fill=\"#123456\" d=\"M0 0h1v1H0z\"></path>";
    let frame = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\">";
    rules.write(
        "salaire-net/sn/picture.svg",
        &format!("{frame}{drawn}</svg>\n"),
    );
    eventually("the picture is exchanged", || {
        drawings(&server).contains(drawn)
    });
    assert_eq!(server.get(call).json()["version"], version);
    assert_eq!(server.get("/readyz").json()["version"], ready);

    // What it may not hold leaves the folder without a picture, and with its law.
    rules.write(
        "salaire-net/sn/picture.svg",
        &format!("{frame}<script>alert(1)</script></svg>\n"),
    );
    eventually("the picture is gone", || {
        let file = drawings(&server);
        !views(&file).contains("salaire-net/sn") && !file.contains("script")
    });
    assert_eq!(server.get(call).json()["version"], version);
    assert_eq!(shown(&page(&server.get("/"))).len(), 22);
}
