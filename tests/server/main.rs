//! The server as the world sees it: the real binary on a free port, spoken to over a socket.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true: a panic is its message"
)]

mod admin;
mod batch;
mod bounds;
mod conventions;
mod description;
mod parameters;
mod readme;
mod reload;
mod replaced;
mod shutdown;
mod site;
mod unreadable;
