//! Tests of [`super`]: the text that becomes of a branch.

use super::*;

/// Returns the instrumented text, with `on` for the switch.
fn made(text: &str) -> String {
    instrumented(text, &branches(text).unwrap(), 1).replace(SWITCH, "on")
}

#[test]
fn conditions_are_mutated_as_a_whole_and_by_operand() {
    assert_eq!(
        made("fn f() { if a { g() } }"),
        "fn f() { if (!on(1) && ((on(2) || (a)))) { g() } }"
    );
    assert_eq!(
        made("fn f() { if a && b { g() } }"),
        "fn f() { if (!on(1) && ((on(2) || (a)) && (on(3) || (b)))) { g() } }"
    );

    assert_eq!(
        made("fn f() { while a || b {} }"),
        "fn f() { while (!on(1) && ((!on(2) && (a)) || (!on(3) && (b)))) {} }"
    );

    assert_eq!(
        made("fn f() { if let Some(x) = y && x > 1 {} }"),
        "fn f() { if !on(1) && let Some(x) = y && (on(2) || (x > 1)) {} }"
    );
}

#[test]
fn match_arms_are_mutated_if_a_later_arm_is_a_catch_all() {
    assert_eq!(
        made("fn f() { match x { A => 1, B if c => 2, _ => 3 } }"),
        "fn f() { match x { A if !on(1) => 1, B if (!on(2) && ((on(3) || (c)))) => 2, _ => 3 } }"
    );
    assert_eq!(
        made("fn f() { match x { A => 1, B => 2 } }"),
        "fn f() { match x { A => 1, B => 2 } }"
    );
}

#[test]
fn function_bodies_are_replaced_by_default_values() {
    assert_eq!(
        made("fn f() -> bool { g() }"),
        "fn f() -> bool { if on(1) { return true; }  if on(2) { return false; }  g() }"
    );

    assert_eq!(
        made("fn f() -> Option<A> { g() }"),
        "fn f() -> Option<A> { if on(1) { return None; }  g() }"
    );

    assert_eq!(
        made("fn f() { x.any(|y| g(y)) }"),
        "fn f() { x.any(|y| (on(1) || ((!on(2) && (g(y)))))) }"
    );

    assert_eq!(
        made("fn f() { x.or_else(|| g()) }"),
        "fn f() { x.or_else(|| if on(1) { None } else { g() }) }"
    );
}

#[test]
fn unsupported_branches_are_not_mutated() {
    for text in [
        "const fn f() -> bool { a && b }",
        "const X: bool = a && b;",
        "#[cfg(test)]\nmod tests { fn f() -> bool { a } }",
        "fn f() { matches!(a, B if c) }",
    ] {
        assert_eq!(made(text), text);
    }
}

#[test]
fn a_name_does_not_depend_on_layout() {
    let long = "self.names(\n    first,\n    second,\n)\n.iter()\n&& other";
    assert_eq!(shorten(long), "self.names(first, second).iter() && other");
    assert_eq!(
        shorten(long),
        shorten("self.names(first, second).iter() && other")
    );
}

#[test]
fn a_branch_names_its_function_and_condition() {
    let found =
        branches("impl A {\n    fn f() {\n        fn g() {\n            if a\n                 == b {}\n        }\n    }\n}").unwrap();
    assert_eq!(
        (
            found[0].line,
            found[0].function.as_str(),
            found[0].text.as_str()
        ),
        (4, "f::g", "a == b")
    );
}
