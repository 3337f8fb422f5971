//! Write access: one connection, one transaction per batch, so that a crash leaves the last
//! complete generation.
//!
//! A full graph is written in sorted order with the plain indexes dropped. An update is compared
//! with the stored rows and touches only those that differ.

use std::path::Path;

use rusqlite::{Connection, InterruptHandle, OptionalExtension, TransactionBehavior};
use rustc_hash::FxHashMap;

use crate::model::graph::{Node, NodeId};
use crate::store::batch::{
    Batch, BatchReport, EdgeRow, FileKey, NodeWithHash, UnresolvedRow, WriteMode,
};
use crate::store::codec::pack_sorted;
use crate::store::{
    EDGES_TOTAL, EMBEDDING_MODEL, FactsKey, GENERATION, NodeVector, StoreError, VECTORS_GENERATION,
    bulk, edges, facts, files, nodes, packages, schema, search, vectors,
};

const STATEMENTS_CACHED: usize = 64;
/// Written files after which unused facts are collected.
const FILES_PER_COLLECTION: usize = 256;
const SEARCH_MEMORY_BULK: i64 = 16 << 20;
const SEARCH_MEMORY: i64 = 1 << 20;

/// The only connection that writes.
pub struct Writer {
    connection: Connection,
    /// Ids and hashes of the stored nodes, sorted by id, once a batch has provided them.
    stored: Option<NodeHashes>,
    /// Files written since unused facts were last collected.
    written: usize,
}

/// Interrupts the statement that a [`Writer`] is running, which rolls its transaction back.
pub struct Interrupter(InterruptHandle);

impl Interrupter {
    /// Interrupts the running statement; does nothing between statements.
    pub fn interrupt(&self) {
        self.0.interrupt();
    }
}

type NodeHashes = Vec<(NodeId, i64)>;

impl Writer {
    /// Opens the database, creating or migrating it as needed. The caller holds the repository's
    /// lock.
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

    /// Stores packed facts. Facts depend only on a text, so they are not part of a batch.
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

    /// Writes a batch.
    pub fn apply(&mut self, batch: Batch) -> Result<BatchReport, StoreError> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;

        let (batch_kind, mut metadata) = (batch.kind, batch.metadata.clone());
        let hashes =
            |nodes: &Vec<NodeWithHash>| nodes.iter().map(|(hash, node)| (node.id, *hash)).collect();

        let before = self.stored.take();
        let is_known = batch.renewed.is_empty() && batch.moved.is_empty() && batch.gone.is_empty();
        let after = batch.nodes.as_ref().map(hashes);
        self.written += batch.files.len();

        let applied = match batch.kind {
            WriteMode::Replace => replace(&transaction, batch)?,
            WriteMode::Update => update(&transaction, &batch, before.as_ref())?,
        };

        let edges_before = if batch_kind == WriteMode::Replace {
            0
        } else {
            number(&transaction, EDGES_TOTAL)?
        };

        let total = (edges_before + applied.edges_written).saturating_sub(applied.edges_removed);
        metadata.push((EDGES_TOTAL, total.to_string()));
        metadata.push((
            GENERATION,
            (number(&transaction, GENERATION)? + 1).to_string(),
        ));

        for (key, value) in metadata {
            transaction
                .prepare_cached(SET_METADATA)?
                .execute([key, &value])?;
        }

        if batch_kind == WriteMode::Replace || self.written >= FILES_PER_COLLECTION {
            facts::collect_garbage(&transaction)?;
            self.written = 0;
        }

        transaction.commit()?;
        self.stored = after.or(before.filter(|_| is_known));
        Ok(applied)
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

    /// Copies the log into the database as far as readers permit, without waiting, so that later
    /// readers need no log index.
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
const DELETE_GRAPH: &str = "DELETE FROM files; DELETE FROM file_links; DELETE FROM nodes; DELETE FROM spans; DELETE FROM edges; \
    DELETE FROM edges_incoming; DELETE FROM unresolved; DELETE FROM object_functions;";

fn replace(connection: &Connection, mut batch: Batch) -> Result<BatchReport, StoreError> {
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

    let nodes = batch.nodes.take().unwrap_or_default();
    let applied = BatchReport {
        nodes_written: nodes.len(),
        edges_written: batch.edges.len(),
        ..BatchReport::default()
    };

    write_files(connection, &batch)?;
    nodes::insert(
        connection,
        nodes.iter().map(|(hash, node)| (*hash, node)),
        &batch.keys,
    )?;
    search::insert(connection, nodes.iter().map(|(_, node)| node))?;

    let signs = batch
        .signs
        .take()
        .unwrap_or_else(|| vectors::lexical_signs(&nodes));
    vectors::replace(connection, &nodes, &signs)?;

    drop(nodes);
    insert_edges(connection, &mut batch.edges)?;

    for (_, sql) in &indexes {
        connection.execute_batch(sql)?;
    }
    search::set_hash_size(connection, SEARCH_MEMORY)?;

    Ok(applied)
}

fn insert_edges(connection: &Connection, edges: &mut [EdgeRow]) -> Result<(), StoreError> {
    edges.sort_unstable_by_key(EdgeRow::key);
    edges::insert_outgoing(connection, edges.iter())?;
    edges.sort_unstable_by_key(EdgeRow::incoming_key);
    edges::insert_incoming(connection, edges.iter())
}

fn update(
    connection: &Connection,
    batch: &Batch,
    stored: Option<&NodeHashes>,
) -> Result<BatchReport, StoreError> {
    let mut changed = PendingChanges::default();
    update_edges(connection, batch, &mut changed.applied)?;

    if let Some(nodes) = &batch.nodes {
        match stored {
            Some(stored) => update_nodes(connection, (nodes, stored), &batch.keys, &mut changed)?,
            None => update_nodes(
                connection,
                (nodes, &nodes::stored_hashes(connection)?),
                &batch.keys,
                &mut changed,
            )?,
        }
    }

    for gone in &batch.gone {
        remove_node(connection, *gone, &mut changed)?;
    }
    for (hash, node) in &batch.renewed {
        write_node(connection, (node, *hash), &batch.keys, &mut changed)?;
    }

    changed.vectors.write(connection)?;
    nodes::move_spans(connection, &batch.moved, &batch.rehashed)?;

    for file in &batch.removed {
        files::delete_file(connection, *file)?;
    }

    for file in batch
        .removed
        .iter()
        .copied()
        .chain(batch.files.iter().map(|(file, _)| file.id))
    {
        connection
            .prepare_cached(DELETE_UNRESOLVED)?
            .execute([file.0])?;
        connection
            .prepare_cached(DELETE_OBJECT_FUNCTIONS)?
            .execute([file.0])?;
    }

    for file in &batch.touched {
        files::write_file(connection, file)?;
    }
    write_files(connection, batch)?;

    Ok(changed.applied)
}

/// What an update has changed so far.
#[derive(Default)]
struct PendingChanges {
    applied: BatchReport,
    /// Written at the end, when all of them are known.
    vectors: vectors::VectorUpdates,
}

fn write_files(connection: &Connection, batch: &Batch) -> Result<(), StoreError> {
    for (file, links) in &batch.files {
        files::write_file(connection, file)?;
        files::write_dependencies(connection, file.id, links)?;
    }

    insert_unresolved(connection, &batch.unresolved)?;
    bulk::insert(
        connection,
        ("object_functions", 2),
        batch.object_functions.iter(),
        |(file, name), values| {
            values.push(file.0)?;
            values.push(name.as_str())
        },
    )?;

    batch
        .packages
        .as_ref()
        .map_or(Ok(()), |rows| packages::replace(connection, rows))?;
    batch
        .inputs
        .as_ref()
        .map_or(Ok(()), |inputs| files::replace_inputs(connection, inputs))
}

const DELETE_UNRESOLVED: &str = "DELETE FROM unresolved WHERE file_id = ?1";
const DELETE_OBJECT_FUNCTIONS: &str = "DELETE FROM object_functions WHERE file_id = ?1";

fn insert_unresolved(connection: &Connection, rows: &[UnresolvedRow]) -> Result<(), StoreError> {
    bulk::insert(connection, ("unresolved", 6), rows.iter(), |row, values| {
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

/// Compares the edges of each file in the batch with the stored ones.
fn update_edges(
    connection: &Connection,
    batch: &Batch,
    applied: &mut BatchReport,
) -> Result<(), StoreError> {
    let mut present: FxHashMap<FileKey, Vec<&EdgeRow>> = FxHashMap::default();
    for edge in &batch.edges {
        present.entry(edge.file).or_default().push(edge);
    }

    let touched = batch
        .files
        .iter()
        .map(|(file, _)| file.id)
        .chain(batch.removed.iter().copied());

    for file in touched {
        let mut stored = Vec::new();
        for source in files::sources_of(connection, file)? {
            edges::of_source_in_file(connection, source, file, &mut stored)?;
        }
        stored.sort_unstable_by_key(EdgeRow::key);

        let mut fresh = present.remove(&file).unwrap_or_default();
        fresh.sort_unstable_by_key(|edge| edge.key());

        let is_stored = |edge: &EdgeRow| {
            stored
                .binary_search_by_key(&edge.key(), EdgeRow::key)
                .is_ok_and(|at| stored[at] == *edge)
        };
        let is_fresh = |edge: &EdgeRow| {
            fresh
                .binary_search_by_key(&edge.key(), |e| e.key())
                .is_ok_and(|at| *fresh[at] == *edge)
        };

        for edge in stored.iter().filter(|edge| !is_fresh(edge)) {
            edges::delete(connection, edge)?;
            applied.edges_removed += 1;
        }

        let added: Vec<&EdgeRow> = fresh
            .iter()
            .copied()
            .filter(|edge| !is_stored(edge))
            .collect();

        edges::insert_outgoing(connection, added.iter().copied())?;
        edges::insert_incoming(connection, added.iter().copied())?;
        applied.edges_written += added.len();
    }
    Ok(())
}

/// Compares all nodes with the stored ones by content hash.
fn update_nodes(
    connection: &Connection,
    (nodes, stored): (&[NodeWithHash], &NodeHashes),
    keys: &FxHashMap<String, FileKey>,
    changed: &mut PendingChanges,
) -> Result<(), StoreError> {
    let mut stored = stored.iter().copied().peekable();

    for (hash, node) in nodes {
        while let Some((gone, _)) = stored.next_if(|(id, _)| *id < node.id) {
            remove_node(connection, gone, changed)?;
        }

        let before = stored.next_if(|(id, _)| *id == node.id);
        if before.is_none_or(|(_, stored_hash)| stored_hash != *hash) {
            write_node(connection, (node, *hash), keys, changed)?;
        }
    }

    for (gone, _) in stored {
        remove_node(connection, gone, changed)?;
    }
    Ok(())
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
    changed.applied.nodes_written += 1;

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
    changed.applied.nodes_removed += 1;
    Ok(())
}
