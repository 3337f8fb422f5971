//! Links one TypeScript or JavaScript file: each name it uses finds the declaration the compiler
//! would find.
//!
//! Four floors, of which each asks only those below it:
//!
//! | floor | what it answers | its state |
//! |---|---|---|
//! | `declared` | who declares what, in all files; where module specifiers lead | `Tables`, in the `World` |
//! | `symbols` | what declarations say without types: which are one symbol, what a scope, type or module declares itself | `Symbols` |
//! | four rooms, below | what names, types and expressions mean | `Checker`, which holds a `Symbols` and the `Arena` of types |
//! | `edges` | what each site of the file becomes | `Linker`, which holds a `Checker` |
//!
//! A question to a floor above does not compile: `Symbols` has no such method, and no types. The
//! rooms of the third floor are one knot, for the language makes it: the type of a declaration that
//! is not annotated is that of an expression, and a name may be a member of such a type. They stand
//! in an order all the same, and the few questions upward are listed in `codeagent-core/tests/it/tidy/checker_layers.rs`:
//!
//! | room | what it answers | what it asks upward |
//! |---|---|---|
//! | `names` | what a name means through scopes, imports and exports | a member of the value that `module.exports =` or `export =` gives out |
//! | `types` | what written types mean; members, ancestors, signatures, assignability, types of declarations | the type of an expression, built-in rows |
//! | `expressions` | types of expressions, choice of overloads, inference, expected types, narrowing | built-in rows |
//!
//! `arena` has the types of a link as plain values, `questions` what can need itself. How answers
//! are kept, cycles cut and reads recorded is `codeagent_lang::query`'s.
//!
//! How `ship` in `orders.filter(o => o.open)[0].ship()` finds its declaration:
//!
//! 1. `edges/sites`: the site is a call; `edges/callees` asks what its callee is: a member, so the
//!    type of `orders.filter(..)[0]` is asked.
//! 2. `expressions/typing`: that is an element of the type of a call, and so on down to the name
//!    `orders`, which `names/lookup` finds in the scopes around it as an import. `names/exports`
//!    follows that to `export const orders: Order[]` in another file.
//! 3. `types/values`: the annotation decides. `types/type_exprs`: `Order[]` is an array of what
//!    `Order` means in that file, again by `names`.
//! 4. `types/members`: an array has a `filter`; `types/signatures`: its signatures.
//!    `expressions/calls` chooses the one that takes the arguments: `types/assignability` compares,
//!    `expressions/contexts` says that `o` is an `Order`, `expressions/inference` binds type
//!    parameters.
//! 5. `types/elements`: the call gives an `Order[]`, its element is an `Order`, an instance of a
//!    class.
//! 6. `types/members`: `Order` or one of its ancestors (`types/hierarchy`) declares `ship`;
//!    `symbols/merging`: the overloads of `ship` are one symbol. `edges/sites` makes its
//!    implementation the target of an edge.
//!
//! **Limits.** No checker of programs: types are inferred on demand, as far as members and calls
//! need them. Whatever a budget or a cycle cuts off is `UNKNOWN` and gives no edge.

mod arena;
mod checker;
mod declared;
mod edges;
mod expressions;
mod names;
mod questions;
mod symbols;
mod types;

#[cfg(test)]
mod tests;

pub use declared::libraries::declared;
pub use declared::module_paths::{PackageAnswers, is_of_package};
pub use declared::object_functions::object_functions;
pub use declared::published::{asked_of, published};
pub use declared::tables::{Tables, module_answers, specifiers};
pub use edges::components::{decorated_components, is_component};
pub use edges::explain::explain;
pub use edges::identity::identity;
pub use edges::link;
