//! Questions to the user on the standard output, answered by lines of the input.

use std::io::{BufRead, IsTerminal};

use crate::session::{Failure, Session};

/// Whether the user can answer: the input is a terminal.
pub(crate) fn is_interactive() -> bool {
    std::io::stdin().is_terminal()
}

/// The user's answer to a question; `None` at the end of the input.
pub(crate) fn line(question: &str, session: &Session) -> Result<Option<String>, Failure> {
    session.print(question)?;
    // Questions go to the standard output, flushed, so that they are on the screen before the
    // program waits for the answer.
    let mut line = String::new();

    // An empty line is an answer, while zero bytes read mean that the input has ended.
    let read = std::io::stdin().lock().read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim().to_owned()))
}

/// Whether the user answers yes to a question.
pub(crate) fn confirmed(question: &str, session: &Session) -> Result<bool, Failure> {
    let answer = line(question, session)?.unwrap_or_default().to_lowercase();
    Ok(matches!(answer.as_str(), "o" | "oui" | "y" | "yes"))
}
