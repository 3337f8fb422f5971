//! Detects whether installed packages may have changed since they were read: by size and time, and
//! by content where these differ.

use codeagent_workspace::{ExternalKind, Packages, RepoPath, Stamp, Watcher, Workspace};

use super::{kind_and_path, texts};
use crate::ingest::scan::{COARSEST_TIME_NS, KnownFiles, NEVER_READ, package_folders};
use crate::store::PackageRow;

/// More than any declaration file or package.json has.
const MAX_BYTES: u64 = 16 << 20;

/// How the packages are to how they were.
#[derive(Debug, PartialEq, Eq)]
pub enum PackageFreshness {
    /// Nothing can differ.
    Same,
    /// Only times differ: the rows with the new times.
    Touched(Vec<PackageRow>),
    /// Something differs.
    Other,
}

/// Compares. `folders` are the folders with packages as they were found now.
pub fn compare(
    workspace: &Workspace,
    folders: &[RepoPath],
    known: &KnownFiles,
) -> PackageFreshness {
    if !texts(folders).eq(known.package_folders.iter().map(String::as_str)) {
        return PackageFreshness::Other;
    }

    let dirs = ExternalKind::ALL.map(|kind| workspace.external(kind));
    let mut touched: Option<Vec<PackageRow>> = None;
    for (at, row) in known.packages.iter().enumerate() {
        let (kind, Some(path)) = kind_and_path(&row.path) else {
            return PackageFreshness::Other;
        };
        let packages = dirs[kind as usize].as_ref();
        let seen = packages.and_then(|packages| Some((packages, packages.stat(&path).ok()?)));
        let Some((packages, (size, stamp))) = seen else {
            if row.stamp == Stamp::default() {
                continue;
            }
            return PackageFreshness::Other;
        };

        let is_recent = stamp.changed_ns > known.scanned_at.saturating_sub(COARSEST_TIME_NS);
        if (size, stamp) == (row.size, row.stamp) && !is_recent {
            continue;
        }
        if row.hash == NEVER_READ || hash(packages, &path, row) != Some(row.hash) {
            return PackageFreshness::Other;
        }

        let rows = touched.get_or_insert_with(|| known.packages.clone());
        rows[at] = PackageRow {
            size,
            stamp,
            ..rows[at].clone()
        };
    }

    match touched {
        Some(rows) if rows != known.packages => PackageFreshness::Touched(rows),
        _ => PackageFreshness::Same,
    }
}

/// Watches the folders of packages of which a batch has read something. What changed in them before
/// that is reported by nobody, so they are compared once more.
pub fn watch(watcher: &Watcher, workspace: &Workspace, folders: &[RepoPath], known: &KnownFiles) {
    if watcher.extend(&package_folders(workspace, &known.packages))
        && compare(workspace, folders, known) == PackageFreshness::Other
    {
        watcher.request_rescan();
    }
}

/// The hash of a folder's names or of a file.
fn hash(packages: &Packages, path: &RepoPath, row: &PackageRow) -> Option<[u8; 32]> {
    let listed = packages.list(path).ok().map(|listing| listing.hash());
    listed.or_else(|| {
        packages
            .read_bytes(path, MAX_BYTES.max(row.size))
            .ok()
            .map(|file| *file.hash.as_bytes())
    })
}
