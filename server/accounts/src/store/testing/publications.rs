//! The publications of keys of the store in memory.

use crate::publishable::Publication;
use crate::store::publications::Publications;

use super::*;

impl Publications for Memory {
    fn set_publication(&self, id: Uuid, publication: Publication) -> Pending<'_, bool> {
        self.answer(|| {
            let mut keys = self.keys.lock().unwrap();
            let mut published = keys
                .iter_mut()
                .filter(|record| record.id == id && record.publication.is_some());
            let found = published.next();
            let is_there = found.is_some();
            if let Some(record) = found {
                record.publication = Some(publication);
            }
            is_there
        })
    }
}
