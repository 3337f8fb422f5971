//! Repository paths: `src/a.cs` is one; `../a.cs`, `/etc/passwd` and `a\0b` are not.
//!
//! Limitations: purely lexical; links are resolved when a file is opened.

use std::borrow::Cow;
use std::fmt;
use std::path::{Component, Path};

/// Maximum length of a path in bytes; the limit of common systems.
pub const MAX_PATH_BYTES: usize = 4096;

/// Maximum length of a segment in bytes.
const MAX_SEGMENT_BYTES: usize = 255;

/// A repo-relative path: segments separated by `/`, none of them empty, `.` or `..`. The empty path
/// is the root.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Box<str>);

/// Why a text is not a repository path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The path leads out of the root.
    #[error("{0:?} is outside the repository")]
    Escapes(String),
    /// The path is absolute.
    #[error("{0:?} is absolute; paths are relative to the repository")]
    Absolute(String),
    /// A segment is empty or `.`, where only the normal form is accepted.
    #[error("{0:?} has an empty or `.` segment")]
    NotNormal(String),
    /// The path contains a NUL character.
    #[error("the path contains a NUL character")]
    Nul,
    /// The path or a segment is longer than any file system allows.
    #[error("the path is too long ({0} bytes)")]
    TooLong(usize),
    /// A segment contains a path separator of this system.
    #[error("{0:?} contains a character not allowed in file names on this system")]
    Separator(String),
    /// The name on disk is not UTF-8.
    #[error("the path is not valid UTF-8")]
    NotUtf8,
}

impl RepoPath {
    /// Returns the path of the root.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// Parses a path in normal form.
    pub fn new(text: &str) -> Result<Self, PathError> {
        check_characters(text)?;
        if text.is_empty() {
            return Ok(Self::root());
        }
        for segment in text.split('/') {
            match segment {
                "" | "." => return Err(PathError::NotNormal(text.to_owned())),
                ".." => return Err(PathError::Escapes(text.to_owned())),
                _ => check_length(segment, MAX_SEGMENT_BYTES)?,
            }
        }
        Ok(Self(text.into()))
    }

    /// Parses a path after folding empty segments, `.` and inner `..`.
    pub fn normalized(text: &str) -> Result<Self, PathError> {
        check_characters(text)?;
        let mut segments: Vec<&str> = Vec::new();
        for segment in text.split('/') {
            match segment {
                "" | "." => {}
                ".." => drop(
                    segments
                        .pop()
                        .ok_or_else(|| PathError::Escapes(text.to_owned()))?,
                ),
                _ => segments.push(segment),
            }
        }
        Self::new(&segments.join("/"))
    }

    /// Converts a relative path of the operating system.
    pub(crate) fn from_relative(path: &Path) -> Result<Self, PathError> {
        let mut text = String::with_capacity(path.as_os_str().len());
        for component in path.components() {
            let Component::Normal(segment) = component else {
                return Err(PathError::Escapes(path.display().to_string()));
            };
            if !text.is_empty() {
                text.push('/');
            }
            text.push_str(segment.to_str().ok_or(PathError::NotUtf8)?);
        }
        Self::new(&text)
    }

    /// Returns the text; empty for the root.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reports whether this is the root.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the segments, starting at the root.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|segment| !segment.is_empty())
    }

    /// Returns the last segment; empty for the root.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the containing folder; `None` for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        Some(Self(
            self.0
                .rsplit_once('/')
                .map_or("", |(folder, _)| folder)
                .into(),
        ))
    }

    /// Reports whether this is `folder` or a path below it.
    pub(crate) fn is_in(&self, folder: &Self) -> bool {
        self == folder
            || folder.is_root()
            || self
                .0
                .strip_prefix(&*folder.0)
                .is_some_and(|rest| rest.starts_with('/'))
    }

    /// Resolves `relative` against this folder.
    pub fn join(&self, relative: &str) -> Result<Self, PathError> {
        if self.is_root() {
            Self::normalized(relative)
        } else {
            Self::normalized(&format!("{self}/{relative}"))
        }
    }

    /// Reports whether the path is `.git`, `.codeagent` or below one of them, and so invisible to
    /// callers.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        self.segments().any(is_hidden_name)
    }
}

/// Names of the invisible folders, without the leading dot.
const HIDDEN: [&str; 2] = ["git", "codeagent"];

/// Reports whether any file system treats this name as one of the invisible folders. The answer is
/// the same on every platform, because a repository may be opened on several.
pub(crate) fn is_hidden_name(segment: &str) -> bool {
    // Nearly all names are rejected here.
    if !segment.starts_with(|first: char| {
        matches!(first, '.' | 'g' | 'G' | 'c' | 'C') || !first.is_ascii()
    }) {
        return false;
    }

    // HFS+ ignores these characters.
    let is_seen = |character: &char| !is_ignored_by_hfs(*character);
    let seen: Cow<'_, str> = if segment.is_ascii() {
        segment.into()
    } else {
        segment.chars().filter(is_seen).collect()
    };

    // NTFS: a colon starts a stream name, and Windows drops trailing dots and spaces.
    let name = seen
        .split(':')
        .next()
        .unwrap_or_default()
        .trim_end_matches(['.', ' ']);

    HIDDEN.iter().any(|hidden| {
        name.strip_prefix('.')
            .is_some_and(|name| name.eq_ignore_ascii_case(hidden))
            || is_short_name(name, hidden)
    })
}

/// Reports whether a name may be the 8.3 form of `.long`: `GIT~1`, or after several collisions `GI`
/// with four digits of a hash.
fn is_short_name(name: &str, long: &str) -> bool {
    let Some((stem, number)) = name.rsplit_once('~') else {
        return false;
    };

    let is_number = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    let stem = stem.to_ascii_lowercase();
    let is_hash = || {
        stem.len() == 6
            && stem.starts_with(&long[..2])
            && stem.bytes().skip(2).all(|digit| digit.is_ascii_hexdigit())
    };

    // The stem has at most six characters, fewer before a number of several digits.
    let is_cut = || {
        stem == long[..long.len().min(6)]
            || long.starts_with(&stem) && stem.len() + 1 + number.len() == 8
    };

    is_number && (is_cut() || is_hash())
}

fn is_ignored_by_hfs(character: char) -> bool {
    matches!(character, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl AsRef<str> for RepoPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for RepoPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for RepoPath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        Self::new(text)
    }
}

fn check_characters(text: &str) -> Result<(), PathError> {
    check_length(text, MAX_PATH_BYTES)?;
    if text.contains('\0') {
        return Err(PathError::Nul);
    }
    if text.starts_with('/') || Path::new(text).is_absolute() {
        return Err(PathError::Absolute(text.to_owned()));
    }
    if cfg!(windows) && text.contains(['\\', ':']) {
        return Err(PathError::Separator(text.to_owned()));
    }
    Ok(())
}

fn check_length(text: &str, limit: usize) -> Result<(), PathError> {
    if text.len() > limit {
        Err(PathError::TooLong(text.len()))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_of_hidden_folders_are_hidden() {
        for name in [
            ".git",
            ".GIT",
            ".Git.",
            ".git ",
            ".git. . ",
            ".git::$INDEX_ALLOCATION",
            ".git:stream",
            ".git ::$INDEX_ALLOCATION",
            "git~1",
            "GIT~1",
            "GIT~4",
            "git~12",
            "git~1.",
            "git~1::$INDEX_ALLOCATION",
            "GI7EB1~1",
            ".g\u{200c}it",
            "\u{feff}.git",
            ".git\u{202e}",
            "\u{200d}g\u{206a}it~1",
            ".codeagent",
            ".CodeAgent. ",
            ".codeagent::$DATA",
            "CODEAG~1",
            "codeag~9",
            "CODEA~10",
            "CO2F00~1",
            ".code\u{200f}agent",
        ] {
            assert!(is_hidden_name(name), "{name:?}");

            let below = RepoPath::new(&format!("a/{name}/hooks")).map(|path| path.is_hidden());
            assert!(below.is_err() || below.unwrap(), "{name:?}");
        }
    }

    #[test]
    fn other_names_are_not_hidden() {
        for name in [
            "git",
            "codeagent",
            ".gitignore",
            ".gitmodules",
            ".github",
            ".git.txt",
            " .git",
            "..git",
            ".gi",
            "git~",
            "git~x",
            "git~1a",
            "gitt~1",
            "g~1",
            "codeagent~1",
            "gizzzz~1",
            "code~1",
            "GIT~1.txt",
            ".codeagents",
            "\u{e9}.git",
            "g",
            "c.ts",
            "",
            ".",
            "..",
            "~1",
        ] {
            assert!(!is_hidden_name(name), "{name:?}");
        }
    }
}
