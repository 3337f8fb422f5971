//! Resolves names of commits: references, tags and ids, with `~n` and `^n`.

use std::path::Path;

use gix_hash::ObjectId;

use crate::git::objects::Commit;
use crate::git::{GitError, GitRepository};
use crate::ignored::read;

/// Maximum size of a reference file, and of the packed-references file, in bytes.
const MAX_REFERENCE_BYTES: u64 = 4096;
const MAX_PACKED_BYTES: u64 = 64 << 20;

/// Maximum length of a chain of symbolic references.
const MAX_LINKS: usize = 5;

/// Prefixes tried for a short name, in git's order.
const PLACES: [(&str, &str); 6] = [
    ("", ""),
    ("refs/", ""),
    ("refs/tags/", ""),
    ("refs/heads/", ""),
    ("refs/remotes/", ""),
    ("refs/remotes/", "/HEAD"),
];

impl GitRepository {
    /// Returns the commit of a name such as `main`, `origin/main~3`, `v1.2^2` or `1a2b3c4`.
    pub fn commit(&self, name: &str) -> Result<ObjectId, GitError> {
        let unknown = || GitError::NoCommit(name.to_owned());
        let end = name.find(['~', '^']).unwrap_or(name.len());
        let (base, mut steps) = name.split_at(end);

        let start = self.named(base)?.ok_or_else(unknown)?;
        let (mut id, mut commit) = self.objects.commit(start)?.ok_or_else(unknown)?;
        while let Some(sign) = steps.chars().next() {
            let digits = steps[1..].find(|c: char| !c.is_ascii_digit());
            let (number, rest) = steps[1..].split_at(digits.unwrap_or(steps.len() - 1));
            let number: usize = if number.is_empty() {
                1
            } else {
                number.parse().map_err(|_| unknown())?
            };
            steps = rest.strip_prefix("{commit}").unwrap_or(rest);

            let parents: &[usize] = match (sign, number) {
                ('^', 0) => &[],
                ('^', number) => &[number - 1],
                ('~', number) if number <= 100_000 => &vec![0; number],
                _ => return Err(unknown()),
            };
            for parent in parents {
                (id, commit) = self.parent(name, (id, &commit), *parent)?;
            }
        }
        Ok(id)
    }

    fn parent(
        &self,
        name: &str,
        (id, commit): (ObjectId, &Commit),
        number: usize,
    ) -> Result<(ObjectId, Commit), GitError> {
        let parent = commit.parents.get(number).copied();
        let is_cut = parent.is_none() && self.objects.is_cut_at(id);
        let found = match parent {
            Some(parent) => self.objects.commit(parent)?,
            None if is_cut => return Err(GitError::Shallow(name.to_owned())),
            None => None,
        };
        found.ok_or_else(|| GitError::NoCommit(name.to_owned()))
    }

    /// Returns the object with this name, given without steps (`~`, `^`).
    fn named(&self, name: &str) -> Result<Option<ObjectId>, GitError> {
        let name = if name == "@" { "HEAD" } else { name };
        if !is_valid(name) {
            return Ok(None);
        }

        for (before, after) in PLACES {
            let full = format!("{before}{name}{after}");
            // Outside `refs/`, only upper-case names such as `HEAD` are references.
            let is_reference = full.starts_with("refs/")
                || full
                    .bytes()
                    .all(|byte| byte.is_ascii_uppercase() || byte == b'_');
            if is_reference && let Some(id) = self.reference(&full)? {
                return Ok(Some(id));
            }
        }

        let is_id =
            (4..=40).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_id {
            self.objects.with_prefix(name)
        } else {
            Ok(None)
        }
    }

    /// Returns the object of a full reference name.
    fn reference(&self, name: &str) -> Result<Option<ObjectId>, GitError> {
        let mut name = name.to_owned();
        for _ in 0..MAX_LINKS {
            let is_own = !name.starts_with("refs/")
                || ["refs/bisect/", "refs/worktree/", "refs/rewritten/"]
                    .iter()
                    .any(|own| name.starts_with(own));
            let folder = if is_own {
                &self.location.git
            } else {
                &self.location.common
            };

            let text = read(&folder.join(&name), MAX_REFERENCE_BYTES)
                .and_then(Result::ok)
                .and_then(|bytes| String::from_utf8(bytes).ok());
            let Some(text) = text else {
                return Ok(packed(&self.location.common, &name));
            };
            match text.trim().strip_prefix("ref:") {
                Some(other) if is_valid(other.trim()) => name = other.trim().to_owned(),
                Some(_) => return Ok(None),
                None if text.trim().len() == 64 => {
                    return Err(GitError::Unsupported(
                        "its object ids are SHA-256, which is not supported",
                    ));
                }
                None => return Ok(ObjectId::from_hex(text.trim().as_bytes()).ok()),
            }
        }
        Ok(None)
    }
}

/// Looks up a reference in the packed-references file.
fn packed(common: &Path, name: &str) -> Option<ObjectId> {
    let bytes = read(&common.join("packed-refs"), MAX_PACKED_BYTES)?.ok()?;
    bytes.split(|byte| *byte == b'\n').find_map(|line| {
        let (id, rest) = line.split_at_checked(40)?;
        let other = rest.strip_prefix(b" ")?;
        (other.trim_ascii_end() == name.as_bytes())
            .then(|| ObjectId::from_hex(id).ok())
            .flatten()
    })
}

/// Reports whether git allows a name and the name stays below git's folder.
fn is_valid(name: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    name.split('/').all(is_part)
        && !name.contains("..")
        && !name.contains(|c: char| c.is_control() || " ~^:?*[\\".contains(c))
}
