//! The publications of keys in a store: columns of the key, all of them null for a secret one.

use uuid::Uuid;

use super::Pending;
use crate::publishable::{Origin, Publication};

/// The publications of keys in a store.
pub trait Publications {
    /// Changes where a publishable key is accepted. False for a secret key, which never becomes
    /// publishable, and for a key that is not there.
    fn set_publication(&self, id: Uuid, publication: Publication) -> Pending<'_, bool>;
}

/// A publication as its columns hold it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Columns {
    /// The name of the key.
    pub label: Option<String>,
    /// Its origins, with a space between two.
    pub origins: Option<String>,
    /// Its daily limit.
    pub calls: Option<i64>,
}

impl Columns {
    /// The columns of a key.
    pub(super) fn new(publication: Option<&Publication>) -> Self {
        let Some(publication) = publication else {
            return Self::default();
        };
        Self {
            label: Some(publication.label.clone()),
            origins: Some(Origin::listed(&publication.origins)),
            calls: publication
                .calls_per_day
                .map(|most| i64::try_from(most).unwrap_or(i64::MAX)),
        }
    }

    /// The publication in the columns of a key; `None` for a secret key.
    pub(super) fn read(self) -> Option<Publication> {
        Some(Publication {
            label: self.label.unwrap_or_default(),
            // One that cannot be read admits no call, and never makes the key a secret one.
            origins: Origin::read_list(&self.origins?).unwrap_or_default(),
            calls_per_day: self.calls.map(|most| u64::try_from(most).unwrap_or(0)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publishable::Draft;

    #[test]
    fn columns_hold_a_publication() {
        let draft = Draft {
            label: "Boutique",
            origins: vec!["https://a.example", "https://b.example:8443"],
            calls_per_day: "500",
        };
        let publication = draft.read().unwrap();
        let columns = Columns::new(Some(&publication));
        assert_eq!(
            columns.origins.as_deref(),
            Some("https://a.example https://b.example:8443")
        );
        assert_eq!(columns.read(), Some(publication));
        assert_eq!(Columns::new(None).read(), None);
    }

    #[test]
    fn origins_that_cannot_be_read_admit_nothing() {
        for origins in ["", "*", "https://a.example x"] {
            let columns = Columns {
                origins: Some(origins.to_owned()),
                ..Columns::default()
            };
            assert_eq!(columns.read().unwrap().origins, [], "{origins}");
        }
    }
}
