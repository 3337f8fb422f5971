//! Links one C# file: names and usings as the standard says, declared and inferred types,
//! overloads, extension methods.
//!
//! Four floors, of which each asks only those below it:
//!
//! | floor | what it answers | its state |
//! |---|---|---|
//! | `declared` | who declares what, in all files | `Tables`, in the `World` |
//! | `types` | what declarations say of types: names, usings, base lists, members, signatures | `Types` |
//! | `expressions` | what expressions mean: types, targets of calls, overloads, conversions | `Checker`, which holds a `Types` |
//! | `edges` | what each site of the file becomes | `Linker`, which holds a `Checker` |
//!
//! A question to a floor above does not compile: `Types` has no such method. `codeagent-core/tests/it/tidy.rs` holds
//! what imports could still break. How answers are kept, cycles cut and reads recorded is
//! `codeagent_lang::query`'s.
//!
//! How `Ship` in `orders.Where(o => o.Open).First().Ship()` finds its declaration:
//!
//! 1. `edges/sites`: the site is a call; `Checker::call` is asked for its target.
//! 2. `expressions/calls`: `Ship` is a member of something, so the type of
//!    `orders.Where(..).First()` is asked, which is again a call, and so on down to `orders`, which
//!    `simple_names` finds as a local. Its declared type is `List<Order>`.
//! 3. `types/names`: `List<Order>` is looked up from the scope in which it is written, through its
//!    usings, in the tables of `declared`.
//! 4. `types/members`: no class above `List<Order>` has a `Where`. `expressions/extensions`:
//!    `Enumerable.Where<T>` is in sight, and `List<Order>` converts to its first parameter
//!    (`conversions`, by the base lists of `types/hierarchy`).
//! 5. `expressions/inference`: `T` is `Order`. `overloads` puts the lambda to each `Where`;
//!    `lambdas` reads its body as if `o` were an `Order`, and only one overload takes what it
//!    returns. The call gives an `IEnumerable<Order>`, `First` an `Order`.
//! 6. `types/members`: `Order` has one `Ship`. `edges/sites` makes it the target of an edge.
//!
//! **Limits.** Types that no file of the world declares are known by name only; what hangs on them
//! is not guessed.

mod declared;
mod edges;
mod expressions;
#[cfg(test)]
mod tests;
mod types;

pub use declared::assemblies::{PackageAssemblies, PackageAssembly};
pub use declared::published::{asked_of, published};
pub use declared::tables::Tables;
pub use edges::explain::explain;
pub use edges::identity::{identity, is_outermost};
pub use edges::link;
