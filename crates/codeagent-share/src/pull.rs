//! `pull`: adds the facts of a snapshot to an index; makes its graph the index if there is none.

use std::io::{self, Read};
use std::path::Path;

use codeagent_core::engine::{PackedFact, SharedGraph};
use codeagent_core::{DataRoot, Engine, EngineOptions, IndexReader};

use crate::manifest::{Graph, Manifest};
use crate::patch::Patch;
use crate::push::nearest;
use crate::remote::{check_name, graph_name, pack_name};
use crate::{Remote, ShareError, pack};

/// Maximum size of a graph, compressed or not, in bytes.
const LARGEST_GRAPH: u64 = 16 << 30;

/// Maximum total size of the packs of a snapshot, in bytes.
const MOST_BYTES: u64 = 32 << 30;

/// What to pull.
#[derive(Clone, Debug)]
pub struct PullOptions {
    /// Name of the repository in the store.
    pub repo: String,
    /// Ids of the commit and its ancestors, newest first.
    pub history: Vec<String>,
    /// Whether to pull the graph, too.
    pub with_graph: bool,
    /// Location of all indexes.
    pub home: DataRoot,
}

/// What a pull did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pulled {
    /// The commit of the snapshot.
    pub commit: String,
    /// Number of facts that the index did not have.
    pub new_facts: usize,
    /// Whether the graph was taken over.
    pub has_graph: bool,
}

/// Pulls the snapshot of the nearest commit. The next update of the index uses it.
pub fn pull(remote: &Remote, root: &Path, options: &PullOptions) -> Result<Pulled, ShareError> {
    let repo = check_name("repository name", &options.repo)?;
    let manifest = match nearest(remote, repo, &options.history)? {
        Some(manifest) => manifest,
        None => return Err(nothing(remote, repo)?),
    };

    let total = manifest.packs.iter().map(|part| part.bytes);
    if total.fold(0, u64::saturating_add) > MOST_BYTES {
        return Err(ShareError::refused(repo, "its packs are too large"));
    }

    let graph = manifest.our_graph();
    let graph = graph.filter(|_| options.with_graph && !is_indexed(root, &options.home));
    let new_facts = match graph {
        Some(graph) => take_over(remote, root, options, (graph, &manifest))?,
        None => add_to_index(remote, root, options, &manifest)?,
    };
    Ok(Pulled {
        commit: manifest.commit.clone(),
        new_facts,
        has_graph: graph.is_some(),
    })
}

/// Returns why there is no usable snapshot: none at all, or only of other versions.
fn nothing(remote: &Remote, repo: &str) -> Result<ShareError, ShareError> {
    if let Some(newest) = remote.snapshots(Some(repo))?.first()
        && let Some(manifest) = remote.manifest(repo, &newest.commit)?
    {
        return Ok(manifest.other_version());
    }
    Ok(ShareError::Nothing {
        url: remote.url().to_owned(),
        repo: repo.to_owned(),
    })
}

fn is_indexed(root: &Path, home: &DataRoot) -> bool {
    IndexReader::open(root, home).is_ok_and(|reader| reader.is_complete().unwrap_or(false))
}

/// Makes the graph and the facts the index, and returns the number of facts.
fn take_over(
    remote: &Remote,
    root: &Path,
    options: &PullOptions,
    (graph, manifest): (&Graph, &Manifest),
) -> Result<usize, ShareError> {
    let name = graph_name(&graph.part);
    if graph.decoded_bytes > LARGEST_GRAPH {
        return Err(ShareError::refused(name, "it is too large"));
    }
    let packed = remote.read_part(&name, &graph.part, LARGEST_GRAPH)?;
    let mut decoded = Bounded {
        inner: zstd::Decoder::new(&*packed)?,
        left: graph.decoded_bytes,
    };
    let index = SharedGraph::read(root, &options.home, &mut decoded)
        .map_err(|error| ShareError::refused(name, error.to_string()))?;

    let count = each_pack(remote, manifest, |pack| {
        let facts = pack.facts(|key| Ok(index.plain_facts(key)?))?;
        index.add_facts(&facts)?;
        Ok(facts.len())
    })?;
    index.take_over()?;
    Ok(count)
}

/// Adds the facts to the index that there is, and returns the number of new ones.
fn add_to_index(
    remote: &Remote,
    root: &Path,
    options: &PullOptions,
    manifest: &Manifest,
) -> Result<usize, ShareError> {
    let engine_options = EngineOptions {
        home: options.home.clone(),
        tolerate_config: true,
        ..EngineOptions::default()
    };
    let engine = Engine::open(root, engine_options)?;

    let count = each_pack(remote, manifest, |pack| {
        let facts = pack.facts(|key| Ok(engine.reader().plain_facts(key)?))?;
        Ok(engine.add_facts(facts)?)
    });

    // Closed also after an error, so that what was added before stays intact.
    engine.close()?;
    count
}

/// Fails when more is read than expected, before it is written.
struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let left = self.left.checked_sub(read as u64);
        self.left = left.ok_or_else(|| io::Error::other("it is larger than its manifest says"))?;
        Ok(read)
    }
}

/// A pack that was read.
struct Pack<'a> {
    name: &'a str,
    bytes: &'a [u8],
}

impl Pack<'_> {
    /// Returns the facts of the pack, which is checked as a whole; `older` returns those of a key in earlier packs.
    fn facts(
        &self,
        older: impl FnMut(&[u8; pack::KEY]) -> Result<Option<Vec<u8>>, ShareError>,
    ) -> Result<Vec<PackedFact>, ShareError> {
        match Patch::read(self.name, self.bytes)? {
            Some(patch) => patch.facts(older),
            None => pack::unpack(self.name, self.bytes),
        }
    }
}

/// Adds the facts of all packs, one pack after the other, and returns the sum of what `add` returns.
fn each_pack(
    remote: &Remote,
    manifest: &Manifest,
    mut add: impl FnMut(Pack<'_>) -> Result<usize, ShareError>,
) -> Result<usize, ShareError> {
    let mut count = 0;
    for part in &manifest.packs {
        let name = pack_name(part);
        let bytes = remote.read_part(&name, part, pack::LARGEST)?;
        count += add(Pack {
            name: &name,
            bytes: &bytes,
        })?;
    }
    Ok(count)
}
