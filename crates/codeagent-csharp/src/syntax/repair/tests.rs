use proptest::prelude::*;

use super::*;
use crate::syntax::rewriter::RewriteKind;

fn repaired(text: &str, defines: &[&str]) -> String {
    let defines: Vec<String> = defines.iter().map(|define| (*define).to_owned()).collect();
    repair(text, &mut DefinedSymbols::new(&defines, false)).text
}

#[test]
fn unsupported_syntax_is_masked() {
    let table = [
        (
            "F(async); async void G() { }",
            "F(asynk); async void G() { }",
        ),
        (
            "$\"{(async ? 'A' : 'S')} {async}\"",
            "$\"{(asynk ? 'A' : 'S')} {asynk}\"",
        ),
        ("$@\"x \"\"{b}\"\"\"", "$@\"x __{b}__\""),
        (
            "$\"{{{string.Join(\",\", x)}}}\"",
            "$\"__{string.Join(\",\", x)}__\"",
        ),
        (
            "a?.b = c; a?.b == c; v?[i] = x; e?.f.g() ??= h;",
            "a .b = c; a?.b == c; v [i] = x; e .f.g   ??= h;",
        ),
        ("k! = 1; k != 1;", "k  = 1; k != 1;"),
        (
            "x = *(int*)p; *p++ = 2; *&v; a * (b + c);",
            "x =        p;  p   = 2;   v; a * (b + c);",
        ),
        ("*(p + 1) = 3;", "_[p + 1] = 3;"),
        (
            "x = n++ * (int)p * a[0]-- * (b); x = ++ *(int*)p;",
            "x = n++ * (int)p * a[0]-- * (b); x = ++        p;",
        ),
        (
            "from _ in a join T _ in b on _ equals c into _ let _ = d",
            "from i in a join T i in b on _ equals c into i let i = d",
        ),
        (
            "F([property]); d[type] = 1; [type: A]",
            "F([propert_]); d[typ_] = 1; [type: A]",
        ),
        (
            "M(x) = 3; M() = 4; if (x) y = 3; Get<T>(o) = v;",
            "M[x] = 3; M   = 4; if (x) y = 3; Get<T>[o] = v;",
        ),
        (
            "public ref partial struct S { }",
            "public partial ref struct S { }",
        ),
        (
            "{ extension<T>(I<T> f) where T : class { } }",
            "{ class ex_<T>(I<T> f) where T : class { } }",
        ),
        ("{ extension(int) { } }", "{ class ex_:int  { } }"),
        (
            "f = (ref x, out y) => 1; G(ref x, out y);",
            "f = (    x,     y) => 1; G(ref x, out y);",
        ),
        (
            "F((out A x, ref B y) => 1); f = (int a, out C<D> x) => a;",
            "F((    A x, ref B y) => 1); f = (int a,     C<D> x) => a;",
        ),
        (
            "void F(out A x) => x = 1; void G<T>(out T x) => x = 1; F(out var y);",
            "void F(out A x) => x = 1; void G<T>(out T x) => x = 1; F(out var y);",
        ),
        (
            "x is [..]; case [] when y: x switch { [_, .. var r] => 1 }",
            "x is [_ ]; case {} when y: x switch { [_,    var r] => 1 }",
        ),
        (
            "x switch { [] => 0, [..] a => 1, [..] b when c => 2 }",
            "x switch { [] => 0, [_ ] a => 1, [_ ] b when c => 2 }",
        ),
        (
            "required |= b; (uint)await.Y; var with = 1; return nint;",
            "require_ |= b; (uint)awayt.Y; var wit_ = 1; return nin_;",
        ),
        (
            "where T : allows ref struct {",
            "where T : notnull           {",
        ),
        ("(scoped params int[] a)", "(       params int[] a)"),
        ("unsafe ~C() { }", "       ~C() { }"),
        (
            "[set: A] int x; ; [set: A] int y;",
            "[set: A] int x; ; [     A] int y;",
        ),
        (
            "void operator +=(int x); bool operator ==(A a);",
            "void operator + (int x); bool operator ==(A a);",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(repaired(text, &[]), expected, "{text}");
    }
}

#[test]
fn inactive_branches_and_directives_are_blank() {
    let text = "#if A\nclass A { }\n#elif B\nclass B { }\n#else\nclass C { }\n#endif\n#region \"x\nstring s = @\"\n#if Z\n\";";
    let expected = "     \n           \n       \nclass B { }\n     \n           \n      \n          \nstring s = @\"\n#if Z\n\";";
    assert_eq!(repaired(text, &["B"]), expected);
    assert_eq!(
        repaired("#define X\n#if X && !Y\nint a;\n#endif", &[]),
        "         \n           \nint a;\n      "
    );
}

#[test]
fn rewrites_record_the_original_form() {
    let text = "M(x) = 3; M() = 4; { extension(int x) { } }";
    let rewrites = repair(text, &mut DefinedSymbols::new(&[], false)).rewrites;
    assert!(
        rewrites.at(1, RewriteKind::CallTarget)
            && rewrites.at(11, RewriteKind::EmptyCall)
            && rewrites.at(21, RewriteKind::Extension)
    );
    assert!(!rewrites.at(2, RewriteKind::CallTarget));
}

proptest! {
    #[test]
    fn length_and_newlines_never_change(parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 0..60)) {
        let text = parts.concat();
        let repaired = repair(&text, &mut DefinedSymbols::new(&[], true)).text;
        prop_assert_eq!(repaired.len(), text.len());
        for (before, after) in text.bytes().zip(repaired.bytes()) {
            prop_assert_eq!(matches!(before, b'\n' | b'\r'), matches!(after, b'\n' | b'\r'));
        }
    }

    #[test]
    fn any_text_is_repaired(text in "\\PC{0,200}") {
        prop_assert_eq!(repair(&text, &mut DefinedSymbols::new(&[], false)).text.len(), text.len());
    }
}

const PARTS: [&str; 44] = [
    "async",
    "await",
    "\n",
    "\r\n",
    " ",
    "$\"",
    "\"",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "*",
    "&",
    "?.",
    "?[",
    "!",
    " = ",
    "==",
    "=>",
    "..",
    "when",
    "is",
    "extension",
    "ref",
    "partial",
    "struct",
    "allows",
    "#if A\n",
    "#endif\n",
    "@\"",
    "$@\"",
    "\"\"\"",
    "$$\"\"\"",
    "'",
    "\\",
    "//",
    "/*",
    "ö𝒳",
    "x",
    "operator +=",
];
