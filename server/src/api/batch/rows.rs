//! Parsing of the rows of a batch. Only the row that cannot be parsed has an error: the others are computed.

use std::fmt;

use bareme_engine::text::{BadParameter, ParameterCode};
use bareme_show::Text;
use csv::{ByteRecord, StringRecord};
use hyper::body::Bytes;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::form::Form;
use crate::wire::problem::{Problem, kinds};
use crate::wire::query::{MAX_PARAMETERS, Query, too_many};

/// Name of the parameter in an error of a whole row.
const ROW: &str = "ligne";

/// The parameters of a row, parsed with those that cannot be; or the error of the row.
pub(crate) type Row = Result<Query, Problem>;

/// Form of the values of a JSON row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Values {
    /// One value.
    Single,
    /// One value, or an array with one for each month.
    Lists,
}

/// The rows of a batch: counted when the body arrives, each parsed when its turn to be computed comes, so that a batch
/// holds little more than its body.
#[derive(Debug)]
pub(crate) struct Rows {
    /// The text of each row, a part of the body.
    rows: Vec<Bytes>,
    /// The format of the rows, with the separator found.
    pub form: Form,
    /// The names of the columns, where the first line gives them.
    pub columns: Option<Vec<String>>,
    /// The cells of the first line: the names of the columns, and the empty ones that spreadsheets add.
    header: Vec<String>,
    values: Values,
}

impl Rows {
    /// The rows of a body, at most `most`.
    ///
    /// # Errors
    /// A body that is malformed, has no rows, or too many.
    pub(crate) fn read(
        body: &Bytes,
        form: Form,
        most: usize,
        values: Values,
    ) -> Result<Self, Problem> {
        // A byte order mark, which some editors write.
        let start = if body.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let body = body.slice(start..);

        let mut counted = Counted { rows: Vec::new(), most, count: 0 };
        let header = match form {
            Form::Array => array(&body, &mut counted)?,
            Form::Lines => lines(&body, &mut counted),
            Form::Csv(_) => csv(&body, &mut counted)?,
        };
        match counted.count {
            0 => return Err(unreadable("le lot n’a aucune ligne", "the batch has no row")),
            count if count > most => return Err(Problem::too_many_rows(count, most)),
            _ => {}
        }

        let Header { form, cells } = header;
        let names = cells.iter().filter(|name| !name.is_empty()).cloned().collect();
        let columns = matches!(form, Form::Csv(_)).then_some(names);
        Ok(Self { rows: counted.rows, form, columns, header: cells, values })
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Parses a row; `None` beyond the last one.
    pub(crate) fn row(&self, index: usize) -> Option<Row> {
        let text = self.rows.get(index)?;
        Some(match self.form {
            Form::Array | Form::Lines => json_row(text, self.values),
            Form::Csv(separator) => csv_row(text, &self.header, separator),
        })
    }
}

/// The rows of a body while it is read: those beyond the limit are counted, and not kept.
struct Counted {
    rows: Vec<Bytes>,
    most: usize,
    count: usize,
}

impl Counted {
    fn add(&mut self, row: impl FnOnce() -> Bytes) {
        self.count = self.count.saturating_add(1);
        if self.count <= self.most {
            self.rows.push(row());
        }
    }
}

/// What precedes the rows: the format, with the separator found, and the cells of the first line.
struct Header {
    form: Form,
    cells: Vec<String>,
}

fn unreadable(fr: &str, en: &str) -> Problem {
    Problem::new(&kinds::BATCH_UNREADABLE, (format!("Batch illisible : {fr}."), format!("Unreadable batch: {en}.")))
}

/// Counts the items of a JSON array.
fn array(body: &Bytes, counted: &mut Counted) -> Result<Header, Problem> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let read = reader.deserialize_seq(Items { body, counted }).and_then(|()| reader.end());
    read.map_err(|error| {
        let (line, column) = (error.line(), error.column());
        unreadable(
            &format!("un tableau JSON d’objets est attendu (ligne {line}, colonne {column} : {error})"),
            &format!("a JSON array of objects is expected (line {line}, column {column}: {error})"),
        )
    })?;
    Ok(Header { form: Form::Array, cells: Vec::new() })
}

/// Reads the items of an array into the rows that are counted.
struct Items<'b> {
    body: &'b Bytes,
    counted: &'b mut Counted,
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a sequence")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<(), S::Error> {
        while let Some(item) = items.next_element::<&RawValue>()? {
            self.counted.add(|| self.body.slice_ref(item.get().as_bytes()));
        }
        Ok(())
    }
}

fn lines(body: &Bytes, counted: &mut Counted) -> Header {
    let lines = body.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines
        .filter(|line| !line.is_empty())
        .for_each(|line| counted.add(|| body.slice_ref(line)));
    Header { form: Form::Lines, cells: Vec::new() }
}

/// The expected form of a JSON row.
const OBJECT: (&str, &str) = ("un objet JSON, `{\"revenu\": 30000}`", "a JSON object, `{\"revenu\": 30000}`");

/// A row with an error as a whole.
fn bad_row(reason: impl Into<Text<String>>, expected: impl Into<Text<String>>) -> Row {
    let bad = BadParameter::new(ROW, ParameterCode::Format, reason, None, expected);
    Err(Problem::parameters(vec![bad]))
}

/// The members of an object, in order, with their values as raw JSON.
struct Members<'j>(Vec<(String, &'j RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Of;
        impl<'de> Visitor<'de> for Of {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Of)
    }
}

/// Parses a row of JSON.
fn json_row(text: &[u8], values: Values) -> Row {
    match std::str::from_utf8(text) {
        Ok(text) => object(text, values),
        Err(_) => bad_row(("La ligne n’est pas un texte UTF-8.", "The row is not UTF-8 text."), OBJECT),
    }
}

/// Parses a row from an object. Numbers keep their digits; `null` is a parameter that is not sent, or in a list an
/// empty place.
fn object(text: &str, values: Values) -> Row {
    let Ok(Members(members)) = serde_json::from_str(text) else {
        let reason = ("La ligne n’est pas un objet JSON.", "The row is not a JSON object.");
        return bad_row(reason, OBJECT);
    };
    let mut query = Query::default();
    query.bad.extend(members.get(MAX_PARAMETERS).map(|(name, _)| too_many(name)));
    for (name, value) in members.into_iter().take(MAX_PARAMETERS) {
        let list = Some(value.get()).filter(|text| values == Values::Lists && text.starts_with('['));
        let read = match list {
            Some(list) => list_of(list).map(Some),
            None => text_of(value.get()),
        };
        match read {
            Ok(Some(value)) => query.pairs.push((name, value)),
            Ok(None) => {}
            Err(()) => query.bad.push(not_one_value(&name, value.get(), values)),
        }
    }
    Ok(query)
}

fn not_one_value(name: &str, received: &str, values: Values) -> BadParameter {
    let (reason, expected) = match values {
        Values::Single => (
            ("Une seule valeur est attendue.", "A single value is expected."),
            ("un nombre, un texte, `true` ou `false`", "a number, a text, `true` or `false`"),
        ),
        Values::Lists => (
            (
                "Une valeur, ou une liste d’une valeur par mois, est attendue.",
                "A value, or a list of one value a month, is expected.",
            ),
            ("un nombre, un texte, ou leur tableau", "a number, a text, or an array of them"),
        ),
    };
    BadParameter::new(name, ParameterCode::Format, reason, Some(received), expected)
}

/// An array as a query writes a list: values separated by `;`, `null` for an empty place.
fn list_of(json: &str) -> Result<String, ()> {
    let items: Vec<&RawValue> = serde_json::from_str(json).map_err(|_| ())?;
    let texts: Result<Vec<String>, ()> =
        items.into_iter().map(|item| text_of(item.get()).map(Option::unwrap_or_default)).collect();
    let texts = texts?;
    // A value of a list cannot contain its separator.
    if texts.is_empty() || texts.iter().any(|text| text.contains(';')) { Err(()) } else { Ok(texts.join(";")) }
}

/// A value as a query writes it.
fn text_of(json: &str) -> Result<Option<String>, ()> {
    match json.as_bytes().first() {
        Some(b'"') => serde_json::from_str(json).map(Some).map_err(|_| ()),
        Some(b'[' | b'{') => Err(()),
        Some(b'n') => Ok(None),
        _ => Ok(Some(json.to_owned())),
    }
}

/// A reader of CSV; a row may have another number of cells than the first line.
fn csv_reader(body: &[u8], separator: u8) -> csv::Reader<&[u8]> {
    let mut builder = csv::ReaderBuilder::new();
    builder.delimiter(separator).flexible(true).trim(csv::Trim::All).has_headers(false);
    builder.from_reader(body)
}

/// Counts the rows of a CSV, and reads the names of its columns.
fn csv(body: &Bytes, counted: &mut Counted) -> Result<Header, Problem> {
    let separator = separator(body);
    let mut reader = csv_reader(body, separator);
    let mut header = StringRecord::new();
    let read = reader.read_record(&mut header);
    read.map_err(|error| unreadable(&error.to_string(), &error.to_string()))?;
    if header.len() > MAX_PARAMETERS {
        return Err(unreadable(
            &format!("la première ligne a plus de {MAX_PARAMETERS} colonnes"),
            &format!("the first line has more than {MAX_PARAMETERS} columns"),
        ));
    }

    let place = |reader: &csv::Reader<&[u8]>| {
        usize::try_from(reader.position().byte()).unwrap_or(usize::MAX).min(body.len())
    };
    let (mut start, mut record) = (place(&reader), ByteRecord::new());
    // Reading bytes from memory cannot fail.
    while reader.read_byte_record(&mut record).unwrap_or_default() {
        let end = place(&reader);
        counted.add(|| body.slice(start..end));
        start = end;
    }
    let cells = header.iter().map(str::to_owned).collect();
    Ok(Header { form: Form::Csv(separator), cells })
}

/// Parses a row of a CSV whose first line has these cells.
fn csv_row(text: &[u8], header: &[String], separator: u8) -> Row {
    let mut record = StringRecord::new();
    if csv_reader(text, separator).read_record(&mut record).is_err() {
        return bad_row(
            ("La ligne n’est pas un texte UTF-8.", "The row is not UTF-8 text."),
            ("un texte UTF-8", "UTF-8 text"),
        );
    }
    let (found, expected) = (record.len(), header.len());
    if found != expected {
        return bad_row(
            (format!("La ligne a {found} cellules."), format!("The row has {found} cells.")),
            (format!("{expected}, comme la première ligne"), format!("{expected}, as the first line has")),
        );
    }
    // Spreadsheets add empty columns without a name at the end.
    let cells = header.iter().zip(&record).filter(|(name, cell)| !(name.is_empty() && cell.is_empty()));
    let pairs = cells.map(|(name, cell)| (name.clone(), cell.to_owned())).collect();
    Ok(Query { pairs, bad: Vec::new() })
}

/// The separator of the cells: the most frequent one of the first line.
fn separator(body: &[u8]) -> u8 {
    let first = body.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |separator: u8| first.iter().filter(|byte| **byte == separator).count();
    let of_some = [b',', b';', b'\t'].into_iter().rev().max_by_key(|separator| count(*separator));
    of_some.filter(|separator| count(*separator) > 0).unwrap_or(b',')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, form: Form) -> Rows {
        Rows::read(&Bytes::copy_from_slice(text.as_bytes()), form, 10, Values::Single).unwrap()
    }

    fn shown(rows: &Rows) -> Vec<String> {
        let row = |row: Row| {
            let Ok(query) = &row else { return "illisible".to_owned() };
            let pairs = query.pairs.iter().map(|(name, value)| format!("{name}={value}"));
            let bad = query.bad.iter().map(|bad| format!("{} {}", bad.name, bad.code));
            pairs.chain(bad).collect::<Vec<_>>().join(" ")
        };
        (0..rows.len()).map(|index| row(rows.row(index).unwrap())).collect()
    }

    #[test]
    fn numbers_of_json_keep_their_digits_and_repeated_members_stay() {
        let text = r#"[{"brut": 2916.6666666666665, "cadre": true, "x": null}, {"brut": 1e3, "brut": "2 500"},
            {"brut": [1]}, 7, {"brut": 9007199254740993.10}]"#;
        let rows = shown(&read(text, Form::Array));
        assert_eq!(rows[0], "brut=2916.6666666666665 cadre=true");
        assert_eq!(rows[1], "brut=1e3 brut=2 500");
        assert_eq!(rows[2], "brut format");
        assert_eq!(rows[3], "illisible");
        assert_eq!(rows[4], "brut=9007199254740993.10");
    }

    #[test]
    fn an_array_is_a_list_of_months_where_a_year_is_asked() {
        let text = r#"[{"brut": [2600, 2650.10, null], "taux_pas": ["neutre", 5, ""]}, {"brut": []}, {"brut": [[1]]},
            {"brut": ["1;2"]}, {"brut": {}}]"#;
        let rows = Rows::read(&Bytes::from(text), Form::Array, 10, Values::Lists).unwrap();
        let refused = ["brut format"; 4];
        assert_eq!(shown(&rows), [&["brut=2600;2650.10; taux_pas=neutre;5;"][..], &refused].concat());
    }

    #[test]
    fn a_line_that_cannot_be_read_is_that_row_alone() {
        let rows = read("{\"brut\": 1}\n\n{\"brut\": \r\n{\"brut\": 3}\r\n", Form::Lines);
        assert_eq!(shown(&rows), ["brut=1", "illisible", "brut=3"]);
    }

    #[test]
    fn csv_is_read_with_the_separator_that_it_has() {
        let rows = read("\u{feff}brut;cadre;\n2500;true;\n\n\"2 600\";;\n1;2\n", Form::Csv(b','));
        assert_eq!(rows.form, Form::Csv(b';'));
        assert_eq!(rows.columns.as_deref(), Some(&["brut".to_owned(), "cadre".to_owned()][..]));
        assert_eq!(shown(&rows), ["brut=2500 cadre=true", "brut=2 600 cadre=", "illisible"]);
        assert_eq!(read("brut\n1\n", Form::Csv(b',')).form, Form::Csv(b','));
    }

    #[test]
    fn no_row_and_too_many_rows_are_refused() {
        let code = |text: &str, form| {
            let body = Bytes::copy_from_slice(text.as_bytes());
            Rows::read(&body, form, 2, Values::Single).unwrap_err().kind.code
        };
        for (text, form) in [("[]", Form::Array), ("", Form::Lines), ("\n", Form::Lines), ("brut\n", Form::Csv(b','))] {
            assert_eq!(code(text, form), "lot_illisible", "{text}");
        }
        for text in ["", "{}", "[{}", "[{}] x", "nul"] {
            assert_eq!(code(text, Form::Array), "lot_illisible", "{text}");
        }
        assert_eq!(code("[{},{},{}]", Form::Array), "lot_trop_grand");
        assert_eq!(code(&format!("{}\n1\n", "a,".repeat(MAX_PARAMETERS)), Form::Csv(b',')), "lot_illisible");
    }

    #[test]
    fn a_row_has_no_more_parameters_than_a_query() {
        let members = |count: usize| format!("[{{{}}}]", vec!["\"a\": 1"; count].join(","));
        let bad = |count| read(&members(count), Form::Array).row(0).unwrap().unwrap();
        assert_eq!((bad(MAX_PARAMETERS).pairs.len(), bad(MAX_PARAMETERS).bad.len()), (MAX_PARAMETERS, 0));
        let flood = bad(100_000);
        assert_eq!((flood.pairs.len(), flood.bad[0].code), (MAX_PARAMETERS, ParameterCode::TooMany));
    }
}
