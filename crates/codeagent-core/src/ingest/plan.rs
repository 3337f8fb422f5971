//! The plan of a batch: which files must be resolved again.
//!
//! A file's resolution is a function of its own facts, its project and what it looked up in the
//! world, so a file is resolved again exactly if one of these may differ: it changed; a file that it
//! looked at changed its interface or the ids of its nodes, or is gone; a member of such a file
//! changed that it looked up; a name that it looked up was or is provided by a file whose interface
//! changed (or, for lookups of mere presence, came or went in a project); a body that it looked at
//! changed; its module specifiers or its project lead elsewhere.
//!
//! One step suffices: a resolution records its lookups transitively, so nothing has to be
//! propagated.

use codeagent_lang::dependencies::KeyKind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::store::{DependencyKeyHash, DependencyRow, FileKey};

/// What is compared of a file between the index and now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
    /// Where its facts are kept: equal keys, equal facts.
    pub facts_key: [u8; 32],
    /// What others can see of it.
    pub interface_hash: [u8; 16],
    /// The ids of its nodes.
    pub ids_hash: u64,
    /// What its project says.
    pub environment_hash: u64,
    /// Where its module specifiers lead.
    pub answers_hash: u64,
    /// The slots it publishes, sorted.
    pub published: Vec<DependencyKeyHash>,
}

impl Fingerprint {
    /// Whether others may see another file, or another body of it, than before.
    #[must_use]
    pub fn differs_outside(&self, before: &Self) -> bool {
        seen_from_outside_differs(before, self) || gone_bodies(before, self).next().is_some()
    }

    /// Whether all that differs may be pieces.
    #[must_use]
    pub fn may_differ_in_pieces(&self, before: &Self) -> bool {
        self.environment_hash == before.environment_hash && self.answers_hash == before.answers_hash
    }
}

/// A file now.
#[derive(Debug)]
pub struct PlanFile<'a> {
    /// Its key.
    pub key: FileKey,
    /// Now.
    pub now: Fingerprint,
    /// As the index knows it, with what its last link asked.
    pub before: Option<(Fingerprint, &'a DependencyRow)>,
    /// If it changed in pieces only: the questions that these answer otherwise than before.
    pub pieces: Option<Vec<DependencyKeyHash>>,
}

/// What to link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Everything, and write everything anew.
    All,
    /// These, by their position.
    Some(Vec<usize>),
}

/// Above this share of files a full link is cheaper than finding out what differs.
const MOST_DIRTY_PERCENT: usize = 30;

/// Decides. `removed` are the files that are gone.
#[must_use]
pub fn plan(files: &[PlanFile<'_>], removed: &FxHashMap<FileKey, &DependencyRow>) -> Plan {
    let mut changes = Changes {
        files: removed.keys().copied().collect(),
        slots: removed
            .values()
            .flat_map(|links| content(&links.published))
            .collect(),
        pieces: FxHashMap::default(),
    };
    for file in files {
        changes.add(
            file.key,
            file.before.as_ref().map(|(before, _)| before),
            &file.now,
            file.pieces.as_deref(),
        );
    }
    add_presence(files, removed, &mut changes.slots);
    let dirty: Vec<usize> = files
        .iter()
        .enumerate()
        .filter(|(_, file)| is_dirty(file, &changes))
        .map(|(at, _)| at)
        .collect();
    if are_most(dirty.len(), files.len()) || files.iter().all(|file| file.before.is_none()) {
        return Plan::All;
    }
    Plan::Some(dirty)
}

/// Returns the files among `all` that have to be resolved again after the contents of these changed,
/// themselves included; [`Plan::All`] if everything has to be compared to tell.
#[must_use]
pub fn plan_of_edits(
    changed: &[ChangedFile<'_>],
    all: &[FileKey],
    dependencies: &FxHashMap<FileKey, DependencyRow>,
) -> Plan {
    let mut changes = Changes::default();
    for file in changed {
        let presence = |print: &Fingerprint| {
            print
                .published
                .iter()
                .copied()
                .filter(|slot| KeyKind::of_low_half(*slot) == KeyKind::Presence)
                .collect::<Vec<_>>()
        };
        if file.before.environment_hash != file.now.environment_hash
            || presence(file.before) != presence(file.now)
        {
            return Plan::All;
        }
        changes.add(file.key, Some(file.before), file.now, file.pieces);
    }
    let own: FxHashSet<FileKey> = changed.iter().map(|file| file.key).collect();
    let is_dirty = |key: &FileKey| {
        own.contains(key)
            || dependencies
                .get(key)
                .is_none_or(|dependencies| changes.affect(dependencies))
    };
    let dirty: Vec<usize> = all
        .iter()
        .enumerate()
        .filter(|(_, key)| is_dirty(key))
        .map(|(at, _)| at)
        .collect();
    if are_most(dirty.len(), all.len()) {
        Plan::All
    } else {
        Plan::Some(dirty)
    }
}

/// A file that is there as before, with another content.
#[derive(Debug)]
pub struct ChangedFile<'a> {
    /// Its key.
    pub key: FileKey,
    /// As it was linked.
    pub before: &'a Fingerprint,
    /// Now.
    pub now: &'a Fingerprint,
    /// If it changed in pieces only: the questions that these answer otherwise than before.
    pub pieces: Option<&'a [DependencyKeyHash]>,
}

fn are_most(dirty: usize, all: usize) -> bool {
    dirty * 100 > all * MOST_DIRTY_PERCENT && dirty > 100
}

/// What links may have asked that has another answer now.
#[derive(Debug, Default)]
struct Changes {
    /// Files of which everything may be seen otherwise.
    files: FxHashSet<FileKey>,
    /// World-wide questions, and those about bodies.
    slots: FxHashSet<DependencyKeyHash>,
    /// Questions about pieces, by the file that has them.
    pieces: FxHashMap<FileKey, FxHashSet<DependencyKeyHash>>,
}

impl Changes {
    fn add(
        &mut self,
        key: FileKey,
        before: Option<&Fingerprint>,
        now: &Fingerprint,
        pieces: Option<&[DependencyKeyHash]>,
    ) {
        self.slots.extend(
            before
                .into_iter()
                .flat_map(|before| gone_bodies(before, now)),
        );
        if before.is_some_and(|before| !seen_from_outside_differs(before, now)) {
            return;
        }
        if let Some(pieces) = pieces {
            self.slots.extend(content(pieces));
            self.pieces.entry(key).or_default().extend(
                pieces
                    .iter()
                    .copied()
                    .filter(|slot| KeyKind::of_low_half(*slot) == KeyKind::Member),
            );
            return;
        }
        self.files.insert(key);
        self.slots.extend(content(
            before
                .map(|before| before.published.as_slice())
                .unwrap_or_default(),
        ));
        self.slots.extend(content(&now.published));
    }

    /// Whether a link asked something of it.
    fn affect(&self, links: &DependencyRow) -> bool {
        let asks = |slots: &FxHashSet<DependencyKeyHash>| {
            links.slots.iter().any(|slot| slots.contains(slot))
        };
        let reads =
            |read: &FileKey| self.files.contains(read) || self.pieces.get(read).is_some_and(asks);
        links.reads.iter().any(reads) || !self.slots.is_empty() && asks(&self.slots)
    }
}

/// The slots whose answers change with the interface of who publishes them.
fn content(published: &[DependencyKeyHash]) -> impl Iterator<Item = DependencyKeyHash> {
    published.iter().copied().filter(|slot| {
        !matches!(
            KeyKind::of_low_half(*slot),
            KeyKind::Presence | KeyKind::Member
        )
    })
}

/// Adds the presence slots of every file that publishes, or published, one that some project has
/// now and had not, or the reverse.
fn add_presence(
    files: &[PlanFile<'_>],
    removed: &FxHashMap<FileKey, &DependencyRow>,
    slots: &mut FxHashSet<DependencyKeyHash>,
) {
    let now: Vec<(u64, &[DependencyKeyHash])> = files
        .iter()
        .map(|file| (file.now.environment_hash, file.now.published.as_slice()))
        .collect();
    let stored = files
        .iter()
        .filter_map(|file| file.before.as_ref())
        .map(|(_, links)| *links)
        .chain(removed.values().copied());
    let before: Vec<(u64, &[DependencyKeyHash])> = stored
        .map(|links| (links.environment_hash, links.published.as_slice()))
        .collect();
    let (has, had) = (presence(&now), presence(&before));
    let flipped: FxHashSet<(u64, DependencyKeyHash)> =
        has.symmetric_difference(&had).copied().collect();
    if flipped.is_empty() {
        return;
    }
    for (environment, published) in now.iter().chain(&before) {
        if published
            .iter()
            .any(|slot| flipped.contains(&(*environment, *slot)))
        {
            slots.extend(
                published
                    .iter()
                    .filter(|slot| KeyKind::of_low_half(**slot) == KeyKind::Presence),
            );
        }
    }
}

/// Which names each environment has.
fn presence(published: &[(u64, &[DependencyKeyHash])]) -> FxHashSet<(u64, DependencyKeyHash)> {
    let each = published
        .iter()
        .flat_map(|(environment, slots)| slots.iter().map(|slot| (*environment, *slot)));
    each.filter(|(_, slot)| KeyKind::of_low_half(*slot) == KeyKind::Presence)
        .collect()
}

fn seen_from_outside_differs(before: &Fingerprint, now: &Fingerprint) -> bool {
    before.interface_hash != now.interface_hash
        || before.ids_hash != now.ids_hash
        || before.environment_hash != now.environment_hash
        // What it exports from elsewhere lies elsewhere now.
        || before.answers_hash != now.answers_hash
        || !names(before).eq(names(now))
}

fn names(print: &Fingerprint) -> impl Iterator<Item = DependencyKeyHash> {
    print
        .published
        .iter()
        .copied()
        .filter(|slot| KeyKind::of_low_half(*slot) != KeyKind::Body)
}

/// The bodies that are as they were no more.
fn gone_bodies<'a>(
    before: &'a Fingerprint,
    now: &'a Fingerprint,
) -> impl Iterator<Item = DependencyKeyHash> + 'a {
    before.published.iter().copied().filter(|slot| {
        KeyKind::of_low_half(*slot) == KeyKind::Body && now.published.binary_search(slot).is_err()
    })
}

fn is_dirty(file: &PlanFile<'_>, changes: &Changes) -> bool {
    let Some((before, links)) = &file.before else {
        return true;
    };
    before != &file.now || changes.affect(links)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(reads: &[u32], slots: &[u32], published: &[u32]) -> DependencyRow {
        DependencyRow {
            reads: reads.iter().copied().map(FileKey).collect(),
            slots: slots.to_vec(),
            published: published.to_vec(),
            ..DependencyRow::default()
        }
    }

    fn print(interface: u8, published: &[u32]) -> Fingerprint {
        Fingerprint {
            interface_hash: [interface; 16],
            published: published.to_vec(),
            ..Fingerprint::default()
        }
    }

    fn file(
        key: u32,
        now: Fingerprint,
        before: Option<(Fingerprint, &DependencyRow)>,
    ) -> PlanFile<'_> {
        PlanFile {
            key: FileKey(key),
            now,
            before,
            pieces: None,
        }
    }

    #[test]
    fn a_body_edit_dirties_one_file() {
        let (a, b) = (links(&[], &[], &[12]), links(&[0], &[12], &[]));
        let mut now = print(0, &[12]);
        now.facts_key = [1; 32];
        let files = [
            file(0, now, Some((print(0, &[12]), &a))),
            file(1, print(0, &[]), Some((print(0, &[]), &b))),
        ];
        assert_eq!(plan(&files, &FxHashMap::default()), Plan::Some(vec![0]));
    }

    #[test]
    fn an_interface_edit_dirties_readers_and_askers() {
        let none = links(&[], &[], &[12]);
        let (reader, asker, other) = (
            links(&[0], &[], &[]),
            links(&[], &[16], &[]),
            links(&[5], &[20], &[]),
        );
        let files = [
            file(0, print(1, &[16]), Some((print(0, &[12]), &none))),
            file(1, print(0, &[]), Some((print(0, &[]), &reader))),
            file(2, print(0, &[]), Some((print(0, &[]), &asker))),
            file(3, print(0, &[]), Some((print(0, &[]), &other))),
        ];
        assert_eq!(
            plan(&files, &FxHashMap::default()),
            Plan::Some(vec![0, 1, 2])
        );
    }

    #[test]
    fn a_name_that_is_still_there_dirties_nobody() {
        // 4n + 1 is a question for presence.
        let (first, second, asker) = (
            links(&[], &[], &[9, 4]),
            links(&[], &[], &[9]),
            links(&[], &[9], &[]),
        );
        let kept = |now: &[u32]| {
            let files = [
                file(0, print(1, now), Some((print(0, &[4, 9]), &first))),
                file(1, print(0, &[]), Some((print(0, &[]), &asker))),
                file(2, print(0, &[9]), Some((print(0, &[9]), &second))),
            ];
            plan(&files, &FxHashMap::default())
        };
        assert_eq!(kept(&[4, 9]), Plan::Some(vec![0]));
        assert_eq!(kept(&[4]), Plan::Some(vec![0]));
        assert_eq!(kept(&[4, 9, 13]), Plan::Some(vec![0, 1]));
    }

    #[test]
    fn a_body_that_says_something_else_dirties_who_asked_about_it() {
        // 4n + 2 is a question about a body.
        let (said, asker, reader) = (
            links(&[], &[], &[6, 10]),
            links(&[0], &[6], &[]),
            links(&[0], &[10], &[]),
        );
        let files = [
            file(0, print(0, &[10, 14]), Some((print(0, &[6, 10]), &said))),
            file(1, print(0, &[]), Some((print(0, &[]), &asker))),
            file(2, print(0, &[]), Some((print(0, &[]), &reader))),
        ];
        assert_eq!(plan(&files, &FxHashMap::default()), Plan::Some(vec![0, 1]));
        assert!(
            files[0].now.differs_outside(&print(0, &[6, 10]))
                && !files[0].now.differs_outside(&print(0, &[14]))
        );
    }

    #[test]
    fn a_piece_dirties_those_readers_who_asked_for_it() {
        // 4n + 3 is a question about a piece.
        let (changed, reader, asker, other) = (
            links(&[], &[], &[8]),
            links(&[0], &[7], &[]),
            links(&[0], &[11], &[]),
            links(&[5], &[7], &[]),
        );
        let extender = links(&[], &[8], &[]);
        let files = [
            PlanFile {
                pieces: Some(vec![7, 8]),
                ..file(0, print(1, &[8]), Some((print(0, &[8]), &changed)))
            },
            file(1, print(0, &[]), Some((print(0, &[]), &reader))),
            file(2, print(0, &[]), Some((print(0, &[]), &asker))),
            file(3, print(0, &[]), Some((print(0, &[]), &other))),
            file(4, print(0, &[]), Some((print(0, &[]), &extender))),
        ];
        assert_eq!(
            plan(&files, &FxHashMap::default()),
            Plan::Some(vec![0, 1, 4])
        );
    }

    #[test]
    fn a_removed_file_dirties_its_readers_and_those_who_used_its_names() {
        let gone = links(&[], &[], &[12]);
        let (reader, asker, other) = (
            links(&[9], &[], &[]),
            links(&[], &[12], &[]),
            links(&[], &[], &[]),
        );
        let removed = FxHashMap::from_iter([(FileKey(9), &gone)]);
        let files: Vec<_> = [&reader, &asker, &other]
            .into_iter()
            .enumerate()
            .map(|(at, links)| file(at as u32, print(0, &[]), Some((print(0, &[]), links))))
            .collect();
        assert_eq!(plan(&files, &removed), Plan::Some(vec![0, 1]));
    }

    #[test]
    fn a_new_file_dirties_those_who_asked_for_its_names_in_vain() {
        let asker = links(&[], &[4], &[]);
        let files = [
            file(0, print(0, &[4]), None),
            file(1, print(0, &[]), Some((print(0, &[]), &asker))),
        ];
        assert_eq!(plan(&files, &FxHashMap::default()), Plan::Some(vec![0, 1]));
    }
}
