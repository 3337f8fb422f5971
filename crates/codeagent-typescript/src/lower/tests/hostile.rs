//! Adversarial inputs: lowering neither overflows its stack nor takes long.

use std::time::Duration;

use codeagent_model::graph::Dialect;
use cpu_time::ThreadTime;

use crate::LANGUAGES;

#[test]
fn hostile_nesting_and_length_are_lowered_quickly() {
    let n = 20_000;
    let inputs = [
        "(".repeat(n),
        format!("{}{}", "(".repeat(n), ")".repeat(n)),
        "{".repeat(n),
        format!("x = {}{}", "[".repeat(n), "]".repeat(n)),
        format!("x = {}1{}", "{a:".repeat(n), "}".repeat(n)),
        format!("a{}", ".b()".repeat(n)),
        format!("a{}", "?.b![0]".repeat(n)),
        format!("x = a{}", " + b".repeat(n)),
        format!("x = a{}", " && b.c".repeat(n)),
        format!("if ({}a) b();", "!".repeat(n)),
        format!("x = {}d", "a ? b : ".repeat(n)),
        format!("x = {}1", "a => ".repeat(n)),
        format!("{}x();", "if (a) ".repeat(n)),
        format!("if (a) b(); {}", "else if (c) d(); ".repeat(n)),
        format!("x = {}1", "y = ".repeat(n)),
        "`${".repeat(n),
        "<a>".repeat(n),
        format!("let x: {}B{}", "A<".repeat(n), ">".repeat(n)),
        format!("let x: {}", "A<".repeat(n)),
        format!("let x: {}B", "A | ".repeat(n)),
        format!("let x: {}C", "A extends B ? C : ".repeat(n)),
        format!("let {}x{} = y", "[".repeat(n), "]".repeat(n)),
        format!("{}{}", "class A { static { ".repeat(n), "} }".repeat(n)),
        format!("{}{}", "namespace A { ".repeat(n), "}".repeat(n)),
        format!("f({})", "a, ".repeat(n)),
        format!("new {}A()", "new ".repeat(n)),
        format!("import A = {}b", "a.".repeat(n)),
        format!("class A extends {}b {{}}", "a.".repeat(n)),
        "x = ; ".repeat(n),
        "await f<T>".repeat(n),
        format!("a{}", "!".repeat(n)),
        format!(
            "function f(a) {{ if (a) b(); {} }}",
            "else if (typeof a !== 'x') c(a); ".repeat(n)
        ),
        format!("/* é */ f({})", "a, ".repeat(n)),
    ];

    for text in inputs {
        for dialect in [Dialect::Ts, Dialect::Tsx] {
            let start = ThreadTime::now();
            let facts = LANGUAGES.extract(&text, dialect, &[]);
            assert_eq!(facts.header.bytes as usize, text.len());
            let took = start.elapsed();
            assert!(
                took < Duration::from_secs(10),
                "{took:?} for {}",
                &text[..40]
            );
        }
    }
}
