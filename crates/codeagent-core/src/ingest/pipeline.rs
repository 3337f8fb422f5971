//! The indexer: brings the index up to date with the files on disk.
//!
//! Every batch has the same steps:
//!
//! 1. A `ChangeSet` lists the differences between disk and index. Named edits of known files are
//!    compared alone; everything else takes a full scan (`changes`, `scan`). Files whose size and
//!    time match the index are neither read nor parsed.
//! 2. The world is brought up to date: patched in place after edits (`patch`), otherwise built from
//!    the files' facts (`world`).
//! 3. A [`Plan`](crate::ingest::plan::Plan) lists the files that must be resolved again (`plan`),
//!    and `resolution` resolves them.
//! 4. A [`Delta`] holds the rows that differ (`delta`). The writer commits it in one transaction.
//!
//! After any sequence of batches the index equals a fresh one: every step is a function of the
//! disk, and the plan leaves out only files whose resolution cannot differ.
//!
//! Limitations: a batch holds the facts of all files in memory.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use codeagent_lang::nodes::NodeTable;
use codeagent_workspace::{DataDir, Watcher, Workspace, lower_priority};
use rayon::ThreadPool;
use rustc_hash::FxHashSet;

use crate::ingest::cache::{CachedState, ChangeImpact, CurrentWorld, WorldState};
use crate::ingest::changes::{ChangeSet, Comparison};
use crate::ingest::context::{BatchContext, build, thread_pool, worker_threads};
use crate::ingest::package_cache::PackageCache;
use crate::ingest::packages::{self, Installed};
use crate::ingest::packs::{self, PackSet};
use crate::ingest::patch::{MOST_PATCHED, Patch, PatchOutcome};
use crate::ingest::scan::{KnownFiles, SourceFile};
use crate::ingest::source::{Overlay, SourceReader};
use crate::ingest::{
    ChangeBatch, FileProblem, IngestError, Phase, Progress, Summary, WriterThread, imports,
};
use crate::store::{
    self, BATCH_AT, Delta, FileRow, IMPORTS, InputRow, PackageRow, Reader, SCANNED_AT, Write,
};
use crate::versions::{FACTS_VERSION, LINK_VERSION};

/// Maximum number of removed paths that are remembered.
const MOST_REMOVED: usize = 10_000;

/// Options of an indexer.
#[derive(Clone, Debug, Default)]
pub struct IngestOptions {
    /// Number of threads that read, parse and resolve; 0 means one per processor.
    pub threads: usize,
    /// Keep the facts in memory for the next batch.
    pub keep_facts: bool,
    /// Run full scans at a lower priority.
    pub in_background: bool,
    /// Set to stop at the next file.
    pub cancel: Arc<AtomicBool>,
}

/// Updates one index, a batch at a time.
pub struct IngestPipeline {
    pub(super) workspace: Workspace,
    pub(super) reader: Reader,
    pub(super) writer: WriterThread,
    pub(super) options: IngestOptions,
    pub(super) watcher: Option<Arc<Watcher>>,
    /// The index whose sibling worktrees' indexes provide facts.
    pub(super) worktrees: Option<DataDir>,
    /// The index whose imports and packs are part of this one.
    pub(super) imports: Option<DataDir>,
    /// The folder of the facts of packages that all indexes share.
    pub(super) package_facts: Option<DataDir>,
    threads: Arc<ThreadPool>,
    overlay: Overlay,
    packs: Mutex<Arc<PackSet>>,
    cached: Option<CachedState>,
    removed: FxHashSet<String>,
}

impl IngestPipeline {
    /// Creates an indexer over an opened store.
    pub fn new(
        workspace: Workspace,
        reader: Reader,
        writer: WriterThread,
        options: IngestOptions,
    ) -> Result<Self, IngestError> {
        let threads = Arc::new(worker_threads(options.threads)?);

        Ok(Self {
            workspace,
            reader,
            writer,
            options,
            watcher: None,
            worktrees: None,
            imports: None,
            package_facts: None,
            threads,
            overlay: Overlay::default(),
            packs: Mutex::default(),
            cached: None,
            removed: FxHashSet::default(),
        })
    }

    /// Replaces the workspace and its settings.
    pub fn set_workspace(&mut self, workspace: Workspace) {
        self.workspace = workspace;
    }

    /// Makes later batches watch every folder they list.
    pub fn set_watcher(&mut self, watcher: Option<Arc<Watcher>>) {
        self.watcher = watcher;
    }

    /// Makes later batches take facts from the indexes of the repository's other worktrees.
    pub fn share(&mut self, data: DataDir) {
        self.worktrees = Some(data);
    }

    /// Makes later batches include the imports and packs in a data folder.
    pub fn import_from(&mut self, data: DataDir) {
        self.imports = Some(data);
    }

    /// Makes later batches share the facts of packages with other indexes.
    pub fn share_packages(&mut self, data: Option<DataDir>) {
        self.package_facts = data;
    }

    /// Makes later batches read the overlay's texts before those on disk.
    pub fn set_overlay(&mut self, overlay: Overlay) {
        self.overlay = overlay;
    }

    /// Reports whether a path was recently removed from the index.
    #[must_use]
    pub fn has_removed(&self, path: &str) -> bool {
        self.removed.contains(path)
    }

    /// Frees the cached world; reports whether there was one.
    pub fn drop_caches(&mut self) -> bool {
        self.packs = Mutex::default();
        self.cached
            .as_mut()
            .is_some_and(|cached| cached.world.take().is_some())
    }

    /// Moves the write-ahead log into the database file.
    pub fn checkpoint(&self) -> Result<(), IngestError> {
        self.writer.checkpoint()
    }

    /// Returns the writer, for work outside batches.
    #[must_use]
    pub fn writer(&self) -> &WriterThread {
        &self.writer
    }

    /// Updates the index to match the files on disk.
    pub fn process_batch(
        &mut self,
        batch: &ChangeBatch,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Summary, IngestError> {
        // A batch that fails leaves no state behind for the next one.
        let cached = self
            .cached
            .take()
            .filter(|cached| cached.known.made_by == self.engine_fingerprint());
        let cached = match cached {
            Some(cached) if batch.is_complete() => cached,
            cached => return self.process_full_scan(cached, None, batch, progress),
        };

        match cached.classify_changes(&self.workspace, batch) {
            ChangeImpact::None => {
                self.cached = Some(cached);
                Ok(Summary {
                    unchanged: true,
                    ..Summary::default()
                })
            }
            ChangeImpact::Edits(files) => self.process_edits(cached, files, batch, progress),
            ChangeImpact::Unknown => self.process_full_scan(Some(cached), None, batch, progress),
        }
    }

    /// Indexes files that are new or whose content may have changed.
    fn process_edits(
        &mut self,
        mut cached: CachedState,
        files: Vec<SourceFile>,
        batch: &ChangeBatch,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Summary, IngestError> {
        let known = std::mem::take(&mut cached.known);
        let threads = Arc::clone(&self.threads);
        let ctx = BatchContext::new(threads, progress, self.sources(), known);
        let mut changes = ChangeSet::of_edits(files, &cached);
        changes.compare_contents(&ctx);
        let touched = ctx.known.touched(&changes.unchanged());
        let edited = changes.edited();
        if edited.is_empty() {
            return self.commit_touched(ctx, cached, touched);
        }

        let outcome = match cached.world.take() {
            // Without a cached world, all facts have to be loaded.
            None => {
                cached.known = ctx.known;
                return self.process_full_scan(Some(cached), None, batch, progress);
            }
            Some(world) if edited.len() <= MOST_PATCHED => {
                self.patch(&ctx, world, (&edited, &cached.paths))?
            }
            Some(world) => PatchOutcome::rebuild(CurrentWorld::Clean(world)),
        };
        match outcome {
            PatchOutcome::Patched(patched) => self.commit_patch(ctx, cached, *patched, touched),
            PatchOutcome::RebuildRequired(world) if has_new(&edited, &ctx.known) => {
                cached.known = ctx.known;
                self.process_full_scan(Some(cached), Some(*world), batch, progress)
            }
            PatchOutcome::RebuildRequired(world) => {
                changes.add_known_files(&ctx.known);
                let projects = Arc::clone(&world.state().projects);
                let (world, nodes_before) =
                    self.build_world(&ctx, &changes, projects, Some(*world))?;
                self.index_world(ctx, cached, changes, world, nodes_before)
            }
        }
    }

    /// Scans the repository and indexes all differences. `before` is the world in memory, if it is
    /// no longer in `cached`.
    fn process_full_scan(
        &mut self,
        cached: Option<CachedState>,
        before: Option<CurrentWorld>,
        batch: &ChangeBatch,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Summary, IngestError> {
        let (threads, sources) = (self.threads_of_full_scan()?, self.sources());
        let mut ctx = BatchContext::new(threads, progress, sources, KnownFiles::default());
        ctx.begin(Phase::Walk, 0);
        let mut cached = match cached {
            Some(mut cached) => {
                ctx.known = std::mem::take(&mut cached.known);
                cached
            }
            None => {
                let load = || KnownFiles::load(&self.reader.snapshot()?);
                ctx.known = ctx.timer.time(Phase::Walk, load)?;
                CachedState::default()
            }
        };

        match self.find_changes(&ctx, &mut cached, batch)? {
            Comparison::Same(problems) => {
                self.renew_imports(&ctx)?;
                Ok(self.unchanged(ctx, cached, problems))
            }
            Comparison::Touched {
                changes,
                inputs,
                packages,
            } => {
                self.record_new_stamps(&mut ctx, &changes, inputs, packages)?;
                self.renew_imports(&ctx)?;
                Ok(self.unchanged(ctx, cached, changes.scan.problems))
            }
            Comparison::Different { changes, projects } => {
                let before = before.or(cached.world.take().map(CurrentWorld::Clean));
                let (world, nodes_before) = self.build_world(&ctx, &changes, projects, before)?;
                self.index_world(ctx, cached, changes, world, nodes_before)
            }
        }
    }

    /// Resolves the invalidated files of a new world and commits all differences. `nodes_before`
    /// are the index's nodes, if in memory.
    fn index_world(
        &mut self,
        ctx: BatchContext<'_>,
        mut cached: CachedState,
        changes: ChangeSet,
        mut world: WorldState,
        nodes_before: Option<NodeTable>,
    ) -> Result<Summary, IngestError> {
        let mut packages_hash = world.installed.fingerprint(&world.world, &world.projects);
        let resolve_all = changes.resolve_all || packages_hash != ctx.known.packages_hash;
        let resolution = self.plan_and_resolve(&ctx, &world, nodes_before.as_ref(), resolve_all)?;
        self.store_parsed(&world.installed);
        if world.installed.forget_unreadable() {
            // The next batch resolves all files.
            packages_hash.clear();
        }
        let mut indexed = self.delta(
            &ctx,
            &changes,
            (world, packages_hash),
            nodes_before,
            resolution,
        );

        self.add_imports(&indexed.known, &mut indexed.delta)?;
        self.note_removed(&ctx.known, &indexed.delta);
        ctx.begin(Phase::Store, 0);
        cached.world = indexed.world;
        self.write(&ctx, indexed.delta)?;

        let has_other_packages = indexed.known.packages != ctx.known.packages;
        if let Some(watcher) = self.watcher.as_deref().filter(|_| has_other_packages) {
            let folders = &changes.scan.packages;
            packages::watch(watcher, &self.workspace, folders, &indexed.known);
        }
        cached.known = indexed.known;
        self.cached = Some(cached);
        Ok(ctx.finish(indexed.summary))
    }

    /// Adds the imported rows to a delta if they differ from the stored ones, or if the delta
    /// replaces the whole graph.
    fn add_imports(&self, known: &KnownFiles, delta: &mut Delta) -> Result<(), IngestError> {
        let Some(data) = &self.imports else {
            return Ok(());
        };
        let is_own = |path: &str| known.files.contains_key(path);
        let state = imports::state(data, &self.workspace, &is_own);
        let stored = store::metadata(&self.reader.snapshot()?, IMPORTS)?.unwrap_or_default();
        let is_removed = matches!(delta.write, Write::Replace(_)) && !stored.is_empty();
        if state == stored && !is_removed {
            return Ok(());
        }

        delta.imports = Some(imports::graph(data, &self.workspace, &is_own));
        delta.metadata.push((IMPORTS, state));
        Ok(())
    }

    /// Writes the imported rows if they differ from the stored ones, after a scan that found no
    /// changed source.
    fn renew_imports(&self, ctx: &BatchContext<'_>) -> Result<(), IngestError> {
        let mut delta = Delta::default();
        self.add_imports(&ctx.known, &mut delta)?;
        if delta.imports.is_some() {
            delta.metadata.push((BATCH_AT, ctx.began_at.to_string()));
            self.write(ctx, delta)?;
        }
        Ok(())
    }

    /// Stores the facts of packages that resolution parsed for all indexes.
    fn store_parsed(&self, installed: &Installed) {
        let cache = PackageCache::of(self.package_facts.as_ref());
        for (key, blob) in installed.log.take_parsed() {
            cache.add(key, blob);
        }
        cache.write();
    }

    /// Commits new sizes and times of files with unchanged content.
    fn commit_touched(
        &mut self,
        mut ctx: BatchContext<'_>,
        cached: CachedState,
        touched: Vec<FileRow>,
    ) -> Result<Summary, IngestError> {
        if !touched.is_empty() {
            let delta = Delta {
                touched: touched.clone(),
                ..Delta::default()
            };
            self.write(&ctx, delta)?;
        }

        ctx.known.add_files(touched);
        let summary = Summary {
            unchanged: true,
            ..Summary::default()
        };
        Ok(self.keep(ctx, cached, summary))
    }

    /// Commits a patched world, and new sizes and times of other files.
    fn commit_patch(
        &mut self,
        mut ctx: BatchContext<'_>,
        mut cached: CachedState,
        patched: Patch,
        touched: Vec<FileRow>,
    ) -> Result<Summary, IngestError> {
        let Patch {
            world,
            mut delta,
            rows,
            summary,
        } = patched;
        for row in rows
            .iter()
            .filter(|row| !ctx.known.files.contains_key(&row.path))
        {
            if let Err(at) = cached.paths.binary_search(&row.path) {
                cached.paths.insert(at, row.path.clone());
            }
        }
        delta.touched.clone_from(&touched);
        delta.metadata.push((BATCH_AT, ctx.began_at.to_string()));
        self.write(&ctx, delta)?;

        ctx.known.add_files(rows);
        ctx.known.add_files(touched);
        cached.world = Some(world);
        Ok(self.keep(ctx, cached, summary))
    }

    /// Commits sizes and times after a full scan that found no changed content.
    fn record_new_stamps(
        &self,
        ctx: &mut BatchContext<'_>,
        changes: &ChangeSet,
        inputs: Vec<InputRow>,
        packages: Option<Vec<PackageRow>>,
    ) -> Result<(), IngestError> {
        let touched = ctx.known.touched(&changes.scan.sources);
        let delta = Delta {
            touched: touched.clone(),
            inputs: Some(inputs.clone()),
            packages: packages.clone(),
            metadata: vec![(SCANNED_AT, ctx.began_at.to_string())],
            ..Delta::default()
        };
        self.write(ctx, delta)?;

        ctx.known.add_files(touched);
        ctx.known.set_inputs(inputs);
        if let Some(packages) = packages {
            ctx.known.packages = packages;
        }
        ctx.known.scanned_at = ctx.began_at;
        Ok(())
    }

    fn write(&self, ctx: &BatchContext<'_>, delta: Delta) -> Result<(), IngestError> {
        let written = self.writer.apply(delta, &self.options.cancel)?;
        ctx.timer.add(Phase::Store, written.cpu);
        Ok(())
    }

    /// Returns the summary of a batch that changed nothing.
    fn unchanged(
        &mut self,
        ctx: BatchContext<'_>,
        cached: CachedState,
        mut problems: Vec<FileProblem>,
    ) -> Summary {
        problems.extend(ctx.known.files.values().filter_map(|row| {
            Some(FileProblem {
                path: row.path.clone(),
                message: row.problem.clone()?,
            })
        }));
        let summary = Summary {
            unchanged: true,
            problems,
            ..Summary::default()
        };

        self.keep(ctx, cached, summary)
    }

    /// Caches the state for the next batch.
    fn keep(&mut self, ctx: BatchContext<'_>, cached: CachedState, summary: Summary) -> Summary {
        let summary = ctx.finish(summary);
        self.cached = Some(CachedState {
            known: ctx.known,
            ..cached
        });
        summary
    }

    fn note_removed(&mut self, known: &KnownFiles, delta: &Delta) {
        if self.removed.len() > MOST_REMOVED {
            self.removed.clear();
        }
        if delta.removed.is_empty() {
            return;
        }
        let removed: FxHashSet<_> = delta.removed.iter().copied().collect();
        let rows = known.files.values().filter(|row| removed.contains(&row.id));
        self.removed.extend(rows.map(|row| row.path.clone()));
    }

    fn sources(&self) -> SourceReader {
        SourceReader::new(self.workspace.clone(), &self.overlay)
    }

    /// Returns workers for a full scan. At a lower priority it needs its own, because a thread
    /// cannot raise its priority again for the next edit.
    fn threads_of_full_scan(&self) -> Result<Arc<ThreadPool>, IngestError> {
        if !self.options.in_background {
            return Ok(Arc::clone(&self.threads));
        }
        let threads = thread_pool(self.options.threads)
            .thread_name(|index| format!("codeagent-batch-{index}"))
            .start_handler(|_| lower_priority());
        Ok(Arc::new(build(threads)?))
    }

    /// Returns the packs in the data folder, which are read again if they changed.
    pub(super) fn packs(&self) -> Arc<PackSet> {
        let Some(data) = &self.imports else {
            return Arc::default();
        };
        let state = packs::state(data);
        let mut current = self.packs.lock().unwrap_or_else(PoisonError::into_inner);
        if current.state != state {
            *current = Arc::new(PackSet::load(data, state));
        }
        Arc::clone(&current)
    }

    /// Returns the index's inputs other than source and project files: versions, settings, packs.
    pub(super) fn engine_fingerprint(&self) -> String {
        let settings = self.workspace.config().fingerprint();
        let packs = &self.packs().state;
        format!(
            "{} facts {FACTS_VERSION} links {LINK_VERSION} settings {settings}{packs}",
            env!("CARGO_PKG_VERSION")
        )
    }
}

/// Reports whether some of the edited files are not in the index yet.
fn has_new(edited: &[SourceFile], known: &KnownFiles) -> bool {
    let mut paths = edited.iter().map(|source| source.path.as_str());
    paths.any(|path| !known.files.contains_key(path))
}
