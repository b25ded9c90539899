//! A mail server that accepts an e-mail, refuses it, or never replies, as a test says.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Behaviour of the server for an e-mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Accepts it after a delay.
    Take(Duration),
    /// Refuses its recipient temporarily, after a delay.
    Refuse(Duration),
    /// Reads all of it and never replies.
    Hang,
}

/// The server, which stops with the test.
pub(crate) struct Smtp {
    address: SocketAddr,
    state: Arc<Mutex<(Manner, Vec<String>)>>,
}

impl Smtp {
    /// Starts one that accepts every e-mail at once.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new((Manner::Take(Duration::ZERO), Vec::new())));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || drop(speak(&stream, &state)));
            }
        });
        Self { address, state }
    }

    /// Sets the behaviour from now on.
    pub(crate) fn set(&self, manner: Manner) {
        self.state.lock().unwrap().0 = manner;
    }

    /// Configures a server to send its e-mails here.
    pub(crate) fn used_by(&self, command: &mut Command) {
        command
            .env(
                "BAREME_SMTP",
                format!("smtp://{}?tls=opportunistic", self.address),
            )
            .env("BAREME_MAIL_FROM", "Barème <cles@example.org>");
    }

    /// The e-mails that were read completely, accepted or not.
    pub(crate) fn emails(&self) -> Vec<String> {
        self.state.lock().unwrap().1.clone()
    }
}

fn speak(stream: &TcpStream, state: &Mutex<(Manner, Vec<String>)>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let say = |text: &str| write!(&mut &*stream, "{text}\r\n");
    say("220 ready")?;
    while let Some(line) = lines.next().transpose()? {
        let manner = state.lock().unwrap().0;
        match line
            .split([' ', ':'])
            .next()
            .unwrap_or_default()
            .to_ascii_uppercase()
            .as_str()
        {
            "EHLO" => say("250 localhost")?,
            "RCPT" => match manner {
                Manner::Refuse(after) => {
                    std::thread::sleep(after);
                    say("451 try again")?;
                }
                _ => say("250 ok")?,
            },
            "DATA" => {
                say("354 go on")?;
                let text: Vec<String> = lines
                    .by_ref()
                    .map_while(Result::ok)
                    .take_while(|line| line != ".")
                    .collect();
                state.lock().unwrap().1.push(text.join("\n"));
                match manner {
                    Manner::Take(after) => std::thread::sleep(after),
                    _ => loop {
                        std::thread::park();
                    },
                }
                say("250 taken")?;
            }
            "QUIT" => return say("221 bye"),
            _ => say("250 ok")?,
        }
    }
    Ok(())
}
