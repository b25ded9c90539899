//! The file of a simulator: what French spreadsheets open.

use std::net::SocketAddr;

use super::single::{Caller, query};
use super::{Door, Group};
use crate::answer::{Answer, Carried, Refusals, Warnings};
use crate::draw::{Kind, Question};
use crate::json::Json;
use crate::oracle::Target;

/// The simulators of the service.
pub(crate) struct Site(pub SocketAddr);

impl Door for Site {
    fn name(&self) -> String {
        "simulateur .csv".to_owned()
    }

    fn carries(&self) -> Carried {
        Carried {
            types: false,
            lists: false,
            warnings: Warnings::None,
            refusals: Refusals::Codes,
            version: false,
            reserves: false,
            cited: false,
            day: false,
        }
    }

    fn takes(&self, _: Target, question: &Question) -> bool {
        question.kind != Kind::Comma
    }

    fn ask(&self, group: &Group) -> Vec<Answer> {
        let mut caller = Caller::new(self.0);
        let of = |question: &&Question| {
            let path = format!("/simulateurs/{}.csv?{}", question.folder, query(&question.unselected()));
            let text = caller.get(&path);
            match text.starts_with('{') {
                true => Answer::of_json(&Json::read(&text)),
                false => Answer::default(),
            }
        };
        group.questions.iter().map(of).collect()
    }
}
