//! Every error that the service can answer. This list is also what the interface's description
//! and the documentation list, so an error cannot exist without being documented.

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
}

/// One or more parameters cannot be used.
pub(crate) static PARAMETERS: Kind = Kind {
    code: "parametres_invalides",
    status: StatusCode::BAD_REQUEST,
    title: "Paramètres invalides",
    meaning: "Un ou plusieurs paramètres manquent, sont mal écrits, hors bornes, répétés ou inconnus. \
              `parametres` les nomme tous, avec ce qui est attendu.",
};

/// What was received is not an HTTP request.
pub(crate) static UNREADABLE: Kind = Kind {
    code: "requete_illisible",
    status: StatusCode::BAD_REQUEST,
    title: "Requête illisible",
    meaning: "Ce qui a été reçu n'est pas une requête HTTP/1.1 correcte.",
};

/// No `Host`, several, or one that names no host.
pub(crate) static HOST: Kind = Kind {
    code: "hote_absent",
    status: StatusCode::BAD_REQUEST,
    title: "En-tête Host absent, répété ou mal formé",
    meaning: "Une requête HTTP/1.1 porte un en-tête `Host`, et un seul, de la forme `nom` ou `nom:port`.",
};

/// HTTP/2 with prior knowledge, without TLS.
pub(crate) static VERSION: Kind = Kind {
    code: "version_refusee",
    status: StatusCode::HTTP_VERSION_NOT_SUPPORTED,
    title: "Version de HTTP refusée",
    meaning: "Le service parle HTTP/1.1 ; HTTP/2 est l'affaire du serveur web placé devant lui.",
};

/// A body with a transfer coding.
pub(crate) static BODY: Kind = Kind {
    code: "corps_refuse",
    status: StatusCode::BAD_REQUEST,
    title: "Corps de requête refusé",
    meaning: "Le service n'attend aucun corps ; une requête avec `Transfer-Encoding` est refusée.",
};

/// The key cannot be used. The answer does not reveal which of the reasons it is.
pub(crate) static KEY: Kind = Kind {
    code: "cle_refusee",
    status: StatusCode::UNAUTHORIZED,
    title: "Clé refusée",
    meaning: "La clé de l'en-tête `X-API-Key`, ou de `Authorization: Bearer`, est mal écrite, inconnue, expirée ou \
              révoquée. L'appel n'est pas fait sans clé à sa place : corriger la clé, n'envoyer qu'un des deux \
              en-têtes, ou les retirer pour appeler sans clé.",
};

/// A good key of another variant of the interface, or of a plan that is no longer offered.
pub(crate) static OTHER_VARIANT: Kind = Kind {
    code: "cle_autre_version",
    status: StatusCode::FORBIDDEN,
    title: "Clé d'une autre version",
    meaning: "La clé est bonne, mais son offre n'est pas de cette version de l'interface.",
};

/// The form was sent from the page of another site.
pub(crate) static ORIGIN: Kind = Kind {
    code: "origine_refusee",
    status: StatusCode::FORBIDDEN,
    title: "Origine refusée",
    meaning: "Le formulaire des clés a été envoyé depuis la page d'un autre site.",
};

/// No such path.
pub(crate) static NOT_FOUND: Kind = Kind {
    code: "adresse_inconnue",
    status: StatusCode::NOT_FOUND,
    title: "Adresse inconnue",
    meaning: "Le chemin demandé n'existe pas ; `detail` donne ceux qui existent.",
};

/// Another method than GET, HEAD or OPTIONS.
pub(crate) static METHOD: Kind = Kind {
    code: "methode_refusee",
    status: StatusCode::METHOD_NOT_ALLOWED,
    title: "Méthode refusée",
    meaning: "Seules les méthodes GET, HEAD et OPTIONS sont servies.",
};

/// Too long a form.
pub(crate) static FORM_LENGTH: Kind = Kind {
    code: "formulaire_trop_long",
    status: StatusCode::PAYLOAD_TOO_LARGE,
    title: "Formulaire trop long",
    meaning: "Le formulaire des clés dépasse 2 048 octets.",
};

/// A form that is written in another way.
pub(crate) static FORM_TYPE: Kind = Kind {
    code: "formulaire_illisible",
    status: StatusCode::UNSUPPORTED_MEDIA_TYPE,
    title: "Formulaire illisible",
    meaning: "Le formulaire des clés s'envoie en `application/x-www-form-urlencoded`.",
};

/// Too long an address.
pub(crate) static TOO_LONG: Kind = Kind {
    code: "requete_trop_longue",
    status: StatusCode::URI_TOO_LONG,
    title: "Requête trop longue",
    meaning: "Le chemin ou la chaîne de requête dépasse 4 096 octets.",
};

/// No call is left today.
pub(crate) static QUOTA: Kind = Kind {
    code: "quota_depasse",
    status: StatusCode::TOO_MANY_REQUESTS,
    title: "Quota quotidien dépassé",
    meaning: "Tous les appels du jour ont été faits. Le quota est de nouveau entier à minuit UTC, date que donne \
              `Retry-After`.",
};

/// Too many unknown keys from one address at once.
pub(crate) static TOO_MANY_UNKNOWN_KEYS: Kind = Kind {
    code: "trop_d_essais",
    status: StatusCode::TOO_MANY_REQUESTS,
    title: "Trop de clés inconnues",
    meaning: "Plus de mille clés inconnues venues de cette adresse attendent à la fois d'être cherchées ; vérifier la \
              clé envoyée et réessayer dans un instant.",
};

/// Too many keys asked for today.
pub(crate) static TOO_MANY_KEYS: Kind = Kind {
    code: "trop_de_cles",
    status: StatusCode::TOO_MANY_REQUESTS,
    title: "Trop de clés demandées",
    meaning: "Trop de clés ont été demandées aujourd'hui, de cette adresse, de son réseau ou de toutes ; d'autres \
              pourront l'être après minuit UTC.",
};

/// Too many calculations of the site.
pub(crate) static VISITS: Kind = Kind {
    code: "trop_de_calculs",
    status: StatusCode::TOO_MANY_REQUESTS,
    title: "Trop de calculs sur le site",
    meaning: "Les simulateurs du site répondent sans clé et sans quota, à raison de dix calculs par seconde et par \
              adresse. Attendre quelques secondes ; un programme appelle l'interface elle-même.",
};

/// Too many or too long header fields.
pub(crate) static HEADERS: Kind = Kind {
    code: "entetes_trop_longs",
    status: StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
    title: "En-têtes trop longs",
    meaning: "La requête porte plus de 64 en-têtes, ou plus de 16 Kio, adresse et en-têtes ensemble.",
};

/// A mistake of the service.
pub(crate) static INTERNAL: Kind = Kind {
    code: "erreur_interne",
    status: StatusCode::INTERNAL_SERVER_ERROR,
    title: "Erreur interne",
    meaning: "Le service n'a pas pu répondre ; `instance` permet d'en retrouver la trace.",
};

/// No good rule set was ever loaded.
pub(crate) static NOT_READY: Kind = Kind {
    code: "baremes_indisponibles",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: "Barèmes indisponibles",
    meaning: "Aucun jeu de barèmes valide n'est encore chargé ; réessayer plus tard.",
};

/// Neither keys nor counts can be read.
pub(crate) static STORE_UNAVAILABLE: Kind = Kind {
    code: "comptes_indisponibles",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: "Comptes indisponibles",
    meaning: "La clé ou le quota ne peut pas être vérifié pour l'instant ; réessayer plus tard.",
};

/// Too many connections from one address.
pub(crate) static TOO_MANY_CONNECTIONS: Kind = Kind {
    code: "trop_de_connexions",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: "Trop de connexions",
    meaning: "Trop de connexions sont ouvertes depuis la même adresse ; en réutiliser une ou réessayer plus tard.",
};

/// Too many connections.
pub(crate) static OVERLOADED: Kind = Kind {
    code: "service_surcharge",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: "Service surchargé",
    meaning: "Le service a déjà autant de connexions qu'il en accepte ; réessayer dans un instant.",
};

/// The answer took too long.
pub(crate) static TIMEOUT: Kind = Kind {
    code: "delai_depasse",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: "Délai dépassé",
    meaning: "La réponse n'a pas pu être donnée dans le délai d'une seconde ; réessayer.",
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
            assert!(all.iter().skip(index + 1).all(|other| other.code != kind.code), "{} twice", kind.code);
        }
    }
}
