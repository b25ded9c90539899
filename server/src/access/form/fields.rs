//! Where the form of the keys is, and the names of its fields: what its pages and its description say too.

/// Where the form is.
pub(crate) const PATH: &str = "/cle";

/// Where the calls of a key are shown.
pub(crate) const USAGE_PATH: &str = "/cle/usage";

/// Names of the field with the e-mail address: ours, and that which browsers fill in by habit.
pub(crate) const EMAIL: [&str; 2] = ["courriel", "email"];
pub(crate) const VARIANT: &str = "variante";
