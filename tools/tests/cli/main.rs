//! The command line as analysts and CI use it: the real binary, its files, its output, its exit
//! codes.

#![cfg(test)]

mod batch;
mod broken;
mod cases;
mod check;
mod code;
mod common;
mod composed;
mod confirm;
mod dated;
mod diff;
mod doubts;
mod editor;
mod explain;
mod fmt;
mod hand;
mod hook;
mod impact;
mod inverse;
mod keep;
mod language_server;
mod laws;
mod lsp;
mod measure;
mod names;
mod new;
mod outputs;
mod pages;
mod population;
mod readme;
mod renew;
mod said;
mod slips;
mod slips_of_law;
mod status;
mod tables;
mod workbooks;
mod years;
