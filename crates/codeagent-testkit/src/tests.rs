use super::*;

const WORDS: Words<'_> = Words {
    verbs: &["calls", "implements"],
    confidences: &["exact", "inferred"],
};

/// Returns the annotations as `line:column-end verb target confidence todo`, or the problems.
fn check(text: &str) -> Vec<String> {
    match parse(text, WORDS) {
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
        Ok(found) => {
            let annotations = found.annotations.iter().map(|a| {
                let target = a.target.as_deref().unwrap_or("-");
                let confidence = a.confidence.as_deref().unwrap_or("");
                format!(
                    "{}:{}-{} {} {target} {confidence}{}",
                    a.line,
                    a.column,
                    a.end_column,
                    a.verb,
                    if a.todo { " todo" } else { "" }
                )
            });
            annotations
                .chain(found.complete.iter().map(|verb| format!("complete {verb}")))
                .collect()
        }
    }
}

#[test]
fn carets_mark_the_line_above_all_annotations() {
    let text = "
class Cart : IPriced
//           ^^^^^^^ implements: Shop.IPriced
//           ^^^^^^^ todo calls: Shop.operator + (inferred)
    // an ordinary comment
    a.b(c)
    //^ calls: -
";
    assert_eq!(
        check(text),
        [
            "2:14-21 implements Shop.IPriced ",
            "2:14-21 calls Shop.operator + inferred todo",
            "6:7-8 calls - "
        ]
    );
}

#[test]
fn an_arrow_marks_the_column_of_its_comment() {
    assert_eq!(check("f();\n// <- calls: a.ts#f"), ["1:1-2 calls a.ts#f "]);
    assert_eq!(check("  f();\n  // <- calls: f"), ["1:3-4 calls f "]);
}

#[test]
fn annotations_may_be_jsx_or_block_comments() {
    assert_eq!(
        check("   <Cart />\n{/* ^^^^ calls: a.tsx#Cart */}"),
        ["1:5-9 calls a.tsx#Cart "]
    );
    assert_eq!(
        check("     go()\n/*   ^^ calls: go */"),
        ["1:6-8 calls go "]
    );
}

#[test]
fn columns_count_utf16_units() {
    assert_eq!(
        check("\"\u{1f600}\"+f()\n//   ^ calls: f"),
        ["1:6-7 calls f "]
    );
}

#[test]
fn complete_accepts_several_verbs() {
    assert_eq!(
        check("// complete: calls, implements"),
        ["complete calls", "complete implements"]
    );
    assert_eq!(
        check("// complete: call"),
        ["line 1: unknown edge type \"call\"; known are calls, implements"]
    );
}

#[test]
fn malformed_annotations_are_reported() {
    let table = [
        (
            "f()\n// <- call: f",
            "line 2: unknown edge type \"call\"; known are calls, implements",
        ),
        ("// <- calls: f", "line 1: there is no code above"),
        (
            "abc\n//  ^ calls: f",
            "line 2: points at columns 5-5 of line 1, which has 3",
        ),
        (
            "abc def\n// ^ calls: f",
            "line 2: points at \" \" of line 1, which is no token",
        ),
        (
            "abcdef()\n// ^^^ calls: f",
            "line 2: points at \"def\" of line 1, which is no token",
        ),
        (
            "(abcdef)\n// ^^^ calls: f",
            "line 2: points at \"cde\" of line 1, which is no token",
        ),
        (
            "f()\n// <- calls:",
            "line 2: `calls:` has no target; write `-` for none",
        ),
        (
            "f()\n// <- calls f",
            "line 2: expected `verb: target`, found \"calls f\"",
        ),
        (
            "f()\n// <- calls: f (sure)",
            "line 2: unknown confidence \"sure\"; known are exact, inferred",
        ),
        (
            "f()\n// <- calls: - (exact)",
            "line 2: no edge has no confidence",
        ),
        (
            "f()\n//   calls: f",
            "line 2: `calls:` without carets or `<-` points nowhere",
        ),
        (
            "f()\n// todo calls: f",
            "line 2: `calls:` without carets or `<-` points nowhere",
        ),
    ];

    for (text, message) in table {
        assert_eq!(check(text), [message], "{text}");
    }
}

#[test]
fn a_target_may_contain_its_signature() {
    assert_eq!(
        check("f()\n// <- calls: N.C.Add(int a, int b) (exact)"),
        ["1:1-2 calls N.C.Add(int a, int b) exact"]
    );
}
