//! Plans which files must be resolved again, and resolves them.

use std::sync::atomic::{AtomicUsize, Ordering};

use codeagent_lang::FileId;
use codeagent_lang::nodes::NodeTable;
use rayon::prelude::*;

use crate::ingest::cache::WorldState;
use crate::ingest::context::BatchContext;
use crate::ingest::load::LoadedFile;
use crate::ingest::members::MemberHashes;
use crate::ingest::pipeline::IngestPipeline;
use crate::ingest::plan::{Fingerprint, Plan, plan};
use crate::ingest::resolve_files::{ResolveInputs, ResolvedFile, resolve_files};
use crate::ingest::rows;
use crate::ingest::scan::KnownFiles;
use crate::ingest::{IngestError, Phase, Progress};
use crate::store::{self, DependencyKeyHash, FileKey, FileRow, ResolvedRows};

/// Number of files fingerprinted per work item.
const FILES_AT_ONCE: usize = 32;

/// Number of resolved files from which rows wait in a file.
const SPILLED_FROM: usize = 16_384;

/// The resolved files of a world.
pub struct ResolvedFiles {
    /// The plan that was followed.
    pub plan: Plan,
    /// The resolved files.
    pub files: Vec<ResolvedFile>,
    /// Their rows.
    pub rows: ResolvedRows,
    /// Fingerprints of all files, in order.
    pub fingerprints: Vec<Fingerprint>,
}

impl IngestPipeline {
    /// Resolves the files in the plan. `nodes_before` are the index's nodes, if in memory.
    pub(super) fn plan_and_resolve(
        &self,
        ctx: &BatchContext<'_>,
        world: &WorldState,
        nodes_before: Option<&NodeTable>,
        resolve_all: bool,
    ) -> Result<ResolvedFiles, IngestError> {
        let fingerprints = fingerprints(ctx, world);
        let differing = |at: usize| {
            let before = nodes_before?;
            let file = before.find(&world.loaded[at].path)?;
            let was = MemberHashes::of(file, before);
            MemberHashes::of(FileId(at as u32), &world.nodes).differing(&was)
        };
        let plan = if resolve_all {
            Plan::All
        } else {
            self.plan(ctx, world, &fingerprints, &differing)?
        };

        let (files, rows) = match &plan {
            Plan::All => {
                let all: Vec<usize> = (0..world.loaded.len()).collect();
                self.resolve(ctx, (world, &fingerprints), &all)?
            }
            Plan::Some(dirty) => self.resolve(ctx, (world, &fingerprints), dirty)?,
        };
        Ok(ResolvedFiles {
            plan,
            files,
            rows,
            fingerprints,
        })
    }

    fn plan(
        &self,
        ctx: &BatchContext<'_>,
        world: &WorldState,
        fingerprints: &[Fingerprint],
        differing: &dyn Fn(usize) -> Option<Vec<DependencyKeyHash>>,
    ) -> Result<Plan, IngestError> {
        let dependencies = ctx.timer.time(Phase::Decode, || {
            store::dependency_rows(&self.reader.snapshot()?)
        })?;
        let files = rows::plan_files(world, fingerprints, &ctx.known, &dependencies, differing);
        let removed = removed_files(&ctx.known, &world.loaded)
            .filter_map(|row| Some((row.id, dependencies.get(&row.id)?)))
            .collect();
        Ok(plan(&files, &removed))
    }

    /// Resolves the files at these positions.
    pub(super) fn resolve(
        &self,
        ctx: &BatchContext<'_>,
        (world, fingerprints): (&WorldState, &[Fingerprint]),
        files: &[usize],
    ) -> Result<(Vec<ResolvedFile>, ResolvedRows), IngestError> {
        let keys: Vec<Option<FileKey>> = world
            .world
            .files()
            .iter()
            .enumerate()
            .map(|(at, file)| world.keys.get(at).copied().filter(|_| !file.external))
            .collect();
        let done = AtomicUsize::new(0);
        let step = || {
            (ctx.progress)(Progress {
                phase: Phase::Link,
                done: done.fetch_add(1, Ordering::Relaxed) + 1,
                total: files.len(),
            });
            !self.options.cancel.load(Ordering::Relaxed)
        };

        let inputs = ResolveInputs {
            world: &world.world,
            nodes: &world.nodes,
            keys: &keys,
            fingerprints,
        };
        let spill = match files.len() >= SPILLED_FROM {
            true => Some(store::spill_file(&self.reader.snapshot()?)?),
            false => None,
        };
        // A file that was being resolved when the caller asked to stop has an incomplete result.
        let resolved = ctx
            .threads
            .install(|| resolve_files(files, inputs, &ctx.timer, (spill.as_ref(), &step)))?;
        match self.options.cancel.load(Ordering::Relaxed) {
            true => Err(IngestError::Interrupted),
            false => Ok(resolved),
        }
    }
}

fn fingerprints(ctx: &BatchContext<'_>, world: &WorldState) -> Vec<Fingerprint> {
    let of_chunk = |(chunk, files): (usize, &[LoadedFile])| -> Vec<Fingerprint> {
        let files = (chunk * FILES_AT_ONCE..).zip(files);
        ctx.timer.time(Phase::World, || {
            files
                .map(|(at, file)| rows::fingerprint(at, file, &world.world, &world.nodes))
                .collect()
        })
    };
    ctx.threads.install(|| {
        let chunks = world.loaded.par_chunks(FILES_AT_ONCE).enumerate();
        chunks.flat_map_iter(of_chunk).collect()
    })
}

/// Returns the rows of deleted files, by path.
pub fn removed_files<'a>(
    known: &'a KnownFiles,
    loaded: &[LoadedFile],
) -> impl Iterator<Item = &'a FileRow> {
    let is_gone = |row: &&FileRow| {
        loaded
            .binary_search_by(|file| (*file.path).cmp(row.path.as_str()))
            .is_err()
    };
    let mut gone: Vec<&FileRow> = known.files.values().filter(is_gone).collect();
    gone.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    gone.into_iter()
}
