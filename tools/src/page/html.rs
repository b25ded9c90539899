//! A page as one standalone HTML file.

use std::fmt::Write as _;

use bareme_engine::Lang;
use bareme_show::{Column, Table, Tone};

use super::{Block, Page};

const STYLE: &str = include_str!("style.css");
/// The style of a page inside of another one.
const PART_STYLE: &str = include_str!("part.css");

impl Page {
    /// The page in HTML.
    pub(crate) fn to_html(&self, lang: Lang) -> String {
        let lang = if lang == Lang::Fr { "fr" } else { "en" };
        let title = escaped(&self.title);

        // One file without scripts or other addresses, so that it opens from a disk or an
        // attachment.
        let mut out = format!(
            "<!doctype html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n<meta \
             name=\"viewport\" content=\"width=device-width, \
             initial-scale=1\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
             </head>\n<body>\n"
        );

        out.push_str(&self.blocks_in_html("h1"));
        out.push_str("</body>\n</html>\n");
        out
    }

    /// The page as a part of another one, as of a notebook, whose style it does not change.
    pub(crate) fn to_html_part(&self) -> String {
        let blocks = self.blocks_in_html("h3");
        format!("<div class=\"bareme\">\n<style>\n{PART_STYLE}</style>\n{blocks}</div>\n")
    }

    fn blocks_in_html(&self, title: &str) -> String {
        let mut out = String::new();
        if !self.title.is_empty() {
            let _ = writeln!(out, "<{title}>{}</{title}>", inline(&self.title));
        }
        for block in &self.blocks {
            write_block(block, &mut out);
        }
        out
    }
}

fn write_block(block: &Block, out: &mut String) {
    // Writing to a string cannot fail: the result of `write!` is only there for other writers.
    let _ = match block {
        Block::Heading(text) => writeln!(out, "<h2>{}</h2>", inline(text)),
        Block::Text(text, tone) => writeln!(
            out,
            "<p{}>{}</p>",
            class(&[tone_class(*tone)]),
            inline(text)
        ),
        Block::List(items) => {
            let items: String = items
                .iter()
                .map(|item| format!("<li>{}</li>\n", inline(item)))
                .collect();
            writeln!(out, "<ul>\n{items}</ul>")
        }
        Block::Links(links) => {
            let link = |(title, file): &(String, String)| {
                format!(
                    "<li><a href=\"{}\">{}</a></li>\n",
                    escaped(file),
                    inline(title)
                )
            };

            writeln!(
                out,
                "<ul>\n{}</ul>",
                links.iter().map(link).collect::<String>()
            )
        }
        Block::Table(table) => {
            write_table(table, out);
            Ok(())
        }
        Block::Verbatim(text, _) => writeln!(out, "<pre>{}</pre>", escaped(text.trim_end())),
        // The drawing is SVG that this program wrote; everything else is escaped.
        Block::Drawing { svg, caption } => {
            let caption = inline(caption);
            writeln!(
                out,
                "<figure>\n{svg}\n<figcaption>{caption}</figcaption>\n</figure>"
            )
        }
    };
}

fn write_table(table: &Table, out: &mut String) {
    let side = |column: &Column| if column.is_number { "number" } else { "" };

    out.push_str("<table>\n<thead><tr>");
    for column in &table.columns {
        // `scope` relates a cell to its heading for screen readers.
        let _ = write!(
            out,
            "<th scope=\"col\"{}>{}</th>",
            class(&[side(column)]),
            inline(&column.title)
        );
    }

    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (cell, column) in row.cells.iter().zip(&table.columns) {
            let class = class(&[side(column), tone_class(cell.tone)]);
            let _ = write!(out, "<td{class}>{}</td>", inline(&cell.text));
        }
        out.push_str("</tr>\n");
    }

    out.push_str("</tbody>\n</table>\n");
}

fn class(names: &[&str]) -> String {
    let names: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| !name.is_empty())
        .collect();

    if names.is_empty() {
        String::new()
    } else {
        format!(" class=\"{}\"", names.join(" "))
    }
}

fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Strong => "strong",
        Tone::Main => "main",
        Tone::Dim => "dim",
        Tone::Good => "good",
        Tone::Warning => "warning",
        Tone::Bad => "bad",
    }
}

fn escaped(text: &str) -> String {
    // The ampersand first, otherwise those of the other entities would be escaped again.
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// A space at which a line does not break, and the narrow one between thousands.
const NO_BREAK: char = '\u{a0}';
const NARROW: char = '\u{202f}';

/// A text whose lines do not break inside of a number, before its unit, or before a punctuation that
/// French sets off by a space.
fn unbroken(text: &str) -> String {
    let is_digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());

    let mut out = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        let before = out.chars().next_back();
        let after = text
            .get(at..)
            .unwrap_or_default()
            .get(1..)
            .unwrap_or_default();
        let next = after.chars().next();
        // The code of a currency: three capitals.
        let code: String = after.chars().take_while(char::is_ascii_uppercase).collect();

        out.push(match next {
            _ if letter != ' ' => letter,
            Some(':' | ';' | '?' | '!' | '%' | '€' | '»') => NO_BREAK,
            _ if before == Some('«') => NO_BREAK,
            _ if is_digit(before) && is_digit(next) => NARROW,
            _ if is_digit(before) && code.len() == 3 => NO_BREAK,
            _ => letter,
        });
    }
    out
}

/// Escapes a text, with backticks as code, addresses as links, and line breaks kept.
fn inline(text: &str) -> String {
    let mut out = String::new();
    // Backticks come in pairs: every second part is between two of them.
    for (index, part) in text.split('`').enumerate() {
        let part = escaped(part);
        if index % 2 == 1 {
            let _ = write!(out, "<code>{part}</code>");
            continue;
        }

        for word in unbroken(&part).split_inclusive([' ', '\n', NO_BREAK]) {
            // The address without the space or line break after it; what follows an address
            // directly, as a comma, would be part of it.
            let bare = word.trim_end();
            if bare.starts_with("https://") || bare.starts_with("http://") {
                let _ = write!(
                    out,
                    "<a href=\"{bare}\">{bare}</a>{}",
                    word.get(bare.len()..).unwrap_or_default()
                );
            } else {
                out.push_str(word);
            }
        }
    }

    out.replace('\n', "<br>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_do_not_break_inside_of_numbers_and_before_units() {
        assert_eq!(
            inline("« Impôt » : 1 234,50 EUR, 12 % ; `1 234 ;` ici"),
            "«\u{a0}Impôt\u{a0}»\u{a0}: 1\u{202f}234,50\u{a0}EUR, 12\u{a0}%\u{a0}; \
             <code>1 234 ;</code> ici"
        );
        assert_eq!(inline("de 2 à 3 EUROS"), "de 2 à 3 EUROS");
    }

    #[test]
    fn texts_are_escaped_and_addresses_become_links() {
        assert_eq!(
            inline("a < b `x<y` & \"c\""),
            "a &lt; b <code>x&lt;y</code> &amp; &quot;c&quot;"
        );
        assert_eq!(
            inline("voir https://example.org/a?b=1&c=2 ici"),
            "voir <a \
             href=\"https://example.org/a?b=1&amp;c=2\">https://example.org/a?b=1&amp;c=2</a> ici"
        );
    }
}
