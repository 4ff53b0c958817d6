-- List what is unique in a table, column by column: the number of the key, the column (none for an expression), how it compares. The rowid has a key of its own.
SELECT i.seq, c.name, c.coll FROM pragma_index_list(?1) AS i, pragma_index_xinfo(i.name) AS c WHERE i."unique" AND c.key
UNION ALL
SELECT -1, 'rowid', 'BINARY' FROM pragma_table_list WHERE schema = 'main' AND name = ?1 AND NOT wr
ORDER BY 1
