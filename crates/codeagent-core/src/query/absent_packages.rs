//! Packages that the repository uses and that are not installed.
//!
//! Limitations: npm only. A package of which no file was read counts as not installed.

use codeagent_typescript::resolve::package_of_path;
use rustc_hash::FxHashSet;

use crate::model::external::PackageManager;
use crate::query::{QueryError, used_packages};
use crate::store::{self, Snapshot};

/// Returns the npm packages that code uses and that are not installed, the one in most files first.
pub fn absent_packages(snapshot: &Snapshot) -> Result<Vec<String>, QueryError> {
    let rows = store::package_rows(snapshot)?;
    let installed: FxHashSet<(PackageManager, String)> = rows
        .iter()
        .filter_map(|row| package_of_path(&row.path))
        .collect();

    let used = used_packages(snapshot)?.into_iter();
    let absent = used
        .filter(|used| used.manager == PackageManager::Npm)
        .map(|used| (used.manager, used.package))
        .filter(|package| !installed.contains(package));
    Ok(absent.map(|(_, package)| package).collect())
}
