//! Links to the page of a question, and to its lines as a file.

use super::question::{COMPARED, Question};
use super::settled::EARLIER;

impl Question<'_> {
    /// The link to the page with this question.
    pub(super) fn link(&self) -> String {
        self.link_of(self.sent.clone())
    }

    /// The link to the page with more parameters.
    pub(super) fn link_with(&self, added: Vec<(String, String)>) -> String {
        self.link_of(self.sent.iter().cloned().chain(added).collect())
    }

    /// The link to the page without a parameter.
    pub(super) fn link_without(&self, name: &str) -> String {
        self.link_of(self.sent_without(name))
    }

    fn link_of(&self, sent: Vec<(String, String)>) -> String {
        // The other day is part of the question, and of no call of the API.
        let compared = self
            .compared
            .iter()
            .map(|day| (COMPARED.to_owned(), day.clone()));
        let earlier = self
            .earlier
            .iter()
            .map(|amount| (EARLIER.to_owned(), amount.clone()));

        let pairs: Vec<_> = sent.into_iter().chain(earlier).chain(compared).collect();
        format!(
            "{}?{}",
            self.listed.simulator(),
            bareme_show::query_string::from_pairs(&pairs)
        )
    }

    /// The parameters of the API without one of them.
    pub(super) fn sent_without(&self, name: &str) -> Vec<(String, String)> {
        let others = self.sent.iter().filter(|(known, _)| known != name);
        others.cloned().collect()
    }

    /// The link to the lines of the calculation as a file.
    pub(super) fn download(&self) -> String {
        format!(
            "{}.csv?{}",
            self.listed.simulator(),
            bareme_show::query_string::from_pairs(&self.sent)
        )
    }
}
