//! The npm packages, the MCP bundle and the plain archive of a binary.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::release::archive::{self, Entry};
use crate::release::notices;
use crate::release::platform::{PLATFORMS, Platform};
use crate::release::project::Project;

/// What is in every package: the README and the licences.
pub struct Papers {
    /// The README with links that work outside the repository.
    pub readme: String,
    pub licences: Vec<Entry>,
}

/// What the packages of one platform are made from.
pub struct PlatformBuild<'a> {
    pub project: &'a Project,
    pub papers: &'a Papers,
    pub platform: &'a Platform,
    /// The program's bytes.
    pub binary: &'a [u8],
    /// Folder of the packages.
    pub out: &'a Path,
}

impl Papers {
    pub fn of(project: &Project) -> anyhow::Result<Self> {
        Ok(Self {
            readme: with_full_links(
                &project.text("README.md")?,
                &project.repository,
                &project.version,
            ),
            licences: vec![
                Entry::text("LICENSE-MIT", &project.text("LICENSE-MIT")?),
                Entry::text("LICENSE-APACHE", &project.text("LICENSE-APACHE")?),
                Entry::text("THIRD-PARTY-NOTICES.md", &notices::text(project)?),
            ],
        })
    }

    /// Returns the README and the licences.
    fn entries(&self) -> Vec<Entry> {
        let mut entries = vec![Entry::text("README.md", &self.readme)];
        entries.extend(self.licences.clone());
        entries
    }
}

impl PlatformBuild<'_> {
    /// Returns the program as a package's entry.
    pub fn program(&self, path: impl Into<String>) -> Entry {
        Entry::program(path, self.binary)
    }

    /// Writes a package with this file name.
    pub fn write(&self, name: &str, package: &[u8]) -> anyhow::Result<()> {
        Ok(fs::write(self.out.join(name), package)?)
    }
}

/// Makes links relative to the repository into addresses of this version's files.
fn with_full_links(text: &str, repository: &str, version: &str) -> String {
    let raw = repository.replace("github.com", "raw.githubusercontent.com");
    let mut parts = text.split("](");
    let mut full = parts.next().unwrap_or_default().to_owned();

    for part in parts {
        full += "](";

        if !part.starts_with("http") && !part.starts_with('#') {
            let target = part.split(')').next().unwrap_or_default();
            let is_picture = target.ends_with(".svg") || target.ends_with(".png");
            full += &if is_picture {
                format!("{raw}/v{version}/")
            } else {
                format!("{repository}/blob/v{version}/")
            };
        }

        full += part;
    }

    full
}

/// Adds what every `package.json` says about the project.
fn described(project: &Project, mut package: Value) -> Value {
    package["license"] = json!(project.license);
    package["author"] = json!(project.author);
    package["homepage"] = json!(project.homepage);
    package["repository"] =
        json!({ "type": "git", "url": format!("git+{}.git", project.repository) });
    package["bugs"] = json!({ "url": format!("{}/issues", project.repository) });
    package
}

/// Makes the npm package that picks and runs the binary of the platform.
pub fn npm_launcher(project: &Project, papers: &Papers, out: &Path) -> anyhow::Result<()> {
    let package = described(project, project.packaging_json("npm/package.json")?);
    let mut entries = papers.entries();
    entries.push(Entry::text("package.json", &pretty(&package)?));
    entries.push(Entry::program(
        "codeagent.js",
        project.packaging("npm/codeagent.js")?.as_bytes(),
    ));
    let path = out.join(format!("codeagent-{}.tgz", project.version));
    Ok(fs::write(path, archive::tar_gz("package", &entries)?)?)
}

/// Makes the npm package of one platform's binary.
pub fn npm_binary(build: &PlatformBuild<'_>) -> anyhow::Result<()> {
    let (project, platform) = (build.project, build.platform);
    let package = json!({
        "name": format!("codeagent-{}", platform.name),
        "version": project.version,
        "description": format!("The binary of codeagent for {}.", platform.name),
        "os": [platform.system()],
        "cpu": [platform.processor()],
        "preferUnplugged": true,
    });
    let package = pretty(&described(project, package))?;
    let readme = format!(
        "The binary of [codeagent]({}) for {}. Install the package `codeagent`.\n",
        project.homepage, platform.name
    );

    let mut entries = build.papers.licences.clone();
    entries.push(Entry::text("README.md", &readme));
    entries.push(Entry::text("package.json", &package));
    entries.push(build.program(platform.program()));

    let name = format!("codeagent-{}-{}.tgz", platform.name, project.version);
    build.write(&name, &archive::tar_gz("package", &entries)?)
}

/// Makes the MCP bundle of one platform.
pub fn bundle(build: &PlatformBuild<'_>) -> anyhow::Result<()> {
    let program = format!("server/{}", build.platform.program());
    let manifest = bundle_manifest(build.project, build.platform, &program)?;

    let mut entries = build.papers.entries();
    entries.push(Entry::text("manifest.json", &pretty(&manifest)?));
    entries.push(build.program(program));

    let name = bundle_name(build.project, build.platform);
    build.write(&name, &archive::zip(&entries)?)
}

/// Returns the manifest of a bundle with the program at this path.
fn bundle_manifest(project: &Project, platform: &Platform, program: &str) -> anyhow::Result<Value> {
    let mut manifest = project.packaging_json("mcpb/manifest.json")?;

    manifest["author"] = json!({ "name": project.author });
    manifest["license"] = json!(project.license);
    manifest["homepage"] = json!(project.homepage);
    manifest["documentation"] = json!(project.homepage);
    manifest["support"] = json!(format!("{}/issues", project.repository));
    manifest["repository"] = json!({ "type": "git", "url": project.repository });

    manifest["server"]["entry_point"] = json!(program);
    manifest["server"]["mcp_config"]["command"] = json!(format!("${{__dirname}}/{program}"));
    manifest["compatibility"]["platforms"] = json!([platform.system()]);

    Ok(manifest)
}

pub fn bundle_name(project: &Project, platform: &Platform) -> String {
    format!("codeagent-{}-{}.mcpb", project.version, platform.name)
}

/// Makes the plain archive, which Homebrew, winget and the Docker image take the binary from.
pub fn archive(build: &PlatformBuild<'_>) -> anyhow::Result<()> {
    let (platform, version) = (build.platform, &build.project.version);
    let mut entries = build.papers.entries();
    entries.push(build.program(platform.program()));

    let bytes = if platform.is_windows() {
        archive::zip(&entries)?
    } else {
        archive::tar_gz(&format!("codeagent-{version}"), &entries)?
    };
    build.write(&platform.archive(version), &bytes)
}

/// Returns the platforms of which `out` holds a package.
pub fn packed(project: &Project, out: &Path) -> Vec<&'static Platform> {
    let is_packed = |platform: &&Platform| out.join(platform.archive(&project.version)).is_file();
    PLATFORMS.iter().filter(is_packed).collect()
}

pub fn pretty(value: &Value) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::with_full_links;

    #[test]
    fn relative_links_become_addresses_of_the_version() {
        let text =
            "![picture](docs/a.svg) [page](docs/b.md#part) [site](https://x.y/) [here](#part)";
        let full = with_full_links(text, "https://github.com/o/r", "1.2.3");
        assert_eq!(
            full,
            "![picture](https://raw.githubusercontent.com/o/r/v1.2.3/docs/a.svg) \
             [page](https://github.com/o/r/blob/v1.2.3/docs/b.md#part) [site](https://x.y/) [here](#part)"
        );
    }
}
