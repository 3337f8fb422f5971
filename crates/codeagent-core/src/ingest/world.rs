//! Builds the world: the facts of all files and packages, and the tables over them.

use std::sync::Arc;

use codeagent_lang::nodes::NodeTable;
use codeagent_lang::project::ProjectModel;
use codeagent_lang::{World, WorldFile};
use rustc_hash::FxHashMap;

use crate::ingest::cache::{CurrentWorld, WorldState};
use crate::ingest::changes::ChangeSet;
use crate::ingest::context::BatchContext;
use crate::ingest::load::{FactsStore, LoadedFile, Loader};
use crate::ingest::package_cache::PackageCache;
use crate::ingest::packages::{self, CachedPackages, Installed};
use crate::ingest::packs::PackSet;
use crate::ingest::pipeline::IngestPipeline;
use crate::ingest::rows;
use crate::ingest::worktree_cache::WorktreeCache;
use crate::ingest::{IngestError, Phase};
use crate::model::facts::Facts;
use crate::store::FactsKey;

/// State that a new world takes from the previous one.
#[derive(Default)]
struct Reused {
    facts: FxHashMap<FactsKey, Arc<Facts>>,
    packages: CachedPackages,
    world: Option<World>,
    /// The nodes, if they match the index.
    nodes: Option<NodeTable>,
}

impl Reused {
    fn of(before: CurrentWorld) -> Self {
        let (state, is_clean) = match before {
            CurrentWorld::Clean(world) => (world.state, true),
            CurrentWorld::Dirty(state) => (state, false),
        };
        let packages = state.installed.cached();
        let files = state.loaded.into_iter().map(|file| (file.key, file.facts));
        Self {
            facts: files.collect(),
            packages,
            world: Some(state.world),
            nodes: Some(state.nodes).filter(|_| is_clean),
        }
    }
}

impl IngestPipeline {
    /// Loads the facts of all files and builds the world, reusing what it can of `before`. Also
    /// returns the index's nodes, if in memory.
    pub(super) fn build_world(
        &self,
        ctx: &BatchContext<'_>,
        changes: &ChangeSet,
        projects: Arc<ProjectModel>,
        before: Option<CurrentWorld>,
    ) -> Result<(WorldState, Option<NodeTable>), IngestError> {
        let Reused {
            facts,
            packages: cached,
            world: mut former,
            nodes: nodes_before,
        } = before.map(Reused::of).unwrap_or_default();
        let packs = self.packs();
        let threads = ctx.threads.current_num_threads();
        let worktrees = WorktreeCache::of(self.worktrees.as_ref(), threads);
        let packages = PackageCache::of(self.package_facts.as_ref());
        let loader = self.loader(ctx, &projects, &facts, (&worktrees, &packages));
        let (loaded, installed) = ctx.threads.install(|| {
            let loaded = loader.load(&changes.scan.sources)?;
            let folders = &changes.scan.packages;
            let mut installed = packages::gather(&loader, folders, &loaded, &cached)?;
            installed.notes.extend(packs.notes.iter().cloned());
            Ok::<_, IngestError>((loaded, installed))
        })?;
        drop((facts, cached));
        if !changes.keep_world {
            // The syntax trees are gone, but the allocator holds their pages.
            codeagent_memory::give_back();
        }

        ctx.begin(Phase::World, 0);
        let (world, nodes) = self.build_tables(
            ctx,
            former.as_mut(),
            (&loaded, &installed, &packs),
            &projects,
        );
        if !changes.keep_world {
            // What building the tables took is free again.
            codeagent_memory::give_back();
        }
        // Freeing a large world takes time, so a worker does it.
        ctx.threads.spawn(move || drop(former));
        let keys = rows::file_keys(&loaded, &ctx.known);
        let world = WorldState {
            loaded,
            keys,
            projects,
            installed,
            world: world.ok_or(IngestError::Interrupted)?,
            nodes,
        };
        Ok((world, nodes_before))
    }

    /// Builds the tables over all files. The world is `None` if the caller asked to stop.
    fn build_tables(
        &self,
        ctx: &BatchContext<'_>,
        former: Option<&mut World>,
        (loaded, installed, packs): (&[LoadedFile], &Installed, &PackSet),
        projects: &Arc<ProjectModel>,
    ) -> (Option<World>, NodeTable) {
        let files: Vec<WorldFile> = loaded
            .iter()
            .map(|file| WorldFile {
                path: Arc::clone(&file.path),
                facts: Arc::clone(&file.facts).into(),
                external: false,
                package: None,
            })
            .collect();

        let world = || {
            World::build_after(
                former,
                files
                    .iter()
                    .cloned()
                    .chain(packs.files.iter().cloned())
                    .chain(installed.world_files())
                    .collect(),
                Arc::clone(projects),
                &installed.installed(),
                &self.options.cancel,
            )
        };

        let nodes = || NodeTable::of_files(&files, projects);
        ctx.threads.install(|| {
            rayon::join(
                || ctx.timer.time(Phase::World, world),
                || ctx.timer.time(Phase::World, nodes),
            )
        })
    }

    pub(super) fn loader<'a>(
        &'a self,
        ctx: &'a BatchContext<'_>,
        projects: &'a ProjectModel,
        retained: &'a FxHashMap<FactsKey, Arc<Facts>>,
        (shared, packages): (&'a WorktreeCache<'a>, &'a PackageCache<'a>),
    ) -> Loader<'a> {
        Loader {
            sources: &ctx.sources,
            known: &ctx.known,
            projects,
            retained,
            store: Some(FactsStore {
                reader: &self.reader,
                writer: &self.writer,
            }),
            shared,
            packages,
            timer: &ctx.timer,
            cancel: &self.options.cancel,
            progress: ctx.progress,
        }
    }
}
