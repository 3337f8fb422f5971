//! Resolves one C# file: names and usings, declared and inferred types, overloads, extension
//! methods.
//!
//! Four layers, each of which uses only those below it:
//!
//! | layer | contents | state |
//! |---|---|---|
//! | `declared` | the declarations of all files | `Tables`, in the `World` |
//! | `types` | names of types, usings, base lists, members, signatures | `TypeState`, seen as `Types` |
//! | `expressions` | types of expressions, targets of calls, overloads, conversions | `ExprState`, seen as `Checker`, which holds a `Types` |
//! | `edges` | the edge of each site of the file | `FileResolver`, seen as `SiteResolver`, which holds a `Checker` |
//!
//! A layer's state is kept for the whole file; its methods belong to a view of that state from one
//! site, which decides which members are accessible and which extension methods are in scope.
//!
//! A call of a layer above does not compile: `Types` has no such method. The test
//! `codeagent-core/tests/it/tidy.rs` checks the imports. Memoization, cycles and the recording of
//! dependencies are in `codeagent_lang::query`.
//!
//! How `Ship` in `orders.Where(o => o.Open).First().Ship()` is resolved:
//!
//! 1. `edges/site_targets`: the site is a call, so `Checker::resolve_call` resolves it.
//! 2. `expressions/calls`: `Ship` is a member access, so the type of `orders.Where(..).First()` is
//!    needed. That is again a call, and so on down to `orders`, which `simple_names` finds as a
//!    local. Its declared type is `List<Order>`.
//! 3. `types/names`: `List<Order>` is looked up from the scope in which it is written, through its
//!    usings, in the tables of `declared`.
//! 4. `types/members`: `List<Order>` and its base classes have no `Where`.
//!    `expressions/extensions`: `Enumerable.Where<T>` is in scope, and `List<Order>` converts to
//!    its first parameter (`conversions`, by the base lists of `types/hierarchy`).
//! 5. `expressions/inference`: `T` is `Order`. `overloads` binds the lambda to each `Where`;
//!    `lambdas` types its body with `o` as an `Order`, and only one overload accepts the result.
//!    The call returns an `IEnumerable<Order>`, `First` an `Order`.
//! 6. `types/members`: `Order` has one `Ship`. `edges/site_targets` makes it the target of an edge.
//!
//! Limitations: types that no file of the world declares are known by name only.

mod edges;
mod expressions;
mod global_index;
#[cfg(test)]
mod tests;
mod types;

pub use edges::explain::explain;
pub use edges::identity::{identity, is_outermost};
pub use edges::link;
pub use global_index::assemblies::{PackageAssemblies, PackageAssembly};
pub use global_index::provided_keys::{keys_of_member, provided_keys};
pub use global_index::tables::Tables;
