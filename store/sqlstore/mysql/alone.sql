-- Whether a statement that has this is a transaction of its own: in a session that commits by itself, and that nobody has left in
-- the middle of a transaction, which only MariaDB tells.
(@@autocommit = 1 /*M! AND @@in_transaction = 0 */)
