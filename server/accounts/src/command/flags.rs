//! The command line of the commands on keys.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use jiff::civil::Date;
use lettre::message::Mailbox;
use uuid::Uuid;

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
    /// Issue a publishable key of the account of a key, for the source of web pages: accepted from
    /// these origins alone, for calculations alone, and counted in the plan of the account. It is
    /// printed, alone.
    Publish {
        /// Id of a key of the account.
        id: Uuid,
        /// Where the key is accepted.
        #[command(flatten)]
        page: PageFlags,
    },
    /// Change where a publishable key is accepted, its name or its limit: what is not given is taken
    /// away. Every node follows within a second.
    Republish {
        /// Id of the publishable key.
        id: Uuid,
        /// Where the key is accepted.
        #[command(flatten)]
        page: PageFlags,
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
    /// Change the plan or the owner of a key, from now on, up to the same end, or whether the owner
    /// is written to about corrections.
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
        /// E-mails to its owner when a law that its answers of the last 400 days applied is
        /// corrected. Only with the owner's consent; he stops them himself on the page of his
        /// keys.
        #[arg(long, group = "what", value_enum)]
        corrections: Option<Switch>,
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
        #[arg(
            long,
            value_name = "DAYS",
            default_value = "7",
            value_parser = clap::value_parser!(u16).range(0..=366)
        )]
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
    pub(super) smtp: Option<String>,
    /// File with the address of the mail server, which may hold a password.
    #[arg(
        long,
        value_name = "FILE",
        env = "BAREME_SMTP_FILE",
        requires = "mail_from",
        group = "mail_server"
    )]
    pub(super) smtp_file: Option<PathBuf>,
    /// Sender of the e-mails, `Barème <cles@example.org>`.
    #[arg(long, value_name = "MAILBOX", env = "BAREME_MAIL_FROM")]
    pub(super) mail_from: Option<Mailbox>,
}

/// Where a publishable key is accepted.
#[derive(Debug, Args)]
pub struct PageFlags {
    /// Origin of the pages, `https://www.example.org`: https, or http for localhost; no path, no
    /// wildcard. Repeat it for up to ten; each subdomain is an origin of its own.
    #[arg(long = "origin", value_name = "ORIGIN")]
    pub(super) origins: Vec<String>,
    /// Name that its owner knows the key by.
    #[arg(long, default_value = "")]
    pub(super) label: String,
    /// Most calls of this key in a day, within the quota of the plan.
    #[arg(long, value_name = "CALLS", default_value = "")]
    pub(super) calls_per_day: String,
}

/// Whether something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// It is done.
    On,
    /// It is not.
    Off,
}

/// How keys are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person.
    Text,
    /// For a program.
    Json,
}
