//! The pictures that messages and networks show beside a link.

use std::collections::BTreeSet;
use std::io::Cursor;

use harness::{Answer, Connection, Server};
use png::{ColorType, Decoder, Transformations};

use crate::pages::{english, get, in_language, page, pages};

const CASE: &str = "/simulateurs/salaire?brut=3500&employeur=true";
const PICTURE: &str = "/simulateurs/salaire.png?brut=3500&employeur=true";

/// The content of a property of the head of a page.
fn property<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<meta property=\"{name}\" content=\""))?;
    rest.split('"').next()
}

/// The path and the query of the picture of a page.
fn picture_of(text: &str, path: &str) -> String {
    let address = property(text, "og:image").unwrap_or_else(|| panic!("{path} has no picture"));
    let address = address.replace("&amp;", "&");
    let own = address.strip_prefix("https://bareme.example");
    own.unwrap_or_else(|| panic!("{address} on {path}"))
        .to_owned()
}

/// The width, the height and the pixels of a picture.
fn decoded(answer: &Answer) -> (u32, u32, Vec<u8>) {
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, "image/png")
    );
    let mut decoder = Decoder::new(Cursor::new(&answer.body));
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(info.color_type, ColorType::Rgb);
    (info.width, info.height, pixels)
}

#[test]
fn the_picture_of_every_page_is_there() {
    let server = Server::start();
    let mut of_pages = BTreeSet::new();
    let french = pages(&server).into_iter().map(|path| (path, "fr"));
    let english = english(&server).into_iter().map(|path| (path, "en"));
    for (path, language) in french.chain(english) {
        let text = in_language(&get(&server, &path), language);
        for (name, content) in [("og:image:width", "1200"), ("og:image:height", "630")] {
            assert_eq!(property(&text, name), Some(content), "{name} of {path}");
        }
        assert!(text.contains("<meta name=\"twitter:card\" content=\"summary_large_image\">"));
        let described = property(&text, "og:image:alt").unwrap();
        assert!(described.starts_with("Barème. "), "{described}");
        of_pages.insert(picture_of(&text, &path));
    }
    // None of them has a question: each shows the service, in its language.
    let of_service = ["/en/image.png", "/image.png"].map(str::to_owned);
    assert_eq!(Vec::from_iter(of_pages), of_service);
    let [english, french] = of_service.map(|path| decoded(&get(&server, &path)));
    assert_eq!(
        [(french.0, french.1), (english.0, english.1)],
        [(1200, 630); 2]
    );
    assert!(french.2 != english.2, "each is in its language");

    // A picture is found by its page, and is none of the pages.
    let listed = String::from_utf8(get(&server, "/sitemap.xml").body).unwrap();
    assert!(!listed.contains(".png"), "{listed}");
}

#[test]
fn a_link_to_a_case_shows_its_picture() {
    let server = Server::start();
    let cases = [
        (CASE, "fr", PICTURE),
        (
            "/en/simulateurs/salaire?brut=2650",
            "en",
            "/en/simulateurs/salaire.png?brut=2650",
        ),
        // What the page alone knows, the period, but not a change that is tried.
        (
            "/simulateurs/salaire-net/sn?brut=5400000&par=an",
            "fr",
            "/simulateurs/salaire-net/sn.png?brut=5400000&par=an",
        ),
        (
            "/simulateurs/foyer?situation=couple&salaire=36000&un-essai=dons",
            "fr",
            "/simulateurs/foyer.png?situation=couple&salaire=36000",
        ),
        (
            "/simulateurs/salaire?net=2000",
            "fr",
            "/simulateurs/salaire.png?net=2000",
        ),
        (
            "/simulateurs/partage?actif=500000&lien=enfant;enfant",
            "fr",
            "/simulateurs/partage.png?actif=500000&lien=enfant;enfant",
        ),
    ];
    let mut shown = BTreeSet::new();
    for (path, language, expected) in cases {
        let text = in_language(&get(&server, path), language);
        assert_eq!(picture_of(&text, path), expected);

        // In words, it is what the title and the description of the link say.
        let [title, description, described] = ["og:title", "og:description", "og:image:alt"]
            .map(|name| property(&text, name).unwrap());
        assert_eq!(described, format!("{title}. {description}"), "{path}");

        let (width, height, pixels) = decoded(&get(&server, expected));
        assert_eq!((width, height), (1200, 630), "{path}");
        assert!(
            shown.insert(pixels),
            "{path} has the picture of another case"
        );
    }

    // An amount of a year is described as it was typed.
    let text = page(&get(
        &server,
        "/simulateurs/salaire-net/sn?brut=5400000&par=an",
    ));
    let description = property(&text, "og:description").unwrap();
    let plain = description.replace(['\u{202f}', '\u{a0}'], " ");
    assert!(
        plain.contains("Salaire brut : 5 400 000 F CFA par an."),
        "{plain}"
    );

    // A page whose question is refused, or that has none, shows the service.
    for path in ["/simulateurs/salaire?brut=beaucoup", "/simulateurs/salaire"] {
        assert_eq!(picture_of(&page(&get(&server, path)), path), "/image.png");
    }
}

#[test]
fn a_picture_is_the_same_for_the_same_question() {
    let server = Server::start();
    let first = get(&server, PICTURE);
    let again = get(&server, PICTURE);
    assert_eq!(first.body, again.body);
    assert_eq!(first.header("etag"), again.header("etag"));
    let other = get(&server, &PICTURE.replace("3500", "3501"));
    assert_ne!(first.body, other.body);
    assert_ne!(first.header("etag"), other.header("etag"));
    // A picture of the worked case, as the page shows it.
    assert_eq!(decoded(&get(&server, "/simulateurs/salaire.png")).0, 1200);

    // Its headers are those of the file beside it, but for its type and its name.
    let file = get(&server, "/simulateurs/salaire.csv?brut=3500&employeur=true");
    for name in [
        "cache-control",
        "vary",
        "content-security-policy",
        "x-content-type-options",
        "referrer-policy",
    ] {
        assert_eq!(first.header(name), file.header(name), "{name}");
    }
    assert_eq!(first.header("x-content-type-options"), "nosniff");
    for name in [
        "access-control-allow-origin",
        "content-disposition",
        "set-cookie",
    ] {
        assert!(!first.has(name), "{name}");
    }

    // Its format is compressed, so that it is not compressed once more.
    let mut connection = Connection::open(server.address()).unwrap();
    let mut call = |method: &str, headers: &str| connection.call(method, PICTURE, headers).unwrap();
    let whole = call("GET", "Accept-Encoding: gzip\r\n");
    assert!(!whole.has("content-encoding") && whole.body == first.body);

    let head = call("HEAD", "");
    assert_eq!((head.status, head.body.len()), (200, 0));
    for name in ["content-length", "content-type", "etag"] {
        assert_eq!(head.header(name), first.header(name), "{name}");
    }
    let known = call(
        "GET",
        &format!("If-None-Match: {}\r\n", first.header("etag")),
    );
    assert_eq!((known.status, known.body.len()), (304, 0));
    assert_eq!(call("POST", "").status, 405);
}

#[test]
fn a_refused_question_has_no_picture() {
    let server = Server::start();
    for (query, status) in [
        ("brut=beaucoup", 400),
        ("brut=2.650", 400),
        ("employeur=true", 400),
        ("brut=3500&brut=3600", 400),
        ("brut=3500&inconnu=1", 400),
    ] {
        let [picture, file] = ["png", "csv"].map(|end| {
            let answer = get(&server, &format!("/simulateurs/salaire.{end}?{query}"));
            answer.problem_unread(status, "parametres_invalides")
        });
        assert_eq!(picture["parametres"], file["parametres"], "{query}");
    }
    for path in [
        "/simulateurs/rien.png",
        "/en/simulateurs/ir.png",
        "/baremes/ir.png",
    ] {
        get(&server, path).problem(404, "adresse_inconnue");
    }
}

#[test]
fn robots_that_show_previews_may_read_cases() {
    let server = Server::start();
    let text = String::from_utf8(get(&server, "/robots.txt").body).unwrap();
    let groups: Vec<&str> = text.split("\n\n").collect();
    let of = |robot: &str| {
        let name = format!("User-agent: {robot}\n");
        groups.iter().find(|group| group.contains(&name)).unwrap()
    };
    assert!(of("*").contains("\nDisallow: /*?\n"), "{text}");
    for robot in ["facebookexternalhit", "LinkedInBot", "Twitterbot"] {
        let group = of(robot);
        assert!(
            !group.contains("/*?") && group.contains("Disallow: /api/v1/"),
            "{text}"
        );
    }
}
