-- Whether a statement that has this is a transaction of its own, as in the file of the same name in the folder mysql.
(@@autocommit = 1 AND @@in_transaction = 0)
