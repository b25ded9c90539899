//! A long way to a server on this machine.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// Passes every connection on, each byte late; many may be on their way at once.
pub struct Distance {
    address: SocketAddr,
    /// Nothing arrives any more, and no end of a connection either.
    cut: Arc<AtomicBool>,
}

impl Distance {
    /// The way to `target`, whose answers take `round_trip` longer.
    pub fn to(target: SocketAddr, round_trip: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let way = Self { address: listener.local_addr().unwrap(), cut: Arc::default() };
        let cut = Arc::clone(&way.cut);
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let Ok(far) = TcpStream::connect(target) else { continue };
                for stream in [&near, &far] {
                    stream.set_nodelay(true).unwrap();
                }
                pass(near.try_clone().unwrap(), far.try_clone().unwrap(), round_trip / 2, &cut);
                pass(far, near, round_trip / 2, &cut);
            }
        });
        way
    }

    /// Address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Loses everything that is sent from now on, as a network that is torn does; or no more.
    pub fn cut(&self, cut: bool) {
        self.cut.store(cut, Ordering::SeqCst);
    }
}

/// Passes what comes on, in order, each piece `delay` after it came.
fn pass(mut from: TcpStream, mut to: TcpStream, delay: Duration, cut: &Arc<AtomicBool>) {
    let (sent, received) = mpsc::channel::<(Instant, Vec<u8>)>();
    thread::spawn(move || {
        let mut piece = vec![0; 65_536];
        while let Ok(length @ 1..) = from.read(&mut piece) {
            if sent.send((Instant::now() + delay, piece[..length].to_vec())).is_err() {
                break;
            }
        }
    });
    let cut = Arc::clone(cut);
    thread::spawn(move || {
        for (due, piece) in received {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            if !cut.load(Ordering::SeqCst) && to.write_all(&piece).is_err() {
                break;
            }
        }
        drop(to.shutdown(Shutdown::Both));
    });
}
