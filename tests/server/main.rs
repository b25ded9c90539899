//! The server as the world sees it: the real binary on a free port, spoken to over a socket.

#![cfg(test)]

mod admin;
mod batch;
mod batches;
mod bounds;
mod chunks;
mod clients;
mod codings;
mod conventions;
mod country;
mod data;
mod described_values;
mod description;
mod dialects;
mod exact_numbers;
mod hostile;
mod kept;
mod kept_tools;
mod keys_of_rows;
mod long_answers;
mod members;
mod modele_social;
mod openfisca;
mod parameters;
mod readme;
mod receipts;
mod reload;
mod replaced;
mod schemas;
mod schemathesis;
mod shared_by_rows;
mod shutdown;
mod unreadable;
mod warnings;
mod withdrawals;
mod work;
mod year;
