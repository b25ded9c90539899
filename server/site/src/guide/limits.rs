//! The guides to quotas, and to dates and versions.

use bareme_api::work::cost;
use bareme_engine::service::Rules;
use bareme_engine::{Lang, say};
use maud::{Markup, html};

use super::text::call;
use super::written::{h2, p};
use crate::offers::offers;
use crate::text::prose;

pub(super) fn quotas(rules: &Rules) -> Markup {
    let lang = rules.service().lang;
    html! {
        (p(
            lang,
            "Un quota se compte de minuit à minuit UTC. Un appel à un calcul compte dès qu’il est \
             identifié, qu’il réponde 200, 304 ou 400. Ne comptent pas : les descriptions, les \
             données, les sondes, OPTIONS, ni les réponses 401, 403, 404, 405, 429 et 5xx.",
            "A quota is counted from midnight to midnight UTC. A call of a calculation counts as \
             soon as it is identified, whether it is answered with 200, 304 or 400. What does not \
             count: descriptions, data, probes, OPTIONS, and answers with 401, 403, 404, 405, 429 \
             and 5xx."
        ))
        pre tabindex="0" {
            "RateLimit-Policy: \"jour\";q=1000;w=86400\nRateLimit: \"jour\";r=987;t=12345"
        }

        (p(
            lang,
            "`r` est ce qui reste, `t` le nombre de secondes jusqu’à minuit. Les deux en-têtes sont \
             sur chaque réponse d’un calcul :",
            "`r` is what is left, `t` the number of seconds until midnight. Both headers are on \
             each answer of a calculation:"
        ))
        (call(rules, "/api/v1/tva?montant=100&taux=20&sens=ht", 200))

        (h2(lang, "Les simulateurs du site", "The calculators of the site"))
        (p(
            lang,
            "Les simulateurs, la comparaison et l’appel d’essai de la page de l’API ne prennent \
             rien au quota de l’API, ni au vôtre ni à celui de votre adresse. Ils sont faits pour \
             des personnes : un programme appelle l’API.",
            "The calculators, the comparison and the call to try on the page of the API take \
             nothing from the quota of the API, neither from yours nor from that of your address. \
             They are made for people: a program calls the API."
        ))

        (h2(lang, "Le budget de calcul", "The budget of calculation"))
        p { (prose(&budget(lang))) }
        (p(
            lang,
            "La réponse à ce qui compte pour plusieurs appels dit ce qui en reste :",
            "The answer to what counts as several calls says what is left of it:"
        ))
        pre tabindex="0" { "RateLimit: \"jour\";r=9999;t=12345, \"travail\";r=1199940;t=1" }

        (h2(lang, "Offres", "Plans"))
        (offers(rules.service()))
    }
}

/// The work that one caller may ask for within a short time.
fn budget(lang: Lang) -> String {
    let (inverse, year) = (cost::INVERSE.calls, cost::YEAR.calls);
    let simulation = cost::SIMULATION.calls;
    say!(
        lang,
        "Le quota compte les réponses du jour ; un second compte, le budget de calcul, limite ce \
         qu’un même demandeur fait calculer en peu de temps. Une recherche inverse y compte pour \
         {inverse} appels, une année de paies pour {year}, un simulateur pour {simulation}, chaque \
         ligne d’un lot pour son calcul. Une clé payante a 1\u{202f}200\u{202f}000 appels ordinaires \
         à la fois et en retrouve 10\u{202f}000 par seconde ; une adresse, clés gratuites \
         comprises, 100\u{202f}000, et 10 par seconde. Au-delà, 429 `trop_de_calculs`, qui ne prend \
         rien au quota.",
        "The quota counts the answers of the day; a second count, the budget of calculation, \
         limits what one caller may have calculated within a short time. A search from a result \
         counts as {inverse} calls there, a year of pays as {year}, a calculator as {simulation}, \
         each row of a batch as its calculation. A paid key has 1,200,000 ordinary calls at once, \
         and gets 10,000 a second back; an address, with its free keys, 100,000, and 10 a second. \
         Beyond that, 429 `trop_de_calculs`, which takes nothing from the quota."
    )
}

pub(super) fn dates(rules: &Rules) -> Markup {
    let lang = rules.service().lang;
    html! {
        (p(
            lang,
            "Sans date, le barème d’aujourd’hui (UTC) s’applique. `date` demande celui d’un jour, \
             `annee` celui du premier janvier d’une année :",
            "Without a date, the figures in force today (UTC) apply. `date` asks for those of a \
             day, `annee` for those of 1 January of a year:"
        ))
        (call(rules, "/api/v1/salaire-net?pays=sn&brut=450000&date=2025-06-30", 200))
        (call(rules, "/api/v1/ir?revenu=30000&annee=2025", 200))

        (p(
            lang,
            "La réponse dit lequel a servi (`bareme_en_vigueur`) et l’empreinte exacte de ses \
             fichiers (`version`). Avant le premier barème connu, l’appel est refusé ; après le \
             dernier vérifié, il est calculé avec un avertissement. Rien n’est extrapolé.",
            "The answer says which figures were used (`bareme_en_vigueur`), with the exact digest \
             of their files (`version`). Before the first known ones, the call is refused; after \
             the last day that was checked, it is calculated with a warning. Nothing is \
             extrapolated."
        ))
        (call(rules, "/api/v1/ir?revenu=30000&date=1990-01-01", 400))

        (p(
            lang,
            "Les changements paraissent dans [le flux Atom](/baremes.atom) et sur la page de \
             chaque [barème](/baremes). Une réponse porte un `ETag` : renvoyé dans \
             `If-None-Match`, il donne 304 tant que rien n’a changé. La version de l’API, elle, \
             est dans le chemin (`v1`).",
            "Changes are published in [the Atom feed (in French)](/baremes.atom) and on the page \
             of each [set of figures (in French)](/baremes). An answer has an `ETag`: sent back in \
             `If-None-Match`, it gives 304 as long as nothing has changed. The version of the API \
             is in the path (`v1`)."
        ))
    }
}
