//! The origin of a web page: scheme, host and port, as browsers write it.

use bareme_engine::text::Text;
use url::{Host, Url};

/// Greatest length of a typed origin: a host has at most 253 characters.
const MAX_LENGTH: usize = 300;

/// An origin, in the one form in which browsers send it: lower case, `xn--` in place of letters
/// beyond ASCII, without the port of its scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(String);

/// Why a text is no origin that a key may be declared for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginError {
    /// It is no address, or its scheme is missing.
    NoAddress,
    /// It has a wildcard.
    Wildcard,
    /// It is the origin of pages without one.
    Null,
    /// Its scheme is neither that of the web, nor `http` on the machine itself.
    Scheme,
    /// It has more than scheme, host and port.
    Path,
    /// Its host ends with a dot.
    Dot,
}

impl OriginError {
    /// The mistake in words, to follow the text that was typed.
    pub fn reason(self) -> Text {
        match self {
            Self::NoAddress => Text::new(
                "ce n’est pas l’adresse d’un site.",
                "it is not the address of a site.",
            ),
            Self::Wildcard => Text::new(
                "un joker ouvrirait la clé aux sous-domaines d’autrui : chaque sous-domaine se \
                 déclare.",
                "a wildcard would open the key to subdomains of others: each subdomain is declared.",
            ),
            Self::Null => Text::new(
                "c’est l’origine de toute page ouverte comme un fichier ou dans un cadre isolé.",
                "it is the origin of any page opened as a file or in an isolated frame.",
            ),
            Self::Scheme => Text::new(
                "seul https est accepté, et http pour localhost, 127.0.0.1 ou [::1].",
                "only https is accepted, and http for localhost, 127.0.0.1 or [::1].",
            ),
            Self::Path => Text::new(
                "une origine n’a ni chemin, ni paramètre, ni identifiant : un navigateur ne les \
                 envoie pas.",
                "an origin has no path, query or user name: a browser does not send them.",
            ),
            Self::Dot => Text::new(
                "le nom finit par un point, qui en fait une autre origine.",
                "the name ends with a dot, which makes it another origin.",
            ),
        }
    }
}

impl Origin {
    /// Reads an origin as its owner types it.
    ///
    /// # Errors
    /// It is no origin, or none that a key may be declared for.
    pub fn parse(text: &str) -> Result<Self, OriginError> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("null") {
            return Err(OriginError::Null);
        }
        if text.contains('*') {
            return Err(OriginError::Wildcard);
        }

        // The reader of addresses is that of browsers, which corrects much: backslashes, blanks and
        // missing slashes are no way to write an origin.
        let is_plain = |character: char| !character.is_whitespace() && character != '\\';
        let has_scheme = text.contains("://");
        if text.len() > MAX_LENGTH || !has_scheme || !text.chars().all(is_plain) {
            return Err(OriginError::NoAddress);
        }
        let url = Url::parse(text).map_err(|_| OriginError::NoAddress)?;
        let host = url.host().ok_or(OriginError::NoAddress)?;

        let is_here = match &host {
            Host::Domain(name) => *name == "localhost",
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        match url.scheme() {
            "https" => {}
            "http" if is_here => {}
            _ => return Err(OriginError::Scheme),
        }

        // A slash alone is what the bar of a browser copies.
        let has_user = !url.username().is_empty() || url.password().is_some();
        let has_more = url.path() != "/" || url.query().is_some() || url.fragment().is_some();
        if has_user || text.contains('@') || has_more {
            return Err(OriginError::Path);
        }
        if matches!(&host, Host::Domain(name) if name.ends_with('.')) {
            return Err(OriginError::Dot);
        }
        Ok(Self(url.origin().ascii_serialization()))
    }

    /// Its text, as browsers send it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Some origins as one text, which [`Self::read_list`] reads.
    pub(crate) fn listed(origins: &[Self]) -> String {
        let texts: Vec<&str> = origins.iter().map(Self::as_str).collect();
        texts.join(" ")
    }

    /// Reads what [`Self::listed`] wrote; `None` if a text is no origin.
    pub(crate) fn read_list(text: &str) -> Option<Vec<Self>> {
        let origins = text.split_ascii_whitespace().map(Self::parse);
        origins.collect::<Result<_, _>>().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_kept_as_browsers_send_it() {
        for (typed, sent) in [
            ("https://www.example.fr", "https://www.example.fr"),
            (" HTTPS://WWW.Example.FR/ ", "https://www.example.fr"),
            ("https://example.fr:443", "https://example.fr"),
            ("https://example.fr:8443", "https://example.fr:8443"),
            ("https://intranet", "https://intranet"),
            ("https://élysée.example", "https://xn--lyse-9oad.example"),
            (
                "https://xn--lyse-9oad.example",
                "https://xn--lyse-9oad.example",
            ),
            ("https://192.0.2.1:8443", "https://192.0.2.1:8443"),
            ("https://[2001:DB8::1]", "https://[2001:db8::1]"),
            ("http://localhost:3000", "http://localhost:3000"),
            ("http://LOCALHOST:80", "http://localhost"),
            ("http://127.0.0.1:5500", "http://127.0.0.1:5500"),
            ("http://[::1]:5500", "http://[::1]:5500"),
        ] {
            let origin = Origin::parse(typed).unwrap();
            assert_eq!(origin.as_str(), sent, "{typed}");
            assert_eq!(Origin::parse(sent), Ok(origin), "{sent}");
        }
    }

    #[test]
    fn what_is_no_origin_is_refused_with_its_reason() {
        use OriginError::{Dot, NoAddress, Null, Path, Scheme, Wildcard};
        for (typed, reason) in [
            ("", NoAddress),
            ("example.fr", NoAddress),
            ("example.fr:8443", NoAddress),
            ("www.example.fr/page", NoAddress),
            ("https://", NoAddress),
            ("https:///", NoAddress),
            ("https:example.fr", NoAddress),
            ("https:\\\\example.fr", NoAddress),
            ("https://example.fr\\@evil.example", NoAddress),
            ("https://exa mple.fr", NoAddress),
            ("https://exa\tmple.fr", NoAddress),
            ("https://example.fr:99999", NoAddress),
            ("https://exa|mple.fr", NoAddress),
            ("null", Null),
            ("NULL", Null),
            ("*", Wildcard),
            ("https://*.example.fr", Wildcard),
            ("https://example.fr:*", Wildcard),
            ("http://example.fr", Scheme),
            ("http://localhost.example.fr", Scheme),
            ("http://192.168.1.10", Scheme),
            ("ftp://example.fr", Scheme),
            ("chrome-extension://abcdef", Scheme),
            ("https://example.fr/page", Path),
            ("https://example.fr//", Path),
            ("https://example.fr?", Path),
            ("https://example.fr/#", Path),
            ("https://claire@example.fr", Path),
            ("https://:secret@example.fr", Path),
            ("https://@example.fr", Path),
            ("https://example.fr.", Dot),
        ] {
            assert_eq!(Origin::parse(typed), Err(reason), "{typed}");
        }
        let long = format!("https://{}.fr", "a".repeat(MAX_LENGTH));
        assert_eq!(Origin::parse(&long), Err(NoAddress));
    }
}
