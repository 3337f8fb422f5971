//! The confidence of an edge into another package: exact only if the package is linked.
//!
//! Limitations: a file that imports one package without a dependency on it doubts all of its edges
//! to other packages.

use codeagent_lang::{DeclRef, FileId, Reference, Target};
use codeagent_model::graph::Confidence;

use super::FileResolver;

impl FileResolver<'_> {
    /// Returns an edge that is `inferred` if its target may not be linked.
    pub fn with_confidence(&self, edge: Reference) -> Reference {
        let is_linked = edge.targets.iter().all(|target| {
            let (Target::Decl(DeclRef { file, .. }) | Target::File(file)) = *target;
            self.confidence_in(file) == Confidence::Exact
        });
        if is_linked {
            return edge;
        }
        Reference {
            confidence: Confidence::Inferred,
            ..edge
        }
    }

    /// Returns the confidence of an edge to a file: `inferred` if the file is in a package that may
    /// not be linked here.
    pub fn confidence_in(&self, target: FileId) -> Confidence {
        let Some(own) = &self.tables.file(self.file).folder_without_dependency else {
            return Confidence::Exact;
        };
        let is_own = self
            .path(target)
            .strip_prefix(&**own)
            .is_some_and(|rest| own.is_empty() || rest.starts_with('/'));
        if is_own {
            Confidence::Exact
        } else {
            Confidence::Inferred
        }
    }
}
