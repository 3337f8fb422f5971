//! Which language answers? The one place in `resolve` that tells languages apart; each answers in
//! its own folder.
//!
//! Every function is a match that names all languages, so that a further one is asked for each
//! answer. What a world keeps for each language stands in `world`.

use smallvec::SmallVec;

use crate::model::facts::{DeclId, Facts, Site, Sym};
use crate::model::graph::{Language, Node};
use crate::resolve::explain::Report;
use crate::resolve::nodes::Identity;
use crate::resolve::world::{FileId, World, WorldFile};
use crate::resolve::{Links, csharp, typescript};

/// Links one file.
#[must_use]
pub fn link(file: FileId, world: &World) -> Links {
    match world.facts(file).header.dialect.language() {
        Language::CSharp => csharp::link(file, world),
        Language::TypeScript => typescript::link(file, world),
    }
}

/// Says why a site of the report's file has its edge, and gives what it links to when it is asked
/// alone.
pub(super) fn explain(site: Site, report: &mut Report<'_>) -> Links {
    match report.world.facts(report.file).header.dialect.language() {
        Language::CSharp => csharp::explain(site, report),
        Language::TypeScript => typescript::explain(site, report),
    }
}

/// The slots of the names that a file adds to the tables of the world.
#[must_use]
pub fn published(facts: &Facts) -> Vec<u64> {
    match facts.header.dialect.language() {
        Language::CSharp => csharp::published(facts),
        Language::TypeScript => typescript::published(facts),
    }
}

/// The slots of the questions that a piece of a file is an answer to.
#[must_use]
pub fn asked_of(facts: &Facts, piece: DeclId) -> SmallVec<[u64; 3]> {
    match facts.header.dialect.language() {
        Language::CSharp => csharp::asked_of(facts, piece),
        Language::TypeScript => typescript::asked_of(facts, piece),
    }
}

/// The module specifiers of a file, sorted; none in a language that imports no files.
#[must_use]
pub fn specifiers(facts: &Facts) -> Vec<Sym> {
    match facts.header.dialect.language() {
        Language::CSharp => Vec::new(),
        Language::TypeScript => typescript::specifiers(facts),
    }
}

/// Where the module specifiers of a file lead and which programs see it, as texts to compare;
/// `None` in a language that imports no files.
#[must_use]
pub fn module_answers(file: FileId, world: &World) -> Option<Vec<&str>> {
    match world.facts(file).header.dialect.language() {
        Language::CSharp => None,
        Language::TypeScript => Some(typescript::module_answers(file, world)),
    }
}

/// The programs in which what a file declares for all files counts; `None` in a language where
/// projects alone decide that.
#[must_use]
pub fn programs(file: FileId, world: &World) -> Option<Vec<&str>> {
    match world.facts(file).header.dialect.language() {
        Language::CSharp => None,
        Language::TypeScript => Some(world.typescript.programs(file).0.collect()),
    }
}

/// The names under which objects hold what may be a function and is no node, sorted.
#[must_use]
pub fn object_functions(facts: &Facts) -> Vec<&str> {
    match facts.header.dialect.language() {
        Language::CSharp => Vec::new(),
        Language::TypeScript => typescript::object_functions(facts),
    }
}

/// Who a declaration inside `parent` is.
pub(super) fn identity(file: &WorldFile, decl: DeclId, parent: Option<&Node>) -> Identity {
    match file.facts.header.dialect.language() {
        Language::CSharp => csharp::identity(&file.facts, decl, parent),
        Language::TypeScript => typescript::identity(file, decl, parent),
    }
}

/// Whether a declaration has no node around it, not even its file.
pub(super) fn is_outermost(facts: &Facts, decl: DeclId) -> bool {
    match facts.header.dialect.language() {
        Language::CSharp => csharp::is_outermost(facts, decl),
        Language::TypeScript => false,
    }
}

/// Whether a declaration is a user interface component by itself.
pub(super) fn is_component(facts: &Facts, decl: DeclId) -> bool {
    match facts.header.dialect.language() {
        Language::CSharp => false,
        Language::TypeScript => typescript::is_component(facts, decl),
    }
}

/// The declarations of a file that something beside them makes user interface components.
pub(super) fn decorated_components(facts: &Facts) -> Vec<DeclId> {
    match facts.header.dialect.language() {
        Language::CSharp => Vec::new(),
        Language::TypeScript => typescript::decorated_components(facts),
    }
}
