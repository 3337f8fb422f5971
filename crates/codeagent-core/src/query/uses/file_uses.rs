//! The indexed files with the uses between them, grouped by folder: which folder uses which, and how
//! much of each was understood.
//!
//! [`file_uses`] reads every use once; the groupings need no further reads.
//!
//! Limitations: a use by a test counts only for folders that consist of tests.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::model::graph::{Language, ParseStatus};
use crate::query::graph::overview::components;
use crate::query::{FileKey, QueryError, Snapshot};
use crate::store::{self, FileRow};
use rustc_hash::FxHashMap;

/// Stands for the files directly in a folder, among its subfolders.
const FILES_HERE: &str = ".";

/// An indexed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedFile {
    /// Repo-relative path.
    pub path: String,
    /// The file's language.
    pub language: Language,
    /// Whether it is a test file.
    pub is_test: bool,
    /// Number of lines.
    pub lines: u64,
    /// Why it has no symbols.
    pub problem: Option<String>,
    /// If it could not be parsed completely: the first line with an error.
    pub partial: Option<u32>,
    /// Its calls.
    pub calls: CallCounts,
}

/// How many calls were resolved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCounts {
    /// Number of call sites, except calls of values.
    pub all: u64,
    /// Number of call sites with a target.
    pub resolved: u64,
    /// Number of call sites known to be external.
    pub external: u64,
}

impl CallCounts {
    /// Returns the percentage of non-external calls that have a target; `None` if there are no such
    /// calls.
    #[must_use]
    pub fn resolved_percent(&self) -> Option<f64> {
        store::percent(self.resolved, self.all.saturating_sub(self.external))
    }
}

/// The indexed files and the uses between them.
#[derive(Clone, Debug, Default)]
pub struct FileUses {
    /// The files, by path.
    files: Vec<IndexedFile>,
    /// Indices of a using and a used file with the number of uses.
    uses: Vec<(u32, u32, u32)>,
}

/// A part of a folder: a subfolder, or the files directly in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderPart {
    /// Repo-relative path; ends with `.` for the files directly in the folder.
    pub path: String,
    /// Whether it stands for the files directly in the folder.
    pub is_files: bool,
    /// Number of files.
    pub files: u64,
    /// Number of test files.
    pub tests: u64,
    /// Number of lines.
    pub lines: u64,
    /// Number of files without symbols.
    pub failed: u64,
    /// Number of files that were parsed in part.
    pub partial: u64,
    /// Calls of these files.
    pub calls: CallCounts,
}

/// Which part of a folder uses which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderMatrix {
    /// The folder.
    pub folder: String,
    /// Its parts: users before what they use, and the members of a cycle next to each other.
    pub parts: Vec<FolderPart>,
    /// Indices of a using and a used part, with the number of uses.
    pub uses: Vec<(usize, usize, u64)>,
    /// Indices of parts that all use each other, directly or indirectly.
    pub cycles: Vec<Vec<usize>>,
    /// Number of smaller parts that were left out.
    pub left_out: usize,
}

/// How much of a folder was understood.
#[derive(Clone, Debug, Default)]
pub struct FolderHealth<'a> {
    /// The folder as a whole.
    pub total: FolderPart,
    /// Its parts: those with failed files first, then by the number of unresolved calls.
    pub parts: Vec<FolderPart>,
    /// Files with problems below it: failed ones first, then by path.
    pub problems: Vec<&'a IndexedFile>,
}

/// Uses of one file by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilePair<'a> {
    /// Path of the using file.
    pub from: &'a str,
    /// Path of the used file.
    pub to: &'a str,
    /// Number of uses.
    pub uses: u32,
}

/// Reads all files and counts the uses between them.
pub fn file_uses(snapshot: &Snapshot) -> Result<FileUses, QueryError> {
    let external = store::external_calls_by_file(snapshot)?;
    let rows = store::files(snapshot)?;
    let index: FxHashMap<FileKey, u32> = rows.iter().map(|row| row.id).zip(0..).collect();
    let file = |row: FileRow| {
        let external = external.get(&row.id).copied().unwrap_or_default();
        indexed_file(row, external)
    };
    let files = rows.into_iter().map(file).collect();
    snapshot.check()?;

    let counted = store::uses_between_files(snapshot)?;
    let mut uses: Vec<(u32, u32, u32)> = counted
        .into_iter()
        .filter_map(|((from, to), uses)| Some((*index.get(&from)?, *index.get(&to)?, uses)))
        .collect();
    uses.sort_unstable();
    Ok(FileUses { files, uses })
}

fn indexed_file(row: FileRow, external: u64) -> IndexedFile {
    let is_partial = row.problem.is_none() && row.parse_status == ParseStatus::Partial;
    IndexedFile {
        language: row.dialect.language(),
        is_test: store::is_test_path(&row.path),
        lines: row.lines.into(),
        partial: is_partial.then(|| row.error_lines.first().copied().unwrap_or(1)),
        problem: row.problem,
        calls: CallCounts {
            all: row.calls.into(),
            resolved: row.calls_resolved.into(),
            external: u64::from(row.calls_external) + external,
        },
        path: row.path,
    }
}

impl FileUses {
    /// Returns which part of a folder uses which. While a folder consists of one subfolder, that one
    /// is taken instead. Of more than `max` parts, the largest are kept.
    #[must_use]
    pub fn matrix(&self, folder: &str, max: usize) -> FolderMatrix {
        let mut folder = folder.trim_matches('/').to_owned();
        let mut parts = self.parts(&folder);
        while let [only] = parts.as_slice()
            && !only.is_files
        {
            folder.clone_from(&only.path);
            parts = self.parts(&folder);
        }

        parts.sort_by_key(|part| Reverse(part.lines));
        let left_out = parts.len().saturating_sub(max);
        parts.truncate(max);
        parts.sort_by(|a, b| a.path.cmp(&b.path));
        let uses = self.uses_between(&folder, &parts);
        let mut matrix = FolderMatrix {
            folder,
            parts,
            uses,
            left_out,
            cycles: Vec::new(),
        };
        matrix.sort();
        matrix
    }

    /// Counts the uses between parts of a folder.
    fn uses_between(&self, folder: &str, parts: &[FolderPart]) -> Vec<(usize, usize, u64)> {
        let known: FxHashMap<&str, usize> = parts
            .iter()
            .map(|part| part.path.as_str())
            .zip(0..)
            .collect();
        let part_of = |file: &IndexedFile| {
            let path = part_path(folder, &file.path)?;
            known.get(path.as_str()).copied()
        };
        let part_of: Vec<Option<usize>> = self.files.iter().map(part_of).collect();

        let mut counts: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        for (from, to, uses) in &self.uses {
            let (from, to) = (*from as usize, *to as usize);
            let (Some(user), Some(used)) = (part_of[from], part_of[to]) else {
                continue;
            };
            let is_of_tests = |part: &FolderPart| part.tests == part.files;
            if !self.files[from].is_test || is_of_tests(&parts[user]) {
                *counts.entry((user, used)).or_default() += u64::from(*uses);
            }
        }
        counts
            .into_iter()
            .map(|((from, to), uses)| (from, to, uses))
            .collect()
    }

    /// Returns how much of a folder was understood.
    #[must_use]
    pub fn health(&self, folder: &str) -> FolderHealth<'_> {
        let folder = folder.trim_matches('/');
        let mut parts = self.parts(folder);
        let mut total = FolderPart {
            path: folder.to_owned(),
            ..FolderPart::default()
        };
        parts.iter().for_each(|part| total.add_part(part));

        let unresolved = |calls: &CallCounts| {
            let inside = calls.all.saturating_sub(calls.external);
            inside.saturating_sub(calls.resolved)
        };
        parts.sort_by(|a, b| {
            let key = |part: &FolderPart| (Reverse(part.failed), Reverse(unresolved(&part.calls)));
            (key(a), &a.path).cmp(&(key(b), &b.path))
        });

        let has_problem = |file: &&IndexedFile| {
            (file.problem.is_some() || file.partial.is_some())
                && part_path(folder, &file.path).is_some()
        };
        let mut problems: Vec<&IndexedFile> = self.files.iter().filter(has_problem).collect();
        problems.sort_by_key(|file| (file.problem.is_none(), &file.path));
        FolderHealth {
            total,
            parts,
            problems,
        }
    }

    /// Returns the pairs of files behind the uses of one part by another, most uses first.
    #[must_use]
    pub fn pairs(&self, from: &str, to: &str) -> Vec<FilePair<'_>> {
        let mut pairs: Vec<FilePair<'_>> = self
            .uses
            .iter()
            .map(|(from, to, uses)| FilePair {
                from: &self.files[*from as usize].path,
                to: &self.files[*to as usize].path,
                uses: *uses,
            })
            .filter(|pair| is_in_part(pair.from, from) && is_in_part(pair.to, to))
            .filter(|pair| pair.from != pair.to)
            .collect();
        pairs.sort_by_key(|pair| (Reverse(pair.uses), pair.from, pair.to));
        pairs
    }

    /// Returns the parts of a folder, by path.
    fn parts(&self, folder: &str) -> Vec<FolderPart> {
        let mut parts: BTreeMap<String, FolderPart> = BTreeMap::new();
        for file in &self.files {
            let Some(path) = part_path(folder, &file.path) else {
                continue;
            };
            let is_files = is_files_part(&path);
            let part = parts.entry(path.clone()).or_insert_with(|| FolderPart {
                path,
                is_files,
                ..FolderPart::default()
            });
            part.add(file);
        }
        parts.into_values().collect()
    }
}

impl FolderPart {
    fn add(&mut self, file: &IndexedFile) {
        self.add_part(&Self {
            files: 1,
            tests: file.is_test.into(),
            lines: file.lines,
            failed: file.problem.is_some().into(),
            partial: file.partial.is_some().into(),
            calls: file.calls,
            ..Self::default()
        });
    }

    fn add_part(&mut self, other: &Self) {
        self.files += other.files;
        self.tests += other.tests;
        self.lines += other.lines;
        self.failed += other.failed;
        self.partial += other.partial;
        self.calls.all += other.calls.all;
        self.calls.resolved += other.calls.resolved;
        self.calls.external += other.calls.external;
    }
}

impl FolderMatrix {
    /// Puts users before what they use, and finds the cycles.
    fn sort(&mut self) {
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); self.parts.len()];
        for (from, to, _) in &self.uses {
            next[*from].push(*to);
        }
        let components: Vec<Vec<usize>> = components(&next).into_iter().rev().collect();

        let order: Vec<usize> = components.iter().flatten().copied().collect();
        let mut position = vec![0; order.len()];
        for (at, index) in order.iter().enumerate() {
            position[*index] = at;
        }

        self.parts = order
            .iter()
            .map(|index| self.parts[*index].clone())
            .collect();
        for (from, to, _) in &mut self.uses {
            (*from, *to) = (position[*from], position[*to]);
        }
        self.uses.sort_unstable();
        self.cycles = components
            .iter()
            .filter(|members| members.len() > 1)
            .map(|members| members.iter().map(|index| position[*index]).collect())
            .collect();
    }
}

/// Returns the part of a folder that a file is in; `None` if it is not below the folder.
fn part_path(folder: &str, path: &str) -> Option<String> {
    let rest = match folder {
        "" => path,
        _ => path.strip_prefix(folder)?.strip_prefix('/')?,
    };
    let part = rest.split_once('/').map_or(FILES_HERE, |(part, _)| part);
    Some(match folder {
        "" => part.to_owned(),
        _ => format!("{folder}/{part}"),
    })
}

fn is_files_part(part: &str) -> bool {
    part.rsplit('/').next() == Some(FILES_HERE)
}

fn is_in_part(path: &str, part: &str) -> bool {
    let folder = part
        .strip_suffix(FILES_HERE)
        .filter(|_| is_files_part(part));
    match folder {
        Some(folder) => path
            .strip_prefix(folder)
            .is_some_and(|name| !name.contains('/')),
        None => path
            .strip_prefix(part)
            .is_some_and(|rest| rest.starts_with('/')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(paths: &[&str], uses: &[(u32, u32, u32)]) -> FileUses {
        let file = |path: &&str| IndexedFile {
            path: (*path).to_owned(),
            language: Language::TypeScript,
            is_test: store::is_test_path(path),
            lines: 10,
            problem: path.contains("bad").then(|| "unreadable".to_owned()),
            partial: None,
            calls: CallCounts {
                all: 10,
                resolved: 6,
                external: 2,
            },
        };

        FileUses {
            files: paths.iter().map(file).collect(),
            uses: uses.to_vec(),
        }
    }

    #[test]
    fn users_come_before_what_they_use_and_cycles_are_adjacent() {
        let found = of(
            &["src/a/x.ts", "src/b/x.ts", "src/c/x.ts", "src/d.ts"],
            &[(0, 1, 5), (1, 0, 2), (2, 0, 1), (1, 3, 4), (0, 0, 7)],
        )
        .matrix("", 10);
        let paths: Vec<&str> = found.parts.iter().map(|part| part.path.as_str()).collect();
        assert_eq!(found.folder, "src", "a folder with one part is skipped");
        assert_eq!(paths, ["src/c", "src/a", "src/b", "src/."]);
        assert_eq!(found.cycles, [[1, 2]]);
        assert_eq!(
            found.uses,
            [(0, 1, 1), (1, 1, 7), (1, 2, 5), (2, 1, 2), (2, 3, 4)]
        );
    }

    #[test]
    fn tests_next_to_the_code_make_no_cycle() {
        let found = of(
            &["a/x.ts", "a/x.test.ts", "b/y.ts", "tests/z.test.ts"],
            &[(1, 2, 3), (2, 0, 1), (3, 0, 2)],
        )
        .matrix("", 10);
        let paths: Vec<&str> = found.parts.iter().map(|part| part.path.as_str()).collect();
        assert_eq!(paths, ["tests", "b", "a"]);
        assert!(found.cycles.is_empty());
        assert_eq!(found.uses, [(0, 2, 2), (1, 2, 1)]);
    }

    #[test]
    fn the_largest_parts_are_kept() {
        let files = of(&["a/x.ts", "b/x.ts", "b/y.ts", "c.ts"], &[(0, 1, 1)]);
        let found = files.matrix("", 1);
        assert_eq!((found.parts[0].path.as_str(), found.left_out), ("b", 2));
    }

    #[test]
    fn health_lists_failed_files_and_folders_first() {
        let files = of(&["a/x.ts", "a/y.ts", "b/bad.ts", "c.ts"], &[]);
        let health = files.health("");
        let paths: Vec<&str> = health.parts.iter().map(|part| part.path.as_str()).collect();
        assert_eq!(paths, ["b", "a", "."]);
        assert_eq!(health.problems[0].path, "b/bad.ts");
        assert_eq!((health.total.files, health.total.failed), (4, 1));
        assert_eq!(health.total.calls.resolved_percent(), Some(75.0));
        assert_eq!(files.health("a").total.files, 2);
    }

    #[test]
    fn pairs_of_files_are_listed_for_parts() {
        let files = of(
            &["a/x.ts", "a/n/y.ts", "b/z.ts", "top.ts"],
            &[(0, 2, 1), (1, 2, 4), (3, 2, 2)],
        );
        let pairs = files.pairs("a", "b");
        assert_eq!(pairs.len(), 2);
        assert_eq!((pairs[0].from, pairs[0].uses), ("a/n/y.ts", 4));
        assert_eq!(files.pairs("a/.", "b").len(), 1);
        assert_eq!(files.pairs(".", "b")[0].from, "top.ts");
    }
}
