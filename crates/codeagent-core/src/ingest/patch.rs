//! The short way of a batch: sources whose content changed and nothing else, put into the world
//! that stands.
//!
//! Each step costs what changed: the texts are parsed, the world and its nodes are renewed in
//! place, and what others may see of the files decides as always which links are made again. What
//! the index says afterwards is what the long way would have written.
//!
//! **Limits.** For a file that declares other types (C#) or exports (TypeScript) than before the
//! world is built anew, of what is known.

use std::sync::Arc;

use codeagent_lang::FileId;
use codeagent_lang::nodes::{NodeTable, Renewed};
use rustc_hash::FxHashMap;

use crate::ingest::cache::{CurrentWorld, WorldState};
use crate::ingest::load::{FactsStore, Loader};
use crate::ingest::members::MemberHashes;
use crate::ingest::pipeline::{BatchContext, IngestPipeline};
use crate::ingest::plan::{self, ChangedFile, Fingerprint};
use crate::ingest::resolve_files::ResolvedFile;
use crate::ingest::rows;
use crate::ingest::scan::SourceFile;
use crate::ingest::worktree_cache::WorktreeCache;
use crate::ingest::{IngestError, Phase, Summary};
use crate::model::graph::NodeId;
use crate::store::{
    self, Batch, DependencyKeyHash, DependencyRow, FileKey, FileRow, NodeWithHash, SYMBOLS_TOTAL,
    SpanUpdate, WriteMode,
};

/// More changed files than this are not looked at one by one.
pub const MOST_PATCHED: usize = 64;

/// What the short way came to.
pub enum PatchOutcome {
    /// The world is as the files are now, but not yet in the index: its batch, the rows of the
    /// files in it, and what was done.
    Done(Box<(Batch, Vec<FileRow>, Summary)>),
    /// The world must be built anew. Whether this one is no longer as the index is.
    TooMuch(bool),
}

impl IngestPipeline {
    /// Puts changed sources into the world that stands.
    pub(super) fn patch(
        &self,
        ctx: &BatchContext<'_>,
        standing: &mut CurrentWorld,
        changed: &[SourceFile],
    ) -> Result<PatchOutcome, IngestError> {
        let CurrentWorld {
            built,
            fingerprints,
            links,
            ..
        } = standing;
        let loader = Loader {
            sources: &ctx.sources,
            known: &ctx.known,
            projects: &built.projects,
            kept: &FxHashMap::default(),
            store: Some(FactsStore {
                reader: &self.reader,
                writer: &self.writer,
            }),
            shared: &WorktreeCache::of(None, 0),
            clock: &ctx.clock,
            cancel: &self.options.cancel,
            progress: ctx.progress,
        };
        let loaded = ctx.threads.install(|| loader.load(changed))?;
        if loaded.len() != changed.len() {
            return Ok(PatchOutcome::TooMuch(false));
        }
        let parsed = loaded.iter().filter(|file| file.parsed).count();
        let mut renewed = Vec::new();
        let mut own: Vec<Own> = Vec::new();
        for file in loaded {
            let Ok(at) = built
                .loaded
                .binary_search_by(|known| known.path.cmp(&file.path))
            else {
                return Ok(PatchOutcome::TooMuch(!own.is_empty()));
            };
            let (old, id) = (Arc::clone(&built.loaded[at].facts), FileId(at as u32));
            let had_problem = file.problem.is_some() || built.loaded[at].problem.is_some();
            if had_problem
                || !ctx.clock.time(Phase::World, || {
                    built.world.replace(id, Arc::clone(&file.facts))
                })
            {
                return Ok(PatchOutcome::TooMuch(!own.is_empty()));
            }
            let was = MemberHashes::of(id, &built.nodes);
            let Some(nodes) = ctx
                .clock
                .time(Phase::World, || built.nodes.replace(&built.world, id, &old))
            else {
                return Ok(PatchOutcome::TooMuch(!own.is_empty()));
            };
            renewed.extend(nodes);
            let print = rows::fingerprint(at, &file, &built.world, &built.nodes);
            let is_seen = print.differs_outside(&fingerprints[at]);
            let pieces = if is_seen {
                MemberHashes::of(id, &built.nodes).differing(&was)
            } else {
                None
            };
            built.loaded[at] = file;
            let before = std::mem::replace(&mut fingerprints[at], print);
            own.push(Own {
                at,
                before,
                is_seen,
                pieces,
            });
        }
        own.sort_unstable_by_key(|own| own.at);
        let dirty = if own.iter().any(|own| own.is_seen) {
            if links.is_none() {
                *links = Some(ctx.clock.time(Phase::Decode, || {
                    store::dependency_rows(&self.reader.snapshot()?)
                })?);
            }
            let links = links.get_or_insert_default();
            match ctx
                .clock
                .time(Phase::Link, || woken(&own, built, fingerprints, links))
            {
                Some(dirty) => dirty,
                None => return Ok(PatchOutcome::TooMuch(true)),
            }
        } else {
            own.iter().map(|own| own.at).collect()
        };
        let relinked = self.relink(ctx, built, &dirty)?;
        let mut summary = Summary {
            changed: changed.len(),
            parsed,
            linked: relinked.len(),
            ..Summary::default()
        };
        summary.problems = super::pipeline::problems(Vec::new(), &[], &relinked, &built.loaded);
        let (mut batch, rows) = batch(ctx, standing, relinked);
        let standing = &standing.built.nodes;
        (batch.moved, batch.rehashed) = moved(standing, &renewed);
        batch.gone = renewed
            .iter()
            .filter_map(|renewed| {
                if let Renewed::Gone(id) = renewed {
                    Some(*id)
                } else {
                    None
                }
            })
            .collect();
        batch
            .metadata
            .push((SYMBOLS_TOTAL, standing.symbols().to_string()));
        batch.renewed = renewed_nodes(standing, &renewed);
        batch.keys = keys(ctx, &batch.renewed);
        Ok(PatchOutcome::Done(Box::new((batch, rows, summary))))
    }
}

/// A changed file.
struct Own {
    at: usize,
    before: Fingerprint,
    /// Others may see that it changed.
    is_seen: bool,
    /// If it changed in pieces only: the questions that these answer otherwise than before.
    pieces: Option<Vec<DependencyKeyHash>>,
}

/// The files that have to be linked again; `None` if that cannot be told from what changed.
fn woken<'a>(
    own: &'a [Own],
    built: &WorldState,
    fingerprints: &'a [Fingerprint],
    links: &FxHashMap<FileKey, DependencyRow>,
) -> Option<Vec<usize>> {
    let changed = |own: &'a Own| {
        let now = &fingerprints[own.at];
        let pieces = own
            .pieces
            .as_deref()
            .filter(|_| now.may_differ_in_pieces(&own.before));
        ChangedFile {
            key: built.keys[own.at],
            before: &own.before,
            now,
            pieces,
        }
    };
    let changed: Vec<ChangedFile<'_>> = own.iter().map(changed).collect();
    plan::woken(&changed, &built.keys, links)
}

/// The rows of the files that were linked, all changed ones among them.
fn batch(
    ctx: &BatchContext<'_>,
    standing: &mut CurrentWorld,
    relinked: Vec<(usize, ResolvedFile)>,
) -> (Batch, Vec<FileRow>) {
    let CurrentWorld {
        built,
        fingerprints,
        links,
        ..
    } = standing;
    let mut batch = Batch {
        kind: WriteMode::Update,
        ..Batch::default()
    };
    let mut files = Vec::new();
    for (at, linked) in relinked {
        let print = &fingerprints[at];
        let row = rows::file_row(
            &built.loaded[at],
            built.keys[at],
            &built.projects,
            print,
            &ctx.known,
        );
        let row = rows::linked_row(row, &linked);
        files.push(row.clone());
        let link = rows::link_row(print, linked.links);
        if let Some(links) = links {
            links.insert(
                built.keys[at],
                DependencyRow {
                    sources: Vec::new(),
                    ..link.clone()
                },
            );
        }
        batch.files.push((row, link));
        batch.edges.extend(linked.edges);
        batch.unresolved.extend(linked.unresolved);
        batch.object_functions.extend(linked.object_functions);
    }
    (batch, files)
}

fn moved(table: &NodeTable, renewed: &[Renewed]) -> (Vec<SpanUpdate>, Vec<(NodeId, i64)>) {
    let (mut moved, mut hashes, mut buffer) = (Vec::new(), Vec::new(), Vec::new());
    for renewed in renewed {
        let Renewed::Moved(place, position) = *renewed else {
            continue;
        };
        let node = table.at(place);
        let site = &node.spans[position];
        moved.push(SpanUpdate {
            node: node.id,
            position: position as u32,
            span: site.span,
            name: (site.name_line, site.name_column),
        });
        if hashes.last().is_none_or(|(last, _)| *last != node.id) {
            hashes.push((node.id, store::node_hash(node, &mut buffer)));
        }
    }
    (moved, hashes)
}

fn renewed_nodes(table: &NodeTable, renewed: &[Renewed]) -> Vec<NodeWithHash> {
    let said = renewed.iter().filter_map(|renewed| {
        if let Renewed::Said(place) = renewed {
            Some(*place)
        } else {
            None
        }
    });
    let mut buffer = Vec::new();
    said.map(|place| {
        (
            store::node_hash(table.at(place), &mut buffer),
            table.at(place).clone(),
        )
    })
    .collect()
}

fn keys(ctx: &BatchContext<'_>, nodes: &[NodeWithHash]) -> FxHashMap<String, FileKey> {
    let paths = nodes
        .iter()
        .flat_map(|(_, node)| &node.spans)
        .map(|span| &span.path);
    paths
        .filter_map(|path| Some((path.clone(), ctx.known.files.get(path)?.id)))
        .collect()
}
