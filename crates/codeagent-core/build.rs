//! Hashes the sources that make facts and links: the versions under which both are stored, so that
//! an index made by other code is built again and nobody has to raise a number.
//!
//! The languages are those of the registry. Grammars count through the lock file of the workspace.
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

/// The registry of languages, whose `use` lines name their crates.
const REGISTRY: &str = "src/languages.rs";

/// What the version of facts is the hash of, besides the languages: files and folders, tests left
/// out.
const FACTS: &[&str] = &[
    "../codeagent-model/src",
    "../codeagent-lang/src/lower",
    "../../Cargo.lock",
];

/// What the version of links is the hash of, besides the languages.
const LINKS: &[&str] = &[
    "../codeagent-lang/src",
    "src/embed",
    "src/ingest",
    "src/store/search/text.rs",
];

/// Folders of a language's sources that make no facts.
const NO_FACTS: [&str; 3] = ["project", "resolve", "stdlib"];

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

    println!("cargo::rerun-if-changed={REGISTRY}");
    let mut facts: Vec<String> = FACTS.iter().map(|&place| place.to_owned()).collect();
    let mut links: Vec<String> = LINKS.iter().map(|&place| place.to_owned()).collect();
    for language in languages(&root)? {
        facts.extend(fact_sources(&root, &language)?);
        links.extend([format!("{language}/src"), format!("{language}/data")]);
    }

    for (name, places) in [("FACTS_VERSION", facts), ("LINK_VERSION", links)] {
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

/// Returns the crates of the registered languages.
fn languages(root: &Path) -> io::Result<Vec<String>> {
    let registry = fs::read_to_string(root.join(REGISTRY))?;
    let crates = registry
        .lines()
        .filter_map(|line| line.strip_prefix("use codeagent_")?.split("::").next())
        .filter(|name| !matches!(*name, "lang" | "model"));
    Ok(crates
        .map(|name| format!("../codeagent-{}", name.replace('_', "-")))
        .collect())
}

/// Returns the sources of a language that make facts, in the order of their names.
fn fact_sources(root: &Path, language: &str) -> io::Result<Vec<String>> {
    let sources = format!("{language}/src");
    if !root.join(&sources).is_dir() {
        return Ok(Vec::new());
    }

    let mut found = Vec::new();
    for entry in fs::read_dir(root.join(&sources))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !NO_FACTS.contains(&&*name) {
            found.push(format!("{sources}/{name}"));
        }
    }

    found.sort();
    Ok(found)
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
