//! Detects whether installed packages may have changed since they were read: compares size and
//! time, then content where these differ.

use codeagent_workspace::{ExternalKind, Packages, RepoPath, Stamp, Watcher, Workspace};

use super::closure::MAX_FILE_BYTES;
use super::{kind_and_path, texts};
use crate::ingest::scan::{COARSEST_TIME_NS, KnownFiles, NEVER_READ, package_folders};
use crate::store::PackageRow;

/// Maximum size read for a comparison, in bytes; larger than any declaration file or package.json.
const MAX_BYTES: u64 = 16 << 20;

/// Whether the packages changed since they were read.
#[derive(Debug, PartialEq, Eq)]
pub enum PackageFreshness {
    /// Unchanged.
    Same,
    /// Only times differ. Holds the rows with the new times.
    Touched(Vec<PackageRow>),
    /// Contents may differ.
    Other,
}

/// Compares the recorded package files with the disk. `folders` are the package folders found by
/// this walk.
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

        // Declarations above the limit are not read, whatever they are.
        let is_left_out = row.hash == NEVER_READ && kind == ExternalKind::NodeModules;
        if is_left_out && size.min(row.size) > MAX_FILE_BYTES {
            continue;
        }

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

/// Watches the package folders read by a batch. Changes made before the watch started are not
/// reported, so the packages are compared once more.
pub fn watch(watcher: &Watcher, workspace: &Workspace, folders: &[RepoPath], known: &KnownFiles) {
    if watcher.extend(&package_folders(workspace, &known.packages))
        && compare(workspace, folders, known) == PackageFreshness::Other
    {
        watcher.request_rescan();
    }
}

/// Hashes a folder's entry names or a file's content.
fn hash(packages: &Packages, path: &RepoPath, row: &PackageRow) -> Option<[u8; 32]> {
    let listed = packages.list(path).ok().map(|listing| listing.hash());
    listed.or_else(|| {
        packages
            .read_bytes(path, MAX_BYTES.max(row.size))
            .ok()
            .map(|file| *file.hash.as_bytes())
    })
}
