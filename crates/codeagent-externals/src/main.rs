//! `codeagent-externals FOLDER BLOB [--check]`: makes the blob of the framework assemblies in a folder, or says whether it still is the same.
//!
//! **Limits.** Which package the folder comes from stands in `crates/codeagent-core/data/NOTICE.md`; nothing is fetched.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a tool for developers")]

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use codeagent_externals::{blob, is_framework};

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (folder, path, check) = match &args[..] {
        [folder, path] => (folder, path, false),
        [folder, path, flag] if flag == "--check" => (folder, path, true),
        _ => bail!("usage: codeagent-externals FOLDER BLOB [--check]"),
    };
    let mut assemblies = BTreeMap::new();
    for entry in std::fs::read_dir(Path::new(folder)).with_context(|| folder.clone())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_framework(&name) {
            assemblies.insert(name, std::fs::read(entry.path())?);
        }
    }
    let (made, packer) = blob(&assemblies)?;
    let (types, members) = packer.counts();
    println!("{} assemblies, {types} types, {members} members, {} bytes", assemblies.len(), made.len());
    if !check {
        return std::fs::write(path, made).with_context(|| path.clone());
    }
    if std::fs::read(path).with_context(|| path.clone())? != made {
        bail!("{path} is another blob than the assemblies give");
    }
    println!("{path} is what the assemblies give");
    Ok(())
}
