//! E-mails to the owners of keys: delivery of a key, announcement of its end, confirmation of a
//! mailbox, corrections of the law that answers applied.

mod correction;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bareme_engine::service::{Plan, Service, Variant};
use bareme_engine::text::number_french;
use lettre::message::header::ContentType;
use lettre::message::{Mailbox, Message};
use lettre::{Address, SmtpTransport, Transport as _};
use tokio::task::spawn_blocking;

use super::issue::Issued;
use super::store::Record;

pub use correction::{PublishedCorrections, UsedCorrection};

/// How long the mail server may take.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The mail server and the sender of e-mails.
#[derive(Debug)]
pub struct Mailer {
    transport: SmtpTransport,
    from: Mailbox,
}

/// An e-mail to the owner of a key, in French.
pub struct Letter {
    recipient: String,
    subject: String,
    text: String,
}

/// Why an e-mail could not be sent. Never contains the key.
#[derive(Debug, thiserror::Error)]
pub enum MailFailure {
    /// The address of the mail server cannot be read.
    #[error("the address of the mail server cannot be read: {0}")]
    Server(lettre::transport::smtp::Error),
    /// The file with the address of the mail server cannot be read.
    #[error("`{0}`: {1}")]
    File(PathBuf, std::io::Error),
    /// The e-mail cannot be composed.
    #[error("cannot compose the e-mail: {0}")]
    Letter(#[from] lettre::error::Error),
    /// The server did not accept it.
    #[error("the mail server refused the e-mail: {0}")]
    Refused(lettre::transport::smtp::Error),
    /// The service is stopping.
    #[error("the e-mail was not sent: the service is stopping")]
    Aborted,
}

impl MailFailure {
    /// Whether the e-mail was certainly not delivered: the server refused it, or it was never sent.
    /// Otherwise the server may have accepted it, and the connection broken before its reply.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Server(_) | Self::Letter(_) | Self::File(..) => true,
            Self::Refused(error) => {
                error.is_permanent() || error.is_transient() || error.is_client() || error.is_tls()
            }
            Self::Aborted => false,
        }
    }
}

impl Mailer {
    /// A mailer for the server at `smtp://user:password@host:port` (STARTTLS is required unless the
    /// address ends in `?tls=opportunistic`) or `smtps://` (TLS from the start).
    pub(crate) fn new(server: &str, from: Mailbox) -> Result<Self, MailFailure> {
        // Without TLS the key would cross the network in clear text; only an explicit choice in the
        // address turns that off.
        let demanded = server.starts_with("smtp://") && !server.contains("tls=");
        let joint = if server.contains('?') { '&' } else { '?' };
        let server = if demanded {
            format!("{server}{joint}tls=required")
        } else {
            server.to_owned()
        };

        let transport = SmtpTransport::from_url(&server).map_err(MailFailure::Server)?;
        Ok(Self {
            transport: transport.timeout(Some(TIMEOUT)).build(),
            from,
        })
    }

    /// Sends on a thread of its own, since mail servers are slow.
    pub async fn send(self: &Arc<Self>, letter: Letter) -> Result<(), MailFailure> {
        let mailer = Arc::clone(self);
        // The transport blocks: on a thread of the runtime it would hold up calls for as long as
        // the mail server takes.
        spawn_blocking(move || mailer.send_now(letter))
            .await
            .map_err(|_| MailFailure::Aborted)?
    }

    fn send_now(&self, letter: Letter) -> Result<(), MailFailure> {
        let recipient: Address = letter
            .recipient
            .parse()
            .map_err(|_| lettre::error::Error::MissingTo)?;
        let message = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, recipient))
            .subject(letter.subject)
            .header(ContentType::TEXT_PLAIN)
            .body(letter.text)?;
        self.transport
            .send(&message)
            .map(drop)
            .map_err(MailFailure::Refused)
    }
}

impl Letter {
    /// The letter with the link that confirms a mailbox; `holder` is the free key that the mailbox
    /// has.
    pub(crate) fn of_confirmation(
        service: &Service,
        variant: &Variant,
        plan: &Plan,
        email: &str,
        link: &str,
        holder: Option<&Record>,
    ) -> Self {
        let subject = match holder {
            Some(_) => format!("Remplacer votre clé {}", service.title),
            None => format!("Obtenir votre clé {}", service.title),
        };

        let change = match holder {
            Some(record) => format!(
                "Cette adresse a déjà une clé gratuite, qui finit par {}. Le lien en donne une \
                 autre, du même compte : \
                 l’ancienne cesse alors d’être acceptée.\n\n",
                record.last_four
            ),
            None => String::new(),
        };

        let (service, plan, variant) = (&service.title, &plan.title, &variant.title);
        let text = format!(
            "Bonjour,\n\n\
             Une clé {service}, offre {plan} ({variant}), a été demandée pour cette adresse. Pour \
             l’obtenir, ouvrez ce \
             lien et appuyez sur le bouton :\n\n\
             {link}\n\n\
             {change}Le lien sert une fois, dans les 24 heures. La clé s’affiche alors à \
             l’écran.\n\n\
             Si vous n’avez rien demandé, ne faites rien : il ne se passera rien.\n"
        );
        Self {
            recipient: email.to_owned(),
            subject,
            text,
        }
    }

    /// The letter with the link to the page of the keys of an address.
    pub(crate) fn of_owner_page(service: &Service, email: &str, link: &str) -> Self {
        let title = &service.title;
        let text = format!(
            "Bonjour,\n\n\
             La page de vos clés {title} a été demandée pour cette adresse. Ce lien l’ouvre :\n\n\
             {link}\n\n\
             Vous y voyez l’usage et la fin de vos clés, et vous pouvez les remplacer, les \
             révoquer ou changer \
             d’adresse. Le lien est valable 24 heures ; ne le transmettez à personne.\n\n\
             Si vous n’avez rien demandé, ne faites rien : il ne se passera rien.\n"
        );
        Self {
            recipient: email.to_owned(),
            subject: format!("Vos clés {title}"),
            text,
        }
    }

    /// The letter with the link that moves an account to a new address.
    pub(crate) fn of_move(service: &Service, email: &str, old: &str, link: &str) -> Self {
        let title = &service.title;
        let text = format!(
            "Bonjour,\n\n\
             Le titulaire d’une clé {title}, jusqu’ici à l’adresse {old}, demande que cette \
             adresse la remplace. \
             Pour l’accepter, ouvrez ce lien et appuyez sur le bouton :\n\n\
             {link}\n\n\
             Le lien sert une fois, dans les 24 heures. La clé ne change pas.\n\n\
             Si vous n’attendiez rien, ne faites rien : il ne se passera rien.\n"
        );
        Self {
            recipient: email.to_owned(),
            subject: format!("Votre nouvelle adresse pour {title}"),
            text,
        }
    }

    /// The letter that tells the owner of a key when it ends, and how to renew it.
    pub fn of_end(service: &Service, variant: &Variant, plan: &Plan, record: &Record) -> Self {
        let end = record
            .expires
            .map(|end| end.strftime("%d/%m/%Y").to_string())
            .unwrap_or_default();

        let renewal = match (&plan.buy, &service.contact) {
            (Some(address), _) => format!("Pour la renouveler : {address}\n\n"),
            (None, Some(contact)) => format!("Pour la renouveler, écrivez à {contact}.\n\n"),
            (None, None) => "Pour la renouveler, répondez à ce courriel.\n\n".to_owned(),
        };

        let (service, documentation) = (&service.title, &service.documentation);
        let (plan, variant, last_four) = (&plan.title, &variant.title, &record.last_four);
        let text = format!(
            "Bonjour,\n\n\
             Votre clé {service} qui finit par {last_four}, offre {plan} ({variant}), prend fin \
             le {end}. \
             Les appels qui l’envoient seront refusés à partir de ce jour.\n\n\
             {renewal}La clé elle-même ne change pas lorsqu’elle est renouvelée.\n\n\
             Documentation : {documentation}\n"
        );
        let subject = format!("Votre clé {service} prend fin le {end}");
        Self {
            recipient: record.email.clone(),
            subject,
            text,
        }
    }

    /// The letter that brings a key to its owner.
    pub fn of_key(service: &Service, variant: &Variant, plan: &Plan, issued: &Issued) -> Self {
        let quota = plan.calls_per_day.map_or_else(
            || "sans limite d’appels".to_owned(),
            |calls| {
                format!(
                    "{} appels par jour, de minuit à minuit UTC",
                    number_french(calls.into())
                )
            },
        );

        let end = match issued.record.renews {
            true => Some("Elle est renouvelée à chaque paiement de votre abonnement.".to_owned()),
            false => issued.end(plan),
        };
        let end = end.map(|end| format!("{end}\n")).unwrap_or_default();

        // An attempt that was interrupted may have delivered another key: its owner must not wonder
        // which one works.
        let again = if issued.record.attempts > 1 {
            "Si un courriel précédent vous a déjà apporté une clé, elle est valable aussi : les \
             deux partagent le même \
             quota.\n\n"
        } else {
            ""
        };

        let (service, documentation, plan) = (&service.title, &service.documentation, &plan.title);
        let (variant, prefix, key) = (&variant.title, &variant.prefix, issued.key.reveal());
        let text = format!(
            "Bonjour,\n\n\
             Voici votre clé {service}, offre {plan} ({variant}), {quota} :\n\n\
             {key}\n\n\
             Envoyez-la dans l’en-tête X-API-Key de chaque appel, jamais dans l’adresse :\n\n\
             curl -H 'X-API-Key: {key}' '…{prefix}/…'\n\n\
             {again}{end}Gardez-la secrète : elle n’est conservée nulle part ailleurs et ne \
             pourra pas vous être redonnée. \
             En cas de perte ou de fuite, demandez-en une autre, l’ancienne cessera d’être \
             acceptée.\n\n\
             Documentation : {documentation}\n"
        );
        let subject = format!("Votre clé {service} ({plan})");
        Self {
            recipient: issued.record.email.clone(),
            subject,
            text,
        }
    }
}

/// Domains of a provider whose mailboxes ignore dots; the first represents all of them.
const DOTLESS: [&str; 2] = ["gmail.com", "googlemail.com"];

/// Normalizes an address, so that its spellings are equal: lower case, without a `+` suffix, and
/// without dots where the provider ignores them.
pub(crate) fn mailbox(address: &str) -> String {
    let address = address.to_lowercase();
    let Some((name, domain)) = address.rsplit_once('@') else {
        return address;
    };
    let name = name.split_once('+').map_or(name, |(name, _)| name);
    match DOTLESS.first() {
        Some(provider) if DOTLESS.contains(&domain) => {
            format!("{}@{provider}", name.replace('.', ""))
        }
        _ => format!("{name}@{domain}"),
    }
}

/// Parses an e-mail address typed by a person. The domain must have a dot: nobody can write to
/// `a@b` from elsewhere.
pub fn address(text: &str) -> Option<Address> {
    // Limit of RFC 5321 4.5.3.1.3, without the angle brackets.
    let address: Option<Address> = (text.len() <= 254).then(|| text.parse().ok()).flatten();
    address.filter(|address| is_public(address.domain()))
}

/// Whether a domain is a name of two labels or more, and no IP address.
fn is_public(domain: &str) -> bool {
    let is_number = |label: &str| label.chars().all(|character| character.is_ascii_digit());
    domain
        .rsplit_once('.')
        .is_some_and(|(rest, top)| !rest.is_empty() && !is_number(top))
        && !domain.starts_with('[')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mailer(server: &str) -> Result<Mailer, MailFailure> {
        Mailer::new(server, "Barème <cles@example.org>".parse().unwrap())
    }

    #[test]
    fn only_the_address_of_a_mail_server_is_accepted() {
        for good in [
            "smtp://localhost",
            "smtps://user:word@mail.example.org",
            "smtp://h:2525?tls=opportunistic",
        ] {
            assert!(mailer(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "localhost:25",
            "http://localhost",
            "smtp://h?tls=perhaps",
        ] {
            assert!(mailer(bad).is_err(), "{bad}");
        }
        for secret in [
            "smtp://u:hunter2@h?tls=perhaps",
            "http://u:hunter2@h",
            "smtp://u:hunter2@h:port",
            "u:hunter2@h",
        ] {
            let message = mailer(secret).unwrap_err().to_string();
            assert!(!message.contains("hunter2"), "{message}");
        }
    }

    #[test]
    fn the_ways_to_write_a_mailbox_are_one() {
        for (one, other) in [
            ("Claire@Example.org", "claire@example.org"),
            ("claire+api@example.org", "claire@example.org"),
            ("claire+a+b@example.org", "claire@example.org"),
            ("Cl.ai.re+x@googlemail.com", "claire@gmail.com"),
            ("ÉLODIE@example.org", "élodie@example.org"),
        ] {
            assert_eq!(mailbox(one), other);
        }
        assert_ne!(
            mailbox("c.laire@example.org"),
            mailbox("claire@example.org"),
            "another person's, elsewhere"
        );
        assert_ne!(mailbox("claire@example.org"), mailbox("claire@example.com"));
    }

    #[test]
    fn addresses() {
        for good in [
            "claire@example.org",
            "a.b+c@sub.example.org",
            "élodie@example.org",
            "claire@exemple.émoi",
        ] {
            assert!(address(good).is_some(), "{good}");
        }
        let long = format!("{}@example.org", "a".repeat(250));
        for bad in [
            "",
            "claire",
            "claire@",
            "@example.org",
            "a b@example.org",
            "a@b.fr\r\nBcc: c@d.fr",
            "a@b",
            "claire@localhost",
            "claire@example.org.",
            "claire@.org",
            "claire@192.0.2.1",
            "claire@[192.0.2.1]",
            &long,
        ] {
            assert!(address(bad).is_none(), "{bad:?}");
        }
    }
}
