-- Reads what decides whether this server can host leases.
SELECT pg_is_in_recovery(), current_setting('transaction_read_only')::boolean, current_setting('server_encoding'),
       current_database()::text, coalesce(host(inet_server_addr()), ''), coalesce(inet_server_port(), 0)
