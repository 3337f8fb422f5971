//! Writes deltas on a single connection, each in one transaction, so that a crash leaves the last
//! generation intact.
//!
//! A whole graph is written in sorted order with the plain indexes dropped. Otherwise only rows
//! that differ are written.

use std::path::Path;

use rusqlite::{Connection, InterruptHandle, OptionalExtension, TransactionBehavior};
use rustc_hash::FxHashMap;

use crate::model::graph::{Node, NodeId};
use crate::store::codec::pack_sorted;
use crate::store::delta::{
    Delta, EdgeRow, FileKey, FullGraph, NodeChanges, NodeWithHash, ResolvedRows, UnresolvedRow,
    Write, WriteReport,
};
use crate::store::imports::ImportedGraph;
use crate::store::packed_nodes::PackedNodes;
use crate::store::row_list::RowList;
use crate::store::{
    EDGES_TOTAL, EMBEDDING_MODEL, FactsKey, GENERATION, NodeVector, StoreError, VECTORS_GENERATION,
    bulk, dispatch, edges, external, facts, files, imports, literals, nodes, packages, schema,
    search, vectors,
};

const STATEMENTS_CACHED: usize = 64;
/// Number of written files after which unused facts are collected.
const FILES_PER_COLLECTION: usize = 256;
/// Number of nodes that are few enough to be all unpacked.
const FEW_NODES: usize = 16_384;
/// Number of nodes unpacked at once.
const NODES_AT_ONCE: usize = 4_096;
const SEARCH_MEMORY_BULK: i64 = 16 << 20;
const SEARCH_MEMORY: i64 = 1 << 20;

/// The only connection that writes.
pub struct Writer {
    connection: Connection,
    /// Ids and hashes of the stored nodes, sorted by id; loaded by the first batch that needs them.
    stored: Option<NodeHashes>,
    /// Number of files written since unused facts were last collected.
    written: usize,
}

/// Interrupts a [`Writer`]'s running statement, which rolls its transaction back.
pub struct Interrupter(InterruptHandle);

impl Interrupter {
    /// Interrupts the running statement; does nothing between statements.
    pub fn interrupt(&self) {
        self.0.interrupt();
    }
}

type NodeHashes = Vec<(NodeId, i64)>;

impl Writer {
    /// Opens the database, creating or migrating it as needed. The caller must hold the
    /// repository's lock.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = schema::open_for_writing(path)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_CACHED);
        Ok(Self {
            connection,
            stored: None,
            written: 0,
        })
    }

    /// Returns a handle that interrupts this writer from another thread.
    #[must_use]
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(self.connection.get_interrupt_handle())
    }

    /// Stores packed facts. Facts depend only on a text, so they are not part of a delta.
    pub fn put_facts(&mut self, packed: &[(FactsKey, Vec<u8>)]) -> Result<(), StoreError> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        for (key, blob) in packed {
            facts::insert(&transaction, key, blob)?;
        }
        transaction.commit()?;
        Ok(())
    }

    pub fn apply(&mut self, mut delta: Delta) -> Result<WriteReport, StoreError> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let metadata = std::mem::take(&mut delta.metadata);
        let imported = delta.imports.take();
        let write = std::mem::take(&mut delta.write);
        let is_replaced = matches!(write, Write::Replace(_));
        self.written += delta.files.len();

        let before = self.stored.take();
        let resolved = std::mem::take(&mut delta.resolved);
        let (report, after) = match write {
            Write::Replace(graph) => {
                let after = graph.nodes.hashes().collect();
                (
                    replace(&transaction, graph, (delta, resolved))?,
                    Some(after),
                )
            }
            Write::Update(nodes) => {
                let report = update(&transaction, (&delta, resolved), |changed| {
                    let stored = match before {
                        Some(stored) => stored,
                        None => nodes::stored_hashes(&transaction)?,
                    };
                    update_nodes(&transaction, (&nodes, &stored), &delta.keys, changed)
                })?;
                (report, Some(nodes.hashes().collect()))
            }
            Write::Patch(nodes) => {
                let report = update(&transaction, (&delta, resolved), |changed| {
                    patch_nodes(&transaction, &nodes, &delta.keys, changed)
                })?;
                (report, before.filter(|_| nodes.is_empty()))
            }
        };

        if let Some(mut imported) = imported {
            write_imports(&transaction, &mut imported)?;
        }
        write_metadata(&transaction, metadata, is_replaced, report)?;
        if is_replaced || self.written >= FILES_PER_COLLECTION {
            facts::collect_garbage(&transaction)?;
            self.written = 0;
        }

        transaction.commit()?;
        self.stored = after;
        Ok(report)
    }

    /// Writes vectors of a model and removes those of any other model.
    pub fn put_vectors(&mut self, model: &str, vectors: &[NodeVector]) -> Result<(), StoreError> {
        self.change_vectors(model, |transaction| vectors::put(transaction, vectors))
    }

    /// Removes vectors of texts that no symbol has. Called at the end of a complete run.
    pub fn collect_vectors(&mut self, model: &str) -> Result<(), StoreError> {
        self.change_vectors(model, vectors::collect_garbage)
    }

    fn change_vectors(
        &mut self,
        model: &str,
        change: impl FnOnce(&Connection) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;

        let made_by: Option<String> = transaction
            .query_row(GET_METADATA, [EMBEDDING_MODEL], |row| row.get(0))
            .optional()?;
        if made_by.as_deref() != Some(model) {
            vectors::delete_model(&transaction)?;
            transaction.execute(SET_METADATA, [EMBEDDING_MODEL, model])?;
        }

        change(&transaction)?;
        let generation = number(&transaction, VECTORS_GENERATION)? + 1;
        transaction.execute(SET_METADATA, [VECTORS_GENERATION, &generation.to_string()])?;

        transaction.commit()?;
        Ok(())
    }

    /// Copies as much of the log into the database as readers permit, without waiting, so that
    /// later readers need no log index.
    pub fn copy_log(&mut self) -> Result<(), StoreError> {
        self.connection
            .query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
        Ok(())
    }

    /// Moves the log into the database file.
    pub fn checkpoint(&mut self) -> Result<(), StoreError> {
        self.connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        Ok(())
    }
}

const GET_METADATA: &str = "SELECT value FROM _metadata WHERE key = ?1";

fn number(connection: &Connection, key: &str) -> Result<usize, StoreError> {
    let text: Option<String> = connection
        .query_row(GET_METADATA, [key], |row| row.get(0))
        .optional()?;
    Ok(text.and_then(|text| text.parse().ok()).unwrap_or(0))
}

const SET_METADATA: &str = "INSERT OR REPLACE INTO _metadata VALUES (?1, ?2)";
const PLAIN_INDEXES: &str =
    "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name";
const DELETE_GRAPH: &str = "DELETE FROM files; DELETE FROM file_links; DELETE FROM projects; DELETE FROM nodes; DELETE FROM spans; DELETE FROM edges; \
    DELETE FROM edges_incoming; DELETE FROM unresolved; DELETE FROM object_functions; \
    DELETE FROM literals; DELETE FROM file_literals; DELETE FROM callbacks; DELETE FROM dispatch; \
    DELETE FROM external_symbols; DELETE FROM external_uses;";

/// Writes the metadata of a transaction and updates the edge count and the generation.
fn write_metadata(
    connection: &Connection,
    mut metadata: Vec<(&'static str, String)>,
    is_replaced: bool,
    report: WriteReport,
) -> Result<(), StoreError> {
    let edges_before = if is_replaced {
        0
    } else {
        number(connection, EDGES_TOTAL)?
    };
    let edges = (edges_before + report.edges_written).saturating_sub(report.edges_removed);
    let generation = number(connection, GENERATION)? + 1;
    metadata.push((EDGES_TOTAL, edges.to_string()));
    metadata.push((GENERATION, generation.to_string()));

    let mut set = connection.prepare_cached(SET_METADATA)?;
    for (key, value) in metadata {
        set.execute([key, &value])?;
    }
    Ok(())
}

fn replace(
    connection: &Connection,
    graph: FullGraph,
    (mut delta, mut resolved): (Delta, ResolvedRows),
) -> Result<WriteReport, StoreError> {
    let indexes: Vec<(String, String)> = connection
        .prepare(PLAIN_INDEXES)?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;

    for (name, _) in &indexes {
        connection.execute_batch(&format!("DROP INDEX \"{name}\""))?;
    }

    connection.execute_batch(DELETE_GRAPH)?;
    search::delete_all(connection)?;
    search::set_hash_size(connection, SEARCH_MEMORY_BULK)?;

    let report = WriteReport {
        nodes_written: graph.nodes.len(),
        edges_written: resolved.edges.len(),
        ..WriteReport::default()
    };
    let edges = std::mem::take(&mut resolved.edges);
    let literals = std::mem::take(&mut resolved.literals);
    // What is written is freed before the next part is sorted: these rows are most of an indexer's memory.
    write_files(connection, &delta, resolved)?;
    literals::insert_all(connection, literals)?;
    let keys = std::mem::take(&mut delta.keys);
    drop(delta);
    insert_nodes(connection, &graph.nodes, &keys)?;
    vectors::replace(connection, graph.nodes.iter(), &graph.signs)?;
    drop(graph);
    codeagent_memory::give_back();
    let mut all_edges = Vec::with_capacity(report.edges_written);
    for edge in edges.into_rows() {
        all_edges.push(edge?);
    }
    insert_edges(connection, &mut all_edges)?;

    for (_, sql) in &indexes {
        connection.execute_batch(sql)?;
    }
    search::set_hash_size(connection, SEARCH_MEMORY)?;
    Ok(report)
}

/// Inserts all nodes: a few at once, many a part of them at a time, so that they are never all unpacked.
fn insert_nodes(
    connection: &Connection,
    nodes: &PackedNodes,
    keys: &FxHashMap<String, FileKey>,
) -> Result<(), StoreError> {
    if nodes.len() <= FEW_NODES {
        let all: Vec<NodeWithHash> = nodes.parts(FEW_NODES).flatten().collect();
        nodes::insert(
            connection,
            all.iter().map(|(hash, node)| (*hash, node)),
            keys,
        )?;
        let mut in_row_order: Vec<&Node> = all.iter().map(|(_, node)| node).collect();
        in_row_order.sort_by_cached_key(|node| search::row_of(node));
        return search::insert(connection, in_row_order.into_iter());
    }

    let mut search_rows = Vec::with_capacity(nodes.len());
    for part in nodes.parts(NODES_AT_ONCE) {
        let rows = part.iter().map(|(hash, node)| (*hash, node));
        nodes::insert(connection, rows, keys)?;
        for (_, node) in &part {
            search_rows.push((search::row_of(node), search_rows.len()));
        }
    }

    search_rows.sort_unstable();
    let in_row_order = search_rows.iter().map(|(_, at)| nodes.node(*at));
    search::insert(connection, in_row_order)
}

fn insert_edges(connection: &Connection, edges: &mut [EdgeRow]) -> Result<(), StoreError> {
    edges.sort_unstable_by_key(EdgeRow::key);
    edges::insert_outgoing(connection, edges::rows_of(edges))?;
    edges.sort_unstable_by_key(EdgeRow::incoming_key);
    edges::insert_incoming(connection, edges::rows_of(edges))
}

/// Writes the parts of the graph that differ; `write_nodes` writes the nodes.
fn update(
    connection: &Connection,
    (delta, mut resolved): (&Delta, ResolvedRows),
    write_nodes: impl FnOnce(&mut PendingChanges) -> Result<(), StoreError>,
) -> Result<WriteReport, StoreError> {
    let mut changed = PendingChanges::default();
    let edges = std::mem::take(&mut resolved.edges);
    update_edges(connection, (delta, edges), &mut changed.report)?;
    write_nodes(&mut changed)?;
    let PendingChanges { report, vectors } = changed;
    vectors.write(connection)?;

    for file in &delta.removed {
        files::delete_file(connection, *file)?;
        literals::delete(connection, *file)?;
    }
    for row in std::mem::take(&mut resolved.literals).into_rows() {
        literals::replace(connection, &row?)?;
    }
    let written = delta.files.iter().map(|file| file.id);
    let mut used_before = Vec::new();
    for file in delta.removed.iter().copied().chain(written) {
        used_before.extend(external::delete(connection, file)?);
        for delete in [DELETE_UNRESOLVED, DELETE_OBJECT_FUNCTIONS, DELETE_DISPATCH] {
            connection.prepare_cached(delete)?.execute([file.0])?;
        }
    }
    for file in &delta.touched {
        files::write_file(connection, file)?;
    }
    write_files(connection, delta, resolved)?;
    external::delete_unused(connection, &used_before)?;
    Ok(report)
}

/// The changes of a transaction so far.
#[derive(Default)]
struct PendingChanges {
    report: WriteReport,
    /// Written at the end, when all node changes are known.
    vectors: vectors::VectorUpdates,
}

/// Writes the rows of files other than their nodes, edges and literals.
fn write_files(
    connection: &Connection,
    delta: &Delta,
    resolved: ResolvedRows,
) -> Result<(), StoreError> {
    for file in &delta.files {
        files::write_file(connection, file)?;
    }
    for dependencies in resolved.dependencies.into_rows() {
        let (file, row) = dependencies?;
        files::write_dependencies(connection, file, &row)?;
    }

    insert_unresolved(connection, resolved.unresolved)?;
    dispatch::insert(connection, &resolved.dispatch)?;
    external::insert(connection, resolved.external, &resolved.external_symbols)?;
    bulk::try_insert(
        connection,
        ("object_functions", 2),
        resolved.object_functions.into_rows(),
        |(file, name), values| {
            values.push(file.0)?;
            values.push(name.as_str())
        },
    )?;

    delta
        .packages
        .as_ref()
        .map_or(Ok(()), |rows| packages::replace(connection, rows))?;
    delta
        .inputs
        .as_ref()
        .map_or(Ok(()), |inputs| files::replace_inputs(connection, inputs))
}

/// Replaces the rows of all imports.
fn write_imports(connection: &Connection, imported: &mut ImportedGraph) -> Result<(), StoreError> {
    let mut changed = PendingChanges::default();
    for node in imports::nodes(connection)? {
        remove_node(connection, node, &mut changed)?;
    }
    imports::delete(connection)?;

    for file in &imported.files {
        files::write_file(connection, file)?;
    }
    for (hash, node) in &imported.nodes {
        write_node(connection, (node, *hash), &imported.keys, &mut changed)?;
    }
    changed.vectors.write(connection)?;
    insert_edges(connection, &mut imported.edges)?;
    imports::insert(connection, &imported.imports)
}

const DELETE_UNRESOLVED: &str = "DELETE FROM unresolved WHERE file_id = ?1";
const DELETE_OBJECT_FUNCTIONS: &str = "DELETE FROM object_functions WHERE file_id = ?1";
const DELETE_DISPATCH: &str = "DELETE FROM dispatch WHERE file_id = ?1";

fn insert_unresolved(
    connection: &Connection,
    rows: RowList<UnresolvedRow>,
) -> Result<(), StoreError> {
    let rows = rows.into_rows();

    bulk::try_insert(connection, ("unresolved", 6), rows, |row, values| {
        values.push(row.file.0)?;
        values.push(row.name.as_str())?;
        values.push(row.sites.len() as u32)?;
        values.push(row.sites.iter().filter(|site| site.is_call).count() as u32)?;
        values.push(pack_sorted(row.sites.iter().map(|site| site.line)))?;
        values.push(pack_sorted(
            row.sites
                .iter()
                .map(|site| site.column << 1 | u32::from(site.is_call)),
        ))
    })
}

/// Writes the differences between the resolved files' edges and the stored edges.
fn update_edges(
    connection: &Connection,
    (delta, edges): (&Delta, RowList<EdgeRow>),
    report: &mut WriteReport,
) -> Result<(), StoreError> {
    let mut present: FxHashMap<FileKey, Vec<EdgeRow>> = FxHashMap::default();
    for edge in edges.into_rows() {
        let edge = edge?;
        present.entry(edge.file).or_default().push(edge);
    }
    let touched = delta
        .files
        .iter()
        .map(|file| file.id)
        .chain(delta.removed.iter().copied());
    for file in touched {
        let mut stored = Vec::new();
        for source in files::sources_of(connection, file)? {
            edges::of_source_in_file(connection, source, file, &mut stored)?;
        }
        stored.sort_unstable_by_key(EdgeRow::key);

        let mut fresh = present.remove(&file).unwrap_or_default();
        fresh.sort_unstable_by_key(EdgeRow::key);

        let row_key = |row: &&[EdgeRow]| row[0].row_key();
        let stored: Vec<&[EdgeRow]> = edges::rows_of(&stored).collect();
        let fresh: Vec<&[EdgeRow]> = edges::rows_of(&fresh).collect();
        let is_in = |rows: &[&[EdgeRow]], row: &[EdgeRow]| {
            rows.binary_search_by_key(&row[0].row_key(), row_key)
                .is_ok_and(|at| rows[at] == row)
        };

        for row in stored.iter().filter(|row| !is_in(&fresh, row)) {
            edges::delete_row(connection, &row[0])?;
            report.edges_removed += row.len();
        }

        let added = || fresh.iter().copied().filter(|row| !is_in(&stored, row));
        edges::insert_outgoing(connection, added())?;
        edges::insert_incoming(connection, added())?;
        report.edges_written += added().map(<[_]>::len).sum::<usize>();
    }
    Ok(())
}

/// Writes the nodes whose content hash differs from the stored one.
fn update_nodes(
    connection: &Connection,
    (nodes, stored): (&PackedNodes, &NodeHashes),
    keys: &FxHashMap<String, FileKey>,
    changed: &mut PendingChanges,
) -> Result<(), StoreError> {
    let mut stored = stored.iter().copied().peekable();

    for (at, (id, hash)) in nodes.hashes().enumerate() {
        while let Some((gone, _)) = stored.next_if(|(stored, _)| *stored < id) {
            remove_node(connection, gone, changed)?;
        }

        let before = stored.next_if(|(stored, _)| *stored == id);
        if before.is_none_or(|(_, stored_hash)| stored_hash != hash) {
            write_node(connection, (&nodes.node(at), hash), keys, changed)?;
        }
    }

    for (gone, _) in stored {
        remove_node(connection, gone, changed)?;
    }
    Ok(())
}

/// Writes nodes that are known to differ.
fn patch_nodes(
    connection: &Connection,
    nodes: &NodeChanges,
    keys: &FxHashMap<String, FileKey>,
    changed: &mut PendingChanges,
) -> Result<(), StoreError> {
    for id in &nodes.removed {
        remove_node(connection, *id, changed)?;
    }
    for (hash, node) in &nodes.written {
        write_node(connection, (node, *hash), keys, changed)?;
    }
    nodes::move_spans(connection, &nodes.moved, &nodes.rehashed)
}

fn write_node(
    connection: &Connection,
    (node, hash): (&Node, i64),
    keys: &FxHashMap<String, FileKey>,
    changed: &mut PendingChanges,
) -> Result<(), StoreError> {
    let before = nodes::stored_node(connection, node.id)?;

    nodes::delete_node(connection, node.id)?;
    nodes::insert(connection, std::iter::once((hash, node)), keys)?;
    changed.vectors.update_node(connection, node)?;
    changed.report.nodes_written += 1;
    match before {
        Some(before) if search::same_text(&before, node) => Ok(()),
        Some(before) => {
            search::delete(connection, &before)?;
            search::insert(connection, std::iter::once(node))
        }
        None => search::insert(connection, std::iter::once(node)),
    }
}

fn remove_node(
    connection: &Connection,
    id: NodeId,
    changed: &mut PendingChanges,
) -> Result<(), StoreError> {
    if let Some(before) = nodes::stored_node(connection, id)? {
        search::delete(connection, &before)?;
    }
    nodes::delete_node(connection, id)?;
    changed.vectors.remove(connection, id)?;
    changed.report.nodes_removed += 1;
    Ok(())
}
