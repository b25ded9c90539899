//! The paths of the folders of a family: `/salaire-net/ci` is `/salaire-net?pays=ci`.

use harness::{Connection, Server};
use serde_json::{Value, json};

const FAMILY: &str = "/api/v1/salaire-net";

/// The words of the family, each with the query of a call that is answered.
fn calls(server: &Server) -> Vec<(String, String)> {
    let listed = server.get("/api/v1/baremes").json();
    let of_family = listed["baremes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|scale| scale["calcul"] == "salaire-net");
    let call = |scale: &Value| {
        let word = scale["mot"].as_str().unwrap();
        let example = scale["exemple"].as_str().unwrap();
        let query = example
            .strip_prefix(&format!("{FAMILY}?pays={word}&"))
            .unwrap();
        (word.to_owned(), query.to_owned())
    };
    of_family.map(call).collect()
}

#[test]
fn each_folder_has_a_path_that_answers_as_the_family_does() {
    let server = Server::start_with(&["--log", "info,access=off"]);
    let calls = calls(&server);
    assert!(calls.len() > 20, "{calls:?}");
    for (word, query) in calls {
        let general = server.get(&format!("{FAMILY}?pays={word}&{query}"));
        let own = server.get(&format!("{FAMILY}/{word}?{query}"));
        assert_eq!((own.status, general.status), (200, 200), "{word}");
        assert_eq!(own.body, general.body, "{word}");
        assert_eq!(own.header("etag"), general.header("etag"), "{word}");
        let known = format!("If-None-Match: {}\r\n", general.header("etag"));
        let mut connection = Connection::open(server.address()).unwrap();
        let again = connection
            .call("GET", &format!("{FAMILY}/{word}?{query}"), &known)
            .unwrap();
        assert_eq!(again.status, 304, "{word}");
    }
    // Without a query too: what is missing is said, as elsewhere.
    assert_eq!(
        server.get(&format!("{FAMILY}/ci")).blamed(),
        server.get(&format!("{FAMILY}?pays=ci")).blamed()
    );
    let fields = server
        .get(&format!("{FAMILY}/ci?brut=300000&champs=pays,net_mensuel"))
        .json();
    assert_eq!(
        fields.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["pays", "net_mensuel"]
    );
}

#[test]
fn the_parameter_that_the_path_stands_for_is_refused_with_what_to_do() {
    let server = Server::start();
    for (query, blamed) in [
        ("brut=300000&pays=ci", &["pays"][..]),
        ("brut=300000&pays=sn", &["pays"]),
        ("pays=&brut=300000", &["pays"]),
        ("pays=ci&brut=x", &["pays", "brut"]),
    ] {
        let answer = server.get(&format!("{FAMILY}/ci?{query}"));
        assert_eq!(answer.blamed(), blamed, "{query}");
        let bad = &answer.json()["parametres"][0];
        assert_eq!(bad["code"], "inconnu");
        let told = bad["attendu"].as_str().unwrap();
        assert!(
            told.contains("`/salaire-net/ci`") && told.contains("`/salaire-net`"),
            "{told}"
        );
    }
}

#[test]
fn an_empty_parameter_of_another_folder_is_absent() {
    let server = Server::start();
    let plain = server.get(&format!("{FAMILY}?pays=ci&brut=300000")).body;
    for query in [
        "pays=ci&brut=300000&parts_trimf=&commune_taux=&net=",
        "parts_trimf=&pays=ci&brut=300000",
    ] {
        assert_eq!(
            server.get(&format!("{FAMILY}?{query}")).body,
            plain,
            "{query}"
        );
    }
    // A value, a parameter of no folder, and one given twice are still refused.
    for (query, blamed) in [
        ("parts_trimf=1", "parts_trimf"),
        ("parts_trim=", "parts_trim"),
        ("brut=", "brut"),
    ] {
        assert_eq!(
            server
                .get(&format!("{FAMILY}?pays=ci&brut=300000&{query}"))
                .blamed(),
            [blamed],
            "{query}"
        );
    }
}

#[test]
fn a_path_of_no_folder_is_told_the_one_that_is_meant() {
    let server = Server::start();
    for (path, meant) in [
        ("salaire-net/senegal", "/api/v1/salaire-net/sn"),
        ("salaire-net/SN", "/api/v1/salaire-net/sn"),
        ("salaire-net/ca", "/api/v1/salaire-net/qc"),
        ("salaire-net/fr", "/api/v1/salaire"),
    ] {
        let answer = server.get(&format!("/api/v1/{path}?brut=1000"));
        let detail = answer.problem(404, "adresse_inconnue")["detail"].to_string();
        assert!(detail.contains(&format!("`{meant}`")), "{detail}");
    }
    // A variant without the family has none of its paths, and an endpoint without a family none
    // below it.
    for path in ["/api-docs/v1/salaire-net/sn", "/api/v1/ir/sn"] {
        server.get(path).problem(404, "adresse_inconnue");
    }
}

#[test]
fn a_batch_of_one_folder_needs_no_column_for_it() {
    let server = Server::start();
    let post = |media: &str, body: &str, query: &str| {
        let mut connection = Connection::open(server.address()).unwrap();
        connection
            .post(
                &format!("/api/v1/lot/salaire-net/ci{query}"),
                media,
                body.as_bytes(),
                "",
            )
            .unwrap()
    };
    let single = server.get(&format!("{FAMILY}/ci?brut=300000")).json();
    let rows = json!([{"brut": "300000"}, {"brut": "300000", "pays": "sn"}]);
    let answered = post("application/json", &rows.to_string(), "").json();
    assert_eq!(answered[0], single);
    assert_eq!(answered[1]["erreur"]["parametres"][0]["nom"], "pays");

    let table = post("text/csv", "brut\n300000\n", "?champs=pays,net_mensuel");
    let text = String::from_utf8(table.body).unwrap();
    assert_eq!(
        text,
        format!(
            "pays,net_mensuel,avertissements,erreur\nci,{},,\n",
            single["net_mensuel"]
        )
    );
    assert_eq!(
        post("text/csv", "brut,pays\n300000,ci\n", "").blamed(),
        ["pays"]
    );
    // A field of another country is none here.
    assert_eq!(
        post("application/json", "[{\"brut\": 1}]", "?champs=ipres_rg").blamed(),
        ["champs"]
    );
}
