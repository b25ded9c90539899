//! Links to the site: the simulator with the same calculation, and the page of a scale.

use bareme_engine::Folder;
use bareme_engine::law::parameter::{DATE, OF_THE_DAY};
use bareme_engine::service::Endpoint;
use bareme_show::query_string;

use crate::Assistant;

impl Assistant<'_> {
    /// Link to the simulator with a calculation. It has the day of a dated one, so that its result
    /// does not change.
    pub(crate) fn link(
        &self,
        endpoint: &Endpoint,
        folder: &Folder,
        sent: &[(String, String)],
    ) -> String {
        // The path of a simulator names the folder, so that the parameter that selects it is left
        // out.
        let is_selector = |name: &str| endpoint.by.as_deref() == Some(name);

        let mut pairs: Vec<_> = sent
            .iter()
            .filter(|(name, _)| !is_selector(name))
            .cloned()
            .collect();

        // Without a day, the same link would give the result of another scale once a new one is in
        // force.
        if folder.is_dated()
            && !pairs
                .iter()
                .any(|(name, _)| OF_THE_DAY.contains(&name.as_str()))
        {
            pairs.push((DATE.to_owned(), self.today.to_string()));
        }

        format!(
            "{}/simulateurs/{}?{}",
            self.site(),
            folder.path(),
            query_string::from_pairs(&pairs)
        )
    }

    /// Link to the page of a folder: its figures by edition, and its legal texts.
    pub(crate) fn page_link(&self, folder: &Folder) -> String {
        format!("{}/baremes/{}", self.site(), folder.path())
    }

    fn site(&self) -> &str {
        self.rules.service().documentation.trim_end_matches('/')
    }
}
