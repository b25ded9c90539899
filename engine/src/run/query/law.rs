//! The version of the law that a query names.

use crate::law::parameter::VERSION;
use crate::say;
use crate::text::{BadParameter, Reason};

/// The refusal of a version that is not that of the law which applies.
pub(crate) fn other_law(asked: Option<&str>, applies: &str) -> Option<BadParameter> {
    let asked = asked.filter(|asked| *asked != applies)?;
    let expected = say!("la version {applies}", "the version {applies}");
    let bad = BadParameter::because(VERSION, Reason::OtherLaw, Some(asked), expected);
    Some(bad)
}
