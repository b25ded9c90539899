//! The guide to bonuses and thirteenth months, country by country: made from the rules, with the
//! example of each computed.

use bareme_engine::law::{Find, Method};
use bareme_engine::run::Edition;
use bareme_engine::service::Rules;
use bareme_show::{Amounts, Locale};
use maud::{Markup, html};
use rust_decimal::Decimal;

use crate::catalogue::{self, ListedFolder};
use crate::labels::Labels;
use crate::simulator::Thirteenth;
use crate::text::{printed, prose};

pub(super) fn by_country(rules: &Rules) -> Markup {
    // A calculation of a pay is one for which a gross can be searched.
    let is_pay = |listed: &ListedFolder| {
        latest(listed).is_some_and(|method| method.inverse(Find::Smallest).is_some())
    };
    let takes_one =
        |listed: &ListedFolder| latest(listed).is_some_and(|method| method.once().is_some());
    let pays = catalogue::all(rules).into_iter().filter(is_pay);
    let (with_bonus, without): (Vec<_>, Vec<_>) = pays.partition(takes_one);

    let examples: Vec<(&ListedFolder, Thirteenth)> = with_bonus
        .iter()
        .filter_map(|listed| Some((listed, Thirteenth::new(listed)?)))
        .collect();

    html! {
        p {
            "Un treizième mois, une gratification ou un rappel n’est pas un salaire plus \
             élevé\u{a0}: il est payé une fois, et la loi du pays dit sur quelle base il cotise et \
             comment il est imposé. Il s’envoie à part du brut du mois, par le paramètre du \
             tableau\u{a0}; dans "
            code { "brut" }
            ", il serait compté comme s’il revenait chaque mois."
        }

        h2 { "Un treizième mois égal à la paie" }
        p {
            "Pour la paie de l’exemple de chaque simulateur, ce qu’ajoute un treizième mois du \
             même montant, au dernier barème. Sans impôt retenu sur la paie, le net est avant impôt."
        }
        div.wide tabindex="0" role="region" aria-label="Treizième mois, pays par pays" {
            table {
                thead {
                    tr {
                        th scope="col" { "Calcul" } th scope="col" { "Paramètre" }
                        th.n scope="col" { "Prime brute" } th.n scope="col" { "Cotisations" }
                        th.n scope="col" { "Impôt" } th.n scope="col" { "Net en plus" }
                        th.n scope="col" { "Coût pour l’employeur" }
                    }
                }
                tbody {
                    @for (listed, example) in &examples { (row(listed, example)) }
                }
            }
        }

        h2 { "Ce que dit la loi de chaque pays" }
        @for (listed, example) in &examples {
            h3 { (prose(listed.folder.title())) }
            @let labels = Labels::of_folder(listed.folder);
            @if let Some(help) = &example.input.help { p { (prose(&labels.written(help))) } }
            @if !example.warnings.is_empty() {
                ul {
                    @for warning in &example.warnings { li { (prose(&labels.written(warning))) } }
                }
            }
        }

        h2 { "Les calculs sans paramètre de prime" }
        p {
            "La loi y impose et y fait cotiser la paie du mois entière\u{a0}: une prime s’ajoute \
             au brut du mois où elle est versée."
        }
        ul {
            @for listed in &without {
                li { a href=(listed.simulator()) { (prose(listed.folder.title())) } }
            }
        }
    }
}

/// The method of the last scale.
fn latest<'r>(listed: &ListedFolder<'r>) -> Option<&'r Method> {
    listed.folder.latest().map(Edition::method)
}

fn row(listed: &ListedFolder, example: &Thirteenth) -> Markup {
    let amounts = Amounts::from(example.method);
    let text = |amount: Decimal| amounts.text(amount, Locale::PAGE);
    let cells = [
        Some(example.gross),
        Some(example.added.contributions),
        example.added.tax,
        Some(example.added.net),
        example.added.cost,
    ];

    html! {
        tr {
            th scope="row" {
                a href=(listed.simulator()) { (printed(listed.folder.title())) }
            }
            td { code { (example.input.name) } }
            @for cell in cells {
                td.n { (cell.map_or_else(|| "–".to_owned(), text)) }
            }
        }
    }
}
