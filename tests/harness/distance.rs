//! A proxy that simulates a distant server.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// Forwards every connection with a delay.
pub struct Distance {
    address: SocketAddr,
    /// Whether nothing is forwarded any more, not even the end of a connection.
    cut: Arc<AtomicBool>,
}

impl Distance {
    /// A proxy to `target` that delays answers by `round_trip`.
    pub fn to(target: SocketAddr, round_trip: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let way = Self {
            address: listener.local_addr().unwrap(),
            cut: Arc::default(),
        };
        let cut = Arc::clone(&way.cut);
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let Ok(far) = TcpStream::connect(target) else {
                    continue;
                };
                for stream in [&near, &far] {
                    stream.set_nodelay(true).unwrap();
                }
                pass(
                    near.try_clone().unwrap(),
                    far.try_clone().unwrap(),
                    round_trip / 2,
                    &cut,
                );
                pass(far, near, round_trip / 2, &cut);
            }
        });
        way
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Starts or stops dropping everything, like an interrupted network.
    pub fn cut(&self, cut: bool) {
        self.cut.store(cut, Ordering::SeqCst);
    }
}

/// Forwards data in order, each piece `delay` after its arrival.
fn pass(mut from: TcpStream, mut to: TcpStream, delay: Duration, cut: &Arc<AtomicBool>) {
    let (sent, received) = mpsc::channel::<(Instant, Vec<u8>)>();
    thread::spawn(move || {
        let mut piece = vec![0; 65_536];
        while let Ok(length @ 1..) = from.read(&mut piece) {
            if sent
                .send((Instant::now() + delay, piece[..length].to_vec()))
                .is_err()
            {
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
