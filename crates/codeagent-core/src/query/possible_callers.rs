//! Unresolved uses of a name, those first that most likely mean some symbols.
//!
//! Files that import the declaring file come before others of its project, these before the rest;
//! only the best class that has any is returned.

use rustc_hash::FxHashSet;

use crate::model::graph::{Node, NodeType};
use crate::query::{Occurrence, Occurrences, QueryError, importers};
use crate::store::{self, Snapshot};

/// Most files of one name that are looked at.
const MAX_FILES: usize = 400;

/// Most uses returned.
const MAX_USES: usize = 60;

/// Most nodes of the declaring file whose importers are looked for.
const MAX_NODES: usize = 200;

/// Unresolved uses that may mean some symbols.
#[derive(Clone, Debug, Default)]
pub struct PossibleCallers {
    /// The most likely of them.
    pub likely: Vec<Occurrence>,
    /// How many unresolved uses of the name there are.
    pub total: usize,
}

/// Finds unresolved uses that may mean symbols of one name.
pub fn possible_callers(
    occurrences: &mut Occurrences<'_, '_>,
    nodes: &[Node],
) -> Result<PossibleCallers, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let Some(first) = nodes.first() else {
        return Ok(PossibleCallers::default());
    };
    let only_calls = matches!(first.node_type, NodeType::Method | NodeType::Constructor);
    let mut sites: Vec<(String, u32)> = Vec::new();
    for (path, found) in store::unresolved_sites_of(snapshot, &first.name, MAX_FILES)? {
        let wanted = found.iter().filter(|site| site.is_call || !only_calls);
        sites.extend(wanted.map(|site| (path.clone(), site.line)));
    }
    let total = sites.len();
    if total == 0 {
        return Ok(PossibleCallers::default());
    }

    let importing = importing_files(snapshot, nodes)?;
    let mut ranked = Vec::with_capacity(total);
    for (path, line) in sites {
        let rank = if importing.contains(&path) {
            0
        } else {
            let file = store::file_by_path(snapshot, &path)?;
            let is_near = file.is_some_and(|file| file.project_id == first.project_id);
            if is_near { 1 } else { 2 }
        };
        ranked.push((rank, path, line));
    }
    ranked.sort();
    let best = ranked.first().map_or(0, |site| site.0);
    let likely = ranked
        .into_iter()
        .take_while(|site| site.0 == best)
        .take(MAX_USES)
        .map(|(_, path, line)| occurrences.at(&path, line))
        .collect::<Result<_, _>>()?;
    Ok(PossibleCallers { likely, total })
}

/// Returns the files that import the files in which symbols are declared, and these themselves.
fn importing_files(snapshot: &Snapshot, nodes: &[Node]) -> Result<FxHashSet<String>, QueryError> {
    let mut files = FxHashSet::default();
    for path in nodes
        .iter()
        .filter_map(|node| node.spans.first())
        .map(|span| span.path.as_str())
    {
        if !files.insert(path.to_owned()) {
            continue;
        }
        let Some(file) = store::file_by_path(snapshot, path)? else {
            continue;
        };
        for importing in importers::importing_files(snapshot, file.id, MAX_NODES)? {
            files.extend(store::file_path(snapshot, importing)?);
        }
    }
    Ok(files)
}
