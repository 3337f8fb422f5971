//! Embeds the example repository, `tests/shop`, for `codeagent demo`.

#![allow(
    clippy::disallowed_methods,
    reason = "reads the work tree of this project, not a repository to be indexed"
)]

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    // A packaged crate has its own copy; where links are not checked out, only the original is there.
    let places = [here.join("../../tests/shop"), here.join("shop")];
    let shop = places.iter().find(|place| place.is_dir());
    let shop = shop.ok_or_else(|| io::Error::other("the example repository is missing"))?;

    let mut paths = Vec::new();
    collect(shop, &mut paths)?;
    paths.sort();

    let mut table = "&[\n".to_owned();
    for path in &paths {
        let name = path.strip_prefix(shop).map_err(io::Error::other)?;
        let name = name.to_string_lossy().replace('\\', "/");
        let whole = path.canonicalize()?;
        table += &format!(
            "    ({name:?}, include_bytes!({:?})),\n",
            whole.display().to_string()
        );
    }
    table += "]\n";

    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("shop.rs"), table)
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_file() {
            paths.push(entry.path());
        } else if name != "bin" && name != "obj" && name != "node_modules" {
            collect(&entry.path(), paths)?;
        }
    }
    Ok(())
}
