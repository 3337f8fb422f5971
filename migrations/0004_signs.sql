-- The signs of symbols' vectors, for finding near ones. A row holds those of all symbols whose ids begin with the same 12 bits, so that all signs
-- are read in few rows and an edit writes few: ids and signs, 8 and 48 bytes each, in the order of the ids. Its number is these bits below what
-- made the vectors: 0 for letters and words, 1 for a model.

CREATE TABLE vec_signs (
    row INTEGER PRIMARY KEY,
    symbols BLOB NOT NULL
);

-- Which text of a symbol a model's vector was made of; what letters and words give follows from the symbol. The next run fills both.

DROP TABLE vec_nodes;

CREATE TABLE vec_nodes (
    node_id INTEGER PRIMARY KEY,
    text_hash INTEGER NOT NULL
);
