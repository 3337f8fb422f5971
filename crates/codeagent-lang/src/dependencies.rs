//! The dependencies of one file's resolution, used for invalidation.
//!
//! While a file is linked, everything that it asks of other files is recorded: the files whose
//! interface it looks at, and a [`DependencyKey`] for every open-ended question. A file *publishes*
//! the keys of the questions that it is an answer to, so a change of it invalidates those who asked.
//!
//! **Limits.** A key is a hash: two questions may share one, and then a file is linked again without
//! need.

use codeagent_model::facts::{Body, Facts};
use rustc_hash::FxHashMap;

use crate::world::FileId;

/// What one link asked of other files, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Files whose interface was looked at, without the file itself.
    pub files: Vec<FileId>,
    /// Questions that any file may answer.
    pub keys: Vec<DependencyKey>,
}

/// What a key asks, which decides what change of a file invalidates those who asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyKind {
    /// "Who in the world has the name N in this table?" Every change of the interface of a file
    /// that publishes the key, or published it before, is another answer.
    Name,
    /// "Does a project have the name N in this table at all?" The answer changes only if the first
    /// file of a project comes to publish the key or the last one ceases to.
    Presence,
    /// "What does this body give?", whose result type is not declared. The key holds the body's
    /// text, so an edit is a key that is published no more.
    Body,
    /// "What is called N in the files I look at?" Who does not ask it does not see a change of
    /// nothing but such a member.
    Member,
}

impl KeyKind {
    const ALL: [Self; 4] = [Self::Name, Self::Presence, Self::Body, Self::Member];

    /// The bits of a key that tell its kind: the lowest, so that the low half tells it too.
    const BITS: u64 = 0b11;

    /// The kind of a key of which the low half is known.
    #[must_use]
    pub fn of_low_half(key: u32) -> Self {
        Self::ALL[(u64::from(key) & Self::BITS) as usize]
    }
}

/// A table of names, about which one kind of question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyTable {
    name: &'static str,
    kind: KeyKind,
}

impl KeyTable {
    /// A table of the whole world; see [`KeyKind::Name`].
    #[must_use]
    pub const fn names(name: &'static str) -> Self {
        Self {
            name,
            kind: KeyKind::Name,
        }
    }

    /// A table of which only the presence of names is asked; see [`KeyKind::Presence`].
    #[must_use]
    pub const fn presence(name: &'static str) -> Self {
        Self {
            name,
            kind: KeyKind::Presence,
        }
    }

    /// The members of the files that are read; see [`KeyKind::Member`].
    #[must_use]
    pub const fn members(name: &'static str) -> Self {
        Self {
            name,
            kind: KeyKind::Member,
        }
    }

    /// The key of a name.
    #[must_use]
    pub fn key(self, name: &str) -> DependencyKey {
        DependencyKey::new(self.kind, &[self.name.as_bytes(), &[0], name.as_bytes()])
    }
}

/// The hash of a question, with its kind in the lowest bits.
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

    /// What it asks.
    #[must_use]
    pub fn kind(self) -> KeyKind {
        KeyKind::of_low_half(self.low_half())
    }

    /// The half that the store keeps: equal keys stay equal.
    #[must_use]
    pub fn low_half(self) -> u32 {
        self.0 as u32
    }
}

/// The keys of what the bodies of a file give; see [`Facts::bodies`]. Bodies are told apart by their
/// order in the members of one name, so that what comes or goes elsewhere changes nothing, and what
/// does there invalidates those who asked for the name.
#[must_use]
pub fn body_keys(path: &str, facts: &Facts) -> Vec<DependencyKey> {
    let mut seen: FxHashMap<[&str; 2], u64> = FxHashMap::default();
    let mut key = |body: &Body| {
        let owner = facts.scope(facts.decl(body.piece).scope).owner;
        let names = [facts.decl_name(owner), facts.decl_name(body.piece)];
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
