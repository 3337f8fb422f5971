//! Assembly metadata (ECMA-335). It is read as data; no code of the assembly is run.
//!
//! `image` finds the metadata in the file, `tables` checks its tables, `rows` sorts them,
//! `signature` reads the types of signatures, `types` resolves type references, `assembly` makes
//! units of types and members. [`Compiled`] is the part of an assembly that is kept.
//!
//! **Hostile assemblies.** An assembly is untrusted input. Its tables must fit into the file before
//! memory is allocated for them; names have at most `MAX_NAME` bytes, signatures and nested types a
//! maximum depth. Rows may refer to each other in cycles and any number of times, because each row
//! that is visited is paid from one budget (`WORK`). An assembly that exceeds it is ignored, which
//! affects no other.
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

/// Longest name of anything, as the runtime has it.
const MAX_NAME: usize = 1023;

/// Steps that one assembly may cost: rows that are looked at, types in signatures, and every
/// sixteen bytes of names. The largest libraries in use take a million.
const WORK: u32 = 8 << 20;

/// The rest of the budget [`WORK`].
#[derive(Debug)]
struct DecodeBudget(Cell<u32>);

impl DecodeBudget {
    fn full() -> Self {
        Self(Cell::new(WORK))
    }

    /// Pays for so many steps; false if they cannot be paid, and then nothing can be paid any more.
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

/// The part of an assembly that is kept: its name, its references and its declarations.
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
    /// Reads the content of a file.
    ///
    /// # Errors
    /// Why it is not an assembly, or none that can be read.
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

    /// Deserializes it; `None` if the bytes are something else.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }
}
