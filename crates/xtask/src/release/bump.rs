//! The version in every manifest, and the changelog's section of a version.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, ensure};
use jiff::Zoned;

use crate::release::project::Project;

const UNRELEASED: &str = "## [Unreleased]";

/// Manifests that hold the version, besides the workspace's.
const MANIFESTS: [&str; 3] = ["npm/package.json", "mcpb/manifest.json", "server.json"];

/// A file and its new text.
pub struct Changed {
    pub path: PathBuf,
    text: String,
}

/// Returns the files that change with the version.
pub fn changes(project: &Project, version: &str) -> anyhow::Result<Vec<Changed>> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = version.split('.').collect();
    ensure!(
        parts.len() == 3 && parts.into_iter().all(is_number),
        "`{version}` is not a version such as 1.2.3"
    );

    let mut files = vec![
        (
            "Cargo.toml".to_owned(),
            with_version(&project.text("Cargo.toml")?, &project.version, version),
        ),
        (
            "CHANGELOG.md".to_owned(),
            dated(
                &project.text("CHANGELOG.md")?,
                version,
                &Zoned::now().strftime("%Y-%m-%d").to_string(),
            )?,
        ),
    ];
    for manifest in MANIFESTS {
        let text = with_version(&project.packaging(manifest)?, &project.version, version);
        files.push((format!("crates/codeagent-cli/packaging/{manifest}"), text));
    }
    let changed = |(path, text)| Changed {
        path: PathBuf::from(path),
        text,
    };
    Ok(files.into_iter().map(changed).collect())
}

/// Writes the changes, and `Cargo.lock`.
pub fn write(project: &Project, changes: &[Changed]) -> anyhow::Result<()> {
    for change in changes {
        fs::write(project.top.join(&change.path), &change.text)?;
    }
    let updated = Command::new(env!("CARGO"))
        .args(["update", "--workspace", "--offline"])
        .current_dir(&project.top)
        .status()?;
    ensure!(updated.success(), "Cargo.lock was not updated");
    Ok(())
}

/// Replaces the version where a manifest states it: on its own, or at the end of an image's name.
fn with_version(text: &str, old: &str, new: &str) -> String {
    let lines = text.lines().map(|line| {
        // Other crates may have the same version.
        let is_foreign = line.contains("= { version") && !line.contains("path =");
        if is_foreign {
            return format!("{line}\n");
        }
        let line = line.replace(&format!("\"{old}\""), &format!("\"{new}\""));
        line.replace(&format!(":{old}\""), &format!(":{new}\"")) + "\n"
    });
    lines.collect()
}

/// Gives what is unreleased the version and the date.
fn dated(changelog: &str, version: &str, date: &str) -> anyhow::Result<String> {
    ensure!(
        changelog.contains(UNRELEASED) && !changelog.contains(&format!("## [{version}]")),
        "CHANGELOG.md has no section `{UNRELEASED}`, or already has one of {version}"
    );
    let heading = format!("{UNRELEASED}\n\n## [{version}] - {date}");
    Ok(changelog.replacen(UNRELEASED, &heading, 1))
}

/// Returns the changelog's section of one version, else of what is unreleased.
pub fn notes(changelog: &str, version: &str) -> anyhow::Result<String> {
    let heading = format!("## [{version}]");
    let section = changelog
        .split_once(&heading)
        .or_else(|| changelog.split_once(UNRELEASED))
        .context("CHANGELOG.md has no section of this version")?
        .1;
    let section = section.split_once('\n').map_or("", |(_, rest)| rest);
    let notes = section.split("\n## [").next().unwrap_or_default().trim();
    ensure!(
        !notes.is_empty(),
        "CHANGELOG.md says nothing about {version}"
    );
    Ok(format!("{notes}\n"))
}

#[cfg(test)]
mod tests {
    use super::{dated, notes, with_version};

    const CHANGELOG: &str =
        "# Changelog\n\n## [Unreleased]\n\n* New.\n\n## [0.1.0] - 2026-01-01\n\n* Old.\n";

    #[test]
    fn notes_are_those_of_one_version() {
        assert_eq!(notes(CHANGELOG, "0.1.0").unwrap(), "* Old.\n");
        assert_eq!(notes(CHANGELOG, "0.2.0").unwrap(), "* New.\n");
        let released = dated(CHANGELOG, "0.2.0", "2026-02-01").unwrap();
        assert_eq!(notes(&released, "0.2.0").unwrap(), "* New.\n");
        assert!(notes(&released, "0.3.0").is_err(), "nothing is unreleased");
        assert!(dated(CHANGELOG, "0.1.0", "2026-02-01").is_err());
    }

    #[test]
    fn the_version_changes_only_where_it_is_the_projects() {
        let text = "version = \"0.1.0\"\na = { path = \"a\", version = \"0.1.0\" }\nclrmeta = { version = \"0.1.0\" }\n\"image:0.1.0\"\n";
        assert_eq!(
            with_version(text, "0.1.0", "0.2.0"),
            "version = \"0.2.0\"\na = { path = \"a\", version = \"0.2.0\" }\nclrmeta = { version = \"0.1.0\" }\n\"image:0.2.0\"\n"
        );
    }
}
