//! Indexed files, how they were parsed, and the dependencies of their resolution: `files`,
//! `file_links`, `inputs`.

use codeagent_workspace::Stamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use rustc_hash::FxHashMap;

use crate::model::graph::{Dialect, ParseStatus};
use crate::store::codec::{
    hash_column, pack_files, pack_ids, pack_sorted, unpack_files, unpack_ids, unpack_sorted,
    word_column,
};
use crate::store::imports::FIRST_IMPORTED_FILE;
use crate::store::search::is_generated_path;
use crate::store::{DependencyRow, FactsKey, FileKey, FileRow, InputRow, Snapshot, StoreError};

const COLUMNS: &str = "id, path, dialect, project_id, size, changed, inode, hash, facts_key, defines_hash, parse_status, problem, error_bytes, \
    error_lines, lines, bytes, calls, calls_resolved, calls_external, given_up, interface_hash, ids_hash";

fn file_row(row: &Row<'_>) -> Result<FileRow, StoreError> {
    Ok(FileRow {
        id: FileKey(row.get(0)?),
        path: row.get(1)?,
        dialect: word_column(row, 2, Dialect::from_code)?,
        project_id: row.get(3)?,
        size: row.get::<_, i64>(4)? as u64,
        stamp: stamp_columns(row, 5)?,
        hash: hash_column(row, 7)?,
        facts_key: FactsKey(hash_column(row, 8)?),
        defines_hash: row.get::<_, i64>(9)? as u64,
        parse_status: word_column(row, 10, ParseStatus::from_code)?,
        problem: row.get(11)?,
        error_bytes: row.get(12)?,
        error_lines: unpack_sorted(row.get_ref(13)?.as_blob().unwrap_or_default()),
        lines: row.get(14)?,
        bytes: row.get(15)?,
        calls: row.get(16)?,
        calls_resolved: row.get(17)?,
        calls_external: row.get(18)?,
        budget_exceeded: row.get(19)?,
        interface_hash: hash_column(row, 20)?,
        ids_hash: row.get::<_, i64>(21)? as u64,
    })
}

/// Reads a stamp from two columns.
fn stamp_columns(row: &Row<'_>, at: usize) -> rusqlite::Result<Stamp> {
    Ok(Stamp {
        changed_ns: row.get(at)?,
        inode: row.get::<_, i64>(at + 1)? as u64,
    })
}

fn select_files(
    connection: &Connection,
    rest: &str,
    parameter: &[&dyn rusqlite::ToSql],
) -> Result<Vec<FileRow>, StoreError> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM files {rest}"))?;
    let mut rows = statement.query(parameter)?;
    let mut files = Vec::new();
    while let Some(row) = rows.next()? {
        files.push(file_row(row)?);
    }
    Ok(files)
}

/// Returns all files by path.
pub fn files(snapshot: &Snapshot) -> Result<Vec<FileRow>, StoreError> {
    select_files(snapshot.connection(), "ORDER BY path", &[])
}

/// Returns the files without facts, by path.
pub fn files_with_problems(snapshot: &Snapshot) -> Result<Vec<FileRow>, StoreError> {
    select_files(
        snapshot.connection(),
        "WHERE problem IS NOT NULL ORDER BY path",
        &[],
    )
}

pub fn file_by_path(snapshot: &Snapshot, path: &str) -> Result<Option<FileRow>, StoreError> {
    Ok(select_files(snapshot.connection(), "WHERE path = ?1", &[&path])?.pop())
}

const PROJECTS: &str = "SELECT DISTINCT project_id FROM files ORDER BY project_id";

/// Returns the project ids of all files.
pub fn project_ids(snapshot: &Snapshot) -> Result<Vec<String>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(PROJECTS)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

const ENDING: &str =
    "SELECT id FROM files WHERE substr(path, -length(?1)) = ?1 ORDER BY path LIMIT ?2";

/// Returns the first `limit` files, by path, whose path ends with `/` and `end`.
pub fn files_ending(
    snapshot: &Snapshot,
    end: &str,
    limit: usize,
) -> Result<Vec<FileKey>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(ENDING)?;
    let end = format!("/{end}");
    let rows = statement.query_map(
        params![end, i64::try_from(limit).unwrap_or(i64::MAX)],
        |row| Ok(FileKey(row.get(0)?)),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

const IN_FOLDER: &str = "SELECT path, id FROM files WHERE path >= ?1 AND path < ?2 ORDER BY path";

/// Returns the files below a folder, by path. `.` is the whole repository.
pub fn files_in_folder(
    snapshot: &Snapshot,
    folder: &str,
) -> Result<Vec<(String, FileKey)>, StoreError> {
    // '0' is the character after '/'.
    let (from, to) = match folder {
        "." | "" => (String::new(), "\u{10ffff}".to_owned()),
        folder => (format!("{folder}/"), format!("{folder}0")),
    };
    let mut statement = snapshot.connection().prepare_cached(IN_FOLDER)?;
    let rows = statement.query_map([from, to], |row| Ok((row.get(0)?, FileKey(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Average bytes of a line from which a file was not written by people but minified.
const MINIFIED: u32 = 200;

const WRITTEN_FILES: &str =
    "SELECT path, id, size FROM files WHERE id < ?1 AND size < ?2 * (lines + 1) ORDER BY path";

/// Returns the indexed files of the repository, without imported and minified ones, by path; each with
/// its size in bytes.
pub fn written_files(snapshot: &Snapshot) -> Result<Vec<(String, FileKey, u64)>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(WRITTEN_FILES)?;
    let rows = statement.query_map(params![FIRST_IMPORTED_FILE, MINIFIED], |row| {
        Ok((
            row.get(0)?,
            FileKey(row.get(1)?),
            row.get::<_, i64>(2)? as u64,
        ))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Reports whether people wrote an indexed file: by its path it is not generated, nor vendored by a
/// package manager, and by the length of its lines not minified or bundled.
pub fn is_written(snapshot: &Snapshot, path: &str) -> Result<bool, StoreError> {
    let file = file_by_path(snapshot, path)?;
    Ok(file.is_some_and(|file| has_written_form(path, file.bytes, file.lines)))
}

/// Reports whether a file with this path, size and number of lines looks written by people.
pub(super) fn has_written_form(path: &str, bytes: u32, lines: u32) -> bool {
    let is_minified = u64::from(bytes) >= u64::from(MINIFIED) * (u64::from(lines) + 1);
    !is_minified && !is_generated_path(path)
}

const FOLDERS_NAMED: &str = "SELECT path FROM files WHERE path >= ?1 || '/' AND path < ?1 || '0' \
    UNION ALL SELECT path FROM files WHERE instr(path, '/' || ?1 || '/') > 0 ORDER BY path";

/// Returns the folder at a path if it holds indexed files, else the first `limit` such folders
/// whose path ends with it.
pub fn folders_named(
    snapshot: &Snapshot,
    name: &str,
    limit: usize,
) -> Result<Vec<String>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(FOLDERS_NAMED)?;
    let mut rows = statement.query([name])?;

    let mut folders: Vec<String> = Vec::new();
    while let Some(row) = rows.next()? {
        let path: String = row.get(0)?;
        if path
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('/'))
        {
            return Ok(vec![name.to_owned()]);
        }

        let at = path.find(&format!("/{name}/")).unwrap_or_default();
        let folder = &path[..at + 1 + name.len()];
        if folders.len() < limit && folders.last().is_none_or(|last| last != folder) {
            folders.push(folder.to_owned());
        }
    }

    Ok(folders)
}

const FILES_WITH_STEM: &str =
    "SELECT path FROM files WHERE instr('/' || lower(path), '/' || ?1 || '.') > 0 ORDER BY path";

/// Returns the files whose names begin with a lower-case stem, in any case: `src/Cart.test.ts` for `cart`.
pub fn files_with_stem(snapshot: &Snapshot, stem: &str) -> Result<Vec<String>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(FILES_WITH_STEM)?;
    let paths = statement.query_map([stem], |row| row.get(0))?;
    let mut paths: Vec<String> = paths.collect::<Result<_, _>>()?;
    // The stem of a folder is not that of its files.
    let begins = |path: &String| {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        name.starts_with(&format!("{stem}."))
    };
    paths.retain(begins);
    Ok(paths)
}

const FOLDERS_WITH_PART: &str =
    "SELECT path FROM files WHERE instr(path, '.' || ?1 || '/') > 0 ORDER BY path";

/// Returns the first `limit` folders of indexed files whose dotted names end with a part: `Shop.Web` for `Web`.
pub fn folders_with_last_part(
    snapshot: &Snapshot,
    part: &str,
    limit: usize,
) -> Result<Vec<String>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(FOLDERS_WITH_PART)?;
    let mut rows = statement.query([part])?;
    let mut folders: Vec<String> = Vec::new();

    while let Some(row) = rows.next()? {
        let path: String = row.get(0)?;
        let at = path.find(&format!(".{part}/")).unwrap_or_default();
        let folder = &path[..at + 1 + part.len()];

        if folders.len() < limit && folders.last().is_none_or(|last| last != folder) {
            folders.push(folder.to_owned());
        }
    }

    Ok(folders)
}

const GIVEN_UP: &str = "SELECT path, given_up FROM files WHERE given_up > 0 ORDER BY path";

/// Returns the files with sites that exceeded a query budget, and the number of these sites.
pub fn given_up_files(snapshot: &Snapshot) -> Result<Vec<(String, u64)>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(GIVEN_UP)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

const PATH: &str = "SELECT path FROM files WHERE id = ?1";

pub fn file_path(snapshot: &Snapshot, id: FileKey) -> Result<Option<String>, StoreError> {
    Ok(snapshot
        .connection()
        .prepare_cached(PATH)?
        .query_row([id.0], |row| row.get(0))
        .optional()?)
}

const KEYS: &str = "SELECT path, id FROM files";

pub fn file_keys(snapshot: &Snapshot) -> Result<FxHashMap<String, FileKey>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(KEYS)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, FileKey(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

const UPSERT: &str = "INSERT OR REPLACE INTO files VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, \
    ?19, ?20, ?21, ?22)";

pub(super) fn write_file(connection: &Connection, file: &FileRow) -> Result<(), StoreError> {
    connection.prepare_cached(UPSERT)?.execute(params![
        file.id.0,
        file.path,
        file.dialect as u8,
        file.project_id,
        file.size as i64,
        file.stamp.changed_ns,
        file.stamp.inode as i64,
        &file.hash[..],
        &file.facts_key.0[..],
        file.defines_hash as i64,
        file.parse_status as u8,
        file.problem,
        file.error_bytes,
        pack_sorted(file.error_lines.iter().copied()),
        file.lines,
        file.bytes,
        file.calls,
        file.calls_resolved,
        file.calls_external,
        file.budget_exceeded,
        &file.interface_hash[..],
        file.ids_hash as i64,
    ])?;

    Ok(())
}

const DELETE: &str = "DELETE FROM files WHERE id = ?1";
const DELETE_LINKS: &str = "DELETE FROM file_links WHERE file_id = ?1";

pub(super) fn delete_file(connection: &Connection, file: FileKey) -> Result<(), StoreError> {
    connection.prepare_cached(DELETE)?.execute([file.0])?;
    connection.prepare_cached(DELETE_LINKS)?.execute([file.0])?;
    Ok(())
}

const SELECT_LINKS: &str =
    "SELECT file_id, environment_hash, answers_hash, reads, slots, published FROM file_links";

/// Returns every file's dependencies, without `sources`.
pub fn dependency_rows(
    snapshot: &Snapshot,
) -> Result<FxHashMap<FileKey, DependencyRow>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(SELECT_LINKS)?;
    let mut rows = statement.query([])?;
    let mut links = FxHashMap::default();

    while let Some(row) = rows.next()? {
        let blob = |index| {
            row.get_ref(index)
                .map(|value| value.as_blob().unwrap_or_default())
        };

        let link = DependencyRow {
            environment_hash: row.get::<_, i64>(1)? as u64,
            answers_hash: row.get::<_, i64>(2)? as u64,
            reads: unpack_files(blob(3)?),
            slots: unpack_sorted(blob(4)?),
            published: unpack_sorted(blob(5)?),
            sources: Vec::new(),
        };
        links.insert(FileKey(row.get(0)?), link);
    }
    Ok(links)
}

const SELECT_SOURCES: &str = "SELECT sources FROM file_links WHERE file_id = ?1";

pub(super) fn sources_of(
    connection: &Connection,
    file: FileKey,
) -> Result<Vec<crate::model::graph::NodeId>, StoreError> {
    let mut statement = connection.prepare_cached(SELECT_SOURCES)?;
    let blob = statement
        .query_row([file.0], |row| {
            Ok(unpack_ids(row.get_ref(0)?.as_blob().unwrap_or_default()))
        })
        .optional()?;
    Ok(blob.unwrap_or_default())
}

const UPSERT_LINKS: &str = "INSERT OR REPLACE INTO file_links VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

pub(super) fn write_dependencies(
    connection: &Connection,
    file: FileKey,
    links: &DependencyRow,
) -> Result<(), StoreError> {
    connection.prepare_cached(UPSERT_LINKS)?.execute(params![
        file.0,
        links.environment_hash as i64,
        links.answers_hash as i64,
        pack_files(&links.reads),
        pack_sorted(links.slots.iter().copied()),
        pack_sorted(links.published.iter().copied()),
        pack_ids(&links.sources),
    ])?;
    Ok(())
}

const SELECT_INPUTS: &str = "SELECT path, size, changed, inode, hash FROM inputs ORDER BY path";

/// Returns all project files by path.
pub fn inputs(snapshot: &Snapshot) -> Result<Vec<InputRow>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(SELECT_INPUTS)?;
    let mut rows = statement.query([])?;
    let mut inputs = Vec::new();
    while let Some(row) = rows.next()? {
        inputs.push(InputRow {
            path: row.get(0)?,
            size: row.get::<_, i64>(1)? as u64,
            stamp: stamp_columns(row, 2)?,
            hash: hash_column(row, 4)?,
        });
    }
    Ok(inputs)
}

const INSERT_INPUT: &str = "INSERT INTO inputs VALUES (?1, ?2, ?3, ?4, ?5)";

pub(super) fn replace_inputs(
    connection: &Connection,
    inputs: &[InputRow],
) -> Result<(), StoreError> {
    connection.execute("DELETE FROM inputs", [])?;
    let mut statement = connection.prepare_cached(INSERT_INPUT)?;
    for input in inputs {
        statement.execute(params![
            input.path,
            input.size as i64,
            input.stamp.changed_ns,
            input.stamp.inode as i64,
            &input.hash[..]
        ])?;
    }
    Ok(())
}
