//! The direct relations of symbols, files and packages: one step along an edge, with its sites.

pub(super) mod empty_result_hints;
pub(super) mod external;
pub(super) mod file_imports;
pub(super) mod file_uses;
pub(super) mod filter;
pub(super) mod hierarchy;
pub(super) mod importers;
pub(super) mod neighbors;
pub(super) mod reexports;
pub(super) mod relations;
pub(super) mod wrapped;
