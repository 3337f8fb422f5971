//! The wheel: the binary as a script, and nothing of Python.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use crate::release::archive::{self, Entry};
use crate::release::packages::{Papers, PlatformBuild};
use crate::release::platform::Platform;
use crate::release::project::Project;

pub fn make(build: &PlatformBuild<'_>) -> anyhow::Result<()> {
    let (project, papers) = (build.project, build.papers);
    let tag = tag(build.platform, build.binary);
    let version = &project.version;
    let (data, info) = (
        format!("codeagent-{version}.data"),
        format!("codeagent-{version}.dist-info"),
    );

    let mut entries = vec![
        build.program(format!("{data}/scripts/{}", build.platform.program())),
        Entry::text(format!("{info}/METADATA"), &metadata(project, papers)?),
        Entry::text(format!("{info}/WHEEL"), &wheel_file(&tag)),
    ];
    for licence in &papers.licences {
        let path = format!("{info}/licenses/{}", licence.path);
        entries.push(Entry {
            path,
            ..licence.clone()
        });
    }

    let record = format!("{info}/RECORD");
    let lines: String = entries.iter().map(recorded).collect();
    entries.push(Entry::text(&record, &format!("{lines}{record},,\n")));

    build.write(&name(project, &tag), &archive::zip(&entries)?)
}

/// Returns the text of the file `WHEEL`.
fn wheel_file(tag: &str) -> String {
    let tags: String = tag
        .split('.')
        .map(|tag| format!("Tag: py3-none-{tag}\n"))
        .collect();
    format!("Wheel-Version: 1.0\nGenerator: codeagent\nRoot-Is-Purelib: false\n{tags}")
}

/// Returns the file name of a wheel.
pub fn name(project: &Project, tag: &str) -> String {
    format!("codeagent-{}-py3-none-{tag}.whl", project.version)
}

/// Returns the tag of a binary. One for Linux that needs a loader runs only where its C library is
/// as new as on the machine that built it; a package index refuses its tag.
pub fn tag(platform: &Platform, binary: &[u8]) -> String {
    const LOADER: &[u8] = b"/ld-linux";
    let is_static = !binary.windows(LOADER.len()).any(|part| part == LOADER);
    match platform.name {
        "linux-x64" if !is_static => "linux_x86_64".to_owned(),
        "linux-arm64" if !is_static => "linux_aarch64".to_owned(),
        _ => platform.wheel.to_owned(),
    }
}

fn recorded(entry: &Entry) -> String {
    let hash = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&entry.bytes));
    format!("{},sha256={hash},{}\n", entry.path, entry.bytes.len())
}

/// Returns the core metadata, version 2.4. The MCP registry looks for `mcp-name` in it.
fn metadata(project: &Project, papers: &Papers) -> anyhow::Result<String> {
    let mut text = format!(
        "Metadata-Version: 2.4\nName: codeagent\nVersion: {}\nSummary: {}\nAuthor: {}\nLicense-Expression: {}\n",
        project.version, project.description, project.author, project.license
    );
    for licence in &papers.licences {
        text += &format!("License-File: {}\n", licence.path);
    }
    text += &format!(
        "Keywords: {}\nRequires-Python: >=3.8\n",
        project.keywords.join(",")
    );
    for (label, address) in [
        ("Homepage", project.homepage.clone()),
        ("Repository", project.repository.clone()),
        ("Issues", format!("{}/issues", project.repository)),
        (
            "Changelog",
            format!("{}/blob/main/CHANGELOG.md", project.repository),
        ),
    ] {
        text += &format!("Project-URL: {label}, {address}\n");
    }

    let name = project.packaging_json("server.json")?;
    let name = name["name"].as_str().unwrap_or_default();
    let readme = &papers.readme;
    text += &format!(
        "Description-Content-Type: text/markdown\n\n{readme}\n<!-- mcp-name: {name} -->\n"
    );
    Ok(text)
}
