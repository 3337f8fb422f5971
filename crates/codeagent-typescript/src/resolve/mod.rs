//! Resolution of one TypeScript or JavaScript file: finds the declaration behind each name, as the
//! compiler would.
//!
//! There are four layers; each calls only those below it:
//!
//! | layer | contents | state |
//! |---|---|---|
//! | `global_index` | declarations of all files by name; module resolution | `Tables`, in the `World` |
//! | `symbols` | untyped facts: merged declarations, own declarations of a scope, type or module | `Symbols` |
//! | `names`, `types`, `expressions` | targets of names, types of nodes and expressions | `Checker`, which holds a `Symbols` and the `Arena` of types |
//! | `edges` | the target of each site of the file | `FileResolver`, which holds a `Checker` |
//!
//! A call to a layer above does not compile: `Symbols` has no such method, and no types. The
//! modules of the third layer depend on each other, because the language does: the type of an
//! unannotated declaration is that of an expression, and a name may be a member of such a type.
//! They are ordered nevertheless, and `checker_layers.rs`, a test of `codeagent-core`, lists the
//! few upward calls:
//!
//! | module | contents | upward calls |
//! |---|---|---|
//! | `names` | names through scopes, imports and exports | a member of the value that `module.exports =` or `export =` exports |
//! | `types` | type nodes; members, ancestors, signatures, assignability, types of declarations | the type of an expression |
//! | `expressions` | types of expressions, overload resolution, inference, contextual types, narrowing | none |
//!
//! `arena` holds the types of a resolution as plain values, `queries` lists the queries that can
//! depend on themselves. Memoization, cycle detection and dependency recording are in
//! `codeagent_lang::query`.
//!
//! How `ship` in `orders.filter(o => o.open)[0].ship()` is resolved:
//!
//! 1. `edges/site_targets`: the site is a call. `edges/callees` resolves its callee, a member, so
//!    it needs the type of `orders.filter(..)[0]`.
//! 2. `expressions/expr_types`: that is an element of the type of a call, and so on down to the
//!    name `orders`, which `names/lookup` finds in the enclosing scopes as an import.
//!    `names/exports` follows it to `export const orders: Order[]` in another file.
//! 3. `types/declaration_types`: the annotation decides. `types/type_nodes`: `Order[]` is an array
//!    of the type that `Order` refers to in that file, again found by `names`.
//! 4. `types/members`: an array has a `filter`; `types/signatures`: its signatures.
//!    `expressions/calls` chooses the one that accepts the arguments: `types/assignability`
//!    compares types, `expressions/contextual_types` types `o` as `Order`, `expressions/inference`
//!    binds type parameters.
//! 5. `types/iteration_types`: the call returns an `Order[]`; its element is an `Order`, an
//!    instance of a class.
//! 6. `types/members`: `Order` or one of its ancestors (`types/hierarchy`) declares `ship`;
//!    `symbols/merging`: the overloads of `ship` are one symbol. `edges/site_targets` makes its
//!    implementation the target of an edge.
//!
//! Limitations: not a type checker: types are inferred on demand, as far as members and calls need
//! them. A query that a budget or cycle cuts off is `UNKNOWN` and yields no edge.

mod arena;
mod checker;
mod edges;
mod expressions;
mod global_index;
mod names;
mod queries;
mod symbols;
mod types;

#[cfg(test)]
mod tests;

pub use edges::components::{decorated_components, is_component};
pub use edges::explain::explain;
pub use edges::external_symbols::{package_of_path, published_names};
pub use edges::identity::identity;
pub use edges::link;
pub use global_index::file_index::specifiers;
pub use global_index::libraries::library_files;
pub use global_index::module_resolution::{PackageAnswers, VisibleTypes, is_of_package};
pub use global_index::object_functions::object_functions;
pub use global_index::provided_keys::{keys_of_member, provided_keys};
pub use global_index::tables::{Tables, module_answers};
