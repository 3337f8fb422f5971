//! Finds the dependency keys that are invalidated when only some members of a file changed.
//!
//! Limitations: needs the file's previous facts in memory. Without them, the whole file counts as
//! changed.

use codeagent_lang::nodes::NodeTable;
use codeagent_lang::{DeclRef, FileId};
use rustc_hash::FxHashMap;

use crate::languages::LANGUAGES;
use crate::model::facts::{DeclId, Facts, MemberHash};
use crate::store::DependencyKeyHash;

/// The externally visible parts of a file, hashed by member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberHashes {
    /// Hash of everything outside members.
    frame: u64,
    /// Dependency keys of the members, each with a hash of the members it covers; sorted.
    answers: Vec<(DependencyKeyHash, u64)>,
}

impl MemberHashes {
    /// Hashes the members of a file.
    #[must_use]
    pub fn of(file: FileId, nodes: &NodeTable) -> Self {
        let facts = nodes.facts(file);
        let id_of = |decl: DeclId| nodes.of(DeclRef { file, decl }).map_or(0, |id| id.0);
        let mut frame = blake3::Hasher::new();

        frame.update(&facts.header.frame_hash);
        frame.update(&[u8::from(facts.header.is_module)]);
        for decl in facts.decl_ids().filter(|decl| !is_in_member(facts, *decl)) {
            frame.update(&id_of(decl).to_le_bytes());
        }

        let mut answers: Vec<(DependencyKeyHash, usize)> = Vec::new();
        for (at, member) in facts.member_hashes.iter().enumerate() {
            answers.extend(
                LANGUAGES
                    .of_facts(facts)
                    .keys_of_member(facts, member.decl)
                    .into_iter()
                    .map(|key| (key.low_half(), at)),
            );
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
            answers: answers.chunk_by(|a, b| a.0 == b.0).map(answer).collect(),
        }
    }

    /// Returns the keys that differ from `before`, or `None` if anything outside members changed.
    #[must_use]
    pub fn differing(&self, before: &Self) -> Option<Vec<DependencyKeyHash>> {
        if self.frame != before.frame {
            return None;
        }

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
        differing.sort_unstable();
        Some(differing)
    }
}

fn is_in_member(facts: &Facts, decl: DeclId) -> bool {
    let at = facts.decl(decl).at.offset;
    let span = |member: &MemberHash| {
        facts.detail(member.decl).map_or((0, 0), |detail| {
            (detail.span.start.offset, detail.span.end_offset)
        })
    };
    let behind = facts
        .member_hashes
        .partition_point(|member| span(member).0 <= at);
    behind
        .checked_sub(1)
        .is_some_and(|last| at < span(&facts.member_hashes[last]).1)
}

fn number(hasher: &blake3::Hasher) -> u64 {
    u64::from_le_bytes(
        hasher.finalize().as_bytes()[..8]
            .try_into()
            .expect("a hash has 32 bytes"),
    )
}
