//! A request that is being answered, as every step of it takes it.

use std::net::IpAddr;

use hyper::http::request::Parts;

use crate::app::shared::Shared;
use crate::wire::headers::RequestContext;

/// A request that is being answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'c> {
    pub shared: &'c Shared,
    /// The address that is connected: the caller, or a proxy in front.
    pub peer: IpAddr,
    /// Its head.
    pub request: &'c Parts,
    pub context: &'c RequestContext,
}

impl Call<'_> {
    /// The address of the caller.
    pub(super) fn address(&self) -> IpAddr {
        self.shared.proxies.client(self.peer, &self.request.headers)
    }
}
