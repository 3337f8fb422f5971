-- Vectors of symbols. A row is the id of a node below what made the vector: 0 for letters and words, 1 for a model. The signs are for finding,
-- 48 bytes. What letters give follows from the node; a model's vectors lie in vec_texts under the hash of the text they were made of.

CREATE TABLE vec_nodes (
    row INTEGER PRIMARY KEY,
    text_hash INTEGER,
    signs BLOB NOT NULL
);

-- A model's vectors: 384 signed bytes, each times the scale. Kept until a complete run of the model finds no node with the text.
CREATE TABLE vec_texts (
    text_hash INTEGER PRIMARY KEY,
    scale REAL NOT NULL,
    vector BLOB NOT NULL
);
