//! The session of a command: the language, the day, where the rules are, the form of the result;
//! and its exit code.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::PathBuf;

use bareme_arrow::arrow::error::ArrowError;
use bareme_engine::Lang;
use bareme_engine::law::Drafts;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ColorChoice, ValueEnum};
use jiff::civil::Date;
use serde_json::Value;

use crate::output::unprinted;
use crate::page::{Page, Style};

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct Common {
    #[arg(long, global = true, env = "BAREME_RULES", value_name = "FOLDER")]
    rules: Option<PathBuf>,
    #[arg(long, global = true, value_name = "DATE")]
    date: Option<Date>,
    #[arg(long, global = true)]
    drafts: bool,
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[arg(
        long,
        global = true,
        env = "BAREME_LANG",
        value_parser = language_parser(),
        default_value = "fr"
    )]
    lang: Lang,
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
}

fn language_parser() -> impl TypedValueParser<Value = Lang> {
    PossibleValuesParser::new(["fr", "en"])
        .map(|name| if name == "en" { Lang::En } else { Lang::Fr })
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
    jiff::Timestamp::now()
        .to_zoned(jiff::tz::TimeZone::UTC)
        .date()
}

/// The end of a command. The exit codes are a promise to scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Nothing is wrong.
    Fine = 0,
    /// Something is wrong in what was looked at: a rule file, a case, a row, a query.
    Wrong = 1,
    /// The command itself could not be understood or carried out.
    Unusable = 2,
    /// What was looked at is right as far as it goes, and the rest is not at hand: the law of a
    /// receipt.
    Undecided = 3,
}

impl Exit {
    /// The exit code.
    pub(crate) fn code(self) -> u8 {
        self as u8
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
        Self {
            exit: Exit::Unusable,
            message: message.into(),
        }
    }

    pub(crate) fn wrong(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Wrong,
            message: message.into(),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        // Whoever reads the output (`| head`) has seen enough: it is no error of the command, and
        // nobody is left to read a message.
        let exit = if error.kind() == ErrorKind::BrokenPipe {
            Exit::Fine
        } else {
            Exit::Unusable
        };

        let message = if exit == Exit::Fine {
            String::new()
        } else {
            error.to_string()
        };
        Self { exit, message }
    }
}

impl From<ArrowError> for Failure {
    fn from(error: ArrowError) -> Self {
        Self::unusable(error.to_string())
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
        // Without `--color`, colours need a terminal, and the consent of `NO_COLOR`
        // (https://no-color.org).
        let coloured = match common.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
            }
        };

        Self {
            lang: common.lang,
            format: common.format,
            today: common.date.unwrap_or_else(today),
            asked_day: common.date,
            rules: common.rules.clone(),
            drafts: if common.drafts {
                Drafts::Included
            } else {
                Drafts::Aside
            },
            style: Style::of_output(coloured),
            command_line,
        }
    }

    /// The settings of a program that is no command line: texts without colours.
    pub(crate) fn of_library(lang: Lang, today: Date, drafts: Drafts) -> Self {
        Self {
            lang,
            format: Format::Text,
            today,
            asked_day: None,
            rules: None,
            drafts,
            style: Style::PLAIN,
            command_line: crate::cli::command,
        }
    }

    /// Shows the result of a command. The exit code is 0; a command that found mistakes returns its
    /// own.
    pub(crate) fn show(&self, outcome: &Outcome) -> Result<Exit, Failure> {
        self.print(&self.rendered(outcome))?;
        Ok(Exit::Fine)
    }

    /// The text of a result, in the form that was asked for.
    pub(crate) fn rendered(&self, outcome: &Outcome) -> String {
        match self.format {
            Format::Text => outcome.page.to_text(self.style),
            Format::Json => format!("{:#}\n", outcome.json),
            Format::Html => outcome.page.to_html(self.lang),
            Format::Github if !outcome.annotations.is_empty() => {
                // Annotations replace the page on GitHub, where they are shown at their lines of
                // the pull request; without any, the page is the summary of the job.
                outcome.annotations.join("\n") + "\n"
            }
            Format::Markdown | Format::Github => outcome.page.to_markdown(),
        }
    }

    /// Writes to the standard output.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        // `println!` would panic where the output is closed; here it is an error, which `From`
        // makes a quiet end. The flush reports it before the exit code is decided.
        let mut output = std::io::stdout().lock();
        let written = output
            .write_all(text.as_bytes())
            .and_then(|()| output.flush());
        written.map_err(|error| unprinted(error, self.lang))
    }
}
