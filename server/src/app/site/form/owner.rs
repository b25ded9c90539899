//! `/cle/gestion`: the page of the owner of keys. A form sends a link to his mailbox; the page
//! behind it shows the use and the end of his keys, rotates and revokes them, and moves them to
//! another address.

use bareme_accounts::confirmations::Confirmations;
use bareme_accounts::free_keys::read_token;
use bareme_accounts::key::Key;
use bareme_accounts::mail;
use bareme_accounts::owner::{MAX_VALID_KEYS, MoveRequest, OpenedLink, OwnerDenial};
use bareme_accounts::publishable::{Draft, MAX_KEYS, Publication, Published};
use bareme_api::openapi::form::{EMAIL, OWNER_PATH, TOKEN};
use bareme_api::wire::problem::{Problem, kinds};
use bareme_api::wire::query::{Query, value};
use bareme_api::wire::reply::{self, Reply};
use bareme_engine::service::Rules;
use bareme_engine::text::{BadParameter, ParameterCode};
use bareme_site::owner::{self, ACTION, Action, KEY, Notice};
use bareme_site::publishable::{self, RefusedDraft, Typed};
use hyper::{Method, StatusCode};
use uuid::Uuid;

use super::{FormBody, METHODS, no_address, page, sent, show};
use crate::app::call::Call;
use crate::app::shared::Shared;

/// Answers a request: always a page, since a person has the mailbox.
pub(in crate::app) async fn respond(
    call: Call<'_>,
    rules: &Rules,
    form: FormBody,
) -> Result<Reply, Problem> {
    let Call {
        shared, request, ..
    } = call;

    let service = rules.service();

    let answered = match request.method {
        Method::OPTIONS => return Ok(reply::options(METHODS)),
        Method::GET | Method::HEAD => {
            let query = request.uri.query().unwrap_or_default();
            match value(&Query::read(query).pairs, TOKEN) {
                Some(token) => opened(call, rules, token, None).await,
                None => Ok(page(
                    StatusCode::OK,
                    owner::request(service, shared.confirmations.is_some(), None),
                )),
            }
        }
        Method::POST => submitted(call, rules, form).await,
        _ => Err(Problem::method(request.method.as_str())),
    };

    answered.or_else(|problem| {
        shared.metrics.refused(problem.kind);
        Ok(page(
            problem.kind.status,
            owner::request(
                service,
                shared.confirmations.is_some(),
                Some(&problem.text()),
            ),
        ))
    })
}

/// The page behind a link, with a notice of what was done.
async fn opened(
    call: Call<'_>,
    rules: &Rules,
    token: &str,
    notice: Option<Notice>,
) -> Result<Reply, Problem> {
    let (service, token) = (rules.service(), parse(token)?);
    let time = call.context.time.second;
    let html = match call.shared.access.open_link(&token, time).await? {
        OpenedLink::Keys(owned) => owner::keys(service, token.reveal(), &owned, notice),
        OpenedLink::Move(email) => owner::confirm_move(service, token.reveal(), &email),
    };
    Ok(page(StatusCode::OK, html))
}

fn parse(token: &str) -> Result<Key, Problem> {
    read_token(token).ok_or_else(|| Problem::plain(&kinds::CONFIRMATION))
}

/// Does what a form asks for.
async fn submitted(call: Call<'_>, rules: &Rules, form: FormBody) -> Result<Reply, Problem> {
    // The lines of a text area become spaces: no value has a control character.
    let form = sent(call.request, form)?.replace("%0D%0A", "+");
    let Query { pairs, bad } = Query::read(&form);
    if !bad.is_empty() {
        return Err(Problem::parameters(bad));
    }
    let field = |name: &str| value(&pairs, name).map(str::trim);
    let email = || EMAIL.into_iter().find_map(field).unwrap_or_default();
    let Some(token) = field(TOKEN) else {
        return ask_for_link(call, rules, email()).await;
    };

    let key = parse(token)?;
    let (access, service) = (&call.shared.access, rules.service());
    let (time, from) = (call.context.time.second, call.address());
    // An id that cannot be read is none of the owner's.
    let id = field(KEY)
        .and_then(|id| Uuid::parse_str(id).ok())
        .unwrap_or_default();

    let done = match field(ACTION).and_then(Action::find) {
        Some(Action::Rotate) => {
            let rotated = access.rotate(service, &key, id, from, time).await;
            let issued = rotated.map_err(problem)?;
            return Ok(shown(rules, token, &issued));
        }
        Some(Action::Publish) => {
            let publication = match read_publication(id, field) {
                Ok(publication) => publication,
                Err(refused) => return refuse(call, rules, token, refused).await,
            };
            let published = access.publish(service, &key, (id, publication), from, time);
            let issued = published.await.map_err(problem)?;
            return Ok(shown(rules, token, &issued));
        }
        Some(Action::Republish) => {
            let publication = match read_publication(id, field) {
                Ok(publication) => publication,
                Err(refused) => return refuse(call, rules, token, refused).await,
            };
            let changed = access.republish(&key, (id, publication), from, time).await;
            changed.map_err(problem)?;
            Notice::Published
        }
        Some(Action::Revoke) => {
            access.revoke(&key, id, from, time).await.map_err(problem)?;
            Notice::Revoked
        }
        Some(Action::Move) => {
            let email = email();
            move_to(call, rules, &key, id, email).await?;
            Notice::MoveSent(email.to_owned())
        }
        Some(Action::ReadCorrections(reads)) => {
            let read = access.read_corrections(&key, (id, reads), from, time).await;
            read.map_err(problem)?;
            Notice::Corrections(reads)
        }
        Some(Action::ConfirmMove) => {
            let moved = access.confirm_move(service, &key, from, time).await;
            let email = moved.map_err(problem)?;
            return Ok(page(StatusCode::OK, owner::moved(service, &email)));
        }
        None => return Err(Problem::parameters(vec![unknown_action(field(ACTION))])),
    };
    opened(call, rules, token, Some(done)).await
}

/// The page of the keys, with what was typed of a publishable one and what is wrong with it.
async fn refuse(
    call: Call<'_>,
    rules: &Rules,
    token: &str,
    refused: RefusedDraft,
) -> Result<Reply, Problem> {
    call.shared.metrics.refused(&kinds::PARAMETERS);
    let mut reply = opened(call, rules, token, Some(Notice::Refused(refused))).await?;
    *reply.status_mut() = kinds::PARAMETERS.status;
    Ok(reply)
}

/// The page with a key that was just issued, only this once.
fn shown(rules: &Rules, token: &str, (issued, variant, plan): &Published<'_>) -> Reply {
    match &issued.record.publication {
        Some(publication) => page(
            StatusCode::CREATED,
            publishable::published(rules, token, issued, publication),
        ),
        None => show(rules, variant, plan, issued, false),
    }
}

/// The publication that a form describes, or what was typed with everything that is wrong.
fn read_publication<'f>(
    key: Uuid,
    field: impl Fn(&'static str) -> Option<&'f str>,
) -> Result<Publication, RefusedDraft> {
    let typed = |name| field(name).unwrap_or_default();
    let draft = Draft {
        label: typed(Draft::LABEL),
        // One a line in the form, whose line ends have become spaces.
        origins: typed(Draft::ORIGINS).split_whitespace().collect(),
        calls_per_day: typed(Draft::CALLS),
    };

    draft.read().map_err(|bad| RefusedDraft {
        key,
        wrong: all_that_is_wrong(&bad),
        typed: Typed {
            label: draft.label.to_owned(),
            origins: draft.origins.join("\n"),
            calls: draft.calls_per_day.to_owned(),
        },
    })
}

/// What is wrong with each field, then what is expected, once: a list of sites has many mistakes of
/// one kind.
fn all_that_is_wrong(bad: &[BadParameter]) -> String {
    let mut expected: Vec<&str> = Vec::new();
    for bad in bad {
        if !expected.contains(&bad.expected.fr.as_str()) {
            expected.push(&bad.expected.fr);
        }
    }
    let reasons: Vec<&str> = bad.iter().map(|bad| bad.reason.fr.as_str()).collect();
    let (reasons, expected) = (reasons.join(" "), expected.join("\u{202f}; "));
    format!("{reasons} Attendu\u{a0}: {expected}.")
}

/// An e-mail address as it was typed, and the sender of the links.
fn recipient<'s>(shared: &'s Shared, email: &str) -> Result<(String, &'s Confirmations), Problem> {
    let address =
        mail::address(email).ok_or_else(|| Problem::parameters(vec![no_address(email)]))?;
    let confirmations = shared.confirmations.as_ref();
    let confirmations = confirmations.ok_or_else(|| Problem::plain(&kinds::CONFIRMATION))?;
    Ok((address.to_string(), confirmations))
}

/// Sends a link to an address, if it owns a key; the answer does not say whether it does.
async fn ask_for_link(call: Call<'_>, rules: &Rules, email: &str) -> Result<Reply, Problem> {
    let (shared, service, time) = (call.shared, rules.service(), call.context.time.second);
    let (address, confirmations) = recipient(shared, email)?;

    // Before the address is looked up: the limit must not depend on whether it owns a key.
    shared.access.admit_applicant(call.address(), time).await?;
    confirmations
        .send_owner_link(&shared.access, service, &address, &link(rules), time)
        .await?;
    Ok(page(StatusCode::ACCEPTED, owner::sent(service, &address)))
}

async fn move_to(
    call: Call<'_>,
    rules: &Rules,
    token: &Key,
    key: Uuid,
    email: &str,
) -> Result<(), Problem> {
    let (shared, time) = (call.shared, call.context.time.second);
    let (address, confirmations) = recipient(shared, email)?;

    let request = MoveRequest {
        key,
        email: &address,
        link: &link(rules),
    };
    confirmations
        .send_move_link(&shared.access, rules.service(), token, request, time)
        .await
        .map_err(problem)
}

/// Address of the page, up to the token.
fn link(rules: &Rules) -> String {
    format!("{}{OWNER_PATH}?{TOKEN}=", rules.service().documentation)
}

fn unknown_action(sent: Option<&str>) -> BadParameter {
    let names: Vec<String> = Action::ALL
        .iter()
        .map(|action| format!("`{}`", action.name()))
        .collect();
    BadParameter::new(
        ACTION,
        ParameterCode::UnknownValue,
        ("Cette action n’existe pas.", "This action does not exist."),
        sent,
        (names.join(" ou "), names.join(" or ")),
    )
}

/// The problem of a refused change.
fn problem(denial: OwnerDenial) -> Problem {
    let (name, french, english) = match denial {
        OwnerDenial::Other(denial) => return denial.into(),
        OwnerDenial::Unknown => (
            KEY,
            "Cette clé n’est pas une clé valable de cette adresse.".to_owned(),
            "This key is not a valid key of this address.".to_owned(),
        ),
        OwnerDenial::TooMany => (
            KEY,
            format!("Ce compte a déjà {MAX_VALID_KEYS} clés valables : révoquez-en une d’abord."),
            format!("This account has {MAX_VALID_KEYS} valid keys already: revoke one first."),
        ),
        OwnerDenial::TooManyPages => (
            KEY,
            format!("Ce compte a déjà {MAX_KEYS} clés publiables : révoquez-en une d’abord."),
            format!("This account has {MAX_KEYS} publishable keys already: revoke one first."),
        ),
        OwnerDenial::Secret => (
            KEY,
            "Cette clé est secrète : elle n’est acceptée d’aucune page.".to_owned(),
            "This key is secret: it is accepted from no page.".to_owned(),
        ),
        OwnerDenial::Taken => (
            EMAIL.first().copied().unwrap_or_default(),
            "Cette adresse a déjà une clé gratuite de cette version.".to_owned(),
            "This address has a free key of this version already.".to_owned(),
        ),
    };
    Problem::parameters(vec![BadParameter::new(
        name,
        ParameterCode::UnknownValue,
        (french, english),
        None,
        (
            "une clé valable de la page de gestion, ou une autre adresse",
            "a valid key of the page, or another address",
        ),
    )])
}
