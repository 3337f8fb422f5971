//! Valid syntax that the grammars reject or misread: every text parses without errors.

use codeagent_model::graph::{Dialect, ParseStatus};
use expect_test::expect;

use super::check;
use crate::lower::extract;

/// Fails with the texts that have syntax errors.
fn assert_valid<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, dialect: Dialect) {
    let mut rejected = Vec::new();
    for text in texts {
        let header = extract(text.as_ref(), dialect).header;
        if header.parse_status != ParseStatus::Full {
            rejected.push(text.as_ref().to_owned());
        }
    }
    assert_eq!(rejected, [""; 0]);
}

/// Words that are keywords only in some places.
const WORDS: [&str; 36] = [
    "abstract",
    "accessor",
    "any",
    "as",
    "asserts",
    "async",
    "await2",
    "bigint",
    "boolean",
    "declare",
    "defer",
    "from",
    "get",
    "global",
    "infer",
    "is",
    "keyof",
    "module",
    "namespace",
    "never",
    "number",
    "object",
    "of",
    "out",
    "override",
    "readonly",
    "require",
    "satisfies",
    "set",
    "source",
    "string",
    "symbol",
    "type",
    "unique",
    "unknown",
    "using",
];

#[test]
fn contextual_keywords_are_names() {
    for word in WORDS {
        for form in [
            "interface A { @(): B }",
            "interface A { @: B; b: { @?: C } }",
            "class A { @() {} b() {} }",
            "class A { @<T>() {} static @() {} }",
            "class A { @ = 1; static @ = 2 }",
            "class A { a = 1;\n @: B; c?: C }",
            "class A { @; b }",
            "class A { private @: B; readonly @2 = 1; get @() { return 1 } }",
            "const o = { @: 1, b: { @() {} } }; o.@; o.@()",
            "let a = 1; @2(a); b.@(a)",
            "f({ @: b }); const { @: c } = d;",
            "import { @ as b, c as @ } from \"a\"; export { b as @ } from \"b\";",
            "function f(@: A, ...c) {} class D { constructor(private @: E) {} }",
            "type D = [@: E]; type F = { @: G }[\"@\"];",
            "namespace N.@ {} enum E { @, b = 1 } E.@; type T = N.@",
        ] {
            if form.contains("@ as b") && word == "type" {
                continue;
            }
            assert_valid([form.replace('@', word)], Dialect::Ts);
        }
    }
}

#[test]
fn modifiers_may_have_any_order() {
    for modifiers in [
        "static private",
        "readonly private",
        "override public",
        "async private",
        "readonly static",
        "static private readonly",
        "override static",
        "private readonly static",
        "static override",
        "protected static override readonly",
        "static readonly private",
        "declare private",
    ] {
        let member = if modifiers.contains("async") {
            "m() {}"
        } else {
            "m = 1;"
        };
        assert_valid([format!("class A {{ {modifiers} {member} }}")], Dialect::Ts);
    }
    for modifiers in [
        "abstract private",
        "abstract protected",
        "override abstract",
    ] {
        let class = format!("abstract class A {{ {modifiers} m(): B; }}");
        assert_valid([class], Dialect::Ts);
    }

    check(
        Dialect::Ts,
        "abstract class A { static private a = 1; readonly protected static b = 2; abstract private c(): void;\n static [key: string]: B; constructor(readonly private d: C) {} }",
        expect![[r#"
            Class A abstract [1-2]
              Property a static = Number1 [1-1 private]
              Property b static readonly = Number2 [1-1 protected]
              Method c abstract : void [1-1 "()" "void" private]
              Constructor constructor [2-2 "(readonly private d: C)" public]
                Parameter d from-parameter : C
              Property d readonly from-parameter : C [2-2 "C" private]
            2:59 ParameterType C#0 by constructor
        "#]],
    );
}

#[test]
fn forms_that_the_grammars_reject_are_rewritten() {
    let texts = [
        "type A = ({\n  a\n}: B) => C;",
        "type A = ({ a: b }: { a: B }) => C | void; type D = ({ a\n }?: B) => C;",
        "interface I { m({ a: b, c = 1, ...d }: B): void; n: ({ a: b }: C) => void }",
        "import defer * as ns from \"x\"; ns.f();",
        "import.defer(\"foo\").then(f); import.source(\"x\"); import.defer(g(), { with: {} })",
        "export { default } from \"./x.json\" with { type: \"json\" };",
        "export * from \"./x\" with { type: \"json\" }; export * as a from './y' assert { b: 'c' }",
        "class A { static [x: string]: B; m() {} }",
        "class A { static readonly [x: string]: B; }",
        "class A { readonly accessor a = 1; static accessor #b = 2; declare accessor c }",
        "class A { @(b.c()) d; @(e?.()) f() {} @(g as H) i = 1;\n @(j!) k }",
        "a();\n@(b().c()) class A {}",
        "class A<const in T> {} class B<in const T> {}",
        "for (using x of y) {} async function f() { for (await using x of y) {} }",
        "String.raw`\\uXXXX \\xQW \\u{ ${f()} \\u{61} \\x61`; tag`\\unicode`; g()",
        "const a = latex`\\frac{a}{b} \\xi \\underline`",
        "export { default as type, type as default } from \"f\"; import { type as } from \"g\"",
        "let x: A\n<B>y",
        "declare function f(): Chain<>; let a: B< >",
    ];
    assert_valid(texts, Dialect::Ts);

    let texts = [
        "const A = styled(B)<{e?: boolean}>`x`;",
        "const A = styled(B) <{e: boolean}>`x ${(p) => p.e}`; f()",
        "const A = styled(B).attrs({ c: \"d\" })<{$a?: boolean;}>`x`",
        "const A = styled(\"div\")<Props & {\n  a: (b: C) => void;\n  d: Map<string, E>;\n}>`x`",
        "const A = styled[b]<C>`x`; const D = styled(E)<\n  F,\n  G\n>`y`",
        "const A = styled(Box)<{ // why\n a: B; /* b */ c: D }>`x`",
        "const A = (x) => <B>`y`</B>; const C = (x) <D>`z`",
        "const A = <b\n mode='n'\n in='S'\n in2='B'\n r='s' />",
        "const A = <b a='x'\n in2={c} instanceof='y'\n in_x />",
        "const A = <b\n {...c}\n in='d'\n in2\n />; x = 'y'\n in2 = 'z'",
        "const a = () => {}\n<F>x</F>",
        "let a: (v: B) => void = () => {}\n    <F>\n <G a={b} />\n </F>\n c()",
        "const a = <p title=\"b & c\">d & e</p>; type A = ({ f: g }: B) => C",
    ];
    assert_valid(texts, Dialect::Tsx);
}

#[test]
fn rewritten_forms_keep_their_facts() {
    check(
        Dialect::Tsx,
        "export { a as b } from './c.json' with { type: 'json' };\nconst D = styled(E)<{ f: G }>`${(p) => h(p.f)}`;\ninterface I { abstract: J }\nclass K { @(l(m).n) o = p(); }\nimport.defer('q').then(r);",
        expect![[r#"
            export From a as b from ./c.json
            Variable D const = styled(E)(Unknown, lambda) [2-2]
            Lambda  returns [h(p.f)]
              Parameter p = context 0
            Interface I [3-3]
              Property abstract : J [3-3 "J" public]
            Class K [4-4]
              Property o = p() [4-4 public]
            Narrow r = r asserted by import(q).then(r) at 0 from 191
            1:10 Export a by -
            2:11 Call styled(E) by D
            2:11 Tag styled(E)(Unknown, lambda) by D
            2:18 Read E by D
            2:40 Call h(p.f) by D
            2:44 Read p.f by D
            3:25 TypeRef J#0 by abstract
            4:13 Call l(m) by o
            4:15 Read m by o
            4:18 Decorator l(m).n by o
            4:25 Call p() by o
            5:1 Import import(q) by -
            5:19 Call import(q).then(r) by -
            5:24 Read r by -
        "#]],
    );
}
