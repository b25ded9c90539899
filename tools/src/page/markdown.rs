//! A page in Markdown, for a pull request or a site.

use std::fmt::Write as _;

use super::{Block, Page};

impl Page {
    /// The page in Markdown.
    pub(crate) fn to_markdown(&self) -> String {
        let mut out = String::new();
        if !self.title.is_empty() {
            let _ = writeln!(out, "# {}", self.title);
        }
        for block in &self.blocks {
            // Markdown separates blocks by an empty line.
            if !out.is_empty() {
                out.push('\n');
            }

            match block {
                Block::Heading(text) => {
                    let _ = writeln!(out, "## {text}");
                }
                Block::Text(text, _) => {
                    let _ = writeln!(out, "{text}");
                }
                Block::List(items) => {
                    for item in items {
                        let _ = writeln!(out, "- {item}");
                    }
                }
                Block::Links(links) => {
                    for (title, file) in links {
                        let _ = writeln!(out, "- [{title}]({file})");
                    }
                }
                Block::Table(table) => out.push_str(&table.markdown()),
                Block::Verbatim(text, _) => {
                    // A fence keeps the columns of preformatted lines, and tells a language,
                    // otherwise GitHub guesses one.
                    let _ = writeln!(out, "```text\n{}\n```", text.trim_end());
                }
                // Markdown renderers drop inline SVG, so only the caption is kept.
                Block::Drawing { caption, .. } => {
                    let _ = writeln!(out, "_{caption}_");
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use bareme_show::Table;

    use super::*;

    #[test]
    fn a_bar_in_a_cell_does_not_cut_the_table() {
        let mut page = Page::titled("Essai");
        let mut table = Table::default().text("a").number("b");
        table.row(["x|y".into(), "1".into()]);
        page.table(table);
        assert_eq!(
            page.to_markdown(),
            "# Essai\n\n| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n"
        );
    }
}
