//! Limits of the index: uses without a target, absent packages, files without symbols.

pub(super) mod absent_packages;
pub(super) mod possible_callers;
pub(super) mod possible_uses;
pub(super) mod unindexed;
pub(super) mod unknown_calls;
pub(super) mod unresolved_uses;
