//! Manifests that name a release's files and their hashes: the MCP registry, Homebrew and winget.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::release::packages::{bundle_name, packed, pretty};
use crate::release::platform::Platform;
use crate::release::project::Project;
use crate::release::sha256;

pub fn write(project: &Project, out: &Path) -> anyhow::Result<()> {
    fs::write(out.join("server.json"), registry(project, out)?)?;
    fs::write(out.join("codeagent.rb"), homebrew(project, out)?)?;
    for (name, text) in winget(project, out)? {
        fs::write(out.join(name), text)?;
    }
    Ok(())
}

/// Adds the bundles of this release to `server.json`.
fn registry(project: &Project, out: &Path) -> anyhow::Result<String> {
    let mut server = project.packaging_json("server.json")?;
    for platform in packed(project, out) {
        let name = bundle_name(project, platform);
        let bundle = json!({
            "registryType": "mcpb",
            "identifier": project.download(&name),
            "fileSha256": sha256(&out.join(&name))?,
            "transport": { "type": "stdio" },
        });
        if let Some(packages) = server["packages"].as_array_mut() {
            packages.push(bundle);
        }
    }
    pretty(&server)
}

/// Returns the address and hash of a platform's archive; `None` if it is not packed.
fn archive(project: &Project, out: &Path, name: &str) -> anyhow::Result<Option<(String, String)>> {
    let platform = Platform::of_name(name)?;
    let file = platform.archive(&project.version);
    if !out.join(&file).is_file() {
        return Ok(None);
    }
    Ok(Some((project.download(&file), sha256(&out.join(file))?)))
}

fn homebrew(project: &Project, out: &Path) -> anyhow::Result<String> {
    let mut text = format!(
        "class Codeagent < Formula\n  desc \"Code intelligence for C# and TypeScript, on the command line and over MCP\"\n  \
         homepage \"{}\"\n  version \"{}\"\n  license any_of: [\"MIT\", \"Apache-2.0\"]\n",
        project.homepage, project.version
    );
    for (system, processors) in [
        ("macos", [("arm", "darwin-arm64"), ("intel", "darwin-x64")]),
        ("linux", [("arm", "linux-arm64"), ("intel", "linux-x64")]),
    ] {
        let mut blocks = String::new();
        for (processor, name) in processors {
            if let Some((address, hash)) = archive(project, out, name)? {
                blocks += &format!(
                    "    on_{processor} do\n      url \"{address}\"\n      sha256 \"{hash}\"\n    end\n"
                );
            }
        }
        if !blocks.is_empty() {
            text += &format!("\n  on_{system} do\n{blocks}  end\n");
        }
    }

    text += r##"
  def install
    bin.install "codeagent"
    generate_completions_from_executable(bin/"codeagent", "completions")
    (man1/"codeagent.1").write Utils.safe_popen_read(bin/"codeagent", "man")
    doc.install "README.md", "THIRD-PARTY-NOTICES.md"
  end

  test do
    assert_match "OrderService.Place", shell_output("#{bin}/codeagent demo")
  end
end
"##;
    Ok(text)
}

/// Returns the three manifests that winget wants; none without a binary for Windows.
fn winget(project: &Project, out: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let Some((address, hash)) = archive(project, out, "win32-x64")? else {
        return Ok(Vec::new());
    };

    let id = "Codeagent.Codeagent";
    let head = format!(
        "PackageIdentifier: {id}\nPackageVersion: {}\n",
        project.version
    );
    let tail = |kind: &str| format!("ManifestType: {kind}\nManifestVersion: 1.6.0\n");
    let installer = format!(
        "{head}InstallerType: zip\nNestedInstallerType: portable\nNestedInstallerFiles:\n- RelativeFilePath: codeagent.exe\n  \
         PortableCommandAlias: codeagent\nInstallers:\n- Architecture: x64\n  InstallerUrl: {address}\n  InstallerSha256: {}\n{}",
        hash.to_uppercase(),
        tail("installer")
    );
    let locale = format!(
        "{head}PackageLocale: en-US\nPublisher: {}\nPackageName: codeagent\nPackageUrl: {}\nPublisherSupportUrl: {}/issues\n\
         License: {}\nLicenseUrl: {}/blob/main/LICENSE-MIT\nShortDescription: Code intelligence for C# and TypeScript\nTags:\n- mcp\n- csharp\n- typescript\n{}",
        project.author,
        project.homepage,
        project.repository,
        project.license,
        project.repository,
        tail("defaultLocale")
    );
    Ok(vec![
        (
            format!("{id}.yaml"),
            format!("{head}DefaultLocale: en-US\n{}", tail("version")),
        ),
        (format!("{id}.installer.yaml"), installer),
        (format!("{id}.locale.en-US.yaml"), locale),
    ])
}
