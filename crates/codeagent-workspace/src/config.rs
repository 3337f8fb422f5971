//! What `.codeagent/config.json` says. It may narrow what is indexed, never widen it: no commands, no folders outside, no network.
//!
//! **Limits.** Only the size limits so far; other keys are ignored.

use std::path::Path;

use serde::Deserialize;

/// Where the settings of a repository are, relative to its root.
pub const CONFIG_FILE: &str = ".codeagent/config.json";

/// Largest settings file that is read.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// The settings of a repository.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Config {
    /// Larger files are not read.
    pub max_file_bytes: u64,
    /// Files with more bytes per line on average are taken for generated and not indexed.
    pub max_line_bytes: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { max_file_bytes: 2 << 20, max_line_bytes: 20 << 10 }
    }
}

/// Settings that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file exists and cannot be read.
    #[error("cannot read {CONFIG_FILE}: {0}")]
    Io(#[from] std::io::Error),
    /// The file is not a regular file of sensible size.
    #[error("{CONFIG_FILE} is not a regular file of at most 1 MiB")]
    NotAFile,
    /// The text is not what is expected; the message names line and column.
    #[error("{CONFIG_FILE}: {0}")]
    Invalid(#[from] serde_json::Error),
}

impl Config {
    /// Reads the settings of a root; defaults if there is no such file.
    pub fn load(root: &Path) -> Result<Self, ConfigError> {
        let path = root.join(CONFIG_FILE);
        match path.symlink_metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error.into()),
            Ok(metadata) if !metadata.is_file() || metadata.len() > MAX_CONFIG_BYTES => Err(ConfigError::NotAFile),
            Ok(_) => Self::parse(&std::fs::read_to_string(path)?),
        }
    }

    fn parse(text: &str) -> Result<Self, ConfigError> {
        Ok(serde_json::from_str(text.trim_start_matches('\u{feff}'))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_defaults_and_exact_errors() {
        assert_eq!(Config::parse("{}").unwrap(), Config::default());
        assert_eq!(Config::parse(r#"{"max_file_bytes": 10}"#).unwrap().max_file_bytes, 10);
        let error = Config::parse("{\n  \"max_file_bytes\": \"x\"}").unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
    }
}
