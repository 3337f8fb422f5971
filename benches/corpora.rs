//! The repositories that a benchmark measures.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Returns the folders named as arguments, else those that `benches/corpora.sh` fetched. Prints a
/// hint if there are none.
pub fn roots() -> Vec<PathBuf> {
    let named: Vec<PathBuf> = env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with("--"))
        .map(PathBuf::from)
        .collect();
    if !named.is_empty() {
        return named;
    }

    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/corpora");
    let mut roots: Vec<PathBuf> = fs::read_dir(&fetched)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    roots.sort();
    if roots.is_empty() {
        println!("no corpora: run benches/corpora.sh, or name folders as arguments");
    }
    roots
}
