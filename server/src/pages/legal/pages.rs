//! The legal pages, for which the operator is responsible, linked from the footer of every page.

#[derive(Debug)]
pub(crate) struct LegalPage {
    pub path: &'static str,
    /// Its title, also in the footer.
    pub title: &'static str,
    /// Name of the operator's file.
    pub(super) file: &'static str,
    /// The built-in text, where there is no such file.
    pub(super) provided: &'static str,
}

/// Every legal page.
pub(in crate::pages) static PAGES: [LegalPage; 3] = [
    LegalPage {
        path: "/conditions",
        title: "Conditions d’utilisation",
        file: "conditions.md",
        provided: include_str!("conditions.md"),
    },
    LegalPage {
        path: "/confidentialite",
        title: "Confidentialité",
        file: "confidentialite.md",
        provided: include_str!("confidentialite.md"),
    },
    LegalPage {
        path: "/mentions-legales",
        title: "Mentions légales",
        file: "mentions-legales.md",
        provided: include_str!("mentions-legales.md"),
    },
];
