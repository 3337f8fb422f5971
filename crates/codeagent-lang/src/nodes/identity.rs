//! The identity of a symbol: its id, its qualified name, and the rule by which declarations with
//! the same id are one symbol.
//!
//! Each language decides what makes up an identity (`resolve/edges/identity.rs` of its crate); all
//! languages compute the id in the same way.

use codeagent_model::facts::ScopeId;
use codeagent_model::graph::{Language, NodeId};

/// Longest qualified name stored whole; compilers write names of at most twice this length to
/// metadata.
const MAX_QUALIFIED_BYTES: usize = 512;

/// Number of bytes that are kept of a longer container's name.
const HEAD_BYTES: usize = 100;

/// A node that encloses a declaration.
#[derive(Clone, Copy, Debug)]
pub struct Container<'a> {
    pub id: NodeId,
    pub qualified_name: &'a str,
}

/// The parts that identify a declaration's symbol.
pub struct Identity {
    /// The language, whose symbols are never those of another.
    pub language: Language,
    /// The name space it belongs to; empty in a language with one.
    pub space: &'static str,
    /// The node's qualified name.
    pub qualified_name: String,
    /// Distinguishes symbols with the same qualified name.
    pub disambiguator: String,
    /// The declarations of the same id that it forms one symbol with.
    pub merge_key: MergeKey,
}

/// Selects the declarations with the same id that are one symbol: those with an equal key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeKey {
    /// Merges with no other.
    Alone,
    /// Merges with every other part.
    Part,
    /// Merges with declarations in the same function or block scope (`NONE`: not local) of the same
    /// container.
    Within(Option<NodeId>, ScopeId),
    /// Merges with the exports of a CommonJS module that have the same name, not with its
    /// declarations.
    GivenOut,
}

impl MergeKey {
    /// Reports whether two declarations with equal ids are one symbol.
    pub fn merges_with(&self, other: &Self) -> bool {
        *self != Self::Alone && self == other
    }
}

impl Identity {
    /// Returns the id, with an ordinal for the second and later symbols of one identity.
    pub fn id(&self, project: &str, ordinal: Option<usize>) -> NodeId {
        let ordinal = ordinal.map_or(String::new(), |ordinal| format!("#{ordinal}"));
        NodeId::derive(&[
            project,
            self.language.as_str(),
            self.space,
            &self.qualified_name,
            &self.disambiguator,
            &ordinal,
        ])
    }
}

/// Returns `container.name`. A container too long to be repeated in every member is shortened to
/// its start and a hash.
pub fn qualified(container: &str, name: &str) -> String {
    if container.len() + name.len() <= MAX_QUALIFIED_BYTES {
        return format!("{container}.{name}");
    }
    let head = &container[..container.floor_char_boundary(HEAD_BYTES)];
    format!(
        "{head}~{}.{name}",
        &blake3::hash(container.as_bytes()).to_hex()[..16]
    )
}
