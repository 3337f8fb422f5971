//! Tries the packages of this machine's platform: each is installed in an empty folder, its
//! licences are listed from inside it, and its program answers a question.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::release::packages::bundle_name;
use crate::release::platform::Platform;
use crate::release::project::Project;
use crate::release::{sha256, wheel};

/// Licence files in every package.
const PAPERS: [&str; 3] = ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-NOTICES.md"];

pub fn run(project: &Project, platform: &Platform, out: &Path) -> anyhow::Result<()> {
    let trial = Trial {
        folder: tempfile::tempdir()?,
        version: &project.version,
    };
    let file = |name: String| out.join(name);
    let version = &project.version;

    let archive = file(platform.archive(version));
    let unpacked = trial.unpack("archive", &archive)?;
    trial.answers("archive", &found(&unpacked, platform.program())?)?;

    let npm = trial.empty("npm")?;
    let own = file(format!("codeagent-{}-{version}.tgz", platform.name));
    let launcher = file(format!("codeagent-{version}.tgz"));
    let mut install = Command::new(npm_command("npm"));
    install.args(["install", "--no-audit", "--no-fund", "--omit=optional"]);
    output_of(install.arg(&own).arg(&launcher).current_dir(&npm))?;
    listed("npm launcher", &npm.join("node_modules/codeagent"))?;
    listed(
        "npm binary",
        &npm.join(format!("node_modules/codeagent-{}", platform.name)),
    )?;
    trial.answers("npm", &npm.join("node_modules/.bin/codeagent"))?;

    let python = trial.empty("python")?;
    let binary = fs::read(found(&unpacked, platform.program())?)?;
    let wheel = file(wheel::name(project, &wheel::tag(platform, &binary)));
    output_of(
        Command::new("python3")
            .args(["-m", "venv", "venv"])
            .current_dir(&python),
    )?;
    let mut install = Command::new(python.join("venv/bin/pip"));
    output_of(
        install
            .args(["install", "--no-index", "--disable-pip-version-check"])
            .arg(&wheel),
    )?;
    let site = found(&python, &format!("codeagent-{version}.dist-info"))?;
    listed("wheel", &site.join("licenses"))?;
    trial.answers("wheel", &python.join("venv/bin/codeagent"))?;

    let bundle = trial.unpack("bundle", &file(bundle_name(project, platform)))?;
    let mut check = Command::new(npm_command("npx"));
    check.args([
        "-y",
        "@anthropic-ai/mcpb@2.1.2",
        "validate",
        "manifest.json",
    ]);
    println!("{}", output_of(check.current_dir(&bundle))?.trim());
    trial.answers("bundle", &bundle.join("server").join(platform.program()))?;

    crates(project)?;
    sums(out)
}

struct Trial<'a> {
    folder: tempfile::TempDir,
    version: &'a str,
}

impl Trial<'_> {
    fn empty(&self, name: &str) -> anyhow::Result<PathBuf> {
        let folder = self.folder.path().join(name);
        fs::create_dir(&folder)?;
        Ok(folder)
    }

    fn unpack(&self, name: &str, archive: &Path) -> anyhow::Result<PathBuf> {
        let folder = self.empty(name)?;
        let is_tar = archive.extension().is_some_and(|ending| ending == "gz");
        let mut command = Command::new(if is_tar { "tar" } else { "unzip" });
        command.arg(if is_tar { "xzf" } else { "-q" });
        output_of(command.arg(archive).current_dir(&folder))?;
        let papers = found(&folder, PAPERS[0])?;
        listed(name, papers.parent().unwrap_or(&folder))?;
        Ok(folder)
    }

    /// Checks the program's version, and its answer about the demo.
    fn answers(&self, name: &str, program: &Path) -> anyhow::Result<()> {
        let data = self.folder.path().join("indexes");
        let run = |argument: &str| {
            let mut command = Command::new(program);
            output_of(command.arg(argument).env("CODEAGENT_DATA_DIR", &data))
        };
        let version = run("--version")?;
        ensure!(
            version.trim() == format!("codeagent {}", self.version),
            "{name}: {version}"
        );
        let demo = run("demo")?;
        ensure!(demo.contains("OrderService.Place"), "{name}: {demo}");
        println!("{name}: {} runs and answers", version.trim());
        Ok(())
    }
}

/// Lists the licences in a folder; each must be there.
fn listed(name: &str, folder: &Path) -> anyhow::Result<()> {
    for paper in PAPERS {
        let size = fs::metadata(folder.join(paper))
            .with_context(|| format!("{name} has no {paper}"))?
            .len();
        println!("{name}: {paper}, {size} bytes");
    }
    Ok(())
}

/// Checks that every published crate has its licences, notices and data.
fn crates(project: &Project) -> anyhow::Result<()> {
    for one in project.crates.iter().filter(|one| one.is_own) {
        let mut list = Command::new(env!("CARGO"));
        list.args([
            "package",
            "--list",
            "--allow-dirty",
            "--locked",
            "--package",
            &one.name,
        ]);
        let files = output_of(list.current_dir(&project.top))?;
        let has = |file: &str| files.lines().any(|line| line.replace('\\', "/") == file);
        for file in ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "Cargo.toml"] {
            ensure!(has(file), "crate {}: no {file}", one.name);
        }

        let is_data = |line: &&str| line.starts_with("data/") || line.ends_with(".sql");
        let data = files.lines().filter(is_data).count();
        let notice = files
            .lines()
            .find(|line| line.ends_with("NOTICE.md"))
            .unwrap_or("-");
        println!(
            "crate {}: {} files, {data} of data, notice {notice}",
            one.name,
            files.lines().count()
        );
    }
    Ok(())
}

fn sums(out: &Path) -> anyhow::Result<()> {
    let text = fs::read_to_string(out.join("SHA256SUMS"))?;
    for line in text.lines() {
        let (sum, name) = line
            .split_once("  ")
            .context("a line of SHA256SUMS has no name")?;
        ensure!(sha256(&out.join(name))? == sum, "{name} has another hash");
    }
    println!("SHA256SUMS: {} files, all as stated", text.lines().count());
    Ok(())
}

/// Finds a file or folder by name.
fn found(folder: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_name() == *name {
                return Ok(entry.path());
            }
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            }
        }
    }
    anyhow::bail!("there is no {name}")
}

fn npm_command(name: &str) -> String {
    if cfg!(windows) {
        format!("{name}.cmd")
    } else {
        name.to_owned()
    }
}

/// Runs a command and returns its output.
fn output_of(command: &mut Command) -> anyhow::Result<String> {
    let output = command
        .output()
        .with_context(|| format!("{command:?} cannot be run"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} failed: {text}{error}");
    Ok(text)
}
