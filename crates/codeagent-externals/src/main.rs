//! `codeagent-externals FOLDER BLOB [--check]`: packs the framework assemblies, TypeScript
//! libraries or npm packages (`node_modules`) of a folder into a blob, or checks that it is up to
//! date.
//!
//! Limitations: fetches nothing. Each language's `data/NOTICE.md` names the packages to use.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a tool for developers"
)]

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use codeagent_externals::packages::{self, Files};
use codeagent_externals::{blob, declarations, is_framework};

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (folder, path, check) = match &args[..] {
        [folder, path] => (folder, path, false),
        [folder, path, flag] if flag == "--check" => (folder, path, true),
        _ => bail!("usage: codeagent-externals FOLDER BLOB [--check]"),
    };
    let made = made_of(Path::new(folder))?;
    if !check {
        return std::fs::write(path, made).with_context(|| path.clone());
    }
    if std::fs::read(path).with_context(|| path.clone())? != made {
        bail!("{path} is another blob than the folder gives");
    }
    println!("{path} is what the folder gives");
    Ok(())
}

/// Packs the content of a folder and prints a summary.
fn made_of(folder: &Path) -> Result<Vec<u8>> {
    let packages = packages_in(folder)?;
    if !packages.is_empty() {
        let (made, packer) = packages::blob(&packages)?;
        let (packages, declarations) = packer.counts();
        println!(
            "{packages} packages, {declarations} declarations, {} bytes",
            made.len()
        );
        return Ok(made);
    }

    let (mut assemblies, mut libraries) = (BTreeMap::new(), BTreeMap::new());
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_framework(&name) {
            assemblies.insert(name, std::fs::read(entry.path())?);
        } else if let Some(library) = declarations::library(&name) {
            libraries.insert(library, std::fs::read_to_string(entry.path())?);
        }
    }

    let (made, (declared, members)) = if libraries.is_empty() {
        let (made, packer) = blob(&assemblies)?;
        (made, packer.counts())
    } else {
        let (made, packer) = declarations::blob(&libraries)?;
        (made, packer.counts())
    };

    println!(
        "{} files, {declared} declarations, {members} members, {} bytes",
        assemblies.len() + libraries.len(),
        made.len()
    );
    Ok(made)
}

/// Returns the packages in `node_modules` by name.
fn packages_in(folder: &Path) -> Result<BTreeMap<String, Files>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder.join("node_modules"))
        .into_iter()
        .flatten()
    {
        let path = entry?.path();

        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();

        if name.starts_with('@') {
            for entry in std::fs::read_dir(&path)? {
                let entry = entry?;
                all.insert(
                    format!("{name}/{}", entry.file_name().to_string_lossy()),
                    files_in(&entry.path())?,
                );
            }
        } else if path.join("package.json").exists() {
            all.insert(name, files_in(&path)?);
        }
    }
    Ok(all)
}

fn files_in(folder: &Path) -> Result<Files> {
    let (mut files, mut open) = (Files::new(), vec![folder.to_owned()]);

    while let Some(inner) = open.pop() {
        for entry in std::fs::read_dir(&inner)? {
            let path = entry?.path();
            let relative = path
                .strip_prefix(folder)?
                .to_string_lossy()
                .replace('\\', "/");

            if path.is_dir() {
                open.push(path);
            } else if relative.ends_with(".d.ts") || relative == "package.json" {
                files.insert(relative, std::fs::read_to_string(&path)?);
            }
        }
    }
    Ok(files)
}
