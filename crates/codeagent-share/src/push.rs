//! `push`: writes the facts of an index that the store does not have yet, and a manifest.

use std::collections::BTreeSet;

use codeagent_core::IndexReader;
use codeagent_core::engine::shared_versions;

use crate::manifest::{Graph, MOST_PACKS, Manifest, Part};
use crate::remote::{check_name, graph_name, keys_name, manifest_name, now, pack_name};
use crate::{Remote, ShareError, pack};

/// Level at which graphs are compressed.
const LEVEL: i32 = 3;

/// What to push.
#[derive(Clone, Debug)]
pub struct PushOptions {
    /// Name of the repository in the store.
    pub repo: String,
    /// Ids of the commit and its ancestors, newest first.
    pub history: Vec<String>,
    /// Whether to push the graph, too.
    pub with_graph: bool,
}

/// What a push did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pushed {
    /// The commit.
    pub commit: String,
    /// Number of facts of the commit.
    pub facts: usize,
    /// Number of facts that were sent.
    pub sent_facts: usize,
    /// Number of bytes that were sent.
    pub sent_bytes: u64,
}

/// Counts what is sent.
struct Sender<'a> {
    remote: &'a Remote,
    bytes: u64,
}

impl Sender<'_> {
    fn send(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), ShareError> {
        self.bytes += bytes.len() as u64;
        self.remote.write(name, bytes)
    }
}

/// Pushes a snapshot of an index that is up to date with the commit.
pub fn push(
    remote: &Remote,
    index: &IndexReader,
    options: &PushOptions,
) -> Result<Pushed, ShareError> {
    let repo = check_name("repository name", &options.repo)?;
    let commit = options.history.first().map_or("", String::as_str);
    let commit = check_name("commit", commit)?;

    let needed = index.shared_keys()?;
    let (mut packs, there) = earlier(remote, options, &needed)?;
    let missing: Vec<[u8; 32]> = needed
        .iter()
        .filter(|key| !there.contains(*key))
        .copied()
        .collect();

    let mut sender = Sender { remote, bytes: 0 };
    packs.extend(send_facts(&mut sender, index, &missing)?);
    let graph = match options.with_graph {
        true => Some(send_graph(&mut sender, index)?),
        false => None,
    };

    let manifest = Manifest {
        repo: repo.to_owned(),
        commit: commit.to_owned(),
        made_by: env!("CARGO_PKG_VERSION").to_owned(),
        facts_version: shared_versions().facts.to_owned(),
        graph_version: shared_versions().graph.to_owned(),
        made_at: now(),
        facts: needed.len(),
        packs,
        graph,
    };
    sender.send(&manifest_name(repo, commit), manifest.write()?)?;

    Ok(Pushed {
        commit: commit.to_owned(),
        facts: needed.len(),
        sent_facts: missing.len(),
        sent_bytes: sender.bytes,
    })
}

/// Returns the packs of the nearest earlier snapshot and their keys, unless most of them are of no
/// use.
fn earlier(
    remote: &Remote,
    options: &PushOptions,
    needed: &[[u8; 32]],
) -> Result<(Vec<Part>, BTreeSet<[u8; 32]>), ShareError> {
    let Some(manifest) = nearest(remote, &options.repo, &options.history)? else {
        return Ok(Default::default());
    };
    if manifest.packs.len() >= MOST_PACKS {
        return Ok(Default::default());
    }

    let mut there = BTreeSet::new();
    for part in &manifest.packs {
        there.extend(remote.keys(part)?);
    }
    let used = needed.iter().filter(|key| there.contains(*key)).count();
    if used * 2 < there.len() {
        return Ok(Default::default());
    }
    Ok((manifest.packs, there))
}

/// Returns the usable manifest of the nearest commit of a history, else the newest.
pub fn nearest(
    remote: &Remote,
    repo: &str,
    history: &[String],
) -> Result<Option<Manifest>, ShareError> {
    let listed = remote.snapshots(Some(repo))?;
    let is_listed = |commit: &&String| listed.iter().any(|other| other.commit == **commit);
    let newest = listed.first().map(|newest| &newest.commit);
    for commit in history.iter().filter(is_listed).chain(newest) {
        if let Some(manifest) = remote.manifest(repo, commit)?
            && manifest.has_our_facts()
        {
            return Ok(Some(manifest));
        }
    }
    Ok(None)
}

/// Sends these facts and returns their packs.
fn send_facts(
    sender: &mut Sender<'_>,
    index: &IndexReader,
    keys: &[[u8; 32]],
) -> Result<Vec<Part>, ShareError> {
    let mut parts = Vec::new();
    let mut waiting = Vec::new();
    let mut size = 0;
    let mut send = |facts: &mut Vec<_>| {
        let bytes = pack::pack(facts);
        let part = Part::of(&bytes);
        sender.send(&keys_name(&part), pack::keys_of(facts))?;
        sender.send(&pack_name(&part), bytes)?;
        parts.push(part);
        facts.clear();
        Ok::<_, ShareError>(())
    };

    for some in keys.chunks(64) {
        for fact in index.packed_facts(some)? {
            size += fact.1.len();
            waiting.push(fact);
        }
        if size >= pack::FULL {
            send(&mut waiting)?;
            size = 0;
        }
    }
    if !waiting.is_empty() {
        send(&mut waiting)?;
    }
    Ok(parts)
}

fn send_graph(sender: &mut Sender<'_>, index: &IndexReader) -> Result<Graph, ShareError> {
    let database = index.shared_graph()?;
    let packed = zstd::bulk::compress(&database, LEVEL)?;
    let part = Part::of(&packed);
    sender.send(&graph_name(&part), packed)?;
    Ok(Graph {
        part,
        decoded_bytes: database.len() as u64,
    })
}
