//! What a link asked of the world, so that one knows when it must be done again.
//!
//! Four kinds of questions: "what does file F declare" (asked by whoever looks at a declaration of
//! F or looks into F in vain), "what is called N in the files I look at" (asked by whoever looks
//! for a member), "who in the world bears name N in this table" (asked by whoever looks a name up
//! in a world-wide table, in vain or not), and "what does this body of F give", whose result type
//! is not declared. The second and the third kind are [`slot`]s, the last is one of [`body_slots`].

use codeagent_model::facts::{Body, Facts};
use rustc_hash::FxHashMap;

use crate::world::FileId;

/// The questions of one link, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadSet {
    /// Files whose interface was looked at, without the file itself.
    pub files: Vec<FileId>,
    /// Slots that were looked up; see [`slot`].
    pub slots: Vec<u64>,
}

/// The lowest bits of a slot say of which kind it is.
const KINDS: u64 = 0b11;
const PRESENCE: u64 = 0b01;
const BODY: u64 = 0b10;
const PIECE: u64 = 0b11;

/// The key of an open-ended question about a name: the table asked and the name.
///
/// A file *publishes* a slot for every name it adds to the table; a change of its interface changes
/// the answers of all slots it published before or publishes now. Of a table whose name begins with
/// `?` it is only asked whether a project has the name at all: the answers change only if the first
/// file of a project comes to publish it or the last one ceases to; see [`is_presence`]. Of a table
/// whose name begins with `.` the files that are read at all are asked: who does not ask it does
/// not see a change of nothing but such a piece; see [`is_piece`].
#[must_use]
pub fn slot(table: &str, name: &str) -> u64 {
    let kind = match table.as_bytes().first() {
        Some(b'?') => PRESENCE,
        Some(b'.') => PIECE,
        _ => 0,
    };
    hash(&[table.as_bytes(), &[0], name.as_bytes()]) & !KINDS | kind
}

/// The keys of the questions what the bodies of a file give; see [`Facts::bodies`]. A key holds
/// what the body says, so that a change of the body is a slot that is published no more, and wakes
/// who asked, though nothing else of the file changed. Bodies are told apart by their order in the
/// pieces of one name, so that what comes or goes elsewhere changes nothing, and what does there
/// wakes who asked for the name.
#[must_use]
pub fn body_slots(path: &str, facts: &Facts) -> Vec<u64> {
    let mut seen: FxHashMap<[&str; 2], u64> = FxHashMap::default();
    let mut key = |body: &Body| {
        let owner = facts.scope(facts.decl(body.piece).scope).owner;
        let names = [facts.decl_name(owner), facts.decl_name(body.piece)];
        let number = seen.entry(names).or_default();
        *number += 1;
        let [owner, name] = names.map(str::as_bytes);
        hash(&[
            path.as_bytes(),
            &[0],
            owner,
            &[0],
            name,
            &[0],
            &number.to_le_bytes(),
            &body.hash,
        ]) & !KINDS
            | BODY
    };
    facts.bodies.iter().map(&mut key).collect()
}

fn hash(parts: &[&[u8]]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    u64::from_le_bytes(
        hasher.finalize().as_bytes()[..8]
            .try_into()
            .expect("a hash has 32 bytes"),
    )
}

/// Whether a slot, or the low half of one, is a question for presence alone.
#[must_use]
pub fn is_presence(slot: u32) -> bool {
    u64::from(slot) & KINDS == PRESENCE
}

/// Whether a slot, or the low half of one, is the question what a body gives.
#[must_use]
pub fn is_body(slot: u32) -> bool {
    u64::from(slot) & KINDS == BODY
}

/// Whether a slot, or the low half of one, is a question about a piece of a file that is read.
#[must_use]
pub fn is_piece(slot: u32) -> bool {
    u64::from(slot) & KINDS == PIECE
}
