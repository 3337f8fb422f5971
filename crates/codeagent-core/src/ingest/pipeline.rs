//! The way of a batch: scan, load, build the world, plan, link, write.
//!
//! A batch that names all that changed takes a short way (`patch`), if the world of the last one
//! still stands. The long way looks at the disk: nothing is read or parsed if sizes and times are
//! as the index knows them. After any sequence of batches the index says what a fresh one would
//! say, because every step is a function of what is on disk and the plan leaves out only links
//! whose answers cannot differ.
//!
//! **Limits.** A batch holds the facts of all files in memory.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use codeagent_lang::nodes::NodeTable;
use codeagent_lang::project::ProjectModel;
use codeagent_lang::{FileId, World, WorldFile};
use codeagent_workspace::{DataDir, RepoPath, Watcher, Workspace, lower_priority, root_mark};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::embed::SignBits;
use crate::ingest::cache::{CachedState, ChangeImpact, CurrentWorld, WorldState, files_of};
use crate::ingest::load::{FactsStore, LoadedFile, Loader};
use crate::ingest::members::MemberHashes;
use crate::ingest::packages::{self, CachedAssemblies, Installed, PackageFreshness};
use crate::ingest::patch::{MOST_PATCHED, PatchOutcome};
use crate::ingest::phase_timer::PhaseTimer;
use crate::ingest::plan::{Fingerprint, Plan, plan};
use crate::ingest::resolve_files::{LinkInputs, ResolvedFile, relink_all};
use crate::ingest::rows::{self, Rows};
use crate::ingest::scan::{self, KnownFiles, Scan, SourceFile};
use crate::ingest::source::{Overlay, SourceReader};
use crate::ingest::worktree_cache::WorktreeCache;
use crate::ingest::{
    ChangeBatch, FileProblem, IngestError, Phase, Progress, Summary, WriterThread,
};
use crate::languages::LANGUAGES;
use crate::model::graph::{Node, NodeId};
use crate::store::{
    self, BATCH_AT, Batch, DependencyKeyHash, FileKey, FileRow, InputRow, MADE_BY, NodeWithHash,
    PACKAGE_FOLDERS, PACKAGES, PROJECT_REMARKS, ROOT, Reader, SCANNED_AT, SYMBOLS_TOTAL, WriteMode,
};
use crate::versions::{FACTS_VERSION, LINK_VERSION};

/// Room for the deepest nesting that extractors and linkers admit.
const STACK_BYTES: usize = 16 << 20;

/// Remarks about project files that are kept.
const MAX_REMARKS: usize = 100;

/// Files that a worker takes fingerprints of in one go.
const FILES_AT_ONCE: usize = 32;

/// Nodes that a worker hashes in one go.
const NODES_AT_ONCE: usize = 1024;

/// Removed paths that are remembered.
const MOST_REMOVED: usize = 10_000;

/// How a pipeline works.
#[derive(Clone, Debug, Default)]
pub struct IngestOptions {
    /// Threads for reading, parsing and linking; 0: one per processor.
    pub threads: usize,
    /// Keep the facts in memory for the next batch.
    pub keep_facts: bool,
    /// What looks at the whole repository runs behind what the user is doing.
    pub in_background: bool,
    /// Set to stop at the next file.
    pub cancel: Arc<AtomicBool>,
}

/// Takes batches of changes to the index.
pub struct IngestPipeline {
    pub(super) workspace: Workspace,
    pub(super) reader: Reader,
    pub(super) writer: WriterThread,
    threads: Arc<rayon::ThreadPool>,
    pub(super) options: IngestOptions,
    watcher: Option<Arc<Watcher>>,
    shares: Option<DataDir>,
    overlay: Overlay,
    resident: Option<CachedState>,
    /// Paths that were taken out of the index.
    removed: FxHashSet<String>,
}

/// What is the same for all steps of one batch.
pub(super) struct BatchContext<'a> {
    pub(super) threads: Arc<rayon::ThreadPool>,
    pub(super) clock: PhaseTimer,
    pub(super) progress: &'a (dyn Fn(Progress) + Sync),
    started: Instant,
    scanned_at: i64,
    /// Since when the whole repository is known.
    walked_at: i64,
    pub(super) known: KnownFiles,
    pub(super) sources: SourceReader,
}

/// A world in which something differs from what the index says.
struct Changed {
    scan: Scan,
    /// The nodes of the index, if they are in memory.
    nodes_before: Option<NodeTable>,
    built: WorldState,
    /// `None`: the project files are as they were.
    inputs: Option<Vec<InputRow>>,
    /// Whether everything is linked again.
    relink_all: bool,
    /// Whether the world is kept for the next edit.
    keeps: bool,
}

impl IngestPipeline {
    /// A pipeline over an opened store.
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
            threads,
            options,
            watcher: None,
            shares: None,
            overlay: Overlay::default(),
            resident: None,
            removed: FxHashSet::default(),
        })
    }

    /// Works from now on with these settings.
    pub fn set_workspace(&mut self, workspace: Workspace) {
        self.workspace = workspace;
    }

    /// Has every folder that a batch lists watched from now on.
    pub fn set_watcher(&mut self, watcher: Option<Arc<Watcher>>) {
        self.watcher = watcher;
    }

    /// Takes from now on what is in the indexes of the other work trees of this one's repository,
    /// instead of reading texts again.
    pub fn share(&mut self, data: DataDir) {
        self.shares = Some(data);
    }

    /// Reads the texts of an overlay before those on disk from now on.
    pub fn set_overlay(&mut self, overlay: Overlay) {
        self.overlay = overlay;
    }

    fn sources(&self) -> SourceReader {
        SourceReader::new(self.workspace.clone(), &self.overlay)
    }

    /// Whether a path was taken out of the index lately.
    #[must_use]
    pub fn has_removed(&self, path: &str) -> bool {
        self.removed.contains(path)
    }

    /// Frees the memory of what the next edit would go on with; whether there was something.
    pub fn drop_caches(&mut self) -> bool {
        self.resident
            .as_mut()
            .is_some_and(|resident| resident.standing.take().is_some())
    }

    /// Brings the index to what is on disk now.
    pub fn process_batch(
        &mut self,
        batch: &ChangeBatch,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Summary, IngestError> {
        // Whatever fails on the way, nothing of it is gone on with.
        let mut resident = self
            .resident
            .take()
            .filter(|resident| resident.known.made_by == self.made_by());
        if batch.is_complete()
            && let Some(kept) = resident.take()
        {
            match kept.doubts(&self.workspace, batch) {
                ChangeImpact::Nothing => {
                    self.resident = Some(kept);
                    return Ok(Summary {
                        unchanged: true,
                        ..Summary::default()
                    });
                }
                ChangeImpact::Sources(sources) => match self.short(kept, sources, progress)? {
                    Ok(summary) => return Ok(summary),
                    Err(kept) => resident = Some(*kept),
                },
                ChangeImpact::Anything => resident = Some(kept),
            }
        }
        self.long(resident, batch, progress)
    }

    /// Compares these sources alone. Gives everything back if that is not enough.
    fn short(
        &mut self,
        mut resident: CachedState,
        mut sources: Vec<SourceFile>,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Result<Summary, Box<CachedState>>, IngestError> {
        let source_reader = self.sources();
        source_reader.apply_overlay(&mut sources);
        let known = std::mem::take(&mut resident.known);
        let threads = Arc::clone(&self.threads);
        let (started, scanned_at, walked_at) = (Instant::now(), now_ns(), known.scanned_at);
        let mut ctx = BatchContext {
            threads,
            clock: PhaseTimer::default(),
            progress,
            started,
            scanned_at,
            walked_at,
            known,
            sources: source_reader,
        };
        ctx.threads.install(|| {
            ctx.clock.time(Phase::Read, || {
                scan::compare_contents(&ctx.sources, &ctx.known, &mut sources)
            })
        });
        let (changed, same): (Vec<SourceFile>, Vec<SourceFile>) =
            sources.into_iter().partition(|source| source.in_doubt);
        let touched = ctx.known.touched(&same);
        let (mut batch, mut rows, mut summary) = (
            Batch::default(),
            Vec::new(),
            Summary {
                unchanged: true,
                ..Summary::default()
            },
        );
        if !changed.is_empty() {
            let patched = match resident
                .standing
                .as_mut()
                .filter(|_| changed.len() <= MOST_PATCHED)
            {
                Some(standing) if !standing.is_torn => self.patch(&ctx, standing, &changed)?,
                _ => PatchOutcome::TooMuch(false),
            };
            match patched {
                PatchOutcome::Done(done) => (batch, rows, summary) = *done,
                PatchOutcome::TooMuch(is_torn) => {
                    let Some(mut standing) = resident.standing.take() else {
                        resident.known = ctx.known;
                        return Ok(Err(Box::new(resident)));
                    };
                    standing.is_torn |= is_torn;
                    let sources = ctx.known.sources(changed.into_iter().chain(same));
                    return self.renew(ctx, resident, standing, sources).map(Ok);
                }
            }
            batch.metadata.push((BATCH_AT, ctx.scanned_at.to_string()));
        }
        if !changed.is_empty() || !touched.is_empty() {
            batch.touched.clone_from(&touched);
            let written = self.writer.apply(batch, &self.options.cancel)?;
            ctx.clock.add(Phase::Store, written.cpu);
        }
        ctx.known.files.extend(
            rows.into_iter()
                .chain(touched)
                .map(|row| (row.path.clone(), row)),
        );
        let summary = finish(&ctx, summary);
        self.resident = Some(CachedState {
            known: ctx.known,
            ..resident
        });
        Ok(Ok(summary))
    }

    /// Builds the world anew of what is known: where nothing else changed nothing is looked for.
    fn renew(
        &mut self,
        ctx: BatchContext<'_>,
        resident: CachedState,
        standing: CurrentWorld,
        sources: Vec<SourceFile>,
    ) -> Result<Summary, IngestError> {
        let scan = Scan {
            sources,
            packages: resident.packages.clone(),
            ..Scan::default()
        };
        let projects = Arc::clone(&standing.built.projects);
        let (built, nodes) = self.build(&ctx, &scan, projects, Some(standing))?;
        self.changed(
            ctx,
            resident,
            Changed {
                scan,
                nodes_before: nodes,
                built,
                inputs: None,
                relink_all: false,
                keeps: true,
            },
        )
    }

    /// Looks at everything.
    fn long(
        &mut self,
        resident: Option<CachedState>,
        batch: &ChangeBatch,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Summary, IngestError> {
        let (started, scanned_at) = (Instant::now(), now_ns());
        let clock = PhaseTimer::default();
        progress(Progress {
            phase: Phase::Walk,
            done: 0,
            total: 0,
        });
        let (known, mut resident) = match resident {
            Some(mut resident) => (std::mem::take(&mut resident.known), resident),
            None => (
                clock.time(Phase::Walk, || KnownFiles::load(&self.reader.snapshot()?))?,
                CachedState::default(),
            ),
        };
        let files = files_of(&self.workspace, batch);
        let mut scan = clock.time(Phase::Walk, || {
            scan::scan(&self.workspace, &known, batch, self.watcher.as_deref())
        });
        if scan.is_short {
            return Err(IngestError::Shortage);
        }
        let source_reader = self.sources();
        source_reader.apply_overlay(&mut scan.sources);
        let found =
            scan.sources.iter().filter(|source| source.in_doubt).count() + scan.removed.len();
        progress(Progress {
            phase: Phase::Read,
            done: 0,
            total: found,
        });
        let had_paths = std::mem::replace(&mut resident.paths, std::mem::take(&mut scan.paths));
        resident.note_unwanted(&self.workspace, batch, files);
        let mut ctx = BatchContext {
            threads: self.threads_of_long_work()?,
            clock,
            progress,
            started,
            scanned_at,
            walked_at: scanned_at,
            known,
            sources: source_reader,
        };
        let same_engine = ctx.known.made_by == self.made_by();
        let doubt = ctx.clock.time(Phase::Walk, || {
            packages::compare(&self.workspace, &scan.packages, &ctx.known)
        });
        resident.packages.clone_from(&scan.packages);
        if same_engine && !scan.is_in_doubt() && doubt == PackageFreshness::Same {
            return Ok(self.unchanged(ctx, resident, scan.problems));
        }
        if same_engine {
            ctx.threads.install(|| {
                ctx.clock.time(Phase::Read, || {
                    scan::compare_contents(&ctx.sources, &ctx.known, &mut scan.sources)
                })
            });
        } else {
            scan.sources
                .iter_mut()
                .for_each(|source| source.in_doubt = true);
        }
        let (inputs, texts) = ctx.clock.time(Phase::Read, || {
            scan::read_inputs(&self.workspace, &mut scan)
        });
        if scan.is_short {
            return Err(IngestError::Shortage);
        }
        let relink_all = !same_engine || inputs_differ(&inputs, &ctx.known);
        if !relink_all && !scan.sources_are_in_doubt() && doubt != PackageFreshness::Other {
            self.touch(&mut ctx, &scan, inputs, doubt)?;
            return Ok(self.unchanged(ctx, resident, scan.problems));
        }
        let before = resident.standing.take();
        let kept = before
            .as_ref()
            .map(|standing| &standing.built.projects)
            .filter(|_| !relink_all && had_paths == resident.paths);
        let projects = match kept {
            Some(projects) => Arc::clone(projects),
            None => ctx.threads.install(|| {
                ctx.clock.time(Phase::World, || {
                    projects(&self.workspace, &resident.paths, texts)
                })
            }),
        };
        let keeps = self.options.keep_facts || before.is_some() || !batch.changes().is_empty();
        let (built, nodes) = self.build(&ctx, &scan, projects, before)?;
        self.changed(
            ctx,
            resident,
            Changed {
                scan,
                nodes_before: nodes,
                built,
                inputs: Some(inputs),
                relink_all,
                keeps,
            },
        )
    }

    /// Moves the log into the database.
    pub fn checkpoint(&self) -> Result<(), IngestError> {
        self.writer.checkpoint()
    }

    /// What writes, for what is no batch.
    #[must_use]
    pub fn writer(&self) -> &WriterThread {
        &self.writer
    }

    /// Threads of their own where the work is to stay behind: a thread cannot come back to the
    /// front for the next edit.
    fn threads_of_long_work(&self) -> Result<Arc<rayon::ThreadPool>, IngestError> {
        if !self.options.in_background {
            return Ok(Arc::clone(&self.threads));
        }
        let threads = thread_pool(self.options.threads)
            .thread_name(|index| format!("codeagent-batch-{index}"));
        Ok(Arc::new(built(
            threads.start_handler(|_| lower_priority()),
        )?))
    }

    /// Everything but the sources and project files that the graph is a function of.
    fn made_by(&self) -> String {
        let settings = self.workspace.config().fingerprint();
        format!(
            "{} facts {FACTS_VERSION} links {LINK_VERSION} settings {settings}",
            env!("CARGO_PKG_VERSION")
        )
    }

    /// The index is as the disk is.
    fn unchanged(
        &mut self,
        ctx: BatchContext<'_>,
        resident: CachedState,
        mut problems: Vec<FileProblem>,
    ) -> Summary {
        let rows = ctx.known.files.values();
        problems.extend(rows.filter_map(|row| {
            Some(FileProblem {
                path: row.path.clone(),
                message: row.problem.clone()?,
            })
        }));
        let summary = finish(
            &ctx,
            Summary {
                unchanged: true,
                problems,
                ..Summary::default()
            },
        );
        self.resident = Some(CachedState {
            known: ctx.known,
            ..resident
        });
        summary
    }

    /// Contents are as before, but sizes or times have to be noted.
    fn touch(
        &self,
        ctx: &mut BatchContext<'_>,
        scan: &Scan,
        inputs: Vec<InputRow>,
        doubt: PackageFreshness,
    ) -> Result<(), IngestError> {
        let touched = ctx.known.touched(&scan.sources);
        let metadata = vec![(SCANNED_AT, ctx.scanned_at.to_string())];
        let packages = if let PackageFreshness::Touched(rows) = doubt {
            Some(rows)
        } else {
            None
        };
        let batch = Batch {
            touched: touched.clone(),
            inputs: Some(inputs.clone()),
            packages: packages.clone(),
            metadata,
            ..Batch::default()
        };
        self.writer.apply(batch, &self.options.cancel)?;
        ctx.known.packages = packages.unwrap_or_else(|| std::mem::take(&mut ctx.known.packages));
        ctx.known
            .files
            .extend(touched.into_iter().map(|row| (row.path.clone(), row)));
        ctx.known.inputs = by_path(inputs);
        ctx.known.scanned_at = ctx.scanned_at;
        Ok(())
    }

    /// Links what has to be and writes all that differs.
    fn changed(
        &mut self,
        mut ctx: BatchContext<'_>,
        mut resident: CachedState,
        changed: Changed,
    ) -> Result<Summary, IngestError> {
        let Changed {
            scan,
            nodes_before,
            mut built,
            inputs,
            relink_all,
            keeps,
        } = changed;
        let packages_hash = built.installed.fingerprint(&built.world, &built.projects);
        let relink_all = relink_all || packages_hash != ctx.known.packages_hash;
        let (kind, relinked, fingerprints) =
            self.link(&ctx, &built, nodes_before.as_ref(), relink_all)?;
        let before = |file: &LoadedFile| ctx.known.files.get(&*file.path);
        let mut summary = Summary {
            changed: built
                .loaded
                .iter()
                .filter(|file| before(file).is_none_or(|row| row.hash != file.hash))
                .count(),
            parsed: built.loaded.iter().filter(|file| file.parsed).count(),
            linked: relinked.len(),
            problems: problems(scan.problems, &built.loaded, &relinked, &built.loaded),
            ..Summary::default()
        };
        let rows = rows::rows(&built, &fingerprints, relinked, &ctx.known);
        let symbols = built.nodes.symbols();
        let files: FxHashMap<String, FileRow> = rows
            .files
            .iter()
            .map(|row| (row.path.clone(), row.clone()))
            .collect();
        let packages = built.installed.rows.clone();
        let asks_others = packages != ctx.known.packages;
        let mut batch = Batch {
            removed: removed_files(&ctx.known, &built.loaded)
                .map(|row| row.id)
                .collect(),
            keys: built
                .loaded
                .iter()
                .zip(&built.keys)
                .map(|(file, key)| (file.path.to_string(), *key))
                .collect(),
            inputs: inputs.clone(),
            packages: asks_others.then(|| packages.clone()),
            metadata: vec![
                (SCANNED_AT, ctx.walked_at.to_string()),
                (BATCH_AT, ctx.scanned_at.to_string()),
                (MADE_BY, self.made_by()),
                (ROOT, root_mark(self.workspace.root())),
                (SYMBOLS_TOTAL, symbols.to_string()),
                (PROJECT_REMARKS, remarks(&built.projects, &built.installed)),
                (PACKAGES, packages_hash.clone()),
                (
                    PACKAGE_FOLDERS,
                    scan.packages
                        .iter()
                        .map(RepoPath::as_str)
                        .collect::<Vec<_>>()
                        .join("\n"),
                ),
            ],
            ..batch_of(kind, rows, &ctx.known)
        };
        match nodes_before {
            Some(before) if kind == WriteMode::Update => {
                (batch.renewed, batch.gone) = differing(&before, &built.nodes);
                ctx.threads.spawn(move || drop(before));
            }
            _ if keeps => {
                batch.nodes = Some(self.hashed(&ctx, built.nodes.nodes().cloned().collect()))
            }
            _ => batch.nodes = Some(self.hashed(&ctx, built.nodes.take_nodes())),
        }
        if let (WriteMode::Replace, Some(nodes)) = (kind, &batch.nodes) {
            batch.signs = Some(signs(&ctx, nodes));
        }
        summary.removed = batch.removed.len();
        if self.removed.len() > MOST_REMOVED {
            self.removed.clear();
        }
        self.removed
            .extend(removed_files(&ctx.known, &built.loaded).map(|row| row.path.clone()));
        resident.standing = keeps.then_some(CurrentWorld {
            built,
            fingerprints,
            links: None,
            is_torn: false,
        });
        (ctx.progress)(Progress {
            phase: Phase::Store,
            done: 0,
            total: 0,
        });
        let written = self.writer.apply(batch, &self.options.cancel)?;
        ctx.clock.add(Phase::Store, written.cpu);
        let summary = finish(&ctx, summary);
        let inputs = inputs.map_or_else(|| std::mem::take(&mut ctx.known.inputs), by_path);
        let package_folders = scan.packages.iter().map(RepoPath::to_string).collect();
        ctx.known = KnownFiles {
            files,
            inputs,
            packages,
            package_folders,
            packages_hash,
            scanned_at: ctx.walked_at,
            made_by: self.made_by(),
        };
        if let Some(watcher) = self.watcher.as_deref().filter(|_| asks_others) {
            packages::watch(watcher, &self.workspace, &scan.packages, &ctx.known);
        }
        self.resident = Some(CachedState {
            known: ctx.known,
            ..resident
        });
        Ok(summary)
    }

    /// The nodes by id, each with its hash.
    fn hashed(&self, ctx: &BatchContext<'_>, nodes: Vec<Node>) -> Vec<NodeWithHash> {
        let hashes_of = |nodes: &[Node]| -> Vec<i64> {
            let mut buffer = Vec::new();
            ctx.clock.time(Phase::Store, || {
                nodes
                    .iter()
                    .map(|node| store::node_hash(node, &mut buffer))
                    .collect()
            })
        };
        let hashes: Vec<i64> = ctx.threads.install(|| {
            nodes
                .par_chunks(NODES_AT_ONCE)
                .flat_map_iter(hashes_of)
                .collect()
        });
        let mut hashed: Vec<NodeWithHash> = hashes.into_iter().zip(nodes).collect();
        hashed.sort_unstable_by_key(|(_, node)| node.id);
        hashed
    }

    /// Loads all facts and builds the world. With the nodes of the world before, if they are those
    /// of the index.
    fn build(
        &self,
        ctx: &BatchContext<'_>,
        scan: &Scan,
        projects: Arc<ProjectModel>,
        before: Option<CurrentWorld>,
    ) -> Result<(WorldState, Option<NodeTable>), IngestError> {
        let (mut kept, mut held, mut former, mut nodes) = (
            FxHashMap::default(),
            CachedAssemblies::default(),
            None,
            None,
        );
        if let Some(CurrentWorld { built, is_torn, .. }) = before {
            held = built.installed.held();
            let declared = built
                .installed
                .files
                .into_iter()
                .map(|file| (file.key, file.facts));
            kept = built
                .loaded
                .into_iter()
                .map(|file| (file.key, file.facts))
                .chain(declared)
                .collect();
            former = Some(built.world);
            nodes = Some(built.nodes).filter(|_| !is_torn);
        }
        let loader = Loader {
            sources: &ctx.sources,
            known: &ctx.known,
            projects: &projects,
            kept: &kept,
            store: Some(FactsStore {
                reader: &self.reader,
                writer: &self.writer,
            }),
            shared: &WorktreeCache::of(self.shares.as_ref(), ctx.threads.current_num_threads()),
            clock: &ctx.clock,
            cancel: &self.options.cancel,
            progress: ctx.progress,
        };
        let loaded = ctx.threads.install(|| loader.load(&scan.sources))?;
        let installed = ctx
            .threads
            .install(|| packages::gather(&loader, &scan.packages, &loaded, &held))?;
        drop(kept);
        (ctx.progress)(Progress {
            phase: Phase::World,
            done: 0,
            total: 0,
        });
        let of_world = |file: &LoadedFile| WorldFile {
            path: Arc::clone(&file.path),
            facts: Arc::clone(&file.facts),
            external: false,
        };
        let files: Vec<WorldFile> = loaded.iter().map(of_world).collect();
        let all = || {
            files
                .iter()
                .cloned()
                .chain(installed.world_files())
                .collect()
        };
        let tables = || {
            World::build_after(
                former.as_mut(),
                all(),
                Arc::clone(&projects),
                &installed.supplied(),
                &self.options.cancel,
            )
        };
        let table = || NodeTable::of_files(&files, &projects);
        let (world, table) = ctx.threads.install(|| {
            rayon::join(
                || ctx.clock.time(Phase::World, tables),
                || ctx.clock.time(Phase::World, table),
            )
        });
        ctx.threads.spawn(move || drop(former));
        let keys = rows::file_keys(&loaded, &ctx.known);
        Ok((
            WorldState {
                loaded,
                keys,
                projects,
                installed,
                world: world.ok_or(IngestError::Interrupted)?,
                nodes: table,
            },
            nodes,
        ))
    }

    /// Plans and links. `before`: the nodes of the index.
    #[allow(
        clippy::type_complexity,
        reason = "the three parts go different ways at once"
    )]
    fn link(
        &self,
        ctx: &BatchContext<'_>,
        built: &WorldState,
        before: Option<&NodeTable>,
        all: bool,
    ) -> Result<(WriteMode, Vec<(usize, ResolvedFile)>, Vec<Fingerprint>), IngestError> {
        let WorldState {
            loaded,
            world,
            nodes,
            ..
        } = built;
        let fingerprints: Vec<Fingerprint> = ctx.threads.install(|| {
            let some = |(chunk, files): (usize, &[LoadedFile])| -> Vec<Fingerprint> {
                let each = (chunk * FILES_AT_ONCE..).zip(files);
                ctx.clock.time(Phase::World, || {
                    each.map(|(at, file)| rows::fingerprint(at, file, world, nodes))
                        .collect()
                })
            };
            loaded
                .par_chunks(FILES_AT_ONCE)
                .enumerate()
                .flat_map_iter(some)
                .collect()
        });
        let differing = |at: usize| {
            let was = before.and_then(|before| {
                Some(MemberHashes::of(before.find(&loaded[at].path)?, before))
            })?;
            MemberHashes::of(FileId(at as u32), nodes).differing(&was)
        };
        let planned = if all {
            Plan::All
        } else {
            self.plan(ctx, built, &fingerprints, &differing)?
        };
        let (kind, wanted) = match planned {
            Plan::All => (WriteMode::Replace, (0..loaded.len()).collect()),
            Plan::Some(dirty) => (WriteMode::Update, dirty),
        };
        Ok((kind, self.relink(ctx, built, &wanted)?, fingerprints))
    }

    /// Links these files, given by their position.
    pub(super) fn relink(
        &self,
        ctx: &BatchContext<'_>,
        built: &WorldState,
        wanted: &[usize],
    ) -> Result<Vec<(usize, ResolvedFile)>, IngestError> {
        let WorldState {
            keys, world, nodes, ..
        } = built;
        let world_keys: Vec<Option<FileKey>> = world
            .files()
            .iter()
            .enumerate()
            .map(|(at, file)| keys.get(at).copied().filter(|_| !file.external))
            .collect();
        let done = AtomicUsize::new(0);
        let step = || {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            (ctx.progress)(Progress {
                phase: Phase::Link,
                done,
                total: wanted.len(),
            });
            !self.options.cancel.load(Ordering::Relaxed)
        };
        let relinked = ctx.threads.install(|| {
            relink_all(
                wanted,
                LinkInputs {
                    world,
                    nodes,
                    keys: &world_keys,
                },
                &ctx.clock,
                &step,
            )
        });
        relinked.ok_or(IngestError::Interrupted)
    }

    pub(super) fn plan(
        &self,
        ctx: &BatchContext<'_>,
        built: &WorldState,
        fingerprints: &[Fingerprint],
        differing: &dyn Fn(usize) -> Option<Vec<DependencyKeyHash>>,
    ) -> Result<Plan, IngestError> {
        let links = ctx.clock.time(Phase::Decode, || {
            store::dependency_rows(&self.reader.snapshot()?)
        })?;
        let files = rows::plan_files(built, fingerprints, &ctx.known, &links, differing);
        let removed = removed_files(&ctx.known, &built.loaded)
            .filter_map(|row| Some((row.id, links.get(&row.id)?)))
            .collect();
        Ok(plan(&files, &removed))
    }
}

/// Threads with room for what extractors and linkers admit; 0: one per processor.
pub(super) fn worker_threads(threads: usize) -> Result<rayon::ThreadPool, IngestError> {
    built(thread_pool(threads).thread_name(|index| format!("codeagent-worker-{index}")))
}

fn thread_pool(threads: usize) -> rayon::ThreadPoolBuilder {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK_BYTES)
}

fn built(threads: rayon::ThreadPoolBuilder) -> Result<rayon::ThreadPool, IngestError> {
    threads
        .build()
        .map_err(|error| IngestError::Threads(error.to_string()))
}

/// The projects of what was scanned, with the owners that the settings name.
pub(super) fn projects(
    workspace: &Workspace,
    paths: &[String],
    texts: BTreeMap<String, Arc<str>>,
) -> Arc<ProjectModel> {
    let projects = ProjectModel::build(LANGUAGES, paths, texts);
    Arc::new(projects.with_owners(paths, |path| workspace.config().project_of(path)))
}

fn now_ns() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
        })
}

fn inputs_differ(inputs: &[InputRow], known: &KnownFiles) -> bool {
    inputs.len() != known.inputs.len()
        || inputs.iter().any(|input| {
            known
                .inputs
                .get(&input.path)
                .is_none_or(|row| row.hash != input.hash)
        })
}

/// What is wrong with files: `problems`, those of the files `of`, and those of links, whose
/// positions are in `loaded`.
pub(super) fn problems(
    mut problems: Vec<FileProblem>,
    of: &[LoadedFile],
    relinked: &[(usize, ResolvedFile)],
    loaded: &[LoadedFile],
) -> Vec<FileProblem> {
    problems.extend(of.iter().filter_map(|file| {
        Some(FileProblem {
            path: file.path.to_string(),
            message: file.problem.clone()?,
        })
    }));
    let failed = relinked.iter().filter(|(_, relinked)| relinked.failed);
    problems.extend(failed.map(|(at, _)| FileProblem {
        path: loaded[*at].path.to_string(),
        message: "the linker failed on it; please report the file".to_owned(),
    }));
    problems
}

/// What is odd about project files, one line each.
fn remarks(projects: &ProjectModel, installed: &Installed) -> String {
    let lines: Vec<String> = projects
        .warnings
        .iter()
        .chain(&installed.remarks)
        .take(MAX_REMARKS)
        .map(|warning| warning.replace('\n', " "))
        .collect();
    lines.join("\n")
}

/// The batch of these rows, without nodes, removed files, keys, inputs and metadata.
fn batch_of(kind: WriteMode, rows: Rows, known: &KnownFiles) -> Batch {
    let Rows {
        files,
        links,
        edges,
        unresolved,
        object_functions,
    } = rows;
    let mut files: Vec<Option<_>> = files.into_iter().map(Some).collect();
    let linked = links
        .into_iter()
        .filter_map(|(at, links)| Some((files[at].take()?, links)))
        .collect();
    let touched = files
        .into_iter()
        .flatten()
        .filter(|row| known.files.get(&row.path) != Some(row))
        .collect();
    Batch {
        kind,
        files: linked,
        touched,
        edges,
        unresolved,
        object_functions,
        ..Batch::default()
    }
}

/// Rows of files that are gone, by path.
fn removed_files<'a>(
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

/// The nodes that are other ones than before, and the ids of those that are gone.
fn differing(before: &NodeTable, now: &NodeTable) -> (Vec<NodeWithHash>, Vec<NodeId>) {
    let mut old: FxHashMap<NodeId, &Node> = before.nodes().map(|node| (node.id, node)).collect();
    let differs = |node: &&Node| old.remove(&node.id).is_none_or(|old| old != *node);
    let mut buffer = Vec::new();
    let renewed = now
        .nodes()
        .filter(differs)
        .map(|node| (store::node_hash(node, &mut buffer), node.clone()))
        .collect();
    (renewed, old.into_keys().collect())
}

/// What finds near symbols. Made by all threads: the one that writes has enough to do.
fn signs(ctx: &BatchContext<'_>, nodes: &[NodeWithHash]) -> Vec<(NodeId, SignBits)> {
    let signs_of =
        |nodes: &[NodeWithHash]| ctx.clock.time(Phase::Store, || store::lexical_signs(nodes));
    ctx.threads.install(|| {
        nodes
            .par_chunks(NODES_AT_ONCE)
            .flat_map_iter(signs_of)
            .collect()
    })
}

fn by_path(inputs: Vec<InputRow>) -> FxHashMap<String, InputRow> {
    inputs
        .into_iter()
        .map(|input| (input.path.clone(), input))
        .collect()
}

fn finish(ctx: &BatchContext<'_>, mut summary: Summary) -> Summary {
    summary.problems.sort();
    summary.phases = ctx.clock.times();
    summary.elapsed = ctx.started.elapsed();
    summary
}
