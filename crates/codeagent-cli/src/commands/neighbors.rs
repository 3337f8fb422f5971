//! What the commands that follow the graph have in common: one symbol, some types of edges, one direction.

use codeagent_core::model::graph::{EdgeDirection, EdgeType};
use codeagent_core::query::{self, Sources};
use codeagent_mcp::tools::navigation::neighbors;
use codeagent_mcp::tools::why::elsewhere;
use codeagent_mcp::wire::{Related, UseRow};

use crate::commands::{OfSymbol, Root};
use crate::output;

pub fn run(root: &Root, of: &OfSymbol, edges: (EdgeDirection, &[EdgeType])) -> anyhow::Result<()> {
    let answers = root.answers()?;
    let snapshot = answers.snapshot()?;
    let node = query::resolve_symbol(&snapshot, &of.name)?;
    let found = neighbors(&answers, &snapshot, node.id, edges)?;
    let rows: Vec<UseRow> = found.iter().map(|neighbor| UseRow::new(neighbor, edges.0)).collect();
    let is_of_one_type = edges.1.len() == 1;
    if of.format.json && is_of_one_type {
        return output::json(&rows.iter().map(|row| &row.neighbor).collect::<Vec<_>>());
    }
    if of.format.json {
        return output::json(&rows);
    }
    if rows.is_empty() {
        output::note(&format!("none found for {}", node.qualified_name));
    }
    if let Some(more) = elsewhere(&mut Sources::new(&snapshot, answers.workspace()), &node, edges)? {
        output::note(&more);
    }
    let unresolved = query::unresolved_sites(&snapshot, &node.name)?;
    if edges.0 == EdgeDirection::Incoming && unresolved > 0 {
        output::note(&format!("{unresolved} uses of the name {} could not be resolved; some may be of this symbol", node.name));
    }
    output::lines(rows.iter().flat_map(|row| output::neighbor(row, !is_of_one_type)))
}
