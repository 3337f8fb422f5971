-- Imported SCIP indexes, and how many of their files were left out: indexed from their sources, changed since the import, or made from another text.
-- Imported files have ids from 2147483648 on, their nodes the flag 256.

CREATE TABLE imports (
    name TEXT PRIMARY KEY,
    tool TEXT NOT NULL,
    folder TEXT NOT NULL,
    files INTEGER NOT NULL,
    symbols INTEGER NOT NULL,
    uses INTEGER NOT NULL,
    external_uses INTEGER NOT NULL,
    own_files INTEGER NOT NULL,
    changed_files INTEGER NOT NULL,
    misplaced_files INTEGER NOT NULL,
    problem TEXT
) WITHOUT ROWID;
