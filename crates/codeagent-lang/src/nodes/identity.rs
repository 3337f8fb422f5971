//! The identity of a symbol: its id, its qualified name, and the rule by which declarations with the
//! same id are one symbol.
//!
//! Each language decides what goes into an identity (`resolve/edges/identity.rs` of its crate); how
//! the id is computed is the same for all.

use codeagent_model::facts::ScopeId;
use codeagent_model::graph::{Language, NodeId};

/// Longest qualified name that is kept whole: no compiler writes longer ones to its metadata than
/// twice this.
const MAX_QUALIFIED_BYTES: usize = 512;

/// How much of a longer container's name is kept.
const HEAD_BYTES: usize = 100;

/// Who a declaration is.
pub struct Identity {
    /// The language, whose symbols are never those of another.
    pub language: Language,
    /// The space of names it stands in, empty in a language with one.
    pub space: &'static str,
    /// The node's qualified name.
    pub qualified_name: String,
    /// What tells symbols of one qualified name apart.
    pub disambiguator: String,
    /// With which declarations of the same id it is one symbol.
    pub merge_key: MergeKey,
}

/// With which declarations of the same id a declaration is one symbol: those with an equal key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeKey {
    /// With none.
    Alone,
    /// With any other part.
    Part,
    /// With declarations in the same function or block scope (`NONE`: not local) of the same
    /// container.
    Within(Option<NodeId>, ScopeId),
    /// With what a CommonJS module gives out by the same name, not with what it declares.
    GivenOut,
}

impl MergeKey {
    /// Whether two declarations with equal ids are one symbol.
    pub fn merges_with(&self, other: &Self) -> bool {
        *self != Self::Alone && self == other
    }
}

impl Identity {
    /// The id, with an ordinal for the second and later symbols of one identity.
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

/// `container.name`. Where that is too long for every member to repeat it, the container becomes
/// its beginning and a hash.
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
