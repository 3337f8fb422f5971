//! Links one typescript file.

use crate::project::ProjectModel;
use crate::resolve::{FileId, Links, World, WorldFile};

/// Tables over the interface parts of all files of the language.
pub struct Tables {}

impl Tables {
    /// Builds the tables. `files` are in canonical order.
    #[must_use]
    pub fn build(_files: &[WorldFile], _projects: &ProjectModel) -> Self {
        Self {}
    }
}

/// The slots a file of this language publishes: one for every name it adds to a world-wide table.
#[must_use]
pub fn published(_facts: &crate::model::facts::Facts) -> Vec<u64> {
    Vec::new()
}

/// Links one file.
#[must_use]
pub fn link(_file: FileId, _world: &World) -> Links {
    Links::default()
}
