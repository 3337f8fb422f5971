//! `cargo xtask release`: sets the version, dates the changelog and makes every package of a
//! release in one folder.
//!
//! Packages are made from built binaries, so one machine makes those of all platforms. Everything
//! that names the project (addresses, authors, licence) comes from `[workspace.package]`.
//!
//! Limitations: publishes nothing. Only the packages of this machine's platform can be tried.

mod archive;
mod bump;
mod channels;
mod notices;
mod packages;
mod platform;
mod project;
mod sbom;
mod trial;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail, ensure};
use sha2::{Digest as _, Sha256};

use packages::{Papers, PlatformBuild};
use platform::Platform;
use project::Project;

/// Sets the version and makes the packages of a release
#[derive(clap::Args)]
pub struct Options {
    /// The new version; without it, packages are made of the version as it is
    version: Option<String>,
    /// Leave the work tree as it is, and try every package in an empty folder
    #[arg(long)]
    dry_run: bool,
    /// A built binary, for example linux-x64=target/dist/codeagent; may be repeated [default: build
    /// one for this machine]
    #[arg(long, value_name = "PLATFORM=FILE")]
    binary: Vec<String>,
    /// Folder of the packages; its contents are removed
    #[arg(long, default_value = "target/release-packages")]
    out: PathBuf,
}

pub fn run(options: &Options) -> anyhow::Result<()> {
    let mut project = Project::read(&top())?;
    if let Some(version) = &options.version {
        let changes = bump::changes(&project, version)?;
        for change in &changes {
            println!("version {version}: {}", change.path.display());
        }
        if !options.dry_run {
            bump::write(&project, &changes)?;
            project = Project::read(&top())?;
        }
    }

    let binaries = binaries(options)?;
    renew(&options.out)?;
    let out = options.out.canonicalize()?;
    make(&project, &binaries, &out)?;
    println!("\npackages of {} in {}:", project.version, out.display());
    for name in names(&out)? {
        println!("{:>10}  {name}", fs::metadata(out.join(&name))?.len());
    }

    if options.dry_run {
        let here = Platform::of_this_machine()?;
        ensure!(
            binaries
                .iter()
                .any(|(platform, _)| platform.name == here.name),
            "no binary for {} to try; add --binary {}=FILE",
            here.name,
            here.name
        );
        trial::run(&project, here, &out)?;
    } else if let Some(version) = &options.version {
        println!(
            "\nnext: commit, `git tag v{version}` and push the tag; the workflow drafts the release"
        );
    }
    Ok(())
}

/// Makes the packages of every platform, and what describes them all.
fn make(project: &Project, binaries: &[(&Platform, PathBuf)], out: &Path) -> anyhow::Result<()> {
    let papers = Papers::of(project)?;
    packages::npm_launcher(project, &papers, out)?;
    for (platform, binary) in binaries {
        let binary =
            fs::read(binary).with_context(|| format!("cannot read {}", binary.display()))?;
        let build = PlatformBuild {
            project,
            papers: &papers,
            platform,
            binary: &binary,
            out,
        };

        packages::npm_binary(&build)?;
        packages::bundle(&build)?;
        packages::archive(&build)?;
        wheel::make(&build)?;
    }

    fs::write(out.join("sbom.cdx.json"), sbom::text(project)?)?;
    channels::write(project, out)?;
    fs::write(
        out.join("release-notes.md"),
        bump::notes(&project.text("CHANGELOG.md")?, &project.version)?,
    )?;

    let mut sums = String::new();
    for name in names(out)? {
        sums += &format!("{}  {name}\n", sha256(&out.join(&name))?);
    }
    Ok(fs::write(out.join("SHA256SUMS"), sums)?)
}

/// Returns the binaries to pack; builds one if none is named.
fn binaries(options: &Options) -> anyhow::Result<Vec<(&'static Platform, PathBuf)>> {
    if !options.binary.is_empty() {
        return options.binary.iter().map(|text| binary(text)).collect();
    }

    let here = Platform::of_this_machine()?;
    let built = Command::new(env!("CARGO"))
        .args([
            "build",
            "--profile",
            "dist",
            "--locked",
            "--bin",
            "codeagent",
        ])
        .current_dir(top())
        .status()?;
    ensure!(built.success(), "the build failed");
    Ok(vec![(here, top().join("target/dist").join(here.program()))])
}

fn binary(text: &str) -> anyhow::Result<(&'static Platform, PathBuf)> {
    let Some((name, path)) = text.split_once('=') else {
        bail!("`{text}` is not PLATFORM=FILE");
    };
    Ok((Platform::of_name(name)?, path.into()))
}

/// Returns the top of the work tree.
fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn renew(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        let is_ours = names(folder)?.is_empty() || folder.join("SHA256SUMS").is_file();
        ensure!(
            is_ours,
            "{} holds other files; name an empty folder",
            folder.display()
        );
        fs::remove_dir_all(folder)?;
    }
    Ok(fs::create_dir_all(folder)?)
}

/// Returns the names of the files in a folder, in order.
fn names(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn sha256(path: &Path) -> anyhow::Result<String> {
    Ok(hex(&Sha256::digest(fs::read(path)?)))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
