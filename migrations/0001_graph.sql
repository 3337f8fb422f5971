-- The graph of one repository. Words of closed sets (languages, node types, edge types, ...) are stored as their position in the
-- tables of crates/codeagent-core/src/model/graph.rs; node ids are 60-bit hashes.

CREATE TABLE _metadata (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Every source file. The hash is blake3 over the bytes, facts_key the key under which its facts lie in facts.
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    dialect INTEGER NOT NULL,
    project_id TEXT NOT NULL,
    size INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    hash BLOB NOT NULL,
    facts_key BLOB NOT NULL,
    defines_hash INTEGER NOT NULL,
    parse_status INTEGER NOT NULL,
    problem TEXT,
    error_bytes INTEGER NOT NULL,
    error_lines BLOB NOT NULL,
    lines INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    calls_resolved INTEGER NOT NULL,
    calls_external INTEGER NOT NULL,
    given_up INTEGER NOT NULL,
    interface_hash BLOB NOT NULL,
    ids_hash INTEGER NOT NULL
);

CREATE INDEX files_with_problems ON files (path) WHERE problem IS NOT NULL;

-- What the last link of a file depended on, and which nodes of it have outgoing edges.
CREATE TABLE file_links (
    file_id INTEGER PRIMARY KEY,
    environment_hash INTEGER NOT NULL,
    answers_hash INTEGER NOT NULL,
    reads BLOB NOT NULL,
    slots BLOB NOT NULL,
    published BLOB NOT NULL,
    sources BLOB NOT NULL
);

-- Project files (csproj, tsconfig.json, package.json, ...) and other texts that decide how sources are read.
CREATE TABLE inputs (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    hash BLOB NOT NULL
) WITHOUT ROWID;

-- Projects that own nodes, by the path of their project file.
CREATE TABLE projects (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE
);

CREATE TABLE nodes (
    id INTEGER PRIMARY KEY,
    parent_id INTEGER,
    project INTEGER NOT NULL,
    name TEXT NOT NULL,
    qualified_name TEXT NOT NULL,
    node_type INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    language INTEGER NOT NULL,
    access INTEGER,
    flags INTEGER NOT NULL,
    parameter_signature TEXT,
    parameter_count INTEGER,
    return_type TEXT,
    doc TEXT,
    hash INTEGER NOT NULL
);

-- Declaration sites; position 0 is the primary one.
CREATE TABLE spans (
    node_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    file_id INTEGER NOT NULL,
    start_offset INTEGER NOT NULL,
    end_offset INTEGER NOT NULL,
    line_start INTEGER NOT NULL,
    column_start INTEGER NOT NULL,
    line_end INTEGER NOT NULL,
    name_line INTEGER NOT NULL,
    name_column INTEGER NOT NULL,
    PRIMARY KEY (node_id, position)
) WITHOUT ROWID;

-- The uses of a node by another in a file, found from the source and, in edges_incoming, from the target. For each site, in text order: difference to
-- the line before, the UTF-16 column above whether it is one of several candidates (1 bit) and the confidence (2 bits), and further candidates.
CREATE TABLE edges (
    source INTEGER NOT NULL,
    edge_type INTEGER NOT NULL,
    target INTEGER NOT NULL,
    file_id INTEGER NOT NULL,
    sites BLOB NOT NULL,
    PRIMARY KEY (source, edge_type, target, file_id)
) WITHOUT ROWID;

CREATE TABLE edges_incoming (
    target INTEGER NOT NULL,
    edge_type INTEGER NOT NULL,
    source INTEGER NOT NULL,
    file_id INTEGER NOT NULL,
    sites BLOB NOT NULL,
    PRIMARY KEY (target, edge_type, source, file_id)
) WITHOUT ROWID;

-- Uses that have no target, by the name used; how many of them are calls.
CREATE TABLE unresolved (
    file_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    count INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    PRIMARY KEY (file_id, name)
) WITHOUT ROWID;

-- What each text says, by a key made of its content: a wiped graph is rebuilt without parsing.
CREATE TABLE facts (
    key BLOB PRIMARY KEY,
    data BLOB NOT NULL
);

-- Words of every node; the rowid is its class above its id. The text itself is made again from nodes when a row is removed.
CREATE VIRTUAL TABLE search USING fts5 (
    name,
    container,
    signature,
    doc,
    content = '',
    columnsize = 0,
    tokenize = 'unicode61'
);

-- How many nodes have a word in their name: what prefixes stand for and how rare a word is.
CREATE TABLE name_words (
    word TEXT PRIMARY KEY,
    names INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX nodes_by_name ON nodes (name COLLATE NOCASE);
CREATE INDEX nodes_by_qualified_name ON nodes (qualified_name);
CREATE INDEX nodes_by_parent ON nodes (parent_id);
CREATE INDEX spans_by_file ON spans (file_id);
CREATE INDEX unresolved_by_name ON unresolved (name);
