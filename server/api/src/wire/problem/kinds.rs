//! Every error that the service can answer. This list is also what the interface's description
//! and the documentation list, so an error cannot exist without being documented.

use bareme_show::Text;
use hyper::StatusCode;

/// One kind of error: what never changes from an occurrence to the next.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// Stable name, for programs.
    pub code: &'static str,
    /// Status of the answer.
    pub status: StatusCode,
    /// Short text, for people.
    pub title: Text,
    /// When it happens and what to do, for the documentation.
    pub meaning: Text,
}

/// Declares kinds of errors, each with its status, its code, and its title and meaning in both
/// languages; and the list of them.
macro_rules! kinds {
    ($(#[$about:meta])* $list:ident: $($(#[$doc:meta])* $name:ident $status:ident $code:literal
        fr $title_fr:literal $meaning_fr:literal
        en $title_en:literal $meaning_en:literal)*) => {
        $($(#[$doc])* pub static $name: Kind = Kind {
            code: $code,
            status: StatusCode::$status,
            title: Text::new($title_fr, $title_en),
            meaning: Text::new($meaning_fr, $meaning_en),
        };)*

        $(#[$about])* pub static $list: [&Kind; [$($code),*].len()] = [$(&$name),*];
    };
}

kinds! {
    /// Kinds of problems of the interface, in the order of the documentation.
    ALL:
    /// One or more parameters cannot be used.
    PARAMETERS BAD_REQUEST "parametres_invalides"
        fr "Paramètres invalides"
            "Un ou plusieurs paramètres manquent, sont mal écrits, hors bornes, répétés ou \
             inconnus. `parametres` les nomme tous, avec ce qui est attendu."
        en "Invalid parameters"
            "One or more parameters are missing, badly written, out of bounds, repeated or \
             unknown. `parametres` names them all, with what is expected."
    /// A head that is no HTTP request.
    UNREADABLE BAD_REQUEST "requete_illisible"
        fr "Requête illisible" "Ce qui a été reçu n’est pas une requête HTTP/1.1 correcte."
        en "Unreadable request" "What was received is not a correct HTTP/1.1 request."
    /// No `Host`, several, or one that names no host.
    HOST BAD_REQUEST "hote_absent"
        fr "En-tête Host absent, répété ou mal formé"
            "Une requête HTTP/1.1 porte un en-tête `Host`, et un seul, de la forme `nom` ou \
             `nom:port`."
        en "Host header missing, repeated or malformed"
            "An HTTP/1.1 request has one `Host` header, of the form `name` or `name:port`."
    /// A body in a transfer coding that is not read, or one where none is expected.
    BODY BAD_REQUEST "corps_refuse"
        fr "Corps de requête refusé"
            "Un corps envoyé par morceaux (`Transfer-Encoding: chunked`) n’est lu qu’avec POST ; \
             tout autre codage de transfert est refusé. Envoyer le corps avec `Content-Length` ou \
             `Transfer-Encoding: chunked`, et un GET sans corps."
        en "Request body refused"
            "A body sent in chunks (`Transfer-Encoding: chunked`) is read with POST alone; any \
             other transfer coding is refused. Send the body with `Content-Length` or \
             `Transfer-Encoding: chunked`, and a GET without a body."
    /// The key cannot be used. The answer does not reveal which of the reasons it is.
    KEY UNAUTHORIZED "cle_refusee"
        fr "Clé refusée"
            "La clé de l’en-tête `X-API-Key`, ou de `Authorization: Bearer`, est mal écrite, \
             inconnue, expirée ou révoquée. L’appel n’est pas fait sans clé à sa place : corriger \
             la clé, n’en envoyer qu’une (la même dans les deux en-têtes en est une), ou la \
             retirer pour appeler sans clé."
        en "Key refused"
            "The key in `X-API-Key`, or in `Authorization: Bearer`, is malformed, unknown, expired \
             or revoked. The call is not made without a key instead: correct the key, send only \
             one (the same in both headers is one), or remove it to call without a key."
    /// A good key of another variant of the interface, or of a plan that is no longer offered.
    OTHER_VARIANT FORBIDDEN "cle_autre_version"
        fr "Clé valable seulement pour l’autre version"
            "La clé est valable seulement pour l’autre version de l’API."
        en "Key of another version"
            "The key is valid, but its plan is not one of this version of the interface."
    /// A publishable key from a page that it was not declared for.
    PAGE_ORIGIN FORBIDDEN "origine_non_declaree"
        fr "Origine non déclarée pour cette clé"
            "La clé est publiable : elle n’est acceptée que des pages dont l’origine (schéma, nom, \
             port) a été déclarée pour elle, et que l’en-tête `Origin` nomme. `origine` est celle \
             qui a été reçue. Si la page est la vôtre, déclarer son origine sur la page de vos clés \
             ; un programme emploie une clé secrète, gardée hors de toute page. Rien n’est décompté."
        en "Origin not declared for this key"
            "The key is publishable: it is accepted only from pages whose origin (scheme, host, \
             port) was declared for it, and named by the `Origin` header. `origine` is the one \
             received. If the page is yours, declare its origin on the page of your keys; a program \
             uses a secret key, kept out of any page. Nothing is charged."
    /// A publishable key for what no page needs.
    PAGE_DOOR FORBIDDEN "cle_publiable_refusee"
        fr "Clé publiable refusée ici"
            "Une clé publiable, lisible dans la source d’une page, ouvre les calculs, et rien \
             d’autre : ni lot, ni usage de la clé, ni outil d’assistant. Appeler depuis un serveur, \
             avec une clé secrète ; ne jamais mettre une clé secrète dans une page. Rien n’est \
             décompté."
        en "Publishable key refused here"
            "A publishable key, readable in the source of a page, opens calculations and nothing \
             else: no batch, no usage of the key, no tool of an assistant. Call from a server, with \
             a secret key; never put a secret key in a page. Nothing is charged."
    /// No such path.
    NOT_FOUND NOT_FOUND "adresse_inconnue"
        fr "Adresse inconnue" "Le chemin demandé n’existe pas ; `detail` donne ceux qui existent."
        en "Unknown address" "The path does not exist; `detail` lists those that do."
    /// A year of pays of a calculation that has none.
    WITHOUT_YEAR NOT_FOUND "sans_annee"
        fr "Calcul sans année de paies"
            "Ce calcul ne donne pas d’année de paies : il répond mois par mois, à la même adresse \
             sans `/annee`. Les calculs qui en donnent une ont une opération `…/annee` dans la \
             description."
        en "Calculation without a year of pays"
            "This calculation has no year of pays: it answers month by month, at the same path \
             without `/annee`. Those that have one have an operation `…/annee` in the description."
    /// A law that a call names, and that nothing is kept of.
    UNKNOWN_LAW NOT_FOUND "version_inconnue"
        fr "Version du droit inconnue"
            "Aucun barème conservé n’a la `version` demandée pour ce calcul, ou n’était connu le \
             jour de `connu_le`. `versions` donne celles qui existent pour le jour du calcul, la \
             plus récente d’abord, et `conservees_depuis` le premier jour conservé."
        en "Unknown version of the law"
            "No kept scale has the `version` asked for in this calculation, or was known on the \
             day of `connu_le`. `versions` gives those that exist for the day of the calculation, \
             the newest first, and `conservees_depuis` the first day that is kept."
    /// A receipt of a service that has no key to sign with.
    NO_RECEIPT BAD_REQUEST "recu_indisponible"
        fr "Reçu indisponible"
            "Ce service n’a pas de clé de signature : il ne donne pas de reçu. Refaire l’appel \
             sans `recu`, ou demander un reçu à l’exploitant."
        en "No receipt available"
            "This service has no key to sign with: it gives no receipt. Call again without `recu`, \
             or ask the operator for receipts."
    /// Another method than GET, HEAD or OPTIONS.
    METHOD METHOD_NOT_ALLOWED "methode_refusee"
        fr "Méthode refusée" "Seules les méthodes GET, HEAD et OPTIONS sont servies."
        en "Method refused" "Only the methods GET, HEAD and OPTIONS are served."
    /// Too long an address.
    TOO_LONG URI_TOO_LONG "requete_trop_longue"
        fr "Requête trop longue" "Le chemin ou la chaîne de requête dépasse 4 096 octets."
        en "Request too long" "The path or the query exceeds 4,096 bytes."
    /// A batch that is no list of rows.
    BATCH_UNREADABLE BAD_REQUEST "lot_illisible"
        fr "Lot illisible"
            "Le corps n’est pas un tableau JSON d’objets, une suite de lignes JSON ou un CSV avec \
             sa ligne d’en-tête, ou il n’a aucune ligne, ou le séparateur ou l’encodage d’un CSV \
             ne peut pas être décidé : `detail` dit comment l’enregistrer. Rien n’est calculé ni \
             compté."
        en "Unreadable batch"
            "The body is not a JSON array of objects, a series of JSON lines or a CSV with its \
             header line, or it has no row, or the separator or the encoding of a CSV cannot be \
             decided: `detail` says how to save it. Nothing is computed nor counted."
    /// A batch over the limits.
    BATCH_LENGTH PAYLOAD_TOO_LARGE "lot_trop_grand"
        fr "Lot trop grand"
            "Le lot dépasse 2 Mio, ou le nombre de lignes que l’offre permet. Le couper en \
             plusieurs. Rien n’est calculé ni compté."
        en "Batch too large"
            "The batch is over 2 MiB, or over the number of rows of the plan. Cut it into several. \
             Nothing is computed nor counted."
    /// A batch that no day of the plan can hold.
    BATCH_DAY PAYLOAD_TOO_LARGE "lot_superieur_au_quota"
        fr "Lot plus grand que le quota d’un jour"
            "Le lot a plus de lignes que l’offre n’a d’appels par jour : attendre minuit n’y \
             changerait rien. Le couper en lots de `limite` lignes au plus, un par jour, ou \
             changer d’offre. Rien n’est calculé ni compté."
        en "Batch larger than the quota of a day"
            "The batch has more rows than the plan has calls a day: to wait for midnight would \
             change nothing. Cut it into batches of at most `limite` rows, one a day, or change \
             plan. Nothing is computed nor counted."
    /// A batch in a form that is not read.
    BATCH_TYPE UNSUPPORTED_MEDIA_TYPE "type_de_lot_refuse"
        fr "Type de lot refusé"
            "Un lot est du JSON (`application/json`), des lignes JSON (`application/x-ndjson`) ou \
             du CSV (`text/csv`) ; `Content-Type` le dit. Le JSON est en UTF-8, le CSV en UTF-8 ou \
             en Windows-1252."
        en "Batch type refused"
            "A batch is JSON (`application/json`), JSON lines (`application/x-ndjson`) or CSV \
             (`text/csv`); `Content-Type` says which. JSON is in UTF-8, CSV in UTF-8 or \
             Windows-1252."
    /// No call is left today.
    QUOTA TOO_MANY_REQUESTS "quota_depasse"
        fr "Quota quotidien dépassé"
            "Tous les appels du jour ont été faits, de la clé ou de l’adresse (`violated-policies` \
             dit lesquels : `jour` ; `adresse` pour toutes les clés gratuites d’une même adresse \
             IP ; `cle` pour la limite qu’une clé publiable a reçue de son titulaire). Le quota est \
             rétabli à minuit UTC, date que donne `Retry-After`."
        en "Daily quota exceeded"
            "All calls of the day are used up, of the key or of the address (`violated-policies` \
             says which: `jour`; `adresse` for all free keys of one IP address; `cle` for the \
             limit that its owner gave a publishable key). The quota is whole again at midnight \
             UTC, the date in `Retry-After`."
    /// More work than the budget of a caller allows.
    WORK TOO_MANY_REQUESTS "trop_de_calculs"
        fr "Trop de calculs en peu de temps"
            "Cette clé, ou cette adresse, a demandé plus de calculs que le service n’en fait à la \
             fois pour un même demandeur : une recherche inverse, une année ou une page comptent \
             pour plusieurs appels (`cout`). `Retry-After` dit quand réessayer. Rien n’est \
             décompté du quota."
        en "Too many calculations in a short time"
            "This key, or this address, asked for more calculations than the service makes at once \
             for one caller: an inverse calculation, a year or a page count for several calls \
             (`cout`). `Retry-After` says when to try again. Nothing is charged to the quota."
    /// Too many or too long header fields.
    HEADERS REQUEST_HEADER_FIELDS_TOO_LARGE "entetes_trop_longs"
        fr "En-têtes trop longs"
            "La requête porte plus de 64 en-têtes, ou plus de 16 Kio, adresse et en-têtes ensemble."
        en "Headers too long"
            "The request has more than 64 headers, or more than 16 KiB, address and headers \
             together."
    /// A mistake of the service.
    INTERNAL INTERNAL_SERVER_ERROR "erreur_interne"
        fr "Erreur interne"
            "Le service n’a pas pu répondre ; `instance` permet d’en retrouver la trace."
        en "Internal error"
            "The service could not answer; `instance` identifies the request in its log."
    /// No good rule set was ever loaded.
    NOT_READY SERVICE_UNAVAILABLE "baremes_indisponibles"
        fr "Barèmes indisponibles"
            "Aucun jeu de barèmes valide n’est encore chargé ; réessayer plus tard."
        en "Scales unavailable" "No valid set of scales is loaded yet; try again later."
    /// The files of one scale have errors, and never were good since the start; the others answer.
    SCALE_NOT_READY SERVICE_UNAVAILABLE "bareme_indisponible"
        fr "Barème indisponible"
            "Ce barème n’est pas en service : ses fichiers ont une erreur, que l’exploitant \
             connaît. Les autres barèmes répondent ; réessayer plus tard. L’appel n’est pas \
             décompté."
        en "Scale unavailable"
            "This scale is not in service: its files have an error, which the operator knows of. \
             The other scales answer; try again later. The call is not charged."
    /// Neither keys nor counts can be read.
    STORE_UNAVAILABLE SERVICE_UNAVAILABLE "comptes_indisponibles"
        fr "Clés et quotas indisponibles"
            "La clé ou le quota ne peut pas être vérifié pour l’instant ; réessayer plus tard."
        en "Accounts unavailable"
            "The key or the quota cannot be checked at the moment; try again later."
    /// Too many connections from one address.
    TOO_MANY_CONNECTIONS SERVICE_UNAVAILABLE "trop_de_connexions"
        fr "Trop de connexions"
            "Trop de connexions sont ouvertes depuis la même adresse ; en réutiliser une ou \
             réessayer plus tard."
        en "Too many connections"
            "Too many connections are open from the same address; reuse one or try again later."
    /// Too many connections.
    OVERLOADED SERVICE_UNAVAILABLE "service_surcharge"
        fr "Service surchargé"
            "Le service a déjà autant de connexions qu’il en accepte ; réessayer dans un instant."
        en "Service overloaded"
            "The service has as many connections as it accepts; try again in a moment."
    /// As many batches as a caller may send at once, or as the service holds.
    BUSY SERVICE_UNAVAILABLE "trop_de_lots"
        fr "Trop de lots à la fois"
            "Cette clé, ou cette adresse, a déjà huit lots en cours, ou le service en tient autant \
             qu’il en accepte ; réessayer dans un instant."
        en "Too many batches at once"
            "This key, or this address, has eight batches under way already, or the service holds \
             as many as it accepts; try again in a moment."
    /// The answer took too long.
    TIMEOUT SERVICE_UNAVAILABLE "delai_depasse"
        fr "Délai dépassé"
            "La réponse n’a pas pu être donnée dans le délai ; réessayer."
        en "Timed out" "The answer could not be given in time; try again."
    /// HTTP/2 with prior knowledge, without TLS.
    VERSION HTTP_VERSION_NOT_SUPPORTED "version_refusee"
        fr "Version de HTTP refusée"
            "Le service parle HTTP/1.1 ; HTTP/2 est l’affaire du serveur web placé devant lui."
        en "HTTP version refused"
            "The service speaks HTTP/1.1; HTTP/2 is for the web server in front of it."
}

kinds! {
    /// Kinds of problems that only the site and the tools of assistants have.
    SITE:
    /// The form was sent from the page of another site.
    ORIGIN FORBIDDEN "origine_refusee"
        fr "Origine refusée" "Le formulaire des clés a été envoyé depuis la page d’un autre site."
        en "Origin refused" "The key form was sent from the page of another site."
    /// The link that confirms a request for a key cannot be used.
    CONFIRMATION GONE "confirmation_refusee"
        fr "Lien de confirmation refusé"
            "Ce lien a déjà servi, a plus d’un jour, ou n’a pas été copié en entier. Demander une \
             nouvelle clé envoie un nouveau lien."
        en "Confirmation link refused"
            "This link was used already, is more than a day old, or was not copied whole. Asking \
             for a key again sends a new link."
    /// The form was sent already: its page was loaded again.
    FORM_USED CONFLICT "formulaire_deja_envoye"
        fr "Formulaire déjà envoyé"
            "Ce formulaire a déjà été envoyé, ou il date d’un autre jour : une page rechargée ne \
             donne pas de seconde clé. Si la première n’a pas été copiée, renvoyer le formulaire \
             en redemande une."
        en "Form already sent"
            "This form was sent already, or is of another day: a page that is loaded again gives \
             no second key. If the first one was not copied, sending the form again asks for \
             another."
    /// Too long a form.
    FORM_LENGTH PAYLOAD_TOO_LARGE "formulaire_trop_long"
        fr "Formulaire trop long" "Le formulaire des clés dépasse 2 048 octets."
        en "Form too long" "The key form exceeds 2,048 bytes."
    /// A form that is written in another way.
    FORM_TYPE UNSUPPORTED_MEDIA_TYPE "formulaire_illisible"
        fr "Formulaire illisible"
            "Le formulaire des clés s’envoie en `application/x-www-form-urlencoded`."
        en "Unreadable form" "The key form is sent as `application/x-www-form-urlencoded`."
    /// Too long a message of an assistant.
    MESSAGE_LENGTH PAYLOAD_TOO_LARGE "message_trop_long"
        fr "Message trop long"
            "Le message d’un assistant dépasse 64 Kio. Un appel d’outil en a quelques centaines \
             d’octets : de nombreux calculs sont un lot."
        en "Message too long"
            "The message of an assistant exceeds 64 KiB. A call of a tool has some hundreds of \
             bytes: many calculations are a batch."
    /// Too many keys asked for today.
    TOO_MANY_KEYS TOO_MANY_REQUESTS "trop_de_cles"
        fr "Trop de clés demandées"
            "Trop de clés ont été demandées aujourd’hui, de cette adresse, de son réseau ou de \
             toutes ; d’autres pourront l’être après minuit UTC."
        en "Too many keys requested"
            "Too many keys were requested today, from this address, from its network or in all; \
             others can be after midnight UTC."
}

/// Kinds of problems that only batches have.
pub(crate) static BATCH: [&Kind; 5] = [
    &BATCH_UNREADABLE,
    &BATCH_LENGTH,
    &BATCH_DAY,
    &BATCH_TYPE,
    &BUSY,
];

/// Kinds of problems that only the form of the keys has.
pub(crate) static FORM: [&Kind; 4] = [&ORIGIN, &FORM_LENGTH, &FORM_TYPE, &TOO_MANY_KEYS];

#[cfg(test)]
mod tests {
    use bareme_engine::Lang;

    use super::*;

    #[test]
    fn codes_are_distinct_and_make_addresses() {
        let all: Vec<&Kind> = ALL.into_iter().chain(SITE).collect();
        for (index, kind) in all.iter().enumerate() {
            assert!(
                kind.code
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'_'),
                "{}",
                kind.code
            );
            for lang in [Lang::Fr, Lang::En] {
                assert!(!kind.title.in_lang(lang).is_empty(), "{}", kind.code);
                assert!(kind.meaning.in_lang(lang).ends_with('.'), "{}", kind.code);
            }
            assert!(
                all.iter()
                    .skip(index + 1)
                    .all(|other| other.code != kind.code),
                "{} twice",
                kind.code
            );
        }
    }
}
