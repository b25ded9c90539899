//! The legal pages, for which the operator is responsible, linked from the footer of every page.

#[derive(Debug)]
pub struct LegalPage {
    /// Its path, which with `.md` is the name of the operator's file.
    pub path: &'static str,
    /// Its title, also in the footer.
    pub title: &'static str,
    /// Its title on English pages, which link to it.
    pub(crate) english: &'static str,
    /// The built-in text, where there is no such file.
    pub(super) provided: &'static str,
}

/// Every legal page.
pub(crate) static PAGES: [LegalPage; 3] = [
    LegalPage {
        path: "/conditions",
        title: "Conditions d’utilisation",
        english: "Terms of use",
        provided: include_str!("conditions.md"),
    },
    LegalPage {
        path: "/confidentialite",
        title: "Confidentialité",
        english: "Privacy",
        provided: include_str!("confidentialite.md"),
    },
    LegalPage {
        path: "/mentions-legales",
        title: "Mentions légales",
        english: "Legal notice",
        provided: include_str!("mentions-legales.md"),
    },
];
