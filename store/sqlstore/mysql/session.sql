-- Reads what keeps a statement from being a transaction of its own: 'manual' or 'within'; or else 'done'.
SELECT CASE WHEN @@autocommit <> 1 THEN 'manual' /*M! WHEN @@in_transaction = 1 THEN 'within' */ ELSE 'done' END
