//! Of which sources are facts and links made? Their hashes are the versions under which facts and
//! links are kept, so that an index made by other code is made anew and nobody has to raise a
//! number.
//!
//! Grammars count through the lock file of the workspace.
//!
//! Where are the migrations? In the crate, where a package has a copy and a work tree a link; where
//! a system has no links, at the top of the work tree.
//!
//! **Limits.** A changed comment is other code. Without the lock file, as in a packaged crate,
//! grammars count by the crate's own version.

#![allow(
    clippy::disallowed_methods,
    reason = "reads the sources of the crate itself"
)]

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// What a version is the hash of: files and folders, tests left out.
const VERSIONS: &[(&str, &[&str])] = &[
    (
        "FACTS_VERSION",
        &["src/model", "src/extract", "../../Cargo.lock"],
    ),
    (
        "LINK_VERSION",
        &[
            "src/project",
            "src/library",
            "data",
            "src/resolve",
            "src/embed",
            "src/ingest",
        ],
    ),
];

/// Places of the migrations, the first that is a folder counts.
const MIGRATIONS: [&str; 2] = ["migrations", "../../migrations"];

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let migrations = MIGRATIONS
        .map(|place| root.join(place))
        .into_iter()
        .find(|place| place.is_dir());
    println!(
        "cargo::rustc-env=MIGRATIONS={}",
        migrations.unwrap_or_default().display()
    );
    for (name, places) in VERSIONS {
        let mut hasher = blake3::Hasher::new();
        for place in places.iter().filter(|place| root.join(place).exists()) {
            println!("cargo::rerun-if-changed={place}");
            add(&root.join(place), &mut hasher)?;
        }
        println!(
            "cargo::rustc-env={name}={}",
            &hasher.finalize().to_hex()[..16]
        );
    }
    Ok(())
}

/// Adds names and texts in the order of the names, whatever ends their lines.
fn add(path: &Path, hasher: &mut blake3::Hasher) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if matches!(&*name, "tests" | "tests.rs") {
        return Ok(());
    }
    hasher.update(name.as_bytes()).update(b"\n");
    if path.is_dir() {
        let mut paths = fs::read_dir(path)?
            .map(|entry| Ok(entry?.path()))
            .collect::<io::Result<Vec<_>>>()?;
        paths.sort();
        return paths.iter().try_for_each(|path| add(path, hasher));
    }
    let bytes = match String::from_utf8(fs::read(path)?) {
        Ok(text) => text.replace("\r\n", "\n").into_bytes(),
        Err(binary) => binary.into_bytes(),
    };
    hasher
        .update(&(bytes.len() as u64).to_le_bytes())
        .update(&bytes);
    Ok(())
}
