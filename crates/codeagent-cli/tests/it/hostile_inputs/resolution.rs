//! Sources that are easy to parse and hard to resolve: cycles, doubling, wide choices.

use super::Expected::{Either, Indexed};
use super::{Expected, Row, SECONDS, each, nested, row, rows};

pub fn table() -> Vec<Row> {
    let mut table = Vec::new();
    let mut cs = |name: &str, text: String, expected: Expected| {
        table.push(row(&format!("C# {name}"), "a.cs", text, expected))
    };
    csharp_cycles(&mut cs);
    csharp_crowds(&mut cs);
    csharp_choices(&mut cs);
    let mut ts = |name: &str, text: String, expected: Expected| {
        table.push(row(&format!("TS {name}"), "a.ts", text, expected))
    };
    typescript_types(&mut ts);
    typescript_blocks(&mut ts);
    typescript_values(&mut ts);
    modules(&mut table);
    table
}

fn csharp_cycles(cs: &mut impl FnMut(&str, String, Expected)) {
    cs(
        "class that extends itself",
        "class A : A { void M() { M(); x.N(); base.M(); } A x; }".into(),
        Indexed,
    );
    cs(
        "classes that extend each other",
        "class A : B { void M() { N(); } } class B : A { void N() { M(); } } class C : C.D { class D : C { } }".into(),
        Indexed,
    );
    cs(
        "cycle of 5,000 classes",
        each(5000, |i| {
            format!(
                "class C{i} : C{} {{ void M{i}() {{ M{}(); }} }}",
                (i + 1) % 5000,
                (i + 77) % 5000
            )
        }),
        Indexed,
    );
    cs(
        "chain of 5,000 classes",
        each(5000, |i| {
            format!(
                "class C{i} : C{} {{ void M{i}() {{ M{}(); }} }}",
                i + 1,
                i + 77
            )
        }),
        Indexed,
    );
    cs(
        "class of itself of itself",
        "class A<T> : A<A<T>> { void M() { N().M(); } A<A<T>> N() => null; }".into(),
        Indexed,
    );
    cs("growing bases", "class A<T> : B<A<A<T>>> { void M() { N().N(); } } class B<T> : A<B<B<T>>> { T N() => default; }".into(), Indexed);
    cs(
        "diamonds",
        (1..30)
            .map(|level| {
                each(10, |i| {
                    let bases: Vec<String> =
                        (0..10).map(|j| format!("I{}_{j}", level - 1)).collect();
                    format!(
                        "interface I{level}_{i} : {} {{ void M{level}_{i}(); }}",
                        bases.join(", ")
                    )
                })
            })
            .collect::<String>()
            + "class C { void M(I29_0 x) { x.M1_1(); x.N(); } } class D : I29_0 { public void M1_1() { } }",
        Indexed,
    );
    cs(
        "variables that need each other",
        format!(
            "class C {{ void M() {{ {} }} }}",
            each(2000, |i| format!(
                "var a{i} = a{} + a{};",
                (i + 1) % 2000,
                (i + 2) % 2000
            )) + "a0.M();"
        ),
        Indexed,
    );
    cs(
        "alias that names itself",
        "using A = B; using B = A; class C : A { A x; void M() { x.M(); } }".into(),
        Indexed,
    );
    cs(
        "aliases in a chain",
        each(5000, |i| format!("using A{i} = N.A{};", i + 1))
            + "class C { A0 x; void M() { x.M(); } }",
        Indexed,
    );
    cs(
        "properties that need each other",
        format!(
            "class C {{ {} void M() {{ P0.M(); }} }}",
            each(5000, |i| format!("C P{i} => P{}.P{};", i + 1, i + 2))
        ),
        Indexed,
    );
    cs(
        "constraints in a circle",
        "class A<T, U> where T : U where U : T { void M(T t) { t.N(); } }".into(),
        Indexed,
    );
    cs(
        "extension block on itself",
        "static class E { extension<T>(T x) where T : E { T Y => x.Y.Y.Y; } }".into(),
        Either,
    );
}

fn csharp_crowds(cs: &mut impl FnMut(&str, String, Expected)) {
    cs(
        "type parameters that demand each other",
        "class A { static void Put(object[] x) { } static void Put(object x) { } void M<X, Y>(X[] x) where X : Y where Y : X { Put(x); } }"
            .into(),
        Indexed,
    );
    let converts = each(40, |i| {
        let all: Vec<String> = (0..40).map(|j| format!("I<C{j}>")).collect();
        format!("class C{i} : {} {{ }}", all.join(", "))
    });
    let depth = 30;
    cs(
        "interfaces of many type arguments, nested",
        format!(
            "interface I<in T> {{ }} class Other {{ }} {converts} class U {{ void Put({}Other{} x) {{ }} void Put(int x) {{ }} void M(C0 c) {{ Put(c); }} }}",
            "I<".repeat(depth),
            ">".repeat(depth)
        ),
        Indexed,
    );
    cs(
        "covariant interfaces of many type arguments, nested",
        format!(
            "interface I<out T> {{ }} class Other {{ }} {converts} class U {{ void Put({}Other{} x) {{ }} void Put(int x) {{ }} void M(C0 c) {{ Put(c); }} }}",
            "I<".repeat(depth),
            ">".repeat(depth)
        ),
        Indexed,
    );
    cs(
        "10,000 namespaces that use each other",
        each(10_000, |i| format!("using N{i};"))
            + &each(10_000, |i| {
                format!("namespace N{i} {{ class C{i} {{ X a; Y b; C1 c; }} }}")
            }),
        Indexed,
    );
    cs(
        "one using before each of 10,000 namespaces",
        each(10_000, |i| {
            format!(
                "using System; namespace N{i} {{ class C{i} {{ X a; Y b; void M() {{ a.Z(); }} }} }}"
            )
        }),
        Either,
    );
}

fn csharp_choices(cs: &mut impl FnMut(&str, String, Expected)) {
    let choices = each(10, |i| {
        format!(
            "static T F<T>(System.Func<A{i}, T> f) => default; static T F<T>(System.Func<A{i}, int, T> f) => default;"
        )
    });
    for depth in [10, 100] {
        let call = nested("F(a => ", "a", ")", depth);
        cs(
            &format!("{depth} nested lambdas and 20 overloads"),
            format!("class C {{ {choices} void M() {{ {call}; }} }}"),
            Indexed,
        );
        let call = nested("F(F(a => ", "a", "), 1)", depth);
        cs(
            &format!("{depth} nested calls and lambdas"),
            format!("class C {{ {choices} static T F<T>(T a, T b) => a; void M() {{ {call}; }} }}"),
            Indexed,
        );
    }
    cs(
        "doubling calls",
        format!(
            "class C {{ T P<T>(T a, T b) => a; void M() {{ {} }} }}",
            each(200, |i| format!(
                "var x{} = P(x{i}, x{i}); x{i}.M();",
                i + 1
            ))
        ),
        Indexed,
    );
    cs(
        "doubling types",
        format!(
            "class P<A, B> {{ public P<P<A, B>, P<A, B>> Twice() => null; void M() {{ Twice(){}; }} }}",
            ".Twice()".repeat(200)
        ),
        Indexed,
    );
    cs(
        "chain of 10,000 generic calls",
        format!(
            "class L<T> {{ L<U> Map<U>(System.Func<T, U> f) => null; void M(L<int> a) {{ a{}; }} }}",
            ".Map(x => x)\n".repeat(10_000)
        ),
        Either,
    );
    cs(
        "chain of 10,000 calls",
        format!(
            "class L {{ L A() => this; void M(L a) {{ a{}; }} }}",
            ".A()\n".repeat(10_000)
        ),
        Either,
    );
    cs(
        "5,000 extensions of one name, 2,000 calls",
        format!(
            "static class E {{ {} static void M(int a) {{ {} }} }}",
            each(5000, |i| format!("public static void F(this A{i} a) {{ }}")),
            "a.F();\n".repeat(2000)
        ),
        Indexed,
    );
    cs(
        "20,000 overloads, 2,000 calls",
        format!(
            "class C {{ {} void M() {{ {} }} }}",
            each(20_000, |i| format!("void F(A{i} a) {{ }}")),
            "F(x);\n".repeat(2000)
        ),
        Indexed,
    );
    cs(
        "2,000 generic overloads, 2,000 calls",
        format!(
            "class C {{ {} void M() {{ {} }} }}",
            each(2000, |i| format!(
                "void F<T>(System.Func<T, A{i}> a, T b) {{ }}"
            )),
            "F(x => x, 1);\n".repeat(2000)
        ),
        Indexed,
    );
    cs(
        "2,000 overloads of an operator",
        format!(
            "class C {{ {} void M(C c) {{ {} }} }}",
            each(2000, |i| format!(
                "public static C operator +(C a, A{i} b) => a;"
            )),
            format!("_ = c{};\n", " + c".repeat(100)).repeat(20)
        ),
        Indexed,
    );
    cs(
        "2,000 nested generic calls",
        format!(
            "class C {{ static T I<T>(T x) => x; void M() {{ {}; }} }}",
            nested("I(", "1", ")", 150)
        ),
        Indexed,
    );
    cs(
        "conditionals of lambdas",
        format!(
            "class C {{ void M(bool b) {{ var f = {} x => x; f(1); }} }}",
            "b ? x => x : \n".repeat(100)
        ),
        Indexed,
    );
    cs(
        "50,000 parts that call",
        each(20_000, |i| {
            format!("partial class C {{ void M{i}() {{ M{}(); }} }}", i + 1)
        }),
        Indexed,
    );
}

fn typescript_types(ts: &mut impl FnMut(&str, String, Expected)) {
    ts(
        "class that extends itself",
        "class A extends A { m() { this.m(); this.n(); super.m(); } x: A; }".into(),
        Indexed,
    );
    ts("classes that extend each other", "class A extends B { m() { this.n(); } } class B extends A { n() { this.m(); } } interface I extends J {} interface J extends I {} declare const i: I; i.x();".into(), Indexed);
    ts(
        "cycle of 5,000 classes",
        each(5000, |i| {
            format!(
                "class C{i} extends C{} {{ m{i}() {{ this.m{}(); }} }}",
                (i + 1) % 5000,
                (i + 77) % 5000
            )
        }),
        Indexed,
    );
    ts(
        "alias of itself",
        "type A = A; type B = C; type C = B; type D = D[]; type E<T> = E<E<T>>; declare const a: A & B, e: E<D>; a.x(); e.y.z();".into(),
        Indexed,
    );
    ts(
        "growing alias",
        "type R<T> = R<[T, T]>; type S<T> = T extends string ? S<[T]> : S<T | [T]>; declare const r: R<1>, s: S<1>; r.x(); s.y();".into(),
        Indexed,
    );
    ts(
        "doubling aliases",
        each(200, |i| {
            format!("type A{} = [A{i}, A{i}] | {{ a: A{i}, b: A{i} }};", i + 1)
        }) + "type A0 = { m(): void }; declare const x: A200; x.a.b.a.m(); x[0][1].a.m();",
        Indexed,
    );
    ts("doubling conditional types", "type F<T> = T extends [infer A, ...infer B] ? F<A> | F<B> | F<[F<A>, F<B>]> : T; type T1 = [[1,2,[3]],[4,[5,[6]]],[7,8,[9,[10]]]]; declare const x: F<F<T1>>; x.m();".into(), Indexed);
    ts(
        "distributing conditional types",
        format!(
            "type U = {} 0; type F<T> = T extends infer A ? A extends U ? [A, U] : F<A> : never; declare const x: F<U>; x.m();",
            each(2000, |i| format!("{{ k{i}: 1 }} |"))
        ),
        Indexed,
    );
    ts(
        "nested mapped types",
        each(200, |i| {
            format!(
                "type M{} <T> = {{ [K in keyof M{i}<T>]: M{i}<T[K]> }};",
                i + 1
            )
        }) + "type M0<T> = T; declare const x: M200<{ a: { m(): void } }>; x.a.m();",
        Indexed,
    );
    ts(
        "union of 10,000 with 2,000 uses",
        format!(
            "{} type U = {} C0; declare const x: U; {}",
            each(10_000, |i| format!("interface C{i} {{ m(): U }}")),
            each(10_000, |i| format!("C{i} |")),
            "x.m().m();\n".repeat(2000)
        ),
        Indexed,
    );
    ts(
        "intersection of 10,000 with 1,000 uses",
        format!(
            "{} type U = {} C0; declare const x: U; {}",
            each(10_000, |i| format!("interface C{i} {{ m{i}(): U }}")),
            each(10_000, |i| format!("C{i} &")),
            "x.m1().m2().n();\n".repeat(1000)
        ),
        Indexed,
    );
    ts(
        "diamonds",
        (1..30)
            .map(|level| {
                each(10, |i| {
                    let bases: Vec<String> =
                        (0..10).map(|j| format!("I{}_{j}", level - 1)).collect();
                    format!(
                        "interface I{level}_{i} extends {} {{ m{level}_{i}(): void }}",
                        bases.join(", ")
                    )
                })
            })
            .collect::<String>()
            + "declare const x: I29_0; x.m1_1(); x.n(); class D implements I29_0 { m1_1() {} }",
        Indexed,
    );
    ts("template product", "type D = '0'|'1'|'2'|'3'|'4'|'5'|'6'|'7'|'8'|'9'; type P = `${D}${D}${D}${D}${D}${D}`; declare const x: { [K in P]: { m(): void } }; x['000000'].m();".into(), Indexed);
    ts(
        "constraint of itself",
        "function f<T extends T, U extends V, V extends U>(t: T, u: U) { t.m(); u.n(); f(t, u).x(); }".into(),
        Indexed,
    );
}

fn typescript_blocks(ts: &mut impl FnMut(&str, String, Expected)) {
    ts(
        "4,000 blocks of one namespace in a namespace",
        each(4000, |i| {
            format!("export namespace A.B {{ export interface I{i} {{ go(): void }} }}")
        }) + &each(4000, |i| {
            format!("export function f{i}(x: A.B.I{i}) {{ x.go(); }}")
        }),
        Indexed,
    );
    ts(
        "interface of 4,000 parts",
        each(4000, |i| format!("export interface I {{ m{i}(): I }}"))
            + &each(4000, |i| {
                format!("export function f{i}(x: I) {{ x.m{i}().m0(); }}")
            }),
        Indexed,
    );
    ts(
        "10,000 blocks of one ambient module",
        "declare module '*.md' { const component: React.FC; export default component; }\n"
            .repeat(10_000),
        Indexed,
    );
}

fn typescript_values(ts: &mut impl FnMut(&str, String, Expected)) {
    ts(
        "default export that names itself",
        "export default default;\n".into(),
        Indexed,
    );
    ts(
        "functions that return each other",
        each(3000, |i| {
            format!(
                "function f{i}(a) {{ return a ? f{}(a) : f{}(a); }}",
                (i + 1) % 3000,
                (i + 2) % 3000
            )
        }) + "f0(1).m();",
        Indexed,
    );
    ts(
        "functions that return two of the next",
        each(100, |i| {
            format!(
                "const f{i} = () => ({{ a: f{}(), b: f{}() }});",
                i + 1,
                i + 1
            )
        }) + "f0().a.b.a.b.m();",
        Indexed,
    );
    ts(
        "constants that need each other",
        each(3000, |i| {
            format!("const a{i} = a{} || a{};", (i + 1) % 3000, (i + 2) % 3000)
        }) + "a0.m();",
        Indexed,
    );
    ts(
        "getters that need each other",
        format!(
            "class C {{ {} }} new C().p0.m();",
            each(3000, |i| format!(
                "get p{i}() {{ return this.p{}.p{}; }}",
                i + 1,
                i + 2
            ))
        ),
        Indexed,
    );
    ts(
        "chain of 10,000 generic calls",
        format!(
            "interface L<T> {{ map<U>(f: (a: T) => U): L<U>; }} declare const a: L<number>; a{};",
            ".map(x => x)\n".repeat(10_000)
        ),
        Either,
    );
    ts(
        "chain of 10,000 array calls",
        format!("[1]{};", ".map(x => [x])\n".repeat(10_000)),
        Either,
    );
    ts(
        "chain of 10,000 calls",
        format!(
            "class L {{ a() {{ return this; }} }} new L(){};",
            ".a()\n".repeat(10_000)
        ),
        Either,
    );
    ts(
        "growing object",
        each(2000, |i| {
            format!(
                "const o{} = {{ ...o{i}, a{i}: o{i}, b: {{ ...o{i} }} }};",
                i + 1
            )
        }) + "const o0 = { m() {} }; o2000.m(); o2000.b.m();",
        Indexed,
    );
    let overloads = each(20, |i| {
        format!("declare function f<T>(g: (a: A{i}) => T): T;")
    });
    ts(
        "100 nested lambdas and 20 overloads",
        format!("{overloads} {};", nested("f(a => ", "a", ")", 100)),
        Indexed,
    );
    ts(
        "100 nested lambdas of two",
        format!(
            "declare function p<T, U>(a: () => T, b: () => U): T & U; {};",
            nested("p(() => 1, () => ", "1", ")", 100)
        ),
        Indexed,
    );
    ts(
        "doubling lambdas",
        each(60, |i| {
            format!(
                "const g{} = (x = g{i}(g{i})) => [g{i}(x), g{i}(g{i})];",
                i + 1
            )
        }) + "const g0 = a => a; g60(1).m();",
        Indexed,
    );
    ts(
        "5,000 overloads, 2,000 calls",
        format!(
            "{} {}",
            each(5000, |i| format!(
                "declare function f(a: A{i}, b: number): B{i};"
            )),
            "f(x, 1).m();\n".repeat(2000)
        ),
        Indexed,
    );
    ts(
        "5,000 members, 5,000 uses",
        format!(
            "class C {{ {} }} const c = new C(); {}",
            each(5000, |i| format!("m{i}() {{ return this; }}")),
            each(5000, |i| format!("c.m{i}();"))
        ),
        Indexed,
    );
    ts(
        "5,000 narrowings",
        format!(
            "function f(a: A | B) {{ {} }} class A {{ m() {{}} }} class B {{ n() {{}} }}",
            each(5000, |_| {
                "if (a instanceof A && 'm' in a && typeof a === 'object') { a.m(); } else { a.n(); }".to_owned()
            })
        ),
        Indexed,
    );
    ts(
        "mixins of themselves",
        "const M = (B) => class extends M(B) { m() { this.m(); this.n(); } }; class C extends M(M(C)) { n() { this.m(); } }".into(),
        Indexed,
    );
    ts(
        "promise of promise",
        format!(
            "async function f() {{ return f(); }} async function g() {{ {} }}",
            "(await (await f()).x).m();\n".repeat(500)
        ),
        Indexed,
    );
    ts(
        "50,000 uses of an unknown name",
        "x.y.z();\n".repeat(50_000),
        Indexed,
    );
}

fn modules(table: &mut Vec<Row>) {
    let texts = |n: usize, text: &dyn Fn(usize) -> String| {
        (0..n)
            .map(|i| (format!("m{i}.ts"), text(i).into_bytes()))
            .collect::<Vec<_>>()
    };
    let all = |n: usize, i: usize| {
        (0..n)
            .filter(|j| *j != i)
            .map(|j| format!("export * from './m{j}';\n"))
            .collect::<String>()
    };
    table.push(rows(
        "TS export * of 100 from each other",
        texts(100, &|i| {
            format!(
                "import {{ x{i}, y }} from './m{}';\nx{i}(); y();\n{}export const a{i} = 1;\n",
                (i + 1) % 100,
                all(100, i)
            )
        }),
        Indexed,
    ));
    table.push(rows(
        "TS export * in a ring of 1,000",
        texts(1000, &|i| {
            format!(
                "import {{ x }} from './m{0}';\nx();\nexport * from './m{0}';\n",
                (i + 1) % 1000
            )
        }),
        Indexed,
    ));
    table.push(rows(
        "TS names exported in a ring",
        texts(500, &|i| format!("export {{ x, y as x2 }} from './m{}';\nimport {{ x as z }} from './m{i}';\nz.m();\n", (i + 1) % 500)),
        Indexed,
    ));
    table.push(rows(
        "TS namespaces exported in a ring",
        texts(50, &|i| {
            format!(
                "export * as n from './m{0}';\nimport * as m from './m{0}';\nm{1}.x();\n",
                (i + 1) % 50,
                ".n".repeat(500)
            )
        }),
        Indexed,
    ));
    table.push(rows(
        "TS imports of themselves",
        texts(20, &|i| {
            format!("import d, * as s from './m{i}';\nexport default d;\nexport = s;\nimport e = require('./m{i}');\ns.s.d(); e.e();\n")
        }),
        Indexed,
    ));
    table.push(rows(
        "TS modules that augment each other",
        texts(200, &|i| {
            format!(
                "declare module './m{}' {{ interface I {{ m{i}(): I }} }}\nexport interface I {{}}\ndeclare const i: I; i.m{i}();\n",
                (i + 1) % 200
            )
        }),
        Indexed,
    ));
    let many = |n: usize, text: &dyn Fn(usize) -> String| {
        (0..n)
            .map(|i| (format!("c{i}.cs"), text(i).into_bytes()))
            .collect::<Vec<_>>()
    };
    table.push(rows(
        "C# class in 500 files",
        many(500, &|i| {
            format!(
                "namespace N; partial class C {{ void M{i}() {{ M{}(); }} }}\n",
                (i + 1) % 500
            )
        }),
        Indexed,
    ));
    for row in table.iter_mut().filter(|row| row.files.len() > 1) {
        row.seconds = 2.0 * SECONDS;
    }
}
