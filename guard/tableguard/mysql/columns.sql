-- List the columns of a table, and whether the text of one depends on the time zone of a session.
SELECT column_name, data_type = 'timestamp' FROM information_schema.columns WHERE table_schema = DATABASE() AND BINARY table_name = BINARY ?
