//! Walks over several edges: impact, paths, flows, caller trees and the overview of all.

pub(super) mod affected;
pub(super) mod caller_tree;
pub(super) mod flow;
pub(super) mod impact;
pub(super) mod mocks;
pub(super) mod neighborhood;
pub(super) mod overview;
pub(super) mod path;
pub(super) mod reach;
pub(super) mod type_dependencies;
