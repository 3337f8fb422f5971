//! Fast path for edits: updates the world in place when only the contents of known files changed.
//!
//! Each step costs what changed: the edited files are parsed, the world and its nodes are updated
//! in place, and what other files can see of them decides which of those are resolved again. The
//! index is afterwards what a rebuilt world would have made it.
//!
//! Limitations: the world is rebuilt for a file that declares other types (C#) or exports
//! (TypeScript) than before.

use std::sync::Arc;

use codeagent_lang::FileId;
use codeagent_lang::nodes::{NodeTable, Renewed};
use rustc_hash::FxHashMap;

use crate::ingest::cache::{CurrentWorld, IndexedWorld};
use crate::ingest::context::BatchContext;
use crate::ingest::delta::problems;
use crate::ingest::load::LoadedFile;
use crate::ingest::members::MemberHashes;
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

/// The most edited files that are patched one by one.
pub const MOST_PATCHED: usize = 64;

/// The result of a patch.
pub enum PatchOutcome {
    /// The world is as the files are now, and the index is not yet.
    Patched(Box<Patched>),
    /// The world must be rebuilt, from its remaining state.
    RebuildRequired(Box<CurrentWorld>),
}

impl PatchOutcome {
    /// The world has to be rebuilt from this one.
    pub fn rebuild(world: CurrentWorld) -> Self {
        Self::RebuildRequired(Box::new(world))
    }
}

/// A patched world and the delta of the index.
pub struct Patched {
    pub world: IndexedWorld,
    pub delta: Delta,
    /// The rows of the files in `delta`.
    pub rows: Vec<FileRow>,
    pub summary: Summary,
}

/// The files that were put into a world so far.
#[derive(Default)]
struct Edits {
    files: Vec<EditedFile>,
    nodes: Vec<Renewed>,
}

/// A file that was put into a world.
struct EditedFile {
    at: usize,
    before: Fingerprint,
    /// Whether other files can see the change.
    is_visible: bool,
    /// If only members changed, the keys that differ.
    members: Option<Vec<DependencyKeyHash>>,
}

impl IngestPipeline {
    /// Puts edited files into the world.
    pub(super) fn patch(
        &self,
        ctx: &BatchContext<'_>,
        mut world: IndexedWorld,
        edited: &[SourceFile],
    ) -> Result<PatchOutcome, IngestError> {
        let (no_facts, no_worktrees) = (FxHashMap::default(), WorktreeCache::of(None, 0));
        let loader = self.loader(ctx, &world.state.projects, &no_facts, &no_worktrees);
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

        let summary = Summary {
            changed: edited.len(),
            parsed,
            linked: resolved.len(),
            problems: problems(Vec::new(), &[], &resolved, &world.state.loaded),
            ..Summary::default()
        };
        let (delta, rows) = delta(ctx, &mut world, &edits.nodes, resolved);
        Ok(PatchOutcome::Patched(Box::new(Patched {
            world,
            delta,
            rows,
            summary,
        })))
    }

    /// Returns which files have to be resolved again.
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
    /// Puts a file into the world in the place of what it said before. Reports false if the world
    /// has to be rebuilt for it.
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

    /// Returns which files have to be resolved again; [`Plan::All`] if that cannot be told from the
    /// edits.
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

/// Returns the rows of the files that were resolved, all edited ones among them.
fn delta(
    ctx: &BatchContext<'_>,
    world: &mut IndexedWorld,
    renewed: &[Renewed],
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
    }

    let nodes = node_changes(&state.nodes, renewed);
    delta.keys = keys(ctx, &nodes.written);
    delta.write = Write::Patch(nodes);
    let symbols = state.nodes.symbols().to_string();
    delta.metadata.push((SYMBOLS_TOTAL, symbols));
    (delta, rows)
}

fn node_changes(table: &NodeTable, renewed: &[Renewed]) -> NodeChanges {
    let (mut changes, mut buffer) = (NodeChanges::default(), Vec::new());
    for renewed in renewed {
        match *renewed {
            Renewed::Said(place) => {
                let node = table.at(place);
                let hash = store::node_hash(node, &mut buffer);
                changes.written.push((hash, node.clone()));
            }
            Renewed::Moved(place, position) => {
                let node = table.at(place);
                let site = &node.spans[position];
                changes.moved.push(SpanUpdate {
                    node: node.id,
                    position: position as u32,
                    span: site.span,
                    name: (site.name_line, site.name_column),
                });
                // The sites of a node follow each other.
                let last: Option<&(NodeId, i64)> = changes.rehashed.last();
                if last.is_none_or(|(last, _)| *last != node.id) {
                    let hash = store::node_hash(node, &mut buffer);
                    changes.rehashed.push((node.id, hash));
                }
            }
            Renewed::Gone(id) => changes.removed.push(id),
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
