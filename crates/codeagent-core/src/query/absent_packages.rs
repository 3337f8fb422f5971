//! Packages that the repository uses and that are not installed.
//!
//! Limitations: npm only. A package of which no file was read counts as not installed.

use rustc_hash::FxHashSet;

use crate::model::external::PackageManager;
use crate::query::{QueryError, used_packages};
use crate::store::{self, Snapshot};

/// Returns the npm packages that code uses and that are not installed, the one in most files first.
pub fn absent_packages(snapshot: &Snapshot) -> Result<Vec<String>, QueryError> {
    let rows = store::package_rows(snapshot)?;
    let installed: FxHashSet<String> = rows
        .iter()
        .filter_map(|row| package_of_path(&row.path))
        .map(described_package)
        .collect();

    let used = used_packages(snapshot)?.into_iter();
    let absent = used
        .filter(|used| used.manager == PackageManager::Npm)
        .map(|used| used.package)
        .filter(|package| !installed.contains(package));
    Ok(absent.collect())
}

/// Returns the package that a path below `node_modules` belongs to: `@a/b` for
/// `web/node_modules/@a/b/index.d.ts`.
fn package_of_path(path: &str) -> Option<&str> {
    let (_, inside) = path.rsplit_once("node_modules/")?;
    let segments = if inside.starts_with('@') { 2 } else { 1 };
    let end = inside.match_indices('/').nth(segments - 1);
    let end = end.map_or(inside.len(), |(at, _)| at);
    Some(&inside[..end])
}

/// Returns the package whose declarations a package has: `@types/a__b` has those of `@a/b`.
fn described_package(package: &str) -> String {
    match package.strip_prefix("@types/") {
        Some(described) => match described.split_once("__") {
            Some((scope, name)) => format!("@{scope}/{name}"),
            None => described.to_owned(),
        },
        None => package.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_of_types_describes_another() {
        for (package, expected) in [
            ("@types/express", "express"),
            ("@types/a__b", "@a/b"),
            ("@a/b", "@a/b"),
        ] {
            assert_eq!(described_package(package), expected, "{package}");
        }
    }

    #[test]
    fn a_path_names_its_innermost_package() {
        for (path, expected) in [
            ("web/node_modules/@a/b/index.d.ts", Some("@a/b")),
            ("node_modules/a/node_modules/c/package.json", Some("c")),
            ("node_modules/a", Some("a")),
            ("src/a.ts", None),
        ] {
            assert_eq!(package_of_path(path), expected, "{path}");
        }
    }
}
