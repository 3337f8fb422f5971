//! Computes the [`Delta`] between a newly resolved world and the index.

use codeagent_lang::FileId;
use codeagent_lang::nodes::NodeTable;
use codeagent_lang::project::ProjectModel;
use codeagent_lang::project::paths::is_packed;
use codeagent_workspace::{RepoPath, root_mark};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::embed::SignBits;
use crate::ingest::cache::{IndexedWorld, WorldState};
use crate::ingest::changes::ChangeSet;
use crate::ingest::context::BatchContext;
use crate::ingest::load::LoadedFile;
use crate::ingest::packages::Installed;
use crate::ingest::pipeline::IngestPipeline;
use crate::ingest::plan::{Fingerprint, Plan};
use crate::ingest::resolution::{ResolvedFiles, removed_files};
use crate::ingest::resolve_files::ResolvedFile;
use crate::ingest::rows;
use crate::ingest::scan::KnownFiles;
use crate::ingest::{FileProblem, Phase, Summary};
use crate::model::graph::{Node, NodeId};
use crate::store::{
    self, BATCH_AT, Delta, FileRow, FullGraph, MADE_BY, NodeChanges, PACKAGE_FOLDERS, PACKAGES,
    PROJECT_NOTES, PackedNodes, ROOT, SCANNED_AT, SYMBOLS_TOTAL, Write,
};

/// Maximum number of stored notes about project files.
const MAX_NOTES: usize = 100;

/// Number of files whose nodes are made before their facts are freed.
const FILES_PER_BATCH: usize = 1024;

/// Number of such batches after which freed memory is returned.
const BATCHES_PER_TRIM: usize = 2;

/// Number of nodes with several declarations that are made per work item.
const NODES_AT_ONCE: usize = 1024;

/// Number of files whose nodes are made per work item.
const FILES_AT_ONCE: usize = 64;

/// The result of indexing a resolved world.
pub struct Indexed {
    /// The difference from the index.
    pub delta: Delta,
    /// The files as the index has them once `delta` is committed.
    pub known: KnownFiles,
    /// The world, if it stays in memory.
    pub world: Option<IndexedWorld>,
    pub summary: Summary,
}

impl IngestPipeline {
    /// Computes the difference between a resolved world and the index.
    pub(super) fn delta(
        &self,
        ctx: &BatchContext<'_>,
        changes: &ChangeSet,
        (mut world, packages_hash): (WorldState, String),
        nodes_before: Option<NodeTable>,
        resolution: ResolvedFiles,
    ) -> Indexed {
        let ResolvedFiles {
            plan,
            files: resolved,
            rows: resolved_rows,
            fingerprints,
        } = resolution;
        let mut summary = summary(ctx, changes, &world.loaded, &resolved);
        if !changes.keep_world {
            world.keep_rows_only();
            // Frees the tables, and what resolving the largest files took.
            codeagent_memory::give_back();
        }
        let write = write(
            ctx,
            &plan,
            &mut world.nodes,
            nodes_before,
            changes.keep_world,
        );
        let symbols = world.nodes.symbols();
        if !changes.keep_world {
            world.nodes = NodeTable::default();
            codeagent_memory::give_back();
        }
        let rows = rows::file_rows(&world, &fingerprints, &ctx.known, &resolved);
        let known = self.known_after(ctx, changes, &world, (&rows, packages_hash));
        let metadata = self.metadata(ctx, &known, (&world, symbols));
        let keys = world.loaded.iter().zip(&world.keys);
        let delta = Delta {
            keys: keys
                .map(|(file, key)| (file.path.to_string(), *key))
                .collect(),
            removed: removed_files(&ctx.known, &world.loaded)
                .map(|row| row.id)
                .collect(),
            inputs: changes.inputs.clone(),
            packages: (known.packages != ctx.known.packages).then(|| known.packages.clone()),
            metadata,
            write,
            resolved: resolved_rows,
            ..delta_of(rows, &resolved, &ctx.known)
        };
        summary.removed = delta.removed.len();

        let world = kept_world(world, fingerprints, changes.keep_world);
        Indexed {
            delta,
            known,
            world,
            summary,
        }
    }

    fn known_after(
        &self,
        ctx: &BatchContext<'_>,
        changes: &ChangeSet,
        world: &WorldState,
        (rows, packages_hash): (&[FileRow], String),
    ) -> KnownFiles {
        let mut known = KnownFiles {
            packages: world.installed.rows.clone(),
            package_folders: changes
                .scan
                .packages
                .iter()
                .map(RepoPath::to_string)
                .collect(),
            packages_hash,
            scanned_at: changes.scanned_at,
            made_by: self.engine_fingerprint(),
            has_facts: true,
            ..KnownFiles::default()
        };

        known.add_files(rows.to_vec());
        match &changes.inputs {
            Some(inputs) => known.set_inputs(inputs.clone()),
            None => known.inputs.clone_from(&ctx.known.inputs),
        }

        known
    }

    fn metadata(
        &self,
        ctx: &BatchContext<'_>,
        known: &KnownFiles,
        (world, symbols): (&WorldState, usize),
    ) -> Vec<(&'static str, String)> {
        vec![
            (SCANNED_AT, known.scanned_at.to_string()),
            (BATCH_AT, ctx.began_at.to_string()),
            (MADE_BY, known.made_by.clone()),
            (ROOT, root_mark(self.workspace.root())),
            (SYMBOLS_TOTAL, symbols.to_string()),
            (PROJECT_NOTES, notes(&world.projects, &world.installed)),
            (PACKAGES, known.packages_hash.clone()),
            (PACKAGE_FOLDERS, known.package_folders.join("\n")),
        ]
    }
}

/// Returns the world if it stays in memory; frees it otherwise.
fn kept_world(
    world: WorldState,
    fingerprints: Vec<Fingerprint>,
    keep_world: bool,
) -> Option<IndexedWorld> {
    if keep_world {
        Some(IndexedWorld {
            state: world,
            fingerprints,
            dependencies: None,
        })
    } else {
        drop(world);
        codeagent_memory::give_back();
        None
    }
}

fn summary(
    ctx: &BatchContext<'_>,
    changes: &ChangeSet,
    loaded: &[LoadedFile],
    resolved: &[ResolvedFile],
) -> Summary {
    let is_changed = |file: &&LoadedFile| {
        let row = ctx.known.files.get(&*file.path);
        row.is_none_or(|row| row.hash != file.hash)
    };

    Summary {
        changed: loaded.iter().filter(is_changed).count(),
        parsed: loaded.iter().filter(|file| file.parsed).count(),
        linked: resolved.len(),
        problems: problems(changes.scan.problems.clone(), loaded, resolved, loaded),
        ..Summary::default()
    }
}

/// Adds to `problems` those of the files in `of`, and those of the resolved files, whose positions are those in
/// `loaded`.
pub fn problems(
    mut problems: Vec<FileProblem>,
    of: &[LoadedFile],
    resolved: &[ResolvedFile],
    loaded: &[LoadedFile],
) -> Vec<FileProblem> {
    problems.extend(of.iter().filter_map(|file| {
        Some(FileProblem {
            path: file.path.to_string(),
            message: file.problem.clone()?,
        })
    }));
    let failed = resolved.iter().filter(|resolved| resolved.failed);
    problems.extend(failed.map(|failed| FileProblem {
        path: loaded[failed.at].path.to_string(),
        message: "the resolver crashed; please report the file".to_owned(),
    }));

    problems
}

/// Returns the problems of project files, one per line.
fn notes(projects: &ProjectModel, installed: &Installed) -> String {
    let lines: Vec<String> = projects
        .warnings
        .iter()
        .filter(|warning| !is_packed(warning))
        .chain(&installed.notes)
        .take(MAX_NOTES)
        .map(|warning| warning.replace('\n', " "))
        .collect();
    lines.join("\n")
}

/// Returns the delta of the file rows: resolved files, and others that differ.
fn delta_of(rows: Vec<FileRow>, resolved: &[ResolvedFile], known: &KnownFiles) -> Delta {
    let mut rows: Vec<Option<FileRow>> = rows.into_iter().map(Some).collect();
    let files = resolved
        .iter()
        .filter_map(|file| rows[file.at].take())
        .collect();
    let touched = rows
        .into_iter()
        .flatten()
        .filter(|row| known.files.get(&row.path) != Some(row))
        .collect();

    Delta {
        files,
        touched,
        ..Delta::default()
    }
}

/// Returns how nodes are written. `nodes_before` are the index's nodes, if in memory.
fn write(
    ctx: &BatchContext<'_>,
    plan: &Plan,
    nodes: &mut NodeTable,
    nodes_before: Option<NodeTable>,
    keep_world: bool,
) -> Write {
    match (plan, nodes_before) {
        (Plan::Some(_), Some(before)) => {
            let changes = differing(&before, nodes);
            // Freeing a large table takes time, so a worker does it.
            ctx.threads.spawn(move || drop(before));

            Write::Patch(changes)
        }
        (plan, _) => {
            let made = make_nodes(ctx, nodes, matches!(plan, Plan::All), keep_world);

            match plan {
                Plan::All => Write::Replace(made),
                Plan::Some(_) => Write::Update(made.nodes),
            }
        }
    }
}

/// Returns the nodes that differ between two tables.
fn differing(before: &NodeTable, now: &NodeTable) -> NodeChanges {
    let mut old: FxHashMap<NodeId, Node> = before.nodes().map(|node| (node.id, node)).collect();
    let differs = |node: &Node| old.remove(&node.id).is_none_or(|old| old != *node);
    let mut buffer = Vec::new();
    let written = now
        .nodes()
        .filter(differs)
        .map(|node| (store::node_hash(&node, &mut buffer), node))
        .collect();
    NodeChanges {
        written,
        removed: old.into_keys().collect(),
        ..NodeChanges::default()
    }
}

/// Makes all nodes, with signs if asked for. Frees the facts of the table as it goes, unless the
/// world is kept.
fn make_nodes(
    ctx: &BatchContext<'_>,
    table: &mut NodeTable,
    with_signs: bool,
    keep_world: bool,
) -> FullGraph {
    let pack = |make: &(dyn Fn() -> Vec<Node> + Sync)| {
        let nodes = ctx.timer.time(Phase::World, make);
        ctx.timer.time(Phase::Store, || {
            let signs = with_signs.then(|| store::lexical_signs(&nodes));
            (PackedNodes::of(&nodes), signs.unwrap_or_default())
        })
    };

    // Nodes with several declarations need the facts of all their files.
    let several: Vec<usize> = table.of_several_parts().collect();
    let of_places =
        |places: &[usize]| pack(&|| places.iter().map(|place| table.at(*place)).collect());
    let mut made: Vec<(PackedNodes, Vec<(NodeId, SignBits)>)> = ctx.threads.install(|| {
        let items = several.par_chunks(NODES_AT_ONCE);
        items.map(of_places).collect()
    });

    let files: Vec<FileId> = (0..table.files()).map(FileId).collect();
    for (number, batch) in files.chunks(FILES_PER_BATCH).enumerate() {
        let of_files = |files: &[FileId]| {
            pack(&|| {
                files
                    .iter()
                    .flat_map(|file| table.nodes_of(*file))
                    .collect()
            })
        };
        made.extend(ctx.threads.install(|| {
            let items = batch.par_chunks(FILES_AT_ONCE);
            items.map(of_files).collect::<Vec<_>>()
        }));
        if !keep_world {
            batch.iter().for_each(|file| table.free_facts(*file));
            // The packed nodes are larger blocks, which do not fill the gaps that facts leave.
            if number % BATCHES_PER_TRIM == BATCHES_PER_TRIM - 1 {
                codeagent_memory::give_back();
            }
        }
    }

    let (packed, signs): (Vec<_>, Vec<_>) = made.into_iter().unzip();
    let mut signs: Vec<_> = signs.into_iter().flatten().collect();
    signs.sort_unstable_by_key(|(node, _)| *node);
    FullGraph {
        nodes: PackedNodes::merge(packed),
        signs,
    }
}
