//! Reads without an index: one file, one line or all calls (`codeagent debug`), and the declared
//! packages (`codeagent packages`).
//!
//! Limitations: for a line or the calls, all sources are read and parsed again. Writes nothing.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use codeagent_lang::project::ProjectModel;
use codeagent_workspace::{RepoPath, Workspace};
use rayon::ThreadPool;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ingest::change::ChangeBatch;
use crate::ingest::changes::projects;
use crate::ingest::context::worker_threads;
use crate::ingest::load::Loader;
use crate::ingest::package_cache::PackageCache;
use crate::ingest::packages;
use crate::ingest::packs::PackSet;
use crate::ingest::phase_timer::PhaseTimer;
use crate::ingest::scan::{self, KnownFiles, Scan};
use crate::ingest::source::{Overlay, SourceReader};
use crate::ingest::worktree_cache::WorktreeCache;
use crate::ingest::{IngestError, InspectError};
use crate::languages::LANGUAGES;
use crate::model::external::OwnPackage;
use crate::model::facts::{SiteKind, Sym};
use crate::model::graph::{Dialect, EdgeType, Language, Node};
use crate::model::print;
pub use codeagent_lang::LocalName;
pub use codeagent_lang::explain::SitesAt;
use codeagent_lang::explain::explain;
use codeagent_lang::nodes::NodeTable;
use codeagent_lang::{FileId, Reference, World, WorldFile, link};

pub use crate::ingest::packages::{DeclaredPackage, DependencyScope, ProjectPackages};
use crate::store::Snapshot;

/// Prints the facts of a file: one declaration, import, export or use per line.
pub fn facts(workspace: &Workspace, path: &RepoPath) -> Result<String, InspectError> {
    let dialect =
        Dialect::of_path(path.as_str()).ok_or_else(|| InspectError::NoSource(path.to_string()))?;
    let file = workspace.read(path)?;
    let (_, projects) = scanned(workspace, &worker_threads(0)?);
    Ok(print::print(&LANGUAGES.extract(
        &file.text,
        dialect,
        projects.defines(path.as_str()),
    )))
}

/// Returns the locals, parameters and type parameters of one text, with their uses. A path in no
/// supported language has none.
///
/// Limitations: `#if` of C# knows only the symbols that the text itself defines.
#[must_use]
pub fn local_names(path: &str, text: &str) -> Vec<LocalName> {
    Dialect::of_path(path).map_or_else(Vec::new, |dialect| {
        LANGUAGES.local_names(text, dialect, &[])
    })
}

/// Explains why the sites on a line, or the site at a column, have their edges or none.
pub fn links(
    workspace: &Workspace,
    path: &RepoPath,
    place: SitesAt,
) -> Result<String, InspectError> {
    let threads = worker_threads(0)?;
    let world = world(workspace, &threads)?;
    let file = world
        .find(path.as_str())
        .ok_or_else(|| InspectError::NoSource(path.to_string()))?;
    let nodes = NodeTable::build(&world);
    Ok(threads.install(|| explain(file, place, &world, &nodes)))
}

/// Lists every call in the repository, one per line: location, class and call. Classes: `edge`,
/// `unresolved`, `unknown name` (unknown receiver, and no declaration in the repository has the
/// name), `value` (a call of a variable that holds a function) and `external`.
pub fn calls(workspace: &Workspace) -> Result<String, InspectError> {
    let threads = worker_threads(0)?;
    let world = world(workspace, &threads)?;
    let nodes: Vec<Node> = NodeTable::build(&world).nodes().collect();
    let files: Vec<FileId> = world.repository_files().collect();
    let symbols = nodes
        .iter()
        .filter(|node| node.language.rules().callable.contains(&node.node_type));
    let symbols = symbols.map(|node| (node.language, &*node.name));
    let others = files.iter().map(|file| world.facts(*file));
    let others = others.flat_map(|facts| {
        LANGUAGES
            .of_facts(facts)
            .object_functions(facts)
            .into_iter()
            .map(|name| (facts.header.dialect.language(), name))
    });

    let called: FxHashSet<(Language, &str)> = symbols.chain(others).collect();
    let listed: Vec<String> = threads.install(|| {
        files
            .par_iter()
            .map(|file| calls_of(*file, &world, &called))
            .collect()
    });

    Ok(listed.concat())
}

fn calls_of(file: FileId, world: &World, called: &FxHashSet<(Language, &str)>) -> String {
    let facts = world.facts(file);
    let links = link(file, world);
    let is_call = |used: &&Reference| used.edge_type == EdgeType::Calls;
    let linked: FxHashSet<u32> = links
        .uses
        .iter()
        .filter(is_call)
        .map(|used| used.at.offset)
        .collect();

    let open: FxHashMap<(u32, SiteKind), Sym> = links
        .unresolved
        .iter()
        .map(|open| ((open.at.offset, open.kind), open.name))
        .collect();

    let values: FxHashSet<u32> = links.value_calls.iter().map(|at| at.offset).collect();
    let mut out = String::new();
    for site in facts.sites.iter().filter(|site| site.kind.is_call()) {
        let is_declared = |name: Sym| {
            name.is_none() || called.contains(&(facts.header.dialect.language(), facts.text(name)))
        };
        let counted = match open.get(&(site.at.offset, site.kind)) {
            _ if linked.contains(&site.at.offset) => "edge",
            Some(name) if is_declared(*name) => "unresolved",
            Some(_) => "unknown name",
            None if values.contains(&site.at.offset) => "value",
            None => "external",
        };

        let _ = writeln!(
            out,
            "{}:{}:{}\t{counted}\t{}",
            world.file(file).path,
            site.at.line,
            site.at.column,
            print::site(facts, site)
        );
    }

    out
}

fn world(workspace: &Workspace, threads: &ThreadPool) -> Result<World, InspectError> {
    let (scan, projects) = scanned(workspace, threads);
    let (known, timer, cancel) = (
        KnownFiles::default(),
        PhaseTimer::default(),
        Arc::new(AtomicBool::new(false)),
    );

    let loader = Loader {
        sources: &SourceReader::new(workspace.clone(), &Overlay::default()),
        known: &known,
        projects: &projects,
        retained: &FxHashMap::default(),
        store: None,
        shared: &WorktreeCache::of(None, 0),
        packages: &PackageCache::default(),
        timer: &timer,
        cancel: &cancel,
        progress: &|_| {},
    };

    let loaded = threads.install(|| loader.load(&scan.sources))?;
    let installed = threads.install(|| {
        packages::gather(
            &loader,
            &scan.packages,
            &loaded,
            &packages::CachedPackages::default(),
        )
    })?;

    let own = loaded.into_iter().map(|file| WorldFile {
        path: file.path,
        facts: file.facts.into(),
        external: false,
        package: None,
    });

    let files = own.chain(installed.world_files()).collect();
    Ok(
        World::build_after(None, files, projects, &installed.installed(), &cancel)
            .ok_or(IngestError::Interrupted)?,
    )
}

/// Lists the source and project files that differ from the index, by path. Writes nothing.
pub fn changed(workspace: &Workspace, snapshot: &Snapshot) -> Result<Vec<String>, IngestError> {
    let known = KnownFiles::load(snapshot)?;
    let mut scan = scan::scan(workspace, &known, &ChangeBatch::everything(), None);
    if scan.sources_need_check() {
        let sources = SourceReader::new(workspace.clone(), &Overlay::default());
        worker_threads(0)?.install(|| scan::compare_contents(&sources, &known, &mut scan.sources));
    }

    let mut changed = scan.removed;
    changed.extend(
        scan.sources
            .iter()
            .filter(|source| source.needs_check)
            .map(|source| source.path.to_string()),
    );

    let inputs = scan.inputs.iter().filter(|(path, size, stamp)| {
        known
            .inputs
            .get(path.as_str())
            .is_none_or(|row| (row.size, row.stamp) != (*size, *stamp))
    });

    changed.extend(inputs.map(|(path, ..)| path.to_string()));
    changed.extend(
        known
            .changed_extended(workspace)
            .map(|path| path.to_string()),
    );
    if packages::compare(workspace, &scan.packages, &known) == packages::PackageFreshness::Other {
        changed.extend(scan.packages.iter().map(RepoPath::to_string));
    }

    changed.sort_unstable();
    changed.dedup();
    Ok(changed)
}

fn scanned(workspace: &Workspace, threads: &ThreadPool) -> (Scan, Arc<ProjectModel>) {
    threads.install(|| {
        let mut scan = scan::scan(
            workspace,
            &KnownFiles::default(),
            &ChangeBatch::everything(),
            None,
        );
        let (_, texts) = scan::read_inputs(workspace, &mut scan);
        let projects = projects(workspace, &PackSet::default(), &scan.paths, texts);
        (scan, projects)
    })
}

/// Returns the projects of the repository with the packages that they declare, by path.
pub fn packages(workspace: &Workspace) -> Result<Vec<ProjectPackages>, InspectError> {
    let (_, projects) = scanned(workspace, &worker_threads(0)?);
    Ok(packages::declared(workspace, &projects))
}

/// Returns the packages that the repository itself contains, by path of their manifests.
pub fn own_packages(workspace: &Workspace) -> Result<Vec<OwnPackage>, InspectError> {
    let (_, projects) = scanned(workspace, &worker_threads(0)?);
    Ok(packages::own_packages(&projects))
}

/// No store is involved here, so the only `IngestError`s are those of the worker threads.
impl From<IngestError> for InspectError {
    fn from(error: IngestError) -> Self {
        Self::Failed(error.to_string())
    }
}
