//! Hostile TypeScript and JavaScript sources: nested, repeated or truncated.

use codeagent_testkit::random::Random;

use super::Expected::{Either, Full, Indexed};
use super::{Expected, Row, each, many, nested, row};

const N: usize = 100_000;

pub fn table() -> Vec<Row> {
    let mut table: Vec<Row> = Vec::new();
    let mut ts = |name: &str, path: &str, text: String, expected: Expected| {
        table.push(row(&format!("{path} {name}"), path, text, expected))
    };
    nesting(&mut |name, text, expected| ts(name, "a.ts", text, expected));
    types(&mut |name, text, expected| ts(name, "a.ts", text, expected));
    chains(&mut |name, text, expected| ts(name, "a.ts", text, expected));
    sizes(&mut |name, text, expected| ts(name, "a.ts", text, expected));
    jsx(&mut |name, text, expected| ts(name, "a.tsx", text, expected));
    broken(&mut |name, text, expected| ts(name, "a.ts", text, expected));
    script(&mut |name, text, expected| ts(name, "a.js", text, expected));
    table
}

fn nesting(ts: &mut impl FnMut(&str, String, Expected)) {
    for (name, open, close) in [
        ("parentheses", "(", ")"),
        ("brackets", "[", "]"),
        ("calls", "f(", ")"),
        ("objects", "({a: ", "})"),
        ("templates", "`${", "}`"),
        ("arrows in calls", "f(a => ", ")"),
        ("functions", "(function() { return ", "})"),
        ("classes", "(class { a = ", "})"),
        ("generic calls", "f<A>(", ")"),
    ] {
        ts(
            &format!("nested {name}"),
            format!("const x = {};", nested(open, "1", close, N)),
            Either,
        );
    }
    ts(
        "unclosed parentheses",
        format!("const x = {}", many("(", N)),
        Either,
    );
    ts(
        "unclosed templates",
        format!("const x = {}", many("`${", N)),
        Either,
    );
    ts("nested blocks", nested("{", "", "}", N), Indexed);
    ts("unclosed blocks", many("{", N), Either);
    ts(
        "nested functions",
        nested("function f() {", "", "}", N),
        Indexed,
    );
    ts("nested ifs", format!("{};", many("if (a) ", N)), Indexed);
    ts(
        "nested destructuring",
        format!("const {} = x;", nested("{a: ", "b", "}", N)),
        Either,
    );
    ts(
        "nested default parameters",
        format!("{} 1", many("(a = ", N / 5)),
        Either,
    );
    ts(
        "nested arrows",
        format!("const x = {}1;", many("a => ", N)),
        Either,
    );
}

fn types(ts: &mut impl FnMut(&str, String, Expected)) {
    for (name, open, close) in [
        ("generics", "A<", ">"),
        ("parentheses", "(", ")"),
        ("tuples", "[", "]"),
        ("objects", "{a: ", "}"),
        ("function types", "(a: ", ") => void"),
        ("conditional types", "A extends B ? ", " : C"),
        ("mapped types", "{[K in A]: ", "}"),
        ("template types", "`${", "}`"),
        ("indexed accesses", "A[", "]"),
        ("imports", "import('a').B<", ">"),
    ] {
        ts(
            &format!("nested {name} as a type"),
            format!("type X = {};", nested(open, "1", close, N / 2)),
            Either,
        );
    }
    ts(
        "unclosed generics as a type",
        format!("type X = {}", many("A<", N / 2)),
        Either,
    );
    for unit in [
        "A | ",
        "A & ",
        "keyof ",
        "readonly ",
        "A extends B ? C : ",
        "typeof ",
        "new () => ",
        "<T>() => ",
        "infer ",
        "unique ",
    ] {
        ts(
            &format!("chain of type {unit}"),
            format!("type X = {}D;", many(unit, N)),
            Either,
        );
    }
    ts(
        "chain of array types",
        format!("type X = A{};", many("[]", N)),
        Either,
    );
    ts(
        "chain of qualified names as a type",
        format!("type X = {}A;", many("A.", N)),
        Either,
    );
    ts(
        "nested namespaces",
        nested("namespace A {", "", "}", N),
        Indexed,
    );
    ts(
        "dotted namespaces",
        format!("namespace {}A {{ }}", many("A.", N)),
        Either,
    );
    ts(
        "nested documentation",
        format!(
            "/** @param {} a */ function f(a) {{ }}",
            nested("{", "A", "}", N)
        ),
        Indexed,
    );
}

fn chains(ts: &mut impl FnMut(&str, String, Expected)) {
    for unit in [
        "a + ",
        "a.b(1).",
        "a?.b?.(1)?.",
        "a ? b : ",
        "a ? ",
        "a ?? ",
        "!",
        "- ",
        "typeof ",
        "await ",
        "a = ",
        "new ",
        "a, ",
        "...",
        "void ",
        "a < ",
        "a in ",
        "a => ",
        "yield ",
        "delete ",
        "<T>",
        "@a ",
        "a `x` + ",
        "++",
    ] {
        ts(
            &format!("chain of {unit}"),
            format!("x = {}b;", many(unit, N / 2)),
            Either,
        );
    }
    ts(
        "chain of as",
        format!("x = a{};", many(" as T", N / 2)),
        Either,
    );
    ts("chain of !", format!("x = a{};", many("!", N / 2)), Either);
    ts(
        "chain of !.",
        format!("x = a{};", many("!.b", N / 2)),
        Either,
    );
    ts(
        "chain of indexes",
        format!("x = a{};", many("[0]", N)),
        Either,
    );
    ts(
        "chain of else if",
        format!("{} {{ }}", many("if (a) { } else ", N / 2)),
        Either,
    );
    ts(
        "chain of calls",
        format!("x = a{};", many("(1)", N)),
        Either,
    );
    ts(
        "chain of await f<T>()",
        format!("x = {}b;", many("await a<T>() + ", N / 5)),
        Either,
    );
    ts(
        "chain of tagged templates",
        format!("x = a{};", many("`b`", N)),
        Either,
    );
    ts("chain of labels", format!("{} ;", many("a: ", N)), Either);
    ts(
        "chain of decorators",
        format!("{} class C {{ }}", many("@a(1) ", N)),
        Either,
    );
}

fn sizes(ts: &mut impl FnMut(&str, String, Expected)) {
    ts(
        "array of a million",
        format!("const a = [{}];", many("1,", 1_000_000)),
        Either,
    );
    ts(
        "object with 100,000 members",
        format!("const a = {{ {} }};", each(N, |i| format!("m{i}: 1,"))),
        Either,
    );
    ts(
        "class with 100,000 members",
        format!("class C {{ {} }}", each(N, |i| format!("m{i} = 1;"))),
        Either,
    );
    ts(
        "50,000 overloads",
        format!(
            "{} function f(a: any) {{ }} {}",
            each(N / 2, |i| format!("function f(a: A{i});")),
            many("f(1);", 2000)
        ),
        Either,
    );
    ts(
        "enum with 100,000 members",
        format!("enum E {{ {} }}", each(N, |i| format!("M{i},"))),
        Either,
    );
    ts(
        "50,000 imports",
        each(N / 2, |i| format!("import {{a{i}}} from './m{i}';")),
        Indexed,
    );
    ts(
        "50,000 exports from",
        each(N / 2, |i| format!("export * from './m{i}';")),
        Indexed,
    );
    ts(
        "array of 2,000 shifts",
        format!("const a = [\n{}];", each(2000, |i| format!("x << {i},"))),
        Full,
    );
    ts(
        "enum of 2,000 shifts",
        format!(
            "enum E {{\n{} }}",
            each(2000, |i| format!("M{i} = 1 << {},", i % 31))
        ),
        Full,
    );
    ts(
        "comparisons in one expression",
        format!("x = {} a;", each(2000, |i| format!("a < n{i} ||"))),
        Full,
    );
    ts(
        "super without a class",
        "function F() { super({ a: 1 }); super.x(y => y); this.z; } super(() => 1);".into(),
        Indexed,
    );
    ts(
        "50,000 names of an import",
        format!(
            "import {{ {} }} from './m';",
            each(N / 2, |i| format!("a{i},"))
        ),
        Indexed,
    );
    ts(
        "union of 100,000",
        format!(
            "type X = {} 1; declare const x: X; x.a();",
            each(N, |i| format!("'m{i}' |"))
        ),
        Either,
    );
    ts(
        "100,000 calls",
        format!("function f() {{ {} }}", many("f();", N)),
        Either,
    );
    ts(
        "100,000 arguments",
        format!("f({}1);", many("1,", N)),
        Either,
    );
    ts(
        "50,000 parameters",
        format!("function f({} z) {{ }}", each(N / 2, |i| format!("a{i},"))),
        Either,
    );
    ts(
        "50,000 assignments to one name",
        format!("let a; {}", many("a = a;", N / 2)),
        Indexed,
    );
    ts(
        "50,000 declarations of one name",
        each(N / 2, |_| "var a = a;".to_owned()),
        Indexed,
    );
    ts(
        "50,000 merged interfaces",
        each(N / 2, |_| "interface I { a(): I }".to_owned()),
        Either,
    );
    ts(
        "identifier of a megabyte",
        format!("let {};{}", "a".repeat(1 << 20), many("\n", 200)),
        Indexed,
    );
    ts(
        "string of a megabyte",
        format!("let a = '{}';{}", "a".repeat(1 << 20), many("\n", 200)),
        Indexed,
    );
    ts(
        "template of a megabyte",
        format!("let a = `{}`;", many("abc ", 250_000)),
        Indexed,
    );
    ts(
        "expression of a megabyte",
        format!("let a = /{}/;{}", "a".repeat(1 << 20), many("\n", 200)),
        Either,
    );
    ts(
        "100,000 comments",
        format!("{} let a;", many("/* a */", N)),
        Indexed,
    );
    ts(
        "two megabytes of statements",
        many("a=b+c;", 345_000),
        Either,
    );
    ts(
        "ten megabytes in one line",
        many("!function(a,b){return a.c(b)}(x,y);", 300_000),
        Either,
    );
    ts(
        "two megabytes of dense calls",
        many("f(a);", 415_000),
        Either,
    );
}

fn jsx(ts: &mut impl FnMut(&str, String, Expected)) {
    ts(
        "nested elements",
        format!("const x = {};", nested("<a>", "b", "</a>", N)),
        Either,
    );
    ts(
        "unclosed elements",
        format!("const x = {}", many("<a>", N)),
        Either,
    );
    ts(
        "nested fragments",
        format!("const x = {};", nested("<>", "b", "</>", N)),
        Either,
    );
    ts(
        "nested attributes",
        format!("const x = {};", nested("<a b={", "1", "}/>", N / 2)),
        Either,
    );
    ts(
        "nested expressions",
        format!("const x = {};", nested("<a>{", "1", "}</a>", N / 2)),
        Either,
    );
    ts(
        "100,000 siblings",
        format!("const x = <a>{}</a>;", many("<b/>", N)),
        Indexed,
    );
    ts(
        "100,000 attributes",
        format!("const x = <a {}/>;", many("b='1' ", N)),
        Indexed,
    );
    ts(
        "dotted element",
        format!("const x = <{}a/>;", many("a.", N)),
        Either,
    );
}

fn broken(ts: &mut impl FnMut(&str, String, Expected)) {
    ts("x = ;", many("x = ; ", N), Either);
    ts("x = ; in 48 KB", many("x = ; ", 8000), Either);
    ts("x = ; in 12 KB", many("x = ; ", 2000), Either);
    ts("a million times /*", many("/*", 1_000_000), Either);
    for unit in ["<", "\"", "`", "${", "/", "?", "import ", "{["] {
        ts(&format!("100,000 times {unit}"), many(unit, N), Either);
    }
    for unit in [
        ">",
        "=>",
        "'",
        "`",
        "/*",
        "#",
        ";",
        ",",
        ":",
        "\\",
        "@",
        "a b ",
        "class ",
        "(a)<",
        "async ",
        "await using ",
        "import(\"",
        "export ",
        "function ",
        "a<b,",
        "=",
        "...",
    ] {
        ts(
            &format!("10,000 times {unit} in a function"),
            format!("function f() {{ {} }}", many(unit, N / 10)),
            Either,
        );
    }
    let words = [
        "class", "{", "}", "(", ")", "<", ">", "=", ";", "a", "b", "=>", "`", "${", "if", "new",
        ".", ",", "as", "?", "async", "\n", "[", "]", "*", "import", "export", "</", "/>", "1",
    ];
    let mut random = Random(11);
    let soup: String = (0..200_000)
        .map(|_| format!("{} ", words[random.below(words.len())]))
        .collect();
    ts("200,000 random tokens", soup.clone(), Either);
    ts(
        "5,000 random tokens",
        soup.chars().take(15_000).collect(),
        Either,
    );
}

fn script(js: &mut impl FnMut(&str, String, Expected)) {
    js(
        "nested calls",
        format!("x = {};", nested("f(", "1", ")", N)),
        Either,
    );
    js(
        "chain of assignments",
        format!("x = {}b;", many("a = ", N / 2)),
        Either,
    );
    js("100,000 times <", many("<", N), Either);
    js("x = ;", many("x = ; ", N), Either);
    js(
        "nested elements",
        format!("x = {};", nested("<a>", "b", "</a>", N)),
        Either,
    );
    js(
        "50,000 assignments to exports",
        each(N / 2, |i| format!("module.exports.a{i} = exports.b{i};")),
        Indexed,
    );
    js(
        "tags with unclosed braces",
        format!("/** {} */ function f(a) {{ }}", many("@a { ", N)),
        Indexed,
    );
    js(
        "50,000 documented parameters",
        documented(N / 2, |i| format!("@param {{A}} a{i}"), |i| format!("b{i}")),
        Indexed,
    );
    js(
        "20,000 documented objects",
        documented(
            N / 5,
            |i| format!("@param {{Object}} a{i} @param {{A}} a{i}.b"),
            |i| format!("a{i}"),
        ),
        Indexed,
    );
    js(
        "50,000 regular expressions like comments",
        each(N / 2, |i| format!("/x*/\nlet a{i} = 1;")),
        Indexed,
    );
    js(
        "chain of exports",
        format!("{}b;", many("exports = ", N / 2)),
        Either,
    );
    js(
        "chain of module.exports",
        format!("{}b;", many("module.exports = ", N / 4)),
        Either,
    );
    js(
        "10,000 functions that make instances",
        each(N / 10, |i| {
            format!(
                "function F{i}() {{ this.a = 1; }} F{i}.prototype.m = function () {{ this.m(); }};"
            )
        }),
        Indexed,
    );
    js(
        "10,000 members of one name",
        each(N / 10, |i| {
            format!("function F{i}() {{}} F{i}.x = function () {{ this.x(); }};")
        }),
        Indexed,
    );
    js(
        "50,000 mixins of one prototype",
        format!(
            "function F() {{}} {}",
            each(N / 2, |i| format!("Object.assign(F.prototype, a{i});"))
        ),
        Indexed,
    );
    js(
        "10,000 prototypes in a chain",
        each(N / 10, |i| {
            format!(
                "function F{i}() {{}} F{i}.prototype = Object.create(F{}.prototype); new F{i}().m();",
                i.max(1) - 1
            )
        }),
        Indexed,
    );
    js(
        "long path to a prototype",
        format!(
            "{}prototype.x = function () {{ this.x(); }};",
            many("a.", N)
        ),
        Either,
    );
    js(
        "nested parentheses around a base class",
        format!("class A extends {} {{}}", nested("(", "B", ")", N / 5)),
        Either,
    );
    js(
        "10,000 overloads",
        format!(
            "/** {} */ function f(a) {{ }} f(1);",
            each(N / 10, |i| format!("@overload @param {{A{i}}} a\n"))
        ),
        Indexed,
    );
    js(
        "10,000 requires",
        each(N / 10, |i| format!("const a{i} = require('./m{i}');")),
        Indexed,
    );
}

/// Returns a function of n parameters with a doc comment of n tags.
fn documented(
    n: usize,
    tag: impl Fn(usize) -> String,
    parameter: impl Fn(usize) -> String,
) -> String {
    format!(
        "/**\n{}*/\nfunction f(\n{}) {{ }}",
        each(n, tag),
        each(n, |i| parameter(i) + ",")
    )
}
