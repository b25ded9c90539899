//! CSV of batches as spreadsheets save it: the amounts are those of the single calls, and the
//! answer is written as the question was.

use harness::{Answer, Connection, Rules, Server};
use serde_json::Value;

fn post(server: &Server, target: &str, media: &str, body: &[u8]) -> Answer {
    Connection::open(server.address())
        .unwrap()
        .post(target, media, body, "")
        .unwrap()
}

/// The net pay and the cost of a single call, with a decimal comma.
fn single(server: &Server, query: &str) -> String {
    let fields = ["net_a_payer", "cout_employeur"];
    let answer = server
        .get(&format!(
            "/api/v1/salaire?{query}&employeur=true&champs={}",
            fields.join(",")
        ))
        .json();
    let cell = |value: &Value| value.to_string().replace('.', ",");
    fields.map(|name| cell(&answer[name])).join(";")
}

const TARGET: &str = "/api/v1/lot/salaire?employeur=true&champs=net_a_payer,cout_employeur";

#[test]
fn a_file_of_a_french_spreadsheet_is_read_and_answered_as_it_is_written() {
    let server = Server::start();
    let rows = [
        (
            "3000,50;VRAI;31/03/2026",
            "brut=3000.50&cadre=true&date=2026-03-31",
        ),
        (
            "2 500;faux;2026-03-31",
            "brut=2500&cadre=false&date=2026-03-31",
        ),
        ("\"1\u{202f}801,80 €\";FAUX;", "brut=1801.80&cadre=false"),
    ];
    let expected: Vec<String> = rows
        .iter()
        .map(|(_, query)| single(&server, query))
        .collect();
    for (mark, end) in [("\u{feff}", "\r\n"), ("", "\n"), ("", "\r")] {
        let mut table = format!("{mark}brut;cadre;date{end}");
        table.extend(rows.iter().map(|(row, _)| format!("{row}{end}")));
        table.push_str(&format!("60.000;;{end};;;{end}"));
        let answered = post(&server, TARGET, "text/csv", table.as_bytes());
        assert_eq!(
            answered.header("content-type"),
            "text/csv; charset=utf-8; header=present"
        );
        let text = String::from_utf8(answered.body).unwrap();
        let head = format!("{mark}net_a_payer;cout_employeur;avertissements;erreur{end}");
        let lines: Vec<&str> = text
            .strip_prefix(&head)
            .unwrap_or_else(|| panic!("{text:?}"))
            .split_terminator(end)
            .collect();
        // Three rows, and the one that reads in two ways; the empty one at the end is none.
        assert_eq!(lines.len(), 4, "{text:?}");
        for (line, expected) in lines.iter().zip(&expected) {
            assert!(
                line.starts_with(&format!("{expected};")),
                "{line} {expected}"
            );
        }
        assert!(
            lines[3].starts_with(";;;") && lines[3].contains("`60.000`"),
            "{}",
            lines[3]
        );
    }
}

#[test]
fn a_file_in_the_letters_of_windows_is_answered_in_them() {
    let server = Server::start();
    let table = b"cl\xe9;brut\r\nZo\xe9;2 500,5\r\nNo\xebl;x\r\n";
    let expected = single(&server, "brut=2500.5");
    let target = format!("{TARGET}&cle=cl%C3%A9");
    for media in ["text/csv", "text/csv; charset=windows-1252"] {
        let answered = post(&server, &target, media, table);
        assert_eq!(
            answered.header("content-type"),
            "text/csv; charset=windows-1252; header=present"
        );
        let start = [
            &b"cl\xe9;net_a_payer;cout_employeur;avertissements;erreur\r\nZo\xe9;"[..],
            expected.as_bytes(),
        ]
        .concat();
        assert!(
            answered.body.starts_with(&start),
            "{:?}",
            String::from_utf8_lossy(&answered.body)
        );
        assert!(
            answered.body.windows(7).any(|part| part == b"\r\nNo\xebl;"),
            "{answered:?}"
        );
        assert!(
            !answered.body.windows(2).any(|part| part == b"&#"),
            "{answered:?}"
        );
    }
}

#[test]
fn with_commas_or_tabs_numbers_are_written_as_in_a_query() {
    let server = Server::start();
    let expected = single(&server, "brut=3000.50&cadre=true").replace(',', ".");
    for separator in [",", "\t"] {
        let table =
            format!("brut{separator}cadre\n3000.50{separator}true\n\"3000,50\"{separator}true\n");
        let answered = post(&server, TARGET, "text/csv", table.as_bytes());
        let text = String::from_utf8(answered.body).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[1].starts_with(&expected.replace(';', separator)),
            "{text}"
        );
        assert!(lines[2].contains("brut (3000,50) : "), "{text}");
    }
}

#[test]
fn a_file_that_reads_in_two_ways_is_refused_whole_uncharged_with_the_cure() {
    let server = Server::with(&Rules::small().root(), &[]);
    for (table, cure) in [
        (&b"revenu\n30000,50\n"[..], "point-virgule"),
        (b"revenu,parts;x\n1,2\n", "un séparateur"),
        (b"\xff\xfer\0e\0", "UTF-8"),
        (b"revenu;\x81\n1;\n", "UTF-8"),
        (b"\xef\xbb\xbfrevenu;\xe9\n1;\n", "UTF-8"),
    ] {
        let body = post(&server, "/api/v1/lot/ir", "text/csv", table).problem(400, "lot_illisible");
        assert!(body["detail"].as_str().unwrap().contains(cure), "{body}");
    }
    post(&server, "/api/v1/lot/ir", "text/csv; charset=utf-16", b"x")
        .problem(415, "type_de_lot_refuse");
    let first = server.get("/api/v1/ir?revenu=30000");
    assert!(
        first.header("ratelimit").contains("r=999;"),
        "{}",
        first.header("ratelimit")
    );
}
