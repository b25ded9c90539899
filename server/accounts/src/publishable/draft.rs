//! The fields of a publishable key as its owner types them, and all their mistakes.

use bareme_engine::say;
use bareme_engine::text::{BadParameter, ParameterCode, excerpt};

use super::{MAX_LABEL, MAX_ORIGINS, Origin, OriginError, Publication};

/// The fields of a publishable key as its owner types them.
#[derive(Debug, Clone, Default)]
pub struct Draft<'d> {
    /// Its name.
    pub label: &'d str,
    /// Its origins.
    pub origins: Vec<&'d str>,
    /// Its daily limit; empty for none.
    pub calls_per_day: &'d str,
}

impl Draft<'_> {
    /// The name of the field with the name of the key.
    pub const LABEL: &'static str = "nom";

    /// The name of the field with the origins, one a line.
    pub const ORIGINS: &'static str = "origines";

    /// The name of the field with the daily limit.
    pub const CALLS: &'static str = "appels_par_jour";

    /// The publication that was typed.
    ///
    /// # Errors
    /// Everything that is wrong, each by the name of its field.
    pub fn read(&self) -> Result<Publication, Vec<BadParameter>> {
        let mut bad = Vec::new();

        let label = self.label.trim();
        if label.chars().count() > MAX_LABEL || label.contains(char::is_control) {
            bad.push(wrong_label(label));
        }
        let origins = self.read_origins(&mut bad);
        let calls_per_day = self.read_calls(&mut bad);

        if !bad.is_empty() {
            return Err(bad);
        }
        Ok(Publication {
            label: label.to_owned(),
            origins,
            calls_per_day,
        })
    }

    fn read_origins(&self, bad: &mut Vec<BadParameter>) -> Vec<Origin> {
        let typed = self.origins.iter().map(|text| text.trim());
        let typed: Vec<&str> = typed.filter(|text| !text.is_empty()).collect();
        if typed.is_empty() {
            bad.push(no_origin());
        }
        if typed.len() > MAX_ORIGINS {
            bad.push(too_many_origins(typed.len()));
        }

        let mut origins: Vec<Origin> = Vec::new();
        for text in typed {
            match Origin::parse(text) {
                // Compared as browsers send them: another spelling of one origin is twice the same.
                Ok(origin) if origins.contains(&origin) => bad.push(twice(text, &origin)),
                Ok(origin) => origins.push(origin),
                Err(error) => bad.push(no_such_origin(text, error)),
            }
        }
        origins
    }

    fn read_calls(&self, bad: &mut Vec<BadParameter>) -> Option<u64> {
        let text = self.calls_per_day.trim();
        if text.is_empty() {
            return None;
        }

        let calls = text.parse().ok().filter(|calls| *calls > 0);
        if calls.is_none() {
            bad.push(BadParameter::new(
                Self::CALLS,
                ParameterCode::Format,
                (
                    "Ce n’est pas un nombre d’appels.",
                    "It is not a number of calls.",
                ),
                Some(text),
                (
                    "un nombre entier d’au moins 1, ou rien pour le quota de l’offre",
                    "a whole number of at least 1, or nothing for the quota of the plan",
                ),
            ));
        }
        calls
    }
}

fn expected_origin() -> (&'static str, &'static str) {
    (
        "`https://`, puis le nom du site, et son port s’il est dans l’adresse, comme \
         `https://www.exemple.fr`",
        "`https://`, then the name of the site, and its port if the address has one, such as \
         `https://www.example.org`",
    )
}

fn no_such_origin(text: &str, error: OriginError) -> BadParameter {
    let (typed, reason) = (excerpt(text), error.reason());
    BadParameter::new(
        Draft::ORIGINS,
        ParameterCode::Format,
        say!("`{typed}` : {reason}", "`{typed}`: {reason}"; reason),
        Some(text),
        expected_origin(),
    )
}

fn no_origin() -> BadParameter {
    BadParameter::new(
        Draft::ORIGINS,
        ParameterCode::Missing,
        (
            "Une clé publiable n’est acceptée que de sites déclarés.",
            "A publishable key is accepted from declared sites alone.",
        ),
        None,
        expected_origin(),
    )
}

fn too_many_origins(count: usize) -> BadParameter {
    BadParameter::new(
        Draft::ORIGINS,
        ParameterCode::TooMany,
        say!(
            "{count} origines : une clé en a {MAX_ORIGINS} au plus.",
            "{count} origins: a key has at most {MAX_ORIGINS}."
        ),
        None,
        (
            "une autre clé publiable pour les autres sites",
            "another publishable key for the other sites",
        ),
    )
}

fn twice(text: &str, origin: &Origin) -> BadParameter {
    let origin = origin.as_str();
    BadParameter::new(
        Draft::ORIGINS,
        ParameterCode::Repeated,
        say!(
            "L’origine `{origin}` est déclarée deux fois.",
            "The origin `{origin}` is declared twice."
        ),
        Some(text),
        ("chaque origine une fois", "each origin once"),
    )
}

fn wrong_label(label: &str) -> BadParameter {
    BadParameter::new(
        Draft::LABEL,
        ParameterCode::Format,
        (
            "Ce nom est trop long, ou n’est pas une ligne de texte.",
            "This name is too long, or is not one line of text.",
        ),
        Some(label),
        say!(
            "une ligne de {MAX_LABEL} caractères au plus",
            "one line of at most {MAX_LABEL} characters"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_publication_is_what_was_typed() {
        let draft = Draft {
            label: " Boutique ",
            origins: vec!["https://a.example/", "", "  ", "http://localhost:8080"],
            calls_per_day: " 500 ",
        };
        let read = draft.read().unwrap();
        let origins: Vec<&str> = read.origins.iter().map(Origin::as_str).collect();
        assert_eq!(origins, ["https://a.example", "http://localhost:8080"]);
        assert_eq!(
            (read.label.as_str(), read.calls_per_day),
            ("Boutique", Some(500))
        );
        let ten: Vec<String> = (0..MAX_ORIGINS)
            .map(|number| format!("https://{number}.example"))
            .collect();
        let draft = Draft {
            origins: ten.iter().map(String::as_str).collect(),
            ..Draft::default()
        };
        let read = draft.read().unwrap();
        assert_eq!(
            (read.origins.len(), read.calls_per_day),
            (MAX_ORIGINS, None)
        );
    }

    #[test]
    fn everything_that_is_wrong_is_reported_at_once() {
        let long = "x".repeat(MAX_LABEL + 1);
        let mut origins = vec![
            "https://a.example",
            "HTTPS://A.EXAMPLE:443/",
            "http://a.example",
            "https://*.a.example",
        ];
        origins.extend(["https://b.example/page"; 7]);
        let draft = Draft {
            label: &long,
            origins,
            calls_per_day: "0",
        };
        let bad = draft.read().unwrap_err();
        let named: Vec<(&str, &str)> = bad
            .iter()
            .map(|bad| (bad.name.as_str(), bad.code.as_str()))
            .collect();
        let mut expected = vec![
            ("nom", "format"),
            ("origines", "trop_de_parametres"),
            ("origines", "repete"),
            ("origines", "format"),
            ("origines", "format"),
        ];
        expected.extend([("origines", "format"); 7]);
        expected.push(("appels_par_jour", "format"));
        assert_eq!(named, expected);
        assert_eq!(
            bad[2].reason.en,
            "The origin `https://a.example` is declared twice."
        );
        assert_eq!(
            bad[3].reason.fr,
            "`http://a.example` : seul https est accepté, et http pour localhost, 127.0.0.1 ou \
             [::1]."
        );
        assert_eq!(bad[2].received.as_deref(), Some("HTTPS://A.EXAMPLE:443/"));
    }

    #[test]
    fn a_key_without_an_origin_is_refused() {
        for origins in [vec![], vec![" ", ""]] {
            let draft = Draft {
                origins,
                ..Draft::default()
            };
            let bad = draft.read().unwrap_err();
            assert_eq!((bad.len(), bad[0].code), (1, ParameterCode::Missing));
        }
        for calls in ["0", "-1", "1,5", "mille", "99999999999999999999999"] {
            let draft = Draft {
                origins: vec!["https://a.example"],
                calls_per_day: calls,
                ..Draft::default()
            };
            assert_eq!(draft.read().unwrap_err()[0].name, Draft::CALLS, "{calls}");
        }
        let two_lines = Draft {
            label: "a\nb",
            origins: vec!["https://a.example"],
            ..Draft::default()
        };
        assert_eq!(two_lines.read().unwrap_err()[0].name, Draft::LABEL);
    }
}
