//! The object store: reads of bounded size, writes, and names.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use tokio::runtime::{Builder, Runtime};
use url::Url;

use crate::manifest::{self, Manifest, Part};
use crate::services::Service;
use crate::{ShareError, pack};

/// A snapshot store.
pub struct Remote {
    url: String,
    service: Service,
    pub(crate) store: Arc<dyn ObjectStore>,
    base: Path,
    pub(crate) runtime: Runtime,
}

/// A snapshot in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Name of its repository.
    pub repo: String,
    /// Id of its commit.
    pub commit: String,
    /// When its manifest was written, in seconds since 1970.
    pub written_at: u64,
}

impl Remote {
    /// Opens the store at a URL. Credentials of cloud stores are read from the environment.
    pub fn open(url: &str) -> Result<Self, ShareError> {
        let invalid = |reason: String| ShareError::Url {
            url: url.to_owned(),
            reason,
        };
        let parsed = Url::parse(url).map_err(|error| invalid(error.to_string()))?;
        let (service, base) = Service::of(&parsed).map_err(invalid)?;
        let store = service.open(&parsed).map_err(invalid)?;
        Ok(Self {
            url: url.to_owned(),
            service,
            store,
            base,
            runtime: Builder::new_current_thread().enable_all().build()?,
        })
    }

    fn failed(&self, error: &object_store::Error) -> ShareError {
        self.service.failed(&self.url, error)
    }

    /// Returns the URL.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn at(&self, name: &str) -> Path {
        name.split('/')
            .filter(|part| !part.is_empty())
            .fold(self.base.clone(), |path, part| path.join(part))
    }

    /// Reads an object of at most this size; `None` if there is none.
    pub fn read(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, ShareError> {
        let read = async {
            let found = match self.store.get(&self.at(name)).await {
                Err(object_store::Error::NotFound { .. }) => return Ok(None),
                other => other.map_err(|error| self.failed(&error))?,
            };
            // A store sends as many bytes as it says.
            if found.meta.size > limit {
                let name = if name.is_empty() {
                    self.url.as_str()
                } else {
                    name
                };
                let reason = format!("it has more than {limit} bytes");
                return Err(ShareError::refused(name, reason));
            }
            let bytes = found.bytes().await;
            Ok(Some(Vec::from(bytes.map_err(|error| self.failed(&error))?)))
        };

        self.runtime.block_on(read)
    }

    /// Reads a part of a snapshot, which must have its size and hash.
    pub fn read_part(&self, name: &str, part: &Part, limit: u64) -> Result<Vec<u8>, ShareError> {
        let refused = |reason: &str| ShareError::refused(name, reason);
        if part.bytes > limit {
            return Err(refused("it is too large"));
        }
        let bytes = self.read(name, part.bytes)?;
        let bytes = bytes.ok_or_else(|| refused("it is missing"))?;
        if part.is(&bytes) {
            Ok(bytes)
        } else {
            Err(refused("its content has another hash"))
        }
    }

    /// Writes an object. Readers see all of it or nothing.
    pub fn write(&self, name: &str, bytes: Vec<u8>) -> Result<(), ShareError> {
        let put = async { self.store.put(&self.at(name), bytes.into()).await };
        let written = self.runtime.block_on(put);
        written.map_err(|error| self.failed(&error))?;
        Ok(())
    }

    /// Removes an object, if it exists.
    pub fn remove(&self, name: &str) -> Result<(), ShareError> {
        match self.runtime.block_on(self.store.delete(&self.at(name))) {
            Err(object_store::Error::NotFound { .. }) | Ok(()) => Ok(()),
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// Lists the objects in a folder with their ages: name below the folder, seconds since 1970.
    pub fn list(&self, folder: &str) -> Result<Vec<(String, u64)>, ShareError> {
        let prefix = self.at(folder);
        let found: Vec<_> = self
            .runtime
            .block_on(self.store.list(Some(&prefix)).try_collect())
            .map_err(|error| self.failed(&error))?;
        let name = |path: &Path| {
            let parts = path.prefix_match(&prefix)?;
            let parts: Vec<String> = parts.map(|part| part.as_ref().to_owned()).collect();
            Some(parts.join("/"))
        };
        let named = found.iter().filter_map(|object| {
            let at = object.last_modified.timestamp();
            Some((name(&object.location)?, u64::try_from(at).unwrap_or(0)))
        });
        Ok(named.collect())
    }

    /// Lists the snapshots of a repository, or of all, the newest first.
    pub fn snapshots(&self, repo: Option<&str>) -> Result<Vec<Listed>, ShareError> {
        let mut found: Vec<Listed> = self
            .list(REPOS)?
            .into_iter()
            .filter_map(|(name, written_at)| {
                let (of, commit) = name.strip_suffix(".json")?.split_once('/')?;
                Some(Listed {
                    repo: of.to_owned(),
                    commit: commit.to_owned(),
                    written_at,
                })
            })
            .filter(|listed| repo.is_none_or(|repo| listed.repo == repo))
            .collect();
        found.sort_by(|a, b| {
            (b.written_at, &a.repo, &a.commit).cmp(&(a.written_at, &b.repo, &b.commit))
        });

        Ok(found)
    }

    /// Reads the manifest of a commit; `None` if there is none.
    pub fn manifest(&self, repo: &str, commit: &str) -> Result<Option<Manifest>, ShareError> {
        let name = manifest_name(repo, commit);
        let bytes = self.read(&name, manifest::LARGEST)?;
        bytes
            .map(|bytes| Manifest::read(&name, repo, commit, &bytes))
            .transpose()
    }

    /// Reads the keys of a pack.
    pub fn keys(&self, part: &Part) -> Result<Vec<[u8; pack::KEY]>, ShareError> {
        let name = keys_name(part);
        let bytes = self.read(&name, part.bytes)?;
        let bytes = bytes.ok_or_else(|| ShareError::refused(&*name, "it is missing"))?;
        pack::read_keys(&name, &bytes)
    }
}

/// Folder of the manifests.
const REPOS: &str = "v1/repos";

/// Folder of the packs.
pub const PACKS: &str = "v1/packs";

/// Folder of the graphs.
pub const GRAPHS: &str = "v1/graphs";

/// Returns the name of a manifest.
pub fn manifest_name(repo: &str, commit: &str) -> String {
    format!("{REPOS}/{repo}/{commit}.json")
}

/// Returns the name of a pack.
pub fn pack_name(part: &Part) -> String {
    format!("{PACKS}/{}", part.hash)
}

/// Returns the name of the keys of a pack.
pub fn keys_name(part: &Part) -> String {
    format!("{PACKS}/{}.keys", part.hash)
}

/// Returns the name of a graph.
pub fn graph_name(part: &Part) -> String {
    format!("{GRAPHS}/{}", part.hash)
}

/// Checks a name that becomes part of a path in the store.
pub fn check_name<'a>(what: &'static str, name: &'a str) -> Result<&'a str, ShareError> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let is_valid = !name.is_empty()
        && name.len() <= 100
        && name.bytes().all(is_allowed)
        && !name.starts_with('.');
    if is_valid {
        Ok(name)
    } else {
        Err(ShareError::Name {
            what,
            name: name.to_owned(),
        })
    }
}

/// Returns the time, in seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
