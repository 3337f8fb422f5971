-- How code runs without a call that names it: one row per site. Source and target are node ids, 0 where only the label tells; the sites of a route or
-- event share a key (DispatchKind::key of codeagent-model), which is empty for the other kinds.

CREATE TABLE dispatch (
    file_id INTEGER NOT NULL,
    line INTEGER NOT NULL,
    "column" INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    label TEXT NOT NULL,
    key TEXT NOT NULL,
    confidence INTEGER NOT NULL,
    PRIMARY KEY (file_id, line, "column", kind, source, target, label)
) WITHOUT ROWID;

CREATE INDEX dispatch_by_source ON dispatch (source);
CREATE INDEX dispatch_by_target ON dispatch (target);
CREATE INDEX dispatch_by_key ON dispatch (key) WHERE key <> '';
