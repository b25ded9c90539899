//! Every error that the service can answer. This list is also what the interface's description
//! and the documentation list, so an error cannot exist without being documented.

use bareme_show::Text;
use hyper::StatusCode;

/// One kind of error: what never changes from an occurrence to the next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// Stable name, for programs.
    pub code: &'static str,
    /// Status of the answer.
    pub status: StatusCode,
    /// Short text, for people.
    pub title: Text,
    /// When it happens and what to do, for the documentation.
    pub meaning: Text,
}

/// One or more parameters cannot be used.
pub(crate) static PARAMETERS: Kind = Kind {
    code: "parametres_invalides",
    status: StatusCode::BAD_REQUEST,
    title: Text::new("Paramètres invalides", "Invalid parameters"),
    meaning: Text::new(
        "Un ou plusieurs paramètres manquent, sont mal écrits, hors bornes, répétés ou inconnus. \
              `parametres` les nomme tous, avec ce qui est attendu.",
        "One or more parameters are missing, badly written, out of bounds, repeated or unknown. `parametres` names them all, with what is expected.",
    ),
};

/// A head that is no HTTP request.
pub(crate) static UNREADABLE: Kind = Kind {
    code: "requete_illisible",
    status: StatusCode::BAD_REQUEST,
    title: Text::new("Requête illisible", "Unreadable request"),
    meaning: Text::new(
        "Ce qui a été reçu n’est pas une requête HTTP/1.1 correcte.",
        "What was received is not a correct HTTP/1.1 request.",
    ),
};

/// No `Host`, several, or one that names no host.
pub(crate) static HOST: Kind = Kind {
    code: "hote_absent",
    status: StatusCode::BAD_REQUEST,
    title: Text::new("En-tête Host absent, répété ou mal formé", "Host header missing, repeated or malformed"),
    meaning: Text::new(
        "Une requête HTTP/1.1 porte un en-tête `Host`, et un seul, de la forme `nom` ou `nom:port`.",
        "An HTTP/1.1 request has one `Host` header, of the form `name` or `name:port`.",
    ),
};

/// HTTP/2 with prior knowledge, without TLS.
pub(crate) static VERSION: Kind = Kind {
    code: "version_refusee",
    status: StatusCode::HTTP_VERSION_NOT_SUPPORTED,
    title: Text::new("Version de HTTP refusée", "HTTP version refused"),
    meaning: Text::new(
        "Le service parle HTTP/1.1 ; HTTP/2 est l’affaire du serveur web placé devant lui.",
        "The service speaks HTTP/1.1; HTTP/2 is for the web server in front of it.",
    ),
};

/// A body with a transfer coding.
pub(crate) static BODY: Kind = Kind {
    code: "corps_refuse",
    status: StatusCode::BAD_REQUEST,
    title: Text::new("Corps de requête refusé", "Request body refused"),
    meaning: Text::new(
        "Le service n’attend aucun corps ; une requête avec `Transfer-Encoding` est refusée.",
        "The service expects no body; a request with `Transfer-Encoding` is refused.",
    ),
};

/// The key cannot be used. The answer does not reveal which of the reasons it is.
pub(crate) static KEY: Kind = Kind {
    code: "cle_refusee",
    status: StatusCode::UNAUTHORIZED,
    title: Text::new("Clé refusée", "Key refused"),
    meaning: Text::new(
        "La clé de l’en-tête `X-API-Key`, ou de `Authorization: Bearer`, est mal écrite, inconnue, expirée ou \
              révoquée. L’appel n’est pas fait sans clé à sa place : corriger la clé, n’en envoyer qu’une (la même \
              dans les deux en-têtes en est une), ou la retirer pour appeler sans clé.",
        "The key in `X-API-Key`, or in `Authorization: Bearer`, is malformed, unknown, expired or revoked. The call is not made without a key instead: correct the key, send only one (the same in both headers is one), or remove it to call without a key.",
    ),
};

/// A good key of another variant of the interface, or of a plan that is no longer offered.
pub(crate) static OTHER_VARIANT: Kind = Kind {
    code: "cle_autre_version",
    status: StatusCode::FORBIDDEN,
    title: Text::new("Clé valable seulement pour l’autre version", "Key of another version"),
    meaning: Text::new(
        "La clé est valable seulement pour l’autre version de l’API.",
        "The key is valid, but its plan is not one of this version of the interface.",
    ),
};

/// The form was sent from the page of another site.
pub(crate) static ORIGIN: Kind = Kind {
    code: "origine_refusee",
    status: StatusCode::FORBIDDEN,
    title: Text::new("Origine refusée", "Origin refused"),
    meaning: Text::new(
        "Le formulaire des clés a été envoyé depuis la page d’un autre site.",
        "The key form was sent from the page of another site.",
    ),
};

/// The form was sent already: its page was loaded again.
pub(crate) static FORM_USED: Kind = Kind {
    code: "formulaire_deja_envoye",
    status: StatusCode::CONFLICT,
    title: Text::new("Formulaire déjà envoyé", "Form already sent"),
    meaning: Text::new(
        "Ce formulaire a déjà été envoyé, ou il date d’un autre jour : une page rechargée ne donne pas de seconde clé. Si la première n’a pas été copiée, renvoyer le formulaire en redemande une.",
        "This form was sent already, or is of another day: a page that is loaded again gives no second key. If the first one was not copied, sending the form again asks for another.",
    ),
};

/// No such path.
pub(crate) static NOT_FOUND: Kind = Kind {
    code: "adresse_inconnue",
    status: StatusCode::NOT_FOUND,
    title: Text::new("Adresse inconnue", "Unknown address"),
    meaning: Text::new(
        "Le chemin demandé n’existe pas ; `detail` donne ceux qui existent.",
        "The path does not exist; `detail` lists those that do.",
    ),
};

/// A year of pays of a calculation that has none.
pub(crate) static WITHOUT_YEAR: Kind = Kind {
    code: "sans_annee",
    status: StatusCode::NOT_FOUND,
    title: Text::new("Calcul sans année de paies", "Calculation without a year of pays"),
    meaning: Text::new(
        "Ce calcul ne donne pas d’année de paies : il répond mois par mois, à la même adresse sans `/annee`. Les \
              calculs qui en donnent une ont une opération `…/annee` dans la description.",
        "This calculation has no year of pays: it answers month by month, at the same path without `/annee`. Those that \
              have one have an operation `…/annee` in the description.",
    ),
};

/// Another method than GET, HEAD or OPTIONS.
pub(crate) static METHOD: Kind = Kind {
    code: "methode_refusee",
    status: StatusCode::METHOD_NOT_ALLOWED,
    title: Text::new("Méthode refusée", "Method refused"),
    meaning: Text::new(
        "Seules les méthodes GET, HEAD et OPTIONS sont servies.",
        "Only the methods GET, HEAD and OPTIONS are served.",
    ),
};

/// Too long a form.
pub(crate) static FORM_LENGTH: Kind = Kind {
    code: "formulaire_trop_long",
    status: StatusCode::PAYLOAD_TOO_LARGE,
    title: Text::new("Formulaire trop long", "Form too long"),
    meaning: Text::new("Le formulaire des clés dépasse 2 048 octets.", "The key form exceeds 2,048 bytes."),
};

/// A form that is written in another way.
pub(crate) static FORM_TYPE: Kind = Kind {
    code: "formulaire_illisible",
    status: StatusCode::UNSUPPORTED_MEDIA_TYPE,
    title: Text::new("Formulaire illisible", "Unreadable form"),
    meaning: Text::new(
        "Le formulaire des clés s’envoie en `application/x-www-form-urlencoded`.",
        "The key form is sent as `application/x-www-form-urlencoded`.",
    ),
};

/// Too long an address.
pub(crate) static TOO_LONG: Kind = Kind {
    code: "requete_trop_longue",
    status: StatusCode::URI_TOO_LONG,
    title: Text::new("Requête trop longue", "Request too long"),
    meaning: Text::new(
        "Le chemin ou la chaîne de requête dépasse 4 096 octets.",
        "The path or the query exceeds 4,096 bytes.",
    ),
};

/// No call is left today.
pub(crate) static QUOTA: Kind = Kind {
    code: "quota_depasse",
    status: StatusCode::TOO_MANY_REQUESTS,
    title: Text::new("Quota quotidien dépassé", "Daily quota exceeded"),
    meaning: Text::new(
        "Tous les appels du jour ont été faits, de la clé ou de l’adresse (`violated-policies` dit lesquels : `jour`, \
         ou `adresse` pour toutes les clés gratuites d’une même adresse IP). Le quota est rétabli à minuit \
         UTC, date que donne `Retry-After`.",
        "All calls of the day are used up, of the key or of the address (`violated-policies` says which: `jour`, or \
         `adresse` for all free keys of one IP address). The quota is whole again at midnight UTC, the date in \
         `Retry-After`.",
    ),
};

/// Too many keys asked for today.
pub(crate) static TOO_MANY_KEYS: Kind = Kind {
    code: "trop_de_cles",
    status: StatusCode::TOO_MANY_REQUESTS,
    title: Text::new("Trop de clés demandées", "Too many keys requested"),
    meaning: Text::new(
        "Trop de clés ont été demandées aujourd’hui, de cette adresse, de son réseau ou de toutes ; d’autres \
              pourront l’être après minuit UTC.",
        "Too many keys were requested today, from this address, from its network or in all; others can be after midnight UTC.",
    ),
};

/// The link that confirms a request for a key cannot be used.
pub(crate) static CONFIRMATION: Kind = Kind {
    code: "confirmation_refusee",
    status: StatusCode::GONE,
    title: Text::new("Lien de confirmation refusé", "Confirmation link refused"),
    meaning: Text::new(
        "Ce lien a déjà servi, a plus d’un jour, ou n’a pas été copié en entier. Demander une nouvelle clé envoie un \
         nouveau lien.",
        "This link was used already, is more than a day old, or was not copied whole. Asking for a key again sends a \
         new link.",
    ),
};

/// Too many calculations of the site.
pub(crate) static VISITS: Kind = Kind {
    code: "trop_de_calculs",
    status: StatusCode::TOO_MANY_REQUESTS,
    title: Text::new("Trop de calculs sur le site", "Too many calculations on the site"),
    meaning: Text::new(
        "Les simulateurs du site répondent sans clé et sans quota, à raison de dix calculs par seconde et par \
              adresse. Attendre quelques secondes ; un programme appelle l’API elle-même.",
        "The simulators of the site answer without a key and without a quota, ten calculations a second for an address. Wait a few seconds; a program calls the interface itself.",
    ),
};

/// Too many or too long header fields.
pub(crate) static HEADERS: Kind = Kind {
    code: "entetes_trop_longs",
    status: StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
    title: Text::new("En-têtes trop longs", "Headers too long"),
    meaning: Text::new(
        "La requête porte plus de 64 en-têtes, ou plus de 16 Kio, adresse et en-têtes ensemble.",
        "The request has more than 64 headers, or more than 16 KiB, address and headers together.",
    ),
};

/// A mistake of the service.
pub(crate) static INTERNAL: Kind = Kind {
    code: "erreur_interne",
    status: StatusCode::INTERNAL_SERVER_ERROR,
    title: Text::new("Erreur interne", "Internal error"),
    meaning: Text::new(
        "Le service n’a pas pu répondre ; `instance` permet d’en retrouver la trace.",
        "The service could not answer; `instance` identifies the request in its log.",
    ),
};

/// No good rule set was ever loaded.
pub(crate) static NOT_READY: Kind = Kind {
    code: "baremes_indisponibles",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: Text::new("Barèmes indisponibles", "Scales unavailable"),
    meaning: Text::new(
        "Aucun jeu de barèmes valide n’est encore chargé ; réessayer plus tard.",
        "No valid set of scales is loaded yet; try again later.",
    ),
};

/// The files of one scale have errors, and never were good since the start; the others answer.
pub(crate) static SCALE_NOT_READY: Kind = Kind {
    code: "bareme_indisponible",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: Text::new("Barème indisponible", "Scale unavailable"),
    meaning: Text::new(
        "Ce barème n’est pas en service : ses fichiers ont une erreur, que l’exploitant connaît. Les autres barèmes \
         répondent ; réessayer plus tard. L’appel n’est pas décompté.",
        "This scale is not in service: its files have an error, which the operator knows of. The other scales answer; \
         try again later. The call is not charged.",
    ),
};

/// Neither keys nor counts can be read.
pub(crate) static STORE_UNAVAILABLE: Kind = Kind {
    code: "comptes_indisponibles",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: Text::new("Clés et quotas indisponibles", "Accounts unavailable"),
    meaning: Text::new(
        "La clé ou le quota ne peut pas être vérifié pour l’instant ; réessayer plus tard.",
        "The key or the quota cannot be checked at the moment; try again later.",
    ),
};

/// Too many connections from one address.
pub(crate) static TOO_MANY_CONNECTIONS: Kind = Kind {
    code: "trop_de_connexions",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: Text::new("Trop de connexions", "Too many connections"),
    meaning: Text::new(
        "Trop de connexions sont ouvertes depuis la même adresse ; en réutiliser une ou réessayer plus tard.",
        "Too many connections are open from the same address; reuse one or try again later.",
    ),
};

/// Too many connections.
pub(crate) static OVERLOADED: Kind = Kind {
    code: "service_surcharge",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: Text::new("Service surchargé", "Service overloaded"),
    meaning: Text::new(
        "Le service a déjà autant de connexions qu’il en accepte ; réessayer dans un instant.",
        "The service has as many connections as it accepts; try again in a moment.",
    ),
};

/// As many batches as the service holds.
pub(crate) static BUSY: Kind = Kind {
    code: "trop_de_lots",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: Text::new("Trop de lots à la fois", "Too many batches at once"),
    meaning: Text::new(
        "Le service calcule autant de lots qu’il en accepte ; réessayer dans un instant.",
        "The service computes as many batches as it accepts; try again in a moment.",
    ),
};

/// The answer took too long.
pub(crate) static TIMEOUT: Kind = Kind {
    code: "delai_depasse",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: Text::new("Délai dépassé", "Timed out"),
    meaning: Text::new(
        "La réponse n’a pas pu être donnée dans le délai d’une seconde ; réessayer.",
        "The answer could not be given within one second; try again.",
    ),
};

/// A batch that is no list of rows.
pub(crate) static BATCH_UNREADABLE: Kind = Kind {
    code: "lot_illisible",
    status: StatusCode::BAD_REQUEST,
    title: Text::new("Lot illisible", "Unreadable batch"),
    meaning: Text::new(
        "Le corps n’est pas un tableau JSON d’objets, une suite de lignes JSON ou un CSV avec sa ligne d’en-tête, ou il n’a \
              aucune ligne. Rien n’est calculé ni compté.",
        "The body is not a JSON array of objects, a series of JSON lines or a CSV with its header line, or it has no row. Nothing is computed nor counted.",
    ),
};

/// A batch over the limits.
pub(crate) static BATCH_LENGTH: Kind = Kind {
    code: "lot_trop_grand",
    status: StatusCode::PAYLOAD_TOO_LARGE,
    title: Text::new("Lot trop grand", "Batch too large"),
    meaning: Text::new(
        "Le lot dépasse 2 Mio, ou le nombre de lignes que l’offre permet. Le couper en plusieurs. Rien n’est calculé ni \
              compté.",
        "The batch is over 2 MiB, or over the number of rows of the plan. Cut it into several. Nothing is computed nor counted.",
    ),
};

/// A batch in a form that is not read.
pub(crate) static BATCH_TYPE: Kind = Kind {
    code: "type_de_lot_refuse",
    status: StatusCode::UNSUPPORTED_MEDIA_TYPE,
    title: Text::new("Type de lot refusé", "Batch type refused"),
    meaning: Text::new(
        "Un lot est du JSON (`application/json`), des lignes JSON (`application/x-ndjson`) ou du CSV (`text/csv`), en UTF-8 ; \
              `Content-Type` le dit.",
        "A batch is JSON (`application/json`), JSON lines (`application/x-ndjson`) or CSV (`text/csv`), in UTF-8; `Content-Type` says which.",
    ),
};

/// Those of the interface, in the order of the documentation.
pub(crate) static ALL: [&Kind; 24] = [
    &PARAMETERS,
    &UNREADABLE,
    &HOST,
    &BODY,
    &KEY,
    &OTHER_VARIANT,
    &NOT_FOUND,
    &WITHOUT_YEAR,
    &METHOD,
    &TOO_LONG,
    &BATCH_UNREADABLE,
    &BATCH_LENGTH,
    &BATCH_TYPE,
    &QUOTA,
    &HEADERS,
    &INTERNAL,
    &NOT_READY,
    &SCALE_NOT_READY,
    &STORE_UNAVAILABLE,
    &TOO_MANY_CONNECTIONS,
    &OVERLOADED,
    &BUSY,
    &TIMEOUT,
    &VERSION,
];

/// Those that only batches have.
pub(crate) static BATCH: [&Kind; 4] = [&BATCH_UNREADABLE, &BATCH_LENGTH, &BATCH_TYPE, &BUSY];

/// Those that only the form of the keys has.
pub(crate) static FORM: [&Kind; 4] = [&ORIGIN, &FORM_LENGTH, &FORM_TYPE, &TOO_MANY_KEYS];

/// Those that only the site has.
pub(crate) static SITE: [&Kind; 7] =
    [&ORIGIN, &CONFIRMATION, &FORM_USED, &FORM_LENGTH, &FORM_TYPE, &TOO_MANY_KEYS, &VISITS];

#[cfg(test)]
mod tests {
    use bareme_engine::Lang;

    use super::*;

    #[test]
    fn codes_are_distinct_and_make_addresses() {
        let all: Vec<&Kind> = ALL.into_iter().chain(SITE).collect();
        for (index, kind) in all.iter().enumerate() {
            assert!(kind.code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{}", kind.code);
            for lang in [Lang::Fr, Lang::En] {
                assert!(!kind.title.in_lang(lang).is_empty(), "{}", kind.code);
                assert!(kind.meaning.in_lang(lang).ends_with('.'), "{}", kind.code);
            }
            assert!(all.iter().skip(index + 1).all(|other| other.code != kind.code), "{} twice", kind.code);
        }
    }
}
