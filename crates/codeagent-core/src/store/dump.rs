//! Dumps the whole index as text lines. Equal repositories give equal lines, however they were
//! indexed.
//!
//! Limitations: for tests only, because everything is held in memory. Row ids, times and caches are
//! left out.

use std::collections::BTreeMap;

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use crate::store::edge_sites::Site;
use crate::store::edges::sites_column;
use crate::store::{FileKey, Snapshot, StoreError, dependency_rows, file_keys};

const DUMPS: &[(&str, &str)] = &[
    (
        "file",
        "SELECT path, dialect, project_id, size, hex(hash), hex(facts_key), parse_status, problem, error_bytes, hex(error_lines), lines, bytes, \
         calls, calls_resolved, calls_external, given_up, hex(interface_hash), ids_hash FROM files ORDER BY path",
    ),
    (
        "node",
        "SELECT n.id, parent_id, p.path, name, qualified_name, node_type, kind, language, access, flags, type_parameters, parameter_signature, \
         parameter_count, return_type, doc, hash FROM nodes n LEFT JOIN projects p ON p.id = n.project ORDER BY n.id",
    ),
    (
        "span",
        "SELECT s.node_id, s.position, f.path, s.start_offset, s.end_offset, s.line_start, s.column_start, s.line_end, s.name_line, s.name_column \
         FROM spans s JOIN files f ON f.id = s.file_id ORDER BY s.node_id, s.position",
    ),
    (
        "unresolved",
        "SELECT f.path, u.name, u.count, u.calls, hex(u.lines), hex(u.columns) FROM unresolved u LEFT JOIN files f ON f.id = u.file_id ORDER BY 1, 2",
    ),
    (
        "function",
        "SELECT f.path, o.name FROM object_functions o LEFT JOIN files f ON f.id = o.file_id ORDER BY 1, 2",
    ),
    (
        "literal",
        "SELECT f.path, l.key_hash FROM literals l LEFT JOIN files f ON f.id = l.file_id ORDER BY 1, 2",
    ),
    (
        "literals",
        "SELECT f.path, hex(l.key_hashes) FROM file_literals l LEFT JOIN files f ON f.id = l.file_id ORDER BY 1",
    ),
    (
        "callback",
        "SELECT f.path, c.line_start, c.line_end, c.label FROM callbacks c LEFT JOIN files f ON f.id = c.file_id ORDER BY 1, 2, 3, 4",
    ),
    (
        "dispatch",
        "SELECT f.path, d.line, d.\"column\", d.kind, d.source, d.target, d.label, d.key, d.confidence \
         FROM dispatch d LEFT JOIN files f ON f.id = d.file_id ORDER BY 1, 2, 3, 4, 5, 6, 7",
    ),
    (
        "external symbol",
        "SELECT id, manager, package, descriptor, path, name FROM external_symbols ORDER BY id",
    ),
    (
        "external use",
        "SELECT e.symbol_id, f.path, hex(e.sites) FROM external_uses e LEFT JOIN files f ON f.id = e.file_id ORDER BY 1, 2",
    ),
    (
        "vector",
        "SELECT row, hex(symbols) FROM vec_signs WHERE row < 1 << 12 ORDER BY row",
    ),
    (
        "input",
        "SELECT path, size, hex(hash) FROM inputs ORDER BY path",
    ),
    (
        "import",
        "SELECT name, tool, folder, files, symbols, uses, external_uses, own_files, changed_files, misplaced_files, problem FROM imports ORDER BY name",
    ),
    (
        "package",
        "SELECT path, size, hex(hash), hex(facts_key) FROM packages ORDER BY path",
    ),
    (
        "name word",
        "SELECT word, names FROM name_words ORDER BY word",
    ),
    (
        "word",
        "SELECT doc, col, \"offset\", term FROM temp.search_words ORDER BY doc, col, \"offset\", term",
    ),
];

/// The tables of edges.
const EDGES: [(&str, &str); 2] = [
    (
        "edge",
        "SELECT e.source, e.edge_type, e.target, f.path, e.sites \
         FROM edges e LEFT JOIN files f ON f.id = e.file_id ORDER BY 1, 2, 3, 4",
    ),
    (
        "incoming",
        "SELECT e.source, e.edge_type, e.target, f.path, e.sites \
         FROM edges_incoming e LEFT JOIN files f ON f.id = e.file_id ORDER BY 1, 2, 3, 4",
    ),
];

const WORDS: &str =
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_words USING fts5vocab(main, search, instance)";

/// Dumps files, nodes, spans, edges of both directions, unresolved names, project files, indexed
/// words and each file's dependencies.
pub fn canonical_dump(snapshot: &Snapshot) -> Result<Vec<String>, StoreError> {
    let connection = snapshot.connection();
    connection.execute_batch(WORDS)?;
    let mut lines = Vec::new();
    for (what, sql) in DUMPS {
        dump(connection, what, sql, &mut lines)?;
    }
    for (what, sql) in EDGES {
        dump_edges(connection, what, sql, &mut lines)?;
    }
    dump_dependencies(snapshot, &mut lines)?;
    Ok(lines)
}

/// Dumps each file's dependencies, with paths instead of keys.
fn dump_dependencies(snapshot: &Snapshot, lines: &mut Vec<String>) -> Result<(), StoreError> {
    let keys = file_keys(snapshot)?;
    let links = dependency_rows(snapshot)?;

    let paths: BTreeMap<FileKey, &str> = keys
        .iter()
        .map(|(path, key)| (*key, path.as_str()))
        .collect();
    let path = |key: &FileKey| paths.get(key).copied().unwrap_or("gone");

    let mut rows: Vec<_> = links.iter().map(|(key, row)| (path(key), row)).collect();
    rows.sort_unstable_by_key(|(path, _)| *path);

    for (file, row) in rows {
        let mut reads: Vec<&str> = row.reads.iter().map(path).collect();
        reads.sort_unstable();

        lines.push(format!(
            "links\t{file}\t{}\t{}",
            row.environment_hash, row.answers_hash
        ));
        lines.extend(reads.iter().map(|read| format!("reads\t{file}\t{read}")));
        lines.push(format!("slots\t{file}\t{:?}", row.slots));
        lines.push(format!("published\t{file}\t{:?}", row.published));
    }
    Ok(())
}

/// Dumps edges, one line for each site.
fn dump_edges(
    connection: &Connection,
    what: &str,
    sql: &str,
    lines: &mut Vec<String>,
) -> Result<(), StoreError> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;

    while let Some(row) = rows.next()? {
        let (source, target) = (row.get::<_, i64>(0)?, row.get::<_, i64>(2)?);
        let edge_type: i64 = row.get(1)?;
        let path: Option<String> = row.get(3)?;
        let path = path.as_deref().unwrap_or("-");
        for site in sites_column(row, 4)? {
            let Site {
                line,
                column,
                confidence,
                candidates,
            } = site;
            lines.push(format!(
                "{what}\t{source}\t{edge_type}\t{target}\t{path}\t{line}\t{column}\t{}\t{candidates:?}",
                confidence as u8
            ));
        }
    }
    Ok(())
}

fn dump(
    connection: &Connection,
    what: &str,
    sql: &str,
    lines: &mut Vec<String>,
) -> Result<(), StoreError> {
    let mut statement = connection.prepare(sql)?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;

    while let Some(row) = rows.next()? {
        let mut line = what.to_owned();
        for column in 0..columns {
            line.push('\t');
            match row.get_ref(column)? {
                ValueRef::Null | ValueRef::Blob(_) => line.push('-'),
                ValueRef::Integer(value) => line.push_str(&value.to_string()),
                ValueRef::Real(value) => line.push_str(&value.to_string()),
                ValueRef::Text(text) => {
                    line.push_str(&String::from_utf8_lossy(text).escape_debug().to_string())
                }
            }
        }
        lines.push(line);
    }
    Ok(())
}
