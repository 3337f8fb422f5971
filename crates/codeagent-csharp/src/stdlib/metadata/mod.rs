//! Assembly metadata (ECMA-335). It is read as data; no code of the assembly is run.
//!
//! `image` finds the metadata in the file, `tables` checks its tables, `rows` sorts them,
//! `signature` reads the types of signatures, `types` resolves type references, `assembly` builds
//! units of types and members. [`Compiled`] is the stored part of an assembly.
//!
//! **Hostile assemblies.** An assembly is untrusted input. Its tables must fit into the file before
//! memory is allocated for them; names have at most `MAX_NAME` bytes, and signatures and nested
//! types have a maximum depth. Rows may refer to each other in cycles and any number of times,
//! because each visit of a row is charged to one budget (`WORK`). An assembly that exceeds the
//! budget is ignored, without effect on others.
//!
//! Limitations: public and protected declarations only. Uncompressed tables (`#-`, with pointer
//! tables) are not read.

mod assembly;
mod image;
mod rows;
mod signature;
mod tables;
mod types;

#[cfg(test)]
mod tests;

use std::cell::Cell;

use serde::{Deserialize, Serialize};

pub use crate::stdlib::metadata::assembly::{Assembly, TypeName};
use crate::stdlib::pack::BundleWriter;

/// Longest name; also the limit of the runtime.
const MAX_NAME: usize = 1023;

/// Work budget of one assembly, in steps: visited rows, types in signatures, and every sixteen
/// bytes of names. The largest libraries in use take a million.
const WORK: u32 = 8 << 20;

/// The rest of the budget [`WORK`].
#[derive(Debug)]
struct DecodeBudget(Cell<u32>);

impl DecodeBudget {
    fn full() -> Self {
        Self(Cell::new(WORK))
    }

    /// Takes steps from the budget. Returns `false` if they exceed it; the budget is then used up.
    fn pay(&self, steps: usize) -> bool {
        let left = u32::try_from(steps)
            .ok()
            .and_then(|steps| self.0.get().checked_sub(steps));
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }

    fn is_empty(&self) -> bool {
        self.0.get() == 0
    }
}

/// The stored part of an assembly: its name, its references and its declarations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiled {
    /// Its simple name.
    pub name: String,
    /// The simple names of the assemblies whose types it mentions.
    pub references: Vec<String>,
    /// Its declarations, for [`crate::stdlib::Library::read`].
    pub blob: Vec<u8>,
}

impl Compiled {
    /// Reads an assembly file.
    ///
    /// # Errors
    ///
    /// Fails if it is not an assembly, or not one that can be read.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let assembly = Assembly::read(bytes)?;
        let mut packer = BundleWriter::new();
        assembly.units(&mut packer, None, &|_| true)?;
        let name = assembly.name().to_owned();
        let references = assembly.references().map(str::to_owned).collect();
        Ok(Self {
            name,
            references,
            blob: packer.finish_quickly(),
        })
    }

    /// Serializes it.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// Deserializes it; `None` if the bytes are not valid.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }
}
