//! The pages of the form for keys; the module `app::form` decides what they show.

use bareme_accounts::issue::Issued;
use bareme_api::openapi::form::{CONFIRMATION_PATH, ONCE, OWNER_PATH, PATH, TOKEN};
use bareme_engine::Lang;
use bareme_engine::service::{Plan, Rules, Service, Variant};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use maud::{Markup, html};
use uuid::Uuid;

use super::first_call;
use super::layout::Page;
use super::offers::{attribution, calls, offers};
use super::table::wide;
use super::text::{day, number, printed, prose};

/// The form, with the address as it was typed and the error of the previous attempt. `confirms`:
/// whether the mailbox must be confirmed by e-mail; `once`: id of the form, to detect that it is
/// submitted twice.
pub fn form(
    service: &Service,
    email: &str,
    wrong: Option<&str>,
    confirms: bool,
    once: Uuid,
) -> String {
    let content = html! {
        h1 { "Obtenir une clé gratuite" }
        p {
            "Une clé est le mot de passe que votre programme envoie avec chaque appel de l’API. Avec \
             une clé, votre quota vous suit où que vous soyez\u{202f}; sans clé, le nombre d’appels \
             du jour est partagé par tous ceux qui ont votre adresse IP."
        }
        @if let Some(wrong) = wrong { p.wrong #erreur role="alert" { (prose(wrong)) } }
        form method="post" action=(PATH) {
            input type="hidden" name=(ONCE) value=(once);
            label for="courriel" { "Adresse électronique" }
            // RFC 5321 leaves an address at most 254 characters.
            input #courriel name="courriel" type="email" autocomplete="email" maxlength="254"
                required value=(email)
                aria-invalid=[wrong.map(|_| "true")] aria-describedby=[wrong.map(|_| "erreur")];
            fieldset {
                legend { "Version de l’API" }
                @for (index, variant) in service.variants.iter().enumerate() {
                    @if let Some(plan) = variant.plans.first() { (choice(index, variant, plan)) }
                }
            }
            button { "Obtenir ma clé" }
        }
        p {
            "Une clé ouvre une seule version\u{a0}: la première a tous les calculs et tous les \
             pays, les autres une partie d’entre eux. Quota atteint, les appels sont refusés \
             jusqu’à minuit UTC, soit 1\u{a0}h ou 2\u{a0}h du matin à Paris\u{a0}; rien n’est facturé."
        }
        @if confirms {
            p {
                "Un courriel vous apporte un lien\u{a0}; la clé s’affiche quand vous l’avez \
                 confirmé, une seule fois. Une adresse a une clé gratuite par version\u{a0}: la \
                 redemander la remplace, sur le même compte."
            }
            p { "L’adresse n’est gardée que pour vous écrire au sujet de la clé." }
        } @else {
            p {
                "La clé s’affiche aussitôt, une seule fois. L’adresse n’est gardée que pour vous \
                 écrire au sujet de la clé."
            }
        }
        @if let Some(ceilings) = ceilings(service) { p { (prose(&ceilings)) } }
        (attribution(service))
        (lost_key(service, confirms))

        h2 { "Offres" }
        (offers(service))
    };
    page(service, "Obtenir une clé", Some(PATH), content)
}

/// What to do without a key that was issued; where mailboxes are confirmed, its owner has a page.
fn lost_key(service: &Service, confirms: bool) -> Markup {
    html! {
        h2 #perdue { "Clé perdue" }
        p {
            "Nous ne gardons pas le texte des clés\u{a0}: une clé perdue ne peut pas vous être redonnée. \
             Une clé gratuite se redemande ci-dessus. Une clé payante est remplacée sans frais, et \
             l’ancienne cesse d’être acceptée\u{a0}: "
            @if confirms { "sur " a href=(OWNER_PATH) { "la page de vos clés" } ", ou " }
            @if let Some(contact) = &service.contact {
                "écrivez à " a href={ "mailto:" (contact) } { (contact) }
                " depuis l’adresse à laquelle elle a été envoyée."
            } @else {
                "répondez au courriel qui vous l’a apportée."
            }
        }
    }
}

/// A French sentence about the limit of the free keys of one address.
fn ceilings(service: &Service) -> Option<String> {
    let of_variant = |variant: &Variant| {
        let most = variant.plans.first()?.calls_per_address?;
        Some(format!(
            "{} appels par jour ({})",
            number(most.into()),
            variant.prefix
        ))
    };
    let ceilings: Vec<String> = service.variants.iter().filter_map(of_variant).collect();
    let all = ceilings.join(", ");
    (!all.is_empty())
        .then(|| format!("Toutes les clés gratuites d’une même adresse IP ont ensemble {all}."))
}

/// Page after the form was sent.
pub fn unconfirmed(service: &Service, email: &str) -> String {
    let content = html! {
        h1 { "Confirmez votre adresse" }
        p {
            "Un courriel part pour " strong { (email) }
            ". Ouvrez le lien qu’il contient, dans les 24\u{a0}heures\u{a0}: la clé s’affichera."
        }
        p {
            "S’il n’arrive pas d’ici quelques minutes, regardez parmi les indésirables, vérifiez \
             l’adresse et recommencez. Une adresse reçoit trois de ces courriels par jour au \
             plus\u{a0}; chacun reste bon un jour."
        }
        p { a href=(PATH) { "Revenir au formulaire" } }
    };
    page(service, "Confirmez votre adresse", None, content)
}

/// The page of a confirmation link, with the token that its button sends, or the error.
pub fn confirm(service: &Service, token: Option<&str>, wrong: Option<&str>) -> String {
    let content = html! {
        h1 { "Obtenir votre clé" }
        @if let Some(wrong) = wrong {
            p.wrong #erreur role="alert" { (prose(wrong)) }
            p { a href=(PATH) { "Demander une clé" } }
        }
        @if let Some(token) = token {
            p {
                "Le bouton affiche votre clé, une seule fois. Si cette adresse en avait une, elle \
                 cesse d’être acceptée."
            }
            // By a button: scanners of mail open every link, and must not use it up.
            form method="post" action=(CONFIRMATION_PATH) {
                input type="hidden" name=(TOKEN) value=(token);
                button { "Afficher ma clé" }
            }
        }
    };
    page(service, "Obtenir votre clé", None, content)
}

fn choice(index: usize, variant: &Variant, plan: &Plan) -> Markup {
    html! {
        label {
            input type="radio" name="variante" value=(variant.name) checked[index == 0];
            " " (prose(&variant.title)) " "
            small { "(" code { (variant.prefix) } ", " (calls(plan, Lang::Fr)) ")" }
        }
    }
}

/// The page of a new key, which is only shown once, with a first call to run.
pub fn new_key(rules: &Rules, variant: &Variant, plan: &Plan, issued: &Issued) -> String {
    let (service, key) = (rules.service(), issued.key.reveal());

    let content = html! {
        h1 { "Votre clé" }
        p { code.key { (key) } }
        p {
            strong { "Copiez-la maintenant\u{a0}: elle ne sera plus jamais affichée." }
            @if let Some(end) = issued.end(plan) { " " (prose(&end)) }
        }
        p {
            "Offre " (prose(&plan.title)) ", " (prose(&variant.title)) "\u{a0}: " (calls(plan, Lang::Fr)) "."
        }

        h2 { "Le premier appel" }
        p {
            "La clé s’envoie dans l’en-tête " code { "X-API-Key" } ", jamais dans l’adresse\u{a0}:"
        }
        pre.copy tabindex="0" {
            "curl -H 'X-API-Key: " (key) "' '" (service.documentation) (first_call(rules, variant))
            "'"
        }
        p {
            "Ce qu’elle a consommé aujourd’hui se demande avec elle, sans rien coûter, sur "
            a href="/cle/usage" { "la page de l’usage" } "."
        }
        @if plan.attribution { (attribution(service)) }
    };
    page(service, "Votre clé", None, content)
}

fn page(service: &Service, title: &str, path: Option<&str>, content: Markup) -> String {
    let description =
        "Une clé gratuite en une adresse électronique, sans carte bancaire ni compte.";

    Page {
        title: &printed(title),
        description,
        path,
        content,
        ..Page::default()
    }
    .render(service)
}

/// Usage of a key today.
pub struct Usage<'u> {
    /// The variant of the API that the key is for.
    pub variant: &'u Variant,
    /// The plan that applies to it.
    pub plan: &'u Plan,
    /// Calls of today.
    pub used: u64,
    /// When the count is reset, RFC 3339.
    pub midnight: String,
    /// When the key expires, if it does.
    pub expires: Option<Timestamp>,
    /// Calls of each of the last days with any, and of today, in order.
    pub days: Vec<(Date, u64)>,
}

impl Usage<'_> {
    /// Calls left today; `None` where they are unlimited.
    pub fn left(&self) -> Option<u64> {
        self.plan
            .calls_per_day
            .map(|quota| quota.saturating_sub(self.used))
    }
}

/// The form for the usage of a key, with the answer or the error.
pub fn usage(service: &Service, usage: Option<&Usage>, wrong: Option<&str>) -> String {
    let path = bareme_api::openapi::form::USAGE_PATH;

    let content = html! {
        h1 { "Usage d’une clé" }
        p {
            "Ce qu’une clé a consommé aujourd’hui. La demande n’est pas comptée, et la clé n’est \
             ni gardée ni écrite nulle part."
        }
        @if let Some(wrong) = wrong { p.wrong #erreur role="alert" { (prose(wrong)) } }
        @if let Some(usage) = usage {
            dl.headline {
                div.net { dt { "Appels aujourd’hui" } dd #appels { (number(usage.used.into())) } }
                div {
                    dt { "Restants" }
                    dd {
                        (usage.left().map_or_else(
                            || "illimités".to_owned(), |left| number(left.into())
                        ))
                    }
                }
                div { dt { "Offre" } dd { (prose(&usage.plan.title)) } }
            }
            p.soft {
                (prose(&usage.variant.title)) "\u{a0}: " (calls(usage.plan, Lang::Fr))
                ", compte remis à zéro à minuit UTC."
            }
            @if let Some(expires) = usage.expires {
                p { "Cette clé prend fin le " (day(expires.to_zoned(TimeZone::UTC).date())) "." }
            }
            (wide(
                "Appels par jour",
                html! {
                    table {
                        caption { "Appels par jour, sur les 90 derniers jours" }
                        thead { tr { th scope="col" { "Jour" } th scope="col" { "Appels" } } }
                        tbody {
                            @for (date, calls) in usage.days.iter().rev() {
                                tr { td { (day(*date)) } td { (number((*calls).into())) } }
                            }
                        }
                    }
                }
            ))
        }
        // In the body: an address is kept by the history of the browser, and by logs on the way.
        form method="post" action=(path) {
            label for="cle" { "Votre clé" }
            input #cle name="cle" required autocomplete="off" spellcheck="false" maxlength="60"
                aria-invalid=[wrong.map(|_| "true")] aria-describedby=[wrong.map(|_| "erreur")];
            button { "Voir l’usage" }
        }
        p { "Par un programme\u{a0}:" }
        pre.copy tabindex="0" { "curl -H 'X-API-Key: …' '" (service.documentation) (path) "'" }
    };
    page(service, "Usage d’une clé", Some(path), content)
}
