//! The language server of rule files: what an editor asks about a file that is being written, answered from the same reading
//! as that of `bareme check`.
//!
//! [`server`] receives the messages and keeps the open files; a [`root`] is a folder of rules, with the texts of the editor
//! over those of the disk. A change reads the folder that it is in, at once; the whole set is checked apart, when nobody
//! types. A [`cursor`] is found from the text alone, since what is being written is seldom YAML; the names of a folder and
//! their places are its [`index`].

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

/// Serves an editor on the standard input and output until it says that it ends.
pub(crate) fn serve(session: &Session) -> Result<Exit, Failure> {
    let (connection, threads) = Connection::stdio();
    let is_fine = Server::serve(connection, session);
    threads.join()?;
    Ok(if is_fine { Exit::Fine } else { Exit::Wrong })
}
