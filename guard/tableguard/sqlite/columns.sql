-- List the columns of a table.
SELECT name FROM pragma_table_xinfo(?1) WHERE hidden <> 1
