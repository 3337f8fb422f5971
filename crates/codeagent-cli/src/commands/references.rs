//! `codeagent references`: every use of a symbol, and where.

use codeagent_core::model::graph::EdgeDirection;
use codeagent_mcp::tools::navigation::USES;

use crate::commands::{OfSymbol, Root, neighbors};

pub fn run(root: &Root, of: &OfSymbol) -> anyhow::Result<()> {
    neighbors::run(root, of, (EdgeDirection::Incoming, USES))
}
