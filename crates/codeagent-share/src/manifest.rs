//! The manifest of a commit: JSON in one line, then its hash.

use codeagent_core::engine::shared_versions;
use serde::{Deserialize, Serialize};

use crate::ShareError;

/// Maximum size of a manifest, in bytes.
pub const LARGEST: u64 = 4 << 20;

/// Maximum number of packs of a manifest that a push extends.
pub const MOST_PACKS: usize = 64;

/// What a snapshot consists of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Name of the repository.
    pub repo: String,
    /// Id of the commit.
    pub commit: String,
    /// Version of the program that made it.
    pub made_by: String,
    /// Version of its facts.
    pub facts_version: String,
    /// Version of its graph.
    pub graph_version: String,
    /// When it was made, in seconds since 1970.
    pub made_at: u64,
    /// Number of facts that the commit needs.
    pub facts: usize,
    /// Packs that together have the facts.
    pub packs: Vec<Part>,
    /// The graph.
    pub graph: Option<Graph>,
}

/// An immutable part of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// blake3 hash of its bytes, which is its name.
    pub hash: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The compressed graph of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graph {
    /// The compressed database.
    #[serde(flatten)]
    pub part: Part,
    /// Size of the database in bytes.
    pub decoded_bytes: u64,
}

impl Part {
    /// Describes these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self {
            hash: blake3::hash(bytes).to_hex().to_string(),
            bytes: bytes.len() as u64,
        }
    }

    /// Reports whether these are the bytes.
    #[must_use]
    pub fn is(&self, bytes: &[u8]) -> bool {
        *self == Self::of(bytes)
    }

    /// Reports whether the hash is one, so that it can be part of a path.
    fn is_valid(&self) -> bool {
        self.hash.len() == 64 && self.hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    }
}

impl Manifest {
    /// Writes the manifest.
    pub fn write(&self) -> Result<Vec<u8>, ShareError> {
        let text = serde_json::to_string(self).map_err(std::io::Error::other)?;
        let hash = blake3::hash(text.as_bytes()).to_hex();
        Ok(format!("{text}\n{hash}\n").into_bytes())
    }

    /// Reads a manifest, which must be of this repository and commit.
    pub fn read(name: &str, repo: &str, commit: &str, bytes: &[u8]) -> Result<Self, ShareError> {
        let refused = |reason: &str| ShareError::refused(name, reason);
        let text = std::str::from_utf8(bytes).map_err(|_| refused("it is not text"))?;
        let (text, hash) = text
            .trim_end()
            .rsplit_once('\n')
            .ok_or_else(|| refused("it is cut off"))?;
        if *blake3::hash(text.as_bytes()).to_hex() != *hash {
            return Err(refused("its hash is another"));
        }

        let manifest: Self =
            serde_json::from_str(text).map_err(|_| refused("it is not a manifest"))?;
        if manifest.repo != repo || manifest.commit != commit {
            return Err(refused("it is of another repository or commit"));
        }
        let graph = manifest.graph.iter().map(|graph| &graph.part);
        if !manifest.packs.iter().chain(graph).all(Part::is_valid) {
            return Err(refused("it names an impossible part"));
        }
        Ok(manifest)
    }

    /// Reports whether this program can use the facts.
    #[must_use]
    pub fn has_our_facts(&self) -> bool {
        self.facts_version == shared_versions().facts
    }

    /// Returns the graph, if this program can use it.
    #[must_use]
    pub fn our_graph(&self) -> Option<&Graph> {
        let graph = self.graph.as_ref();
        graph.filter(|_| self.has_our_facts() && self.graph_version == shared_versions().graph)
    }

    /// Returns the error for a snapshot whose facts this program cannot use.
    #[must_use]
    pub fn other_version(&self) -> ShareError {
        ShareError::OtherVersion {
            commit: self.commit.clone(),
            made_by: self.made_by.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_damage_of_a_manifest_is_refused() {
        let manifest = Manifest {
            repo: "r".into(),
            commit: "c".into(),
            made_by: "0".into(),
            facts_version: "f".into(),
            graph_version: "g".into(),
            made_at: 1,
            facts: 1,
            packs: vec![Part::of(b"pack")],
            graph: None,
        };
        let bytes = manifest.write().unwrap();
        assert_eq!(Manifest::read("m", "r", "c", &bytes).unwrap(), manifest);
        assert!(Manifest::read("m", "other", "c", &bytes).is_err());
        assert!(Manifest::read("m", "r", "other", &bytes).is_err());

        for end in 0..bytes.len() - 1 {
            assert!(
                Manifest::read("m", "r", "c", &bytes[..end]).is_err(),
                "{end}"
            );
        }
        for at in 0..bytes.len() - 1 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1;
            assert!(Manifest::read("m", "r", "c", &flipped).is_err(), "{at}");
        }
    }

    #[test]
    fn a_part_with_a_path_for_a_hash_is_refused() {
        let mut part = Part::of(b"x");
        part.hash = "../../elsewhere".into();
        assert!(!part.is_valid());
    }
}
