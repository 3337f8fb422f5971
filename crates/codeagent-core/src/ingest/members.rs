//! Finds the dependency keys that are invalidated when only some members of a file changed, or
//! types were added to it or removed.
//!
//! Limitations: needs the file's previous facts in memory. Without them, the whole file counts as
//! changed.

use codeagent_lang::nodes::NodeTable;
use codeagent_lang::{DeclRef, FileId};
use rustc_hash::FxHashMap;

use crate::languages::LANGUAGES;
use crate::model::facts::{DeclId, Facts, MemberHash};
use crate::store::DependencyKeyHash;

/// The externally visible parts of a file, hashed by member and separate type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberHashes {
    /// Hash of everything outside members and separate types.
    frame: u64,
    /// The separate types without their members, in text order, and their dependency keys.
    types: Vec<(u64, Vec<DependencyKeyHash>)>,
    /// Dependency keys of the members, each with a hash of the members it covers; sorted.
    answers: Vec<(DependencyKeyHash, u64)>,
}

impl MemberHashes {
    /// Hashes the members and types of a file.
    #[must_use]
    pub fn of(file: FileId, nodes: &NodeTable) -> Self {
        let facts = nodes.facts(file);
        let id_of = |decl: DeclId| nodes.of(DeclRef { file, decl }).map_or(0, |id| id.0);
        let mut frame = blake3::Hasher::new();

        frame.update(&facts.header.frame_hash);
        frame.update(&[u8::from(facts.header.is_module)]);
        let mut heads = vec![blake3::Hasher::new(); facts.type_hashes.len()];
        for decl in facts.decl_ids().filter(|decl| !is_in_member(facts, *decl)) {
            let hasher = match part_around(facts, &facts.type_hashes, decl) {
                Some(at) => &mut heads[at],
                None => &mut frame,
            };
            hasher.update(&id_of(decl).to_le_bytes());
        }

        let language = LANGUAGES.of_facts(facts);
        let keys_of = |decl: DeclId| {
            let keys = language.keys_of_member(facts, decl).into_iter();
            keys.map(|key| key.low_half())
        };
        let types = facts.type_hashes.iter().zip(&mut heads).map(|(of, head)| {
            head.update(&of.hash);
            (number(head), keys_of(of.decl).collect())
        });
        let types = types.collect();

        let mut answers: Vec<(DependencyKeyHash, usize)> = Vec::new();
        for (at, member) in facts.member_hashes.iter().enumerate() {
            answers.extend(keys_of(member.decl).map(|key| (key, at)));
        }

        answers.sort_unstable();
        let answer = |of: &[(DependencyKeyHash, usize)]| {
            let mut hasher = blake3::Hasher::new();
            for (_, at) in of {
                let member = facts.member_hashes[*at];
                let decl = facts.decl(member.decl);
                hasher.update(&member.hash);
                hasher.update(&[decl.kind as u8]);
                hasher.update(&decl.flags.0.to_le_bytes());
                hasher.update(&id_of(member.decl).to_le_bytes());
            }
            (of[0].0, number(&hasher))
        };

        Self {
            frame: number(&frame),
            types,
            answers: answers.chunk_by(|a, b| a.0 == b.0).map(answer).collect(),
        }
    }

    /// Returns the keys that differ from `before`, or `None` if anything outside members changed
    /// except that types were added or removed.
    #[must_use]
    pub fn differing(&self, before: &Self) -> Option<Vec<DependencyKeyHash>> {
        if self.frame != before.frame {
            return None;
        }
        let types = added(&before.types, &self.types).or(added(&self.types, &before.types))?;

        let mut only_before: FxHashMap<DependencyKeyHash, u64> =
            before.answers.iter().copied().collect();
        let is_new =
            |(slot, answer): &&(DependencyKeyHash, u64)| only_before.remove(slot) != Some(*answer);
        let mut differing: Vec<DependencyKeyHash> = self
            .answers
            .iter()
            .filter(is_new)
            .map(|(slot, _)| *slot)
            .collect();

        differing.extend(only_before.into_keys());
        differing.extend(types.iter().flat_map(|(_, keys)| keys));
        differing.sort_unstable();
        differing.dedup();
        Some(differing)
    }
}

/// Returns the part of `now` that was added to `before` at one place; `None` if more changed.
fn added<'n, T: PartialEq>(before: &[T], now: &'n [T]) -> Option<&'n [T]> {
    let added = now.len().checked_sub(before.len())?;
    let same = before.iter().zip(now).take_while(|(a, b)| a == b).count();
    (before[same..] == now[same + added..]).then_some(&now[same..same + added])
}

fn is_in_member(facts: &Facts, decl: DeclId) -> bool {
    part_around(facts, &facts.member_hashes, decl).is_some()
}

/// Returns the index of the part that contains a declaration.
fn part_around(facts: &Facts, parts: &[MemberHash], decl: DeclId) -> Option<usize> {
    let at = facts.decl(decl).at.offset;
    let span = |part: &MemberHash| {
        facts.detail(part.decl).map_or((0, 0), |detail| {
            (detail.span.start.offset, detail.span.end_offset)
        })
    };
    let last = parts
        .partition_point(|part| span(part).0 <= at)
        .checked_sub(1)?;
    (at < span(&parts[last]).1).then_some(last)
}

fn number(hasher: &blake3::Hasher) -> u64 {
    u64::from_le_bytes(
        hasher.finalize().as_bytes()[..8]
            .try_into()
            .expect("a hash has 32 bytes"),
    )
}
