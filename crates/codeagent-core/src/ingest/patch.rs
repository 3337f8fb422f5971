//! Fast path for edits: updates the world in place when only the contents of known files changed.
//!
//! The cost of each step depends on the size of the change. The edited files are parsed, and the
//! world and its nodes are updated in place. The externally visible differences decide which other
//! files are resolved again. The resulting index equals the one that a rebuilt world would give.
//!
//! Limitations: the world is rebuilt if a file declares other types (C#) or exports (TypeScript)
//! than before.

use std::sync::Arc;

use codeagent_lang::FileId;
use codeagent_lang::nodes::{NodeTable, NodeUpdate};
use rustc_hash::FxHashMap;

use crate::ingest::cache::{CurrentWorld, IndexedWorld};
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
    SYMBOLS_TOTAL, SpanUpdate, Write,
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
    before: Fingerprint,
    /// Whether other files can see the change.
    is_visible: bool,
    /// The dependency keys that differ, if only members changed.
    members: Option<Vec<DependencyKeyHash>>,
}

impl IngestPipeline {
    /// Replaces edited files in the world.
    pub(super) fn patch(
        &self,
        ctx: &BatchContext<'_>,
        mut world: IndexedWorld,
        edited: &[SourceFile],
    ) -> Result<PatchOutcome, IngestError> {
        let (no_facts, no_worktrees) = (FxHashMap::default(), WorktreeCache::of(None, 0));
        let no_packages = PackageCache::default();
        let no_caches = (&no_worktrees, &no_packages);
        let loader = self.loader(ctx, &world.state.projects, &no_facts, no_caches);
        let loaded = ctx.threads.install(|| loader.load(edited))?;
        if loaded.len() != edited.len() {
            return Ok(PatchOutcome::rebuild(CurrentWorld::Clean(world)));
        }
        let parsed = loaded.iter().filter(|file| file.parsed).count();

        let mut edits = Edits::default();
        for file in loaded {
            if !edits.put(ctx, &mut world, file) {
                return Ok(PatchOutcome::rebuild(edits.rest_of(world)));
            }
        }
        edits.files.sort_unstable_by_key(|file| file.at);
        let Plan::Some(files) = self.plan_of_edits(ctx, &mut world, &edits)? else {
            return Ok(PatchOutcome::rebuild(edits.rest_of(world)));
        };
        let resolved = self.resolve(ctx, &world.state, &files)?;
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
        let (delta, rows) = delta(ctx, &mut world, &edits.nodes, resolved);
        Ok(PatchOutcome::Patched(Box::new(Patch {
            world,
            delta,
            rows,
            summary,
        })))
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
            before: std::mem::replace(&mut world.fingerprints[at], print),
            is_visible,
            members,
        });
        true
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
                let members = file.members.as_deref();
                ChangedFile {
                    key: world.state.keys[file.at],
                    before: &file.before,
                    now,
                    members: members.filter(|_| now.may_differ_in_members(&file.before)),
                }
            })
            .collect();
        plan::plan_of_edits(&changed, &world.state.keys, dependencies)
    }
}

/// Returns the delta of the resolved files, which include all edited ones.
fn delta(
    ctx: &BatchContext<'_>,
    world: &mut IndexedWorld,
    renewed: &[NodeUpdate],
    resolved: Vec<(usize, ResolvedFile)>,
) -> (Delta, Vec<FileRow>) {
    let (mut delta, mut rows) = (Delta::default(), Vec::new());
    let state = &world.state;
    for (at, resolved) in resolved {
        let (file, key, print) = (&state.loaded[at], state.keys[at], &world.fingerprints[at]);
        let row = rows::file_row(file, key, &state.projects, print, &ctx.known);
        let row = rows::linked_row(row, &resolved);
        rows.push(row.clone());
        let dependencies = rows::link_row(print, resolved.links);
        if let Some(known) = &mut world.dependencies {
            let without_sources = DependencyRow {
                sources: Vec::new(),
                ..dependencies.clone()
            };
            known.insert(key, without_sources);
        }
        delta.files.push((row, dependencies));
        delta.edges.extend(resolved.edges);
        delta.unresolved.extend(resolved.unresolved);
        delta.object_functions.extend(resolved.object_functions);
        delta.literals.push(resolved.literals);
        delta.dispatch.extend(resolved.dispatch);
        delta.external.extend(resolved.external);
    }

    let nodes = node_changes(&state.nodes, renewed);
    delta.keys = keys(ctx, &nodes.written);
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
                let hash = store::node_hash(node, &mut buffer);
                changes.written.push((hash, node.clone()));
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
                    let hash = store::node_hash(node, &mut buffer);
                    changes.rehashed.push((node.id, hash));
                }
            }
            NodeUpdate::Gone(id) => changes.removed.push(id),
        }
    }

    changes
}

fn keys(ctx: &BatchContext<'_>, nodes: &[NodeWithHash]) -> FxHashMap<String, FileKey> {
    let spans = nodes.iter().flat_map(|(_, node)| &node.spans);
    spans
        .filter_map(|span| Some((span.path.clone(), ctx.known.files.get(&span.path)?.id)))
        .collect()
}
