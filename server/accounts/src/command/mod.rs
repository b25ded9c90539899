//! `bareme-server keys …`: the administration of keys, whether the service is running or not.

pub mod export;
pub mod payments;
mod reconcile;
mod show;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bareme_engine::service::{Plan, Rules, Service, Variant};
use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use lettre::message::Mailbox;
use uuid::Uuid;

use super::issue::{self, Issued};
use super::mail::{self, Letter, MailFailure, Mailer};
use super::store::audit::{Action, Actor, Origin, terms_in_words};
use super::store::{self, Location, Purpose, Record, Store, Terms, Unavailable};
use show::{as_json, audit_table, entry_as_json, lines, pretty, table, with_usage};

/// Commands on keys.
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
    /// Show one key, with its calls of today and of each of the last 90 days.
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
    /// Make a key good again that was revoked by mistake, up to the end it had.
    Restore {
        /// Its id.
        id: Uuid,
    },
    /// Send the owner of a key one that works: at once if it still waits to be sent, otherwise
    /// another key of the same account, beside the first. The service sends it.
    Resend {
        /// Its id.
        id: Uuid,
    },
    /// List the payments that wait for a person, and the keys that have not reached their owners.
    Payments {
        /// Take a case off the list: a person has dealt with it.
        #[arg(long, value_name = "CASE")]
        settle: Vec<String>,
        /// How to show them.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Renew a key for the days of its plan, from its end or from now if it has expired. The key
    /// itself stays.
    Renew {
        /// Its id.
        id: Uuid,
        /// Another plan of its variant.
        #[arg(long)]
        plan: Option<String>,
        /// First day on which it is no longer valid, instead of the days of the plan.
        #[arg(long, value_name = "DATE")]
        until: Option<Date>,
    },
    /// Change the plan or the owner of a key, from now on, up to the same end.
    #[command(group = ArgGroup::new("what").required(true).multiple(true))]
    Change {
        /// Its id.
        id: Uuid,
        /// Another plan of its variant.
        #[arg(long, group = "what")]
        plan: Option<String>,
        /// E-mail address of its new owner.
        #[arg(long, group = "what")]
        email: Option<String>,
    },
    /// Erase an e-mail address: keys that have ended are removed, the others go on without an
    /// owner.
    Erase {
        /// The address.
        #[arg(long)]
        email: String,
        /// Revoke and remove all of its keys.
        #[arg(long)]
        revoke: bool,
    },
    /// List what was done to keys, the newest first: by whom, when and from where.
    Audit {
        /// Only the keys of this account, by the id of one of them.
        id: Option<Uuid>,
        /// First day of the list, in UTC; the last 400 days are kept.
        #[arg(long, value_name = "DATE")]
        since: Option<Date>,
        /// How many entries at most.
        #[arg(long, default_value_t = 1_000)]
        most: u32,
        /// How to show them.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Write the list of all keys to the standard output, for `reconcile`. It holds e-mail
    /// addresses, and no key.
    Export,
    /// After a restore: bring the keys to what they had become since the backup, those that were
    /// revoked or removed above all. Says what it does to each key.
    Reconcile {
        /// Newer state than the backup: a list of keys (`bareme-keys.json` beside the backups, or
        /// of `keys export`), or the file of the store that was replaced, even a damaged one.
        #[arg(long, value_name = "FILE")]
        from: PathBuf,
        /// Only say what would be done.
        #[arg(long)]
        dry_run: bool,
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
    /// Mail server, `smtp://user:password@host:587`; STARTTLS is required unless the address ends
    /// in `?tls=opportunistic`. `smtps://` uses TLS from the start.
    #[arg(
        long,
        value_name = "ADDRESS",
        env = "BAREME_SMTP",
        hide_env_values = true,
        requires = "mail_from",
        group = "mail_server"
    )]
    smtp: Option<String>,
    /// File with the address of the mail server, which may hold a password.
    #[arg(
        long,
        value_name = "FILE",
        env = "BAREME_SMTP_FILE",
        requires = "mail_from",
        group = "mail_server"
    )]
    smtp_file: Option<PathBuf>,
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
    /// No such case.
    #[error("--settle: no open case `{0}`; `keys payments` lists them")]
    Case(String),
    /// The key was not revoked.
    #[error("key {0} is not revoked")]
    NotRevoked(Uuid),
    /// The key has no owner to send it to.
    #[error("key {0} has no e-mail address: give it one with `keys change --email`")]
    NoAddress(Uuid),
    /// The export, or the newer keys, cannot be read.
    #[error("--from: {0}")]
    From(String),
    /// The stored facts of a subscription cannot be read.
    #[error("subscription {0}: {1}")]
    Facts(String, serde_json::Error),
    /// The provider and the keys differ.
    #[error("{0} differences")]
    Differences(usize),
    /// No such key.
    #[error("no key with id {0}")]
    Unknown(Uuid),
    /// The key is no longer valid.
    #[error("key {0} has expired or was revoked: renew it if it has expired, or issue a new one")]
    Ended(Uuid),
    /// The address owns no key.
    #[error("--email: no key of `{0}`")]
    NoOwner(String),
    /// The day cannot be used.
    #[error("--until: {0}")]
    Until(jiff::Error),
    /// The key could not be sent; it was revoked.
    #[error("{0}; the key was revoked")]
    Mail(#[from] MailFailure),
    /// The answer cannot be printed.
    #[error("cannot print: {0}")]
    Print(#[from] std::io::Error),
}

/// Runs a command.
pub async fn run(
    command: &KeysCommand,
    rules: &Path,
    location: &Location,
) -> Result<(), CommandFailure> {
    let store = store::open(location, Purpose::Administration).await?;
    let (store, now) = (store.as_ref(), Timestamp::now());
    let context = CommandContext {
        store,
        rules,
        now,
        origin: operator(),
    };
    match command {
        KeysCommand::Issue {
            plan,
            variant,
            email,
            mail,
        } => {
            let rules = load(rules)?;
            let (variant, plan) = find_plan(rules.service(), plan, variant.as_deref())?;
            let email = read_email(email)?;
            let mailer = mail.mailer()?;
            let issued = issue::generate_for(variant, plan, &email, now)?;
            let terms = terms_in_words(&issued.record);
            context.audit(Action::Issued, &issued.record, terms).await?;
            store.add_key(issued.record.clone()).await?;
            context
                .hand_over(mailer, rules.service(), (variant, plan), &issued)
                .await
        }
        KeysCommand::List { email, format } => {
            let mut records = store.keys().await?;
            records.retain(|record| {
                email
                    .as_ref()
                    .is_none_or(|email| email.eq_ignore_ascii_case(&record.email))
            });
            print(&match format {
                Format::Text => table(&records, now),
                Format::Json => {
                    pretty(&records.iter().map(|record| as_json(record, now)).collect())
                }
            })
        }
        KeysCommand::Show { id, format } => {
            let shown = with_usage(store, &context.find(*id).await?, now).await?;
            print(&match format {
                Format::Text => lines(&shown),
                Format::Json => pretty(&shown),
            })
        }
        KeysCommand::Revoke { id } => {
            let record = context.find(*id).await?;
            context.audit(Action::Revoked, &record, "").await?;
            if !store.revoke_key(*id, now).await? {
                return Err(CommandFailure::Unknown(*id));
            }
            eprintln!("{id} revoked");
            Ok(())
        }
        KeysCommand::Restore { id } => context.restore(*id).await,
        KeysCommand::Resend { id } => context.resend(*id).await,
        KeysCommand::Payments { settle, format } => context.cases(settle, *format).await,
        KeysCommand::Renew { id, plan, until } => context.renew(*id, plan.as_deref(), *until).await,
        KeysCommand::Change { id, plan, email } => {
            context.change(*id, plan.as_deref(), email.as_deref()).await
        }
        KeysCommand::Audit {
            id,
            since,
            most,
            format,
        } => {
            let account = match id {
                Some(id) => Some(context.account(*id).await?),
                None => None,
            };
            let since = since.map(start_of).transpose()?.unwrap_or_default();
            let entries = store.audit_entries(account, since, *most).await?;
            print(&match format {
                Format::Text => audit_table(&entries),
                Format::Json => pretty(&entries.iter().map(entry_as_json).collect()),
            })
        }
        KeysCommand::Export => {
            let list = export::list(&store.keys().await?, now);
            Ok(std::io::stdout().lock().write_all(&list)?)
        }
        KeysCommand::Reconcile { from, dry_run } => reconcile::run(&context, from, *dry_run).await,
        KeysCommand::Erase { email, revoke } => context.erase(email, *revoke).await,
        KeysCommand::Rotate { id, overlap, mail } => context.rotate(*id, *overlap, mail).await,
    }
}

/// Shared context of the commands on keys: the store, the rules, the current time.
struct CommandContext<'d> {
    store: &'d dyn Store,
    /// The folder of the rules, which not every command reads.
    rules: &'d Path,
    now: Timestamp,
    /// The operator, for the audit log.
    origin: Origin,
}

/// Whoever runs the command: user and machine.
fn operator() -> Origin {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    // `sudo` keeps the name of the person behind it.
    let user = variable("SUDO_USER")
        .or_else(|| variable("USER"))
        .or_else(|| variable("LOGNAME"))
        .unwrap_or_else(|| "unknown".to_owned());
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname")
        .ok()
        .or_else(|| variable("HOSTNAME"))
        .unwrap_or_default();
    Origin {
        actor: Actor::Operator,
        place: format!("{user}@{}", machine.trim()),
    }
}

/// The first moment of a day, in UTC.
fn start_of(day: Date) -> Result<Timestamp, CommandFailure> {
    let start = day.to_zoned(TimeZone::UTC).map_err(CommandFailure::Until)?;
    Ok(start.timestamp())
}

impl CommandContext<'_> {
    /// Writes to the audit log what is about to be done to a key: before it is done, so that nothing
    /// is done that the log does not hold.
    async fn audit(
        &self,
        action: Action,
        record: &Record,
        detail: impl Into<String>,
    ) -> Result<(), Unavailable> {
        let entry = self.origin.entry(action, record, detail, self.now);
        self.store.add_audit_entry(entry).await
    }

    /// The account of a key, which may have been removed.
    async fn account(&self, id: Uuid) -> Result<Uuid, CommandFailure> {
        match self.find(id).await {
            Ok(record) => Ok(record.account),
            Err(CommandFailure::Unknown(_)) => {
                let all = self
                    .store
                    .audit_entries(None, Timestamp::UNIX_EPOCH, u32::MAX)
                    .await?;
                let of_key = all.iter().find(|entry| entry.key == id);
                of_key
                    .map(|entry| entry.account)
                    .ok_or(CommandFailure::Unknown(id))
            }
            Err(failure) => Err(failure),
        }
    }

    async fn find(&self, id: Uuid) -> Result<Record, CommandFailure> {
        self.store
            .keys()
            .await?
            .into_iter()
            .find(|record| record.id == id)
            .ok_or(CommandFailure::Unknown(id))
    }

    /// The rules, and a key that is still valid.
    async fn find_valid(&self, id: Uuid) -> Result<(Rules, Record), CommandFailure> {
        let (rules, record) = (load(self.rules)?, self.find(id).await?);
        if record.is_valid(self.now) {
            Ok((rules, record))
        } else {
            Err(CommandFailure::Ended(id))
        }
    }

    /// Renews the keys of an account; revoked ones stay revoked.
    async fn renew(
        &self,
        id: Uuid,
        plan: Option<&str>,
        until: Option<Date>,
    ) -> Result<(), CommandFailure> {
        let (rules, record) = (load(self.rules)?, self.find(id).await?);
        if record.revoked.is_some_and(|revoked| revoked <= self.now) {
            return Err(CommandFailure::Ended(id));
        }
        let (variant, plan) = find_plan(
            rules.service(),
            plan.unwrap_or(&record.plan),
            Some(&record.variant),
        )?;
        let expires = match until {
            Some(day) => Some(start_of(day)?),
            None => issue::renewed(plan, record.expires, self.now),
        };
        let terms = Terms {
            plan: plan.name.clone(),
            expires,
            ..record.terms()
        };
        let renewed = Record {
            plan: terms.plan.clone(),
            expires,
            ..record
        };
        self.audit(Action::Changed, &renewed, terms_in_words(&renewed))
            .await?;
        self.store.change_terms(renewed.account, terms).await?;
        let end = expires.map_or_else(|| "without end".to_owned(), |end| format!("until {end}"));
        eprintln!("{id} renewed {end}, {} {}", variant.name, plan.name);
        Ok(())
    }

    /// Changes the plan or the owner of the keys of an account.
    async fn change(
        &self,
        id: Uuid,
        plan: Option<&str>,
        email: Option<&str>,
    ) -> Result<(), CommandFailure> {
        let (rules, record) = self.find_valid(id).await?;
        let mut terms = record.terms();
        if let Some(plan) = plan {
            terms.plan = find_plan(rules.service(), plan, Some(&record.variant))?
                .1
                .name
                .clone();
        }
        if let Some(email) = email {
            terms.email = read_email(email)?;
            self.audit(Action::Readdressed, &record, "").await?;
        }
        if plan.is_some() {
            let changed = Record {
                plan: terms.plan.clone(),
                ..record.clone()
            };
            self.audit(Action::Changed, &changed, terms_in_words(&changed))
                .await?;
        }
        eprintln!(
            "{id} changed: {} {}, {}",
            record.variant, terms.plan, terms.email
        );
        self.store.change_terms(record.account, terms).await?;
        Ok(())
    }

    /// Replaces a key by a new one.
    async fn rotate(&self, id: Uuid, overlap: u16, mail: &MailFlags) -> Result<(), CommandFailure> {
        let (rules, old) = self.find_valid(id).await?;
        let (variant, plan) = find_plan(rules.service(), &old.plan, Some(&old.variant))?;
        let mailer = mail.mailer()?;
        self.audit(
            Action::Rotated,
            &old,
            format!("the old one stays valid for {overlap} days"),
        )
        .await?;
        let issued = issue::issue_next(self.store, &old, &variant.key_prefix, self.now).await?;
        self.hand_over(mailer, rules.service(), (variant, plan), &issued)
            .await?;
        // Only now: the old key must stay valid if the new one did not reach its owner.
        let end = self
            .now
            .checked_add(SignedDuration::from_hours(i64::from(overlap) * 24));
        self.store
            .revoke_key(id, end.map_err(|error| Unavailable(error.to_string()))?)
            .await?;
        eprintln!("{id} stays valid for {overlap} days");
        Ok(())
    }

    /// Erases an address from all keys, and removes those that have ended.
    async fn erase(&self, email: &str, revoke: bool) -> Result<(), CommandFailure> {
        let Self { store, now, .. } = *self;
        let mut records = store.keys().await?;
        records.retain(|record| email.eq_ignore_ascii_case(&record.email));
        let (kept, removed): (Vec<Record>, Vec<Record>) = records
            .into_iter()
            .partition(|record| record.is_valid(now) && !revoke);
        for record in &kept {
            self.audit(Action::Erased, record, "").await?;
            store
                .change_terms(
                    record.account,
                    Terms {
                        email: String::new(),
                        ..record.terms()
                    },
                )
                .await?;
        }
        let subscriptions = payments::erase(store, email).await?;
        let count = removed.len();
        for record in &removed {
            self.audit(Action::Removed, record, "").await?;
        }
        store
            .remove_keys(removed.into_iter().map(|record| record.id).collect())
            .await?;
        if kept.len() + count + subscriptions == 0 {
            return Err(CommandFailure::NoOwner(email.to_owned()));
        }
        eprintln!(
            "{email} erased: {} keys go on without an owner, {count} removed",
            kept.len()
        );
        Ok(())
    }

    /// Sends the key, or prints it alone on the standard output. A key that could not be sent is
    /// revoked.
    async fn hand_over(
        &self,
        mailer: Option<Arc<Mailer>>,
        service: &Service,
        (variant, plan): (&Variant, &Plan),
        issued: &Issued,
    ) -> Result<(), CommandFailure> {
        let Issued { key, record } = issued;
        let Some(mailer) = mailer else {
            eprintln!(
                "{} for {}, {} {}: shown only once",
                record.id, record.email, variant.name, plan.name
            );
            return print(&format!("{}\n", key.reveal()));
        };
        if let Err(failure) = mailer
            .send(Letter::of_key(service, variant, plan, issued))
            .await
        {
            self.audit(Action::Revoked, record, "it could not be sent")
                .await?;
            self.store.revoke_key(record.id, record.created).await?;
            return Err(failure.into());
        }
        eprintln!(
            "{} sent to {}, {} {}",
            record.id, record.email, variant.name, plan.name
        );
        Ok(())
    }
}

fn read_email(text: &str) -> Result<String, CommandFailure> {
    mail::address(text)
        .map(|email| email.to_string())
        .ok_or_else(|| CommandFailure::Email(text.to_owned()))
}

/// Reads a secret from a file, without the final line break.
pub fn read_secret(file: &Path) -> std::io::Result<String> {
    Ok(std::fs::read_to_string(file)?.trim().to_owned())
}

impl MailFlags {
    /// The mail server, if one is configured.
    pub fn mailer(&self) -> Result<Option<Arc<Mailer>>, MailFailure> {
        let read = |file: &PathBuf| {
            read_secret(file).map_err(|error| MailFailure::File(file.clone(), error))
        };
        let server = self
            .smtp_file
            .as_ref()
            .map(read)
            .transpose()?
            .or_else(|| self.smtp.clone());
        let settings = server.zip(self.mail_from.clone());
        settings
            .map(|(server, from)| Mailer::new(&server, from).map(Arc::new))
            .transpose()
    }
}

fn load(root: &Path) -> Result<Rules, CommandFailure> {
    bareme_engine::Loader::new()
        .load_service(root)
        .rules
        .ok_or_else(|| CommandFailure::Rules(root.display().to_string()))
}

fn find_plan<'s>(
    service: &'s Service,
    plan: &str,
    variant: Option<&str>,
) -> Result<(&'s Variant, &'s Plan), CommandFailure> {
    let found = issue::plans(service)
        .find(|(known, found)| found.name == plan && variant.is_none_or(|name| name == known.name));
    found.ok_or_else(|| {
        let known: Vec<String> = issue::plans(service)
            .map(|(variant, plan)| format!("{} {}", variant.name, plan.name))
            .collect();
        let asked = variant.map_or_else(|| plan.to_owned(), |variant| format!("{variant} {plan}"));
        CommandFailure::Plan(asked, known.join(", "))
    })
}

fn print(text: &str) -> Result<(), CommandFailure> {
    Ok(std::io::stdout().lock().write_all(text.as_bytes())?)
}
