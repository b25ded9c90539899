//! Publications of keys in a PostgreSQL database.

use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;

use super::super::Pending;
use super::super::publications::{Columns, Publications};
use super::{Postgres, is_any, sent};
use crate::publishable::Publication;

impl Publications for Postgres {
    fn set_publication(&self, id: Uuid, publication: Publication) -> Pending<'_, bool> {
        let sql = "update api_keys set page_label = $2, page_origins = $3, page_calls = $4 \
                   where id = $1 and page_origins is not null";
        let page = Columns::new(Some(&publication));
        let sent = sent![
            id => UUID,
            page.label => TEXT,
            page.origins => TEXT,
            page.calls => INT8,
        ];
        self.change(sql, sent, is_any)
    }
}
