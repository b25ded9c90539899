//! `bareme-server keys …`: the administration of keys, whether the service is running or not.

mod change;
pub mod export;
mod failure;
mod flags;
pub mod payments;
mod publish;
mod reconcile;
mod show;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bareme_engine::service::{Plan, Rules, Service, Variant};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::issue::{self, Issued};
use super::mail::{self, Letter, MailFailure, Mailer};
use super::store::audit::{Action, Actor, Origin, terms_in_words};
use super::store::{self, Location, Purpose, Record, Store, Terms, Unavailable};
use change::Changes;
pub use failure::CommandFailure;
pub use flags::{Format, KeysCommand, MailFlags, Switch};
use show::{as_json, audit_table, entry_as_json, lines, pretty, table, with_usage};

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
            // Rules are loaded by the commands that need a plan only: a key can be revoked while
            // they have errors.
            let rules = load(rules)?;
            let plan = find_plan(rules.service(), plan, variant.as_deref())?;
            context.issue(rules.service(), plan, email, mail).await
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
            // Removed by another command since it was found.
            if !store.revoke_key(*id, now).await? {
                return Err(CommandFailure::Unknown(*id));
            }
            eprintln!("{id} revoked");
            Ok(())
        }
        KeysCommand::Restore { id } => context.restore(*id).await,
        KeysCommand::Resend { id } => context.resend(*id).await,
        KeysCommand::Payments { settle, format } => context.cases(settle, *format).await,
        KeysCommand::Publish { id, page } => context.publish(*id, page).await,
        KeysCommand::Republish { id, page } => context.republish(*id, page).await,
        KeysCommand::Renew { id, plan, until } => context.renew(*id, plan.as_deref(), *until).await,
        KeysCommand::Change {
            id,
            plan,
            email,
            corrections,
        } => {
            let changes = Changes {
                plan: plan.as_deref(),
                email: email.as_deref(),
                corrections: *corrections,
            };
            context.change(*id, changes).await
        }
        KeysCommand::Audit {
            id,
            since,
            most,
            format,
        } => context.list_audit(*id, *since, *most, *format).await,
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

    // The kernel names the machine even where a service manager passes no environment.
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
    /// Issues a key, and sends or prints it.
    async fn issue(
        &self,
        service: &Service,
        (variant, plan): (&Variant, &Plan),
        email: &str,
        mail: &MailFlags,
    ) -> Result<(), CommandFailure> {
        let email = read_email(email)?;
        let mailer = mail.mailer()?;
        let issued = issue::generate_for(variant, plan, &email, self.now)?;

        let terms = terms_in_words(&issued.record);
        self.audit(Action::Issued, &issued.record, terms).await?;
        self.store.add_key(issued.record.clone()).await?;
        self.hand_over(mailer, service, (variant, plan), &issued)
            .await
    }

    /// Lists the audit log, of one account or of all.
    async fn list_audit(
        &self,
        id: Option<Uuid>,
        since: Option<Date>,
        most: u32,
        format: Format,
    ) -> Result<(), CommandFailure> {
        let account = match id {
            Some(id) => Some(self.account(id).await?),
            None => None,
        };
        let since = since.map(start_of).transpose()?.unwrap_or_default();

        let entries = self.store.audit_entries(account, since, most).await?;
        print(&match format {
            Format::Text => audit_table(&entries),
            Format::Json => pretty(&entries.iter().map(entry_as_json).collect()),
        })
    }

    /// Writes to the audit log what is about to be done to a key: before it is done, so that
    /// nothing is done that the log does not hold.
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
            // The log outlives the key: an operator can still ask what was done to a removed one.
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
        // A valid key goes on without an owner: erasing the address must not stop a program that
        // still calls.
        let (kept, removed): (Vec<Record>, Vec<Record>) = records
            .into_iter()
            .partition(|record| record.is_valid(now) && !revoke);

        for record in &kept {
            self.audit(Action::Erased, record, "").await?;
            store.set_correction_reader(record.account, None).await?;
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

        // The facts of subscriptions hold the address too, and would bring it back with the next
        // event.
        let subscriptions = payments::erase(store, email).await?;

        let count = removed.len();
        for record in &removed {
            self.audit(Action::Removed, record, "").await?;
            store.set_correction_reader(record.account, None).await?;
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
            // Alone on the standard output, so that it can be piped into a secret store; the rest
            // goes to standard error.
            return print(&format!("{}\n", key.reveal()));
        };

        if let Err(failure) = mailer
            .send(Letter::of_key(service, variant, plan, issued))
            .await
        {
            // Nobody is sure to have the key: one that may be in a lost e-mail must not stay valid.
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
        // The file comes before the flag, because a password on a command line is visible to other
        // users of the machine.
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
