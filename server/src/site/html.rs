//! What the pages are made of: their frame, and text that is never read as HTML.

use bareme_engine::{Service, number_french};

/// Address of the style of the pages: they allow none within themselves.
pub(super) const STYLE_PATH: &str = "/style.css";

/// Address of the icon of the pages.
pub(super) const ICON_PATH: &str = "/icone.svg";

/// A whole page: `content` is HTML, the rest is text.
pub fn page(service: &Service, title: &str, content: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"fr\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n\
         <link rel=\"stylesheet\" href=\"{STYLE_PATH}\">\n<link rel=\"icon\" href=\"{ICON_PATH}\">\n</head>\n<body>\n\
         <header><div><a class=\"name\" href=\"/\"><img src=\"{ICON_PATH}\" alt=\"\" width=\"24\" height=\"24\">\
         {service}</a>\n\
         <nav><a href=\"/#calculs\">Calculs</a> <a href=\"/#offres\">Offres</a> <a href=\"/erreurs\">Erreurs</a> \
         <a href=\"/cle\">Obtenir une clé</a></nav></div></header>\n\
         <main>\n{content}</main>\n</body>\n</html>\n",
        title = prose(title),
        service = prose(&service.title),
    )
}

/// Text that is never read as HTML, in content or in a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// French prose that comes from data, as it is printed: curved apostrophes, and no line that begins
/// with a punctuation mark or parts a number from its unit. Words `quoted` so are shown as code.
pub fn prose(text: &str) -> String {
    let part = |(index, part): (usize, &str)| match index % 2 {
        0 => printed(part),
        _ => format!("<code>{}</code>", escape(part)),
    };
    text.split('`').enumerate().map(part).collect()
}

fn printed(text: &str) -> String {
    let mut printed = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut before = ' ';
    while let Some(character) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        printed.push(match character {
            '\'' => '’',
            ' ' if matches!(next, ';' | '!' | '?' | '%') => '\u{202f}',
            ' ' if matches!(next, ':' | '»') || before == '«' || before.is_ascii_digit() => '\u{a0}',
            other => other,
        });
        before = character;
    }
    escape(&printed)
}

/// `1000` as a French page prints it.
pub(super) fn thousands(number: u64) -> String {
    number_french(number.into()).replace(' ', "\u{202f}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_as_html() {
        assert_eq!(escape("<b a=\"c\">&'é"), "&lt;b a=&quot;c&quot;&gt;&amp;&#39;é");
        assert_eq!(prose("<i>`a<b` et `c`."), "&lt;i&gt;<code>a&lt;b</code> et <code>c</code>.");
    }

    #[test]
    fn prose_is_printed_as_french_is() {
        assert_eq!(
            prose("l'offre : 99,5 % ; `l'a : b`"),
            "l’offre\u{a0}: 99,5\u{202f}%\u{202f}; <code>l&#39;a : b</code>"
        );
        assert_eq!(
            prose("199 EUR par an, sans « mention » !"),
            "199\u{a0}EUR par an, sans «\u{a0}mention\u{a0}»\u{202f}!"
        );
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([100, 1_000, 500_000].map(thousands), ["100", "1\u{202f}000", "500\u{202f}000"]);
    }
}
