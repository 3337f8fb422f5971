-- Calls that take a nameless callback: their lines, and the name called with its first string, which stands for code in the callback.

CREATE TABLE callbacks (
    file_id INTEGER NOT NULL,
    line_start INTEGER NOT NULL,
    line_end INTEGER NOT NULL,
    label TEXT NOT NULL,
    PRIMARY KEY (file_id, line_start, line_end, label)
) WITHOUT ROWID;

-- String literals that read as names: which files have one, by the hash of its key (literal_key of codeagent-model). Text and lines are in the
-- file's facts.

CREATE TABLE literals (
    key_hash INTEGER NOT NULL,
    file_id INTEGER NOT NULL,
    PRIMARY KEY (key_hash, file_id)
) WITHOUT ROWID;

-- The hashes of each file, in ascending order.

CREATE TABLE file_literals (
    file_id INTEGER PRIMARY KEY,
    key_hashes BLOB NOT NULL
);
