-- Symbols of packages that the repository uses: who distributes the package (PackageManager of codeagent-model), its name, and the symbol in it
-- as a documentation-comment id or SCIP descriptors. The id is a 60-bit hash of these, path and name are what people type.

CREATE TABLE external_symbols (
    id INTEGER PRIMARY KEY,
    manager INTEGER NOT NULL,
    package TEXT NOT NULL,
    descriptor TEXT NOT NULL,
    path TEXT NOT NULL,
    name TEXT NOT NULL
);

-- The uses of a symbol in a file. A line of sites, in text order: difference to the line before, UTF-16 column, and the edge type above the confidence.
CREATE TABLE external_uses (
    symbol_id INTEGER NOT NULL,
    file_id INTEGER NOT NULL,
    sites BLOB NOT NULL,
    PRIMARY KEY (symbol_id, file_id)
) WITHOUT ROWID;

CREATE INDEX external_symbols_by_name ON external_symbols (name COLLATE NOCASE);
CREATE INDEX external_symbols_by_package ON external_symbols (package);
CREATE INDEX external_uses_by_file ON external_uses (file_id);
