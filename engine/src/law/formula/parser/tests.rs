use super::*;

fn shown(ast: &Ast) -> String {
    match &ast.node {
        AstNode::Number(value) => value.to_string(),
        AstNode::Boolean(value) => value.to_string(),
        AstNode::Name(name) => name.clone(),
        AstNode::Member(owner, name) => format!("{owner}.{name}"),
        AstNode::Negative(inner) => format!("(- {})", shown(inner)),
        AstNode::Not(inner) => format!("(not {})", shown(inner)),
        AstNode::Binary(op, left, right) => {
            format!("({} {} {})", op.symbol(), shown(left), shown(right))
        }
        AstNode::If(c, a, b) => format!("(if {} {} {})", shown(c), shown(a), shown(b)),
        AstNode::Call(f, args) => {
            format!(
                "({} {})",
                f.name,
                args.iter().map(shown).collect::<Vec<_>>().join(" ")
            )
        }
    }
}

#[test]
fn operators_bind_as_in_the_law_books() {
    for (text, expected) in [
        ("a + b * c - d", "(- (+ a (* b c)) d)"),
        ("-a * b", "(* (- a) b)"),
        ("not a = b and c or d", "(or (and (not (= a b)) c) d)"),
        ("if a then b else c + 1", "(if a b (+ c 1))"),
        ("min(a; b.c; 2.5) / 12", "(/ (min a b.c 2.5) 12)"),
        ("(a + b) * c", "(* (+ a b) c)"),
    ] {
        assert_eq!(
            parse(text).map(|ast| shown(&ast)).unwrap(),
            expected,
            "{text}"
        );
    }
}

#[test]
fn a_mistake_is_reported_at_its_place() {
    for (text, start, code) in [
        ("a +", 3, "F02"),
        ("min(a, b)", 5, "F03"),
        ("a < b < c", 6, "F04"),
        ("a $ b", 2, "F01"),
        ("mxa(a; b)", 0, "F06"),
        ("min(a)", 0, "F07"),
        ("a * 7%", 4, "F08"),
        ("12a", 0, "F10"),
        ("a b", 0, "F23"),
        ("a 2", 2, "F05"),
        ("a and b et c", 8, "F05"),
        ("1 000", 0, "F05"),
        ("a ≤ b", 2, "F01"),
        ("0 < a < b", 6, "F04"),
        ("(a", 2, "F02"),
    ] {
        let (span, problem) = parse(text).unwrap_err();
        assert_eq!((span.start, problem.code()), (start, code), "{text}");
    }
    assert!(parse(&"(".repeat(10_000)).is_err());
    assert!(parse(&"- ".repeat(10_000)).is_err());
    assert!(parse(&"not ".repeat(10_000)).is_err());
}

#[test]
fn a_formula_of_too_many_words_is_refused_where_they_begin_to_be_too_many() {
    assert!(parse(&format!("a{}", " + a".repeat(149))).is_ok());
    for part in ["a + ", "1*", "true and ", "min(a; a) / ", "((((a)))) - "] {
        let (span, problem) = parse(&part.repeat(100_000)).unwrap_err();
        assert_eq!((problem.code(), span.start >= 300), ("L18", true), "{part}");
    }
}
