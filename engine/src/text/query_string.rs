//! Query strings of addresses.

/// A value, percent-encoded.
pub fn percent_encoded(value: &str) -> String {
    let mut text = String::new();
    // `;` separates the months of a year of pays, and stays readable.
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b';' => {
                text.push(byte.into())
            }
            other => text.push_str(&format!("%{other:02X}")),
        }
    }

    text
}

/// A query string from names and values.
///
/// ```
/// let pairs = [("pays".to_owned(), "ci".to_owned()), ("nom".to_owned(), "à part".to_owned())];
/// assert_eq!(bareme_engine::text::query_string::from_pairs(&pairs), "pays=ci&nom=%C3%A0%20part");
/// ```
pub fn from_pairs<'p>(pairs: impl IntoIterator<Item = &'p (String, String)>) -> String {
    let pairs: Vec<String> = pairs
        .into_iter()
        .map(|(name, value)| format!("{name}={}", percent_encoded(value)))
        .collect();
    pairs.join("&")
}
