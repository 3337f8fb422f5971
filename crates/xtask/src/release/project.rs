//! Properties of the project that every package states, read from the workspace's `Cargo.toml`, and
//! the crates linked into the binary.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use serde_json::Value;

pub struct Project {
    pub top: PathBuf,
    pub version: String,
    pub description: String,
    pub license: String,
    pub author: String,
    pub repository: String,
    pub homepage: String,
    pub keywords: Vec<String>,
    /// Linked crates, by name and version.
    pub crates: Vec<Crate>,
    /// For each crate's id, the ids of the linked crates it depends on.
    pub links: BTreeMap<String, BTreeSet<String>>,
}

/// A crate that is linked into the binary.
pub struct Crate {
    pub id: String,
    pub name: String,
    pub version: String,
    /// An SPDX expression.
    pub license: String,
    pub repository: Option<String>,
    /// The folder of its sources.
    pub folder: PathBuf,
    /// Whether it is one of this workspace.
    pub is_own: bool,
}

impl Project {
    pub fn read(top: &Path) -> anyhow::Result<Self> {
        let top = top.canonicalize()?;
        let metadata = metadata(&top)?;
        let packages = metadata["packages"].as_array().context("no packages")?;
        let own = packages
            .iter()
            .find(|package| package["name"] == "codeagent")
            .context("no package `codeagent`")?;

        let links = links(&metadata, text(own, "id"));
        let mut crates: Vec<Crate> = packages
            .iter()
            .filter(|package| links.contains_key(text(package, "id")))
            .map(linked)
            .collect();
        crates
            .sort_by(|left, right| (&left.name, &left.version).cmp(&(&right.name, &right.version)));

        let keywords = own["keywords"].as_array().into_iter().flatten();
        Ok(Self {
            version: text(own, "version").to_owned(),
            description: text(own, "description").to_owned(),
            license: text(own, "license").to_owned(),
            author: own["authors"][0].as_str().unwrap_or_default().to_owned(),
            repository: text(own, "repository").to_owned(),
            homepage: text(own, "homepage").to_owned(),
            keywords: keywords
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            crates,
            links,
            top,
        })
    }

    /// Returns the text of a file of the work tree.
    pub fn text(&self, path: &str) -> anyhow::Result<String> {
        let path = self.top.join(path);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    }

    /// Returns the text of a file of the packaging folder.
    pub fn packaging(&self, path: &str) -> anyhow::Result<String> {
        self.text(&format!("crates/codeagent-cli/packaging/{path}"))
    }

    /// Returns the JSON of a file of the packaging folder.
    pub fn packaging_json(&self, path: &str) -> anyhow::Result<Value> {
        serde_json::from_str(&self.packaging(path)?).with_context(|| path.to_owned())
    }

    /// Returns the address of a file of this version's release.
    pub fn download(&self, file: &str) -> String {
        format!(
            "{}/releases/download/v{}/{file}",
            self.repository, self.version
        )
    }
}

fn metadata(top: &Path) -> anyhow::Result<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(top)
        .output()?;
    let printed = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cargo metadata failed: {printed}");
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn text<'a>(package: &'a Value, key: &str) -> &'a str {
    package[key].as_str().unwrap_or_default()
}

fn linked(package: &Value) -> Crate {
    let manifest = Path::new(text(package, "manifest_path"));
    Crate {
        id: text(package, "id").to_owned(),
        name: text(package, "name").to_owned(),
        version: text(package, "version").to_owned(),
        // The older form of an alternative is not an SPDX expression.
        license: text(package, "license").replace('/', " OR "),
        repository: package["repository"].as_str().map(str::to_owned),
        folder: manifest.parent().unwrap_or(manifest).to_owned(),
        is_own: package["source"].is_null(),
    }
}

/// Follows the normal dependencies of a package, on all platforms.
fn links(metadata: &Value, start: &str) -> BTreeMap<String, BTreeSet<String>> {
    let nodes = metadata["resolve"]["nodes"].as_array();
    let nodes: BTreeMap<&str, &Value> = nodes
        .into_iter()
        .flatten()
        .map(|node| (text(node, "id"), node))
        .collect();

    let mut links = BTreeMap::new();
    let mut open = vec![start.to_owned()];
    while let Some(id) = open.pop() {
        if links.contains_key(&id) {
            continue;
        }

        let dependencies = nodes
            .get(id.as_str())
            .and_then(|node| node["deps"].as_array());
        let is_normal = |dependency: &&Value| {
            let mut kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
            kinds.any(|kind| kind["kind"].is_null())
        };
        let ids: BTreeSet<String> = dependencies
            .into_iter()
            .flatten()
            .filter(is_normal)
            .map(|dependency| text(dependency, "pkg").to_owned())
            .collect();
        open.extend(ids.iter().cloned());
        links.insert(id, ids);
    }
    links
}
