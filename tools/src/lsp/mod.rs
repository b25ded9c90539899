//! The language server for rule files. Its answers about a file being edited come from the same
//! loader as `bareme check`.
//!
//! [`server`] receives the messages and keeps the open files; a [`root`] is a folder of rules, with
//! the texts of the editor over those on disk. A change reloads its folder at once; the whole set
//! is checked in the background, while nobody types. A [`cursor`] is found from the text alone,
//! since a file being edited is seldom valid YAML; [`index`] has the names of a folder and their
//! places.

mod actions;
mod background;
mod cases;
mod completion;
mod cursor;
mod diagnostics;
mod formatting;
mod formula;
mod hints;
mod hover;
mod index;
mod manual;
mod names;
mod navigation;
mod position;
mod rename;
mod requests;
mod root;
mod server;
mod symbols;
mod uri;

use lsp_server::Connection;

use crate::session::{Exit, Failure, Session};
use server::Server;

/// Serves an editor on the standard input and output until it ends the session.
pub(crate) fn serve(session: &Session) -> Result<Exit, Failure> {
    let (connection, threads) = Connection::stdio();
    let is_fine = Server::serve(connection, session);
    threads.join()?;
    // An editor that went away without `shutdown` and `exit` is an error by the protocol.
    Ok(if is_fine { Exit::Fine } else { Exit::Wrong })
}
