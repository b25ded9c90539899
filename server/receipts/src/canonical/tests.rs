//! Tests of the canonical form: the texts that are written, and those that are refused.

use super::*;

#[test]
fn the_examples_of_rfc_8785_are_written_as_it_has_them() {
    // Section 3.2.2, but for the number of 17 digits, which a double does not hold.
    let sample = r#"{
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
    }"#;
    assert_eq!(
        canonical(sample).unwrap(),
        "{\"literals\":[null,true,false],\
         \"numbers\":[333333333.33333329,1e+30,4.5,0.002,1e-27],\
         \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}"
    );

    // Section 3.2.3.
    let sample = r#"{
        "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis"
    }"#;
    let expected = "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\
         \"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\
         \"😀\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}";
    assert_eq!(canonical(sample).unwrap(), expected);
    assert_eq!(canonical(expected).unwrap(), expected);
}

#[test]
fn a_member_is_left_out_of_the_outermost_object_alone() {
    let text = r#"{"b":1, "recu": {"x": [1, 2]}, "a":{"recu":2}}"#;
    let found = without(text, "recu").unwrap();
    assert_eq!(found.rest, r#"{"a":{"recu":2},"b":1}"#);
    assert_eq!(found.member, Some(r#"{"x": [1, 2]}"#));
    for (text, rest) in [
        (r#"{"recu":1}"#, "{}"),
        (r#"{"recu":1,"a":2}"#, r#"{"a":2}"#),
        (r#"{"a":2,"recu":1}"#, r#"{"a":2}"#),
        (r#"{"a":2,"r\u0065cu":1}"#, r#"{"a":2}"#),
    ] {
        let found = without(text, "recu").unwrap();
        assert_eq!((found.rest.as_str(), found.member.is_some()), (rest, true));
    }
    let twice = without(r#"{"recu":1,"a":2,"recu":1}"#, "recu");
    assert!(matches!(twice, Err(CanonicalError::Repeated(_))));
}

#[test]
fn what_readers_may_read_in_several_ways_is_refused() {
    for text in [
        r#"{"a":1,"a":2}"#,
        r#"{"b":0,"a":1,"\u0061":2}"#,
        r#"[{"a":1,"b":2,"a":1}]"#,
    ] {
        let refused = canonical(text);
        assert!(
            matches!(refused, Err(CanonicalError::Repeated(_))),
            "{text}"
        );
    }
    for text in [
        "",
        " ",
        "{",
        "[1,]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\":1,}",
        "{a:1}",
        "nul",
        "1 2",
        "\"a",
        "\"\\x\"",
        "\"\\ud83d\"",
        "\"\\ud83dx\"",
        "\"\\ude00\"",
        "\"\\u00g0\"",
        "\"\n\"",
        "{\"a\":1}x",
        "'a'",
        "\"\\ud83d\\u0041\"",
        "[1,,2]",
        "\u{feff}1",
    ] {
        let refused = canonical(text);
        assert!(matches!(refused, Err(CanonicalError::Syntax(_))), "{text}");
    }
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(canonical(&deep(MOST_DEPTH)).is_ok());
    assert!(matches!(
        canonical(&deep(MOST_DEPTH + 1)),
        Err(CanonicalError::Depth(_))
    ));
}

#[test]
fn a_text_is_written_as_it_is_read() {
    let text = "a\"b\\c\u{1}\n\té😀\u{7f}/";
    let mut written = String::new();
    write_text(text, &mut written);
    let back: String = serde_json::from_str(&written).unwrap();
    assert_eq!(back, text);
    assert_eq!(canonical(&written).unwrap(), written);
}
