//! Texts of the guides.

use bareme_api::work::cost;
use bareme_engine::service::{Endpoint, Rules, Variant};
use maud::{Markup, html};

use crate::offers::{attribution, offers};
use crate::text::prose;

/// A call to copy. The tests send it and expect this status.
pub(super) fn call(rules: &Rules, path: &str, status: u16) -> Markup {
    html! {
        // The tests read these attributes, send the call and expect the status.
        pre.copy tabindex="0" data-appel=(path) data-statut=(status) {
            "curl '" (rules.service().documentation) (path) "'"
        }
    }
}

pub(super) fn first_call(rules: &Rules) -> Markup {
    html! {
        p { "Une requête GET, sans clé, sans corps, sans compte\u{a0}:" }
        (call(rules, "/api/v1/ir?revenu=30000&parts=1", 200))

        p {
            "La réponse est un objet JSON, dont les champs du calcul viennent d’abord, puis ses \
             textes et sa version. Un pays se choisit par "
            code { "pays" } "\u{a0}:"
        }
        (call(rules, "/api/v1/salaire-net?pays=sn&brut=450000", 200))

        p {
            "Le calcul s’explique étape par étape avec " code { "detail=true" } ", dans "
            code { "etapes" } "\u{a0}:"
        }
        (call(rules, "/api/v1/salaire-net?pays=sn&brut=450000&detail=true", 200))

        p {
            "Une étape qui demande un calcul à un autre barème en donne l’adresse, dans "
            code { "calcul.adresse" } ". Avec " code { "detail=complet" }
            ", les étapes de cet autre calcul sont là aussi\u{a0}:"
        }
        (call(rules, "/api/v1/dividendes?dividendes=10000&autres_revenus=30000&detail=complet", 200))

        p {
            "La part de l’employeur s’ajoute avec " code { "employeur=true" }
            "\u{a0}; un net ou un coût voulu se donne à la place du brut\u{a0}:"
        }
        (call(rules, "/api/v1/salaire-net?pays=sn&net=400000", 200))

        p {
            "Les nombres s’envoient avec un point décimal et sans séparateur de milliers. Un \
             paramètre inconnu ou mal écrit est refusé, jamais ignoré\u{a0}:"
        }
        (call(rules, "/api/v1/ir?revenus=30000", 400))

        p {
            "La page de l’API permet d’" a href="/api#essai" { "essayer un appel" } ", et chaque "
            a href="/simulateurs" { "simulateur" }
            " donne l’appel qui demande la même chose en curl, Python, JavaScript et PHP."
        }
    }
}

pub(super) fn keys(rules: &Rules) -> Markup {
    html! {
        p {
            "Sans clé, le quota est celui de votre adresse IP. Une clé gratuite suit votre quota \
             où que vous soyez\u{a0}: "
            a href="/cle" { "le formulaire" }
            " la donne, au besoin par un lien envoyé à votre adresse électronique, et l’affiche \
             une seule fois. Un programme la demande ainsi\u{a0}:"
        }
        pre.copy tabindex="0" {
            "curl -H 'Accept: application/json' -d 'courriel=vous@exemple.fr' '"
            (rules.service().documentation) "/cle'"
        }

        p {
            "Elle s’envoie dans l’en-tête " code { "X-API-Key" }
            ", jamais dans l’adresse, où des journaux la garderaient\u{a0}:"
        }
        pre.copy tabindex="0" {
            "curl -H 'X-API-Key: bma_…' '" (rules.service().documentation)
            "/api/v1/ir?revenu=30000'"
        }

        p {
            "Une clé mal écrite, inconnue, expirée ou révoquée répond 401, sans dire laquelle de \
             ces raisons\u{a0}; l’appel n’est jamais fait sans clé à sa place. Une clé appartient \
             à une version de l’API et répond 403 sur l’autre. Une clé gratuite prend fin après \
             180\u{a0}jours sans appel."
        }
        p {
            "Les clés gratuites d’une même adresse IP ont ensemble un plafond quotidien\u{a0}: \
             au-delà, 429 avec "
            code { "adresse" } " dans " code { "violated-policies" } ". Une clé payante n’en a pas."
        }
        p {
            "Une page web a une clé à part, " strong { "publiable" } "\u{a0}: acceptée des seuls \
            sites déclarés, pour les seuls calculs. Elle se crée sur "
            a href="/cle/gestion" { "la page de vos clés" } "\u{a0}; "
            a href="/documentation/dans-votre-page#cle" { "Dans votre page" }
            " dit ce qu’elle protège. Une clé secrète ne se met jamais dans une page."
        }
        p {
            "Le titulaire qui le demande sur "
            a href="/cle/gestion" { "la page de ses clés" }
            " reçoit un courriel quand une correction change un calcul dont il a obtenu des \
             réponses\u{a0}: ce qui change, et la version à demander pour les retrouver."
        }
        p {
            "Ce qu’elle a consommé aujourd’hui se lit dans les en-têtes de chaque réponse, et sur "
            a href="/cle/usage" { "la page de l’usage" } ", qui n’est pas comptée."
        }
    }
}

pub(super) fn errors(rules: &Rules) -> Markup {
    html! {
        p {
            "Toute erreur est un objet JSON dont les membres sont ceux de la RFC\u{a0}9457. Un \
             programme lit "
            code { "code" } ", qui ne change pas\u{a0}; une personne lit " code { "detail" } "."
        }
        (call(rules, "/api/v1/salaire-net?pays=ci&brut=abc&parts=12", 400))

        p {
            "En 400, " code { "parametres" }
            " nomme tous les paramètres fautifs à la fois, avec ce qui a été reçu et ce qui est \
             attendu. Un nom proche d’un nom connu est proposé."
        }
        (call(rules, "/api/v1/rien-de-tel", 404))

        ul {
            li {
                "400, 401, 403, 404, 405, 414\u{a0}: corriger l’appel\u{a0}; le répéter ne sert à \
                 rien."
            }
            li {
                "429\u{a0}: attendre la date de " code { "Retry-After" }
                ", plus quelques secondes au hasard, car tout le monde revient à minuit."
            }
            li {
                "503\u{a0}: réessayer après les secondes de " code { "Retry-After" }
                ", de plus en plus rarement."
            }
            li { "500\u{a0}: nous écrire avec " code { "instance" } ", qui nomme la requête." }
        }
        p { a href="/erreurs" { "Toutes les erreurs" } ", chacune avec un exemple." }
    }
}

pub(super) fn quotas(rules: &Rules) -> Markup {
    html! {
        p {
            "Un quota se compte de minuit à minuit UTC. Un appel à un calcul compte dès qu’il est \
             identifié, qu’il réponde 200, 304 ou 400. Ne comptent pas\u{a0}: les descriptions, \
             les données, les sondes, OPTIONS, ni les réponses 401, 403, 404, 405, 429 et 5xx."
        }
        pre tabindex="0" {
            "RateLimit-Policy: \"jour\";q=1000;w=86400\nRateLimit: \"jour\";r=987;t=12345"
        }

        p {
            code { "r" } " est ce qui reste, " code { "t" }
            " le nombre de secondes jusqu’à minuit. Les deux en-têtes sont sur chaque réponse d’un \
             calcul\u{a0}:"
        }
        (call(rules, "/api/v1/tva?montant=100&taux=20&sens=ht", 200))

        h2 { "Les simulateurs du site" }
        p {
            "Les simulateurs, la comparaison et l’appel d’essai de la page de l’API ne prennent \
             rien au quota de l’API, ni au vôtre ni à celui de votre adresse. Ils sont faits pour \
             des personnes\u{a0}: un programme appelle l’API."
        }

        h2 { "Le budget de calcul" }
        p {
            "Le quota compte les réponses du jour\u{a0}; un second compte, le budget de calcul, \
             limite ce qu’un même "
            "demandeur fait calculer en peu de temps. Une recherche inverse y compte pour "
            (cost::INVERSE.calls)
            " appels, une année de paies pour " (cost::YEAR.calls) ", un simulateur pour "
            (cost::SIMULATION.calls)
            ", chaque ligne d’un lot pour son calcul. Une clé payante a 1\u{202f}200\u{202f}000 \
             appels ordinaires à la "
            "fois et en retrouve 10\u{202f}000 par seconde\u{a0}; une adresse, clés gratuites \
             comprises, 100\u{202f}000, et "
            "10 par seconde. Au-delà, 429 " code { "trop_de_calculs" }
            ", qui ne prend rien au quota."
        }
        p { "La réponse à ce qui compte pour plusieurs appels dit ce qui en reste\u{a0}:" }
        pre tabindex="0" { "RateLimit: \"jour\";r=9999;t=12345, \"travail\";r=1199940;t=1" }

        h2 { "Offres" }
        (offers(rules.service()))
    }
}

pub(super) fn dates(rules: &Rules) -> Markup {
    html! {
        p {
            "Sans date, le barème d’aujourd’hui (UTC) s’applique. " code { "date" }
            " demande celui d’un jour, " code { "annee" } " celui du 1" sup { "er" }
            "\u{a0}janvier d’une année\u{a0}:"
        }
        (call(rules, "/api/v1/salaire-net?pays=sn&brut=450000&date=2025-06-30", 200))
        (call(rules, "/api/v1/ir?revenu=30000&annee=2025", 200))

        p {
            "La réponse dit lequel a servi (" code { "bareme_en_vigueur" }
            ") et l’empreinte exacte de ses fichiers (" code { "version" }
            "). Avant le premier barème connu, l’appel est refusé\u{a0}; après le dernier vérifié, \
             il est calculé avec un avertissement. Rien n’est extrapolé."
        }
        (call(rules, "/api/v1/ir?revenu=30000&date=1990-01-01", 400))

        p {
            "Les changements paraissent dans " a href="/baremes.atom" { "le flux Atom" }
            " et sur la page de chaque " a href="/baremes" { "barème" } ". Une réponse porte un "
            code { "ETag" } "\u{a0}: renvoyé dans " code { "If-None-Match" }
            ", il donne 304 tant que rien n’a changé. La version de l’API, elle, est dans le \
             chemin ("
            code { "v1" } ")."
        }
    }
}

pub(super) fn rounding(rules: &Rules) -> Markup {
    html! {
        p {
            "Les calculs sont faits en décimales, du texte du barème à la réponse\u{a0}: 0,1 plus \
             0,2 font 0,3. Les montants ont les décimales de leur monnaie, et un arrondi n’a lieu \
             que là où le texte de loi le prévoit\u{a0}; "
            code { "detail=true" } " dit lequel, à chaque étape."
        }
        (call(rules, "/api/v1/ir?revenu=30000&arrondi=cent&detail=true", 200))

        p {
            "Les taux des quatre calculs français sont des fractions (0.20 pour 20\u{202f}%), sauf \
             celui du prêt\u{a0}; ceux des autres pays sont en pour cent. Un taux s’envoie \
             toujours en pour cent\u{a0}:"
        }
        (call(rules, "/api/v1/tva?montant=100&taux=5.5&sens=ttc", 200))

        p {
            "Pour garder l’exactitude, lire les nombres JSON comme des décimaux\u{a0}: "
            code { "parse_float=Decimal" } " en Python, une bibliothèque de décimaux en JavaScript."
        }
    }
}

pub(super) fn sources(rules: &Rules) -> Markup {
    html! {
        p {
            "Chaque chiffre d’un barème nomme ses textes\u{a0}: la loi ou le règlement, à défaut \
             la publication de l’administration. Ils reviennent dans "
            code { "references" }
            " de chaque réponse, avec éditeur, date et adresse quand il y en a une\u{a0}:"
        }
        (call(rules, "/api/v1/salaire-net?pays=ma&brut=10000", 200))

        p {
            "Un chiffre dont un point reste ouvert porte une confiance et une note, qui reviennent \
             avec lui ("
            code { "reserves" } "). La page de chaque " a href="/baremes" { "barème" }
            " les montre toutes."
        }
        p {
            "Des cas chiffrés accompagnent chaque barème. Ils sont recalculés avant que des règles \
             n’entrent en service\u{a0}: un seul écart, et les règles précédentes restent en place."
        }

        h2 { "Citer un résultat" }
        p {
            "Le champ " code { "citation" }
            " de chaque réponse est la ligne à recopier\u{a0}: le barème, sa date d’entrée en \
             vigueur ("
            code { "bareme_en_vigueur" } "), ses textes (" code { "source" } ") et l’empreinte "
            code { "version" }
            ". Le même appel, avec la même date, redonne le même résultat tant que l’empreinte est \
             la même. Chaque simulateur prépare cette citation et la met sur sa page à imprimer."
        }
        (attribution(rules.service()))
    }
}

pub(super) fn migration(rules: &Rules) -> Markup {
    let names = |variant: &Variant| {
        let endpoints: Vec<&Endpoint> = rules.service().endpoints_of(variant).collect();

        html! {
            @for (index, endpoint) in endpoints.iter().enumerate() {
                @if index > 0 { ", " } code { (endpoint.name) }
            }
        }
    };

    html! {
        p {
            "Les versions de l’API sont servies côte à côte. Un calcul qui est dans les deux prend \
             les mêmes paramètres et donne la même réponse, à l’octet près\u{a0}; seuls changent \
             le début du chemin, les offres et la clé."
        }
        table {
            thead {
                tr {
                    th scope="col" { "Version" } th scope="col" { "Chemin" }
                    th scope="col" { "Calculs" }
                }
            }
            tbody {
                @for variant in &rules.service().variants {
                    tr {
                        th scope="row" { (prose(&variant.title)) } td { code { (variant.prefix) } }
                        td { (names(variant)) }
                    }
                }
            }
        }
        p { "Le même appel dans l’une et dans l’autre\u{a0}:" }
        (call(rules, "/api-docs/v1/ir?revenu=30000&parts=1", 200))
        (call(rules, "/api/v1/ir?revenu=30000&parts=1", 200))

        p {
            "Une clé n’est bonne que sur sa version\u{a0}: en changer, c’est en demander une \
             autre, puis remplacer le début du chemin et l’en-tête dans la même livraison."
        }
    }
}
