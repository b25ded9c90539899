//! The session of a command: the language, the day, where the rules are, the form of the result; and its exit
//! code.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::PathBuf;

use bareme_engine::Lang;
use bareme_engine::law::Drafts;
use clap::{Args, ValueEnum};
use jiff::civil::Date;
use serde_json::Value;

use crate::page::{Page, Style};

#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Folder of the rules; found from here or from the named files if absent
    #[arg(long, global = true, env = "BAREME_RULES", value_name = "FOLDER")]
    rules: Option<PathBuf>,
    /// Day of the calculation, YYYY-MM-DD; today (UTC) if absent
    #[arg(long, global = true, value_name = "DATE")]
    date: Option<Date>,
    /// Compute with drafts too, the dated files that are prepared, as if they were in force
    #[arg(long, global = true)]
    drafts: bool,
    /// How the result is written
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Language of the messages
    #[arg(long, global = true, env = "BAREME_LANG", value_enum, default_value_t = Language::Fr)]
    lang: Language,
    /// Colours
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto)]
    color: Colour,
}

/// The form of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
    Markdown,
    Html,
    Github,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Language {
    Fr,
    En,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Colour {
    Auto,
    Always,
    Never,
}

/// The settings that every command is run with.
#[derive(Debug)]
pub(crate) struct Session {
    pub lang: Lang,
    pub format: Format,
    pub today: Date,
    /// The day that the command line says, if it says one.
    pub asked_day: Option<Date>,
    /// The rules folder, if it was named.
    pub rules: Option<PathBuf>,
    pub drafts: Drafts,
    pub style: Style,
    /// The whole command line in a language, for the commands that describe it.
    pub command_line: fn(Lang) -> clap::Command,
}

/// The day that it is, in UTC.
pub(crate) fn today() -> Date {
    jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date()
}

/// The end of a command. The exit codes are a promise to scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Nothing is wrong.
    Fine,
    /// Something is wrong in what was looked at: a rule file, a case, a row, a query.
    Wrong,
    /// The command itself could not be understood or carried out.
    Unusable,
}

impl Exit {
    /// The exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Wrong => 1,
            Self::Unusable => 2,
        }
    }
}

/// Why a command stops: what is written to standard error.
#[derive(Debug)]
pub(crate) struct Failure {
    pub exit: Exit,
    pub message: String,
}

impl Failure {
    pub(crate) fn unusable(message: impl Into<String>) -> Self {
        Self { exit: Exit::Unusable, message: message.into() }
    }

    pub(crate) fn wrong(message: impl Into<String>) -> Self {
        Self { exit: Exit::Wrong, message: message.into() }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        // Whoever reads the output (`| head`) has seen enough.
        let exit = if error.kind() == ErrorKind::BrokenPipe { Exit::Fine } else { Exit::Unusable };
        let message = if exit == Exit::Fine { String::new() } else { error.to_string() };
        Self { exit, message }
    }
}

/// The result of a command.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub page: Page,
    /// The same for programs.
    pub json: Value,
    /// Lines of a pull request to be annotated.
    pub annotations: Vec<String>,
}

impl Session {
    pub(crate) fn new(common: &Common, command_line: fn(Lang) -> clap::Command) -> Self {
        let coloured = match common.color {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        };
        let lang = match common.lang {
            Language::Fr => Lang::Fr,
            Language::En => Lang::En,
        };
        Self {
            lang,
            format: common.format,
            today: common.date.unwrap_or_else(today),
            asked_day: common.date,
            rules: common.rules.clone(),
            drafts: if common.drafts { Drafts::Included } else { Drafts::Aside },
            style: Style::of_output(coloured),
            command_line,
        }
    }

    /// Shows what a command found.
    pub(crate) fn show(&self, outcome: &Outcome) -> Result<(), Failure> {
        self.print(&self.rendered(outcome))
    }

    /// The text of a result, in the form that was asked for.
    pub(crate) fn rendered(&self, outcome: &Outcome) -> String {
        match self.format {
            Format::Text => outcome.page.to_text(self.style),
            Format::Json => format!("{:#}\n", outcome.json),
            Format::Html => outcome.page.to_html(self.lang),
            Format::Github if !outcome.annotations.is_empty() => outcome.annotations.join("\n") + "\n",
            Format::Markdown | Format::Github => outcome.page.to_markdown(),
        }
    }

    /// Writes to the standard output.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        let mut output = std::io::stdout().lock();
        output.write_all(text.as_bytes())?;
        Ok(output.flush()?)
    }
}
