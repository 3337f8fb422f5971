//! Resolves files and makes the rows of each: edges, unresolved names, functions of object
//! literals, dispatch, and what the resolution depended on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use codeagent_lang::dependencies::DependencyKey;
use codeagent_lang::dispatch::DispatchEdge;
use codeagent_lang::nodes::NodeTable;
use codeagent_lang::{ExternalUse, FileId, Resolution, World, link};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::ingest::phase_timer::PhaseTimer;
use crate::ingest::summary::Phase;
use crate::model::external::ExternalSymbol;
use crate::model::graph::Edge;
use crate::store::{
    DependencyKeyHash, DependencyRow, DispatchRow, EdgeRow, ExternalRow, ExternalSite, FileKey,
    LiteralRow, UnresolvedRow, UnresolvedSite,
};

/// The rows of one resolved file.
#[derive(Debug, Default)]
pub struct ResolvedFile {
    pub edges: Vec<EdgeRow>,
    pub unresolved: Vec<UnresolvedRow>,
    /// Names of object members that may be functions but are not nodes.
    pub object_functions: Vec<(FileKey, String)>,
    /// Literals and callbacks.
    pub literals: LiteralRow,
    /// Code that runs without a call that names it.
    pub dispatch: Vec<DispatchRow>,
    /// Uses of external symbols.
    pub external: Vec<ExternalRow>,
    /// Dependencies, and the sources of the edges.
    pub links: DependencyRow,
    /// Numbers of call sites: all, resolved, external.
    pub calls: [u32; 3],
    /// Number of sites whose query budget was exceeded.
    pub budget_exceeded: u32,
    /// Whether the resolver panicked.
    pub failed: bool,
}

#[derive(Clone, Copy)]
pub struct ResolveInputs<'a> {
    pub world: &'a World,
    /// The nodes of the world.
    pub nodes: &'a NodeTable,
    /// Keys of the world's files by position; `None` for external files.
    pub keys: &'a [Option<FileKey>],
}

fn resolve_file(
    file: FileId,
    ResolveInputs { world, nodes, keys }: ResolveInputs<'_>,
) -> ResolvedFile {
    let Some(key) = keys.get(file.0 as usize).copied().flatten() else {
        return ResolvedFile::default();
    };
    let attempt = catch_unwind(AssertUnwindSafe(|| {
        let links = link(file, world);
        let edges = nodes.edges(file, &links);
        let dispatch = nodes.dispatch(file, &links);
        (links, edges, dispatch)
    }));

    let Ok((links, edges, dispatch)) = attempt else {
        return ResolvedFile {
            literals: LiteralRow::new(key, world.facts(file)),
            failed: true,
            ..ResolvedFile::default()
        };
    };

    let edges = edge_rows(edges, key);
    let sources = sorted(edges.iter().map(|edge| edge.source).collect());

    ResolvedFile {
        unresolved: unresolved_rows(&links, world, file, key),
        object_functions: world
            .support(file)
            .object_functions(world.facts(file))
            .into_iter()
            .map(|name| (key, name.to_owned()))
            .collect(),
        literals: LiteralRow::new(key, world.facts(file)),
        dispatch: dispatch_rows(dispatch, key),
        external: external_rows(&links.external, key),
        calls: [
            links.calls - links.value_calls.len() as u32,
            links.calls_resolved,
            links.calls_external,
        ],
        budget_exceeded: links.budget_exceeded,
        links: DependencyRow {
            reads: sorted(
                links
                    .dependencies
                    .files
                    .iter()
                    .filter_map(|read| keys[read.0 as usize])
                    .collect(),
            ),
            slots: key_hashes(links.dependencies.keys),
            sources,
            ..DependencyRow::default()
        },
        edges,
        failed: false,
    }
}

/// Resolves the files at these positions in parallel, on the current pool. Returns `None` if the
/// caller asked to stop.
pub fn resolve_files(
    files: &[usize],
    inputs: ResolveInputs<'_>,
    timer: &PhaseTimer,
    step: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<(usize, ResolvedFile)>> {
    let one = |at: usize| {
        timer.time(Phase::Link, || {
            (at, resolve_file(FileId(at as u32), inputs))
        })
    };
    files
        .par_iter()
        .map(|&at| step().then(|| one(at)))
        .collect()
}

/// Converts dependency keys to their stored form.
pub fn key_hashes(keys: impl IntoIterator<Item = DependencyKey>) -> Vec<DependencyKeyHash> {
    sorted(keys.into_iter().map(DependencyKey::low_half).collect())
}

fn sorted<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort_unstable();
    values.dedup();
    // The rows of all files are held until they are written.
    values.shrink_to_fit();
    values
}

/// Returns one row per source, edge type, target and location; the most confident of several edges.
fn edge_rows(edges: Vec<Edge>, file: FileKey) -> Vec<EdgeRow> {
    let mut rows: Vec<EdgeRow> = edges
        .into_iter()
        .map(|edge| EdgeRow {
            source: edge.source,
            target: edge.target,
            edge_type: edge.edge_type,
            confidence: edge.confidence,
            file,
            line: edge.line,
            column: edge.column,
            candidates: edge.candidates.into(),
        })
        .collect();

    rows.sort_by(|a, b| {
        a.key()
            .cmp(&b.key())
            .then(b.confidence.cmp(&a.confidence))
            .then_with(|| a.candidates.cmp(&b.candidates))
    });
    rows.dedup_by_key(|row| row.key());
    // The rows of all files are held until they are written.
    rows.shrink_to_fit();
    rows
}

/// One row per relation and place; the surest if there are several.
fn dispatch_rows(edges: Vec<DispatchEdge>, file: FileKey) -> Vec<DispatchRow> {
    let row = |edge: DispatchEdge| DispatchRow {
        file,
        line: edge.line,
        column: edge.column,
        kind: edge.kind,
        source: edge.source,
        target: edge.target,
        label: edge.label,
        confidence: edge.confidence,
    };

    let mut rows: Vec<DispatchRow> = edges.into_iter().map(row).collect();
    rows.sort_unstable();
    rows.reverse();
    rows.dedup_by(|later, first| later.key() == first.key());
    rows.reverse();

    rows
}

/// One row per symbol, sorted by symbol.
fn external_rows(uses: &[ExternalUse], file: FileKey) -> Vec<ExternalRow> {
    let mut by_symbol: FxHashMap<&Arc<ExternalSymbol>, Vec<ExternalSite>> = FxHashMap::default();
    for used in uses {
        let site = ExternalSite {
            line: used.at.line,
            column: used.at.column,
            edge_type: used.edge_type,
            confidence: used.confidence,
        };
        by_symbol.entry(&used.symbol).or_default().push(site);
    }

    let row = |(symbol, mut sites): (&Arc<ExternalSymbol>, Vec<ExternalSite>)| {
        sites.sort_unstable();
        sites.dedup();
        ExternalRow {
            file,
            symbol: Arc::clone(symbol),
            sites,
        }
    };

    let mut rows: Vec<ExternalRow> = by_symbol.into_iter().map(row).collect();
    rows.sort_unstable_by(|a, b| a.symbol.cmp(&b.symbol));
    rows
}

fn unresolved_rows(
    links: &Resolution,
    world: &World,
    file: FileId,
    key: FileKey,
) -> Vec<UnresolvedRow> {
    let facts = world.facts(file);
    let mut by_name: FxHashMap<&str, Vec<UnresolvedSite>> = FxHashMap::default();
    for unresolved in &links.unresolved {
        let site = UnresolvedSite {
            line: unresolved.at.line,
            column: unresolved.at.column,
            is_call: unresolved.kind.is_call(),
        };
        by_name
            .entry(facts.text(unresolved.name))
            .or_default()
            .push(site);
    }

    let row = |(name, mut sites): (&str, Vec<UnresolvedSite>)| {
        sites.sort_unstable();
        UnresolvedRow {
            file: key,
            name: name.to_owned(),
            sites,
        }
    };

    let mut rows: Vec<UnresolvedRow> = by_name.into_iter().map(row).collect();
    rows.sort_unstable();
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::LANGUAGES;
    use crate::model::graph::Dialect;
    use codeagent_lang::WorldFile;
    use codeagent_lang::project::ProjectModel;

    fn world(paths: &[&str]) -> World {
        let text = "class A { m() { this.m(); } }";
        let file = |path: &&str| WorldFile {
            path: Arc::from(*path),
            facts: Arc::new(LANGUAGES.extract(text, Dialect::Ts, &[])).into(),
            external: false,
            package: None,
        };
        World::build(
            paths.iter().map(file).collect(),
            Arc::new(ProjectModel::empty(LANGUAGES)),
        )
    }

    #[test]
    fn a_panic_fails_only_its_file() {
        let (world, nodes) = (
            world(&["a.ts", "b.ts"]),
            NodeTable::build(&world(&["a.ts"])),
        );
        let keys = [Some(FileKey(1)), Some(FileKey(2))];
        let relinked = resolve_files(
            &[0, 1],
            ResolveInputs {
                world: &world,
                nodes: &nodes,
                keys: &keys,
            },
            &PhaseTimer::default(),
            &|| true,
        )
        .unwrap();

        let outcomes: Vec<(bool, usize)> = relinked
            .iter()
            .map(|(_, relinked)| (relinked.failed, relinked.edges.len()))
            .collect();
        assert_eq!(
            outcomes,
            [(false, 1), (true, 0)],
            "the second file has no nodes"
        );
    }
}
