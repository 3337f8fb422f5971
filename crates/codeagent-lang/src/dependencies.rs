//! The dependencies of one file's resolution, used for invalidation.
//!
//! While a file is resolved, everything it reads of other files is recorded: the files whose
//! interface it uses, and a [`DependencyKey`] for every query that any file may answer. A file
//! *publishes* the keys of the queries it answers, so a change to it invalidates the files that
//! made those queries.
//!
//! Limitations: a key is a hash. Two queries may share one, and then a file is resolved again
//! without need.

use codeagent_model::facts::{Body, Facts};
use rustc_hash::FxHashMap;

use crate::world::FileId;

/// Everything that the resolution of one file read of other files, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Files whose interface was read, without the file itself.
    pub files: Vec<FileId>,
    /// Queries that any file may answer.
    pub keys: Vec<DependencyKey>,
}

/// The kind of query behind a key, which decides which changes invalidate the files that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyKind {
    /// "Which declarations in the world have the name N in this table?" Invalidated by every
    /// interface change of a file that publishes the key or published it before.
    Name,
    /// "Does a project have the name N in this table at all?" Invalidated only when the first file
    /// of a project starts to publish the key or the last one stops.
    Presence,
    /// "What is the result type of this body?", where none is declared. The key contains the body's
    /// text, so an edit ends the publication of the old key.
    Body,
    /// "Which members of the files I read are named N?" Files without this key are not invalidated
    /// by a change to such a member alone.
    Member,
}

impl KeyKind {
    const ALL: [Self; 4] = [Self::Name, Self::Presence, Self::Body, Self::Member];

    /// The bits of a key that hold its kind: the lowest ones, so that the low half has them too.
    const BITS: u64 = 0b11;

    #[must_use]
    pub fn of_low_half(key: u32) -> Self {
        Self::ALL[(u64::from(key) & Self::BITS) as usize]
    }
}

/// A table of names, queried in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyTable {
    name: &'static str,
    kind: KeyKind,
}

impl KeyTable {
    /// Returns a table of the whole world; see [`KeyKind::Name`].
    #[must_use]
    pub const fn names(name: &'static str) -> Self {
        Self {
            name,
            kind: KeyKind::Name,
        }
    }

    /// Returns a table that is queried only for the presence of names; see [`KeyKind::Presence`].
    #[must_use]
    pub const fn presence(name: &'static str) -> Self {
        Self {
            name,
            kind: KeyKind::Presence,
        }
    }

    /// Returns a table of the members of the files that are read; see [`KeyKind::Member`].
    #[must_use]
    pub const fn members(name: &'static str) -> Self {
        Self {
            name,
            kind: KeyKind::Member,
        }
    }

    #[must_use]
    pub fn key(self, name: &str) -> DependencyKey {
        DependencyKey::new(self.kind, &[self.name.as_bytes(), &[0], name.as_bytes()])
    }
}

/// The hash of a query, with its kind in the lowest bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DependencyKey(u64);

impl DependencyKey {
    fn new(kind: KeyKind, parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(part);
        }
        let mut low = [0; 8];
        low.copy_from_slice(&hasher.finalize().as_bytes()[..8]);

        Self(u64::from_le_bytes(low) & !KeyKind::BITS | kind as u64)
    }

    /// Returns the kind of query.
    #[must_use]
    pub fn kind(self) -> KeyKind {
        KeyKind::of_low_half(self.low_half())
    }

    /// Returns the half that the store keeps. Equal keys have equal halves.
    #[must_use]
    pub fn low_half(self) -> u32 {
        self.0 as u32
    }
}

/// Returns the keys of the result types of a file's bodies; see [`Facts::bodies`]. Bodies are
/// numbered among the members of one name, so additions and removals elsewhere change no key, while
/// those among them invalidate the files that use the name.
#[must_use]
pub fn body_keys(path: &str, facts: &Facts) -> Vec<DependencyKey> {
    let mut seen: FxHashMap<[&str; 2], u64> = FxHashMap::default();
    let mut key = |body: &Body| {
        let owner = facts.scope(facts.decl(body.member).scope).owner;
        let names = [facts.decl_name(owner), facts.decl_name(body.member)];
        let number = seen.entry(names).or_default();
        *number += 1;

        let [owner, name] = names.map(str::as_bytes);
        let parts: [&[u8]; 8] = [
            path.as_bytes(),
            &[0],
            owner,
            &[0],
            name,
            &[0],
            &number.to_le_bytes(),
            &body.hash,
        ];
        DependencyKey::new(KeyKind::Body, &parts)
    };
    facts.bodies.iter().map(&mut key).collect()
}
