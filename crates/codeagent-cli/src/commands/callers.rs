//! `codeagent callers`: who calls a symbol, and where.

use codeagent_core::model::graph::{EdgeDirection, EdgeType};

use crate::commands::{OfSymbol, Root, neighbors};

pub fn run(root: &Root, of: &OfSymbol) -> anyhow::Result<()> {
    neighbors::run(root, of, (EdgeDirection::Incoming, &[EdgeType::Calls]))
}
