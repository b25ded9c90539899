//! A guide to the library, a page for each thing that an embedder does.
//!
//! 1. [`read`]: rules from a folder, from texts or from bytes; read again when they change
//! 2. [`check`]: mistakes of rule files, for people and for programs
//! 3. [`calculate`]: queries, days, and answers as fields, values or JSON
//! 4. [`explain`]: the steps of an answer, and the law behind them
//! 5. [`inverse`]: the input that gives a requested result
//! 6. [`errors`]: refused queries and faults
//! 7. [`threads`]: rules shared between threads and replaced while they are used
//! 8. [`cost`]: time and memory, and the limits that bound them
//!
//! The pages calculate with the rules of `examples/paie`, which [`read`] shows whole. The language
//! that they are written in is described in the manual of the rules, `rules/README.md`.

#[doc = include_str!("calculate.md")]
pub mod calculate {}
#[doc = include_str!("check.md")]
pub mod check {}
#[doc = include_str!("cost.md")]
pub mod cost {}
#[doc = include_str!("errors.md")]
pub mod errors {}
#[doc = include_str!("explain.md")]
pub mod explain {}
#[doc = include_str!("inverse.md")]
pub mod inverse {}
#[doc = include_str!("read.md")]
pub mod read {}
#[doc = include_str!("threads.md")]
pub mod threads {}
