//! The scripts of `package.json` files that a command runs, and those that these run: `npm-run-all check serve`.
//!
//! Limitations: a word of a command that has the name of a script stands for that script; shells are not understood.

use codeagent_workspace::RepoPath;
use serde_json::{Map, Value};

use super::graph::folder_of;
use crate::query::{QueryError, Sources};
use crate::store;

/// First words of commands that run scripts of the package.
const RUNNERS: [&str; 9] = [
    "bun",
    "concurrently",
    "npm",
    "npm-run-all",
    "npm-run-all2",
    "pnpm",
    "run-p",
    "run-s",
    "yarn",
];

/// Maximum number of scripts that run each other.
const MAX_DEPTH: usize = 4;

/// A script that a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunScript {
    /// Path of the `package.json`.
    pub manifest: String,
    /// 1-based line of the script.
    pub line: u32,
    /// Name of the script.
    pub name: String,
    /// Its command.
    pub command: String,
    /// Number of scripts between the command and this one.
    pub depth: usize,
}

/// Returns the scripts that a command runs, each followed by those that it runs. `path` is the file with the command;
/// the `package.json` files of the folders around it are read, the nearest first, then the others.
pub fn scripts_run(
    sources: &Sources<'_>,
    path: &str,
    command: &str,
) -> Result<Vec<RunScript>, QueryError> {
    let inputs = store::inputs(sources.snapshot())?;
    let mut manifests: Vec<&str> = inputs.iter().map(|input| input.path.as_str()).collect();
    manifests.retain(|path| path.rsplit('/').next() == Some("package.json"));
    manifests.sort_by_key(|manifest| {
        let folder = folder_of(manifest);
        let is_around = folder == "." || path.starts_with(&format!("{folder}/"));
        (
            !is_around,
            std::cmp::Reverse(folder.len() * usize::from(is_around)),
        )
    });

    for manifest in manifests {
        let read = RepoPath::new(manifest).ok();
        let Some(Ok(read)) = read.map(|path| sources.workspace().read(&path)) else {
            continue;
        };
        let scripts = Scripts::of(manifest, &read.text);
        let mut run = Vec::new();
        scripts.run_by(command, 0, &mut run);
        if !run.is_empty() {
            return Ok(run);
        }
    }
    Ok(Vec::new())
}

/// The scripts of a `package.json`.
struct Scripts<'t> {
    manifest: &'t str,
    text: &'t str,
    commands: Map<String, Value>,
}

impl<'t> Scripts<'t> {
    fn of(manifest: &'t str, text: &'t str) -> Self {
        let package: Value = serde_json::from_str(text).unwrap_or_default();
        let commands = package.get("scripts").and_then(Value::as_object).cloned();
        Self {
            manifest,
            text,
            commands: commands.unwrap_or_default(),
        }
    }

    /// Adds the scripts that a command runs.
    fn run_by(&self, command: &str, depth: usize, run: &mut Vec<RunScript>) {
        if depth > MAX_DEPTH {
            return;
        }

        for part in command.split(['&', ';', '|']) {
            let is_between = |c: char| c.is_whitespace() || "\"'`[],".contains(c);
            let mut words = part.split(is_between).filter(|word| !word.is_empty());
            let is_runner = |word: &str| RUNNERS.contains(&word);
            if !words.next().is_some_and(is_runner) {
                continue;
            }

            for word in words {
                let name = word.strip_prefix("npm:").unwrap_or(word);
                let Some(command) = self.commands.get(name).and_then(Value::as_str) else {
                    continue;
                };
                if run.iter().any(|known| known.name == name) {
                    continue;
                }

                run.push(RunScript {
                    manifest: self.manifest.to_owned(),
                    line: self.line_of(name),
                    name: name.to_owned(),
                    command: command.to_owned(),
                    depth,
                });
                self.run_by(command, depth + 1, run);
            }
        }
    }

    /// Returns the line of a script; 1 if it is not written plainly.
    fn line_of(&self, name: &str) -> u32 {
        let key = format!("\"{name}\":");
        let scripts = self.text.find("\"scripts\"").unwrap_or_default();
        let at = self.text[scripts..].find(&key).map_or(0, |at| scripts + at);
        self.text[..at].matches('\n').count() as u32 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_runs_scripts_that_run_others() {
        let text = "{\n \"scripts\": {\n  \"start\": \"run-s check 'serve'\",\n  \"check\": \"node check.js\",\n  \"serve\": \"yarn check && node serve.js\"\n }\n}\n";
        let scripts = Scripts::of("package.json", text);
        let run = |command: &str| {
            let mut run = Vec::new();
            scripts.run_by(command, 0, &mut run);
            let run = run.into_iter();
            run.map(|script| (script.name, script.line, script.depth))
                .collect::<Vec<_>>()
        };

        let expected = [
            ("start".to_owned(), 3, 0),
            ("check".to_owned(), 4, 1),
            ("serve".to_owned(), 5, 1),
        ];

        assert_eq!(run("[\"pnpm\", \"start\"]"), expected);
        assert_eq!(run("npm run check"), [("check".to_owned(), 4, 0)]);
        assert_eq!(run("node start"), []);
    }
}
