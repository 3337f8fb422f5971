//! The short way of a batch: sources whose content changed and nothing else, put into the world that stands.
//!
//! Each step costs what changed: the texts are parsed, the world and its nodes are renewed in place, and what others may see of the files
//! decides as always which links are made again. What the index says afterwards is what the long way would have written.
//!
//! **Limits.** For a file that declares other things than before the world is built anew, of what is known.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ingest::load::{Kept, Loader};
use crate::ingest::pipeline::{IngestPipeline, Run};
use crate::ingest::plan::Plan;
use crate::ingest::relink::Relinked;
use crate::ingest::resident::Standing;
use crate::ingest::rows;
use crate::ingest::scan::Source;
use crate::ingest::shared::Shared;
use crate::ingest::{IngestError, Phase, Summary};
use crate::model::graph::NodeId;
use crate::resolve::FileId;
use crate::resolve::nodes::{NodeTable, Renewed};
use crate::store::{self, Batch, BatchKind, FileKey, FileRow, HashedNode, MovedSpan};

/// More changed files than this are not looked at one by one.
pub const MOST_PATCHED: usize = 64;

/// What the short way came to.
pub enum Patched {
    /// The world is as the files are now, but not yet in the index: its batch, the rows of the files in it, and what was done.
    Done(Box<(Batch, Vec<FileRow>, Summary)>),
    /// The world must be built anew. Whether this one is no longer as the index is.
    TooMuch(bool),
}

impl IngestPipeline {
    /// Puts changed sources into the world that stands.
    pub(super) fn patch(&self, run: &Run<'_>, standing: &mut Standing, changed: &[Source]) -> Result<Patched, IngestError> {
        let Standing { built, fingerprints, .. } = standing;
        let loader = Loader {
            workspace: &self.workspace,
            known: &run.known,
            projects: &built.projects,
            kept: &FxHashMap::default(),
            store: Some(Kept { reader: &self.reader, writer: &self.writer }),
            shared: &Shared::of(None, 0),
            clock: &run.clock,
            cancel: &self.options.cancel,
            progress: run.progress,
        };
        let loaded = run.threads.install(|| loader.load(changed))?;
        if loaded.len() != changed.len() {
            return Ok(Patched::TooMuch(false));
        }
        let parsed = loaded.iter().filter(|file| file.parsed).count();
        let mut renewed = Vec::new();
        let mut own = Vec::new();
        let mut is_seen = false;
        for file in loaded {
            let Ok(at) = built.loaded.binary_search_by(|known| known.path.cmp(&file.path)) else {
                return Ok(Patched::TooMuch(!own.is_empty()));
            };
            let (old, id) = (Arc::clone(&built.loaded[at].facts), FileId(at as u32));
            let had_problem = file.problem.is_some() || built.loaded[at].problem.is_some();
            if had_problem || !run.clock.time(Phase::World, || built.world.replace(id, Arc::clone(&file.facts))) {
                return Ok(Patched::TooMuch(!own.is_empty()));
            }
            let Some(nodes) = run.clock.time(Phase::World, || built.nodes.replace(&built.world, id, &old)) else {
                return Ok(Patched::TooMuch(!own.is_empty()));
            };
            renewed.extend(nodes);
            let print = rows::fingerprint(at, &file, &built.world, &built.nodes);
            is_seen |= print.differs_outside(&fingerprints[at]);
            built.loaded[at] = file;
            fingerprints[at] = print;
            own.push(at);
        }
        own.sort_unstable();
        let dirty = if is_seen {
            match self.plan(run, built, fingerprints)? {
                Plan::Some(dirty) => dirty,
                Plan::All => return Ok(Patched::TooMuch(true)),
            }
        } else {
            own
        };
        let relinked = self.relink(run, built, &dirty)?;
        let mut summary = Summary { changed: changed.len(), parsed, linked: relinked.len(), ..Summary::default() };
        summary.problems = super::pipeline::problems(Vec::new(), &[], &relinked, &built.loaded);
        let (mut batch, rows) = batch(run, standing, relinked);
        let standing = &standing.built.nodes;
        (batch.moved, batch.rehashed) = moved(standing, &renewed);
        batch.renewed = renewed_nodes(standing, &renewed);
        batch.keys = keys(run, &batch.renewed);
        Ok(Patched::Done(Box::new((batch, rows, summary))))
    }
}

/// The rows of the files that were linked, all changed ones among them.
fn batch(run: &Run<'_>, standing: &Standing, relinked: Vec<(usize, Relinked)>) -> (Batch, Vec<FileRow>) {
    let Standing { built, fingerprints, .. } = standing;
    let mut batch = Batch { kind: BatchKind::Update, ..Batch::default() };
    let mut files = Vec::new();
    for (at, linked) in relinked {
        let print = &fingerprints[at];
        let row = rows::file_row(&built.loaded[at], built.keys[at], &built.projects, print, &run.known);
        let row = rows::linked_row(row, &linked);
        files.push(row.clone());
        batch.files.push((row, rows::link_row(print, linked.links)));
        batch.edges.extend(linked.edges);
        batch.unresolved.extend(linked.unresolved);
        batch.object_functions.extend(linked.object_functions);
    }
    (batch, files)
}

fn moved(table: &NodeTable, renewed: &[Renewed]) -> (Vec<MovedSpan>, Vec<(NodeId, i64)>) {
    let (mut moved, mut hashes, mut buffer) = (Vec::new(), Vec::new(), Vec::new());
    for renewed in renewed {
        let Renewed::Moved(place, position) = *renewed else { continue };
        let node = &table.nodes[place];
        let site = &node.spans[position];
        moved.push(MovedSpan { node: node.id, position: position as u32, span: site.span, name: (site.name_line, site.name_column) });
        if hashes.last().is_none_or(|(last, _)| *last != node.id) {
            hashes.push((node.id, store::node_hash(node, &mut buffer)));
        }
    }
    (moved, hashes)
}

fn renewed_nodes(table: &NodeTable, renewed: &[Renewed]) -> Vec<HashedNode> {
    let said = renewed.iter().filter_map(|renewed| if let Renewed::Said(place) = renewed { Some(*place) } else { None });
    let mut buffer = Vec::new();
    said.map(|place| (store::node_hash(&table.nodes[place], &mut buffer), table.nodes[place].clone())).collect()
}

fn keys(run: &Run<'_>, nodes: &[HashedNode]) -> FxHashMap<String, FileKey> {
    let paths = nodes.iter().flat_map(|(_, node)| &node.spans).map(|span| &span.path);
    paths.filter_map(|path| Some((path.clone(), run.known.files.get(path)?.id))).collect()
}
