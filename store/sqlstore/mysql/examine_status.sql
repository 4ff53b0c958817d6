-- Reads how busy the server is, and who copies it. A server does not know all of these.
SHOW GLOBAL STATUS WHERE variable_name IN ('Threads_connected', 'Slaves_connected', 'Rpl_semi_sync_master_clients', 'Rpl_semi_sync_source_clients')
