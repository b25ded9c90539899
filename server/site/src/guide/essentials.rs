//! The guides that everybody needs first: the first call, keys, errors.

use bareme_engine::service::Rules;
use maud::{Markup, html};

use super::text::call;
use super::written::{li, p};
use crate::text::say;

pub(super) fn first_call(rules: &Rules) -> Markup {
    let lang = rules.service().lang;
    html! {
        (p(
            lang,
            "Une requête GET, sans clé, sans corps, sans compte :",
            "A GET request, without a key, a body or an account:"
        ))
        (call(rules, "/api/v1/ir?revenu=30000&parts=1", 200))

        (p(
            lang,
            "La réponse est un objet JSON, dont les champs du calcul viennent d’abord, puis ses \
             textes et sa version. Un pays se choisit par `pays` :",
            "The answer is a JSON object: first the fields of the calculation, then its legal \
             texts and its version. Names are in French: `revenu` is an income, `brut` a gross pay, \
             `net` what is left of it, `pays` a country:"
        ))
        (call(rules, "/api/v1/salaire-net?pays=sn&brut=450000", 200))

        (p(
            lang,
            "Le calcul s’explique étape par étape avec `detail=true`, dans `etapes` :",
            "With `detail=true` the calculation explains itself step by step, in `etapes`:"
        ))
        (call(rules, "/api/v1/salaire-net?pays=sn&brut=450000&detail=true", 200))

        (p(
            lang,
            "Une étape qui demande un calcul à un autre barème en donne l’adresse, dans \
             `calcul.adresse`. Avec `detail=complet`, les étapes de cet autre calcul sont là \
             aussi :",
            "A step that asks another calculation gives its address, in `calcul.adresse`. With \
             `detail=complet`, the steps of that calculation are there too:"
        ))
        (call(rules, "/api/v1/dividendes?dividendes=10000&autres_revenus=30000&detail=complet", 200))

        (p(
            lang,
            "La part de l’employeur s’ajoute avec `employeur=true` ; un net ou un coût voulu se \
             donne à la place du brut :",
            "`employeur=true` adds the employer’s part; a net pay or a cost may be given in place \
             of the gross pay:"
        ))
        (call(rules, "/api/v1/salaire-net?pays=sn&net=400000", 200))

        (p(
            lang,
            "Les nombres s’envoient avec un point décimal et sans séparateur de milliers. Un \
             paramètre inconnu ou mal écrit est refusé, jamais ignoré :",
            "Numbers are sent with a decimal point and without a separator of thousands. A \
             parameter that is unknown or badly written is refused, never ignored:"
        ))
        (call(rules, "/api/v1/ir?revenus=30000", 400))

        (p(
            lang,
            "La page de l’API permet d’[essayer un appel](/api#essai), et chaque \
             [simulateur](/simulateurs) donne l’appel qui demande la même chose en curl, Python, \
             JavaScript et PHP.",
            "On the page of the API you can [try a call](/en/api#essai), and each \
             [calculator](/en/simulateurs) gives the call that asks the same in curl, Python, \
             JavaScript and PHP."
        ))
    }
}

pub(super) fn keys(rules: &Rules) -> Markup {
    let (lang, documentation) = (rules.service().lang, &rules.service().documentation);
    let address = say(lang, "vous@exemple.fr", "you@example.com");
    html! {
        (p(
            lang,
            "Sans clé, le quota est celui de votre adresse IP. Une clé gratuite suit votre quota \
             où que vous soyez : [le formulaire](/cle) la donne, au besoin par un lien envoyé à \
             votre adresse électronique, et l’affiche une seule fois. Un programme la demande \
             ainsi :",
            "Without a key, the quota is that of your IP address. With a free key, your quota \
             follows you: [the form (in French)](/cle) gives one, if need be by a link sent to \
             your e-mail address, and shows it once. A program asks for it like this:"
        ))
        pre.copy tabindex="0" {
            "curl -H 'Accept: application/json' -d 'courriel=" (address) "' '"
            (documentation) "/cle'"
        }

        (p(
            lang,
            "Elle s’envoie dans l’en-tête `X-API-Key`, jamais dans l’adresse, où des journaux la \
             garderaient :",
            "It is sent in the header `X-API-Key`, never in the address, where logs would keep it:"
        ))
        pre.copy tabindex="0" {
            "curl -H 'X-API-Key: bma_…' '" (documentation) "/api/v1/ir?revenu=30000'"
        }

        (p(
            lang,
            "Une clé mal écrite, inconnue, expirée ou révoquée répond 401, sans dire laquelle de \
             ces raisons ; l’appel n’est jamais fait sans clé à sa place. Une clé appartient à une \
             version de l’API et répond 403 sur l’autre. Une clé gratuite prend fin après 180 \
             jours sans appel.",
            "A key that is badly written, unknown, expired or revoked is answered with 401, which \
             does not say which of these it is; the call is never made without a key instead. A \
             key belongs to one version of the API, and is answered with 403 on the other. A free \
             key ends after 180 days without a call."
        ))
        (p(
            lang,
            "Les clés gratuites d’une même adresse IP ont ensemble un plafond quotidien : au-delà, \
             429 avec `adresse` dans `violated-policies`. Une clé payante n’en a pas.",
            "The free keys of one IP address have a daily ceiling together: beyond it, 429 with \
             `adresse` in `violated-policies`. A paid key has none."
        ))
        (p(
            lang,
            "Une page web a une clé d’un autre genre, publiable : acceptée des seuls sites \
             déclarés, pour les seuls calculs. Elle se crée sur [la page de vos \
             clés](/cle/gestion) ; [Dans votre page](/documentation/dans-votre-page#cle) dit ce \
             qu’elle protège. Une clé secrète ne se met jamais dans une page.",
            "A web page has a key of another kind, a publishable one: accepted from the declared \
             sites alone, for calculations alone. It is made on [the page of your keys (in \
             French)](/cle/gestion); [In your own page](/en/documentation/dans-votre-page#cle) says \
             what it protects. A secret key never goes into a page."
        ))
        (p(
            lang,
            "Le titulaire qui le demande sur [la page de ses clés](/cle/gestion) reçoit un \
             courriel quand une correction change un calcul dont il a obtenu des réponses : ce qui \
             change, et la version à demander pour les retrouver.",
            "Ask for it on [the page of your keys (in French)](/cle/gestion), and you are sent an \
             e-mail when a correction changes a calculation that you had answers of: what changes, \
             and the version to ask for to have the earlier answers again."
        ))
        (p(
            lang,
            "Ce qu’elle a consommé aujourd’hui se lit dans les en-têtes de chaque réponse, et sur \
             [la page de l’usage](/cle/usage), qui n’est pas comptée.",
            "What it has used today is in the headers of each answer, and on [the page of usage \
             (in French)](/cle/usage), which is not counted."
        ))
    }
}

pub(super) fn errors(rules: &Rules) -> Markup {
    let lang = rules.service().lang;
    html! {
        (p(
            lang,
            "Toute erreur est un objet JSON dont les membres sont ceux de la RFC 9457. Un \
             programme lit `code`, qui ne change pas ; une personne lit `detail`.",
            "Every error is a JSON object with the members of RFC 9457. A program reads `code`, \
             which does not change; a person reads `detail`. With the header \
             `Accept-Language: en`, its sentences are in English."
        ))
        (call(rules, "/api/v1/salaire-net?pays=ci&brut=abc&parts=12", 400))

        (p(
            lang,
            "En 400, `parametres` nomme tous les paramètres fautifs à la fois, avec ce qui a été \
             reçu et ce qui est attendu. Un nom proche d’un nom connu est proposé.",
            "With 400, `parametres` names all bad parameters at once, each with what was received \
             and what is expected. Where a name is close to a known one, that one is suggested."
        ))
        (call(rules, "/api/v1/rien-de-tel", 404))

        ul {
            (li(
                lang,
                "400, 401, 403, 404, 405, 414 : corriger l’appel ; le répéter ne sert à rien.",
                "400, 401, 403, 404, 405, 414: correct the call; it is no use to repeat it."
            ))
            (li(
                lang,
                "429 : attendre la date de `Retry-After`, plus quelques secondes au hasard, car \
                 tout le monde revient à minuit.",
                "429: wait until the time in `Retry-After`, plus a few random seconds, since \
                 everybody comes back at midnight."
            ))
            (li(
                lang,
                "503 : réessayer après les secondes de `Retry-After`, de plus en plus rarement.",
                "503: try again after the seconds in `Retry-After`, less and less often."
            ))
            (li(
                lang,
                "500 : nous écrire avec `instance`, qui nomme la requête.",
                "500: write to us with `instance`, which names the request."
            ))
        }
        (p(
            lang,
            "[Toutes les erreurs](/erreurs), chacune avec un exemple.",
            "[All errors (in French)](/erreurs), each with an example."
        ))
    }
}
