//! Members that override one of a base outside the index: `who overrides OnLoaded?`

use super::SymbolTarget;
use crate::model::graph::NodeFlags;
use crate::query::uses::hierarchy::bases_of;
use crate::query::{QueryError, SymbolGroup};
use crate::store::{self, Snapshot};

/// Maximum number of symbols of one name that are looked at.
const MAX_NAMESAKES: usize = 500;

/// Returns the members of a name that override one outside the index, if there are several; without
/// those of the name that override nothing. `None` if a member in the index is overridden.
pub(super) fn of_external(
    snapshot: &Snapshot,
    name: &str,
) -> Result<Option<SymbolTarget>, QueryError> {
    let mut nodes = store::by_name(snapshot, name, MAX_NAMESAKES)?;
    nodes.retain(|node| node.name == name && node.flags.has(NodeFlags::OVERRIDE));
    for node in &nodes {
        if !bases_of(snapshot, &[node.id])?.is_empty() {
            return Ok(None);
        }
    }

    let mut groups: Vec<SymbolGroup> = nodes.into_iter().map(SymbolGroup::of).collect();
    if groups.len() < 2 {
        return Ok(None);
    }
    let others = groups.split_off(1);
    Ok(Some(SymbolTarget {
        asked: name.to_owned(),
        groups,
        others,
        note: None,
        alias: None,
    }))
}
