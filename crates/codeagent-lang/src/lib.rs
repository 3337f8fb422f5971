//! Symbol resolution shared by all languages: from the facts of all files to edges.
//!
//! [`link`] resolves one file. It is a pure function of the file and a [`World`], the immutable
//! snapshot of all files' facts. Each call has its own memo tables and visits the file in a fixed
//! order, so its result does not depend on threads or on what was resolved before. Everything it
//! reads of other files is recorded in its [`Dependencies`]; the file has to be resolved again
//! exactly if something in that set changed.
//!
//! | module | contents |
//! |---|---|
//! | [`language`] | the trait that a language implements, and the registry |
//! | [`lower`] | shared parts of lowering: the builder of facts, parsing within a budget |
//! | [`project`] | the project that owns each file |
//! | [`world`] | the files and the index of each language |
//! | [`file_facts`] | the facts of one file, which may be loaded on demand |
//! | [`query`] | memoized queries with cycle detection and step budgets, and their dependencies |
//! | [`dependencies`] | dependency keys |
//! | [`dispatch`] | code that runs without a call that names it |
//! | [`sites`] | the loop over the sites of a file |
//! | [`resolution`] | the result of resolving a file |
//! | [`nodes`] | the declarations that are nodes of the graph |
//! | [`explain`] | explanations of a site's edge |
//! | [`surroundings`] | the elements and calls around a text |
//!
//! Limitations: types come from declarations and initialisers, without flow analysis beyond scoped
//! narrowing; external declarations are never targets.

pub mod branches;
pub mod dependencies;
pub mod dispatch;
pub mod explain;
pub mod file_facts;
pub mod language;
pub mod local_names;
pub mod lower;
pub mod nodes;
pub mod project;
pub mod query;
pub mod resolution;
pub mod sites;
pub mod surroundings;
pub mod world;

pub use branches::{Branch, BranchKind};
pub use dependencies::Dependencies;
pub use dispatch::{Dispatch, DispatchEnd};
pub use file_facts::{DeclarationOutline, FileFacts};
pub use language::{
    IndexInput, LanguageIndex, LanguageSupport, Languages, NamedType, PublishedFile,
};
pub use local_names::{LocalName, LocalUses};
pub use resolution::{
    ExternalUse, InheritedImplementation, Reference, Resolution, Target, Unresolved, link,
};
pub use surroundings::{Around, AroundKind, Part, Surroundings};
pub use world::{DeclRef, ExprRef, FileId, FileShift, InstalledPackages, World, WorldFile};
