//! The parts of symbol resolution that all languages share: from the facts of all files to edges.
//!
//! [`link`] is a pure function of a file and a [`World`], the immutable snapshot of all files'
//! facts. A link has a private memo and walks its file in a fixed order, so the result does not
//! depend on threads, on what was linked before, or on whether anything was linked before.
//! Everything a link asks of another file is recorded in its [`Dependencies`]; a file has to be linked
//! again exactly if something in that set changed.
//!
//! | module | what it holds |
//! |---|---|
//! | [`language`] | the trait that a language implements, and the registry |
//! | [`lower`] | what extractors share: the builder of facts, parsing within a budget |
//! | [`project`] | which project owns a file |
//! | [`world`] | the files and the index of each language |
//! | [`query`] | memoized queries with cycle detection and step budgets, and the record of what they read |
//! | [`dependencies`] | the keys of that record |
//! | [`dispatch`] | what runs without a call that names it |
//! | [`sites`] | the loop over the sites of a file |
//! | [`resolution`] | what linking a file gives |
//! | [`nodes`] | which declarations are nodes of the graph |
//! | [`explain`] | why a site has its edge |
//!
//! **Limits.** Declared and initialiser types, no control flow beyond scoped narrowing; nothing
//! from outside the repository is a target.

pub mod dependencies;
pub mod dispatch;
pub mod explain;
pub mod language;
pub mod lower;
pub mod nodes;
pub mod project;
pub mod query;
pub mod resolution;
pub mod sites;
pub mod world;

pub use dependencies::Dependencies;
pub use dispatch::{Dispatch, DispatchEnd};
pub use language::{IndexInput, LanguageIndex, LanguageSupport, Languages};
pub use resolution::{Inherited, Links, Target, Unresolved, Use, link};
pub use world::{DeclRef, ExprRef, FileId, Supplied, World, WorldFile};
