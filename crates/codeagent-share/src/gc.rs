//! `gc`: removes old snapshots, and the packs and graphs that no snapshot names.

use std::collections::BTreeSet;

use crate::remote::{GRAPHS, PACKS, check_name, manifest_name, now};
use crate::{Remote, ShareError};

/// Age below which an object without a name is kept, in seconds: a push may be about to name it.
const YOUNG: u64 = 24 * 60 * 60;

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Number of snapshots.
    pub snapshots: usize,
    /// Number of packs, keys and graphs.
    pub parts: usize,
}

/// Keeps the newest `keep` snapshots of a repository and removes the others. Does nothing if a
/// manifest cannot be read, because its packs are not known then.
pub fn gc(remote: &Remote, repo: &str, keep: usize) -> Result<Collected, ShareError> {
    gc_at(remote, check_name("repository name", repo)?, keep, now())
}

fn gc_at(remote: &Remote, repo: &str, keep: usize, now: u64) -> Result<Collected, ShareError> {
    let own = remote.snapshots(Some(repo))?;
    let old: BTreeSet<&str> = own
        .iter()
        .skip(keep)
        .map(|old| old.commit.as_str())
        .collect();

    let mut named = BTreeSet::new();
    for kept in remote.snapshots(None)? {
        if kept.repo == repo && old.contains(kept.commit.as_str()) {
            continue;
        }
        if let Some(manifest) = remote.manifest(&kept.repo, &kept.commit)? {
            named.extend(manifest.packs.into_iter().map(|part| part.hash));
            named.extend(manifest.graph.map(|graph| graph.part.hash));
        }
    }

    // Manifests first, so that none names a part that is gone.
    let mut collected = Collected::default();
    for commit in &old {
        remote.remove(&manifest_name(repo, commit))?;
        collected.snapshots += 1;
    }
    for folder in [PACKS, GRAPHS] {
        for (name, written_at) in remote.list(folder)? {
            let hash = name.strip_suffix(".keys").unwrap_or(&name);
            if !named.contains(hash) && now.saturating_sub(written_at) >= YOUNG {
                remote.remove(&format!("{folder}/{name}"))?;
                collected.parts += 1;
            }
        }
    }
    Ok(collected)
}
