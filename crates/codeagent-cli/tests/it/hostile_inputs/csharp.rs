//! Hostile C# sources: nested, repeated or truncated.

use codeagent_testkit::random::Random;

use super::Expected::{Either, Failed, Full, Indexed};
use super::{Expected, Row, each, many, nested, row};

const N: usize = 100_000;

/// Returns a class with a method that contains the expression.
fn expression(text: &str) -> String {
    format!("class C {{ object M(dynamic a, dynamic b) {{ return\n{text}; }} }}")
}

pub fn table() -> Vec<Row> {
    let mut table: Vec<Row> = Vec::new();
    let mut cs = |name: &str, text: String, expected: Expected| {
        table.push(row(&format!("C# {name}"), "a.cs", text, expected))
    };
    nesting(&mut cs);
    chains(&mut cs);
    sizes(&mut cs);
    directives(&mut cs);
    broken(&mut cs);
    table
}

fn nesting(cs: &mut impl FnMut(&str, String, Expected)) {
    for (name, open, close) in [
        ("parentheses", "(", ")"),
        ("brackets", "[", "]"),
        ("tuples", "(1, ", ")"),
        ("calls", "b(", ")"),
    ] {
        cs(
            &format!("nested {name}"),
            expression(&nested(open, "a", close, N)),
            Either,
        );
    }
    cs("unclosed parentheses", expression(&many("(", N)), Either);
    cs(
        "nested blocks",
        format!("class C {{ void M() {{ {} }} }}", nested("{", "", "}", N)),
        Indexed,
    );
    cs(
        "unclosed blocks",
        format!("class C {{ void M() {{ {}", many("{", N)),
        Either,
    );
    cs("closing braces", many("}", N), Either);
    cs(
        "nested generics",
        format!("class C {{ {} x; }}", nested("A<", "int", ">", N)),
        Failed("parsing was aborted"),
    );
    cs(
        "unclosed generics",
        format!("class C {{ {}", many("A<", N)),
        Failed("parsing was aborted"),
    );
    cs(
        "200 unclosed generics, 400 times",
        format!(
            "class C {{ {}",
            many(&format!("{};", "A<".repeat(200)), 400)
        ),
        Either,
    );
    cs(
        "nested generic calls",
        expression(&nested("f<A>(", "a", ")", N / 5)),
        Either,
    );
    cs(
        "nested generics of two",
        format!("class C {{ {} x; }}", nested("A<B, ", "int", ">", 200)),
        Indexed,
    );
    cs("nested classes", nested("class A {", "", "}", N), Indexed);
    cs("unclosed classes", many("class A {", N), Either);
    cs(
        "nested namespaces",
        nested("namespace A {", "", "}", N),
        Indexed,
    );
    cs(
        "nested functions",
        format!("class C {{ {} }}", nested("void F() {", "", "}", N)),
        Either,
    );
    cs("nested lambdas", expression(&many("a => ", N)), Either);
    cs(
        "nested lambdas in calls",
        expression(&nested("b(a => ", "a", ")", N / 5)),
        Either,
    );
    cs(
        "nested initializers",
        expression(&nested("new A { B = ", "a", "}", N / 5)),
        Either,
    );
    cs(
        "nested arrays",
        expression(&nested("new[] { ", "a", "}", N)),
        Either,
    );
    cs(
        "nested ifs",
        format!("class C {{ void M() {{ {} ; }} }}", many("if (a) ", N)),
        Indexed,
    );
    cs(
        "nested switches",
        expression(&nested("a switch { 1 => ", "a", "}", N / 5)),
        Either,
    );
    cs(
        "nested interpolation",
        expression(&nested("$\"{", "a", "}\"", N / 5)),
        Either,
    );
    cs(
        "nested raw interpolation",
        expression(&nested("$$\"\"\"{{", "a", "}}\"\"\"", N / 10)),
        Either,
    );
    cs(
        "nested patterns",
        expression(&format!("a is {}", nested("{ A: ", "1", "}", N / 5))),
        Either,
    );
    cs(
        "nested list patterns",
        expression(&format!("a is {}", nested("[", "1", "]", N / 5))),
        Either,
    );
    cs(
        "nested documentation",
        format!(
            "{}\nclass C {{ }}",
            each(N / 10, |_| "/// <a><b>{".to_owned())
        ),
        Full,
    );
    cs(
        "nested attributes",
        format!("{} class C {{ }}", nested("[A(", "1", ")]", N / 5)),
        Either,
    );
    cs(
        "nested function pointers",
        format!(
            "unsafe class C {{ {} x; }}",
            nested("delegate*<", "int", ">", N / 5)
        ),
        Either,
    );
    cs(
        "nested array types",
        format!("class C {{ int{} x; }}", many("[]", N)),
        Either,
    );
    cs(
        "pointers to pointers",
        format!("unsafe class C {{ int{} x; }}", many("*", N)),
        Either,
    );
    cs(
        "nullable nullable",
        format!("class C {{ int{} x; }}", many("?", N)),
        Either,
    );
}

fn chains(cs: &mut impl FnMut(&str, String, Expected)) {
    for (name, unit) in [
        ("sums", "a + "),
        ("calls", "a.b(1)."),
        ("conditional accesses", "a?.b?.c(1)?."),
        ("conditionals", "a ? b : "),
        ("nested conditionals", "a ? "),
        ("coalescing", "a ?? "),
        ("negations", "!"),
        ("minuses", "- "),
        ("casts", "(T)"),
        ("awaits", "await "),
        ("assignments", "a = "),
        ("throws", "throw "),
        ("refs", "ref "),
        ("ranges", ".."),
        ("news", "new "),
        ("shifts", "a >> "),
        ("comparisons", "a < "),
        ("as", "a as T ?? "),
        ("nots", "a is not not not not "),
        ("ands", "a is 1 and 2 or 3 and "),
    ] {
        cs(
            &format!("chain of {name}"),
            expression(&format!("{}b", many(unit, N / 3))),
            Either,
        );
    }
    cs(
        "chain of qualified names",
        format!("class C {{ {}B x; }}", many("A.", N)),
        Either,
    );
    cs(
        "chain of else if",
        format!(
            "class C {{ void M() {{ {} {{ }} }} }}",
            many("if (a) { } else ", N / 2)
        ),
        Either,
    );
    cs(
        "chain of queries",
        expression(&format!(
            "from x in a {} select x",
            many("from y in x where y > 1 let z = y ", N / 10)
        )),
        Either,
    );
    cs(
        "chain of indexers",
        expression(&format!("a{}", many("[0]", N))),
        Either,
    );
    cs(
        "chain of null forgiving",
        expression(&format!("a{}", many("!", N))),
        Either,
    );
    cs(
        "chain of withs",
        expression(&format!("a{}", many(" with { B = 1 }", N / 10))),
        Either,
    );
    cs(
        "chain of usings",
        format!(
            "class C {{ void M() {{ {} ; }} }}",
            many("using (a) ", N / 5)
        ),
        Either,
    );
    cs(
        "chain of labels",
        format!("class C {{ void M() {{ {} ; }} }}", many("a: ", N)),
        Either,
    );
}

fn sizes(cs: &mut impl FnMut(&str, String, Expected)) {
    cs(
        "array of a million",
        format!("class C {{ int[] a = {{ {} }}; }}", many("1,", 1_000_000)),
        Either,
    );
    cs(
        "class with 100,000 members",
        format!("class C {{ {} }}", each(N, |i| format!("int f{i};"))),
        Either,
    );
    cs(
        "50,000 overloads",
        format!(
            "class C {{ {} void M() {{ {} }} }}",
            each(N / 2, |i| format!("void F(A{i} x) {{}}")),
            many("F(1);", 2000)
        ),
        Either,
    );
    cs(
        "enum with 100,000 members",
        format!("enum E {{ {} }}", each(N, |i| format!("M{i},"))),
        Either,
    );
    cs(
        "switch with 50,000 cases",
        expression(&format!(
            "a switch {{ {} }}",
            each(N / 2, |i| format!("{i} => {i},"))
        )),
        Either,
    );
    cs(
        "100,000 calls",
        format!("class C {{ void F() {{ {} }} }}", many("F();", N)),
        Either,
    );
    cs(
        "100,000 arguments",
        expression(&format!("b({}1)", many("1,", N))),
        Either,
    );
    cs(
        "50,000 parameters",
        format!(
            "class C {{ void F({} int z) {{ }} }}",
            each(N / 2, |i| format!("int a{i},"))
        ),
        Either,
    );
    cs(
        "20,000 type parameters",
        format!("class C<{} T> {{ }}", each(N / 5, |i| format!("T{i},"))),
        Either,
    );
    cs(
        "50,000 bases",
        format!("class C : {} I {{ }}", each(N / 2, |i| format!("I{i},"))),
        Either,
    );
    cs(
        "50,000 parts",
        each(N / 2, |_| "partial class C { }".to_owned()),
        Indexed,
    );
    cs(
        "50,000 usings",
        each(N / 2, |i| format!("using A{i};")),
        Indexed,
    );
    cs(
        "50,000 aliases",
        each(N / 2, |i| format!("using A{i} = A{};", i + 1)),
        Indexed,
    );
    cs(
        "100,000 attributes",
        format!("{} class C {{ }}", many("[A]", N)),
        Either,
    );
    cs(
        "identifier of a megabyte",
        format!("class {} {{ }}{}", "a".repeat(1 << 20), many("\n", 200)),
        Indexed,
    );
    cs(
        "string of a megabyte",
        format!(
            "{}{}",
            expression(&format!("\"{}\"", "a".repeat(1 << 20))),
            many("\n", 200)
        ),
        Indexed,
    );
    cs(
        "number of a megabyte",
        format!("{}{}", expression(&"1".repeat(1 << 20)), many("\n", 200)),
        Either,
    );
    cs(
        "100,000 comments",
        format!("{} class C {{ }}", many("/* a */", N)),
        Full,
    );
    cs(
        "200,000 line ends",
        format!("{} class C {{ }}", "\n".repeat(2 * N)),
        Full,
    );
    cs(
        "array of 2,000 shifts",
        format!(
            "class C {{ int[] a = {{\n{} }}; void F() {{ }} }}",
            each(2000, |i| format!("x << {i},"))
        ),
        Full,
    );
    cs(
        "flags by 2,000 shifts",
        format!(
            "enum E {{\n{} }} class C {{ }}",
            each(2000, |i| format!("M{i} = 1 << {},", i % 31))
        ),
        Full,
    );
    cs(
        "comparisons in one expression",
        expression(
            each(2000, |i| format!("a < n{i} ||"))
                .trim_end()
                .trim_end_matches('|'),
        ),
        Full,
    );
    cs(
        "a megabyte of string constants",
        format!(
            "class C {{\n{} }}",
            each(20_000, |i| format!(
                "public const string Icon{i} = \"\\uf0{:02x}\"; /* {i} */",
                i % 256
            ))
        ),
        Full,
    );
    cs(
        "three megabytes of code",
        format!(
            "class C {{\n{} }}",
            each(40_000, |i| format!(
                "    public int Total{i}(int extra) {{ return lines.Sum(line => line.Price) + extra; }}"
            ))
        ),
        Full,
    );
    cs(
        "two megabytes of statements",
        format!("class C {{ void F() {{ {} }} }}", many("a=b+c;", 345_000)),
        Either,
    );
    cs(
        "two megabytes of dense calls",
        format!("class C {{ void F() {{ {} }} }}", many("f(a);", 415_000)),
        Either,
    );
}

fn directives(cs: &mut impl FnMut(&str, String, Expected)) {
    cs(
        "nested #if",
        format!(
            "{}class C {{ }}\n{}",
            "#if A\n".repeat(N),
            "#endif\n".repeat(N)
        ),
        Either,
    );
    cs("unclosed #if", "#if A\n".repeat(N), Either);
    cs(
        "#elif 100,000 times",
        format!("#if A\n{}#endif\nclass C {{ }}", "#elif B\n".repeat(N)),
        Either,
    );
    cs("#endif 100,000 times", "#endif\n".repeat(N), Either);
    cs(
        "#if with nested parentheses",
        format!(
            "#if {}A{}\n#endif\n{}class C {{ }}",
            "(".repeat(N),
            ")".repeat(N),
            "\n".repeat(200)
        ),
        Either,
    );
    cs(
        "#if with negations",
        format!(
            "#if {}A\n#endif\n{}class C {{ }}",
            "!".repeat(N),
            "\n".repeat(200)
        ),
        Either,
    );
    cs(
        "#if with a long condition",
        format!(
            "#if {}A\n#endif\n{}class C {{ }}",
            "A && B || ".repeat(N),
            "\n".repeat(200)
        ),
        Either,
    );
    cs(
        "#define 100,000 times",
        each(N, |i| format!("#define A{i}")),
        Either,
    );
    cs(
        "#if over 20,000 symbols",
        each(N / 5, |i| format!("#if A{i}\nclass C{i} {{ }}\n#endif")),
        Either,
    );
    cs("#region nested", "#region a\n".repeat(N), Either);
}

fn broken(cs: &mut impl FnMut(&str, String, Expected)) {
    cs(
        "x = ;",
        format!("class C {{ void M() {{ {} }} }}", many("x = ; ", N)),
        Failed("parsing was aborted"),
    );
    cs(
        "x = ; in 30 KB",
        format!("class C {{ void M() {{ {} }} }}", many("x = ; ", 5000)),
        Either,
    );
    cs(
        "x = ; in 6 KB",
        format!("class C {{ void M() {{ {} }} }}", many("x = ; ", 1000)),
        Either,
    );
    cs("a million times /*", many("/*", 1_000_000), Either);
    for unit in ["<", "\"", "$\"", "#", "{", "?", "[", "class "] {
        cs(&format!("100,000 times {unit}"), many(unit, N), Either);
    }
    for unit in [
        "<",
        ">",
        "=>",
        "'",
        "@",
        "@\"",
        "\"\"\"",
        "\\",
        "/*",
        ";",
        ",",
        ":",
        "{",
        "`",
        "a b ",
        "(a)<",
        "async ",
        "where T : ",
        "a<b,",
    ] {
        cs(
            &format!("10,000 times {unit} in a method"),
            format!("class C {{ void M() {{ {} }} }}", many(unit, N / 10)),
            Either,
        );
    }
    let words = [
        "class", "{", "}", "(", ")", "<", ">", "=", ";", "a", "b", "=>", "$\"", "\"", "if", "new",
        ".", ",", "is", "?", "async", "\n", "[", "]", "*", "#if A\n", "@", "switch", "with", "1",
    ];
    let mut random = Random(7);
    let soup: String = (0..200_000)
        .map(|_| format!("{} ", words[random.below(words.len())]))
        .collect();
    cs("200,000 random tokens", soup.clone(), Either);
    cs(
        "5,000 random tokens",
        soup.chars().take(15_000).collect(),
        Either,
    );
}
