//! Questions to whoever runs a command, on the standard output, and the lines that answer them.

use std::io::{BufRead, IsTerminal};

use crate::session::{Failure, Session};

/// Whether somebody is there to answer.
pub(crate) fn is_possible() -> bool {
    std::io::stdin().is_terminal()
}

/// The line that answers a question; none where the input has ended.
pub(crate) fn line(question: &str, session: &Session) -> Result<Option<String>, Failure> {
    session.print(question)?;
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim().to_owned()))
}

/// Whether a question is answered with yes.
pub(crate) fn agreed(question: &str, session: &Session) -> Result<bool, Failure> {
    let answer = line(question, session)?.unwrap_or_default().to_lowercase();
    Ok(matches!(answer.as_str(), "o" | "oui" | "y" | "yes"))
}
