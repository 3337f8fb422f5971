//! `THIRD-PARTY-NOTICES.md`: the licences of what the binary contains, namely the built-in
//! declarations of libraries, the page's libraries and the linked crates.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::release::project::{Crate, Project};

/// Notices of the work tree: data, C code and JavaScript that are compiled in.
const OWN: [&str; 4] = [
    "crates/codeagent-csharp/data/NOTICE.md",
    "crates/codeagent-typescript/data/NOTICE.md",
    "crates/codeagent-view/page/NOTICE.md",
    "crates/codeagent-workspace/NOTICE.md",
];

/// Depth in a crate's sources at which C code keeps its licence.
const DEPTH: usize = 3;

const HEAD: &str = "# Third-party notices\n\nThe program `codeagent` contains the declarations of libraries and the crates below.\n";

pub fn text(project: &Project) -> anyhow::Result<String> {
    let mut text = HEAD.to_owned();
    for path in OWN {
        text += &format!("\n{}", project.text(path)?.replacen("# ", "## ", 1));
    }

    let foreign: Vec<&Crate> = project.crates.iter().filter(|one| !one.is_own).collect();
    text += "\n## Crates\n\n| crate | licence | source |\n|---|---|---|\n";
    for one in &foreign {
        let source = one.repository.as_deref().unwrap_or_default();
        text += &format!(
            "| {} {} | {} | {source} |\n",
            one.name, one.version, one.license
        );
    }

    // Many crates have the same text.
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in &foreign {
        let name = format!("{} {}", one.name, one.version);
        let licences = licences(one)?;
        if licences.is_empty() {
            let missing = format!(
                "The crate has no licence file; its licence is {}.",
                one.license
            );
            users.entry(missing).or_default().push(name.clone());
        }
        for licence in licences {
            let users = users.entry(licence).or_default();
            if users.last() != Some(&name) {
                users.push(name.clone());
            }
        }
    }

    let mut texts: Vec<_> = users.into_iter().collect();
    texts.sort_by(|left, right| left.1.cmp(&right.1));
    for (licence, users) in texts {
        let fence = if licence.contains("```") {
            "~~~~"
        } else {
            "```"
        };
        text += &format!(
            "\n### {}\n\n{fence}text\n{licence}\n{fence}\n",
            users.join(", ")
        );
    }
    Ok(text)
}

/// Returns the licence texts of a crate. Of an alternative with MIT, that one is taken.
fn licences(one: &Crate) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    collect(&one.folder, DEPTH, &mut found)?;
    found.sort();

    let is_mit = |name: &str| name.to_uppercase().contains("MIT");
    let has_choice = one.license.contains(" OR ") && one.license.contains("MIT");
    let has_mit = found.iter().any(|(name, _)| is_mit(name));
    let is_other = |name: &str| name.to_uppercase().contains("APACHE");
    let taken = found
        .into_iter()
        .filter(|(name, _)| !(has_choice && has_mit && is_other(name)));
    Ok(taken.map(|(_, text)| text).collect())
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<(String, String)>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            // Tests and fuzzing are not linked.
            if depth > 0 && !["tests", "fuzz", "benches", "examples"].contains(&name.as_str()) {
                collect(&entry.path(), depth - 1, found)?;
            }
            continue;
        }

        let upper = name.to_uppercase();
        let is_licence = [
            "LICENSE",
            "LICENCE",
            "COPYING",
            "COPYRIGHT",
            "NOTICE",
            "UNLICENSE",
        ]
        .iter()
        .any(|head| upper.starts_with(head));
        let is_text = !Path::new(&name).extension().is_some_and(|ending| {
            ["rs", "toml", "json", "html", "spdx", "license"]
                .iter()
                .any(|other| ending == *other)
        });
        if is_licence
            && is_text
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
            found.push((name, lines.join("\n").trim().to_owned()));
        }
    }
    Ok(())
}
