//! Links to the page of a question, and to its lines as a file.

use bareme_show::query_string;

use super::question::{BACK, COMPARED, Question};
use super::settled::EARLIER;
use super::trials::Tried;

impl Question<'_> {
    /// The link to the page with this question, and with the change that it tries.
    pub(super) fn link(&self) -> String {
        let tried = self.tried.iter().flat_map(Tried::pairs);
        self.link_of(self.sent.iter().cloned().chain(tried).collect())
    }

    /// The address of the page: its link, with the simulator that it goes back to.
    pub(super) fn address(&self) -> String {
        let back = self.back.iter();
        let back: Vec<_> = back.map(|back| (BACK.to_owned(), back.clone())).collect();
        if back.is_empty() {
            return self.link();
        }
        let link = self.link();
        let mark = if link.contains('?') { '&' } else { '?' };
        format!("{link}{mark}{}", query_string::from_pairs(&back))
    }

    /// What a form of the page keeps: the parameters of the API, and those of the page.
    pub(super) fn kept(&self) -> Vec<(String, String)> {
        let back = self.back.iter();
        let back = back.map(|back| (BACK.to_owned(), back.clone()));
        self.whole(self.sent.clone())
            .into_iter()
            .chain(back)
            .collect()
    }

    /// The link to the page with more parameters.
    pub(super) fn link_with(&self, added: Vec<(String, String)>) -> String {
        self.link_of(self.sent.iter().cloned().chain(added).collect())
    }

    /// The link to the page without a parameter.
    pub(super) fn link_without(&self, name: &str) -> String {
        self.link_of(self.sent_without(name))
    }

    /// The link to the page with these parameters.
    pub(super) fn link_of(&self, sent: Vec<(String, String)>) -> String {
        let query = query_string::from_pairs(&self.whole(sent));
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{}{mark}{query}", self.listed.simulator())
    }

    /// Parameters with the period of the page, the amount of an earlier year and the other day,
    /// which are part of the question, and of no call of the API.
    pub(super) fn whole(&self, sent: Vec<(String, String)>) -> Vec<(String, String)> {
        let of_page = [(EARLIER, &self.earlier), (COMPARED, &self.compared)];
        let of_page = of_page.into_iter();
        let of_page = of_page.filter_map(|(name, typed)| Some((name.to_owned(), typed.clone()?)));
        let sent = match &self.unit {
            Some(unit) => unit.typed_in(sent),
            None => sent,
        };
        sent.into_iter().chain(of_page).collect()
    }

    /// The parameters of the API without one of them.
    pub(super) fn sent_without(&self, name: &str) -> Vec<(String, String)> {
        let others = self.sent.iter().filter(|(known, _)| known != name);
        others.cloned().collect()
    }

    /// The link to the picture of the answer, which is the same whatever change is tried.
    pub(super) fn picture(&self) -> String {
        format!(
            "{}.png?{}",
            self.listed.simulator(),
            query_string::from_pairs(&self.whole(self.sent.clone()))
        )
    }

    /// The link to the lines of the calculation as a file.
    pub(super) fn download(&self) -> String {
        format!(
            "{}.csv?{}",
            self.listed.simulator(),
            query_string::from_pairs(&self.sent)
        )
    }
}
