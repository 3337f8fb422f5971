//! Tests that the cost of resolving does not grow with the number of paths to a query, and that
//! exceeded budgets are counted.

use codeagent_lang::{FileId, Resolution, link};

use crate::resolve::tests::{split, world};

fn resolution(source: &str) -> Resolution {
    link(FileId(0), &world(&split(source)))
}

/// Calls nested in a lambda whose own call is being resolved: each queries the lambda's type and is
/// cut off.
#[test]
fn nested_calls_in_an_open_lambda_are_resolved_once() {
    let nested = (0..20).fold("t[0]".to_owned(), |inner, _| format!("Pair({inner}, t[1])"));
    let sites = format!("M(t => [Other(t[0]), {nested}]);").repeat(60);
    let source = format!(
        "class A {{ public static A Pair(A a, A b) => a; static A Other(A a) => a; static void M(System.Func<A[], A[]> f) {{ }} void T() {{ {sites} }} }}"
    );
    let resolution = resolution(&source);
    assert_eq!(
        (resolution.budget_exceeded, resolution.unresolved.len()),
        (0, 0)
    );
    assert_eq!(resolution.calls, 60 * 22);
}

/// Every lambda is bound for every overload of the enclosing call, as C# requires, so at some depth
/// the budget is exceeded.
#[test]
fn sites_over_budget_are_counted_and_unresolved() {
    let nested = (0..30).fold("x.Go()".to_owned(), |inner, _| format!("F(x => {inner})"));
    let source = format!(
        "class A {{ public A Go() => this; }} class B {{ public A Go() => null; }}
         class U {{ A F(System.Func<A, A> f) => null; A F(System.Func<B, A> f) => null; void T() {{ {nested}; }} }}"
    );
    let resolution = resolution(&source);
    assert!(resolution.budget_exceeded > 0, "{resolution:?}");
    assert!(resolution.unresolved.len() as u32 >= resolution.budget_exceeded);
}

/// The bodies of sibling lambdas access members of anonymous objects that others of them create.
#[test]
fn adjacent_lambdas_cost_no_more_than_each_alone() {
    let source = "using System;
         class A { public int Id; public A Next; }
         class Q<T> { public Q<R> Select<R>(Func<T, R> f) => null; public Q<T> Where(Func<T, bool> f) => null; public Q<T> Where(Func<T, int, bool> f) => null; }
         class U {
           void Ask<R>(Func<Q<A>, Q<R>> q, Func<R, object> s = null, Action<R, R> e = null) { }
           void Ask<R>(Func<Q<A>, Q<R>> q, Func<Q<A>, Q<R>> p, Func<R, object> s = null, Action<R, R> e = null) { }
           void Ask<R>(bool b, Func<Q<A>, Q<R>> q, Func<R, object> s = null, Action<R, R> e = null) { }
           void Same(object a, object b) { }
           void Same<T>(T a, T b) { }
           void M() {
             Ask(q => q.Where(x => x.Id > 0).Select(x => new { x.Id, Value = x.Id / (x.Id - 1), x.Next }),
                 q => q.Where(x => x.Id > 0).Select(x => new { x.Id, Value = x.Id / (x.Id - 1), x.Next }),
                 x => x.Id, (e, a) => { Same(e.Value, a.Value); Same(e.Next.Next, a.Next.Next); });
           }
         }";

    let resolution = resolution(source);
    assert_eq!(
        (resolution.budget_exceeded, resolution.unresolved.len()),
        (0, 0),
        "{:?}",
        resolution.unresolved
    );
}
