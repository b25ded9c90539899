//! Tables as notebooks show them, without scripts.

/// A table with a caption.
pub(crate) fn table<R: IntoIterator<Item = String>>(
    caption: &str,
    heads: &[impl AsRef<str>],
    rows: impl IntoIterator<Item = R>,
) -> String {
    let heads: String = heads
        .iter()
        .map(|head| format!("<th>{}</th>", escaped(head.as_ref())))
        .collect();

    let row = |row: R| {
        let cells = row
            .into_iter()
            .map(|cell| format!("<td>{}</td>", escaped(&cell)));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let rows: String = rows.into_iter().map(row).collect();

    let caption = escaped(caption);
    format!(
        "<table>\n<caption>{caption}</caption>\n<thead><tr>{heads}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n"
    )
}

fn escaped(text: &str) -> String {
    // The ampersand first, otherwise those of the other entities would be escaped again.
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
