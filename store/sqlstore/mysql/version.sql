-- Reads the version of the schema; no row where the record of the store is gone.
SELECT schema_version FROM ringfence_store
