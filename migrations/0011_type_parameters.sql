-- The type parameters of a generic declaration by name: `<TKey, TValue>`.

ALTER TABLE nodes ADD COLUMN type_parameters TEXT;
