//! MCP clients and how they are configured: with the client's own command if it has one on the
//! path, otherwise by one entry in its settings file.
//!
//! An existing entry keeps its keys: only the command and its arguments change, and the user's own
//! arguments stay. What `install` created besides the entry is recorded, and `uninstall` removes no
//! more than that.
//!
//! Limitations: only the user's settings, never those of a project.

mod files;
mod jsonc;
mod record;
mod table;
mod toml;

pub use table::{CLIENTS, Client};

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use serde_json::Value;

use files::{diff, read, write};
use record::Created;
use table::{OwnCommand, home};

/// The server's name in clients' settings.
const NAME: &str = "codeagent";

/// The arguments of a new entry.
const ARGUMENTS: [&str; 3] = ["mcp", "--profile", "agent"];

/// The arguments of entries written by older versions.
const OLDER_ARGUMENTS: [&str; 1] = ["mcp"];

/// The table of our entry in a TOML file, and its keys.
const TABLE: &str = "mcp_servers.codeagent";
const TABLE_KEYS: [&str; 2] = ["command", "args"];

/// A change that was made, or would be.
#[derive(Debug)]
pub enum Change {
    None,
    /// A changed file and the lines that differ.
    File(PathBuf, String),
    Commands(Vec<String>),
}

impl Client {
    /// Reports whether the client seems to be installed: its command, or the folder of its file,
    /// exists.
    pub fn is_present(&self) -> bool {
        let own = self
            .command
            .as_ref()
            .is_some_and(|own| on_path(own.program).is_some());
        let folder = self
            .sign
            .map(|sign| sign())
            .unwrap_or_else(|| (self.file)().and_then(|file| file.parent().map(Path::to_owned)));
        // The home folder itself is no sign of a client.
        own || self
            .program
            .is_some_and(|program| on_path(program).is_some())
            || folder.is_some_and(|folder| Some(&folder) != home().as_ref() && folder.is_dir())
    }

    /// Returns whether the client has our entry, and whether it starts `program` as needed.
    pub fn state(&self, program: &str) -> anyhow::Result<EntryState> {
        let text = read(&self.path()?)?;
        let Some(servers) = self.servers else {
            let table = toml::table(&text, TABLE);
            return Ok(table.map_or(EntryState::Unknown, |table| {
                let is_known = table.contains(program) && self.kept_in(toml_arguments(table));
                if is_known {
                    EntryState::Known
                } else {
                    EntryState::Other
                }
            }));
        };

        let entry = jsonc::get(&text, &[servers, NAME]).with_context(|| self.left_alone())?;
        Ok(match entry {
            None => EntryState::Unknown,
            Some(known)
                if outdated(&known, &self.wanted(program, arguments_of(&known)))
                    .is_some_and(|keys| keys.is_empty()) =>
            {
                EntryState::Known
            }
            Some(_) => EntryState::Other,
        })
    }

    /// Adds `program` to the client's servers.
    pub fn install(&self, program: &str, dry: bool) -> anyhow::Result<Change> {
        match (self.state(program)?, self.own_command()) {
            (EntryState::Known, _) => Ok(Change::None),
            (EntryState::Other, _) => self.update(program, dry),
            (EntryState::Unknown, Some((own, path))) => {
                let mut call = words(own.add, &[program]);
                call.extend(self.arguments(&ARGUMENTS));
                run(own, &path, vec![call], dry)
            }
            (EntryState::Unknown, None) => self.add(program, dry),
        }
    }

    fn add(&self, program: &str, dry: bool) -> anyhow::Result<Change> {
        let path = self.path()?;
        let entry = (self.entry)(program, &self.arguments(&ARGUMENTS));
        let text = read(&path)?;
        let has_servers = match self.servers {
            Some(servers) => jsonc::get(&text, &[servers])
                .with_context(|| self.left_alone())?
                .is_some(),
            None => true,
        };
        let created = Created {
            file: !path.exists(),
            servers: !has_servers,
        };

        let change = self.edit(dry, |text| match self.servers {
            Some(servers) => Ok(jsonc::set(text, &[servers, NAME], &entry)?),
            None => {
                let keys = TABLE_KEYS.map(|key| (key, entry[key].to_string()));
                toml::add(text, TABLE, &keys)
                    .context("`mcp_servers` is an inline table; add the entry by hand")
            }
        })?;
        if !dry {
            record::remember(&path, created)?;
        }

        Ok(change)
    }

    /// Makes the existing entry start `program`.
    fn update(&self, program: &str, dry: bool) -> anyhow::Result<Change> {
        let Some(servers) = self.servers else {
            return self.edit(dry, |text| {
                let known = toml::table(text, TABLE).and_then(toml_arguments);
                let entry = self.wanted(program, known);
                let changed = TABLE_KEYS.iter().try_fold(text.to_owned(), |text, key| toml::set(&text, TABLE, key, &entry[key].to_string()));
                changed.with_context(|| format!("`command` and `args` of [{TABLE}] are not plain strings; change them by hand"))
            });
        };

        self.edit(dry, |text| {
            let known = jsonc::get(text, &[servers, NAME])?.unwrap_or_default();
            let entry = self.wanted(program, arguments_of(&known));
            let Some(keys) = outdated(&known, &entry) else {
                return Ok(jsonc::set(text, &[servers, NAME], &entry)?);
            };
            Ok(keys.iter().try_fold(text.to_owned(), |text, key| {
                jsonc::set(&text, &[servers, NAME, key], &entry[key])
            })?)
        })
    }

    /// Returns the arguments of an entry: `common`, and the additional ones of this client.
    fn arguments(&self, common: &[&str]) -> Vec<String> {
        words(common, self.own_arguments)
    }

    /// Reports whether arguments are the user's own, or those of a new entry.
    fn kept_in(&self, known: Option<Vec<String>>) -> bool {
        known.is_some_and(|known| {
            known.first().is_some_and(|first| first == ARGUMENTS[0])
                && known != self.arguments(&OLDER_ARGUMENTS)
        })
    }

    /// Returns the entry that starts `program`, with the existing arguments if the user chose them.
    fn wanted(&self, program: &str, known: Option<Vec<String>>) -> Value {
        let arguments = match known {
            Some(known) if self.kept_in(Some(known.clone())) => known,
            _ => self.arguments(&ARGUMENTS),
        };
        (self.entry)(program, &arguments)
    }

    /// Returns the arguments of the existing entry if they are the user's own.
    pub fn own_choice(&self) -> anyhow::Result<Option<String>> {
        let text = read(&self.path()?)?;
        let known = match self.servers {
            None => toml::table(&text, TABLE).and_then(toml_arguments),
            Some(servers) => {
                jsonc::get(&text, &[servers, NAME])?.and_then(|entry| arguments_of(&entry))
            }
        };
        let is_own = |known: &Vec<String>| {
            self.kept_in(Some(known.clone())) && *known != self.arguments(&ARGUMENTS)
        };
        Ok(known.filter(is_own).map(|known| known.join(" ")))
    }

    /// Removes our entry from the client's servers.
    pub fn uninstall(&self, dry: bool) -> anyhow::Result<Change> {
        if self.state("")? == EntryState::Unknown {
            return Ok(Change::None);
        }
        if let Some((own, path)) = self.own_command() {
            return run(own, &path, vec![words(own.remove, &[])], dry);
        }

        let path = self.path()?;
        let created = record::recall(&path);
        let change = self.edit(dry, |text| {
            let rest = match self.servers {
                Some(servers) => jsonc::unset(text, &[servers, NAME], created.servers)?
                    .unwrap_or_else(|| text.to_owned()),
                None => toml::remove(text, TABLE),
            };
            Ok(if created.file && rest.trim() == "{}" {
                String::new()
            } else {
                rest
            })
        })?;

        if !dry {
            record::forget(&path)?;
        }

        Ok(change)
    }

    fn own_command(&self) -> Option<(&OwnCommand, PathBuf)> {
        let own = self.command.as_ref()?;
        Some((own, on_path(own.program)?))
    }

    fn path(&self) -> anyhow::Result<PathBuf> {
        (self.file)().context("no home folder: HOME is not set")
    }

    fn left_alone(&self) -> String {
        format!(
            "{} is not changed",
            self.path().unwrap_or_default().display()
        )
    }

    fn edit(
        &self,
        dry: bool,
        change: impl FnOnce(&str) -> anyhow::Result<String>,
    ) -> anyhow::Result<Change> {
        let path = self.path()?;
        let before = read(&path)?;
        let after = change(&before).with_context(|| self.left_alone())?;
        if !dry {
            write(&path, &after)?;
        }
        Ok(Change::File(path, diff(&before, &after)))
    }
}

/// State of our entry in a client's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryState {
    /// There is none.
    Unknown,
    /// It starts the given program.
    Known,
    /// It starts something else.
    Other,
}

fn words(arguments: &[&str], further: &[&str]) -> Vec<String> {
    arguments
        .iter()
        .chain(further)
        .map(|word| (*word).to_owned())
        .collect()
}

fn run(
    own: &OwnCommand,
    path: &Path,
    calls: Vec<Vec<String>>,
    dry: bool,
) -> anyhow::Result<Change> {
    let shown = calls
        .iter()
        .map(|call| format!("{} {}", own.program, call.join(" ")))
        .collect();
    for call in calls.iter().filter(|_| !dry) {
        let output = Command::new(path)
            .args(call)
            .output()
            .with_context(|| format!("cannot run `{}`", own.program))?;
        if !output.status.success() {
            let printed = String::from_utf8_lossy(&output.stderr);
            bail!(
                "`{} {}` failed: {}",
                own.program,
                call.join(" "),
                printed.trim()
            );
        }
    }

    Ok(Change::Commands(shown))
}

/// Returns the arguments of an entry, whichever key holds them.
fn arguments_of(entry: &Value) -> Option<Vec<String>> {
    let texts = |value: &Value, skipped: usize| {
        let texts = value.as_array()?.iter().skip(skipped);
        texts
            .map(|text| text.as_str().map(str::to_owned))
            .collect::<Option<Vec<String>>>()
    };
    texts(&entry["args"], 0).or_else(|| texts(&entry["command"], 1))
}

/// Returns the arguments in a table of a TOML file.
fn toml_arguments(table: &str) -> Option<Vec<String>> {
    let value = table.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix("args")?;
        rest.trim_start().strip_prefix('=')
    })?;
    let end = value.rfind(']')?;
    serde_json::from_str(value[..=end].trim()).ok()
}

/// Returns the keys of an entry that start something other than `wanted` does; `None` if it is not
/// an entry. All other keys are the user's.
fn outdated<'a>(known: &Value, wanted: &'a Value) -> Option<Vec<&'a str>> {
    let (known, wanted) = (known.as_object()?, wanted.as_object()?);
    let is_outdated = |key: &str, value: &Value| match key {
        "command" | "args" => known.get(key) != Some(value),
        // Without a type, clients start the command.
        "type" => known.get(key).is_some_and(|known| known != value),
        _ => false,
    };
    Some(
        wanted
            .iter()
            .filter(|(key, value)| is_outdated(key, value))
            .map(|(key, _)| key.as_str())
            .collect(),
    )
}

/// Finds a program on the path. On Windows, npm's commands end in `.cmd`.
fn on_path(program: &str) -> Option<PathBuf> {
    let endings: &[&str] = if cfg!(windows) {
        &[".exe", ".cmd"]
    } else {
        &[""]
    };
    let folders = std::env::var_os("PATH")?;
    let places = std::env::split_paths(&folders).flat_map(|folder| {
        endings
            .iter()
            .map(move |ending| folder.join(format!("{program}{ending}")))
    });
    places.into_iter().find(|place| place.is_file())
}
