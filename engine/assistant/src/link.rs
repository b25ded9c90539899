//! Links to the site: the simulator with the same calculation, and the page of a scale.

use bareme_engine::Folder;
use bareme_engine::law::parameter::{DATE, OF_THE_DAY};
use bareme_show::query_string;

use crate::Assistant;
use crate::laws::{Asked, is_of_law};

impl Assistant<'_> {
    /// Link to a calculation: to the simulator or, where the law is named, to the interface, since
    /// simulators show the law in force. It has the day of a dated one, so that its result does not
    /// change.
    pub(crate) fn link(&self, asked: &Asked, folder: &Folder) -> String {
        let Asked { endpoint, sent, .. } = asked;

        // The path of a simulator names the folder, so that the parameter that selects it is left
        // out; the law that it has is the one in force.
        let is_left_out = |name: &str| endpoint.by.as_deref() == Some(name) || is_of_law(name);

        let mut pairs: Vec<_> = sent
            .iter()
            .filter(|(name, _)| asked.is_named || !is_left_out(name))
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

        let (site, query) = (self.site(), query_string::from_pairs(&pairs));
        if asked.is_named {
            return format!("{site}{}/{}?{query}", self.prefix, endpoint.name);
        }
        format!("{site}/simulateurs/{}?{query}", folder.path())
    }

    /// Link to the page of a folder: its figures by edition, and its legal texts.
    pub(crate) fn page_link(&self, folder: &Folder) -> String {
        format!("{}/baremes/{}", self.site(), folder.path())
    }

    fn site(&self) -> &str {
        self.rules.service().documentation.trim_end_matches('/')
    }
}
