//! Computes the fingerprint and the row of each file.

use codeagent_lang::dependencies::body_keys;
use codeagent_lang::nodes::NodeTable;
use codeagent_lang::project::ProjectModel;
use codeagent_lang::{FileId, World};
use rustc_hash::FxHashMap;

use crate::ingest::cache::WorldState;
use crate::ingest::load::{LoadedFile, hash_of};
use crate::ingest::plan::{Fingerprint, PlanFile};
use crate::ingest::resolve_files::{ResolvedFile, key_hashes};
use crate::ingest::scan::KnownFiles;
use crate::store::{DependencyKeyHash, DependencyRow, FileKey, FileRow};

/// Returns the keys of all files in order: existing keys, and new ones above them.
pub fn file_keys(loaded: &[LoadedFile], known: &KnownFiles) -> Vec<FileKey> {
    let mut next = known
        .files
        .values()
        .map(|row| row.id.0 + 1)
        .max()
        .unwrap_or(1);

    let mut fresh = || {
        next += 1;
        FileKey(next - 1)
    };
    loaded
        .iter()
        .map(|file| {
            known
                .files
                .get(&*file.path)
                .map_or_else(&mut fresh, |row| row.id)
        })
        .collect()
}

/// Computes the fingerprint of the file at position `at`.
pub fn fingerprint(at: usize, file: &LoadedFile, world: &World, nodes: &NodeTable) -> Fingerprint {
    let id = FileId(at as u32);
    let published = world.support(id).provided_keys(&file.facts);

    Fingerprint {
        facts_key: file.key.0,
        interface_hash: file.facts.header.interface_hash,
        ids_hash: nodes.ids_hash(id),
        environment_hash: environment(&world.projects, &file.path)
            ^ compiled_by(id, world, published.is_empty()),
        answers_hash: world
            .support(id)
            .module_answers(id, world)
            .map_or(0, hash_of),
        published: key_hashes(
            published
                .iter()
                .copied()
                .chain(body_keys(&file.path, &file.facts)),
        ),
    }
}

/// Hashes the projects that own and compile a file. Their settings are not included: they change
/// only with project files, and then everything is resolved again.
fn environment(projects: &ProjectModel, path: &str) -> u64 {
    hash_of(std::iter::once(projects.project_id(path)).chain(projects.compiling(path)))
}

/// Hashes the programs in which a file's global declarations are visible.
fn compiled_by(file: FileId, world: &World, declares_nothing: bool) -> u64 {
    if declares_nothing {
        0
    } else {
        world.support(file).programs(file, world).map_or(0, hash_of)
    }
}

/// Returns the files in the form that the plan compares. `differing` returns the changed member
/// keys of the file at a position, if only members changed.
pub fn plan_files<'a>(
    built: &WorldState,
    fingerprints: &[Fingerprint],
    known: &KnownFiles,
    links: &'a FxHashMap<FileKey, DependencyRow>,
    differing: &dyn Fn(usize) -> Option<Vec<DependencyKeyHash>>,
) -> Vec<PlanFile<'a>> {
    let before = |file: &LoadedFile| {
        let row = known.files.get(&*file.path)?;
        let links = links.get(&row.id)?;
        let fingerprint = Fingerprint {
            facts_key: row.facts_key.0,
            interface_hash: row.interface_hash,
            ids_hash: row.ids_hash,
            environment_hash: links.environment_hash,
            answers_hash: links.answers_hash,
            published: links.published.clone(),
        };
        Some((fingerprint, links))
    };

    let each = built
        .loaded
        .iter()
        .zip(&built.keys)
        .zip(fingerprints)
        .enumerate();

    each.map(|(at, ((file, key), now))| {
        let before = before(file);
        let is_changed = before.as_ref().is_some_and(|(before, _)| {
            before.facts_key != now.facts_key && now.may_differ_in_members(before)
        });
        PlanFile {
            key: *key,
            now: now.clone(),
            before,
            members: if is_changed { differing(at) } else { None },
        }
    })
    .collect()
}

/// Returns the rows of all files, in order, with the counts of their resolution.
pub fn file_rows(
    WorldState {
        loaded,
        keys,
        projects,
        ..
    }: &WorldState,
    fingerprints: &[Fingerprint],
    known: &KnownFiles,
    resolved: &[ResolvedFile],
) -> Vec<FileRow> {
    let each = loaded.iter().zip(keys).zip(fingerprints);
    let mut rows: Vec<FileRow> = each
        .map(|((file, key), print)| file_row(file, *key, projects, print, known))
        .collect();

    for file in resolved {
        set_counts(&mut rows[file.at], file);
    }

    rows
}

/// Sets the counts of a file's resolution.
pub fn set_counts(row: &mut FileRow, resolved: &ResolvedFile) {
    [row.calls, row.calls_resolved, row.calls_external] = resolved.calls;
    row.budget_exceeded = resolved.budget_exceeded;
}

/// Returns a file's row with the counts of its previous resolution.
pub fn file_row(
    file: &LoadedFile,
    id: FileKey,
    projects: &ProjectModel,
    print: &Fingerprint,
    known: &KnownFiles,
) -> FileRow {
    let header = &file.facts.header;
    let before = known.files.get(&*file.path);

    FileRow {
        id,
        path: file.path.to_string(),
        dialect: file.dialect,
        project_id: projects.project_id(&file.path).to_owned(),
        size: file.size,
        stamp: file.stamp,
        hash: file.hash,
        facts_key: file.key,
        defines_hash: file.defines_hash,
        parse_status: header.parse_status,
        problem: file.problem.clone(),
        error_bytes: header.error_bytes,
        error_lines: header.error_lines.clone(),
        lines: header.lines,
        bytes: header.bytes,
        calls: before.map_or(0, |row| row.calls),
        calls_resolved: before.map_or(0, |row| row.calls_resolved),
        calls_external: before.map_or(0, |row| row.calls_external),
        budget_exceeded: before.map_or(0, |row| row.budget_exceeded),
        interface_hash: print.interface_hash,
        ids_hash: print.ids_hash,
    }
}
