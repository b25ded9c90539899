//! The calls of the service: how they are parsed, what they cost, and their answers, from the rules
//! alone. It opens no socket and shows no page.
//!
//! | topic | module |
//! |---|---|
//! | parsing of requests, replies, problems | [`wire`] |
//! | what callers may make the service compute | [`work`] |
//! | the paths of the API, calculations, batches, receipts, the cache of answers | [`calls`] |
//! | the OpenAPI document | [`openapi`] |
//! | the data behind the answers | [`data`] |

#![allow(
    rustdoc::private_intra_doc_links,
    reason = "a part of one program: its documentation is read with its private items"
)]

pub mod calls;
pub mod data;
pub mod openapi;
#[cfg(test)]
mod testing;
pub mod wire;
pub mod work;
