//! Cached, recorded access to package folders. Every path that was accessed becomes a row of table
//! `packages`.
//!
//! Limitations: single-threaded.

use std::rc::Rc;

use codeagent_workspace::{DirListing, Listing, Packages, ReadError, RepoPath, Stamp};
use rustc_hash::FxHashMap;

use super::manifest::Manifest;
use crate::ingest::scan::NEVER_READ;
use crate::store::PackageRow;

/// Maximum size of a package.json, in bytes.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// Cached listings, manifests and link targets of package folders.
pub struct PackageFiles {
    packages: Packages,
    /// Prefix of the paths in rows.
    prefix: &'static str,
    folders: FxHashMap<String, Option<Rc<Listing>>>,
    manifests: FxHashMap<String, Rc<Manifest>>,
    real: FxHashMap<String, Option<String>>,
    rows: Vec<PackageRow>,
    /// Whether the system ran short of file handles or memory, which makes results unreliable.
    pub is_short: bool,
}

impl PackageFiles {
    /// Creates an empty cache; `prefix` is put before the paths in rows.
    pub fn new(packages: Packages, prefix: &'static str) -> Self {
        let (folders, manifests, real) = (
            FxHashMap::default(),
            FxHashMap::default(),
            FxHashMap::default(),
        );
        Self {
            packages,
            prefix,
            folders,
            manifests,
            real,
            rows: Vec::new(),
            is_short: false,
        }
    }

    /// Returns a row for every path that was accessed.
    pub fn into_rows(self) -> Vec<PackageRow> {
        self.rows
    }

    /// Returns the entries of a folder. `path` must not contain links.
    pub fn folder(&mut self, path: &str) -> Option<Rc<Listing>> {
        if let Some(known) = self.folders.get(path) {
            return known.clone();
        }

        let listing = match RepoPath::new(path)
            .ok()
            .map(|path| self.packages.list(&path))
        {
            Some(Ok(listing)) => {
                self.note(path, (0, listing.stamp), listing.hash());
                Some(Rc::new(listing))
            }
            Some(Err(error)) => {
                self.refused(path, &error);
                None
            }
            None => None,
        };

        self.folders.insert(path.to_owned(), listing.clone());
        listing
    }

    /// Returns the link-free path of a folder's entry if it is a file (`is_file`) or a folder, and
    /// inside a package.
    pub fn entry(&mut self, folder: &str, name: &str, is_file: bool) -> Option<String> {
        let path = format!("{folder}/{name}");
        match self.folder(folder)?.get(name)? {
            DirListing::File => is_file.then_some(path),
            DirListing::Folder => (!is_file).then_some(path),
            DirListing::Link(_) => {
                let real = self.real(&path)?;
                let (parent, name) = real.rsplit_once('/')?;
                match self.folder(parent)?.get(name)? {
                    DirListing::File if is_file => Some(real),
                    DirListing::Folder if !is_file => Some(real),
                    _ => None,
                }
            }
        }
    }

    /// Returns the target of a link, if it is in a package.
    pub fn real(&mut self, path: &str) -> Option<String> {
        if let Some(known) = self.real.get(path) {
            return known.clone();
        }

        let real = match RepoPath::new(path)
            .ok()
            .map(|path| self.packages.real_path(&path))
        {
            Some(Ok(real)) if self.packages.stat(&real).is_ok() => Some(real.to_string()),
            Some(Ok(_)) => {
                self.missing(path);
                None
            }
            Some(Err(error)) => {
                self.refused(path, &error);
                None
            }
            None => None,
        };

        self.real.insert(path.to_owned(), real.clone());
        real
    }

    /// Returns the package.json of a folder; an empty manifest if there is none.
    pub fn manifest(&mut self, folder: &str) -> Rc<Manifest> {
        if let Some(known) = self.manifests.get(folder) {
            return Rc::clone(known);
        }
        let manifest = match self.entry(folder, "package.json", true) {
            Some(path) => Manifest::parse(&self.text(&path)),
            None => Manifest::default(),
        };
        let manifest = Rc::new(manifest);
        self.manifests
            .insert(folder.to_owned(), Rc::clone(&manifest));
        manifest
    }

    /// Returns the text of a manifest; empty if it cannot be read.
    pub fn text(&mut self, path: &str) -> String {
        self.text_if_there(path, MAX_MANIFEST_BYTES)
            .unwrap_or_default()
    }

    /// Reads a text of at most `limit` bytes.
    pub fn text_if_there(&mut self, path: &str, limit: u64) -> Option<String> {
        match RepoPath::new(path)
            .ok()
            .map(|path| self.packages.read(&path, limit))?
        {
            Ok(file) => {
                self.note(path, (file.size, file.stamp), *file.hash.as_bytes());
                Some(file.text)
            }
            Err(error) => {
                self.refused(path, &error);
                None
            }
        }
    }

    fn note(&mut self, path: &str, (size, stamp): (u64, Stamp), hash: [u8; 32]) {
        self.rows.push(PackageRow {
            path: format!("{}{path}", self.prefix),
            size,
            stamp,
            hash,
            facts_key: None,
        });
    }

    fn refused(&mut self, path: &str, error: &ReadError) {
        self.is_short |= error.is_shortage();
        match RepoPath::new(path)
            .ok()
            .and_then(|path| self.packages.stat(&path).ok())
        {
            Some(found) => self.note(path, found, NEVER_READ),
            None => self.missing(path),
        }
    }

    fn missing(&mut self, path: &str) {
        self.note(path, (0, Stamp::default()), NEVER_READ);
    }
}
