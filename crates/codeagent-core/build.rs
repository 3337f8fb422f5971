//! Hashes the sources that make facts and links: the versions under which both are stored, so that
//! an index made by other code is built again and nobody has to raise a number.
//!
//! Grammars count through the lock file of the workspace.
//!
//! Also finds the migrations: in the crate, where a package has a copy and a work tree a link; on a
//! system without links at the top of the work tree.
//!
//! Limitations: a changed comment is other code. In a packaged crate, beside which the other crates
//! do not lie, languages and grammars count by the crate's own version.

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
        &[
            "../codeagent-model/src",
            "../codeagent-lang/src/lower",
            "../codeagent-csharp/src/lower",
            "../codeagent-csharp/src/syntax",
            "../codeagent-typescript/src/javascript",
            "../codeagent-typescript/src/lower",
            "../codeagent-typescript/src/syntax",
            "../../Cargo.lock",
        ],
    ),
    (
        "LINK_VERSION",
        &[
            "../codeagent-lang/src",
            "../codeagent-csharp/src",
            "../codeagent-csharp/data",
            "../codeagent-typescript/src",
            "../codeagent-typescript/data",
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
        hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
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
