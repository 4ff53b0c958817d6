-- List what is unique in a table, column by column: the number of the key, the column (none for an expression), how it compares. The rowid has a key of its own, by the first of its names that no column has.
SELECT i.seq, c.name, c.coll FROM pragma_index_list(?1) AS i, pragma_index_xinfo(i.name) AS c WHERE i."unique" AND c.key
UNION ALL
SELECT -1, (SELECT column1 FROM (VALUES ('rowid'), ('_rowid_'), ('oid')) WHERE column1 NOT IN (SELECT lower(name) FROM pragma_table_info(?1)) LIMIT 1), 'BINARY'
FROM pragma_table_list WHERE schema = 'main' AND name = ?1 AND NOT wr
ORDER BY 1
