-- Where the uses stand that have no target: lines in ascending order, and for each its UTF-16 column, doubled, with 1 added for a call.

ALTER TABLE unresolved ADD COLUMN lines BLOB NOT NULL DEFAULT x'';
ALTER TABLE unresolved ADD COLUMN columns BLOB NOT NULL DEFAULT x'';
