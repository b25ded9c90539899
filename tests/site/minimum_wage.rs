//! The button of a pay simulator that takes the minimum wage.

use harness::Server;

use crate::pages::page;

/// The link and the words of the button, with plain spaces.
fn button(server: &Server, address: &str) -> Option<(String, String)> {
    let page = page(&server.get(address)).replace(['\u{202f}', '\u{a0}'], " ");
    // The questions below the form have the word as well.
    let (before, after) = ["\">SMIC : ", "\">Salaire minimum : "]
        .iter()
        .find_map(|words| page.split_once(words))?;
    let link = before.rsplit("href=\"").next()?.replace("&amp;", "&");
    let (words, _) = after.split_once("</a>")?;
    Some((link, words.to_owned()))
}

#[test]
fn the_minimum_wage_of_the_day_is_taken_by_a_button() {
    let server = Server::start();
    let taken = |address: &str| button(&server, address);
    let expected = |link: &str, words: &str| Some((link.to_owned(), words.to_owned()));

    // Belgium: 2 189.81 from April 2026, 2 111.89 before it.
    assert_eq!(
        taken("/simulateurs/salaire-net/be?brut=3000&date=2026-04-01"),
        expected(
            "/simulateurs/salaire-net/be?date=2026-04-01&brut=2189.81",
            "2 189,81 €"
        )
    );
    assert_eq!(
        taken("/simulateurs/salaire-net/be?brut=3000&date=2026-03-31"),
        expected(
            "/simulateurs/salaire-net/be?date=2026-03-31&brut=2111.89",
            "2 111,89 €"
        )
    );

    // The target that the gross was searched for makes place.
    assert_eq!(
        taken("/simulateurs/salaire-net/sn?net=300000&date=2026-06-30"),
        expected(
            "/simulateurs/salaire-net/sn?date=2026-06-30&brut=64223",
            "64 223 F CFA"
        )
    );

    // France: the hourly amount times 1 820 hours over twelve, and twelve times that for a year.
    let month = server
        .get("/api/v1/salaire-minimum?pays=fr&date=2026-02-01")
        .json();
    assert_eq!(
        (&month["horaire"], &month["mensuel"]),
        (&12.02.into(), &1823.03.into())
    );
    assert_eq!(
        taken("/simulateurs/salaire?brut=2500&date=2026-02-01"),
        expected(
            "/simulateurs/salaire?date=2026-02-01&brut=1823.03",
            "1 823,03 €"
        )
    );
    assert_eq!(
        taken("/simulateurs/salaire?brut=30000&periode=annuel&date=2026-02-01"),
        expected(
            "/simulateurs/salaire?periode=annuel&date=2026-02-01&brut=21876.36",
            "21 876,36 €"
        )
    );

    // Part time: its part, 1 867.02 × 0.685714, to the next cent.
    assert_eq!(
        taken("/simulateurs/salaire?brut=1867.02&quotite=24+h&date=2026-06-30"),
        expected(
            "/simulateurs/salaire?quotite=68.5714&date=2026-06-30&brut=1280.25",
            "1 280,25 €"
        )
    );
    // Half of 35 hours; the help of the field says that it takes them.
    let page =
        page(&server.get("/simulateurs/salaire?brut=2000&quotite=17,5+heures&date=2026-06-30"));
    assert!(
        page.contains("quotite=50&amp;date=2026-06-30\"") && page.contains("24\u{a0}h."),
        "{page}"
    );

    // No law, or a pay that has it already: no button.
    assert_eq!(
        taken("/simulateurs/salaire-net/ch?brut=6000&date=2026-06-30"),
        None
    );
    assert_eq!(
        taken("/simulateurs/salaire?brut=1823.03&date=2026-02-01"),
        None
    );
}
