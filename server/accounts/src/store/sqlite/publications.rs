//! Publications of keys in an SQLite file.

use uuid::Uuid;

use super::super::Pending;
use super::super::publications::{Columns, Publications};
use super::{Sqlite, is_any};
use crate::publishable::Publication;

impl Publications for Sqlite {
    fn set_publication(&self, id: Uuid, publication: Publication) -> Pending<'_, bool> {
        let sql = "update api_keys set page_label = ?2, page_origins = ?3, page_calls = ?4 \
                   where id = ?1 and page_origins is not null";
        let page = Columns::new(Some(&publication));
        let row = (id.to_string(), page.label, page.origins, page.calls);
        self.change(sql, row, is_any)
    }
}
