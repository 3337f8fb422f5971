//! The way of a batch: scan, load, build the world, plan, link, write.
//!
//! Nothing is read or parsed if sizes and times are as the index knows them. After any sequence of batches the index says what a fresh one
//! would say, because every step is a function of what is on disk and the plan leaves out only links whose answers cannot differ.
//!
//! **Limits.** A batch holds the facts of all files in memory.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use codeagent_workspace::{Workspace, root_mark};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::ingest::clock::Clock;
use crate::ingest::load::{Kept, Loaded, Loader};
use crate::ingest::plan::{Fingerprint, Plan, plan};
use crate::ingest::relink::{Relinked, relink_all};
use crate::ingest::rows::{self, Rows};
use crate::ingest::scan::{self, Known, Scan};
use crate::ingest::{ChangeBatch, FileProblem, IngestError, Phase, Progress, Summary, WriterThread};
use crate::model::facts::{FACTS_VERSION, Facts};
use crate::model::graph::{Node, NodeType};
use crate::project::ProjectModel;
use crate::resolve::nodes::NodeTable;
use crate::resolve::{World, WorldFile};
use crate::store::{
    self, Batch, BatchKind, FactsKey, FileKey, FileRow, HashedNode, InputRow, MADE_BY, PROJECT_REMARKS, ROOT, Reader, SCANNED_AT,
    SYMBOLS_TOTAL, Snapshot,
};

/// Version of all that makes edges of facts, a hash of its sources.
const LINK_VERSION: &str = env!("LINK_VERSION");

/// Room for the deepest nesting that extractors and linkers admit.
const STACK_BYTES: usize = 16 << 20;

/// Remarks about project files that are kept.
const MAX_REMARKS: usize = 100;

/// Nodes that a worker hashes in one go.
const NODES_AT_ONCE: usize = 1024;

/// How a pipeline works.
#[derive(Clone, Debug, Default)]
pub struct IngestOptions {
    /// Threads for reading, parsing and linking; 0: one per processor.
    pub threads: usize,
    /// Keep the facts in memory for the next batch.
    pub keep_facts: bool,
    /// Set to stop at the next file.
    pub cancel: Arc<AtomicBool>,
}

/// Takes batches of changes to the index.
pub struct IngestPipeline {
    workspace: Workspace,
    reader: Reader,
    writer: WriterThread,
    threads: rayon::ThreadPool,
    options: IngestOptions,
    kept: FxHashMap<FactsKey, Arc<Facts>>,
}

/// What is the same for all steps of one batch.
struct Run<'a> {
    clock: Clock,
    progress: &'a (dyn Fn(Progress) + Sync),
    started: Instant,
    scanned_at: i64,
    known: Known,
}

/// The world of a batch.
struct Built {
    loaded: Vec<Loaded>,
    keys: Vec<FileKey>,
    projects: Arc<ProjectModel>,
    world: World,
    nodes: NodeTable,
}

impl IngestPipeline {
    /// A pipeline over an opened store.
    pub fn new(workspace: Workspace, reader: Reader, writer: WriterThread, options: IngestOptions) -> Result<Self, IngestError> {
        let threads = worker_threads(options.threads)?;
        Ok(Self { workspace, reader, writer, threads, options, kept: FxHashMap::default() })
    }

    /// Works from now on with these settings.
    pub fn set_workspace(&mut self, workspace: Workspace) {
        self.workspace = workspace;
    }

    /// Brings the index to what is on disk now.
    pub fn process_batch(&mut self, batch: &ChangeBatch, progress: &(dyn Fn(Progress) + Sync)) -> Result<Summary, IngestError> {
        let (started, scanned_at) = (Instant::now(), now_ns());
        let clock = Clock::default();
        progress(Progress { phase: Phase::Walk, done: 0, total: 0 });
        let known = clock.time(Phase::Walk, || Known::load(&self.reader.snapshot()?))?;
        let mut scan = clock.time(Phase::Walk, || scan::scan(&self.workspace, &known, batch));
        if scan.is_short {
            return Err(IngestError::Shortage);
        }
        let run = Run { clock, progress, started, scanned_at, known };
        let same_engine = run.known.made_by == self.made_by();
        if same_engine && !scan.is_in_doubt() {
            return self.unchanged(&run, scan);
        }
        if same_engine {
            run.clock.time(Phase::Read, || scan::settle(&self.workspace, &run.known, &mut scan));
        } else {
            scan.sources.iter_mut().for_each(|source| source.in_doubt = true);
        }
        let (inputs, texts) = run.clock.time(Phase::Read, || scan::read_inputs(&self.workspace, &mut scan));
        if scan.is_short {
            return Err(IngestError::Shortage);
        }
        let relink_all = !same_engine || inputs_differ(&inputs, &run.known);
        if !relink_all && !scan.sources_are_in_doubt() {
            return self.touched(&run, scan, inputs);
        }
        let projects = run.clock.time(Phase::World, || projects(&self.workspace, &scan, texts));
        let built = self.build(&run, &scan, projects)?;
        self.changed(&run, scan, (built, inputs), relink_all)
    }

    /// Moves the log into the database.
    pub fn checkpoint(&self) -> Result<(), IngestError> {
        self.writer.checkpoint()
    }

    /// Everything but the sources and project files that the graph is a function of.
    fn made_by(&self) -> String {
        let settings = self.workspace.config().fingerprint();
        format!("{} facts {FACTS_VERSION} links {LINK_VERSION} settings {settings}", env!("CARGO_PKG_VERSION"))
    }

    fn unchanged(&self, run: &Run<'_>, scan: Scan) -> Result<Summary, IngestError> {
        let mut summary = Summary { unchanged: true, problems: scan.problems, ..Summary::default() };
        let rows = run.known.files.values();
        summary.problems.extend(rows.filter_map(|row| Some(FileProblem { path: row.path.clone(), message: row.problem.clone()? })));
        finish(run, summary, &self.reader.snapshot()?)
    }

    /// Contents are as before, but sizes or times have to be noted.
    fn touched(&self, run: &Run<'_>, scan: Scan, inputs: Vec<InputRow>) -> Result<Summary, IngestError> {
        let known = &run.known.files;
        let stale = scan.sources.iter().filter_map(|source| Some((source, known.get(source.path.as_str())?)));
        let touched = stale
            .filter(|(source, row)| (row.size, row.stamp) != (source.size, source.stamp))
            .map(|(source, row)| FileRow { size: source.size, stamp: source.stamp, ..row.clone() })
            .collect();
        let metadata = vec![(SCANNED_AT, run.scanned_at.to_string())];
        self.writer.apply(Batch { touched, inputs, metadata, ..Batch::default() }, &self.options.cancel)?;
        self.unchanged(run, scan)
    }

    fn changed(
        &mut self,
        run: &Run<'_>,
        scan: Scan,
        (mut built, inputs): (Built, Vec<InputRow>),
        relink_all: bool,
    ) -> Result<Summary, IngestError> {
        let (kind, relinked, fingerprints) = self.link(run, &built, relink_all)?;
        let before = |file: &Loaded| run.known.files.get(&*file.path);
        let mut summary = Summary {
            changed: built.loaded.iter().filter(|file| before(file).is_none_or(|row| row.hash != file.hash)).count(),
            parsed: built.loaded.iter().filter(|file| file.parsed).count(),
            linked: relinked.len(),
            problems: problems(scan.problems, &built.loaded, &relinked),
            ..Summary::default()
        };
        let rows = rows::rows(&built.loaded, &built.keys, &built.projects, fingerprints, (relinked, &run.known));
        let nodes = self.hashed(run, std::mem::take(&mut built.nodes.nodes));
        let symbols = nodes.iter().filter(|(_, node)| node.node_type != NodeType::File).count();
        let batch = Batch {
            removed: removed_files(&run.known, &built.loaded).map(|row| row.id).collect(),
            nodes: Some(nodes),
            keys: built.loaded.iter().zip(&built.keys).map(|(file, key)| (file.path.to_string(), *key)).collect(),
            inputs,
            metadata: vec![
                (SCANNED_AT, run.scanned_at.to_string()),
                (MADE_BY, self.made_by()),
                (ROOT, root_mark(self.workspace.root())),
                (SYMBOLS_TOTAL, symbols.to_string()),
                (PROJECT_REMARKS, remarks(&built.projects)),
            ],
            ..batch_of(kind, rows, &run.known)
        };
        summary.removed = batch.removed.len();
        self.keep(built);
        (run.progress)(Progress { phase: Phase::Store, done: 0, total: 0 });
        let written = self.writer.apply(batch, &self.options.cancel)?;
        run.clock.add(Phase::Store, written.cpu);
        finish(run, summary, &self.reader.snapshot()?)
    }

    /// The nodes by id, each with its hash.
    fn hashed(&self, run: &Run<'_>, nodes: Vec<Node>) -> Vec<HashedNode> {
        let hashes_of = |nodes: &[Node]| -> Vec<i64> {
            let mut buffer = Vec::new();
            run.clock.time(Phase::Store, || nodes.iter().map(|node| store::node_hash(node, &mut buffer)).collect())
        };
        let hashes: Vec<i64> = self.threads.install(|| nodes.par_chunks(NODES_AT_ONCE).flat_map_iter(hashes_of).collect());
        let mut hashed: Vec<HashedNode> = hashes.into_iter().zip(nodes).collect();
        hashed.sort_unstable_by_key(|(_, node)| node.id);
        hashed
    }

    /// Loads all facts and builds the world.
    fn build(&self, run: &Run<'_>, scan: &Scan, projects: Arc<ProjectModel>) -> Result<Built, IngestError> {
        let loader = Loader {
            workspace: &self.workspace,
            known: &run.known,
            projects: &projects,
            kept: &self.kept,
            store: Some(Kept { reader: &self.reader, writer: &self.writer }),
            clock: &run.clock,
            cancel: &self.options.cancel,
            progress: run.progress,
        };
        let loaded = self.threads.install(|| loader.load(&scan.sources))?;
        (run.progress)(Progress { phase: Phase::World, done: 0, total: 0 });
        let files =
            loaded.iter().map(|file| WorldFile { path: Arc::clone(&file.path), facts: Arc::clone(&file.facts), external: false }).collect();
        let world = run.clock.time(Phase::World, || World::build(files, Arc::clone(&projects)));
        let nodes = run.clock.time(Phase::World, || NodeTable::build(&world));
        let keys = rows::file_keys(&loaded, &run.known);
        Ok(Built { loaded, keys, projects, world, nodes })
    }

    /// Plans and links.
    #[allow(clippy::type_complexity, reason = "the three parts go different ways at once")]
    fn link(&self, run: &Run<'_>, built: &Built, all: bool) -> Result<(BatchKind, Vec<(usize, Relinked)>, Vec<Fingerprint>), IngestError> {
        let Built { loaded, keys, world, nodes, .. } = built;
        let fingerprints: Vec<Fingerprint> = self.threads.install(|| {
            let each = loaded.par_iter().enumerate();
            each.map(|(at, file)| run.clock.time(Phase::World, || rows::fingerprint(at, file, world, nodes))).collect()
        });
        let planned = if all { Plan::All } else { self.plan(run, built, &fingerprints)? };
        let (kind, wanted) = match planned {
            Plan::All => (BatchKind::Replace, (0..loaded.len()).collect()),
            Plan::Some(dirty) => (BatchKind::Update, dirty),
        };
        let world_keys: Vec<Option<FileKey>> =
            world.files().iter().enumerate().map(|(at, file)| keys.get(at).copied().filter(|_| !file.external)).collect();
        let done = AtomicUsize::new(0);
        let step = || {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            (run.progress)(Progress { phase: Phase::Link, done, total: wanted.len() });
            !self.options.cancel.load(Ordering::Relaxed)
        };
        let relinked = self.threads.install(|| relink_all(&wanted, (world, nodes, &world_keys), &run.clock, &step));
        Ok((kind, relinked.ok_or(IngestError::Interrupted)?, fingerprints))
    }

    fn plan(&self, run: &Run<'_>, built: &Built, fingerprints: &[Fingerprint]) -> Result<Plan, IngestError> {
        let links = run.clock.time(Phase::Decode, || store::link_rows(&self.reader.snapshot()?))?;
        let files = rows::plan_files(&built.loaded, &built.keys, fingerprints, &run.known, &links);
        let removed = removed_files(&run.known, &built.loaded).filter_map(|row| Some((row.id, links.get(&row.id)?))).collect();
        Ok(plan(&files, &removed))
    }

    fn keep(&mut self, built: Built) {
        let loaded = if self.options.keep_facts { built.loaded } else { Vec::new() };
        self.kept = loaded.into_iter().map(|file| (file.key, file.facts)).collect();
    }
}

/// Threads with room for what extractors and linkers admit; 0: one per processor.
pub(super) fn worker_threads(threads: usize) -> Result<rayon::ThreadPool, IngestError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK_BYTES)
        .thread_name(|index| format!("codeagent-worker-{index}"))
        .build()
        .map_err(|error| IngestError::Threads(error.to_string()))
}

/// The projects of what was scanned, with the owners that the settings name.
pub(super) fn projects(workspace: &Workspace, scan: &Scan, texts: BTreeMap<String, Arc<str>>) -> Arc<ProjectModel> {
    let projects = ProjectModel::build(&scan.paths, texts);
    Arc::new(projects.with_owners(&scan.paths, |path| workspace.config().project_of(path)))
}

fn now_ns() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

fn inputs_differ(inputs: &[InputRow], known: &Known) -> bool {
    inputs.len() != known.inputs.len() || inputs.iter().any(|input| known.inputs.get(&input.path).is_none_or(|row| row.hash != input.hash))
}

fn problems(mut problems: Vec<FileProblem>, loaded: &[Loaded], relinked: &[(usize, Relinked)]) -> Vec<FileProblem> {
    problems.extend(loaded.iter().filter_map(|file| Some(FileProblem { path: file.path.to_string(), message: file.problem.clone()? })));
    let failed = relinked.iter().filter(|(_, relinked)| relinked.failed);
    problems.extend(failed.map(|(at, _)| FileProblem {
        path: loaded[*at].path.to_string(),
        message: "the linker failed on it; please report the file".to_owned(),
    }));
    problems
}

/// What is odd about project files, one line each.
fn remarks(projects: &ProjectModel) -> String {
    let lines: Vec<String> = projects.warnings.iter().take(MAX_REMARKS).map(|warning| warning.replace('\n', " ")).collect();
    lines.join("\n")
}

/// The batch of these rows, without nodes, removed files, keys, inputs and metadata.
fn batch_of(kind: BatchKind, rows: Rows, known: &Known) -> Batch {
    let Rows { files, links, edges, unresolved } = rows;
    let mut files: Vec<Option<_>> = files.into_iter().map(Some).collect();
    let linked = links.into_iter().filter_map(|(at, links)| Some((files[at].take()?, links))).collect();
    let touched = files.into_iter().flatten().filter(|row| known.files.get(&row.path) != Some(row)).collect();
    Batch { kind, files: linked, touched, edges, unresolved, ..Batch::default() }
}

/// Rows of files that are gone, by path.
fn removed_files<'a>(known: &'a Known, loaded: &[Loaded]) -> impl Iterator<Item = &'a FileRow> {
    let is_gone = |row: &&FileRow| loaded.binary_search_by(|file| (*file.path).cmp(row.path.as_str())).is_err();
    let mut gone: Vec<&FileRow> = known.files.values().filter(is_gone).collect();
    gone.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    gone.into_iter()
}

fn finish(run: &Run<'_>, mut summary: Summary, snapshot: &Snapshot) -> Result<Summary, IngestError> {
    let counts = store::counts(snapshot)?;
    summary.symbols = counts.symbols;
    summary.edges = counts.edges;
    summary.languages = counts.languages;
    summary.problems.sort();
    summary.remarks = store::metadata(snapshot, PROJECT_REMARKS)?.unwrap_or_default().lines().map(str::to_owned).collect();
    summary.phases = run.clock.times();
    summary.elapsed = run.started.elapsed();
    Ok(summary)
}
