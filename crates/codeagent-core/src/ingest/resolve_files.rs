//! Resolves files and makes their rows: edges, unresolved names, functions of object literals, dispatch, and what the
//! resolution depended on. In a large repository the rows of a work item wait in a file until they are written.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use codeagent_lang::dependencies::DependencyKey;
use codeagent_lang::dispatch::DispatchEdge;
use codeagent_lang::nodes::NodeTable;
use codeagent_lang::{ExternalUse, FileId, Resolution, World, link};
use codeagent_workspace::SpillFile;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::ingest::IngestError;
use crate::ingest::phase_timer::PhaseTimer;
use crate::ingest::plan::Fingerprint;
use crate::ingest::summary::Phase;
use crate::model::external::ExternalSymbol;
use crate::model::graph::Edge;
use crate::store::{
    DependencyKeyHash, DependencyRow, DispatchRow, EdgeRow, ExternalRow, ExternalSite, FileKey,
    LiteralRow, ResolvedRows, StoreError, UnresolvedRow, UnresolvedSite,
};

/// Number of files per work item, and fewest of work items per thread.
const FILES_AT_ONCE: usize = 64;
const ITEMS_PER_THREAD: usize = 16;

/// The outcome of resolving a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResolvedFile {
    /// Position of the file.
    pub at: usize,
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
    /// Fingerprints of the repository's files by position.
    pub fingerprints: &'a [Fingerprint],
}

/// Resolves the file at a position, and adds its rows.
fn resolve_file(at: usize, inputs: ResolveInputs<'_>, rows: &mut ResolvedRows) -> ResolvedFile {
    let (world, file) = (inputs.world, FileId(at as u32));
    let Some(key) = inputs.keys.get(at).copied().flatten() else {
        return ResolvedFile {
            at,
            ..ResolvedFile::default()
        };
    };
    rows.literals.push(LiteralRow::new(key, world.facts(file)));
    let attempt = catch_unwind(AssertUnwindSafe(|| {
        let links = link(file, world);
        let edges = inputs.nodes.edges(file, &links);
        let dispatch = inputs.nodes.dispatch(file, &links);
        (links, edges, dispatch)
    }));
    let Ok((links, edges, dispatch)) = attempt else {
        let row = dependency_row(&inputs.fingerprints[at]);
        rows.dependencies.push((key, row));
        return ResolvedFile {
            at,
            failed: true,
            ..ResolvedFile::default()
        };
    };

    let edges = edge_rows(edges, key);
    let dependencies = DependencyRow {
        reads: sorted(
            links
                .dependencies
                .files
                .iter()
                .filter_map(|read| inputs.keys[read.0 as usize])
                .collect(),
        ),
        slots: key_hashes(links.dependencies.keys.iter().copied()),
        sources: sorted(edges.iter().map(|edge| edge.source).collect()),
        ..dependency_row(&inputs.fingerprints[at])
    };
    rows.dependencies.push((key, dependencies));
    rows.edges.extend(edges);
    push_unresolved(rows, &links, world, file, key);
    for name in world.support(file).object_functions(world.facts(file)) {
        rows.object_functions.push((key, name.to_owned()));
    }
    rows.dispatch.extend(dispatch_rows(dispatch, key));
    push_external(rows, &links.external, key);

    ResolvedFile {
        at,
        calls: [
            links.calls - links.value_calls.len() as u32,
            links.calls_resolved,
            links.calls_external,
        ],
        budget_exceeded: links.budget_exceeded,
        failed: false,
    }
}

/// Returns a dependency row with what a fingerprint tells.
fn dependency_row(fingerprint: &Fingerprint) -> DependencyRow {
    DependencyRow {
        environment_hash: fingerprint.environment_hash,
        answers_hash: fingerprint.answers_hash,
        published: fingerprint.published.clone(),
        ..DependencyRow::default()
    }
}

/// Resolves the files at these positions in parallel, on the current pool. The rows of many files are moved into
/// `spill`. Returns an error if the caller asked to stop.
pub fn resolve_files(
    files: &[usize],
    inputs: ResolveInputs<'_>,
    timer: &PhaseTimer,
    (spill, step): (Option<&SpillFile>, &(dyn Fn() -> bool + Sync)),
) -> Result<(Vec<ResolvedFile>, ResolvedRows), IngestError> {
    let of_item = |files: &[usize]| {
        let (mut resolved, mut rows) = (Vec::with_capacity(files.len()), ResolvedRows::default());
        for at in files {
            if !step() {
                return Err(IngestError::Interrupted);
            }
            let file = timer.time(Phase::Link, || resolve_file(*at, inputs, &mut rows));
            resolved.push(file);
        }
        if let Some(spill) = spill {
            timer
                .time(Phase::Store, || rows.spill(spill))
                .map_err(StoreError::Spill)?;
        }
        Ok((resolved, rows))
    };
    let per_item = files.len() / (ITEMS_PER_THREAD * rayon::current_num_threads());
    let items: Vec<_> = files
        .par_chunks(per_item.clamp(1, FILES_AT_ONCE))
        .map(of_item)
        .collect::<Result<_, IngestError>>()?;

    let (mut resolved, mut rows) = (Vec::with_capacity(files.len()), ResolvedRows::default());
    for (files, made) in items {
        resolved.extend(files);
        rows.append(made);
    }
    Ok((resolved, rows))
}

/// Converts dependency keys to their stored form.
pub fn key_hashes(keys: impl IntoIterator<Item = DependencyKey>) -> Vec<DependencyKeyHash> {
    sorted(keys.into_iter().map(DependencyKey::low_half).collect())
}

fn sorted<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort_unstable();
    values.dedup();
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

/// Adds one row per symbol.
fn push_external(rows: &mut ResolvedRows, uses: &[ExternalUse], file: FileKey) {
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

    for (symbol, mut sites) in by_symbol {
        sites.sort_unstable();
        sites.dedup();
        let id = symbol.id();
        rows.external_symbols
            .entry(id)
            .or_insert_with(|| Arc::clone(symbol));
        rows.external.push(ExternalRow {
            symbol: id,
            file,
            sites,
        });
    }
}

fn push_unresolved(
    rows: &mut ResolvedRows,
    links: &Resolution,
    world: &World,
    file: FileId,
    key: FileKey,
) {
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

    let mut unresolved: Vec<UnresolvedRow> = by_name.into_iter().map(row).collect();
    unresolved.sort_unstable();
    rows.unresolved.extend(unresolved);
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
        let fingerprints = [Fingerprint::default(), Fingerprint::default()];
        let (resolved, rows) = resolve_files(
            &[0, 1],
            ResolveInputs {
                world: &world,
                nodes: &nodes,
                keys: &keys,
                fingerprints: &fingerprints,
            },
            &PhaseTimer::default(),
            (None, &|| true),
        )
        .unwrap();

        let failed: Vec<bool> = resolved.iter().map(|file| file.failed).collect();
        assert_eq!(failed, [false, true], "the second file has no nodes");
        let edges = rows.edges.in_memory();
        assert_eq!(
            edges.map(|edge| edge.file).collect::<Vec<_>>(),
            [FileKey(1)]
        );
        assert_eq!(rows.dependencies.len(), 2);
    }
}
