//! Reads the list of tracked files from git's index (format versions 2 to 4).
//!
//! The file is untrusted. If a length is out of range, a name is too long or an extension overruns
//! its end, the index counts as unreadable and no file counts as tracked.
//!
//! Limitations: an index of more than 128 MiB is not read. The shared part of a split index is
//! ignored.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use crate::ignored::read;
use crate::path::MAX_PATH_BYTES;

const MAX_INDEX_BYTES: u64 = 128 << 20;

/// Maximum total length of prefix-compressed names, as a multiple of the file size.
const MAX_EXPANSION: usize = 4;

/// Hash lengths in use.
const HASH_BYTES: [usize; 2] = [20, 32];

/// The paths in an index, sorted.
#[derive(Debug, Default)]
pub struct GitIndex {
    names: Vec<u8>,
    /// End offset of each name.
    ends: Vec<u32>,
}

impl GitIndex {
    /// Reads an index file; returns an empty index if it is missing or unreadable.
    pub fn read(file: &Path) -> Self {
        let bytes = read(file, MAX_INDEX_BYTES)
            .and_then(Result::ok)
            .unwrap_or_default();
        HASH_BYTES
            .iter()
            .find_map(|hash| Self::parse(&bytes, *hash))
            .unwrap_or_default()
    }

    /// Reports whether a file, or any file below a folder, is tracked.
    pub fn has(&self, path: &Path, is_folder: bool) -> bool {
        let path = name_in_git(path);
        if self.search(&path).is_ok() {
            return true;
        }
        let inside = [&path, &b"/"[..]].concat();
        let (Ok(at) | Err(at)) = self.search(&inside);
        is_folder && self.name(at).is_some_and(|name| name.starts_with(&inside))
    }

    fn search(&self, name: &[u8]) -> Result<usize, usize> {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.name(middle).unwrap_or_default().cmp(name) {
                std::cmp::Ordering::Equal => return Ok(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Err(low)
    }

    fn name(&self, index: usize) -> Option<&[u8]> {
        let end = *self.ends.get(index)? as usize;
        let start = index
            .checked_sub(1)
            .map_or(0, |before| self.ends[before] as usize);
        Some(&self.names[start..end])
    }

    fn parse(bytes: &[u8], hash_bytes: usize) -> Option<Self> {
        let mut found = Self::default();
        Self::each_entry(bytes, hash_bytes, &mut |name, _| {
            found.names.extend_from_slice(name);
            found
                .ends
                .push(u32::try_from(found.names.len()).unwrap_or(u32::MAX));
        })?;
        Some(found)
    }

    /// Parses header, entries, extensions and hash. Passes each entry's name, and the fields before
    /// its flags, to `each`.
    fn each_entry(
        bytes: &[u8],
        hash_bytes: usize,
        each: &mut dyn FnMut(&[u8], &[u8]),
    ) -> Option<()> {
        let rest = bytes.strip_prefix(b"DIRC")?;
        let version = word(rest, 0)?;
        if !(2..=4).contains(&version) {
            return None;
        }

        let end = bytes.len().checked_sub(hash_bytes)?;
        let (mut at, mut last, mut total) = (12, Vec::new(), 0);

        for _ in 0..word(rest, 4)? {
            let start = at;
            at = entry(bytes.get(..end)?, at, (version, hash_bytes), &mut last)?;

            let is_too_long =
                last.len() > MAX_PATH_BYTES || total + last.len() > MAX_EXPANSION * bytes.len();
            if is_too_long {
                return None;
            }

            each(&last, bytes.get(start..start + 40 + hash_bytes)?);
            total += last.len();
        }

        while at < end {
            let length = word(bytes, at + 4)? as usize;
            at = at.checked_add(8)?.checked_add(length)?;
        }

        (at == end).then_some(())
    }
}

/// Properties of a tracked file when git last compared it with the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrackedFile {
    /// Modification time: seconds and nanoseconds, truncated as git does.
    pub modified: (u32, u32),
    /// Size in bytes, modulo 2^32.
    pub size: u32,
    /// Id of the staged content.
    pub id: [u8; 20],
}

impl TrackedFile {
    /// Returns all entries of an index with SHA-1 ids, by path; empty if it is missing or
    /// unreadable.
    pub fn all(index: &Path) -> HashMap<Vec<u8>, Self> {
        let bytes = read(index, MAX_INDEX_BYTES)
            .and_then(Result::ok)
            .unwrap_or_default();

        let mut all = HashMap::new();
        let parsed = GitIndex::each_entry(&bytes, 20, &mut |name, entry| {
            let word = |at| word(entry, at).unwrap_or_default();
            let id = entry[40..].try_into().unwrap_or_default();
            let file = Self {
                modified: (word(8), word(12)),
                size: word(36),
                id,
            };
            all.insert(name.to_owned(), file);
        });
        parsed.map_or_else(HashMap::new, |()| all)
    }
}

/// Returns a path as git writes it, with `/` on every system.
fn name_in_git(path: &Path) -> Cow<'_, [u8]> {
    let name = path.as_os_str().as_encoded_bytes();
    if std::path::MAIN_SEPARATOR == '/' {
        return name.into();
    }
    name.iter()
        .map(|byte| {
            if *byte == std::path::MAIN_SEPARATOR as u8 {
                b'/'
            } else {
                *byte
            }
        })
        .collect::<Vec<u8>>()
        .into()
}

/// Decodes an entry's name on top of the previous one; returns the offset of the next entry.
fn entry(
    bytes: &[u8],
    at: usize,
    (version, hash_bytes): (u32, usize),
    name: &mut Vec<u8>,
) -> Option<usize> {
    let flags_at = at + 40 + hash_bytes;

    let flags = u16::from_be_bytes(bytes.get(flags_at..flags_at + 2)?.try_into().ok()?);
    let mut start = flags_at
        + if version > 2 && flags & 0x4000 != 0 {
            4
        } else {
            2
        };

    if version == 4 {
        let (dropped, after) = number(bytes, start)?;
        name.truncate(name.len().checked_sub(dropped)?);
        start = after;
    } else {
        name.clear();
    }

    let length = bytes
        .get(start..)?
        .iter()
        .take(MAX_PATH_BYTES + 1)
        .position(|byte| *byte == 0)?;
    name.extend_from_slice(&bytes[start..start + length]);

    let end = start + length;

    // Before version 4, entries are padded with zeros to a multiple of eight.
    Some(if version == 4 {
        end + 1
    } else {
        at + ((end - at + 8) & !7)
    })
}

/// Reads a variable-length number of seven bits per byte.
fn number(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut value = usize::from(*bytes.get(at)? & 0x7f);
    while bytes[at] & 0x80 != 0 {
        at += 1;
        value = value
            .checked_add(1)?
            .checked_mul(128)?
            .checked_add(usize::from(*bytes.get(at)? & 0x7f))?;
    }
    Some((value, at + 1))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(
        bytes.get(at..at.checked_add(4)?)?.try_into().ok()?,
    ))
}

#[cfg(test)]
pub mod tests;
