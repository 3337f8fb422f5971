//! A corpus with the npm packages that it imports installed, as in a working tree.
//!
//! Limitations: a flat `node_modules` with the packages that the sources reach, not every package
//! that an installer would add.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::{Archive, CORPORA, FOLDER, Registry};

/// The corpus whose packages are installed.
const NAME: &str = "reduxjs-toolkit";

/// The packages that it imports, directly or indirectly.
const PACKAGES: &[Archive] = &[
    package(
        "@standard-schema/spec",
        "1.1.0",
        "3022d5c13899a266529a39f0c0cb14b558687df58b9dfb47ef1f5ffcb739bdcb",
    ),
    package(
        "@standard-schema/utils",
        "0.3.0",
        "5c26784f780f444746dd7595fbdc3fb1e4743a04f970757a0384203cf84ae5d9",
    ),
    package(
        "@types/react",
        "19.3.0",
        "a13d532e916ea3a1ea013b74f8ae8eb928accc9f2a0b73a8d914a843d3505666",
    ),
    package(
        "csstype",
        "3.2.4",
        "f703129c1aac45b7d36210817ebb09ae8dc8a6537bdce0f28a3e592cd836cf3b",
    ),
    package(
        "immer",
        "11.2.10",
        "f09966ece30b2fc5255b2a0669dea835f11806a293a732b32ea108a5d7958567",
    ),
    package(
        "react-redux",
        "9.3.1",
        "a6d8fbe2f6d877b2e5400b0018b0b17720e90942f55fb921425b2cbd7dfdea2c",
    ),
    package(
        "redux",
        "5.0.1",
        "89f7cf3689ccfb405161b7c5f9d5e5d61fc5dfe8af1ef0782657d86cb7edea2f",
    ),
    package(
        "redux-thunk",
        "3.1.0",
        "260a28e5ce1b18b4dd35ccdbdbaaf05238a68fc585ab0a0b16c43e7b88db384b",
    ),
    package(
        "reselect",
        "5.3.0",
        "4c5f23930f6a50891af812bfd5852a1af01aa2226a17ac21530f88989ec01181",
    ),
    package(
        "valibot",
        "1.5.0",
        "112603c030875e613a04156901150223d7157efa7fd437d7860286c7226f3113",
    ),
];

const fn package(package: &'static str, version: &'static str, hash: &'static str) -> Archive {
    Archive {
        registry: Registry::Npm,
        package,
        version,
        hash,
    }
}

/// Returns the root of the corpus with its packages, fetching them if needed.
pub fn bring_with_packages() -> anyhow::Result<PathBuf> {
    let folder = Path::new(FOLDER);
    let corpus = CORPORA.iter().find(|corpus| corpus.name == NAME);
    let corpus = corpus.context("the corpus is not listed")?;
    let root = folder.join(format!("{NAME}-{}-with-packages", corpus.version));
    if root.exists() {
        return Ok(root);
    }

    let work = folder.join(format!("{NAME}-with-packages.part"));
    if work.exists() {
        std::fs::remove_dir_all(&work)?;
    }
    let sources = work.join("sources");
    std::fs::create_dir_all(&work)?;
    corpus.fetch(&work, &sources)?;

    for archive in PACKAGES {
        let archives = work.join("archives").join(archive.package);
        let installed = sources.join("node_modules").join(archive.package);
        archive
            .unpack(&archives, &installed)
            .with_context(|| format!("cannot install {} {}", archive.package, archive.version))?;
    }

    std::fs::rename(&sources, &root)?;
    std::fs::remove_dir_all(&work)?;
    Ok(root)
}
