//! A request that is being answered, as every step of it takes it.

use std::net::IpAddr;
use std::sync::Arc;

use bareme_api::calls::receipt::Signer;
use bareme_api::wire::headers::RequestContext;
use bareme_api::wire::problem::{Problem, kinds};
use hyper::http::request::Parts;
use jiff::Timestamp;

use crate::app::shared::Shared;

/// A request that is being answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'c> {
    pub shared: &'c Shared,
    /// The address that is connected: the caller, or a proxy in front.
    pub peer: IpAddr,
    /// Its head.
    pub request: &'c Parts,
    pub context: &'c RequestContext,
    /// Whether the answer has a signed receipt.
    pub is_signed: bool,
}

impl<'c> Call<'c> {
    /// What a receipt is signed by, with the time of issue, where one is asked for.
    ///
    /// # Errors
    /// The operator has no key to sign with.
    pub(super) fn receipt(&self) -> Result<Option<(&'c Arc<Signer>, Timestamp)>, Problem> {
        if !self.is_signed {
            return Ok(None);
        }
        let signer = self.shared.signer.as_ref();
        let issued = Timestamp::try_from(self.context.time.second);
        match (signer, issued) {
            (None, _) => Err(Problem::plain(&kinds::NO_RECEIPT)),
            (Some(signer), Ok(issued)) => Ok(Some((signer, issued))),
            (Some(_), Err(_)) => Err(Problem::plain(&kinds::INTERNAL)),
        }
    }

    /// The address of the caller.
    pub(super) fn address(&self) -> IpAddr {
        self.shared.proxies.client(self.peer, &self.request.headers)
    }
}
