//! Keys, plans and quotas as callers and operators see them: real processes, a real database, a real
//! mail server.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what must be true: a panic is its message"
)]

mod crowds;
mod desk;
mod form;
mod keys;
mod letters;
mod nodes;
mod plans;
mod proxies;
mod restarts;
