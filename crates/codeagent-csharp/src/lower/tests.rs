//! Snapshots of the facts of small texts, and adversarial inputs.

use std::time::Duration;

use codeagent_model::graph::{Dialect, ParseStatus};
use codeagent_model::print::print;
use cpu_time::ThreadTime;
use expect_test::{Expect, expect};

use crate::LANGUAGES;

#[allow(
    clippy::needless_pass_by_value,
    reason = "snapshots are written in place"
)]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&print(&LANGUAGES.extract(text, Dialect::CSharp, &[])));
}

#[test]
fn namespaces_usings_and_types_are_lowered() {
    check(
        "extern alias X;
global using System.Linq;
using static A.B;
using D = System.Collections.Generic.Dictionary<string, A.C>;
[assembly: A.Mark(typeof(E))]
namespace N.M;
/// <summary>A <see cref=\"B\"/>.</summary>
[Obsolete] public abstract partial class E<T, in U>(int x) : B<T>(x), I where T : A.C, new() where U : class? { class Inner; }
file enum F : byte { P = 1, [Obsolete] Q = P | 2 }
delegate T G<T>(ref T a, params int[] b);
",
        expect![[r#"
            import ExternAlias X as  from X
            import UsingNamespace global  as  from System.Linq
            import UsingStatic  as  from A.B
            import UsingAlias D as  from System.Collections.Generic.Dictionary<string,A.C>
            Namespace N.M [6-10]
              Class E abstract partial Base B<T> Base I [8-8 "A B." deprecated public]
                TypeParam T Constraint A.C ConstraintWord new()
                TypeParam U in ConstraintWord class
                PrimaryConstructor E [8-8 "(int x)" public]
                Parameter x : int
                Class Inner [8-8 private]
              Enum F Base byte [9-9 file]
                EnumMember P static const = Number1 [9-9 public]
                EnumMember Q static const = (Or P Number2) [9-9 deprecated public]
              Delegate G : T [10-10 "(ref T a, params int[] b)" "T" internal]
                TypeParam T
                Parameter a ref : T
                Parameter b rest : int[]
            2:21 Import  by -
            3:14 TypeRef A.B#0 by -
            3:16 Import  by -
            4:11 TypeRef System.Collections.Generic.Dictionary<string, A.C>#0 by -
            4:18 TypeRef System.Collections.Generic.Dictionary<string, A.C>#1 by -
            4:30 TypeRef System.Collections.Generic.Dictionary<string, A.C>#2 by -
            4:38 Import D by -
            4:57 TypeRef A.C#0 by -
            4:59 TypeRef A.C#1 by -
            5:12 TypeRef A.Mark#0 by -
            5:14 Attribute construct A.Mark _(<global::.System.Type>) by -
            5:14 TypeRef A.Mark#1 by -
            5:26 TypeRef E#0 by -
            8:2 Attribute construct Obsolete _() by E
            8:2 TypeRef Obsolete#0 by E
            8:62 BaseInit construct B<T> _(x) by E
            8:62 Base base 0 of E by E
            8:67 Read x by E
            8:71 Base base 1 of E by E
            8:83 TypeRef A.C#0 by E
            8:85 TypeRef A.C#1 by E
            9:30 Attribute construct Obsolete _() by Q
            9:30 TypeRef Obsolete#0 by Q
            9:44 Read P by Q
            9:46 Operator (Or P Number2) by Q
        "#]],
    );
}

#[test]
fn members_of_every_form_are_lowered() {
    check(
        "class C : I<int> {
    const int A = 1, B = A + 1;
    public event Action<int>? E1, E2;
    event H I<int>.Ev { add { x += value; } remove { } }
    static C() { }
    protected internal C(int a = 2) : this() { }
    ~C() => Close();
    public int P { get; private set; } = F();
    int Q { get => field; set => field = value; }
    public string this[int i, string s = \"x\"] => a[i];
    void I<int>.M() { }
    public static C operator +(C a, C b) => a;
    public static implicit operator List<int>(C c) => new();
    [Obsolete] internal static T X<T>(this T t, out int o) where T : struct { o = 1; return t; }
}
interface J { void M(); int N => 1; }",
        expect![[r#"
            Class C Base I<int> [1-15 internal]
              Field A static const : int = Number1 [2-2 "int" private]
              Field B static const : int = (Add A Number1) [2-2 "int" private]
              Event E1 : Action<int>? [3-3 "Action<int>?" public]
              Event E2 : Action<int>? [3-3 "Action<int>?" public]
              Event Ev : H [4-4 "H" of I<int> private]
                Parameter value : H
                Parameter value : H
              StaticConstructor C static [5-5 "()" private]
              Constructor C [6-6 "(int a = 2)" protected_internal]
                Parameter a optional : int = Number2
              Finalizer ~C returns [Close()] [7-7 "()" protected]
              Property P : int = F() [8-8 "int" public]
              Property Q : int returns [field] [9-9 "int" private]
                Variable field : int
                Parameter value : int
                Variable field : int
              Indexer this[] : string returns [index a(i)] [10-10 "[int i, string s = \"x\"]" "string" public]
                Parameter i : int
                Parameter s optional : string = "x"
              Method M : void [11-11 "()" "void" of I<int> private]
              Operator operator + static : C returns [a] [12-12 "(C a, C b)" "C" public]
                Parameter a : C
                Parameter b : C
              Conversion implicit operator List<int> static : List<int> returns [new _()] [13-13 "(C c)" "List<int>" public]
                Parameter c : C
                ObjectLiteral  = new _() @returned implicit operator List<int>
              Method X static extension : T returns [t] [14-14 "(this T t, out int o)" "T" deprecated internal]
                TypeParam T ConstraintWord struct
                Parameter t extension : T
                Parameter o out : int
            Interface J [16-16 internal]
              Method M : void [16-16 "()" "void" public]
              Property N : int returns [Number1] [16-16 "int" public]
            1:11 Base base 0 of C by C
            2:26 Read A by B
            2:28 Operator (Add A Number1) by B
            3:18 TypeRef Action<int>#0 by E1
            4:11 TypeRef H#0 by Ev
            4:13 TypeRef I<int>#0 by Ev
            4:31 ReadWrite x by Ev
            4:33 Operator (x := (Add x value)) by Ev
            6:39 ThisInit construct _ _() by C
            7:13 Call Close() by ~C
            8:42 Call F() by P
            10:50 Read a by this[]
            10:51 Index index a(i) by this[]
            11:10 TypeRef I<int>#0 by M
            12:19 TypeRef C#0 by operator +
            12:32 ParameterType C#0 by operator +
            12:37 ParameterType C#0 by operator +
            13:37 TypeRef List<int>#0 by implicit operator List<int>
            13:47 ParameterType C#0 by implicit operator List<int>
            13:55 New new _() by implicit operator List<int>
            14:6 Attribute construct Obsolete _() by X
            14:6 TypeRef Obsolete#0 by X
        "#]],
    );
}

#[test]
fn records_and_extension_blocks_are_lowered() {
    check(
        "public record R(int A, string B = \"x\") : Base(B), I { public int Z { get; init; } }
readonly record struct S([property: P] int V);
static class E { extension<T>(IEnumerable<T> source) where T : class { public int Count2() => source.Count(); } }",
        expect![[r#"
            Record R Base Base Base I [1-1 public]
              PrimaryConstructor R [1-1 "(int A, string B = \"x\")" public]
              Parameter A : int
              Parameter B optional : string = "x"
              Property A from-parameter : int [1-1 "int" public]
              Method Equals from-parameter : bool
                Parameter  : R
              Method Equals override from-parameter : bool
                Parameter  : object
              Method Equals override from-parameter : bool
                Parameter  : Base
              Method GetHashCode override from-parameter : int
              Method ToString override from-parameter : string
              Operator operator == static from-parameter : bool
                Parameter  : R
                Parameter  : R
              Operator operator != static from-parameter : bool
                Parameter  : R
                Parameter  : R
              Method Deconstruct from-parameter : void
                Parameter  out : int
                Parameter  out : string
              Property Z : int [1-1 "int" public]
            RecordStruct S readonly [2-2 internal]
              PrimaryConstructor S [2-2 "([property: P] int V)" public]
              Parameter V : int
              Property V from-parameter : int [2-2 "int" public]
              Method Equals from-parameter : bool
                Parameter  : S
              Method Equals override from-parameter : bool
                Parameter  : object
              Method GetHashCode override from-parameter : int
              Method ToString override from-parameter : string
              Operator operator == static from-parameter : bool
                Parameter  : S
                Parameter  : S
              Operator operator != static from-parameter : bool
                Parameter  : S
                Parameter  : S
              Method Deconstruct from-parameter : void
                Parameter  out : int
            Class E static [3-3 internal]
              ExtensionBlock extension static [3-3 "(IEnumerable<T> source)" public]
                TypeParam T ConstraintWord class
                Parameter source : IEnumerable<T>
                Method Count2 : int returns [source.Count()] [3-3 "()" "int" public]
            1:42 BaseInit construct Base _(B) by R
            1:42 Base base 0 of R by R
            1:47 Read B by R
            1:51 Base base 1 of R by R
            2:37 Attribute construct P _() by S
            2:37 TypeRef P#0 by S
            3:31 ParameterType IEnumerable<T>#0 by extension
            3:95 Read source by Count2
            3:102 Call source.Count() by Count2
        "#]],
    );
}

#[test]
fn chains_and_calls_are_lowered() {
    check(
        "class C { void M(C p) {
    a.b.c<int>(x)[0].d++;
    p?.q(ref r).s = a + b?.t() == c?.u;
    List<int>.Empty.F(); A.B<int>.G(); int.Parse(name: s); global::N.T.H();
    this.I(); base.J(); nameof(A.K); p.M(p);
    var k = (T)a.M<U>(x).y; F(a * b); z = (l) - m * n && (o) && r;
    M(x) = 3; G() ??= async;
    await x?.y()!.z();
} }",
        expect![[r#"
            Class C [1-9 internal]
              Method M : void [1-9 "(C p)" "void" private]
                Parameter p : C
                Variable k = <T> from 219
            1:18 ParameterType C#0 by M
            2:5 Read a by M
            2:7 Read a.b by M
            2:9 Call a.b.c<int>(x) by M
            2:16 Read x by M
            2:18 Index index a.b.c<int>(x)(Number0) by M
            2:22 ReadWrite index a.b.c<int>(x)(Number0).d by M
            2:23 Operator (Increment index a.b.c<int>(x)(Number0).d) by M
            3:8 Call p.q(ref r) by M
            3:14 ReadWrite r by M
            3:17 Write p.q(ref r).s by M
            3:21 Read a by M
            3:23 Operator (Add a maybe some b.t()) by M
            3:25 Read b by M
            3:28 Call some b.t() by M
            3:32 Operator (Equal (Add a maybe some b.t()) maybe some c.u) by M
            3:35 Read c by M
            3:38 Read some c.u by M
            4:5 TypeRef List<int>#0 by M
            4:15 Read List<int>.Empty by M
            4:21 Call List<int>.Empty.F() by M
            4:26 TypeRef A.B<int>#0 by M
            4:28 TypeRef A.B<int>#1 by M
            4:35 Call A.B<int>.G() by M
            4:44 Call int.Parse(name: s) by M
            4:56 Read s by M
            4:60 TypeRef global::.N#0 by M
            4:68 TypeRef global::.N#1 by M
            4:70 Read global::.N.T by M
            4:72 Call global::.N.T.H() by M
            5:10 Call this.I() by M
            5:20 Call super.J() by M
            5:32 NameOf A by M
            5:34 NameOf A.K by M
            5:40 Call p.M(p) by M
            6:14 TypeRef T#0 by M
            6:16 Read a by M
            6:18 Call a.M<U>(x) by M
            6:20 TypeRef U#0 by M
            6:23 Read x by M
            6:26 Read a.M<U>(x).y by M
            6:29 Call F((Multiply a b)) by M
            6:31 Read a by M
            6:33 Operator (Multiply a b) by M
            6:35 Read b by M
            6:39 Write z by M
            6:44 Read l by M
            6:47 Operator (Subtract l (Multiply m n)) by M
            6:49 Read m by M
            6:51 Operator (Multiply m n) by M
            6:53 Read n by M
            6:59 Read o by M
            6:65 Read r by M
            7:5 Call M(x) by M
            7:7 Read x by M
            7:15 Call G() by M
            7:23 Read async by M
            8:11 Read x by M
            8:14 Call some x.y() by M
            8:19 Call some x.y().z() by M
        "#]],
    );
}

#[test]
fn objects_and_contextual_types_are_lowered() {
    check(
        "class C { A f = new(1) { B = { C = x => x.D }, [\"k\"] = new() };
object M() {
    var a = new { N = 1, q.O, P };
    int[] b = { 1 }; List<A> c = [new(), ..d]; var e = new[] { new A() { } }; var g = new A[2][,];
    F(1, async (x, y) => await x, delegate (int z) { return z; }, w: _ => new() { R = 1 });
    return a with { S = [] };
} }",
        expect![[r#"
            Class C [1-7 internal]
              Field f : A = new _(Number1) [1-1 "A" private]
                ObjectLiteral  = new _(Number1) @A
                ObjectLiteral  = new _(Number1)
                ObjectLiteral  = new _(Number1).B
                Lambda  returns [x.D] @assigned new _(Number1).B.C
                  Parameter x = context 0
                ObjectLiteral  = new _() @assigned index new _(Number1)("k")
              Method M : object returns [(a)] [2-7 "()" "object" private]
                Variable a = object 10 from 85
                ObjectLiteral 
                  Property N = Number1
                  Property O = q.O
                  Property P = P
                Variable b : int[] = [Number1] from 122
                ObjectLiteral  @int[]
                Variable c : List<A> = [new _(), ...d] from 141
                ObjectLiteral  @List<A>
                ObjectLiteral  = new _() @assigned [new _(), ...d]
                Variable e = [new A()] from 163
                ObjectLiteral  = new A()
                Variable g = <A[2][]> from 194
                Lambda  async returns [await x] @argument 1 of F
                  Parameter x = context 0
                  Parameter y = context 1
                Lambda  returns [z] @argument 2 of F
                  Parameter z : int
                Lambda  returns [new _()] @argument 3 of F
                  Parameter _ = context 0
                  ObjectLiteral  = new _() @returned 
                  ObjectLiteral  = new _()
                ObjectLiteral  = (a)
                ObjectLiteral  @assigned (a).S
            1:11 TypeRef A#0 by f
            1:17 New new _(Number1) by f
            1:26 Key B of 3 by f
            1:32 Key C of 4 by f
            1:43 Read x.D by f
            1:48 Index index new _(Number1)("k") by f
            1:56 New new _() by f
            3:26 Read q by M
            3:28 Read q.O by M
            3:31 Read P by M
            4:22 TypeRef List<A>#0 by M
            4:27 TypeRef A#0 by M
            4:35 New new _() by M
            4:44 Read d by M
            4:68 New new A() by M
            4:68 TypeRef A#0 by M
            4:91 TypeRef A#0 by M
            5:5 Call F(Number1, lambda, lambda, w: lambda) by M
            5:75 New new _() by M
            5:83 Key R of 30 by M
            6:21 Key S of 31 by M
        "#]],
    );
}

#[test]
fn patterns_and_locals_are_lowered() {
    check(
        "class C { int M(object o, D d) {
    if (o is not A { B.C: var e, F: G g } h || d.TryGet(out var i)) return 1;
    foreach (var (k, v) in d) { (int q, k) = v; }
    var (s, t) = d; using var u = x; for (int n = 0; n < 2; n++) { }
    switch (o) { case P p when p.Q: break; case [var r, ..]: break; }
    int L(int z) => z is > 1 and < MAX ? z : L(1);
    try { } catch (E ex) when (ex.X) { throw; }
    return o switch { (1, var w) => w, T => L(2), _ => throw new E() };
} }",
        expect![[r#"
            Class C [1-9 internal]
              Method M : int returns [Number1, ((w | L(Number2)) | Throw)] [1-9 "(object o, D d)" "int" private]
                Parameter o : object
                Parameter d : D
                Variable e = <A>.B.C from 63
                Variable g : G = <A>.F from 71
                Variable h : A = <A> from 75
                Variable i = out 0 of d.TryGet from 97
                  Variable k = each d~0 from 129
                  Variable v = each d~1 from 132
                    Variable q : int = v~0 from 148
                Variable s = d~0 from 170
                Variable t = d~1 from 173
                Variable u = x from 191
                  Variable n : int = Number0 from 207
                    Variable p : P = o from 254
                    Variable r = each o from 283
                LocalFunction L called : int returns [Bool] [6-6 "(int z)" "int"]
                  Parameter z : int
                  Variable ex : E from 372
                  Variable w = o~1 from 429
            1:27 ParameterType D#0 by M
            2:18 TypeRef A#0 by M
            2:22 Read <A>.B by M
            2:24 Read <A>.B.C by M
            2:34 Read <A>.F by M
            2:37 TypeRef G#0 by M
            2:50 Call d.TryGet(out i) by M
            4:35 Read x by M
            4:56 Operator (Less n Number2) by M
            4:62 Operator (Increment n) by M
            5:23 TypeRef P#0 by M
            5:34 Read p.Q by M
            6:36 Read MAX by L
            6:46 Call L(Number1) by L
            7:20 TypeRef E#0 by M
            7:35 Read ex.X by M
            8:40 Read T by M
            8:45 Call L(Number2) by M
            8:66 New new E() by M
            8:66 TypeRef E#0 by M
        "#]],
    );
}

#[test]
fn queries_and_strings_are_lowered() {
    check(
        "var q = from x in xs join y in ys on x.K equals y.K into g from z in g let s = z.S where s > 1 orderby x.A descending select new { x, z } into r select r.x;
string t = $\"{q.A:N2} {(b ? $\"{c.D}\" : \"d\")}\"; object u = (1L, n: 2.0, 'c', \"u\"u8, default, sizeof(int), typeof(List<>));
unsafe { *(int*)p = 1; fixed (byte* f = &a[0]) { } }
",
        expect![[r#"
            TopLevel <Main>$ static [1-3 private]
            Variable q = query r.x from 4
              Variable x = each xs from 13
              Variable y = each ys from 26
              Variable g = query each ys from 57
              Variable z = each g from 64
              Variable s = z.S from 75
              ObjectLiteral 
                Property x = x
                Property z = z
              Variable r = object 7 from 143
            Variable t : string = "" from 164
            Variable u : object = tuple(TypedNumberlong, n: TypedNumberdouble, Char, Utf8String, Default, Number, <global::.System.Type>) from 211
                Variable f : byte* = (AddressOf index a(Number0)) from 315
            1:19 Read xs by <Main>$
            1:32 Read ys by <Main>$
            1:40 Read x.K by <Main>$
            1:51 Read y.K by <Main>$
            1:82 Read z.S by <Main>$
            1:92 Operator (Greater s Number1) by <Main>$
            1:106 Read x.A by <Main>$
            1:155 Read r.x by <Main>$
            2:17 Read q.A by <Main>$
            2:25 Read b by <Main>$
            2:32 Read c by <Main>$
            2:34 Read c.D by <Main>$
            2:113 TypeRef List<_>#0 by <Main>$
            3:17 Write p by <Main>$
            3:42 Read a by <Main>$
            3:43 Index index a(Number0) by <Main>$
        "#]],
    );
}

#[test]
fn a_null_check_before_a_chain_is_not_a_deconstruction() {
    check(
        "class C { bool P => a?.b is null || s?.TryGet(out t) != true; bool Q => a is Point(1, var z); }",
        expect![[r#"
            Class C [1-1 internal]
              Property P : bool returns [(NotEqual Bool Booltrue)] [1-1 "bool" private]
              Property Q : bool returns [Bool] [1-1 "bool" private]
                Variable z = <Point>~1 from 90
            1:21 Read a by P
            1:24 Read some a.b by P
            1:37 Read s by P
            1:40 Call some s.TryGet(out t) by P
            1:51 Write t by P
            1:73 Read a by Q
            1:78 TypeRef Point#0 by Q
        "#]],
    );
}

#[test]
fn parse_errors_are_counted() {
    let facts = LANGUAGES.extract(
        "class A { void M() { } }\nclass B { int ; = }\n",
        Dialect::CSharp,
        &[],
    );
    assert_eq!(facts.header.parse_status, ParseStatus::Partial);
    assert!(
        facts.header.error_bytes > 0 && facts.header.error_lines[0] == 2,
        "{:?}",
        facts.header
    );
    assert!(facts.decl_ids().any(|id| facts.decl_name(id) == "M"));
}

#[test]
fn undefined_symbols_are_tried_if_that_avoids_parse_errors() {
    let text = "#if CLUSTERING\nnamespace A\n#elif OTHER\nnamespace B\n#endif\n{ class C { } }";
    let facts = LANGUAGES.extract(text, Dialect::CSharp, &[]);
    assert_eq!(facts.header.parse_status, ParseStatus::Full);
    assert!(facts.decl_ids().any(|id| facts.decl_name(id) == "A"));
    assert_eq!(
        LANGUAGES.conditions(text, Dialect::CSharp, &["OTHER".to_owned()]),
        "CLUSTERING=0;OTHER=1"
    );
}

#[test]
fn bodies_do_not_change_the_interface_hash() {
    let hash = |text: &str| {
        LANGUAGES
            .extract(text, Dialect::CSharp, &[])
            .header
            .interface_hash
    };
    let base = hash("class C { int F() { return 1; } int p = 1; int Q => 1; }");
    assert_eq!(
        base,
        hash("class C { int F() { var x = G(); } int p = 2; int Q => 22; }")
    );
    assert_ne!(
        base,
        hash("class C { long F() { return 1; } int p = 1; int Q => 1; }")
    );
    assert_eq!(
        base,
        hash(
            "/// <summary>a</summary>\nclass C { /* b */ int F()\u{20} { return 1; } int p = 1; int Q => 1; } // c"
        )
    );
    assert_eq!(
        hash("class C { int p = 1; }"),
        hash("class C { int p = 2; }")
    );
    assert_ne!(
        hash("class C { const int P = 1; }"),
        hash("class C { const int P = 300; }"),
        "it may fit elsewhere or not"
    );
    assert_ne!(
        hash("#if A\nclass C { }\n#endif"),
        hash("#if A\nclass D { }\n#endif"),
        "what is not compiled is text"
    );
}

/// Returns the names of the members that differ between `before` and `after`; `None` if anything
/// else differs.
fn changed_pieces(before: &str, after: &str) -> Option<Vec<String>> {
    let [was, is] = [before, after].map(|text| LANGUAGES.extract(text, Dialect::CSharp, &[]));
    let changed = is.member_hashes.iter().filter(|member| {
        !was.member_hashes
            .iter()
            .any(|other| other.hash == member.hash)
    });
    let heads = |facts: &codeagent_model::facts::Facts| -> Vec<_> {
        facts.type_hashes.iter().map(|of| of.hash).collect()
    };
    (was.header.frame_hash == is.header.frame_hash && heads(&was) == heads(&is)).then(|| {
        changed
            .map(|member| is.decl_name(member.decl).to_owned())
            .collect()
    })
}

#[test]
fn changed_members_are_named_one_by_one() {
    let before = "namespace N { class C { int a; void M(int x) { } enum E { X, Y } } class D { void M(int x) { } } }";
    let after = |from: &str, to: &str| changed_pieces(before, &before.replacen(from, to, 1));
    assert_eq!(
        after("int a;", "int a; long Q => 1;"),
        Some(vec!["Q".to_owned()])
    );
    assert_eq!(
        after("M(int x) { } enum", "M(long x) { } enum"),
        Some(vec!["M".to_owned()])
    );
    assert_eq!(after("{ } }", "{ G(); } }"), Some(Vec::new()));
    assert_eq!(after("X, Y", "X, Y, Z"), Some(vec!["Z".to_owned()]));
    assert_eq!(after("int a; ", ""), Some(Vec::new()));
    assert_eq!(after("class D", "class D : C"), None);
    assert_eq!(after("class D", "record D(int P)"), None);
    let moved = changed_pieces(
        "class C { void M() { } } class D { }",
        "class C { } class D { void M() { } }",
    );
    assert_eq!(
        moved,
        Some(vec!["M".to_owned()]),
        "it is a member of another type"
    );
}

#[test]
fn name_columns_count_utf16_units() {
    let facts = LANGUAGES.extract(
        "class C { string s = \"ö𝒳\"; int größe; }",
        Dialect::CSharp,
        &[],
    );
    let field = facts
        .decl_ids()
        .find(|id| facts.decl_name(*id) == "größe")
        .expect("the field is declared");
    assert_eq!(facts.decl(field).at.column, 33);
}

/// Small texts that are costly when repeated: start, repeated part, and its counterpart, repeated
/// as often.
const HOSTILE: &[(&str, &str, &str)] = &[
    ("class C { int x = ", "(", ""),
    ("class C { int[] x = ", "[", "]"),
    ("class C { void M() ", "{", "}"),
    ("class C { int x = a", "?.b?.c(1)", ""),
    ("class C { int x = a", " + b?.c", ""),
    ("class C { int x = ", "f(", ")"),
    ("class C { int x = ", "a + f(b?.c, ", ")"),
    ("class C { F x = ", "x => { return f(y => ", "); }"),
    (
        "class C { F x = ",
        "() => { F l() { if (a) { G(",
        "); } } }",
    ),
    ("class C { A x = ", "new A { B = ", "}"),
    ("class C { A x = ", "new() { B = { C = new { D = ", "} } }"),
    ("class C { int x = y", " switch { 1 => z", "}"),
    ("class C { int x = ", "y switch { A { B: var c } => ", "}"),
    ("class C { bool x = y is ", "{ A: ", "}"),
    ("class C { bool x = y is ", "not (", ")"),
    ("class C { object x = ", "from a in ", " select a"),
    ("class C { object x = ", "(a, ", ")"),
    ("class C { string x = ", "$\"{", "}\""),
    ("class C { ", "A<", ">"),
    ("class C { ", "A<", ""),
    ("class C { ", "(int, ", ")"),
    ("class C { void M() { ", "x = ; ", ""),
    ("class C { int x = ", "(T)", "y"),
    ("class C { void M() { ", "if (a) { } else ", "b(); }"),
    ("class C { void M() { ", "if (a) ", ""),
    ("", "class C { ", "}"),
    ("", "#if A\n", ""),
    ("", "[A(", ")]"),
];

#[test]
fn hostile_texts_are_lowered_quickly() {
    for (begin, repeated, end) in HOSTILE {
        let text = format!("{begin}{}{}", repeated.repeat(3_000), end.repeat(3_000));
        let started = ThreadTime::now();
        let facts = LANGUAGES.extract(&text, Dialect::CSharp, &[]);
        assert!(
            started.elapsed() < Duration::from_secs(5),
            "{begin}{repeated}: {:?}",
            started.elapsed()
        );
        assert!(facts.header.lines > 0);
    }
}
