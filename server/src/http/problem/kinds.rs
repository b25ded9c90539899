//! Every error that the service can answer. This list is also what the interface's description
//! and the documentation list, so an error cannot exist without being documented.

use bareme_engine::Lang;
use hyper::StatusCode;

/// One kind of error: what never changes from an occurrence to the next.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// Stable name, for programs.
    pub code: &'static str,
    /// Status of the answer.
    pub status: StatusCode,
    /// Short text, for people.
    pub title: &'static str,
    /// When it happens and what to do, for the documentation.
    pub meaning: &'static str,
    /// The title in English.
    pub title_in_english: &'static str,
    /// The meaning in English.
    pub meaning_in_english: &'static str,
}

impl Kind {
    /// The short text in a language.
    pub fn title_in(&self, lang: Lang) -> &'static str {
        if lang == Lang::En { self.title_in_english } else { self.title }
    }
}

/// One or more parameters cannot be used.
pub(crate) static PARAMETERS: Kind = Kind {
    code: "parametres_invalides",
    status: StatusCode::BAD_REQUEST,
    title: "Paramètres invalides",
    meaning: "Un ou plusieurs paramètres manquent, sont mal écrits, hors bornes, répétés ou inconnus. \
              `parametres` les nomme tous, avec ce qui est attendu.",
    title_in_english: "Invalid parameters",
    meaning_in_english: "One or more parameters are missing, badly written, out of bounds, repeated or unknown. `parametres` names them all, with what is expected.",
};

/// What was received is not an HTTP request.
pub(crate) static UNREADABLE: Kind = Kind {
    code: "requete_illisible",
    status: StatusCode::BAD_REQUEST,
    title: "Requête illisible",
    meaning: "Ce qui a été reçu n'est pas une requête HTTP/1.1 correcte.",
    title_in_english: "Unreadable request",
    meaning_in_english: "What was received is not a correct HTTP/1.1 request.",
};

/// No `Host`, several, or one that names no host.
pub(crate) static HOST: Kind = Kind {
    code: "hote_absent",
    status: StatusCode::BAD_REQUEST,
    title: "En-tête Host absent, répété ou mal formé",
    meaning: "Une requête HTTP/1.1 porte un en-tête `Host`, et un seul, de la forme `nom` ou `nom:port`.",
    title_in_english: "Host header missing, repeated or malformed",
    meaning_in_english: "An HTTP/1.1 request has one `Host` header, of the form `name` or `name:port`.",
};

/// HTTP/2 with prior knowledge, without TLS.
pub(crate) static VERSION: Kind = Kind {
    code: "version_refusee",
    status: StatusCode::HTTP_VERSION_NOT_SUPPORTED,
    title: "Version de HTTP refusée",
    meaning: "Le service parle HTTP/1.1 ; HTTP/2 est l'affaire du serveur web placé devant lui.",
    title_in_english: "HTTP version refused",
    meaning_in_english: "The service speaks HTTP/1.1; HTTP/2 is for the web server in front of it.",
};

/// A body with a transfer coding.
pub(crate) static BODY: Kind = Kind {
    code: "corps_refuse",
    status: StatusCode::BAD_REQUEST,
    title: "Corps de requête refusé",
    meaning: "Le service n'attend aucun corps ; une requête avec `Transfer-Encoding` est refusée.",
    title_in_english: "Request body refused",
    meaning_in_english: "The service expects no body; a request with `Transfer-Encoding` is refused.",
};

/// The key cannot be used. The answer does not reveal which of the reasons it is.
pub(crate) static KEY: Kind = Kind {
    code: "cle_refusee",
    status: StatusCode::UNAUTHORIZED,
    title: "Clé refusée",
    meaning: "La clé de l'en-tête `X-API-Key`, ou de `Authorization: Bearer`, est mal écrite, inconnue, expirée ou \
              révoquée. L'appel n'est pas fait sans clé à sa place : corriger la clé, n'envoyer qu'un des deux \
              en-têtes, ou les retirer pour appeler sans clé.",
    title_in_english: "Key refused",
    meaning_in_english: "The key in `X-API-Key`, or in `Authorization: Bearer`, is malformed, unknown, expired or revoked. The call is not made without a key instead: correct the key, send only one of the two headers, or remove them to call without a key.",
};

/// A good key of another variant of the interface, or of a plan that is no longer offered.
pub(crate) static OTHER_VARIANT: Kind = Kind {
    code: "cle_autre_version",
    status: StatusCode::FORBIDDEN,
    title: "Clé d'une autre version",
    meaning: "La clé est bonne, mais son offre n'est pas de cette version de l'interface.",
    title_in_english: "Key of another version",
    meaning_in_english: "The key is valid, but its plan is not one of this version of the interface.",
};

/// The form was sent from the page of another site.
pub(crate) static ORIGIN: Kind = Kind {
    code: "origine_refusee",
    status: StatusCode::FORBIDDEN,
    title: "Origine refusée",
    meaning: "Le formulaire des clés a été envoyé depuis la page d'un autre site.",
    title_in_english: "Origin refused",
    meaning_in_english: "The key form was sent from the page of another site.",
};

/// No such path.
pub(crate) static NOT_FOUND: Kind = Kind {
    code: "adresse_inconnue",
    status: StatusCode::NOT_FOUND,
    title: "Adresse inconnue",
    meaning: "Le chemin demandé n'existe pas ; `detail` donne ceux qui existent.",
    title_in_english: "Unknown address",
    meaning_in_english: "The path does not exist; `detail` lists those that do.",
};

/// Another method than GET, HEAD or OPTIONS.
pub(crate) static METHOD: Kind = Kind {
    code: "methode_refusee",
    status: StatusCode::METHOD_NOT_ALLOWED,
    title: "Méthode refusée",
    meaning: "Seules les méthodes GET, HEAD et OPTIONS sont servies.",
    title_in_english: "Method refused",
    meaning_in_english: "Only the methods GET, HEAD and OPTIONS are served.",
};

/// Too long a form.
pub(crate) static FORM_LENGTH: Kind = Kind {
    code: "formulaire_trop_long",
    status: StatusCode::PAYLOAD_TOO_LARGE,
    title: "Formulaire trop long",
    meaning: "Le formulaire des clés dépasse 2 048 octets.",
    title_in_english: "Form too long",
    meaning_in_english: "The key form exceeds 2,048 bytes.",
};

/// A form that is written in another way.
pub(crate) static FORM_TYPE: Kind = Kind {
    code: "formulaire_illisible",
    status: StatusCode::UNSUPPORTED_MEDIA_TYPE,
    title: "Formulaire illisible",
    meaning: "Le formulaire des clés s'envoie en `application/x-www-form-urlencoded`.",
    title_in_english: "Unreadable form",
    meaning_in_english: "The key form is sent as `application/x-www-form-urlencoded`.",
};

/// Too long an address.
pub(crate) static TOO_LONG: Kind = Kind {
    code: "requete_trop_longue",
    status: StatusCode::URI_TOO_LONG,
    title: "Requête trop longue",
    meaning: "Le chemin ou la chaîne de requête dépasse 4 096 octets.",
    title_in_english: "Request too long",
    meaning_in_english: "The path or the query exceeds 4,096 bytes.",
};

/// No call is left today.
pub(crate) static QUOTA: Kind = Kind {
    code: "quota_depasse",
    status: StatusCode::TOO_MANY_REQUESTS,
    title: "Quota quotidien dépassé",
    meaning: "Tous les appels du jour ont été faits. Le quota est de nouveau entier à minuit UTC, date que donne \
              `Retry-After`.",
    title_in_english: "Daily quota exceeded",
    meaning_in_english: "All calls of the day are used up. The quota is whole again at midnight UTC, the date in `Retry-After`.",
};

/// Too many unknown keys from one address at once.
pub(crate) static TOO_MANY_UNKNOWN_KEYS: Kind = Kind {
    code: "trop_d_essais",
    status: StatusCode::TOO_MANY_REQUESTS,
    title: "Trop de clés inconnues",
    meaning: "Plus de mille clés inconnues venues de cette adresse attendent à la fois d'être cherchées ; vérifier la \
              clé envoyée et réessayer dans un instant.",
    title_in_english: "Too many unknown keys",
    meaning_in_english: "More than a thousand unknown keys of this address are waiting to be looked up; check the key and try again in a moment.",
};

/// Too many keys asked for today.
pub(crate) static TOO_MANY_KEYS: Kind = Kind {
    code: "trop_de_cles",
    status: StatusCode::TOO_MANY_REQUESTS,
    title: "Trop de clés demandées",
    meaning: "Trop de clés ont été demandées aujourd'hui, de cette adresse, de son réseau ou de toutes ; d'autres \
              pourront l'être après minuit UTC.",
    title_in_english: "Too many keys requested",
    meaning_in_english: "Too many keys were requested today, from this address, from its network or in all; others can be after midnight UTC.",
};

/// Too many calculations of the site.
pub(crate) static VISITS: Kind = Kind {
    code: "trop_de_calculs",
    status: StatusCode::TOO_MANY_REQUESTS,
    title: "Trop de calculs sur le site",
    meaning: "Les simulateurs du site répondent sans clé et sans quota, à raison de dix calculs par seconde et par \
              adresse. Attendre quelques secondes ; un programme appelle l'interface elle-même.",
    title_in_english: "Too many calculations on the site",
    meaning_in_english: "The simulators of the site answer without a key and without a quota, ten calculations a second for an address. Wait a few seconds; a program calls the interface itself.",
};

/// Too many or too long header fields.
pub(crate) static HEADERS: Kind = Kind {
    code: "entetes_trop_longs",
    status: StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
    title: "En-têtes trop longs",
    meaning: "La requête porte plus de 64 en-têtes, ou plus de 16 Kio, adresse et en-têtes ensemble.",
    title_in_english: "Headers too long",
    meaning_in_english: "The request has more than 64 headers, or more than 16 KiB, address and headers together.",
};

/// A mistake of the service.
pub(crate) static INTERNAL: Kind = Kind {
    code: "erreur_interne",
    status: StatusCode::INTERNAL_SERVER_ERROR,
    title: "Erreur interne",
    meaning: "Le service n'a pas pu répondre ; `instance` permet d'en retrouver la trace.",
    title_in_english: "Internal error",
    meaning_in_english: "The service could not answer; `instance` identifies the request in its log.",
};

/// No good rule set was ever loaded.
pub(crate) static NOT_READY: Kind = Kind {
    code: "baremes_indisponibles",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: "Barèmes indisponibles",
    meaning: "Aucun jeu de barèmes valide n'est encore chargé ; réessayer plus tard.",
    title_in_english: "Scales unavailable",
    meaning_in_english: "No valid set of scales is loaded yet; try again later.",
};

/// Neither keys nor counts can be read.
pub(crate) static STORE_UNAVAILABLE: Kind = Kind {
    code: "comptes_indisponibles",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: "Comptes indisponibles",
    meaning: "La clé ou le quota ne peut pas être vérifié pour l'instant ; réessayer plus tard.",
    title_in_english: "Accounts unavailable",
    meaning_in_english: "The key or the quota cannot be checked at the moment; try again later.",
};

/// Too many connections from one address.
pub(crate) static TOO_MANY_CONNECTIONS: Kind = Kind {
    code: "trop_de_connexions",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: "Trop de connexions",
    meaning: "Trop de connexions sont ouvertes depuis la même adresse ; en réutiliser une ou réessayer plus tard.",
    title_in_english: "Too many connections",
    meaning_in_english: "Too many connections are open from the same address; reuse one or try again later.",
};

/// Too many connections.
pub(crate) static OVERLOADED: Kind = Kind {
    code: "service_surcharge",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: "Service surchargé",
    meaning: "Le service a déjà autant de connexions qu'il en accepte ; réessayer dans un instant.",
    title_in_english: "Service overloaded",
    meaning_in_english: "The service has as many connections as it accepts; try again in a moment.",
};

/// The answer took too long.
pub(crate) static TIMEOUT: Kind = Kind {
    code: "delai_depasse",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: "Délai dépassé",
    meaning: "La réponse n'a pas pu être donnée dans le délai d'une seconde ; réessayer.",
    title_in_english: "Timed out",
    meaning_in_english: "The answer could not be given within one second; try again.",
};

/// Those of the interface, in the order of the documentation.
pub(crate) static ALL: [&Kind; 19] = [
    &PARAMETERS,
    &UNREADABLE,
    &HOST,
    &BODY,
    &KEY,
    &OTHER_VARIANT,
    &NOT_FOUND,
    &METHOD,
    &TOO_LONG,
    &QUOTA,
    &TOO_MANY_UNKNOWN_KEYS,
    &HEADERS,
    &INTERNAL,
    &NOT_READY,
    &STORE_UNAVAILABLE,
    &TOO_MANY_CONNECTIONS,
    &OVERLOADED,
    &TIMEOUT,
    &VERSION,
];

/// Those that only the form of the keys has.
pub(crate) static FORM: [&Kind; 4] = [&ORIGIN, &FORM_LENGTH, &FORM_TYPE, &TOO_MANY_KEYS];

/// Those that only the site has.
pub(crate) static SITE: [&Kind; 5] = [&ORIGIN, &FORM_LENGTH, &FORM_TYPE, &TOO_MANY_KEYS, &VISITS];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_make_addresses() {
        let all: Vec<&Kind> = ALL.into_iter().chain(SITE).collect();
        for (index, kind) in all.iter().enumerate() {
            assert!(kind.code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{}", kind.code);
            assert!(!kind.title.is_empty() && kind.meaning.ends_with('.'), "{}", kind.code);
            assert!(!kind.title_in_english.is_empty() && kind.meaning_in_english.ends_with('.'), "{}", kind.code);
            assert!(all.iter().skip(index + 1).all(|other| other.code != kind.code), "{} twice", kind.code);
        }
    }
}
