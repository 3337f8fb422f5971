//! The result of resolving one file: resolved uses, and those without a known target.

use codeagent_model::facts::{DeclId, SiteKind, Sym};
use codeagent_model::graph::{Confidence, EdgeType};
use codeagent_model::span::Position;

use crate::dependencies::Dependencies;
use crate::dispatch::Dispatch;
use crate::world::{DeclRef, FileId, World};

/// Links one file.
#[must_use]
pub fn link(file: FileId, world: &World) -> Links {
    world.support(file).link(file, world)
}

/// What linking one file gives, still in terms of declarations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Resolved uses in text order.
    pub uses: Vec<Use>,
    /// Uses that should have a target in some repository but got none because a receiver or
    /// argument is unknown, by the name used and in text order.
    pub unresolved: Vec<Unresolved>,
    /// Members of base classes elsewhere that implement interface members for a type of the file.
    pub inherited: Vec<Inherited>,
    /// What runs without a call that names it, in text order.
    pub dispatch: Vec<Dispatch>,
    /// Call-like sites seen.
    pub calls: u32,
    /// Call-like sites that got a target in the repository.
    pub calls_resolved: u32,
    /// Call-like sites known to go outside the repository.
    pub calls_external: u32,
    /// Calls of values that hold a function: locals, parameters, delegates. The value is what such
    /// a site refers to; what it holds is nobody's question. In text order.
    pub values_called: Vec<Position>,
    /// Sites without a target because they lie too deep or a budget was used up.
    pub given_up: u32,
    /// What was asked of other files.
    pub dependencies: Dependencies,
}

/// One resolved use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The declaration in whose text it stands (`NONE`: the file).
    pub source: DeclId,
    /// The verb.
    pub edge_type: EdgeType,
    /// How sure.
    pub confidence: Confidence,
    /// The best target first; more than one only if not exact (TypeScript: all declarations of one
    /// symbol count as one target, give the first).
    pub targets: Vec<Target>,
    /// Where.
    pub at: Position,
}

/// `class A : Base, I`: a member of `Base` implements one of `I`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inherited {
    /// The member of the base class.
    pub member: DeclRef,
    /// The interface member.
    pub implements: DeclRef,
    /// The name of the type that brings them together.
    pub at: Position,
}

/// What a use points at.
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
    /// How.
    pub kind: SiteKind,
    /// By whom.
    pub source: DeclId,
    /// Where.
    pub at: Position,
}
