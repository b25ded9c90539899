//! The pages of the owner of keys; the module `app::form::owner` decides what they show.

use bareme_accounts::expiry::plan_of;
use bareme_accounts::owner::{OVERLAP_DAYS, OwnedKey, OwnedKeys};
use bareme_accounts::store::Record;
use bareme_accounts::store::corrections::USE_DAYS;
use bareme_api::openapi::form::{OWNER_PATH, PATH, TOKEN};
use bareme_engine::service::Service;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use maud::{Markup, html};

use super::layout::Page;
use super::publishable;
use super::publishable::RefusedDraft;
use super::table::wide;
use super::text::{day, number, prose};

/// Field with the id of a key.
pub const KEY: &str = "cle";

/// Field with the action.
pub const ACTION: &str = "action";

/// An action of the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Another key of the same account; the old one ends a little later.
    Rotate,
    /// No more calls with the key, from now on.
    Revoke,
    /// Another e-mail address.
    Move,
    /// The same, by the link that the new address was sent.
    ConfirmMove,
    /// E-mails about corrections, or none any more.
    ReadCorrections(bool),
    /// A publishable key of the same account.
    Publish,
    /// Another name, other origins or another limit of a publishable key.
    Republish,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 8] = [
        Self::Rotate,
        Self::Revoke,
        Self::Move,
        Self::ConfirmMove,
        Self::ReadCorrections(true),
        Self::ReadCorrections(false),
        Self::Publish,
        Self::Republish,
    ];

    /// Its value in the form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rotate => "remplacer",
            Self::Revoke => "revoquer",
            Self::Move => "adresse",
            Self::ConfirmMove => "confirmer",
            Self::ReadCorrections(true) => "suivre_corrections",
            Self::ReadCorrections(false) => "ne_plus_suivre",
            Self::Publish => "publier",
            Self::Republish => "declarer",
        }
    }

    /// The action of a value.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.name() == name)
    }
}

/// Notice of what was done.
#[derive(Debug)]
pub enum Notice {
    /// A key was revoked.
    Revoked,
    /// A link is on its way to this new address.
    MoveSent(String),
    /// E-mails about corrections are sent, or no longer.
    Corrections(bool),
    /// A publishable key was changed.
    Published,
    /// A publishable key cannot be as it was typed.
    Refused(RefusedDraft),
}

/// The form that asks for a link, with the error of the previous attempt. `sends`: whether there
/// is a mail server.
pub fn request(service: &Service, sends: bool, wrong: Option<&str>) -> String {
    let content = html! {
        h1 { "Gérer vos clés" }
        @if let Some(wrong) = wrong { p.wrong #erreur role="alert" { (prose(wrong)) } }
        @if sends {
            p { "Un courriel vous apporte un lien, valable un jour\u{a0}: la page qu’il ouvre \
                 montre l’usage et la fin de vos clés, les remplace, les révoque, change leur adresse \
                 et annonce les corrections." }
            form method="post" action=(OWNER_PATH) {
                label for="courriel" { "Adresse électronique de vos clés" }
                input #courriel name="courriel" type="email" autocomplete="email"
                    maxlength="254" required
                    aria-invalid=[wrong.map(|_| "true")] aria-describedby=[wrong.map(|_| "erreur")];
                button { "Recevoir le lien" }
            }
        } @else if let Some(contact) = &service.contact {
            p { "Écrivez à " a href={ "mailto:" (contact) } { (contact) } " depuis l’adresse à \
                laquelle la clé a été envoyée." }
        } @else {
            p { "Répondez au courriel qui vous a apporté la clé." }
        }
        p { a href=(PATH) { "Obtenir une clé gratuite" } }
    };
    page(service, Some(OWNER_PATH), content)
}

/// Page after a link was asked for: the same whether the address owns a key or not.
pub fn sent(service: &Service, email: &str) -> String {
    let content = html! {
        h1 { "Regardez votre courriel" }
        p { "Si " strong { (email) } " a une clé valable, un courriel part avec le lien de sa \
                                      page." }
        p { "S’il n’arrive pas d’ici quelques minutes, regardez parmi les indésirables et \
             vérifiez l’adresse. Une adresse reçoit trois de ces courriels par jour au plus." }
        p { a href=(OWNER_PATH) { "Recommencer" } }
    };
    page(service, None, content)
}

/// The keys of an owner, each with its use and its actions.
pub fn keys(service: &Service, token: &str, owned: &OwnedKeys, notice: Option<Notice>) -> String {
    let content = html! {
        h1 { "Vos clés" }
        p { "Adresse\u{a0}: " strong { (owned.email) } }

        // A status is read aloud at the next pause, an alert at once.
        @match &notice {
            Some(Notice::Revoked) => { p #fait role="status" { "La clé est révoquée\u{a0}: elle \
                n’est plus acceptée." } }
            Some(Notice::MoveSent(email)) => { p #fait role="status" { "Un courriel part \
                pour " strong { (email) } ". L’adresse change quand son lien est confirmé." } }
            Some(Notice::Published) => { p #fait role="status" { "La clé publiable est à jour\u{a0}: \
                elle est acceptée des sites déclarés ci-dessous." } }
            Some(Notice::Refused(refused)) => { p.wrong #erreur role="alert" {
                (prose(&refused.wrong))
            } }
            Some(Notice::Corrections(true)) => { p #fait role="status" { "Un courriel partira \
                à chaque correction d’un calcul que cette clé a utilisé." } }
            Some(Notice::Corrections(false)) => { p #fait role="status" { "Plus aucun courriel ne \
                partira au sujet des corrections." } }
            None => {}
        }
        @if owned.keys.is_empty() {
            p { "Aucune clé valable à cette adresse." }
        }
        @let refused = match &notice { Some(Notice::Refused(refused)) => Some(refused), _ => None };
        @for key in &owned.keys { (one_key(service, token, (owned, key), refused)) }
        p { a href=(PATH) { "Obtenir une clé gratuite" } }
    };
    page(service, None, content)
}

fn one_key(
    service: &Service,
    token: &str,
    (owned, key): (&OwnedKeys, &OwnedKey),
    refused: Option<&RefusedDraft>,
) -> Markup {
    let OwnedKey { record, usage, .. } = key;
    let refused = refused.filter(|refused| refused.key == record.id);

    html! {
        section {
            h2 { @match &record.publication {
                None => { "Clé …" (record.last_four) }
                Some(page) if page.label.is_empty() => { "Clé publiable …" (record.last_four) }
                Some(page) => { "Clé publiable …" (record.last_four) ", " (page.label) }
            } }
            (facts(service, key))
            // Otherwise an owner might believe that he no longer pays once the key is revoked.
            @if record.renews {
                p.soft { "Renouvelée à chaque paiement de votre abonnement\u{a0}: révoquer la clé \
                          ne résilie pas l’abonnement." }
            }
            @if !usage.is_empty() {
                details {
                    summary { "Appels par jour" }
                    (wide(
                        "Appels par jour",
                        html! {
                            table {
                                thead { tr { th scope="col" { "Jour" } th scope="col" { "Appels" } } }
                                tbody {
                                    @for (date, calls) in usage.iter().rev() {
                                        tr { td { (day(date.date())) } td { (number((*calls).into())) } }
                                    }
                                }
                            }
                        }
                    ))
                }
            }
            @if let Some(page) = &record.publication {
                (publishable::declared((token, record), page, refused))
            }
            form method="post" action=(OWNER_PATH) {
                (hidden(token, record))
                button name=(ACTION) value=(Action::Rotate.name()) { "Remplacer" }
                " "
                button name=(ACTION) value=(Action::Revoke.name()) { "Révoquer" }
                p.soft { "Remplacer donne une autre clé, montrée une seule fois\u{a0}; celle-ci \
                          reste acceptée " (OVERLAP_DAYS) "\u{a0}jours. Révoquer l’arrête \
                                                           aussitôt." }
            }
            @if record.publication.is_none() { (publishable::offered((token, record), refused)) }
            @if has_account_beside(owned, record) { (of_account(token, key)) }
        }
    }
}

/// Whether what concerns the account is beside a key: a secret one, or one of an account that has
/// publishable ones alone.
fn has_account_beside(owned: &OwnedKeys, record: &Record) -> bool {
    let mut of_account = owned
        .keys
        .iter()
        .map(|key| &key.record)
        .filter(|other| other.account == record.account);
    record.publication.is_none() || of_account.all(|other| other.publication.is_some())
}

/// The plan, the end and the calls of a key.
fn facts(service: &Service, key: &OwnedKey) -> Markup {
    let OwnedKey { record, usage, .. } = key;
    let total: i64 = usage.iter().map(|(_, calls)| *calls).sum();
    html! {
        dl.headline {
            div { dt { "Offre" } dd { @match plan_of(service, record) {
                Some((variant, plan)) => { (prose(&plan.title)) ", " (prose(&variant.title)) }
                None => { (record.plan) }
            } } }
            div { dt { "Fin" } dd { @match end_of(record) {
                Some(end) => { (on_day(end)) }
                None => { "aucune" }
            } } }
            div { dt { "Appels, 90 jours" } dd { (number(total.into())) } }
        }
    }
}

/// The forms about the account of a key: its address, and e-mails about corrections.
fn of_account(token: &str, key: &OwnedKey) -> Markup {
    let record = &key.record;
    html! {
        form method="post" action=(OWNER_PATH) {
            (hidden(token, record))
            // With the id of its key: each key of the page has this form, and an id is there once.
            @let field = format!("courriel-{}", record.id);
            label for=(field) { "Nouvelle adresse électronique" }
            input id=(field) name="courriel" type="email" autocomplete="email"
                maxlength="254" required;
            button name=(ACTION) value=(Action::Move.name()) { "Changer l’adresse" }
        }
        form method="post" action=(OWNER_PATH) {
            (hidden(token, record))
            @let change = Action::ReadCorrections(!key.reads_corrections);
            button name=(ACTION) value=(change.name()) {
                @if key.reads_corrections { "Ne plus recevoir les corrections" }
                @else { "Recevoir les corrections" }
            }
            p.soft { "Quand un chiffre est corrigé dans un calcul que cette clé a demandé au cours des "
                (USE_DAYS) "\u{a0}derniers jours, un courriel dit quels montants changent, et comment \
                retrouver ceux d’avant." }
        }
    }
}

/// The fields of every form about a key: the token of the link, and the id of the key.
pub(super) fn hidden(token: &str, record: &Record) -> Markup {
    html! {
        input type="hidden" name=(TOKEN) value=(token);
        input type="hidden" name=(KEY) value=(record.id);
    }
}

/// The end of a key: its expiry, or the end of its overlap with the key that replaces it.
fn end_of(record: &Record) -> Option<Timestamp> {
    record.expires.into_iter().chain(record.revoked).min()
}

fn on_day(moment: Timestamp) -> Markup {
    day(moment.to_zoned(TimeZone::UTC).date())
}

/// The page of the link that the new address of an owner was sent.
pub fn confirm_move(service: &Service, token: &str, email: &str) -> String {
    let content = html! {
        h1 { "Confirmer l’adresse" }
        p { "Le bouton attache la clé à l’adresse " strong { (email) } ", à la place de \
            l’ancienne. La clé ne change pas." }
        form method="post" action=(OWNER_PATH) {
            input type="hidden" name=(TOKEN) value=(token);
            button name=(ACTION) value=(Action::ConfirmMove.name()) { "Confirmer" }
        }
    };
    page(service, None, content)
}

/// Page after an address was changed.
pub fn moved(service: &Service, email: &str) -> String {
    let content = html! {
        h1 { "Adresse changée" }
        p { "La clé appartient maintenant à " strong { (email) } "." }
        p { a href=(OWNER_PATH) { "Gérer vos clés" } }
    };
    page(service, None, content)
}

fn page(service: &Service, path: Option<&str>, content: Markup) -> String {
    Page {
        title: "Gérer vos clés",
        description: "L’usage et la fin de vos clés, leur remplacement, leur révocation et leur \
                      adresse.",
        path,
        content,
        ..Page::default()
    }
    .render(service)
}
