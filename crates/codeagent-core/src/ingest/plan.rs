//! The plan of a batch: which files must be resolved again.
//!
//! A file's resolution is a function of its own facts, its project and its lookups in the world.
//! The file is resolved again if one of these may differ:
//!
//! * it changed, its module specifiers resolve differently, or it belongs to other projects;
//! * a file it read changed its interface or node ids, or was removed;
//! * a member it looked up changed;
//! * a name it looked up is or was provided by a file whose interface changed. For presence
//!   lookups, the name must have appeared in a project or disappeared from it;
//! * a function body it read changed.
//!
//! One step suffices: a resolution records its lookups transitively, so nothing has to be
//! propagated.

use codeagent_lang::dependencies::KeyKind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::store::{DependencyKeyHash, DependencyRow, FileKey};

/// The properties of a file that are compared between the index and now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
    /// Key of the facts; equal keys mean equal facts.
    pub facts_key: [u8; 32],
    /// Hash of what other files can see.
    pub interface_hash: [u8; 16],
    /// Hash of the node ids.
    pub ids_hash: u64,
    /// Hash of the project's settings.
    pub environment_hash: u64,
    /// Hash of the targets of its module specifiers.
    pub answers_hash: u64,
    /// Dependency keys that the file provides, sorted.
    pub published: Vec<DependencyKeyHash>,
}

impl Fingerprint {
    /// Reports whether other files can see a difference, including in function bodies.
    #[must_use]
    pub fn differs_externally(&self, before: &Self) -> bool {
        interface_differs(before, self) || gone_bodies(before, self).next().is_some()
    }

    /// Reports whether only members can differ.
    #[must_use]
    pub fn may_differ_in_members(&self, before: &Self) -> bool {
        self.environment_hash == before.environment_hash && self.answers_hash == before.answers_hash
    }
}

/// A file to plan for.
#[derive(Debug)]
pub struct PlanFile<'a> {
    pub key: FileKey,
    /// The current fingerprint.
    pub now: Fingerprint,
    /// Its state in the index, with the dependencies of its last resolution.
    pub before: Option<(Fingerprint, &'a DependencyRow)>,
    /// The dependency keys that differ, if only members changed.
    pub members: Option<Vec<DependencyKeyHash>>,
}

/// The files to resolve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Resolve and write everything.
    All,
    /// Positions of the files.
    Some(Vec<usize>),
}

/// Percentage of files above which resolving all is cheaper than a partial update.
const MAX_INVALIDATED_PERCENT: usize = 30;

/// Decides which files must be resolved again. `removed` are the deleted files.
#[must_use]
pub fn plan(files: &[PlanFile<'_>], removed: &FxHashMap<FileKey, &DependencyRow>) -> Plan {
    let mut changes = ChangedKeys {
        files: removed.keys().copied().collect(),
        keys: removed
            .values()
            .flat_map(|links| content(&links.published))
            .collect(),
        members: FxHashMap::default(),
    };

    for file in files {
        changes.add(
            file.key,
            file.before.as_ref().map(|(before, _)| before),
            &file.now,
            file.members.as_deref(),
        );
    }

    add_presence(files, removed, &mut changes.keys);
    let invalidated: Vec<usize> = files
        .iter()
        .enumerate()
        .filter(|(_, file)| is_dirty(file, &changes))
        .map(|(at, _)| at)
        .collect();
    if is_majority(invalidated.len(), files.len()) || files.iter().all(|file| file.before.is_none())
    {
        return Plan::All;
    }

    Plan::Some(invalidated)
}

/// Returns the files among `all` that must be resolved again after these edits, including the
/// edited files; [`Plan::All`] if that takes a full comparison. `all` has the current fingerprints.
#[must_use]
pub fn plan_of_edits<'p>(
    changed: &[ChangedFile<'p>],
    all: &[(FileKey, &'p Fingerprint)],
    dependencies: &FxHashMap<FileKey, DependencyRow>,
) -> Plan {
    let mut changes = ChangedKeys::default();
    for file in changed {
        match file.before {
            Some(before)
                if before.environment_hash != file.now.environment_hash
                    || presence_keys(before).ne(presence_keys(file.now)) =>
            {
                return Plan::All;
            }
            Some(_) => {}
            None if is_first_provider(file, all) => changes.keys.extend(presence_keys(file.now)),
            None => {}
        }

        changes.add(file.key, file.before, file.now, file.members);
    }

    let own: FxHashSet<FileKey> = changed.iter().map(|file| file.key).collect();
    let is_dirty = |key: &FileKey| {
        own.contains(key)
            || dependencies
                .get(key)
                .is_none_or(|dependencies| changes.affect(dependencies))
    };

    let invalidated: Vec<usize> = all
        .iter()
        .enumerate()
        .filter(|(_, (key, _))| is_dirty(key))
        .map(|(at, _)| at)
        .collect();

    if is_majority(invalidated.len(), all.len()) {
        Plan::All
    } else {
        Plan::Some(invalidated)
    }
}

/// Reports whether a new file is the first of its projects to provide some name.
fn is_first_provider(file: &ChangedFile<'_>, all: &[(FileKey, &Fingerprint)]) -> bool {
    let others = all.iter().filter(|(key, other)| {
        *key != file.key && other.environment_hash == file.now.environment_hash
    });
    let provided: FxHashSet<DependencyKeyHash> =
        others.flat_map(|(_, other)| presence_keys(other)).collect();
    presence_keys(file.now).any(|key| !provided.contains(&key))
}

fn presence_keys(print: &Fingerprint) -> impl Iterator<Item = DependencyKeyHash> {
    let keys = print.published.iter().copied();
    keys.filter(|key| KeyKind::of_low_half(*key) == KeyKind::Presence)
}

/// A file with new content.
#[derive(Debug)]
pub struct ChangedFile<'a> {
    pub key: FileKey,
    /// The fingerprint in the index; `None` for a new file.
    pub before: Option<&'a Fingerprint>,
    /// The current fingerprint.
    pub now: &'a Fingerprint,
    /// The dependency keys that differ, if only members changed.
    pub members: Option<&'a [DependencyKeyHash]>,
}

fn is_majority(invalidated: usize, all: usize) -> bool {
    invalidated * 100 > all * MAX_INVALIDATED_PERCENT && invalidated > 100
}

/// Dependency keys whose values changed.
#[derive(Debug, Default)]
struct ChangedKeys {
    /// Files whose whole interface may have changed.
    files: FxHashSet<FileKey>,
    /// Changed keys of names and of function bodies.
    keys: FxHashSet<DependencyKeyHash>,
    /// Changed members, by file.
    members: FxHashMap<FileKey, FxHashSet<DependencyKeyHash>>,
}

impl ChangedKeys {
    fn add(
        &mut self,
        key: FileKey,
        before: Option<&Fingerprint>,
        now: &Fingerprint,
        members: Option<&[DependencyKeyHash]>,
    ) {
        self.keys.extend(
            before
                .into_iter()
                .flat_map(|before| gone_bodies(before, now)),
        );
        if before.is_some_and(|before| !interface_differs(before, now)) {
            return;
        }

        if let Some(members) = members {
            self.keys.extend(content(members));
            self.members.entry(key).or_default().extend(
                members
                    .iter()
                    .copied()
                    .filter(|key| KeyKind::of_low_half(*key) == KeyKind::Member),
            );
            return;
        }

        self.files.insert(key);
        self.keys.extend(content(
            before
                .map(|before| before.published.as_slice())
                .unwrap_or_default(),
        ));
        self.keys.extend(content(&now.published));
    }

    /// Reports whether a resolution depended on a changed key.
    fn affect(&self, links: &DependencyRow) -> bool {
        let asks =
            |keys: &FxHashSet<DependencyKeyHash>| links.slots.iter().any(|key| keys.contains(key));
        let reads =
            |read: &FileKey| self.files.contains(read) || self.members.get(read).is_some_and(asks);
        links.reads.iter().any(reads) || !self.keys.is_empty() && asks(&self.keys)
    }
}

/// Returns the keys whose values change with their provider's interface.
fn content(published: &[DependencyKeyHash]) -> impl Iterator<Item = DependencyKeyHash> {
    published.iter().copied().filter(|key| {
        !matches!(
            KeyKind::of_low_half(*key),
            KeyKind::Presence | KeyKind::Member
        )
    })
}

/// Adds presence keys that may have changed. If a name appeared in a project or disappeared from
/// it, all presence keys of the files that provide or provided it are added.
fn add_presence(
    files: &[PlanFile<'_>],
    removed: &FxHashMap<FileKey, &DependencyRow>,
    keys: &mut FxHashSet<DependencyKeyHash>,
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
            .any(|key| flipped.contains(&(*environment, *key)))
        {
            keys.extend(
                published
                    .iter()
                    .filter(|key| KeyKind::of_low_half(**key) == KeyKind::Presence),
            );
        }
    }
}

/// Returns the presence keys provided in each environment.
fn presence(published: &[(u64, &[DependencyKeyHash])]) -> FxHashSet<(u64, DependencyKeyHash)> {
    let each = published
        .iter()
        .flat_map(|(environment, keys)| keys.iter().map(|key| (*environment, *key)));
    each.filter(|(_, key)| KeyKind::of_low_half(*key) == KeyKind::Presence)
        .collect()
}

fn interface_differs(before: &Fingerprint, now: &Fingerprint) -> bool {
    before.interface_hash != now.interface_hash
        || before.ids_hash != now.ids_hash
        || before.environment_hash != now.environment_hash
        // Re-exports may lead to other files.
        || before.answers_hash != now.answers_hash
        || !names(before).eq(names(now))
}

fn names(print: &Fingerprint) -> impl Iterator<Item = DependencyKeyHash> {
    print
        .published
        .iter()
        .copied()
        .filter(|key| KeyKind::of_low_half(*key) != KeyKind::Body)
}

/// Returns the keys of bodies that changed or were removed.
fn gone_bodies<'a>(
    before: &'a Fingerprint,
    now: &'a Fingerprint,
) -> impl Iterator<Item = DependencyKeyHash> + 'a {
    before.published.iter().copied().filter(|key| {
        KeyKind::of_low_half(*key) == KeyKind::Body && now.published.binary_search(key).is_err()
    })
}

fn is_dirty(file: &PlanFile<'_>, changes: &ChangedKeys) -> bool {
    let Some((before, links)) = &file.before else {
        return true;
    };
    before != &file.now || changes.affect(links)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(reads: &[u32], keys: &[u32], published: &[u32]) -> DependencyRow {
        DependencyRow {
            reads: reads.iter().copied().map(FileKey).collect(),
            slots: keys.to_vec(),
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
            members: None,
        }
    }

    #[test]
    fn a_body_edit_invalidates_one_file() {
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
    fn an_interface_edit_invalidates_readers_and_lookups() {
        let none = links(&[], &[], &[12]);
        let (reader, dependent, other) = (
            links(&[0], &[], &[]),
            links(&[], &[16], &[]),
            links(&[5], &[20], &[]),
        );

        let files = [
            file(0, print(1, &[16]), Some((print(0, &[12]), &none))),
            file(1, print(0, &[]), Some((print(0, &[]), &reader))),
            file(2, print(0, &[]), Some((print(0, &[]), &dependent))),
            file(3, print(0, &[]), Some((print(0, &[]), &other))),
        ];

        assert_eq!(
            plan(&files, &FxHashMap::default()),
            Plan::Some(vec![0, 1, 2])
        );
    }

    #[test]
    fn an_unchanged_presence_invalidates_nothing() {
        // 4n + 1 is a query for presence.
        let (first, second, dependent) = (
            links(&[], &[], &[9, 4]),
            links(&[], &[], &[9]),
            links(&[], &[9], &[]),
        );

        let kept = |now: &[u32]| {
            let files = [
                file(0, print(1, now), Some((print(0, &[4, 9]), &first))),
                file(1, print(0, &[]), Some((print(0, &[]), &dependent))),
                file(2, print(0, &[9]), Some((print(0, &[9]), &second))),
            ];
            plan(&files, &FxHashMap::default())
        };

        assert_eq!(kept(&[4, 9]), Plan::Some(vec![0]));
        assert_eq!(kept(&[4]), Plan::Some(vec![0]));
        assert_eq!(kept(&[4, 9, 13]), Plan::Some(vec![0, 1]));
    }

    #[test]
    fn a_changed_body_invalidates_its_readers() {
        // 4n + 2 is a query for a body.
        let (output, dependent, reader) = (
            links(&[], &[], &[6, 10]),
            links(&[0], &[6], &[]),
            links(&[0], &[10], &[]),
        );

        let files = [
            file(0, print(0, &[10, 14]), Some((print(0, &[6, 10]), &output))),
            file(1, print(0, &[]), Some((print(0, &[]), &dependent))),
            file(2, print(0, &[]), Some((print(0, &[]), &reader))),
        ];

        assert_eq!(plan(&files, &FxHashMap::default()), Plan::Some(vec![0, 1]));
        assert!(
            files[0].now.differs_externally(&print(0, &[6, 10]))
                && !files[0].now.differs_externally(&print(0, &[14]))
        );
    }

    #[test]
    fn a_changed_member_invalidates_the_readers_that_looked_it_up() {
        // 4n + 3 is the key of a member.
        let (changed, reader, dependent, other) = (
            links(&[], &[], &[8]),
            links(&[0], &[7], &[]),
            links(&[0], &[11], &[]),
            links(&[5], &[7], &[]),
        );

        let extender = links(&[], &[8], &[]);
        let files = [
            PlanFile {
                members: Some(vec![7, 8]),
                ..file(0, print(1, &[8]), Some((print(0, &[8]), &changed)))
            },
            file(1, print(0, &[]), Some((print(0, &[]), &reader))),
            file(2, print(0, &[]), Some((print(0, &[]), &dependent))),
            file(3, print(0, &[]), Some((print(0, &[]), &other))),
            file(4, print(0, &[]), Some((print(0, &[]), &extender))),
        ];

        assert_eq!(
            plan(&files, &FxHashMap::default()),
            Plan::Some(vec![0, 1, 4])
        );
    }

    #[test]
    fn a_removed_file_invalidates_its_readers() {
        let gone = links(&[], &[], &[12]);
        let (reader, dependent, other) = (
            links(&[9], &[], &[]),
            links(&[], &[12], &[]),
            links(&[], &[], &[]),
        );
        let removed = FxHashMap::from_iter([(FileKey(9), &gone)]);
        let files: Vec<_> = [&reader, &dependent, &other]
            .into_iter()
            .enumerate()
            .map(|(at, links)| file(at as u32, print(0, &[]), Some((print(0, &[]), links))))
            .collect();
        assert_eq!(plan(&files, &removed), Plan::Some(vec![0, 1]));
    }

    #[test]
    fn a_new_file_invalidates_failed_lookups_of_its_names() {
        let dependent = links(&[], &[4], &[]);
        let files = [
            file(0, print(0, &[4]), None),
            file(1, print(0, &[]), Some((print(0, &[]), &dependent))),
        ];
        assert_eq!(plan(&files, &FxHashMap::default()), Plan::Some(vec![0, 1]));
    }
}
