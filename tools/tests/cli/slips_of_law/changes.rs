//! What a value, a line or a row becomes by a slip.

use super::Draw;
use super::edits::{Written, replaced, values};

/// Two neighbouring digits that differ, exchanged.
pub(super) fn exchanged(number: &str, draw: &mut Draw) -> Option<String> {
    let signs: Vec<char> = number.chars().collect();
    let differ = |at: &usize| {
        let (one, other) = (signs[*at], signs[at + 1]);
        one.is_ascii_digit() && other.is_ascii_digit() && one != other && (*at > 0 || other != '0')
    };
    let pairs: Vec<usize> = (0..signs.len().saturating_sub(1)).filter(differ).collect();
    let at = *draw.one(&pairs)?;
    let mut signs = signs;
    signs.swap(at, at + 1);
    Some(signs.into_iter().collect())
}

/// One digit, one more or one less.
pub(super) fn another_digit(number: &str, draw: &mut Draw) -> Option<String> {
    let places: Vec<usize> = number
        .char_indices()
        .filter(|(_, sign)| ('1'..='8').contains(sign))
        .map(|(at, _)| at)
        .collect();
    let at = *draw.one(&places)?;
    let digit = number[at..].chars().next()?.to_digit(10)?;
    let digit = if draw.below(2)? == 0 && digit > 1 {
        digit - 1
    } else {
        digit + 1
    };
    Some(replaced(number, &(at..at + 1), &digit.to_string()))
}

/// The digits of a number with others after them, in groups of thousands.
pub(super) fn grouped(digits: &str) -> String {
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// The digits of a whole amount.
fn plain(amount: &str) -> Option<String> {
    let digits = amount.replace(' ', "");
    let is_whole = digits.bytes().all(|digit| digit.is_ascii_digit());
    is_whole.then_some(digits)
}

pub(super) fn ten_times(amount: &str, _: &mut Draw) -> Option<String> {
    Some(grouped(&(plain(amount)? + "0")))
}

pub(super) fn a_tenth(amount: &str, _: &mut Draw) -> Option<String> {
    let digits = plain(amount)?;
    Some(grouped(&digits[..digits.len() - 1]))
}

pub(super) fn negative(amount: &str, _: &mut Draw) -> Option<String> {
    Some(format!("-{amount}"))
}

fn separated(amount: &str, by: &str) -> Option<String> {
    amount.contains(' ').then(|| amount.replace(' ', by))
}

pub(super) fn points(amount: &str, _: &mut Draw) -> Option<String> {
    separated(amount, ".")
}

pub(super) fn commas(amount: &str, _: &mut Draw) -> Option<String> {
    separated(amount, ",")
}

pub(super) fn apostrophes(amount: &str, _: &mut Draw) -> Option<String> {
    separated(amount, "’")
}

pub(super) fn thin_spaces(amount: &str, _: &mut Draw) -> Option<String> {
    separated(amount, "\u{202f}")
}

pub(super) fn euros(amount: &str, _: &mut Draw) -> Option<String> {
    Some(format!("{amount} €"))
}

pub(super) fn without_point(rate: &str, _: &mut Draw) -> Option<String> {
    rate.contains('.').then(|| rate.replace('.', ""))
}

pub(super) fn decimal_comma(rate: &str, _: &mut Draw) -> Option<String> {
    rate.contains('.').then(|| rate.replace('.', ","))
}

pub(super) fn without_percent(rate: &str, _: &mut Draw) -> Option<String> {
    Some(rate.trim_end_matches('%').to_owned())
}

pub(super) fn a_hundredth(rate: &str, _: &mut Draw) -> Option<String> {
    let (whole, rest) = rate
        .trim_end_matches('%')
        .split_once('.')
        .unwrap_or((rate.trim_end_matches('%'), ""));
    Some(format!("0.{whole:0>2}{rest}%"))
}

pub(super) fn per_thousand(rate: &str, _: &mut Draw) -> Option<String> {
    Some(rate.replace('%', "‰"))
}

pub(super) fn nothing(_: &str, _: &mut Draw) -> Option<String> {
    Some(String::new())
}

pub(super) fn unknown_source(_: &str, _: &mut Draw) -> Option<String> {
    Some("loi-2024".to_owned())
}

/// A day in another year.
fn moved(day: &str, years: i32) -> Option<String> {
    let year: i32 = day.get(..4)?.parse().ok()?;
    Some(format!("{}{}", year + years, &day[4..]))
}

pub(super) fn year_before(day: &str, _: &mut Draw) -> Option<String> {
    moved(day, -1)
}

pub(super) fn year_after(day: &str, _: &mut Draw) -> Option<String> {
    moved(day, 1)
}

pub(super) fn another_decade(day: &str, _: &mut Draw) -> Option<String> {
    moved(day, -10)
}

pub(super) fn no_day(day: &str, _: &mut Draw) -> Option<String> {
    Some(format!("{}-31-12", day.get(..4)?))
}

pub(super) fn french_day(day: &str, _: &mut Draw) -> Option<String> {
    Some(format!(
        "{}/{}/{}",
        day.get(8..10)?,
        day.get(5..7)?,
        day.get(..4)?
    ))
}

// Values and lines that are meant.

pub(super) fn is_source(one: &Written) -> bool {
    one.key == "source"
}

pub(super) fn is_date(one: &Written) -> bool {
    one.key == "date"
}

pub(super) fn is_quota(one: &Written) -> bool {
    one.key == "calls_per_day"
}

/// A number that a case expects rather than sends, by its name.
pub(super) fn is_expected(one: &Written) -> bool {
    let is_number = one
        .value
        .bytes()
        .all(|digit| digit.is_ascii_digit() || b" .".contains(&digit));
    let is_sent =
        ["date", "year", "annee", "brut", "revenu", "montant", "part"].contains(&&*one.key);
    is_number && one.value.len() > 2 && !is_sent
}

pub(super) fn any(_: &str) -> bool {
    true
}

pub(super) fn is_indented(line: &str) -> bool {
    line.starts_with("  ")
}

pub(super) fn is_titled(line: &str) -> bool {
    line.contains("title: \"")
}

pub(super) fn is_braced(line: &str) -> bool {
    line.contains('}')
}

pub(super) fn is_long(line: &str) -> bool {
    line.len() > 30
}

/// A figure on one line.
pub(super) fn is_figure(line: &str) -> bool {
    line.starts_with("  ") && !line.starts_with("   ") && line.contains(": {") && ends_in(line, "}")
}

pub(super) fn is_step(line: &str) -> bool {
    line.contains(": {") && ends_in(line, "}")
}

pub(super) fn is_endpoint(line: &str) -> bool {
    line.starts_with("  ") && line.contains("folder:")
}

/// A case on one line that expects values.
pub(super) fn is_case(line: &str) -> bool {
    line.starts_with("  - {name")
        && line.contains(", expect: {")
        && line.contains("}, origin")
        && ends_in(line, "}}")
}

fn ends_in(line: &str, end: &str) -> bool {
    line.trim_end().ends_with(end)
}

// Lines.

pub(super) fn no_line(_: &str) -> String {
    String::new()
}

pub(super) fn twice(line: &str) -> String {
    line.repeat(2)
}

pub(super) fn tab(line: &str) -> String {
    line.replacen("  ", "\t", 1)
}

pub(super) fn no_break(line: &str) -> String {
    line.replacen("  ", " \u{a0}", 1)
}

pub(super) fn wider(line: &str) -> String {
    format!(" {line}")
}

pub(super) fn typographic_quotes(line: &str) -> String {
    line.replacen('"', "“", 1).replacen('"', "”", 1)
}

pub(super) fn open_quote(line: &str) -> String {
    line.replacen("\",", ",", 1)
}

pub(super) fn open_brace(line: &str) -> String {
    line.replacen('}', "", 1)
}

pub(super) fn half(line: &str) -> String {
    let half: String = line.chars().take(line.chars().count() / 2).collect();
    half + "\n"
}

pub(super) fn two_versions(line: &str) -> String {
    format!("<<<<<<< HEAD\n{line}=======\n{line}>>>>>>> lf2027\n")
}

/// A case without its expectations.
pub(super) fn without_expect(line: &str) -> String {
    let (before, rest) = line.split_once("expect: {").unwrap_or_default();
    let after = rest.split_once("}, origin").map_or("", |(_, after)| after);
    format!("{before}origin{after}")
}

// Rows.

pub(super) fn row_lost(mut rows: Vec<String>, at: usize) -> Option<Vec<String>> {
    rows.remove(at);
    Some(rows)
}

pub(super) fn row_twice(mut rows: Vec<String>, at: usize) -> Option<Vec<String>> {
    rows.insert(at, rows[at].clone());
    Some(rows)
}

pub(super) fn rows_exchanged(mut rows: Vec<String>, at: usize) -> Option<Vec<String>> {
    rows.swap(at, at + 1);
    Some(rows)
}

/// A row before its value, the value with its key, and what follows it.
fn parts(row: &str) -> Option<(&str, &str, &str)> {
    let start = row.rfind("rate: ").or_else(|| row.rfind("montant: "))?;
    let end = start + row[start..].find([',', '}'])?;
    Some((&row[..start], &row[start..end], &row[end..]))
}

pub(super) fn values_exchanged(mut rows: Vec<String>, at: usize) -> Option<Vec<String>> {
    let (one, other) = (rows[at].clone(), rows[at + 1].clone());
    let ((start, value, end), (before, last, rest)) = (parts(&one)?, parts(&other)?);
    rows[at] = [start, last, end].concat();
    rows[at + 1] = [before, value, rest].concat();
    Some(rows)
}

pub(super) fn value_copied(mut rows: Vec<String>, at: usize) -> Option<Vec<String>> {
    let (one, other) = (rows[at].clone(), rows[at + 1].clone());
    let ((start, _, end), (_, value, _)) = (parts(&one)?, parts(&other)?);
    rows[at] = [start, value, end].concat();
    Some(rows)
}

// Files.

fn kept(text: &str, is_meant: impl Fn(&Written) -> bool) -> Vec<Written> {
    let all = values(text, "figures").into_iter();
    all.filter(|one| is_meant(one)).collect()
}

pub(super) fn of_another_figure(text: &str, draw: &mut Draw) -> Option<String> {
    let all = kept(text, Written::is_amount);
    let (one, other) = (draw.one(&all)?, draw.one(&all)?);
    (one.value != other.value).then(|| replaced(text, &one.place, &other.value))
}

pub(super) fn amounts_exchanged(text: &str, draw: &mut Draw) -> Option<String> {
    let all = kept(text, Written::is_amount);
    let mut two = [draw.one(&all)?, draw.one(&all)?];
    two.sort_by_key(|one| one.place.start);
    let [first, last] = two;
    (first.value != last.value).then(|| {
        let text = replaced(text, &last.place, &first.value);
        replaced(&text, &first.place, &last.value)
    })
}

/// A figure that cites another source of the file than its own.
pub(super) fn another_source(text: &str, draw: &mut Draw) -> Option<String> {
    let all = kept(text, is_source);
    let (one, other) = (draw.one(&all)?, draw.one(&all)?);
    (one.value != other.value).then(|| replaced(text, &one.place, &other.value))
}

/// The first line that starts so, changed.
fn top(text: &str, start: &str, to: impl Fn(&str) -> String) -> Option<String> {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let line = lines.iter_mut().find(|line| line.starts_with(start))?;
    *line = to(line);
    Some(lines.concat())
}

pub(super) fn title_of_another_year(text: &str, _: &mut Draw) -> Option<String> {
    top(text, "title: ", |line| line.replace("2026", "2025"))
}

pub(super) fn known_for_long(text: &str, _: &mut Draw) -> Option<String> {
    let without: String = text
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("known_until"))
        .collect();
    top(&without, "title: ", |line| {
        format!("{line}known_until: 2029-12-31\n")
    })
}

pub(super) fn ended_early(text: &str, _: &mut Draw) -> Option<String> {
    top(text, "title: ", |line| format!("{line}until: 2009-12-31\n"))
}

pub(super) fn another_folder(text: &str, _: &mut Draw) -> Option<String> {
    top(text, "folder: ", |_| "folder: salaire-net/zz\n".to_owned())
}

pub(super) fn half_file(text: &str, _: &mut Draw) -> Option<String> {
    Some(text.chars().take(text.chars().count() / 2).collect())
}

pub(super) fn windows_lines(text: &str, _: &mut Draw) -> Option<String> {
    Some(text.replace('\n', "\r\n"))
}
