-- What was read of the packages that the repository uses: folders (their names), package.json files and declarations. Only the latter have facts.

CREATE TABLE packages (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    hash BLOB NOT NULL,
    facts_key BLOB
) WITHOUT ROWID;
