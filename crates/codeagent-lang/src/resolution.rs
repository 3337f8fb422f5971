//! The result of resolving one file: resolved uses, and those without a known target.

use std::sync::Arc;

use codeagent_model::external::ExternalSymbol;
use codeagent_model::facts::{DeclId, SiteKind, Sym};
use codeagent_model::graph::{Confidence, EdgeType};
use codeagent_model::span::Position;

use crate::dependencies::Dependencies;
use crate::dispatch::Dispatch;
use crate::world::{DeclRef, FileId, World};

/// Resolves one file.
#[must_use]
pub fn link(file: FileId, world: &World) -> Resolution {
    world.support(file).link(file, world)
}

/// The result of resolving one file, in terms of declarations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolution {
    /// Resolved uses in text order.
    pub uses: Vec<Reference>,
    /// Uses that probably have a target in the repository but got none because a receiver or
    /// argument is unknown, by name and in text order.
    pub unresolved: Vec<Unresolved>,
    /// Uses of external symbols, in text order.
    pub external: Vec<ExternalUse>,
    /// Members of base classes in other files that implement interface members for a type of the
    /// file.
    pub inherited: Vec<InheritedImplementation>,
    /// Code that runs without a call that names it, in text order.
    pub dispatch: Vec<Dispatch>,
    /// Call-like sites seen.
    pub calls: u32,
    /// Call-like sites with a target in the repository.
    pub calls_resolved: u32,
    /// Call-like sites with an external target.
    pub calls_external: u32,
    /// Calls of values that hold a function (locals, parameters, delegates), in text order. Such a
    /// site refers to the value; the function it holds is not looked for.
    pub value_calls: Vec<Position>,
    /// Sites without a target because the depth limit or a budget was exceeded.
    pub budget_exceeded: u32,
    /// Everything that was read of other files.
    pub dependencies: Dependencies,
}

/// One resolved use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The declaration whose text contains it (`NONE`: the file).
    pub source: DeclId,
    /// The relation between source and target.
    pub edge_type: EdgeType,
    /// Certainty of the targets.
    pub confidence: Confidence,
    /// The best target first; several only if not exact. In TypeScript, all declarations of one
    /// symbol count as one target; this is the first of them.
    pub targets: Vec<Target>,
    /// Position of the name token.
    pub at: Position,
}

/// One use of an external symbol: a call, construction, import, base or type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalUse {
    pub symbol: Arc<ExternalSymbol>,
    /// The relation between the code at the site and the symbol.
    pub edge_type: EdgeType,
    /// Certainty of the symbol; one of several overloads may be meant.
    pub confidence: Confidence,
    /// Position of the name token.
    pub at: Position,
}

/// `class A : Base, I`: a member of `Base` implements one of `I`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InheritedImplementation {
    /// The member of the base class.
    pub member: DeclRef,
    /// The interface member.
    pub implements: DeclRef,
    /// Position of the name of the type that has both as members.
    pub at: Position,
}

/// The target of a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// A declaration.
    Decl(DeclRef),
    /// A whole file (TypeScript module).
    File(FileId),
}

/// A use without a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// The name used.
    pub name: Sym,
    /// Kind of use.
    pub kind: SiteKind,
    /// The declaration whose text contains it.
    pub source: DeclId,
    /// Position of the name token.
    pub at: Position,
}
