//! The structure of a YAML file, made from the events of the parser, with the place of each key and
//! value.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput, Tag};

use crate::text::limits::{Limit, NESTING, VALUES};

/// A value before it is checked.
#[derive(Clone)]
pub(super) struct Raw<'a> {
    /// Bytes of a scalar; of a list or map, those with which it starts.
    pub span: Range<usize>,
    /// Bytes of the alias (`*name`) that the file has in place of the value.
    pub alias: Option<Range<usize>>,
    /// Whether an anchor (`&name`) or a tag (`!name`) is written before the value.
    pub has_mark: bool,
    pub content: RawContent<'a>,
}

#[derive(Clone)]
pub(super) enum RawContent<'a> {
    Nothing,
    /// A scalar without quotes.
    Plain(Cow<'a, str>),
    /// A scalar in quotes, or a block of text (`|`, `>`).
    Quoted(Cow<'a, str>),
    Map(Vec<(RawKey<'a>, Raw<'a>)>),
    List(Vec<Raw<'a>>),
}

#[derive(Clone)]
pub(super) struct RawKey<'a> {
    pub span: Range<usize>,
    /// Whether an anchor (`&name`) or a tag (`!name`) is written before the key.
    pub has_mark: bool,
    pub text: Cow<'a, str>,
}

/// The reason for which a file was not read to its end.
pub(super) enum ParseError {
    /// A limit was exceeded at an offset.
    Limit(&'static Limit, usize),
    /// The text is not YAML from an offset on, in the words of the parser.
    Syntax(String, usize),
}

/// Reads a text that is one document; an empty text is [`RawContent::Nothing`].
pub(super) fn parse(text: &str) -> Result<Raw<'_>, ParseError> {
    // Comments have no meaning here: without this option they would be events to skip.
    let options = granit_parser::options! { emit_comments: false };
    let mut events = Events {
        parser: Parser::new_from_str_with_options(text, options),
        nodes: 0,
        anchored: HashMap::new(),
    };

    let Some((event, span)) = events.next()? else {
        return Ok(nothing(0..0, None));
    };
    let document = events.node(event, &span, 0)?;

    // A second document after `---` would go unread: better to refuse it.
    match events.next()? {
        Some((_, span)) => Err(ParseError::Syntax(
            "multiple YAML documents".to_owned(),
            bytes(&span).start,
        )),
        None => Ok(document),
    }
}

struct Events<'a> {
    parser: Parser<'a, StrInput<'a>>,
    /// Keys and values so far, with those that aliases repeat.
    nodes: usize,
    /// Values with an anchor, by its number.
    anchored: HashMap<usize, Raw<'a>>,
}

impl<'a> Events<'a> {
    /// The next event of a value, or of the end of a list or map.
    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, ParseError> {
        for event in self.parser.by_ref() {
            match event.map_err(|error| syntax(&error))? {
                (
                    Event::StreamStart
                    | Event::StreamEnd
                    | Event::DocumentStart(..)
                    | Event::DocumentEnd,
                    _,
                ) => {}
                found => return Ok(Some(found)),
            }
        }
        Ok(None)
    }

    /// The next event of an open list or map.
    fn inside(&mut self) -> Result<(Event<'a>, Span), ParseError> {
        self.next()?
            .ok_or_else(|| ParseError::Syntax("unexpected end".to_owned(), 0))
    }

    /// The value that an event starts, in `depth` lists and maps.
    fn node(&mut self, event: Event<'a>, span: &Span, depth: usize) -> Result<Raw<'a>, ParseError> {
        let place = bytes(span);
        self.count(1, place.start)?;

        let (anchor, tag, content) = match event {
            Event::Scalar(text, style, anchor, tag) => (anchor, tag, scalar(text, style)),
            Event::SequenceStart(_, anchor, tag) => {
                (anchor, tag, RawContent::List(self.list(&place, depth + 1)?))
            }
            Event::MappingStart(_, anchor, tag) => {
                (anchor, tag, RawContent::Map(self.map(&place, depth + 1)?))
            }
            Event::Alias(anchor) => return self.repeated(anchor, &place),
            _ => return Err(no_value(place.start)),
        };

        let node = Raw {
            span: place,
            alias: None,
            has_mark: has_mark(anchor, tag.as_deref()),
            content,
        };

        // An anchor is an error, reported later by its mark. Its value is kept all the same, so
        // that the checks go on with what its aliases repeat.
        if anchor != 0 {
            self.anchored.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn list(&mut self, start: &Range<usize>, depth: usize) -> Result<Vec<Raw<'a>>, ParseError> {
        nest(depth, start)?;
        let mut items = Vec::new();
        loop {
            match self.inside()? {
                (Event::SequenceEnd, _) => return Ok(items),
                (event, span) => items.push(self.node(event, &span, depth)?),
            }
        }
    }

    fn map(
        &mut self,
        start: &Range<usize>,
        depth: usize,
    ) -> Result<Vec<(RawKey<'a>, Raw<'a>)>, ParseError> {
        nest(depth, start)?;
        let mut pairs = Vec::new();
        loop {
            let (event, span) = self.inside()?;
            let place = bytes(&span);

            // A list or a map as a key (`? [a]`), and an empty one, are YAML but name nothing.
            let key = match event {
                Event::MappingEnd => return Ok(pairs),
                Event::Alias(_) => {
                    return Err(ParseError::Syntax("unknown anchor".to_owned(), place.start));
                }
                Event::Scalar(text, style, anchor, tag) if !is_nothing(&text, style) => RawKey {
                    span: place,
                    has_mark: has_mark(anchor, tag.as_deref()),
                    text,
                },
                _ => return Err(no_value(place.start)),
            };

            self.count(1, key.span.start)?;
            let (event, span) = self.inside()?;
            pairs.push((key, self.node(event, &span, depth)?));
        }
    }

    /// The value of an anchor once more, in the place of an alias.
    fn repeated(&mut self, anchor: usize, place: &Range<usize>) -> Result<Raw<'a>, ParseError> {
        // The value of an alias within that value is not known yet.
        let Some(node) = self.anchored.get(&anchor) else {
            return Ok(nothing(place.clone(), Some(place.clone())));
        };

        // Ten aliases of ten aliases, nine times over, are a billion values: they count as often as
        // they are repeated.
        let more = size(node);
        let node = Raw {
            alias: Some(place.clone()),
            ..node.clone()
        };

        self.count(more, place.start)?;
        Ok(node)
    }

    /// Counts keys and values up to the limit.
    fn count(&mut self, more: usize, at: usize) -> Result<(), ParseError> {
        self.nodes += more;
        if self.nodes > VALUES.most {
            Err(ParseError::Limit(&VALUES, at))
        } else {
            Ok(())
        }
    }
}

/// Keys and values of a value, itself included.
fn size(node: &Raw) -> usize {
    1 + match &node.content {
        RawContent::Map(pairs) => pairs.iter().map(|(_, value)| 1 + size(value)).sum(),
        RawContent::List(items) => items.iter().map(size).sum(),
        RawContent::Nothing | RawContent::Plain(_) | RawContent::Quoted(_) => 0,
    }
}

fn nothing<'a>(span: Range<usize>, alias: Option<Range<usize>>) -> Raw<'a> {
    Raw {
        span,
        alias,
        has_mark: false,
        content: RawContent::Nothing,
    }
}

fn scalar(text: Cow<str>, style: ScalarStyle) -> RawContent {
    match style {
        ScalarStyle::Plain if is_nothing(&text, style) => RawContent::Nothing,
        ScalarStyle::Plain => RawContent::Plain(text),
        _ => RawContent::Quoted(text),
    }
}

/// Whether YAML reads a scalar as no value at all.
fn is_nothing(text: &str, style: ScalarStyle) -> bool {
    style == ScalarStyle::Plain && matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

fn has_mark(anchor: usize, tag: Option<&Tag>) -> bool {
    anchor != 0 || tag.is_some()
}

/// Refuses what is nested too deep: whatever reads the values does so by recursion.
fn nest(depth: usize, start: &Range<usize>) -> Result<(), ParseError> {
    if depth > NESTING.most {
        Err(ParseError::Limit(&NESTING, start.start))
    } else {
        Ok(())
    }
}

fn no_value(at: usize) -> ParseError {
    ParseError::Syntax("a key is a word".to_owned(), at)
}

fn syntax(error: &ScanError) -> ParseError {
    ParseError::Syntax(
        error.info(),
        error.marker().byte_offset().unwrap_or_default(),
    )
}

fn bytes(span: &Span) -> Range<usize> {
    span.byte_range().unwrap_or_default()
}
