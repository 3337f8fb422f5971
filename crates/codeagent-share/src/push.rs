//! `push`: writes the facts of an index that the store does not have yet, and a manifest.

use std::collections::BTreeSet;

use codeagent_core::IndexReader;
use codeagent_core::engine::{PlainFact, shared_versions};

use crate::manifest::{Graph, MOST_PACKS, Manifest, Part};
use crate::remote::{check_name, graph_name, keys_name, manifest_name, now, pack_name};
use crate::{Remote, ShareError, pack, patch};

/// The key of facts.
type Key = [u8; pack::KEY];

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

    fn send_pack(&mut self, keys: Vec<u8>, bytes: Vec<u8>) -> Result<Part, ShareError> {
        let part = Part::of(&bytes);
        self.send(&keys_name(&part), keys)?;
        self.send(&pack_name(&part), bytes)?;
        Ok(part)
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
    let Earlier { mut packs, keys } = earlier(remote, options, &needed)?;
    let there: BTreeSet<&Key> = keys.iter().collect();
    let missing: Vec<Key> = needed
        .iter()
        .filter(|key| !there.contains(key))
        .copied()
        .collect();

    let mut sender = Sender { remote, bytes: 0 };
    packs.extend(match keys.as_slice() {
        [] => send_facts(&mut sender, index, &missing)?,
        keys => {
            let older = replaced(index, keys, &needed)?;
            send_patches(&mut sender, index, (&missing, &older))?
        }
    });
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

/// What the nearest earlier snapshot has.
#[derive(Default)]
struct Earlier {
    packs: Vec<Part>,
    /// The keys of their facts, pack by pack.
    keys: Vec<Key>,
}

/// Returns the packs of the nearest earlier snapshot and their keys, unless most of them are of no
/// use.
fn earlier(remote: &Remote, options: &PushOptions, needed: &[Key]) -> Result<Earlier, ShareError> {
    let Some(manifest) = nearest(remote, &options.repo, &options.history)? else {
        return Ok(Earlier::default());
    };
    if manifest.packs.len() >= MOST_PACKS {
        return Ok(Earlier::default());
    }

    let mut keys = Vec::new();
    for part in &manifest.packs {
        keys.extend(remote.keys(part)?);
    }
    let unused = keys
        .iter()
        .filter(|key| needed.binary_search(key).is_err())
        .count();
    if unused * 2 > keys.len() {
        return Ok(Earlier::default());
    }
    Ok(Earlier {
        packs: manifest.packs,
        keys,
    })
}

/// Returns the facts that the store has, the commit does not need, and the index still has: mostly those of changed
/// files before the change. The newest ones, up to the size that a patch may have.
fn replaced(
    index: &IndexReader,
    there: &[Key],
    needed: &[Key],
) -> Result<Vec<PlainFact>, ShareError> {
    let mut older = Vec::new();
    let mut room = patch::MOST_OLDER_BYTES;
    let unused = there
        .iter()
        .rev()
        .filter(|key| needed.binary_search(key).is_err());

    for key in unused {
        let Some(plain) = index.plain_facts(key)? else {
            continue;
        };

        if let Some(rest) = room.checked_sub(plain.len()) {
            room = rest;
            older.push((*key, plain));
        }
    }

    Ok(older)
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

/// Sends these facts as patches of older ones, and returns the patches.
fn send_patches(
    sender: &mut Sender<'_>,
    index: &IndexReader,
    (keys, older): (&[Key], &[PlainFact]),
) -> Result<Vec<Part>, ShareError> {
    let mut parts = Vec::new();
    let mut waiting: Vec<PlainFact> = Vec::new();
    let mut size = 0;

    for (at, key) in keys.iter().enumerate() {
        if let Some(plain) = index.plain_facts(key)? {
            size += plain.len();
            waiting.push((*key, plain));
        }

        let is_last = at + 1 == keys.len();
        if size >= pack::FULL || is_last && !waiting.is_empty() {
            let bytes = patch::write(&waiting, older)?;
            parts.push(sender.send_pack(pack::keys_of(&waiting), bytes)?);
            waiting.clear();
            size = 0;
        }
    }

    Ok(parts)
}

/// Sends these facts and returns their packs.
fn send_facts(
    sender: &mut Sender<'_>,
    index: &IndexReader,
    keys: &[Key],
) -> Result<Vec<Part>, ShareError> {
    let mut parts = Vec::new();
    let mut waiting = Vec::new();
    let mut size = 0;
    let mut send = |facts: &mut Vec<_>| {
        parts.push(sender.send_pack(pack::keys_of(facts), pack::pack(facts))?);
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
