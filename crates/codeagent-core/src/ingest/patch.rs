//! Fast path for edits: updates the world in place when only the contents of known files changed,
//! or files were added.
//!
//! The cost of each step depends on the size of the change. The edited files are parsed, and the
//! world and its nodes are updated in place. The externally visible differences decide which other
//! files are resolved again. The resulting index equals the one that a rebuilt world would give.
//!
//! Limitations: the world is rebuilt if the tables of the language refuse a change
//! (`global_index/patch.rs` of each).

use std::sync::Arc;

use codeagent_lang::nodes::{NodeTable, NodeUpdate};
use codeagent_lang::project::ProjectModel;
use codeagent_lang::{FileId, WorldFile};
use rustc_hash::FxHashMap;

use crate::ingest::cache::{CurrentWorld, IndexedWorld, WorldState};
use crate::ingest::changes::projects;
use crate::ingest::context::BatchContext;
use crate::ingest::delta::problems;
use crate::ingest::load::LoadedFile;
use crate::ingest::members::MemberHashes;
use crate::ingest::package_cache::PackageCache;
use crate::ingest::pipeline::IngestPipeline;
use crate::ingest::plan::{self, ChangedFile, Fingerprint, Plan};
use crate::ingest::resolve_files::ResolvedFile;
use crate::ingest::rows;
use crate::ingest::scan::SourceFile;
use crate::ingest::worktree_cache::WorktreeCache;
use crate::ingest::{IngestError, Phase, Summary};
use crate::model::graph::NodeId;
use crate::store::{
    self, Delta, DependencyKeyHash, DependencyRow, FileKey, FileRow, NodeChanges, NodeWithHash,
    ResolvedRows, SYMBOLS_TOTAL, SpanUpdate, Write,
};

/// Maximum number of edited files for a patch.
pub const MOST_PATCHED: usize = 64;

pub enum PatchOutcome {
    /// The world matches the files; the index has yet to be updated.
    Patched(Box<Patch>),
    /// The world must be rebuilt from this state.
    RebuildRequired(Box<CurrentWorld>),
}

impl PatchOutcome {
    pub fn rebuild(world: CurrentWorld) -> Self {
        Self::RebuildRequired(Box::new(world))
    }
}

/// A patched world and the resulting delta.
pub struct Patch {
    pub world: IndexedWorld,
    pub delta: Delta,
    pub rows: Vec<FileRow>,
    pub summary: Summary,
}

/// The files replaced in a world so far.
#[derive(Default)]
struct Edits {
    files: Vec<EditedFile>,
    nodes: Vec<NodeUpdate>,
}

/// A file that was replaced in a world.
struct EditedFile {
    at: usize,
    /// Its state in the index, unless the file is new.
    before: Option<Fingerprint>,
    /// Whether other files can see the change.
    is_visible: bool,
    /// The dependency keys that differ, if only members changed.
    members: Option<Vec<DependencyKeyHash>>,
}

impl IngestPipeline {
    /// Replaces edited files in the world, and adds new ones. `paths` are those of all files before.
    pub(super) fn patch(
        &self,
        ctx: &BatchContext<'_>,
        mut world: IndexedWorld,
        (edited, paths): (&[SourceFile], &[String]),
    ) -> Result<PatchOutcome, IngestError> {
        let (no_facts, no_worktrees) = (FxHashMap::default(), WorktreeCache::of(None, 0));
        let no_packages = PackageCache::default();
        let no_caches = (&no_worktrees, &no_packages);
        let Some(projects) = self.projects_with(ctx, &world.state, (edited, paths)) else {
            return Ok(PatchOutcome::rebuild(CurrentWorld::Clean(world)));
        };
        let loader = self.loader(ctx, &projects, &no_facts, no_caches);
        let loaded = ctx.threads.install(|| loader.load(edited))?;
        if loaded.len() != edited.len() {
            return Ok(PatchOutcome::rebuild(CurrentWorld::Clean(world)));
        }
        let parsed = loaded.iter().filter(|file| file.parsed).count();

        let mut edits = Edits::default();
        for file in loaded {
            let is_known = ctx.known.files.contains_key(&*file.path);
            let is_put = match is_known {
                true => edits.put(ctx, &mut world, file),
                false => edits.add(ctx, &mut world, (file, &projects)),
            };
            if !is_put {
                return Ok(PatchOutcome::rebuild(edits.rest_of(world)));
            }
        }
        edits.files.sort_unstable_by_key(|file| file.at);
        let Plan::Some(files) = self.plan_of_edits(ctx, &mut world, &edits)? else {
            return Ok(PatchOutcome::rebuild(edits.rest_of(world)));
        };
        let about = (&world.state, world.fingerprints.as_slice());
        let (resolved, resolved_rows) = self.resolve(ctx, about, &files)?;
        if world.state.installed.forget_unreadable() {
            return Ok(PatchOutcome::rebuild(edits.rest_of(world)));
        }

        let summary = Summary {
            changed: edited.len(),
            parsed,
            linked: resolved.len(),
            problems: problems(Vec::new(), &[], &resolved, &world.state.loaded),
            ..Summary::default()
        };
        let (delta, rows) = delta(ctx, &mut world, &edits.nodes, (&resolved, resolved_rows));
        Ok(PatchOutcome::Patched(Box::new(Patch {
            world,
            delta,
            rows,
            summary,
        })))
    }

    /// Returns the projects of the repository with the new file among `edited`; `None` if it changes
    /// more than what a project compiles, or if several files are new.
    fn projects_with(
        &self,
        ctx: &BatchContext<'_>,
        state: &WorldState,
        (edited, paths): (&[SourceFile], &[String]),
    ) -> Option<Arc<ProjectModel>> {
        let is_known = |path: &&str| ctx.known.files.contains_key(*path);
        let paths_of_edits = edited.iter().map(|source| source.path.as_str());
        let mut new = paths_of_edits.filter(|path| !is_known(path));
        let Some(path) = new.next() else {
            return Some(Arc::clone(&state.projects));
        };
        if new.next().is_some() {
            return None;
        }

        let mut paths = paths.to_vec();
        let at = paths.binary_search_by(|known| known.as_str().cmp(path));
        paths.insert(at.err()?, path.to_owned());
        let texts = (*state.projects.sources).clone();
        let projects = {
            let packs = self.packs();
            ctx.install(Phase::World, || {
                projects(&self.workspace, &packs, &paths, texts)
            })
        };
        projects
            .only_adds(path, &state.projects)
            .then_some(projects)
    }

    /// Returns which files must be resolved again.
    fn plan_of_edits(
        &self,
        ctx: &BatchContext<'_>,
        world: &mut IndexedWorld,
        edits: &Edits,
    ) -> Result<Plan, IngestError> {
        if !edits.files.iter().any(|file| file.is_visible) {
            return Ok(Plan::Some(edits.files.iter().map(|file| file.at).collect()));
        }

        let dependencies = match world.dependencies.take() {
            Some(dependencies) => dependencies,
            None => ctx.timer.time(Phase::Decode, || {
                store::dependency_rows(&self.reader.snapshot()?)
            })?,
        };

        let plan = ctx
            .timer
            .time(Phase::Link, || edits.plan(world, &dependencies));
        world.dependencies = Some(dependencies);
        Ok(plan)
    }
}

impl Edits {
    /// Replaces a file in the world. Returns false if the world must be rebuilt instead.
    fn put(&mut self, ctx: &BatchContext<'_>, world: &mut IndexedWorld, file: LoadedFile) -> bool {
        let state = &mut world.state;
        let Ok(at) = state
            .loaded
            .binary_search_by(|known| known.path.cmp(&file.path))
        else {
            return false;
        };
        let (old, id) = (Arc::clone(&state.loaded[at].facts), FileId(at as u32));
        if file.problem.is_some() || state.loaded[at].problem.is_some() {
            return false;
        }
        let replace = || state.world.replace(id, Arc::clone(&file.facts));
        if !ctx.timer.time(Phase::World, replace) {
            return false;
        }
        let was = MemberHashes::of(id, &state.nodes);
        let replace = || state.nodes.replace(&state.world, id, &old);
        let Some(nodes) = ctx.timer.time(Phase::World, replace) else {
            return false;
        };

        let print = rows::fingerprint(at, &file, &state.world, &state.nodes);
        let is_visible = print.differs_externally(&world.fingerprints[at]);
        let members = if is_visible {
            MemberHashes::of(id, &state.nodes).differing(&was)
        } else {
            None
        };
        state.loaded[at] = file;
        self.nodes.extend(nodes);
        self.files.push(EditedFile {
            at,
            before: Some(std::mem::replace(&mut world.fingerprints[at], print)),
            is_visible,
            members,
        });
        true
    }

    /// Adds a new file to the world. Returns false if the world must be rebuilt instead.
    fn add(
        &mut self,
        ctx: &BatchContext<'_>,
        world: &mut IndexedWorld,
        (file, projects): (LoadedFile, &Arc<ProjectModel>),
    ) -> bool {
        let state = &mut world.state;
        if file.problem.is_some() {
            return false;
        }

        let of_world = WorldFile {
            path: Arc::clone(&file.path),
            facts: Arc::clone(&file.facts).into(),
            external: false,
            package: None,
        };
        let add = || state.world.add(&of_world, projects);
        let Some(id) = ctx.timer.time(Phase::World, add) else {
            return false;
        };
        let at = id.0 as usize;
        let next = state.keys.iter().map(|key| key.0 + 1).max();
        state.keys.insert(at, FileKey(next.unwrap_or(1)));
        state.projects = Arc::clone(projects);
        for edited in self.files.iter_mut().filter(|edited| edited.at >= at) {
            edited.at += 1;
        }

        let add = || state.nodes.add_file(&state.world, id);
        let nodes = ctx.timer.time(Phase::World, add);
        let is_added = nodes.is_some();
        let print = nodes.map(|nodes| {
            self.nodes.extend(nodes);
            rows::fingerprint(at, &file, &state.world, &state.nodes)
        });
        state.loaded.insert(at, file);
        world.fingerprints.insert(at, print.unwrap_or_default());
        self.files.push(EditedFile {
            at,
            before: None,
            is_visible: true,
            members: None,
        });
        is_added
    }

    /// Returns the state that is still valid after an aborted patch.
    fn rest_of(&self, world: IndexedWorld) -> CurrentWorld {
        if self.files.is_empty() {
            CurrentWorld::Clean(world)
        } else {
            CurrentWorld::Dirty(world.state)
        }
    }

    /// Returns which files must be resolved again; [`Plan::All`] if the edits alone do not tell.
    fn plan(&self, world: &IndexedWorld, dependencies: &FxHashMap<FileKey, DependencyRow>) -> Plan {
        let changed: Vec<ChangedFile<'_>> = self
            .files
            .iter()
            .map(|file| {
                let now = &world.fingerprints[file.at];
                let before = file.before.as_ref();
                let may_be_members = before.is_some_and(|before| now.may_differ_in_members(before));

                ChangedFile {
                    key: world.state.keys[file.at],
                    before,
                    now,
                    members: file.members.as_deref().filter(|_| may_be_members),
                }
            })
            .collect();

        let keys = world.state.keys.iter().copied();
        let all: Vec<_> = keys.zip(&world.fingerprints).collect();
        plan::plan_of_edits(&changed, &all, dependencies)
    }
}

/// Returns the delta of the resolved files, which include all edited ones.
fn delta(
    ctx: &BatchContext<'_>,
    world: &mut IndexedWorld,
    renewed: &[NodeUpdate],
    (resolved, resolved_rows): (&[ResolvedFile], ResolvedRows),
) -> (Delta, Vec<FileRow>) {
    let state = &world.state;
    let row = |resolved: &ResolvedFile| {
        let at = resolved.at;
        let (file, key, print) = (&state.loaded[at], state.keys[at], &world.fingerprints[at]);
        let mut row = rows::file_row(file, key, &state.projects, print, &ctx.known);
        rows::set_counts(&mut row, resolved);
        row
    };
    let rows: Vec<FileRow> = resolved.iter().map(row).collect();
    if let Some(known) = &mut world.dependencies {
        for (key, row) in resolved_rows.dependencies.in_memory() {
            let without_sources = DependencyRow {
                sources: Vec::new(),
                ..row.clone()
            };
            known.insert(*key, without_sources);
        }
    }

    let mut delta = Delta {
        files: rows.clone(),
        resolved: resolved_rows,
        ..Delta::default()
    };
    let nodes = node_changes(&state.nodes, renewed);
    delta.keys = keys(state, &nodes.written);
    delta.write = Write::Patch(nodes);
    let symbols = state.nodes.symbols().to_string();
    delta.metadata.push((SYMBOLS_TOTAL, symbols));
    (delta, rows)
}

fn node_changes(table: &NodeTable, renewed: &[NodeUpdate]) -> NodeChanges {
    let (mut changes, mut buffer) = (NodeChanges::default(), Vec::new());
    for renewed in renewed {
        match *renewed {
            NodeUpdate::Said(place) => {
                let node = table.at(place);
                let hash = store::node_hash(&node, &mut buffer);
                changes.written.push((hash, node));
            }
            NodeUpdate::Moved(place, position) => {
                let node = table.at(place);
                let site = &node.spans[position];
                changes.moved.push(SpanUpdate {
                    node: node.id,
                    position: position as u32,
                    span: site.span,
                    name: (site.name_line, site.name_column),
                });

                // Spans of the same node are adjacent, so each node is hashed once.
                let last: Option<&(NodeId, i64)> = changes.rehashed.last();
                if last.is_none_or(|(last, _)| *last != node.id) {
                    let hash = store::node_hash(&node, &mut buffer);
                    changes.rehashed.push((node.id, hash));
                }
            }
            NodeUpdate::Gone(id) => changes.removed.push(id),
        }
    }

    changes
}

fn keys(state: &WorldState, nodes: &[NodeWithHash]) -> FxHashMap<String, FileKey> {
    let spans = nodes.iter().flat_map(|(_, node)| &node.spans);
    let key_of = |path: &str| {
        let at = state.loaded.binary_search_by(|file| (*file.path).cmp(path));
        Some((path.to_owned(), state.keys[at.ok()?]))
    };
    spans.filter_map(|span| key_of(&span.path)).collect()
}
