//! The legal pages, for which the operator is responsible, linked from the footer of every page.

#[derive(Debug)]
pub struct LegalPage {
    /// Its path, which with `.md` is the name of the operator's file.
    pub path: &'static str,
    /// Its title, also in the footer.
    pub title: &'static str,
    /// The built-in text, where there is no such file.
    pub(super) provided: &'static str,
}

/// Every legal page.
pub(crate) static PAGES: [LegalPage; 3] = [
    LegalPage {
        path: "/conditions",
        title: "Conditions d’utilisation",
        provided: include_str!("conditions.md"),
    },
    LegalPage {
        path: "/confidentialite",
        title: "Confidentialité",
        provided: include_str!("confidentialite.md"),
    },
    LegalPage {
        path: "/mentions-legales",
        title: "Mentions légales",
        provided: include_str!("mentions-legales.md"),
    },
];
