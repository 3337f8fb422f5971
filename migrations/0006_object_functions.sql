-- Names under which objects hold what may be a function and is no node, by file: an unresolved call by such a name may mean one of them.

CREATE TABLE object_functions (
    file_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (file_id, name)
) WITHOUT ROWID;
