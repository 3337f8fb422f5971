//! Sources and their expected edges, one table per rule.

use codeagent_model::graph::EdgeType;
use expect_test::expect;

use crate::resolve::tests::{calls, edges};

#[test]
fn inner_namespaces_then_usings_then_outer_namespaces_are_searched() {
    let found = calls(
        r"
//- a.cs
namespace A { class X { public static void M() { } } }
namespace B { class X { public static void M() { } } }
namespace A.C { using B; class U { void T() { X.M(); } } }
namespace A.D { using B; class X { public static void M() { } } class U { void T() { X.M(); } } }
",
    );
    expect![[r"
        a.cs
        4:T calls X.M:3
        5:T calls X.M:5
    "]]
    .assert_eq(&found);
}

#[test]
fn extension_methods_come_after_members_and_the_nearest_namespace_wins() {
    let found = calls(
        r"
namespace Far { public static class E { public static void M(this N.C c, int x) { } public static void Own(this N.C c) { } } }
namespace N { using Far; public class C { public void Own() { } public void M(string s) { } void T() { this.M(1); this.Own(); this.M(null); } }
  public static class Near { public static void M(this C c, object x) { } } }
",
    );
    expect![[r"
        a.cs
        3:T calls Near.M:4
        3:T calls C.Own:3
        3:T calls C.M:3
    "]]
    .assert_eq(&found);
}

#[test]
fn overloads_are_chosen_by_conversions_modifiers_names_and_type_arguments() {
    let found = calls(
        r#"
class B { } class D : B { }
class C {
  void F(B b) { }
  void F(D d) { }
  void G(long x) { }
  void G(params int[] xs) { }
  void H(int a, int b = 0) { }
  void H(string a) { }
  void O(out int x) { x = 1; }
  void O(int x) { }
  void T<X>(X x) { }
  void T(string s) { }
  void Run(B b, D d, int i) {
    F(b); F(d); G(1); G(1, 2); H(b: 1, a: 2); H("x"); O(out var y); O(y); T(i); T("s"); T<string>("s");
  }
}
"#,
    );
    expect![[r#"
        a.cs
        15:Run calls C.F:4
        15:Run calls C.F:5
        15:Run calls C.G:7
        15:Run calls C.G:7
        15:Run calls C.H:8
        15:Run calls C.H:9
        15:Run calls C.O:10
        15:Run calls C.O:11
        15:Run calls C.T:12
        15:Run calls C.T:13
        15:Run calls C.T:12
    "#]]
    .assert_eq(&found);
}

#[test]
fn lambdas_are_typed_by_the_overload_that_inference_chooses() {
    let found = calls(
        r"
using System;
class Item { public Item Next() => this; public string Name() => null; }
static class Seq {
  public static R[] Map<T, R>(this T[] xs, Func<T, R> f) => null;
  public static void Each<T>(this T[] xs, Action<T> f) { }
  public static void Each<T>(this T[] xs, Func<T, bool> f) { }
}
class U { void T(Item[] items) {
  items.Map(x => x.Next()).Map(x => x.Name()).Each(s => s.Trim());
  items.Each(x => { x.Next(); });
  items.Each(x => x == null);
} }
",
    );
    expect![[r"
        a.cs
        10:T calls Seq.Map:5
        10:T calls Item.Next:3
        10:T calls Seq.Map:5
        10:T calls Item.Name:3
        10:T calls Seq.Each:6
        11:T calls Seq.Each:6
        11:T calls Item.Next:3
        12:T calls Seq.Each:7
    "]]
    .assert_eq(&found);
}

#[test]
fn undeclared_sequences_tasks_tuples_and_patterns_resolve_by_shape() {
    let found = calls(
        r"
using System.Collections.Generic; using System.Linq; using System.Threading.Tasks;
class Item { public void Go() { } public Item Next; }
class U {
  Dictionary<string, List<Item>> map; Task<Item> one; (Item left, int n) pair;
  async Task T(IEnumerable<Item> items, object o) {
    foreach (var i in items) i.Go();
    foreach (var (k, v) in map) v[0].Go();
    (await one).Go(); pair.left.Go();
    items.Where(x => x.Next != null).Select(x => x.Next).First().Go();
    if (map.TryGetValue(null, out var list)) list[0].Go();
    if (o is Item item && o is not null) item.Go();
    (from q in items select q.Next).ToList()[0].Go();
  }
}
",
    );
    expect![[r"
        a.cs
        7:T calls Item.Go:3
        8:T calls Item.Go:3
        9:T calls Item.Go:3
        9:T calls Item.Go:3
        10:T calls Item.Go:3
        11:T calls Item.Go:3
        12:T calls Item.Go:3
        13:T calls Item.Go:3
    "]]
    .assert_eq(&found);
}

#[test]
fn members_of_an_unknown_receiver_are_not_resolved_by_name() {
    let found = calls(
        r"
using Missing;
class C { public void Go() { } public static void Make() { } }
class U : Framework { void T(Stranger s, dynamic d) { s.Go(); s.Other.Go(); d.Go(); Unknown().Go(); Helper.Make(); base.Go(); } }
",
    );
    expect![[""]].assert_eq(&found);
}

#[test]
fn every_form_of_constructor_call_is_resolved() {
    let found = calls(
        r"
class MarkAttribute : System.Attribute { public MarkAttribute(int x) { } }
class A { public A(int x) { } public A() : this(1) { } }
class B : A { public B() : base(2) { } }
class C { }
record R(A A);
class D(A a) : A(3) { A field = new(4); [Mark(1)] R Make() => new(new A()); C c = new C(); }
",
    );
    expect![[r"
        a.cs
        3:A calls A.A:3
        4:B calls A.A:3
        7:D calls A.A:3
        7:field calls A.A:3
        7:Make calls MarkAttribute.MarkAttribute:2
        7:Make calls R.R:6
        7:Make calls A.A:3
        7:c calls .C:5
    "]]
    .assert_eq(&found);
}

#[test]
fn bases_implementations_and_overrides_are_resolved() {
    let found = edges(
        r"
interface I<T> { T Get(T x); int P { get; } }
interface J : I<string> { void E(); }
abstract class Base { public abstract void V(int x); public virtual void V(string s) { } }
class C : Base, J { public string Get(string x) => x; public int P => 1; void J.E() { } public override void V(int x) { } public override string ToString() => null; }
",
        &[
            EdgeType::Inherits,
            EdgeType::Implements,
            EdgeType::Extends,
            EdgeType::Overrides,
        ],
    );
    expect![[r"
        a.cs
        3:J extends .I:2
        5:C inherits .Base:4
        5:C implements .J:3
        5:Get implements I.Get:2
        5:P implements I.P:2
        5:E implements J.E:3
        5:V overrides Base.V:4
    "]]
    .assert_eq(&found);
}

#[test]
fn projects_see_their_own_types_first_and_only_referenced_projects() {
    let found = calls(
        r"
//- p1/a.cs
namespace N { public class X { public void M() { } internal void Hidden(int x) { } public void Hidden(object x) { } } public class Only { public static void P1() { } } }
//- p1/b.cs
namespace N { class U { void T(X x) { x.M(); P2.Only2.Go(); } } }
//- p2/a.cs
namespace N { class X { public void M() { } } class Z { void T(X x) { x.M(); Only.P1(); } } }
//- p2/b.cs
namespace P2 { public class Only2 { public static void Go() { } } }
",
    );
    expect![[r#"
        p1/b.cs
        1:T calls X.M:1
        p2/a.cs
        1:T calls X.M:1
        1:T calls Only.P1:1
    "#]]
    .assert_eq(&found);
}

#[test]
fn library_declarations_provide_types_and_are_not_targets() {
    let found = calls(
        r"
//- lib/System.cs
namespace System { public class Object { public virtual string ToString() => null; } public class Box<T> { public T Open() => default; public void Fill(T t) { } } }
//- a.cs
using System;
class Item { public void Go() { } }
static class E { public static void Fill(this Box<Item> b, Item i) { } public static void More(this Box<Item> b) { } }
class U { void T(Box<Item> box) { box.Open().Go(); box.Fill(null); box.More(); box.ToString(); } }
",
    );
    expect![[r#"
        a.cs
        5:T calls Item.Go:3
        5:T calls E.More:4
    "#]]
    .assert_eq(&found);
}

#[test]
fn type_arguments_are_substituted_in_bases_and_nested_types() {
    let found = calls(
        r"
class Item { public void Go() { } }
class Repo<T> where T : Item { public T Find() => default; public class Page { public T First; } public Page Load() => null; public static Repo<T> Create() => null; }
class Items : Repo<Item> { void T() { Find().Go(); Load().First.Go(); Repo<Item>.Create().Find().Go(); } void G<X>(X x) where X : Items { x.Find().Go(); } }
",
    );
    expect![[r"
        a.cs
        4:T calls Repo.Find:3
        4:T calls Item.Go:2
        4:T calls Repo.Load:3
        4:T calls Item.Go:2
        4:T calls Repo.Create:3
        4:T calls Repo.Find:3
        4:T calls Item.Go:2
        4:G calls Repo.Find:3
        4:G calls Item.Go:2
    "]]
    .assert_eq(&found);
}

#[test]
fn deep_nesting_is_resolved() {
    let deep = format!(
        "class A {{ A M(A a) => null; void T(A a) {{ {}null{}; }} }}",
        "M(".repeat(500),
        ")".repeat(500)
    );
    assert!(calls(&deep).lines().count() > 100);
    let chain = format!(
        "class A {{ A M() => null; void T(A a) {{ a{}; }} }}",
        ".M()".repeat(2000)
    );
    assert_eq!(calls(&chain).lines().count(), 2001);
}
