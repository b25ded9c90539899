//! The pages that the operator answers for: the foot of every page leads to them.

#[derive(Debug)]
pub(crate) struct LegalPage {
    pub path: &'static str,
    /// Its title, which the foot of every page shows.
    pub title: &'static str,
    /// Name of the operator's file.
    pub(super) file: &'static str,
    /// The text where there is no such file.
    pub(super) provided: &'static str,
}

/// All of them.
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
