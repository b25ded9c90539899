//! End-to-end tests of keys, plans and quotas: real processes, a real database, a real mail server.

#![cfg(test)]

mod audit;
mod backups;
mod corrections;
mod crowds;
mod deliveries;
mod desk;
mod emails;
mod form;
mod health;
mod key_command;
mod keys;
mod life;
mod mailboxes;
mod nodes;
mod offers;
mod open_cases;
mod owner;
mod payments;
mod plans;
mod proxies;
mod publishable;
mod restarts;
mod shop;
mod smtp;
mod year_of_corrections;
