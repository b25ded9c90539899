//! Keys, plans and quotas as callers and operators see them: real processes, a real database, a real
//! mail server.

#![cfg(test)]

mod crowds;
mod desk;
mod emails;
mod form;
mod health;
mod keys;
mod life;
mod nodes;
mod offers;
mod payments;
mod plans;
mod proxies;
mod restarts;
