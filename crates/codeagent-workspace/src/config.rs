//! Repository settings from `.codeagent/config.json`.
//!
//! Settings can narrow what is indexed, never widen it: they allow no commands, no folders outside
//! the root, no network, no size above the built-in limit, and nothing that an ignore rule hides.
//!
//! Limitations: project files (csproj, tsconfig, package.json) are always read, because they
//! determine how the remaining files are read.

mod globs;
mod keys;
mod positions;

use std::io::Read as _;
use std::path::Path;

use positions::{Position, Positions};
use serde_json::Value;

use crate::RepoPath;
use crate::ignored::open_regular;

pub use globs::Globs;
use keys::{KEYS, Key, Kind, MAX_LINE_BYTES, MAX_PATTERNS, MAX_TEXT_BYTES};
pub use keys::{LANGUAGES, MAX_FILE_BYTES};

/// Path of the settings file, relative to the root.
pub const CONFIG_FILE: &str = ".codeagent/config.json";

/// Maximum size of the settings file, in bytes.
const MAX_CONFIG_BYTES: u64 = 256 << 10;

/// Maximum number of unknown keys to report.
const MAX_NOTES: usize = 10;

/// The settings of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Source files to index.
    pub include: Globs,
    /// Source files not to index.
    pub exclude: Globs,
    /// Languages to index.
    pub languages: Vec<String>,
    /// Maximum size of an indexed source file, in bytes.
    pub max_file_bytes: u64,
    /// Maximum average line length of an indexed source file, in bytes; longer lines suggest
    /// generated code.
    pub max_line_bytes: usize,
    /// Patterns, each with the project file that owns matching paths; the first match wins.
    pub projects: Vec<(Globs, String)>,
    /// Notes about settings that are unusual but harmless.
    pub notes: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            include: Globs::new(vec!["**".to_owned()]).unwrap_or_else(|_| Globs::none()),
            exclude: Globs::none(),
            languages: LANGUAGES.iter().map(|word| (*word).to_owned()).collect(),
            max_file_bytes: MAX_FILE_BYTES,
            max_line_bytes: MAX_LINE_BYTES as usize,
            projects: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file exists but cannot be read.
    #[error("cannot read {CONFIG_FILE}: {0}")]
    Io(#[from] std::io::Error),
    /// The file is not a regular file, or is too large.
    #[error("{CONFIG_FILE} is not a regular file of at most 256 KiB")]
    NotAFile,
    /// The settings folder is a link, which could leave the repository.
    #[error(".codeagent is a link, which is not followed; replace it with a folder")]
    Link,
    /// The text is not a valid settings file.
    #[error("{CONFIG_FILE}, line {line}, column {column}: {message}")]
    Invalid {
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// Description of the error and its fix.
        message: String,
    },
}

impl Config {
    /// Reads the settings of a root; returns the defaults if there is no file.
    pub fn load(root: &Path) -> Result<Self, ConfigError> {
        let path = root.join(CONFIG_FILE);
        if path.parent().is_some_and(Path::is_symlink) {
            return Err(ConfigError::Link);
        }

        match path.symlink_metadata() {
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                ) =>
            {
                Ok(Self::default())
            }
            Err(error) => Err(error.into()),
            Ok(metadata) if !metadata.is_file() || metadata.len() > MAX_CONFIG_BYTES => {
                Err(ConfigError::NotAFile)
            }
            Ok(_) => {
                let mut text = String::new();
                // The file may have been replaced meanwhile, so the opened one is checked too.
                open_regular(&path)?
                    .take(MAX_CONFIG_BYTES)
                    .read_to_string(&mut text)?;
                Self::parse(&text)
            }
        }
    }

    /// Like [`Self::load`], but invalid settings give the defaults and a note.
    #[must_use]
    pub fn load_tolerantly(root: &Path) -> Self {
        Self::load(root).unwrap_or_else(|error| Self {
            notes: vec![format!("{error}; using the default settings")],
            ..Self::default()
        })
    }

    /// Parses the text of a settings file.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let text = text.trim_start_matches('\u{feff}');
        let value: Value = serde_json::from_str(text).map_err(|error| syntax_error(&error))?;

        let reading = Reading {
            text,
            positions: Positions::of(text),
        };

        let Value::Object(fields) = &value else {
            return Err(reading.error((1, 1), "expected an object"));
        };

        if let Some((key, position)) = reading.positions.duplicate(text) {
            return Err(reading.error(position, format!("{} is a duplicate key", shown(key))));
        }

        let mut config = Self::default();
        for (name, value) in fields {
            match keys::key(name) {
                Some(key) => reading.set(&mut config, key, value)?,
                None if config.notes.len() < MAX_NOTES => config.notes.push(reading.unknown(name)),
                None => {}
            }
        }

        Ok(config)
    }

    /// Returns the JSON schema of the settings file.
    #[must_use]
    pub fn schema() -> String {
        keys::schema()
    }

    /// Reports whether a source file of a language is indexed, judged by its path.
    #[must_use]
    pub fn takes(&self, path: &RepoPath, language: &str) -> bool {
        self.languages.iter().any(|word| word == language)
            && self.include.matches(path.as_str())
            && !self.exclude.matches(path.as_str())
    }

    /// Returns the project file that the settings assign to a path.
    #[must_use]
    pub fn project_of(&self, path: &str) -> Option<&str> {
        self.projects
            .iter()
            .find(|(globs, _)| globs.matches(path))
            .map(|(_, project)| project.as_str())
    }

    /// Returns a string that changes whenever the settings could change the index.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let Self {
            include,
            exclude,
            languages,
            max_file_bytes,
            max_line_bytes,
            projects,
            notes: _,
        } = self;

        let projects: Vec<_> = projects
            .iter()
            .map(|(globs, project)| (globs.patterns(), project))
            .collect();

        let all = format!(
            "{:?}",
            (
                include.patterns(),
                exclude.patterns(),
                languages,
                max_file_bytes,
                max_line_bytes,
                projects
            )
        );

        blake3::hash(all.as_bytes()).to_hex()[..16].to_owned()
    }
}

/// A settings text with the positions of its values.
struct Reading<'a> {
    text: &'a str,
    positions: Positions,
}

impl Reading<'_> {
    fn set(&self, config: &mut Config, key: &Key, value: &Value) -> Result<(), ConfigError> {
        match key.kind {
            Kind::Ignored => self.text_of(value, &[key.name]).map(drop),
            Kind::SomePatterns | Kind::Patterns => {
                let patterns = self.texts(key, value, globs::check)?;
                let globs = Globs::new(patterns).map_err(|problem| {
                    self.error(self.positions.value(self.text, &[key.name]), problem)
                })?;
                *(if key.name == "include" {
                    &mut config.include
                } else {
                    &mut config.exclude
                }) = globs;
                Ok(())
            }
            Kind::Words(words) => {
                config.languages = self.texts(key, value, |word| {
                    let nearest = nearest(word, words.iter().copied());
                    if words.contains(&word) {
                        Ok(())
                    } else {
                        Err(format!(
                            "{} is not one of {}{nearest}",
                            shown(word),
                            words.join(", ")
                        ))
                    }
                })?;
                Ok(())
            }
            Kind::UpTo(most) => {
                let number = value.as_u64().filter(|number| (1..=most).contains(number));
                let wrong = || {
                    self.error(
                        self.positions.value(self.text, &[key.name]),
                        format!("expected a whole number from 1 to {most}"),
                    )
                };
                let number = number.ok_or_else(wrong)?;

                match key.name {
                    "max_file_bytes" => config.max_file_bytes = number,
                    _ => config.max_line_bytes = usize::try_from(number).unwrap_or(usize::MAX),
                }
                Ok(())
            }
            Kind::Projects => {
                config.projects = self.projects(key, value)?;
                Ok(())
            }
        }
    }

    /// Reads a list of strings and checks each of them.
    fn texts(
        &self,
        key: &Key,
        value: &Value,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> Result<Vec<String>, ConfigError> {
        let at = || self.positions.value(self.text, &[key.name]);
        let Value::Array(items) = value else {
            return Err(self.error(at(), "expected a list of strings"));
        };
        if items.len() > MAX_PATTERNS {
            return Err(self.error(at(), format!("more than {MAX_PATTERNS} entries")));
        }
        if items.is_empty() && key.kind != Kind::Patterns {
            return Err(self.error(
                at(),
                "nothing would be indexed; remove the key to index everything",
            ));
        }

        let mut texts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let index = index.to_string();
            let path = [key.name, index.as_str()];
            let text = self.text_of(item, &path)?;
            check(text)
                .map_err(|problem| self.error(self.positions.value(self.text, &path), problem))?;
            texts.push(text.to_owned());
        }

        Ok(texts)
    }

    fn projects(&self, key: &Key, value: &Value) -> Result<Vec<(Globs, String)>, ConfigError> {
        let at = || self.positions.value(self.text, &[key.name]);
        let Value::Object(fields) = value else {
            return Err(self.error(at(), "expected an object from patterns to project files"));
        };
        if fields.len() > MAX_PATTERNS {
            return Err(self.error(at(), format!("more than {MAX_PATTERNS} entries")));
        }

        let mut projects = Vec::with_capacity(fields.len());
        for (pattern, project) in fields {
            let path = [key.name, pattern.as_str()];
            let of_key =
                |problem: String| self.error(self.positions.key(self.text, &path), problem);

            if pattern.is_empty() || pattern.len() > MAX_TEXT_BYTES {
                return Err(of_key(format!(
                    "expected a pattern of 1 to {MAX_TEXT_BYTES} bytes"
                )));
            }

            globs::check(pattern).map_err(of_key)?;
            let globs = Globs::new(vec![pattern.clone()]).map_err(of_key)?;

            let project = self.text_of(project, &path)?;
            let project = RepoPath::normalized(project).map_err(|error| {
                self.error(self.positions.value(self.text, &path), error.to_string())
            })?;
            projects.push((globs, project.to_string()));
        }

        Ok(projects)
    }

    fn text_of<'v>(&self, value: &'v Value, path: &[&str]) -> Result<&'v str, ConfigError> {
        let is_editors = matches!(path, ["$schema"]);

        let text = value
            .as_str()
            .filter(|text| is_editors || (1..=MAX_TEXT_BYTES).contains(&text.len()));

        let wrong = || {
            self.error(
                self.positions.value(self.text, path),
                format!("expected a string of 1 to {MAX_TEXT_BYTES} bytes"),
            )
        };

        text.ok_or_else(wrong)
    }

    fn unknown(&self, name: &str) -> String {
        let (line, column) = self.positions.key(self.text, &[name]);
        let nearest = nearest(name, KEYS.iter().map(|key| key.name));
        format!(
            "{CONFIG_FILE}, line {line}, column {column}: unknown setting {}{nearest}",
            shown(name)
        )
    }

    fn error(&self, (line, column): Position, message: impl Into<String>) -> ConfigError {
        ConfigError::Invalid {
            line,
            column,
            message: message.into(),
        }
    }
}

fn syntax_error(error: &serde_json::Error) -> ConfigError {
    let message = error.to_string();
    // The position is reported separately.
    let message = message
        .split(" at line ")
        .next()
        .unwrap_or_default()
        .to_owned();
    ConfigError::Invalid {
        line: error.line(),
        column: error.column(),
        message,
    }
}

/// Quotes a name for a message.
fn shown(name: &str) -> String {
    let short: String = name.chars().take(60).collect();
    format!("{short:?}")
}

/// Returns `; did you mean "include"?` if one of the words is similar, ignoring case.
fn nearest<'w>(name: &str, words: impl Iterator<Item = &'w str>) -> String {
    let name: String = name.chars().take(60).collect();
    let name = name.to_ascii_lowercase();
    let near = words
        .map(|word| (strsim::levenshtein(&name, &word.to_ascii_lowercase()), word))
        .min()
        .filter(|(edits, word)| *edits <= 1 + word.len() / 3);
    near.map(|(_, word)| format!("; did you mean {word:?}?"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
