//! `bareme-server keys …`: the administration of keys, whether the service is running or not.

use std::path::Path;

use bareme_engine::{Plan, Rules, Service, Variant};
use clap::{Args, Subcommand, ValueEnum};
use jiff::{SignedDuration, Timestamp};
use lettre::message::Mailbox;
use serde_json::{Value, json};
use uuid::Uuid;

use super::day::Moment;
use super::issue::{self, Issued};
use super::mail::{self, MailFailure, Mailer};
use super::store::{self, Change, Location, Purpose, Record, Store, Unavailable};
use super::subject::Subject;

/// What to do with keys.
#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Issue a key. It is sent by e-mail if a mail server is configured, else printed, alone.
    Issue {
        /// Plan of the key.
        #[arg(long)]
        plan: String,
        /// Variant of the interface; the first that has the plan, by default.
        #[arg(long)]
        variant: Option<String>,
        /// E-mail address of its owner.
        #[arg(long)]
        email: String,
        /// How the key reaches its owner.
        #[command(flatten)]
        mail: MailFlags,
    },
    /// List the keys, oldest first.
    List {
        /// Only those of this owner.
        #[arg(long)]
        email: Option<String>,
        /// How to show them.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Show one key, with its calls of today.
    Show {
        /// Its id.
        id: Uuid,
        /// How to show it.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Revoke a key. Every node refuses it within a second.
    Revoke {
        /// Its id.
        id: Uuid,
    },
    /// Replace a key by a new one with the same plan, owner and expiry.
    Rotate {
        /// Id of the key to replace.
        id: Uuid,
        /// Days for which the old key stays valid beside the new one; 0 revokes it at once.
        #[arg(long, value_name = "DAYS", default_value = "7", value_parser = clap::value_parser!(u16).range(0..=366))]
        overlap: u16,
        /// How the key reaches its owner.
        #[command(flatten)]
        mail: MailFlags,
    },
}

/// How a key reaches its owner.
#[derive(Debug, Args)]
pub struct MailFlags {
    /// Mail server, `smtp://user:password@host:587`; STARTTLS is required unless the address ends in
    /// `?tls=opportunistic`. `smtps://` uses TLS from the start.
    #[arg(long, value_name = "ADDRESS", env = "BAREME_SMTP", hide_env_values = true, requires = "mail_from")]
    smtp: Option<String>,
    /// Sender of the e-mails, `Barème <cles@example.org>`.
    #[arg(long, value_name = "MAILBOX", env = "BAREME_MAIL_FROM")]
    mail_from: Option<Mailbox>,
}

/// How keys are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person.
    Text,
    /// For a program.
    Json,
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CommandFailure {
    /// The store cannot be used.
    #[error("--store: {0}")]
    Store(#[from] Unavailable),
    /// The rules have errors.
    #[error("--rules: `{0}` has errors, run `bareme check`")]
    Rules(String),
    /// No such plan.
    #[error("--plan: no plan `{0}`; known plans: {1}")]
    Plan(String, String),
    /// Not an e-mail address.
    #[error("--email: `{0}` is not an e-mail address")]
    Email(String),
    /// No such key.
    #[error("no key with id {0}")]
    Unknown(Uuid),
    /// The key is no longer valid.
    #[error("key {0} has expired or was revoked: issue a new one")]
    Ended(Uuid),
    /// The key could not be sent; it was revoked.
    #[error("{0}; the key was revoked")]
    Mail(#[from] MailFailure),
    /// The answer cannot be printed.
    #[error("cannot print: {0}")]
    Print(#[from] std::io::Error),
}

/// Does what was asked.
pub(crate) async fn run(command: &KeysCommand, rules: &Path, location: &Location) -> Result<(), CommandFailure> {
    let store = store::open(location, Purpose::Administration).await?;
    let store = store.as_ref();
    let now = Timestamp::now();
    match command {
        KeysCommand::Issue { plan, variant, email, mail } => {
            let rules = load(rules)?;
            let (variant, plan) = find_plan(rules.service(), plan, variant.as_deref())?;
            let email = mail::address(email).ok_or_else(|| CommandFailure::Email(email.clone()))?.to_string();
            let mailer = mail.mailer()?;
            let issued = issue::issue(store, variant, plan, &email, now).await?;
            hand_over(store, mailer, rules.service(), variant, plan, &issued).await
        }
        KeysCommand::List { email, format } => {
            let mut records = store.keys().await?;
            records.retain(|record| email.as_ref().is_none_or(|email| email.eq_ignore_ascii_case(&record.email)));
            print(&match format {
                Format::Text => table(&records, now),
                Format::Json => pretty(&records.iter().map(|record| as_json(record, now)).collect()),
            })
        }
        KeysCommand::Show { id, format } => {
            let record = find(store, *id).await?;
            let mut shown = as_json(&record, now);
            if let Some(members) = shown.as_object_mut() {
                members.insert("calls_today".to_owned(), calls_today(store, &record, now).await?.into());
            }
            print(&match format {
                Format::Text => lines(&shown),
                Format::Json => pretty(&shown),
            })
        }
        KeysCommand::Revoke { id } => {
            if !store.revoke_key(*id, now).await? {
                return Err(CommandFailure::Unknown(*id));
            }
            eprintln!("{id} revoked");
            Ok(())
        }
        KeysCommand::Rotate { id, overlap, mail } => {
            let rules = load(rules)?;
            let old = find(store, *id).await?;
            if !old.is_valid(now) {
                return Err(CommandFailure::Ended(*id));
            }
            let (variant, plan) = find_plan(rules.service(), &old.plan, Some(&old.variant))?;
            let mailer = mail.mailer()?;
            let issued = issue::issue_next(store, &old, &variant.key_prefix, now).await?;
            hand_over(store, mailer, rules.service(), variant, plan, &issued).await?;
            // Only now: an owner who did not receive the new key still has the old one.
            let end = SignedDuration::from_hours(i64::from(*overlap) * 24);
            issue::end(store, &old, end, now).await?;
            eprintln!("{id} stays valid for {overlap} days");
            Ok(())
        }
    }
}

impl MailFlags {
    fn mailer(&self) -> Result<Option<Mailer>, MailFailure> {
        let settings = self.smtp.as_deref().zip(self.mail_from.clone());
        settings.map(|(server, from)| Mailer::new(server, from)).transpose()
    }
}

/// Sends the key, or prints it alone on the standard output. A key that could not be sent is revoked.
async fn hand_over(
    store: &dyn Store,
    mailer: Option<Mailer>,
    service: &Service,
    variant: &Variant,
    plan: &Plan,
    issued: &Issued,
) -> Result<(), CommandFailure> {
    let Issued { key, record } = issued;
    let Some(mailer) = mailer else {
        eprintln!("{} for {}, {} {}: shown only once", record.id, record.email, variant.name, plan.name);
        return print(&format!("{}\n", key.reveal()));
    };
    if let Err(failure) = mailer.send(service, variant, plan, issued) {
        store.revoke_key(record.id, record.created).await?;
        return Err(failure.into());
    }
    eprintln!("{} sent to {}, {} {}", record.id, record.email, variant.name, plan.name);
    Ok(())
}

fn load(root: &Path) -> Result<Rules, CommandFailure> {
    bareme_engine::load(root).rules.ok_or_else(|| CommandFailure::Rules(root.display().to_string()))
}

fn find_plan<'s>(
    service: &'s Service,
    plan: &str,
    variant: Option<&str>,
) -> Result<(&'s Variant, &'s Plan), CommandFailure> {
    let plans = || {
        let of = |variant: &'s Variant| variant.plans.iter().map(move |plan| (variant, plan));
        service.variants.iter().flat_map(of)
    };
    let found = plans().find(|(known, found)| found.name == plan && variant.is_none_or(|name| name == known.name));
    found.ok_or_else(|| {
        let known: Vec<String> = plans().map(|(variant, plan)| format!("{} {}", variant.name, plan.name)).collect();
        let asked = variant.map_or_else(|| plan.to_owned(), |variant| format!("{variant} {plan}"));
        CommandFailure::Plan(asked, known.join(", "))
    })
}

async fn find(store: &dyn Store, id: Uuid) -> Result<Record, CommandFailure> {
    store.keys().await?.into_iter().find(|record| record.id == id).ok_or(CommandFailure::Unknown(id))
}

/// The calls that the store knows: a running service may hold up to a second's more.
async fn calls_today(store: &dyn Store, record: &Record, now: Timestamp) -> Result<i64, Unavailable> {
    let day = Moment::of(now.into()).day;
    let nothing = Change { day, subject: Subject::account(record.account), by: 0, spare: 0, quota: 0 };
    Ok(store.count(vec![nothing]).await?.first().map_or(0, |counted| counted.total))
}

fn state(record: &Record, now: Timestamp) -> &'static str {
    match record {
        _ if record.is_valid(now) => "good",
        Record { revoked: Some(revoked), .. } if *revoked <= now => "revoked",
        _ => "expired",
    }
}

fn as_json(record: &Record, now: Timestamp) -> Value {
    let moment = |moment: Option<Timestamp>| moment.map(|moment| moment.to_string());
    json!({
        "id": record.id.to_string(),
        "variant": record.variant,
        "plan": record.plan,
        "key": format!("…{}", record.last_four),
        "email": record.email,
        "state": state(record, now),
        "created": record.created.to_string(),
        "expires": moment(record.expires),
        "revoked": moment(record.revoked),
        "account": record.account.to_string(),
    })
}

fn table(records: &[Record], now: Timestamp) -> String {
    let date =
        |moment: Option<Timestamp>| moment.map_or_else(|| "-".to_owned(), |at| at.strftime("%Y-%m-%d").to_string());
    let header = ["ID", "PLAN", "KEY", "STATE", "CREATED", "EXPIRES", "EMAIL"].map(str::to_owned);
    let row = |record: &Record| {
        [
            record.id.to_string(),
            format!("{} {}", record.variant, record.plan),
            format!("…{}", record.last_four),
            state(record, now).to_owned(),
            date(Some(record.created)),
            date(record.expires),
            record.email.clone(),
        ]
    };
    let rows: Vec<[String; 7]> = std::iter::once(header).chain(records.iter().map(row)).collect();
    let mut widths = [0; 7];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let line = |row: &[String; 7]| {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

fn lines(value: &Value) -> String {
    let line = |(name, value): (&String, &Value)| match value {
        Value::Null => format!("{name:12} -\n"),
        Value::String(text) => format!("{name:12} {text}\n"),
        other => format!("{name:12} {other}\n"),
    };
    value.as_object().into_iter().flatten().map(line).collect()
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

fn print(text: &str) -> Result<(), CommandFailure> {
    use std::io::Write as _;
    Ok(std::io::stdout().lock().write_all(text.as_bytes())?)
}
